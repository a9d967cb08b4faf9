"""Freedoms nobody drives: idle spins and floating bases carry no effort and follow from the dynamics."""

import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.analysis.check.check import check
from linkwright.dynamics.independent_velocities import complete_independent_motion
from linkwright.errors import ArgumentError, MotionWarning, SingularityError
from linkwright.forces import Friction
from linkwright.joints import Floating, Prismatic, Revolute, Spherical, Universal
from linkwright.mechanism import Actuator, Body, Frame, Inertia, Joint, Mechanism

pytestmark = pytest.mark.filterwarnings("ignore::linkwright.errors.MotionWarning")


def turned(z: np.ndarray) -> np.ndarray:
    """A rotation whose third axis is z."""
    z = z / np.linalg.norm(z)
    x = np.cross([0.3, 0.9, -0.2], z)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(z, x), z])


def at(p, R=None) -> RigidTransform:
    xyz = tuple(float(x) for x in p)
    return RigidTransform(xyz) if R is None else RigidTransform(xyz, tuple(tuple(float(x) for x in row) for row in R))


def inertia(rng, com, spread=0.02, axial=None) -> Inertia:
    """A body's inertia; with `axial` that of a body round about z."""
    size = spread * (1.0 + rng.random(3))
    if axial is not None:
        size = np.array([spread, spread, axial])
    return Inertia.diagonal(0.5 + float(rng.random()), tuple(map(float, com)), tuple(map(float, size)))


def legs_and_platform(seed: int, lower, n: int = 6, axial: float = 1e-3) -> Mechanism:
    """A platform on n legs with a joint at the ground, a slide and a ball; straight legs with random feet."""
    rng = np.random.default_rng(seed)
    angle = np.linspace(0.0, 2.0 * np.pi, n, endpoint=False) + rng.uniform(-0.2, 0.2, n)
    feet = np.column_stack([np.cos(angle), np.sin(angle), 0.1 * rng.random(n)])
    angle = angle + np.where(np.arange(n) % 2, 0.5, -0.5) * rng.uniform(0.6, 1.0, n)
    heads = np.column_stack([0.5 * np.cos(angle), 0.5 * np.sin(angle), 0.05 * rng.random(n)])
    bodies = [Body("platform", inertia(rng, rng.normal(size=3) * 0.05, 0.3))]
    joints, loops, home = [Joint("pose", "ground", "platform", Floating())], [], []
    height = np.array([0.05, -0.04, 1.0])
    home.append(("pose", (*height.tolist(), 1.0, 0.0, 0.0, 0.0)))
    for i in range(n):
        along = height + heads[i] - feet[i]
        R = turned(along)
        bodies += [
            Body(f"tube{i}", inertia(rng, (0, 0, 0.3), 0.03, axial)),
            Body(f"rod{i}", inertia(rng, (0, 0, -0.2), 0.02, axial)),
        ]
        joints += [
            Joint(f"foot{i}", "ground", f"tube{i}", lower, at(feet[i], R)),
            Joint(f"slide{i}", f"tube{i}", f"rod{i}", Prismatic()),
        ]
        loops.append(Joint(f"head{i}", f"rod{i}", "platform", Spherical(), at((0, 0, 0), R.T), at(heads[i])))
        home.append((f"slide{i}", (float(np.linalg.norm(along)),)))
    actuators = tuple(Actuator(f"slide{i}", f"slide{i}") for i in range(n))
    return Mechanism(
        f"legs{seed}",
        tuple(bodies),
        tuple(joints),
        tuple(loops),
        actuators=actuators,
        base="ground",
        home=tuple(home),
        frames=(Frame("center", "platform", RigidTransform()),),
        platform="center",
    )


def rssr(seed: int, axial: float = 2e-3) -> Mechanism:
    """A crank and a rocker about skew axes, with a rod between spherical joints."""
    rng = np.random.default_rng(seed)
    axes = [turned(rng.normal(size=3) + [0.0, 0.0, 2.0]), turned(rng.normal(size=3) + [2.0, 0.0, 0.0])]
    pivots = [np.zeros(3), np.array([1.0, 0.2, 0.1]) + 0.1 * rng.normal(size=3)]
    arms = [np.array([0.2, 0.1, 0.05]), np.array([0.5, -0.2, 0.1])]
    ends = [p + R @ a for p, R, a in zip(pivots, axes, arms)]
    along = ends[1] - ends[0]
    R, length = turned(along), float(np.linalg.norm(along))
    bodies = (
        Body("crank", inertia(rng, (0.1, 0, 0))),
        Body("rocker", inertia(rng, (0.2, 0, 0))),
        Body("rod", inertia(rng, (0, 0, 0.5 * length), 0.05, axial)),
    )
    joints = (
        Joint("A", "ground", "crank", Revolute(), at(pivots[0], axes[0])),
        Joint("D", "ground", "rocker", Revolute(), at(pivots[1], axes[1])),
        Joint("B", "crank", "rod", Spherical(), at(arms[0], axes[0].T @ R)),
    )
    loops = (Joint("C", "rod", "rocker", Spherical(), at((0, 0, length)), at(arms[1])),)
    return Mechanism(f"rssr{seed}", bodies, joints, loops, actuators=(Actuator("A", "A"),), base="ground")


def walker(seed: int, loop: bool = False) -> Mechanism:
    """A floating trunk with two jointed legs; with a loop one of them is a four-bar."""
    rng = np.random.default_rng(seed)
    bodies = [Body("trunk", inertia(rng, 0.1 * rng.normal(size=3), 0.5))]
    joints = [Joint("base", "ground", "trunk", Floating())]
    for side in "lr":
        for k, parent in enumerate(["trunk", f"{side}0"]):
            bodies.append(Body(f"{side}{k}", inertia(rng, (0.2, 0, 0))))
            x = 0.3 if side == "l" else -0.3
            joints.append(
                Joint(f"{side}{k}", parent, f"{side}{k}", Revolute(), at((x, 0.1, 0) if k == 0 else (0.4, 0, 0)))
            )
    actuators = [Actuator(j.name, j.name) for j in joints[1:]]
    loops, home = (), [("base", (0.0, 0.0, 1.0, 1.0, 0.0, 0.0, 0.0))]
    if loop:
        bodies.append(Body("bar", inertia(rng, (0.1, 0, 0))))
        joints.append(Joint("bar", "trunk", "bar", Revolute(), at((0.3, 0.5, 0))))
        loops = (Joint("close", "l1", "bar", Revolute(), at((0.5, 0.05, 0)), at((0.45, 0.1, 0))),)
        actuators = [a for a in actuators if a.name != "l1"]
        home += [("l0", (0.4,)), ("l1", (0.9,)), ("bar", (0.3,))]
    return Mechanism(
        f"walker{seed}{loop}",
        tuple(bodies),
        tuple(joints),
        loops,
        actuators=tuple(actuators),
        base="ground",
        home=tuple(home),
    )


MADE = {
    "sps": lambda seed: legs_and_platform(seed, Spherical()),
    "rssr": rssr,
    "walker": walker,
    "walker with a loop": lambda seed: walker(seed, loop=True),
}
COUNT = {"sps": 6, "rssr": 1, "walker": 6, "walker with a loop": 6}
CASES = [(name, seed) for name in MADE for seed in range(1 if name == "sps" else 2)]


@cache
def made(name: str, seed: int):
    return lw.build(MADE[name](seed))


def state(model, seed: int = 0, n: int = 3):
    """Closed states and accelerations that keep the loops closed, everything free to move, (n, ...)."""
    rng = np.random.default_rng(seed)
    q = np.repeat(model.assemble().q[None, :], n, axis=0)
    if model.mechanism.loops:
        v_ind, a_ind = rng.normal(size=(2, n, model.mobility))
        return q, *complete_independent_motion(model.kinematics, q, v_ind, a_ind)
    q = q + np.where(
        [name.endswith(("qw", "qx", "qy", "qz")) for name in model.q_names], 0.0, 0.3 * rng.normal(size=q.shape)
    )
    return q, rng.normal(size=(n, model.nv)), rng.normal(size=(n, model.nv))


def dense(model, q, v, a, w=None):
    """Efforts and accelerations from M a + h = B tau + J^T lam, J a = J a_given, B^T a = B^T a_given, one state."""
    M, h = model.mass_matrix(q), model.generalized_forces(q, v, np.zeros(model.nv), w)
    J = model.closure_jacobian(q)
    B = np.zeros((model.nv, model.na))
    for k, name in enumerate(model.actuated):
        B[model.v_names.index(name), k] = 1.0
    C = np.vstack([J, B.T])
    K = np.block([[M, -C.T], [C, np.zeros((len(C), len(C)))]])
    x = np.linalg.lstsq(K, np.concatenate([-h, C @ a]), rcond=1e-12)[0]  # closure rows may repeat each other
    return x[len(x) - model.na :], x[: model.nv]


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_efforts_and_accelerations_are_those_of_the_bordered_equations(name, seed):
    model = made(name, seed)
    q, v, a = state(model)
    w = {model.bodies[0]: np.array([0.4, -1.0, 0.3, 2.0, 1.0, -3.0])}
    for outer in (None, w):
        tau = model.inverse_dynamics(q, v, a, w_ext=outer)
        for k in range(len(q)):
            right, _ = dense(model, q[k], v[k], a[k], outer)
            assert np.abs(tau[k] - right).max() < 1e-9 * np.abs(right).max()
            assert (
                np.abs(model.inverse_dynamics(q[k], v[k], a[k], w_ext=outer) - tau[k]).max()
                <= 1e-12 * np.abs(right).max()
            )


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_forward_dynamics_gives_the_completed_accelerations(name, seed):
    model = made(name, seed)
    q, v, a = state(model)
    tau = model.inverse_dynamics(q, v, a)
    done = model.forward_dynamics(q, v, tau)
    right = np.array([dense(model, *x)[1] for x in zip(q, v, a)])
    assert np.abs(done - right).max() < 1e-9 * np.abs(right).max()
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotionWarning)
        assert np.abs(model.inverse_dynamics(q, v, done) - tau).max() < 1e-9 * np.abs(tau).max()
    with pytest.warns(MotionWarning, match=rf"has {COUNT[name]} degrees? of freedom that no actuator drives"):
        model.inverse_dynamics(q, v, a)


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_efforts_do_not_depend_on_what_is_said_of_undriven_freedoms(name, seed):
    model = made(name, seed)
    q, v, a = state(model)
    tau = model.inverse_dynamics(q, v, a)
    for k in range(len(q)):
        B = np.array([[float(n == name) for n in model.v_names] for name in model.actuated])
        C = np.vstack([model.closure_jacobian(q[k]), B])
        free = np.eye(model.nv) - np.linalg.pinv(C, rcond=1e-10) @ C
        spin = free @ np.random.default_rng(k).normal(size=model.nv)
        assert np.abs(spin).max() > 1e-3
        assert (
            np.abs(model.inverse_dynamics(q[k], v[k], a[k] + 10.0 * spin) - tau[k]).max() < 1e-9 * np.abs(tau[k]).max()
        )


@pytest.mark.parametrize(("name", "seed"), CASES)
def test_a_second_method_agrees(name, seed):
    model = made(name, seed)
    q, v, a = state(model)
    tau = model.inverse_dynamics(q, v, a)
    assert np.abs(model.inverse_dynamics(q, v, a, formulation=lw.Minimal()) - tau).max() < 1e-9 * np.abs(tau).max()


@pytest.mark.parametrize("name", ["sps", "walker with a loop"])
def test_reactions_are_those_of_the_completed_motion(name):
    model = made(name, 0)
    q, v, a = state(model)
    tau = model.inverse_dynamics(q, v, a)
    found, right = model.joint_reactions(q, v, a), model.joint_reactions(q, v, model.forward_dynamics(q, v, tau), tau)
    size = max(np.abs(x).max() for x in right.values())
    assert all(np.abs(found[joint] - right[joint]).max() < 1e-8 * size for joint in right)
    if "base" in found:
        assert np.abs(found["base"]).max() < 1e-9 * size


def test_a_leg_that_may_spin_needs_the_efforts_of_one_that_may_not():
    """Thin legs: universal joints at the ground only take the spin away."""
    spinning = lw.build(legs_and_platform(3, Spherical(), axial=0.0))
    held = lw.build(legs_and_platform(3, Universal(), axial=0.0))
    pose = (
        np.array([0.08, -0.02, 1.05]),
        np.array([0.99, 0.05, -0.04, 0.1]) / np.linalg.norm([0.99, 0.05, -0.04, 0.1]),
    )
    twist, rate = np.random.default_rng(5).normal(size=(2, 6))
    one, other = (model.inverse_dynamics(*model.inverse_kinematics(pose, twist, rate)) for model in (spinning, held))
    assert np.abs(one - other).max() < 1e-9 * np.abs(other).max()


def test_friction_on_a_spin_without_inertia_is_refused():
    mech = rssr(1, axial=0.0)
    joints = tuple(replace(j, friction=Friction(viscous=(0.1, 0.1, 0.1))) if j.name == "B" else j for j in mech.joints)
    model = lw.build(replace(mech, joints=joints))
    q, v, a = state(model, n=2)
    with pytest.raises(SingularityError, match="a motion without mass that a force acts on"):
        model.inverse_dynamics(q[0], v[0], a[0])
    assert np.isnan(model.inverse_dynamics(q, v, a)).all()


def test_too_few_actuators_are_refused_unless_requested():
    model = lw.build(walker(0), actuated=["l0", "r0", "r1"])
    q, v, a = state(model)
    with pytest.raises(ArgumentError, match=r'no actuator drives .*undriven="free"'):
        model.inverse_dynamics(q, v, a)
    tau = model.inverse_dynamics(q, v, a, undriven="free")
    right = np.array([dense(model, *x)[0] for x in zip(q, v, a)])
    assert np.abs(tau - right).max() < 1e-9 * np.abs(right).max()
    with pytest.raises(ArgumentError, match="undriven is 'yes'"):
        model.inverse_dynamics(q, v, a, undriven="yes")


def test_a_closed_mechanism_with_too_few_actuators():
    mech = lw.catalog.load("five-bar")
    model = lw.build(mech, actuated=[mech.actuators[0].joint])
    q, v, a = state(model)
    with pytest.raises(ArgumentError, match='undriven="free"'):
        model.inverse_dynamics(q, v, a)
    tau = model.inverse_dynamics(q, v, a, undriven="free")
    right = np.array([dense(model, *x)[0] for x in zip(q, v, a)])
    assert np.abs(tau - right).max() < 1e-9 * np.abs(right).max()


def test_redundant_actuators_share_beside_idle_freedoms():
    mech = rssr(0)
    model = lw.build(mech, actuated=["A", "D"])
    q, v, a = state(model)
    tau = model.inverse_dynamics(q, v, a)
    one = lw.build(mech).inverse_dynamics(q, v, a)
    R = model.independent_map(q)
    rates = np.stack([R[:, model.v_names.index(n)] for n in model.actuated], axis=1)
    power = (np.swapaxes(rates, 1, 2) @ tau[:, :, None])[:, :, 0]
    alone = rates[:, 0] * one
    assert np.abs(power - alone).max() < 1e-9 * np.abs(alone).max()
    null = np.stack([-rates[:, 1, :], rates[:, 0, :]], axis=1)
    assert np.abs(np.einsum("ka,kai->ki", tau, null)).max() < 1e-9 * np.abs(tau).max()


@pytest.mark.parametrize("name", list(MADE))
def test_the_program_is_what_is_computed(name):
    from linkwright.compiler import evaluate

    model = made(name, 0)
    q, v, a = state(model)
    tau = model.inverse_dynamics(q, v, a)
    assert np.abs(evaluate(model.program("inverse_dynamics"), q, v, a) - tau).max() < 1e-12 * np.abs(tau).max()


def test_a_floating_robot_lacks_no_actuators():
    for mech, verdict in ((walker(0), "exact"), (walker(0, loop=True), "exact")):
        found = check(mech)
        assert found.actuation.verdict == verdict
        assert found.actuation.needed == len(mech.actuators)
        assert found.exit_code == 0, found.findings
        assert any("6 freedoms of a floating base" in finding.message for finding in found.findings)
    few = replace(walker(0), actuators=walker(0).actuators[:3])
    assert check(few).actuation.verdict == "insufficient"


def test_a_driven_base_is_driven():
    """Without named actuators every joint of a tree is driven, the floating one too."""
    model = lw.build(replace(walker(0), actuators=()))
    q, v, a = state(model)
    with warnings.catch_warnings():
        warnings.simplefilter("error", MotionWarning)
        assert np.array_equal(model.inverse_dynamics(q, v, a), model.generalized_forces(q, v, a))


def test_a_free_body_falls():
    model = lw.build(replace(walker(0), actuators=()), actuated=[])
    q, v, a = state(model, n=2)
    with pytest.raises(ArgumentError, match="no actuator drives"):
        model.inverse_dynamics(q, v, a)
    assert model.inverse_dynamics(q, v, a, undriven="free").shape == (2, 0)
