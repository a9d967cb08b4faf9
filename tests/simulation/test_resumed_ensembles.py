"""An ensemble that was interrupted and resumed is the uninterrupted one, and nothing of it is replaced silently."""

import os
import threading
import time
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, ResultError
from linkwright.results import recording as recordings
from linkwright.results.recording import Recording
from linkwright.simulation.ensemble import lane_workers
from linkwright.simulation.ensemble.repeats import Repeats
from tests.simulation.switched_mechanisms import ball

DATA = Path(__file__).parent.parent / "data"


@pytest.fixture(autouse=True)
def short_slices(monkeypatch):
    monkeypatch.setattr(lane_workers, "_FIRST_BUDGET", 40)
    monkeypatch.setattr(lane_workers, "_LARGEST_BUDGET", 40)
    monkeypatch.setattr(lane_workers, "_LOOK", 1e-3)
    monkeypatch.setattr(recordings, "_LANES_OFTEN", 0.0)


def request_of(n=60):
    model = lw.build(lw.catalog.load("four-bar"))
    tau = np.linspace(4.0, 8.0, n)[:, None]
    return model, {"q": model.assemble().q, "t_end": 1.0, "effort": tau, "output": 11}


def stop_at(share):
    def progress(done):
        if done >= share and done < 1.0:
            raise KeyboardInterrupt

    return progress


def same(one, other):
    assert one.status == other.status and one.reasons == other.reasons
    for a, b in ((one.values, other.values), (one.ended, other.ended), (one.t, other.t)):
        assert a.tobytes() == b.tobytes()
    assert np.array_equal(one.final, other.final, equal_nan=True)
    for name in ("steps", "rejected", "projections"):  # evaluations of the interpolant are shared with the neighbors
        assert np.array_equal(one.counts[name], other.counts[name])


@pytest.mark.parametrize("threads", [1, 2])
def test_a_resumed_ensemble_is_the_uninterrupted_one(tmp_path, monkeypatch, threads):
    keep_runs = Recording.keep_runs

    def slowly(recording, *runs, **options):  # so that the thread that looks on sees every share
        keep_runs(recording, *runs, **options)
        time.sleep(0.01)

    monkeypatch.setattr(Recording, "keep_runs", slowly)
    path = tmp_path / "many.npz"
    model, given = request_of(200)
    whole = lw.simulate_many(model, **given)
    shares = []
    for k in range(20):
        model, given = request_of(200)
        found = lw.simulate_many(
            model, **given, path=path, resume=k > 0, threads=threads, progress=stop_at((k + 1) / 5)
        )
        if found.meta["complete"] or path.exists():
            break
        left = lw.open_result(f"{path}.unfinished")
        shares.append(float(left.done.mean()))
        done = left.done
        assert left.values[done].tobytes() == whole.values[done].tobytes()
        assert np.isnan(left.values[~done]).all() and not left.meta["complete"]
    assert shares and shares == sorted(shares)
    same(found, whole)
    same(lw.open_result(path), whole)
    assert os.listdir(tmp_path) == ["many.npz"]


def interrupted(path):
    model, given = request_of()
    lw.simulate_many(model, **given, path=path, threads=1, progress=stop_at(0.2))
    assert os.path.exists(f"{path}.unfinished") and not os.path.exists(path)
    return model, given


def test_an_unfinished_ensemble_is_neither_replaced_nor_resumed_by_another_call(tmp_path):
    path = tmp_path / "many.npz"
    model, given = interrupted(path)
    before = (tmp_path / "many.npz.unfinished").read_bytes()
    with pytest.raises(ResultError, match=r"an unfinished ensemble is there, \d+ of 60 runs"):
        lw.simulate_many(model, **given, path=path)
    for other, name in (({"t_end": 2.0}, "span"), ({"effort": [3.0]}, "set of runs"), ({"method": lw.DP5()}, "method")):
        with pytest.raises(ResultError, match=f"begun with another {name}"):
            lw.simulate_many(model, **{**given, **other}, path=path, resume=True)
    assert (tmp_path / "many.npz.unfinished").read_bytes() == before
    same(lw.simulate_many(model, **given, path=path, overwrite=True), lw.simulate_many(model, **given))


def test_files_of_others_stay(tmp_path):
    model, given = request_of(3)
    lw.simulate(model, given["q"], t_end=0.1).save(tmp_path / "run.npz")
    for name in ("run.npz", "many.npz.unfinished"):
        if name.endswith("unfinished"):
            (tmp_path / name).write_bytes(b"somebody's work")
        before = (tmp_path / name).read_bytes()
        with pytest.raises(ResultError, match="not replaced"):
            lw.simulate_many(model, **given, path=tmp_path / name.removesuffix(".unfinished"))
        assert (tmp_path / name).read_bytes() == before
    with pytest.raises(ArgumentError, match="name it: path="):
        lw.simulate_many(model, **given, resume=True)


def test_damage_costs_the_runs_behind_it_and_is_reported(tmp_path, caplog):
    path = tmp_path / "many.npz"
    model, given = interrupted(path)
    file = tmp_path / "many.npz.unfinished"
    content = bytearray(file.read_bytes())
    content[len(content) // 2] ^= 4
    file.write_bytes(content)
    left = lw.open_result(path)
    assert "behind the last sound block" in caplog.text
    same(lw.simulate_many(model, **given, path=path, resume=True), lw.simulate_many(model, **given))
    assert 0 <= left.done.sum() < 60


def test_runs_are_written_by_many_threads(tmp_path, monkeypatch):
    """Two threads meet where ended runs are kept: neither goes on before the other has come."""
    path, seen, both = tmp_path / "many.npz", set(), threading.Event()
    model, given = request_of(200)
    keep_runs = Recording.keep_runs

    def watched(recording, *runs, **options):
        seen.add(threading.get_ident())
        if len(seen) > 1:
            both.set()
        both.wait(20.0)
        keep_runs(recording, *runs, **options)

    monkeypatch.setattr(Recording, "keep_runs", watched)
    monkeypatch.setattr(recordings, "_LANES_OFTEN", 0.0)
    found = lw.simulate_many(model, **given, path=path, threads=3)
    assert len(seen) > 1
    same(lw.open_result(path), found)


def test_runs_that_simulate_repeated_are_kept_too(tmp_path, monkeypatch):
    """Two four-bars in a row lose rank where they lie flat; such runs are repeated one by one."""
    model = lw.build(lw.load(DATA / "two-four-bars.yaml"))
    v = np.outer([0.05, 1.0, 0.06, 1.1], [-1.0, -1.0, -1.0, 1.0, 1.0])
    given = {"q": model.assemble().q, "v": v, "t_end": 1.0}
    whole = lw.simulate_many(model, **given)
    assert whole.status == ("done", "singularity") * 2
    one, many = Repeats._one, []

    def failing(repeats, i):
        many.append(i)
        if len(many) == 2:
            raise KeyboardInterrupt
        return one(repeats, i)

    monkeypatch.setattr(Repeats, "_one", failing)
    path = tmp_path / "many.npz"
    part = lw.simulate_many(model, **given, path=path, threads=1)
    assert part.status == ("done", "singularity", "done", "doubtful") and "interrupted" in part.reasons[3]
    left = lw.open_result(path)
    assert left.status == ("done", "singularity", "done", "interrupted") and left.reasons[1] == whole.reasons[1]
    assert np.array_equal(left.final[1], whole.final[1], equal_nan=True) and whole.ended[1] > whole[1].t[-1]
    same(lw.simulate_many(model, **given, path=path, resume=True), whole)
    assert many == [1, 3, 3]


def events_of(ensemble):
    """Events of every run, and the impulses of loops that closed."""
    return ensemble.meta["events"], ensemble.meta.get("impulses", {}), ensemble.meta["repeated_carefully"]


@pytest.mark.parametrize("share", [0.1, 0.4])
def test_events_in_lanes_survive_an_interruption(tmp_path, share):
    """Some runs pass an instant and go on, some are ended by their speed, all in lanes."""
    crossings = [
        lw.events.Crossing("past 2", lambda t, q, v: q[0] - 2.0),
        lw.events.Crossing("fast", lambda t, q, v: v[0] - 2.2, stop=True),
    ]
    model, given = request_of()
    given |= {"events": crossings, "threads": 1}
    whole, path = lw.simulate_many(model, **given), tmp_path / "many.npz"
    assert set(whole.status) == {"done", "event"} and whole.meta["repeated_carefully"] == 0
    part = lw.simulate_many(model, **given, path=path, progress=stop_at(share))
    assert not part.meta["complete"] and not path.exists()
    found = lw.simulate_many(model, **given, path=path, resume=True)
    same(found, whole)
    assert events_of(found) == events_of(whole)
    assert found.events == whole.events == lw.open_result(path).events


def test_events_of_repeated_runs_survive_an_interruption(tmp_path, monkeypatch):
    """Balls that bounce are done by `simulate`, one by one, with their impulses."""
    model, heights = lw.build(ball(0.1)), np.linspace(0.3, 0.8, 6)[:, None]
    bounce = [lw.events.Close("floor", restitution=0.5, settle=0.1), lw.events.Open("floor")]
    given = {"q": heights, "t_end": 1.0, "events": bounce, "output": 5, "threads": 1}
    whole, one, many = lw.simulate_many(model, **given), Repeats._one, []

    def failing(repeats, i):
        many.append(i)
        if len(many) == 4:
            raise KeyboardInterrupt
        return one(repeats, i)

    monkeypatch.setattr(Repeats, "_one", failing)
    path = tmp_path / "many.npz"
    assert not lw.simulate_many(model, **given, path=path).meta["complete"]
    found = lw.simulate_many(model, **given, path=path, resume=True)
    same(found, whole)
    assert events_of(found) == events_of(whole) and found.meta["impulses"]
    assert len(many) == 7  # no run was done twice but the one that was interrupted


def test_an_ensemble_begun_without_events_is_not_resumed_with_them(tmp_path):
    path = tmp_path / "many.npz"
    model, given = interrupted(path)
    with pytest.raises(ResultError, match="watched"):
        lw.simulate_many(model, **given, path=path, resume=True, stop_at=["singularity"])
