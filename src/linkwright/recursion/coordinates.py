"""From speeds to rates of coordinates, and coordinates kept valid (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.mechanism.tree import Tree


def tree_coordinate_rates(tree: Tree, q: Vec, v: Vec) -> Vec:
    """Time derivative of q at speeds v, (nq,)."""
    q_dot = np.zeros(tree.nq, dtype=np.result_type(q, v))
    for link in tree.links:
        q_dot[link.coords] = link.kind.coordinate_rates(q[link.coords], v[link.dofs])
    return q_dot


def normalize_quaternions(tree: Tree, q: Vec) -> Vec:
    """The same coordinates with quaternions brought to unit length, (nq,)."""
    out = np.array(q)
    for own in quaternion_slices(tree):
        wxyz = q[own]
        out[own] = wxyz / np.sqrt(wxyz @ wxyz)
    return out


def quaternion_slices(tree: Tree) -> list[slice]:
    """Slices of the quaternions in q."""
    slices = []
    for link in tree.links:
        if link.kind.has_quaternion:
            slices.append(slice(link.coords.stop - 4, link.coords.stop))
    return slices


def advance_coordinates(tree: Tree, q: Vec, dv: Vec) -> Vec:
    """q moved by the small displacement dv, given as speeds over a unit of time (nv,); quaternions stay unit."""
    return normalize_quaternions(tree, q + tree_coordinate_rates(tree, q, dv))
