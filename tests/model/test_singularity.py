"""Distances to singularities: closed formulas, symmetric legs, isotropic poses, any spanning tree, any direction."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.compiler.runtime.code import LANES_FROM
from linkwright.errors import BatchWarning
from linkwright.functions import setup
from linkwright.functions.loop import twist_functions
from linkwright.joints import Cylindrical, Fixed, Planar, Prismatic, Revolute, Screw, Spherical, Universal
from linkwright.kinematics.measures.measure_batches import measure_states
from linkwright.kinematics.singularity import Singularity, dense_singularity, generic_ranks
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Actuator, Body, Frame, Joint
from linkwright.mechanism.topology import arrange_spanning_tree
from tests.loops.mechanisms import Mechanics
from tests.loops.random_mechanisms import interpreted
from tests.loops.spanning_trees import cuts
from tests.loops.worlds import bodies
from tests.model.models import model
from tests.strategies import random_kind, random_pose

KINDS = (Cylindrical, Planar, Prismatic, Revolute, Revolute, Screw, Spherical, Universal)


def numbers(found: Singularity) -> np.ndarray:
    return np.array([found.type1, found.type2, found.constraint, 1.0 / found.condition, found.manipulability])


def at_home(mech: Mechanism) -> np.ndarray:
    made = Mechanics(setup(mech, None))
    with interpreted():
        return numbers(dense_singularity(made.kinematics, made.home))


# --- any spanning tree, any direction ---------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["five-bar", "3-rrr", "agile-eye", "delta", "3-prs"])
def test_distances_do_not_depend_on_which_joints_are_cut(name):
    mech = lw.catalog.load(name)
    made = Mechanics(setup(mech, None))
    q = made.branch_samples[17]
    found = numbers(dense_singularity(made.kinematics, q))
    others = list(cuts(mech, bodies(mech, q, np.zeros(made.setup.tree.nv)), 3, False))
    assert len(others) == 3
    for other in others:
        assert at_home(other) == pytest.approx(found, rel=1e-7, abs=1e-10)


def random_ring(rng: np.random.Generator) -> Mechanism:
    """A closed chain of random joints with some freedom left, drawn at its home; every one-freedom joint is driven."""
    chosen, total = [], 0
    while total < 7 or len(chosen) < 4:
        chosen.append(random_kind(rng, KINDS[rng.integers(len(KINDS))]))
        total += len(chosen[-1].v_parts)
    names = ["ground", *(f"b{i}" for i in range(1, len(chosen)))]
    world = [RigidTransform(), *(random_pose(rng) for _ in names[1:])]
    joints = []
    for i, kind in enumerate(chosen):
        after = (i + 1) % len(names)
        at = random_pose(rng)
        joints.append(Joint(f"j{i}", names[i], names[after], kind, at, world[after].inverse @ (world[i] @ at)))
    driven = [j.name for j in joints if len(j.kind.v_parts) == 1][: total - 6]
    actuators = tuple(Actuator(f"m_{name}", name) for name in driven)
    drawn = arrange_spanning_tree(tuple(joints), "ground")
    frame = Frame("tool", names[2], random_pose(rng))
    parts = tuple(Body(name) for name in names[1:])
    return Mechanism("ring", parts, drawn.joints, drawn.loops, actuators=actuators, frames=(frame,), platform="tool")


def drawn_backwards(joint: Joint) -> Joint:
    """Another drawing of a joint whose two frames coincide: from child to parent."""
    kind = Universal(joint.kind.second, joint.kind.first) if isinstance(joint.kind, Universal) else joint.kind
    return replace(joint, parent=joint.child, child=joint.parent, kind=kind, at=joint.child_at, child_at=joint.at)


@pytest.mark.parametrize("seed", range(8))
def test_random_rings_have_the_same_distances_however_they_are_drawn(seed):
    rng = np.random.default_rng(seed)
    mech = random_ring(rng)
    found = at_home(mech)
    assert found[2] > 1e-6
    for _ in range(2):
        joints = [*mech.joints, *mech.loops]
        joints = [drawn_backwards(j) if rng.random() < 0.5 and not j.reversed else j for j in joints]
        drawn = arrange_spanning_tree(tuple(joints), "ground", (joints[rng.integers(len(joints))].name,))
        again = at_home(replace(mech, joints=drawn.joints, loops=drawn.loops))
        assert again == pytest.approx(found, rel=1e-6, abs=1e-9, nan_ok=True)


# --- batches ----------------------------------------------------------------------------------------------------------


MEASURES = ("type1", "type2", "constraint", "condition", "manipulability", "length")
SOME = ["four-bar", "five-bar", "3-rrr", "delta", "gough-stewart", "3-prs", "agile-eye", "bricard", "puma-560"]


def some_states(m: lw.Model, n: int) -> np.ndarray:
    if m.kinematics.has_closure:
        return m.kinematics.branch_samples[:n]
    return np.random.default_rng(0).uniform(-2.0, 2.0, (n, m.nq))


def assert_as_dense(m: lw.Model, q: np.ndarray, found: Singularity) -> None:
    """Machine code against LAPACK's singular values of the whole matrices: absolute rounding of the largest."""
    for row, state in enumerate(q):
        wanted = dense_singularity(m.kinematics, state)
        assert found.length[row] == pytest.approx(wanted.length, rel=1e-14)
        assert found.constraint[row] == pytest.approx(wanted.constraint, rel=1e-10, abs=1e-14)
        lost = 1e-13 / max(wanted.constraint, 1e-13)
        for name in ("type1", "type2"):
            assert getattr(found, name)[row] == pytest.approx(getattr(wanted, name), rel=1e-10, abs=lost, nan_ok=True)
        assert 1.0 / found.condition[row] == pytest.approx(1.0 / wanted.condition, rel=1e-10, abs=lost)
        assert found.manipulability[row] == pytest.approx(wanted.manipulability, rel=1e-9 + lost * wanted.condition)


@pytest.mark.usefixtures("batches_in_lanes")
@pytest.mark.parametrize("name", SOME)
def test_batches_are_the_single_states_bit_for_bit_and_agree_with_dense_algebra(name):
    m = model(name)
    q = some_states(m, 29).copy()
    found = m.singularity(q)
    assert_as_dense(m, q, found)
    q[5] = np.nan
    lost = m.singularity(q.reshape(29, 1, -1))
    for each in MEASURES:
        values = getattr(lost, each)
        assert values.shape == (29, 1) and np.isnan(values[5])
        rest = np.delete(np.arange(29), 5)
        assert np.array_equal(values[rest, 0], getattr(found, each)[rest], equal_nan=True)
        one = getattr(m.singularity(q[11]), each)
        assert isinstance(one, float) and np.array_equal(one, getattr(found, each)[11], equal_nan=True)
    assert found.distance.shape == (29,) and found.output == m.singularity(q[0]).output


@pytest.mark.parametrize("name", ["five-bar", "five-bar inputs", "3-prs", "delta"])
def test_twists_made_side_by_side_in_long_batches_change_no_bit(name):
    m = lw.build(lw.catalog.load("five-bar"), inputs="all") if name.endswith("inputs") else model(name)
    q = some_states(m, 41).copy()
    q[3, 0] = np.nan
    if m.kinematics.setup.units:
        q[7, 3:7] *= 1.1
    few, many = m.singularity(q), m.singularity(np.resize(q, (LANES_FROM + 5, m.nq)))
    for each in MEASURES:
        assert np.array_equal(np.resize(getattr(few, each), LANES_FROM + 5), getattr(many, each), equal_nan=True)
    lost = np.isnan(few.length)
    assert lost[3] and lost.sum() == 1 + bool(m.kinematics.setup.units)


def turned_and_moved(m: lw.Model) -> np.ndarray:
    """Configurations with the platform turned about its normal, or moved sideways, up to and past singular poses."""
    q = m.kinematics.branch_samples[0]
    home = m.frame_pose(q, m.singularity(q).output.split(":")[0])
    if m.na == 6:
        nearer = np.pi / 2.0 - 10.0 ** -np.arange(1.0, 9.0)
        turn = np.concatenate([np.linspace(-2.1, 2.1, 85), nearer])[:, None] / 2.0
        about = np.hstack([np.cos(turn), 0.0 * turn, 0.0 * turn, np.sin(turn)])
        return m.inverse_kinematics((np.broadcast_to(home[0], (len(turn), 3)), about), near=q)[0]
    moved = home[0] + np.linspace(0.0, 0.3, 85)[:, None] * np.array([1.0, 0.3, 0.1])
    with pytest.warns(BatchWarning):
        found = m.inverse_kinematics((moved, np.broadcast_to(home[1], (85, 4))), near=q, components=["x", "y", "z"])[0]
    return found[~np.isnan(found).any(axis=-1)]


@pytest.mark.parametrize("name", ["gough-stewart", "hexapod", "delta", "hexam"])
def test_squares_and_reflections_agree_up_to_singular_poses(name):
    m = model(name)
    q = np.concatenate([turned_and_moved(m), some_states(m, 40)])
    here = generic_ranks(m.kinematics)
    found = m.singularity(q)
    assert here.structure.shape["squares"] == 1 and len(q) > 50
    assert_as_dense(m, q, found)
    shape = here.structure.shape | {"squares": 0}
    other = measure_states(
        replace(here.structure, shape=shape, spare=[]),
        m.kinematics.all_rows.function(twist_functions.joint_twists),
        q,
        m.setup,
    )
    for i, each in enumerate(("type1", "type2", "constraint")):
        assert np.allclose(getattr(found, each), other[:, i], rtol=1e-11, atol=1e-13)


@pytest.mark.parametrize("seed", range(6))
def test_random_rings_in_batches_agree_with_dense_algebra(seed):
    m = lw.build(random_ring(np.random.default_rng(seed)))
    q = m.kinematics.branch_samples[:20]
    assert_as_dense(m, q, m.singularity(q))


@pytest.mark.parametrize("name", ["five-bar", "3-rrr", "delta", "gough-stewart", "agile-eye"])
def test_gains_are_the_singular_values_of_the_actuator_jacobian(name):
    m = model(name)
    q = some_states(m, 12)
    found = m.singularity(q)
    drives = [joint.kind for a in m.mechanism.actuators for joint in m.mechanism.joints if joint.name == a.joint]
    L = found.length[0]
    J = m.actuator_jacobian(q) / np.repeat([1.0, L], 3)[:, None]
    J = J * np.array([L if isinstance(kind, Prismatic) else 1.0 for kind in drives])
    picked = [("rx", "ry", "rz", "x", "y", "z").index(part) for part in found.output.split(": ")[1].split()]
    s = np.linalg.svd(J[:, picked], compute_uv=False)[:, : m.na]
    assert found.condition == pytest.approx(s[:, 0] / s[:, -1], rel=1e-8)
    assert found.manipulability == pytest.approx(np.prod(s, axis=1), rel=1e-8)


@pytest.mark.parametrize("power", range(1, 7))
def test_small_gains_keep_their_digits(power):
    """The smallest gain of a five-bar with a leg stretched but for a small angle, from its determinant."""
    m, angle = model("five-bar"), 10.0**-power
    q = m.assemble(fixed={"psi1": angle}).q
    found = m.singularity(np.tile(q, (9, 1)))
    J = five_bar_jacobian(q, found.length[0])
    largest = np.linalg.svd(J, compute_uv=False)[0]
    wanted = largest * largest / abs(J[0, 0] * J[1, 1] - J[0, 1] * J[1, 0])
    assert found.condition[8] == pytest.approx(wanted, rel=max(1e-12, 1e-14 / angle))


def test_every_row_at_its_own_parameters():
    m = lw.build(lw.catalog.load("five-bar"), inputs=["joints.psi1.at.x", "joints.theta2.at.x", "joints.psi2.at.x"])
    p = m.parameters.nominal * np.random.default_rng(2).uniform(0.9, 1.1, (5, 3))
    q, _ = m.project(np.tile(m.assemble().q, (5, 1)), np.zeros((5, m.nv)), p=p)
    found = m.singularity(q, p=p)
    for row in range(5):
        one = m.with_parameters(p[row])
        again, anew = one.singularity(q[row]), lw.build(one.mechanism).singularity(q[row])
        for name in MEASURES:
            assert getattr(again, name) == getattr(found, name)[row]
            assert getattr(anew, name) == pytest.approx(getattr(found, name)[row], rel=1e-11)


# --- closed formulas --------------------------------------------------------------------------------------------------


def judged(J: np.ndarray) -> tuple[float, float]:
    """Inverse condition and product of the gains."""
    s = np.linalg.svd(J, compute_uv=False)
    return s[-1] / s[0], float(np.prod(s))


def five_bar_jacobian(q: np.ndarray, L: float) -> np.ndarray:
    """u_i . v = u_i . (z x a_i) q_i: u_i along the distal link, a_i the proximal one."""
    theta, psi = q[:2], q[2:]
    u = np.array([[np.cos(t + p), np.sin(t + p)] for t, p in zip(theta, psi)])
    b = [0.25 * (u_i @ np.array([-np.sin(t), np.cos(t)])) for u_i, t in zip(u, theta)]
    return np.linalg.solve(u, np.diag(b)) / L


def test_the_five_bar_agrees_with_gosselin_and_angeles():
    m = model("five-bar")
    for q in m.kinematics.branch_samples[::40]:
        found = m.singularity(q)
        inverse_condition, product = judged(five_bar_jacobian(q, found.length))
        assert 1.0 / found.condition == pytest.approx(inverse_condition, rel=1e-9)
        assert found.manipulability == pytest.approx(product, rel=1e-9)


def three_rrr_jacobian(m: lw.Model, q: np.ndarray, L: float) -> np.ndarray:
    """[r_i x u_i / L, u_i] [omega; v / L] = u_i . (z x a_i) / L q_i, from the poses of the links."""
    center, A, b = m.frame_pose(q, "platform").position[:2], [], []
    for i in (1, 2, 3):
        proximal, distal = m.frame_pose(q, f"link{i}"), m.frame_pose(q, f"link{i + 3}")
        u = distal.rotation[:2, 0]
        r = distal.position[:2] + 0.6 * u - center
        A.append([(r[0] * u[1] - r[1] * u[0]) / L, *u])
        a = (distal.position - proximal.position)[:2]
        b.append((a[0] * u[1] - a[1] * u[0]) / L)
    return np.linalg.solve(np.array(A), np.diag(b))


def test_the_3_rrr_agrees_with_gosselin_and_angeles():
    m = model("3-rrr")
    for q in m.kinematics.branch_samples[::40]:
        found = m.singularity(q)
        inverse_condition, product = judged(three_rrr_jacobian(m, q, found.length))
        assert 1.0 / found.condition == pytest.approx(inverse_condition, rel=1e-8)
        assert found.manipulability == pytest.approx(product, rel=1e-8)


def test_the_delta_agrees_with_its_closed_formula():
    """rod_i . v = rod_i . (velocity of the arm's end); the arm's end is the joint of the rods."""
    m = model("delta")
    for q in m.kinematics.branch_samples[::60]:
        found, step = m.singularity(q), 1e-6
        rods = np.array([-m.frame_pose(q, f"rod{i}a").rotation[:, 2] for i in (1, 2, 3)])
        gains = []
        for i in (1, 2, 3):
            moved = [q.copy(), q.copy()]
            at = m.q_names.index(f"theta{i}")
            moved[0][at] -= step
            moved[1][at] += step
            ends = m.frame_pose(np.array(moved), f"rod{i}a").position
            gains.append(rods[i - 1] @ (ends[1] - ends[0]) / (2.0 * step))
        inverse_condition, product = judged(np.linalg.solve(rods, np.diag(gains)) / found.length)
        assert 1.0 / found.condition == pytest.approx(inverse_condition, rel=1e-7)
        assert found.manipulability == pytest.approx(product, rel=1e-7)


def test_a_serial_arm_has_the_singular_values_of_its_frame_jacobian():
    m = model("puma-560")
    for q in np.random.default_rng(0).uniform(-2.0, 2.0, (5, 6)):
        found = m.singularity(q)
        J = m.frame_jacobian(q, "flange") / np.repeat([1.0, found.length], 3)[:, None]
        s = np.linalg.svd(J, compute_uv=False)
        assert found.type1 == pytest.approx(s[-1] / s[0], rel=1e-9)
        assert (found.type2, found.constraint) == (1.0, 1.0)


# --- stretched legs ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("leg", [1, 2])
def test_a_five_bar_sees_each_stretched_leg(leg):
    m = model("five-bar")
    found = m.singularity(m.assemble(fixed={f"psi{leg}": 0.0}).q)
    assert found.kind == "type1" and found.type1 < 1e-8
    assert found.type2 > 0.01 and found.constraint > 0.01


def test_both_legs_of_a_five_bar_count_alike():
    m = model("five-bar")
    for q in m.kinematics.branch_samples[::40]:
        mirrored = np.array([np.pi - q[1], np.pi - q[0], -q[3], -q[2]])
        assert numbers(m.singularity(mirrored)) == pytest.approx(numbers(m.singularity(q)), rel=1e-9)


@pytest.mark.parametrize("leg", [1, 2, 3])
def test_a_3_rrr_sees_each_stretched_leg(leg):
    m = model("3-rrr")
    found = m.singularity(m.assemble(fixed={f"theta{leg + 3}": 0.0}).q)
    assert found.type1 < 1e-8
    assert found.constraint > 0.01


def delta_with_straight_arms(*legs: int) -> np.ndarray:
    """A Delta whose rods continue the arms of some legs: for one leg the platform stays near the axis."""
    m = model("delta")
    home = m.assemble().q

    def along(q: np.ndarray, leg: int) -> float:
        """Product of the rod's direction with the motion of the arm's end: zero for a straight leg."""
        at, step = m.q_names.index(f"theta{leg}"), 1e-6
        rows = np.array([q + s * step * np.eye(m.nq)[at] for s in (-1.0, 1.0)])
        ends, rod = m.frame_pose(rows, f"rod{leg}a").position, m.frame_pose(q, f"rod{leg}a").rotation[:, 2]
        return float(rod @ (ends[1] - ends[0])) / (2.0 * step)

    q, indices = home, [m.q_names.index(f"theta{i}") for i in legs]
    for _ in range(30):
        value = np.array([along(q, i) for i in legs])
        if np.abs(value).max() < 1e-12:
            break
        derivatives = []
        for place in indices:
            act = q[[m.q_names.index(f"theta{i}") for i in (1, 2, 3)]].copy()
            act[[1, 2, 3].index(legs[indices.index(place)])] += 1e-5
            moved = m.forward_kinematics(act, near=q)[0]
            derivatives.append((np.array([along(moved, i) for i in legs]) - value) / 1e-5)
        act = q[[m.q_names.index(f"theta{i}") for i in (1, 2, 3)]].copy()
        step = np.clip(-np.linalg.solve(np.array(derivatives).T, value), -0.2, 0.2)
        act[[i - 1 for i in legs]] += step
        q = m.forward_kinematics(act, near=q)[0]
    return q


@pytest.mark.parametrize("legs", [(1,), (2,), (3,), (1, 2, 3)])
def test_a_delta_sees_straight_legs_one_by_one_and_all_together(legs):
    found = model("delta").singularity(delta_with_straight_arms(*legs))
    assert found.type1 < 1e-7


def test_the_legs_of_a_delta_count_alike():
    m = model("delta")
    found = [numbers(m.singularity(delta_with_straight_arms(leg))) for leg in (1, 2, 3)]
    for other in found[1:]:
        assert other == pytest.approx(found[0], rel=1e-5, abs=1e-7)


# --- isotropic poses and serial arms ----------------------------------------------------------------------------------


@cache
def planar_arm(first: float, second: float) -> lw.Model:
    joints = (
        Joint("q1", "ground", "upper", Revolute()),
        Joint("q2", "upper", "fore", Revolute(), RigidTransform((first, 0.0, 0.0))),
    )
    tool = Frame("tool", "fore", RigidTransform((second, 0.0, 0.0)))
    return lw.build(Mechanism("2R", (Body("upper"), Body("fore")), joints, frames=(tool,), platform="tool"))


def test_isotropic_poses_have_distance_one():
    arm = planar_arm(np.sqrt(2.0), 1.0).singularity([0.3, 0.75 * np.pi])
    assert (arm.type1, arm.condition) == (pytest.approx(1.0, rel=1e-12), pytest.approx(1.0, rel=1e-12))
    assert arm.output == "tool: x y z"
    for name in ("orthoglide", "agile-eye"):
        found = model(name).singularity(model(name).assemble().q)
        assert (found.type1, found.type2) == (pytest.approx(1.0, abs=1e-9), pytest.approx(1.0, abs=1e-9))


def test_the_length_of_an_isotropic_3_rpr_is_its_legs_distance_from_the_center_by_the_square_root_of_two():
    """Three unit forces at the distance h from the center: A^T A = diag(3 h^2 / L^2, 3/2, 3/2), B = 1 / L."""
    m = model("3-rpr")
    q = m.assemble().q
    upper, platform = m.frame_pose(q, "upper1"), m.frame_pose(q, "platform")
    u, r = upper.rotation[:2, 0], (upper.position - platform.position)[:2]
    found = m.singularity(q, length=np.sqrt(2.0) * abs(r[0] * u[1] - r[1] * u[0]))
    assert found.condition == pytest.approx(1.0, rel=1e-9)
    assert (found.type1, found.type2) == (pytest.approx(1.0), pytest.approx(1.0))
    assert m.singularity(q).condition > 1.0 + 1e-3


def test_a_stretched_arm_is_singular():
    assert planar_arm(1.0, 1.0).singularity([0.4, 0.0]).type1 < 1e-12
    axes = ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (0.0, 1.0, 0.0))
    origins = (
        (0.0, 0.0, 0.1),
        (0.0, 0.13, 0.0),
        (0.42, 0.0, 0.0),
        (0.39, 0.0, 0.0),
        (0.0, 0.1, 0.0),
        (0.0, 0.0, -0.09),
    )
    names = ["ground", *(f"link{i}" for i in range(1, 7))]
    joints = tuple(
        Joint(f"q{i}", names[i], names[i + 1], Revolute(axes[i]), RigidTransform(origins[i])) for i in range(6)
    )
    arm = lw.build(Mechanism("six-axis arm", tuple(Body(name) for name in names[1:]), joints))
    stretched = arm.singularity(np.zeros(6))
    assert stretched.kind == "type1" and stretched.output.startswith("link6")
    assert arm.singularity([0.3, -0.8, 1.2, 0.5, 1.1, 0.2]).type1 > 1e-2
    # A robot's file often ends in several tool frames, and fixes one to the base.
    tools = (("stand", "ground"), ("tool", "link6"), ("flange", "link6"))
    fixed = tuple(Joint(f"to {name}", parent, name, Fixed()) for name, parent in tools)
    bodies = tuple(Body(name) for name in (*names[1:], *(name for name, _ in tools)))
    framed = lw.build(Mechanism("with tools", bodies, (*joints, *fixed)))
    assert framed.singularity(np.zeros(6)).kind == "type1"
    for q in ([0.3, -0.8, 1.2, 0.5, 1.1, 0.2], [1.0, 0.4, -0.9, 2.0, 0.6, -0.3]):
        assert framed.singularity(q).type1 == pytest.approx(arm.singularity(q).type1, rel=1e-12)
    assert framed.singularity(np.zeros(6)).output.startswith("tool:")


# --- what exists ------------------------------------------------------------------------------------------------------


def test_without_an_output_there_is_no_type_1_and_dead_centers_are_type_2():
    plain = lw.build(lw.catalog.load("four-bar"))
    assert np.isnan(plain.singularity(plain.assemble().q).type1)
    assert 0.0 < plain.assemble().singularity <= 1.0
    driven = lw.build(lw.catalog.load("four-bar"), actuated=("phi",))
    dead = plain.assemble(fixed={"alpha_rel": 0.0}).q
    assert driven.singularity(dead).type2 < 1e-8
    assert plain.singularity(dead).type2 > 1e-2


def test_a_passive_leg_that_can_move_with_all_else_at_rest_is_both_types():
    """Two actuators in one leg of a five-bar: where the other leg is stretched its elbow moves alone."""
    m = lw.build(lw.catalog.load("five-bar"), actuated=("theta1", "psi1"))
    found = m.singularity(m.assemble(fixed={"psi2": 0.0}).q)
    assert max(found.type1, found.type2) < 1e-8
    assert found.constraint > 1e-2


def test_the_output_can_be_named():
    m = model("five-bar")
    q = m.assemble(fixed={"psi1": 0.0}).q
    assert m.singularity(q).output == "platform: x y z"
    turning = m.singularity(q, components=("x", "y", "rz"))
    assert turning.output == "platform: rz x y" and turning.type1 > 1e-3
    with pytest.raises(lw.errors.LinkwrightError, match="length is -1"):
        m.singularity(q, length=-1.0)
    with pytest.raises(lw.errors.LinkwrightError, match="unknown component 'w'"):
        m.singularity(q, components=("w",))
