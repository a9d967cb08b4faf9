"""Link frames placed in the world, from the transforms between them (any scalar)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.algebra.transform import Transform
from linkwright.algebra.vectors import Mat, Vec
from linkwright.mechanism.tree import Tree


@dataclass(frozen=True, eq=False)
class Place:
    """Origin r [m] and axes R (columns) in the world."""

    r: Vec
    R: Mat


WORLD = Place(np.zeros(3), np.eye(3))


def placed(tree: Tree, A: list[Transform]) -> list[Place]:
    """Where every link frame stands in the world (theory 2.10)."""
    places: list[Place] = [WORLD] * (len(tree.links) + 1)
    for i in tree.outward:
        k = tree.parent[i]
        places[i] = Place(places[k].r + places[k].R @ A[i].origin, places[k].R @ A[i].R.matrix)
    return places[:-1]
