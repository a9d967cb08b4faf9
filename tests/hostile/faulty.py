"""Cases that end badly on purpose: what the watchdog and the table are tried with."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import numpy as np

from linkwright.errors import ArgumentError
from tests.hostile.cases import Case


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases 0 to 6, one for each way to end."""
    ways: tuple[Callable[[], object], ...] = (lambda: 1, _refused, _argument, _raw, _endless, _dead, _large)
    return lambda index: Case("faulty", ways[index].__name__, ways[index], ("size",), 0.2 if index == 4 else 20.0)


def _refused() -> None:
    raise ArgumentError("size is 3, expected 4")


def _argument() -> None:
    raise TypeError("missing argument: 'size'")


def _raw() -> None:
    raise TypeError("unhashable type")


def _endless() -> None:
    while True:
        pass


def _dead() -> None:
    os._exit(3)


def _large() -> None:
    np.ones(600 << 17).sum()
