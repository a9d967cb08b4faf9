"""Bodies and joints as the papers write them: inertial axes, mass centers, screws, systems solved without pivots."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, skew
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formulations.virtual_power import joint_resistance
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import JointFrame, Loop, loop_pose
from linkwright.mechanism.tree import Link, Tree
from linkwright.papers.leg_chains import Step, TreeStep
from linkwright.recursion.force_elements import element_wrenches
from linkwright.recursion.inertia import joint_maps
from linkwright.recursion.matrices import mass_center
from linkwright.recursion.poses import link_poses
from linkwright.recursion.relative_motion import WORLD, FramePose
from linkwright.recursion.twist_recursion import motion_of_tree

# --- bodies as the papers write them ----------------------------------------------------------------------------------


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
    if tree.point_forces or tree.lifts:
        uncut = replace(tree, cut_joints=())  # what acts there is counted along their velocities
        outer += element_wrenches(uncut, motion_of_tree(uncut, q, v, np.zeros(tree.nv)))
    for wrenches in outer:
        for i in tree.bodies:
            n, f = poses[i].R @ wrenches[i][:3], poses[i].R @ wrenches[i][3:]
            w[i] = w[i] + join_twist(n + cross_product(poses[i].r - bodies[i].C, f), f)
    return w


# --- joints as screws in the world ------------------------------------------------------------------------------------

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


# --- square systems solved by orthogonal columns, which needs no pivots and so no look at values (any scalar) ---------


def solve_regular(A: Mat, Y: Mat) -> Mat:
    """X with A X = Y, (n, m), for a regular square A and one vector or several columns.

    Modified Gram-Schmidt on the columns of [A Y] without square roots; what is taken off A's columns is taken off Y's
    too, which keeps the result as good as A's condition allows.

    >>> solve_regular(np.array([[0.0, 2.0], [1.0, 0.0]]), np.array([4.0, 3.0])).tolist()
    [3.0, 2.0]
    """
    n = len(A)
    columns = [A[:, j] for j in range(n)]
    rest = np.array(Y)
    R: list[list[Any]] = [[0.0] * n for _ in range(n)]
    Z = []
    for j in range(n):
        along = columns[j] * (1.0 / (columns[j] @ columns[j]))
        Z.append(along @ rest)
        rest = rest - (np.outer(columns[j], Z[j]) if rest.ndim == 2 else columns[j] * Z[j])
        for k in range(j + 1, n):
            R[j][k] = along @ columns[k]
            columns[k] = columns[k] - columns[j] * R[j][k]
    X = list(Z)
    for j in reversed(range(n)):
        for k in range(j + 1, n):
            X[j] = X[j] - R[j][k] * X[k]
    return np.array(X)


def own_parts(A: Mat) -> list[Any]:
    """Per column of A the part, squared, that the columns before it do not have; 0 where A is singular.

    >>> [float(x) for x in own_parts(np.eye(2))]
    [1.0, 1.0]
    """
    columns = [A[:, j] for j in range(len(A))]
    parts = []
    for j, own in enumerate(columns):
        size = own @ own
        parts.append(size * (1.0 / (A[:, j] @ A[:, j])))
        along = own * (1.0 / size)
        columns[j + 1 :] = [x - own * (along @ x) for x in columns[j + 1 :]]
    return parts
