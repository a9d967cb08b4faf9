"""Coordinates after a motion with constant velocities, and the velocities between two sets of coordinates."""

from __future__ import annotations

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.functions.definition import compiled
from linkwright.functions.setup import Setup
from linkwright.recursion.twist_recursion import normalize_quaternions


@compiled("q", "v", "h")
def integrated(setup: Setup, q: Vec, v: Vec, h: Vec) -> Vec:
    """Coordinates (nq,) after moving from q with constant velocities v for a time h, (1,) [s].

    Quaternions follow the exponential of the velocity in the child's axes, so that this is the
    exact solution of q_dot(q, v).
    """
    dv = h[0] * v
    out = np.zeros(setup.tree.nq, dtype=np.result_type(q, dv))
    for link in setup.tree.links:
        out[link.coords] = link.kind.moved_coordinates(q[link.coords], dv[link.dofs])
    return normalize_quaternions(setup.tree, out)


@compiled("q", "q1", public=True)
def difference(setup: Setup, q: Vec, q1: Vec) -> Vec:
    """Velocities (nv,) that lead from q to q1 in a unit of time; rotations the short way round, by at most pi."""
    out = np.zeros(setup.tree.nv, dtype=np.result_type(q, q1))
    for link in setup.tree.links:
        out[link.dofs] = link.kind.displacement_between(q[link.coords], q1[link.coords])
    return out
