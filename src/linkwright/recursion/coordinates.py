"""From speeds to rates of coordinates, and coordinates kept valid (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra import quaternion
from linkwright.algebra.vectors import Vec
from linkwright.mechanism.tree import Link, Tree


def coordinate_rates(tree: Tree, q: Vec, v: Vec) -> Vec:
    """Time derivative of q at speeds v, (nq,)."""
    q_dot = np.zeros(tree.nq, dtype=np.result_type(q, v))
    for link in tree.links:
        q_dot[link.coords] = _rates(link, q[link.coords], v[link.dofs])
    return q_dot


def _rates(link: Link, q: Vec, v: Vec) -> Vec:
    match link.kind:
        case kinds.Spherical():
            return quaternion.rate(q, v)
        case kinds.Floating():
            return np.concatenate([quaternion.rotation(q[3:]) @ v[3:], quaternion.rate(q[3:], v[:3])])
        case _:
            return v


def normalized(tree: Tree, q: Vec) -> Vec:
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
        if isinstance(link.kind, kinds.Spherical | kinds.Floating):
            slices.append(slice(link.coords.stop - 4, link.coords.stop))
    return slices


def advanced(tree: Tree, q: Vec, dv: Vec) -> Vec:
    """q moved by the small displacement dv, given as speeds over a unit of time (nv,); quaternions stay unit."""
    return normalized(tree, q + coordinate_rates(tree, q, dv))
