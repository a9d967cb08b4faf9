"""Many designs: a function at the points of a grid, a sample or a list, on one core, on all, or on a cluster."""

from linkwright.sweeps.executors import SweepError
from linkwright.sweeps.points import Grid, LatinHypercube, Points, Sobol, TabulatedPoints, Uniform
from linkwright.sweeps.sweep import SweepProgress, merge
from linkwright.sweeps.sweep_record import Sweep

__all__ = [
    "Grid",
    "LatinHypercube",
    "Points",
    "Sobol",
    "Sweep",
    "SweepError",
    "SweepProgress",
    "TabulatedPoints",
    "Uniform",
    "merge",
]
