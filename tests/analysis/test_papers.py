"""Formulations of the papers through the public API: quantities, numerical complement, neglected inertias."""

from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright import papers
from linkwright.analysis.neglected_inertia import neglect_inertia, speed_study
from linkwright.errors import ArgumentError
from linkwright.papers.rao import numerical_noc as noc
from tests.loops.cases import case
from tests.loops.paper_states import effort_scale, engine_states
from tests.loops.test_rao import circle, motion

__all__ = ["circle"]
CASES = {
    "case1_no_slider": [f"slider{i}" for i in range(1, 7)],
    "case2_no_leg": [f"leg{i}" for i in range(1, 7)],
    "case3_platform_only": [f"{part}{i}" for part in ("slider", "leg") for i in range(1, 7)],
}


@cache
def model(name):
    return lw.build(lw.catalog.load(name))


@pytest.fixture(scope="module")
def run(circle):
    data = case("hexam_contour_main")
    return circle, *motion(circle, data["N_rpm"])


def test_neglected_inertias_of_the_paper(run):
    data = case("hexam_contour_main")
    found = neglect_inertia(model("hexam"), CASES, *run)
    assert np.abs(found.full - data["tau"]).max() < data["tolerances"]["tau"]
    for name in CASES:
        assert np.abs(found.without[name][::2] - data["neglect_every2"][name]).max() < data["tolerances"]["tau"]
        assert found.largest[name] == pytest.approx(data["neglect_max_diff"][name], abs=1e-9)


def test_the_speed_study_of_the_paper(run):
    data = case("hexam_contour_main")
    factors = [row["N"] / data["N_rpm"] for row in data["speed_study"]]
    for found, row in zip(speed_study(model("hexam"), CASES, *run, factors).rows, data["speed_study"], strict=True):
        assert found.largest_effort == pytest.approx(row["max_abs_tau"], rel=1e-9)
        for name in CASES:
            assert found.largest[name] == pytest.approx(row[name], rel=1e-8)


def test_a_tree_s_neglected_inertias_add_up():
    """Forces are linear in inertias: without every body nothing is left to move."""
    arm, rng = model("three-link-arm"), np.random.default_rng(0)
    q, v, a = rng.normal(size=(3, 5, 3))
    each = {name: [name] for name in arm.bodies}
    found = neglect_inertia(arm, each | {"all": list(arm.bodies)}, q, v, a)
    assert np.abs(found.without["all"]).max() < 1e-14
    parts = sum(found.full - found.without[name] for name in each)
    assert np.abs(parts - found.full).max() < 1e-12 * np.abs(found.full).max()


def test_an_unknown_body_is_named():
    with pytest.raises(ArgumentError, match=r"case 'light' leaves out 'rodd', which is not a body.*'rod'"):
        neglect_inertia(model("slider-crank"), {"light": ["rodd"]}, np.zeros(3), np.zeros(3), np.zeros(3))


@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "bricard", "3-rps", "gough-stewart", "hexam", "delta"])
def test_the_numerical_complement_gives_the_same_efforts(name):
    q, v, _, a, tau = (x[0] for x in engine_states(name))
    found = noc.numerical_noc(model(name), q, v, a)
    assert np.abs(found.A @ found.T).max() < 1e-11 * np.abs(found.T).max()
    assert np.abs(found.tau - tau).max() < 1e-10 * effort_scale(name)


def test_the_numerical_complement_is_the_explicit_one(run):
    """Rao's maximum deviation between DeNOC and numerical NOC is 1e-12 N; T's own columns agree as well."""
    states = [x[::45] for x in run]
    explicit = papers.rao_quantities(model("hexam"), *states)
    for n, state in enumerate(zip(*states, strict=True)):
        found = noc.numerical_noc(model("hexam"), *state)
        assert np.abs(found.tau - explicit.tau[n]).max() < 2e-12
        moving = np.linalg.norm((explicit.T_h[n] @ explicit.T_d[n]).reshape(13, 6, 6)[:, :3], axis=1)
        ours = np.linalg.norm(found.T.reshape(13, 6, 6)[:, :3], axis=1)
        order = [*(x for i in range(6) for x in (i, 6 + i)), 12]  # bodies of the file: sliders, legs, platform
        assert np.abs(ours[order] - moving).max() < 1e-12


def test_quantities_come_with_names_and_batches():
    q, v, _, a, tau = engine_states("3-rrr")
    found = papers.khan_quantities(model("3-rrr"), q, v, a)
    assert found.platform == "platform"
    assert found.legs == (
        ("theta1", "theta4", "vertex1"),
        ("theta2", "theta5", "vertex2"),
        ("theta3", "theta6", "vertex3"),
    )
    assert found.J.shape == (len(q), len(found.freedoms), 3)
    assert np.abs(found.tau - tau).max() < 1e-10 * effort_scale("3-rrr")
    spherical = papers.hanzaki_quantities(model("3-rps"), engine_states("3-rps")[0][0])
    assert spherical.G_star.shape == (1, 3, 3)


def test_a_tree_has_no_paper_formulation():
    with pytest.raises(ArgumentError, match="'stanford-arm': it has no loops"):
        papers.khan_quantities(model("stanford-arm"), np.zeros(6))
