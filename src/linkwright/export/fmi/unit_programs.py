"""Programs of a Functional Mock-up Unit: accelerations, projection, closing of loops, and what is put out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compiler import Program, tangent
from linkwright.dataclass import dataclass
from linkwright.dynamics.tree_dynamics import tree_solver
from linkwright.errors import LinkwrightError, MechanismError
from linkwright.functions.loop import closure_functions, minimal_functions, multiplier_functions
from linkwright.functions.loop.twist_functions import output_frame
from linkwright.functions.stepping import limit_functions, stepping_functions
from linkwright.functions.stepping.limit_functions import Bound, Limit, bounds_of, limits_of
from linkwright.functions.tree import tree_functions
from linkwright.model import Model
from linkwright.model.composed_programs import joint_reaction_program, program_with_inputs


@dataclass(frozen=True, eq=False)
class UnitPrograms:
    """Programs by the name of their C function, each with the mechanism's inputs as its last argument p if any.

    Attributes:
        functions: programs; what the mechanism does not need is missing. A name with _tangent is the derivative of that
            function along a direction.
        frames: names of the frames whose poses are put out.
        independent: indices in v of the velocities that are kept when loops are closed.
        positions: True if all actuators have a position.
        left_out: reasons by name of outputs that the mechanism does not have.
        limits: limits of joints, in the order of the function `limits`.
    """

    functions: Mapping[str, Program]
    frames: tuple[str, ...]
    independent: tuple[int, ...]
    positions: bool
    left_out: Mapping[str, str]
    limits: tuple[Limit | Bound, ...] = ()


# Functions whose derivatives along a direction are needed; those of reactions without their backward check, whose root
# has no derivative where the residual is zero.
_DIFFERENTIATED = (
    "accelerations",
    "coordinate_rates",
    "project",
    "close",
    "all_velocities",
    "results",
    "reactions",
    "limits",
)


def unit_programs(
    model: Model, frames: Sequence[str] | None, reactions: bool, derivatives: bool = True
) -> UnitPrograms:
    """Trace what a unit computes; `frames` are frames or bodies, the mechanism's output and its frames when None."""
    setup = model.setup
    if not model.nv or not model.mobility:
        raise MechanismError(
            f"'{model.mechanism.name}' has no degrees of freedom: a Functional Mock-up Unit of it would not move"
        )
    if frames is None:
        named = [output_frame(setup.mech), *(frame.name for frame in setup.mech.frames)]
        frames = [name for name in dict.fromkeys(named) if name]
    functions = _motion_programs(model) | {
        "coordinate_rates": model.loop_kernels.input_program(closure_functions.coordinate_rates),
        "residuals": model.kernels.input_program(stepping_functions.gaps),
    }
    left_out: dict[str, str] = {}
    try:
        model.loop_kernels.input_program(minimal_functions.actuator_positions)
    except LinkwrightError as reason:
        left_out["actuator positions"] = str(reason)
    functions["results"] = _result_program(model, frames, "actuator positions" not in left_out)
    if reactions:
        try:
            functions["reactions"] = joint_reaction_program(model)
        except LinkwrightError as reason:
            left_out["reactions"] = str(reason)
    limits: tuple[Limit | Bound, ...] = (*limits_of(setup.mech), *bounds_of(setup.mech, "speed"))
    if limits:
        functions["limits"] = _limit_program(model)
    if derivatives:
        smooth = functions | (
            {"reactions": joint_reaction_program(model, single=True)} if "reactions" in functions else {}
        )
        functions |= {f"{name}_tangent": tangent(smooth[name]) for name in _DIFFERENTIATED if name in smooth}
    positions = "actuator positions" not in left_out
    return UnitPrograms(functions, tuple(frames), model.independent_indices, positions, left_out, limits)


def _limit_program(model: Model) -> Program:
    """Distances to the limits of positions and velocities, positive inside."""
    mech, kernels = model.setup.mech, model.kernels
    distances = kernels.input_program(limit_functions.limit_distances) if limits_of(mech) else None
    margins = kernels.input_program(limit_functions.speed_margins) if bounds_of(mech, "speed") else None

    def limits(call: Any, q: Any, v: Any) -> Any:
        parts = [] if distances is None else [call(distances, q)]
        return np.concatenate(parts if margins is None else [*parts, call(margins, q, v)])

    return program_with_inputs(model, limits, "q", "v")


def _motion_programs(model: Model) -> dict[str, Program]:
    """Accelerations and projection; where there are loops also a Newton step that closes them, and all velocities."""
    kinematics, dynamics = model.kinematics, model.dynamics
    if not model.has_loops:
        kernels, definition = tree_solver(kinematics)
        project = model.loop_kernels.input_program(stepping_functions.unit_projection)
        return {"accelerations": kernels.input_program(definition), "project": project}
    planned = dynamics.kernels
    return {
        "accelerations": planned.input_program(multiplier_functions.checked_stabilized_dynamics),
        "accelerations_again": planned.input_program(multiplier_functions.second_forward_dynamics),
        "project": planned.input_program(stepping_functions.checked_projection),
        "close": kinematics.kernels.input_program(stepping_functions.displacement),
        "blocks": kinematics.kernels.input_program(stepping_functions.closure_blocks),
        "all_velocities": kinematics.kernels.input_program(stepping_functions.all_speeds),
    }


def _result_program(model: Model, frames: Sequence[str], positions: bool) -> Program:
    """Positions and velocities of the actuators, poses of the frames, energies and the closure residual."""
    kernels = model.loop_kernels
    found = [kernels.input_program(minimal_functions.actuator_positions)] if positions and model.na else []
    rates = kernels.input_program(minimal_functions.actuator_velocities) if model.na else None
    poses = [kernels.input_program(tree_functions.frame_quaternion, frame=frame) for frame in frames]
    energies = kernels.input_program(tree_functions.energies)

    def results(call: Any, q: Any, v: Any) -> Any:
        parts = [call(program, q) for program in found]
        parts += [] if rates is None else [call(rates, q, v)]
        parts += [np.concatenate(call(pose, q)) for pose in poses]
        return np.concatenate([*parts, call(energies, q, v)])

    return program_with_inputs(model, results, "q", "v")
