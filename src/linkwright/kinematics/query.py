"""What is given of a motion in kinematics, what is found, and which rows of a batch failed."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import BatchWarning, LinkwrightError, warn_caller

# How many failed rows the record of a warning lists.
_SHOWN = 5

Index = int | tuple[int, ...]


@dataclass(frozen=True)
class Failure:
    """A row of a batch that has no result.

    Attributes:
        row: its index in the leading axes; () for a single state.
        code: "not-finite", "quaternion-norm", "bad-parameters", "out-of-reach", "other-mode", "loops-open", "too-far",
            "no-rates", "rank-changed", "singular", or the code of another error.
        reason: the same as a message, with the way out.
    """

    row: Index
    code: str
    reason: str

    def __str__(self) -> str:
        return self.reason if self.row == () else f"row {self.row}: {self.reason}"


@dataclass(frozen=True, eq=False)
class Failures:
    """Failed rows of one kind of result; codes and reasons are made when they are read.

    Attributes:
        lead: leading axes of the batch.
        rows: numbers of the failed rows, ascending.
        code, reason: of a row by its number.
        error: what a single state raises.
    """

    lead: tuple[int, ...]
    rows: np.ndarray
    code: Callable[[int], str]
    reason: Callable[[int], str]
    error: type[LinkwrightError]

    def records(self) -> list[Failure]:
        """One record per failed row."""
        return [Failure(batch_index(row, self.lead), self.code(row), self.reason(row)) for row in self.rows.tolist()]


def batch_index(row: int, lead: tuple[int, ...]) -> Index:
    """A row's index in the leading axes of the batch."""
    return row if len(lead) == 1 else tuple(int(i) for i in np.unravel_index(row, lead)) if lead else ()


def all_records(failures: Sequence[Failures]) -> tuple[Failure, ...]:
    """Records of all failed rows, each row once, by its first failure."""
    found: dict[int, Failure] = {}
    for some in failures:
        for row, record in zip(some.rows.tolist(), some.records(), strict=True):
            found.setdefault(row, record)
    return tuple(found[row] for row in sorted(found))


def report_failures(function: str, name: str, failures: Sequence[Failures]) -> None:
    """Raise for a single state that has no result; warn once for the rows of a batch that have none and hold NaN."""
    found = [some for some in failures if len(some.rows)]
    if not found:
        return
    first = found[0]
    if not first.lead:
        row = int(first.rows[0])
        raise first.error(f"{function} of '{name}': {first.reason(row)}", rows=[row])
    codes = sorted({some.code(row) for some in found for row in some.rows.tolist()})
    rows = np.unique(np.concatenate([some.rows for some in found]))
    lowest = min(found, key=lambda some: int(some.rows[0]))
    warn_of_rows(function, name, rows, first.lead, ", ".join(codes), lowest.reason(int(rows[0])))


def warn_of_rows(function: str, name: str, rows: np.ndarray, lead: tuple[int, ...], kind: str, reason: str) -> None:
    """Warn of rows of a batch that have no result: of what kind they are, and in the record the reason of the first."""
    text = (
        f"{function} of '{name}': some rows of the batch could not be computed and hold NaN ({kind}); "
        f'model.diagnose("{function}", ...) lists them with their reasons'
    )
    value = {
        "function": function,
        "failed": len(rows),
        "rows": int(np.prod(lead)),
        "first": [batch_index(row, lead) for row in rows[:_SHOWN].tolist()],
        "reason": reason,
    }
    warn_caller(text, BatchWarning, subject=name, value=value)


Array = np.ndarray
COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")
"""Components of a pose or twist in their order."""


@dataclass(frozen=True, eq=False)
class KinematicsQuery:
    """What is given of a motion.

    Attributes:
        lead: leading axes of the batch.
        frame: a frame whose pose is given; None where the actuators' positions are.
        given: components of the frame rx ry rz x y z that count, or numbers of the actuators.
        target: pose x y z, w x y z (..., 7), or positions of the actuators (..., na).
        rate, acceleration: twist and twist rate (..., 6), or those of the actuators; None for zero.
        norms: norms of the given quaternions, (...), where some are not 1 and their rows are NaN; else None.
    """

    lead: tuple[int, ...]
    frame: str | None
    given: tuple[int, ...]
    target: Array
    rate: Array | None
    acceleration: Array | None
    norms: Array | None = None


@dataclass(frozen=True, eq=False)
class KinematicsResult:
    """Coordinates, velocities and accelerations, NaN in rows that have none, and those rows."""

    q: Array
    v: Array
    a: Array
    failures: tuple[Failures, ...]
