"""Hanzaki's dynamics: subsystems cut at ball joints, whose forces are the Lagrange multipliers (any scalar)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross, skew, twist
from linkwright.formulations.hanzaki_kinematics import (
    Ball,
    OpenMotion,
    OpenSystem,
    columns,
    open_motion,
    tree_accelerations,
    velocity_axes,
)
from linkwright.formulations.orthogonal import solved
from linkwright.formulations.road_bodies import WorldBody, applied_wrenches, ball_moments, world_bodies
from linkwright.loops.screws import Screws, end_point, moved_back, propagation
from linkwright.recursion.factor import udu, udu_solve
from linkwright.recursion.passive import passive_forces


@dataclass(frozen=True, eq=False)
class Subsystem:
    """An open chain or tree: its joints' numbers, N_l, N_d and the mass matrix M about the joint origins (6-11).

    `speeds` are the places of its speeds among the independent ones of the whole system.
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


def subsystems(m: OpenSystem) -> list[Subsystem]:
    """The subsystems I, II, III ... with their DeNOC matrices (17-21, 26-29, theory 7.28)."""
    bodies = world_bodies(m.closure.tree, m.places)
    return [_subsystem(m, bodies, number) for number in range(m.hanging.count)]


def _subsystem(m: OpenSystem, bodies: list[WorldBody], number: int) -> Subsystem:
    joints = [n for n, joint in enumerate(m.joints) if m.hanging.subsystem[joint.step.outer] == number]
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
            N_l[own, : row[i]] = propagation(m.O[i] - m.O[k]) @ N_l[inner, : row[i]]
        N_d[own, [speeds.index(d) for d in range(m.slices[n].start, m.slices[n].stop)]] = columns(m.joints[n])
        M[own, own] = _mass(bodies[i], m.O[i])
    return Subsystem(joints, speeds, N_l, N_d, M)


def _mass(body: WorldBody, O: Vec) -> Mat:
    """M_i = [I_O, m d x; -m d x, m 1] about O_i (9)."""
    d = body.C - O
    cross_d = skew(d)
    tensor = body.I + body.m * ((d @ d) * np.eye(3) - np.outer(d, d))
    return np.block([[tensor, body.m * cross_d], [-body.m * cross_d, body.m * np.eye(3)]])


def needed_forces(m: OpenSystem, q: Vec, v: Vec, state: OpenMotion, w_ext: list[Vec] | None) -> Vec:
    """N^T (M t_dot + W M E t - w^g - w^e) and what springs and friction take, along the independent speeds (12-13)."""
    tree, bodies = m.closure.tree, world_bodies(m.closure.tree, m.places)
    applied = applied_wrenches(m.closure, bodies, m.places, q, v, w_ext)
    w = [_body_wrench(m, bodies[i], i, state) - moved_back(applied[i], bodies[i].C - m.O[i]) for i in tree.bodies]
    if tree.cut_joints:
        moments = ball_moments(m.closure, m.places, [t[:3] for t in state.bodies.t])
        w = [w_i + twist(n, np.zeros(3)) for w_i, n in zip(w, moments[:-1], strict=True)]
    resisted = passive_forces(tree, q, v)
    out: list[Vec] = [np.zeros(0)] * len(m.joints)
    for n in reversed(range(len(m.joints))):
        joint = m.joints[n]
        i, k = joint.step.outer, joint.step.inner
        out[n] = columns(joint).T @ w[i] + _resistance(m, joint, resisted, state.accelerations[n])
        if k >= 0:
            w[k] = w[k] + moved_back(w[i], m.O[i] - m.O[k])
    return np.concatenate(out)


def _body_wrench(m: OpenSystem, body: WorldBody, i: int, state: OpenMotion) -> Vec:
    """M_i t_dot_i + W_i M_i E_i t_i (8)."""
    omega, M = state.bodies.t[i][:3], _mass(body, m.O[i])
    gyroscopic = M[:, :3] @ omega
    return M @ state.t_dot[i] + twist(cross(omega, gyroscopic[:3]), cross(omega, gyroscopic[3:]))


def _resistance(m: OpenSystem, joint: Screws | Ball, resisted: Vec, second: Vec) -> Vec:
    """Springs, friction and rotors at a joint, along its independent speeds."""
    if isinstance(joint, Screws):
        speeds = [d for d in joint.speeds if d is not None]
        return resisted[speeds] + m.closure.tree.passive.rotor[speeds] * second
    if joint.step.link is None:
        return np.zeros(3)
    i = joint.step.link
    return joint.G_star.T @ (joint.F.T @ (velocity_axes(m, joint) @ resisted[m.closure.tree.dofs[i]]))


@dataclass(frozen=True, eq=False)
class Cut:
    """A cut ball joint: axes of the leg's end (columns, world), the Jacobian rows N^T w^lambda and its rate term."""

    axes: Mat
    rows: Mat
    bias: Vec


def cuts(m: OpenSystem, parts: list[Subsystem], state: OpenMotion) -> list[Cut]:
    """What a force by the platform on the leg, in leg axes, does to every speed (24-25, 31, theory 7.30)."""
    where = {m.joints[n].step.outer: (part, 6 * k) for part in parts for k, n in enumerate(part.joints)}
    out = []
    for number in m.hanging.cuts:
        loop = m.closure.loops[number]
        B, axes = end_point(loop.near, m.places), m.places[loop.near.link].R @ loop.near.at.R
        rows = np.zeros((3, m.slices[-1].stop), dtype=axes.dtype)
        bias = np.zeros(3)
        for sign, end in ((1.0, loop.near), (-1.0, loop.far)):
            if end.link < 0:
                continue
            part, row = where[end.link]
            N = part.N[row : row + 6]
            arm = B - m.O[end.link]
            for c in range(3):
                rows[c, part.speeds] = rows[c, part.speeds] + sign * (twist(cross(arm, axes[:, c]), axes[:, c]) @ N)
            bias = bias + sign * (axes.T @ _acceleration(state, end.link, arm))
        out.append(Cut(axes, rows, bias))
    return out


def _acceleration(state: OpenMotion, i: int, arm: Vec) -> Vec:
    omega, t_dot = state.bodies.t[i][:3], state.t_dot[i]
    return t_dot[3:] + cross(t_dot[:3], arm) + cross(omega, cross(omega, arm))


@dataclass(frozen=True, eq=False)
class Answer:
    """Efforts or accelerations, and the force of the platform on the leg at every cut ball joint, leg axes, (3,)."""

    values: Vec
    multipliers: list[Vec]
    cuts: list[Cut]


def inverse_dynamics(
    m: OpenSystem, speeds: tuple[int, ...], q: Vec, v: Vec, a: Vec, w_ext: list[Vec] | None = None
) -> Answer:
    """Driving efforts and multipliers together, from N^T (M t_dot + W M E t) = N^T (w^e + w^lambda) (32)."""
    state, parts = open_motion(m, v, a), subsystems(m)
    made = cuts(m, parts, state)
    X = np.concatenate([drive_columns(m, speeds), *(cut.rows.T for cut in made)], axis=1)
    x = solved(X, needed_forces(m, q, v, state, w_ext))
    lam = [x[len(speeds) + 3 * k : len(speeds) + 3 * k + 3] for k in range(len(made))]
    return Answer(x[: len(speeds)], lam, made)


def drive_columns(m: OpenSystem, speeds: tuple[int, ...]) -> Mat:
    """Where the driving efforts act among the independent speeds (23, 30)."""
    places: dict[int | None, int] = {}
    for joint, own in zip(m.joints, m.slices, strict=True):
        if isinstance(joint, Screws):
            places |= dict(zip(joint.speeds, range(own.start, own.stop), strict=True))
    out = np.zeros((m.slices[-1].stop, len(speeds)))
    for k, speed in enumerate(speeds):
        out[places[speed], k] = 1.0
    return out


def forward_dynamics(
    m: OpenSystem, speeds: tuple[int, ...], q: Vec, v: Vec, tau: Vec, w_ext: list[Vec] | None = None
) -> Answer:
    """Accelerations of the tree's speeds: subsystems by themselves, then the multipliers, then back (theory 7.31)."""
    n = m.slices[-1].stop
    still, parts = open_motion(m, v, None, np.zeros(n)), subsystems(m)
    made = cuts(m, parts, still)
    force = drive_columns(m, speeds) @ tau - needed_forces(m, q, v, still, w_ext)
    J = np.concatenate([cut.rows for cut in made])
    columns_of = np.concatenate([force[:, None], J.T], axis=1)
    free = np.zeros_like(columns_of)
    for part in parts:
        factors = udu(part.inertia + np.diag(_rotors(m)[part.speeds]))
        for c in range(columns_of.shape[1]):
            if any(not _is_zero(x) for x in columns_of[part.speeds, c]):
                free[part.speeds, c] = udu_solve(*factors, columns_of[part.speeds, c])
    gap = J @ free[:, 0] + np.concatenate([cut.bias for cut in made])
    lam = -udu_solve(*udu(J @ free[:, 1:]), gap)
    state = open_motion(m, v, None, free[:, 0] + free[:, 1:] @ lam)
    return Answer(tree_accelerations(m, state), [lam[3 * k : 3 * k + 3] for k in range(len(made))], made)


def _rotors(m: OpenSystem) -> Vec:
    out = np.zeros(m.slices[-1].stop)
    for joint, own in zip(m.joints, m.slices, strict=True):
        if isinstance(joint, Screws):
            out[own] = m.closure.tree.passive.rotor[[d for d in joint.speeds if d is not None]]
    return out


def _is_zero(x: object) -> bool:
    return isinstance(x, float) and x == 0.0
