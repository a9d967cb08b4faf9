"""Joins a mechanism, its equations and the compiler: named compiled functions."""

from linkwright.kernels.kernels import Kernels
from linkwright.kernels.setup import Setup, part_names, setup

__all__ = ["Kernels", "Setup", "part_names", "setup"]
