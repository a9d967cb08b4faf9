"""Nothing depends on which joints were cut: body accelerations and efforts are the same for every spanning tree."""

import os

import numpy as np
import pytest

from linkwright.functions import Setup, setup
from linkwright.functions.function_registry import all_definitions
from tests.loops import worlds
from tests.loops.cases import ask, efforts
from tests.loops.mechanisms import SOME, Mechanics, closed_states, mechanics
from tests.loops.spanning_trees import cuts, signature

LEGS_ALIKE = ("3-rrr", "3-rps", "gough-stewart", "hexam", "hexaglide", "linapod", "delta")
PLANNED = ("3-rrr", "andrews-squeezer", "bricard", "five-bar", "four-bar", "slider-crank")
LONG = os.environ.get("HYPOTHESIS_PROFILE") == "long"  # all cuts up to leg symmetry, 50 at most


def on_floats(made: Setup, name: str, *arguments: np.ndarray) -> np.ndarray:
    return all_definitions()[name](made, *arguments)


def forward_dynamics(made: Setup, q, v, tau):
    """Accelerations by a dense solve that allows redundant rows."""
    n, K = made.tree.nv, on_floats(made, "kkt_matrix", q)
    mass = np.diag(K)[:n]
    s = 1.0 / np.sqrt(np.where(mass > 1e-12 * mass.max(), mass, mass.max()))
    rows = np.linalg.norm(K[n:, :n] * s, axis=1)
    s = np.concatenate([s, 1.0 / np.where(rows > 1e-9 * rows.max(), rows, rows.max())])
    return (s * np.linalg.lstsq(s[:, None] * K * s, s * on_floats(made, "kkt_right_side", q, v, tau), rcond=1e-12)[0])[
        :n
    ]


def exact_efforts(made: Setup, q, v, a):
    X = np.hstack([on_floats(made, "effort_matrix", q), on_floats(made, "closure_jacobian", q).T])
    return np.linalg.lstsq(X, on_floats(made, "generalized_forces", q, v, a), rcond=1e-11)[0][: len(made.drives)]


def body_motions(mech, q, v, a, names):
    world = worlds.bodies(mech, q, v, a)
    return np.array([world[name].motion for name in names])


def assert_same_motion(one, other, tolerance):
    for part in (slice(0, 3), slice(3, 6)):
        assert np.abs(one[:, part] - other[:, part]).max() < tolerance * max(1.0, np.abs(other[:, part]).max())


@pytest.mark.parametrize("name", SOME)
def test_answers_do_not_depend_on_the_cut(name):
    made = mechanics(name)
    mech = made.setup.mech
    q, v, tau = closed_states(name, 1, seed=2)[0]
    a = ask(made.kernels, "loop_forward_dynamics", q[None], v[None], tau[None])[0][0]
    expected, world = body_motions(mech, q, v, a, mech.names), worlds.bodies(mech, q, v)
    most = 50 if LONG else 6 if made.setup.tree.nv > 12 else 12
    for drawn in cuts(mech, world, most, name in LEGS_ALIKE, tries=2000 if LONG else 100):
        other = setup(drawn, None)
        q2, v2 = worlds.state(drawn, world)
        a2 = forward_dynamics(other, q2, v2, tau)
        assert_same_motion(body_motions(drawn, q2, v2, a2, mech.names), expected, 1e-9)
        assert exact_efforts(other, q2, v2, a2) == pytest.approx(tau, abs=1e-9 * np.abs(tau).max())


@pytest.mark.parametrize("name", PLANNED)
def test_planned_elimination_of_another_cut_gives_the_same(name):
    made = mechanics(name)
    mech = made.setup.mech
    q, v, tau = closed_states(name, 1, seed=3)[0]
    a = ask(made.kernels, "loop_forward_dynamics", q[None], v[None], tau[None])[0][0]
    world = worlds.bodies(mech, q, v)
    alike = name in LEGS_ALIKE
    drawn = next(c for c in cuts(mech, world, 50, alike) if signature(c, alike) != signature(mech, alike))
    other = Mechanics(setup(drawn, None))
    q2, v2 = worlds.state(drawn, world)
    a2 = ask(other.kernels, "loop_forward_dynamics", q2[None], v2[None], tau[None])[0][0]
    assert other.mobility == made.mobility
    assert_same_motion(body_motions(drawn, q2, v2, a2, mech.names), body_motions(mech, q, v, a, mech.names), 1e-9)
    back = efforts(other, q2[None], v2[None], a2[None])[0]
    assert back == pytest.approx(tau, abs=1e-9 * np.abs(tau).max())
