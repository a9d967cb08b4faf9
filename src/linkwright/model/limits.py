"""Which limits a configuration breaks, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwright.kernels import Kernels
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import coordinate_slices

_SLACK = 1e-9


def limits_exceeded(kernels: Kernels, q: np.ndarray) -> tuple[str, ...]:
    """A sentence for every position or cone limit, of tree and cut joints, that the coordinates q (nq,) break."""
    mech = kernels.setup.mech
    slices = coordinate_slices(mech.joints)
    values = {joint.name: q[slices[joint.name][0]] for joint in mech.joints}
    if mech.loops:
        values |= kernels.function("cut_values")(q)
    poses = kernels.function("body_poses")(q)
    axes = {name: poses[i, 3:].reshape(3, 3) for i, name in enumerate(mech.names)} | {mech.base: np.eye(3)}
    return tuple(text for joint in (*mech.joints, *mech.loops) for text in _broken(joint, values[joint.name], axes))


def _broken(joint: Joint, values: np.ndarray, axes: dict[str, np.ndarray]) -> Iterator[str]:
    parts = joint.kind.q_parts
    lower, upper = joint.limits.lower or (-np.inf,) * len(parts), joint.limits.upper or (np.inf,) * len(parts)
    for part, x, low, high in zip(parts, values, lower, upper, strict=False):
        where = f"joint '{joint.name}'" + (f" ({part})" if len(parts) > 1 else "")
        if x < low - _SLACK:
            yield f"{where} is at {x:.6g}, below its limit {low:.6g}"
        elif x > high + _SLACK:
            yield f"{where} is at {x:.6g}, above its limit {high:.6g}"
    if joint.limits.cone is not None and isinstance(joint.kind, kinds.Spherical | kinds.Universal):
        angle = cone_angle(joint, axes)
        if angle > joint.limits.cone + _SLACK:
            yield f"joint '{joint.name}' leans {angle:.6g} rad out of its cone of {joint.limits.cone:.6g} rad"


def cone_angle(joint: Joint, axes: dict[str, np.ndarray]) -> float:
    """Angle [rad] between the z axes of a joint's two sides."""
    z = np.array([0.0, 0.0, 1.0])
    near, far = axes[joint.parent] @ (joint.at.R @ z), axes[joint.child] @ (joint.child_at.R @ z)
    return float(np.arctan2(np.linalg.norm(np.cross(near, far)), near @ far))
