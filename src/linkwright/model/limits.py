"""Limits that a state exceeds: positions, cones, velocities and efforts of joints and actuators."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any, Literal

import numpy as np

from linkwright.checks import quote_value
from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.functions import Kernels
from linkwright.functions.stepping import limit_functions
from linkwright.functions.stepping.limit_functions import Bound, Limit, bounds_of, drawn_mechanism, positions_of
from linkwright.mechanism.mechanism import Mechanism
from linkwright.numerics.tolerances import LIMIT_SLACK

Code = Literal["position", "cone", "speed", "effort", "clearance"]
Title = tuple[Code, str, str]


@dataclass(frozen=True)
class LimitViolation:
    """A limit that a state breaks.

    Attributes:
        code: "position", "cone", "speed" or "effort"; of motions "clearance" too.
        subject: the joint or actuator, or two bodies.
        part: the coordinate or velocity of a joint that has several, else "".
        value: what was found, [rad, m, rad/s, m/s, N m, N].
        limit: the bound it breaks; for speed and effort the bound on the magnitude.
        message: text for people.
    """

    code: Code
    subject: str
    part: str
    value: float
    limit: float
    message: str

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, eq=False)
class LimitRows:
    """All limits of a mechanism against a batch of states, one column per limit.

    Attributes:
        limits: per column (code, subject, part), as in `LimitViolation`; the two ends of a range are two columns.
        values: what was found, (..., n); NaN in rows of NaN.
        bounds: the limits, (..., n).
        exceeded: whether the value is beyond the limit, (..., n); False in rows of NaN.
        messages: text for people, per column, with {0} for the value and {1} for the limit.
    """

    limits: tuple[Title, ...]
    values: np.ndarray
    bounds: np.ndarray
    exceeded: np.ndarray
    messages: tuple[str, ...]

    @cached_property
    def any(self) -> np.ndarray:
        """Rows in which some limit is exceeded, (...) of bool."""
        return np.any(self.exceeded, axis=-1)

    def __iter__(self) -> Iterator[tuple[LimitViolation, ...]]:
        return (self[i] for i in range(len(self.values)))

    def __getitem__(self, row: Any) -> tuple[LimitViolation, ...]:
        """The records of one state of the batch."""
        try:
            exceeded = self.exceeded[row]
        except (IndexError, TypeError, ValueError):
            raise ArgumentError(
                f"row is {quote_value(row)}, expected an index into {self.exceeded.shape[:-1]}"
            ) from None
        if exceeded.ndim != 1:
            raise ArgumentError(
                f"row is {quote_value(row)}, expected the index of one state of {self.exceeded.shape[:-1]}"
            )
        x, limit, broken = self.values[row], self.bounds[row], np.flatnonzero(exceeded)
        return tuple(_limit_violation(self.limits[i], self.messages[i], float(x[i]), float(limit[i])) for i in broken)


def limit_rows(
    kernels: Kernels,
    q: np.ndarray,
    v: np.ndarray | None = None,
    tau: np.ndarray | None = None,
    compiled: bool = True,
) -> LimitRows:
    """Every limit of tree joints, cut joints and actuators against states; speeds and efforts where given.

    q is (..., nq), v is (..., nv), tau is (..., na). Without `compiled` the program is interpreted.
    """
    setup = kernels.setup
    drawn = drawn_mechanism(setup)
    speeds, efforts = (bounds_of(drawn, x) for x in ("speed", "effort"))
    positions = positions_of(drawn)
    sides: list[Limit | Bound] = [*positions, *speeds, *efforts]
    wanted = np.array([True] * len(positions) + [v is not None] * len(speeds) + [tau is not None] * len(efforts))
    state = [q, *(np.zeros(n) if x is None else x for x, n in ((v, setup.tree.nv), (tau, len(setup.drives))))]
    if not wanted.any():
        lead = np.broadcast_shapes(*(np.shape(x)[:-1] for x in state))
        nothing = np.zeros((*lead, 0))
        return LimitRows((), nothing, nothing, nothing > 0.0, ())
    found = _limit_evaluator(kernels, compiled)(*state)[..., wanted]
    sides = [side for side, kept in zip(sides, wanted, strict=True) if kept]
    values, bounds = found[..., 0, :], found[..., 1, :]
    signs = np.array([0.0 if isinstance(x, Bound) else -1.0 if x.part is None else x.sign for x in sides])
    inside = np.where(
        signs == 0.0, bounds * (1.0 + LIMIT_SLACK) - np.abs(values), signs * (values - bounds) + LIMIT_SLACK
    )
    titles = tuple(_limit_title(drawn, x) for x in sides)
    messages = tuple(_limit_message(title, x) for title, x in zip(titles, sides, strict=True))
    return LimitRows(titles, values, bounds, inside < 0.0, messages)


def _limit_evaluator(kernels: Kernels, compiled: bool) -> Callable[..., np.ndarray]:
    if compiled:
        return kernels.function(limit_functions.limited_values)
    return lambda *state: evaluate(kernels.program(limit_functions.limited_values), *state)


def _limit_title(mech: Mechanism, side: Limit | Bound) -> Title:
    """Code, subject and part of a limit."""
    if isinstance(side, Bound):
        return side.quantity, side.name, side.part
    parts = next(joint.kind.q_parts for joint in (*mech.joints, *mech.loops) if joint.name == side.joint)
    if side.part is None:
        return "cone", side.joint, ""
    return "position", side.joint, parts[side.part] if len(parts) > 1 else ""


def _limit_message(title: Title, side: Limit | Bound) -> str:
    """Text about a limit, with {0} for the value and {1} for the limit."""
    _, subject, part = title
    unit = f" {side.unit}".rstrip()
    if isinstance(side, Bound):
        verb = "moves at" if side.quantity == "speed" else "has the effort"
        return f"{_escape_braces(side.title)} {verb} {{0:.6g}}{unit}, beyond its {side.quantity} limit {{1:.6g}}{unit}"
    if side.part is None:
        return f"joint '{_escape_braces(subject)}' leans {{0:.6g}} rad out of its cone of {{1:.6g}} rad"
    where = f"joint '{_escape_braces(subject)}'" + (f" ({part})" if part else "")
    return f"{where} is at {{0:.6g}}{unit}, {'below' if side.sign > 0 else 'above'} its limit {{1:.6g}}{unit}"


def _escape_braces(text: str) -> str:
    return text.replace("{", "{{").replace("}", "}}")


def _limit_violation(title: Title, message: str, x: float, limit: float) -> LimitViolation:
    return LimitViolation(*title, x, limit, message.format(x, limit))


def limits_exceeded(
    kernels: Kernels, q: np.ndarray, v: np.ndarray | None = None, tau: np.ndarray | None = None, compiled: bool = True
) -> tuple[LimitViolation, ...]:
    """Every limit that one state exceeds."""
    return limit_rows(kernels, q, v, tau, compiled)[()]


def position_limit_messages(kernels: Kernels) -> list[tuple[float, str]]:
    """Sign and message of every limit of positions: broken where the sign times (value - limit) is below zero."""
    drawn = drawn_mechanism(kernels.setup)
    sides = positions_of(drawn)
    signs = [-1.0 if side.part is None else side.sign for side in sides]
    return [(sign, _limit_message(_limit_title(drawn, side), side)) for sign, side in zip(signs, sides, strict=True)]


def has_effort_limits(kernels: Kernels) -> bool:
    """Return True if some effort is limited."""
    return bool(bounds_of(kernels.here.mech, "effort"))


def efforts_exceeded(kernels: Kernels, tau: np.ndarray) -> list[tuple[int, LimitViolation]]:
    """Rows of efforts (n, na) in which an effort leaves its limit, with what it breaks, in the order of the rows."""
    found = []
    for bound in bounds_of(kernels.here.mech, "effort"):
        if bound.drive in kernels.setup.drives:
            values = tau[:, kernels.setup.drives.index(bound.drive)]
            outside = np.abs(values) > bound.bound * (1.0 + LIMIT_SLACK)
            for k in np.flatnonzero(outside & ~np.r_[False, outside[:-1]]):
                title: Title = (bound.quantity, bound.name, bound.part)
                record = _limit_violation(title, _limit_message(title, bound), float(values[k]), bound.bound)
                found.append((int(k), record))
    return sorted(found, key=lambda pair: pair[0])


def worst_exceeded(rows: LimitRows) -> tuple[tuple[int, int, LimitViolation], ...]:
    """Per limit that some row of a motion breaks: in how many rows, in which first, and the worst of them."""
    n = len(rows.limits)
    if not n:
        return ()
    values, bounds, exceeded = (x.reshape(-1, n) for x in (rows.values, rows.bounds, rows.exceeded))
    broken = [(int(np.argmax(exceeded[:, i])), i) for i in range(n) if exceeded[:, i].any()]
    out = []
    for first, i in sorted(broken):
        beyond = np.where(exceeded[:, i], np.abs(values[:, i] - bounds[:, i]), -1.0)
        k = int(np.argmax(beyond))
        worst = _limit_violation(rows.limits[i], rows.messages[i], float(values[k, i]), float(bounds[k, i]))
        out.append((int(np.sum(exceeded[:, i])), first, worst))
    return tuple(out)
