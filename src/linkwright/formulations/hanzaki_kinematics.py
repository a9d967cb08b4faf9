"""Hanzaki's open subsystems: twists about the joint origins O_i, ball joints in Euler parameters (any scalar).

Symbols and equation numbers are those of Rahmani Hanzaki, Yoosefi 2011.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from linkwright.algebra import euler_parameters as euler
from linkwright.algebra.quaternion import rotation_matrix
from linkwright.algebra.vectors import Mat, Vec, cross, twist
from linkwright.loops.chains import Step
from linkwright.loops.closure import Closure
from linkwright.loops.hanging import Hanging
from linkwright.loops.screws import Bodies, Screws, end_point, floating_acceleration, moved, screws, world_places
from linkwright.mechanism import joints as kinds
from linkwright.recursion.places import Place


@dataclass(frozen=True, eq=False)
class Ball:
    """A ball joint of the open system: parent side axes F (world), Euler parameters e, G* (4-5)."""

    step: Step
    O: Vec
    F: Mat
    wxyz: Vec
    G_star: Mat

    def at(self, X: Vec) -> list[Vec]:
        """Columns of P = [F G*; 0], about O, so X does not matter (29 as corrected)."""
        return [twist(column, np.zeros(3)) for column in (self.F @ self.G_star).T]


Joint = Screws | Ball


@dataclass(frozen=True, eq=False)
class OpenSystem:
    """The machine at q, cut open: a joint for every body, inner bodies first, and the points O of all links."""

    closure: Closure
    hanging: Hanging
    places: list[Place]
    joints: list[Joint]
    O: list[Vec]

    @property
    def slices(self) -> list[slice]:
        """Where each joint's speeds stand among the independent generalized speeds."""
        ends = np.cumsum([0, *(columns(joint).shape[1] for joint in self.joints)])
        return [slice(int(a), int(b)) for a, b in pairwise(ends)]


def open_system(closure: Closure, hung: Hanging, q: Vec) -> OpenSystem:
    """Joints and joint origins of the cut system (theory 7.26-7.28)."""
    places = world_places(closure, q)
    joints: list[Joint] = []
    O = [np.zeros(3) for _ in places]
    for step in hung.steps:
        joint = _ball(closure, hung, step, q, places) or screws(closure, (step,), q, places)[0]
        joints.append(joint)
        O[step.outer] = joint.O
    return OpenSystem(closure, hung, places, joints, O)


def _ball(closure: Closure, hung: Hanging, step: Step, q: Vec, places: list[Place]) -> Ball | None:
    """A ball joint in Euler parameters: those of q in the tree; at a cut, those of its two frames from home."""
    if step.link is not None:
        link = closure.tree.links[step.link]
        if not isinstance(link.kind, kinds.Spherical):
            return None
        place, wxyz = places[step.link], q[link.coords]
        if link.reversed:
            wxyz = np.array([wxyz[0], -wxyz[1], -wxyz[2], -wxyz[3]])
        return Ball(step, place.r, place.R @ rotation_matrix(wxyz).T, wxyz, euler.G_star(wxyz))
    assert step.loop is not None
    loop = closure.loops[step.loop]
    inner, outer = (loop.near, loop.far) if loop.far.link == step.outer else (loop.far, loop.near)
    F, F_out = places[inner.link].R @ inner.at.R, places[outer.link].R @ outer.at.R
    F = F @ hung.reference[step.joint]
    wxyz = euler.from_rotation(F.T @ F_out)
    return Ball(step, end_point(outer, places), F, wxyz, euler.G_star(wxyz))


@dataclass(frozen=True, eq=False)
class OpenMotion:
    """Independent speeds (theta_dot, e_dot) and accelerations joint by joint, twists and twist rates about O_i."""

    speeds: list[Vec]
    accelerations: list[Vec]
    bodies: Bodies
    t_dot: list[Vec]


def open_motion(m: OpenSystem, v: Vec, a: Vec | None, accelerations: Vec | None = None) -> OpenMotion:
    """Twists t_i = A t_(i-1) + P_i speed_i and their rates, inner bodies first (2, 4, theory 7.28-7.29).

    Accelerations come from the tree's own (a), or are given joint by joint as one vector.
    """
    bodies = Bodies(m.O, [np.zeros(6) for _ in m.O])
    t, t_dot = bodies.t, [np.zeros(6) for _ in m.O]
    speeds, seconds = [], []
    for joint, own in zip(m.joints, m.slices, strict=True):
        i, k = joint.step.outer, joint.step.inner
        P, arm = columns(joint), m.O[i] - m.O[k]
        speed = _speed(m, joint, v, t[k])
        t[i] = moved(t[k], arm) + P @ speed
        carried = moved(t_dot[k], arm) + twist(np.zeros(3), cross(t[k][:3], t[i][3:] - t[k][3:]))
        drifting = carried + _convected(joint, bodies, speed)
        given = (
            accelerations[own] if accelerations is not None else _second(m, joint, a, t[k], carried, drifting, speed)
        )
        t_dot[i] = drifting + P @ given
        speeds.append(speed)
        seconds.append(given)
    return OpenMotion(speeds, seconds, bodies, t_dot)


def columns(joint: Joint) -> Mat:
    """P_i about the joint's own origin, (6, speeds)."""
    return np.array(joint.at(joint.O)).T.reshape(6, -1)


def _speed(m: OpenSystem, joint: Joint, v: Vec, t_in: Vec) -> Vec:
    """A joint's independent speeds from the tree's: its own, or Euler-parameter rates (theory 7.27)."""
    if isinstance(joint, Screws):
        return v[[d for d in joint.speeds if d is not None]]
    turning = _turning(m, joint, v)
    relative = turning if joint.step.link is not None else turning - t_in[:3]
    return euler.rates(joint.wxyz, joint.F.T @ relative)


def _turning(m: OpenSystem, joint: Ball, x: Vec) -> Vec:
    """Angular velocity (or its rate) in world axes from those of the tree's joint at the ball's outer body."""
    return velocity_axes(m, joint) @ x[m.closure.tree.dofs[joint.step.outer]][:3]


def velocity_axes(m: OpenSystem, joint: Ball) -> Mat:
    """The axes in which the angular velocity of the outer body's tree joint is given; against the parent if reversed.

    A reversed joint's velocity is that of the parent in the parent's axes: for a spherical joint F, for a body that
    floats on the base the base's joint frame.
    """
    link = m.closure.tree.links[joint.step.outer]
    if not link.reversed:
        return m.places[joint.step.outer].R
    return -(joint.F if joint.step.link is not None else link.R.matrix)


def _convected(joint: Joint, bodies: Bodies, speed: Vec) -> Vec:
    """P_dot speed."""
    i, k = joint.step.outer, joint.step.inner
    if isinstance(joint, Screws):
        p_dot = joint.rate_at(joint.O, bodies.t[i][3:], bodies)
        return sum((x * s for x, s in zip(p_dot, speed, strict=True)), np.zeros(6))
    turning = cross(bodies.t[k][:3], joint.F @ (joint.G_star @ speed))
    return twist(turning + joint.F @ (euler.G_star_rate(joint.wxyz, speed) @ speed), np.zeros(3))


def _second(m: OpenSystem, joint: Joint, a: Vec | None, t_in: Vec, carried: Vec, drifting: Vec, speed: Vec) -> Vec:
    """A joint's independent accelerations from the tree's; Euler parameters make up what rates do not cause."""
    assert a is not None
    if isinstance(joint, Screws):
        return a[[d for d in joint.speeds if d is not None]]
    wanted = _turning(m, joint, a)
    if joint.step.link is not None:
        wanted = wanted + carried[:3] + cross(t_in[:3], joint.F @ (joint.G_star @ speed))
    return euler.rates(joint.wxyz, joint.F.T @ (wanted - drifting[:3]))


def tree_accelerations(m: OpenSystem, state: OpenMotion) -> Vec:
    """Accelerations of the tree's speeds (nv,) from the open system's."""
    tree = m.closure.tree
    a = np.zeros(tree.nv, dtype=np.result_type(*state.t_dot))
    t, t_dot = state.bodies.t, state.t_dot
    for joint, own in zip(m.joints, state.accelerations, strict=True):
        i, k = joint.step.outer, joint.step.inner
        if isinstance(joint, Screws):
            a[[d for d in joint.speeds if d is not None]] = own
        elif joint.step.link is not None:
            turning = cross(t[k][:3], t[i][:3])
            a[tree.dofs[i]] = velocity_axes(m, joint).T @ (t_dot[i][:3] - t_dot[k][:3] - turning)
        else:
            arm, omega, alpha = m.places[i].r - m.O[i], t[i][:3], t_dot[i][:3]
            vel, acc = moved(t[i], arm)[3:], t_dot[i][3:] + cross(alpha, arm) + cross(omega, cross(omega, arm))
            a[tree.dofs[i]] = floating_acceleration(tree.links[i], m.places[i], omega, vel, alpha, acc)
    return a
