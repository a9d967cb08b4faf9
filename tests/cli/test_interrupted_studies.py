"""Ctrl-C in a long study: what it has is printed and written, and the verb ends with 130; nothing without a result."""

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis.optimization.local_search import SearchProblem
from linkwright.analysis.region.grid_exploration import Solver
from linkwright.analysis.study_budget import StudyBudget
from linkwright.cli import main

VERBS = {
    "workspace": ["five-bar", "--pose", "x=-0.3..0.3:9, y=0.2..0.6:9"],
    "tolerance": ["five-bar", "--deviation", "proximal=50 um", "--draws", "50"],
    "optimize": ["five-bar", "--vary", "proximal=0.2..0.45", "--starts", "2"],
    "calibrate": ["five-bar", "poses.csv", "--vary", "proximal, distal", "--accept-doubtful"],
    "identify": ["five-bar", "motion.csv", "--parameters", "inertial"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Measurements of a five-bar."""
    model, there = lw.build(lw.catalog.load("five-bar")), tmp_path_factory.mktemp("measured")
    run = lw.motion(model, 2.0, q_act=lambda t: [2.2 + 0.4 * np.sin(3 * t), 0.9 + 0.5 * np.cos(4 * t)])
    q_act, efforts = model.actuator_positions(run.q), [f"{name}.effort" for name in model.actuated]
    write_columns(there / "motion.csv", ["t", *model.actuated, *efforts], [run.t[:, None], q_act, run.tau])
    position = model.frame_pose(run.q, "platform").position
    write_columns(there / "poses.csv", [*model.actuated, "x", "y", "z"], [q_act[::20], position[::20] + [1e-3, 0, 0]])
    return there


def write_columns(file, names, columns):
    np.savetxt(file, np.hstack(columns), delimiter=",", header=",".join(names), comments="", fmt="%.17g")


def interrupt(*_):
    raise KeyboardInterrupt


def first_then_interrupt(self, items):
    yield items[0]
    raise KeyboardInterrupt


@pytest.mark.filterwarnings("ignore::linkwright.errors.ParameterWarning")
@pytest.mark.parametrize("verb", VERBS)
def test_what_a_study_has_at_ctrl_c_is_printed_and_written(verb, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(StudyBudget, "steps", first_then_interrupt)
    monkeypatch.setattr(StudyBudget, "require_time", interrupt)
    done = CliRunner().invoke(main, [verb, *VERBS[verb], "--output", f"{verb}.json", "--json"])
    assert done.exit_code == 130, done.output
    assert "interrupted; the result is what was found until then" in done.output
    assert any("interrupted" in note for note in lw.open_result(f"{verb}.json").content().notes)


@pytest.mark.parametrize("verb", ["workspace", "tolerance", "optimize", "calibrate"])
def test_a_study_that_has_nothing_at_ctrl_c_writes_nothing(verb, folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(StudyBudget, "steps", interrupt)
    done = CliRunner().invoke(main, [verb, *VERBS[verb], "--output", f"none-{verb}.json"])
    assert done.exit_code == 130 and "not finished was not written" in done.output
    assert not (folder / f"none-{verb}.json").exists()


def test_poses_that_an_interrupted_workspace_did_not_come_to_are_counted_apart(monkeypatch):
    """Each layer of poses is tried from its neighbors; after some of them the study ends."""
    model, grid = lw.build(lw.catalog.load("delta")), {"x": (-0.3, 0.3, 33), "y": (-0.3, 0.3, 33)}
    at = model.frame_pose(model.assemble().q, "platform")
    whole = lw.analysis.workspace(model, grid, at=at)
    jump, calls = Solver.jump_to_poses, iter(range(12))

    def some(self, *arguments):
        return jump(self, *arguments) if next(calls, None) is not None else interrupt()

    monkeypatch.setattr(Solver, "jump_to_poses", some)
    part = lw.analysis.workspace(model, grid, at=at)
    undecided = part.code == part.reasons.index("not decided")
    assert part.interrupted and not whole.interrupted and np.any(part.inside) and np.any(undecided)
    assert not np.any(part.code == part.reasons.index("out of reach"))
    assert np.array_equal(part.code[~undecided], whole.code[~undecided])
    assert part.bounds[0] <= whole.volume <= part.bounds[1]
    assert "not decided" not in {row[0] for row in whole.content().tables[0].rows}


def test_a_search_that_is_interrupted_while_its_starts_are_chosen_has_the_design_as_it_was(folder, monkeypatch):
    monkeypatch.chdir(folder)
    monkeypatch.setattr(SearchProblem, "near", lambda self, own: interrupt)
    done = CliRunner().invoke(main, ["optimize", *VERBS["optimize"], "--output", "starts.json", "--json"])
    assert done.exit_code == 130 and "interrupted; the result is what was found until then" in done.output
    assert any("1 of 1 searches" in note for note in lw.open_result("starts.json").content().notes)
