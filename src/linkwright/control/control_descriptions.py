"""Laws and references from plain data, as a study file describes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwright.control.feedback import PD, ComputedTorque, FeedforwardFeedback, PDGravity, feedforward
from linkwright.control.laws import Constant, Law, Sines, Table
from linkwright.control.references import Cycloidal, Quintic, Reference, Steady, Trapezoid
from linkwright.control.splines import Spline
from linkwright.errors import ArgumentError
from linkwright.model import Model

_MOVES: dict[str, Any] = {"cycloidal": Cycloidal, "quintic": Quintic, "trapezoid": Trapezoid, "steady": Steady}
_FEEDBACK: dict[str, Any] = {"pd": PD, "pd-gravity": PDGravity, "computed-torque": ComputedTorque}


def reference_from_description(description: Mapping[str, Any], size: int) -> Reference:
    """The reference of `size` numbers that is described by `move` and its values.

    >>> reference_from_description({"move": "steady", "start": 1.0, "rate": 2.0}, 2).at(1.0)[0].tolist()
    [3.0, 3.0]
    """
    values = {name: value for name, value in description.items() if name != "move"}
    if description.get("move") == "spline":
        return Spline(**values)
    if description.get("move") not in _MOVES:
        raise ArgumentError(
            f"the move is {description.get('move')!r}, expected one of {', '.join((*_MOVES, 'spline'))}"
        )
    for name in ("start", "end", "rate"):
        if name in values and np.ndim(values[name]) == 0:
            values[name] = np.full(size, values[name])
    return _MOVES[description["move"]](**values)


def law_from_description(model: Model, description: Mapping[str, Any], times: tuple[float, float], near: Any) -> Law:
    """The law that is described by `law_from_description` and its values.

    Args:
        model: the model.
        description: for example {"law": "pd", "reference": {...}, "stiffness": 30.0, "damping": 2.0}.
        times: when the run begins and ends, [s], for feedforward tables.
        near: coordinates the run begins with, (nq,).
    """
    values = {name: value for name, value in description.items() if name not in ("law", "reference", "samples")}
    match description.get("law"):
        case "constant":
            return Constant(_repeat_number(values["efforts"], model.na))
        case "sines":
            return Sines(**{**values, "amplitude": _repeat_number(values["amplitude"], model.na)})
        case "table":
            return Table(**values)
        case "feedforward-feedback":
            pd = PD(model, reference_from_description(description["reference"], model.na), **values)
            samples = np.linspace(*times, description.get("samples", 201))
            return FeedforwardFeedback(feedforward(model, pd.reference, samples, near), pd)
        case name if name in _FEEDBACK:
            return _FEEDBACK[name](model, reference_from_description(description["reference"], model.na), **values)
    known = ", ".join(("constant", "sines", "table", *_FEEDBACK, "feedforward-feedback"))
    raise ArgumentError(f"the law is {description.get('law')!r}, expected one of {known}")


def _repeat_number(given: Any, size: int) -> Any:
    return np.full(size, given) if np.ndim(given) == 0 else given
