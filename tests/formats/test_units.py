"""Units: a table, products and powers, and messages for what does not fit."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwright.formats.units import NAMES, UNITS, UnitError, parse_unit, value_in_si


@given(st.floats(-1e6, 1e6), st.sampled_from(sorted(UNITS)))
def test_a_number_and_its_unit_scale_alike(x, symbol):
    unit = UNITS[symbol]
    wanted = next(w for w in NAMES if parse_unit(w).powers == unit.powers)
    assert value_in_si(f"{x!r} {symbol}", wanted) == pytest.approx(x * unit.times / unit.over, rel=1e-15)


@pytest.mark.parametrize("name", [n for n in NAMES if n])
def test_every_named_unit_is_si(name):
    unit = parse_unit(name)
    assert unit.times == unit.over == 1.0
    assert value_in_si(f"2.5 {name}", name) == 2.5


@given(st.integers(-10_000, 10_000))
def test_whole_millimeters_are_the_decimal_meters(n):
    assert value_in_si(f"{n} mm", "m") == n / 1000


def test_turns():
    assert value_in_si("180 deg", "rad") == math.pi
    assert value_in_si("60 rpm", "rad/s") == pytest.approx(2 * math.pi)
    assert value_in_si("5 mm/rev", "m/rad") == pytest.approx(0.005 / (2 * math.pi))


@pytest.mark.parametrize(
    ("written", "wanted"),
    [("3 N m/rad", "N m"), ("3 m", "m/rad"), ("3 1/s", "rad/s"), ("3 m^2", "m"), ("3 N", "N m"), ("m", "m"), ("", "m")],
)
def test_what_does_not_fit_is_refused(written, wanted):
    with pytest.raises(UnitError):
        value_in_si(written, wanted)
