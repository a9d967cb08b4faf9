"""Programs as code for other tools."""

from linkwright.compiler import Port, Program, Signature, UnitVector
from linkwright.export.c import c_source
from linkwright.export.casadi import casadi_function

__all__ = ["Port", "Program", "Signature", "UnitVector", "c_source", "casadi_function"]
