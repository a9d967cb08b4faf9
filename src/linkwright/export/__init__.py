"""Programs as code for other tools."""

from linkwright.compiler import Port, Program, Signature, UnitVector
from linkwright.export.c.function import c_source
from linkwright.export.c.kit import CKit, Figures, c_kit
from linkwright.export.casadi import casadi_function
from linkwright.export.fmi.unit import Fmu, fmu
from linkwright.export.fmi.variables import FmuVariable
from linkwright.export.gym import RobotBatch, gym_vector_env

__all__ = [
    "CKit",
    "Figures",
    "Fmu",
    "FmuVariable",
    "Port",
    "Program",
    "RobotBatch",
    "Signature",
    "UnitVector",
    "c_kit",
    "c_source",
    "casadi_function",
    "fmu",
    "gym_vector_env",
]
