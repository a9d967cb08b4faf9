"""Arrays of NumPy's .npz archives, read to their ends."""

from __future__ import annotations

from zipfile import ZipFile

import numpy as np


def read_array(archive: ZipFile, name: str) -> np.ndarray:
    """An array of an archive.

    `np.load` stops at the size that the array's own header states, and an archive compares checksums at the end of an
    entry only: a damaged header that states a smaller shape would pass. Here the entry is read to its end.
    """
    with archive.open(f"{name}.npy") as stream:
        array = np.lib.format.read_array(stream, allow_pickle=False)
        if stream.read(1):
            raise ValueError(f"the array '{name}' is longer than its shape {array.shape} states")
    return np.asarray(array)
