"""Archives that would unpack to far more than they are: refused before memory is taken, by every reader."""

import hashlib
import io
import struct
import tracemalloc
import zipfile
import zlib

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.results.archives import open_archive, read_array
from linkwright.results.result_reader import read_run
from linkwright.results.run_files import _TITLE
from linkwright.results.study_result import read_study
from linkwright.simulation.ensemble.ensemble_record import read_ensemble
from linkwright.sweeps.points import read_points
from linkwright.sweeps.sweep_record import read_sweep

HUGE = 300 << 20  # bytes; a tenth of what the reported file took


def packed_zeros(size=HUGE, names=(), stated=None):
    """An archive of zeros, each entry of which says that it is an array."""
    stream, block = io.BytesIO(), bytes(1 << 20)
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
        for name in names:
            with archive.open(f"{name}.npy", "w") as entry:
                shape = (size // 8 if stated is None else stated,)
                np.lib.format.write_array_header_1_0(entry, {"descr": "<f8", "fortran_order": False, "shape": shape})
                for _ in range(size >> 20):
                    entry.write(block)
    return stream.getvalue()


@pytest.fixture(scope="module")
def bomb():
    return packed_zeros(names=["t"])


def peak_of(call, match, error=LinkwrightError):
    tracemalloc.start()
    try:
        with pytest.raises(error, match=match):
            call()
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("read", [lw.open_result, read_run, read_ensemble, read_sweep, read_points])
def test_no_reader_unpacks_it(read, bomb, tmp_path):
    file = tmp_path / "bomb.npz"
    file.write_bytes(bomb)
    assert len(bomb) < 4 << 20
    assert peak_of(lambda: read(file), "would unpack") < 20 << 20


def test_the_reader_of_studies_does_not_unpack_it(bomb, tmp_path):
    """`open_result` looks at the size first, to find the kind; the reader does not rely on that."""
    file = tmp_path / "bomb.npz"
    file.write_bytes(bomb)
    assert peak_of(lambda: read_study(file), "would unpack", ValueError) < 20 << 20


@pytest.mark.parametrize("stated", [0, 10, 1 << 30, 1 << 50])
def test_a_header_that_states_another_size_is_refused_before_it_is_believed(stated):
    data = packed_zeros(1 << 20, ["x"], stated)
    tracemalloc.start()
    with open_archive(io.BytesIO(data)) as archive, pytest.raises(ValueError, match=r"(longer|shorter) than its shape"):
        read_array(archive, "x")
    assert tracemalloc.get_traced_memory()[1] < 10 << 20
    tracemalloc.stop()


def test_arrays_that_somebody_compressed_are_read(tmp_path):
    x = np.random.default_rng(0).normal(size=(1000, 3))
    for save in (np.savez, np.savez_compressed):
        save(tmp_path / "x.npz", x=x, n=np.zeros(100_000), text=np.array("abc"))
        with open_archive(tmp_path / "x.npz") as archive:
            assert (read_array(archive, "x") == x).all() and not read_array(archive, "n").any()


def test_a_compressed_file_of_matlab_is_refused(tmp_path):
    """A variable of zeros, deflated, behind the description and the hash that a run of ours would have."""
    size = HUGE // 8
    name = struct.pack("<2I", 1, 1) + b"t".ljust(8, b"\0")
    inside = struct.pack("<4I", 6, 8, 6, 0) + struct.pack("<4I", 5, 8, size, 1) + name[:4] + struct.pack("<I", 1)
    inside += b"t".ljust(8, b"\0") + struct.pack("<2I", 9, 8 * size)
    packer = zlib.compressobj(1)
    body = packer.compress(struct.pack("<2I", 14, len(inside) + 8 * size) + inside)
    for _ in range(8 * size >> 20):
        body += packer.compress(bytes(1 << 20))
    body += packer.flush()
    rest = bytes(8) + struct.pack("<2H", 0x0100, 0x4D49) + struct.pack("<2I", 15, len(body)) + body
    title = f"{_TITLE}{hashlib.blake2b(rest, digest_size=16).hexdigest()}".ljust(116).encode()
    (tmp_path / "bomb.mat").write_bytes(title + rest)
    assert peak_of(lambda: lw.open_result(tmp_path / "bomb.mat"), "it holds compressed variables") < 20 << 20


def test_a_run_is_still_read_from_all_its_files(tmp_path):
    model = lw.build(lw.catalog.load("four-bar"))
    q = model.assemble().q
    run = lw.simulate(model, q, 0.0 * q, 0.01)
    for ending in ("npz", "mat"):
        run.save(tmp_path / f"run.{ending}")
        again = lw.open_result(tmp_path / f"run.{ending}")
        assert (again.t == run.t).all() and [x.name for x in again.series] == [x.name for x in run.series]
