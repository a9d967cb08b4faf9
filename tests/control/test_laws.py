"""Effort laws: the same on floats, traced and compiled; what they promise holds on open and closed mechanisms."""

import numpy as np
import pytest
from pytest import approx

import linkwright as lw
from linkwright.compiler import compile_program, trace
from linkwright.control.feedback import PD, ComputedTorque, FeedforwardFeedback, PDGravity, feedforward
from linkwright.control.laws import Constant, Sampled, Sines, Sum, Table
from linkwright.control.platform_control import PlatformComputedTorque
from linkwright.control.platform_paths import Circle, PlatformMotion
from linkwright.control.references import Cycloidal, Steady
from linkwright.control.splines import Spline
from linkwright.errors import ArgumentError
from tests.strategies import rate

SMALL = ("three-link-arm", "four-bar", "3-rrr")


@pytest.fixture(scope="module")
def models():
    return {name: lw.build(lw.catalog.load(name)) for name in (*SMALL, "gough-stewart")}


def state(model, seed=1):
    """A closed configuration off home and consistent velocities."""
    rng = np.random.default_rng(seed)
    q = model.assemble().q
    driven, _ = lw.model.programs.actuator_coordinates(model)
    q, v, _ = model.forward_kinematics(q[driven] + 0.02 * rng.normal(size=model.na), rng.normal(size=model.na), near=q)
    return q, v


def compiled(law, model):
    return compile_program(trace(lambda t, q, v: law.tau(t, q, v), {"t": (), "q": model.nq, "v": model.nv}))


def reference(model):
    q = model.assemble().q
    driven, _ = lw.model.programs.actuator_coordinates(model)
    return Cycloidal(q[driven], q[driven] + 0.05, 2.0)


LAWS = {
    "PD": lambda m: PD(m, reference(m), 30.0, 2.0),
    "PDGravity": lambda m: PDGravity(m, reference(m), 30.0, 2.0),
    "ComputedTorque": lambda m: ComputedTorque(m, reference(m), 100.0, 20.0),
    "FeedforwardFeedback": lambda m: FeedforwardFeedback(
        Table([0.0, 1.0, 2.0], np.arange(3.0 * m.na).reshape(3, m.na)), PD(m, reference(m), 30.0, 2.0)
    ),
    "Sum": lambda m: Sum((Constant(np.arange(1.0, 1 + m.na)), Sines(np.ones(m.na), 3.0, 0.2, 0.1))),
}


@pytest.mark.parametrize("law", LAWS)
@pytest.mark.parametrize("name", SMALL)
def test_floats_and_compiled_code_agree(models, name, law):
    model = models[name]
    made = LAWS[law](model)
    q, v = state(model)
    assert made.na == model.na
    found = np.asarray(made.tau(0.7, q, v))
    assert found.shape == (model.na,) and np.isfinite(found).all()
    assert compiled(made, model)(0.7, q, v) == approx(found, rel=1e-9, abs=1e-9)


@pytest.mark.usefixtures("batches_in_lanes")
@pytest.mark.parametrize("law", LAWS)
def test_many_states_at_once_give_the_rows_of_each(models, law):
    model = models["3-rrr"]
    made = LAWS[law](model)
    q, v = (np.stack(rows) for rows in zip(*(state(model, seed) for seed in (1, 2, 3)), strict=True))
    together = np.broadcast_to(made.tau(0.7, q, v), (3, model.na))
    for i in range(3):
        assert together[i] == approx(np.asarray(made.tau(0.7, q[i], v[i])), rel=1e-12)


@pytest.mark.parametrize("ends", ["natural", "smooth", "periodic"])
def test_a_moving_start_needs_no_kick(models, ends):
    """On a reference that is in motion at its ends, the efforts there are those of the motion: continuous from inside.

    A state on the reference needs the feedforward efforts alone; a reference that reported rate zero at its first
    instant added `damping` times the rate.
    """
    model = models["3-rrr"]
    home = model.assemble().q
    driven, _ = lw.model.programs.actuator_coordinates(model)
    t = np.linspace(0.0, 1.0, 9)
    path = home[driven] + 0.05 * np.sin(2 * np.pi * t[:, None] + [0.0, 1.0, 2.0]) - 0.05 * np.sin([0.0, 1.0, 2.0])
    curve = Spline(t, path, ends)
    law = ComputedTorque(model, curve, 400.0, 40.0)
    for end, inside in ((0.0, 1e-9), (1.0, 1.0 - 1e-9)):
        q, v, a = model.forward_kinematics(*curve.at(inside), near=home)
        assert np.abs(v).max() > 0.1
        assert law.tau(end, q, v) == approx(law.tau(inside, q, v), abs=1e-5)
        assert law.tau(end, q, v) == approx(model.inverse_dynamics(q, v, a), abs=1e-5)


@pytest.mark.parametrize("name", (*SMALL, "gough-stewart"))
def test_computed_torque_makes_the_error_linear(models, name):
    """e_ddot + damping e_dot + stiffness e = 0 exactly, whatever the mechanism and its loops."""
    model = models[name]
    law = ComputedTorque(model, reference(model), np.linspace(50.0, 90.0, model.na), 13.0)
    q, v = state(model)
    driven, velocities = lw.model.programs.actuator_coordinates(model)
    a = model.forward_dynamics(q, v, law.tau(0.7, q, v))
    x, x_dot, x_ddot = law.reference.at(0.7)
    left = (x_ddot - a[velocities]) + 13.0 * (x_dot - v[velocities]) + law.stiffness * (x - q[driven])
    assert left == approx(np.zeros(model.na), abs=1e-7)


def test_platform_computed_torque_gives_the_twist_rate_it_wants(models):
    model = models["gough-stewart"]
    q, v = state(model)
    p, wxyz = model.frame_pose(q, model.mechanism.platform)
    circle = Circle(p + [0.01, 0.0, 0.02], 0.03, Steady(0.3, 2.0))
    law = PlatformComputedTorque(model, PlatformMotion(circle, wxyz, angle=Cycloidal(0.0, 0.3, 1.0)), 80.0, 15.0)
    tau = law.tau(0.4, q, v)
    a = model.forward_dynamics(q, v, tau)
    wanted = np.asarray(law.requested_twist_rate(0.4, q, v))
    assert model.frame_acceleration(q, v, a, model.mechanism.platform) == approx(wanted, rel=1e-8, abs=1e-8)
    pose, twist, twist_rate = law.motion.at(0.4)
    found = model.frame_twist(q, v, model.mechanism.platform)
    expected = twist_rate[3:] + 15.0 * (twist - found)[3:] + 80.0 * (pose[0] - p)
    assert wanted[3:] == approx(expected)
    assert compiled(law, model)(0.4, q, v) == approx(np.asarray(tau), rel=1e-7)


def test_platform_computed_torque_of_a_planar_mechanism_follows_its_three_components(models):
    model = models["3-rrr"]
    frame = model.mechanism.platform
    q, v = state(model)
    p, wxyz = model.frame_pose(q, frame)
    law = PlatformComputedTorque(model, PlatformMotion(Steady(p, [0.1, 0.2, 0.0]), wxyz), 80.0, 15.0, ("x", "y", "rz"))
    a = model.forward_dynamics(q, v, law.tau(0.1, q, v))
    found, wanted = model.frame_acceleration(q, v, a, frame), np.asarray(law.requested_twist_rate(0.1, q, v))
    assert found[2:5] == approx(wanted[2:5], rel=1e-8, abs=1e-8)


@pytest.mark.parametrize("name", SMALL)
def test_pd_with_gravity_stands_still_at_its_reference(models, name):
    model = models[name]
    q = model.assemble().q
    driven, _ = lw.model.programs.actuator_coordinates(model)
    law = PDGravity(model, Steady(q[driven], np.zeros(model.na)), 30.0, 2.0)
    still = np.zeros(model.nv)
    assert model.forward_dynamics(q, still, law.tau(3.0, q, still)) == approx(still, abs=1e-7)


@pytest.mark.parametrize("name", ["three-link-arm", "3-rrr"])
@pytest.mark.parametrize("kind", ["PDGravity", "ComputedTorque"])
def test_regulated_mechanisms_are_stable_and_have_the_requested_poles(models, name, kind):
    """Poles of the loop closed with the law, linearized about rest: A + B K with K from the law's own derivatives."""
    model = models[name]
    q = model.assemble().q
    driven, velocities = lw.model.programs.actuator_coordinates(model)
    made = PDGravity if kind == "PDGravity" else ComputedTorque
    law = made(model, Steady(q[driven], np.zeros(model.na)), 40.0, 8.0)
    still = np.zeros(model.nv)
    n = model.mobility
    A, B = model.linearize(q, still, law.tau(0.0, q, still))
    K = np.zeros((model.na, 2 * n))
    for k in range(n):
        unit = np.eye(n)[k]
        R = model.independent_map(q)

        def moved(s, unit=unit):
            q_act = q[driven] + s * 1e-2 * unit[np.argsort(np.argsort(velocities))]
            return law.tau(0.0, model.forward_kinematics(q_act, near=q)[0], still)

        K[:, k] = rate(moved) / 1e-2
        K[:, n + k] = rate(lambda s, unit=unit, R=R: law.tau(0.0, q, R @ unit * s))
    poles = np.linalg.eigvals(A + B @ K)
    assert poles.real.max() < -0.05
    if kind == "ComputedTorque":
        assert poles**2 + 8.0 * poles + 40.0 == approx(np.zeros(2 * n), abs=1e-7)


def test_the_feedforward_moves_the_mechanism_along_its_reference(models):
    model = models["3-rrr"]
    move = reference(model)
    times = np.linspace(0.0, 2.0, 41)
    table = feedforward(model, move, times, near=model.assemble().q)
    x, x_dot, x_ddot = move.at(times[13])
    q, v, a = model.forward_kinematics(x, x_dot, x_ddot, near=model.assemble().q)
    assert table.tau(times[13], q, v) == approx(model.inverse_dynamics(q, v, a), abs=1e-9)
    assert model.forward_dynamics(q, v, table.tau(times[13], q, v)) == approx(a, abs=1e-6)


def test_tables_are_exact_at_their_times_and_right_between():
    times, efforts = [0.0, 1.0, 3.0], np.array([[1.0, 0.0], [2.0, 5.0], [-4.0, 1.0]])
    for between in ("spline", "line", "step"):
        law = Table(times, efforts, between)
        assert law.tau(np.array([-1.0, 0.0, 1.0, 3.0, 9.0]), None, None) == approx(efforts[[0, 0, 1, 2, 2]])
    assert Table(times, efforts, "line").tau(2.0, None, None) == approx([-1.0, 3.0])
    assert Table(times, efforts, "step").tau(2.999, None, None) == approx([2.0, 5.0])
    cubic = np.linspace(0.0, 2.0, 6)
    law = Table(cubic, cubic**3 - cubic, "spline", "smooth")
    assert law.tau(0.77, None, None) == approx([0.77**3 - 0.77])


def test_long_tables_cost_no_more_operations_than_short_ones():
    counts = []
    for n in (4, 4000):
        law = Table(np.linspace(0.0, 1.0, n), np.sin(np.arange(n)))
        counts.append(trace(lambda t, law=law: law.tau(t, None, None), {"t": ()}).n_operations)
    assert counts[0] == counts[1] < 25


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda m: PD(m, Steady([0.0, 0.0], 0.0), 1.0, 1.0), "2 numbers for 1 actuators"),
        (lambda m: PD(m, Steady(0.0, 0.0), [1.0, 2.0], 1.0), "stiffness has shape"),
        (lambda m: PD("four-bar", Steady(0.0, 0.0), 1.0, 1.0), "model is .four-bar., expected a Model"),
        (lambda m: Sum((Constant([1.0]), Constant([1.0, 2.0]))), "cannot be added"),
        (lambda m: FeedforwardFeedback(Constant([1.0, 2.0]), PD(m, Steady(0.0, 0.0), 1, 1)), "for 2 actuators"),
        (lambda m: Table([0.0, 1.0], [[1.0], [2.0]], "cubic"), "between is 'cubic'"),
        (lambda m: Sampled(3.0, 100.0), "expected a function"),
        (lambda m: Sampled(print, 0.0), "rate is 0.0"),
        (lambda m: Sines([1.0], "fast"), "rate is 'fast', expected numbers"),
        (lambda m: PlatformComputedTorque(m, None, 1.0, 1.0), "names no platform"),
    ],
)
def test_an_invalid_law_is_refused(models, make, message):
    with pytest.raises(ArgumentError, match=message):
        make(models["four-bar"])


def test_laws_that_need_one_actuator_per_freedom_are_refused_without():
    arm = lw.build(lw.catalog.load("three-link-arm"), actuated=["theta1"])
    with pytest.raises(ArgumentError, match="one actuator for each degree of freedom"):
        ComputedTorque(arm, Steady(0.0, 0.0), 1.0, 1.0)
