"""One chunk of a sweep: a function at some consecutive points, what identifies it, and the points at which it fails."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass, exact_text
from linkwright.errors import ArgumentError, LinkwrightWarning, withheld_warnings
from linkwright.sweeps.points import Points

# --- what identifies a function, so that chunks of another one are not taken for its own ------------------------------

_DEEPEST = 4  # functions that call functions


def function_identity(function: Any) -> tuple[str, str]:
    """Name of a function, and a digest of its code, of what it is bound to, and of the globals it uses.

    Numbers, texts and arrays count by their values, functions by their code, models by their mechanism, other objects
    by their `description` where they have one and else by their type.
    """
    inner = function
    while isinstance(inner, partial):
        inner = inner.func
    owner = inner if inspect.isroutine(inner) else type(inner)
    name = f"{getattr(owner, '__module__', '')}.{getattr(owner, '__qualname__', type(owner).__name__)}"
    digest = hashlib.blake2b(digest_size=16)
    for part in _identity_parts(function, 0):
        digest.update(len(part).to_bytes(8, "little") + part)
    return name, digest.hexdigest()


def _identity_parts(x: Any, depth: int) -> Iterator[bytes]:
    if depth > _DEEPEST:
        return
    if isinstance(x, partial):
        yield from _identity_parts((x.func, x.args, sorted(x.keywords.items())), depth)
    elif isinstance(x, np.ndarray | np.generic):
        yield repr((x.dtype.str, x.shape)).encode() + (x.tobytes() if x.dtype != object else b"")
    elif isinstance(x, bool | int | float | complex | str | bytes | type(None)):
        yield repr(x).encode()
    elif isinstance(x, list | tuple):
        yield f"{len(x)} items".encode()
        for item in x:
            yield from _identity_parts(item, depth)
    elif isinstance(x, dict):
        yield from _identity_parts(sorted(x.items(), key=lambda item: exact_text(item[0])), depth)
    elif isinstance(x, FunctionType):
        yield from _function_parts(x, depth)
    elif inspect.ismethod(x):
        yield from _identity_parts((x.__func__, x.__self__), depth)
    elif isinstance(x, ModuleType | type) or inspect.isroutine(x):
        yield getattr(x, "__qualname__", x.__name__).encode()
    else:
        yield type(x).__qualname__.encode()
        stated = getattr(x, "description", None) or getattr(x, "mechanism", None)
        yield b"" if stated is None else exact_text(stated).encode()


def _function_parts(function: FunctionType, depth: int) -> Iterator[bytes]:
    yield from _code_parts(function.__code__)
    yield from _identity_parts((function.__defaults__, function.__kwdefaults__), depth + 1)
    for cell in function.__closure__ or ():
        yield from _identity_parts(cell.cell_contents if _is_cell_filled(cell) else None, depth + 1)
    for name in sorted(_names_in_code(function.__code__)):
        if name in function.__globals__:
            yield name.encode()
            yield from _identity_parts(function.__globals__[name], depth + 1)


def _code_parts(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr((code.co_names, code.co_varnames)).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _code_parts(constant)
        else:
            yield repr(constant).encode()


def _names_in_code(code: CodeType) -> set[str]:
    inner = [_names_in_code(each) for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*inner)


def _is_cell_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False


# --- one chunk of a sweep ---------------------------------------------------------------------------------------------

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
