"""What reading a file gives: the mechanism, and what the file said that the mechanism does not hold."""

from __future__ import annotations

from dataclasses import dataclass

from linkwright.mechanism import Mechanism


@dataclass(frozen=True)
class Note:
    """Something an import dropped or assumed; `matters` when the motion may differ because of it."""

    text: str
    matters: bool = False

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Imported:
    """A mechanism and the notes of its import, in the order of the file."""

    mechanism: Mechanism
    notes: tuple[Note, ...] = ()
