"""Loops that close and open: what to say about them, and models with some of them closed."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model
from linkwright.model.model_construction import rebuild_on_mechanism
from linkwright.numerics.tolerances import CLOSED_STATE, PARALLEL_AXES
from linkwright.plans.scales import characteristic_length
from linkwright.simulation.root_functions import Crossing

When = Callable[..., Any]


@dataclass(frozen=True, eq=False)
class Close:
    """Closes an open loop, each time it is found open.

    Attributes:
        loop: name of the loop.
        when: function of (t, q, v) whose zero is the instant; None takes the gap along `normal`, and of a distance rod
            its two points' distance less its length.
        direction: of the zero of `when`: -1 falling, 1 rising, 0 both.
        normal: direction in which the child lies from the parent before they meet, in the parent body's axes.
        restitution: share of the approach speed along the normal with which the sides part again; the loop closes when
            they would part slower than `settle`, or at once when zero.
        settle: speed [m/s], see above.
        anchor: the joint's frame on its parent is where the child touches, instead of the one in the file.
        tolerance: largest gap that may be closed, as a share of the mechanism's size.

    >>> Close("foot", normal=(0, 0, 1)).restitution
    0.0
    """

    loop: str
    when: When | None = None
    direction: int = -1
    normal: Vec3 | None = None
    restitution: float = 0.0
    settle: float = 1e-3
    anchor: bool = False
    tolerance: float = 1e-6

    def __post_init__(self) -> None:
        _require_switch(self)
        if not (_is_real_number(self.restitution) and 0.0 <= self.restitution <= 1.0):
            raise ArgumentError(f"{switch_title(self)} has the restitution {self.restitution!r}, expected 0 to 1")
        for name in ("settle", "tolerance"):
            if not (_is_real_number(getattr(self, name)) and 0.0 < getattr(self, name) < np.inf):
                raise ArgumentError(
                    f"{switch_title(self)} has {name} = {getattr(self, name)!r}, expected a positive number"
                )


@dataclass(frozen=True, eq=False)
class Open:
    """Opens a closed loop, each time it is found closed; no velocity jumps.

    Attributes:
        loop: name of the loop.
        when: function of (t, q, v) whose zero is the instant; None opens the loop when its child is no longer pushed
            along `normal` (of a distance rod: when its end points are no longer pushed apart). Such a loop does not
            pull during an impact either.
        direction: of the zero of `when`.
        normal: as of `Close`.

    >>> Open("foot", normal=(0, 0, 1)).by_force
    True
    """

    loop: str
    when: When | None = None
    direction: int = -1
    normal: Vec3 | None = None

    def __post_init__(self) -> None:
        _require_switch(self)

    @property
    def by_force(self) -> bool:
        """True if the loop's own force decides when it opens."""
        return self.when is None


Switch = Close | Open


class EventKind(Protocol):
    """A kind of event of your own: an object that says which crossings and switches of a mechanism it stands for."""

    def events(self, model: Model) -> Sequence[Crossing | Switch | EventKind]:
        """The events that a run of the model watches for it; their functions take (t, q, v) of any scalar."""


def switch_title(switch: Switch) -> str:
    """Title of a switch, which is also the name of its event function."""
    return f"{type(switch).__name__}('{switch.loop}')"


def _require_switch(switch: Switch) -> None:
    if not isinstance(switch.loop, str):
        raise ArgumentError(f"the loop of a switch is {switch.loop!r}, expected the name of a loop")
    if switch.when is not None and not callable(switch.when):
        raise ArgumentError(f"{switch_title(switch)} has when = {switch.when!r}, expected a function of t, q and v")
    if not isinstance(switch.direction, int) or switch.direction not in (-1, 0, 1):
        raise ArgumentError(f"{switch_title(switch)} has direction {switch.direction!r}, expected -1, 0 or 1")
    if switch.normal is not None:
        object.__setattr__(switch, "normal", _unit_normal(switch))


def _is_real_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _unit_normal(switch: Switch) -> Vec3:
    try:
        n = np.array(switch.normal, dtype=float)
    except (TypeError, ValueError):
        n = np.zeros(0)
    if n.shape != (3,) or not np.isfinite(n).all() or not np.linalg.norm(n) > 0:
        raise ArgumentError(f"{switch_title(switch)} has the normal {switch.normal!r}, expected a direction (x, y, z)")
    x, y, z = (n / np.linalg.norm(n)).tolist()
    return (x, y, z)


def every_loop(mech: Mechanism) -> dict[str, Joint]:
    """All loops of a mechanism by name, those that hold first."""
    return {joint.name: joint for joint in (*mech.loops, *mech.open_loops)}


def require_switches(model: Model, switches: Sequence[Switch]) -> None:
    """Refuse switches that do not fit the mechanism."""
    known, seen = every_loop(model.mechanism), set()
    for switch in switches:
        if switch.loop not in known:
            raise ArgumentError(
                f"{switch_title(switch)} names a loop that '{model.mechanism.name}' does not have"
                f"{suggest_name(switch.loop, known)}; loops to be closed stand in the file with 'open: true'"
            )
        if switch_title(switch) in seen:
            raise ArgumentError(f"{switch_title(switch)} is given twice; give each loop one Close and one Open")
        seen.add(switch_title(switch))
        _require_known_instant(switch, known[switch.loop])
    _require_not_driven(model, {switch.loop for switch in switches})


def _require_known_instant(switch: Switch, joint: Joint) -> None:
    rod = joint.kind.rod_length is not None
    if not rod and switch.normal is None and (switch.when is None or getattr(switch, "restitution", 0.0) > 0.0):
        raise ArgumentError(
            f"{switch_title(switch)} has no instant; give normal=(x, y, z), or when=a function of t, q, v"
        )
    if rod and isinstance(switch, Close) and switch.anchor:
        raise ArgumentError(f"{switch_title(switch)} has an anchor, and a distance rod has none; leave it out")


def _require_not_driven(model: Model, names: set[str]) -> None:
    setup = model.setup
    driven = {setup.mech.loops[drive.loop].name for drive in setup.drives if drive.speed is None}
    for name in sorted(driven & names):
        raise ArgumentError(f"loop '{name}' is driven, so it cannot be opened; drive another joint, or leave it closed")


# A home pose that leaves loops open by more than this share of the mechanism's size is replaced by where they close.
_HOME = 1e-3
_KEPT = 64

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
    found: dict[Any, Model] = model.cache.recent_values("topologies")
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
    forces = tuple(x for x in mech.forces if getattr(x, "joint", None) in (None, *held))
    home = tuple(row for row in mech.home if row[0] in held)
    return replace(mech, loops=loops, open_loops=(), forces=forces, home=home)


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
    return bool(np.abs(gap / model.scales.rows).max() < _HOME)


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
        if abs(behind) < CLOSED_STATE * characteristic_length(model.mechanism):
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
