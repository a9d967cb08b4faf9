"""Denavit-Hartenberg tables to serial arms. Two conventions share the letters; the user states which one is meant.

`arm_from_standard_dh` (Denavit and Hartenberg; Saha's papers): frame i+1 = Rz(theta) Tz(b) Tx(a) Rx(alpha) seen from
frame i; joint i acts along Z of frame i, and link i carries frame i+1 (at its far end).
`arm_from_modified_dh` (Craig): frame i = Rx(alpha) Tx(a) Rz(theta) Tz(b) seen from frame i-1; joint i acts along Z
of frame i, and link i carries frame i (at its near end); a and alpha describe the link before the joint.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import FormatError
from linkwright.joints import Fixed, Prismatic, Revolute
from linkwright.mechanism import Body, Inertia, Joint, Mechanism
from linkwright.mechanism.names import suggest_name

DIFFERENCE = (
    "name the convention of the table: 'standard' (Denavit and Hartenberg; Rz(theta) Tz(b) Tx(a) Rx(alpha), "
    "the link carries the frame at its far end) or 'modified' (Craig; Rx(alpha) Tx(a) Rz(theta) Tz(b), the link "
    "carries the frame at its near end); the same numbers give different arms"
)
MASSLESS = Inertia()
KINDS: dict[str, Any] = {"revolute": Revolute(), "prismatic": Prismatic(), "fixed": Fixed()}


@dataclass(frozen=True)
class Row:
    """One joint and its link; lengths in m, angles in rad.

    `b` is the offset along Z (d in many books). The coordinate is added to `theta` of a revolute joint and to `b`
    of a prismatic one. `inertia` is in the axes of the frame the link carries, `com` seen from its origin.
    """

    joint: str = "revolute"
    a: float = 0.0
    b: float = 0.0
    alpha: float = 0.0
    theta: float = 0.0
    inertia: Inertia = MASSLESS
    name: str | None = None
    link: str | None = None


def standard_poses(row: Row) -> tuple[RigidTransform, RigidTransform]:
    """Poses of the joint on its parent and on its link: at, child_at."""
    far = RigidTransform((0.0, 0.0, row.b)) @ RigidTransform.from_rpy((row.a, 0.0, 0.0), (row.alpha, 0.0, 0.0))
    return RigidTransform.from_rpy((0.0, 0.0, 0.0), (0.0, 0.0, row.theta)), far.inverse


def modified_poses(row: Row) -> tuple[RigidTransform, RigidTransform]:
    """Poses of the joint on its parent and on its link: at, child_at."""
    before = RigidTransform.from_rpy((row.a, 0.0, 0.0), (row.alpha, 0.0, 0.0))
    return before @ RigidTransform.from_rpy((0.0, 0.0, row.b), (0.0, 0.0, row.theta)), IDENTITY


CONVENTIONS: dict[str, Callable[[Row], tuple[RigidTransform, RigidTransform]]] = {
    "standard": standard_poses,
    "modified": modified_poses,
}


def chain_of_dh_table(
    convention: str, rows: Iterable[Row], base: str = "ground"
) -> tuple[tuple[Body, ...], tuple[Joint, ...]]:
    """Links and joints of a table, from the base outwards; unnamed joints are q1, q2, ..., links link1, ...

    >>> bodies, joints = chain_of_dh_table("standard", [Row(a=0.3), Row(a=0.2)])
    >>> [(j.name, j.parent, j.child) for j in joints]
    [('q1', 'ground', 'link1'), ('q2', 'link1', 'link2')]
    """
    if convention not in CONVENTIONS:
        raise FormatError(f"the DH convention is {convention!r}: {DIFFERENCE}", convention=convention)
    bodies: list[Body] = []
    joints: list[Joint] = []
    parent = base
    for i, row in enumerate(rows, start=1):
        if row.joint not in KINDS:
            raise FormatError(f"row {i} of the DH table has the joint {row.joint!r}{suggest_name(row.joint, KINDS)}")
        at, child_at = CONVENTIONS[convention](row)
        bodies.append(Body(row.link or f"link{i}", row.inertia))
        joints.append(Joint(row.name or f"q{i}", parent, bodies[-1].name, KINDS[row.joint], at, child_at))
        parent = bodies[-1].name
    return tuple(bodies), tuple(joints)


def arm_from_standard_dh(
    rows: Sequence[Row], name: str = "arm", gravity: Vec3 = (0.0, 0.0, -9.81), source: str = ""
) -> Mechanism:
    """A serial arm from a standard DH table.

    >>> arm_from_standard_dh([Row(a=1.0), Row("prismatic", alpha=1.57)]).names
    ('link1', 'link2')
    """
    bodies, joints = chain_of_dh_table("standard", rows)
    return Mechanism(name, bodies, joints, gravity=gravity, source=source)


def arm_from_modified_dh(
    rows: Sequence[Row], name: str = "arm", gravity: Vec3 = (0.0, 0.0, -9.81), source: str = ""
) -> Mechanism:
    """A serial arm from a modified (Craig) DH table.

    >>> arm_from_modified_dh([Row(), Row("prismatic", a=1.0)]).joints[1].at.xyz
    (1.0, 0.0, 0.0)
    """
    bodies, joints = chain_of_dh_table("modified", rows)
    return Mechanism(name, bodies, joints, gravity=gravity, source=source)
