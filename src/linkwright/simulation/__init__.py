"""Motion in time: compiled steppers around the compiled mechanics."""

from linkwright.simulation.methods import DOP853, DP5, RK4, Rodas5P
from linkwright.simulation.pacing import Pace
from linkwright.simulation.simulating import simulate
from linkwright.simulation.switches import Close, Open
from linkwright.simulation.watching import Crossing

__all__ = ["DOP853", "DP5", "RK4", "Close", "Crossing", "Open", "Pace", "Rodas5P", "simulate"]
