"""On a terminal of 80 columns: tables fit, `check` has colors unless NO_COLOR is set, --quiet prints nothing."""

import re
import shlex

import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main

TERMINAL = {"FORCE_COLOR": "1", "COLUMNS": "80", "TERM": "xterm", "NO_COLOR": ""}
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(line, **environment):
    return CliRunner(env={**TERMINAL, **environment}).invoke(main, shlex.split(line))


WIDE = [
    "info gough-stewart",
    "ik gough-stewart --pose 'z=1.1 m, rx=5 deg'",
    "ik delta --pose 'x=50 mm, y=0, z=-150 mm' --modes",
    "assemble 3-rrr --modes",
    "motion stanford-arm --at '60 deg, 60 deg, 0.1, 60 deg, 60 deg, 60 deg'",
    "simulate four-bar --duration '0.1 s'",
    "motion delta --pick-and-place '25 mm, 100 mm, 25 mm'",
    "indices five-bar --stiffness 2e3",
]


@pytest.mark.parametrize("line", WIDE)
def test_tables_fit_80_columns_and_numbers_stay_whole(line):
    done = run(line)
    assert done.exit_code == 0, done.output
    lines = [row for row in ESCAPE.sub("", done.output).splitlines() if "│" in row or "┃" in row]
    assert lines and max(map(len, lines)) <= 80
    continued = [re.split("[│┃]", row)[1:] for row in lines if re.match(r"\s+[│┃]", row)]
    broken = [cells for cells in continued if any(re.fullmatch(r"[\d.e-]+", cell.strip()) for cell in cells)]
    assert not broken


def test_actuators_come_first_and_angles_are_degrees():
    shown = ESCAPE.sub("", run("ik delta --pose 'x=50 mm, y=0, z=-150 mm'").output)
    assert shown.index("Actuators") < shown.index("Platform") < shown.index("Other coordinates")
    model = lw.build(lw.catalog.load("delta"))
    q, _, _ = model.inverse_kinematics(([0.05, 0.0, -0.15], [1.0, 0, 0, 0]), components=["x", "y", "z"])
    assert f"motor1 [deg] │ {180 / 3.141592653589793 * model.actuator_positions(q)[0]:.6g}" in shown


def test_check_has_colors_where_the_terminal_wants_them():
    assert "\x1b[" in run("check delta").output
    assert "\x1b[" not in run("check delta", NO_COLOR="1", FORCE_COLOR="").output


def test_quiet_prints_nothing_but_writes_files_and_keeps_errors(tmp_path):
    assert run("simulate four-bar --duration '0.1 s' --save-run run.npz --quiet").output == ""
    assert (tmp_path / "run.npz").is_file()
    assert run("info delta -q --json").output.startswith("{")
    assert "did you mean" in run("info detla -q").output


def test_the_version_for_bug_reports():
    assert run("--version").output == f"linkwright, version {lw.__version__}\n"
    for line in ("--version --verbose", "--verbose --version"):
        assert all(word in run(line).output for word in (lw.__version__, "python:", "numpy", "processor:", "cache:"))


def test_tables_fit_the_columns_of_the_environment(monkeypatch, capsys):
    from linkwright.cli.printed_tables import print_table

    monkeypatch.setenv("COLUMNS", "80")
    print_table("Cuts", ["why"], [["joint 'B' between 'rod' and 'upper' is cut: " + "5 closure equations more; " * 4]])
    print_table("Actuated joints that would do, best first", ["joints"], [["O"]])
    lines = capsys.readouterr().out.splitlines()
    assert max(map(len, lines)) <= 80 and "Actuated joints that would do, best first" in lines
    monkeypatch.delenv("COLUMNS")
    print_table("Cuts", ["why"], [["x " * 60]])
    assert "x " * 59 + "x" in capsys.readouterr().out
