"""What differs from run to run: inputs of the mechanism, closed starts, efforts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from linkwright.compiler import Kernel
from linkwright.dataclass import dataclass, exact_text
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.functions.design_inputs import checked_values
from linkwright.functions.loop import closure_functions
from linkwright.functions.stepping import stepping_functions
from linkwright.functions.store import Kernels
from linkwright.kinematics.nominal_rank import added_equations, has_nominal_rank, rank_change_of_row, rank_error
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.paths import Quantity
from linkwright.mechanism.records import Joint
from linkwright.model import Model
from linkwright.model.model_construction import model_with_inputs
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import CLOSED_STATE, NO_EFFECT, SOLVED, WRITTEN_DIGITS
from linkwright.plans.scales import Scales
from linkwright.results.archives import hash_parts
from linkwright.simulation.problem.applied_loads import WrenchLaw, wrench_kernel
from linkwright.simulation.problem.run_efforts import (
    RunActuation,
    controller_kernel,
    efforts_in_order,
    law_kernel,
    n_states,
)
from linkwright.simulation.running.run_spec import start_state

_UPPER = np.triu_indices(3)
_OF_JOINTS = {"stiffness": "spring", "rest": "spring", "viscous": "friction", "coulomb": "friction"}

Paths = dict[str, tuple[tuple[int, ...], tuple[str, ...]]]


@dataclass(frozen=True, eq=False)
class Varied:
    """A model whose inputs are the numbers that differ from run to run.

    Attributes:
        model: the model.
        values: of its inputs, (runs, n_p), or (1, n_p) where all runs have the same.
        names: what differs, as the caller named it.
    """

    model: Model
    values: np.ndarray
    names: tuple[str, ...]

    def of(self, run: int) -> Model:
        """The model of one run."""
        if not self.values.shape[1]:
            return self.model
        return self.model.with_parameters(self.values[run if len(self.values) > 1 else 0])


def vary_model(model: Model, parameters: Mapping[str, Any] | None, p: Any = None) -> Varied:
    """The model and the values of its inputs, from values of some numbers by name or of all inputs as an array."""
    if p is not None:
        if parameters:
            raise ArgumentError("the values of all inputs are given as p, and some again as parameters; give one")
        if model.setup.inputs is None:
            raise ArgumentError(
                "p gives values of inputs, and the model has none; name them in build(mech, inputs=[...])"
            )
        values = np.atleast_2d(checked_values(model.setup.inputs.source, p))
        if values.ndim != 2:
            raise ArgumentError(f"p has the shape {np.shape(p)}, expected (runs, {len(model.parameters)})")
        for run, i in np.argwhere(~np.isfinite(values))[:1].tolist():
            raise ArgumentError(
                f"p of run {run} has {model.parameters.names[i]} = {values[run, i]}, expected finite numbers; leave "
                "such runs out",
                run=run,
            )
        return Varied(model, values, model.parameters.names)
    if parameters is not None and not isinstance(parameters, Mapping):
        raise ArgumentError(f"parameters is {parameters!r:.60}, expected a dictionary of names and values for each run")
    if not parameters:
        return Varied(model, np.atleast_2d(model.parameters.array(model.parameters.by_name)), ())
    names, numbers = model.nominal_cache.get("numbers that may be given", lambda: _numbers_that_may_be_given(model))
    columns = _parameter_columns(model.mechanism.name, names, numbers, parameters)
    before = model.parameters.by_name
    new = [x for x in columns if x not in before and (columns[x].any() or x not in numbers or numbers[x].value)]
    full = _extend_inputs(model, tuple(new), parameters) if new else model
    known = {**before, **{name: x for name, x in columns.items() if name in before or name in new}}
    return Varied(full, np.atleast_2d(full.parameters.array(known)), tuple(parameters))


def _numbers_that_may_be_given(model: Model) -> tuple[Paths, Mapping[str, Quantity]]:
    """Names of parameters and of arrays, and all numbers by path."""
    mech = model.setup.mech
    return {each.name: ((), (each.name,)) for each in mech.parameters} | short_names(mech), mech.numbers


def _extend_inputs(model: Model, new: tuple[str, ...], named: Mapping[str, Any]) -> Model:
    """The model with more inputs; what springs and friction leave out is there as zeros."""
    mech = model.setup.mech
    joints, loops = (tuple(_fill_joint_zeros(joint, named) for joint in each) for each in (mech.joints, mech.loops))
    if (joints, loops) != (mech.joints, mech.loops):
        mech = replace(mech, joints=joints, loops=loops)
    return model.nominal_cache.get(("with inputs", new, joints, loops), lambda: model_with_inputs(model, mech, new))


def _fill_joint_zeros(joint: Joint, named: Mapping[str, Any]) -> Joint:
    for what, owner in _OF_JOINTS.items():
        record = getattr(joint, owner)
        if f"{joint.name}.{what}" in named and record is not None and not getattr(record, what):
            joint = replace(joint, **{owner: replace(record, **{what: (0.0,) * joint.kind.nv})})
    return joint


def short_names(mech: Mechanism) -> Paths:
    """Names of arrays that may be given as a whole: their shape and the paths of their numbers."""
    out: Paths = {"gravity": ((3,), tuple(f"gravity.{x}" for x in "xyz"))}
    for body in mech.bodies:
        path = f"bodies.{body.name}"
        tensor = ("xx", "xy", "xz", "yy", "yz", "zz")
        out[f"{body.name}.mass"] = (), (f"{path}.mass",)
        out[f"{body.name}.com"] = (3,), tuple(f"{path}.com.{x}" for x in "xyz")
        out[f"{body.name}.tensor"] = (3, 3), tuple(f"{path}.inertia.{x}" for x in tensor)
    for joint in (*mech.joints, *mech.loops):
        parts = joint.kind.v_parts
        for what, owner in _OF_JOINTS.items():
            if getattr(joint, owner) is not None and (what != "rest" or joint.kind.q_parts == parts):
                path = f"joints.{joint.name}.{owner}.{what}"
                out[f"{joint.name}.{what}"] = (
                    (len(parts),),
                    tuple([path] if len(parts) == 1 else [f"{path}.{part}" for part in parts]),
                )
    return out


def _parameter_columns(
    mechanism: str, known: Paths, numbers: Mapping[str, Quantity], parameters: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Values (runs,) of every number by its name or path."""
    found: dict[str, np.ndarray] = {}
    runs = 0
    for name, values in parameters.items():
        if name not in known and name not in numbers:
            near = suggest_name(str(name), [*known, *numbers][:2000])
            raise ArgumentError(f"parameters names '{name}', which '{mechanism}' does not have{near}")
        shape, paths = known.get(name, ((), (name,)))
        array = _parameter_array(name, values, shape)
        if not len(array):
            raise ArgumentError(f"parameter '{name}' has no values; give one for each run, at least one")
        runs = runs or len(array)
        if len(array) != runs:
            raise ArgumentError(f"parameter '{name}' has {len(array)} runs, others have {runs}; give each as many")
        rows = 0.5 * (array + np.swapaxes(array, 1, 2))[:, *_UPPER] if shape == (3, 3) else array.reshape(runs, -1)
        for path, column in zip(paths, rows.T, strict=True):
            if path in found:
                raise ArgumentError(f"parameter '{name}' gives '{path}', which is given twice; give it once")
            found[path] = column
    return found


def _parameter_array(name: str, values: Any, shape: tuple[int, ...]) -> np.ndarray:
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"parameter '{name}' is {values!r:.60}, expected numbers") from None
    if shape == (1,) and array.ndim == 1:
        array = array[:, None]
    if array.shape[1:] != shape or array.ndim != len(shape) + 1:
        wanted = ", ".join(["runs", *map(str, shape)])
        raise ArgumentError(f"parameter '{name}' has shape {array.shape}, expected ({wanted})")
    if not np.isfinite(array).all():
        raise ArgumentError(f"parameter '{name}' holds {array[~np.isfinite(array)][0]}, expected finite numbers")
    if name.endswith(".mass") and (array < 0).any():
        raise ArgumentError(f"parameter '{name}' holds {array.min():g} kg, expected masses of at least zero")
    if shape == (3, 3):
        _require_moments(name, array)
    return array


def _require_moments(name: str, tensors: np.ndarray) -> None:
    """Refuse tensors (runs, 3, 3) that no body can have."""
    size = np.abs(tensors).max(axis=(1, 2))
    uneven = np.abs(tensors - np.swapaxes(tensors, 1, 2)).max(axis=(1, 2)) > WRITTEN_DIGITS * size
    if uneven.any():
        run = int(np.flatnonzero(uneven)[0])
        raise ArgumentError(f"parameter '{name}' of run {run} is not symmetric; give Ixy = Iyx and so on", run=run)
    moments = np.linalg.eigvalsh(tensors)
    below = moments[:, 0] < -WRITTEN_DIGITS * np.abs(moments).max(axis=1)
    if below.any():
        run = int(np.flatnonzero(below)[0])
        raise ArgumentError(
            f"parameter '{name}' of run {run} has the principal moment {moments[run, 0]:.6g} kg m^2; a body with mass "
            "has none below zero",
            run=run,
        )


@dataclass(frozen=True, eq=False)
class RunSet:
    """What differs from run to run.

    Attributes:
        states: closed states at the start, (runs, nq + nv).
        taus: constant efforts, (runs, na).
        varied: values of the mechanism's inputs.
    """

    states: np.ndarray
    taus: np.ndarray
    varied: Varied

    command: ClassVar[str] = "simulate_many"

    def __len__(self) -> int:
        return len(self.states)

    def meta(self) -> dict[str, Any]:
        """For the meta of the ensemble."""
        return {"varied": list(self.varied.names)}

    def request(self) -> dict[str, Any]:
        """For the request of the ensemble."""
        return {"set of runs": [len(self), hash_parts(self.states, self.taus, self.varied.values)]}


_NEAR = 1e-4


def given_rows(name: str, value: Any, size: int) -> np.ndarray:
    """A vector for all runs (1, size), or one for each (runs, size)."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{name} is {value!r:.60}, expected numbers") from None
    if array.shape == (size,):
        array = array[None, :]
    if array.ndim != 2 or array.shape[1] != size or not len(array):
        raise ArgumentError(f"{name} has shape {array.shape}, expected ({size},) or (runs, {size})")
    if not np.isfinite(array).all():
        run = int(np.flatnonzero(~np.isfinite(array).all(axis=1))[0])
        raise ArgumentError(f"{name} of run {run} holds numbers that are not finite", run=run)
    return array


def number_of_runs(**given: np.ndarray) -> int:
    """Number of runs in the arrays: all that differ from run to run must agree."""
    counts = {name: len(array) for name, array in given.items() if len(array) > 1}
    if len(set(counts.values())) > 1:
        sizes = ", ".join(f"{name} {n}" for name, n in counts.items())
        raise ArgumentError(f"the numbers of runs differ: {sizes}; give each as many, or one for all")
    return max([len(array) for array in given.values()] + [1])


def closed_starts(
    varied: Varied, q: np.ndarray, v: np.ndarray, title: Callable[[int], str] = "run {}".format
) -> np.ndarray:
    """States (n, nq + nv) with every loop closed; n is 1 when one state serves all runs.

    `title` names a state in messages by its number.
    """
    model = varied.model
    n = max(len(q), len(v), len(varied.values) if model.has_loops else 1)
    q, v = (np.array(np.broadcast_to(x, (n, x.shape[1]))) for x in (q, v))
    if model.has_loops:
        left = _project_starts(varied, q, v)
    else:
        left = np.ones(n, dtype=bool) if any(name.endswith(".qw") for name in model.q_names) else np.zeros(n, bool)
    for i in np.flatnonzero(left).tolist():
        try:
            found = start_state(varied.of(i), q[i], v[i])
        except LinkwrightError as error:
            raise type(error)(f"{title(i)}: {error}") from None
        q[i], v[i] = found.q, found.v
    _require_nominal_rank(varied, q, title)
    return np.concatenate([q, v], axis=1)


def _require_nominal_rank(varied: Varied, q: np.ndarray, title: Callable[[int], str]) -> None:
    """Refuse values at which more closure equations count than at the nominal ones, in the states q (n, nq)."""
    if not varied.values.shape[1]:
        return
    kinematics = varied.model.kinematics.at(varied.values)
    more = added_equations(kinematics, q) if has_nominal_rank(kinematics) else np.zeros(0, dtype=int)
    for i in np.flatnonzero(more)[:1].tolist():
        raise rank_error(f"{title(i)}: {rank_change_of_row(kinematics, more, i)}", int(more[i]))


def _project_starts(varied: Varied, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Bring nearly closed states onto the loops, in place, as `start_state` does; return a mask of the others."""
    worst = _kernels_of_runs(varied).code(stepping_functions.gaps)(q, v).max(axis=1)
    careful = ~(worst < _NEAR)
    for _ in range(4):
        rows = np.flatnonzero((worst > SOLVED) & ~careful)
        if not len(rows):
            break
        kernels = _kernels_of_runs(varied, rows)
        q_new, v_new = _step_to_closure(kernels, varied.model.scales, q[rows], v[rows])
        left = kernels.code(stepping_functions.gaps)(q_new, v_new).max(axis=1)
        better = left < worst[rows]
        rows, q_new, v_new = rows[better], q_new[better], v_new[better]
        q[rows], v[rows], worst[rows] = q_new, v_new, left[better]
    return careful | ~(worst < CLOSED_STATE)


def _kernels_of_runs(varied: Varied, rows: np.ndarray | None = None) -> Kernels:
    """Kernels at the values of some runs."""
    kernels, values = varied.model.loop_kernels, varied.values
    if not values.shape[1]:
        return kernels
    return kernels.at(values[0] if len(values) == 1 else values if rows is None else values[rows])


def _step_to_closure(kernels: Kernels, scale: Scales, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """States after one step onto the loops along the least change, (n, nq), (n, nv)."""
    speeds, rows = scale.speeds, scale.rows
    J = kernels.code(closure_functions.closure_jacobian)(q)
    gap = kernels.code(closure_functions.closure_residual)(q)
    equations = decompose_scaled(J, rows, speeds)
    dq = -equations.solution(gap, share=NO_EFFECT)
    dv = -equations.solution((J @ v[..., None])[..., 0], share=NO_EFFECT)
    return kernels.code(closure_functions.advanced)(q, dq), v + dv


def lane_actuation(model: Model, effort: Any, loads: WrenchLaw, lanes: int) -> tuple[RunActuation, np.ndarray]:
    """Efforts and wrenches of runs in lanes: code of their laws, and efforts that stay, (1 or runs, na)."""
    states, zero = n_states(effort), np.zeros(model.na)
    given = RunActuation(zero, loads=loads, wrench=lane_wrenches(model, loads, lanes), states=states)
    if effort is None:
        return given, zero[None]
    if states or (hasattr(effort, "tau") and not hasattr(effort, "function")):
        code = controller_kernel(model, effort, lanes) if states else law_kernel(model, effort, lanes)
        return replace(given, code=code, law=effort, description=exact_text(effort)), zero[None]
    if callable(effort) or hasattr(effort, "function"):
        raise ArgumentError(
            "the effort of an ensemble is a Python function, which cannot run in lanes; give numbers, an effort law "
            "(an object with tau(t, q, v)), or call simulate for each run"
        )
    if isinstance(effort, Mapping):
        effort = _efforts_by_name(model, effort)
    rows = given_rows("effort", effort, model.na)
    return replace(given, description=repr(rows[0].tolist()) if len(rows) == 1 else "one for each run"), rows


def lane_wrenches(model: Model, loads: WrenchLaw, lanes: int) -> Kernel | None:
    """Code of the wrenches' laws for lanes, if there are any."""
    if not loads.wrenches:
        return None
    try:
        return wrench_kernel(model, loads, lanes)
    except ArgumentError:
        raise
    except (LinkwrightError, TypeError, ValueError, AttributeError) as error:
        raise ArgumentError(
            f"a wrench of an ensemble is a Python function that cannot run in lanes ({error}); write it with "
            "arithmetic and NumPy functions alone, or call simulate for each run"
        ) from None


def _efforts_by_name(model: Model, effort: Mapping[str, Any]) -> np.ndarray:
    """Efforts (na,) or (runs, na) from one number or (runs,) for each named actuator."""
    parts = [np.asarray(x, dtype=float) for x in efforts_in_order(model, effort)]
    try:
        return np.stack(np.broadcast_arrays(*parts), axis=-1) if parts else np.zeros(0)
    except ValueError:
        shapes = {name: np.shape(x) for name, x in effort.items()}
        raise ArgumentError(f"effort has the shapes {shapes}, expected one number or (runs,) for each") from None
