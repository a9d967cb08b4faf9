"""Rows written while a run goes on can be read whatever ends it."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwright.errors import ArgumentError, ResultError
from linkwright.results.recording import Recording
from linkwright.results.result_reader import open_result
from linkwright.results.series import Event
from tests.results import killed_runs
from tests.results.killing import left_behind
from tests.results.runs import differences
from tests.strategies import a_share

COLUMNS = [("x", "m", "q"), ("y", "m/s", "v")]


def rows(n, start=0):
    t = np.arange(start, start + n, dtype=float)
    return np.stack([t, t**2, -t], axis=1)


@pytest.mark.parametrize("seconds", [0.0, 0.013, 0.05])
def test_a_killed_run_loses_nothing_that_was_committed(tmp_path, caplog, seconds):
    reported, found = left_behind(tmp_path, seconds)
    assert found >= reported
    assert "the run was interrupted" in caplog.text


def test_a_killed_simulation_leaves_the_beginning_of_the_run_nobody_killed(tmp_path):
    reported, run = killed_runs.killed(tmp_path, 0.05)
    assert killed_runs.lost(reported, run, killed_runs.whole()) <= 0


def test_a_recording_in_memory_and_one_in_a_file_give_the_same_run(tmp_path):
    both = [Recording(path, COLUMNS, 3, {"a": 1}) for path in (None, tmp_path / "run.npz")]
    for recording in both:
        recording.append(rows(2))
        recording.append(rows(20, start=2))
        recording.note(Event(1.0, "limit", "x", "reached"))
    memory, file = (recording.result() for recording in both)
    assert differences(memory, file) == []
    assert memory["x"].tolist() == [float(k * k) for k in range(22)]
    assert memory.events == (Event(1.0, "limit", "x", "reached"),)
    assert both[0].capacity == both[1].capacity >= 22


def test_only_committed_rows_count(tmp_path):
    recording = Recording(tmp_path / "run.npz", COLUMNS, 10)
    recording.table[:4] = rows(4)
    recording.commit(3)
    assert open_result(tmp_path / "run.npz").t.tolist() == [0.0, 1.0, 2.0]
    for wrong in (2, 11):
        with pytest.raises(ArgumentError, match="rows were committed, expected 3 to 10"):
            recording.commit(wrong)


def test_a_result_does_not_change_with_its_recording():
    recording = Recording(None, COLUMNS, 4)
    recording.append(rows(2))
    run = recording.result({"b": 2}, ())
    recording.table[:] = 7.0
    assert run.t.tolist() == [0.0, 1.0]
    assert run.meta == {"b": 2}


def test_saving_takes_the_place_of_the_recording(tmp_path):
    recording = Recording(tmp_path / "run.npz", COLUMNS, 4)
    recording.append(rows(4))
    assert os.listdir(tmp_path) == ["run.npz.unfinished"]
    recording.result({"complete": True}).save(tmp_path / "run.npz")
    before = recording.result()
    recording.discard()
    assert os.listdir(tmp_path) == ["run.npz"]
    assert differences(before, recording.result()) == []
    assert open_result(tmp_path / "run.npz").meta == {"complete": True}


def test_an_older_result_is_preferred_and_the_recording_named(tmp_path, caplog):
    recording = Recording(tmp_path / "run.npz", COLUMNS, 4)
    recording.result().save(tmp_path / "run.npz")
    recording.append(rows(3))
    assert len(open_result(tmp_path / "run.npz").t) == 0
    assert "run.npz.unfinished" in caplog.text
    assert len(open_result(tmp_path / "run.npz.unfinished").t) == 3


def test_a_second_recording_under_the_same_name_is_refused_while_the_first_is_there(tmp_path):
    first = Recording(tmp_path / "run.npz", COLUMNS, 4)
    first.append(rows(2))
    with pytest.raises(ResultError, match="2 rows until t = 1 s, and is not replaced"):
        Recording(tmp_path / "run.npz", COLUMNS, 4)
    with pytest.raises(ResultError, match="another process is writing"):
        Recording(tmp_path / "run.npz", COLUMNS, 4, overwrite=True)
    first.close()
    assert len(open_result(tmp_path / "run.npz").t) == 2
    assert Recording(tmp_path / "run.npz", COLUMNS, 4, overwrite=True).committed == 0


def test_a_recording_that_was_replaced_is_not_removed(tmp_path):
    recording = Recording(tmp_path / "run.npz", COLUMNS, 4)
    (tmp_path / "run.npz.unfinished").unlink()
    (tmp_path / "run.npz.unfinished").write_text("somebody else's")
    with pytest.raises(ResultError, match="somebody else has changed or removed"):
        recording.append(rows(2))
    recording.discard()
    assert (tmp_path / "run.npz.unfinished").read_text() == "somebody else's"


def test_many_events_are_kept_with_the_rows(tmp_path):
    recording = Recording(tmp_path / "run.npz", COLUMNS, 4)
    for k in range(2000):
        recording.note(Event(float(k), "tick", "x" * 50))
    recording.append(rows(4))
    run = open_result(tmp_path / "run.npz")
    assert [event.t for event in run.events] == [float(k) for k in range(2000)]
    assert run["x"].tolist() == [0.0, 1.0, 4.0, 9.0]


def test_names_are_checked_before_the_run():
    with pytest.raises(ArgumentError, match="two series are called 'x'"):
        Recording(None, [("x", "", ""), ("x", "", "")], 1)


@a_share(1)
@given(at=st.floats(0, 1, exclude_max=True), byte=st.integers(1, 255), kind=st.sampled_from(["change", "cut", "move"]))
def test_a_damaged_recording_is_refused_or_ends_at_its_last_sound_block(tmp_path_factory, at, byte, kind):
    path = tmp_path_factory.getbasetemp() / "damaged.npz.unfinished"
    recording = Recording(path.with_suffix(""), COLUMNS, 4, {"m": 1}, overwrite=True)
    sizes = [path.stat().st_size]
    for k in range(3):
        recording.append(rows(4, start=4 * k))
        sizes.append(path.stat().st_size)
    recording.close()
    content = bytearray(path.read_bytes())
    index = int(at * len(content))
    if kind == "cut":
        content = content[:index]
    elif kind == "change":
        content[index] ^= byte
    else:  # two blocks change places
        content[sizes[0] :] = content[sizes[1] : sizes[2]] + content[sizes[0] : sizes[1]] + content[sizes[2] :]
        index = sizes[0]
    path.write_bytes(content)
    try:
        run = open_result(path)
    except ResultError as error:
        assert "damaged.npz.unfinished" in str(error) and index < sizes[0]
        return
    sound = sum(size <= index for size in sizes)
    assert sound and np.array_equal(run.t, np.arange(4.0 * (sound - 1)))
    assert (len(content) > sizes[sound - 1]) == ("behind the last sound block" in run.meta.get("recording", ""))


FULL_DISK = """
import resource, sys
from linkwright.errors import ResultError
from linkwright.results.recording import Recording

resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
recording = Recording(sys.argv[1], [("x", "", "")], 100)
recording.append([[0.0, 1.0]] * 100)
for _ in range(2):
    try:
        recording.append([[0.0, 1.0]] * 10**6)
    except ResultError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes there")
def test_without_space_the_recording_keeps_what_it_has(tmp_path, caplog):
    path = tmp_path / "run.npz"
    done = subprocess.run([sys.executable, "-c", FULL_DISK, str(path)], capture_output=True, text=True, check=True)
    assert done.stdout.count("cannot be written (File too large)") == 2
    assert len(open_result(path).t) == 100 and "sound block" not in caplog.text


def test_a_folder_that_is_not_there_is_reported(tmp_path):
    with pytest.raises(ResultError, match="cannot be written"):
        Recording(tmp_path / "no" / "run.npz", COLUMNS, 1)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders there")
def test_a_pipe_is_refused_and_not_waited_for(tmp_path):
    os.mkfifo(tmp_path / "run.npz.unfinished")
    with pytest.raises(ResultError, match="not a regular file"):
        open_result(tmp_path / "run.npz.unfinished")


def test_a_saved_file_is_on_the_disk_before_it_takes_its_name(tmp_path, monkeypatch):
    recording = Recording(None, COLUMNS, 4)
    recording.append(rows(4))
    done = []
    real = os.fsync
    monkeypatch.setattr(os, "fsync", lambda handle: (done.append(sorted(os.listdir(tmp_path))), real(handle)))
    recording.result().save(tmp_path / "run.npz")
    assert "run.npz" not in done[0] and (os.name != "posix" or done[1] == ["run.npz"])
    done.clear()
    recording.result().save(tmp_path / "run.npz", durable=False)
    assert not done


@pytest.mark.parametrize("name", ["a" * 300 + ".npz", "a\ud800.npz", "a\0.npz"])
def test_names_that_no_file_can_have_are_refused(name):
    with pytest.raises(ResultError, match="cannot be the name of a file"):
        open_result(name)
