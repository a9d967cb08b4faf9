"""Saved and unfinished results, opened again: runs here, other kinds by the function that each package attaches."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from linkwright import checks
from linkwright.errors import LinkwrightError, ResultError
from linkwright.files import PARTS, FileKind, require_regular
from linkwright.results import attached_functions, recording
from linkwright.results.archives import RunArchive, damaged_file_error, holds_kind, read_run_header, series_of_header
from linkwright.results.result import Result
from linkwright.results.run_files import probe_csv, probe_mat, probe_npz, read_csv, read_mat, read_nc, read_npz
from linkwright.results.study_result import STUDY_RESULT, read_study

READERS: dict[str, Callable[[Path, str], tuple[RunArchive, str | None]]] = {
    ".npz": read_npz,
    ".csv": read_csv,
    ".mat": read_mat,
    ".nc": read_nc,
}
_log = logging.getLogger("linkwright.results")


def open_result(path: str | os.PathLike[str]) -> Any:
    """What was saved in a file: a `Result`, an `Ensemble`, a `Sweep` or a study.

    Of a run, an ensemble or a sweep that was interrupted, what was recorded until then.

    >>> open_result("nowhere.npz")
    Traceback (most recent call last):
        ...
    linkwright.errors.ResultError: nowhere.npz: there is no such file; check the name and the folder
    """
    kind = _kind_of_result(checks.require_path("path", path))
    if kind == "study":
        try:
            return read_study(Path(path))
        except LinkwrightError:
            raise
        except Exception as error:  # damaged files fail in many ways
            raise damaged_file_error(str(path), f"its content cannot be read ({error})") from None
    return read_run(path) if kind == "run" else attached_functions.attached_function(f"open {kind}")(path)


def _kind_of_result(path: Path) -> str:
    """The kind of result in a file, judged by names and first bytes; "run" where none is recognized."""
    beside = Path(f"{path}{recording.ENDING}")
    try:
        if path.suffix in (PARTS, ".parquet") or (not path.exists() and Path(f"{path}{PARTS}").is_dir()):
            return "sweep"
        file = beside if not path.exists() and beside.is_file() else path
        require_regular(file)
        if file.suffix == recording.ENDING:
            with file.open("rb") as stream:
                return "ensemble" if recording.LANES.search(stream.read(4096)) else "run"
        if file.suffix.lower() == ".npz":
            return next((kind for kind in ("ensemble", "sweep", "study") if holds_kind(file, kind)), "run")
        return "study" if file.suffix.lower() == ".json" and STUDY_RESULT.wrote(file) else "run"
    except Exception:  # damaged archives fail in many ways; the reader of runs says what is wrong
        return "run"


def read_run(path: str | os.PathLike[str]) -> Result:
    """A run as it was saved; of a run that was interrupted, what was recorded until then (`meta["complete"]` False).

    >>> read_run("nowhere.npz")
    Traceback (most recent call last):
        ...
    linkwright.errors.ResultError: nowhere.npz: there is no such file; check the name and the folder
    """
    checks.require_path("path", path)
    try:
        if b"\0" in os.fsencode(path):
            raise ValueError
        file = _file_to_open(Path(path))
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or "it holds a character that no name can have"
        raise ResultError(f"{str(path)[:100]!r} cannot be the name of a file ({reason}); name another") from None
    try:
        return recording.read_recording(file) if file.suffix == recording.ENDING else _read_saved_run(file)
    except LinkwrightError:
        raise
    except FileNotFoundError:
        raise ResultError(f"{file}: there is no such file; check the name and the folder", file=str(file)) from None
    except OSError as error:
        reason = error.strerror or str(error)
        raise ResultError(f"{file}: the file cannot be read ({reason})", file=str(file)) from None
    except Exception as error:  # readers of foreign formats fail in many ways on damaged files
        raise damaged_file_error(str(file), f"its content cannot be read ({error})") from None


def _is_run(file: Path) -> bool:
    """Return True for a saved run; names or first bytes are quicker to read than all of it."""
    probe = _PROBES.get(file.suffix.lower())
    if probe is None or not probe(file):
        read_run(file)
    return True


_PROBES: dict[str, Callable[[Path], bool]] = {
    ".npz": probe_npz,
    ".csv": probe_csv,
    ".mat": probe_mat,
}
RUN = FileKind("a run", tuple(READERS), _is_run)


def _file_to_open(path: Path) -> Path:
    """The file to open: a run killed before it was saved is in a file beside it."""
    beside = Path(f"{path}{recording.ENDING}")
    if path.suffix == recording.ENDING or not beside.is_file():
        return path
    if path.exists():
        _log.warning("%s: beside it is %s, the rest of an interrupted run; open it by its name", path, beside.name)
        return path
    _log.warning("%s: the run was interrupted; what it had recorded is read from %s", path, beside.name)
    return beside


def _read_saved_run(path: Path) -> Result:
    ending = path.suffix.lower()
    if ending not in READERS:
        known = ", ".join((*READERS, recording.ENDING))
        raise ResultError(f"{path}: a run is read from {known}; name such a file", file=str(path))
    require_regular(path)
    content, digest = READERS[ending](path, str(path))
    return _checked_result(content, digest, str(path))


def _checked_result(content: RunArchive, digest: Any, file: str) -> Result:
    found = read_run_header(content.header, file)
    lengths = {x.shape for x in content.columns}
    if lengths != {(found.rows,)}:
        raise damaged_file_error(file, f"it should hold {found.rows} times and holds {sorted(lengths)}")
    if digest is not None and digest != content.digest:
        raise damaged_file_error(file, "its numbers are not those that were written")
    return Result(content.columns[0], series_of_header(found, content.columns[1:]), found.meta, found.events)
