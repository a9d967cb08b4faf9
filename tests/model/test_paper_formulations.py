"""The papers' formulations chosen through the public API."""

from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, SingularityError
from tests.loops.paper_states import effort_scale, engine_states


@cache
def model(name):
    return lw.build(lw.catalog.load(name))


@pytest.mark.parametrize(
    ("name", "formulation"),
    [
        ("3-rrr", lw.papers.Khan()),
        ("3-rps", lw.papers.Hanzaki()),
        ("hexaglide", lw.papers.Rao()),
        ("hexaglide", lw.papers.Rao(spin=False)),
    ],
)
def test_a_formulation_is_a_formulation(name, formulation):
    q, v, tau, a, _ = engine_states(name)
    made = model(name)
    assert np.abs(made.forward_dynamics(q, v, tau, formulation=formulation) - a).max() < 1e-10 * np.abs(a).max()
    efforts = made.inverse_dynamics(q, v, a, formulation=formulation)
    assert np.abs(efforts - tau).max() < 1e-9 * effort_scale(name)
    alone = made.inverse_dynamics(q[0], v[0], a[0], formulation=formulation)
    assert np.array_equal(alone, efforts[0])


def test_a_formulation_takes_wrenches_and_out():
    q, v, tau, _, _ = (x[0] for x in engine_states("3-rrr"))
    w, out = {"platform": [0.0, 0.0, 1.0, 2.0, 3.0, 0.0]}, np.zeros(7)
    expected = model("3-rrr").forward_dynamics(q, v, tau, w_ext=w)
    model("3-rrr").forward_dynamics(q, v, tau, w_ext=w, formulation=lw.papers.Khan(), out=out)
    assert np.abs(out - expected).max() < 1e-10 * np.abs(expected).max()


def test_a_formulation_that_does_not_apply_is_refused():
    q, v, tau, _, _ = (x[0] for x in engine_states("four-bar"))
    with pytest.raises(ArgumentError, match=r"Rao's formulation does not apply to 'four-bar': .* Multipliers\(\)"):
        model("four-bar").forward_dynamics(q, v, tau, formulation=lw.papers.Rao())
    arm = model("three-link-arm")
    for ask in (arm.forward_dynamics, arm.inverse_dynamics):
        with pytest.raises(ArgumentError, match="'three-link-arm': it has no loops"):
            ask(np.zeros(3), np.zeros(3), np.zeros(3), formulation=lw.papers.Khan())


def test_where_the_actuators_lose_the_platform_the_formulation_ends_with_a_message():
    """Distal links in line; the general engine refuses the efforts there, too."""
    theta = np.arccos((0.7 - 0.2) / 2.0 / 0.25)
    q = np.array([np.pi - theta, theta, theta - np.pi, np.pi - theta])
    still = np.zeros(4)
    with pytest.raises(SingularityError, match="K is singular: with its actuators held, the platform still moves"):
        model("five-bar").inverse_dynamics(q, still, still, formulation=lw.papers.Khan())
    both = model("five-bar").inverse_dynamics(
        np.stack([q, q]), np.zeros((2, 4)), np.zeros((2, 4)), formulation=lw.papers.Khan()
    )
    assert np.all(np.isnan(both))
