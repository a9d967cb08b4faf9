"""Expressions whose units contradict are refused with both units; everything that can be meant is read."""

import pytest

import linkwright as lw
from linkwright.errors import FormatError
from linkwright.formats.yaml import from_yaml

FILE = """
format: 1
name: bar
parameters: {r: 100 mm, l: 0.2 m, mass: 0.5 kg, angle: 30 deg, bare: 0.5, rate: 20 deg/s, n: 3, x: "= EXPRESSION"}
bodies: {bar: {mass: 1 kg, com: ["= x", 0, 0], inertia: [1, 1, 1]}}
joints: {a: {type: revolute, parent: ground, child: bar, axis: z}}
"""

MIXED = {
    "r + angle": ("m", "rad"),
    "angle - r": ("rad", "m"),
    "r + mass": ("m", "kg"),
    "r * l + r": ("m^2", "m"),
    "hypot(r, mass)": ("m", "kg"),
    "min(r, angle, 0)": ("m", "rad"),
    "(r - l) / 2 + r / l + l": ("plain number", "m"),
    "r / l + l": ("plain number", "m"),
    "sqrt(r * l) + mass": ("m", "kg"),
    "r ^ 2 + l": ("m^2", "m"),
    "abs(-r) % mass": ("m", "kg"),
    "sin(r)": ("sin", "m"),
    "acos(mass)": ("acos", "kg"),
    "cos(angle) * r + asin(r / l) + l / l + r": ("rad", "m"),
    "atan2(r, mass)": ("m", "kg"),
    "rate + angle": ("rad/s", "rad"),
}
GOOD = [
    "r + l",
    "r + bare",
    "2 * r + angle",  # the 2 may have a unit
    "r * angle + l",
    "angle + asin(r / l) + r / l - pi",
    "r * cos(2 * pi * n / 3) + l * sin(angle)",
    "max(0, r)",
    "sqrt(r ^ 2 + l ^ 2) + r",
    "r ^ 0.5 + mass",
    "r ^ 20 ^ 2 + mass",
    "rad(30) + angle",
    "deg(angle) + r / l",
    "mass * r / (mass + mass) + l",
    "atan2(r, l) + angle",
    "r ^ n + mass",
]


@pytest.mark.parametrize("expression", MIXED)
def test_units_that_contradict_are_named(expression):
    with pytest.raises(FormatError) as error:
        from_yaml(FILE.replace("EXPRESSION", expression))
    message = str(error.value)
    first, second = MIXED[expression]
    assert "mixes units" in message and expression in message
    assert message.index(first) < message.index(second, message.index(first) + 1)
    assert error.value.findings[0].code == "bad-expression"


@pytest.mark.parametrize("expression", GOOD)
def test_what_can_be_meant_is_read(expression):
    assert from_yaml(FILE.replace("EXPRESSION", expression).replace('"= x"', "0")).bodies


def test_a_parameter_of_parameters_has_a_dimension():
    text = FILE.replace("EXPRESSION", "r + l").replace('["= x", 0, 0]', '["= x + mass", 0, 0]')
    with pytest.raises(FormatError, match=r"m and a value in kg are joined by '\+' \('mass' in kg, 'x' in m\)"):
        from_yaml(text)


def test_a_quantity_inside_an_expression_has_a_way_out():
    with pytest.raises(FormatError, match="a number with a unit is given as a parameter"):
        from_yaml(FILE.replace("EXPRESSION", "30 deg + 0.1 m"))


PRESS = """
format: 1
name: press
parameters:
  {crank: 40 mm, rod: 260 mm, rho: 4 kg/m, half: = rod / 2, tilt: 30 deg, force: 20 N, bare: 0.5, share: = rod / crank}
bodies:
  crank: {mass: "MASS", com: ["COM", 0, 0], inertia: [1, 1, "INERTIA"]}
  ram: {mass: 1 kg}
joints:
  O: {type: revolute, parent: ground, child: crank, at: {xyz: ["AT", 0, 0], rpy: [0, 0, "TURN"]}}
  S: {type: prismatic, parent: crank, child: ram, axis: ["ALONG", 0, "ACROSS"]}
couplings: {gear: {terms: {O: 1, S: "RATIO"}}}
actuators: {motor: {joint: O, gear: "GEAR", effort: "EFFORT"}}
home: {O: "HOME"}
"""
FIELDS = {
    "MASS": ("kg", "= rho * rod"),
    "COM": ("m", "= half"),
    "INERTIA": ("kg m^2", "= rho * rod^3 / 12"),
    "AT": ("m", "= rod * cos(pi / 6)"),
    "TURN": ("rad", "= tilt / 2"),
    "ALONG": ("", "= rod"),
    "ACROSS": ("", "= 2 * crank"),
    "RATIO": ("m/rad", "= -1 / rod"),
    "GEAR": ("", "= rod / crank"),
    "EFFORT": ("N m", "= force * crank"),
    "HOME": ("rad", "= rod / crank"),
}
MISFITS = [
    ("MASS", "= rod", "a length, in m"),
    ("MASS", "= rho / crank", "another quantity, in kg m^-2"),
    ("MASS", "= tilt", "an angle, in rad"),
    ("MASS", "= half", "a length, in m"),
    ("MASS", "= bare + rod", "a length, in m"),
    ("COM", "= (1 - cos(tilt)) * rho * sqrt(3) / (2 * pi)", "a mass per length, in kg/m"),
    ("INERTIA", "= rho * rod^2 / 12", "another quantity, in kg m"),
    ("AT", "= pi * rod ^ 2 * sin(tilt)", "another quantity, in m^2"),
    ("TURN", "= half", "a length, in m"),
    ("RATIO", "= rho", "a mass per length, in kg/m"),
    ("GEAR", "= force", "a force, in N"),
    ("EFFORT", "= crank", "a length, in m"),
    ("EFFORT", "= force", "a force, in N"),
    ("HOME", "= rod", "a length, in m"),
]
FREE = [
    "= 5",
    "= 0.5 * rod^2 / 12",
    "= 7850 * pi * crank^2 * rod",
    "= force / 9.81",
    "= 1 / rod",
    "= 5 * share",
    "= rod / crank",
    "= bare * rod",
    "= 2 * atan(1)",
    "= atan(1)",
    "= sin(tilt)",
    "= 2 * tilt",
]


def press(**written):
    text = PRESS
    for field, (_, usual) in FIELDS.items():
        text = text.replace(f'"{field}"', f'"{written.get(field, usual)}"')
    return text


def test_expressions_of_the_right_dimension_are_read():
    mech = from_yaml(press())
    assert mech.bodies[0].inertia.mass == 4 * 0.26
    assert type(mech.bodies[0].inertia.mass) is float
    assert mech.couplings[0].terms[1] == ("S", -1 / 0.26)


@pytest.mark.parametrize(("field", "expression", "found"), MISFITS)
def test_an_expression_of_another_dimension_than_its_field_is_refused(field, expression, found):
    with pytest.raises(FormatError) as error:
        from_yaml(press(**{field: expression}))
    (finding,) = error.value.findings
    assert f"'{expression}' is {found}, but" in finding.message
    assert f"in {FIELDS[field][0]}" in finding.message or not FIELDS[field][0]
    assert finding.line == next(i for i, line in enumerate(PRESS.split("\n"), 1) if f'"{field}"' in line)
    assert finding.path


@pytest.mark.parametrize("expression", FREE)
def test_numbers_without_a_dimension_may_stand_for_anything(expression):
    assert from_yaml(press(MASS=expression)).bodies


def test_the_parts_of_a_direction_have_one_unit():
    assert from_yaml(press(ACROSS="= bare")).joints[1].kind.axis[0] == pytest.approx(0.26 / (0.26**2 + 0.25) ** 0.5)
    with pytest.raises(FormatError, match=r"one unit, and '= rod' is a length, in m, '= rho' a mass per length"):
        from_yaml(press(ACROSS="= rho"))


def test_values_given_to_load_are_looked_at_with_the_fields(tmp_path):
    file = tmp_path / "press.yaml"
    file.write_text(press(MASS="= rho * bare", COM="= bare / 1"))
    assert lw.load(file, {"bare": "300 mm", "crank": 0.05}).bodies[0].inertia.com[0] == 0.3
    with pytest.raises(FormatError, match=r"'= bare / 1' is a mass, in kg, but a length is wanted, in m"):
        lw.load(file, {"bare": "3 kg"})
    file.write_text(press(MASS="= crank"))
    with pytest.raises(FormatError, match="'= crank' is a length, in m, but a mass is wanted"):
        lw.load(file, {"crank": 0.05})
