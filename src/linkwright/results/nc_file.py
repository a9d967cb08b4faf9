"""netCDF (classic, 64-bit offsets): one variable per series over the coordinate `time`, header as an attribute."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from linkwright.results import run_archive
from linkwright.results.run_archive import RunArchive

TIME = "time"
"""Name of the dimension and of its variable, which makes it a coordinate."""


def write(content: RunArchive, path: Path) -> None:
    """Write an archive; an empty run has one row that does not count, since no dimension may be of length zero."""
    found = run_archive.read_header(content.header, str(path))
    names = [(TIME, "time", "s"), *((key, name, unit) for key, (name, unit, _) in zip(found.keys, found.columns))]
    from scipy.io import netcdf_file  # takes long to import, and most runs are never saved so

    with netcdf_file(str(path), "w", version=2) as data:
        data.createDimension(TIME, max(1, found.rows))
        _set_attributes(data, header=content.header, digest=content.digest)
        for (key, name, unit), values in zip(names, content.columns, strict=True):
            variable = data.createVariable(key, "d", (TIME,))
            variable[:] = values if found.rows else 0.0
            _set_attributes(variable, long_name=name, units=unit)


def read(path: Path, file: str) -> tuple[RunArchive, str]:
    """The archive in a file and the digest written beside it."""
    from scipy.io import netcdf_file

    with netcdf_file(str(path), "r", mmap=False) as data:
        if not hasattr(data, "header"):
            raise run_archive.foreign_file_error(file)
        header = _attribute_text(data, "header")
        found = run_archive.read_header(header, file)
        columns = [np.array(data.variables[key][:], dtype=np.float64) for key in (TIME, *found.keys)]
        return RunArchive(header, tuple(x if found.rows else x[:0] for x in columns)), _attribute_text(data, "digest")


def _attribute_text(data: Any, name: str) -> str:
    return getattr(data, name).decode("ascii", "replace")


def _set_attributes(variable: Any, **texts: str) -> None:
    for name, text in texts.items():
        if text:
            setattr(variable, name, text.encode("utf-8", "replace"))
