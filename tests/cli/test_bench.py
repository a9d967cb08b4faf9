"""`linkwright bench` and the benchmarks: everything runs, peers agree with us, missing ones are named."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

from benchmarks import chains, loops, peers, report
from benchmarks.comparison import Comparison, Rival, measured
from benchmarks.peak import multiply_add_loop
from benchmarks.trees import State
from linkwright import build, catalog
from linkwright.cli import call_timing, main
from linkwright.cli.call_timing import QUICK, Timing

VERB = import_module("linkwright.cli.bench")  # the package's attribute of that name is the command
ROOT = Path(__file__).parent.parent.parent


def run(*arguments):
    return CliRunner().invoke(main, ["bench", *arguments])


@pytest.mark.parametrize("name", ["three-link-arm", "four-bar"])
def test_one_mechanism_as_json(name):
    done = run(name, "--quick", "--json")
    assert done.exit_code == 0, done.output
    data = json.loads(done.output)
    functions = {row["function"] for row in data["mechanisms"][name]["rows"]}
    assert {"forward_dynamics", "inverse_dynamics", "forward_dynamics, batch of 4096"} <= functions
    assert "Pinocchio" in data["not_measured"]
    assert {"date", "processor", "load"} <= set(data["computer"])


def test_one_mechanism_as_a_table():
    done = run("three-link-arm", "--quick")
    assert done.exit_code == 0, done.output
    assert "inverse_dynamics" in done.output
    assert "noise probe" in done.output
    assert "Not measured here: peers" in done.output


def test_a_mechanism_whose_actuators_cannot_drive_everything(tmp_path):
    file = tmp_path / "swing.yaml"
    file.write_text(
        "format: 1\nname: swing\nbodies: {a: {mass: 1, com: [0.5, 0, 0]}, b: {mass: 1, com: [0.5, 0, 0]}}\n"
        "joints:\n  first: {type: revolute, parent: ground, child: a, axis: y}\n"
        "  second: {type: revolute, parent: a, child: b, axis: y, at: [1, 0, 0]}\n"
        "actuators: {motor: {joint: first}}\n"
    )
    done = run(str(file), "--quick", "--json")
    assert done.exit_code == 0, done.output
    rows = json.loads(done.output)["mechanisms"][str(file)]["rows"]
    assert "inverse_dynamics" not in {row["function"] for row in rows}


def test_unknown_mechanisms_and_missing_repositories_are_reported(monkeypatch):
    assert run("four-baar").exit_code == 3
    monkeypatch.setattr(VERB, "source_repository", lambda: None)
    done = run("loops")
    assert done.exit_code == 2
    assert "source repository" in done.output


def test_without_a_repository_two_mechanisms_are_timed(monkeypatch):
    monkeypatch.setattr(VERB, "source_repository", lambda: None)
    monkeypatch.setattr(VERB, "_ALONE", ("three-link-arm", "stanford-arm"))
    assert set(json.loads(run("--quick", "--json").output)["mechanisms"]) == {"three-link-arm", "stanford-arm"}


def test_the_comparison_runs_and_names_every_peer():
    arguments = [sys.executable, "-m", "linkwright", "bench", "serial", "--quick", "--json"]
    done = subprocess.run(arguments, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    data = json.loads(done.stdout)
    assert set(data["peers"]) | set(data["missing"]) == set(peers.PEERS)
    assert data["faults"] == []
    assert all(ratio >= 1.0 for ratio in data["noise"])
    assert data["tables"]["serial"]["rows"] or "not installed" in data["tables"]["serial"]["notes"][0]


def test_what_is_missing_is_named_with_the_way_to_get_it():
    wanted = {"nobody": ("no_such_module", "no-such-package"), "numpy": ("numpy", "numpy")}
    assert peers.missing(wanted) == {"nobody": "not installed (pip install no-such-package)"}
    assert set(peers.installed(wanted)) == {"numpy"}


@pytest.mark.parametrize("name", ["four-bar", "3-rps"])
def test_peers_of_closed_loops_agree_with_us(name):
    pytest.importorskip("pinocchio", reason="Pinocchio (pip package pin) is not installed")
    model = build(catalog.load(name))
    found = measured(loops.forward(model, name), QUICK)
    exact = {peer: time.difference for peer, time in found.peers.items() if peer.startswith("pinocchio")}
    assert exact
    assert max(exact.values()) < 1e-7
    assert found.faults == []


def test_inverse_dynamics_of_peers_agrees_with_us():
    pytest.importorskip("pinocchio", reason="Pinocchio (pip package pin) is not installed")
    found = measured(loops.inverse(build(catalog.load("3-rps")), "3-RPS"), QUICK)
    assert found.peers
    assert found.faults == []


def test_a_chain_agrees_with_its_peers():
    found = measured(chains.comparison(12), QUICK)
    assert found.faults == []
    assert "| chain of 12 |" in report.comparisons([found])


def test_a_peer_that_differs_is_a_fault():
    one = np.ones(3)
    wrong, soft = Rival(lambda: None, lambda: 2.0 * one), Rival(lambda: None, lambda: 1.1 * one, tolerance=None)
    comparison = Comparison("case", "question", lambda: None, one, {"wrong": wrong, "soft": soft}, promised=2.0)
    found = measured(comparison, QUICK)
    assert found.faults == ["case, question: wrong differs from ours by 1.0e+00"]
    assert found.peers["soft"].difference == pytest.approx(0.1)
    assert found.ratio == min(peer.ratio for peer in found.peers.values())


def test_the_verdict_names_an_absent_peer():
    found = measured(Comparison("case", "question", lambda: None, None, {}, promised=8.0), QUICK)
    assert report.promise(found) == "8x: peer not here"


def test_measuring_leaves_the_process_as_it_was(monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_THREADS", "3")
    cores = os.sched_getaffinity(0) if hasattr(os, "sched_getaffinity") else None
    with call_timing.on_one_core() as core:
        assert os.environ["LINKWRIGHT_THREADS"] == "1"
        assert cores is None or os.sched_getaffinity(0) == {core}
    assert os.environ["LINKWRIGHT_THREADS"] == "3"
    assert cores is None or os.sched_getaffinity(0) == cores


def test_a_busy_computer_is_reported():
    assert call_timing.noise_warning(Timing(1.0, 1.05)) == ""
    assert "busy" in call_timing.noise_warning(Timing(1.0, 2.0))
    assert "busy** during 1 of 2" in report.noise([1.05, 2.0])
    assert "busy" not in report.noise([1.05])
    assert report.noise([]) == ""


def test_the_multiply_add_loop_runs():
    call, operations = multiply_add_loop()
    call()
    assert operations > 0


def test_states_are_seeded():
    assert np.array_equal(State.random(3, rows=4).q, State.random(3, rows=4).q)


def test_the_page_is_there_with_date_and_computer():
    text = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
    assert text.startswith("# Benchmarks\n\n20")
    assert "load of the computer" in text
    assert all(f"## {title}\n" in text for title in report.TITLES.values())
