"""A recorded motion as a study: the actuators follow it by computed torque."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.formats.study import Study, to_study_text
from linkwright.model import Model
from linkwright.viewer.packing import evenly
from linkwright.viewer.sweep import actuator_positions

_POINTS = 200
_STIFFNESS, _DAMPING = 400.0, 40.0  # of the errors, critically damped at 20 rad/s


def study_text(model: Model, name: str, recorded: dict[str, Any]) -> str:
    """The study of a recorded motion with times `t` [s] and coordinates `q`, both lists.

    The mechanism is the catalog name or the file the page was opened with.
    """
    try:
        t, q = np.array(recorded["t"], dtype=float), np.array(recorded["q"], dtype=float)
    except (KeyError, TypeError, ValueError):
        raise ArgumentError("a recording needs times t and coordinates q") from None
    if t.ndim != 1 or len(t) < 3 or q.shape != (len(t), model.nq) or not np.isfinite(q).all():
        raise ArgumentError(f"a recording needs at least three times and rows of {model.nq} coordinates")
    points = actuator_positions(model, q)
    if points is None or not (np.isfinite(t).all() and (np.diff(t) > 0).all()):
        raise ArgumentError("a recording needs rising times and actuators with positions of their own")
    kept = evenly(len(t), _POINTS)
    reference = {"move": "spline", "times": (t - t[0])[kept].tolist(), "points": points[kept].tolist()}
    study = Study.model_validate(
        {
            "format": 1,
            "mechanism": name,
            "start": {"q": q[0].tolist()},
            "effort": {
                "law": "computed-torque",
                "reference": reference,
                "stiffness": [_STIFFNESS] * model.na,
                "damping": [_DAMPING] * model.na,
            },
            "t_end": float(t[-1] - t[0]),
        }
    )
    return to_study_text(study)
