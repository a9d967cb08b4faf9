"""Mechanisms of the catalog with every joint drawn from child to parent: the same motion by every formulation."""

from functools import cache

import numpy as np
import pytest

from linkwright import catalog
from linkwright.compiler import evaluate, operation_count
from linkwright.dynamics.alternative_trees import carrying_joint, floating_platform_dynamics
from linkwright.formats.yaml import from_yaml, to_yaml
from linkwright.functions import Kernels, setup
from linkwright.functions.loop import alternative_tree_functions
from linkwright.functions.tree import tree_functions
from linkwright.joints import Floating, Spherical
from linkwright.mechanism.tree import coordinate_slices
from tests.dynamics.test_alternative_trees import dense_accelerations, drawn, floating
from tests.loops.backwards import drawn_backwards, inverse
from tests.loops.cases import ask
from tests.loops.mechanisms import Mechanics, mechanics, states_of
from tests.loops.paper_states import evaluated_paper

FORMULATIONS = [
    ("khan", "3-rrr"),
    ("khan", "3-rps"),
    ("khan", "gough-stewart"),
    ("hanzaki", "3-rps"),
    ("rao", "hexaglide"),
]


@cache
def backwards(name: str) -> Mechanics:
    return Mechanics(setup(drawn_backwards(catalog.load(name)), None))


def states(made: Mechanics, n: int):
    return (np.array(x) for x in zip(*states_of(made, n, 5, 1.0)))


@pytest.mark.parametrize("name", ["3-rrr", "3-rps", "slider-crank", "gough-stewart", "hexaglide"])
def test_every_body_stands_and_accelerates_as_before(name):
    """Coordinates are inverted joint by joint, efforts stay."""
    here, there = mechanics(name), backwards(name)
    q, v, tau = states(here, 3)
    other = np.array([_inverted(here, row) for row in q])
    poses, turned = (ask(x.all_rows, "body_poses", rows) for x, rows in ((here, q), (there, other)))
    assert np.abs(poses - turned).max() < 1e-12 * max(1.0, np.abs(poses).max())
    a = ask(here.kernels, "loop_forward_dynamics", q, v, tau)[0]
    b = ask(there.kernels, "loop_forward_dynamics", other, _rates(here, q, v), tau)[0]
    for joint, (_, dofs) in _slices(here):
        if not isinstance(joint.kind, Spherical | Floating):
            own = b[:, dofs] if len(joint.kind.v_parts) == 1 else b[:, dofs][:, ::-1]
            assert np.abs(own - a[:, dofs]).max() < 1e-9 * np.abs(a).max(), joint.name


def _slices(made: Mechanics):
    slices = coordinate_slices(made.setup.mech.joints)
    return [(joint, slices[joint.name]) for joint in made.setup.mech.joints]


def _inverted(made: Mechanics, q: np.ndarray) -> np.ndarray:
    return np.concatenate([inverse(joint.kind, q[coords]) for joint, (coords, _) in _slices(made)])


def _rates(here: Mechanics, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """Velocities in the other drawing: the twist of the former parent relative to the former child, parent axes."""
    out = []
    for row, speeds in zip(q, v, strict=True):
        own = np.zeros(len(speeds))
        for joint, (coords, dofs) in _slices(here):
            x, w = row[coords], speeds[dofs]
            match joint.kind:
                case Spherical():
                    own[dofs] = -(_matrix(x) @ w)
                case Floating():
                    R = _matrix(x[3:])
                    turn = -(R @ w[:3])
                    own[dofs] = [*turn, *(-(R @ w[3:]) - np.cross(turn, x[:3]))]
                case _:
                    own[dofs] = w if len(w) == 1 else w[::-1]
        out.append(own)
    return np.array(out)


def _matrix(wxyz: np.ndarray) -> np.ndarray:
    w, x, y, z = wxyz
    K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
    return np.eye(3) + 2.0 * (w * K + K @ K)


@pytest.mark.parametrize(("formulation", "name"), FORMULATIONS)
def test_the_papers_formulations_equal_the_general_one(formulation, name):
    made = backwards(name)
    q, v, tau = states(made, 3)
    a = ask(made.kernels, "loop_forward_dynamics", q, v, tau)[0]
    found = evaluated_paper(made.all_rows, f"{formulation}_forward", None, q, v, tau)
    assert np.abs(found - a).max() < 1e-9 * np.abs(a).max()
    efforts = evaluated_paper(made.all_rows, f"{formulation}_inverse", None, q, v, a)
    force = np.abs(ask(made.all_rows, "generalized_forces", q, v, a)).max()
    assert np.abs(efforts - tau).max() < 1e-9 * max(force, np.abs(tau).max())


@pytest.mark.parametrize("name", ["3-rps", "3-upu"])
def test_a_platform_on_a_leg_floats_inside(name):
    made = Mechanics(setup(drawn_backwards(drawn(name).setup.mech), None))
    joint = carrying_joint(made.setup)
    assert joint is not None and joint.reversed
    assert not any(loop.reversed for loop in floating_platform_dynamics(made.dynamics).setup.mech.loops)
    q, v, tau = states(made, 10)
    a = dense_accelerations(made, q, v, tau)
    inside = evaluate(
        floating(made, "kernels").program(alternative_tree_functions.checked_alternative_dynamics), q, v, tau
    )
    assert np.abs(inside - a).max() < 1e-10 * np.abs(a).max()
    back = evaluate(floating(made, "actuated").program(alternative_tree_functions.checked_alternative_efforts), q, v, a)
    assert np.abs(back - tau).max() < 1e-10 * np.abs(tau).max()


@pytest.mark.parametrize("name", ["3-rps", "gough-stewart", "slider-crank", "puma-560"])
def test_the_file_written_and_read_again_is_the_same_mechanism(name):
    mech = drawn_backwards(catalog.load(name))
    text = to_yaml(mech)
    assert from_yaml(text) == mech and to_yaml(from_yaml(text)) == text


def test_operation_counts_of_joints_about_one_axis_do_not_depend_on_the_direction():
    for name in ("puma-560", "3-rrr"):
        mech = catalog.load(name)
        counts = []
        for drawn_mech in (mech, drawn_backwards(mech)):
            kernels = Kernels(setup(drawn_mech, None))
            counts.append(
                [
                    operation_count(kernels.program(x)).total
                    for x in (tree_functions.generalized_forces, tree_functions.mass_matrix)
                ]
            )
        assert counts[0] == counts[1]
