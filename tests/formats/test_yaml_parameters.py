"""Parameters, arithmetic and repeats: what is written once equals what is written out, and mistakes are reported."""

import math
from importlib.resources import files

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwright as lw
from linkwright.errors import ArgumentError, FormatError
from linkwright.formats import from_yaml
from linkwright.formats.plausibility import doubts_about_values
from linkwright.formats.units import UnitError
from linkwright.formats.yaml.expression_parser import value_of_text

ONCE = """\
format: 1
name: star
comment: three arms on a ring
parameters:
  half: = radius / 2
  radius: 300 mm
repeat:
  for: {i: 1..3, angle: [0 deg, 120 deg, 240 deg]}
  bodies:
    arm{i}: {mass: 1 kg, com: [= half, 0, 0], comment: all alike}
  joints:
    j{i}: {type: revolute, parent: ground, child: "arm{i}", at: [= radius * cos(angle), = radius * sin(angle), 0]}
  actuators:
    m{i}: {joint: "j{i}"}
  home:
    j{i}: = 0.1 * i
"""


def written_out(radius):
    lines = ["format: 1", "name: star", "bodies:"]
    lines += [f"  arm{i}: {{mass: 1 kg, com: [{radius / 2}, 0, 0]}}" for i in (1, 2, 3)]
    lines.append("joints:")
    for i, angle in ((1, 0.0), (2, 120.0), (3, 240.0)):
        x, y = (radius * f(angle * math.pi / 180.0) for f in (math.cos, math.sin))
        lines.append(f"  j{i}: {{type: revolute, parent: ground, child: arm{i}, at: [{x!r}, {y!r}, 0]}}")
    lines += ["actuators:"] + [f"  m{i}: {{joint: j{i}}}" for i in (1, 2, 3)]
    lines += ["home:"] + [f"  j{i}: {0.1 * i!r}" for i in (1, 2, 3)]
    return "\n".join(lines)


def test_a_repeat_equals_what_it_stands_for():
    assert from_yaml(ONCE) == from_yaml(written_out(0.3))


def test_parameters_can_be_given_from_outside(tmp_path):
    file = tmp_path / "star.yaml"
    file.write_text(ONCE)
    assert lw.load(file, {"radius": 0.5}) == from_yaml(written_out(0.5))
    assert lw.load(file, {"radius": "500 mm"}) == from_yaml(written_out(0.5))
    with pytest.raises(FormatError, match="unknown parameter 'raduis' \\(did you mean 'radius'\\?\\)"):
        lw.load(file, {"raduis": 0.5})
    with pytest.raises(FormatError, match="'radius' is given as '5 kg', but the file has '300 mm'; keep its kind"):
        lw.load(file, {"radius": "5 kg"})
    urdf = tmp_path / "two.urdf"
    urdf.write_text('<robot name="r"><link name="a"/></robot>')
    with pytest.raises(ArgumentError, match="only YAML files have parameters; leave out radius"):
        lw.load(urdf, {"radius": 0.5})


def test_a_parameter_says_how_many_copies():
    counted = ONCE.replace("i: 1..3, angle: [0 deg, 120 deg, 240 deg]", "i: '1..{n}'").replace(
        "radius: 300 mm", "radius: 300 mm\n  n: 3"
    )
    turned = counted.replace("(angle)", "(2 * pi / n * (i - 1))")
    apart = zip(from_yaml(turned).joints, from_yaml(written_out(0.3)).joints, strict=True)
    assert all(math.dist(a.at.xyz, b.at.xyz) < 1e-15 for a, b in apart)
    assert len(from_yaml(turned, parameters={"n": 7}).bodies) == 7
    with pytest.raises(FormatError, match=r"'\{m\}' is not a known variable"):
        from_yaml(turned.replace("{n}", "{m}"))


@given(st.floats(-3, 3), st.floats(0.1, 3), st.integers(1, 9))
def test_arithmetic_is_that_of_floats(a, b, n):
    names = {"a": a, "b": b, "n": float(n)}
    assert value_of_text("= a + b * -n / 2 ^ 3", names) == a + b * -n / 2.0**3
    assert value_of_text("= atan2(a, b) + sqrt(b) - hypot(a, b)", names) == math.atan2(a, b) + math.sqrt(
        b
    ) - math.hypot(a, b)
    assert value_of_text("= max(a, b, n) % 7 + rad(180) - pi", names) == max(a, b, n) % 7 + math.radians(180) - math.pi


@pytest.mark.parametrize(
    "hostile",
    [
        "= __import__('os').system('true')",
        "= (1).__class__",
        "= [x for x in (1, 2)]",
        "= lambda: 1",
        "= 'text' * 9",
        "= a if a else a",
        "= a < 2",
        "= open(a)",
        "= a.b",
        "= a[0]",
        "= min(*a)",
        "= sin(x=1)",
        "= True",
        "= 9 ^ 9 ^ 9 ^ 9",
        "= (-8) ^ 0.5",
        "= 1 / 0",
        "= sqrt(-1)",
        "= " + "(" * 90 + "1" + ")" * 90,
        "= " + "1+" * 150 + "1",
        "= sin()",
        "= a +",
        "=",
    ],
)
def test_nothing_but_arithmetic_is_computed(hostile):
    try:
        assert math.isfinite(value_of_text(hostile, {"a": 1.0}))
    except UnitError as error:
        assert len(str(error)) < 300
    else:
        assert hostile.startswith("= ((")  # many brackets are plain arithmetic


MISTAKES = [
    ("radius: 300 mm", "radius: = half * 2", "star.yaml:5: parameters.half: 'half' depends on itself"),
    ("= radius / 2", "= radus / 2", "parameters.half: unknown parameter 'radus'"),
    ("= radius / 2", "= 1if 1else 2", "parameters.half: only numbers, parameters"),
    ("= radius / 2", "= radius /", "cannot be read as arithmetic"),
    ("= radius / 2", "= open(radius)", "unknown function 'open'"),
    ("radius: 300 mm", "radius: [1, 2]", "parameters.radius: [1, 2] is neither a number nor a text"),
    ("radius: 300 mm", "radius: 300 mm\n  sin: 1", "'sin' cannot name a parameter"),
    ("radius: 300 mm", "radius: 300 mm\n  two words: 1", "'two words' cannot name a parameter"),
    ("240 deg]", "240 deg, 300 deg]", "different numbers of values (i has 3, angle has 4); give each the same"),
    ("1..3", "3..1", "'3..1' makes no or more than 2000 copies"),
    ("1..3", "1..30000", "'1..30000' makes no or more than 2000 copies"),
    ("1..3", "three", "'three' is not a series; write 1..6 or a list"),
    ("{i: 1..3, angle: [0 deg, 120 deg, 240 deg]}", "3", "3 names no variable; write for example {i: 1..6}"),
    ("  for: {i: 1..3, angle: [0 deg, 120 deg, 240 deg]}\n", "", "a repeat needs 'for: {i: 1..6}'"),
    ("arm{i}: {", "arm: {", "star.yaml:9: repeat.bodies: 'arm' is there already; put a variable of the repeat in its"),
    ("arm{i}: {", "arm{j}: {", "'{j}' is not a known variable"),
    ("  home:", "  gravity:", "'gravity' cannot be repeated"),
    (
        "  bodies:\n    arm{i}: {mass: 1 kg",
        "  bodies:\n    arm{i}: {mass: 1 s",
        "star.yaml:10: bodies.arm1.mass: '1 s' is",
    ),
    ("= half, 0, 0]", "= 1 / (radius - radius), 0, 0]", "has no value"),
]


@pytest.mark.parametrize("old, new, message", MISTAKES)
def test_mistakes_in_parameters_are_reported(old, new, message):
    assert old in ONCE
    with pytest.raises(FormatError) as caught:
        from_yaml(ONCE.replace(old, new), "star.yaml")
    assert message in str(caught.value)


def test_parameters_from_outside_are_numbers_or_quantities():
    with pytest.raises(ArgumentError, match=r"parameters is \['radius'\], expected a dictionary"):
        from_yaml(ONCE, "star.yaml", ["radius"])
    with pytest.raises(FormatError, match=r"'radius' is the text '2 \* two', and '= .*' computes with it"):
        from_yaml(ONCE, "star.yaml", {"radius": "2 * two"})
    assert from_yaml(ONCE, "star.yaml", {"radius": np.float32(0.5)}) == from_yaml(ONCE, "star.yaml", {"radius": 0.5})


def test_a_body_drawn_with_a_negative_size_is_refused():
    with pytest.raises(FormatError, match=r"body 'platform' is drawn with a cylinder radius of -0.3 m"):
        lw.catalog.load("hexapod", {"plate": -0.3})


def test_repeats_cannot_exhaust_memory():
    blocks = "".join(f"  - for: {{i: 1..2000}}\n    bodies: {{'b{k}_{{i}}': {{com: [0, 0, 0]}}}}\n" for k in range(60))
    with pytest.raises(FormatError, match="the repeats unfold to more than 40000 values"):
        from_yaml("format: 1\nname: x\nrepeat:\n" + blocks)


def test_a_length_in_millimeters_among_meters_is_doubted():
    slip = ONCE.replace("com: [= half, 0, 0]", "com: [= 1000 * half, 0, 0]")
    notes = [
        str(note) for note in doubts_about_values(from_yaml(slip.replace("arm{i}: {", "arm{i}: {inertia: [1, 1, 1], ")))
    ]
    (note,) = notes  # all three mass centers alike: no single one is out of proportion, but the mechanism is large
    assert "the mechanism is 150 m large; were millimeters meant?" in note
    one = from_yaml(written_out(0.3).replace("arm2: {mass: 1 kg, com: [0.15,", "arm2: {mass: 1 kg, com: [150,"))
    (note,) = doubts_about_values(one)
    assert "the mass center of body 'arm2' lies 150 m from its origin, 500 times the usual length here" in str(note)
    assert note.matters


def test_an_unreal_inertia_is_doubted_and_a_planar_one_is_not():
    (note,) = doubts_about_values(
        from_yaml(written_out(0.3).replace("arm2: {", "arm2: {inertia: [0.01, 0.01, 0.05], "))
    )
    assert "body 'arm2' has the principal moments 0.01, 0.01, 0.05 kg m^2, and the largest exceeds" in str(note)
    assert doubts_about_values(from_yaml(written_out(0.3).replace("arm2: {", "arm2: {inertia: [0, 0, 0.05], "))) == ()


def test_the_catalog_raises_no_doubts():
    for name in set(lw.catalog.names()) - {"puma-560"}:  # one of its published tensors is impossible, see its source
        assert doubts_about_values(lw.catalog.load(name)) == ()


@pytest.mark.parametrize("given", [-0.25, 0.0, "-250 mm", "0.25 mm"])
def test_a_doubtful_length_is_warned_of_as_with_parameters_does(tmp_path, given):
    file = tmp_path / "five.yaml"
    file.write_text(files("linkwright.catalog").joinpath("data", "five-bar.yaml").read_text(encoding="utf-8"))
    with pytest.warns(
        lw.errors.ParameterWarning, match=r"doubtful lengths of 'five-bar': .*0.25 m in the file"
    ) as found:
        lw.load(file, {"proximal": given})
    assert found[0].filename == __file__


def test_usual_lengths_are_not_warned_of(recwarn):
    lw.catalog.load("five-bar", {"proximal": 0.3, "base": "5 cm", "proximal_mass": 40.0})
    assert not [each for each in recwarn if issubclass(each.category, lw.errors.ParameterWarning)]
