"""Wang, Gosselin, Cheng 2001, section 3.2: the four-bar linkage with a flexible coupler."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.mechanism.flexible_bodies import flexible, remove_beams
from tests.loops.cases import case
from tests.springs.motions import absolute, motion

# The paper's beam has no shortening, and its motion loads the coupler with a tenth of its buckling load and more.
pytestmark = pytest.mark.filterwarnings("ignore:.*axial loads change:linkwright.errors.AccuracyWarning")

PRINTED = (3.727403, 0.355058, 1.769684, -14.253270, 0.452073)  # theta, alpha, phi, q21, q22 at the start


@pytest.fixture(scope="module")
def model():
    return lw.build(lw.catalog.load("four-bar-flexible"))


@pytest.fixture(scope="module")
def exact():
    """Published states by the constrained equations, in the catalog's coordinates: q, v."""
    return states(case("fourbar_flexible")["expected_exact"])


def states(rows):
    rows = np.array(rows)
    return np.hstack([absolute(rows), rows[:, 3:5]]), np.hstack([absolute(rows[:, 5:]), rows[:, 8:]])


def test_names_of_the_modal_coordinates(model):
    assert model.q_names == ("theta", "alpha_rel", "phi", "coupler.eta1", "coupler.eta2")
    assert model.mobility == 3


@pytest.mark.parametrize(
    "formulation", [lw.Multipliers(), lw.Minimal(), lw.Minimal(("theta", "coupler.eta1", "coupler.eta2"))]
)
def test_first_accelerations_to_all_printed_digits(model, formulation):
    a = model.forward_dynamics(model.assemble().q, np.zeros(5), [6.0], formulation=formulation)
    found = (a[0], a[0] + a[1], a[2], a[3], a[4])
    assert np.abs(np.array(found) - PRINTED).max() < 5.1e-7


def test_constrained_motion_is_the_published_one(model, exact):
    data, (q, v) = case("fourbar_flexible"), exact
    t = np.array(data["t"])
    found_q, found_v = motion(model, q[0], v[0], [6.0], t, rtol=1e-12)
    assert np.abs(found_q - q).max() < data["tolerances"]["exact"]
    assert found_q[-1, 0] == pytest.approx(9.84544109, abs=5e-9)
    assert np.abs(sum(model.energy(found_q, found_v)) - data["energy"]).max() < 1e-6


def test_the_force_at_the_pin_is_the_published_one(model, exact):
    q, v = exact
    tau = np.full((len(q), 1), 6.0)
    a = model.forward_dynamics(q, v, tau)
    pin = model.joint_reactions(q, v, a, tau)["B"][:, 3:]  # of the coupler on the rocker, rocker axes
    c, s = np.cos(q[:, 2]), np.sin(q[:, 2])
    world = np.stack([c * pin[:, 0] - s * pin[:, 1], s * pin[:, 0] + c * pin[:, 1]], axis=-1)
    expected = np.array(case("fourbar_flexible")["f_B"])
    assert np.abs(world - expected).max() < 1e-6 * np.abs(expected).max()
    assert np.abs(pin[:, 2]).max() < 1e-9


def test_on_springs_the_mid_point_deviates_by_two_percent(model, exact):
    data, (q, v) = case("fourbar_flexible"), exact
    t = np.array(data["t"])
    found, _ = motion(model, q[0], v[0], [6.0], t, lw.VirtualSprings(1e6))
    expected, _ = states(data["virtual_spring_k1e6_b0"])
    assert np.abs(found - expected).max() < 1e-6
    mid = q[:, 3]  # sin(pi / 2) = 1 and sin(pi) = 0: the mid-point's deflection is the first modal coordinate
    deviation = 100.0 * np.abs(found[:, 3] - mid).max() / np.abs(mid).max()
    assert deviation == pytest.approx(2.051185873945477, abs=2e-3)


def test_the_coupler_vibrates_near_its_own_frequency(model, exact):
    """The paper: the dominant frequency is close to the fundamental one of the pinned beam, 10.45 Hz."""
    data, (q, _) = case("fourbar_flexible"), exact
    M = model.mass_matrix(q[0])[3:, 3:]
    stiff = np.array([model.bias_forces(q[0] + 1e-6 * e, np.zeros(5)) for e in np.eye(5)[3:]])
    K = (stiff - model.bias_forces(q[0], np.zeros(5)))[:, 3:] / 1e-6
    found = np.sqrt(np.diag(K) / np.diag(M)) / (2.0 * np.pi)
    np.testing.assert_allclose(found, data["beam_freq_Hz"], rtol=1e-6)


def test_a_coupler_that_bends_no_more_is_the_rigid_one():
    """E I to infinity: accelerations of the rigid linkage, the rest falling as 1 / E I."""
    rigid = lw.build(lw.catalog.load("four-bar"))
    plain, beams = remove_beams(lw.catalog.load("four-bar-flexible"))
    q = rigid.assemble().q
    a = rigid.forward_dynamics(q, np.zeros(3), [6.0])
    errors = []
    for factor in (1e4, 1e6):
        beam = replace(beams["coupler"], stiffness=factor * 2831.0)
        stiff = lw.build(flexible(plain, {"coupler": beam}))
        # where the beam has settled under its load, eta_ddot = 0: eta = -K^-1 (modal force of the rigid motion)
        rest = stiff.generalized_forces(np.append(q, [0, 0]), np.zeros(5), np.append(a, [0, 0]))[3:]
        K = factor * 2831.0 * 0.5 * 4.0 * (np.pi * np.array([1, 2]) / 4.0) ** 4
        found = stiff.forward_dynamics(np.append(q, -rest / K), np.zeros(5), [6.0])
        errors.append(np.abs(found[:3] - a).max())
    assert errors[0] < 1e-3
    assert errors[1] < 0.02 * errors[0]


def test_a_run_reports_deflection_strain_and_loss():
    """Series of the beam, and the energy balance with structural damping counted as a loss."""
    plain, beams = remove_beams(lw.catalog.load("four-bar-flexible"))
    beam = replace(beams["coupler"], damping=1e-3)
    damped = lw.build(flexible(plain, {"coupler": beam}))
    run = lw.simulate(damped, damped.assemble().q, None, 0.5, [6.0], method=lw.DOP853(rtol=1e-11), check=False)
    np.testing.assert_allclose(run["coupler.mid_y"], run["coupler.eta1"], atol=1e-15)
    assert not np.any(run["coupler.tip_y"])
    modal = 0.5 * 2.0 * beam.stiffness * (np.pi * np.array([1, 2]) / 4.0) ** 4 @ (run.q[:, 3:] ** 2).T
    np.testing.assert_allclose(run["coupler.strain"], modal, rtol=1e-12)
    assert run.unit("coupler.eta1") == run.unit("coupler.mid_y") == "m"
    total = run["kinetic energy"] + run["potential energy"]
    assert run["losses"][-1] > 1e-3
    assert np.abs(total - total[0] - run["work"] + run["losses"]).max() < 1e-9 * np.abs(run["work"]).max()
