"""Results compared with a second method: sound ones agree to rounding, and a wrong one of either kind is seen."""

import json
import re

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis.comparison import INDEPENDENT, SEPARATE_BODIES, agreement
from linkwright.cli import main
from linkwright.formats import from_yaml
from linkwright.recursion import force_elements
from tests.model.models import model as kept

LOSSY = """
format: 1
name: lossy
base: ground
bodies:
  a: {{mass: 1, com: [0.1, 0, 0.02]}}
  b: {{mass: {mass}, com: [0.2, 0.1, 0]}}
  c: {{mass: 0.5, com: [0, 0.1, 0]}}
joints:
  A: {{type: revolute, parent: ground, child: a, friction: {{viscous: 2, coulomb: 1}}}}
  B: {{type: universal, parent: a, child: b, at: [0.3, 0, 0], first: [0, 1, 0], second: [0, 0, 1],
       spring: {{stiffness: [30, 3]}}}}
  C: {{type: prismatic, parent: b, child: c, at: [0, 0.2, 0], axis: [1, 0.2, 0], friction: {{viscous: 0.7}}}}
actuators:
  m: {{joint: A, gear: 20, rotor_inertia: 1e-4, friction: {{viscous: 0.3}}}}
  n: {{joint: B, dof: 0}}
  o: {{joint: B, dof: 1}}
  p: {{joint: C}}
struts:
  s: {{parent: ground, child: b, at: [0, 0, 1], child_at: [0, 0, 0.1], stiffness: 20, length: 0.4, damping: 3}}
"""


def states(model, n=5, seed=1):
    rng = np.random.default_rng(seed)
    q = np.repeat(model.assemble().q[None, :], n, axis=0)
    if not model.mechanism.loops:
        q = q + rng.normal(size=q.shape)
    v = np.array([model.independent_map(x) @ rng.normal(size=len(model.independent)) for x in q])
    tau = rng.normal(size=(n, model.na))
    return q, v, tau, model.forward_dynamics(q, v, tau)


@pytest.mark.parametrize("name", ["stanford-arm", "four-bar", "3-rrr", "gough-stewart"])
def test_sound_results_agree_to_rounding(name):
    model = kept(name)
    q, v, tau, a = states(model)
    w = {model.bodies[0]: np.random.default_rng(2).normal(size=(5, 6))}
    for given in (None, w):
        efforts = agreement(model, "inverse_dynamics", q, v, a, w_ext=given)
        motion = agreement(model, "forward_dynamics", q, v, tau, w_ext=given)
        assert efforts.method == SEPARATE_BODIES
        assert motion.method == (INDEPENDENT if model.mechanism.loops else SEPARATE_BODIES)
        assert efforts.compared == motion.compared == 5
        assert max(efforts.relative, motion.relative) < 1e-11
    assert "agree to" in efforts.message


def test_springs_friction_and_rotors_agree():
    model = lw.build(from_yaml(LOSSY.format(mass=2)))
    q, v, tau, a = states(model)
    assert agreement(model, "inverse_dynamics", q, v, a).relative < 1e-12
    assert agreement(model, "forward_dynamics", q, v, tau).relative < 1e-11


def test_the_second_method_has_its_own_passive_forces(monkeypatch, tmp_path):
    """With the first method's friction and springs bent, the two methods part."""
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path))  # nothing bent may stay in the cache
    right = force_elements.passive_forces
    for module in ("linkwright.recursion.force_elements", "linkwright.recursion.inverse_recursion"):
        monkeypatch.setattr(f"{module}.passive_forces", lambda *x: 1.001 * right(*x), raising=False)
    model = lw.build(from_yaml(LOSSY.format(mass=2.125)))
    q, v, _, a = states(model)
    assert agreement(model, "inverse_dynamics", q, v, a).relative > 1e-6


def test_a_wrong_result_is_seen_and_rows_without_one_are_left_out(monkeypatch):
    model = lw.build(lw.catalog.load("3-rrr"))
    q, v, _, a = states(model)
    right = lw.build(lw.catalog.load("3-rrr")).inverse_dynamics
    monkeypatch.setitem(vars(model), "inverse_dynamics", lambda *x, **y: 1.0001 * right(*x, **y))
    assert agreement(model, "inverse_dynamics", q, v, a).relative == pytest.approx(1e-4, rel=1e-3)
    a[2] = np.nan
    assert agreement(model, "inverse_dynamics", q, v, a).compared == 4


@pytest.mark.parametrize("name", ["five-bar", "3-rpr", "iftomm-two-four-bars"])
def test_rounding_agrees_at_rest_and_a_small_wrong_effort_is_seen(name, monkeypatch):
    """At rest every effort and acceleration is rounding, so differences are compared with a slight one."""
    model = kept(name)
    q, still, none = model.assemble().q, np.zeros(model.nv), np.zeros(model.na)
    for function, given in (("inverse_dynamics", still), ("forward_dynamics", none)):
        found = agreement(model, function, q, still, given)
        assert found.slight > 0 and found.relative < 1e-9
        assert "as all are smaller" in found.message
    right = model.inverse_dynamics
    monkeypatch.setitem(vars(model), "inverse_dynamics", lambda *x, **y: right(*x, **y) + 1e-4)
    assert agreement(model, "inverse_dynamics", q, still, still).relative > 1e-4


@pytest.mark.parametrize("name", ["five-bar", "iftomm-two-four-bars"])
def test_a_run_at_rest_is_reliable(name, tmp_path):
    made = CliRunner().invoke(main, ["simulate", name, "--duration", "0.05 s", "--save-run", str(tmp_path / "x.csv")])
    assert made.exit_code == 0, made.output
    assert not re.search(r"e-2\d\d", made.output), "a trace of the pivot checks is shown"


def test_unknown_functions_are_refused():
    with pytest.raises(lw.errors.LinkwrightError, match="expected one of 'inverse_dynamics', 'forward_dynamics'"):
        agreement(kept("four-bar"), "energy", *np.zeros((3, 3)))


@pytest.mark.parametrize("name", ["three-link-arm", "four-bar"])
def test_the_command_reports_it(tmp_path, name):
    end = "90 deg, 45 deg, 0" if name == "three-link-arm" else "motor=120 deg"
    arguments = ["motion", name, "--at", end, "--second-method"]
    shown = CliRunner().invoke(main, arguments)
    assert shown.exit_code == 0 and "Second method (separate bodies" in " ".join(shown.output.split())
    data = json.loads(CliRunner().invoke(main, [*arguments, "--json"]).output)
    assert data["agreement"]["relative"] < 1e-11
