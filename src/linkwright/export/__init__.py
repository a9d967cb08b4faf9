"""Programs as code for other tools."""

from linkwright.compiler import Port, Program, Signature, UnitVector
from linkwright.export.c.function import c_source
from linkwright.export.c.kit import CKit, Figures, c_kit
from linkwright.export.casadi import casadi_function
from linkwright.export.fmi.description import FmuVariable
from linkwright.export.fmi.unit import Fmu, fmu
from linkwright.export.gym import RobotBatch, gym_vector_env
from linkwright.export.jax import jax_function
from linkwright.export.ros2.relay import Ros2Files, ros2_relay
from linkwright.export.state_space import state_space
from linkwright.export.torch import torch_function

__all__ = [
    "CKit",
    "Figures",
    "Fmu",
    "FmuVariable",
    "Port",
    "Program",
    "RobotBatch",
    "Ros2Files",
    "Signature",
    "UnitVector",
    "c_kit",
    "c_source",
    "casadi_function",
    "fmu",
    "gym_vector_env",
    "jax_function",
    "ros2_relay",
    "state_space",
    "torch_function",
]
