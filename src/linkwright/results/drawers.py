"""Who draws a result: told by the package's door, so that results need not know."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

from linkwright.errors import LinkwrightError

_PLACES: dict[str, str] = {}


def attach(name: str, place: str) -> None:
    """Let `Result.<name>` call the function at "module:function", imported when first used."""
    _PLACES[name] = place


def drawer(name: str) -> Callable[..., Any]:
    """The function attached under that name."""
    if name not in _PLACES:
        raise LinkwrightError(f"nothing draws a '{name}' in this version of linkwright")
    module, function = _PLACES[name].split(":")
    return getattr(importlib.import_module(module), function)
