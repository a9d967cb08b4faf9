"""Ctrl-C ends every command with 130 and without a traceback, workers included; a full standard output is said so."""

import errno
import logging
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from linkwright.compiler import cache
from linkwright.compiler.passes.counts import OpCount
from linkwright.compiler.trace.program import Signature

ROOT = Path(__file__).parents[2]
posix = pytest.mark.skipif(os.name != "posix", reason="signals of a terminal")
RUN = "import linkwright.__main__ as m, sys; sys.argv = ['linkwright', 'info', 'four-bar']\n"

MODULE = """
import time
from pathlib import Path

def slow(x):
    Path("started").touch()
    time.sleep(30.0)
    return {"y": x}
"""
SWEEP = """
import linkwright as lw
from linkwright.cli import main
from linkwright.cli.command_failures import reporting_errors
import click, functions

@main.command("slowly")
@reporting_errors
def slowly():
    lw.sweep(functions.slow, lw.sweeps.Grid(x=[0.0, 1.0, 2.0, 3.0]), 2)

if __name__ == "__main__":
    import sys
    from linkwright.__main__ import run
    sys.argv = ["linkwright", "slowly"]
    run()
"""


def environment():
    paths = os.pathsep.join([str(ROOT / "src"), os.environ.get("PYTHONPATH", "")])
    return {**os.environ, "PYTHONPATH": paths, "PYTHONUNBUFFERED": "1"}


def started(arguments, folder):
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    command = [sys.executable, *arguments]
    return subprocess.Popen(command, cwd=folder, env=environment(), start_new_session=True, **pipes)


def interrupted(process):
    """Exit code and messages after Ctrl-C, which a terminal sends to the command and its workers."""
    os.killpg(process.pid, signal.SIGINT)
    try:
        _, messages = process.communicate(timeout=20)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
    return process.returncode, messages


def is_gone(group):
    """Return True when nobody of a group is left, within ten seconds."""
    for _ in range(200):
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    return False


def wait_for(file, process):
    for _ in range(600):
        if file.exists() or process.poll() is not None:
            return
        time.sleep(0.05)


@posix
def test_a_verb_and_its_workers_end_at_once(tmp_path):
    (tmp_path / "functions.py").write_text(MODULE)
    (tmp_path / "script.py").write_text(SWEEP)
    process = started(["script.py"], tmp_path)
    wait_for(tmp_path / "started", process)
    before = time.monotonic()
    code, messages = interrupted(process)
    assert code == 130 and "interrupted" in messages, messages
    assert "Traceback" not in messages and "Process" not in messages, messages
    assert time.monotonic() - before < 15.0  # the workers sleep for 30 s
    assert is_gone(process.pid)


@posix
def test_a_run_is_interrupted(tmp_path):
    process = started(["-m", "linkwright", "simulate", "gough-stewart", "--duration", "10000 s"], tmp_path)
    time.sleep(1.5)
    code, messages = interrupted(process)
    assert code in (130, -signal.SIGINT) and "Traceback" not in messages, messages


@pytest.mark.parametrize(
    "when",
    [
        "import builtins; real = builtins.__import__\n"
        "def stopped(name, *rest):\n"
        "    if name.startswith('linkwright.cli'): raise KeyboardInterrupt\n"
        "    return real(name, *rest)\n"
        "builtins.__import__ = stopped\n",
        "import linkwright.cli as c, click\n"
        "def stopped(*rest, **more): raise KeyboardInterrupt\n"
        "c.main.parse_args = stopped\n",
        "import linkwright.cli.info as i, time\n"
        "class Late:\n"
        "    def __del__(self): raise KeyboardInterrupt\n"
        "import linkwright.cli.mechanisms as n\n"
        "def stopped(*rest, **more):\n"
        "    Late()\n"
        "    time.sleep(30.0)\n"
        "n.import_mechanism = stopped; i.import_mechanism = stopped\n",
    ],
    ids=["modules are loaded", "options are read", "an object is deleted"],
)
def test_an_interrupt_anywhere_leaves_no_traceback(when, tmp_path):
    done = subprocess.run(
        [sys.executable, "-c", f"{RUN}{when}m.run()"], cwd=tmp_path, env=environment(), capture_output=True, timeout=60
    )
    assert done.returncode == 130, done.stderr.decode()
    assert b"Traceback" not in done.stderr and b"Exception ignored" not in done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full")
@pytest.mark.parametrize("line", ["info four-bar", "info four-bar --json", "--help", "export schema", "--version"])
def test_a_full_disk_behind_standard_output_is_no_bug(line, tmp_path):
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "linkwright", *line.split()]
        done = subprocess.run(
            command, stdout=full, stderr=subprocess.PIPE, env=environment(), cwd=tmp_path, check=False, timeout=60
        )
    messages = done.stderr.decode()
    assert done.returncode == 1 and "unexpected" not in messages and "Traceback" not in messages, messages
    assert "standard output cannot be written (No space left on device)" in messages


def test_a_cache_that_cannot_be_written_is_warned_of_once(monkeypatch, tmp_path, caplog):
    monkeypatch.setenv(cache.VARIABLE, str(tmp_path / "cache"))
    number = iter(range(100))

    def refused(*_, **__):
        raise OSError(errno.EROFS, "Read-only file system", f"/cache/tmp{next(number)}")

    monkeypatch.setattr(cache.tempfile, "mkstemp", refused)
    cache.warn_once.cache_clear()
    with caplog.at_level(logging.WARNING):
        for i in range(5):
            cache.write_entry(f"key{i}", cache.Entry(Signature((), (), "dict"), OpCount(), 0, b""))
    assert len(caplog.records) == 1 and "Read-only file system" in caplog.text


@posix
def test_an_interrupt_while_the_package_is_loaded_leaves_no_traceback(tmp_path):
    """The first module of the package that is imported is named on the way; the others follow."""
    for first in ("linkwright.quiet_start", "linkwright.lazy", "linkwright.version"):
        process = started(["-X", "importtime", "-m", "linkwright", "info", "four-bar"], tmp_path)
        while first not in (line := process.stderr.readline()) and line:
            pass
        if first == "linkwright.quiet_start":
            time.sleep(0.002)  # its functions are called next
        code, messages = interrupted(process)
        assert code == 130, (first, messages)
        assert "Traceback" not in messages and "interrupted" in messages


@posix
@pytest.mark.parametrize("closed", [">&-", "2>&-", "<&-", ">&- 2>&- <&-"])
def test_a_closed_standard_stream_is_no_bug(closed, tmp_path):
    """Python has no object for a stream that the caller closed; nothing is written there, and nothing else changes."""
    line = f"exec {sys.executable} -m linkwright info four-bar {closed}"
    done = subprocess.run(["sh", "-c", line], capture_output=True, env=environment(), cwd=tmp_path, timeout=60)
    assert (done.returncode, done.stderr) == (0, b"")
    assert (b"four-bar" in done.stdout) == (not closed.startswith(">"))
