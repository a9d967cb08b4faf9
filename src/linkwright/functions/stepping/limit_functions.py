"""Distances to the limits of a mechanism's joints, as functions that can be traced."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.vectors import Mat, Vec, cross_product
from linkwright.compiler import inline_program, jacobian
from linkwright.dataclass import dataclass
from linkwright.functions.definition import compiled
from linkwright.functions.design_inputs import traced_on
from linkwright.functions.setup import Setup, drivable_names
from linkwright.functions.tree.tree_derivative_functions import tangent_map
from linkwright.functions.tree.tree_functions import body_poses
from linkwright.joints.kind import units_along_parts
from linkwright.loops.closure import DrivenVelocity, actuation_matrix, relative_poses
from linkwright.loops.cut_joints import joint_value
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import coordinate_slices, part_names

_BOUNDED = {"speed": ("rad/s", "m/s"), "effort": ("N m", "N")}  # units of turns and of slides


@dataclass(frozen=True)
class Limit:
    """One end of a joint's range: `sign` (value - bound) is positive inside; part None means the joint's cone."""

    joint: str
    part: int | None
    sign: float
    bound: float
    unit: str

    @property
    def description(self) -> str:
        if self.part is None:
            return f"joint '{self.joint}' leans out of its cone of {self.bound:.6g} {self.unit}"
        end = "lower" if self.sign > 0 else "upper"
        return f"joint '{self.joint}' reaches its {end} limit {self.bound:.6g} {self.unit}".rstrip()


@dataclass(frozen=True)
class Bound:
    """A bound on the magnitude of a velocity or an effort along one freedom of a joint, given by it or an actuator."""

    quantity: Literal["speed", "effort"]
    owner: Literal["joint", "actuator"]
    name: str
    part: str
    drive: DrivenVelocity
    bound: float
    unit: str

    @property
    def title(self) -> str:
        """The joint or actuator, and the part of a joint with several."""
        return f"{self.owner} '{self.name}'" + (f" ({self.part})" if self.part else "")

    @property
    def description(self) -> str:
        return f"{self.title} reaches its {self.quantity} limit {self.bound:.6g} {self.unit}"


def bounds_of(mech: Mechanism, quantity: Literal["speed", "effort"], drawn: Mechanism | None = None) -> list[Bound]:
    """Every finite bound of tree and cut joints and of actuators; equal ones of a joint and its actuator count once.

    Which there are is decided by `drawn`, the same mechanism at its nominal values where numbers are inputs.
    """
    found: list[Bound] = []
    given: set[tuple[DrivenVelocity, float]] = set()
    known, nominal = drivable_names(mech), drawn or mech
    for joint, here in zip((*nominal.joints, *nominal.loops), (*mech.joints, *mech.loops), strict=True):
        names = part_names((joint,), speeds=True) if getattr(joint.limits, quantity) else ()
        parts = joint.kind.v_parts if len(joint.kind.v_parts) > 1 else ("",)
        pairs = zip(getattr(joint.limits, quantity), getattr(here.limits, quantity), strict=True)
        units = units_along_parts(joint.kind.velocities, *_BOUNDED[quantity])
        for name, part, unit, (x, bound) in zip(names, parts, units, pairs, strict=False):
            if np.isfinite(x) and name in known:
                found.append(Bound(quantity, "joint", joint.name, part, known[name], bound, unit))
                given.add((known[name], x))
    by_name = {joint.name: joint.kind.velocities for joint in (*nominal.joints, *nominal.loops)}
    for actuator, other in zip(nominal.actuators, mech.actuators, strict=True):
        x = getattr(actuator, quantity)
        if x is not None and np.isfinite(x) and (known[actuator.name], x) not in given:
            bound = getattr(other, quantity)
            unit = units_along_parts(by_name[actuator.joint], *_BOUNDED[quantity])[actuator.dof]
            found.append(Bound(quantity, "actuator", actuator.name, "", known[actuator.name], bound, unit))
    return found


def drawn_mechanism(setup: Setup) -> Mechanism:
    """The mechanism at its nominal values, by which it is decided which limits there are."""
    return setup.mech if setup.inputs is None else setup.inputs.source.mech


def bounded_rates(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Velocities along the freedoms that `bounds_of(mech, "speed")` names, [rad/s, m/s]."""
    drives = tuple(bound.drive for bound in bounds_of(setup.mech, "speed", drawn_mechanism(setup)))
    return actuation_matrix(setup.closure, drives, q).T @ v


@compiled("q", "v", any_norm=True)
def speed_margins(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Per speed limit the square of the bound less that of the velocity, over the bound: positive inside."""
    rates = bounded_rates(setup, q, v)
    bounds = [bound.bound for bound in bounds_of(setup.mech, "speed", drawn_mechanism(setup))]
    return np.array([b - rate * rate / b for b, rate in zip(bounds, rates, strict=True)])


def limits_of(mech: Mechanism, drawn: Mechanism | None = None) -> list[Limit]:
    """Every limit of tree and cut joints, in the order of `limit_distances`; `drawn` as for `bounds_of`."""
    nominal = mech if drawn is None else drawn
    pairs = zip((*nominal.joints, *nominal.loops), (*mech.joints, *mech.loops), strict=True)
    return [limit for joint, here in pairs for limit in _limits_of_joint(joint, here)]


def _limits_of_joint(joint: Joint, here: Joint) -> list[Limit]:
    out, units = [], units_along_parts(joint.kind.coordinates, "rad", "m")
    for sign, side in ((1.0, "lower"), (-1.0, "upper")):
        pairs = zip(getattr(joint.limits, side), getattr(here.limits, side), strict=True)
        out += [
            Limit(joint.name, part, sign, bound, units[part]) for part, (x, bound) in enumerate(pairs) if np.isfinite(x)
        ]
    kind = joint.kind
    if joint.limits.cone is not None and (kind.turns_about_point or kind.turns_about_two_axes):
        cone: Any = here.limits.cone
        out.append(Limit(joint.name, None, 1.0, cone, "rad"))
    return out


@compiled("q", any_norm=True)
def limit_distances(setup: Setup, q: Vec) -> Vec:
    """Distance to every limit, positive inside, [m, rad, or cosine]."""
    joints = {joint.name: joint for joint in (*setup.mech.joints, *setup.mech.loops)}
    values, axes = joint_values(setup, q), _body_rotations(setup, q)
    out = []
    for limit in limits_of(setup.mech, drawn_mechanism(setup)):
        if limit.part is None:
            out.append(_tilt_cosine(joints[limit.joint], axes) - np.cos(limit.bound))
        elif limit.part < len(values[limit.joint]):
            out.append(limit.sign * (values[limit.joint][limit.part] - limit.bound))
        else:
            out.append(1.0 + 0.0 * q[0])
    return np.array(out)


def dependent_limits(setup: Setup) -> list[Limit]:
    """Limits that bound no coordinate of the tree: cones, and ranges of joints that close loops."""
    cut = {joint.name for joint in setup.mech.loops}
    return [x for x in positions_of(setup.mech, drawn_mechanism(setup)) if x.part is None or x.joint in cut]


@compiled("q", any_norm=True)
def dependent_margins(setup: Setup, q: Vec) -> Vec:
    """How far q is inside every limit of `dependent_limits`, [m, rad, or cosine]."""
    joints = {joint.name: joint for joint in (*setup.mech.joints, *setup.mech.loops)}
    values, axes = joint_values(setup, q), _body_rotations(setup, q)
    return np.array(
        [
            _tilt_cosine(joints[x.joint], axes) - np.cos(x.bound)
            if x.part is None
            else x.sign * (values[x.joint][x.part] - x.bound)
            for x in dependent_limits(setup)
        ]
    )


@compiled("q", any_norm=True)
def dependent_margin_rates(setup: Setup, q: Vec) -> Mat:
    """Rates of `dependent_margins` for the velocities, (n, nv)."""
    program, outer = traced_on(setup, dependent_margins.function, {"q": setup.sizes()["q"]})
    rates = inline_program(jacobian(program, ["q"]), q, *outer)
    return np.asarray(rates @ tangent_map(setup, q))


def joint_values(setup: Setup, q: Vec) -> dict[str, Vec]:
    """Coordinates of every joint, cut or not, by its name."""
    slices = coordinate_slices(setup.mech.joints)
    own = {joint.name: q[slices[joint.name][0]] for joint in setup.mech.joints}
    pairs = zip(setup.closure.loops, relative_poses(setup.closure, q), strict=True) if setup.mech.loops else ()
    return own | {loop.name: joint_value(loop, pose) for loop, pose in pairs}


def _body_rotations(setup: Setup, q: Vec) -> dict[str, Mat]:
    poses = body_poses(setup, q)
    bodies = {name: poses[i, 3:].reshape(3, 3) for i, name in enumerate(setup.mech.names)}
    return bodies | {setup.mech.base: np.eye(3)}


def _tilt_cosine(joint: Joint, axes: dict[str, Mat]) -> Any:
    """Cosine of the angle between the z axes of a joint's two sides."""
    near, far = axes[joint.parent] @ joint.at.R[:, 2], axes[joint.child] @ joint.child_at.R[:, 2]
    return near @ far


def positions_of(mech: Mechanism, drawn: Mechanism | None = None) -> list[Limit]:
    """Limits of positions and cones that have a value: all of tree joints, and of cut joints those with coordinates."""
    kind = {joint.name: joint.kind for joint in (*mech.joints, *mech.loops)}
    cut = {joint.name for joint in mech.loops}
    found = limits_of(mech, drawn)
    order = {joint.name: i for i, joint in enumerate((*mech.joints, *mech.loops))}
    found.sort(key=lambda x: (order[x.joint], len(kind[x.joint].q_parts) if x.part is None else x.part, -x.sign))
    return [x for x in found if x.part is None or x.part < _valued_coordinate_count(kind[x.joint], x.joint in cut)]


def _valued_coordinate_count(kind: kinds.JointKind, cut: bool) -> int:
    """Number of coordinates of a joint that have a value; quaternions of cut joints have none."""
    if cut and kind.has_quaternion:
        return len(kind.q_parts) - 4
    return len(kind.q_parts)


@compiled("q", "v", "tau")
def limited_values(setup: Setup, q: Vec, v: Vec, tau: Vec) -> Mat:
    """What limits are about and the limits themselves, (2, n): of `positions_of`, then `bounds_of` speeds and efforts.

    The effort of a joint is that of the actuator that drives it, 0 without one.
    """
    drawn = drawn_mechanism(setup)
    joints = {joint.name: joint for joint in (*setup.mech.joints, *setup.mech.loops)}
    values, axes = joint_values(setup, q), _body_rotations(setup, q)
    positions = positions_of(setup.mech, drawn)
    speeds, efforts = (bounds_of(setup.mech, x, drawn) for x in ("speed", "effort"))
    given = dict(zip(setup.drives, tau, strict=True))
    found: list[Any] = [
        _cone_angle(joints[x.joint], axes) if x.part is None else values[x.joint][x.part] for x in positions
    ]
    found += [*bounded_rates(setup, q, v)] if speeds else []
    found += [given.get(bound.drive, 0.0) for bound in efforts]
    bounds = [*(x.bound for x in positions), *(x.bound for x in (*speeds, *efforts))]
    return np.array([found, bounds], dtype=object)


def _cone_angle(joint: Joint, axes: dict[str, Mat]) -> Any:
    """Angle [rad] between the z axes of a joint's two sides."""
    near, far = axes[joint.parent] @ joint.at.R[:, 2], axes[joint.child] @ joint.child_at.R[:, 2]
    across = cross_product(near, far)
    return np.arctan2(np.sqrt(across @ across), near @ far)
