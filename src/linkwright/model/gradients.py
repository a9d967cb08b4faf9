"""Derivatives of a model's functions by its inputs: arguments as the functions take them, results in their shapes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from inspect import signature
from typing import Any, NamedTuple, cast

import numpy as np

from linkwright.checks import require_choice, require_positive, require_text
from linkwright.dataclass import dataclass, exact_text
from linkwright.dynamics.efforts import Sharing
from linkwright.errors import ArgumentError, ParameterWarning, warn_caller
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.loop import twist_functions
from linkwright.functions.memo import memo
from linkwright.gradients.fixed_quantities import FixedQuantities, held_components, opening_inputs
from linkwright.gradients.gradient_programs import Mode
from linkwright.gradients.measure_gradients import FIELDS, measure_changes
from linkwright.gradients.parameter_gradients import (
    FUNCTIONS,
    Query,
    cheaper_mode,
    gradient_kernel,
    needed_arrays,
    result_shapes,
)
from linkwright.kinematics.query import real_array
from linkwright.kinematics.singularity import Singularity, generic_ranks
from linkwright.mechanism.names import suggest_name
from linkwright.model import arguments
from linkwright.model.pose import Fixed, FixedPose

Array = np.ndarray
_ARRAYS = ("q", "v", "a", "tau", "w_ext")
_OPTIONS = ("frame", "undriven")
_MEASURED = ("components", "length")
"""Options of singularity measures."""
_FIXED = ("actuators", "pose", "state")
_PARTS = ("energy", "udu", "joint_reactions")
"""Functions that return several results."""


def held_quantities(model: Any, fixed: Any) -> FixedQuantities | None:
    """What is held in derivatives; None where q, v and a stay."""
    if not isinstance(fixed, FixedPose):
        if require_choice("fixed", fixed, _FIXED) != "pose":
            return FixedQuantities() if fixed == "actuators" else None
        fixed = FixedPose()
    frame = arguments.require_output_frame(model.setup.mech, fixed.frame)
    given = None if fixed.components is None else tuple(arguments.component_rows(fixed.components))
    return FixedQuantities(frame, held_components(model.kinematics, frame, given))


@dataclass(frozen=True, eq=False)
class NamedArguments:
    """The arguments of a function by name: arrays, and options that choose the compiled code."""

    query: Query
    arrays: tuple[Any, ...]


def bind_arguments(
    owner: type, model: Any, function: Any, given: Sequence[Any], named: Mapping[str, Any], fixed: Fixed
) -> NamedArguments:
    """The arguments of a function of a model, as its method takes them."""
    found = _arguments_by_name(owner, require_text("function", function), given, named)
    options = {name: found.pop(name) for name in _OPTIONS if name in found}
    if options.get("undriven") is not None:
        require_choice("undriven", options["undriven"], ("refuse", "free"))
    arrays = {name: found[name] for name in _ARRAYS if found.get(name) is not None}
    frame = require_text("frame", options["frame"]) if options.get("frame") is not None else None
    if function == "actuator_jacobian":
        frame = arguments.require_output_frame(model.setup.mech, frame)
    if function == "joint_reactions" and "tau" in arrays:
        raise ArgumentError("joint_reactions is differentiated with the efforts that the motion needs; leave tau out")
    free = options.get("undriven", "refuse")
    query = Query(
        function, held_quantities(model, fixed), tuple(arrays), frame, free, _sharing_of_function(model, function)
    )
    return NamedArguments(query, tuple(arrays.values()))


def _arguments_by_name(owner: type, function: str, given: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of a function by name, all that it needs and none that its derivatives do not take."""
    takes = _function_parameters(owner, function)
    if len(given) > takes.positional:
        raise ArgumentError(
            f"derivatives of {function} take {', '.join(takes.known)}, and {len(given)} arguments are given"
        )
    found = dict(zip(takes.known, given, strict=False))
    for name, value in named.items():
        if name in found:
            raise ArgumentError(f"{function} takes {', '.join(takes.known)}; '{name}' is given twice")
        if name in takes.refused and value is not None:
            raise ArgumentError(f"derivatives of {function} by parameters cannot be had with {name}; leave it out")
        if name not in takes.known and name not in takes.refused:
            raise ArgumentError(f"{function} has no argument '{name}'{suggest_name(name, takes.known)}")
        found[name] = value
    missing = [name for name in takes.required if found.get(name) is None]
    if missing:
        raise ArgumentError(
            f"{function} takes {', '.join(takes.known)}, and {' and '.join(missing)} "
            f"{'is' if len(missing) == 1 else 'are'} missing; give {', '.join(f'{name}=...' for name in missing)}"
        )
    return found


@dataclass(frozen=True)
class _Parameters:
    """Names of the arguments of a function.

    Attributes:
        known, refused: those that its derivatives take, and those that they do not.
        required: of the known ones, those without a default.
        positional: how many of the known ones come before others.
    """

    known: tuple[str, ...]
    required: tuple[str, ...]
    refused: tuple[str, ...] = ()
    positional: int = 1


@lru_cache
def _function_parameters(owner: type, function: str) -> _Parameters:
    if function not in FUNCTIONS:
        raise ArgumentError(f"'{function}' is not a function with derivatives{suggest_name(function, FUNCTIONS)}")
    if function == "assembly":
        return _Parameters(("q",), ("q",))
    every = {name: x for name, x in signature(getattr(owner, function)).parameters.items() if name not in ("self", "p")}
    known = tuple(name for name in every if name in (*_ARRAYS, *_OPTIONS, *_MEASURED))
    required = tuple(
        name for name in known if every[name].default is every[name].empty or name in needed_arrays(function)
    )
    positional = next((i for i, name in enumerate(every) if name not in known), len(every))
    return _Parameters(known, required, tuple(name for name in every if name not in known), positional)


class CompiledGradient(NamedTuple):
    """Compiled derivatives of a weighted sum: code(*arrays, weights, prepared) returns them, (..., n_p)."""

    code: Callable[..., Array]
    early_results: Array


def compiled_gradient(owner: type, model: Any, function: str, count: int, fixed: Fixed) -> CompiledGradient | None:
    """Return code for d(weights . f(x_1, ..., x_count)) / dp that takes its arguments unchecked, or None.

    There is none where a call needs more than the code: where f has several results (`energy` apart), misses one of its
    arrays, takes wrenches or has them in an order other than q, v, a, tau, and where some inputs open the loops.

    Args:
        owner: the class whose method `function` names the arguments.
        model: an instance of it.
        function: name of f.
        count: number of arrays, the first of the arguments of f.
        fixed: what stays while p changes.
    """
    takes = _function_parameters(owner, require_text("function", function))
    known = takes.known[:count]
    several = function in _PARTS and function != "energy"
    if not set(takes.required) <= set(known) <= set(_ARRAYS[:4]) or len(known) < count or several:
        return None
    query = Query(function, held_quantities(model, fixed), known, sharing=_sharing_of_function(model, function))
    opening = query.hold is not None and opening_inputs(model.kinematics)
    if known != tuple(sorted(known, key=_ARRAYS.index)) or len(result_shapes(model.dynamics, query)[0]) > 1 or opening:
        return None
    kernel = _gradient_kernel_of_model(model, query, "reverse")
    code = _energy_code(query, kernel.rest.call) if function == "energy" else kernel.rest.call
    return CompiledGradient(code, kernel.early_results)


def _energy_code(query: Query, code: Callable[..., Array]) -> Callable[..., Array]:
    """Code of `energy` that takes a tuple of weights: of the kinetic and of the potential energy."""

    def called(q: Any, v: Any, weights: Any, prepared: Array) -> Array:
        if type(weights) is tuple and len(weights) == 2 and type(weights[0]) is type(weights[1]) is float:
            return code(q, v, np.array(weights), prepared)
        return code(q, v, _join_weights(query, ((2,),), weights), prepared)

    return called


def label_of_fixed(fixed: Fixed) -> str:
    """What is fixed, in the keys of tables of derivatives."""
    return fixed if isinstance(fixed, str) else exact_text(fixed)


def looking_up(known: Mapping[Any, CompiledGradient | None], general: Callable[..., Any]) -> Callable[..., Any]:
    """`Model.parameter_jacobian` that looks for compiled code first and calls the general method where there is none.

    Keys of `known` are the function, the number of arrays and the `label_of_fixed` of what is fixed; None stands for
    calls that `compiled_gradient` has no code for.
    """

    def parameter_jacobian(
        function: Any, *given: Any, fixed: Any = "actuators", weights: Any = None, **named: Any
    ) -> Any:
        if weights is not None and not named:
            try:
                found = known.get((function, len(given), fixed))
            except TypeError:  # a list in what is fixed, or arguments to be refused
                found = None
            if found is not None:
                return found.code(*given, weights, found.early_results)
        return general(function, *given, fixed=fixed, weights=weights, **named)

    return parameter_jacobian


def gradient_by_inputs(model: Any, given: NamedArguments, weights: Any) -> Array:
    """Derivatives of the sum of weights times results by the inputs, (..., n_p): one sweep back."""
    shapes = result_shapes(model.dynamics, given.query)
    if given.query.name == "joint_reactions":
        weights = _of_joints(weights, _joints_in_wrench_order(model), shapes)
    state = [_argument_array(model, name, x) for name, x in zip(given.query.arrays, given.arrays, strict=True)]
    kernel = _gradient_kernel_of_model(model, given.query, "reverse")
    return _without_opening(model, given.query, kernel(*state, _join_weights(given.query, shapes, weights)))


def jacobian_by_inputs(model: Any, given: NamedArguments) -> Any:
    """Derivatives of all results by the inputs, each (..., *shape, n_p)."""
    query, dynamics = given.query, model.dynamics
    mode = cast(Mode, cheaper_mode(dynamics, query))
    kernel, n = _gradient_kernel_of_model(model, query, mode), len(model.parameters)
    shapes = result_shapes(dynamics, query)
    size = sum(int(np.prod(shape)) for shape in shapes)
    if model.parameters.values.ndim > 1:
        kernel = kernel.at(model.parameters.values[..., None, :])
    state = [_argument_array(model, name, x) for name, x in zip(query.arrays, given.arrays, strict=True)]
    states = [_at_least(name, x) for name, x in zip(query.arrays, state, strict=True)]
    _require_finite_state(query, states)
    rows = [np.expand_dims(x, -1 - _argument_axis_count(name)) for name, x in zip(query.arrays, states, strict=True)]
    J = kernel(*rows, np.eye(n if mode == "forward" else size))
    J = np.swapaxes(J, -1, -2) if mode == "forward" else J
    packed = _pack_derivatives(query, shapes, _without_opening(model, query, J))
    if query.name != "joint_reactions":
        return packed
    every = np.concatenate(packed, axis=-3) if isinstance(packed, tuple) else packed
    return {name: every[..., i, :, :] for i, name in enumerate(_joints_in_wrench_order(model))}


def _of_joints(weights: Any, joints: Sequence[str], shapes: Sequence[tuple[int, ...]]) -> Any:
    """Weights of the wrenches in all joints, in the form of the results, from those of some joints, (..., 6) each."""
    if not isinstance(weights, Mapping) or not weights:
        raise ArgumentError(
            f"weights of joint_reactions are {weights!r:.60}, expected a dictionary {{joint: (..., 6)}}"
        )
    for name in weights:
        if name not in joints:
            raise ArgumentError(f"weights name the unknown joint {name!r}{suggest_name(str(name), joints)}")
    given = {name: _flatten_weights(real_array(f"weights[{name!r}]", w), (6,)) for name, w in weights.items()}
    every = np.stack(np.broadcast_arrays(*(given.get(name, np.zeros(6)) for name in joints)), axis=-2)
    parts = np.split(every, np.cumsum([shape[0] for shape in shapes])[:-1], axis=-2)
    return tuple(parts) if len(parts) > 1 else parts[0]


def _joints_in_wrench_order(model: Any) -> list[str]:
    """Joints in the order of the wrenches: those of the tree, then the cut ones."""
    setup = model.setup
    return [link.joint for link in setup.tree.links] + [loop.name for loop in setup.mech.loops]


def singularity_changes(
    owner: type, model: Any, fixed: Fixed, given: Sequence[Any], named: Mapping[str, Any]
) -> Singularity:
    """Derivatives of the singularity measures, each (..., n_p)."""
    found = _arguments_by_name(owner, "singularity", given, named)
    q, components, length = (found.get(name) for name in ("q", "components", "length"))
    picked = None if components is None else arguments.component_rows(components)
    here = generic_ranks(model.kinematics, picked, None if length is None else require_positive("length", length))
    query = Query("joint_twists", held_quantities(model, fixed), ("q",))
    changes = np.asarray(jacobian_by_inputs(model, NamedArguments(query, (q,))))
    numbers = model.kernels.function(twist_functions.joint_twists)(real_array("q", q))
    lead, n = changes.shape[:-2], changes.shape[-1]
    rows = np.broadcast_to(numbers, (*lead, numbers.shape[-1])).reshape(-1, numbers.shape[-1])
    measured = np.full((len(rows), len(FIELDS), n), np.nan)
    for i, (row, change) in enumerate(zip(rows, changes.reshape(-1, *changes.shape[-2:]), strict=True)):
        good = np.isfinite(change).all(axis=0)
        if np.isfinite(row).all():
            measured[i][:, good] = measure_changes(here, row, change[:, good])
    parts = np.moveaxis(measured.reshape(*lead, len(FIELDS), n), -2, 0)
    return Singularity(**dict(zip(FIELDS, parts, strict=True)), output=here.description)


def _sharing_of_function(model: Any, function: str) -> Sharing | None:
    """The sharing of the work, where results depend on it."""
    return model.sharing if function in ("inverse_dynamics", "joint_reactions") else None


def _argument_axis_count(name: str) -> int:
    return 2 if name == "w_ext" else 1


@memo()
def _gradient_kernel_of_model(model: Any, query: Query, mode: Mode) -> InputKernel:
    return gradient_kernel(model.dynamics, query, mode)


def _argument_array(model: Any, name: str, x: Any) -> Any:
    return arguments.external_wrenches(x, model.bodies) if name == "w_ext" else x


def _at_least(name: str, x: Any) -> Array:
    """An array with at least the axes of one state."""
    array = real_array(name, x)
    if array.ndim < _argument_axis_count(name):
        raise ArgumentError(f"{name} has shape {array.shape}, expected at least {_argument_axis_count(name)} axes")
    return array


def _require_finite_state(query: Query, states: Sequence[Array]) -> None:
    """Refuse NaN and infinite numbers of one state; rows of a batch that hold such numbers become NaN."""
    if any(x.ndim > _argument_axis_count(name) for name, x in zip(query.arrays, states, strict=True)):
        return
    for name, x in zip(query.arrays, states, strict=True):
        bad = np.argwhere(~np.isfinite(x))
        if len(bad):
            where = ", ".join(map(str, bad[0]))
            raise ArgumentError(f"{name}[{where}] is {x[tuple(bad[0])]}, expected a finite number")


def _without_opening(model: Any, query: Query, J: Array) -> Array:
    """NaN by the inputs that alone would open the loops."""
    if query.hold is None or not model.has_loops:
        return J
    opening = opening_inputs(model.kinematics)
    if opening:
        _warn_of_opening(model, opening)
        J = np.array(J)
        J[..., list(opening)] = np.nan
    return J


def _warn_of_opening(model: Any, opening: tuple[int, ...]) -> None:
    names = ", ".join(model.parameters.names[i] for i in opening)
    warn_caller(
        f"'{model.setup.mech.name}' is overconstrained, and its loops cannot stay closed when {names} "
        "change alone: derivatives by them are NaN; name a parameter of the file from which all the numbers follow "
        'that change together, or ask for derivatives at fixed="state"',
        ParameterWarning,
    )


def _pack_derivatives(query: Query, shapes: tuple[tuple[int, ...], ...], J: Array) -> Array | tuple[Array, ...]:
    """The derivatives in the form of the function's results."""
    lead, n = J.shape[:-2], J.shape[-1]
    ends = np.cumsum([int(np.prod(shape)) for shape in shapes])[:-1]
    parts = np.split(J, ends, axis=-2)
    found = tuple(part.reshape(*lead, *shape, n) for part, shape in zip(parts, shapes, strict=True))
    if query.name == "energy":
        return found[0][..., 0, :], found[0][..., 1, :]
    return found if len(found) > 1 else found[0]


def _join_weights(query: Query, shapes: tuple[tuple[int, ...], ...], weights: Any) -> Array:
    """Weights in the form of the function's results as one vector, (..., size)."""
    count = 2 if query.name == "energy" else len(shapes)
    parts = weights if count > 1 else (weights,)
    if not isinstance(parts, Sequence) or len(parts) != count:
        raise ArgumentError(
            f"{query.name} has {count} results, and weights is {weights!r:.60}; give a tuple with weights of each"
        )
    if query.name == "energy":
        return np.stack(np.broadcast_arrays(*(real_array("weights", w) for w in weights)), axis=-1)
    flat = [_flatten_weights(real_array("weights", w), shape) for w, shape in zip(parts, shapes, strict=True)]
    return flat[0] if len(flat) == 1 else np.concatenate(flat, axis=-1)


def _flatten_weights(w: Array, shape: tuple[int, ...]) -> Array:
    """Weights of one result, (..., *shape), as (..., size)."""
    if w.shape[w.ndim - len(shape) :] != shape:
        expected = ", ".join(map(str, shape))
        raise ArgumentError(f"weights has shape {w.shape}, expected (..., {expected}) as the function's result has it")
    return w.reshape(*w.shape[: w.ndim - len(shape)], int(np.prod(shape)))
