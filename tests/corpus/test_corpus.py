"""Closed-loop models that others wrote: they load, close, and move as Pinocchio's equations say."""

import re
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("pinocchio", reason="Pinocchio (pip package pin) is not installed")

from tests.corpus import examine
from tests.corpus.__main__ import listed, models, surprises
from tests.corpus.dense import Dense, extended_precision
from tests.corpus.records import Row

LISTED = listed()
FOLDER = Path(__file__).parent.parent / "data" / "corpus"
HERE = {model["here"]: model for model in LISTED if "here" in model}
COUNTS = ("nv", "mobility", "idle", "actuators")


@pytest.mark.parametrize("file", HERE)
def test_a_model_computes_what_pinocchio_computes(file):
    row, expected = examine.examine(FOLDER / file), HERE[file]
    assert row.agrees, row
    assert [getattr(row, name) for name in COUNTS] == [expected[name] for name in COUNTS]
    assert row.peer == "pinocchio (own reader)"


def test_every_model_here_is_listed_with_its_license():
    assert {str(path.relative_to(FOLDER)) for path in models(FOLDER)} == set(HERE)
    assert all(model["license"] and model["repository"] for model in LISTED)


def test_another_mass_disagrees(tmp_path, monkeypatch):
    """The comparison can fail: Pinocchio reads a file with other masses than we do."""
    text = (FOLDER / "urdf_plus/four_bar.urdf").read_text()
    (tmp_path / "robot.urdf").write_text(text)
    heavier = tmp_path / "heavier.urdf"
    heavier.write_text(re.sub(r'<mass value="([^"]*)"', lambda m: f'<mass value="{2 * float(m[1])}"', text))
    compare = examine.other_program
    monkeypatch.setattr(examine, "other_program", lambda mech, path: compare(mech, heavier))
    assert not examine.examine(tmp_path / "robot.urdf").agrees


def test_a_result_other_than_expected_is_reported():
    row = Row("robots/cassie_like/robot.urdf", loads=True, nv=19, mobility=6, idle=2, actuators=5, forward=1e-3)
    (text,) = surprises([row])
    assert "mobility 6, expected 7" in text and "agrees False, expected True" in text and "nv" not in text


def test_extended_precision_judges_only_the_same_constraints():
    """Two masses on a rod of constant sum: the same rows give the same solution, other rows are refused."""
    equations = Dense(np.diag([1.0, 2.0]), np.zeros(2), np.array([[1.0, 1.0], [2.0, 2.0]]), np.zeros(2))
    force = np.array([3.0, 0.0])
    same, other = (extended_precision(np.array(rows)) for rows in ([[0.5, 0.5]], [[1.0, 0.0]]))
    found = equations.extended(force, same, extended_precision(np.zeros(1)))
    assert found == pytest.approx([1.0, -1.0]) and found == pytest.approx(equations.accelerations(force))
    with pytest.raises(ValueError, match="not those of the other program"):
        equations.extended(force, other, extended_precision(np.zeros(1)))


def test_a_delta_is_right_where_rounding_of_the_other_program_decides():
    """The plain difference from Pinocchio is above 1e-9, the error against extended precision is not."""
    row = examine.examine(FOLDER / "robot_delta/robot.urdf")
    assert not row.close and row.exact < 1e-12 and row.agrees
