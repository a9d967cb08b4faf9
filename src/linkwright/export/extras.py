"""Libraries that exports need and linkwright does not."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from linkwright.errors import ArgumentError


def import_extra(module: str, extra: str) -> Any:
    """The imported module, or the message which extra brings it."""
    try:
        return import_module(module)
    except ImportError:
        raise ArgumentError(
            f"this export needs the package '{module}', which is not installed: pip install 'linkwright[{extra}]'"
        ) from None
