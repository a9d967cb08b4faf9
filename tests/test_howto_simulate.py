"""The page on simulating from the command line does what it says."""

import re
import shlex
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.cli.simulate import simulate

PAGE = (Path(__file__).parent.parent / "docs" / "howto" / "simulate.md").read_text(encoding="utf-8")
LINES = re.findall(r"^linkwright (simulate .*)$", PAGE, re.MULTILINE)


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_every_command_of_the_page_works_and_the_repeated_run_is_the_same():
    for line in LINES:
        done = CliRunner().invoke(main, shlex.split(line))
        assert done.exit_code == 0, f"{line}\n{done.output}"
        assert ("deadlines missed" in done.output) == ("--realtime" in line)
    assert len(LINES) == 5 and Path("four-bar_run.npz").exists()
    one, two = lw.open_result("first.npz"), lw.open_result("again.npz")
    assert all(np.array_equal(one[name], two[name]) for name in one.names)


def test_the_python_of_the_page_runs(capsys):
    wrenches, pacing = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    names: dict = {}
    exec(compile(wrenches, "simulate.md", "exec"), names)
    assert names["run"].q[:, names["stroke"]].max() > 0.39  # the workpiece is met
    assert names["run"].meta["energy_balance"]["relative"] < 1e-6
    exec(compile(pacing, "simulate.md", "exec"), {})
    assert "'missed'" in capsys.readouterr().out


def test_the_page_names_the_options_there_are():
    described = set(re.findall(r"`(--[a-z-]+)", PAGE)) | set(re.findall(r"(--[a-z-]+)", "\n".join(LINES)))
    known = {flag for param in simulate.params for flag in param.opts if flag.startswith("--")}
    assert described == known
