"""States of actuators, Jacobians from actuators to frames, and steps between states: laws on catalog mechanisms."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.dynamics.independent_velocities import complete_independent_motion
from linkwright.errors import ArgumentError, AssemblyError, SingularityError
from linkwright.joints import Floating, Prismatic, Revolute, Spherical, Universal
from tests.model.models import model
from tests.strategies import random_mechanism, random_state

PARALLEL = ["five-bar", "3-rrr", "delta", "gough-stewart", "par4", "agile-eye"]
LOOPS = ["four-bar", "five-bar", "delta", "gough-stewart", "bricard"]


def moving(m: lw.Model, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A state of the home's branch with velocities and accelerations that keep the loops closed."""
    rng = np.random.default_rng(seed)
    q = m.kinematics.branch_samples[20 * seed + 1]
    return q, *complete_independent_motion(m.kinematics, q, *rng.uniform(-1.0, 1.0, (2, m.mobility)))


# --- actuators --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", PARALLEL)
def test_actuator_jacobian_gives_the_twist_of_forward_kinematics(name: str) -> None:
    m, rng = model(name), np.random.default_rng(1)
    q = m.kinematics.branch_samples[:40:8]
    J, v_act = m.actuator_jacobian(q), rng.uniform(-1.0, 1.0, (len(q), m.na))
    frame = str(m.mechanism.platform)
    for row, rate, J_p in zip(q, v_act, J, strict=True):
        at = m.actuator_positions(row)
        found, v, _ = m.forward_kinematics(at, rate, near=row)
        assert np.abs(found - row).max() < 1e-9
        assert J_p @ rate == pytest.approx(m.frame_twist(row, v, frame), rel=1e-8, abs=1e-9)
        h = 1e-6
        pair = [m.frame_pose(m.forward_kinematics(at + s * h * rate, near=row)[0], frame).position for s in (-1, 1)]
        assert (pair[1] - pair[0]) / (2.0 * h) == pytest.approx((J_p @ rate)[3:], rel=1e-6, abs=1e-7)
        assert np.array_equal(m.actuator_jacobian(row), J_p)


def test_actuator_jacobian_of_other_frames_and_actuators() -> None:
    """Actuators that are not the independent velocities, more and fewer of them than freedoms."""
    q, v, _ = moving(model("five-bar"), 2)
    mech = lw.catalog.load("five-bar")
    for actuated in (("theta1", "psi1"), ("theta2", "theta1"), ("theta1", "theta2", "psi1")):
        m = lw.build(mech, actuated=actuated)
        for frame in (None, m.bodies[0], m.bodies[-1]):
            name = str(mech.platform) if frame is None else frame
            found = m.actuator_jacobian(q, frame) @ m.actuator_velocities(v)
            assert found == pytest.approx(m.frame_twist(q, v, name), rel=1e-10, abs=1e-12)
    with pytest.raises(ArgumentError, match="can move although they are locked"):
        lw.build(mech, actuated=("theta1",)).actuator_jacobian(q)
    with pytest.raises(ArgumentError, match="names no actuators"):
        lw.build(mech, actuated=()).actuator_jacobian(q)
    arm = model("puma-560")
    q = np.random.default_rng(3).uniform(-1.0, 1.0, (4, 6))
    assert np.allclose(arm.actuator_jacobian(q), arm.frame_jacobian(q, "flange"), rtol=0.0, atol=1e-14)


@pytest.mark.usefixtures("batches_in_lanes")
def test_type_2_singularities_are_rows_of_nan() -> None:
    """A four-bar driven by its coupler: at its dead center the coupler's frame moves although the joint is locked."""
    plain = model("four-bar")
    m = lw.build(lw.catalog.load("four-bar"), actuated=("phi",))
    dead, body = plain.assemble(fixed={"alpha_rel": 0.0}).q, m.bodies[0]
    found = m.actuator_jacobian(np.stack([plain.assemble().q, dead]), body)
    assert np.isfinite(found[0]).all() and np.isnan(found[1]).all()
    with pytest.raises(SingularityError, match="type2"):
        m.actuator_jacobian(dead, body)


@pytest.mark.parametrize("cut", ["loop", "tree"])
def test_rates_of_actuators_are_those_of_their_positions(cut: str) -> None:
    """Also of an actuator at a cut joint, for which q and v are needed."""
    mech = lw.catalog.load("four-bar")
    m = lw.build(mech, actuated=(mech.loops[0].name,) if cut == "loop" else None)
    q, v, a = moving(m, 1)
    h = 1e-4
    there = [m.project(m.integrate(m.integrate(q, v, s * h), a, 0.5 * h * h), v)[0] for s in (-1.0, 1.0)]
    ends = [m.actuator_positions(x) for x in there]
    v_act, a_act = m.actuator_velocities(v, q=q), m.actuator_accelerations(a, q=q, v=v)
    assert (ends[1] - ends[0]) / (2.0 * h) == pytest.approx(v_act, rel=1e-6, abs=1e-7)
    assert (ends[1] - 2.0 * m.actuator_positions(q) + ends[0]) / (h * h) == pytest.approx(a_act, rel=1e-4, abs=1e-5)
    if cut == "tree":
        assert np.array_equal(m.actuator_velocities(v), v_act)
        assert np.array_equal(m.actuator_accelerations(a), a_act)
        return
    with pytest.raises(ArgumentError, match="needs q: an actuator sits at a cut joint"):
        m.actuator_velocities(v)
    with pytest.raises(ArgumentError, match="needs q and v"):
        m.actuator_accelerations(a)


# --- steps ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_integrate_and_difference_undo_each_other(seed: int) -> None:
    rng = np.random.default_rng(seed)
    kinds = [Floating, Spherical, Revolute, Universal, Prismatic]
    m = lw.build(random_mechanism(rng, [-1, 0, 1, 0, 3], kinds, [False] * 5, passive=False), actuated=())
    q = np.array([random_state(m.kernels.setup.tree, rng)[0] for _ in range(6)])
    v, h = rng.normal(size=(6, m.nv)), np.array([1e-12, 1e-6, 1e-3, 0.1, 0.5, 0.7])
    moved = m.integrate(q, v, h)
    assert np.abs(m.difference(q, moved) - h[:, None] * v).max() < 1e-14
    halves = m.integrate(m.integrate(q, v, 0.5 * h), v, 0.5 * h)
    assert np.abs(m.difference(moved, halves)).max() < 1e-14, "constant velocities: two halves are the whole"
    other = np.array([random_state(m.kernels.setup.tree, rng)[0] for _ in range(6)])
    assert np.abs(m.difference(other, m.integrate(q, m.difference(q, other), 1.0))).max() < 1e-12
    frame, step = m.bodies[-1], 1e-6
    ends = [m.frame_pose(m.integrate(q, v, s * step), frame).position for s in (-1.0, 1.0)]
    assert (ends[1] - ends[0]) / (2.0 * step) == pytest.approx(m.frame_twist(q, v, frame)[:, 3:], abs=1e-8)
    for row in range(6):
        assert np.array_equal(m.integrate(q[row], v[row], h[row]), moved[row])


def test_angles_are_not_wrapped_and_rotations_go_the_short_way() -> None:
    arm = model("puma-560")
    assert np.allclose(arm.difference(np.zeros(6), np.full(6, 7.0)), 7.0)
    rng = np.random.default_rng(0)
    m = lw.build(random_mechanism(rng, [-1], [Spherical], [False], passive=False), actuated=())
    q = np.array([1.0, 0.0, 0.0, 0.0])
    assert np.allclose(m.difference(q, -q), 0.0)
    assert np.allclose(m.difference(q, m.integrate(q, [0.0, 0.0, 4.0], 1.0)), [0.0, 0.0, 4.0 - 2.0 * np.pi])


# --- projection -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", LOOPS)
def test_projected_states_are_closed_and_nearest(name: str) -> None:
    m, rng = model(name), np.random.default_rng(4)
    closed, v = np.array(m.kinematics.branch_samples[1:9]), rng.normal(size=(8, m.nv))
    given = m.integrate(closed, rng.normal(size=(8, m.nv)), 0.02)
    q, moving = m.project(given, v)
    assert np.abs(m.closure_residual(q)).max() < 1e-12
    J = m.closure_jacobian(q)
    assert np.abs(J @ moving[..., None]).max() < 1e-11
    units = m.kinematics.scales.speeds
    R = m.independent_map(q) / units[:, None]  # every motion that keeps the loops closed
    for change in (m.difference(q, given), v - moving):
        along = np.swapaxes(R, -1, -2) @ (change / units)[..., None]
        assert np.abs(along).max() < 1e-9 * np.abs(R).max()
    again = m.project(q, moving)
    assert np.abs(again[0] - q).max() < 1e-15  # quaternions are made unit once more
    assert np.abs(again[1] - moving).max() < 1e-12
    for row in range(8):
        one = m.project(given[row], v[row])
        assert np.array_equal(one[0], q[row]) and np.array_equal(one[1], moving[row])


def test_states_that_do_not_close_are_rows_of_nan() -> None:
    m = lw.build(lw.catalog.load("four-bar"), inputs=["joints.B.at.x"])
    q, v = m.assemble().q, np.zeros(m.nv)
    p = m.parameters.array({"joints.B.at.x": [4.0, 40.0]})
    found, moving = m.project(q, v, p=p)
    assert np.isfinite(found[0]).all() and np.isnan(found[1]).all() and np.isnan(moving[1]).all()
    assert np.abs(m.closure_residual(found[0], p=p[0])).max() < 1e-12
    with pytest.raises(AssemblyError, match="do not close"):
        m.project(q, v, p=p[1])


# --- parameters -------------------------------------------------------------------------------------------------------


def test_every_row_at_its_own_parameters() -> None:
    m = lw.build(lw.catalog.load("five-bar"), inputs=["joints.psi1.at.x", "joints.psi2.at.x"])
    p = m.parameters.nominal * np.array([[1.0, 1.0], [1.05, 0.97], [0.96, 1.02]])
    start, v = np.tile(m.assemble().q, (3, 1)), np.ones((3, m.nv))
    q, rates = m.project(start, v, p=p)
    found = {
        "actuator_jacobian": m.actuator_jacobian(q, p=p),
        "actuator_positions": m.actuator_positions(q, p=p),
        "integrate": m.integrate(q, rates, 0.1, p=p),
        "project": q,
    }
    for row in range(3):
        one, anew = m.with_parameters(p[row]), lw.build(m.with_parameters(p[row]).mechanism)
        calls = {
            "actuator_jacobian": (q[row],),
            "actuator_positions": (q[row],),
            "integrate": (q[row], rates[row], 0.1),
            "project": (start[row], v[row]),
        }
        for name, arguments in calls.items():
            results = [getattr(x, name)(*arguments) for x in (one, anew)]
            results = [x[0] for x in results] if name == "project" else results
            assert np.array_equal(results[0], found[name][row]), name
            assert results[1] == pytest.approx(found[name][row], rel=1e-10, abs=1e-12), name
    assert m.actuator_velocities(v[0], p=p).shape == (3, 2)
