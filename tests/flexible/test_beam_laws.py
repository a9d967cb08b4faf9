"""Laws of flexible links on mechanisms with beams: independent integrals, energy, base frames, the rigid limit."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.mechanism import Inertia, beams_of
from linkwright.mechanism.flexible_bodies import flexibility_of_beam, remove_beams, straight_inertia
from tests.flexible.beams import BEAMS, ROOTS, Plain, arm, bent_points

CASES = [("planar", "universal"), ("rotary", "floating"), ("all", "spherical"), ("spatial", "universal")]


@pytest.fixture(scope="module", params=CASES, ids=lambda case: "-".join(case))
def case(request):
    beam = BEAMS[request.param[0]]
    return beam, Plain(arm(beam, ROOTS[request.param[1]]))


def state(model, seed=0, size=0.3):
    rng = np.random.default_rng(seed)
    q = model.moved(model.home(), rng.normal(size=model.nv), size)
    n = beams_of(model.mechanism)["beam"].count
    q[-n:] = 0.05 * rng.normal(size=n)
    return q, rng.normal(size=model.nv), rng.normal(size=model.nv)


def body_points(model, beam, q, xs, offsets):
    """The beam's points in the world, by its frame's pose and plain formulas."""
    r, R = model.frame_pose(q, "beam")
    return r + bent_points(beam, q[-beam.count :], xs, offsets) @ R.T


def test_the_inertia_is_that_of_many_small_masses(case):
    """Kinetic energy by point velocities (differences of positions) over Gauss points, against the recursion."""
    beam, model = case
    q, v, _ = state(model)
    nodes, weights = np.polynomial.legendre.leggauss(30)
    xs, dm = 0.5 * beam.length * (nodes + 1.0), 0.5 * beam.length * weights * beam.density
    g = beam.gyration
    offsets = ((g, g), (g, -g), (-g, g), (-g, -g))  # four points with the section's second moments
    h = 1e-5
    ends = [body_points(model, beam, model.moved(q, v, s), xs, offsets) for s in (-2 * h, -h, h, 2 * h)]
    vel = (8.0 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12.0 * h)
    energy = 0.5 * np.sum(dm[:, None] * np.sum(vel**2, axis=2)) / 4.0
    rigid = sum(rigid_energy(model, q, v, name) for name in ("beam", "link", "mass"))
    assert energy + rigid == pytest.approx(float(model.energy(q, v)[0]), rel=1e-8)


def rigid_energy(model, q, v, name):
    """Kinetic energy of a rigid body from its twist."""
    body = next(b for b in model.mechanism.bodies if b.name == name)
    R = model.frame_pose(q, name)[1]
    t = model.frame_twist(q, v, name)
    omega, vel = R.T @ t[:3], R.T @ t[3:]
    center = vel + np.cross(omega, body.inertia.com)
    return 0.5 * (body.inertia.mass * center @ center + omega @ np.array(body.inertia.tensor) @ omega)


def test_inertia_is_the_hessian_of_kinetic_energy(case):
    _, model = case
    q, v, _ = state(model, 1)
    M = model.mass_matrix(q)
    assert 0.5 * v @ M @ v == pytest.approx(float(model.energy(q, v)[0]), rel=1e-12)
    np.testing.assert_allclose(M, M.T, atol=1e-14 * np.abs(M).max())
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_forces_are_inertia_times_acceleration_plus_bias(case):
    _, model = case
    q, v, a = state(model, 2)
    force = model.generalized_forces(q, v, a)
    np.testing.assert_allclose(force, model.mass_matrix(q) @ a + model.bias_forces(q, v), rtol=1e-11, atol=1e-11)


def test_power_in_is_the_rate_of_energy(case):
    """Gyroscopic, centrifugal, gravity and strain terms, all at once; structural damping takes its share."""
    beam, model = case
    q, v, a = state(model, 3)
    force = model.generalized_forces(q, v, a)
    h = 1e-5

    def total(s):
        half = model.moved(q, v, 0.5 * s)
        return sum(model.energy(model.moved(half, v + s * a, 0.5 * s), v + s * a))

    rate = (8.0 * (total(h) - total(-h)) - (total(2 * h) - total(-2 * h))) / (12.0 * h)
    eta_dot = v[-beam.count :]
    lost = beam.damping * eta_dot @ flexibility_of_beam(beam).stiffness @ eta_dot
    assert rate + lost == pytest.approx(force @ v, rel=1e-7, abs=1e-7)


def test_forward_is_the_inverse_of_inverse(case):
    _, model = case
    q, v, a = state(model, 4)
    found = model.accelerations(q, v, model.generalized_forces(q, v, a))
    np.testing.assert_allclose(found, a, rtol=1e-9, atol=1e-9)


def test_compiled_is_the_same():
    """Every question once: traced, grouped, aligned and compiled, against the plain recursions."""
    plain, model = Plain(arm(BEAMS["all"])), lw.build(arm(BEAMS["all"]))
    q, v, a = state(plain, 9)
    M = model.mass_matrix(q)
    np.testing.assert_allclose(M, plain.mass_matrix(q), rtol=1e-11, atol=1e-13)
    np.testing.assert_allclose(
        model.generalized_forces(q, v, a), plain.generalized_forces(q, v, a), rtol=1e-10, atol=1e-11
    )
    np.testing.assert_allclose(model.energy(q, v), plain.energy(q, v), rtol=1e-12)
    np.testing.assert_allclose(model.momentum(q, v), plain.momentum(q, v), rtol=1e-11, atol=1e-13)
    force = np.concatenate([np.ones(model.na), np.zeros(4)])
    expected = plain.accelerations(q, v, force)
    np.testing.assert_allclose(model.forward_dynamics(q, v, np.ones(model.na)), expected, rtol=1e-9)
    U, D = model.udu(q)
    np.testing.assert_allclose((U * D) @ U.T, M, rtol=1e-10, atol=1e-12)
    assert model.v_names[-4:] == ("beam.eta1", "beam.eta2", "beam.eta3", "beam.eta4")


def test_a_frame_at_the_tip_moves_as_its_pose_says(case):
    beam, model = case
    q, v, a = state(model, 5)
    tip = f"beam@{beam.length!r}"
    h = 1e-5
    ends = [model.frame_pose(model.moved(q, v, s), tip)[0] for s in (-2 * h, -h, h, 2 * h)]
    vel = (8.0 * (ends[2] - ends[1]) - (ends[3] - ends[0])) / (12.0 * h)
    twist = model.frame_twist(q, v, tip)
    np.testing.assert_allclose(twist[3:], vel, atol=1e-8)
    np.testing.assert_allclose(model.frame_jacobian(q, tip) @ v, twist, atol=1e-12)
    rate = model.frame_jacobian(q, tip) @ a + model.frame_jacobian_rate(q, v, tip) @ v
    np.testing.assert_allclose(model.frame_acceleration(q, v, a, tip), rate, atol=1e-10)
    line = body_points(model, beam, q, [beam.length], ((0.0, 0.0),))[0, 0]
    np.testing.assert_allclose(model.frame_pose(q, tip)[0], line, atol=1e-13)


def test_momentum_of_a_free_mechanism_is_kept():
    """A free flexible arm in weightlessness: no force, no change of momentum."""
    model = Plain(arm(BEAMS["spatial"], ROOTS["floating"], gravity=(0.0, 0.0, 0.0)))
    q, v, _ = state(model, 6)
    a = model.accelerations(q, v, np.zeros(model.nv))
    h = 1e-6
    ends = [model.momentum(model.moved(model.moved(q, v, 0.5 * s), v + s * a, 0.5 * s), v + s * a) for s in (-h, h)]
    assert np.abs(ends[1] - ends[0]).max() / (2 * h) < 1e-6 * np.abs(a).max()


def test_results_do_not_depend_on_the_base_frame():
    """The whole mechanism, gravity included, turned and moved: same modal and joint accelerations."""
    beam = BEAMS["all"]
    mech = arm(beam)
    turn = RigidTransform.from_rpy((0.4, -0.3, 0.8), (0.5, 0.7, -1.1))
    joints = tuple(replace(j, at=turn @ j.at) if j.parent == "ground" else j for j in mech.joints)
    other = replace(mech, joints=joints, gravity=tuple(turn.R @ np.array(mech.gravity)))
    one, two = Plain(mech), Plain(other)
    q, v, _ = state(one, 7)
    force = np.ones(one.nv)
    np.testing.assert_allclose(two.accelerations(q, v, force), one.accelerations(q, v, force), rtol=1e-9, atol=1e-9)


def test_a_very_stiff_beam_is_a_rigid_body():
    """E I to infinity, at rest bending: joint accelerations of the rigid mechanism, by 1 / E I."""
    base = BEAMS["planar"]
    rigid_mech = arm(base)
    plain, _ = remove_beams(rigid_mech)
    model = Plain(rigid_mech)
    hub, straight = plain.bodies[0].inertia, straight_inertia(base)
    both = hub.mass + straight.mass
    com = (hub.mass * np.array(hub.com) + straight.mass * np.array(straight.com)) / both
    tensor = sum(
        np.array(x.tensor) + x.mass * (np.dot(d, d) * np.eye(3) - np.outer(d, d))
        for x in (hub, straight)
        for d in [np.array(x.com) - com]
    )
    solid = Inertia(both, tuple(com), tuple(map(tuple, tensor)))
    rigid = Plain(replace(plain, bodies=(replace(plain.bodies[0], inertia=solid), *plain.bodies[1:])))
    rng = np.random.default_rng(8)
    q, v = rng.normal(size=rigid.nq), rng.normal(size=rigid.nv)
    n = base.count
    # With the modes held still the flexible mechanism's joint rows are those of the rigid one.
    full_q, full_v = np.concatenate([q, np.zeros(n)]), np.concatenate([v, np.zeros(n)])
    a = rigid.accelerations(q, v, np.ones(rigid.nv))
    force = model.generalized_forces(full_q, full_v, np.concatenate([a, np.zeros(n)]))
    np.testing.assert_allclose(force[: rigid.nv], np.ones(rigid.nv), rtol=1e-10, atol=1e-10)
