"""Arrays of NumPy's .npz archives: sizes are looked at before anything is unpacked; arrays are read to their ends."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, Any
from zipfile import ZipFile

import numpy as np

# What an archive may unpack to: our own are stored without compression, and arrays that somebody compressed shrink to a
# thirtieth at best unless they are nearly constant, which small ones may be.
_SMALL = 256 << 20  # bytes
_RATIO = 32


@contextmanager
def open_archive(file: str | os.PathLike[str] | IO[bytes]) -> Iterator[ZipFile]:
    """An archive to read from, refused if its content is far larger than the file itself."""
    with ZipFile(file) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
        packed = sum(entry.compress_size for entry in archive.infolist())
        if unpacked > max(_SMALL, _RATIO * packed):
            raise ValueError(
                f"it would unpack {packed / 1e6:.3g} MB to {unpacked / 1e6:.4g} MB, more than {_RATIO} times as much"
            )
        yield archive


def read_array(archive: ZipFile, name: str) -> np.ndarray:
    """An array of an archive.

    The size of the entry is compared with what the array's own header states before memory is taken. `np.load` stops at
    the size that the header states, and an archive compares checksums at the end of an entry only: a damaged header
    that states a smaller shape would pass. Here the entry is read to its end.
    """
    entry = archive.getinfo(f"{name}.npy")
    with archive.open(entry) as stream:
        shape, dtype = _stated(stream)
        more = entry.file_size - stream.tell() - math.prod(shape) * dtype.itemsize
        if more or dtype.hasobject:
            size = "longer" if more > 0 else "shorter" if more else "not an array of numbers, other"
            raise ValueError(f"the array '{name}' is {size} than its shape {shape} of {dtype} states")
        stream.seek(0)
        array = np.asarray(np.lib.format.read_array(stream, allow_pickle=False))
        stream.read(1)  # the end, where the checksum is compared
    return array


def _stated(stream: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type that the header of an array states; the stream is behind it then."""
    version = np.lib.format.read_magic(stream)
    read = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}.get(version)
    if read is None:
        raise ValueError(f"an array is of version {version} of NumPy's format, which is not read")
    shape, _, dtype = read(stream)
    return shape, dtype
