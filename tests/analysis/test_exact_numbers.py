"""`check --suggest`: rounded axes and lengths become exact, the loops close and move, and nothing else changes."""

import json
import math

import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright import catalog
from linkwright.analysis.check.exact_numbers import suggest_exact_numbers
from linkwright.cli import main
from linkwright.formats.yaml import from_yaml

# Three cranks between two bars; the plane of the second mechanism stands upright by turned frames and slanted axes.
CRANKS = """\
format: 1
name: cranks
bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}, bar: {mass: 2}}
joints:
  A: {type: revolute, parent: ground, child: a, axis: z}
  B: {type: revolute, parent: a, child: bar, axis: z, at: [0, 0.1, 0]}
  C: {type: revolute, parent: ground, child: b, axis: z, at: [0.2, 0, 0]}
  D: {type: revolute, parent: ground, child: c, axis: z, at: [0.333, 0, 0]}
loops:
  E: {type: revolute, parent: bar, child: b, axis: z, at: [0.2, 0, 0], child_at: [0, SECOND, 0]}
  F: {type: revolute, parent: bar, child: c, axis: z, at: [0.333, 0.0, 0], child_at: [0, 0.1, 0]}
actuators: [A]
"""
SLANTED = """\
format: 1
name: slanted
bodies: {a: {mass: 1}, b: {mass: 1}, c: {mass: 1}}
joints:
  A: {type: revolute, parent: ground, child: a, axis: z}
  B: {type: revolute, parent: a, child: b, axis: [0, 0.707, HALF], at: {xyz: [0.2, 0, 0], rpy: [QUARTER, 0, 0]}}
  D: {type: revolute, parent: ground, child: c, axis: y, at: {xyz: [0.5, 0, 0], rpy: [RIGHT, 0, 0]}}
loops:
  C: {type: revolute, parent: b, child: c, axis: [0, 0.5, 0.5], at: [0.45, 0, 0],
      child_at: {xyz: [0.3, 0, 0], rpy: [-QUARTER, 0, 0]}}
actuators: [A]
"""


def slanted(half, quarter, right):
    return from_yaml(SLANTED.replace("HALF", half).replace("QUARTER", quarter).replace("RIGHT", right))


def test_the_one_length_that_is_off_changes():
    mech = from_yaml(CRANKS.replace("SECOND", "0.1000003"))
    assert any(finding.code == "nearly-closed" for finding in lw.check(mech).findings)
    suggestion = suggest_exact_numbers(mech)
    (change,) = suggestion.changes
    assert (change.path, change.old, change.unit) == ("joints.E.child_at.y", (0.1000003,), "m")
    assert change.new == pytest.approx((0.1,), abs=1e-11)
    found = lw.check(suggestion.mechanism)
    assert found.mobility == 1 and not [each for each in found.findings if each.code == "nearly-closed"]


def test_exact_numbers_stay():
    assert suggest_exact_numbers(from_yaml(CRANKS.replace("SECOND", "0.1"))).changes == ()
    for name in ("delta", "gough-stewart", "five-bar", "puma-560"):
        assert suggest_exact_numbers(catalog.load(name)).changes == ()


@pytest.mark.parametrize("digits", [("0.707", "0.7854", "1.5708"), ("0.7071", "0.78540", "1.57080")])
def test_rounded_axes_of_a_planar_loop_close_and_become_exact(digits):
    mech = slanted(*digits)
    assert lw.check(mech).mobility == 1  # it moves with the rounded numbers too
    suggestion = suggest_exact_numbers(mech)
    assert [change.path for change in suggestion.changes if change.unit == "rad"] == [
        "joints.B.at",
        "joints.D.at",
        "joints.C.child_at",
    ]
    right = suggestion.mechanism.joints[2].at.R
    assert right[1][2] == -1.0 and right[2][2] == 0.0
    found = lw.check(suggestion.mechanism)
    assert found.mobility == 1
    assert not [each for each in found.findings if each.code in ("rounded-axis", "tilted-axis", "nearly-closed")]


def test_angles_that_are_no_round_ones_stay():
    angle = math.radians(15) + 2e-3
    text = SLANTED.replace("HALF", "0.707").replace("-QUARTER", str(-angle)).replace("QUARTER", str(angle))
    changed = suggest_exact_numbers(from_yaml(text.replace("RIGHT", str(2 * angle)))).changes
    assert not [change for change in changed if change.unit == "rad"]


def test_the_command_writes_the_file_and_lists_the_changes(tmp_path):
    (tmp_path / "cranks.yaml").write_text(CRANKS.replace("SECOND", "0.1000003"), encoding="utf-8")
    call = ["check", str(tmp_path / "cranks.yaml"), "--suggest", str(tmp_path / "exact.yaml")]
    answer = CliRunner().invoke(main, call)
    assert "joints.E.child_at.y: 0.1000003 -> 0.1 m" in answer.output
    assert lw.check(lw.load(tmp_path / "exact.yaml")).mobility == 1
    answer = CliRunner().invoke(main, ["check", str(tmp_path / "exact.yaml"), "--suggest", str(tmp_path / "b.urdf")])
    assert "No axis or length looks rounded" in answer.output and (tmp_path / "b.urdf").exists()
    data = json.loads(CliRunner().invoke(main, [*call, "--overwrite", "--json"]).output)
    assert data["suggested"] == ["joints.E.child_at.y: 0.1000003 -> 0.1 m"]
