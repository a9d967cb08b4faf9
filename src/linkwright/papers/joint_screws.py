"""Joints as screws in the world: the directions a joint turns about and slides along, and their rates (any scalar)."""

from __future__ import annotations

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, skew
from linkwright.dataclass import dataclass
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import JointFrame, Loop
from linkwright.mechanism.tree import Link
from linkwright.papers.leg_chains import Step, TreeStep
from linkwright.recursion.inertia import joint_maps
from linkwright.recursion.poses import link_poses
from linkwright.recursion.relative_motion import WORLD, FramePose

_O = np.zeros(3)


@dataclass(frozen=True, eq=False)
class Freedom:
    """One speed of a joint: it turns about e and slides along l (world axes), both fixed in link `holder`."""

    e: Vec
    l: Vec
    holder: int


@dataclass(frozen=True, eq=False)
class Screws:
    """The freedoms of a joint about the point O [m, world], fixed in link `rider`; `speeds` are poses in v."""

    step: Step
    O: Vec
    rider: int
    freedoms: tuple[Freedom, ...]
    speeds: tuple[int | None, ...]

    def at(self, X: Vec) -> list[Vec]:
        """Per speed the twist of the outer link at the point X that it causes, (6,) (Khan 22-23, 66)."""
        sign = self.step.sign
        return [sign * join_twist(f.e, f.l + cross_product(f.e, X - self.O)) for f in self.freedoms]

    def rate_at(self, X: Vec, X_dot: Vec, bodies: Bodies) -> list[Vec]:
        """Rates of those twists while X moves with X_dot and the links with their twists."""
        O_dot = bodies.velocity(self.rider, self.O)
        out = []
        for f in self.freedoms:
            omega = bodies.t[f.holder][:3]
            e_dot, l_dot = cross_product(omega, f.e), cross_product(omega, f.l)
            linear = l_dot + cross_product(e_dot, X - self.O) + cross_product(f.e, X_dot - O_dot)
            out.append(self.step.sign * join_twist(e_dot, linear))
        return out


@dataclass(frozen=True, eq=False)
class Bodies:
    """Hybrid twists t (world axes) of links at their points C; the last entries belong to the base."""

    C: list[Vec]
    t: list[Vec]

    def velocity(self, i: int, X: Vec) -> Vec:
        """Velocity of the point X of link i."""
        return self.t[i][3:] + cross_product(self.t[i][:3], X - self.C[i])


def propagation_matrix(arm: Vec) -> Mat:
    """B = [1 0; -arm x, 1]: the twist at a point `arm` [m] further on, (6, 6) (Khan 15, 18, 21)."""
    eye, zero = np.eye(3), np.zeros((3, 3))
    return np.block([[eye, zero], [-skew(arm), eye]])


def shift_twist(t: Vec, arm: Vec) -> Vec:
    """B t without writing B: the same body's twist at a point `arm` further on."""
    return join_twist(t[:3], t[3:] + cross_product(t[:3], arm))


def moved_back(w: Vec, arm: Vec) -> Vec:
    """B^T w: a wrench at a point `arm` further on, seen from here."""
    return join_twist(w[:3] + cross_product(arm, w[3:]), w[3:])


def poses_with_base(closure: Closure, q: Vec) -> list[FramePose]:
    """World poses of all links; the base is the last."""
    return [*link_poses(closure.tree, q), WORLD]


def screws_of_chain(closure: Closure, steps: tuple[Step, ...], q: Vec, poses: list[FramePose]) -> list[Screws]:
    """The joints along a chain as screws in the world."""
    maps = joint_maps(closure.tree, q)
    out = []
    for step in steps:
        if isinstance(step, TreeStep):
            out.append(_tree_screws(closure.tree.links[step.link], step, maps[step.link].p, poses))
        else:
            out.append(_cut_screws(closure.loops[step.loop], step, poses))
    return out


def _tree_screws(link: Link, step: TreeStep, p: Mat, poses: list[FramePose]) -> Screws:
    pose = poses[step.link]
    holders = _links_holding_axes(link.kind, *((step.link, link.parent) if link.reversed else (link.parent, step.link)))
    freedoms = [Freedom(pose.R @ x[:3], pose.R @ x[3:], h) for x, h in zip(p.T, holders, strict=True)]
    speeds = tuple(range(link.dofs.start, link.dofs.stop))
    if link.reversed and not (link.kind.keeps_origin or link.kind.can_shift_along_z):
        O = poses[link.parent].r + poses[link.parent].R @ link.r  # the origin of the drawing's child
        freedoms = [Freedom(f.e, f.l + cross_product(f.e, O - pose.r), f.holder) for f in freedoms]
        return Screws(step, O, link.parent, tuple(freedoms), speeds)
    return Screws(step, pose.r, step.link, tuple(freedoms), speeds)


def _links_holding_axes(kind: kinds.JointKind, parent: int, child: int) -> list[int]:
    """The link in which each direction of a joint is fixed; parent and child are those of the drawing."""
    return [(parent, child)[side] for side in kind.velocity_sides or ()]


def _cut_screws(loop: Loop, step: Step, poses: list[FramePose]) -> Screws:
    """A cut joint, closed: its directions from the two frames that meet."""
    parent, child = (loop.far, loop.near) if loop.flipped else (loop.near, loop.far)
    R_p, R_c = poses[parent.link].R @ parent.at.R, poses[child.link].R @ child.at.R
    by_side = loop.kind.element_axes(R_p, R_c), loop.kind.element_axes(R_c, R_c)
    axes = [by_side[side][i] for i, side in enumerate(loop.kind.velocity_sides or ())]
    twists = zip(loop.kind.unit_twists(), axes, strict=True)
    pairs = [(e, x.pitch * e if x.pitch else _O) if x.turns else (_O, e) for x, e in twists]
    holders = _links_holding_axes(loop.kind, parent.link, child.link)
    freedoms = tuple(Freedom(e, s, h) for (e, s), h in zip(pairs, holders, strict=True))
    return Screws(step, frame_origin(child, poses), child.link, freedoms, (None,) * len(freedoms))


def floating_acceleration(link: Link, pose: FramePose, omega: Vec, vel: Vec, alpha: Vec, acc: Vec) -> Vec:
    """Accelerations (6,) of the floating joint of a link on the base, from the link's motion in world axes.

    Args:
        link: the link that floats. pose: where it stands.
        omega, vel: its angular velocity and the velocity of its origin. alpha, acc: their rates.
    """
    if not link.reversed:
        return join_twist(pose.R.T @ alpha, pose.R.T @ (acc - cross_product(omega, vel)))
    R_T = link.R.matrix.T  # the drawing's child is the base, which the link's motion sweeps past
    return join_twist(
        -(R_T @ alpha), -(R_T @ (acc + cross_product(alpha, link.r - pose.r) - cross_product(omega, vel)))
    )


def frame_origin(end: JointFrame, poses: list[FramePose]) -> Vec:
    """The origin of a loop's end in the world."""
    return poses[end.link].r + poses[end.link].R @ end.at.r
