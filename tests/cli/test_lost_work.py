"""No work is lost at the end: outputs are tried at the start, and results are printed if writing fails."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright import files
from linkwright.cli import main
from linkwright.cli.outputs import RequestedFiles
from linkwright.files import open_temporary_file, remove_abandoned_files, require_writable, write_whole

VARY = ("optimize", "five-bar", "--vary", "proximal=0.2..0.45, distal=0.3..0.5", "--pose", "x=-0.1..0.1:3, y=0.4")
SINES = ("--sines", "x=10 mm @ 1 Hz", "--samples", "5", "--components", "x y")
LINE = ("time-optimal", "five-bar", "--pose", "x=-0.1..0.1, y=0.4", "--max-effort", "2")
CASES = [
    (*VARY, "--save-mechanism", "best.yaml"),
    (*VARY, "--output", "best.npz"),
    (*VARY, "--report", "best.html"),
    (*VARY, "--plot", "best.png"),
    ("motion", "five-bar", *SINES, "--save-run", "run.npz"),
    ("motion", "five-bar", *SINES, "--report", "run.html"),
    ("motion", "three-link-arm", "--at", "1, 1, 0", "--save-run", "efforts.csv"),
    ("simulate", "four-bar", "--save-run", "run.npz"),
    ("simulate", "four-bar", "--save-study", "study.yaml"),
    (*LINE, "--save-run", "run.npz"),
    ("workspace", "five-bar", "--view", "region.html"),
    ("identify", "five-bar", "--excite", "5", "--output", "motion.csv"),
    ("explain", "four-bar", "--report", "page.html"),
    ("convert", "four-bar", "four-bar.urdf"),
    ("view", "four-bar", "--output", "page.html"),
    ("export", "fmu", "four-bar", "--output", "bar.fmu"),
    ("export", "c", "four-bar", "inverse_dynamics", "--output", "bar.c"),
]


@pytest.mark.parametrize("arguments", CASES, ids=lambda x: f"{x[0]} {x[-2]}")
@pytest.mark.parametrize("more", [(), ("--overwrite",)])
def test_outputs_are_tried_before_anything_is_computed(arguments, more, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("linkwright.model.Model.__init__", _not_reached)
    *given, file = arguments
    (tmp_path / "file").write_text("no folder")
    for folder in ("nowhere", "file"):
        done = CliRunner().invoke(main, [*given, f"{folder}/{file}", *more])
        assert done.exit_code in (1, 2) and f"{folder}/{file}: cannot be written" in done.stderr, done.output
    assert sorted(os.listdir(tmp_path)) == ["file"]


def _not_reached(*_, **__):
    raise AssertionError("something is computed before the output is tried")


def test_every_option_for_a_file_is_tried(tmp_path):
    """An option that names a file to write goes through `output_option`, whose check tries it."""
    named = ("output", "page", "picture", "mechanism_file", "run_file", "report", "save_study", "page_file", "mesh")
    seen = 0
    for verb in main.list_commands(click.Context(main)):
        command = main.get_command(click.Context(main), verb)
        for option in (x for x in command.params if isinstance(x, click.Option) and x.name in named):
            if verb == "clearance" and option.name == "run_file":
                continue  # it is read
            seen += 1
            checked = option.callback is not None and option.callback.__module__ == "linkwright.cli.outputs"
            assert checked or verb == "sweep", f"{verb} --{option.name}"  # sweep claims it by itself
    assert seen > 30


@pytest.mark.skipif(os.name != "posix" or os.getuid() == 0, reason="the superuser writes anywhere")
def test_a_folder_without_write_access_is_refused(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(lw.errors.ResultError, match="cannot be written"):
        require_writable(tmp_path / "a.npz")


@pytest.mark.parametrize("as_json", [False, True])
def test_the_result_is_printed_when_writing_fails(tmp_path, monkeypatch, as_json):
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "there"
    folder.mkdir()
    found = []

    def removed(path):
        found.append(path)
        raise lw.errors.ResultError(f"{path}: cannot be written (No space left on device)")

    monkeypatch.setattr("linkwright.formats.mechanism_files.write_whole", lambda path, text: removed(path))
    arguments = [*VARY, "--starts", "1", "--save-mechanism", "there/best.yaml", "--output", "numbers.json"]
    done = CliRunner().invoke(main, [*arguments, *(("--json",) if as_json else ())])
    assert found and done.exit_code != 0
    assert "No space left on device" in done.stderr and "the result is printed above" in done.stderr
    assert (tmp_path / "numbers.json").is_file()  # the others are written
    if as_json:
        assert "proximal" in json.dumps(json.loads(done.stdout))
    else:
        assert "proximal" in done.stdout and "Written: numbers.json" in done.stdout
        assert "Written: there/best.yaml" not in done.stdout


def test_files_that_fail_are_all_named():
    requested = RequestedFiles()
    for name in ("a", "b"):
        requested.write(lambda path: (_ for _ in ()).throw(lw.errors.ResultError(f"{path}: full")), name)
    with pytest.raises(click.ClickException, match="a: full; b: full; the result is printed above"):
        requested.report()


_WRITER = """
import sys, time
from pathlib import Path
from linkwright.files import write_whole

def fill(beside):
    beside.write_bytes(b"half")
    print(beside.name, flush=True)
    time.sleep(60)

write_whole(Path(sys.argv[1]), fill)
"""


@pytest.fixture
def writer(tmp_path):
    """A process that is in the middle of writing a file, and the name of its temporary file."""
    process = subprocess.Popen(
        [sys.executable, "-c", _WRITER, str(tmp_path / "run.npz")], stdout=subprocess.PIPE, text=True
    )
    yield process, tmp_path / process.stdout.readline().strip()
    process.kill()
    process.wait()
    process.stdout.close()


@pytest.mark.skipif(os.name != "posix", reason="files are locked on POSIX")
def test_files_of_killed_writers_are_removed_by_the_next_and_of_others_kept(writer, tmp_path, monkeypatch):
    process, beside = writer
    assert beside.suffix == ".npz" and beside.read_bytes() == b"half"
    monkeypatch.setattr(files, "_LOOKED_INTO", set())
    write_whole(tmp_path / "other.txt", "whole")
    assert beside.exists()  # its writer is alive
    process.send_signal(signal.SIGKILL)
    process.wait()
    monkeypatch.setattr(files, "_LOOKED_INTO", set())
    write_whole(tmp_path / "another.txt", "whole")
    assert sorted(os.listdir(tmp_path)) == ["another.txt", "other.txt"]


def test_only_our_own_files_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(files, "_LOOKED_INTO", set())
    (tmp_path / ".linkwright-folder").mkdir()
    (tmp_path / ".linkwright-link").symlink_to(tmp_path / "kept.txt")
    (tmp_path / ".other-0123-a.npz").write_text("x")
    (tmp_path / "kept.txt").write_text("x")
    remove_abandoned_files(tmp_path)
    assert len(os.listdir(tmp_path)) == 4


@pytest.mark.skipif(os.name != "posix", reason="files are locked on POSIX")
def test_writers_and_removers_do_not_disturb_each_other(tmp_path):
    """Processes that write beside others which remove abandoned files all the time succeed."""
    context = multiprocessing.get_context("fork")
    until = time.monotonic() + 1.0
    removers = [context.Process(target=_remove_until, args=(tmp_path, until)) for _ in range(2)]
    for each in removers:
        each.start()
    count = 0
    while time.monotonic() < until:
        write_whole(tmp_path / "a.txt", str(count), durable=False)
        handle, beside = open_temporary_file(tmp_path / "b.txt")
        assert beside.exists()
        beside.unlink()
        os.close(handle)
        count += 1
    for each in removers:
        each.join()
        assert each.exitcode == 0
    assert count > 20 and (tmp_path / "a.txt").read_text() == str(count - 1) and os.listdir(tmp_path) == ["a.txt"]


def _remove_until(folder: Path, until: float) -> None:
    while time.monotonic() < until:
        files._LOOKED_INTO.clear()
        remove_abandoned_files(folder)
