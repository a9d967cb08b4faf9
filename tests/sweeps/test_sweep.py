"""Sweeps: the same bytes whoever computes, nothing lost, failing points recorded."""

import os
import pickle
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright import open_result
from linkwright.sweeps import Grid, SweepError, Uniform, merge
from tests.study_laws import require_study
from tests.sweeps import kills
from tests.sweeps.functions import Boxes, Logged, areas, deadly, explained, mistaken, narrow, narrow_point

POINTS = Uniform(3000, seed=5, width=(0.0, 1.0), height=(1.0, 2.0))


@pytest.fixture(scope="module")
def reference(tmp_path_factory):
    path = tmp_path_factory.mktemp("sweep") / "reference.npz"
    lw.sweep(areas, POINTS, path=path, chunk=200)
    return path.read_bytes()


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0", host="127.0.0.1", silence_logs=50
    ) as found:
        yield found


def test_results_are_those_of_the_function():
    rows = POINTS.rows(0, len(POINTS))
    found = lw.sweep(areas, POINTS, chunk=7)
    assert np.array_equal(found["area"], rows["width"] * rows["height"])
    assert np.array_equal(found["sides"], np.stack([rows["width"], rows["height"]], axis=1))
    assert found.failures == {} and len(found) == 3000


@pytest.mark.parametrize("saved", [False, True], ids=["in memory", "from a file"])
def test_a_sweep_can_be_pickled(saved, tmp_path):
    path = tmp_path / "x.npz"
    found = lw.sweep(explained, Grid(width=[0.5, 2.0], height=[1.0, 3.0]), path=path)
    found = open_result(path) if saved else found
    copy = pickle.loads(pickle.dumps(found))
    path.unlink()
    assert dict(copy.failures) == dict(found.failures) and copy.meta == found.meta and repr(copy) == repr(found)
    for name in (*found.points, *found.values):
        assert copy[name].tobytes() == found[name].tobytes()


def test_processes_give_the_same_bytes(reference, tmp_path):
    lw.sweep(areas, POINTS, 2, path=tmp_path / "x.npz", chunk=200)
    assert (tmp_path / "x.npz").read_bytes() == reference
    assert os.listdir(tmp_path) == ["x.npz"]


def test_a_cluster_gives_the_same_bytes(reference, tmp_path, cluster):
    lw.sweep(areas, POINTS, cluster.scheduler_address, path=tmp_path / "x.npz", chunk=200)
    assert (tmp_path / "x.npz").read_bytes() == reference


def test_a_lost_worker_of_a_cluster_changes_nothing(reference, tmp_path, cluster):
    function = Logged(tmp_path / "calls.txt", float(POINTS.rows(1700, 1701)["width"][0]))
    lw.sweep(function, POINTS, cluster.scheduler_address, path=tmp_path / "x.npz", chunk=200)
    assert (tmp_path / "calls.died").exists()
    assert np.array_equal(open_result(tmp_path / "x.npz")["area"], lw.sweep(areas, POINTS)["area"])


def test_a_lost_process_changes_nothing(tmp_path):
    function = Logged(tmp_path / "calls.txt", float(POINTS.rows(1700, 1701)["width"][0]))
    found = lw.sweep(function, POINTS, 2, path=tmp_path / "x.npz", chunk=200)
    assert (tmp_path / "calls.died").exists()
    assert np.array_equal(found["area"], lw.sweep(areas, POINTS)["area"])


def test_processes_that_die_each_time_end_with_a_message(tmp_path):
    with pytest.raises(SweepError, match=r"3 times in a row.*points 0"):
        lw.sweep(deadly, POINTS, 1, chunk=1500)


def test_shards_merge_to_the_same_bytes(reference, tmp_path):
    for i in range(3):
        part = lw.sweep(areas, POINTS, path=tmp_path / f"{i % 2}.npz", shard=(i, 3), chunk=200)
        assert len(part) == 1000
    merge([tmp_path / "0.npz", tmp_path / "1.npz"], tmp_path / "x.npz")
    assert (tmp_path / "x.npz").read_bytes() == reference


def test_a_missing_shard_is_named(tmp_path):
    lw.sweep(areas, POINTS, path=tmp_path / "x.npz", shard=(1, 2), chunk=200)
    with pytest.raises(lw.errors.ResultError, match="8 of 15 chunks are missing, the first at points 0"):
        merge([tmp_path / "x.npz"], tmp_path / "x.npz")


def test_an_interrupted_sweep_goes_on(reference, tmp_path):
    def stop(state):
        if state.done >= 1000:
            raise KeyboardInterrupt

    function = Logged(tmp_path / "calls.txt")
    part = lw.sweep(function, POINTS, path=tmp_path / "x.npz", chunk=200, progress=stop)
    assert part.interrupted and len(part) == 1000 and "2000 of 3000" in part.content().notes[0]
    before = (tmp_path / "calls.txt").read_text().count("\n")
    for name in ("x.npz", "x.npz.parts"):
        so_far = lw.open_result(tmp_path / name)
        assert len(so_far) == so_far.meta["count"] == 1000 and so_far.meta["of"] == 3000
    assert np.array_equal(so_far["area"], lw.sweep(areas, POINTS)["area"][:1000])
    damaged = sorted((tmp_path / "x.npz.parts").glob("*.chunk"))[1]
    damaged.write_bytes(damaged.read_bytes()[:-1] + b"?")
    found = lw.sweep(function, POINTS, path=tmp_path / "x.npz", chunk=200)
    assert before == 5
    assert (tmp_path / "calls.txt").read_text().count("\n") == 15 + 1, "the damaged chunk alone is computed again"
    assert np.array_equal(found["area"], lw.sweep(areas, POINTS)["area"])


@pytest.mark.parametrize("raised", [TypeError, KeyboardInterrupt])
def test_a_sweep_that_ended_before_its_first_chunk_leaves_nothing(tmp_path, raised):
    def faulty(x):
        raise raised

    with pytest.raises((lw.errors.LinkwrightError, KeyboardInterrupt)):
        lw.sweep(faulty, POINTS, path=tmp_path / "x.npz")
    assert not list(tmp_path.iterdir())
    assert len(lw.sweep(areas, POINTS, path=tmp_path / "x.npz")) == 3000


@pytest.mark.skipif(sys.platform == "win32", reason="no locks on files")
def test_two_processes_do_not_write_one_sweep(tmp_path):
    path, refusals = tmp_path / "x.npz", []

    def begin_again(state):
        for overwrite in (False, True):
            with pytest.raises(lw.errors.ResultError, match="another process computes this sweep"):
                lw.sweep(areas, POINTS, path=path, overwrite=overwrite)
            refusals.append(overwrite)

    assert len(lw.sweep(areas, POINTS, path=path, progress=begin_again)) == 3000 and set(refusals) == {False, True}
    assert len(lw.sweep(areas, POINTS, path=path, overwrite=True)) == 3000


def test_a_killed_sweep_goes_on(tmp_path):
    for name in ("whole", "killed"):
        (tmp_path / name).mkdir()
    kills.run(tmp_path / "whole", None)
    _, again = kills.killed_once(tmp_path / "killed", 1.0, (tmp_path / "whole" / "x.npz").read_bytes())
    assert again <= 1


def test_nothing_is_replaced_silently(tmp_path):
    path = tmp_path / "x.npz"
    lw.sweep(areas, POINTS, path=path)
    with pytest.raises(lw.errors.ArgumentError, match=r"exists.*overwrite"):
        lw.sweep(areas, POINTS, path=path)
    assert len(lw.sweep(areas, POINTS, path=path, overwrite=True)) == 3000
    lw.sweep(areas, POINTS, path=tmp_path / "y.npz", shard=(0, 2))
    with pytest.raises(lw.errors.ArgumentError, match="another sweep, which differs in function, points"):
        lw.sweep(narrow, Uniform(3000, seed=6, width=(0, 1), height=(1, 2)), path=tmp_path / "y.npz", shard=(0, 2))


@pytest.mark.parametrize(("function", "vectorized"), [(narrow, True), (narrow_point, False), (explained, True)])
def test_failing_points_are_recorded_with_the_reason(function, vectorized):
    found = lw.sweep(function, POINTS, vectorized=vectorized, chunk=500)
    wide = np.flatnonzero(POINTS.rows(0, 3000)["width"] > 0.9)
    assert list(found.failures) == wide.tolist()
    assert all("too wide" in reason for reason in found.failures.values())
    assert np.isnan(found["area"][wide]).all() and np.isfinite(np.delete(found["area"], wide)).all()


def test_chunks_in_which_all_points_fail(tmp_path):
    points = {"width": [0.95, 0.99, 0.1, 0.2], "height": [1.0]}
    found = lw.sweep(narrow, points, chunk=2, path=tmp_path / "x.npz")
    assert list(found.failures) == [0, 1] and found["area"].tolist()[2:] == [0.1, 0.2]


def test_a_mistake_in_the_function_stops_at_once():
    calls = []

    def counted(x):
        calls.append(len(x["width"]))
        return mistaken(x)

    with pytest.raises(SweepError, match=r"point 0 with KeyError: 'widht'"):
        lw.sweep(counted, POINTS, chunk=10)
    assert sum(calls) == 20


def test_tables(tmp_path):
    pytest.importorskip("pandas")
    found = lw.sweep(areas, {"width": [1.0, 2.0], "height": [3.0, 4.0, 5.0]})
    frame = found.to_dataframe()
    assert list(frame.columns) == ["width", "height", "area", "sides[0]", "sides[1]"]
    data = found.to_xarray()
    assert data["area"].sel(width=2.0, height=4.0) == 8.0 and data["sides"].dims == ("width", "height", "sides_0")
    for ending in ("parquet", "csv"):
        lw.sweep(areas, POINTS, path=tmp_path / f"x.{ending}", chunk=999)
    import pandas

    read = pandas.read_parquet(tmp_path / "x.parquet")
    assert np.array_equal(read["area"], lw.sweep(areas, POINTS)["area"])
    assert np.allclose(pandas.read_csv(tmp_path / "x.csv")["area"], read["area"], rtol=1e-15, atol=0)
    found.save(tmp_path / "again.npz")
    assert np.array_equal(open_result(tmp_path / "again.npz")["sides"], found["sides"])


def test_the_best_point():
    found = lw.sweep(areas, Grid(width=[3.0, 1.0], height=[2.0, 5.0]))
    assert found.best("area") == {
        "width": 1.0,
        "height": 2.0,
        "area": 2.0,
        "sides[0]": 1.0,
        "sides[1]": 2.0,
        "index": 2,
    }
    assert found.best("area", largest=True)["area"] == 15.0
    assert found.plot(x="width", y="area", color="height").axes


@pytest.mark.parametrize("varied", [1, 2, 3])
def test_a_sweep_is_a_study(varied, tmp_path):
    """Its data, charts of what was varied, figure, page and files are those of every study."""
    over = {"width": [1.0, 2.0, 4.0], "height": [3.0, 5.0], "depth": [0.5, 0.7]}
    found = lw.sweep(Boxes(), {name: over[name] for name in list(over)[:varied]})
    require_study(found, tmp_path)
    content = found.content()
    kinds = {1: "Panel", 2: "Map", 3: "Panel"}
    assert {type(panel).__name__ for panel in content.panels} == {kinds[varied]}
    assert content.units["volume"] == "m^3" and found.to_dataframe().attrs["units"]["width"] == "m"
    (best,) = found.data()["best"]
    assert best["best_by"] == "volume" and best["volume"] == found["volume"].max()
    reopened = open_result(tmp_path / "own.npz")
    assert reopened.units == found.units and reopened.data() == found.data()


def test_a_grid_is_drawn_as_its_cells_whatever_axis_comes_first():
    over = {"width": [1.0, 2.0, 4.0], "height": [3.0, 5.0]}
    found = lw.sweep(Boxes(), over)
    for x, y in (("width", "height"), ("height", "width")):
        (panel,) = found.content(x, y, "volume").panels
        assert panel.x.tolist() == over[x] and panel.y.tolist() == over[y]
        assert np.array_equal(panel.values, np.multiply.outer(panel.x, panel.y))


@pytest.mark.parametrize(
    ("arguments", "part"),
    [
        ({"executor": "tcp://127.0.0.1:9"}, "no dask scheduler answers at tcp://127.0.0.1:9"),
        ({"executor": "cluster"}, "executor"),
        ({"executor": 0}, "executor"),
        ({"chunk": 0}, "chunk"),
        ({"shard": (3, 3)}, "shard"),
        ({"shard": (0, 2)}, "shard needs a path"),
        ({"path": "x.txt"}, "x.txt"),
        ({"path": 3}, "path"),
        ({"function": 3}, "function"),
        ({"function": lambda x: 3.0}, "mapping"),
        ({"function": lambda x: {}}, "no results"),
        ({"function": lambda x: {"a": 1.0}}, "'a' has shape"),
        ({"function": lambda x: {"a": ["wide"] * len(x["width"])}}, "'a' is not made of numbers"),
    ],
)
def test_bad_arguments(arguments, part):
    with pytest.raises(lw.errors.LinkwrightError, match=part):
        lw.sweep(**{"function": areas, "over": POINTS, **arguments})


def test_damaged_files_of_sweeps(tmp_path):
    (tmp_path / "x.npz").write_bytes(b"PK not a sweep")
    with pytest.raises(lw.errors.ResultError, match="the file is damaged"):
        open_result(tmp_path / "x.npz")
    np.savez(tmp_path / "x.npz", header=np.frombuffer(b'{"linkwright sweep":1}', dtype=np.uint8))
    with pytest.raises(lw.errors.ResultError, match="not a saved sweep"):
        open_result(tmp_path / "x.npz")
    with pytest.raises(lw.errors.ResultError, match="not the folder of a sweep"):
        merge([tmp_path], tmp_path / "y.npz")


FACTOR = 2.0


def scaled(x):
    return {"area": FACTOR * np.sin(x["width"])}


def test_a_function_is_known_by_its_code_and_its_globals(monkeypatch):
    from linkwright.sweeps.chunks import function_identity

    def other(x):
        return {"area": FACTOR * np.cos(x["width"])}

    def made(factor):
        return lambda x: {"area": factor * x["width"]}

    first = function_identity(scaled)
    assert first == function_identity(scaled) and first != function_identity(other)
    assert function_identity(made(1.0)) != function_identity(made(2.0)) and function_identity(
        made(1.0)
    ) == function_identity(made(1.0))
    assert function_identity(made(np.arange(3))) != function_identity(made(np.arange(3.0)))
    monkeypatch.setattr("tests.sweeps.test_sweep.FACTOR", 3.0)
    assert function_identity(scaled) != first
    model = lw.build(lw.catalog.load("five-bar"))
    assert function_identity(made(model)) == function_identity(made(lw.build(lw.catalog.load("five-bar"))))
    assert function_identity(made(model)) != function_identity(
        made(lw.build(lw.catalog.load("five-bar", {"proximal": 0.3})))
    )
