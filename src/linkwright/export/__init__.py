"""Programs as code for other tools."""

from linkwright.export.c import c_source
from linkwright.export.casadi import casadi_function

__all__ = ["c_source", "casadi_function"]
