"""Events of a run: crossings of a function of the state, and loops that close and open."""

from linkwright.simulation.root_functions import Crossing
from linkwright.simulation.switching.switches import Close, Open

__all__ = ["Close", "Crossing", "Open"]
