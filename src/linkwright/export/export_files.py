"""Several files of an export, written into one folder, and libraries that exports need and linkwright does not."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from linkwright import checks
from linkwright.errors import ArgumentError, ResultError, missing_package_text
from linkwright.files import FileKind, recognize_marks, write_whole

# --- several files of an export, written into one folder --------------------------------------------------------------

CODE = FileKind("generated code", (), recognize_marks())
FUNCTION = FileKind("a function for another program", (), None)


def write_files(folder: str | os.PathLike[str], files: Mapping[str, str | bytes]) -> None:
    """Write files, text or bytes by name, into a folder, which is made."""
    path = checks.require_path("folder", folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: the folder cannot be made ({error}); name another one", file=str(path)) from None
    for name, text in files.items():
        write_whole(path / name, text)


# --- libraries that exports need and linkwright does not --------------------------------------------------------------


def import_extra(module: str, extra: str) -> Any:
    """The imported module, or the message which extra brings it."""
    try:
        return import_module(module)
    except ImportError:
        raise ArgumentError(missing_package_text("such exports", module, extra)) from None
