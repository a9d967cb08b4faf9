"""Koteswara Rao, Saha, Rao 2006: HexaM on its circle, with sliders or legs left out, at several speeds."""

from dataclasses import replace

import numpy as np
import pytest

from linkwright import catalog
from linkwright.functions import Kernels, setup
from linkwright.mechanism import Inertia
from linkwright.plans.closure_newton import close_all
from tests.loops import worlds
from tests.loops.cases import ask, case, completed, cut_forces, efforts
from tests.loops.mechanisms import mechanics

NAME = "hexam"
POSE = list(range(6))
NEGLECT = {"case1_no_slider": ("slider",), "case2_no_leg": ("leg",), "case3_platform_only": ("slider", "leg")}


@pytest.fixture(scope="module")
def circle():
    """Closed coordinates along the circle, the platform held level."""
    data, made = case("hexam_contour_main"), mechanics(NAME)
    theta = np.array(data["theta"])
    q = np.repeat(made.home[None], len(theta), axis=0)
    q[:, 0], q[:, 1] = data["radius"] * np.cos(theta), data["radius"] * np.sin(theta)
    free = np.ones(made.setup.tree.nv, dtype=bool)
    free[POSE] = False
    closed = close_all(made.all_rows, q, free)
    assert closed.gap.max() < 1e-13
    return closed.q


def motion(q, rpm):
    """Speeds and accelerations of all joints on the circle at a constant number of turns per minute."""
    data, made = case("hexam_contour_main"), mechanics(NAME)
    theta, w = np.array(data["theta"]), 2.0 * np.pi * rpm / 60.0
    out = np.stack([np.cos(theta), np.sin(theta), 0.0 * theta], axis=-1) * data["radius"]
    along = np.stack([-out[:, 1], out[:, 0], out[:, 2]], axis=-1)
    R = np.array(data["R"])
    still = np.zeros((len(q), 3))
    return completed(made, q, POSE, np.hstack([still, w * along @ R]), np.hstack([still, -w * w * out @ R]))


def without(parts):
    """The mechanism's kernels with the mass of some bodies left out."""
    mech = catalog.load(NAME)
    bodies = [replace(b, inertia=Inertia()) if b.name.rstrip("123456") in parts else b for b in mech.bodies]
    return Kernels(setup(replace(mech, bodies=tuple(bodies)), None))


def dense_efforts(kernels, q, v, a):
    """Efforts by a dense solve, so that massless bodies need no plan."""
    X, needed = ask(kernels, "effort_system", q), ask(kernels, "generalized_forces", q, v, a)
    return np.linalg.solve(X, needed[:, :, None])[:, :6, 0]


def test_slider_positions_and_rates(circle):
    data = case("hexam_contour_main")
    v, a = motion(circle, data["N_rpm"])
    assert np.abs(circle[:, 7:13] - data["d"]).max() < data["tolerances"]["d"]
    assert np.abs(v[:, 6:12] - data["d_dot"]).max() < data["tolerances"]["rates"]
    assert np.abs(a[:, 6:12] - data["d_ddot"]).max() < data["tolerances"]["rates"]


def test_leg_angular_velocities(circle):
    data, mech = case("hexam_contour_main"), catalog.load(NAME)
    v, _ = motion(circle, data["N_rpm"])
    moving = [worlds.bodies(mech, *x) for x in zip(circle[::5], v[::5])]
    omega = [[world[f"leg{i}"].omega for i in range(1, 7)] for world in moving]
    assert np.abs(np.array(omega) - data["w2_ujoint_every5"]).max() < data["tolerances"]["rates"]


def test_slider_forces(circle):
    data, made = case("hexam_contour_main"), mechanics(NAME)
    v, a = motion(circle, data["N_rpm"])
    tau = efforts(made, circle, v, a)
    assert np.abs(tau - data["tau"]).max() < data["tolerances"]["tau"]


def test_ball_joint_forces(circle):
    data, made = case("hexam_contour_main"), mechanics(NAME)
    v, a = motion(circle, data["N_rpm"])
    on_platform = cut_forces(made, circle, v, a, np.array(data["tau"])) @ np.array(data["R"]).T
    assert np.abs(-on_platform[::5] - data["fB_every5"]).max() < data["tolerances"]["tau"]


def test_mass_matrix_and_bias(circle):
    data, made = case("hexam_contour_main"), mechanics(NAME)
    v, a = motion(circle, data["N_rpm"])
    inertia = ask(made.minimal, "minimal_inertia", circle[::15])
    assert np.abs(inertia - data["GIM_every15"]).max() < data["tolerances"]["GIM"]
    tau = efforts(made, circle, v, a)[::15]
    bias = tau - (inertia @ a[::15, 6:12, None])[:, :, 0]
    assert np.abs(bias - data["bias_every15"]).max() < data["tolerances"]["tau"]


@pytest.mark.parametrize("name", NEGLECT)
def test_neglected_masses(circle, name):
    data = case("hexam_contour_main")
    v, a = motion(circle, data["N_rpm"])
    tau = dense_efforts(without(NEGLECT[name]), circle, v, a)
    assert np.abs(tau[::2] - data["neglect_every2"][name]).max() < data["tolerances"]["tau"]
    assert np.abs(tau - data["tau"]).max() == pytest.approx(data["neglect_max_diff"][name], abs=1e-9)


def test_speed_study(circle):
    data = case("hexam_contour_main")
    kernels = {name: without(parts) for name, parts in NEGLECT.items()}
    for row in data["speed_study"]:
        v, a = motion(circle, row["N"])
        full = dense_efforts(mechanics(NAME).all_rows, circle, v, a)
        assert np.abs(full).max() == pytest.approx(row["max_abs_tau"], rel=1e-9)
        for name, light in kernels.items():
            assert np.abs(dense_efforts(light, circle, v, a) - full).max() == pytest.approx(row[name], rel=1e-8)


def test_the_other_root_of_a_leg_lies_beyond_the_stroke(circle):
    data, mech = case("hexam_contour_main"), catalog.load(NAME)
    plus = np.array(data["d_plus_root_every15"])
    assert np.all(plus > [joint.limits.upper[0] for joint in mech.joints if joint.name.startswith("d")])
    assert np.all(circle[:, 7:13] < [joint.limits.upper[0] for joint in mech.joints if joint.name.startswith("d")])
