"""Runs and ensembles as tables of pandas and xarray: the same numbers, units, times as coordinates."""

import builtins

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from tests.results.runs import example

pandas = pytest.importorskip("pandas")
xarray = pytest.importorskip("xarray")


@pytest.fixture(scope="module")
def ensemble():
    model = lw.build(lw.catalog.load("three-link-arm"))
    q = np.zeros((3, 3)) + [[0.1], [0.2], [0.3]]
    return lw.simulate_many(model, q, t_end=0.1)


def test_a_run_as_a_data_frame():
    run = example(20)
    frame = run.to_dataframe()
    assert frame.index.name == "t" and np.array_equal(frame.index, run.t)
    assert list(frame) == list(run.names)
    assert all(np.array_equal(frame[name], run[name]) for name in run.names)
    assert frame.attrs["units"]["theta1"] == "rad"


def test_a_run_as_a_dataset_and_its_file_agree(tmp_path):
    run = example(20)
    data = run.to_xarray()
    run.save(tmp_path / "run.nc")
    with xarray.open_dataset(tmp_path / "run.nc", engine="scipy") as saved:
        for found in (data, saved):
            assert np.array_equal(found.time, run.t) and found["theta1"].dims == ("time",)
            assert np.array_equal(found["theta1"], run["theta1"]) and found["theta1"].attrs["units"] == "rad"
            assert float(found["theta1"].sel(time=run.t[7])) == run["theta1"][7]


def test_an_ensemble_as_tables(ensemble):
    name = ensemble.names[0]
    data, frame = ensemble.to_xarray(), ensemble.to_dataframe()
    assert data[name].dims == ("run", "time") and np.array_equal(data[name], ensemble[name])
    assert list(data["status"].values) == ["done"] * 3
    assert np.array_equal(frame.loc[2][name], ensemble[2][name])
    assert frame.index.names == ["run", "t"] and len(frame) == 3 * len(ensemble.t)


def test_a_missing_package_is_named(monkeypatch):
    honest = builtins.__import__

    def without(name, *rest, **more):
        if name.split(".")[0] in ("pandas", "xarray"):
            raise ImportError(name)
        return honest(name, *rest, **more)

    monkeypatch.setattr("importlib.import_module", lambda name: without(name))
    for convert in (example().to_dataframe, example().to_xarray):
        with pytest.raises(ArgumentError, match=r"pip install .\.\[tables\]"):
            convert()
