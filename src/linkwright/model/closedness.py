"""Whether the coordinates a caller gives close the loops; asked only when told to, not in the fast path."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.model import arguments
from linkwright.solve.branches import told_elsewhere

if TYPE_CHECKING:
    from linkwright.model.model import Model

# Relative to the mechanism's size: coordinates as `assemble` gives them are closed to 1e-12; those printed with ten
# digits still pass.
TOLERANCE = 1e-9


def checking(method: Callable[..., Any]) -> Callable[..., Any]:
    """The method with `check`: when true, coordinates q that leave a loop open are refused."""

    @functools.wraps(method)
    def asked(self: Model, q: Any, *more: Any, check: bool = False, **named: Any) -> Any:
        if check:
            require_closed(self, q)
        return method(self, q, *more, **named)

    given = inspect.signature(method)
    told = inspect.Parameter("check", inspect.Parameter.KEYWORD_ONLY, default=False, annotation=bool)
    asked.__signature__ = given.replace(parameters=[*given.parameters.values(), told])  # type: ignore[attr-defined]
    return asked


def require_closed(model: Model, q: Any) -> None:
    """Refuse coordinates (..., nq) that leave a loop open; warn where they close in another way than at home.

    A residual that is a length is measured in units of the mechanism's characteristic length, an angle as it is.
    """
    rows = arguments.batch("q", q, model.nq).reshape(-1, model.nq)
    gaps = np.abs(model.closure_residual(rows))
    if not gaps.size:
        return
    machine = model._engine.machine
    relative = gaps / machine.scales.rows
    if np.nanmax(relative) > TOLERANCE:
        state, row = np.unravel_index(int(np.nanargmax(relative)), gaps.shape)
        where = f" (row {state})" if len(rows) > 1 else ""
        unit = f" m, {relative[state, row]:.2g} of its size" if machine.setup.closure.lengths[row] else ""
        raise ArgumentError(
            f"q{where} leaves loop '{machine.loop_of_row(int(row))}' of '{model.mechanism.name}' open by "
            f"{gaps[state, row]:.2g}{unit}, more than {TOLERANCE:g}; close it with model.assemble(guess=q).q",
            gap=float(gaps[state, row]),
        )
    for each in rows[np.isfinite(rows).all(axis=1)]:
        told_elsewhere(machine, each)
