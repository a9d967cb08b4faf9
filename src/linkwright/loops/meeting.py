"""How the two frames of a cut joint stand and move relative to each other, in the near frame's axes (any scalar)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross, spin_rate
from linkwright.loops.ends import End, Loop
from linkwright.mechanism import joints as kinds
from linkwright.recursion.motion import Motion
from linkwright.recursion.places import WORLD, Place


@dataclass(frozen=True, eq=False)
class Meeting:
    """Far frame seen from the near frame: axes Q (columns), origin d [m]."""

    Q: Mat
    d: Vec


@dataclass(frozen=True, eq=False)
class Drift:
    """Relative motion in near axes: omega, vel and their rates at zero joint acceleration (components' own rates)."""

    omega: Vec
    vel: Vec
    alpha: Vec
    acc: Vec


def meeting(loop: Loop, places: list[Place]) -> Meeting:
    """Where the far frame stands in the near frame."""
    near, far = (_place(end, places) for end in (loop.near, loop.far))
    return Meeting(near.R.T @ far.R, near.R.T @ (far.r - near.r))


def _place(end: End, places: list[Place]) -> Place:
    link = WORLD if end.link < 0 else places[end.link]
    return Place(link.r + link.R @ end.at.r, link.R @ end.at.R)


_POINT = (kinds.Spherical, kinds.Revolute, kinds.Universal, kinds.Fixed)
_AXIS = (kinds.Revolute, kinds.Cylindrical, kinds.Planar, kinds.Screw)
_STIFF = (kinds.Fixed, kinds.Prismatic)


def closed(loop: Loop, meet: Meeting) -> Meeting:
    """The same meeting with what closure makes zero or one written as such, which costs fewer operations."""
    Q, d = meet.Q, np.zeros(3) if isinstance(loop.kind, _POINT) else meet.d
    if isinstance(loop.kind, _STIFF):
        Q = np.eye(3)
    elif isinstance(loop.kind, _AXIS):
        Q = np.array([[Q[0, 0], -Q[1, 0], 0.0], [Q[1, 0], Q[0, 0], 0.0], [0.0, 0.0, 1.0]])
    return Meeting(Q, d)


def drift(loop: Loop, meet: Meeting, state: Motion) -> Drift:
    """Relative velocity and acceleration of a closed loop; uniform gravity cancels between the two sides."""
    w_n, v_n, al_n, a_n = _end_motion(loop.near, state)
    w_f, v_f, al_f, a_f = (meet.Q @ x for x in _end_motion(loop.far, state))
    omega = w_f - w_n
    alpha = al_f + cross(omega, w_f) - al_n
    if isinstance(loop.kind, _POINT):
        return Drift(omega, np.zeros(3), alpha, a_f - a_n)
    vel = v_f - v_n - cross(w_n, meet.d)
    return Drift(omega, vel, alpha, a_f - a_n - spin_rate(w_n, al_n) @ meet.d - 2.0 * cross(w_n, vel))


def _end_motion(end: End, state: Motion) -> tuple[Vec, Vec, Vec, Vec]:
    """Angular and linear velocity, angular and linear acceleration of an end's frame, its own axes."""
    t, t_dot = state.t[end.link], state.t_dot[end.link]
    R_T, r = end.at.R.T, end.at.r
    vel = t[3:] + cross(t[:3], r)
    acc = t_dot[3:] + spin_rate(t[:3], t_dot[:3]) @ r
    return R_T @ t[:3], R_T @ vel, R_T @ t_dot[:3], R_T @ acc
