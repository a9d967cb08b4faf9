"""Names that every file format and MATLAB accept, one for each series; the file's header keeps the true names."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LONGEST = 31  # what the oldest of the formats takes
_TAKEN = (
    "t time header digest break case catch classdef continue else elseif end for function global if otherwise "
    "parfor persistent return spmd switch try while ans pi inf nan eps i j"
)


def make_identifiers(names: Iterable[str]) -> list[str]:
    """Letters, digits and underscores, a letter first, no two alike even if case is ignored.

    >>> make_identifiers(["theta1", "effort(leg1)", "effort[leg1]", "2nd"])
    ['theta1', 'effort_leg1', 'effort_leg1_2', 'x_2nd']
    """
    taken = set(_TAKEN.split())
    out = []
    for name in names:
        found = _free_identifier(_legal_identifier(name), taken)
        taken.add(found.lower())
        out.append(found)
    return out


def _legal_identifier(name: str) -> str:
    clean = re.sub(r"[^0-9A-Za-z]+", "_", name).strip("_")
    return (clean if clean[:1].isalpha() else f"x_{clean}")[:_LONGEST]


def _free_identifier(name: str, taken: set[str]) -> str:
    number, found = 1, name
    while found.lower() in taken:
        number += 1
        ending = f"_{number}"
        found = name[: _LONGEST - len(ending)] + ending
    return found
