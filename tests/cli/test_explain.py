"""`linkwright explain`: text, HTML file, JSON, mistakes."""

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from linkwright.cli import main


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


def test_the_steps_in_order():
    done = run("explain", "four-bar")
    assert done.exit_code == 0, done.output
    steps = [
        "1. The tree",
        "2. The cuts",
        "3. The DeNOC",
        "4. The closure",
        "5. The elim",
        "6. The oper",
        "7. Your mech",
    ]
    indices = [done.output.index(step) for step in steps]
    assert indices == sorted(indices)
    assert "'B' (revolute, 1 freedom) is cut: 'coupler' is carried by 'alpha_rel' and 'rocker' is carried by 'phi'" in (
        done.output
    )
    assert "It closes the loop coupler - crank - ground - rocker." in done.output


def test_one_file_of_html():
    done = run("explain", "three-link-arm", "--report", "arm.html")
    assert done.exit_code == 0, done.output
    assert "Written: arm.html" in done.output
    assert Path("arm.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_json_has_the_formulas_as_text():
    data = json.loads(run("explain", "three-link-arm", "--json").stdout)
    (forces,) = [row["text"] for row in data["blocks"] if row["text"].startswith("Forces")]
    assert any(line.startswith("force[theta1] = ") for line in forces.splitlines())


@pytest.mark.parametrize(
    ("arguments", "code", "expected"),
    [
        (("explain", "nothing-like-it"), 3, "is neither a file nor a mechanism of the catalog"),
        (("explain", "four-bar", "--report", "no/such/folder/x.html"), 1, "cannot be written"),
    ],
)
def test_mistakes_are_reported(arguments, code, expected):
    done = run(*arguments)
    assert done.exit_code == code
    assert expected in done.stderr and "Traceback" not in done.stderr
