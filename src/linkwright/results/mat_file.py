"""MATLAB's .mat (version 5): one column vector per series under a plain name, and the header as text."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from scipy.io import loadmat, savemat

from linkwright.results import sheet
from linkwright.results.sheet import Sheet


def write(content: Sheet, path: Path) -> None:
    """Write a sheet."""
    keys = ("t", *sheet.header(content.header, str(path)).keys)
    variables: dict[str, Any] = dict(zip(keys, content.columns, strict=True))
    variables |= {"header": content.header, "digest": content.digest}
    savemat(str(path), variables, appendmat=False, oned_as="column")


def read(path: Path, file: str) -> tuple[Sheet, str]:
    """The sheet in a file and the digest written beside it."""
    data = loadmat(str(path), appendmat=False)
    if "header" not in data:
        raise sheet.foreign(file)
    header = str(data["header"].item())
    keys = ("t", *sheet.header(header, file).keys)
    return Sheet(header, tuple(np.ravel(data[key]) for key in keys)), str(data["digest"].item())
