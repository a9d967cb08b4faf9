"""Springs and friction at the joints."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.mechanism.tree import Tree


def passive_forces(tree: Tree, q: Vec, v: Vec) -> Vec:
    """What a drive must overcome at each speed: spring, viscous and smoothed Coulomb forces, (nv,)."""
    passive = tree.passive
    stretch = q[list(passive.coordinate)] - passive.rest
    slipping = np.sqrt(v * v + passive.slip**2)
    return passive.stiffness * stretch + passive.viscous * v + passive.coulomb * v / slipping


def spring_energy(tree: Tree, q: Vec) -> Vec:
    """Energy stored in the joint springs, [J]."""
    stretch = q[list(tree.passive.coordinate)] - tree.passive.rest
    return 0.5 * np.sum(tree.passive.stiffness * stretch * stretch)
