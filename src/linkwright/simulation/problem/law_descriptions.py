"""Effort laws as short text for people: what they are made of, long arrays by their size and range."""

from __future__ import annotations

from dataclasses import fields, is_dataclass
from typing import Any

import numpy as np

from linkwright.dataclass import exact_text
from linkwright.model import Model

_SHORT = 8  # numbers that are written out
_LONGEST = 400  # characters


def describe_value(thing: Any) -> str:
    """A law, a reference or a number as text.

    >>> describe_value(np.array([1.0, 2.5])), describe_value(np.linspace(0.0, 2.0, 401))
    ('[1, 2.5]', '401 numbers from 0 to 2')
    """
    if isinstance(thing, Model):
        return f"'{thing.mechanism.name}'"
    if isinstance(thing, np.ndarray):
        return _array_text(thing)
    if isinstance(thing, list | tuple):
        return f"[{', '.join(map(describe_value, thing))}]" if len(thing) <= _SHORT else f"{len(thing)} values"
    if isinstance(thing, float):
        return f"{thing:.6g}"
    if is_dataclass(thing) and not isinstance(thing, type):
        parts = (f"{f.name}={describe_value(getattr(thing, f.name))}" for f in fields(thing) if f.init and f.repr)
        return f"{type(thing).__name__}({', '.join(parts)})"
    text = exact_text(thing)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]} ..."


def _array_text(x: np.ndarray) -> str:
    if x.dtype.kind not in "fiu":
        return f"array of {x.shape}"
    if x.size <= _SHORT:
        return f"[{', '.join(f'{each:.6g}' for each in x.ravel().tolist())}]"
    size = " x ".join(map(str, x.shape))
    return f"{size} numbers from {np.min(x):.6g} to {np.max(x):.6g}"
