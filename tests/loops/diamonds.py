"""Random closed mechanisms that can be cut in two places without turning a joint round, with all that resists motion.

Two arms hang on the ground and both carry the third body: cut either of the two upper joints and the other one is in
the tree. The joints' kinds are given, frames, axes, masses and everything passive are random.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.linalg import qr

from linkwright import joints as kinds
from linkwright.algebra.transforms import RigidTransform
from linkwright.forces import Friction, Spring
from linkwright.functions import Setup, setup
from linkwright.functions.function_registry import all_definitions
from linkwright.mechanism import Actuator, Body, Joint, Mechanism
from tests import strategies

BODIES = ("left", "right", "top")


@dataclass(frozen=True, eq=False)
class Drawing:
    """The mechanism cut at one joint, and a state of it."""

    made: Setup
    q: np.ndarray
    v: np.ndarray
    a: np.ndarray

    def ask(self, name: str, *arguments: np.ndarray, **fixed: str):
        """A program evaluated on plain numbers, nothing compiled."""
        return all_definitions()[name](self.made, *arguments, **fixed)

    @property
    def J_c(self) -> np.ndarray:
        return self.ask("closure_jacobian", self.q)

    @property
    def allowed(self) -> np.ndarray:
        """Orthonormal columns of the speeds that the loop allows."""
        J_c = self.J_c
        return np.linalg.svd(J_c)[2][len(J_c) :].T if len(J_c) else np.eye(self.made.tree.nv)

    def twists(self, v: np.ndarray) -> np.ndarray:
        return np.concatenate([self.ask("frame_twist", self.q, v, frame=name) for name in BODIES])

    def twist_rates(self, a: np.ndarray) -> np.ndarray:
        return np.concatenate([self.ask("frame_acceleration", self.q, self.v, a, frame=name) for name in BODIES])

    def efforts_and_multipliers(self) -> tuple[np.ndarray, np.ndarray]:
        X = np.hstack([self.ask("effort_matrix", self.q), self.J_c.T])
        force = self.ask("generalized_forces", self.q, self.v, self.a)
        x = np.linalg.lstsq(X, force, rcond=1e-12)[0]
        assert np.abs(X @ x - force).max() < 1e-9 * max(1.0, np.abs(force).max())
        return x[: len(self.made.drives)], x[len(self.made.drives) :]

    def accelerations(self, tau: np.ndarray) -> np.ndarray:
        K, b = self.ask("kkt_matrix", self.q), self.ask("kkt_right_side", self.q, self.v, tau)
        return np.linalg.lstsq(K, b, rcond=1e-13)[0][: self.made.tree.nv]

    def reactions(self, tau: np.ndarray, lam: np.ndarray) -> dict[str, np.ndarray]:
        tree, cut = self.ask("loop_joint_wrenches", self.q, self.v, self.a, tau, lam)
        out = {link.joint: w for link, w in zip(self.made.tree.links, tree)}
        return out | {loop.name: w for loop, w in zip(self.made.mech.loops, cut)}


def diamond(rng: np.random.Generator, lower: tuple[type, type], upper: tuple[type, type]) -> tuple[Drawing, Drawing]:
    """The same mechanism and motion, with the second and with the first of the upper joints cut."""
    joints = [
        _resisting(rng, _joint(rng, "base-left", "ground", "left", lower[0])),
        _resisting(rng, _joint(rng, "base-right", "ground", "right", lower[1])),
        _resisting(rng, _joint(rng, "left-top", "left", "top", upper[0])),
        _resisting(rng, _joint(rng, "right-top", "right", "top", upper[1])),
    ]
    values = {joint.name: _coordinates(rng, joint.kind) for joint in joints}
    joints[3] = _closing(joints[:3], values, joints[3])
    bodies = tuple(Body(name, strategies.random_inertia(rng)) for name in BODIES)
    actuators = tuple(actuator for joint in joints for actuator in _actuators(rng, joint))
    plain = Mechanism(
        "diamond", bodies, tuple(joints[:3]), (joints[3],), actuators=actuators, gravity=(1.0, -2.0, -9.0)
    )
    mech = replace(plain, forces=strategies.random_struts(rng, plain))
    other = replace(mech, joints=(joints[0], joints[1], joints[3]), loops=(joints[2],))
    driven = _driven(Drawing(setup(mech, None), _state(mech, values), *2 * (np.zeros(0),)))
    first = _moving(rng, Drawing(setup(mech, driven), _state(mech, values), *2 * (np.zeros(0),)))
    return first, _same_motion(first, Drawing(setup(other, driven), _state(other, values), *2 * (np.zeros(0),)))


def _joint(rng: np.random.Generator, name: str, parent: str, child: str, kind: type) -> Joint:
    at, child_at = (strategies.random_pose(rng) for _ in range(2))
    return Joint(name, parent, child, strategies.random_kind(rng, kind), at, child_at)


def _resisting(rng: np.random.Generator, joint: Joint) -> Joint:
    """The joint with everything that its kind can carry."""
    nq, nv = joint.kind.nq, joint.kind.nv
    friction = Friction(tuple(rng.uniform(0.1, 1, nv)), tuple(rng.uniform(0.1, 1, nv)), slip=0.5)
    spring = Spring(tuple(rng.uniform(1, 5, nv)), tuple(rng.uniform(-1.5, 1.5, nq))) if nq == nv else None
    return replace(joint, friction=friction, spring=spring, armature=tuple(rng.uniform(0, 0.3, nv)))


def _actuators(rng: np.random.Generator, joint: Joint) -> list[Actuator]:
    """Geared actuators with rotors and friction of their own at every speed; most of them are not driven."""
    friction = Friction((0.3,), (0.2,), slip=0.5)
    gears = rng.uniform(1, 3, joint.kind.nv)
    return [Actuator(f"{joint.name}-{d}", joint.name, d, float(g), 0.1, friction) for d, g in enumerate(gears)]


def _coordinates(rng: np.random.Generator, kind: kinds.JointKind) -> np.ndarray:
    q = rng.uniform(-1.0, 1.0, kind.nq)
    if isinstance(kind, kinds.Spherical | kinds.Floating):
        q[-4:] /= np.linalg.norm(q[-4:])
    return q


def _closing(tree: list[Joint], values: dict[str, np.ndarray], last: Joint) -> Joint:
    """The last joint with its parent's frame placed so that it closes the loop at its own coordinates."""
    probe = replace(last, name="probe", at=RigidTransform(), child_at=RigidTransform(), parent="right", child="end")
    open_tree = Mechanism("open", tuple(Body(name) for name in (*BODIES, "end")), (*tree, probe))
    q = np.concatenate([values[joint.name] for joint in (*tree, last)])
    drawn = Drawing(setup(open_tree, ()), q, q, q)
    right, top, end = (RigidTransform.of(*drawn.ask("frame_pose", q, frame=name)) for name in ("right", "top", "end"))
    moved = right.inverse @ end  # what the joint's coordinates do between its two frames
    return replace(last, at=right.inverse @ top @ last.child_at @ moved.inverse)


def _state(mech: Mechanism, values: dict[str, np.ndarray]) -> np.ndarray:
    return np.concatenate([values[joint.name] for joint in mech.joints])


def _driven(drawn: Drawing) -> tuple[str, ...]:
    """Names of actuators that together drive every motion, the one at the cut joint if it can be among them."""
    G = drawn.allowed.T @ drawn.ask("effort_matrix", drawn.q)
    weight = np.array([1e3 if name.startswith("right-top-0") else 1.0 for name in drawn.made.actuated])
    chosen = qr(G * weight, pivoting=True)[2][: len(G)]
    return tuple(drawn.made.actuated[i] for i in chosen)


def _moving(rng: np.random.Generator, still: Drawing) -> Drawing:
    """The drawing with random speeds and accelerations that keep the loop closed."""
    allowed, n = still.allowed, still.made.tree.nv
    v = allowed @ rng.normal(size=allowed.shape[1])
    c = still.ask("closure_bias", still.q, v)
    a = allowed @ rng.normal(size=allowed.shape[1]) - np.linalg.pinv(still.J_c) @ c if len(c) else rng.normal(size=n)
    return replace(still, v=v, a=a)


def _same_motion(one: Drawing, other: Drawing) -> Drawing:
    """The other drawing with the speeds and accelerations that move the bodies as the first one does."""
    n = other.made.tree.nv
    X = np.array([other.twists(e) for e in np.eye(n)]).T
    v = np.linalg.lstsq(X, one.twists(one.v), rcond=None)[0]
    moving = replace(other, v=v)
    rest = one.twist_rates(one.a) - moving.twist_rates(np.zeros(n))
    return replace(moving, a=np.linalg.lstsq(X, rest, rcond=None)[0])
