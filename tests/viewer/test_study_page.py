"""The mechanism on the page of a study: what is shown follows from the record, and from the file that keeps it."""

import json
import re
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.viewer.shown_motion import unpack_array

NAMES = ["proximal", "distal"]


@pytest.fixture(scope="module")
def model():
    return lw.build(lw.catalog.load("five-bar"), inputs=NAMES)


@pytest.fixture(scope="module")
def workspace(model):
    return lw.analysis.workspace(model, {"x": (-0.2, 0.2, 9), "y": (0.2, 0.6, 9)}, show=["condition"])


@pytest.fixture(scope="module")
def optimum(model):
    home = model.frame_pose(model.assemble().q, "platform")
    poses = lw.Pose(home.position[None], home.quaternion_wxyz[None])
    measure = lw.analysis.JacobianMeasure(model, poses, "condition")
    return lw.analysis.optimize(model, measure, {"proximal": (0.22, 0.28), "distal": (0.3, 0.4)}, starts=1, steps=3)


def data_of(study, path: Path) -> dict:
    study.report(path)
    return json.loads(re.search(r'id="linkwright-data">(.*?)</script>', path.read_text(encoding="utf-8"))[1])


def test_a_workspace_is_drawn_round_its_robot(workspace, tmp_path):
    data = data_of(workspace, tmp_path / "page.html")
    assert "engine" in data and [each["name"] for each in data["parameters"]] == NAMES
    inside = unpack_array(data["workspace"]["inside"])
    assert int(inside.sum()) == int(workspace.inside.sum()) and data["workspace"]["shape"] == [9, 9, 1]
    assert [each["name"] for each in data["workspace"]["indices"]] == ["condition"]
    assert [chart["kind"] for chart in data["charts"]] == ["Map"]


def test_designs_and_bounds_of_an_optimum_are_those_of_the_sliders(optimum, model, tmp_path):
    """The page opens with the best design; its sliders go as far as the search went."""
    data = data_of(optimum, tmp_path / "page.html")
    assert {each["name"]: each["value"] for each in data["parameters"]} == pytest.approx(optimum.values, rel=1e-15)
    assert [(each["low"], each["high"]) for each in data["parameters"]] == [(0.22, 0.28), (0.3, 0.4)]
    best, nominal = data["designs"]
    assert best["values"] == optimum.values
    assert [nominal["values"][name] for name in NAMES] == model.parameters.values.tolist()


def test_states_of_a_study_are_the_frames_of_its_page(model, tmp_path):
    """States that are no motion are counted; those without a value are left out."""
    q = np.repeat(model.assemble().q[None], 5, axis=0)
    q[2] = np.nan
    data = data_of(lw.analysis.indices(model, q, frame="platform"), tmp_path / "page.html")
    assert data["states"] == 4 and np.isfinite(unpack_array(data["q"])).all()


def test_a_saved_study_writes_the_same_page(workspace, optimum, tmp_path):
    for study in (workspace, optimum):
        for ending in ("npz", "json"):
            study.save(tmp_path / f"study.{ending}")
            again = lw.open_result(tmp_path / f"study.{ending}")
            assert data_of(again, tmp_path / "again.html") == data_of(study, tmp_path / "page.html")
            assert not [name for name in again.content().arrays if name.startswith("studied.")]


def test_a_mechanism_that_cannot_be_built_here_leaves_the_charts(workspace, tmp_path):
    workspace.save(tmp_path / "study.json")
    text = (tmp_path / "study.json").read_text(encoding="utf-8")
    (tmp_path / "study.json").write_text(text.replace("revolute", "unheard of"), encoding="utf-8")
    again = lw.open_result(tmp_path / "study.json")
    assert [chart["kind"] for chart in data_of(again, tmp_path / "page.html")] == ["Map"]
