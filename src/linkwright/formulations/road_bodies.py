"""Bodies as the papers write them: inertial axes, twists at the mass centres, Newton-Euler equations (any scalar)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross, twist
from linkwright.loops.closure import Closure
from linkwright.mechanism.tree import Tree
from linkwright.recursion.lifts import lift_wrenches
from linkwright.recursion.matrices import mass_centre
from linkwright.recursion.motion import motion
from linkwright.recursion.places import Place
from linkwright.recursion.struts import strut_wrenches


@dataclass(frozen=True, eq=False)
class WorldBody:
    """Mass m, mass centre C and inertia tensor I about it, world axes."""

    m: Any
    C: Vec
    I: Mat

    @property
    def M(self) -> Mat:
        """The mass matrix [I 0; 0 m 1] at the mass centre, (6, 6) (Khan 9, Rao 25c)."""
        zero = np.zeros((3, 3))
        return np.block([[self.I, zero], [zero, self.m * np.eye(3)]])

    def momentum(self, t: Vec) -> Vec:
        """M t."""
        return twist(self.I @ t[:3], self.m * t[3:])

    def wrench(self, t: Vec, t_dot: Vec) -> Vec:
        """M t_dot + W M t, what the body needs for its motion (Khan 10, Rao 37)."""
        gyroscopic = cross(t[:3], self.I @ t[:3])
        return twist(self.I @ t_dot[:3] + gyroscopic, self.m * t_dot[3:])

    def share(self, part: float) -> WorldBody:
        """A part of the body with the same mass centre."""
        return WorldBody(part * self.m, self.C, part * self.I)


def world_bodies(tree: Tree, places: list[Place]) -> list[WorldBody]:
    """Every link's body in the world."""
    out = []
    for link, i in zip(tree.links, tree.bodies, strict=True):
        c = mass_centre(tree, i)
        Sigma = link.moments.Sigma - link.moments.m * np.outer(c, c)
        tensor = np.trace(Sigma) * np.eye(3) - Sigma
        place = places[i]
        out.append(WorldBody(link.moments.m, place.r + place.R @ c, place.R @ tensor @ place.R.T))
    return out


def applied_wrenches(
    closure: Closure, bodies: list[WorldBody], places: list[Place], q: Vec, v: Vec, w_ext: list[Vec] | None
) -> list[Vec]:
    """Weight, its compensation, struts and outer wrenches on every body, w^G, world axes, at the mass centre.

    `w_ext` is given per link, in link axes at the link's origin.
    """
    tree = closure.tree
    w = [twist(np.zeros(3), body.m * tree.gravity) for body in bodies]
    outer = [] if w_ext is None else [w_ext]
    if tree.struts:
        outer.append(strut_wrenches(tree, motion(tree, q, v, np.zeros(tree.nv))))
    if tree.lifts:
        outer.append(lift_wrenches(tree, motion(tree, q, v, np.zeros(tree.nv))))
    for wrenches in outer:
        for i in tree.bodies:
            n, f = places[i].R @ wrenches[i][:3], places[i].R @ wrenches[i][3:]
            w[i] = w[i] + twist(n + cross(places[i].r - bodies[i].C, f), f)
    return w
