"""The kinds of hostile cases by name: each makes the function from a number to a case."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from pathlib import Path

from tests.hostile.cases import Case

Maker = Callable[[Path, int], Callable[[int], Case]]


def _of(module: str) -> Maker:
    """The function `cases(folder, seed)` of a file, which is imported when it is first needed."""

    def made(folder: Path, seed: int) -> Callable[[int], Case]:
        found: Callable[[int], Case] = import_module(f"tests.hostile.{module}").cases(folder, seed)
        return found

    return made


_APART = ("every", "faulty")
KINDS: dict[str, Maker] = {
    name: _of(name) for name in ("files", "use", "records", "calls", "commands", "results", *_APART)
}
USUAL = tuple(name for name in KINDS if name not in _APART)
