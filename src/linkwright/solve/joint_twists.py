"""The twists of all joints of a mechanism, in the tree or cut, and the equations that its graph puts on them.

Unknowns are the rates of every joint of the drawing (theory 6, "Singularities"), so nothing depends on which joints
are cut, nor on the direction in which a joint is drawn. Twists are [angular; linear / L] of the output's origin in
world axes; rates of angles count in rad/s, those of lengths in L per second.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from linkwright.algebra.pose import frame_with_z
from linkwright.kernels.setup import Setup
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Joint
from linkwright.mechanism.topology import as_drawn
from linkwright.solve.scales import characteristic_length

_X, _Y, _Z = (tuple(row) for row in np.eye(3).tolist())


@dataclass(frozen=True)
class Freedom:
    """One freedom of a joint: turning about an axis with a pitch [m/rad], or sliding along it (`turns` 0).

    The axis is given in the joint's frame on the parent (`side` 0), on the child (1), or in a frame whose z is the
    direction of a rod (2). It passes a point at `share` of the way from the parent's origin to the child's.
    """

    turns: float
    axis: tuple[float, ...]
    side: int = 0
    share: float = 0.0
    pitch: float = 0.0


@dataclass(frozen=True, eq=False)
class Freedoms:
    """All freedoms of a mechanism as arrays, one entry per rate; `joint` is the joint each belongs to."""

    joint: np.ndarray
    turns: np.ndarray
    axis: np.ndarray
    side: np.ndarray
    share: np.ndarray
    pitch: np.ndarray


@dataclass(frozen=True, eq=False)
class Graph:
    """Quantities that do not change with q: n joints, f rates, l independent loops.

    Attributes:
        ends: bodies before and after each joint, (2, n); the base counts as the last body.
        R, r: the joint's frames on those bodies, (2, n, 3, 3) and (2, n, 3).
        freedoms: of all joints. rods: which joints are rods.
        path: joints on the way from the base to the output, (n,): 1, -1 or 0. loops: the same round each loop, (l, n).
        couplings: rows on the scaled rates, each of unit length. driven: rates of the actuators.
        planar: for an actuator along a planar joint, (row, joint, axis): its rate depends on the turning rate too.
        frame: name of the output frame, or "". carrier: its body and its origin there, None without one.
        is_point: whether the output lies at the end of a chain or between two joints: no platform of several legs.
        length: the characteristic length L [m].
    """

    ends: np.ndarray
    R: np.ndarray
    r: np.ndarray
    freedoms: Freedoms
    rods: np.ndarray
    path: np.ndarray
    loops: np.ndarray
    couplings: np.ndarray
    driven: tuple[int, ...]
    planar: tuple[tuple[int, int, int], ...]
    frame: str
    carrier: tuple[int, np.ndarray] | None
    is_point: bool
    length: float


@dataclass(frozen=True, eq=False)
class Twists:
    """At one configuration: G y = 0 for the rates y (f,), output twist X y, actuator rates Q y.

    `flow` holds the squares of the wrenches that loop wrenches send through all joints, (rows, rows): a measure of the
    rows of G that does not depend on the loops chosen.
    """

    G: np.ndarray
    flow: np.ndarray
    X: np.ndarray
    Q: np.ndarray


def graph(setup: Setup, length: float | None = None) -> Graph:
    """The graph of a mechanism with its actuators and its output; the length is the mean arm unless given.

    A floating joint takes no freedom away, so it is left out unless nothing else connects its body to the base.
    """
    mech = setup.mech
    drawn = [as_drawn(joint) for joint in (*mech.joints, *mech.loops)]
    joints = sorted(drawn, key=lambda joint: isinstance(joint.kind, kinds.Floating))
    numbers = {name: i for i, name in enumerate((*mech.names, mech.base))}
    ends = [(numbers[joint.parent], numbers[joint.child]) for joint in joints]
    paths, chosen = _spanned(len(mech.names), ends)
    used = [i for i, joint in enumerate(joints) if i in chosen or not isinstance(joint.kind, kinds.Floating)]
    loops = [paths[ends[i][1]] - paths[ends[i][0]] - np.eye(len(joints))[i] for i in used if i not in chosen]
    kept, L = [joints[i] for i in used], length or characteristic_length(replace(mech, home=()))
    frame, carrier = _output(mech)
    freedoms = _freedoms(kept)
    driven, planar = _driven(setup, kept, freedoms)
    return Graph(
        np.array([ends[i] for i in used], dtype=int).reshape(-1, 2).T,
        np.array([[joint.at.R for joint in kept], [joint.child_at.R for joint in kept]]).reshape(2, -1, 3, 3),
        np.array([[joint.at.r for joint in kept], [joint.child_at.r for joint in kept]]).reshape(2, -1, 3),
        freedoms,
        np.array([isinstance(joint.kind, kinds.Distance) for joint in kept], dtype=bool),
        (paths[carrier[0]] if carrier else np.zeros(len(joints)))[used],
        np.array(loops).reshape(len(loops), len(joints))[:, used],
        _couplings(mech, kept, freedoms, L),
        driven,
        planar,
        frame,
        carrier,
        carrier is not None and _neighbors(carrier[0], kept, [ends[i] for i in used]) <= 2,
        L,
    )


def _spanned(base: int, ends: list[tuple[int, int]]) -> tuple[np.ndarray, set[int]]:
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


def _neighbors(body: int, joints: list[Joint], ends: list[tuple[int, int]]) -> int:
    """Number of joints with freedoms that hold a body, together with the bodies fixed to it."""
    rigid = {body}
    movable = [_kind_freedoms(joint.kind) for joint in joints]
    for _ in joints:
        rigid |= {x for pair, free in zip(ends, movable, strict=True) if not free and rigid & {*pair} for x in pair}
    return sum(len(rigid & {*pair}) == 1 for pair, free in zip(ends, movable, strict=True) if free)


def _output(mech: Mechanism) -> tuple[str, tuple[int, np.ndarray] | None]:
    """The output frame: the platform, else the only frame, else the last body of a serial chain; "" without one.

    Bodies fixed to the base or to each other count as one: the first body at the end of the last rigid piece is taken,
    as where a robot's file ends in several tool frames.
    """
    moving = [frame for frame in mech.frames if frame.body != mech.base]
    named = [frame for frame in moving if frame.name == mech.platform]
    for found in (named, moving if mech.platform is None and len(moving) == 1 else []):
        if found:
            return found[0].name, (mech.names.index(found[0].body), np.array(found[0].pose.xyz))
    last = mech.platform if mech.platform in mech.names else _last_of_chain(mech) if mech.platform is None else ""
    return (last, (mech.names.index(last), np.zeros(3))) if last else ("", None)


def output_frame(mech: Mechanism) -> str:
    """Name of the frame or body that counts as output, "" without one."""
    return _output(mech)[0]


def _last_of_chain(mech: Mechanism) -> str:
    """The body at the end of a serial chain, "" where there are branches, loops or couplings."""
    if mech.loops or mech.couplings:
        return ""
    above = {joint.child: joint for joint in mech.joints}

    def piece(body: str) -> str:
        """The body that carries the rigid piece of a body."""
        while body in above and isinstance(above[body].kind, kinds.Fixed):
            body = above[body].parent
        return body

    moving = {piece(name) for name in mech.names} - {mech.base}
    ends = moving - {piece(above[body].parent) for body in moving}
    leaves = set(mech.names) - {joint.parent for joint in mech.joints}
    return next((name for name in mech.names if name in leaves and piece(name) in ends), "") if len(ends) == 1 else ""


def _kind_freedoms(kind: kinds.JointType) -> tuple[Freedom, ...]:
    """The freedoms of a kind of joint, in the order of its velocities; links that bend count as rigid.

    Planar joints and rods turn about the middle of their two origins, so that both ends count alike.
    """
    turning = tuple(Freedom(1.0, axis, 1, 1.0) for axis in (_X, _Y, _Z))
    match kind:
        case kinds.Revolute(axis):
            return (Freedom(1.0, axis),)
        case kinds.Prismatic(axis):
            return (Freedom(0.0, axis),)
        case kinds.Screw(axis, pitch):
            return (Freedom(1.0, axis, pitch=pitch),)
        case kinds.Cylindrical(axis):
            return Freedom(1.0, axis), Freedom(0.0, axis)
        case kinds.Universal(first, second):
            return Freedom(1.0, first), Freedom(1.0, second, 1, 1.0)
        case kinds.Spherical():
            return turning
        case kinds.Planar(normal):
            x, y, z = (tuple(column) for column in frame_with_z(normal).T.tolist())
            return Freedom(0.0, x), Freedom(0.0, y), Freedom(1.0, z, 0, 0.5)
        case kinds.Floating():
            return (*turning, *(Freedom(0.0, axis, 1, 1.0) for axis in (_X, _Y, _Z)))
        case kinds.Distance():
            rolling = tuple(Freedom(1.0, axis, 2, 0.5) for axis in (_X, _Y, _Z))
            return (*rolling, Freedom(0.0, _X, 2), Freedom(0.0, _Y, 2))
        case _:
            return ()


def _freedoms(joints: list[Joint]) -> Freedoms:
    pairs = [(i, freedom) for i, joint in enumerate(joints) for freedom in _kind_freedoms(joint.kind)]
    every = [freedom for _, freedom in pairs]
    return Freedoms(
        np.array([i for i, _ in pairs], dtype=int),
        np.array([x.turns for x in every])[:, None],
        np.array([x.axis for x in every]).reshape(-1, 3, 1),
        np.array([x.side for x in every], dtype=int),
        np.array([x.share for x in every])[:, None],
        np.array([x.pitch for x in every])[:, None],
    )


def _couplings(mech: Mechanism, joints: list[Joint], freedoms: Freedoms, L: float) -> np.ndarray:
    index = {joint.name: i for i, joint in enumerate(joints)}
    rows = np.zeros((len(mech.couplings), len(freedoms.joint)))
    for row, coupling in zip(rows, mech.couplings, strict=True):
        for name, ratio in coupling.terms:
            rate = int(np.searchsorted(freedoms.joint, index[name]))
            row[rate] += ratio * (1.0 if freedoms.turns[rate, 0] else L)
        row /= max(float(np.linalg.norm(row)), 1e-300)
    return rows


def _driven(
    setup: Setup, joints: list[Joint], freedoms: Freedoms
) -> tuple[tuple[int, ...], tuple[tuple[int, int, int], ...]]:
    mech, index = setup.mech, {joint.name: i for i, joint in enumerate(joints)}
    owners = [(joint, part) for joint in mech.joints for part in range(kinds.nv(joint.kind))]
    pairs = [owners[x.speed] if x.speed is not None else (mech.loops[x.loop], x.part) for x in setup.drives]
    found = [(index[joint.name], joint, part) for joint, part in pairs if joint.name in index]
    found = [(i, joint, part) for i, joint, part in found if not isinstance(joint.kind, kinds.Modes)]
    rates = tuple(int(np.searchsorted(freedoms.joint, i)) + part for i, _, part in found)
    sliding = [(row, i, part) for row, (i, joint, part) in enumerate(found) if isinstance(joint.kind, kinds.Planar)]
    return rates, tuple((row, i, part) for row, i, part in sliding if part < 2)


def twists(made: Graph, poses: np.ndarray) -> Twists:
    """The equations at the poses of all bodies, (n_bodies, 12): origin and rows of the rotation."""
    f, L = made.freedoms, made.length
    base = np.array([[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]])
    world = np.concatenate([poses.reshape(-1, 12), base])
    R_b, r_b = world[:, 3:].reshape(-1, 3, 3), world[:, :3]
    R = R_b[made.ends] @ made.R
    r = r_b[made.ends] + (R_b[made.ends] @ made.r[..., None])[..., 0]
    frames = np.concatenate([R, _along_rods(made, r)[None]])
    origin = r_b[made.carrier[0]] + R_b[made.carrier[0]] @ made.carrier[1] if made.carrier else np.zeros(3)
    axis = (frames[f.side, f.joint] @ f.axis)[..., 0]
    point = r[0, f.joint] + f.share * (r[1, f.joint] - r[0, f.joint])
    linear = np.where(f.turns > 0.0, (_cross(axis, origin - point) + f.pitch * axis) / L, axis)
    S = np.concatenate([f.turns * axis, linear], axis=1).T
    G = (made.loops[:, f.joint][:, None, :] * S).reshape(-1, S.shape[1])
    X = made.path[f.joint] * S if made.carrier else np.zeros((6, S.shape[1]))
    Q = np.zeros((len(made.driven), S.shape[1]))
    Q[np.arange(len(made.driven)), list(made.driven)] = 1.0
    for row, joint, part in made.planar:
        turning = made.driven[row] + 2 - part
        Q[row, turning] = axis[made.driven[row]] @ np.cross(axis[turning], 0.5 * (r[1, joint] - r[0, joint])) / L
    return Twists(np.vstack([G, made.couplings]), _flow(made, 0.5 * (r[0] + r[1]) - origin), X, Q)


def _cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    (x, y, z), (u, v, w) = a.T, b.T
    return np.array([y * w - z * v, z * u - x * w, x * v - y * u]).T


def _along_rods(made: Graph, r: np.ndarray) -> np.ndarray:
    """Frames with z along each rod, (n, 3, 3)."""
    frames = np.tile(np.eye(3), (len(made.rods), 1, 1))
    for i in np.flatnonzero(made.rods):
        frames[i] = frame_with_z(r[1, i] - r[0, i])
    return frames


def _flow(made: Graph, arms: np.ndarray) -> np.ndarray:
    """Sum over the joints of the squared wrench at the joint's own point that loop wrenches send through it."""
    n = len(made.loops)
    shift = np.tile(np.eye(6), (len(arms), 1, 1))
    x, y, z = (arms / made.length).T
    shift[:, 0, 4], shift[:, 0, 5], shift[:, 1, 3], shift[:, 1, 5], shift[:, 2, 3], shift[:, 2, 4] = z, -y, -z, x, y, -x
    squares = (shift.transpose(0, 2, 1) @ shift).reshape(-1, 36)
    blocks = ((made.loops[:, None] * made.loops[None]) @ squares).reshape(n, n, 6, 6)
    total = np.eye(6 * n + len(made.couplings))
    total[: 6 * n, : 6 * n] = blocks.transpose(0, 2, 1, 3).reshape(6 * n, 6 * n)
    return total
