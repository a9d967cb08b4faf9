"""Random joint graphs, drawn in any direction and closed by construction, and their spanning trees.

Poses and velocities come from the joints' definitions as homogeneous matrices and screws in the axes of the drawn
parent; nothing here uses the library's recursions.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.transforms import RigidTransform, frame_with_z
from linkwright.algebra.vectors import Vec
from linkwright.forces import Friction
from linkwright.mechanism import Actuator, Body, Frame, Joint, Limits, Mechanism
from linkwright.mechanism.topology import arrange_spanning_tree
from tests.recursion.test_joints import displacement, homogeneous, turned
from tests.strategies import _with_armature, _with_passive, random_inertia, random_kind, random_pose

MOVING = (
    kinds.Revolute,
    kinds.Prismatic,
    kinds.Screw,
    kinds.Cylindrical,
    kinds.Universal,
    kinds.Spherical,
    kinds.Planar,
    kinds.Floating,
)
BASE = "ground"


@dataclass(frozen=True, eq=False, repr=False)
class Drawing:
    """Bodies and joints as drawn, coordinates of every joint in a closed configuration, and where the bodies stand.

    Any joint may carry springs, friction, armature and rotors behind gears, whether a spanning tree cuts it or not.
    `cycles` is the number of independent loops.
    """

    seed: int
    bodies: tuple[Body, ...]
    joints: tuple[Joint, ...]
    actuators: tuple[Actuator, ...]
    coordinates: dict[str, Vec]
    poses: dict[str, np.ndarray]
    gravity: tuple[float, float, float]

    def __repr__(self) -> str:
        joints = ", ".join(f"{type(j.kind).__name__}({j.parent}, {j.child})" for j in self.joints)
        return f"Drawing({self.seed}: {joints})"

    @property
    def cycles(self) -> int:
        return len(self.joints) - len(self.bodies)

    def mechanism(self, cut: tuple[str, ...]) -> Mechanism:
        """The mechanism on the spanning tree that leaves out the joints in `cut`."""
        found = arrange_spanning_tree(self.joints, BASE, cut)
        assert {joint.name for joint in found.loops} == set(cut)
        home = tuple((name, tuple(map(float, x))) for name, x in self.coordinates.items() if len(x))
        frames = tuple(
            Frame(f"tool{i}", body.name, RigidTransform.of((0.1, -0.2, 0.3))) for i, body in enumerate(self.bodies)
        )
        return Mechanism(
            f"drawing {self.seed}",
            self.bodies,
            found.joints,
            found.loops,
            actuators=self.actuators,
            frames=frames,
            base=BASE,
            gravity=self.gravity,
            home=home,
        )

    def cuts(self, rng: np.random.Generator, most: int) -> Iterator[tuple[str, ...]]:
        """Different sets of joints that leave a spanning tree."""
        seen = set()
        for _ in range(4 * most):
            order = [self.joints[i] for i in rng.permutation(len(self.joints))]
            cut = tuple(sorted(j.name for j in _left_over(order)))
            if cut not in seen and len(seen) < most:
                seen.add(cut)
                yield cut

    def velocities(self, joint: Joint, twists: dict[str, Vec]) -> Vec:
        """Velocities of a joint from the world twists [angular; linear at the body's origin] of all bodies."""
        near, far = (_framed(self.poses, twists, *side) for side in _sides(joint))
        R = near[0][:3, :3]
        d = far[0][:3, 3] - near[0][:3, 3]
        omega = far[1][:3] - near[1][:3]
        vel = far[1][3:] - near[1][3:] - np.cross(near[1][:3], d)
        relative = np.concatenate([R.T @ omega, R.T @ vel])
        columns = screws(joint.kind, self.coordinates[joint.name])
        found, _, _, _ = np.linalg.lstsq(columns, relative, rcond=None)
        assert np.abs(columns @ found - relative).max(initial=0.0) < 1e-9 * max(1.0, np.abs(relative).max())
        return found


def _sides(joint: Joint) -> tuple[tuple[str, RigidTransform], tuple[str, RigidTransform]]:
    return (joint.parent, joint.at), (joint.child, joint.child_at)


def _framed(
    poses: dict[str, np.ndarray], twists: dict[str, Vec], body: str, at: RigidTransform
) -> tuple[np.ndarray, Vec]:
    """Pose and world twist of a frame fixed in a body."""
    place = poses[body] @ homogeneous(at.R, at.r)
    omega, vel = twists[body][:3], twists[body][3:]
    return place, np.concatenate([omega, vel + np.cross(omega, place[:3, 3] - poses[body][:3, 3])])


def screws(kind: kinds.JointKind, q: Vec) -> np.ndarray:
    """Relative twist of the drawn child's joint frame per velocity, parent axes, (6, nv)."""
    still = np.zeros(3)
    R, _ = displacement(kind, q)
    match kind:
        case kinds.Revolute(axis):
            pairs = [(axis, still)]
        case kinds.Prismatic(axis):
            pairs = [(still, axis)]
        case kinds.Screw(axis, pitch):
            pairs = [(axis, pitch * np.array(axis))]
        case kinds.Cylindrical(axis):
            pairs = [(axis, still), (still, axis)]
        case kinds.Universal(first, second):
            pairs = [(first, still), (turned(first, q[0]) @ second, still)]
        case kinds.Spherical():
            pairs = [(R[:, i], still) for i in range(3)]
        case kinds.Planar(normal):
            pairs = [(still, frame_with_z(normal)[:, i]) for i in range(2)] + [(normal, still)]
        case kinds.Floating():
            pairs = [(R[:, i], still) for i in range(3)] + [(still, R[:, i]) for i in range(3)]
        case _:
            pairs = []
    return np.array([np.concatenate(pair) for pair in pairs]).reshape(-1, 6).T


def _left_over(order: list[Joint]) -> list[Joint]:
    """The joints that close a loop when joints are added in the given order."""
    group: dict[str, str] = {}

    def root(name: str) -> str:
        return name if group.setdefault(name, name) == name else root(group[name])

    out = []
    for joint in order:
        a, b = root(joint.parent), root(joint.child)
        if a == b:
            out.append(joint)
        group[a] = b
    return out


def random_coordinates(rng: np.random.Generator, kind: kinds.JointKind) -> Vec:
    """Coordinates of a joint, angles within one radian and a half of zero."""
    q = rng.uniform(-1.4, 1.4, kind.nq)
    for i, part in enumerate(kind.q_parts):
        if part == "qw":
            q[i:] = rng.normal(size=4)
            q[i:] /= np.linalg.norm(q[i:])
    return q


def random_drawing(seed: int, n_bodies: int, cycles: int, chosen: tuple[type, ...] = ()) -> Drawing:
    """Bodies joined at random, each joint drawn in a random direction; joints that close loops are placed to fit.

    Kinds of joints are those chosen, one for each joint and those that close loops last, or any.
    """
    rng = np.random.default_rng(seed)
    names = [f"body{i}" for i in range(n_bodies)]
    poses = {BASE: np.eye(4)}
    joints, coordinates = [], {}
    pairs = [(BASE if i == 0 else str(rng.choice([BASE, *names[:i]])), name) for i, name in enumerate(names)]
    while len(pairs) < n_bodies + cycles:
        a, b = rng.choice([BASE, *names], size=2, replace=False)
        if {a, b} not in [set(pair) for pair in pairs[n_bodies:]]:
            pairs.append((str(a), str(b)))
    for i, pair in enumerate(pairs):
        kind = chosen[i] if chosen else MOVING[rng.integers(len(MOVING))]
        joint = _joint(rng, f"j{i}", pair if rng.random() < 0.5 else pair[::-1], kind)
        q = random_coordinates(rng, joint.kind)
        moved = homogeneous(*displacement(joint.kind, q))
        at, child_at = (homogeneous(pose.R, pose.r) for pose in (joint.at, joint.child_at))
        if i >= n_bodies:
            fitted = np.linalg.inv(poses[joint.child]) @ poses[joint.parent] @ at @ moved
            joint = replace(joint, child_at=RigidTransform.of(fitted[:3, 3], _orthonormal(fitted[:3, :3])))
        elif joint.child == pair[1]:
            poses[joint.child] = poses[joint.parent] @ at @ moved @ np.linalg.inv(child_at)
        else:
            poses[joint.parent] = poses[joint.child] @ child_at @ np.linalg.inv(moved) @ np.linalg.inv(at)
        joints.append(_limited(rng, joint))
        coordinates[joint.name] = q
    joints = [_with_armature(rng, _with_passive(rng, j)) for j in joints]
    order = rng.permutation(len(joints))
    actuators = [a for j in joints for a in _actuators(rng, j)]
    bodies = tuple(Body(name, random_inertia(rng)) for name in rng.permutation(names).tolist())
    drawn = tuple(joints[i] for i in order)
    gravity = tuple(float(x) for x in 5.0 * rng.normal(size=3))
    return Drawing(seed, bodies, drawn, tuple(actuators), coordinates, poses, gravity)


def _joint(rng: np.random.Generator, name: str, pair: tuple[str, str], kind: type) -> Joint:
    simple = bool(rng.random() < 0.3)
    return Joint(
        name, *pair, random_kind(rng, kind, simple), at=random_pose(rng, simple), child_at=random_pose(rng, simple)
    )


def _limited(rng: np.random.Generator, joint: Joint) -> Joint:
    """Limits that the configuration may exceed."""
    turning = np.array([part in ("qw", "qx", "qy", "qz") for part in joint.kind.q_parts], dtype=bool)
    lower, upper = np.sort(rng.uniform(-1.4, 1.4, (2, len(turning))), axis=0)
    lower[turning], upper[turning] = -np.inf, np.inf
    cone = float(rng.uniform(0.1, 3.0)) if isinstance(joint.kind, kinds.Spherical | kinds.Universal) else None
    return replace(joint, limits=Limits(tuple(lower.tolist()), tuple(upper.tolist()), cone=cone))


def _actuators(rng: np.random.Generator, joint: Joint) -> list[Actuator]:
    """An actuator at some of the joint's velocities, half of them with a rotor, some with friction of their own."""
    out = []
    for d in range(joint.kind.nv):
        if rng.random() < 0.6:
            gear, inertia = float(rng.uniform(1, 3)), float(rng.choice([0.0, 0.2]))
            friction = Friction((0.4,), (0.3,), slip=0.5) if rng.random() < 0.3 else None
            out.append(Actuator(f"{joint.name}-{d}", joint.name, d, gear, inertia, friction))
    return out


def _orthonormal(R: np.ndarray) -> np.ndarray:
    U, _, V_T = np.linalg.svd(R)
    return U @ V_T
