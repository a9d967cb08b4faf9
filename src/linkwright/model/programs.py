"""A model's functions as parts of larger computations: on recorded values they are traced in, on floats evaluated."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.compiler import inline_program
from linkwright.dynamics.independent_velocities import complete_independent_motion
from linkwright.errors import ArgumentError
from linkwright.functions import Kernels, function_registry
from linkwright.functions.definition import Definition
from linkwright.functions.loop import closure_functions, minimal_functions
from linkwright.functions.tree import tree_functions
from linkwright.functions.tree.tree_functions import wrenches_from_sites
from linkwright.kinematics.target_plans import locate_driven_coordinates
from linkwright.model.function_names import locate_public_function
from linkwright.model.model import Model
from linkwright.model.wrench import Wrench, site_of

_WITH_FALLBACK = (tree_functions.inverse_dynamics, tree_functions.forward_dynamics)


def evaluate_named_function(model: Model, name: str, *arrays: Any, frame: str | None = None, w_ext: Any = None) -> Any:
    """The result of a named function of the model at one state, on any scalar.

    On recorded values functions of closed loops mark a result that is ill-conditioned by NaN in its first number; on
    floats the dynamics of a model has its fallbacks, and raises at singularities. `w_ext` (n_bodies, 6) are wrenches on
    the bodies, for functions of dynamics.
    """
    definition = function_registry.public_definition(name)
    outer = () if w_ext is None else (w_ext,)
    if definition in _WITH_FALLBACK and not _is_any_recorded(*arrays, *outer):
        return getattr(model, name)(*arrays, *outer)
    kernels, found = locate_public_function(model.dynamics, name, frame)
    return _inline_definition(kernels, found, *arrays, *outer, frame=frame, wrench=bool(outer))


def wrenches_on_bodies(model: Model, wrenches: Sequence[Wrench], t: Any, q: Any, v: Any) -> Any:
    """Wrenches on all bodies (n_bodies, 6), in their frames, at a time and state, on any scalar; None without any."""
    if not wrenches:
        return None
    given = np.concatenate([each.value(t, q, v) for each in wrenches])
    return wrenches_from_sites(model.setup_here, [site_of(each) for each in wrenches], np.asarray(q), given)


def coordinate_rates_of_model(model: Model, q: Any, v: Any) -> Any:
    """Rates of the coordinates, (nq,)."""
    return _inline_definition(model.kernels, closure_functions.coordinate_rates, q, v)


def consistent_accelerations(model: Model, q: Any, v: Any, a_ind: Any) -> Any:
    """Accelerations (nv,) that keep the loops closed and give the independent velocities the accelerations a_ind."""
    if not model.has_loops:
        return a_ind
    indices = list(model.independent_indices)
    if not _is_any_recorded(q, v, a_ind):
        return complete_independent_motion(model.kinematics, q, v[..., indices], a_ind)[1]
    return _inline_definition(model.kinematics.kernels, minimal_functions.checked_motion, q, v[..., indices], a_ind)[
        ..., 1, :
    ]


def independent_map_of_model(model: Model, q: Any) -> Any:
    """R with v = R v_ind, (nv, n_ind)."""
    if not model.has_loops:
        return np.eye(model.nv)
    if not _is_any_recorded(q):
        return model.independent_map(q)
    return _inline_definition(model.kinematics.kernels, minimal_functions.checked_independent_map, q)


def actuator_coordinates(model: Model) -> tuple[list[int], list[int]]:
    """Places in q and in v of the actuators, in the order of tau; refused for actuators at cut joints."""
    if not model.na:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' names no actuators; name them in actuated=[...]")
    driven = locate_driven_coordinates(model.kinematics)
    for k in driven.at_cuts:
        raise ArgumentError(
            f"actuator '{model.actuated[k]}' sits at a cut joint and has no coordinate in q; cut another joint"
        )
    return driven.indices, [drive.speed for drive in model.setup.drives if drive.speed is not None]


def independent_order(model: Model) -> list[int]:
    """For every independent velocity its actuator; refused when others than the actuators are independent."""
    _, speeds = actuator_coordinates(model)
    if sorted(speeds) != sorted(model.independent_indices):
        raise ArgumentError(
            f"the independent velocities of '{model.mechanism.name}' are {', '.join(model.independent)} and its "
            f"actuators {', '.join(model.actuated)}; this law needs one actuator for each degree of freedom"
        )
    return [speeds.index(each) for each in model.independent_indices]


def _is_any_recorded(*arrays: Any) -> bool:
    """True if some number is recorded rather than known."""
    return any(np.asarray(x).dtype == object for x in arrays)


def _inline_definition(
    kernels: Kernels, definition: Definition, *arrays: Any, frame: str | None = None, wrench: bool = False
) -> Any:
    return inline_program(kernels.program(definition, wrench, frame), *arrays)
