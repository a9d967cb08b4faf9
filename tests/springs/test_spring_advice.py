"""Stiffness studies and advice: what is predicted is what simulation then finds."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis.spring_advice import largest_joint_opening, rk4_limit, spring_mobilities
from linkwright.compiler import evaluate, jacobian
from linkwright.dynamics.methods import row_coefficients, spring_kernels
from linkwright.errors import ArgumentError
from linkwright.functions.loop import spring_functions
from tests.loops.cases import case
from tests.springs.motions import Sine


@pytest.fixture(scope="module")
def four_bar():
    model = lw.build(lw.catalog.load("four-bar"))
    return model, model.assemble().q


def test_figure_6(four_bar):
    """Wang's figure 6: the error at 0.1 s, the largest and its root mean square, against k."""
    model, q = four_bar
    rows = case("fourbar_rigid_virtual_spring")["fig6"][::2]
    study = lw.analysis.stiffness_study(model, q, effort=[6.0], stiffness=[10.0 ** row["log10k"] for row in rows])
    np.testing.assert_allclose(study.final, [row["e_t0p1_exact"] for row in rows], rtol=5e-4)
    np.testing.assert_allclose(study.largest, [row["e_max_0_0p1_exact"] for row in rows], rtol=5e-5)
    np.testing.assert_allclose(study.rms, [row["e_rms_0_0p1_exact"] for row in rows], rtol=5e-5)


def test_the_error_falls_as_one_over_k(four_bar):
    model, q = four_bar
    study = lw.analysis.stiffness_study(model, q, effort=[6.0], stiffness=[1e4, 1e5, 1e6, 1e7])
    np.testing.assert_allclose(study.largest / study.envelope, 1.0, atol=2e-3)
    np.testing.assert_allclose(study.envelope * study.stiffness, study.envelope[0] * 1e4, rtol=1e-12)
    assert np.all(np.diff(study.evaluations) > 0)  # stiffer springs cost more


@pytest.mark.parametrize("ratio", [0.0, 0.1, 1.0])
@pytest.mark.parametrize("t_end", [0.5, 2.0])
def test_the_predicted_opening_is_met(four_bar, ratio, t_end):
    model, q = four_bar
    advice = lw.analysis.advise_springs(model, q, t_end=t_end, effort=[6.0], opening=2e-5, damping_ratio=ratio)
    run = lw.simulate(model, q, None, t_end, [6.0], advice.springs, lw.DOP853(rtol=1e-9), output=4001, check=False)
    assert largest_joint_opening(model, run.q).max() == pytest.approx(2e-5, rel=0.02)


def test_the_prediction_holds_for_ball_joints_in_space():
    data = case("stewart_forward_g98")
    model = lw.build(lw.catalog.load("gough-stewart"))
    start = np.array(data["initial"]["p"]), np.array(data["initial"]["quat"])
    q = model.inverse_kinematics(start)[0]
    advice = lw.analysis.advise_springs(model, q, t_end=0.5, effort=Sine(9.0, 6), opening=1e-5)
    run = lw.simulate(model, q, None, 0.5, Sine(9.0, 6), advice.springs, lw.DOP853(rtol=1e-8), output=1001, check=False)
    assert largest_joint_opening(model, run.q).max() == pytest.approx(1e-5, rel=0.05)


def test_one_loop_on_springs_is_advised_for_by_itself():
    model = lw.build(lw.catalog.load("3-rrr"))
    q, at = model.assemble().q, (model.mechanism.loops[0].name,)
    advice = lw.analysis.advise_springs(
        model, q, t_end=0.3, effort=np.full(3, 1.0), opening=1e-5, damping_ratio=0.0, at=at
    )
    run = lw.simulate(
        model, q, None, 0.3, np.full(3, 1.0), advice.springs, lw.DOP853(rtol=1e-9), output=2001, check=False
    )
    assert largest_joint_opening(model, run.q, at).max() == pytest.approx(1e-5, rel=0.1)


def test_frequencies_are_those_of_the_compiled_jacobian(four_bar):
    """Eigenvalues of the whole right-hand side's derivative: the spring modes stand out with the predicted roots."""
    model, q = four_bar
    springs = lw.VirtualSprings(1e8, 2e3)
    kernels, rows = spring_kernels(model.kinematics, springs), row_coefficients(model.kinematics, springs)
    by_state = jacobian(kernels.program(spring_functions.spring_forward_dynamics), ["q", "v"])
    d = evaluate(by_state, q, np.zeros(3), np.array([6.0]), *rows)
    A = np.block([[np.zeros((3, 3)), np.eye(3)], [d["d_out_d_q"], d["d_out_d_v"]]])
    found = np.linalg.eigvals(A)
    found = found[np.argsort(np.abs(found))][-4:]
    soft, stiff = spring_mobilities(model, q)
    for mobility, pair in ((soft, found[:2]), (stiff, found[2:])):
        expected = np.roots([1.0, 2e3 * mobility, 1e8 * mobility])
        np.testing.assert_allclose(np.sort_complex(pair), np.sort_complex(expected), rtol=1e-5)


def test_the_explicit_step_is_stable_up_to_the_limit_and_not_beyond(four_bar):
    model, q = four_bar
    advice = lw.analysis.advise_springs(model, q, t_end=0.1, effort=[6.0], opening=1e-5, damping_ratio=0.1)
    assert advice.step < advice.step_limit < advice.stiff_step

    def widest(h):
        run = lw.simulate(model, q, None, 0.1, [6.0], advice.springs, lw.RK4(h), output=101, check=False)
        return (
            largest_joint_opening(model, run.q[np.isfinite(run.q).all(axis=1)]).max()
            if run.meta["complete"]
            else np.inf
        )

    assert widest(advice.step) < 1.05 * advice.opening
    assert widest(0.97 * advice.step_limit) < 2.0 * advice.opening
    assert not widest(1.05 * advice.step_limit) < 100.0 * advice.opening


def test_rk4s_own_limits():
    """On the imaginary axis 2 sqrt(2), on the negative real axis 2.7853."""
    assert rk4_limit(100.0, 0.0) == pytest.approx(2.0 * np.sqrt(2.0) / 100.0, rel=1e-4)
    assert rk4_limit(100.0, 1.0) == pytest.approx(2.785293563405282 / 100.0, rel=1e-6)


def test_advice_in_words(four_bar):
    model, q = four_bar
    message = str(lw.analysis.advise_springs(model, q, t_end=0.1, effort=[6.0], opening=1e-4))
    assert "opening: 100 um" in message and "unstable beyond" in message
    with pytest.raises(ArgumentError, match="above zero"):
        lw.analysis.advise_springs(model, q, opening=0.0)
    with pytest.raises(ArgumentError, match="damping_ratio is -1"):
        lw.analysis.advise_springs(model, q, damping_ratio=-1)
    with pytest.raises(ArgumentError, match="above zero in N/m"):
        lw.analysis.stiffness_study(model, q, stiffness=[0.0])
    arm = lw.build(lw.catalog.load("three-link-arm"))
    with pytest.raises(ArgumentError, match="no loops"):
        lw.analysis.advise_springs(arm, np.zeros(3))


def test_a_motion_without_forces_is_refused():
    model = lw.build(lw.catalog.load("five-bar"))  # in a horizontal plane, at rest
    with pytest.raises(lw.errors.ArgumentError, match="carry no force"):
        lw.analysis.advise_springs(model, model.assemble().q, t_end=0.05)
