"""Checks of the arguments of public functions, used at their entry points.

Each takes the argument's name and what was given, and returns it in the form that is needed, or raises an
`ArgumentError` that names the argument, what was found and what was expected.
"""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import lru_cache
from pathlib import Path
from traceback import walk_tb
from typing import Any, NoReturn, TypeVar

import numpy as np

from linkwright.errors import ArgumentError

T = TypeVar("T")


def quote_value(value: Any) -> str:
    """What was given, in at most 80 characters; an object that cannot show itself is named by its type.

    >>> quote_value([0.0] * 100)[:20], len(quote_value("x" * 1000))
    ('[0.0, 0.0, 0.0, 0.0,', 80)
    """
    try:
        text = " ".join(repr(value).split("\n"))
    except Exception:  # the object is not ours
        text = f"a {type(value).__name__}"
    return text if len(text) <= 80 else f"{text[:77]}..."


def refuse_argument(title: str, value: Any, expected: str) -> NoReturn:
    """Raise the error about an argument."""
    raise ArgumentError(f"{title} is {quote_value(value)}, expected {expected}")


def require_instance(title: str, value: Any, kind: type[T] | tuple[type, ...], expected: str) -> T:
    """An object of a class."""
    if not isinstance(value, kind):
        refuse_argument(title, value, expected)
    return value  # type: ignore[return-value]


def require_attributes(title: str, value: Any, names: Iterable[str], expected: str) -> Any:
    """An object with the named attributes, such as a law with `na` and `tau`."""
    if isinstance(value, type) or not all(hasattr(value, name) for name in names):
        refuse_argument(title, value, expected)
    return value


def require_callable(title: str, value: Any, expected: str) -> Callable[..., Any]:
    """Something that can be called."""
    if not callable(value):
        refuse_argument(title, value, expected)
    return value


def raised_by_caller(error: BaseException) -> bool:
    """Return True if an error came out of the caller's code, not of a call or a conversion of its result here."""
    frames = (frame for frame, _ in walk_tb(error.__traceback__))
    return any(not frame.f_globals.get("__name__", "").startswith("linkwright.") for frame in frames)


def result_of(title: str, function: Callable[..., Any], *given: Any) -> Any:
    """What a function of the caller returns; one that cannot be called so is refused, its own errors pass."""
    try:
        return function(*given)
    except (TypeError, ValueError) as error:
        if raised_by_caller(error):
            raise
        raise ArgumentError(f"{title} cannot be called as it is needed ({error})", name=title) from None


def require_text(title: str, value: Any, expected: str = "a name as text") -> str:
    """A text."""
    if not isinstance(value, str):
        refuse_argument(title, value, expected)
    return value


def require_texts(title: str, value: Any, such: str = "['theta1', 'theta2']") -> tuple[str, ...]:
    """A tuple of names from a list of texts; `such` would do, for the message."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(x, str) for x in value):
        refuse_argument(title, value, f"a list of names such as {such}")
    return tuple(value)


def require_choice(title: str, value: Any, known: Iterable[str]) -> str:
    """One of some texts."""
    known = tuple(known)
    if not isinstance(value, str) or value not in known:
        refuse_argument(title, value, f"one of {', '.join(map(repr, known))}")
    return value


def require_option_flag(title: str, value: Any) -> bool:
    """True or False; quick for False, the default of many options."""
    return value is not False and require_flag(title, value)


def require_flag(title: str, value: Any) -> bool:
    """True or False."""
    if not isinstance(value, bool | np.bool_):
        refuse_argument(title, value, "True or False")
    return bool(value)


def require_integer(title: str, value: Any, least: int = 1, most: int | None = None) -> int:
    """A whole number between bounds.

    >>> require_integer("states", 3)
    3
    """
    inside = isinstance(value, int | np.integer) and not isinstance(value, bool)
    if not inside or value < least or (most is not None and value > most):
        bounds = f"of at least {least}" if most is None else f"from {least} to {most}"
        refuse_argument(title, value, f"a whole number {bounds}")
    return int(value)


def require_seed(title: str, value: Any) -> int:
    """A seed of random numbers."""
    return require_integer(title, value, 0, 2**64 - 1)


def require_in_range(title: str, value: Any, low: float, high: float, ends: str = "[]") -> float:
    """A number between bounds; a round bracket of `ends` leaves its end out.

    >>> require_in_range("confidence", 0.95, 0.0, 1.0, "()")
    0.95
    """
    expected = f"a number from {'above ' * (ends[0] == '(')}{low:g} to {'below ' * (ends[1] == ')')}{high:g}"
    found = require_number(title, value, expected)
    if not low <= found <= high or (found == low and ends[0] == "(") or (found == high and ends[1] == ")"):
        refuse_argument(title, value, expected)
    return found


def require_number(title: str, value: Any, expected: str = "a finite number") -> float:
    """A finite number."""
    found = as_float(value)
    if found is None or not math.isfinite(found):
        refuse_argument(title, value, expected)
    return found


def require_positive(title: str, value: Any, expected: str = "a number above zero") -> float:
    """A finite number above zero."""
    found = require_number(title, value, expected)
    if found <= 0.0:
        refuse_argument(title, value, expected)
    return found


def as_float(value: Any) -> float | None:
    """The float of a real number, or of an array that holds one; None where it is something else."""
    if isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind in "fiu":
        return float(value)
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        return None
    try:
        return float(value)
    except OverflowError:
        return None


def require_mapping(title: str, value: Any, expected: str) -> Mapping[Any, Any]:
    """A dictionary."""
    return require_instance(title, value, Mapping, expected)


def require_instances(title: str, value: Any, kind: type[T] | tuple[type, ...], expected: str) -> tuple[T, ...]:
    """A tuple of objects of a class, from a list of them."""
    if isinstance(value, str) or not isinstance(value, Sequence) or not all(isinstance(x, kind) for x in value):
        refuse_argument(title, value, expected)
    return tuple(value)


def require_path(title: str, value: Any) -> Path:
    """The name of a file."""
    if not isinstance(value, str | os.PathLike):
        refuse_argument(title, value, "the name of a file")
    try:
        return Path(value)
    except TypeError:  # a path-like object whose path is in bytes
        refuse_argument(title, value, "the name of a file as text")


def require_real_array(title: str, value: Any) -> np.ndarray:
    """An array of real numbers, of its own dtype; masks would be lost: refused."""
    if isinstance(value, str):
        refuse_argument(title, value, "numbers")
    if is_masked(value):
        raise ArgumentError(f"{title} is a masked array, and its mask would be ignored; pass x.filled(np.nan)")
    if type(value) is not np.ndarray and hasattr(value, "iloc"):
        _require_no_units(title, value)
    try:
        array = np.asarray(value)
    except (ValueError, TypeError, OverflowError, RecursionError) as error:
        raise ArgumentError(f"{title} is not an array of numbers: {error}") from None
    if array.dtype.kind not in "fiu":
        raise ArgumentError(f"{title} has dtype {array.dtype}, expected real numbers")
    return array


def _require_no_units(title: str, frame: Any) -> None:
    """Refuse a data frame, or a column of one, whose titles name units: an array would lose them."""
    titles = [str(x) for x in (*getattr(frame, "columns", ()), getattr(frame, "name", ""))]
    named = [x for x in titles if x.rstrip().endswith("]")]
    if named:
        raise ArgumentError(
            f"{title} has the column '{named[0]}', whose unit would be ignored; convert it to SI and pass x.to_numpy()",
            name=title,
        )


def is_masked(x: Any) -> bool:
    """Return True for a masked array; where nothing has imported those yet there are none."""
    masked = sys.modules.get("numpy.ma")
    return masked is not None and isinstance(x, masked.MaskedArray)


def all_finite(numbers: np.ndarray) -> bool:
    """Return True if a vector has finite numbers only; mostly decided by one sum, in a tenth of the time."""
    return math.isfinite(numbers.dot(_finite_sum_factors(numbers.size))) or bool(np.isfinite(numbers).all())


@lru_cache(maxsize=1024)
def _finite_sum_factors(n: int) -> np.ndarray:
    """Factors with which sums of the largest numbers are finite."""
    return np.full(n, 1e-160)


def require_finite_array(title: str, value: Any) -> np.ndarray:
    """A new float64 array without NaN and infinity."""
    found = np.array(require_real_array(title, value), dtype=np.float64)
    if not np.isfinite(found).all():
        raise ArgumentError(f"{title} holds {found[~np.isfinite(found)][0]}, expected finite numbers")
    return found


def require_array_shape(title: str, value: Any, shape: tuple[int | None, ...], nan: bool = False) -> np.ndarray:
    """A float64 array of a shape, in which None stands for any size; of finite numbers unless NaN is allowed.

    >>> require_array_shape("q", [[1, 2]], (None, 2)).shape
    (1, 2)
    """
    array = require_real_array(title, value).astype(np.float64, copy=False)
    if array.ndim != len(shape) or any(n not in (None, m) for n, m in zip(shape, array.shape, strict=True)):
        sizes = ", ".join("n" if n is None else str(n) for n in shape)
        raise ArgumentError(f"{title} has shape {array.shape}, expected ({sizes}{',' * (len(shape) == 1)})")
    return array if nan else require_finite_array(title, array)


def require_vector(title: str, value: Any, size: int) -> np.ndarray:
    """One finite vector of the given size, float64."""
    array = require_real_array(title, value).astype(np.float64, copy=False)
    if array.shape != (size,):
        raise ArgumentError(f"{title} has shape {array.shape}, expected ({size},)")
    if not all_finite(array):
        raise ArgumentError(f"{title} holds {array[~np.isfinite(array)][0]}, expected finite numbers")
    return array
