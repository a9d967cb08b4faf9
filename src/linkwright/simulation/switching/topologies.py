"""Models of a run whose loops close and open: the same tree with other loops closed, each built once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model
from linkwright.model.model_construction import rebuild_on_mechanism
from linkwright.numerics.tolerances import PARALLEL_AXES
from linkwright.plans.scales import characteristic_length
from linkwright.simulation.switching.switches import every_loop

# A home pose that leaves loops open by more than this share of the mechanism's size is replaced by where they close.
_HOME = 1e-3
_KEPT = 64
_SURFACE = 1e-9

Anchors = Mapping[str, RigidTransform]
Array = np.ndarray


def model_with_loops(model: Model, closed: Iterable[str], anchors: Anchors, q: Array) -> Model:
    """The mechanism with the named loops closed and the others open, anchored as given; q closes them."""
    names = frozenset(closed)
    loops = tuple(
        replace(joint, at=anchors[name]) if name in anchors else joint
        for name, joint in every_loop(model.mechanism).items()
        if name in names
    )
    if loops == model.mechanism.loops:
        return model
    return model.cache.recent("topologies", loops, lambda: _build_topology(model, loops, q), _KEPT)


def written_topologies(model: Model, anchors: Anchors) -> list[list[Any]]:
    """The models made so far that have no other anchors, as JSON data: loops, poses of their joints, home.

    The home of a model is where its loops closed first, and decides its elimination order: a resumed run needs it.
    """
    own = every_loop(model.mechanism)
    found: dict[Any, Model] = model.cache.kept("topologies")
    return [
        [[j.name for j in loops], {j.name: written_pose(j.at) for j in loops}, made.mechanism.home]
        for loops, made in found.items()
        if all(j.at in (own[j.name].at, anchors.get(j.name)) for j in loops)
    ]


def know_topologies(model: Model, written: Iterable[Any]) -> None:
    """Make models of an earlier part of the run once more."""
    own = every_loop(model.mechanism)
    for names, poses, home in written:
        loops = tuple(replace(own[name], at=pose_from_data(poses[name])) for name in names)
        home = tuple((name, tuple(values)) for name, values in home)
        plain = replace(_mechanism_with_loops(model.mechanism, loops), home=home)
        model.cache.recent("topologies", loops, partial(rebuild_on_mechanism, model, plain), _KEPT)


def written_pose(x: RigidTransform) -> list[Any]:
    """A pose as JSON data."""
    return [list(x.xyz), [list(row) for row in x.rows]]


def pose_from_data(written: Any) -> RigidTransform:
    """The pose that was written."""
    xyz, rows = written
    return RigidTransform(tuple(xyz), tuple(tuple(row) for row in rows))  # type: ignore[arg-type]


def _mechanism_with_loops(mech: Mechanism, loops: tuple[Joint, ...]) -> Mechanism:
    held = {j.name for j in (*mech.joints, *loops)}
    return replace(mech, loops=loops, open_loops=(), home=tuple(row for row in mech.home if row[0] in held))


def _build_topology(model: Model, loops: tuple[Joint, ...], q: Array) -> Model:
    mech = model.mechanism
    plain = _mechanism_with_loops(mech, loops)
    found = rebuild_on_mechanism(model, plain)
    if not (loops or mech.couplings) or _closes_at_home(found):
        return found
    return rebuild_on_mechanism(model, replace(plain, home=_home_from_state(mech, q)))


def _closes_at_home(model: Model) -> bool:
    given = dict(model.mechanism.home)
    parts = [given.get(joint.name, joint.kind.neutral) for joint in model.mechanism.joints]
    gap = model.closure_residual(np.array([x for part in parts for x in part], dtype=float))
    return bool(np.abs(gap / model.kinematics.scales.rows).max() < _HOME)


def _home_from_state(mech: Mechanism, q: Array) -> tuple[tuple[str, tuple[float, ...]], ...]:
    slices = coordinate_slices(mech.joints)
    return tuple((joint.name, tuple(q[slices[joint.name][0]].tolist())) for joint in mech.joints)


def anchored_frame(model: Model, name: str, q: Array, normal: Vec3 | None = None) -> RigidTransform:
    """Frame of a loop's joint on its parent that closes it at q; axes that agree keep the file's numbers.

    A child that touches the surface through the file's frame is anchored on that surface, without the rounding error,
    so that it is in front of it when the loop opens again.
    """
    joint = every_loop(model.mechanism)[name]
    met = _body_pose(model, joint.parent, q).inverse @ _body_pose(model, joint.child, q) @ joint.child_at
    if normal is not None:
        behind = float(np.dot(normal, joint.at.r - met.r))
        if abs(behind) < _SURFACE * characteristic_length(model.mechanism):
            met = RigidTransform.of(met.r + behind * np.array(normal), met.R)
    axes = joint.kind.axes
    if not (joint.kind.keeps_axis or joint.kind.turns_about_point or joint.kind.floats):
        return met
    if axes and np.abs(joint.at.R @ axes[0] - met.R @ axes[-1]).max() > PARALLEL_AXES:
        return met
    return replace(met, rows=joint.at.rows)


def _body_pose(model: Model, name: str, q: Array) -> RigidTransform:
    if name == model.mechanism.base:
        return RigidTransform()
    return RigidTransform.from_quaternion(*model.frame_pose(q, name))
