"""Every format gives back the same bits; damage, lack of space and wrong names are reported."""

import os
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.io import loadmat, netcdf_file

from linkwright.errors import ArgumentError, LinkwrightError, ResultError
from linkwright.files import write_whole
from linkwright.results.archives import make_identifiers
from linkwright.results.result import Result
from linkwright.results.result_reader import open_result
from linkwright.results.series import Series
from tests.results.runs import FORMATS, HOSTILE, differences, example, names, runs
from tests.strategies import a_share


@pytest.mark.parametrize("ending", FORMATS)
@a_share(2)
@given(run=runs())
def test_nothing_is_lost(tmp_path_factory, ending, run):
    path = tmp_path_factory.getbasetemp() / f"run{ending}"
    run.save(path)
    assert differences(run, open_result(path)) == []


@pytest.mark.parametrize("ending", FORMATS)
def test_hostile_names_stay_in_the_file(tmp_path, ending):
    run = Result([0.0], tuple(Series(name, [1.5], name, name) for name in HOSTILE))
    run.save(tmp_path / f"run{ending}")
    assert differences(run, open_result(tmp_path / f"run{ending}")) == []
    assert os.listdir(tmp_path) == [f"run{ending}"]


@given(st.lists(names, max_size=30))
def test_identifiers_are_legal_and_different(found):
    made = make_identifiers(found)
    assert len({name.lower() for name in made}) == len(found)
    assert all(name.isascii() and name.isidentifier() and name[0].isalpha() and len(name) <= 31 for name in made)


def test_other_programs_find_the_series_by_plain_names(tmp_path):
    run = example()
    for ending in FORMATS:
        run.save(tmp_path / f"run{ending}")
    with np.load(tmp_path / "run.npz", allow_pickle=False) as data:
        assert np.array_equal(data["effort_motor"], run["effort(motor)"])
    assert np.array_equal(loadmat(tmp_path / "run.mat")["theta1"].ravel(), run["theta1"])
    with netcdf_file(str(tmp_path / "run.nc"), mmap=False) as data:
        assert data.variables["theta1_dot"].units == b"rad/s"
        assert np.array_equal(data.variables["time"][:], run.t)
    text = (tmp_path / "run.csv").read_text().splitlines()
    assert text[2].startswith("t [s],theta1 [rad],")
    assert np.array_equal(np.loadtxt(text[3:], delimiter=",")[:, 1], run["theta1"])


@pytest.mark.parametrize("ending", FORMATS)
@a_share(2)
@given(cut=st.floats(0, 1, exclude_max=True))
def test_a_file_cut_short_is_reported(tmp_path_factory, ending, cut):
    path = tmp_path_factory.getbasetemp() / f"cut{ending}"
    example().save(path)
    content = path.read_bytes()
    path.write_bytes(content[: int(cut * len(content))])
    with pytest.raises(ResultError, match=f"cut{ending}: "):
        open_result(path)


@pytest.mark.parametrize("ending", FORMATS)
@a_share(2)
@given(at=st.floats(0, 1, exclude_max=True), byte=st.integers(1, 255))
def test_a_changed_byte_never_raises_anything_but_our_errors(tmp_path_factory, ending, at, byte):
    path = tmp_path_factory.getbasetemp() / f"changed{ending}"
    run = example()
    run.save(path)
    content = bytearray(path.read_bytes())
    content[int(at * len(content))] ^= byte
    path.write_bytes(content)
    try:
        again = open_result(path)
    except LinkwrightError:
        return
    if ending != ".csv":  # people may edit a text
        assert differences(run, again) == []


@pytest.mark.parametrize("ending", FORMATS)
def test_files_that_hold_something_else_are_refused(tmp_path, ending):
    path = tmp_path / f"other{ending}"
    writers = {
        ".npz": lambda: np.savez(path, x=np.zeros(3)),
        ".csv": lambda: path.write_text("a,b\n1,2\n"),
        ".mat": lambda: __import__("scipy.io").io.savemat(path, {"x": 1.0}),
        ".nc": lambda: netcdf_file(str(path), "w").close(),
    }
    writers[ending]()
    with pytest.raises(ResultError, match="holds no linkwright run"):
        open_result(path)
    path.write_bytes(b"")
    with pytest.raises(ResultError, match="other"):
        open_result(path)


def test_a_run_of_a_later_format_asks_for_a_newer_version(tmp_path):
    path = tmp_path / "run.csv"
    example().save(path)
    path.write_text(path.read_text().replace('"linkwright run":1', '"linkwright run":2'))
    with pytest.raises(ResultError, match="format 2 and this version reads format 1"):
        open_result(path)


def test_an_edited_text_is_read_or_its_line_named(tmp_path):
    path = tmp_path / "run.csv"
    example().save(path)
    lines = path.read_text().splitlines()
    path.write_text("\r\n".join([*lines[:3], lines[3].replace("0.0", "0.25", 1), *lines[4:]]) + "\r\n")
    assert open_result(path).t[0] == 0.25
    path.write_text("\n".join([*lines[:4], "1.0,x,0,0,0,0,0,0", ""]))
    with pytest.raises(ResultError, match="line 5 has 'x' where a number"):
        open_result(path)
    path.write_text("\n".join([*lines[:4], "1.0,2.0", ""]))
    with pytest.raises(ResultError, match="line 5 has 2 numbers where 8"):
        open_result(path)
    path.write_text("\n".join([*lines[:-1], ""]))
    with pytest.raises(ResultError, match="should hold 5 times"):
        open_result(path)


def test_wrong_names_are_reported(tmp_path):
    run = example()
    with pytest.raises(ResultError, match=r"saved as .npz, .csv, .mat, .nc"):
        run.save(tmp_path / "run.xlsx")
    with pytest.raises(ArgumentError, match="expected the name of a file"):
        run.save(3)
    with pytest.raises(ArgumentError, match="expected the name of a file"):
        open_result(None)
    with pytest.raises(ResultError, match="no such file"):
        open_result(tmp_path / "run.npz")
    with pytest.raises(ResultError, match=r"read from .npz"):
        open_result(tmp_path / "run.txt")
    with pytest.raises(ResultError, match=r"cannot be written \(No such file"):
        run.save(tmp_path / "no" / "run.npz")
    (tmp_path / "folder.npz").mkdir()
    with pytest.raises(ResultError, match=r"this is a folder"):
        run.save(tmp_path / "folder.npz")
    with pytest.raises(ResultError, match="folder"):
        open_result(tmp_path / "folder.npz")


FULL_DISK = """
import resource, sys
import numpy as np
from linkwright.errors import ResultError
from linkwright.results.result import Result
from linkwright.results.series import Series

resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
run = Result(np.arange(5000.0), (Series("x", np.random.default_rng(1).normal(size=5000)),))
for path in sys.argv[1:]:
    try:
        run.save(path)
    except ResultError as error:
        print(error)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no limit on file sizes there")
def test_when_the_disk_is_full_the_old_file_is_kept(tmp_path):
    paths = [tmp_path / f"run{ending}" for ending in FORMATS]
    for path in paths:
        example().save(path)
    command = [sys.executable, "-c", FULL_DISK, *map(str, paths)]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    assert len(printed) == len(paths)
    for path, line in zip(paths, printed, strict=True):
        assert "cannot be written (File too large); the older file of that name is unchanged" in line
        assert differences(example(), open_result(path)) == []
    assert sorted(os.listdir(tmp_path)) == sorted(f"run{ending}" for ending in FORMATS)


def test_a_name_that_is_too_long_is_a_message(tmp_path):
    with pytest.raises(ResultError, match="cannot be written"):
        write_whole(tmp_path / ("a" * 300 + ".npz"), lambda beside: None)


@pytest.mark.parametrize("ending", FORMATS)
def test_the_former_name_of_the_closure_residual_is_read(tmp_path, ending):
    t = np.linspace(0.0, 1.0, 5)
    Result(t, [Series("closure gap", 1e-16 * t, "m", "closure")]).save(tmp_path / f"old{ending}")
    found = open_result(tmp_path / f"old{ending}")
    assert found.names == ("closure residual",) and np.array_equal(found.closure, 1e-16 * t)
    found.save(tmp_path / f"new{ending}")
    assert open_result(tmp_path / f"new{ending}").names == found.names
