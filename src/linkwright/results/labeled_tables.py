"""Runs as tables of other libraries: pandas and xarray, which are imported when they are used."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, missing_package_text
from linkwright.results.archives import ascii_json

Columns = Sequence[tuple[str, str, str]]
"""Name, unit and group of every series."""


def import_optional(module: str, what: str) -> Any:
    """An optional package, or a message that names the extra to install."""
    try:
        return importlib.import_module(module)
    except ImportError:
        raise ArgumentError(missing_package_text(what, module, "tables")) from None


def data_frame(index: Any, columns: Columns, values: np.ndarray) -> Any:
    """A DataFrame of values (rows, series); units are in `attrs["units"]`."""
    frame = import_optional("pandas", "data frames").DataFrame(values, index, [name for name, _, _ in columns])
    frame.attrs["units"] = {name: unit for name, unit, _ in columns}
    return frame


def index_of(t: np.ndarray) -> Any:
    """Times as the index of a DataFrame, [s]."""
    return import_optional("pandas", "data frames").Index(t, name="t")


def index_of_runs(t: np.ndarray, reached: np.ndarray) -> Any:
    """Number of the run and time as an index, for the rows (runs, times) that were reached."""
    run, row = np.nonzero(reached)
    return import_optional("pandas", "data frames").MultiIndex.from_arrays([run, t[row]], names=["run", "t"])


def make_dataset(t: np.ndarray, columns: Columns, values: np.ndarray, meta: dict[str, Any], status: Any = None) -> Any:
    """A Dataset of values (..., times, series) over `time`, and over `run` where there are several; meta as JSON."""
    xarray = import_optional("xarray", "labeled arrays")
    dimensions = ("time",) if values.ndim == 2 else ("run", "time")
    coordinates: dict[str, Any] = {"time": ("time", t, {"units": "s", "long_name": "time"})}
    if status is not None:
        coordinates |= {"run": np.arange(len(values)), "status": ("run", list(status))}
    data = {
        name: (dimensions, values[..., k], {"units": unit, "group": group})
        for k, (name, unit, group) in enumerate(columns)
    }
    return xarray.Dataset(data, coordinates, {"linkwright": ascii_json(meta)})
