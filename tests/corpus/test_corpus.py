"""Closed-loop models that others wrote: they load, close, and move as Pinocchio's equations say."""

import re
from pathlib import Path

import pytest

pytest.importorskip("pinocchio", reason="Pinocchio (pip package pin) is not installed")

from tests.corpus import examine
from tests.corpus.__main__ import listed, models, surprises
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
