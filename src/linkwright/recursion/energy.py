"""Energy, momentum and mass center of a tree."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Vec, cross_product
from linkwright.mechanism.tree import Tree
from linkwright.recursion.bending_terms import bent_kinetic_energy, bent_momentum
from linkwright.recursion.force_elements import cut_kinetic_energy, stored_energy
from linkwright.recursion.inertia import link_moments
from linkwright.recursion.poses import link_poses
from linkwright.recursion.twist_recursion import motion_of_tree


def kinetic_energy(tree: Tree, q: Vec, v: Vec) -> Any:
    """Kinetic energy of bodies and rotors, [J]."""
    state = motion_of_tree(tree, q, v, np.zeros(tree.nv))
    rotors = 0.5 * np.sum(tree.rotors * v * v)
    bent = sum(bent_kinetic_energy(flex, state.bends[i], state.t[i]) for i, flex in tree.beams)
    rigid = sum(0.5 * (state.t[i] @ tree.links[i].moments.momentum(state.t[i])) for i in tree.bodies)
    outside = cut_kinetic_energy(tree, state) if tree.cut_rotors else 0.0
    return rotors + rigid + bent + outside


def potential_energy(tree: Tree, q: Vec) -> Any:
    """Energy in gravity and its compensation (zero at the world's origin) and in force elements, [J]."""
    return stored_energy(tree, q) - tree.gravity @ first_moment(tree, q)


def first_moment(tree: Tree, q: Vec) -> Vec:
    """Sum of mass times position, [kg m], world axes."""
    parts = []
    for pose, body in zip(link_poses(tree, q), link_moments(tree, q), strict=True):
        parts.append(body.m * pose.r + pose.R @ body.h)
    return np.sum(np.array(parts), axis=0)


def tree_center_of_mass(tree: Tree, q: Vec) -> Vec:
    """Mass center of all moving bodies, [m], world axes."""
    return first_moment(tree, q) / sum(link.moments.m for link in tree.links)


def tree_momentum(tree: Tree, q: Vec, v: Vec) -> Vec:
    """Angular momentum about the world's origin and linear momentum, (6,), world axes."""
    state = motion_of_tree(tree, q, v, np.zeros(tree.nv))
    bodies, beams = link_moments(tree, q), dict(tree.beams)
    total = np.zeros(6)
    for i, pose in enumerate(link_poses(tree, q)):
        body = bodies[i].momentum(state.t[i])
        if i in state.bends:
            body = body + bent_momentum(beams[i], state.bends[i])
        linear = pose.R @ body[3:]
        angular = pose.R @ body[:3] + cross_product(pose.r, linear)
        total = total + np.concatenate([angular, linear])
    return total
