"""Springs and friction at the joints, the strain of bent beams, and force elements."""

from __future__ import annotations

from typing import Any

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
    for each in passive.elements:
        x = q[each.coordinate] - each.element.rest
        force[each.speed] = force[each.speed] + each.element.channel_force(x, v[each.speed])
    return force


def element_energy(tree: Tree, q: Vec) -> Any:
    """Energy stored in force elements at joints of the tree, [J]."""
    pairs = ((each.element, q[each.coordinate] - each.element.rest) for each in tree.passive.elements)
    return sum((element.stored_energy(x) for element, x in pairs), 0.0)


def spring_energy(tree: Tree, q: Vec) -> Vec:
    """Energy stored in the joint springs and in bent beams, [J]."""
    stretch = q[list(tree.passive.coordinate)] - tree.passive.rest
    strain = sum(strain_energy(flex, q[tree.links[i].coords]) for i, flex in tree.beams)
    return 0.5 * np.sum(tree.passive.stiffness * stretch * stretch) + strain + element_energy(tree, q)
