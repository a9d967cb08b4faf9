"""Joins a mechanism, its equations and the compiler: compiled functions by definition and stage."""

from linkwright.kernels.compiled import Kernels
from linkwright.kernels.setup import Setup, part_names, setup

__all__ = ["Kernels", "Setup", "part_names", "setup"]
