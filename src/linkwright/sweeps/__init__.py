"""Many designs: a function at the points of a grid, a sample or a list, on one core, on all, or on a cluster."""

from linkwright.sweeps.executors import SweepError
from linkwright.sweeps.points import Grid, LatinHypercube, Listed, Points, Sobol, Uniform
from linkwright.sweeps.record import Sweep, open_sweep
from linkwright.sweeps.sweep import SweepProgress, merge

__all__ = [
    "Grid",
    "LatinHypercube",
    "Listed",
    "Points",
    "Sobol",
    "Sweep",
    "SweepError",
    "SweepProgress",
    "Uniform",
    "merge",
    "open_sweep",
]
