"""A run that was interrupted any number of times and resumed is the uninterrupted one, to the last bit."""

import os
import subprocess
import sys

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, ResultError
from linkwright.results import recording
from linkwright.results.recording import open_recording
from linkwright.simulation.running import run as running
from tests.results.runs import differences
from tests.simulation.switched_mechanisms import UP, ball, rimless_wheel

MANY = 60


class Interrupt(Exception):
    """Stands for whatever ends a process."""


def after(slices):
    """Progress that ends the run after so many slices."""
    left = iter(range(slices))

    def progress(share):
        if next(left, None) is None:
            raise Interrupt

    return progress


@pytest.fixture(autouse=True)
def short_slices(monkeypatch):
    """Slices of a few steps, and the state written after each, so that short runs are interrupted often."""
    monkeypatch.setattr(running, "_FIRST_BUDGET", 5)
    monkeypatch.setattr(running, "_LARGEST_BUDGET", 5)
    monkeypatch.setattr(recording, "_SOONEST", 0.0)
    monkeypatch.setattr(recording, "_SHARE", 0.0)


def pieced_together(path, make, slices):
    """The run of make() -> (model, arguments), interrupted after so many slices again and again; each time new."""
    for tries in range(MANY):
        model, arguments = make()
        output = lw.Output(arguments.pop("rows", 101), path, after(slices))
        try:
            return lw.simulate(model, **arguments, output=output, resume=tries > 0, check=False), tries
        except Interrupt:
            continue
    raise AssertionError(f"not done after {MANY} pieces")


def same(path, make, slices=3):
    model, arguments = make()
    whole = lw.simulate(model, **{**arguments, "output": arguments.pop("rows", 101)}, check=False)
    run, tries = pieced_together(path, make, slices)
    assert tries
    assert not os.path.exists(f"{path}.unfinished")
    assert run.t.tobytes() == whole.t.tobytes()
    for one, other in zip(run.series, whole.series, strict=True):
        assert one.values.tobytes() == other.values.tobytes(), one.name
    assert run.events == whole.events
    assert run.stats == whole.stats
    assert differences(run, lw.open_result(path)) == []
    return run


def four_bar(**arguments):
    def make():
        model = lw.build(lw.catalog.load("four-bar"))
        return model, {"q": model.assemble().q, "t_end": 3.0, "effort": [6.0], **arguments}

    return make


@pytest.mark.parametrize(
    "arguments",
    [
        {},
        {"formulation": lw.Minimal(), "t_start": 7.0, "t_end": 10.0},
        {"method": lw.RK4(0.005)},
        {"method": lw.Rodas5P(), "formulation": lw.VirtualSprings(1e6, 1e3), "t_end": 1.0},
        {"effort": lw.control.Sampled(lambda t, q, v: [np.sin(3 * t) - v[0]], 0.7), "t_end": 9.0},
        {"effort": lambda t, q, v: [3.0 - v[0]], "t_end": 4.0},
        {"events": [lw.events.Crossing("top", lambda t, q, v: q[0] - 2.0)]},
    ],
    ids=["default", "minimal", "fixed", "stiff", "sampled", "python", "crossing"],
)
def test_a_resumed_run_is_the_uninterrupted_one(tmp_path, arguments):
    same(tmp_path / "run.npz", four_bar(**arguments))


def test_through_a_change_of_coordinates_with_an_effort_law(tmp_path):
    def make():
        model = lw.build(lw.catalog.load("3-rrr"))
        law = lw.control.Table([0.0, 1.0], [[0.0] * 3, [0.1] * 3])
        return model, {"q": model.assemble().q, "t_end": 0.9, "formulation": lw.Minimal(), "effort": law}

    run = same(tmp_path / "run.npz", make)
    assert any(event.kind == "coordinates" for event in run.events)


def test_loops_that_close_and_open(tmp_path):
    def bouncing():
        switches = [lw.events.Close("floor", restitution=0.6, settle=0.01), lw.events.Open("floor")]
        return lw.build(ball(0.1)), {"q": [0.6], "t_end": 2.0, "events": switches}

    run = same(tmp_path / "ball.npz", bouncing, slices=12)
    assert len(run.meta["impulses"]) == len(run.meta["phases"]) - 1 > 5

    def rolling():
        alpha, length, speed = np.pi / 8, 0.9, 2.0
        wheel = lw.build(rimless_wheel(1.3, 0.25, length, alpha, 0.15, 3), actuated=[])
        q = [-length * np.sin(alpha), length * np.cos(alpha), alpha]
        v = [speed * length * np.cos(alpha), speed * length * np.sin(alpha), -speed]
        close = [lw.events.Close(f"foot{k}", normal=UP) for k in (1, 2)]
        opened = [lw.events.Open(f"foot{k}", normal=UP) for k in range(3)]
        return wheel, {"q": q, "v": v, "t_end": 1.2, "events": close + opened}

    assert len(same(tmp_path / "wheel.npz", rolling, slices=4).meta["phases"]) > 1


def interrupted(path, **arguments):
    model, given = four_bar(**arguments)()
    with pytest.raises(Interrupt):
        lw.simulate(model, **given, output=lw.Output(101, path, after(4)))
    return model, given


def test_an_unfinished_run_is_neither_replaced_nor_resumed_by_another_call(tmp_path):
    path = tmp_path / "run.npz"
    model, given = interrupted(path)
    before = (tmp_path / "run.npz.unfinished").read_bytes()
    with pytest.raises(ResultError, match=r"an unfinished run is there, \d+ rows until t = .*resume=True"):
        lw.simulate(model, **given, output=lw.Output(101, path))
    for other, name in (
        ({"method": lw.DP5()}, "method"),
        ({"effort": [5.0]}, "effort"),
        ({"t_end": 2.0}, "span"),
        ({"v": 1e-3 * np.ones(model.nv) * 0.0 + model.independent_map(given["q"])[:, 0]}, "start"),
        ({"events": [lw.events.Crossing("a", lambda t, q, v: q[0])]}, "events"),
    ):
        with pytest.raises(ResultError, match=f"begun with another {name}"):
            lw.simulate(model, **{**given, **other}, output=lw.Output(101, path), resume=True)
    with pytest.raises(ResultError, match="begun with another set of times"):
        lw.simulate(model, **given, output=lw.Output(102, path), resume=True)
    assert (tmp_path / "run.npz.unfinished").read_bytes() == before
    whole = lw.simulate(model, **given, output=101)
    assert lw.simulate(model, **given, output=lw.Output(101, path, overwrite=True)).q.tobytes() == whole.q.tobytes()
    assert os.listdir(tmp_path) == ["run.npz"]


def test_foreign_files_are_not_replaced(tmp_path):
    model, given = four_bar()()
    for name in ("run.npz", "run.npz.unfinished"):
        (tmp_path / name).write_bytes(b"somebody's work")
        for resume in (False, True):
            with pytest.raises(ResultError, match=rf"{name}: "):
                lw.simulate(model, **given, output=lw.Output(path=tmp_path / "run.npz"), resume=resume)
        assert (tmp_path / name).read_bytes() == b"somebody's work"
        (tmp_path / name).unlink()
    (tmp_path / "target").write_bytes(b"somebody's work")
    (tmp_path / "run.npz.unfinished").symlink_to(tmp_path / "target")
    with pytest.raises(ResultError, match="not replaced"):
        lw.simulate(model, **given, output=lw.Output(path=tmp_path / "run.npz"))
    assert (tmp_path / "target").read_bytes() == b"somebody's work"


def test_two_processes_do_not_write_one_run(tmp_path):
    path = tmp_path / "run.npz"
    model, given = four_bar()()

    def meanwhile(share):
        with pytest.raises(ResultError, match="another process is writing"):
            lw.simulate(model, **given, output=lw.Output(101, path), resume=True)

    lw.simulate(model, **given, output=lw.Output(101, path, meanwhile))


def test_a_damaged_recording_is_resumed_from_its_last_sound_block(tmp_path, caplog):
    path = tmp_path / "run.npz"
    model, given = interrupted(path)
    file = tmp_path / "run.npz.unfinished"
    content = bytearray(file.read_bytes())
    content[2 * len(content) // 3] ^= 1
    file.write_bytes(content)
    left = open_recording(file)
    assert left.remark and "behind the last sound block" in left.remark
    run = lw.simulate(model, **given, output=lw.Output(101, path), resume=True)
    assert "behind the last sound block" in caplog.text
    assert run.q.tobytes() == lw.simulate(model, **given, output=101).q.tobytes()


def test_a_function_that_changes_is_noticed_where_rows_are_computed_again(tmp_path, monkeypatch):
    path = tmp_path / "run.npz"
    monkeypatch.setattr(recording, "_SOONEST", 1e9)  # no state is written: rows are computed again from the start
    model, given = interrupted(path, effort=lambda t, q, v: [3.0])
    given["effort"] = lambda t, q, v: [3.1]
    with pytest.raises(ResultError, match="come out otherwise"):
        lw.simulate(model, **given, output=lw.Output(101, path), resume=True)


def test_a_file_cut_by_somebody_else_is_an_error_and_not_the_end_of_the_process(tmp_path):
    path = tmp_path / "run.npz"
    model, given = four_bar()()

    def cut(share):
        os.truncate(f"{path}.unfinished", 100)

    with pytest.raises(ResultError, match="somebody else has changed"):
        lw.simulate(model, **given, output=lw.Output(101, path, cut))


def test_resume_needs_a_file():
    model, given = four_bar()()
    with pytest.raises(ArgumentError, match="name it: output=Output"):
        lw.simulate(model, **given, resume=True)
    with pytest.raises(ArgumentError, match="resume is 'yes'"):
        lw.simulate(model, **given, resume="yes")


FULL_DISK = """
import resource, sys
import linkwright as lw
from linkwright.errors import ResultError

model = lw.build(lw.catalog.load("four-bar"))
q = model.assemble().q
whole = lw.simulate(model, q, t_end=1.0)
resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 1 << 40))
for save in (lambda path: lw.simulate(model, q, t_end=20.0, output=lw.Output(2001, path + ".npz")),
             lambda path: whole.save(path + ".csv"), lambda path: whole.save(path + ".mat"),
             lambda path: whole.save(path + ".nc"), lambda path: whole.report(path + ".html"),
             lambda path: whole.plot(path=path + ".png"), lambda path: whole.plot(path=path + ".pdf"),
             lambda path: whole.plot(path=path + ".svg")):
    try:
        save(sys.argv[1])
    except ResultError as error:
        print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (1 << 40, 1 << 40))
run = lw.simulate(model, q, t_end=20.0, output=lw.Output(2001, sys.argv[1] + ".npz"), resume=True)
print(run.q.tobytes() == lw.simulate(model, q, t_end=20.0, output=2001).q.tobytes())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes there")
def test_a_full_disk_is_a_message_and_the_run_goes_on_when_there_is_space(tmp_path):
    path = str(tmp_path / "run")
    done = subprocess.run([sys.executable, "-c", FULL_DISK, path], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("cannot be written (File too large)") == 8
    assert done.stdout.endswith("True\n")
    assert os.listdir(tmp_path) == ["run.npz"]
