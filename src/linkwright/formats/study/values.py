"""Field types of a study: quantities with units, one or many, by place or by name."""

from __future__ import annotations

import math
from typing import Annotated, Any

from pydantic import BeforeValidator

from linkwright.formats.units import UnitError, measured, shown


def one(unit: str, above_zero: bool = False) -> Any:
    """A field type for one finite quantity."""
    return Annotated[float, BeforeValidator(lambda written: _number(written, unit, above_zero))]


def many(unit: str) -> Any:
    """A field type for one quantity for all, or a list with one for each."""

    def check(written: Any) -> float | tuple[float, ...]:
        if isinstance(written, list | tuple):
            return tuple(_number(item, unit) for item in written)
        return _number(written, unit)

    return Annotated[float | tuple[float, ...], BeforeValidator(check)]


def rows(unit: str) -> Any:
    """A field type for a table: a list of quantities, or of lists of equal length."""

    def check(written: Any) -> tuple[tuple[float, ...], ...]:
        if not isinstance(written, list | tuple) or not written:
            raise UnitError(f"{shown(written)} is no table; write a list with one row for each time")
        found = [tuple(_number(x, unit) for x in (r if isinstance(r, list | tuple) else [r])) for r in written]
        if len({len(each) for each in found}) != 1:
            raise UnitError("the rows of this table have different lengths; give every row as many numbers")
        return tuple(found)

    return Annotated[tuple[tuple[float, ...], ...], BeforeValidator(check)]


def named(unit: str) -> Any:
    """A field type for quantities by name, or a list of all of them."""

    def check(written: Any) -> dict[str, float] | tuple[float, ...]:
        if isinstance(written, dict):
            return {str(name): _number(x, unit) for name, x in written.items()}
        if isinstance(written, list | tuple):
            return tuple(_number(x, unit) for x in written)
        raise UnitError(f"{shown(written)} is neither a block of 'name: value' nor a list of all values")

    return Annotated[dict[str, float] | tuple[float, ...], BeforeValidator(check)]


def _number(written: Any, unit: str, above_zero: bool = False) -> float:
    value = measured(written, *unit.split("|"))
    if not math.isfinite(value):
        raise UnitError(f"{shown(written)} is not a finite number; write a plain number")
    if above_zero and value <= 0.0:
        raise UnitError(f"{shown(written)} must be above zero")
    return value
