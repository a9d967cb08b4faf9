"""Functions of points that other processes can import."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.errors import AssemblyError


def areas(x: dict[str, np.ndarray]) -> dict[str, Any]:
    return {"area": x["width"] * x["height"], "sides": np.stack([x["width"], x["height"]], axis=1)}


def narrow(x: dict[str, np.ndarray]) -> dict[str, Any]:
    """Fails for a whole batch where one of its points is wide."""
    if (x["width"] > 0.9).any():
        raise AssemblyError("too wide")
    return {"area": x["width"] * x["height"]}


def narrow_point(x: dict[str, float]) -> dict[str, Any]:
    if x["width"] > 0.9:
        raise AssemblyError("too wide")
    return {"area": x["width"] * x["height"]}


def explained(x: dict[str, np.ndarray]) -> dict[str, Any]:
    wide = x["width"] > 0.9
    return {"area": np.where(wide, np.nan, x["width"]), "reason": np.where(wide, "too wide", "")}


def mistaken(x: dict[str, np.ndarray]) -> dict[str, Any]:
    return {"area": x["widht"]}


class Boxes:
    """Volumes of boxes, the largest is best; what is not varied is 1."""

    def __init__(self) -> None:
        self.units = {"width": "m", "height": "m", "depth": "m", "volume": "m^3"}
        self.goals = {"volume": "largest"}

    def __call__(self, x: dict[str, np.ndarray]) -> dict[str, Any]:
        return {"volume": np.prod(list(x.values()), axis=0)}


class Logged:
    """`areas`, with a line in a file for every call; the process kills itself at the first call of a point."""

    description = "logged"

    def __init__(self, log: Path, fatal: float | None = None) -> None:
        self.log, self.fatal = log, fatal

    def __call__(self, x: dict[str, np.ndarray]) -> dict[str, Any]:
        with self.log.open("a") as stream:
            stream.write(f"{x['width'][0]!r} {len(x['width'])}\n")
        mark = self.log.with_suffix(".died")
        if self.fatal is not None and self.fatal in x["width"] and not mark.exists():
            mark.touch()
            os.kill(os.getpid(), signal.SIGKILL)
        return areas(x)


def deadly(x: dict[str, np.ndarray]) -> dict[str, Any]:
    os.kill(os.getpid(), signal.SIGKILL)
    return areas(x)
