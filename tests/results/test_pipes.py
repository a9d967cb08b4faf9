"""Pipes and devices: readers would wait for them or read without end, and writers would remove them."""

import os
import signal

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis.deviations.held_actuators import read_measurements
from linkwright.cli import main
from linkwright.formats.tables import read_table

pytestmark = pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes in folders there")
READERS = {
    "run.npz": lw.open_result,
    "run.csv": lw.open_result,
    "run.mat": lw.open_result,
    "ensemble.npz": lw.open_result,
    "sweep.npz": lw.open_result,
    "shards.npz.parts/plan.json": lambda path: lw.sweeps.merge([path.parent], "merged.npz"),
    "points.csv": lw.sweeps.TabulatedPoints.read,
    "motors.csv": lambda path: read_table(path, "motors"),
    "poses.csv": lambda path: read_measurements(lw.build(lw.catalog.load("five-bar")), path),
    "motion.npz": lambda path: lw.analysis.MeasuredMotion.read(lw.build(lw.catalog.load("five-bar")), path),
    "study.yaml": lw.load_study,
    "robot.urdf": lw.load,
}


class Hanging(BaseException):
    """Nothing in the library catches it."""


@pytest.fixture
def bell():
    def ring(*_):
        raise Hanging

    before = signal.signal(signal.SIGALRM, ring)
    signal.alarm(60)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("device", [False, True])
def test_pipes_and_devices_are_refused(name, device, tmp_path, bell):
    path = tmp_path / name
    path.parent.mkdir(exist_ok=True)
    if device:
        path.symlink_to("/dev/zero")
    else:
        os.mkfifo(path)
    with pytest.raises(lw.errors.LinkwrightError, match="not a regular file"):
        READERS[name](path)


WRITERS = {
    "robot.yaml": lambda path: lw.save(lw.catalog.load("four-bar"), path),
    "page.html": lambda path: lw.check(lw.catalog.load("four-bar")) and lw.view(lw.catalog.load("four-bar"), path),
    "run.npz": lambda path: run().save(path),
    "run.csv": lambda path: run().save(path),
    "plot.png": lambda path: run().plot("x", path=path),
    "ensemble.npz": lambda path: lw.simulate_many(arm(), np.zeros((1, 3)), t_end=0.01).save(path),
}


def run():
    return lw.Result(np.arange(3.0), (lw.types.Series("x", np.arange(3.0), "m", "q"),), {})


def arm():
    return lw.build(lw.catalog.load("three-link-arm"))


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("linked", [False, True])
def test_pipes_are_not_replaced_by_files(name, linked, tmp_path, bell):
    path = tmp_path / name
    pipe = tmp_path / "pipe" if linked else path
    os.mkfifo(pipe)
    if linked:
        path.symlink_to(pipe)
    with pytest.raises(lw.errors.ResultError, match="not a regular file"):
        WRITERS[name](path)
    assert pipe.is_fifo() and path.is_symlink() == linked


def test_an_array_shorter_than_its_entry_is_damaged(tmp_path):
    """A digit of the shape in the header of an array: the archive's checksum is compared at the end of the entry."""
    lw.simulate_many(arm(), np.zeros((2, 3)), t_end=0.01).save(tmp_path / "runs.npz")
    content = (tmp_path / "runs.npz").read_bytes()
    at = content.index(b"'shape': (2, 21, 18)")
    (tmp_path / "runs.npz").write_bytes(content[: at + 18] + b"0" + content[at + 19 :])
    with pytest.raises(lw.errors.ResultError, match="longer than its shape"):
        lw.open_result(tmp_path / "runs.npz")


def test_a_file_of_options_is_no_pipe(tmp_path, bell):
    os.mkfifo(tmp_path / "options.toml")
    found = CliRunner().invoke(main, ["--config", str(tmp_path / "options.toml"), "check", "four-bar"])
    assert found.exit_code == 2 and "not a regular file" in found.output


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04broken"])
@pytest.mark.parametrize("ending", [".npz", ".csv"])
def test_damaged_points_and_measurements_are_named(content, ending, tmp_path):
    path = tmp_path / f"table{ending}"
    path.write_bytes(content)
    for read in (lw.sweeps.TabulatedPoints.read, lambda path: lw.analysis.MeasuredMotion.read(arm(), path)):
        with pytest.raises(lw.errors.LinkwrightError, match="table"):
            read(path)
