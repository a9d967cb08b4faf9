"""A row of a run: where its numbers are, and names and units of the series that they belong to."""

from __future__ import annotations

from collections import Counter
from functools import cached_property, lru_cache

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.model import Model
from linkwright.results.archives import CLOSURE
from linkwright.results.result import Columns
from linkwright.results.series import TIME
from linkwright.simulation.drivers.driver_records import EXTRAS, MONITORED
from linkwright.simulation.problem.problem import Problem

_OF_JOINTS = ("q", "v", "a")


@dataclass(frozen=True)
class RowLayout:
    """Numbers of a row: t, q, v, a, tau, closure residual and rate, energies, work and losses, controller states.

    Attributes:
        nq, nv, na, states: how many of each. Slices of a row are `q`, `v`, `a`, `tau`, `closure` and `energies`.
    """

    nq: int
    nv: int
    na: int
    states: int = 0

    @property
    def width(self) -> int:
        """Numbers in a row."""
        return self.energies.stop + self.states

    @cached_property
    def q(self) -> slice:
        """Coordinates."""
        return slice(1, 1 + self.nq)

    @cached_property
    def v(self) -> slice:
        """Velocities."""
        return slice(self.q.stop, self.q.stop + self.nv)

    @cached_property
    def a(self) -> slice:
        """Accelerations."""
        return slice(self.v.stop, self.v.stop + self.nv)

    @cached_property
    def tau(self) -> slice:
        """Efforts of the actuators."""
        return slice(self.a.stop, self.a.stop + self.na)

    @cached_property
    def closure(self) -> slice:
        """Closure residual and its rate."""
        return slice(self.tau.stop, self.tau.stop + 2)

    @cached_property
    def energies(self) -> slice:
        """Kinetic and potential energy, work and losses."""
        return slice(self.closure.stop, self.tau.stop + MONITORED + EXTRAS)

    def motion(self, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        """Coordinates, velocities, accelerations and efforts of rows."""
        return rows[..., self.q], rows[..., self.v], rows[..., self.a], rows[..., self.tau]


def row_layout(of: Model | Problem, states: int = 0) -> RowLayout:
    """The layout of the rows of a model or a problem."""
    return _known_layout(of.nq, of.nv, of.na, states)


_known_layout = lru_cache(maxsize=64)(RowLayout)


def row_columns(model: Model, states: int = 0) -> Columns:
    """(name, unit, group) of every series: coordinates, velocities, accelerations, efforts, closure, energies, work.

    `states` of a controller follow, if it has any.
    """
    own = [(f"controller.{i + 1}", "", "controller") for i in range(states)]
    return model.nominal_cache.get(
        ("columns", states), lambda: Columns(_distinct_columns([*_column_items(model), *own]))
    )


def _distinct_columns(items: list[tuple[str, str, str]]) -> tuple[tuple[str, str, str], ...]:
    """The same with distinct names: a joint 't' or 'work', or joints 'a' and 'a_dot', would name two series alike.

    The series of coordinates, velocities and accelerations give way: they are then called `q(t)`, `v(a)` and so on.
    """
    taken = Counter([TIME, *(name for name, _, _ in items)])
    found = []
    for first, unit, group in items:
        name = first
        while group in _OF_JOINTS and taken[name] > (name == first):
            name = f"{group}({name})"
        if name != first:
            taken[name] += 1
        found.append((name, unit, group))
    return tuple(found)


def _column_items(model: Model) -> list[tuple[str, str, str]]:
    joints = model.setup.mech.joints
    q_units = [part.unit for joint in joints for part in joint.kind.coordinates]
    v_units = [part.unit for joint in joints for part in joint.kind.velocities]
    velocities = [velocity_name(name, name in model.q_names) for name in model.v_names]
    rates = [f"{name}_dot" if name not in model.q_names else f"{name}_ddot" for name in model.v_names]
    return [
        *((name, u, "q") for name, u in zip(model.q_names, q_units, strict=True)),
        *((name, f"{u}/s", "v") for name, u in zip(velocities, v_units, strict=True)),
        *((name, f"{u}/s^2", "a") for name, u in zip(rates, v_units, strict=True)),
        *((f"effort({each.name})", each.effort_unit, "tau") for each in model.actuators),
        CLOSURE,
        ("closure rate", "m/s", "closure"),
        ("kinetic energy", "J", "energy"),
        ("potential energy", "J", "energy"),
        ("work", "J", "energy"),
        ("losses", "J", "energy"),
    ]


def velocity_name(name: str, is_rate: bool) -> str:
    """The rate of a coordinate has its name and `_dot`; velocities that are not rates have a name of their own."""
    return f"{name}_dot" if is_rate else name
