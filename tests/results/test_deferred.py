"""A result whose contents are made when they are read is the same result, whoever reads first."""

import pickle
import threading
from dataclasses import FrozenInstanceError

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.results.result import Columns, Deferred, Result, lazy_result
from linkwright.results.series import Event

COLUMNS = Columns((("x", "m", "q"), ("y", "m", "q"), ("x_dot", "m/s", "v")))
ROWS = np.arange(20.0).reshape(5, 4)


def made(details=lambda: ({"steps": (1, 2)}, (Event(0.0, "start"),))):
    return lazy_result(Deferred(ROWS.copy(), COLUMNS, details))


def test_it_reads_as_one_made_at_once():
    late = made()
    now = Result(ROWS[:, 0], made().series, {"steps": [1, 2]}, [Event(0.0, "start")])
    for read in (
        lambda run: run.t, lambda run: run.q, lambda run: run.v, lambda run: run.tau, lambda run: run["y"],
        lambda run: run.energy, lambda run: run.closure,
    ):  # fmt: skip
        assert np.array_equal(read(late), read(now), equal_nan=True)
    assert (late.names, late.meta, late.events, repr(late)) == (now.names, now.meta, now.events, repr(now))
    assert late.unit("x_dot") == "m/s" and late.one("y").group == "q"
    again = pickle.loads(pickle.dumps(made()))
    assert again.meta == now.meta and np.array_equal(again.q, now.q)
    with pytest.raises(ArgumentError, match="did you mean 'x_dot'"):
        late["x_dt"]


def test_nobody_can_change_it():
    run = made()
    for name in ("t", "series", "meta", "events"):
        with pytest.raises(FrozenInstanceError):
            setattr(run, name, ())
    with pytest.raises(ValueError, match="read-only"):
        run.t[0] = 1.0
    with pytest.raises(ValueError, match="read-only"):
        run["x"][0] = 1.0
    with pytest.raises(AttributeError, match="no attribute 'mta'"):
        run.mta  # noqa: B018


def test_threads_that_read_at_once_make_it_once():
    calls, begin = [], threading.Barrier(8)

    def details():
        calls.append(1)
        threading.Event().wait(0.02)
        return {"n": len(calls)}, ()

    run, found = made(details), []

    def read():
        begin.wait()
        found.append((run.meta["n"], run.meta))

    threads = [threading.Thread(target=read) for _ in range(8)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert len(calls) == 1 and {n for n, _ in found} == {1} and len({id(meta) for _, meta in found}) == 1


def test_columns_have_different_names():
    with pytest.raises(ArgumentError, match="two series are called 'x'"):
        Columns((("x", "", ""), ("x", "", "")))


def test_the_check_is_made_when_meta_is_read_and_before_saving(tmp_path, monkeypatch):
    from linkwright.simulation.running import metadata

    calls = []
    second = metadata.second_opinion
    monkeypatch.setattr(metadata, "second_opinion", lambda *given: calls.append(1) or second(*given))
    model = lw.build(lw.catalog.load("four-bar"))
    q = model.assemble().q
    run = lw.simulate(model, q, t_end=0.1)
    assert run.q.shape == (201, model.nq) and not calls
    assert run.meta["agreement"]["relative"] < 1e-11 and len(calls) == 1
    lw.simulate(model, q, t_end=0.1).save(tmp_path / "run.npz")
    assert len(calls) == 2 and lw.open_result(tmp_path / "run.npz").meta["agreement"] == run.meta["agreement"]


def test_runs_that_share_a_memory_are_the_same():
    """A run takes over the memory of the one before it: with other efforts, rows and states nothing of it is left."""
    model = lw.build(lw.catalog.load("four-bar"))
    q, law = model.assemble().q, lw.control.Sines([2.0], 9.0)
    first = lw.simulate(model, q, t_end=0.2, effort=[3.0])
    lw.simulate(model, q, t_end=0.3, effort=law, output=7)
    lw.simulate(model, q, model.independent_map(q) @ [4.0], t_end=1.0, t_start=0.5)
    again = lw.simulate(model, q, t_end=0.2, effort=[3.0])
    assert all(np.array_equal(a.values, b.values) for a, b in zip(first.series, again.series, strict=True))
    assert first.meta["stats"] == again.meta["stats"] and first.events == again.events


def test_threads_that_simulate_at_once_do_not_share_a_memory():
    model = lw.build(lw.catalog.load("four-bar"))
    q, efforts = model.assemble().q, np.linspace(1.0, 6.0, 6)
    wanted = [lw.simulate(model, q, t_end=1.0, effort=[x]).q for x in efforts]
    found: dict = {}

    def run(i):
        for _ in range(5):
            found.setdefault(i, []).append(lw.simulate(model, q, t_end=1.0, effort=[efforts[i]]).q)

    threads = [threading.Thread(target=run, args=(i,)) for i in range(6)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert all(np.array_equal(x, wanted[i]) for i in range(6) for x in found[i])
