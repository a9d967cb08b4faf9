"""Curved couplings: a slider on a cam, against the equation of its one freedom, and through files."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import MechanismError
from linkwright.formats import from_mjcf, from_yaml, to_mjcf, to_sdf, to_urdf, to_yaml

A, B, C = 0.3, -0.2, 0.05  # y = A x + B x^2 + C x^4
MASS, MOMENT, G = 2.0, 0.4, 9.81


def cam(terms=(("y", 1.0), ("x", -A)), offset=0.0, curves=(("x", (-B, 0.0, -C)),)):
    """A disk that turns about a horizontal axis and lifts a slider."""
    moment = ((MOMENT, 0.0, 0.0), (0.0, MOMENT, 0.0), (0.0, 0.0, MOMENT))
    bodies = (
        lw.Body("disk", lw.Inertia(1.0, (0, 0, 0), moment)),
        lw.Body("slider", lw.Inertia(MASS, (0, 0, 0), moment)),
    )
    joints = (
        lw.Joint("x", "ground", "disk", lw.joints.Revolute((1.0, 0.0, 0.0))),
        lw.Joint("y", "ground", "slider", lw.joints.Prismatic((0.0, 0.0, 1.0))),
    )
    return lw.Mechanism(
        "cam",
        bodies,
        joints,
        couplings=(lw.Coupling("cam", terms, offset, curves),),
        actuators=(lw.Actuator("drive", "x"),),
        home=(("x", (0.7,)), ("y", (A * 0.7 + B * 0.49 + C * 0.7**4,))),
    )


def lift(x):
    """y, dy/dx, d2y/dx2."""
    return A * x + B * x**2 + C * x**4, A + 2 * B * x + 4 * C * x**3, 2 * B + 12 * C * x**2


@pytest.mark.parametrize("formulation", [lw.Multipliers(), lw.Minimal()])
@pytest.mark.parametrize("x, rate, tau", [(0.7, 1.3, 0.5), (-0.4, -2.0, 0.0), (1.1, 0.0, 3.0)])
def test_a_cam_obeys_its_one_equation(formulation, x, rate, tau):
    """(I + m y'^2) x'' + m y' y'' x'^2 + m g y' = tau."""
    model = lw.build(cam())
    y, rise, bend = lift(x)
    a = model.forward_dynamics([x, y], [rate, rise * rate], [tau], formulation=formulation)
    expected = (tau - MASS * rise * bend * rate**2 - MASS * G * rise) / (MOMENT + MASS * rise**2)
    assert a == pytest.approx([expected, rise * expected + bend * rate**2], rel=1e-12)
    assert model.inverse_dynamics([x, y], [rate, rise * rate], a) == pytest.approx([tau], abs=1e-12)


def test_derivatives_of_a_cam_are_those_of_its_equation():
    """The linear model, whose second derivatives of the cam count, against differences of the equation."""
    model, x, rate, tau = lw.build(cam()), 0.7, 1.3, 0.5

    def acceleration(x, rate):
        _, rise, bend = lift(x)
        return (tau - MASS * rise * bend * rate**2 - MASS * G * rise) / (MOMENT + MASS * rise**2)

    y, rise, _ = lift(x)
    A_, _ = model.linearize([x, y], [rate, rise * rate], [tau])
    h = 1e-5
    by_x = (acceleration(x + h, rate) - acceleration(x - h, rate)) / (2 * h)
    by_rate = (acceleration(x, rate + h) - acceleration(x, rate - h)) / (2 * h)
    assert np.asarray(A_)[1] == pytest.approx([by_x, by_rate], rel=1e-6)


def test_energy_of_a_turning_cam_is_conserved():
    model = lw.build(cam())
    q = model.assemble(fixed={"x": 0.7}).q
    v = model.independent_map(q) @ np.array([2.0])
    run = lw.simulate(model, q, v, t_end=0.4)
    energies = [sum(model.energy(a, b)) for a, b in zip(run.q, run.v, strict=True)]
    assert np.ptp(energies) < 1e-7 * max(1.0, abs(energies[0]))


def test_curves_survive_files():
    mech = cam(offset=0.02)
    assert from_yaml(to_yaml(mech)).couplings == mech.couplings
    pytest.importorskip("mujoco", reason="MuJoCo is not installed")
    (back,) = from_mjcf(to_mjcf(mech).text).mechanism.couplings
    assert dict(back.terms) == pytest.approx(dict(mech.couplings[0].terms)) and back.offset == pytest.approx(0.02)
    assert back.curves[0][0] == "x" and back.curves[0][1] == pytest.approx((-B, 0.0, -C))


def test_a_format_without_curves_lists_the_loss():
    for written in (to_urdf(cam()), to_sdf(cam())):
        assert "lost-coupling" in [finding.code for finding in written.losses]


def test_a_curve_of_a_joint_outside_the_terms_is_refused():
    with pytest.raises(MechanismError, match="curve"):
        cam(curves=(("z", (1.0,)),))
