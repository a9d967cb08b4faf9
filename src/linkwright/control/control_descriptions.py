"""Laws and references from plain data, as a study file describes them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from linkwright.control.feedback import PD, ComputedTorque, FeedforwardFeedback, PDGravity, feedforward
from linkwright.control.laws import Constant, Law, Sines, Table
from linkwright.control.references import Cycloidal, Quintic, Reference, Steady, Trapezoid
from linkwright.control.splines import Spline
from linkwright.errors import ArgumentError
from linkwright.model import Model

Values = dict[str, Any]


def _make_move(kind: Callable[..., Reference]) -> Callable[[Values, int], Reference]:
    """A maker of references whose ends may be given as one number for all."""

    def make(values: Values, size: int) -> Reference:
        ends = {name: _repeat_number(values[name], size) for name in ("start", "end", "rate") if name in values}
        return kind(**values | ends)

    return make


REFERENCES: dict[str, Callable[[Values, int], Reference]] = {
    "cycloidal": _make_move(Cycloidal),
    "quintic": _make_move(Quintic),
    "trapezoid": _make_move(Trapezoid),
    "steady": _make_move(Steady),
    "spline": lambda values, size: Spline(**values),
}
"""By the names of study files: from values and the size to the reference."""


def _make_feedback(kind: Callable[..., Law]) -> Callable[..., Law]:
    def make(model: Model, values: Values, times: tuple[float, float], near: Any) -> Law:
        reference = reference_from_description(values.pop("reference"), model.na)
        return kind(model, reference, **values)

    return make


def _make_feedforward(model: Model, values: Values, times: tuple[float, float], near: Any) -> Law:
    samples = np.linspace(*times, values.pop("samples", 201))
    pd = PD(model, reference_from_description(values.pop("reference"), model.na), **values)
    return FeedforwardFeedback(feedforward(model, pd.reference, samples, near), pd)


def _repeat_number(given: Any, size: int) -> Any:
    return np.full(size, given) if np.ndim(given) == 0 else given


LAWS: dict[str, Callable[[Model, Values, tuple[float, float], Any], Law]] = {
    "constant": lambda model, values, times, near: Constant(_repeat_number(values["efforts"], model.na)),
    "sines": lambda model, values, times, near: Sines(
        **values | {"amplitude": _repeat_number(values["amplitude"], model.na)}
    ),
    "table": lambda model, values, times, near: Table(**values),
    "pd": _make_feedback(PD),
    "pd-gravity": _make_feedback(PDGravity),
    "computed-torque": _make_feedback(ComputedTorque),
    "feedforward-feedback": _make_feedforward,
}
"""By the names of study files: from the model, values, times and coordinates at the start to the law."""


def reference_from_description(description: Mapping[str, Any], size: int) -> Reference:
    """The reference of `size` numbers that is described by `move` and its values.

    >>> reference_from_description({"move": "steady", "start": 1.0, "rate": 2.0}, 2).at(1.0)[0].tolist()
    [3.0, 3.0]
    """
    make, values = _find_maker("move", description, REFERENCES)
    return make(values, size)


def law_from_description(model: Model, description: Mapping[str, Any], times: tuple[float, float], near: Any) -> Law:
    """The law that is described by its name, `law`, and its values.

    Args:
        model: the model.
        description: for example {"law": "pd", "reference": {...}, "stiffness": 30.0, "damping": 2.0}.
        times: when the run begins and ends, [s], for feedforward tables.
        near: coordinates the run begins with, (nq,).
    """
    make, values = _find_maker("law", description, LAWS)
    return make(model, values, times, near)


def _find_maker(key: str, description: Mapping[str, Any], known: Mapping[str, Any]) -> tuple[Any, Values]:
    """The maker that a description names, and its values."""
    name: Any = description.get(key)
    if not isinstance(name, str) or name not in known:
        raise ArgumentError(f"the {key} is {name!r}, expected one of {', '.join(known)}")
    return known[name], {each: value for each, value in description.items() if each != key}
