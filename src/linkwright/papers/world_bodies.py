"""Bodies as the papers write them: inertial axes, twists at the mass centers, Newton-Euler equations (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formulations.virtual_power import joint_resistance
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import loop_pose
from linkwright.mechanism.tree import Tree
from linkwright.recursion.force_elements import point_wrenches
from linkwright.recursion.gravity_compensation import lift_wrenches
from linkwright.recursion.matrices import mass_center
from linkwright.recursion.relative_motion import FramePose
from linkwright.recursion.twist_recursion import motion_of_tree


@dataclass(frozen=True, eq=False)
class WorldBody:
    """Mass m, mass center C and inertia tensor I about it, world axes."""

    m: Any
    C: Vec
    I: Mat

    @property
    def M(self) -> Mat:
        """The mass matrix [I 0; 0 m 1] at the mass center, (6, 6) (Khan 9, Rao 25c)."""
        zero = np.zeros((3, 3))
        return np.block([[self.I, zero], [zero, self.m * np.eye(3)]])

    def momentum(self, t: Vec) -> Vec:
        """M t."""
        return join_twist(self.I @ t[:3], self.m * t[3:])

    def wrench(self, t: Vec, t_dot: Vec) -> Vec:
        """M t_dot + W M t, what the body needs for its motion (Khan 10, Rao 37)."""
        gyroscopic = cross_product(t[:3], self.I @ t[:3])
        return join_twist(self.I @ t_dot[:3] + gyroscopic, self.m * t_dot[3:])

    def share(self, part: float) -> WorldBody:
        """A part of the body with the same mass center."""
        return WorldBody(part * self.m, self.C, part * self.I)


def world_bodies(tree: Tree, poses: list[FramePose]) -> list[WorldBody]:
    """Every link's body in the world."""
    out = []
    for link, i in zip(tree.links, tree.bodies, strict=True):
        c = mass_center(tree, i)
        Sigma = link.moments.Sigma - link.moments.m * np.outer(c, c)
        tensor = np.trace(Sigma) * np.eye(3) - Sigma
        pose = poses[i]
        out.append(WorldBody(link.moments.m, pose.r + pose.R @ c, pose.R @ tensor @ pose.R.T))
    return out


def at_cut(closure: Closure, loop: int, poses: list[FramePose], rates: Any, accelerations: Any) -> list[Any]:
    """Forces of springs, friction and rotors along the velocities of a cut joint, [N m or N]; zeros if none."""
    own = closure.loops[loop]
    cut = next((cut for cut in closure.tree.cut_joints if cut.name == own.name), None)
    if cut is None:
        return [0.0] * len(rates)
    return joint_resistance(own, own.kind.closed_pose(loop_pose(own, poses)), cut, rates, accelerations)


def spherical_moments(closure: Closure, poses: list[FramePose], omega: list[Vec]) -> list[Vec]:
    """Moments on links against friction at cut spherical joints, world axes; `omega` of all links, the base last."""
    moments = [np.zeros(3) for _ in omega]
    for cut in closure.tree.cut_joints:
        index = next(n for n, loop in enumerate(closure.loops) if loop.name == cut.name)
        loop = closure.loops[index]
        parent, child = (loop.far, loop.near) if loop.flipped else (loop.near, loop.far)
        axes = poses[child.link].R @ child.at.R
        rates = list(axes.T @ (omega[child.link] - omega[parent.link]))
        moment = axes @ np.array(at_cut(closure, index, poses, rates, [0.0] * 3))
        moments[child.link] = moments[child.link] + moment
        moments[parent.link] = moments[parent.link] - moment
    return moments


def require_no_rotors(closure: Closure, paper: str) -> None:
    """Refuse rotors at spherical joints, which a paper's equations have no term for."""
    for cut in closure.tree.cut_joints:
        if np.any(cut.rotors):
            raise ArgumentError(
                f"joint '{cut.name}' is cut and carries a rotor or armature, which would couple the parts that {paper} "
                "solves one by one"
            )
    for link in closure.tree.links:
        if link.kind.turns_about_point and np.any(closure.tree.rotors[link.dofs]):
            raise ArgumentError(
                f"spherical joint '{link.joint}' carries a rotor or armature, which {paper}'s do not have"
            )


def applied_wrenches(
    closure: Closure, bodies: list[WorldBody], poses: list[FramePose], q: Vec, v: Vec, w_ext: list[Vec] | None
) -> list[Vec]:
    """Weight, its compensation, force elements and outer wrenches on every body, w^G, world axes, at the mass center.

    `w_ext` is given per link, in link axes at the link's origin.
    """
    tree = closure.tree
    w = [join_twist(np.zeros(3), body.m * tree.gravity) for body in bodies]
    outer = [] if w_ext is None else [w_ext]
    if tree.point_forces:
        outer.append(point_wrenches(tree, motion_of_tree(tree, q, v, np.zeros(tree.nv))))
    if tree.lifts:
        outer.append(lift_wrenches(tree, motion_of_tree(tree, q, v, np.zeros(tree.nv))))
    for wrenches in outer:
        for i in tree.bodies:
            n, f = poses[i].R @ wrenches[i][:3], poses[i].R @ wrenches[i][3:]
            w[i] = w[i] + join_twist(n + cross_product(poses[i].r - bodies[i].C, f), f)
    return w
