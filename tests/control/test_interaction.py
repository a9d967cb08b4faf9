"""Laws of mechanisms that carry payloads and touch their surroundings."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError


def platform_motion(model, q):
    """The platform stays where it is at q."""
    pose = model.frame_pose(q, model.mechanism.platform)
    return lw.control.PlatformMotion(lw.control.Steady(pose.position, np.zeros(3)), pose.quaternion_wxyz)


@pytest.fixture(scope="module")
def planar():
    model = lw.build(lw.catalog.load("3-rrr"))
    return model, model.assemble().q


@pytest.fixture(scope="module")
def hexapod():
    model = lw.build(lw.catalog.load("gough-stewart"))
    return model, model.assemble().q


def moving(model, q, rate):
    """Velocities with every actuator at the same rate."""
    return model.forward_kinematics(model.actuator_positions(q), np.full(model.na, rate), near=q)[1]


@pytest.mark.parametrize("name", ["planar", "hexapod"])
def test_compensated_weight_and_payload_leave_the_kinetic_energy_alone(name, request):
    model, q = request.getfixturevalue(name)
    load = lw.Wrench.weight(model.mechanism, model.mechanism.platform, 5.0, at=(0.01, 0.02, 0.03))
    law = lw.control.GravityCompensation(model, load)
    run = lw.simulate(model, q, moving(model, q, 0.05), t_end=0.3, effort=law, wrench=load, output=11)
    energy = run["kinetic energy"]
    assert np.abs(energy / energy[0] - 1.0).max() < 1e-8
    still = lw.simulate(model, q, t_end=0.2, effort=law, wrench=load, output=3)
    assert np.abs(still.v).max() < 1e-9


def stored(law, run):
    """Energy of the springs of an impedance with one stiffness of rotation, [J]."""
    model = law.model
    k_r, k_x = law.stiffness[0], law.stiffness[3:]
    out = []
    for t, q in zip(run.t, run.q, strict=True):
        wanted = law.motion.at(t)[0]
        pose = model.frame_pose(q, model.mechanism.platform)
        turn = abs(wanted.quaternion_wxyz @ pose.quaternion_wxyz)
        out.append(4.0 * k_r * (1.0 - turn) + 0.5 * np.sum(k_x * (wanted.position - pose.position) ** 2))
    return np.array(out)


@pytest.mark.parametrize("name", ["planar", "hexapod"])
def test_an_impedance_without_damping_keeps_energy_and_with_it_loses_what_it_takes(name, request):
    model, q = request.getfixturevalue(name)
    stiffness = np.array([60.0, 60.0, 60.0, 2e3, 1e3, 3e3])
    start = moving(model, q, 0.2)
    law = lw.control.Impedance(model, platform_motion(model, q), stiffness, 0.0)
    run = lw.simulate(model, q, start, t_end=0.3, effort=law, output=31)
    total = run["kinetic energy"] + stored(law, run)
    assert np.abs(total / total[0] - 1.0).max() < 1e-7
    assert run["kinetic energy"].min() < 0.9 * total[0]
    damped = lw.control.Impedance(model, platform_motion(model, q), stiffness, 20.0)
    run = lw.simulate(model, q, start, t_end=0.3, effort=damped, output=31)
    total = run["kinetic energy"] + stored(damped, run)
    assert np.all(np.diff(total) < 1e-12) and total[-1] < 0.9 * total[0]


def test_an_impedance_yields_to_a_force_by_its_compliance(planar):
    model, q = planar
    motion = platform_motion(model, q)
    stiffness, pull = np.array([50.0, 50.0, 50.0, 4e3, 2e3, 3e3]), np.array([6.0, -4.0, 0.0])
    law = lw.control.Impedance(model, motion, stiffness, [4.0, 4.0, 4.0, 150.0, 150.0, 150.0])
    load = lw.Wrench(model.mechanism.platform, pull, axes="world")
    run = lw.simulate(model, q, t_end=4.0, effort=law, wrench=load, output=2)
    moved = model.frame_pose(run.q[-1], model.mechanism.platform).position - motion.at(0.0)[0].position
    assert moved[:2] == pytest.approx(pull[:2] / stiffness[3:5], abs=1e-7)


def test_an_admittance_moves_like_its_mass_spring_and_damper(hexapod):
    model, q = hexapod
    motion = platform_motion(model, q)
    force, moment = np.array([20.0, -10.0, 30.0]), np.array([0.0, 0.0, 1.5])
    load = lw.Wrench(model.mechanism.platform, force, moment, axes="world")
    mass, damping, stiffness = 8.0, 40.0, 900.0
    gains = [np.r_[0.5, 0.5, 0.5, [m] * 3] for m in (mass, damping, stiffness)]
    gains[1][:3], gains[2][:3] = 4.0, 60.0
    law = lw.control.Admittance(model, motion, load, *gains)
    run = lw.simulate(model, q, t_end=0.5, effort=law, wrench=load, output=21)
    where = model.frame_pose(run.q, model.mechanism.platform)
    decay, omega = damping / (2.0 * mass), np.sqrt(stiffness / mass - (damping / (2.0 * mass)) ** 2)
    t = run.t
    rise = 1.0 - np.exp(-decay * t) * (np.cos(omega * t) + decay / omega * np.sin(omega * t))
    expected = np.outer(rise, force / stiffness)
    assert np.abs(where.position - motion.at(0.0)[0].position - expected).max() < 1e-7
    states = run.group("controller")
    assert np.abs(states[:, 3:6] - expected).max() < 1e-7
    # rotation about z alone: theta'' 0.5 + 4 theta' + 60 (2 sin(theta / 2)) = 1.5, integrated here by itself
    angle, rate, h = 0.0, 0.0, 1e-4
    for _ in range(5000):
        k = []
        for a, b in ((0.0, None), (0.5, 0), (0.5, 1), (1.0, 2)):
            x, w = (angle, rate) if b is None else (angle + a * h * k[b][0], rate + a * h * k[b][1])
            k.append((w, (1.5 - 4.0 * w - 60.0 * 2.0 * np.sin(x / 2.0)) / 0.5))
        angle += h / 6.0 * (k[0][0] + 2 * k[1][0] + 2 * k[2][0] + k[3][0])
        rate += h / 6.0 * (k[0][1] + 2 * k[1][1] + 2 * k[2][1] + k[3][1])
    assert 2.0 * np.arcsin(states[-1, 2]) == pytest.approx(angle, abs=1e-7)
    R = where.rotation[-1] @ where.rotation[0].T
    assert np.arctan2(R[1, 0], R[0, 0]) == pytest.approx(angle, abs=1e-7)


class Disturbed:
    """A law whose actuators have friction or a load that the law does not know."""

    def __init__(self, law, more):
        self.law, self.more, self.na, self.n_states = law, np.asarray(more), law.na, law.n_states

    def tau(self, t, q, v, z):
        return self.law.tau(t, q, v, z) + self.more

    def rates(self, t, q, v, z):
        return self.law.rates(t, q, v, z)


@pytest.mark.parametrize("name", ["three-link-arm", "five-bar", "3-rrr"])
@pytest.mark.parametrize("correct", [True, False])
def test_the_estimate_of_a_disturbance_is_that_of_first_order(name, correct):
    model = lw.build(lw.catalog.load(name))
    q = model.assemble().q
    here = model.actuator_positions(q)
    pd = lw.control.PD(model, lw.control.Cycloidal(here, here + 0.2, 0.5), 20.0, 2.0)
    gain, d = np.linspace(20.0, 30.0, model.na), np.linspace(-0.4, 0.7, model.na)
    observer = lw.control.DisturbanceObserver(model, pd, gain, correct)
    for formulation in (lw.Multipliers(), lw.Minimal()):
        run = lw.simulate(model, q, t_end=0.4, effort=Disturbed(observer, d), output=9, formulation=formulation)
        expected = d * (1.0 - np.exp(-np.outer(run.t, gain)))
        assert np.abs(observer.estimate(run) - expected).max() < 1e-6
    assert run.meta["energy_balance"]["relative"] < 1e-6


def test_an_observer_finds_the_force_on_the_platform_and_corrects_it(planar):
    model, q = planar
    here = model.actuator_positions(q)
    load = lw.Wrench(model.mechanism.platform, [3.0, -2.0, 0.0], [0.0, 0.0, 0.1], axes="world")
    pd = lw.control.PDGravity(model, lw.control.Steady(here, np.zeros(3)), 40.0, 6.0)
    observer = lw.control.DisturbanceObserver(model, pd, 25.0)
    off, held = (lw.simulate(model, q, t_end=6.0, effort=law, wrench=load, output=2) for law in (pd, observer))
    assert np.abs(model.actuator_positions(off.q[-1]) - here).max() > 1e-3
    assert np.abs(model.actuator_positions(held.q[-1]) - here).max() < 1e-6
    still = np.zeros(model.nv)
    needed = model.inverse_dynamics(held.q[-1], still, still) - model.inverse_dynamics(
        held.q[-1], still, still, w_ext=load
    )
    assert observer.estimate(held)[-1] == pytest.approx(needed, abs=1e-5)


def test_controllers_with_states_run_in_ensembles_and_resume(planar, tmp_path):
    model, q = planar
    here = model.actuator_positions(q)
    pd = lw.control.PDGravity(model, lw.control.Steady(here, np.zeros(3)), 40.0, 6.0)
    observer = lw.control.DisturbanceObserver(model, pd, 25.0)
    load = lw.Wrench(model.mechanism.platform, [3.0, -2.0, 0.0], axes="world")
    starts = np.array([q] * 5)
    many = lw.simulate_many(model, starts, t_end=0.2, effort=observer, wrench=load, output=3, threads=1)
    one = lw.simulate(model, q, t_end=0.2, effort=observer, wrench=load, output=3)
    assert np.abs(many.q[4] - one.q).max() < 1e-9
    path = tmp_path / "run.npz"

    def stop(share):
        raise KeyboardInterrupt

    def call(**how):
        out = lw.Output(11, path, how.pop("progress", None))
        return lw.simulate(model, q, t_end=2.0, effort=observer, wrench=load, output=out, method=lw.RK4(1e-3), **how)

    with pytest.raises(KeyboardInterrupt):
        call(progress=stop)
    again = call(resume=True)
    whole = lw.simulate(model, q, t_end=2.0, effort=observer, wrench=load, output=11, method=lw.RK4(1e-3))
    assert np.array_equal(again.q, whole.q)
    assert np.array_equal(lw.open_result(path).group("controller"), whole.group("controller"))


def test_a_motion_is_followed_by_its_own_efforts(planar):
    model, q = planar
    here = model.actuator_positions(q)
    t = np.linspace(0.0, 0.6, 301)
    m = lw.motion(model, t, q_act=lw.control.Quintic(here, here + [0.2, -0.1, 0.15], 0.6), near=q, reactions=False)
    plain = lw.control.FeedforwardFeedback.of_motion(model, m)
    run = lw.simulate(model, m.q[0], m.v[0], t_end=0.6, effort=plain, output=t)
    assert np.abs(run.q - m.q).max() < 1e-5
    held = lw.control.FeedforwardFeedback.of_motion(model, m, stiffness=200.0, damping=20.0)
    run = lw.simulate(model, m.q[0], m.v[0], t_end=0.6, effort=held, output=t)
    assert np.abs(run.q - m.q).max() < 1e-6
    with pytest.raises(ArgumentError, match="coordinates"):
        lw.control.FeedforwardFeedback.of_motion(lw.build(lw.catalog.load("four-bar")), m)


def test_wrong_arguments_are_named(planar):
    model, q = planar
    motion = platform_motion(model, q)
    load = lw.Wrench(model.mechanism.platform, [1.0, 0, 0])
    pd = lw.control.PD(model, lw.control.Steady(np.zeros(3), np.zeros(3)), 1.0, 1.0)
    observer = lw.control.DisturbanceObserver(model, pd, 5.0)
    for call, message in (
        (lambda: lw.control.GravityCompensation(model, 3.0), "payload is 3.0"),
        (lambda: lw.control.Impedance(model, motion, [1.0, 2.0], 0.0), "stiffness has shape"),
        (lambda: lw.control.Impedance(lw.build(lw.catalog.load("four-bar")), motion, 1.0, 0.0), "platform"),
        (lambda: lw.control.Admittance(model, motion, load, 0.0, 1.0, 1.0), "mass is"),
        (lambda: lw.control.Admittance(model, motion, load, 1.0, -1.0, 1.0), "damping is -1.0, expected"),
        (lambda: lw.control.Impedance(model, motion, [0, 0, 0, 1, 1, -1], 1.0), "stiffness is .*not below zero"),
        (lambda: lw.control.DisturbanceObserver(model, pd, -1.0), "gain is"),
        (lambda: lw.control.DisturbanceObserver(model, observer, 5.0), "without states"),
        (lambda: lw.simulate(model, q, t_end=0.1, effort=observer, method=lw.Rodas5P()), "Rodas5P"),
    ):
        with pytest.raises(ArgumentError, match=message):
            call()
