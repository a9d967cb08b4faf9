"""The frame whose motion is judged, and the components of its twist that the mechanism can move."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.checks import require_real_array, require_vector
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, withheld_warnings
from linkwright.kinematics.singularity import some_coordinates
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model, arguments
from linkwright.numerics.tolerances import LEAST_RATE, STILL_COMPONENT

Array = np.ndarray
NAMES = ("rx", "ry", "rz", "x", "y", "z")


@dataclass(frozen=True)
class OutputFrame:
    """A frame, its body, and the components (of rx ry rz x y z) that count, in that order.

    Attributes:
        exact: as many components as actuators and freedoms, so that efforts and rates determine each other.
    """

    frame: str
    body: str
    components: tuple[int, ...]
    exact: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the components."""
        return tuple(NAMES[i] for i in self.components)

    @property
    def angular(self) -> list[int]:
        """Rows of the Jacobian that are angular."""
        return [row for row, i in enumerate(self.components) if i < 3]

    @property
    def linear(self) -> list[int]:
        """Rows of the Jacobian that are linear."""
        return [row for row, i in enumerate(self.components) if i >= 3]

    @property
    def description(self) -> str:
        """Frame and components, for example "platform: x y"."""
        return f"{self.frame}: {' '.join(self.names)}"


def output_of(model: Model, frame: str | None = None, components: Sequence[str] | None = None) -> OutputFrame:
    """The output: the named components, else those that move; where parasitic ones move too, all six count."""
    mech = model.mechanism
    named = arguments.require_output_frame(mech, frame)
    bodies = {each.name: each.body for each in mech.frames}
    if named not in bodies and named not in mech.names:
        raise ArgumentError(f"unknown frame '{named}'{suggest_name(named, [*bodies, *mech.names])}")
    if components is not None:
        picked = tuple(arguments.component_rows(components))
    else:
        key = ("moving components", named)
        picked = model.cache.get(key, lambda: _moving_components(model, named))
    exact = len(picked) == model.na == model.mobility
    return OutputFrame(named, bodies.get(named, named), picked, exact)


def _moving_components(model: Model, frame: str) -> tuple[int, ...]:
    """Components that move in some configurations, if there are as many as freedoms; a point's translation first."""
    J = output_jacobians(model, some_coordinates(model.kinematics), frame)
    J = J[np.isfinite(J).all(axis=(-2, -1))]
    size = np.abs(J).max(axis=(0, 2), initial=0.0) if len(J) else np.ones(6)
    moving = [i for i in range(6) if size[i] > STILL_COMPONENT * max(size.max(), LEAST_RATE)]
    linear = [i for i in moving if i >= 3]
    if len(moving) > model.mobility and len(linear) == model.mobility and _is_point(model, frame):
        return tuple(linear)
    return tuple(moving) if len(moving) <= model.mobility else tuple(range(6))


def _is_point(model: Model, frame: str) -> bool:
    """True if translation alone is the output, as `singularity` sees it."""
    return model.singularity(some_coordinates(model.kinematics)[0]).output.split(": ")[-1] == "x y z"


def output_jacobians(model: Model, q: Array, frame: str, **p: Any) -> Array:
    """`actuator_jacobian` of rows (n, nq), NaN in rows that have none, without warnings."""
    with withheld_warnings(BatchWarning):
        return model.actuator_jacobian(q, frame=frame, **p)


def per_actuator(model: Model, title: str, given: Any) -> Array:
    """One number above zero for each actuator: a number for all, a dictionary by name, or an array (na,)."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in model.actuated:
                raise ArgumentError(f"{title} names the unknown actuator '{name}'{suggest_name(name, model.actuated)}")
        missing = [name for name in model.actuated if name not in given]
        if missing:
            raise ArgumentError(f"{title} lacks a value for the actuator '{missing[0]}'; name every one")
        given = [given[name] for name in model.actuated]
    values = require_real_array(title, given).astype(float)
    values = np.full(model.na, float(values)) if values.ndim == 0 else require_vector(title, values, model.na)
    if not np.all(values > 0.0):
        raise ArgumentError(f"{title} is {values[~(values > 0.0)][0]:g} for an actuator, expected numbers above zero")
    return values


def sliding_actuators(model: Model) -> Array:
    """Which actuators slide, (na,) of bool; the others turn."""
    return np.array([each.is_sliding for each in model.actuators])
