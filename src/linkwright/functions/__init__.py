"""Joins a mechanism, its equations and the compiler: compiled functions by definition and stage."""

from linkwright.functions.setup import Setup, setup
from linkwright.functions.store import Kernels
from linkwright.mechanism.tree import part_names

__all__ = ["Kernels", "Setup", "part_names", "setup"]
