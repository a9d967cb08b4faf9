"""End stops in runs: the same forces alone, in ensembles and in a stepper, and the energy that they keep and take."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright.joints import Revolute
from linkwright.mechanism import Body, Inertia, Joint, Limits, Mechanism
from tests.simulation.mechanisms import limited
from tests.simulation.switched_mechanisms import sliders

pytestmark = pytest.mark.usefixtures("batches_in_lanes")

MASS, ARM, INERTIA, LOWER, UPPER = 1.5, 0.4, 0.02 + 1.5 * 0.4**2, 0.9, 1.9


@pytest.fixture(scope="module")
def pendulum():
    rod = Body("rod", Inertia(MASS, (ARM, 0.0, 0.0), ((0.0, 0.0, 0.0), (0.0, 0.02, 0.0), (0.0, 0.0, 0.0))))
    pin = Joint("pin", "ground", "rod", Revolute((0.0, 1.0, 0.0)), limits=Limits((LOWER,), (UPPER,)))
    return lw.build(Mechanism("pendulum", (rod,), (pin,), gravity=(0.0, 0.0, -9.81)))


def pushed(q, v, stiffness, damping):
    """The moment of both stops of the pendulum, and the power that they lose."""
    out = np.zeros(2)
    for depth, sign in ((LOWER - q, 1.0), (q - UPPER, -1.0)):
        if depth > 0.0:
            push = max(0.0, stiffness * depth - sign * damping * v)
            out += sign * push, -(push - stiffness * depth) * sign * v
    return out


@pytest.mark.parametrize("damping", [0.0, 0.6])
def test_a_bouncing_pendulum_is_that_of_another_integrator(pendulum, damping):
    """The equation of one angle, with the stops' law written out once more, by scipy."""
    stops = lw.EndStops(800.0, damping)

    def rates(t, y):
        moment, lost = pushed(y[0], y[1], 800.0, damping)
        return [y[1], (MASS * 9.81 * ARM * np.cos(y[0]) + moment) / INERTIA, lost]

    times = np.linspace(0.0, 3.0, 61)
    truth = solve_ivp(rates, (0.0, 3.0), [1.0, 0.0, 0.0], "DOP853", times, rtol=1e-12, atol=1e-12, max_step=1e-3).y
    run = lw.simulate(pendulum, [1.0], t_end=3.0, output=times, stops=stops, method=lw.DOP853(1e-11))
    assert truth[0].max() > UPPER + 0.02, "it reaches the stop"
    assert run.q[:, 0] == pytest.approx(truth[0], abs=2e-7)
    assert run.v[:, 0] == pytest.approx(truth[1], abs=5e-6)
    assert run["losses"] == pytest.approx(truth[2], abs=1e-6)
    assert {event.name for event in run.events if event.kind == "limit"} == {"pin"}


def test_a_slider_leaves_an_undamped_stop_as_fast_as_it_came():
    """Half a period of mass and spring: the closed solution of a contact."""
    model = lw.build(limited(sliders([2.0], [0.0], 1.0), "x0", -5.0, 0.5))
    omega = np.sqrt(3e3 / 2.0)
    after, apart = 0.5 / 1.5, np.pi / omega
    times = [0.0, after, after + 0.5 * apart, after + apart, 1.0]
    run = lw.simulate(model, [0.0], [1.5], t_end=1.0, output=times, stops=lw.EndStops(3e3), method=lw.DOP853(1e-11))
    expected = [0.0, 0.5, 0.5 + 1.5 / omega, 0.5, 0.5 - 1.5 * (1.0 - after - apart)]
    assert run.q[:, 0] == pytest.approx(expected, abs=1e-8)
    assert run.v[:, 0] == pytest.approx([1.5, 1.5, 0.0, -1.5, -1.5], abs=1e-6)


def against_a_stop(joint):
    """A four-bar with one limited joint, pressed against both ends of its range."""
    mech = lw.catalog.load("four-bar")
    name = mech.joints[0].name if joint == "tree" else mech.loops[0].name
    free = lw.build(limited("four-bar", name, -100.0, 100.0))
    start = free.assemble().q
    angle = float(free.limits_exceeded(start[None]).values[0, 0])
    return lw.build(limited("four-bar", name, angle - 0.15, angle + 0.15)), start


@pytest.mark.parametrize("damping", [0.0, 40.0])
@pytest.mark.parametrize("joint", ["tree", "cut"])
def test_energy_less_work_plus_losses_stays_with_stops(joint, damping):
    model, q = against_a_stop(joint)
    run = lw.simulate(model, q, t_end=0.75, effort=[12.0], stops=lw.EndStops(2e3, damping))
    balance = run.meta["energy_balance"]
    assert balance["relative"] < 1e-7 and balance["exchanged"] > 0.1
    assert run.meta["agreement"]["relative"] < 1e-7
    assert np.diff(run["losses"]).min() > -1e-10 and (run["losses"][-1] > 0.01) == (damping > 0.0)
    potential = model.energy(run.q, run.v)[1]
    assert (run["potential energy"] - potential).max() > 1e-3, "energy in the springs of the stops"


@pytest.mark.parametrize("joint", ["tree", "cut"])
def test_a_run_is_that_of_a_stepper_and_of_an_ensemble(joint):
    """The same steps. Lanes compute forces and losses in one program, so that rounding may differ by some last bits."""
    model, q = against_a_stop(joint)
    stops, h, t_end = lw.EndStops(2e3, 40.0), 2.0**-10, 700 * 2.0**-10  # steps end exactly on the times of rows
    robots = lw.Stepper(model, 2, h, q=q, stops=stops)
    alone = lw.simulate(model, q, t_end=t_end, effort=[12.0], method=lw.RK4(h), output=[0.0, t_end], stops=stops)
    for _ in range(700):
        robots.step([12.0])
    assert robots.q[0] == pytest.approx(alone.q[-1], abs=1e-13)
    assert robots.v[0] == pytest.approx(alone.v[-1], abs=1e-12)
    assert robots.losses[0] == pytest.approx(alone["losses"][-1], rel=1e-12) and robots.losses[0] > 0.01
    for method in (lw.RK4(1e-3), lw.DOP853(), lw.DP5()):
        given = {"t_end": 0.7, "method": method, "output": 5, "stops": stops}
        alone = lw.simulate(model, q, effort=[12.0], check=False, **given)
        many = lw.simulate_many(model, [q, q], effort=[[-9.0], [12.0]], **given)
        assert many.q[1] == pytest.approx(alone.q, abs=1e-8)
        assert many["potential energy"][1] == pytest.approx(alone["potential energy"], rel=1e-8)


@pytest.mark.parametrize("damping, exact", [(0.0, 1e-8), (40.0, 1e-5)])
def test_fine_steps_of_a_stepper_come_to_the_run_that_chooses_its_own(damping, exact):
    """A damper's force begins with a jump, which steps of fixed size meet in their first order."""
    model, q = against_a_stop("cut")
    stops = lw.EndStops(2e3, damping)
    run = lw.simulate(model, q, t_end=0.65, effort=[12.0], output=[0.0, 0.65], stops=stops, method=lw.DOP853(1e-11))
    robots = lw.Stepper(model, 1, 1e-3, q=q, stops=stops, substeps=20)
    for _ in range(650):
        robots.step([12.0])
    assert robots.q[0] == pytest.approx(run.q[-1], abs=exact)


WAYS = [
    lw.Minimal(), lw.Minimal(displacement=True), lw.Multipliers(lw.Baumgarte(20.0)), lw.VirtualSprings(1e9, 1e4)
]  # fmt: skip


@pytest.mark.parametrize("way", WAYS, ids=repr)
def test_stops_act_alike_in_every_formulation(way):
    model, q = against_a_stop("tree")
    given = {"t_end": 0.3, "effort": [12.0], "output": 4, "stops": lw.EndStops(2e3, 40.0)}
    method = lw.Rodas5P(1e-8) if isinstance(way, lw.VirtualSprings) else None
    one, other = lw.simulate(model, q, **given), lw.simulate(model, q, formulation=way, method=method, **given)
    assert other.q == pytest.approx(one.q, abs=1e-4 if method else 1e-6)
    assert other["losses"] == pytest.approx(one["losses"], rel=1e-3, abs=1e-6)


def test_stops_follow_limits_and_lengths_that_are_inputs():
    model, q = against_a_stop("tree")
    mass = f"bodies.{model.bodies[0]}.mass"
    open_model = lw.build(model.mechanism, inputs=[mass])
    value = 1.3 * open_model.parameters.values[0]
    heavy = lw.build(lw.build(model.mechanism, inputs=[mass]).with_parameters([value]).mechanism)
    given = {"t_end": 0.3, "effort": [12.0], "output": 4, "stops": lw.EndStops(2e3, 40.0)}
    one, other = lw.simulate(open_model, q, p=[value], **given), lw.simulate(heavy, q, **given)
    assert one.q == pytest.approx(other.q, abs=1e-7) and one["losses"] == pytest.approx(other["losses"], abs=1e-7)


def test_wrong_stops_and_derivatives_across_them_are_refused(pendulum):
    for stops, message in ((3.0, "expected lw.EndStops"), (lw.EndStops({"nowhere": 1.0}), "unknown joint 'nowhere'")):
        with pytest.raises(lw.errors.ArgumentError, match=message):
            lw.simulate(pendulum, [1.0], stops=stops)
        with pytest.raises(lw.errors.ArgumentError, match=message):
            lw.simulate_many(pendulum, [1.0], stops=stops)
    run = lw.simulate(pendulum, [1.0], t_end=0.1, stops=lw.EndStops(100.0))
    with pytest.raises(lw.errors.ArgumentError, match="does not follow end stops"):
        run.sensitivity(initial=True)


def test_a_saved_run_says_which_stops_it_had(pendulum, tmp_path):
    lw.simulate(pendulum, [1.0], t_end=0.5, output=lw.Output(11, tmp_path / "run.npz"), stops=lw.EndStops(100.0))
    assert lw.open_result(tmp_path / "run.npz").meta["stops"] == "EndStops(stiffness=100.0, damping=0.0)"


def test_a_loop_that_closes_leaves_the_stops_of_other_joints():
    """Two balls meet and stay together; the stop of the first one then carries both, and energy balances."""
    mech = limited(sliders([2.0, 1.0], [0.0, 1.5], 1.0), "x1", -5.0, 0.6)
    model = lw.build(mech, actuated=[])
    events, stops = [lw.events.Close("hit0")], lw.EndStops(3e3)
    run = lw.simulate(model, [0.0, 0.0], [1.5, 0.0], t_end=1.5, method=lw.DOP853(1e-11), events=events, stops=stops)
    assert [event.kind for event in run.events if event.kind == "closed"] == ["closed"]
    together = 1.5 * 2.0 / 3.0
    assert run.q[:, 1].max() == pytest.approx(0.6 + together / np.sqrt(3e3 / 3.0), abs=1e-4)
    assert run.v[-1] == pytest.approx([-together] * 2, abs=1e-6)
    assert run.meta["energy_balance"]["relative"] < 1e-7
