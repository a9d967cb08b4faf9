"""`linkwright simulate`: mechanisms, study files, JSON, interruptions, and what goes wrong."""

import json
import os
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.results import recording
from linkwright.simulation.running import run_output


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*arguments):
    return CliRunner().invoke(main, ["simulate", *(str(each) for each in arguments)])


def equal(one, two):
    a, b = lw.open_result(one), lw.open_result(two)
    return a.names == b.names and np.array_equal(a.t, b.t) and all(np.array_equal(a[n], b[n]) for n in a.names)


REPEATED = {
    "efforts": ["four-bar", "--effort", "motor=6 N m", "--samples", 21],
    "from the actuators": ["3-rrr", "--at", "motor1=65 deg"],
    "held joints": ["four-bar", "--at", "phi=1.4"],
    "a tree in order": ["three-link-arm", "--at", "10 deg, 0.2, 0", "--velocities", "theta2=0.5 rad/s"],
    "dp5": ["five-bar", "--method", "dp5", "--rtol", 1e-7, "--velocities", "theta1=0.3"],
    "rk4": ["four-bar", "--method", "rk4", "--step", "1 ms"],
    "parameters": ["bennett", "--set", "line=5 kg/m", "--set", "a=0.3", "--velocities", "theta1=1", "--samples", 11],
    "minimal": ["four-bar", "--formulation", "minimal"],
    "stiff springs": [
        *["four-bar", "--formulation", "springs", "--spring-stiffness", "1e6 N/m", "--spring-damping", "1e3 N s/m"],
        *["--method", "rodas5p"],
    ],
}


@pytest.mark.parametrize("options", REPEATED.values(), ids=REPEATED)
def test_a_study_written_by_a_run_repeats_it_bit_for_bit(options):
    first = run(*options, "--duration", "200 ms", "--save-run", "a.npz", "--save-study", "study.yaml")
    assert first.exit_code == 0, first.output
    again = run("study.yaml", "--save-run", "b.csv", "--save-study", "again.yaml")
    assert again.exit_code == 0 and equal("a.npz", "b.csv"), again.output
    assert Path("again.yaml").read_text() == Path("study.yaml").read_text()
    for word in ("Velocities", "closure", "energy", "steps", "a.npz", "study.yaml"):
        assert word in first.output


def test_a_study_finds_the_mechanism_file_from_its_own_folder(here):
    (here / "studies").mkdir()
    lw.save(lw.catalog.load("four-bar"), here / "mine.yaml")
    options = ["--duration", "0.1", "--save-run", "a.npz", "--save-study", "studies/s.yaml"]
    assert run("mine.yaml", *options).exit_code == 0
    assert lw.load_study("studies/s.yaml").mechanism == "../mine.yaml"
    assert run("studies/s.yaml").exit_code == 0 and equal("a.npz", "s_run.npz")


def test_json_has_the_numbers_of_the_library(here):
    found = json.loads(run("three-link-arm", "--duration", "0.5", "--json").output)
    arm = lw.build(lw.catalog.load("three-link-arm"))
    own = lw.simulate(arm, arm.assemble().q, t_end=0.5)
    assert found["final"]["theta1"] == own["theta1"][-1] and found["file"] is None and found["complete"]
    assert found["peak"]["theta1_dot"] == np.abs(own["theta1_dot"]).max() and not list(here.iterdir())


def test_the_start_is_where_the_actuators_were_set():
    run("four-bar", "--at", "motor=60 deg", "--duration", "0.01", "--save-run", "a.csv")
    start = lw.open_result("a.csv")
    assert start["theta"][0] == np.radians(60.0) and start.closure.max() < 1e-12


def test_the_page_of_a_run_is_written(here):
    done = run("four-bar", "--duration", "0.1", "--report", "run.html")
    assert done.exit_code == 0 and "run.html" in done.output
    assert (here / "run.html").read_text(encoding="utf-8").startswith("<!")
    assert (here / "four-bar_run.npz").exists()


def test_limits_are_listed_and_may_stop_the_run():
    done = run("gough-stewart", "--duration", "1.2 s", "--stop-at-limits")
    assert done.exit_code == 0 and "reaches its upper limit" in done.output


class Clock:
    """Time that passes only in sleep."""

    def __init__(self):
        self.now, self.naps = 0.0, 0

    def __call__(self):
        return self.now

    def sleep(self, seconds):
        self.now, self.naps = self.now + seconds, self.naps + 1


def pace_by(monkeypatch, clock, sleep):
    class Paced(run_output.Pace):
        def __init__(self, **given):
            super().__init__(clock=clock, sleep=sleep, **given)

    monkeypatch.setattr(run_output, "Pace", Paced)


def test_a_run_in_real_time_is_the_same_run_and_reports_its_deadlines(monkeypatch):
    clock = Clock()
    pace_by(monkeypatch, clock, clock.sleep)
    held = run("four-bar", "--duration", "0.5", "--realtime", "--save-run", "a.npz")
    assert run("four-bar", "--duration", "0.5", "--save-run", "b.npz").exit_code == 0
    assert f"0 of {clock.naps} deadlines missed" in held.output and equal("a.npz", "b.npz")
    assert clock.now == pytest.approx(0.5, abs=1e-9)


def interrupt(clock, seconds):
    clock.now += seconds
    if clock.now > 0.1:
        raise KeyboardInterrupt


def test_ctrl_c_keeps_the_rows_and_says_where(monkeypatch):
    clock = Clock()
    pace_by(monkeypatch, clock, partial(interrupt, clock))
    options = ["four-bar", "--method", "rk4", "--step", "1 ms", "--duration", "0.5", "--realtime"]
    done = run(*options, "--save-run", "a.npz")
    assert done.exit_code == 130 and "a.npz.unfinished" in done.output and "Traceback" not in done.output
    left = lw.open_result("a.npz")
    assert not left.meta["complete"] and 0.1 <= left.t[-1] < 0.2 and f"{len(left.t)} rows until" in done.output
    assert "--resume goes on" in done.output
    done = run(*options, "--json")
    assert done.exit_code == 130 and "give --save-run" in done.output


def test_an_interrupted_run_is_resumed_and_not_replaced(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    clock = Clock()
    pace_by(monkeypatch, clock, partial(interrupt, clock))
    monkeypatch.setattr(recording, "_SOONEST", 0.0)
    monkeypatch.setattr(recording, "_SHARE", 0.0)
    options = ["four-bar", "--method", "rk4", "--step", "1 ms", "--duration", "0.5"]
    assert run(*options, "--save-run", "a.npz", "--realtime").exit_code == 130
    refused = run(*options, "--save-run", "a.npz")
    assert refused.exit_code == 3 and "an unfinished run is there" in refused.output and "--resume" in refused.output
    other = run("four-bar", "--duration", "0.6", "--save-run", "a.npz", "--resume")
    assert other.exit_code == 3 and "begun with another" in other.output
    assert run(*options, "--save-run", "a.npz", "--resume").exit_code == 0
    assert run(*options, "--save-run", "b.npz", "--resume").exit_code == 0  # nothing to resume: it begins
    assert equal("a.npz", "b.npz") and sorted(os.listdir()) == ["a.npz", "b.npz"]
    assert run(*options, "--json", "--resume").exit_code == 2


def test_a_motion_that_cannot_be_followed_ends_with_4_and_is_kept(here):
    done = run("four-bar", "--method", "rk4", "--step", "0.9 s", "--effort", "motor=1e9", "--duration", "90 s")
    assert done.exit_code == 4 and "the run ended at t = " in done.output
    assert not lw.open_result("four-bar_run.npz").meta["complete"]


def test_a_second_method_that_disagrees_ends_with_5(monkeypatch):
    from linkwright.simulation.running import metadata

    def another(problem, q, v, tau):
        return "another", 1.01 * problem.model.forward_dynamics(q, v, tau)

    monkeypatch.setattr(metadata, "second_opinion", another)
    done = run("four-bar", "--duration", "0.1")
    assert done.exit_code == 5 and "another gives accelerations that differ by 1.0e-02" in done.output


@pytest.mark.parametrize(
    ("arguments", "code", "because"),
    [
        (["four-bat"], 3, "four-bar"),
        (["four-bar", "--effort", "motr=6"], 2, "motor"),
        (["four-bar", "--at", "theta=6 kg"], 2, "kg"),
        (["four-bar", "--at", "thet=6"], 2, "theta"),
        (["five-bar", "--at", "motor1=0, motor2=180 deg"], 4, ""),
        (["four-bar", "--velocities", "phi=1"], 2, "theta"),
        (["four-bar", "--method", "rk4"], 2, "--step"),
        (["four-bar", "--step", "1 ms"], 2, "chooses its steps itself"),
        (["four-bar", "--method", "euler"], 2, "dop853"),
        (["four-bar", "--rtol", "1e-20"], 2, "below round-off"),
        (["four-bar", "--rtol", "nan"], 2, "not a quantity"),
        (["four-bar", "--formulation", "springs"], 2, "--spring-stiffness"),
        (["four-bar", "--spring-stiffness", "1e6"], 2, "--formulation springs"),
        (["four-bar", "--formulation", "springs", "--spring-stiffness", "-1"], 2, "above zero"),
        (["four-bar", "--duration", "soon"], 2, "soon"),
        (["four-bar", "--duration", "-1"], 2, "above zero"),
        (["four-bar", "--samples", "1"], 2, "--samples"),
        (["four-bar", "--save-run", "run.txt"], 2, ".npz"),
        (["four-bar", "--save-run", "nowhere/run.npz"], 1, "cannot be written"),
    ],
)
def test_mistakes_are_reported(arguments, code, because):
    done = run(*arguments)
    assert done.exit_code == code, done.output
    assert because in done.output and "Traceback" not in done.output


def test_options_do_not_silently_lose_against_a_study(here):
    Path("s.yaml").write_text("format: 1\nmechanism: four-bar\nt_end: 0.1\n")
    done = run("s.yaml", "--at", "motor=1")
    assert done.exit_code == 2 and "--at is for mechanisms" in done.output and "s.yaml" in done.output
    Path("s.yaml").write_text("format: 1\nmechanism: four-bar\nt_ends: 0.1\n")
    done = run("s.yaml")
    assert done.exit_code == 3 and "s.yaml:3" in done.output and "did you mean 't_end'" in done.output
