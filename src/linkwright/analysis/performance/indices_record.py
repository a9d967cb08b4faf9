"""The record of indices of a design, with ellipsoids and polytopes of velocities and forces.

A set of twists or wrenches x that limited actuators produce is |A x| <= b by rows: rates A = J^-1 and b their limits,
efforts A = J^T and b theirs. Pure translations (forces) take the linear columns of A, pure rotations the angular ones.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any, Literal

import numpy as np

from linkwright.checks import refuse_argument, require_choice
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import LIMIT_SLACK
from linkwright.results.charts import Curve, Panel, axis_label
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

# --- ellipsoids and polytopes of velocities and forces under limits of the actuators ----------------------------------

Array = np.ndarray
_MOST_SETS = 20000
_MOST_CORNERS = 12  # actuators of whose speeds all extremes are tried


def inscribed_radius(A: Array, b: Array) -> Array:
    """Radius of the largest ball inside |A x| <= b, (...,): what is reached in every direction."""
    if not A.shape[-1]:
        return np.full(A.shape[:-2], np.nan)
    size = np.linalg.norm(A, axis=-1)
    with np.errstate(divide="ignore"):
        return np.min(np.where(size > 0.0, b / np.where(size > 0.0, size, 1.0), np.inf), axis=-1)


@dataclass(frozen=True, eq=False)
class Polytope:
    """Vertices (n, k) of all velocities or forces that limited actuators produce, and the names of the k components.

    Attributes:
        unit: of the components, for example "m/s".
    """

    vertices: Array
    names: tuple[str, ...]
    unit: str

    @property
    def largest(self) -> float:
        """Length of the longest vertex."""
        return float(np.linalg.norm(self.vertices, axis=-1).max())


def polytope_vertices(A: Array, b: Array) -> Array:
    """Vertices of |A x| <= b at one configuration, (n, k): every k rows at their bounds that keep the others."""
    rows, k = A.shape
    picks = list(itertools.combinations(range(rows), k))
    if len(picks) * 2**k > _MOST_SETS:
        raise ArgumentError(
            f"{rows} actuators and {k} components give {len(picks) * 2**k} candidate vertices; take fewer components"
        )
    signs = np.array(list(itertools.product((1.0, -1.0), repeat=k)))
    found = []
    for pick in picks:
        part = A[list(pick)]
        if np.linalg.cond(part) < 1e12:
            found.append(np.linalg.solve(part, (signs * b[list(pick)]).T).T)
    x = np.concatenate(found) if found else np.zeros((0, k))
    inside = np.all(np.abs(x @ A.T) <= b * (1.0 + LIMIT_SLACK), axis=1)
    return np.unique(np.round(x[inside], 12), axis=0)


def ellipsoid_axes(J: Array) -> tuple[Array, Array]:
    """Semi-axes (..., k) and their directions (..., k, k) in columns of J applied to the unit ball."""
    x = decompose_scaled(J)
    return np.where(x.finite[..., None], x.s, np.nan), x.U


def outline(points: Array) -> Array:
    """The closed polygon round points of a plane (n, 2)."""
    from scipy.spatial import ConvexHull, QhullError

    try:
        kept = ConvexHull(points).vertices
    except QhullError:  # they lie on a line
        kept = np.array([np.argmin(points @ points[0]), np.argmax(points @ points[0])])
    return points[[*kept, kept[0]]]


def actuator_limits(model: Model, quantity: str) -> Array:
    """Bounds of the actuators' speeds or efforts from the file, (na,); inf where it gives none."""
    return np.array([each.speed if quantity == "speed" else each.effort for each in model.actuators])


# --- the record of indices of a design at one configuration or at many ------------------------------------------------

_PARTS = ("linear", "angular")
UNITS = {
    "type1": "",
    "type2": "",
    "constraint": "",
    "condition": "",
    "manipulability": "",
    "length": "m",
    "least_stiffness": "N/m",
    "least_rotational_stiffness": "N m/rad",
    "speed": "m/s",
    "angular_speed": "rad/s",
    "force": "N",
    "moment": "N m",
    "transmission_angle": "rad",
    "least_advantage": "",
    "position_error": "m",
    "angle_error": "rad",
}
"""The indices that are one number per configuration, and their units."""

WORSE_WHEN_LARGE = ("condition", "position_error", "angle_error")
"""Indices of which the largest value is the worst; of the others the least is."""


@dataclass(frozen=True, eq=False)
class Indices(StudyResult):
    """Indices at configurations. Fields have the leading axes (...) of q; NaN in rows without a result.

    Attributes:
        mechanism: name. output: frame and components, for example "platform: x y". components: their names, (m).
        actuators: names, (na).
        length: characteristic length that compares turning with sliding, (...), [m].
        jacobian: J with components of the output's twist = J v_act, (..., m, na), world axes, SI.
        type1, type2, constraint: distances to singularities, (...): 0 there, 1 at best (`Model.singularity`).
        condition, manipulability: ratio and product of the gains of J, lengths counted in `length`, (...).
        compliance: displacement of the output per wrench on it with the actuators held, (..., m, m); None without
            stiffnesses. stiffness: its inverse.
        speed, angular_speed: reached in every direction within the actuators' speeds, turning (sliding) not, (...).
        force, moment: carried in every direction within the actuators' efforts, nothing else loaded, (...).
        transmission: angle between the motion that one actuator alone gives to the output and the load that this one
            alone carries, less than 90 degrees, per actuator, (..., na), [rad]; 90 degrees is best, 0 singular.
        advantage: least and largest ratio of the output's effort to that of the actuators, (..., 2).
        error: largest error of each component from encoders and play, (..., m), [rad, m]; None without them.
        limits: of the actuators' speeds and efforts that were used, (2, na).
        notes: messages about indices that are not defined here.
    """

    mechanism: str
    output: str
    components: tuple[str, ...]
    actuators: tuple[str, ...]
    length: Array
    jacobian: Array
    type1: Array
    type2: Array
    constraint: Array
    condition: Array
    manipulability: Array
    compliance: Array | None
    stiffness: Array | None
    speed: Array
    angular_speed: Array
    force: Array
    moment: Array
    transmission: Array
    advantage: Array
    error: Array | None
    limits: Array
    notes: tuple[str, ...] = ()
    studied: StudiedMechanism | None = None

    @property
    def linear(self) -> list[int]:
        """Indices of the linear components."""
        return [i for i, name in enumerate(self.components) if not name.startswith("r")]

    @property
    def angular(self) -> list[int]:
        """Indices of the angular components."""
        return [i for i, name in enumerate(self.components) if name.startswith("r")]

    @property
    def transmission_angle(self) -> Array:
        """The smallest transmission angle of an actuator, (...), [rad]."""
        return self.transmission.min(axis=-1)

    @property
    def least_advantage(self) -> Array:
        """The least mechanical advantage of a direction, (...)."""
        return self.advantage[..., 0]

    @property
    def least_stiffness(self) -> Array | None:
        """Force per displacement in the weakest direction under a pure force, (...), [N/m]."""
        return self._weakest(self.linear)

    @property
    def least_rotational_stiffness(self) -> Array | None:
        """Moment per turn in the weakest direction under a pure moment, (...), [N m/rad]."""
        return self._weakest(self.angular)

    def _weakest(self, part: list[int]) -> Array | None:
        if self.compliance is None or not part:
            return None
        C = self.compliance[..., part, :][..., :, part]
        bad = ~np.isfinite(C).all(axis=(-2, -1))
        most = np.linalg.eigvalsh(np.where(bad[..., None, None], 1.0, C))[..., -1]
        return np.where(bad, np.nan, 1.0 / most)

    @property
    def position_error(self) -> Array | None:
        """Bound of the distance that encoders and play displace the output, (...), [m]."""
        return self._size(self.linear)

    @property
    def angle_error(self) -> Array | None:
        """Bound of the angle that encoders and play turn the output by, (...), [rad]."""
        return self._size(self.angular)

    def _size(self, part: list[int]) -> Array | None:
        return None if self.error is None or not part else np.linalg.norm(self.error[..., part], axis=-1)

    def ellipsoid(
        self, of: Literal["velocity", "force"], part: Literal["linear", "angular"] = "linear"
    ) -> tuple[Array, Array]:
        """Semi-axes (..., k) and directions in columns (..., k, k) of the output for actuators of norm 1, [SI].

        Velocity: J applied to rates of norm 1. Force: pure forces (moments) for which the efforts have norm 1.
        """
        rows = self.linear if require_choice("part", part, _PARTS) == "linear" else self.angular
        if not rows:
            raise ArgumentError(f"the output '{self.output}' has no {part} components")
        axes, directions = ellipsoid_axes(self.jacobian[..., rows, :])
        return (axes, directions) if _is_velocity_choice(of) else (1.0 / axes, directions)

    def polytope(
        self, of: Literal["velocity", "force"], part: Literal["linear", "angular"] = "linear", row: Any = ()
    ) -> Polytope:
        """All pure velocities or forces within the limits of the actuators at one configuration: its vertices.

        Args:
            row: index of the configuration in the batch; () for a single one.
        """
        rows = self.linear if require_choice("part", part, _PARTS) == "linear" else self.angular
        J = self._row(row)
        moves = _is_velocity_choice(of)
        b = self.limits[0 if moves else 1]
        if not rows or J.ndim != 2:
            raise ArgumentError(f"the output '{self.output}' has no {part} components at one row {row!r}")
        if not np.isfinite(b).all():
            name = self.actuators[int(np.argmin(np.isfinite(b)))]
            raise ArgumentError(f"actuator '{name}' has no {'speed' if moves else 'effort'} limit; give limits to all")
        A = decompose_scaled(J).inverse()[:, rows] if moves else J.T[:, rows]
        units = {("velocity", "linear"): "m/s", ("velocity", "angular"): "rad/s", ("force", "linear"): "N"}
        return Polytope(polytope_vertices(A, b), tuple(self.components[i] for i in rows), units.get((of, part), "N m"))

    def _row(self, row: Any) -> Array:
        """The Jacobian at one configuration."""
        index = row if isinstance(row, tuple) else (row,)
        if not all(isinstance(i, int | np.integer) and not isinstance(i, bool) for i in index):
            refuse_argument("row", row, "the index of a configuration: a whole number, or a tuple of them")
        try:
            return np.asarray(self.jacobian[index])
        except IndexError:
            raise ArgumentError(f"row is {row!r}, and the configurations have shape {self.type2.shape}") from None

    @property
    def numbers(self) -> Mapping[str, Array]:
        """The indices that are one number per configuration, by name; those that are not defined are left out."""
        found = {name: getattr(self, name) for name in UNITS}
        return {name: np.asarray(x) for name, x in found.items() if x is not None and np.any(~np.isnan(x))}

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        numbers = {name: x.reshape(-1) for name, x in self.numbers.items()}
        n = self.type2.size
        columns = ("index", "unit", "value") if n == 1 else ("index", "unit", "least", "mean", "largest")
        rows = [[name, UNITS[name], *([x[0]] if n == 1 else least_mean_largest(x))] for name, x in numbers.items()]
        arrays = {**numbers, "jacobian": self.jacobian.reshape(n, *self.jacobian.shape[-2:])}
        if self.stiffness is not None:
            arrays["stiffness"] = self.stiffness.reshape(n, *self.stiffness.shape[-2:])
        facts = {
            "mechanism": self.mechanism,
            "output": self.output,
            "actuators": list(self.actuators),
            "configurations": n,
            "characteristic_length": float(np.mean(self.length)),
        }
        tables = [StudyTable("indices", dict.fromkeys(columns, ""), rows)]
        if n == 1:
            J = self.jacobian.reshape(-1, len(self.actuators))
            cells = [[name, *map(float, row)] for name, row in zip(self.components, J, strict=True)]
            title, names = "Jacobian: components of the twist per actuator rate", ("component", *self.actuators)
            tables.append(StudyTable("jacobian", dict.fromkeys(names, ""), cells, title, {x: x for x in names}))
        units = {"characteristic_length": "m"} | {name: UNITS[name] for name in numbers}
        title = f"Indices of {self.mechanism}"
        panels = _index_panels(numbers, n) if n > 1 else self._capability_panels()
        return StudyContent(title, facts, tables, panels, arrays, self.notes, units)

    def _capability_panels(self) -> list[Panel]:
        """Outlines of what the output does at one configuration, in the planes of its first two or three components."""
        J = self.jacobian.reshape(-1, len(self.actuators))
        if len(self.linear) < 2 or not np.isfinite(J).all():
            return []
        turn = np.linspace(0.0, 2.0 * np.pi, 181)
        ends = np.array(list(itertools.product((-1.0, 1.0), repeat=len(self.actuators)))) * self.limits[0]
        panels = []
        for i, k in itertools.combinations(self.linear, 2):
            axes, directions = ellipsoid_axes(J[[i, k]])
            x, y = (directions * axes) @ np.array([np.cos(turn), np.sin(turn)])
            below, beside = (f"{self.components[part]} [m/s]" for part in (i, k))
            curves = [Curve("rates of norm 1", x, y)]
            panels.append(Panel(below, beside, curves, "Velocities at actuator rates of norm 1", equal=True))
            if np.isfinite(ends).all() and len(self.actuators) <= _MOST_CORNERS:
                curves = [Curve("rates within their limits", *outline(ends @ J[[i, k]].T).T)]
                panels.append(Panel(below, beside, curves, "Velocities within the actuators' speeds", equal=True))
        return panels


def _is_velocity_choice(of: str) -> bool:
    return require_choice("of", of, ("velocity", "force")) == "velocity"


def least_mean_largest(x: Array) -> list[float]:
    """Least, mean and largest of the finite numbers; NaN where there are none."""
    x = x[np.isfinite(x)]
    return [float(x.min()), float(x.mean()), float(x.max())] if len(x) else [float("nan")] * 3


def _index_panels(numbers: Mapping[str, Array], n: int) -> list[Panel]:
    """Curves of the indices over the rows."""
    rows = np.arange(n)
    near = [Curve(name, rows, numbers[name]) for name in ("type1", "type2", "constraint") if name in numbers]
    panels = [Panel("configuration", "distance", near, "Distances to singularities")]
    if "condition" in numbers:
        curve = Curve("1 / condition", rows, 1.0 / numbers["condition"])
        panels.append(Panel("configuration", "1 / condition", [curve], "Inverse condition number"))
    for name in ("least_stiffness", "transmission_angle", "speed", "force", "position_error"):
        if name in numbers:
            title = name.replace("_", " ").capitalize()
            label = axis_label(name.replace("_", " "), UNITS[name])
            panels.append(Panel("configuration", label, [Curve(name, rows, numbers[name])], title))
    return panels
