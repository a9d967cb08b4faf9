"""Joins a mechanism, its equations and the compiler: compiled functions by definition and stage."""

from linkwright.functions.setup import Setup, part_names, setup
from linkwright.functions.store import Kernels

__all__ = ["Kernels", "Setup", "part_names", "setup"]
