"""Inertia tensors as files write them: few digits may leave a moment below zero or above the sum of the others."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

import numpy as np

from linkwright.formats.xml import Findings

LARGEST_SHARE = 0.05  # of the largest moment that is taken for rounding: half a unit of two digits is 0.045
_ROUNDED = 1e-6  # kg m^2; what files of few digits leave below zero beside much larger moments


def half_unit_of_digits(texts: Iterable[str]) -> float:
    """Half a unit of the last digit of numbers as they are written, of the coarsest; an exact zero has none.

    >>> half_unit_of_digits(["0.0012", "0", "3e-05"])
    5e-05
    """
    found = 0.0
    for text in texts:
        try:
            number = Decimal(text.strip())
        except InvalidOperation:
            continue
        exponent = number.as_tuple().exponent
        if number and isinstance(exponent, int):
            found = max(found, 0.5 * 10.0**exponent)
    return found


def possible_tensor(
    tensor: Any,
    texts: Iterable[str],
    owner: str,
    found: Findings,
    line: int = 0,
    write: Callable[[Any], str] | None = None,
) -> Any:
    """The inertia tensor with principal moments a <= b <= c of a body: 0 <= a and c <= a + b.

    What lacks by no more than the digits of the file is made up, with a warning. A moment further below zero, as some
    robots have it, is taken as zero with an error note; one far below is left and refused. A largest moment further
    above the others' sum is left as it is written: equations can use it, and the mechanism is doubted for it. `line`
    is that of the moments in the file, `write` gives the text of a tensor there.
    """
    if not all(math.isfinite(x) for x in tensor.ravel()):
        return tensor
    moments, axes = np.linalg.eigh(tensor)
    (a, b, c), share = map(float, moments), LARGEST_SHARE * float(moments[2])
    digits = min(3.0 * half_unit_of_digits(texts), share)  # a row of three entries moves a moment by so much
    if a < 0.0 and a >= -max(0.5 * c, _ROUNDED):
        rounded = a >= -max(digits, 1e-3 * c, _ROUNDED)
        text = f"{owner}: its smallest principal moment {a:.3g} kg m^2 is negative, taken as zero"
        negative, a, b = a, 0.0, max(b, 0.0)
        tensor = (axes * (a, b, max(c, 0.0))) @ axes.T
        fix = "correct the file" if write is None else f"correct it; the nearest is {write(possible_part(tensor))}"
        found.note(text, "warning" if rounded else "error", "repaired-inertia", owner, negative, fix, line)
    gap = c - a - b
    if 1e-6 * c < gap <= 3.0 * digits and max(a, b) > digits:
        text = f"{owner}: its largest principal moment {c:.6g} kg m^2 exceeds the sum of the others by {gap:.2g}"
        fix = "moments are changed by a third of that, within the digits of the file; write more digits"
        third = gap / 3.0
        tensor = (axes * (a + third, b + third, c - third)) @ axes.T
        fix += "" if write is None else f", as {write(possible_part(tensor))}"
        found.note(text, "warning", "repaired-inertia", owner, gap, fix, line)
    return tensor


def possible_part(tensor: Any) -> Any:
    """The tensor of a body nearest to a symmetric one, by its second moments of mass, none of which is negative.

    >>> possible_part(np.diag([1.0, 1.0, 4.0])).diagonal().round(5).tolist()
    [2.0, 2.0, 4.0]
    """
    spread = 0.5 * np.trace(tensor) * np.eye(3) - tensor
    moments, axes = np.linalg.eigh(spread)
    kept = (
        (axes * (np.maximum(moments, 0.0) + 1e-7 * np.abs(moments).max(initial=0.0))) @ axes.T
        if moments[0] < 0.0
        else spread
    )
    return np.trace(kept) * np.eye(3) - kept
