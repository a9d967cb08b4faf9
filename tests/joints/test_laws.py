"""Laws that every registered joint kind obeys, over many turns and at random numbers."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pytest
from scipy.spatial.transform import Rotation as Reference

from linkwright.algebra.rotations import NO_TURN, Rotation, factor_rotation
from linkwright.algebra.transforms import frame_with_z
from linkwright.algebra.vectors import skew
from linkwright.joints.coordinate_gradients import Component
from linkwright.joints.joint_registry import KINDS
from linkwright.joints.kind import JointKind
from linkwright.joints.motion_terms import RelativeMotion, RelativePose

STEP = 1e-6
TREE_KINDS = [name for name, kind in KINDS.items() if kind.can_span_tree]


@dataclass(frozen=True)
class AtRest:
    """A joint whose frames were not moved."""

    between: Rotation = NO_TURN
    offsets: tuple[float, float] = (0.0, 0.0)


@dataclass(frozen=True)
class Case:
    """A kind with random numbers, coordinates and velocities."""

    kind: JointKind
    q: np.ndarray
    v: np.ndarray

    @cached_property
    def at(self):
        turn = self.kind.turn_between
        return AtRest(NO_TURN if turn is None else factor_rotation(turn))

    def moved(self, t):
        """Coordinates after a short time."""
        q = self.q + t * self.kind.coordinate_rates(self.q, self.v)
        if self.kind.has_quaternion:
            q[-4:] /= np.linalg.norm(q[-4:])
        return q

    def motion(self, q):
        R, s, p, p_dot = self.kind.motion(q, self.v, self.at)
        return RelativePose(R.matrix, R @ s), p, p_dot

    @property
    def pose(self):
        return self.motion(self.q)[0]

    @property
    def velocity(self):
        """Relative angular and linear velocity, parent's axes."""
        pose, p, _ = self.motion(self.q)
        return pose.Q @ (p[:3] @ self.v), pose.Q @ (p[3:] @ self.v)


def cases(name, n=5):
    rng = np.random.default_rng(sum(map(ord, name)))
    for _ in range(n):
        numbers = {x.key: unit(rng) if x.is_direction else rng.uniform(0.1, 0.5) for x in KINDS[name].numbers}
        kind = KINDS[name](**numbers)
        q = rng.uniform(-12.0, 12.0, kind.nq)
        if kind.has_quaternion:
            q[-4:] /= np.linalg.norm(q[-4:])
        yield Case(kind, q, rng.normal(size=kind.nv)), rng


def unit(rng):
    x = rng.normal(size=3)
    return tuple((x / np.linalg.norm(x)).tolist())


def random_motion(rng):
    return [rng.normal(size=3) for _ in range(4)]


def displaced(pose, omega, vel, t, alpha=0.0, acc=0.0):
    """The pose after a time t, second order: velocities and accelerations in the first frame's axes."""
    turn = Reference.from_rotvec(omega * t + 0.5 * t * t * alpha).as_matrix()
    return RelativePose(turn @ pose.Q, pose.d + vel * t + 0.5 * t * t * acc)


def random_pose(rng):
    return RelativePose(Reference.random(random_state=int(rng.integers(1 << 30))).as_matrix(), rng.normal(size=3))


@pytest.mark.parametrize("name", TREE_KINDS)
def test_the_motion_matrix_is_the_derivative_of_the_motion(name):
    for case, _ in cases(name):
        before, pose, after = (case.motion(case.moved(t))[0] for t in (-STEP, 0.0, STEP))
        p = case.motion(case.q)[1]
        spin = pose.Q.T @ (after.Q - before.Q) / (2.0 * STEP)
        np.testing.assert_allclose(spin, skew(p[:3] @ case.v), atol=1e-7)
        np.testing.assert_allclose(pose.Q.T @ (after.d - before.d) / (2.0 * STEP), p[3:] @ case.v, atol=1e-7)


@pytest.mark.parametrize("name", TREE_KINDS)
def test_coordinates_move_as_their_rates_say_and_the_displacement_leads_there(name):
    """Against steps of a Runge-Kutta method along the rates of coordinates."""
    for case, _ in cases(name):
        dv, n = 0.4 * case.v, 64
        q = case.q
        for _ in range(n):
            k1 = case.kind.coordinate_rates(q, dv / n)
            k2 = case.kind.coordinate_rates(q + 0.5 * k1, dv / n)
            k3 = case.kind.coordinate_rates(q + 0.5 * k2, dv / n)
            q = q + (k1 + 2.0 * k2 + 2.0 * k3 + case.kind.coordinate_rates(q + k3, dv / n)) / 6.0
        there = case.kind.moved_coordinates(case.q, dv)
        np.testing.assert_allclose(there, q, atol=1e-7)
        np.testing.assert_allclose(case.kind.displacement_between(case.q, there), dv, atol=1e-12)


@pytest.mark.parametrize("name", TREE_KINDS)
def test_its_rate_is_the_derivative_of_the_motion_matrix(name):
    for case, _ in cases(name):
        before, after = (case.motion(case.moved(t))[1] for t in (-STEP, STEP))
        p_dot = case.motion(case.q)[2]
        np.testing.assert_allclose((after - before) / (2.0 * STEP), p_dot, atol=1e-7)
        assert not case.kind.has_constant_p or not p_dot.any()


@pytest.mark.parametrize("name", TREE_KINDS)
def test_the_reversed_motion_is_the_inverse(name):
    for case, _ in cases(name):
        other = Case(case.kind.reversed_kind(), case.q, case.v)
        R, s, p, p_dot = other.kind.reversed_motion(case.q, case.v, other.at)
        Q, d = in_file_axes(case.kind, case.pose)
        Q_r, d_r = in_file_axes(other.kind, RelativePose(R.matrix, R @ s))
        np.testing.assert_allclose(Q_r, Q.T, atol=1e-12)
        np.testing.assert_allclose(d_r, -Q.T @ d, atol=1e-12)
        rates = [other.kind.reversed_motion(case.moved(t), case.v, other.at) for t in (-STEP, STEP)]
        np.testing.assert_allclose((rates[1][2] - rates[0][2]) / (2.0 * STEP), p_dot, atol=1e-7)
        turned = R.matrix.T @ (rates[1][0].matrix - rates[0][0].matrix) / (2.0 * STEP)
        np.testing.assert_allclose(turned, skew(p[:3] @ case.v), atol=1e-7)
        assert case.kind.reversed_kind().reversed_kind() == case.kind
        assert not case.kind.has_constant_reversed_p or not p_dot.any()


def in_file_axes(kind, pose):
    """The pose of the child's frame in the parent's, as a file has them."""
    first, last = (frame_with_z(axis) for axis in (kind.axes[0], kind.axes[-1])) if kind.axes else (np.eye(3),) * 2
    return first @ pose.Q @ last.T, first @ pose.d


@pytest.mark.parametrize("name", TREE_KINDS)
def test_closure_rows_hold_along_the_motion_and_nothing_else_is_free(name):
    for case, _ in cases(name):
        pose, p, _ = case.motion(case.q)
        rows = case.kind.closure_rows()
        twists = np.vstack([pose.Q @ p[:3], pose.Q @ p[3:]])
        for covector in ("covector", "exact_covector"):
            J = np.array([np.concatenate(getattr(row, covector)(pose)) for row in rows]).reshape(-1, 6)
            np.testing.assert_allclose(J @ twists, 0.0, atol=1e-12)
            assert np.linalg.matrix_rank(J) == len(rows) == 6 - case.kind.nv
        np.testing.assert_allclose([row.gap(pose) for row in rows], 0.0, atol=1e-12)
        assert (case.kind.assembly_senses(pose.Q) > 0.0).all()
        closed = case.kind.closed_pose(pose)
        np.testing.assert_allclose(closed.Q, pose.Q, atol=1e-12)
        np.testing.assert_allclose(closed.d, pose.d, atol=1e-12)


@pytest.mark.parametrize("name", KINDS)
def test_exact_covectors_are_derivatives_of_the_gap_at_any_pose(name):
    for case, rng in cases(name):
        pose, (omega, vel, _, _) = random_pose(rng), random_motion(rng)
        for row in case.kind.closure_rows():
            n, f = row.exact_covector(pose)
            before, after = (row.gap(displaced(pose, omega, vel, t)) for t in (-STEP, STEP))
            assert n @ omega + f @ vel == pytest.approx((after - before) / (2.0 * STEP), abs=1e-7)


@pytest.mark.parametrize("name", TREE_KINDS)
def test_the_bias_is_the_second_rate_of_the_gap(name):
    for case, rng in cases(name):
        pose, (omega, vel), (_, _, alpha, acc) = case.pose, case.velocity, random_motion(rng)
        moving, h = RelativeMotion(omega, vel, alpha, acc), 1e-4
        for row in case.kind.closure_rows():
            gaps = [row.gap(displaced(pose, omega, vel, t, alpha, acc)) for t in (-h, 0.0, h)]
            assert row.bias(pose, moving) == pytest.approx((gaps[0] - 2.0 * gaps[1] + gaps[2]) / h**2, abs=2e-4)


@pytest.mark.parametrize("name", [name for name in TREE_KINDS if not KINDS[name].has_quaternion])
def test_coordinates_come_back_from_the_pose(name):
    for case, _ in cases(name):
        back = case.kind.coordinates_from_pose(case.pose.Q, case.pose.d) - case.q
        whole = np.array([2.0 * np.pi if part.unit == "rad" else 1.0 for part in case.kind.coordinates])
        turns = np.where(whole == 1.0, 0.0, np.round(back / whole))
        np.testing.assert_allclose(back, turns * whole, atol=1e-11)


@pytest.mark.parametrize("name", TREE_KINDS)
@pytest.mark.parametrize("closed", [True, False])
def test_gradients_give_the_velocities_and_follow_the_coordinates(name, closed):
    for case, rng in cases(name):
        omega, vel = case.velocity
        gradients = case.kind.coordinate_gradients(case.pose, closed)
        found = [n @ omega + f @ vel for n, f in (x.covector for x in gradients)]
        np.testing.assert_allclose(found, case.v, atol=1e-10)
        pose, (omega, vel, _, _) = random_pose(rng), random_motion(rng)
        rest = rng.normal(size=case.kind.nv)
        around = [case.kind.coordinate_gradients(displaced(pose, omega, vel, t), False) for t in (-STEP, 0.0, STEP)]
        for before, here, after, x in zip(*around, rest, strict=True):
            if not isinstance(here, Component):
                n, f = here.covector
                rate = (after.deflection(x) - before.deflection(x)) / (2.0 * STEP)
                assert n @ omega + f @ vel == pytest.approx(rate, rel=1e-6, abs=1e-6)


@pytest.mark.parametrize("name", TREE_KINDS)
@pytest.mark.parametrize("flipped", [False, True])
def test_efforts_act_along_the_velocities(name, flipped):
    for case, _ in cases(name):
        pose, (omega, vel) = case.pose, case.velocity
        if flipped:
            omega, vel = -pose.Q.T @ omega, -pose.Q.T @ (vel - np.cross(omega, pose.d))
            pose = RelativePose(pose.Q.T, -pose.Q.T @ pose.d)
        found = [n @ omega + f @ vel for n, f in case.kind.effort_covectors(pose, flipped)]
        np.testing.assert_allclose(found, case.v, atol=1e-10)


@pytest.mark.parametrize("name", KINDS)
def test_parts_have_names_and_units(name):
    for case, _ in cases(name, 1):
        kind = case.kind
        assert kind.nq == len(kind.q_parts) == len(kind.neutral)
        assert kind.nv == len(kind.v_parts)
        assert {part.unit for part in (*kind.coordinates, *kind.velocities)} <= {"rad", "m", ""}
        assert kind.with_numbers({x.key: getattr(kind, x.key) for x in kind.numbers}) == kind
        assert kind.axes == tuple(getattr(kind, x.key) for x in kind.numbers if x.is_direction)
