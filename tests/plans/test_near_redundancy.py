"""Loops that would close but for rounding: one bar on three parallel cranks of nearly equal length."""

import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import AssemblyError, FormatWarning
from linkwright.functions.loop import closure_functions

LENGTH = 0.2


def three_cranks(short=0.0, turn=0.5):
    """A bar on three cranks that turn alike if they are equally long; the third is `short` too short."""
    bodies = [lw.Body(f"crank{i}", lw.Inertia(1.0, (0.1, 0.0, 0.0), _solid(0.01))) for i in range(3)]
    bodies.append(lw.Body("bar", lw.Inertia(2.0, (0.1, 0.0, 0.0), _solid(0.02))))
    z = lw.joints.Revolute((0.0, 0.0, 1.0))
    joints = [lw.Joint(f"A{i}", "ground", f"crank{i}", z, _at(0.1 * i)) for i in range(3)]
    joints.append(lw.Joint("B0", "crank0", "bar", z, _at(LENGTH)))
    loops = [lw.Joint(f"B{i}", f"crank{i}", "bar", z, _at(LENGTH - short * (i == 2)), _at(0.1 * i)) for i in (1, 2)]
    home = tuple((joint.name, (turn if joint.name[0] == "A" else -turn,)) for joint in joints)
    return lw.Mechanism(
        "cranks", tuple(bodies), tuple(joints), loops=tuple(loops), home=home, actuators=(lw.Actuator("drive", "A0"),)
    )


def _solid(moment):
    return ((moment, 0.0, 0.0), (0.0, moment, 0.0), (0.0, 0.0, moment))


def _at(x):
    return lw.RigidTransform((x, 0.0, 0.0))


def nearly(short):
    model = lw.build(three_cranks(short))
    with pytest.warns(FormatWarning, match="cannot close exactly") as caught:
        model.assemble()
    return model, caught[0].message.finding


def test_equal_cranks_release_nothing():
    model = lw.build(three_cranks())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.assemble().residual < 1e-12
    assert model.kinematics.released == () and model.mobility == 1


@pytest.mark.parametrize("short", [1e-9, 1e-8, 1e-7])
def test_cranks_of_rounded_lengths_move_as_equal_ones(short):
    """The mobility is that of equal cranks, and accelerations differ from theirs in proportion to the rounding."""
    model, found = nearly(short)
    assert model.mobility == 1 and found.code == "nearly-closed" and short / 3 < found.value < 3 * short
    exact = lw.build(three_cranks())
    accelerations = []
    for each in (exact, model):
        q = each.assemble(fixed={"A0": 0.7}).q
        v = each.independent_map(q) @ np.array([1.3])
        accelerations.append(each.forward_dynamics(q, v, [0.4]))
    assert np.abs(accelerations[1] - accelerations[0]).max() < 1e3 * short


def test_kept_equations_close_and_stay_closed():
    """Velocities and accelerations are exact derivatives of the equations that are kept: no 1e-8 is left over."""
    model, _ = nearly(1e-7)
    q = model.assemble(fixed={"A0": 0.7}).q
    v = model.independent_map(q) @ np.array([1.3])
    a = model.forward_dynamics(q, v, [0.4])
    residual = model.kinematics.all_rows.function(closure_functions.closure_residual)
    h = 1e-3
    along = [residual(model.integrate(q, t * v + 0.5 * t * t * a, 1.0)) for t in (-h, 0.0, h)]
    rate, curvature = (along[2] - along[0]) / (2 * h), (along[2] - 2 * along[1] + along[0]) / h**2
    assert np.abs(along[1]).max() < 1e-13
    assert np.abs(rate).max() < 2e-6 and np.abs(curvature).max() < 2e-6
    J = model.kinematics.all_rows.function(closure_functions.exact_closure_jacobian)(q)
    assert np.abs(J @ v).max() < 1e-13


def test_lengths_that_differ_more_are_not_rounding():
    model = lw.build(three_cranks(1e-3))
    with pytest.raises(AssemblyError):
        model.mobility  # noqa: B018


def test_check_shows_the_finding_and_warns_of_nothing():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = lw.check(three_cranks(1e-8))
    assert "nearly-closed" in [finding.code for finding in found.findings] and found.mobility == 1


def test_a_structure_that_only_begins_to_move_is_named():
    """Two hinges and a slider across the line between them, its axis tilted as rounded angles do (Cassie's shin)."""
    solid = lw.Inertia(1.0, (0.0, 0.0, 0.1), _solid(0.01))
    y, tilt = lw.joints.Revolute((0.0, -1.0, 0.0)), 5e-6
    joints = (
        lw.Joint("hinge", "ground", "shin", y),
        lw.Joint("second", "ground", "spring", y, lw.RigidTransform((0.025, 0.0, -0.025))),
        lw.Joint("free", "ground", "pendulum", y, _at(1.0)),
    )
    axis = np.array([-1.0, -tilt, -1.0]) / np.linalg.norm([1.0, tilt, 1.0])
    slider = lw.Joint(
        "slider", "shin", "spring", lw.joints.Prismatic(tuple(axis)), child_at=lw.RigidTransform((-0.025, 0.0, 0.025))
    )
    mech = lw.Mechanism(
        "knee", tuple(lw.Body(name, solid) for name in ("shin", "spring", "pendulum")), joints, loops=(slider,)
    )
    with pytest.raises(AssemblyError, match=r"loop 'slider' are nearly dependent.*'hinge', 'second' can begin to move"):
        lw.build(mech).independent_map([0.0, 0.0, 0.3])
