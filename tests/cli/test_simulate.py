"""`linkwright simulate`: mechanisms, study files, machine-readable answers, and what goes wrong."""

import json

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*words):
    return CliRunner().invoke(main, ["simulate", *(str(word) for word in words)])


def test_a_study_written_by_a_run_repeats_it_bit_for_bit(here):
    options = ["--t-end", "200 ms", "--effort", "motor=6 N m", "--rows", 21]
    first = run("four-bar", *options, "--output", "a.npz", "--save-study", "study.yaml")
    again = run("study.yaml", "--output", "b.npz")
    assert first.exit_code == again.exit_code == 0, first.output + again.output
    a, b = lw.open_run("a.npz"), lw.open_run("b.npz")
    assert len(a.t) == 21 and a.names == b.names
    assert all(np.array_equal(a[name], b[name]) for name in a.names)
    assert "steps" in first.output and "a.npz" in first.output


def test_the_answer_for_machines_is_the_librarys(here):
    found = json.loads(run("three-link-arm", "--t-end", "0.5", "--json").output)
    arm = lw.build(lw.catalog.load("three-link-arm"))
    own = lw.simulate(arm, arm.assemble().q, t_end=0.5)
    assert found["final"]["theta1"] == own["theta1"][-1] and found["file"] is None
    assert not list(here.iterdir())


def test_limits_are_listed_and_may_stop_the_run():
    answer = run("gough-stewart", "--t-end", "1.2 s", "--stop-at-limits")
    assert answer.exit_code == 0 and "reaches its upper limit" in answer.output


@pytest.mark.parametrize(
    ("words", "code", "because"),
    [
        (["four-bat"], 3, "four-bar"),
        (["four-bar", "--effort", "motr=6"], 2, "motor"),
        (["four-bar", "--start", "theta=6 kg"], 2, "kg"),
        (["four-bar", "--method", "rk4"], 3, "step"),
        (["four-bar", "--t-end", "soon"], 3, "soon"),
        (["four-bar", "--output", "run.txt"], 1, ".npz"),
    ],
)
def test_mistakes_are_told(words, code, because):
    answer = run(*words)
    assert answer.exit_code == code, answer.output
    assert because in answer.output and "Traceback" not in answer.output
