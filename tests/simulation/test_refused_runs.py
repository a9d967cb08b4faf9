"""A run that was refused or interrupted leaves nothing behind: no file, no descriptor, no lock, no error."""

import ctypes
import os
import signal
import threading
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, SingularityError
from linkwright.simulation.problem import callbacks
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.problem import problem_of_model
from linkwright.simulation.running.run import Runner
from tests.simulation.mechanisms import catalog_model


class Mine(Exception):
    """An error of the user."""


def breaks(*_):
    raise Mine


def wrong_shape(t, q, v):
    return [0.0, 0.0, 0.0, 0.0]


def held(t, q, v):
    return [0.0]


REFUSED = {
    "method and effort": {"method": lw.Rodas5P(), "effort": held},
    "effort of another robot": {"effort": [1.0, 2.0]},
    "effort that raises": {"effort": breaks},
    "effort of a wrong shape": {"effort": wrong_shape},
    "wrench that raises": {"wrench": lw.Wrench("crank", force=breaks)},
    "event that raises": {"events": [lw.events.Crossing("mine", breaks)]},
    "switch that raises": {"events": [lw.events.Open("B", when=breaks)]},
    "method and effort, with switches": {
        "method": lw.Rodas5P(),
        "effort": held,
        "events": [lw.events.Open("B", when=lambda t, q, v: t - 1.0)],
    },
    "budget": {"method": lw.RK4(1e-9), "max_steps": 100},
}


def open_files(folder):
    links = [f"/proc/self/fd/{each}" for each in os.listdir("/proc/self/fd")]
    return [os.readlink(link) for link in links if os.path.islink(link) and str(folder) in os.readlink(link)]


@pytest.mark.parametrize("case", REFUSED)
def test_a_refused_run_leaves_nothing_and_the_corrected_call_works(case, tmp_path):
    model = catalog_model("four-bar")
    q, output = model.assemble().q, lw.Output(11, path=tmp_path / "run.npz")
    with pytest.raises((ArgumentError, Mine)):
        lw.simulate(model, q, t_end=0.1, output=output, **REFUSED[case])
    assert os.listdir(tmp_path) == []
    assert not Path("/proc/self/fd").exists() or open_files(tmp_path) == []
    assert lw.simulate(model, q, t_end=0.1, output=output).meta["complete"]


def test_the_name_of_a_file_that_cannot_be_written_is_refused_before_the_run(tmp_path):
    model = catalog_model("four-bar")
    with pytest.raises(lw.errors.ResultError, match=r"saved as \.npz, \.csv"):
        lw.simulate(model, model.assemble().q, effort=breaks, output=lw.Output(path=tmp_path / "run.xyz"))
    assert os.listdir(tmp_path) == []


def test_a_refused_call_does_not_replace_an_unfinished_run(tmp_path):
    model, path = catalog_model("four-bar"), tmp_path / "run.npz"
    late = lw.events.Crossing("mine", lambda t, q, v: 1.0 if float(t) < 0.05 else breaks())
    given = {"q": model.assemble().q, "t_end": 0.1, "output": lw.Output(11, path=path, overwrite=True)}
    with pytest.raises(Mine):
        lw.simulate(model, events=[late], **given)
    before = (tmp_path / "run.npz.unfinished").read_bytes()
    with pytest.raises(ArgumentError, match="Rodas5P is implicit and needs the derivative"):
        lw.simulate(model, method=lw.Rodas5P(), effort=held, **given)
    assert (tmp_path / "run.npz.unfinished").read_bytes() == before


def test_an_ensemble_that_failed_before_its_first_run_leaves_nothing(tmp_path):
    model, path = catalog_model("four-bar"), tmp_path / "many.npz"
    given = {"q": np.tile(model.assemble().q, (3, 1)), "t_end": 0.1, "path": path}
    with pytest.raises(Mine):
        lw.simulate_many(model, progress=breaks, events=[lw.events.Crossing("mine", breaks)], **given)
    assert os.listdir(tmp_path) == []
    assert lw.simulate_many(model, **given).done.all()


STABILIZED = lw.Multipliers(lw.Baumgarte(10.0))


def near_the_fallback(monkeypatch, raises):
    """A four-bar whose compiled elimination gives up, and whose dense solve raises after some calls."""
    model = lw.build(lw.catalog.load("four-bar"))
    found = problem_of_model(model, STABILIZED)
    code, calls = found.functions["fallback"], []
    assert isinstance(code, Callback)
    ordinary = code.function

    def dense(*given):
        calls.append(None)
        if len(calls) > 20:
            raises()
        return ordinary(*given)

    monkeypatch.setattr(code, "function", dense)
    never = Callback(lambda q, v, tau: (np.full(model.nv, np.nan),), [model.nq, model.nv, model.na], [model.nv])
    monkeypatch.setitem(found.functions, "dynamics", never)
    return model, calls


def interrupted():
    signal.raise_signal(signal.SIGINT)


def wrong_program():
    raise TypeError("of the program")


@pytest.mark.parametrize(("raises", "error"), [(interrupted, KeyboardInterrupt), (wrong_program, TypeError)])
def test_what_no_result_explains_passes_through_the_dense_solve(monkeypatch, raises, error):
    model, calls = near_the_fallback(monkeypatch, raises)
    with pytest.raises(error):
        lw.simulate(model, model.assemble().q, t_end=1.0, formulation=STABILIZED)
    assert len(calls) == 21, "once it has been interrupted nothing more is computed"


def test_ctrl_c_while_a_function_is_compiled_ends_the_run(monkeypatch):
    model = lw.build(lw.catalog.load("four-bar"))
    monkeypatch.setitem(problem_of_model(model).functions, "dynamics", callbacks.LazyKernel(interrupted))
    with pytest.raises(KeyboardInterrupt):
        lw.simulate(model, model.assemble().q, t_end=0.1)


def test_an_error_of_a_fallback_is_quoted_by_its_own_run_alone(monkeypatch):
    whose = ["of the first run"]

    def missing():
        if whose:
            raise SingularityError(whose[0])

    model, _ = near_the_fallback(monkeypatch, missing)
    q = model.assemble().q
    first = lw.simulate(model, q, t_end=1.0, formulation=STABILIZED)
    assert not first.meta["complete"] and "of the first run" in first.meta["ended"]["text"]
    whose.clear()

    def nan_later(t, q, v):
        return [np.nan if t > 1e-6 else 0.0]

    second = lw.simulate(model, q, t_end=1e-5, effort=nan_later, max_steps=50, formulation=STABILIZED)
    assert not second.meta["complete"] and "of the first run" not in second.meta["ended"]["text"]


def test_threads_keep_their_own_errors():
    def function(x):
        if x[0] > 0.0:
            raise SingularityError("of the other thread")
        return (x,)

    code = Callback(function, [1], [1])
    call = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(code.address)
    results = []

    def other():
        given = [np.ones(1), np.zeros(1)]
        table = np.array([x.ctypes.data for x in given], dtype=np.uintp)
        results.append((call(table.ctypes.data), callbacks.take_errors([code])))

    thread = threading.Thread(target=other)
    thread.start()
    thread.join()
    assert results[0][0] == 0 and isinstance(results[0][1], SingularityError)
    assert callbacks.take_errors([code]) is None


@pytest.mark.parametrize("h", [1.0, 10.0, 1e3])
@pytest.mark.parametrize("name", ["gough-stewart", "delta", "par4"])
def test_a_step_far_too_long_ends_the_run_and_raises_nothing(name, h):
    model = catalog_model(name)
    with np.errstate(all="ignore"):
        run = lw.simulate(model, model.assemble().q, t_end=20 * h, method=lw.RK4(h), output=3, check=False)
    assert not run.meta["complete"] and run.meta["ended"]["kind"] in ("blown", "singularity", "underflow")


@pytest.mark.parametrize(("length", "wild"), [(1.0, False), (1.3, False), (7.7e12, True), (1e-3, True), (np.nan, True)])
def test_a_state_within_a_step_whose_quaternion_means_nothing_is_out_of_bounds(length, wild):
    made = problem_of_model(catalog_model("gough-stewart"))
    state = made.model.assemble().q.copy()
    state[3:7] *= length
    step = SimpleNamespace(problem=made, _candidates=[(0.0, 1, 0.1)], _examined_state=lambda way: state)
    assert Runner._is_out_of_bounds(step) == wild
