"""Expressions whose units contradict are refused with both units; everything that can be meant is read."""

import pytest

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
    assert from_yaml(FILE.replace("EXPRESSION", expression)).bodies


def test_a_parameter_of_parameters_has_a_dimension():
    text = FILE.replace("EXPRESSION", "r + l").replace('["= x", 0, 0]', '["= x + mass", 0, 0]')
    with pytest.raises(FormatError, match=r"m and a value in kg are joined by '\+' \('mass' in kg, 'x' in m\)"):
        from_yaml(text)


def test_a_quantity_inside_an_expression_has_a_way_out():
    with pytest.raises(FormatError, match="a number with a unit is given as a parameter"):
        from_yaml(FILE.replace("EXPRESSION", "30 deg + 0.1 m"))
