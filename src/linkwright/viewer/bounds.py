"""Limits of positions, velocities and efforts, in the order of a run's columns, to be drawn on its curves."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model

Pair = tuple[float, ...]


@dataclass(frozen=True)
class ColumnBounds:
    """Finite limits of every column of q (nq), v (nv) and tau (na); an empty tuple where there is none."""

    q: tuple[Pair, ...]
    v: tuple[Pair, ...]
    tau: tuple[Pair, ...]


def column_bounds(model: Model) -> ColumnBounds:
    """The limits of a model's tree joints and actuators."""
    q: list[Pair] = [()] * model.nq
    v: list[Pair] = [()] * model.nv
    slices = coordinate_slices(model.mechanism.joints)
    for joint in model.mechanism.joints:
        at_q, at_v = slices[joint.name]
        for i, pair in enumerate(zip(joint.limits.lower, joint.limits.upper, strict=False)):
            q[at_q.start + i] = _finite_ends(pair)
        for i, bound in enumerate(joint.limits.speed):
            v[at_v.start + i] = _finite_ends((-bound, bound))
    tau = (_finite_ends((-each.effort, each.effort)) for each in model.actuators)
    return ColumnBounds(tuple(q), tuple(v), tuple(tau))


def _finite_ends(pair: Sequence[float]) -> Pair:
    return tuple(float(x) for x in pair if np.isfinite(x))
