"""Functions that draw a result, registered by the public API, so that results need not import them."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from typing import Any

_FUNCTIONS: dict[str, str] = {}


def attach_function(name: str, path: str) -> None:
    """Let `Result.<name>` call the function at "module:function", imported when first used."""
    _FUNCTIONS[name] = path


def attached_function(name: str) -> Callable[..., Any]:
    """The function attached under that name."""
    if name not in _FUNCTIONS:
        from linkwright.errors import LinkwrightError  # this module is loaded with the package, and quickly

        raise LinkwrightError(f"nothing draws a '{name}' in this version of linkwright")
    module, function = _FUNCTIONS[name].split(":")
    return getattr(importlib.import_module(module), function)
