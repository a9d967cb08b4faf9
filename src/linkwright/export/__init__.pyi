# The public names of `linkwright.export`.

from typing import Any

__all__: list[str]

from linkwright.compiler import Port as Port
from linkwright.compiler import Program as Program
from linkwright.compiler import Signature as Signature
from linkwright.compiler import UnitVector as UnitVector
from linkwright.export.c.function import c_source as c_source
from linkwright.export.c.kit import CKit as CKit
from linkwright.export.c.kit import Figures as Figures
from linkwright.export.c.kit import c_kit as c_kit
from linkwright.export.casadi import casadi_function as casadi_function
from linkwright.export.fmi.description import FmuVariable as FmuVariable
from linkwright.export.fmi.unit import Fmu as Fmu
from linkwright.export.fmi.unit import fmu as fmu
from linkwright.export.gym import RobotBatch as RobotBatch
from linkwright.export.gym import gym_vector_env as gym_vector_env
from linkwright.export.jax import jax_function as jax_function
from linkwright.export.linear_systems import state_space as state_space
from linkwright.export.ros2.relay import Ros2Files as Ros2Files
from linkwright.export.ros2.relay import ros2_relay as ros2_relay
from linkwright.export.target_registry import register_target as register_target
from linkwright.export.torch import torch_function as torch_function
from linkwright.export.transmissions.pack import transmission as transmission
from linkwright.export.web.web_kit import wasm as wasm

def __getattr__(name: str) -> Any: ...
