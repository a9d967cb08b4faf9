"""Motion of each kind of joint: the turn and travel it makes, and the twists it allows (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra import quaternion
from linkwright.algebra.rotation import Full, Rotation, Turn
from linkwright.algebra.sums import is_zero, known
from linkwright.algebra.transform import Transform
from linkwright.algebra.vectors import Mat, Vec, cross, skew, twist
from linkwright.dataclass import dataclass
from linkwright.joints.beam_shapes import displacement, shortening
from linkwright.mechanism.tree import Link

_X = np.array([1.0, 0.0, 0.0])
_Z = np.array([0.0, 0.0, 1.0])
_O = np.zeros(3)
Parts = tuple[Rotation, Vec, Mat, Mat]


@dataclass(frozen=True, eq=False)
class JointMap:
    """A joint at coordinates q and speeds v.

    A: twist propagation from the parent link to this link. p: motion matrix, joint speeds to relative twist,
    (6, nv), link frame. p_dot: the rate of its components in the link frame, (6, nv).
    """

    A: Transform
    p: Mat
    p_dot: Mat


def joint_map(link: Link, q: Vec, v: Vec) -> JointMap:
    """The joint that carries a link (theory 2.1-2.9; drawn the other way, 2.14-2.17)."""
    maps = _REVERSED if link.reversed else _KINDS
    R, s, p, p_dot = maps[type(link.kind)](link, q, v)
    return JointMap(Transform(link.r, link.R * R, s), p, p_dot)


def _z_turn(angle: Any, offset: Any) -> Rotation:
    """A turn about z by angle + offset; offsets of whole right angles cost nothing."""
    if known(offset) is None:
        return Rotation((Turn(2, np.cos(angle + offset), np.sin(angle + offset)),))
    quarters = round(offset / (0.5 * np.pi))
    if abs(offset - quarters * 0.5 * np.pi) > 1e-15:
        return Rotation((Turn(2, np.cos(angle + offset), np.sin(angle + offset)),))
    c, s = np.cos(angle), np.sin(angle)
    for _ in range(quarters % 4):
        c, s = -s, c
    return Rotation((Turn(2, c, s),))


def _columns(*pairs: tuple[Vec, Vec]) -> Mat:
    return np.array([twist(angular, linear) for angular, linear in pairs]).T


def _fixed(link: Link, q: Vec, v: Vec) -> Parts:
    return Rotation(), _O, np.zeros((6, 0)), np.zeros((6, 0))


def _revolute(link: Link, q: Vec, v: Vec) -> Parts:
    return _z_turn(q[0], link.offsets[1]), _O, _columns((_Z, _O)), np.zeros((6, 1))


def _prismatic(link: Link, q: Vec, v: Vec) -> Parts:
    return _z_turn(0.0, link.offsets[1]), _Z * q[0], _columns((_O, _Z)), np.zeros((6, 1))


def _screw(link: Link, q: Vec, v: Vec) -> Parts:
    assert isinstance(link.kind, kinds.Screw)
    pitch = link.kind.pitch * _Z
    return _z_turn(q[0], link.offsets[1]), pitch * q[0], _columns((_Z, pitch)), np.zeros((6, 1))


def _cylindrical(link: Link, q: Vec, v: Vec) -> Parts:
    return _z_turn(q[0], link.offsets[1]), _Z * q[1], _columns((_Z, _O), (_O, _Z)), np.zeros((6, 2))


def _universal(link: Link, q: Vec, v: Vec) -> Parts:
    inner = link.between * _z_turn(q[1], link.offsets[1])
    first = inner.T @ _Z
    p, p_dot = _columns((first, _O), (_Z, _O)), _columns((-v[1] * cross(_Z, first), _O), (_O, _O))
    return _z_turn(q[0], link.offsets[0]) * inner, _O, p, p_dot


def _spherical(link: Link, q: Vec, v: Vec) -> Parts:
    return Rotation((Full(quaternion.rotation(q)),)), _O, np.eye(6)[:, :3], np.zeros((6, 3))


def _planar(link: Link, q: Vec, v: Vec) -> Parts:
    R = _z_turn(q[2], link.offsets[1])
    x, y = R.T @ np.array([1.0, 0.0, 0.0]), R.T @ np.array([0.0, 1.0, 0.0])
    p_dot = _columns((_O, -v[2] * cross(_Z, x)), (_O, -v[2] * cross(_Z, y)), (_O, _O))
    return R, q[0] * x + q[1] * y, _columns((_O, x), (_O, y), (_Z, _O)), p_dot


def _floating(link: Link, q: Vec, v: Vec) -> Parts:
    R = Rotation((Full(quaternion.rotation(q[3:])),))
    return R, R.T @ q[:3], np.eye(6), np.zeros((6, 6))


def _universal_reversed(link: Link, q: Vec, v: Vec) -> Parts:
    """The drawing's second angle comes first; columns stay in the drawing's order."""
    R, s, p, p_dot = _universal(link, q[::-1], v[::-1])
    return R, s, p[:, ::-1], p_dot[:, ::-1]


def _spherical_reversed(link: Link, q: Vec, v: Vec) -> Parts:
    """R(q)^T; v is the angular velocity of the parent link relative to this one, in parent axes."""
    R, zero = quaternion.rotation(q), np.zeros((3, 3))
    return Rotation((Full(R.T),)), _O, np.vstack([-R, zero]), np.vstack([-(R @ skew(v)), zero])


def _planar_reversed(link: Link, q: Vec, v: Vec) -> Parts:
    """The turn -angle first, then the travel (-x, -y), whose directions are fixed in this link."""
    R = _z_turn(-q[2], link.offsets[1])
    x, y = _X, np.array([0.0, 1.0, 0.0])
    p = _columns((_O, -x), (_O, -y), (-_Z, cross(_Z, q[0] * x + q[1] * y)))
    return R, -(q[0] * x + q[1] * y), p, _columns((_O, _O), (_O, _O), (_O, cross(_Z, v[0] * x + v[1] * y)))


def _floating_reversed(link: Link, q: Vec, v: Vec) -> Parts:
    """The inverse motion; v is the twist of the parent link relative to this one, in parent axes at its joint frame."""
    r, R, zero = q[:3], quaternion.rotation(q[3:]), np.zeros((3, 3))
    r_dot, R_dot = R @ v[3:], R @ skew(v[:3])
    p = np.block([[-R, zero], [-(skew(r) @ R), -R]])
    p_dot = np.block([[-R_dot, zero], [-(skew(r_dot) @ R) - skew(r) @ R_dot, -R_dot]])
    return Rotation((Full(R.T),)), -r, p, p_dot


def _modes(link: Link, q: Vec, v: Vec) -> Parts:
    return Rotation(), _O, np.zeros((6, len(q))), np.zeros((6, len(q)))


def _section(link: Link, q: Vec, v: Vec) -> Parts:
    """The frame of a bent beam's cross-section: at the deflected point, turned by the slopes (theory 9.11)."""
    assert isinstance(link.kind, kinds.Section)
    beam, x = link.kind.beam, link.kind.x
    deflection, tilt = displacement(beam, x), displacement(beam, x, 1)
    S = shortening(beam, x) if beam.shortening else np.zeros((len(q), len(q)))
    about_z, about_y = _turn(2, tilt[1], q), _turn(1, -tilt[2], q)
    R = about_z * about_y
    first, y = about_y.T @ _Z, np.array([0.0, 1.0, 0.0])
    first_dot = (tilt[2] @ v) * cross(y, first)
    turning = (tilt[1] @ v) * first - (tilt[2] @ v) * y
    short, short_dot = S @ q, S @ v
    columns, rates = [], []
    for j in range(len(q)):
        moved = R.T @ (deflection[:, j] - short[j] * _X)
        columns.append((tilt[1, j] * first - tilt[2, j] * y, moved))
        rates.append((tilt[1, j] * first_dot, -cross(turning, moved) - R.T @ (short_dot[j] * _X)))
    origin = (x - 0.5 * (q @ short)) * _X + deflection @ q
    return R, R.T @ origin, _columns(*columns), _columns(*rates)


def _turn(axis: int, tilt: Vec, q: Vec) -> Rotation:
    """A turn about a coordinate axis by tilt @ q; none at all when the beam has no tilt there."""
    if all(map(is_zero, tilt)):
        return Rotation()
    return Rotation((Turn(axis, np.cos(tilt @ q), np.sin(tilt @ q)),))


_KINDS = {
    kinds.Fixed: _fixed,
    kinds.Revolute: _revolute,
    kinds.Prismatic: _prismatic,
    kinds.Screw: _screw,
    kinds.Cylindrical: _cylindrical,
    kinds.Universal: _universal,
    kinds.Spherical: _spherical,
    kinds.Planar: _planar,
    kinds.Floating: _floating,
    kinds.Modes: _modes,
    kinds.Section: _section,
}

# Joints about one axis are turned round by negating the axis, and a fixed joint by its frames.
_REVERSED = _KINDS | {
    kinds.Universal: _universal_reversed,
    kinds.Spherical: _spherical_reversed,
    kinds.Planar: _planar_reversed,
    kinds.Floating: _floating_reversed,
}
