"""Numbers of a mechanism that differ from run to run: named, checked, and entered into what is traced."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright.algebra.moments import Moments
from linkwright.algebra.rotation import factored
from linkwright.algebra.transform import Transform
from linkwright.errors import ArgumentError
from linkwright.kernels.setup import Setup
from linkwright.mechanism.alignment import aligned
from linkwright.mechanism.grouping import grouped
from linkwright.mechanism.joints import nv
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggestion
from linkwright.mechanism.records import Body, Inertia, Joint
from linkwright.mechanism.tree import Link, Passive, Tree, TreeLift, coordinate_slices

_BODY = {"mass": (), "com": (3,), "tensor": (3, 3)}
_ROUNDING = 1e-6
_JOINT = ("stiffness", "rest", "viscous", "coulomb")


@dataclass(frozen=True)
class Spread:
    """One varied number or array: its owner ("" for gravity), name, shape, and first index in a run's row.

    `zeros` are the indices in it that are zero in every run: programs need not compute with them.
    """

    owner: str
    what: str
    shape: tuple[int, ...]
    start: int
    zeros: tuple[int, ...] = ()

    @property
    def name(self) -> str:
        return f"{self.owner}.{self.what}" if self.owner else self.what

    def of(self, row: np.ndarray) -> Any:
        """The value in a run's row of parameters; recorded ones as well."""
        size = int(np.prod(self.shape))
        part = np.array(row[..., self.start : self.start + size])
        part[..., list(self.zeros)] = 0.0
        return part[..., 0] if not self.shape else part.reshape(*part.shape[:-1], *self.shape)


def known_parameters(mech: Mechanism) -> dict[str, tuple[int, ...]]:
    """Names that may be varied, with their shapes."""
    out: dict[str, tuple[int, ...]] = {"gravity": (3,)}
    for body in mech.bodies:
        out |= {f"{body.name}.{what}": shape for what, shape in _BODY.items()}
    for joint in (*mech.joints, *mech.loops):
        size = nv(joint.kind)
        if joint.spring is not None:
            out |= {f"{joint.name}.{what}": (size,) for what in _JOINT[:2]}
        if joint.friction is not None:
            out |= {f"{joint.name}.{what}": (size,) for what in _JOINT[2:]}
    return out


def spreads(mech: Mechanism, parameters: Mapping[str, Any] | None) -> tuple[tuple[Spread, ...], np.ndarray]:
    """The varied parameters and their values, (runs, n); (0, 0) when there are none."""
    if parameters is not None and not isinstance(parameters, Mapping):
        raise ArgumentError(f"parameters is {parameters!r:.60}, expected a dictionary of names and values for each run")
    known, found, columns = known_parameters(mech), [], []
    runs, start = 0, 0
    for name, values in (parameters or {}).items():
        if name not in known:
            raise ArgumentError(
                f"parameters names '{name}', which '{mech.name}' does not have{suggestion(str(name), known)}"
            )
        array = _array(name, values, known[name])
        runs = runs or len(array)
        if len(array) != runs:
            raise ArgumentError(f"parameter '{name}' has {len(array)} runs, others have {runs}; give each as many")
        owner, _, what = name.rpartition(".")
        columns.append(array.reshape(runs, -1))
        zeros = tuple(np.flatnonzero((columns[-1] == 0.0).all(axis=0)).tolist())
        found.append(Spread(owner, what, known[name], start, zeros))
        start += columns[-1].shape[1]
    return tuple(found), np.concatenate(columns, axis=1) if columns else np.zeros((0, 0))


def _array(name: str, values: Any, shape: tuple[int, ...]) -> np.ndarray:
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
    if name.endswith(".tensor"):
        _require_moments(name, array)
    return array


def _require_moments(name: str, tensors: np.ndarray) -> None:
    """Refuse tensors (runs, 3, 3) that no body can have."""
    uneven = np.abs(tensors - np.swapaxes(tensors, 1, 2)).max(axis=(1, 2)) > _ROUNDING * np.abs(tensors).max(
        axis=(1, 2)
    )
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


def entered(setup: Setup, found: tuple[Spread, ...], row: np.ndarray) -> Setup:
    """The setup with the parameters taken from a row of values, which may be recorded."""
    if not found:
        return setup
    tree = _changed(setup.tree, setup.mech, found, row)
    simplified = _changed(aligned(setup.tree), setup.mech, found, row)
    simplified = grouped(simplified) if setup.grouping else simplified
    return replace(setup, tree=tree, simplified=simplified, closure=replace(setup.closure, tree=simplified))


def _changed(tree: Tree, mech: Mechanism, found: tuple[Spread, ...], row: np.ndarray) -> Tree:
    values = {(spread.owner, spread.what): spread.of(row) for spread in found}
    inertias = {body.name: body.inertia for body in mech.bodies}
    links = tuple(
        _filled(link, inertias[link.name], {what: values.get((link.name, what)) for what in _BODY})
        for link in tree.links
    )
    gravity = values.get(("", "gravity"), tree.gravity)
    lifts = tuple(_lifted(lift, mech.bodies[lift.link], values) for lift in tree.lifts)
    cuts = {joint.name: joint for joint in mech.loops}
    cut_joints = tuple(
        replace(cut, passive=_passive(cut.passive, (cuts[cut.name],), values)) for cut in tree.cut_joints
    )
    passive = _passive(tree.passive, mech.joints, values)
    return replace(tree, links=links, gravity=gravity, passive=passive, lifts=lifts, cut_joints=cut_joints)


def _lifted(lift: TreeLift, body: Body, values: dict[tuple[str, str], Any]) -> TreeLift:
    """The gravity compensation of a body whose mass properties changed."""
    mass = values.get((body.name, "mass"), body.inertia.mass)
    return replace(lift, m=mass, h=mass * np.asarray(values.get((body.name, "com"), body.inertia.com)))


def _filled(link: Link, nominal: Inertia, values: dict[str, Any]) -> Link:
    """The link with the mass properties of its body changed."""
    if all(x is None for x in values.values()):
        return link
    mass = nominal.mass if values["mass"] is None else values["mass"]
    com = np.array(nominal.com) if values["com"] is None else values["com"]
    tensor = np.array(nominal.tensor) if values["tensor"] is None else values["tensor"]
    spin = 0.5 * (tensor[0, 0] + tensor[1, 1] + tensor[2, 2])
    Sigma = spin * np.eye(3) - 0.5 * (tensor + tensor.T) + mass * np.outer(com, com)
    pose = Transform(link.body.r, factored(link.body.R), np.zeros(3))
    return replace(link, moments=pose.composed(Moments.of(mass, mass * com, Sigma)))


def _passive(passive: Passive, joints: tuple[Joint, ...], values: dict[tuple[str, str], Any]) -> Passive:
    """Springs and friction at some joints, changed; what actuators add to them stays."""
    slices = coordinate_slices(joints)
    columns: dict[str, Any] = {}
    for joint in joints:
        for what in _JOINT:
            value = values.get((joint.name, what))
            if value is not None:
                column = columns.setdefault(what, getattr(passive, what).astype(object))
                dofs = slices[joint.name][1]
                column[dofs] = column[dofs] - np.array(_nominal(joint, what), dtype=float) + value
    return replace(passive, **columns)


def _nominal(joint: Any, what: str) -> Any:
    record = joint.spring if what in _JOINT[:2] else joint.friction
    return getattr(record, what) or 0.0


def mechanism_of(mech: Mechanism, found: tuple[Spread, ...], row: np.ndarray) -> Mechanism:
    """The mechanism of one run."""
    for spread in found:
        mech = _with_value(mech, spread.owner, spread.what, spread.of(row))
    return mech


def _with_value(mech: Mechanism, owner: str, what: str, value: Any) -> Mechanism:
    if not owner:
        x, y, z = map(float, value)
        return replace(mech, gravity=(x, y, z))
    if what in _BODY:
        return replace(mech, bodies=_each(mech.bodies, owner, lambda body: _heavier(body, what, value)))
    groups = (_each(group, owner, lambda joint: _sprung(joint, what, value)) for group in (mech.joints, mech.loops))
    joints, loops = groups
    return replace(mech, joints=joints, loops=loops)


def _each(records: tuple[Any, ...], name: str, change: Callable[[Any], Any]) -> tuple[Any, ...]:
    return tuple(change(record) if record.name == name else record for record in records)


def _heavier(body: Any, what: str, value: Any) -> Any:
    plain = float(value) if what == "mass" else _tuples(0.5 * (value + value.T) if what == "tensor" else value)
    return replace(body, inertia=replace(body.inertia, **{what: plain}))


def _sprung(joint: Any, what: str, value: Any) -> Any:
    name = "spring" if what in _JOINT[:2] else "friction"
    return replace(joint, **{name: replace(getattr(joint, name), **{what: _tuples(value)})})


def _tuples(x: np.ndarray) -> Any:
    return tuple(map(_tuples, x)) if x.ndim > 1 else tuple(map(float, x))
