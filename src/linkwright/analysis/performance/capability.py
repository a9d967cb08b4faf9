"""Ellipsoids and polytopes of velocities and forces under limits of the actuators.

A set of twists or wrenches x that limited actuators produce is |A x| <= b by rows: rates A = J^-1 and b their limits,
efforts A = J^T and b theirs. Pure translations (forces) take the linear columns of A, pure rotations the angular ones.
"""

from __future__ import annotations

import itertools

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import LIMIT_SLACK

Array = np.ndarray
_MOST_SETS = 20000


def inscribed_radius(A: Array, b: Array) -> Array:
    """Radius of the largest ball inside |A x| <= b, (...,): what is reached in every direction."""
    if not A.shape[-1]:
        return np.full(A.shape[:-2], np.nan)
    size = np.linalg.norm(A, axis=-1)
    with np.errstate(divide="ignore"):
        return np.min(np.where(size > 0.0, b / np.where(size > 0.0, size, 1.0), np.inf), axis=-1)


def largest_multiple(A: Array, b: Array, direction: Array) -> Array:
    """Largest multiple of a direction inside |A x| <= b, (...,)."""
    size = np.abs(A @ direction)
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


def actuator_limits(model: Model, quantity: str) -> Array:
    """Bounds of the actuators' speeds or efforts from the file, (na,); inf where it gives none."""
    return np.array([each.speed if quantity == "speed" else each.effort for each in model.actuators])
