"""Parameters, expressions and paths: any number can be named, replaced, and written back as it was read."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from linkwright import catalog
from linkwright.algebra.transforms import RigidTransform
from linkwright.errors import ArgumentError, MechanismError
from linkwright.formats import from_yaml
from linkwright.formats.yaml.expression_parser import parse_expression
from linkwright.formats.yaml.yaml_writer import to_yaml
from linkwright.mechanism import Mechanism
from linkwright.mechanism.expressions import expression_text
from linkwright.mechanism.parameters import live_formulas
from tests.loops.random_drawings import random_case
from tests.loops.random_mechanisms import loaded

ARM = """
format: 1
name: arm
parameters:
  upper: 300 mm
  half: = upper / 2
  m: 2 kg
  n: 2
  tilt: 10 deg
bodies:
  a: {mass: = m, com: [= half, 0, 0], inertia: [0, = m * upper^2 / 12, = m * upper^2 / 12]}
joints:
  one: {type: revolute, parent: ground, child: a, axis: [= sin(tilt), 0, = cos(tilt)], at: {rpy: [0.1, = tilt, 0]}}
repeat:
  for: {i: "1..{n}", at: [= upper, = 2 * upper]}
  bodies:
    "tip{i}": {mass: "{m} g"}
  joints:
    "hinge{i}": {type: revolute, parent: a, child: "tip{i}", at: [= at * i, 0, 0]}
"""


def all_mechanisms() -> list[Mechanism]:
    drawn = [loaded(random_case(seed).drawing, by_text=False) for seed in range(12)]
    return [*(catalog.load(name) for name in catalog.names()), *drawn]


def test_every_number_can_be_replaced_and_read_back():
    rng = np.random.default_rng(1)
    for mech in all_mechanisms():
        known = mech.numbers
        assert mech.with_values({}) == mech
        for path in rng.choice(sorted(known), size=3, replace=False):
            family, _, part = path.rpartition(".")
            if not np.isfinite(known[path].value) or part.startswith("q"):
                continue
            value = known[path].value * 1.001
            try:
                found = mech.with_values({path: value}).numbers
            except MechanismError:
                continue  # a value that the mechanism's own check refuses
            if part in ("roll", "pitch", "yaw"):
                assert np.sin(0.5 * (found[path].value - value)) == pytest.approx(0.0, abs=1e-6), path
            elif family.split(".")[-1] in ("axis", "first", "second", "normal"):
                assert found[path].value == pytest.approx(value, abs=2e-3), path
            else:
                assert found[path].value == value, path
            others = [p for p in known if p != path and not p.startswith(f"{family}.")]
            assert all(found[p] == known[p] for p in others), path


def test_written_files_keep_parameters_and_expressions_bit_for_bit():
    for mech in [*all_mechanisms(), from_yaml(ARM)]:
        again = from_yaml(to_yaml(mech))
        assert again == mech
        assert dict(again.formulas.expressions) == dict(mech.formulas.expressions), mech.name
        plain = [replace(d, structural=False) for d in mech.formulas.definitions]
        assert [replace(d, structural=False) for d in again.formulas.definitions] == plain


def test_a_parameter_changes_every_number_that_follows_from_it():
    """The same as reading the file with another value, for every parameter of the catalog."""
    for name in catalog.names():
        mech = catalog.load(name)
        before = mech.numbers
        for parameter in mech.parameters[::3]:
            if parameter.structural:
                continue
            value = parameter.value * 1.01
            changed = mech.with_values({parameter.name: value})
            assert changed == catalog.load(name, {parameter.name: value}), (name, parameter.name)
            moved = {path for path, number in changed.numbers.items() if number != before[path]}
            families = {use.rpartition(".")[0] for use in parameter.uses}
            assert all(path in parameter.uses or path.rpartition(".")[0] in families for path in moved)


def test_repeats_and_holes_expand_to_expressions_of_the_parameters():
    mech = from_yaml(ARM)
    found = {path: expression_text(expression) for path, expression in mech.formulas.expressions}
    assert found["joints.hinge2.at.x"] == "2 * upper * 2"
    assert found["bodies.tip1.mass"] == "m / 1000"
    assert found["bodies.a.com.x"] == "half"
    by_name = {parameter.name: parameter for parameter in mech.parameters}
    assert by_name["n"].structural and not by_name["m"].structural
    assert by_name["upper"].unit == "m" and by_name["m"].unit == "kg" and by_name["half"].unit == "m"
    assert set(by_name["half"].uses) == {"bodies.a.com.x"} < set(by_name["upper"].uses)
    with pytest.raises(ArgumentError, match="counts copies"):
        mech.with_values({"n": 3})


def test_a_number_given_by_its_path_follows_from_nothing_any_more():
    mech = from_yaml(ARM).with_values({"bodies.a.mass": 5.0})
    assert "bodies.a.mass" not in dict(mech.formulas.expressions)
    assert mech.with_values({"m": 7.0}).value("bodies.a.mass") == 5.0
    assert mech.with_values({"m": 7.0}).value("bodies.tip1.mass") == 0.007


def test_formulas_that_no_longer_give_the_number_are_dropped():
    mech = from_yaml(ARM)
    body = replace(mech.bodies[0], inertia=replace(mech.bodies[0].inertia, mass=9.0))
    edited = replace(mech, bodies=(body, *mech.bodies[1:]))
    assert "bodies.a.mass" not in dict(live_formulas(edited).expressions)
    assert "bodies.a.com.x" in dict(live_formulas(edited).expressions)
    assert edited.with_values({"upper": 0.4}).bodies[0].inertia.mass == 9.0


def test_tables_follow_from_their_rows():
    for convention in ("standard", "modified"):
        written = f"""
format: 1
name: table
parameters: {{a: 0.3, b: 0.1, alpha: 0.4, theta: 0.7, m: 2}}
dh:
  convention: {convention}
  rows:
    - {{joint: revolute, a: = a, b: = b, alpha: = alpha, theta: = theta, mass: = m, com: [= a / 2, 0, 0]}}
    - {{joint: prismatic, a: = 2 * a, limits: {{lower: = -a}}}}
"""
        mech = from_yaml(written)
        plain = (
            written.replace("= alpha", "0.4").replace("= theta", "0.7").replace("= b", "0.1").replace("= 2 * a", "0.6")
        )
        plain = plain.replace("= a / 2", "0.15").replace("= -a", "-0.3").replace("= a", "0.3").replace("= m", "2")
        by_numbers = from_yaml(plain)
        for one, other in zip(mech.joints, by_numbers.joints, strict=True):
            for p, q in ((one.at, other.at), (one.child_at, other.child_at)):
                assert np.allclose(p.r, q.r, rtol=0, atol=1e-15) and np.allclose(p.R, q.R, rtol=0, atol=1e-15)
        assert from_yaml(to_yaml(mech)) == mech
        assert mech.value("joints.q2.limits.lower") == -0.3
        assert mech.with_values({"a": 0.5}) == from_yaml(written, parameters={"a": 0.5})


def test_orientation_by_angles_quaternion_and_matrix():
    mech = catalog.load("four-bar")
    turned = mech.with_values({"joints.B.at.yaw": 0.3})
    R = RigidTransform.from_rpy((0, 0, 0), (0.0, 0.0, 0.3)).rows
    assert turned.loops[0].at.rows == R
    by_quaternion = mech.with_values({"joints.B.at.qw": np.cos(0.15), "joints.B.at.qz": np.sin(0.15)})
    assert np.allclose(by_quaternion.loops[0].at.R, R, atol=1e-15)
    with pytest.raises(ArgumentError, match="in one way"):
        mech.with_values({"joints.B.at.yaw": 0.3, "joints.B.at.qw": 0.9})


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"joints.B.at.w": 1.0}, "did you mean 'joints.B.at.yaw'"),
        ({"bodies.crnk.mass": 1.0}, "did you mean 'bodies.crank.mass'"),
        ({"joints.B.spring.stiffness": 1.0}, "is not a number"),
        ({"handle": 1.0}, "is not a parameter"),
        ({"gravity.z": "9.81"}, "give a number"),
        ({"gravity.z": float("nan")}, "give a number"),
    ],
)
def test_unknown_names_are_refused_with_a_suggestion(values, message):
    with pytest.raises(ArgumentError, match=message):
        catalog.load("four-bar").with_values(values)


def test_values_that_break_the_mechanism_are_refused():
    with pytest.raises(MechanismError, match="negative mass"):
        catalog.load("four-bar").with_values({"bodies.crank.mass": -1.0})


@pytest.mark.parametrize("written", ["a - (b - c)", "-(a ^ 2) + (-a) ^ 2", "a ^ b ^ c", "(a ^ b) ^ c", "a / (b * c)"])
def test_an_expression_reads_back_as_written(written):
    assert parse_expression(f"= {expression_text(parse_expression(f'= {written}'))}") == parse_expression(
        f"= {written}"
    )


def test_expressions_of_repeats_are_bounded():
    """A variable that is a long expression, used many times, is kept as its number instead of growing."""
    long = " + ".join(["a"] * 45)
    many = " + ".join(["i"] * 45)
    repeat = f'repeat: {{for: {{i: ["= {long}"]}}, bodies: {{b: {{mass: "= {many}", com: ["= i", 0, 0]}}}}}}'
    joint = "joints: {j: {type: revolute, parent: ground, child: b}}"
    mech = from_yaml(f"format: 1\nname: x\nparameters: {{a: 1}}\n{repeat}\n{joint}\n")
    assert mech.value("bodies.b.mass") == 45.0 * 45.0 and mech.value("bodies.b.com.x") == 45.0
    assert list(dict(mech.formulas.expressions)) == ["bodies.b.com.x"]
