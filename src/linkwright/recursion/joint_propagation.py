"""The joint that carries a link: twist propagation and motion matrix (any scalar)."""

from __future__ import annotations

from linkwright.algebra.transform import Transform
from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.mechanism.tree import Link


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
    R, s, p, p_dot = link.kind.reversed_motion(q, v, link) if link.reversed else link.kind.motion(q, v, link)
    return JointMap(Transform(link.r, link.R * R, s), p, p_dot)
