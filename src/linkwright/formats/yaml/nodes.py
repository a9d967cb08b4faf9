"""Nodes of a YAML document with their lines, limits on them, and the rules for unquoted scalars."""

from __future__ import annotations

import re
from typing import Any

from linkwright.dataclass import dataclass

LARGEST = 256 * 1024  # characters; about two thousand bodies
DEEPEST = 24
MOST_VALUES = 40_000  # as written, and again after aliases are unfolded

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_CONSTANTS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), float("inf")),
    "-.inf": float("-inf"),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_LONGEST_INT = 18


class NotRead(Exception):
    """Something that is not read: the arguments of `refuse_one` after the file."""


@dataclass
class Node:
    """A value as it is written.

    Attributes:
        value: a scalar, or a list of nodes; of a map, keys and values in turn.
        line: its line, from 1.
        kind: 'scalar', 'list' or 'map'.
        closed: whether all of it has been read.
    """

    value: Any
    line: int
    kind: str
    closed: bool = True


def value_of_plain_scalar(text: str) -> bool | int | float | str | None:
    """The value of an unquoted scalar by the core rules of YAML 1.2: `yes` is text, `1e-3` is a number.

    >>> tuple(value_of_plain_scalar(text) for text in ("12", "1e-3", "yes", "true", ""))
    (12, 0.001, 'yes', True, None)
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.fullmatch(text):
        return int(text) if len(text) <= _LONGEST_INT else float(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text
