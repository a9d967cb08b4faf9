"""`linkwright selftest`: sound mechanisms pass; a wrong result is found."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis import self_test as selftest
from linkwright.cli import main
from linkwright.formats import from_yaml


@pytest.mark.parametrize("name", ["three-link-arm", "four-bar", "3-rps", "andrews-squeezer"])
def test_sound_mechanisms_pass(name):
    done = CliRunner().invoke(main, ["selftest", name, "--draws", "2", "--json"])
    broken = [row for row in json.loads(done.stdout)["checks"] if row["verdict"] == "FAILED"]
    assert broken == [] and done.exit_code == 0


def test_a_wrong_answer_fails_the_test(monkeypatch):
    right = lw.Model.inverse_dynamics
    monkeypatch.setattr(lw.Model, "inverse_dynamics", lambda self, *x, **y: 1.0001 * right(self, *x, **y))
    done = CliRunner().invoke(main, ["selftest", "four-bar"])
    assert done.exit_code == 5
    assert "FAILED" in done.output and "inverse dynamics inverts forward dynamics" in done.output


def test_each_law_notices_a_mechanism_that_breaks_it(monkeypatch):
    """Every law is fed one wrong function and must object."""
    wrongs = {
        "closure_residual": "every loop closes",
        "forward_kinematics": "forward kinematics inverts inverse kinematics",
        "generalized_forces": "the loops do no work",
        "energy": "energy changes by the actuators' power",
        "linearize": "derivatives of accelerations agree with differences",
        "forward_dynamics_derivatives": "derivatives of accelerations agree with differences",
        "inverse_dynamics_derivatives": "derivatives of efforts invert those of accelerations",
        "frame_jacobian": "Jacobians and gradients agree with differences",
        "closure_jacobian": "Jacobians and gradients agree with differences",
    }
    for function, law in wrongs.items():
        broken = broken_with(monkeypatch, "four-bar", function, lambda right, *x, **y: _bent(right(*x, **y)))
        assert law in broken, function


def broken_with(monkeypatch, name, function, wrong, states=3):
    """The laws broken by a model one of whose functions is wrong: wrong(right function, model, *arguments)."""
    model = lw.build(lw.catalog.load(name))
    with monkeypatch.context() as patch:
        right = getattr(lw.Model, function)
        patch.setattr(lw.Model, function, lambda self, *x, **y: wrong(right, self, *x, **y))
        patch.setitem(vars(model), function, lambda *x, **y: wrong(right, model, *x, **y))  # in place of compiled code
        return [check.name for check in selftest.selftest(model, states=states).broken]


@pytest.mark.parametrize("name", ["four-bar", "gough-stewart"])
def test_a_solver_that_returns_its_start_is_noticed(monkeypatch, name):
    """Kinematics that only ever answers `near` passes a test that starts at its own answer, and fails this one."""
    function = "inverse_kinematics" if name == "gough-stewart" else "forward_kinematics"

    def lazy(right, model, *x, near=None, **y):
        found = right(model, *x, near=near, **y)
        return (near, *found[1:])

    assert "forward kinematics inverts inverse kinematics" in broken_with(monkeypatch, name, function, lazy, states=1)


def test_efforts_that_enter_wrongly_are_noticed(monkeypatch):
    """Energy is watched while the actuators work: with efforts of zero a wrong effort map passes."""

    def heavier(right, model, q, v, tau, **y):
        return right(model, q, v, 1.01 * tau, **y)

    assert "energy changes by the actuators' power" in broken_with(monkeypatch, "3-rrr", "forward_dynamics", heavier)


def test_a_wrong_derivative_by_positions_is_noticed(monkeypatch):
    """Only the part of the linear model that multiplies displacements is bent."""

    def bent(right, model, *x):
        A, B = right(model, *x)
        n = len(A) // 2
        A = A.copy()
        A[n:, :n] *= 1.001
        return A, B

    law = "derivatives of accelerations agree with differences"
    assert broken_with(monkeypatch, "four-bar", "linearize", bent) == [law]


def test_losses_are_counted(monkeypatch):
    """A mechanism with friction, springs and a damper passes; one whose friction does no work does not."""
    text = """
format: 1
name: lossy
base: ground
bodies: {a: {mass: 1, com: [0.1, 0, 0.02]}, b: {mass: 2, com: [0.2, 0.1, 0]}}
joints:
  A: {type: revolute, parent: ground, child: a, friction: {viscous: 2, coulomb: 1}}
  B: {type: revolute, parent: a, child: b, at: [0.3, 0, 0], axis: [0, 1, 0.2], spring: {stiffness: 30, rest: 0.2}}
struts: {s: {parent: ground, child: b, at: [0, 0, 1], child_at: [0, 0, 0.1], stiffness: 20, length: 0.4, damping: 3}}
"""
    model = lw.build(from_yaml(text))
    assert not selftest.selftest(model, states=3).broken
    model.bias_forces(*np.zeros((2, 2)))
    right = model.bias_forces  # from its first use on, the compiled function itself
    monkeypatch.setattr(lw.Model, "bias_forces", lambda self, q, v: 0.5 * (right(q, v) + right(q, -v)))
    model = lw.build(from_yaml(text))
    assert "energy changes by the actuators' power" in [c.name for c in selftest.selftest(model).broken]


def _bent(answer):
    if isinstance(answer, tuple):
        first, *others = answer
        return (first + 0.01 * abs(first) + 0.01, *(x + 0.01 for x in others))
    return answer + 0.01
