"""Numbers of a mechanism that differ from run to run, as inputs of a model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.functions.design_inputs import checked_values
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Joint
from linkwright.model import Model
from linkwright.model.model_construction import model_with_inputs
from linkwright.simulation.problem.problem import nominal_cache

_ROUNDING = 1e-6
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
        if model.kernels.setup.inputs is None:
            raise ArgumentError(
                "p gives values of inputs, and the model has none; name them in build(mech, inputs=[...])"
            )
        values = np.atleast_2d(checked_values(model.kernels.setup.inputs.source, p))
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
    columns = _parameter_columns(model.kernels.setup.mech, parameters or {})
    before = model.parameters.by_name
    numbers = model.kernels.setup.mech.numbers
    new = [x for x in columns if x not in before and (columns[x].any() or x not in numbers or numbers[x].value)]
    full = _extend_inputs(model, tuple(new), parameters or {}) if new else model
    known = {**before, **{name: x for name, x in columns.items() if name in before or name in new}}
    return Varied(full, np.atleast_2d(full.parameters.array(known)), tuple(parameters or {}))


def _extend_inputs(model: Model, new: tuple[str, ...], named: Mapping[str, Any]) -> Model:
    """The model with more inputs; what springs and friction leave out is there as zeros."""
    mech = model.kernels.setup.mech
    joints, loops = (tuple(_fill_joint_zeros(joint, named) for joint in each) for each in (mech.joints, mech.loops))
    if (joints, loops) != (mech.joints, mech.loops):
        mech = replace(mech, joints=joints, loops=loops)
    return nominal_cache(model).get(("with inputs", new, joints, loops), lambda: model_with_inputs(model, mech, new))


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


def _parameter_columns(mech: Mechanism, parameters: Mapping[str, Any]) -> dict[str, np.ndarray]:
    """Values (runs,) of every number by its name or path."""
    known = {each.name: ((), (each.name,)) for each in mech.parameters} | short_names(mech)
    found: dict[str, np.ndarray] = {}
    runs = 0
    for name, values in parameters.items():
        if name not in known and name not in mech.numbers:
            near = suggest_name(str(name), [*known, *mech.numbers][:2000])
            raise ArgumentError(f"parameters names '{name}', which '{mech.name}' does not have{near}")
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
    uneven = np.abs(tensors - np.swapaxes(tensors, 1, 2)).max(axis=(1, 2)) > _ROUNDING * size
    if uneven.any():
        run = int(np.flatnonzero(uneven)[0])
        raise ArgumentError(f"parameter '{name}' of run {run} is not symmetric; give Ixy = Iyx and so on", run=run)
    moments = np.linalg.eigvalsh(tensors)
    below = moments[:, 0] < -_ROUNDING * np.abs(moments).max(axis=1)
    if below.any():
        run = int(np.flatnonzero(below)[0])
        raise ArgumentError(
            f"parameter '{name}' of run {run} has the principal moment {moments[run, 0]:.6g} kg m^2; a body with mass "
            "has none below zero",
            run=run,
        )
