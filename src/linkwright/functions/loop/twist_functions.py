"""The twists of all joints of a mechanism, in the tree or cut, and the graph that joins them.

Unknowns are the rates of every joint of the drawing (theory 6, "Singularities"), so nothing depends on which joints
are cut, nor on the direction in which a joint is drawn. Twists are [angular; linear] of the output's origin in world
axes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.sums import is_structural_zero, resolve_sums
from linkwright.algebra.transforms import frame_with_z
from linkwright.algebra.vectors import Mat, Vec, cross_product
from linkwright.compiler import select
from linkwright.dataclass import dataclass
from linkwright.functions.definition import compiled
from linkwright.functions.setup import Setup
from linkwright.functions.tree.tree_functions import body_poses
from linkwright.joints import JointKind
from linkwright.joints.motion_terms import NeutralPlacement
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.topology import as_drawn
from linkwright.numerics.tolerances import TINY


@dataclass(frozen=True, eq=False)
class Graph:
    """Structure of a mechanism, without its numbers: n joints, f rates, l independent loops.

    Attributes:
        joints: the joints of the drawing that count, floating ones left out unless nothing else carries a body.
        ends: bodies before and after each joint, (2, n); the base counts as the last body.
        joint: the joint of each rate, (f,). turns: which rates are angles, (f,).
        path: joints on the way from the base to the output, (n,): 1, -1 or 0. loops: the same round each loop, (l, n).
        couplings: how many rows of couplings. driven: rates of the actuators.
        planar: for an actuator along a planar joint, (row, rate, turning rate): it depends on the turning rate too.
        frame: name of the output frame, or "". carrier: its body, None without one.
        is_point: whether the output lies at the end of a chain or between two joints: no platform of several legs.
    """

    joints: tuple[str, ...]
    ends: np.ndarray
    joint: np.ndarray
    turns: np.ndarray
    path: np.ndarray
    loops: np.ndarray
    couplings: int
    driven: tuple[int, ...]
    planar: tuple[tuple[int, int, int], ...]
    frame: str
    carrier: int | None
    is_point: bool

    @property
    def width(self) -> int:
        """Length of what `joint_twists` returns."""
        f, n = len(self.joint), len(self.joints)
        return 6 * f + 3 * n + self.couplings * f + len(self.planar) + 1


def mechanism_graph(setup: Setup) -> Graph:
    """The graph of a mechanism with its actuators and its output.

    A floating joint takes no freedom away, so it is left out unless nothing else connects its body to the base.
    """
    mech = setup.mech
    joints = _drawn_joints(mech)
    numbers = {name: i for i, name in enumerate((*mech.names, mech.base))}
    ends = [(numbers[joint.parent], numbers[joint.child]) for joint in joints]
    paths, chosen = _spanning_tree_paths(len(mech.names), ends)
    used = [i for i, joint in enumerate(joints) if i in chosen or not joint.kind.floats]
    loops = [paths[ends[i][1]] - paths[ends[i][0]] - np.eye(len(joints))[i] for i in used if i not in chosen]
    kept, (frame, carrier, _) = [joints[i] for i in used], _default_output_frame(mech)
    every = [(i, freedom) for i, joint in enumerate(kept) for freedom in joint.kind.unit_twists()]
    owners = np.array([i for i, _ in every], dtype=int)
    driven, planar = _driven_rates(setup, kept, owners)
    return Graph(
        tuple(joint.name for joint in kept),
        np.array([ends[i] for i in used], dtype=int).reshape(-1, 2).T,
        owners,
        np.array([freedom.turns for _, freedom in every], dtype=bool),
        (paths[carrier] if carrier is not None else np.zeros(len(joints)))[used].astype(int),
        np.array(loops).reshape(len(loops), len(joints))[:, used].astype(int),
        len(mech.couplings),
        driven,
        planar,
        frame,
        carrier,
        carrier is not None and _joint_count_of_body(carrier, kept, [ends[i] for i in used]) <= 2,
    )


def _drawn_joints(mech: Mechanism) -> list[Joint]:
    drawn = [as_drawn(joint) for joint in (*mech.joints, *mech.loops)]
    return sorted(drawn, key=lambda joint: joint.kind.floats)


def _spanning_tree_paths(base: int, ends: list[tuple[int, int]]) -> tuple[np.ndarray, set[int]]:
    """Paths from the base to every body over a spanning tree, (bodies + 1, joints), and the joints in it."""
    paths, reached, chosen = np.zeros((base + 1, len(ends))), {base}, set[int]()
    while True:
        grown = [i for i, (a, b) in enumerate(ends) if (a in reached) != (b in reached)]
        if not grown:
            return paths, chosen
        a, b = ends[grown[0]]
        known, new, sign = (a, b, 1.0) if a in reached else (b, a, -1.0)
        paths[new] = paths[known]
        paths[new, grown[0]] = sign
        reached.add(new)
        chosen.add(grown[0])


def _joint_count_of_body(body: int, joints: list[Joint], ends: list[tuple[int, int]]) -> int:
    """Number of joints with freedoms that hold a body, together with the bodies fixed to it."""
    rigid = {body}
    movable = [joint.kind.unit_twists() for joint in joints]
    for _ in joints:
        rigid |= {x for pair, free in zip(ends, movable, strict=True) if not free and rigid & {*pair} for x in pair}
    return sum(len(rigid & {*pair}) == 1 for pair, free in zip(ends, movable, strict=True) if free)


def _default_output_frame(mech: Mechanism) -> tuple[str, int | None, Any]:
    """The output frame: the platform, else the only frame, else the last body of a serial chain; "" without one.

    With its body and its origin there. Bodies fixed to the base or to each other count as one: the first body at the
    end of the last rigid piece is taken, as where a robot's file ends in several tool frames.
    """
    moving = [frame for frame in mech.frames if frame.body != mech.base]
    named = [frame for frame in moving if frame.name == mech.platform]
    for found in (named, moving if mech.platform is None and len(moving) == 1 else []):
        if found:
            return found[0].name, mech.names.index(found[0].body), found[0].pose.r
    last = mech.platform if mech.platform in mech.names else _last_of_chain(mech) if mech.platform is None else ""
    return (last, mech.names.index(last), np.zeros(3)) if last else ("", None, np.zeros(3))


def output_frame(mech: Mechanism) -> str:
    """Name of the frame or body that counts as output, "" without one."""
    return _default_output_frame(mech)[0]


def _last_of_chain(mech: Mechanism) -> str:
    """The body at the end of a serial chain, "" where there are branches, loops or couplings."""
    if mech.loops or mech.couplings:
        return ""
    above = {joint.child: joint for joint in mech.joints}

    def piece(body: str) -> str:
        """The body that carries the rigid piece of a body."""
        while body in above and above[body].kind.is_rigid:
            body = above[body].parent
        return body

    moving = {piece(name) for name in mech.names} - {mech.base}
    ends = moving - {piece(above[body].parent) for body in moving}
    leaves = set(mech.names) - {joint.parent for joint in mech.joints}
    return next((name for name in mech.names if name in leaves and piece(name) in ends), "") if len(ends) == 1 else ""


def _driven_rates(
    setup: Setup, joints: list[Joint], owners: np.ndarray
) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    mech, index = setup.mech, {joint.name: i for i, joint in enumerate(joints)}
    tree = [(joint, part) for joint in mech.joints for part in range(joint.kind.nv)]
    found = [tree[x.speed] if x.speed is not None else (mech.loops[x.loop], x.part) for x in setup.drives]
    found = [(j, part) for j, part in found if j.name in index and not j.kind.bends]
    first = [int(np.searchsorted(owners, index[joint.name])) for joint, _ in found]
    rates = tuple(start + part for start, (_, part) in zip(first, found, strict=True))
    rows = enumerate(zip(first, found, strict=True))
    planar = [
        (row, start + part, start + 2) for row, (start, (joint, part)) in rows if _turns_after_slides(joint.kind, part)
    ]
    return rates, tuple(planar)


def _turns_after_slides(kind: JointKind, part: int) -> bool:
    """Return True if a velocity slides in the plane that the joint turns in, about the middle of its two origins."""
    elements = kind.elements or ()
    return [element for element, _ in elements] == ["slide", "slide", "turn"] and part < 2


@compiled("q", public=True)
def joint_twists(setup: Setup, q: Vec) -> Vec:
    """Numbers of the graph at q, (width,).

    One behind the other: unit twists (f, 6) [rad/s, m/s], middles of the joints from the output's origin (n, 3) [m],
    ratios of couplings (couplings, f), rates of planar actuators by turning [m], characteristic length [m].
    """
    mech, made = setup.mech, mechanism_graph(setup)
    by_name = {joint.name: joint for joint in _drawn_joints(mech)}
    joints = [by_name[name] for name in made.joints]
    r_b, R_b = _body_origins_and_rotations(setup, q)
    _, carrier, at = _default_output_frame(mech)
    origin = np.zeros(3) if carrier is None else r_b[carrier] + R_b[carrier] @ at
    S: list[Vec] = []
    middles: list[Vec] = []
    arms: list[Vec] = []
    for joint, a, b in zip(joints, *made.ends, strict=True):
        r = (r_b[a] + R_b[a] @ joint.at.r, r_b[b] + R_b[b] @ joint.child_at.r)
        frames = [R_b[a] @ joint.at.R, R_b[b] @ joint.child_at.R]
        if joint.kind.rod_length is not None:
            frames.append(_frame_along(r[1] - r[0]))
        middles.append(0.5 * (r[0] + r[1]) - origin)
        if joint.kind.velocity_sides is None and joint.kind.nv and not joint.kind.bends:
            S += _twists_at_pose(joint.kind, frames, r, origin)
            arms += [0.5 * (r[1] - r[0])] * joint.kind.nv
            continue
        for freedom in map(resolve_sums, joint.kind.unit_twists()):  # directions of joints may be inputs
            axis = frames[freedom.side] @ np.array(freedom.axis)
            point = r[0] + freedom.share * (r[1] - r[0])
            turned = np.concatenate([axis, cross_product(axis, origin - point) + freedom.pitch * axis])
            S.append(turned if freedom.turns else np.concatenate([np.zeros(3), axis]))
            arms.append(0.5 * (r[1] - r[0]))
    planar = [S[rate][3:] @ cross_product(S[turning][:3], arms[rate]) for _, rate, turning in made.planar]
    parts = [*S, *middles, _coupling_ratio_rows(setup, made, q), np.array(planar), np.array([mean_arm(mech)])]
    return np.concatenate([np.asarray(part, dtype=object) for part in parts])


def _twists_at_pose(kind: JointKind, frames: list[Mat], r: tuple[Vec, Vec], origin: Vec) -> list[Vec]:
    """Twists per velocity of a joint whose directions change with its coordinates, which its pose gives."""
    aligned = [frame_with_z(kind.axes[i]) if kind.axes else np.eye(3) for i in (0, -1)]
    near, far = (R @ turn for R, turn in zip(frames, aligned, strict=True))
    q = kind.coordinates_from_pose(near.T @ far, near.T @ (r[1] - r[0]))
    p = kind.motion(q, np.zeros(kind.nv), NeutralPlacement())[2]
    turning = [far @ column[:3] for column in p.T]
    moving = [far @ column[3:] for column in p.T]
    return [np.concatenate([e, s + cross_product(e, origin - r[1])]) for e, s in zip(turning, moving, strict=True)]


def _body_origins_and_rotations(setup: Setup, q: Vec) -> tuple[list[Vec], list[Mat]]:
    """Origins and rotations of all bodies, the base last."""
    poses: Any = body_poses(setup, q) if setup.mech.names else []
    origins = [np.asarray(row[:3]) for row in poses]
    rotations = [np.asarray(row[3:]).reshape(3, 3) for row in poses]
    return [*origins, np.zeros(3)], [*rotations, np.eye(3)]


def _frame_along(d: Vec) -> Mat:
    """A rotation whose third column points along d, without a choice by value (Duff et al. 2017, JCGT 6)."""
    x, y, z = d * (1.0 / np.sqrt(d @ d))
    sign = select(z + TINY, 1.0, -1.0)
    a = -1.0 / (sign + z)
    b = x * y * a
    first = [1.0 + sign * x * x * a, sign * b, -sign * x]
    return np.array([first, [b, sign + y * y * a, -y], [x, y, z]]).T


def _coupling_ratio_rows(setup: Setup, made: Graph, q: Vec) -> Vec:
    """Ratios of couplings at q, one row of all rates each, flat."""
    index = {name: i for i, name in enumerate(made.joints)}
    rows = np.zeros((made.couplings, len(made.joint)), dtype=object)
    for row, coupling, equation in zip(rows, setup.mech.couplings, setup.closure.couplings, strict=True):
        for (name, _), ratio in zip(coupling.terms, equation.row(q), strict=True):
            rate = int(np.searchsorted(made.joint, index[name]))
            row[rate] = row[rate] + ratio
    return rows.ravel()


def mean_arm(mech: Mechanism) -> Any:
    """Mean distance [m] between joints on a body, over the arms that are not zero; 1 m when there are none."""
    total: Any = 0.0
    count: Any = 0.0
    for joint in (*mech.joints, *mech.loops):
        squares = [pose.r @ pose.r for pose in (joint.at, joint.child_at)]
        lengths = [np.sqrt(x) for x in squares if not is_structural_zero(x)]
        lengths += [resolve_sums(joint.kind.rod_length)] if joint.kind.rod_length is not None else []
        for x in lengths:
            total = total + x
            count = count + select(x, 1.0, 0.0)
    if is_structural_zero(count):
        return 1.0
    return select(count, total / (count + select(count, 0.0, 1.0)), 1.0)
