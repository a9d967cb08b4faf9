"""A dask scheduler and workers as processes: what is missing is said within seconds, and other versions are refused."""

import gc
import os
import signal
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.sweeps import Grid, SweepError
from tests.sweeps.functions import Logged, areas

distributed = pytest.importorskip("distributed")
POINTS = Grid(width=[1.0, 2.0], height=[1.0, 3.0])


def free_port():
    with socket.socket() as found:
        found.bind(("127.0.0.1", 0))
        return found.getsockname()[1]


def process(*arguments, **environment):
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    return subprocess.Popen([sys.executable, "-m", *arguments], env={**os.environ, **environment}, **quiet)


@pytest.fixture(scope="module")
def scheduler():
    address = f"tcp://127.0.0.1:{free_port()}"
    arguments = ["--host", address.rpartition(":")[0].removeprefix("tcp://"), "--port", address.rpartition(":")[2]]
    found = process("distributed.cli.dask_scheduler", *arguments, "--no-dashboard")
    for _ in range(300):
        try:
            socket.create_connection(("127.0.0.1", int(address.rpartition(":")[2])), timeout=1.0).close()
            break
        except OSError:
            time.sleep(0.1)
    yield address
    found.terminate()
    found.wait()


class Worker:
    """A worker process, seen by its scheduler; its linkwright may be another one."""

    def __init__(self, scheduler, folder, version=None, number=1):
        self.scheduler, self.number, environment = scheduler, number, {}
        if version is not None:
            (folder / "linkwright").mkdir()
            (folder / "linkwright" / "__init__.py").write_text("")
            (folder / "linkwright" / "version.py").write_text(f"__version__ = {version!r}\n")
            environment["PYTHONPATH"] = str(folder)
        more = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder)]
        self.process = process("distributed.cli.dask_worker", scheduler, *more, **environment)

    def __enter__(self):
        with distributed.Client(self.scheduler, set_as_default=False) as client:
            client.wait_for_workers(self.number, timeout=60)
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        with distributed.Client(self.scheduler, set_as_default=False) as client:
            for _ in range(100):
                if len(client.scheduler_info()["workers"]) < self.number:
                    break
                time.sleep(0.1)


def failed(call, error, capfd):
    """The message of an error that comes within some seconds, without a word of anybody else."""
    before = time.monotonic()
    with pytest.raises(error) as caught:
        call()
    assert time.monotonic() - before < 10.0  # 5 s of waiting, on a computer that is not busy
    written = capfd.readouterr()
    assert "Traceback" not in written.err + written.out
    return str(caught.value)


def test_nobody_at_the_address(capfd):
    address = f"tcp://127.0.0.1:{free_port()}"
    assert f"no dask scheduler answers at {address}" in failed(
        lambda: lw.sweep(areas, POINTS, address), ArgumentError, capfd
    )


def test_somebody_else_at_the_address(capfd):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = f"tcp://127.0.0.1:{other.getsockname()[1]}"
        assert "no dask scheduler answers" in failed(lambda: lw.sweep(areas, POINTS, address), ArgumentError, capfd)


def test_a_scheduler_behind_certificates(capfd):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        address = f"tls://127.0.0.1:{other.getsockname()[1]}"
        message = failed(lambda: lw.sweep(areas, POINTS, address), ArgumentError, capfd)
    assert "cannot be asked with an address alone" in message and "distributed.Client" in message


@pytest.mark.parametrize(
    ("address", "reason"),
    [("http://127.0.0.1:80", "http:// is not a protocol of dask"), ("tcp://", "names no computer")],
)
def test_addresses_that_dask_cannot_use(address, reason, capfd):
    """Its client would end with a traceback, six seconds later, when it is forgotten."""
    message = failed(lambda: lw.sweep(areas, POINTS, address), ArgumentError, capfd)
    gc.collect()
    assert reason in message and "tcp://127.0.0.1:8786" in message
    assert "Traceback" not in capfd.readouterr().err


def test_a_scheduler_without_workers(scheduler, capfd):
    message = failed(lambda: lw.sweep(areas, POINTS, scheduler), SweepError, capfd)
    assert "it has no workers" in message and f"dask worker {scheduler}" in message


def test_a_worker_with_another_version_is_refused_by_name(scheduler, tmp_path, capfd):
    with Worker(scheduler, tmp_path, "0.0.9"):
        message = failed(lambda: lw.sweep(areas, POINTS, scheduler), SweepError, capfd)
    assert "has linkwright 0.0.9" in message and f"need linkwright {lw.__version__}" in message
    assert "tcp://127.0.0.1" in message


def test_a_worker_like_this_computes_and_its_loss_is_noticed(scheduler, tmp_path, capfd):
    with Worker(scheduler, tmp_path) as worker:
        found = lw.sweep(areas, POINTS, scheduler)
        assert np.array_equal(found["area"], lw.sweep(areas, POINTS)["area"])
        threading.Timer(1.0, worker.process.kill).start()
        before = time.monotonic()
        with pytest.raises(SweepError, match=r"it has no workers|was lost"):
            lw.sweep(waiting, POINTS, scheduler)
        assert time.monotonic() - before < 25.0


def test_one_of_two_workers_is_killed_and_the_file_has_the_same_bytes(scheduler, tmp_path):
    """Scheduler and workers are processes of their own; what the lost one was at is computed by the other."""
    folders = [tmp_path / name for name in ("one", "two", "log")]
    for each in folders:
        each.mkdir()
    with Worker(scheduler, folders[0]) as lost, Worker(scheduler, folders[1], number=2) as other:

        def kill(state):
            if state.done >= 4 and lost.process.poll() is None:
                lost.process.kill()

        function = Slow(folders[2] / "calls.txt")
        points = Grid(width=np.linspace(1.0, 2.0, 60), height=[1.0])
        found = lw.sweep(function, points, scheduler, path=tmp_path / "x.npz", chunk=2, progress=kill)
        assert lost.process.wait() == -signal.SIGKILL and other.process.poll() is None
    alone = lw.sweep(function, points, path=tmp_path / "y.npz", chunk=2)
    assert not found.failures and (tmp_path / "x.npz").read_bytes() == (tmp_path / "y.npz").read_bytes()
    assert np.array_equal(alone["area"], lw.sweep(areas, points)["area"])


class Slow(Logged):
    """Takes some time for each chunk, so that a worker is killed at its work."""

    def __call__(self, x):
        time.sleep(0.05)
        return super().__call__(x)


def waiting(point):
    """A function that takes longer than its worker lives."""
    time.sleep(30.0)
    return areas(point)
