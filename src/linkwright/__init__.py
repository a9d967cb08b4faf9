"""Kinematics and dynamics of serial and parallel (closed-loop) robots."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from linkwright import catalog
    from linkwright.assembly.sharing import LeastNorm, LeastPeak, Preload
    from linkwright.compiler import OpCount
    from linkwright.errors import LinkwrightError
    from linkwright.formats import load, save
    from linkwright.formulations.kinds import Baumgarte, Minimal, Multipliers
    from linkwright.mechanism import Mechanism
    from linkwright.model import Model, build

# Loaded when first used, so that `import linkwright` and `linkwright --help` stay quick.
_ROOMS = {
    "Baumgarte": "formulations.kinds",
    "LeastNorm": "assembly.sharing",
    "LeastPeak": "assembly.sharing",
    "Minimal": "formulations.kinds",
    "Multipliers": "formulations.kinds",
    "Preload": "assembly.sharing",
    "LinkwrightError": "errors",
    "Mechanism": "mechanism",
    "Model": "model",
    "OpCount": "compiler",
    "build": "model",
    "load": "formats",
    "save": "formats",
}

__all__ = [
    "Baumgarte",
    "LeastNorm",
    "LeastPeak",
    "LinkwrightError",
    "Mechanism",
    "Minimal",
    "Model",
    "Multipliers",
    "OpCount",
    "Preload",
    "build",
    "catalog",
    "load",
    "save",
]


def __getattr__(name: str) -> Any:
    if name == "catalog":
        return importlib.import_module("linkwright.catalog")
    if name in _ROOMS:
        return getattr(importlib.import_module(f"linkwright.{_ROOMS[name]}"), name)
    raise AttributeError(f"module 'linkwright' has no attribute '{name}'")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
