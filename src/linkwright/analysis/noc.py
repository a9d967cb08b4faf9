"""The natural orthogonal complement found numerically, as the comparison that Rao's paper makes."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.checks import instance, vector
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formulations.noc import row_links
from linkwright.kernels import registry
from linkwright.kernels.cache import once_per_object
from linkwright.kernels.loop.papers import driven
from linkwright.model import Model
from linkwright.solve.actuation import exactly_actuated, require_enough
from linkwright.solve.kinematics import Kinematics

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class NumericalNOC:
    """A: constraints on all bodies' twists (link axes, at the links' origins), (rows, 6 n). T: actuators' rates to
    twists, A T = 0, (6 n, na). tau: T^T w, (na,)."""

    A: Array
    T: Array
    tau: Array


def numerical_noc(model: Model, q: Array, v: Any = None, a: Any = None) -> NumericalNOC:
    """Efforts by a complement from a singular value decomposition of all joints' constraints; one state.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("four-bar"))
    >>> q, _, _ = model.forward_kinematics([1.2])
    >>> found = numerical_noc(model, q)
    >>> bool(abs(found.tau - model.inverse_dynamics(q, [0, 0, 0], [0, 0, 0])).max() < 1e-12)
    True
    """
    kinematics = instance("model", model, Model, "a Model from linkwright.build").kinematics
    require_enough(kinematics)
    if not exactly_actuated(kinematics) or len(driven(kinematics.setup)) < model.na:
        raise ArgumentError(
            f"the complement of '{model.mechanism.name}' is written on its actuators' rates: name as many actuators as "
            "it has freedoms, at joints that are not cut"
        )
    sizes = {"q": (q, model.nq), "v": (v, model.nv), "a": (a, model.nv)}
    state = (np.zeros(size) if x is None else vector(name, x, size) for name, (x, size) in sizes.items())
    parts = kinematics.open.function(registry.NOC_PARTS)(*state)
    return projected(kinematics, parts)


def projected(kinematics: Kinematics, parts: dict[str, Array]) -> NumericalNOC:
    """Null space of A by SVD, written on the actuators' rates, and the forces it leaves."""
    A, V, N = complement(kinematics, parts)
    T = N @ np.linalg.inv(V[list(driven(kinematics.setup))] @ N)
    return NumericalNOC(A, T, T.T @ (parts["w"] + V.T @ parts["resisted"]))


def complement(kinematics: Kinematics, parts: dict[str, Array]) -> tuple[Array, Array, Array]:
    """Constraints A, joint velocities V, and the null space N of A, (6 n, mobility), by singular values."""
    A, V = _all_rows(kinematics, parts)
    _, _, Vt = np.linalg.svd(A)
    return A, V, Vt[A.shape[1] - kinematics.mobility :].T


def _all_rows(kinematics: Kinematics, parts: dict[str, Array]) -> tuple[Array, Array]:
    """Constraints A and joint velocities V as rows on all bodies' twists, (rows, 6 n) and (n_velocities, 6 n)."""
    bodies = len(kinematics.setup.tree.links)
    A, V = (_spread(parts[name], pairs, bodies) for name, pairs in zip(("A", "V"), _links(kinematics), strict=True))
    return A, V


@once_per_object
def _links(kinematics: Kinematics) -> tuple[Array, Array]:
    """The two links that each row of A and of V speaks of, (rows, 2) and (nv, 2)."""
    constraints, velocities = row_links(kinematics.setup.mech, kinematics.setup.tree)
    return np.array(constraints, dtype=int), np.array(velocities, dtype=int)


def _spread(rows: Array, links: Array, bodies: int) -> Array:
    """Rows on two links' twists as rows on all bodies' twists, (rows, 6 bodies); what falls on the base is left out."""
    out = np.zeros((len(rows), bodies + 1, 6))
    for side in (0, 1):
        out[np.arange(len(rows)), links[:, side]] += rows[:, side]
    return out[:, :bodies].reshape(len(rows), 6 * bodies)
