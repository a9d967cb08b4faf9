"""Neither the direction in which a joint is drawn nor the spanning tree changes what a user sees."""

from dataclasses import dataclass, replace

import numpy as np
import pytest

from linkwright import joints as kinds
from linkwright.functions.loop.multiplier_functions import loop_joint_wrenches
from linkwright.functions.setup import Setup, setup
from linkwright.functions.stepping.limit_functions import limit_distances, limits_of
from linkwright.functions.tree.tree_functions import body_poses
from linkwright.loops.closure import (
    DrivenVelocity,
    actuation_matrix,
    closure_bias,
    closure_of,
    gaps_of_closure,
    jacobian_of_closure,
    relative_poses,
)
from linkwright.loops.cut_joints import joint_value
from linkwright.mechanism.topology import as_drawn
from linkwright.mechanism.tree import coordinate_slices
from linkwright.recursion.energy import kinetic_energy, potential_energy
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_bias_forces
from linkwright.recursion.poses import frame_acceleration, twist_of_frame
from linkwright.recursion.twist_recursion import motion_of_tree
from tests.laws.drawings import BASE, MOVING, Drawing, random_drawing
from tests.sampling import sample
from tests.strategies import error

TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Written:
    """A drawing on one of its spanning trees, its loops written on either side, at the drawing's configuration."""

    drawing: Drawing
    setup: Setup
    q: np.ndarray

    @property
    def nv(self):
        return self.setup.tree.nv

    def joints(self, x):
        """Numbers along the velocities by joint."""
        return {name: x[dofs] for name, (_, dofs) in coordinate_slices(self.setup.mech.joints).items()}

    def gathered(self, numbers):
        """The reverse: a vector (nv,) from numbers by joint."""
        return np.concatenate([numbers[joint.name] for joint in self.setup.mech.joints])

    def J(self):
        return jacobian_of_closure(self.setup.closure, self.q)

    def B(self):
        return actuation_matrix(self.setup.closure, self.setup.drives, self.q)

    def bodies(self, f, *state):
        """A function of frames for every body's own frame, by body."""
        links = self.setup.simplified.links
        return {link.name: f(self.setup.simplified, self.q, *state, i, link.body) for i, link in enumerate(links)}

    def accelerations(self, v, tau):
        """Accelerations and multipliers of all rows by the dense bordered equations."""
        s, n = self.setup, self.nv
        still = motion_of_tree(s.simplified, self.q, v, np.zeros(n))
        J, c = self.J(), closure_bias(s.closure, self.q, v, still)
        K = np.block([[tree_mass_matrix(s.simplified, self.q), J.T], [J, np.zeros((len(J), len(J)))]])
        x = np.linalg.solve(K, np.concatenate([self.B() @ tau - tree_bias_forces(s.simplified, self.q, v), -c]))
        return x[:n], -x[n:], np.linalg.cond(K)

    def reactions(self, v, a, tau, lam):
        """Wrench of every joint by name."""
        tree, cut = loop_joint_wrenches(self.setup, self.q, v, a, tau, lam)
        names = [link.joint for link in self.setup.tree.links]
        return dict(zip(names, tree)) | {loop.name: cut[i] for i, loop in enumerate(self.setup.mech.loops)}


def written(drawing: Drawing, cut: tuple[str, ...], rng: np.random.Generator) -> Written:
    mech = drawing.mechanism(cut)
    made = setup(mech, tuple(a.name for a in drawing.actuators))
    flipped = tuple(bool(x) for x in rng.random(len(mech.loops)) < 0.5)
    made = replace(made, closure=closure_of(mech, made.simplified, flipped))
    return Written(drawing, made, np.concatenate([drawing.coordinates[j.name] for j in mech.joints]))


def independent_closure(w: Written) -> bool:
    """True if closure equations are independent, well conditioned and leave a freedom."""
    J = w.J()
    if len(J) >= w.nv:
        return False
    values = np.linalg.svd(J, compute_uv=False) if len(J) else np.ones(1)
    return bool(values[-1] > 0.02 * values[0])


def drawings(cycles: int, count: int, first: int):
    """Seeded drawings with well-conditioned loops, with the trees they are compared on."""
    found, seed = [], first
    while len(found) < count:
        seed += 1
        drawing = random_drawing(seed, int(1 + cycles + seed % 3), cycles)
        rng = np.random.default_rng(seed)
        trees = [written(drawing, cut, rng) for cut in drawing.cuts(rng, 4)]
        if len(trees) > 1 and drawing.actuators and all(map(independent_closure, trees)):
            found.append(trees)
    return found


def random_velocities(trees: list[Written], seed: int) -> list[np.ndarray]:
    """The same closed motion in every tree: velocities of each joint from the bodies' twists of the first."""
    first = trees[0]
    J = first.J()
    v = np.random.default_rng(seed).normal(size=first.nv)
    v = v - np.linalg.pinv(J) @ (J @ v) if len(J) else v
    twists = first.bodies(twist_of_frame, v) | {BASE: np.zeros(6)}
    drawn = {j.name: first.drawing.velocities(j, twists) for j in first.drawing.joints}
    for name, own in first.joints(v).items():
        assert error(own, drawn[name]) < TOLERANCE  # the first tree's velocities are those of the drawing
    return [w.gathered(drawn) for w in trees]


COUNT = len(sample(range(30), 10))
CASES = [(cycles, k) for cycles in (1, 2) for k in range(COUNT)]


@pytest.fixture(scope="module")
def graphs():
    return {cycles: drawings(cycles, COUNT, 1000 * cycles) for cycles in (1, 2)}


@pytest.mark.parametrize("cycles, k", CASES)
def test_poses_limits_and_closure_do_not_depend_on_the_tree(graphs, cycles, k):
    for w in graphs[cycles][k]:
        poses = body_poses(w.setup, w.q)
        for name, row in zip(w.setup.mech.names, poses, strict=True):
            place = w.drawing.poses[name]
            assert error(row[:3], place[:3, 3]) < 1e-11
            assert error(row[3:].reshape(3, 3), place[:3, :3]) < 1e-11
        assert error(gaps_of_closure(w.setup.closure, w.q), np.zeros(w.setup.closure.n_all)) < 1e-11
        distances = dict(zip(limits_of(w.setup.mech), limit_distances(w.setup, w.q), strict=True))
        for limit, distance in distances.items():
            if limit.part is not None:
                value = w.drawing.coordinates[limit.joint][limit.part]
                assert error(distance, limit.sign * (value - limit.bound)) < 1e-11


@pytest.mark.parametrize("cycles, k", CASES)
def test_motion_and_efforts_do_not_depend_on_the_tree(graphs, cycles, k):
    trees = graphs[cycles][k]
    tau = np.random.default_rng(k).normal(size=len(trees[0].setup.drives))
    expected = None
    for w, v in zip(trees, random_velocities(trees, k), strict=True):
        a, _, cond = w.accelerations(v, tau)
        powers = w.B().T @ v
        energy = np.array([kinetic_energy(w.setup.tree, w.q, v), potential_energy(w.setup.tree, w.q)])
        rates = w.bodies(frame_acceleration, v, a)
        if expected is None:
            expected = powers, energy, rates, a, w
            continue
        assert error(powers, expected[0]) < TOLERANCE  # velocity along every actuator, at tree and at cut joints
        assert error(energy, expected[1]) < TOLERANCE
        scale = max(np.abs(rate).max() for rate in expected[2].values()) * max(1.0, 1e-3 * cond)
        for name, rate in expected[2].items():
            assert error(rates[name], rate, scale) < TOLERANCE
        here, there = w.joints(a), expected[4].joints(expected[3])
        for name in here.keys() & there.keys():
            assert error(here[name], there[name], scale) < TOLERANCE


@pytest.mark.parametrize("cycles, k", CASES)
def test_reactions_do_not_depend_on_the_tree(graphs, cycles, k):
    trees = graphs[cycles][k]
    tau = np.random.default_rng(k).normal(size=len(trees[0].setup.drives))
    expected = None
    for w, v in zip(trees, random_velocities(trees, k), strict=True):
        a, lam, cond = w.accelerations(v, tau)
        found = w.reactions(v, a, tau, lam)
        assert found.keys() == {joint.name for joint in w.drawing.joints}
        expected = expected or found
        scale = max(np.abs(wrench).max() for wrench in expected.values()) * max(1.0, 1e-3 * cond)
        for name, wrench in expected.items():
            assert error(found[name], wrench, scale) < TOLERANCE


@pytest.mark.parametrize("cycles, k", CASES)
def test_reactions_balance_every_body_as_drawn(graphs, cycles, k):
    """Newton and Euler for each body, joint wrenches taken as the file draws parent and child."""
    w = graphs[cycles][k][-1]
    (v,) = random_velocities([w], k)
    tau = np.random.default_rng(k).normal(size=len(w.setup.drives))
    a, lam, cond = w.accelerations(v, tau)
    twists, rates = w.bodies(twist_of_frame, v), w.bodies(frame_acceleration, v, a)
    left = {name: np.zeros(6) for name in (*w.setup.mech.names, BASE)}
    poses, size = w.drawing.poses, 1.0
    for joint in map(as_drawn, (*w.setup.mech.joints, *w.setup.mech.loops)):
        wrench = w.reactions(v, a, tau, lam)[joint.name]
        R, r = poses[joint.child][:3, :3], poses[joint.child] @ [*joint.child_at.xyz, 1.0]
        force, moment = R @ wrench[3:], R @ wrench[:3]
        size = max(size, float(np.abs(wrench).max()))
        for body, sign in ((joint.child, 1.0), (joint.parent, -1.0)):
            left[body] += sign * np.concatenate([moment + np.cross(r[:3] - poses[body][:3, 3], force), force])
    for body in w.drawing.bodies:
        R, omega, alpha = poses[body.name][:3, :3], twists[body.name][:3], rates[body.name][:3]
        c = R @ body.inertia.com
        acc = rates[body.name][3:] + np.cross(alpha, c) + np.cross(omega, np.cross(omega, c))
        inertia = R @ np.array(body.inertia.tensor) @ R.T
        force = body.inertia.mass * (acc - np.array(w.drawing.gravity))
        moment = inertia @ alpha + np.cross(omega, inertia @ omega) + np.cross(c, force)
        assert error(left[body.name], np.concatenate([moment, force]), size * max(1.0, 1e-3 * cond)) < TOLERANCE


@pytest.mark.parametrize("flipped", [False, True])
@pytest.mark.parametrize("kind", MOVING)
def test_a_cut_joint_has_the_velocities_and_coordinates_of_the_drawing(kind, flipped):
    """Bodies that float and a cut joint between them, written on either side: B^T v are its velocities."""
    for seed in range(12):
        drawing = random_drawing(seed, 2, 1, (kinds.Floating, kinds.Floating, kind))
        w = written(drawing, ("j2",), np.random.default_rng(seed))
        (joint,) = w.setup.mech.loops
        drives = tuple(DrivenVelocity(None, 0, part) for part in range(joint.kind.nv))
        closure = closure_of(w.setup.mech, w.setup.simplified, (flipped,))
        w = replace(w, setup=replace(w.setup, closure=closure, drives=drives))
        (v,) = random_velocities([w], seed)
        twists = w.bodies(twist_of_frame, v) | {BASE: np.zeros(6)}
        assert error(w.B().T @ v, drawing.velocities(joint, twists)) < 1e-11
        found = joint_value(closure.loops[0], relative_poses(closure, w.q)[0])
        assert error(found, drawing.coordinates["j2"][: len(found)]) < 1e-11
        assert len(found) == (3 if kind is kinds.Floating else 0 if kind is kinds.Spherical else joint.kind.nq)
