"""Motion in time: compiled steppers around the compiled mechanics."""

from linkwright.simulation.api import simulate
from linkwright.simulation.integrators import DOP853, DP5, RK4, Rodas5P
from linkwright.simulation.root_functions import Crossing
from linkwright.simulation.running.run_output import Pace
from linkwright.simulation.switching.switches import Close, Open

__all__ = ["DOP853", "DP5", "RK4", "Close", "Crossing", "Open", "Pace", "Rodas5P", "simulate"]
