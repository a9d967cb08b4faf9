"""Constraints of all joints on the twists of separate bodies, and their null space by singular values."""

from __future__ import annotations

import numpy as np

from linkwright.formulations.noc import row_links
from linkwright.functions.memo import memo
from linkwright.kinematics.kinematics import Kinematics
from linkwright.numerics.dense import decompose_scaled

Array = np.ndarray


def separate_bodies_complement(kinematics: Kinematics, parts: dict[str, Array]) -> tuple[Array, Array, Array]:
    """Constraints A, joint velocities V, and the null space N of A, (6 n, mobility), by singular values."""
    A, V = _all_rows(kinematics, parts)
    return A, V, decompose_scaled(A, complete=True).null_space(A.shape[1] - kinematics.mobility)


def _all_rows(kinematics: Kinematics, parts: dict[str, Array]) -> tuple[Array, Array]:
    """Constraints A and joint velocities V as rows on all bodies' twists, (rows, 6 n) and (n_velocities, 6 n)."""
    bodies = len(kinematics.setup.tree.links)
    A, V = (
        _rows_on_all_bodies(parts[name], pairs, bodies)
        for name, pairs in zip(("A", "V"), _links_of_rows(kinematics), strict=True)
    )
    return A, V


@memo()
def _links_of_rows(kinematics: Kinematics) -> tuple[Array, Array]:
    """The two links that each row of A and of V speaks of, (rows, 2) and (nv, 2)."""
    constraints, velocities = row_links(kinematics.setup.mech, kinematics.setup.tree)
    return np.array(constraints, dtype=int), np.array(velocities, dtype=int)


def _rows_on_all_bodies(rows: Array, links: Array, bodies: int) -> Array:
    """Rows on two links' twists as rows on all bodies' twists, (rows, 6 bodies); what falls on the base is left out."""
    out = np.zeros((len(rows), bodies + 1, 6))
    for side in (0, 1):
        out[np.arange(len(rows)), links[:, side]] += rows[:, side]
    return out[:, :bodies].reshape(len(rows), 6 * bodies)
