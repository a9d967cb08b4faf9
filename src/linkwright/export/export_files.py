"""Several files of an export, written into one folder."""

from __future__ import annotations

import os
from collections.abc import Mapping

from linkwright import checks
from linkwright.errors import ResultError
from linkwright.files import FileKind, recognize_marks, write_whole

CODE = FileKind("generated code", (), recognize_marks())
FUNCTION = FileKind("a function for another program", (), None)


def write_files(folder: str | os.PathLike[str], files: Mapping[str, str]) -> None:
    """Write files, text by name, into a folder, which is made."""
    path = checks.require_path("folder", folder)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except (OSError, ValueError) as error:
        raise ResultError(f"{path}: the folder cannot be made ({error}); name another one", file=str(path)) from None
    for name, text in files.items():
        write_whole(path / name, text)
