"""One chunk of a sweep: a function at some consecutive points, and the points at which it fails."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightWarning, withheld_warnings
from linkwright.sweeps.points import Points

Array = np.ndarray
Function = Callable[[dict[str, Any]], Mapping[str, Any]]
REASON = "reason"
_LONGEST = 500  # characters of a reason


@dataclass(frozen=True, eq=False)
class Task:
    """A function over points: `vectorized` takes arrays (n,) per name, else numbers, point by point."""

    function: Function
    points: Points
    vectorized: bool = True

    def chunk(self, start: int, stop: int) -> Chunk:
        """The results at points `start` to `stop`; where the function fails for all, each point is tried alone."""
        rows = self.points.rows(start, stop)
        if self.vectorized:
            try:
                return _chunk_from_results(self.function(rows), stop - start, start)
            except ArgumentShapeError:
                raise
            except Exception:
                pass
        return _join_points(
            [self._alone({name: x[i : i + 1] for name, x in rows.items()}, start + i) for i in range(stop - start)],
            start,
        )

    def chunk_with_warnings(self, start: int, stop: int) -> Chunk:
        """The same in a process whose warnings nobody reads: the chunk takes them along."""
        with withheld_warnings(LinkwrightWarning) as given:
            found = self.chunk(start, stop)
        return replace(found, warnings=tuple({str(each): each for each in given}.values()))

    def _alone(self, row: dict[str, Array], index: int) -> Chunk:
        try:
            if self.vectorized:
                return _chunk_from_results(self.function(row), 1, index)
            found = self.function({name: float(x[0]) for name, x in row.items()})
            return _chunk_from_results(_as_rows(found), 1, index)
        except ArgumentShapeError:
            raise
        except Exception as error:
            reason = f"{type(error).__name__}: {error}"[:_LONGEST]
            return Chunk(index, 1, {}, {index: reason}, isinstance(error, _MISTAKES))


@dataclass(frozen=True, eq=False)
class Chunk:
    """Results of `count` points from number `start` on.

    Attributes:
        values: arrays (count, ...) by name, NaN where the function failed; empty where it failed at every point.
        failures: reasons by the point's number.
        mistaken: whether a failure looks like a mistake in the function (a name, a type), not like a bad design.
        points: the points themselves, (count,) by name, once the chunk is kept.
        warnings: one of each text that the function gave in another process, where nobody reads them.
    """

    start: int
    count: int
    values: dict[str, Array]
    failures: dict[int, str] = field(default_factory=dict)
    mistaken: bool = False
    points: dict[str, Array] = field(default_factory=dict)
    warnings: tuple[LinkwrightWarning, ...] = ()

    def fill_columns(self, shapes: Mapping[str, tuple[int, ...]]) -> dict[str, Array]:
        """The values in a given order, NaN where all points failed."""
        return {
            name: self.values[name] if self.values else np.full((self.count, *shape), np.nan)
            for name, shape in shapes.items()
        }


class ArgumentShapeError(ArgumentError):
    """Results that no table can hold, whatever the point."""


_MISTAKES = (NameError, AttributeError, ImportError, TypeError, KeyError, AssertionError)


def _as_rows(found: Any) -> Any:
    if not isinstance(found, Mapping):
        return found
    return {name: [x] if name == REASON else np.asarray(x, dtype=float)[None] for name, x in found.items()}


def _chunk_from_results(found: Any, count: int, start: int) -> Chunk:
    if not isinstance(found, Mapping):
        raise ArgumentShapeError(
            f"the function returned {type(found).__name__}, expected a mapping of names to results, such as "
            '{"mass": mass}'
        )
    reasons = found.get(REASON)
    failures = {} if reasons is None else {start + i: str(x)[:_LONGEST] for i, x in enumerate(reasons) if str(x)}
    values = {str(name): _result_column(str(name), x, count) for name, x in found.items() if name != REASON}
    if not values:
        raise ArgumentShapeError("the function returned no results; return at least one name with numbers")
    return Chunk(start, count, values, failures)


def _result_column(name: str, given: Any, count: int) -> Array:
    try:
        x = np.array(given, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentShapeError(f"the result '{name}' is not made of numbers: {given!r}"[:300], name=name) from None
    if x.ndim == 0 or len(x) != count:
        raise ArgumentShapeError(
            f"the result '{name}' has shape {x.shape} for {count} points, expected ({count}, ...); a function of "
            "single points wants vectorized=False",
            name=name,
        )
    return x


def _join_points(parts: list[Chunk], start: int) -> Chunk:
    """Chunks of one point each as one; results must have one set of names and shapes."""
    shapes = shapes_of(parts)
    values = {name: np.concatenate([part.fill_columns(shapes)[name] for part in parts]) for name in shapes}
    failures = {i: reason for part in parts for i, reason in part.failures.items()}
    return Chunk(start, len(parts), values, failures, any(part.mistaken for part in parts))


def shapes_of(parts: list[Chunk]) -> dict[str, tuple[int, ...]]:
    """Names and shapes (without the leading axis) of results that all chunks share."""
    found: dict[str, tuple[int, ...]] = {}
    for part in parts:
        shapes = {name: x.shape[1:] for name, x in part.values.items()}
        if found and shapes and shapes != found:
            raise ArgumentShapeError(
                f"the results have the shapes {found} at some points and {shapes} at point {part.start}; return the "
                "same names and shapes at every point"
            )
        found = found or shapes
    return found
