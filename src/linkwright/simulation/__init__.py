"""Motion in time: compiled steppers around the compiled mechanics."""

from linkwright.simulation.api import simulate
from linkwright.simulation.events.root_functions import Crossing
from linkwright.simulation.methods.methods import DOP853, DP5, RK4, Rodas5P
from linkwright.simulation.running.pacing import Pace
from linkwright.simulation.switching.switches import Close, Open

__all__ = ["DOP853", "DP5", "RK4", "Close", "Crossing", "Open", "Pace", "Rodas5P", "simulate"]
