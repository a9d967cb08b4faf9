"""What reading a file gives: the mechanism, and what the file said that the mechanism does not hold."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from linkwright.mechanism import Mechanism

Severity = Literal["error", "warning", "remark"]


@dataclass(frozen=True)
class Note:
    """Something an import dropped or assumed, or that looks like a slip.

    Attributes:
        text: the message, with the thing, the value found and, after a semicolon, the way out.
        severity: "error" when the mechanism read is another one than the file's (a loop or a joint law was dropped),
            "warning" when forces or masses may differ or a value is doubtful, "remark" when the mechanics is the same.
        code: a short word for programs, for example "dropped-loop".
        subject: the name or tag of the thing.
        value: what was found, if it is a value.
    """

    text: str
    severity: Severity = "remark"
    code: str = ""
    subject: str = ""
    value: Any = None

    @property
    def matters(self) -> bool:
        """Whether the motion may differ because of it."""
        return self.severity != "remark"

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Imported:
    """A mechanism and the notes of its import, in the order of the file."""

    mechanism: Mechanism
    notes: tuple[Note, ...] = ()
