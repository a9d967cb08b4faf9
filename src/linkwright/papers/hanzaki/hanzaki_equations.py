"""Hanzaki's formulation: subsystems cut at spherical joints, whose forces are the Lagrange multipliers (any scalar).

A turn about the unit axis u by the angle phi has e0 = cos(phi / 2) and e = u sin(phi / 2): the unit quaternion w x y z.
The rates of e alone are independent velocities, since e0 follows from them; at e0 = 0 (a half turn) they are not, and
G* is singular there, although the paper claims freedom from singularities.

Twists are about the joint origins O_i, spherical joints in Euler parameters. Symbols and equation numbers are those of
Rahmani Hanzaki, Yoosefi 2011.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np

from linkwright.algebra.rotations import rotation_matrix
from linkwright.algebra.sums import is_structural_zero
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, skew
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formulations.formulation import Formulation
from linkwright.loops.closure import Closure, relative_poses
from linkwright.papers.leg_chains import CutStep, Step, TreeStep, require_rigid
from linkwright.papers.world_bodies import (
    Bodies,
    Screws,
    WorldBody,
    applied_wrenches,
    floating_acceleration,
    frame_origin,
    moved_back,
    poses_with_base,
    propagation_matrix,
    screws_of_chain,
    shift_twist,
    solve_regular,
    spherical_moments,
    world_bodies,
)
from linkwright.recursion.force_elements import passive_forces
from linkwright.recursion.forward_recursion import factor_udu, udu_solve
from linkwright.recursion.relative_motion import FramePose

# --- euler parameters with three independent rates, as Hanzaki writes a spherical joint (any scalar) ------------------


def from_rotation(R: Mat) -> Vec:
    """Euler parameters (e0, e1, e2, e3) of a rotation matrix with e0 > 0; not for half turns.

    >>> from_rotation(np.diag([1.0, 1.0, 1.0])).tolist()
    [1.0, 0.0, 0.0, 0.0]
    """
    e0 = 0.5 * np.sqrt(1.0 + R[0, 0] + R[1, 1] + R[2, 2])
    scale = 0.25 / e0
    return np.array([e0, scale * (R[2, 1] - R[1, 2]), scale * (R[0, 2] - R[2, 0]), scale * (R[1, 0] - R[0, 1])])


def G_star(wxyz: Vec) -> Mat:
    """G* = (R + 1) / e0, rates of e to the angular velocity in the parent's axes, (3, 3) (Hanzaki 5, theory 7.26)."""
    return (rotation_matrix(wxyz) + np.eye(3)) * (1.0 / wxyz[0])


def euler_parameter_rates(wxyz: Vec, omega: Vec) -> Vec:
    """Rates of e for an angular velocity in the parent's axes, G*^-1 omega = (e0 1 - e x) omega / 2 (theory 7.27)."""
    return 0.5 * (wxyz[0] * omega - skew(wxyz[1:]) @ omega)


def scalar_rate(wxyz: Vec, e_dot: Vec) -> Any:
    """The rate of e0 that goes with the rates of e."""
    return -(wxyz[1:] @ e_dot) * (1.0 / wxyz[0])


def G_star_rate(wxyz: Vec, e_dot: Vec) -> Mat:
    """The rate of G* = 2 (e0 1 + e e^T / e0 + e x) while e moves with e_dot, (3, 3)."""
    e0, e, e0_dot = wxyz[0], wxyz[1:], scalar_rate(wxyz, e_dot)
    both = np.outer(e_dot, e)
    spread = (both + both.T) * (1.0 / e0) - np.outer(e, e) * (e0_dot / (e0 * e0))
    return 2.0 * (e0_dot * np.eye(3) + spread + skew(e_dot))


# --- open subsystems as Hanzaki cuts them -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class OpenSubsystems:
    """Steps to every body, inner bodies first, the loops that stay cut, and the subsystem of every body.

    `reference` holds, for a spherical joint that was cut and now carries the platform, the turn at which its Euler
    parameters are (1, 0, 0, 0); any constant one will do, and the home pose's keeps the half turn far away.
    """

    steps: tuple[Step, ...]
    cuts: tuple[int, ...]
    subsystem: tuple[int, ...]
    reference: dict[str, Mat]

    @property
    def count(self) -> int:
        """Number of subsystems."""
        return 1 + max(self.subsystem)


def find_open_subsystems(closure: Closure, home: Vec) -> OpenSubsystems:
    """The subsystems of a mechanism whose loops close at spherical joints; `home` (nq,) gives the reference turns.

    Raises:
        ArgumentError: some loop closes otherwise, or a body floats free; the message names it.
    """
    require_rigid(closure)
    if closure.couplings:
        raise ArgumentError(
            f"coupling '{closure.couplings[0].name}' is not a spherical joint, and Hanzaki cuts only those"
        )
    for loop in closure.loops:
        if not loop.kind.turns_about_point:
            kind = type(loop.kind).__name__.lower()
            raise ArgumentError(f"loop '{loop.name}' closes at a {kind} joint, and Hanzaki cuts spherical joints only")
    if not closure.loops:
        raise ArgumentError("it has no loop to cut")
    return _order_bodies(closure, home)


def _order_bodies(closure: Closure, home: Vec) -> OpenSubsystems:
    tree = closure.tree
    reached, used = {-1}, set()
    steps: list[Step] = []
    waiting = list(tree.outward)
    while waiting:
        step = next((s for i in waiting if (s := _step_to_body(closure, i, reached)) is not None), None)
        if step is None:
            names = ", ".join(f"'{tree.links[i].name}'" for i in waiting)
            raise ArgumentError(f"bodies {names} float free and no spherical joint holds them")
        waiting.remove(step.outer)
        reached.add(step.outer)
        steps.append(step)
        if isinstance(step, CutStep):
            used.add(step.loop)
    cuts = tuple(n for n in range(len(closure.loops)) if n not in used)
    met = relative_poses(closure, home)
    reference = {}
    for step in steps:
        if isinstance(step, CutStep):
            Q = met[step.loop].Q
            reference[step.joint] = Q if closure.loops[step.loop].far.link == step.outer else Q.T
    return OpenSubsystems(tuple(steps), cuts, _number_subsystems(steps, len(tree.links)), reference)


def _step_to_body(closure: Closure, i: int, reached: set[int]) -> Step | None:
    """Step by which body i hangs on those reached: its own joint or, if it floats, the first spherical joint."""
    link = closure.tree.links[i]
    if not link.kind.floats:
        return TreeStep(link.joint, link.parent, i, i, 1.0) if link.parent in reached else None
    for n, loop in enumerate(closure.loops):
        ends = (loop.near.link, loop.far.link)
        if i in ends:
            inner = ends[0] if ends[1] == i else ends[1]
            return CutStep(loop.name, inner, i, n, 1.0) if inner in reached else None
    return None


def _number_subsystems(steps: list[Step], n: int) -> tuple[int, ...]:
    """Bodies joined without passing the base share a number."""
    number = [0] * n
    count = 0
    for step in steps:
        if step.inner < 0:
            number[step.outer], count = count, count + 1
        else:
            number[step.outer] = number[step.inner]
    return tuple(number)


# --- hanzaki's formulation --------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Hanzaki(Formulation):
    """Loops cut at spherical joints, the platform hung on the first in Euler parameters, multipliers (Hanzaki 2011)."""


@dataclass(frozen=True, eq=False)
class SphericalJoint:
    """A spherical joint of the open system: parent side axes F (world), Euler parameters e, G* (4-5)."""

    step: Step
    O: Vec
    F: Mat
    wxyz: Vec
    G_star: Mat

    def at(self, X: Vec) -> list[Vec]:
        """Columns of P = [F G*; 0], about O, so X does not matter (29 as corrected)."""
        return [join_twist(column, np.zeros(3)) for column in (self.F @ self.G_star).T]


OpenJoint = Screws | SphericalJoint


@dataclass(frozen=True, eq=False)
class OpenSystem:
    """The mechanism at q, cut open: a joint for every body, inner bodies first, and the points O of all links."""

    closure: Closure
    subsystems: OpenSubsystems
    poses: list[FramePose]
    joints: list[OpenJoint]
    O: list[Vec]

    @property
    def slices(self) -> list[slice]:
        """Slice of each joint's velocities among the independent generalized velocities."""
        ends = np.cumsum([0, *(joint_columns(joint).shape[1] for joint in self.joints)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]


def open_system(closure: Closure, subsystems: OpenSubsystems, q: Vec) -> OpenSystem:
    """Joints and joint origins of the cut system (theory 7.26-7.28)."""
    poses = poses_with_base(closure, q)
    joints: list[OpenJoint] = []
    O = [np.zeros(3) for _ in poses]
    for step in subsystems.steps:
        joint = _spherical_joint(closure, subsystems, step, q, poses) or screws_of_chain(closure, (step,), q, poses)[0]
        joints.append(joint)
        O[step.outer] = joint.O
    return OpenSystem(closure, subsystems, poses, joints, O)


def _spherical_joint(
    closure: Closure, subsystems: OpenSubsystems, step: Step, q: Vec, poses: list[FramePose]
) -> SphericalJoint | None:
    """A spherical joint in Euler parameters: those of q in the tree; at a cut, those of its two frames from home."""
    if isinstance(step, TreeStep):
        link = closure.tree.links[step.link]
        if not link.kind.turns_about_point:
            return None
        pose, wxyz = poses[step.link], q[link.coords]
        if link.reversed:
            wxyz = np.array([wxyz[0], -wxyz[1], -wxyz[2], -wxyz[3]])
        return SphericalJoint(step, pose.r, pose.R @ rotation_matrix(wxyz).T, wxyz, G_star(wxyz))
    loop = closure.loops[step.loop]
    inner, outer = (loop.near, loop.far) if loop.far.link == step.outer else (loop.far, loop.near)
    F, F_out = poses[inner.link].R @ inner.at.R, poses[outer.link].R @ outer.at.R
    F = F @ subsystems.reference[step.joint]
    wxyz = from_rotation(F.T @ F_out)
    return SphericalJoint(step, frame_origin(outer, poses), F, wxyz, G_star(wxyz))


@dataclass(frozen=True, eq=False)
class OpenMotion:
    """Independent velocities (theta_dot, e_dot) and accelerations joint by joint, twists and twist rates about O_i."""

    speeds: list[Vec]
    accelerations: list[Vec]
    bodies: Bodies
    t_dot: list[Vec]


@dataclass(frozen=True, eq=False)
class OfTree:
    """Accelerations of the tree's joints (nv,), from which those of the open subsystems follow."""

    a: Vec


def open_motion(m: OpenSystem, v: Vec, accelerations: Vec | OfTree) -> OpenMotion:
    """Twists t_i = A t_(i-1) + P_i speed_i and their rates, inner bodies first (2, 4, theory 7.28-7.29).

    Accelerations come from the tree's own, or are given joint by joint as one vector.
    """
    bodies = Bodies(m.O, [np.zeros(6) for _ in m.O])
    t, t_dot = bodies.t, [np.zeros(6) for _ in m.O]
    speeds, seconds = [], []
    for joint, own in zip(m.joints, m.slices, strict=True):
        i, k = joint.step.outer, joint.step.inner
        P, arm = joint_columns(joint), m.O[i] - m.O[k]
        speed = _independent_velocity(m, joint, v, t[k])
        t[i] = shift_twist(t[k], arm) + P @ speed
        carried = shift_twist(t_dot[k], arm) + join_twist(np.zeros(3), cross_product(t[k][:3], t[i][3:] - t[k][3:]))
        drifting = carried + _column_rate_product(joint, bodies, speed)
        if isinstance(accelerations, OfTree):
            given = _independent_acceleration(m, joint, accelerations.a, t[k], carried, drifting, speed)
        else:
            given = accelerations[own]
        t_dot[i] = drifting + P @ given
        speeds.append(speed)
        seconds.append(given)
    return OpenMotion(speeds, seconds, bodies, t_dot)


def joint_columns(joint: OpenJoint) -> Mat:
    """P_i about the joint's own origin, (6, speeds)."""
    return np.array(joint.at(joint.O)).T.reshape(6, -1)


def _independent_velocity(m: OpenSystem, joint: OpenJoint, v: Vec, t_in: Vec) -> Vec:
    """A joint's independent velocities from the tree's: its own, or Euler-parameter rates (theory 7.27)."""
    if isinstance(joint, Screws):
        return v[[d for d in joint.speeds if d is not None]]
    turning = _world_angular_velocity(m, joint, v)
    relative = turning if isinstance(joint.step, TreeStep) else turning - t_in[:3]
    return euler_parameter_rates(joint.wxyz, joint.F.T @ relative)


def _world_angular_velocity(m: OpenSystem, joint: SphericalJoint, x: Vec) -> Vec:
    """Angular velocity (or its rate) in world axes from those of the tree's joint at the ball's outer body."""
    return velocity_axes(m, joint) @ x[m.closure.tree.dofs[joint.step.outer]][:3]


def velocity_axes(m: OpenSystem, joint: SphericalJoint) -> Mat:
    """The axes in which the angular velocity of the outer body's tree joint is given; against the parent if reversed.

    A reversed joint's velocity is that of the parent in the parent's axes: for a spherical joint F, for a body that
    floats on the base the base's joint frame.
    """
    link = m.closure.tree.links[joint.step.outer]
    if not link.reversed:
        return m.poses[joint.step.outer].R
    return -(joint.F if isinstance(joint.step, TreeStep) else link.R.matrix)


def _column_rate_product(joint: OpenJoint, bodies: Bodies, speed: Vec) -> Vec:
    """P_dot speed."""
    i, k = joint.step.outer, joint.step.inner
    if isinstance(joint, Screws):
        p_dot = joint.rate_at(joint.O, bodies.t[i][3:], bodies)
        return sum((x * s for x, s in zip(p_dot, speed, strict=True)), np.zeros(6))
    turning = cross_product(bodies.t[k][:3], joint.F @ (joint.G_star @ speed))
    return join_twist(turning + joint.F @ (G_star_rate(joint.wxyz, speed) @ speed), np.zeros(3))


def _independent_acceleration(
    m: OpenSystem, joint: OpenJoint, a: Vec, t_in: Vec, carried: Vec, drifting: Vec, speed: Vec
) -> Vec:
    """A joint's independent accelerations from the tree's; Euler parameters make up what rates do not cause."""
    if isinstance(joint, Screws):
        return a[[d for d in joint.speeds if d is not None]]
    wanted = _world_angular_velocity(m, joint, a)
    if isinstance(joint.step, TreeStep):
        wanted = wanted + carried[:3] + cross_product(t_in[:3], joint.F @ (joint.G_star @ speed))
    return euler_parameter_rates(joint.wxyz, joint.F.T @ (wanted - drifting[:3]))


def hanzaki_tree_accelerations(m: OpenSystem, state: OpenMotion) -> Vec:
    """Accelerations of the tree's speeds (nv,) from the open system's."""
    tree = m.closure.tree
    a = np.zeros(tree.nv, dtype=np.result_type(*state.t_dot))
    t, t_dot = state.bodies.t, state.t_dot
    for joint, own in zip(m.joints, state.accelerations, strict=True):
        i, k = joint.step.outer, joint.step.inner
        if isinstance(joint, Screws):
            a[[d for d in joint.speeds if d is not None]] = own
        elif isinstance(joint.step, TreeStep):
            turning = cross_product(t[k][:3], t[i][:3])
            a[tree.dofs[i]] = velocity_axes(m, joint).T @ (t_dot[i][:3] - t_dot[k][:3] - turning)
        else:
            arm, omega, alpha = m.poses[i].r - m.O[i], t[i][:3], t_dot[i][:3]
            vel, acc = (
                shift_twist(t[i], arm)[3:],
                t_dot[i][3:] + cross_product(alpha, arm) + cross_product(omega, cross_product(omega, arm)),
            )
            a[tree.dofs[i]] = floating_acceleration(tree.links[i], m.poses[i], omega, vel, alpha, acc)
    return a


@dataclass(frozen=True, eq=False)
class Subsystem:
    """An open chain or tree: its joints' numbers, N_l, N_d and the mass matrix M about the joint origins (6-11).

    `speeds` are the indices of its velocities among the independent ones of the whole system.
    """

    joints: list[int]
    speeds: list[int]
    N_l: Mat
    N_d: Mat
    M: Mat

    @property
    def N(self) -> Mat:
        """N = N_l N_d (6, 21, 28)."""
        return self.N_l @ self.N_d

    @property
    def inertia(self) -> Mat:
        """N^T M N, each pair of elements once."""
        N = self.N
        MN = self.M @ N
        n = N.shape[1]
        entries = {(i, j): N[:, i] @ MN[:, j] for i in range(n) for j in range(i, n)}
        return np.array([[entries[min(i, j), max(i, j)] for j in range(n)] for i in range(n)])


def denoc_subsystems(m: OpenSystem) -> list[Subsystem]:
    """The subsystems I, II, III ... with their DeNOC matrices (17-21, 26-29, theory 7.28)."""
    bodies = world_bodies(m.closure.tree, m.poses)
    return [_denoc_subsystem(m, bodies, number) for number in range(m.subsystems.count)]


def _denoc_subsystem(m: OpenSystem, bodies: list[WorldBody], number: int) -> Subsystem:
    joints = [n for n, joint in enumerate(m.joints) if m.subsystems.subsystem[joint.step.outer] == number]
    row = {m.joints[n].step.outer: 6 * k for k, n in enumerate(joints)}
    speeds = [d for n in joints for d in range(m.slices[n].start, m.slices[n].stop)]
    dtype = np.result_type(*m.O, bodies[0].C)
    N_l, N_d = (
        np.zeros((6 * len(joints), 6 * len(joints)), dtype=dtype),
        np.zeros((6 * len(joints), len(speeds)), dtype),
    )
    M = np.zeros_like(N_l)
    for n in joints:
        i, k = m.joints[n].step.outer, m.joints[n].step.inner
        own = slice(row[i], row[i] + 6)
        N_l[own, own] = np.eye(6)
        if k >= 0:
            inner = slice(row[k], row[k] + 6)
            N_l[own, : row[i]] = propagation_matrix(m.O[i] - m.O[k]) @ N_l[inner, : row[i]]
        N_d[own, [speeds.index(d) for d in range(m.slices[n].start, m.slices[n].stop)]] = joint_columns(m.joints[n])
        M[own, own] = _mass_matrix_about(bodies[i], m.O[i])
    return Subsystem(joints, speeds, N_l, N_d, M)


def _mass_matrix_about(body: WorldBody, O: Vec) -> Mat:
    """M_i = [I_O, m d x; -m d x, m 1] about O_i (9)."""
    d = body.C - O
    cross_d = skew(d)
    tensor = body.I + body.m * ((d @ d) * np.eye(3) - np.outer(d, d))
    return np.block([[tensor, body.m * cross_d], [-body.m * cross_d, body.m * np.eye(3)]])


def required_forces(m: OpenSystem, q: Vec, v: Vec, state: OpenMotion, w_ext: list[Vec] | None) -> Vec:
    """N^T (M t_dot + W M E t - w^g - w^e), springs and friction, along the independent velocities (12-13)."""
    tree, bodies = m.closure.tree, world_bodies(m.closure.tree, m.poses)
    applied = applied_wrenches(m.closure, bodies, m.poses, q, v, w_ext)
    w = [_body_wrench(m, bodies[i], i, state) - moved_back(applied[i], bodies[i].C - m.O[i]) for i in tree.bodies]
    if tree.cut_joints:
        moments = spherical_moments(m.closure, m.poses, [t[:3] for t in state.bodies.t])
        w = [w_i + join_twist(n, np.zeros(3)) for w_i, n in zip(w, moments[:-1], strict=True)]
    resisted = passive_forces(tree, q, v)
    out: list[Vec] = [np.zeros(0)] * len(m.joints)
    for n in reversed(range(len(m.joints))):
        joint = m.joints[n]
        i, k = joint.step.outer, joint.step.inner
        out[n] = joint_columns(joint).T @ w[i] + _joint_resistance(m, joint, resisted, state.accelerations[n])
        if k >= 0:
            w[k] = w[k] + moved_back(w[i], m.O[i] - m.O[k])
    return np.concatenate(out)


def _body_wrench(m: OpenSystem, body: WorldBody, i: int, state: OpenMotion) -> Vec:
    """M_i t_dot_i + W_i M_i E_i t_i (8)."""
    omega, M = state.bodies.t[i][:3], _mass_matrix_about(body, m.O[i])
    gyroscopic = M[:, :3] @ omega
    return M @ state.t_dot[i] + join_twist(cross_product(omega, gyroscopic[:3]), cross_product(omega, gyroscopic[3:]))


def _joint_resistance(m: OpenSystem, joint: Screws | SphericalJoint, resisted: Vec, second: Vec) -> Vec:
    """Springs, friction and rotors at a joint, along its independent velocities."""
    if isinstance(joint, Screws):
        speeds = [d for d in joint.speeds if d is not None]
        return resisted[speeds] + m.closure.tree.rotors[speeds] * second
    if not isinstance(joint.step, TreeStep):
        return np.zeros(3)
    i = joint.step.link
    return joint.G_star.T @ (joint.F.T @ (velocity_axes(m, joint) @ resisted[m.closure.tree.dofs[i]]))


@dataclass(frozen=True, eq=False)
class Cut:
    """Cut spherical joint: axes of the leg's end (columns, world), Jacobian rows N^T w^lambda and its rate term."""

    axes: Mat
    rows: Mat
    bias: Vec


def forces_at_cuts(m: OpenSystem, parts: list[Subsystem], state: OpenMotion) -> list[Cut]:
    """Generalized forces of a force by the platform on the leg, in leg axes (24-25, 31, theory 7.30)."""
    where = {m.joints[n].step.outer: (part, 6 * k) for part in parts for k, n in enumerate(part.joints)}
    out = []
    for number in m.subsystems.cuts:
        loop = m.closure.loops[number]
        B, axes = frame_origin(loop.near, m.poses), m.poses[loop.near.link].R @ loop.near.at.R
        rows = np.zeros((3, m.slices[-1].stop), dtype=axes.dtype)
        bias = np.zeros(3)
        for sign, end in ((1.0, loop.near), (-1.0, loop.far)):
            if end.link < 0:
                continue
            part, row = where[end.link]
            N = part.N[row : row + 6]
            arm = B - m.O[end.link]
            for c in range(3):
                rows[c, part.speeds] = rows[c, part.speeds] + sign * (
                    join_twist(cross_product(arm, axes[:, c]), axes[:, c]) @ N
                )
            bias = bias + sign * (axes.T @ _point_acceleration(state, end.link, arm))
        out.append(Cut(axes, rows, bias))
    return out


def _point_acceleration(state: OpenMotion, i: int, arm: Vec) -> Vec:
    omega, t_dot = state.bodies.t[i][:3], state.t_dot[i]
    return t_dot[3:] + cross_product(t_dot[:3], arm) + cross_product(omega, cross_product(omega, arm))


@dataclass(frozen=True, eq=False)
class CutSolution:
    """Efforts or accelerations, and the platform's force on the leg at every cut spherical joint, leg axes, (3,)."""

    values: Vec
    multipliers: list[Vec]
    cuts: list[Cut]


def hanzaki_inverse_dynamics(
    m: OpenSystem, speeds: tuple[int, ...], q: Vec, v: Vec, a: Vec, w_ext: list[Vec] | None = None
) -> CutSolution:
    """Driving efforts and multipliers together, from N^T (M t_dot + W M E t) = N^T (w^e + w^lambda) (32)."""
    state, parts = open_motion(m, v, OfTree(a)), denoc_subsystems(m)
    made = forces_at_cuts(m, parts, state)
    X = np.concatenate([drive_columns(m, speeds), *(cut.rows.T for cut in made)], axis=1)
    x = solve_regular(X, required_forces(m, q, v, state, w_ext))
    lam = [x[len(speeds) + 3 * k : len(speeds) + 3 * k + 3] for k in range(len(made))]
    return CutSolution(x[: len(speeds)], lam, made)


def drive_columns(m: OpenSystem, speeds: tuple[int, ...]) -> Mat:
    """Matrix that places the driving efforts among the independent velocities (23, 30)."""
    index: dict[int | None, int] = {}
    for joint, own in zip(m.joints, m.slices, strict=True):
        if isinstance(joint, Screws):
            index |= dict(zip(joint.speeds, range(own.start, own.stop), strict=True))
    out = np.zeros((m.slices[-1].stop, len(speeds)))
    for k, speed in enumerate(speeds):
        out[index[speed], k] = 1.0
    return out


def hanzaki_forward_dynamics(
    m: OpenSystem, speeds: tuple[int, ...], q: Vec, v: Vec, tau: Vec, w_ext: list[Vec] | None = None
) -> CutSolution:
    """Accelerations of the tree's speeds: subsystems by themselves, then the multipliers, then back (theory 7.31)."""
    n = m.slices[-1].stop
    still, parts = open_motion(m, v, np.zeros(n)), denoc_subsystems(m)
    made = forces_at_cuts(m, parts, still)
    force = drive_columns(m, speeds) @ tau - required_forces(m, q, v, still, w_ext)
    J = np.concatenate([cut.rows for cut in made])
    columns_of = np.concatenate([force[:, None], J.T], axis=1)
    free = np.zeros_like(columns_of)
    for part in parts:
        factors = factor_udu(part.inertia + np.diag(_rotors_of_joints(m)[part.speeds]))
        for c in range(columns_of.shape[1]):
            if any(not is_structural_zero(x) for x in columns_of[part.speeds, c]):
                free[part.speeds, c] = udu_solve(*factors, columns_of[part.speeds, c])
    gap = J @ free[:, 0] + np.concatenate([cut.bias for cut in made])
    lam = -udu_solve(*factor_udu(J @ free[:, 1:]), gap)
    state = open_motion(m, v, free[:, 0] + free[:, 1:] @ lam)
    return CutSolution(hanzaki_tree_accelerations(m, state), [lam[3 * k : 3 * k + 3] for k in range(len(made))], made)


def _rotors_of_joints(m: OpenSystem) -> Vec:
    out = np.zeros(m.slices[-1].stop)
    for joint, own in zip(m.joints, m.slices, strict=True):
        if isinstance(joint, Screws):
            out[own] = m.closure.tree.rotors[[d for d in joint.speeds if d is not None]]
    return out
