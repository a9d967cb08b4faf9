"""`linkwright sweep`, with its shards merged."""

import json
import re

import jsonschema
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright import open_result
from linkwright.cli import main

STUDY = """
format: 1
mechanism: five-bar
sweep:
  grid:
    proximal: {from: 250 mm, to: 300 mm, count: 3}
    distal: [0.35, 400 mm]
at:
  x: [-50 mm, 50 mm]
  y: {from: 0.38, to: 0.45, count: 2}
measure: [condition, type2]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "designs.yaml").write_text(STUDY)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, ["sweep", *arguments])


def test_a_study_is_swept(folder):
    found = run("designs.yaml", "--json")
    assert found.exit_code == 0, found.output
    data = json.loads(found.stdout)
    assert data["study"] == "sweep" and data["failed"] == 0 and data["files"] == ["designs.npz"]
    jsonschema.validate(data, lw.analysis.data_schema())
    table = open_result(folder / "designs.npz")
    assert data["points"] == len(table) == 6 and data["units"]["best.proximal"] == table.units["proximal"] == "m"
    best = {row["best_by"]: row for row in data["best"]}
    assert best["condition_worst"]["condition_worst"] == table["condition_worst"].min()
    assert best["type2_worst"]["type2_worst"] == table["type2_worst"].max()
    shown = run("designs.yaml", "--output", "again.csv", "--report", "page.html", "--plot", "figure.png")
    assert shown.exit_code == 0 and "Best points" in shown.output
    assert '"kind":"Map"' in (folder / "page.html").read_text(encoding="utf-8") and (folder / "figure.png").is_file()


def test_a_sweep_ends_in_time_and_goes_on(folder):
    part = json.loads(run("designs.yaml", "--max-seconds", "1e-9", "--json").stdout)
    assert 0 < part["points"] < 6 and part["files"] == ["designs.npz.parts"] and "of 6 points" in part["notes"][0]
    assert all(row["point"] is None for row in part["best"]), "numbers of points are those of the whole"
    assert json.loads(run("designs.yaml", "--json").stdout)["points"] == 6


def test_a_sweep_is_saved_below_the_current_folder_only(folder, monkeypatch):
    (folder / "here").mkdir()
    monkeypatch.chdir(folder / "here")
    (folder / "here" / "designs.yaml").write_text(STUDY + "output: ../designs.npz\n")
    refused = run("designs.yaml")
    assert refused.exit_code and "outside the current folder" in refused.output and "--allow-outside" in refused.output
    assert run("designs.yaml", "--output", "").exit_code == 2 and not (folder / "designs.npz").exists()
    assert run("designs.yaml", "--output", "../named.npz").exit_code == 0
    assert run("designs.yaml", "--allow-outside").exit_code == 0 and (folder / "designs.npz").is_file()


@pytest.mark.parametrize(
    ("old", "new"),
    [("count: 3", "count: 100000001"), ("y: {from: 0.38, to: 0.45, count: 2}", "y: {from: 0, to: 1, count: 600000}")],
)
def test_counts_of_a_study_have_bounds(folder, old, new):
    (folder / "designs.yaml").write_text(STUDY.replace(old, new))
    found = run("designs.yaml")
    assert found.exit_code == 2 and "expected a whole number from 1 to" in found.output


def test_every_fault_of_a_study_is_named_once(folder):
    (folder / "designs.yaml").write_text(
        STUDY.replace("count: 3", "cont: 3").replace("[0.35, 400 mm]", "{form: 1, to: 2, count: 2}")
        + "components: [x, {b: 1}]\n"
    )
    found = run("designs.yaml")
    for part in (
        ":6: sweep.grid.proximal.count: 'count' is missing",
        ":6: sweep.grid.proximal.cont: unknown key 'cont' (did you mean 'count'?)",
        ":7: sweep.grid.distal.form: unknown key 'form' (did you mean 'from'?)",
        "5 problems",
    ):
        assert part in found.output


@pytest.mark.parametrize("value", ["3", "[a, [1]]", "[.inf]", "[true]"])
def test_values_that_are_no_quantities_are_named(folder, value):
    (folder / "designs.yaml").write_text(STUDY.replace("[0.35, 400 mm]", value))
    found = run("designs.yaml")
    assert found.exit_code == 3 and "designs.yaml:7: sweep.grid.distal" in found.output, found.output


@pytest.mark.parametrize("more", [(), ("--json",)])
def test_a_sweep_of_which_every_design_failed_ends_with_an_error(folder, more):
    (folder / "designs.yaml").write_text(STUDY.replace("[0.35, 400 mm]", "[10 mm, 12 mm]"))
    found = run("designs.yaml", *more)
    assert found.exit_code == 4 and "every one of the 6 designs failed" in found.stderr
    assert "none of the 4 poses is reached" in found.stderr
    assert len(open_result(folder / "designs.npz").failures) == 6


def test_reasons_of_failures_and_numbers_of_designs_are_shown(folder):
    (folder / "designs.yaml").write_text(STUDY.replace("[0.35, 400 mm]", "[0.35, 10 mm]"))
    found = run("designs.yaml")
    assert found.exit_code == 0 and "none of the 4 poses is reached" in found.output
    (whole, _) = json.loads(run("designs.yaml", "--output", "all.npz", "--json").stdout)["best"]
    part = json.loads(run("designs.yaml", "--shard", "2/3", "--output", "part.npz", "--json").stdout)
    assert whole["point"] % 2 == 0 and part["best"][0]["point"] is None
    assert part["reasons"] == [{"reason": "none of the 4 poses is reached", "points": 1}]


def test_shards_are_merged(folder):
    assert run("designs.yaml", "--output", "whole.npz").exit_code == 0
    for i in (1, 2):
        assert run("designs.yaml", "--shard", f"{i}/2").exit_code == 0
    merged = CliRunner().invoke(main, ["sweep", "designs.npz", "--merge", "--output", "designs.npz"])
    assert merged.exit_code == 0 and re.search(r"points +\S +6 ", merged.output)
    assert (folder / "designs.npz").read_bytes() == (folder / "whole.npz").read_bytes()


@pytest.mark.parametrize(
    ("old", "new", "part", "code"),
    [
        ("grid:", "gird:", "gird", 3),
        ("proximal", "proximl", "proximal", 2),
        ("count: 3", "count: 0", "count", 3),
        ("250 mm", "250 kg", "proximal", 2),
        ("five-bar", "six-bar", "six-bar", 3),
        ("condition", "conditoin", "condition", 2),
        ("  grid:", "  file: points.csv\n  grid:", "exactly one", 3),
    ],
)
def test_mistakes_in_a_study(folder, old, new, part, code):
    (folder / "designs.yaml").write_text(STUDY.replace(old, new, 1))
    found = run("designs.yaml")
    assert found.exit_code == code and part in found.output, found.output


@pytest.mark.parametrize(
    ("options", "part"),
    [
        (["--shard", "3/2"], "--shard 3/2"),
        (["--scheduler", "tcp://127.0.0.1:9"], "no dask scheduler answers"),
        (["--processes", "2", "--scheduler", "tcp://127.0.0.1:9"], "exclude each other"),
        (["--output", "x.txt"], "x.txt"),
    ],
)
def test_bad_options(folder, options, part):
    found = run("designs.yaml", *options)
    assert found.exit_code in (1, 2) and part in found.output
