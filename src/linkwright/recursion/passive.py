"""Springs and friction at the joints, and the strain of bent beams."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.mechanism.tree import Tree
from linkwright.recursion.flexible import strain_energy, strain_forces


def passive_forces(tree: Tree, q: Vec, v: Vec) -> Vec:
    """Forces that a drive must overcome: spring, viscous and smoothed Coulomb forces, strain, (nv,)."""
    passive = tree.passive
    stretch = q[list(passive.coordinate)] - passive.rest
    slipping = np.sqrt(v * v + passive.slip**2)
    force = passive.stiffness * stretch + passive.viscous * v + passive.coulomb * v / slipping
    for d, coulomb, slip in passive.drives:
        force[d] = force[d] + coulomb * v[d] / np.sqrt(v[d] * v[d] + slip**2)
    for i, flex in tree.beams:
        coords, dofs = tree.links[i].coords, tree.dofs[i]
        force[dofs] = force[dofs] + strain_forces(flex, q[coords], v[dofs])
    return force


def spring_energy(tree: Tree, q: Vec) -> Vec:
    """Energy stored in the joint springs and in bent beams, [J]."""
    stretch = q[list(tree.passive.coordinate)] - tree.passive.rest
    strain = sum(strain_energy(flex, q[tree.links[i].coords]) for i, flex in tree.beams)
    return 0.5 * np.sum(tree.passive.stiffness * stretch * stretch) + strain
