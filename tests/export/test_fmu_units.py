"""Units of the variables of a Functional Mock-up Unit."""

import pytest

import linkwright as lw
from linkwright.export.fmi.description import unit_variables
from linkwright.export.fmi.unit_programs import unit_programs
from linkwright.simulation.running.row_layout import row_columns


@pytest.mark.parametrize("name", ["four-bar-flexible", "gough-stewart", "slider-crank"])
def test_units_of_coordinates_are_those_of_a_run(name):
    """Coordinates of bending are lengths, components of quaternions have none."""
    model = lw.build(lw.catalog.load(name))
    states = {x.name: x.unit for x in unit_variables(model, unit_programs(model, (), False, False))}
    series = [(name, unit) for name, unit, group in row_columns(model).items if group == "q"]
    assert [states[f"q.{name}"] for name in model.q_names] == [unit or "1" for _, unit in series]
    bending = [states[f"v.{name}"] for name in model.v_names if ".eta" in name]
    assert set(bending) == ({"m/s"} if "flexible" in name else set())
