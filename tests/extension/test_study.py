"""A study that is defined here, by the code of its page, works everywhere a study of the library does."""

import json
import re
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright import plugins
from linkwright.analysis import study_registry
from linkwright.cli import main
from tests.study_laws import require_study

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "write-your-own-study.md"
CODE = re.search(r"```python\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.S)[1]


@pytest.fixture(scope="module", autouse=True)
def registered():
    """The study of the page, for these tests only."""
    exec(compile(CODE, str(PAGE), "exec"), {"__name__": "my_study"})
    yield
    study_registry._STUDIES.clear()


@pytest.fixture(scope="module")
def found(robot):
    return lw.analysis.holding_effort(robot)


@pytest.fixture(scope="module")
def robot():
    return lw.build(lw.catalog.load("five-bar"), inputs=["proximal", "distal"])


def peak(model):
    still = np.zeros(model.nv)
    return np.abs(model.inverse_dynamics(model.assemble().q, still, still)).max()


def test_data_have_stable_names(robot, found):
    data = found.data()
    assert data["study"] == "holding_effort" and data["peak_effort"] == peak(robot)
    assert [row["actuator"] for row in data["efforts"]] == list(robot.actuated)
    assert json.loads(json.dumps(data)) == data


def test_verb_prints_the_same_json(found):
    done = CliRunner().invoke(main, ["holding_effort", "five-bar", "--payload", "2", "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.stdout)["peak_effort"] == pytest.approx(2.0 * found.data()["peak_effort"], rel=1e-12)
    assert "holding_effort" in CliRunner().invoke(main, ["--help"]).output


def test_the_law_of_every_study_holds(tmp_path, found):
    """Printed, JSON, saved and opened, drawn, reported, a table; arrays and facts are found by name."""
    require_study(found, tmp_path)
    again = lw.open_result(tmp_path / "own.npz")
    assert str(again) == str(found) and np.array_equal(again["effort"], found.content().arrays["effort"])
    assert len(again.plot().axes) == len(found.plot().axes)


def test_figure_report_and_table(tmp_path, found):
    found.plot(tmp_path / "own.png")
    page = Path(found.report(tmp_path / "own.html")).read_text(encoding="utf-8")
    assert "Holding efforts of five-bar" in page and '"kind":"Panel"' in page
    assert found.to_dataframe("efforts")["effort"].abs().max() == found.data()["peak_effort"]
    with pytest.raises(lw.errors.ArgumentError, match="'loads'"):
        found.to_dataframe("loads")


def test_sweep_and_search_over_it(robot):
    def held(points):
        p = robot.parameters.array(proximal=points["proximal"], distal=points["distal"])
        return {"peak": lw.analysis.holding_effort(robot.with_parameters(p)).data()["peak_effort"]}

    table = lw.sweep(held, {"proximal": [0.28, 0.3], "distal": [0.4]}, vectorized=False)
    assert len(table) == 2 and not table.failures and np.isfinite(table["peak"]).all()
    measure = lw.analysis.StudyMeasure(robot, lw.analysis.holding_effort, "peak_effort")
    best = lw.analysis.optimize(robot, measure, {"distal": (0.38, 0.42)}, starts=1, steps=5)
    assert best.value <= measure(robot.parameters.values).value
    assert best.value == pytest.approx(peak(robot.with_parameters(best.p)), rel=1e-9)


def test_entry_points_are_loaded(monkeypatch):
    entry = EntryPoint("own", "tests.extension.plugin_study", plugins.ANALYSIS)
    monkeypatch.setattr(plugins, "_installed_entry_points", lambda: (entry,))
    plugins.load_plugins.cache_clear()
    try:
        assert "plugin_study" in study_registry.registered_studies()
    finally:
        plugins.load_plugins.cache_clear()


def test_names_in_use_are_refused():
    def workspace(model):
        """Another study of that name."""

    with pytest.raises(lw.errors.ArgumentError, match="cannot name another study"):
        study_registry.register_study(workspace)
    with pytest.raises(lw.errors.ArgumentError, match="must be 'model'"):
        study_registry.register_study(lambda_without_model)


def lambda_without_model(mechanism):
    """Lacks a model."""
