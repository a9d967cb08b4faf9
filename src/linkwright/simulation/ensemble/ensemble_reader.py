"""Saved and unfinished ensembles, opened again."""

from __future__ import annotations

import logging
import os
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import LinkwrightError, ResultError
from linkwright.files import require_regular
from linkwright.results.archives import open_archive, read_array, read_header
from linkwright.results.recording import ENDING, open_recording
from linkwright.results.run_archive import foreign_file_error, written_columns
from linkwright.simulation.ensemble.ensemble_record import COUNTS, INTERRUPTED, Ensemble, final_rows, npz_path

_log = logging.getLogger(__name__)


def read_ensemble(path: str | os.PathLike[str]) -> Ensemble:
    """The runs that `Ensemble.save` wrote; of an ensemble that was interrupted, the runs that had ended until then.

    >>> read_ensemble("nowhere.npz")
    Traceback (most recent call last):
        ...
    linkwright.errors.ResultError: nowhere.npz: there is no such file; check the name and the folder
    """
    file = npz_path(path, ENDING)
    beside = Path(f"{file}{ENDING}")
    try:
        if file.suffix == ENDING:
            return read_unfinished(file)
        if not file.exists() and beside.is_file():
            _log.warning("%s: the ensemble was interrupted; its runs are read from %s", file, beside.name)
            return read_unfinished(beside)
        require_regular(file)
        with open_archive(file) as archive:
            head = read_header(archive, "ensemble", str(file))
            return _ensemble_from_arrays(
                head, {each[:-4]: read_array(archive, each[:-4]) for each in archive.namelist()}
            )
    except FileNotFoundError:
        raise ResultError(f"{file}: there is no such file; check the name and the folder", file=str(file)) from None
    except LinkwrightError:
        raise
    except Exception as error:  # damaged archives fail in many ways
        raise ResultError(f"{file}: not a saved ensemble ({error}); name another file", file=str(file)) from None


def read_unfinished(path: Path) -> Ensemble:
    """The runs that had ended when an ensemble was interrupted; the others have the status "interrupted"."""
    found = open_recording(path)
    if found.lanes is None:
        raise foreign_file_error(str(path))
    if found.remark:
        _log.warning("%s: %s", path, found.remark)
    lanes, runs = found.lanes, range(len(found.lanes.rows))
    zero = np.zeros(len(runs))
    status = ["interrupted"] * len(runs)
    ended, reasons = found.request["span"][0] + lanes.numbers.get("end", zero), dict.fromkeys(runs, INTERRUPTED)
    for i in found.ended:
        status[i] = "done"
        del reasons[i]
    for i, end in found.ends.items():
        status[i], ended[i] = end.kind, end.t
        reasons |= {} if end.kind == "done" else {i: end.text}
    counts = {name: lanes.numbers.get(name, zero).astype(int) for name in COUNTS}
    meta, final = found.header.meta | {"complete": False}, final_rows(lanes.rows, lanes.last)
    reasons = dict(sorted(reasons.items()))
    values, columns = lanes.rows[:, :, 1:], found.header.columns
    return Ensemble(lanes.t, values, columns, tuple(status), ended, reasons, counts, meta, final)


def _ensemble_from_arrays(head: dict[str, Any], arrays: dict[str, np.ndarray]) -> Ensemble:
    counts = {name: arrays[f"count{i}"] for i, name in enumerate(head["counts"])}
    columns = written_columns(head["columns"])
    reasons = {int(i): reason for i, reason in head["reasons"].items()}
    status = tuple(head["status"])
    known = (arrays["t"], arrays["values"], columns, status, arrays["ended"], reasons, counts, head["meta"])
    return Ensemble(*known, arrays["final"]) if "final" in arrays else Ensemble(*known)
