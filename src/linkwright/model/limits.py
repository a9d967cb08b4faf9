"""Limits that a state exceeds: positions, cones, velocities and efforts of joints and actuators."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

import numpy as np

from linkwright.kernels import Kernels, registry
from linkwright.kernels.stepping.limits import Bound, bounds_of
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import coordinate_slices

_SLACK = 1e-9


@dataclass(frozen=True)
class Exceeded:
    """A limit that a state breaks.

    Attributes:
        code: "position", "cone", "speed" or "effort".
        subject: the joint or actuator.
        part: the coordinate or velocity of a joint that has several, else "".
        value: what was found, [rad, m, rad/s, m/s, N m, N].
        limit: the bound it breaks; for speed and effort the bound on the magnitude.
        message: text for people.
    """

    code: Literal["position", "cone", "speed", "effort"]
    subject: str
    part: str
    value: float
    limit: float
    message: str

    def __str__(self) -> str:
        return self.message


def limits_exceeded(
    kernels: Kernels, q: np.ndarray, v: np.ndarray | None = None, tau: np.ndarray | None = None
) -> tuple[Exceeded, ...]:
    """Every limit of tree joints, cut joints and actuators that a state exceeds; speeds and efforts where given.

    q is (nq,), v is (nv,), tau is (na,). The effort of a joint is that of the actuator that drives it.
    """
    mech = kernels.here.mech
    return (*_positions(kernels, q), *_speeds(kernels, mech, q, v), *_efforts(kernels, mech, tau))


def _positions(kernels: Kernels, q: np.ndarray) -> tuple[Exceeded, ...]:
    mech = kernels.here.mech
    if all(_unbounded(joint) for joint in (*mech.joints, *mech.loops)):
        return ()
    slices = coordinate_slices(mech.joints)
    values = {joint.name: q[slices[joint.name][0]] for joint in mech.joints}
    if mech.loops:
        values |= kernels.function(registry.CUT_VALUES)(q)
    poses = kernels.function(registry.BODY_POSES)(q)
    axes = {name: poses[i, 3:].reshape(3, 3) for i, name in enumerate(mech.names)} | {mech.base: np.eye(3)}
    return tuple(each for joint in (*mech.joints, *mech.loops) for each in _broken(joint, values[joint.name], axes))


def _unbounded(joint: Joint) -> bool:
    return not joint.limits.lower and not joint.limits.upper and joint.limits.cone is None


def _broken(joint: Joint, values: np.ndarray, axes: dict[str, np.ndarray]) -> Iterator[Exceeded]:
    parts = joint.kind.q_parts
    lower, upper = joint.limits.lower or (-np.inf,) * len(parts), joint.limits.upper or (np.inf,) * len(parts)
    for part, x, low, high in zip(parts, values, lower, upper, strict=False):
        part = part if len(parts) > 1 else ""
        where = f"joint '{joint.name}'" + (f" ({part})" if part else "")
        for beyond, limit, side in ((x < low - _SLACK, low, "below"), (x > high + _SLACK, high, "above")):
            if beyond:
                text = f"{where} is at {x:.6g}, {side} its limit {limit:.6g}"
                yield Exceeded("position", joint.name, part, float(x), limit, text)
    if joint.limits.cone is not None and isinstance(joint.kind, kinds.Spherical | kinds.Universal):
        angle = cone_angle(joint, axes)
        if angle > joint.limits.cone + _SLACK:
            text = f"joint '{joint.name}' leans {angle:.6g} rad out of its cone of {joint.limits.cone:.6g} rad"
            yield Exceeded("cone", joint.name, "", angle, joint.limits.cone, text)


def _speeds(kernels: Kernels, mech: Mechanism, q: np.ndarray, v: np.ndarray | None) -> Iterator[Exceeded]:
    bounds = bounds_of(mech, "speed") if v is not None else []
    if bounds:
        yield from _beyond(bounds, kernels.function(registry.BOUNDED_RATES)(q, v), "moves at")


def _efforts(kernels: Kernels, mech: Mechanism, tau: np.ndarray | None) -> Iterator[Exceeded]:
    bounds = bounds_of(mech, "effort") if tau is not None else []
    efforts = dict(zip(kernels.setup.drives, () if tau is None else tau, strict=False))
    yield from _beyond(bounds, [efforts.get(bound.drive, 0.0) for bound in bounds], "has the effort")


def _beyond(bounds: list[Bound], values: Iterable[float], verb: str) -> Iterator[Exceeded]:
    for bound, x in zip(bounds, values, strict=True):
        if abs(x) > bound.bound * (1.0 + _SLACK):
            text = f"{bound.title} {verb} {x:.6g}, beyond its {bound.quantity} limit {bound.bound:.6g}"
            yield Exceeded(bound.quantity, bound.name, bound.part, float(x), bound.bound, text)


def efforts_exceeded(kernels: Kernels, tau: np.ndarray) -> list[tuple[int, Exceeded]]:
    """Rows of efforts (n, na) in which an effort leaves its limit, with what it breaks, in the order of the rows."""
    found = []
    for bound in bounds_of(kernels.here.mech, "effort"):
        if bound.drive in kernels.setup.drives:
            values = tau[:, kernels.setup.drives.index(bound.drive)]
            outside = np.abs(values) > bound.bound * (1.0 + _SLACK)
            for k in np.flatnonzero(outside & ~np.r_[False, outside[:-1]]):
                found += [(int(k), each) for each in _beyond([bound], [float(values[k])], "has the effort")]
    return sorted(found, key=lambda pair: pair[0])


def worst_exceeded(
    kernels: Kernels, q: np.ndarray, v: np.ndarray, tau: np.ndarray
) -> tuple[tuple[int, int, Exceeded], ...]:
    """Per limit that some row of a motion breaks: in how many rows, in which first, and the worst of them."""
    found: dict[tuple[str, str, str, float], list[tuple[int, Exceeded]]] = {}
    for k, row in enumerate(zip(q, v, tau, strict=True)):
        for each in limits_exceeded(kernels, *row):
            found.setdefault((each.code, each.subject, each.part, each.limit), []).append((k, each))
    return tuple(
        (len(rows), rows[0][0], max((each for _, each in rows), key=lambda each: abs(each.value - each.limit)))
        for rows in found.values()
    )


def cone_angle(joint: Joint, axes: dict[str, np.ndarray]) -> float:
    """Angle [rad] between the z axes of a joint's two sides."""
    z = np.array([0.0, 0.0, 1.0])
    near, far = axes[joint.parent] @ (joint.at.R @ z), axes[joint.child] @ (joint.child_at.R @ z)
    return float(np.arctan2(np.linalg.norm(np.cross(near, far)), near @ far))
