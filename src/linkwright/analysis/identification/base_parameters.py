"""Base parameters: the combinations of dynamic parameters that efforts determine, and independent columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.analysis.identification.measured_motion import random_states
from linkwright.checks import require_array_shape, require_instance, require_integer, require_seed, require_texts
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, MotionWarning, withheld_warnings
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.numerics.dense import count_above, decompose_scaled, singular_values
from linkwright.numerics.tolerances import NO_EFFECT, UNSEEN
from linkwright.readable_text import combination_text
from linkwright.results.charts import Curve, Panel
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

# --- independent columns of a regressor, and the combinations in which the others take part ---------------------------

Array = np.ndarray
_ABSENT = 1e-11  # of the longest column: shorter ones are rounding


@dataclass(frozen=True, eq=False)
class ColumnSpace:
    """Columns of a matrix W (m, n), by a rank-revealing QR of W with columns of length 1 (theory 10.7).

    Attributes:
        kept: indices of independent columns, in the order of preference.
        dependent: indices of the columns that are combinations of those. absent: indices of columns of zeros.
        combination: C (k, d) with W[:, dependent] = W[:, kept] C.
        scale: lengths of the columns, root mean square over the rows, (n,).
        least, next: smallest singular value that counts and the largest that does not, both relative to the largest.
    """

    kept: tuple[int, ...]
    dependent: tuple[int, ...]
    absent: tuple[int, ...]
    combination: Array
    scale: Array
    least: float
    next: float

    @property
    def map(self) -> Array:
        """P (k, n) with base parameters = P theta."""
        P = np.zeros((len(self.kept), len(self.scale)))
        P[np.arange(len(self.kept)), list(self.kept)] = 1.0
        P[:, list(self.dependent)] = self.combination
        return P


def column_space(R: Array, rows: int, order: Array) -> ColumnSpace:
    """Independent columns of a matrix of `rows` rows with the triangular factor R (n, n), the first in `order`."""
    from scipy.linalg import qr  # a while to import

    scale = np.linalg.norm(R, axis=0) / np.sqrt(max(rows, 1))
    present = scale > _ABSENT * scale.max(initial=0.0)
    absent = tuple(np.flatnonzero(~present).tolist())
    columns = np.array([i for i in order if present[i]], dtype=int)
    unit = R[:, columns] / np.linalg.norm(R[:, columns], axis=0)
    _, T, pivots = qr(unit, mode="economic", pivoting=True)
    values = singular_values(T)
    rank = int(count_above(values, NO_EFFECT))
    kept, rest = _first_kept(T[:rank][:, np.argsort(pivots)], rank)
    C = decompose_scaled(unit[:, kept]).inverse() @ unit[:, rest]
    C = np.where(np.abs(C) > 1e-7, C, 0.0)
    C = C * scale[columns[rest]] / scale[columns[kept], None]
    top = values.max(initial=1.0)
    return ColumnSpace(
        tuple(columns[kept].tolist()),
        tuple(columns[rest].tolist()),
        absent,
        C,
        scale,
        float(values[rank - 1] / top) if rank else 0.0,
        float(values[rank] / top) if rank < len(values) else 0.0,
    )


def _first_kept(T: Array, rank: int) -> tuple[list[int], list[int]]:
    """Columns of T (rank, n) in their order that are independent of those before, and the others."""
    basis = np.zeros((len(T), 0))
    kept: list[int] = []
    rest: list[int] = []
    for j, column in enumerate(T.T):
        left = column - basis @ (basis.T @ column)
        left = left - basis @ (basis.T @ left)
        size = np.linalg.norm(left)
        if len(kept) < rank and size > 1e3 * NO_EFFECT:
            basis, kept = np.column_stack([basis, left / size]), [*kept, j]
        else:
            rest.append(j)
    return kept, rest


# --- base parameters --------------------------------------------------------------------------------------------------

_CHUNK = 256  # states whose regressors are in memory at once


_TITLES = {
    "smallest_singular_ratio": "smallest singular value that counts / largest",
    "next_singular_ratio": "largest that does not",
}


@dataclass(frozen=True, eq=False)
class BaseParameters(StudyResult):
    """Combinations of dynamic parameters that the efforts of a mechanism determine, each with its value.

    Attributes:
        mechanism: name. names, units: of the dynamic parameters theta that took part, in the order of `columns`.
        columns: their columns in the regressor, (n,). theta: their values in the mechanism, (n,).
        base: which of them (indices below n) lead a combination, (k,).
        map: P (k, n) with base parameters beta = P theta; column base[i] of row i is 1.
        without_effect: names of parameters that no effort depends on, as those of immovable bodies.
        least, next: smallest relative singular value that counts, and the largest that does not: the gap between them
            is the certainty of k.
        states: number of random states that were looked at.
    """

    mechanism: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    columns: Array
    theta: Array
    base: tuple[int, ...]
    map: Array
    without_effect: tuple[str, ...]
    least: float
    next: float
    states: int

    def __len__(self) -> int:
        return len(self.base)

    @property
    def values(self) -> Array:
        """Base parameters of the mechanism, (k,)."""
        return self.map @ self.theta

    @property
    def leading(self) -> tuple[str, ...]:
        """Name of the parameter that leads each combination."""
        return tuple(self.names[i] for i in self.base)

    @property
    def descriptions(self) -> tuple[str, ...]:
        """Each combination in terms of the parameters' names, "link1.Izz + 0.25 link2.m"."""
        return tuple(self._combination(row, lead) for row, lead in zip(self.map, self.base, strict=True))

    def _combination(self, row: Array, lead: int) -> str:
        """A row of the map as text, its leading parameter first, then the largest."""
        order = [lead, *(i for i in np.argsort(-np.abs(row), kind="stable") if i != lead)]
        least = UNSEEN * np.abs(row).max()
        return combination_text(((row[i], self.names[i]) for i in order if abs(row[i]) > least), digits=4)

    def of(self, theta: Array) -> Array:
        """Base parameters (k,) of other values of all dynamic parameters of the model, (n_theta,)."""
        found = require_array_shape("theta", theta, (None,))
        if len(found) <= self.columns.max(initial=-1):
            raise ArgumentError(f"theta has {len(found)} numbers, expected one for each parameter of the model")
        return self.map @ found[self.columns]

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        rows = [
            [text, unit, float(x)]
            for text, unit, x in zip(self.descriptions, (self.units[i] for i in self.base), self.values, strict=True)
        ]
        tables = [StudyTable("base_parameters", dict.fromkeys(("combination", "unit", "value"), ""), rows)]
        if self.without_effect:
            rows = [[x] for x in self.without_effect]
            tables.append(StudyTable("without_effect", {"parameter": ""}, rows, "Without effect on efforts"))
        sizes = np.abs(self.map).sum(axis=1)
        index = np.arange(1, len(self) + 1)
        panels = [
            Panel("base parameter", "parameters in it", [Curve("", index, (self.map != 0.0).sum(axis=1), dots=True)])
        ]
        facts = {
            "mechanism": self.mechanism,
            "dynamic_parameter_count": len(self.names),
            "base_parameter_count": len(self),
            "without_effect_count": len(self.without_effect),
            "smallest_singular_ratio": self.least,
            "next_singular_ratio": self.next,
            "states": self.states,
        }
        arrays = {"map": self.map, "values": self.values, "size": sizes}
        return StudyContent(f"Base parameters of {self.mechanism}", facts, tables, panels, arrays, titles=_TITLES)


def base_parameters(
    model: Model, *, parameters: Sequence[str] | None = None, states: int | None = None, seed: int = 0
) -> BaseParameters:
    """Combinations of dynamic parameters that efforts determine, found on random reachable states.

    The regressors of the states, one below the other, are decomposed by a rank-revealing QR. Parameters are kept in the
    order of the bodies from the base outwards, so that a combination gathers what outer bodies add to inner ones.

    Args:
        model: the mechanism.
        parameters: names of the dynamic parameters that are unknown, or "inertial", "friction" and the like for a kind;
            None takes all of `model.regressor_parameters` but offsets of the actuators.
        states: number of states; None takes three equations for each parameter, and at least 100 states.
        seed: of the random states.

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> len(base_parameters(arm, parameters=["inertial"]))
    9
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    columns = chosen_columns(model, parameters)
    n = (
        max(100, 3 * len(columns) // max(model.na, 1))
        if states is None
        else require_integer("states", states, 1, 1_000_000)
    )
    R, rows = _regressor_triangle(model, columns, n, np.random.default_rng(require_seed("seed", seed)))
    space = column_space(R, rows, _outward_column_order(model, columns))
    return _base_parameters_record(model, columns, space, n)


def checked_base(model: Model, base: Any) -> BaseParameters:
    """Base parameters, if they are those of a model."""
    require_instance("base", base, BaseParameters, "the result of base_parameters")
    names = model.regressor_parameters.names
    if base.columns.max(initial=-1) >= len(names) or tuple(names[c] for c in base.columns) != base.names:
        raise ArgumentError(f"base is of '{base.mechanism}' and not of this model; make it anew", name="base")
    return base


def chosen_columns(model: Model, parameters: Sequence[str] | None) -> Array:
    """Columns of the regressor of the named parameters and kinds of parameters, in order."""
    theta = model.regressor_parameters
    if parameters is None:
        return np.array([i for i, each in enumerate(theta) if each.kind != "offset"], dtype=int)
    wanted: set[int] = set()
    for name in require_texts("parameters", parameters, "['inertial', 'viscous']"):
        group = [i for i, each in enumerate(theta) if name in (each.name, each.kind, each.group, each.subject)]
        if not group:
            groups = dict.fromkeys(x for each in theta for x in (each.group, each.kind, each.subject, each.name))
            raise ArgumentError(
                f"parameters names '{name}', which is not a parameter of '{model.mechanism.name}', a kind or a body"
                f"{suggest_name(name, tuple(groups))}",
                name=name,
            )
        wanted.update(group)
    if not wanted:
        raise ArgumentError("parameters is empty; name some, or leave it out for all", name="parameters")
    return np.array(sorted(wanted), dtype=int)


def _outward_column_order(model: Model, columns: Array) -> Array:
    """Order of the columns in which they are kept: bodies from the base outwards, then the rest."""
    tree = model.setup.tree
    rank = {tree.links[i].name: k for k, i in enumerate(tree.outward)}
    records = model.regressor_parameters.records
    last = len(rank)
    keys = [(rank[records[c].subject] if records[c].group == "inertial" else last, i) for i, c in enumerate(columns)]
    return np.array([i for _, i in sorted(keys)], dtype=int)


def _regressor_triangle(model: Model, columns: Array, n: int, rng: np.random.Generator) -> tuple[Array, int]:
    """Triangular factor (n, n) of the regressors of n random states, and the number of their rows.

    Rows are weighted so that none counts much more than a typical one: near a singularity they are very large.
    """
    R, rows, done = np.zeros((0, len(columns))), 0, 0
    while done < n:
        some = random_states(model, min(_CHUNK, n - done), rng)
        Y = quiet_regressor(model, some.q, some.v, some.a)[..., columns].reshape(-1, len(columns))
        Y = Y[np.isfinite(Y).all(axis=1)]
        size = np.linalg.norm(Y, axis=1, keepdims=True)
        Y = Y / np.maximum(1.0, size / np.median(size)) if len(Y) else Y
        R = np.asarray(np.linalg.qr(np.concatenate([R, Y]), mode="r"))
        rows, done = rows + len(Y), done + len(some)
    if not rows:
        raise ArgumentError(
            f"none of {n} random states of '{model.mechanism.name}' has a regressor: its actuators cannot hold it"
        )
    return R, rows


def quiet_regressor(model: Model, q: Array, v: Array, a: Array) -> Array:
    """The regressor without warnings of rows that have none, and of accelerations that follow from the dynamics."""
    with withheld_warnings(BatchWarning, MotionWarning):
        return model.regressor(q, v, a)


def _base_parameters_record(model: Model, columns: Array, space: ColumnSpace, states: int) -> BaseParameters:
    theta = model.regressor_parameters
    order = sorted(range(len(space.kept)), key=lambda i: space.kept[i])
    return BaseParameters(
        model.mechanism.name,
        tuple(theta.names[c] for c in columns),
        tuple(theta.units[c] for c in columns),
        columns,
        theta.values[columns],
        tuple(space.kept[i] for i in order),
        space.map[order],
        tuple(theta.names[columns[i]] for i in space.absent),
        space.least,
        space.next,
        states,
    )
