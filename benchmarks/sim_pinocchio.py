"""The same motions in Pinocchio: `constraintDynamics` stepped by the classical method of order four, in Python.

Pinocchio has no integrator of its own for closed loops. Quaternions are stepped as coordinates and kept unit, which
gives the full order; `integrate` on the group at the end of a step would give order two.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.closed import HUNG, peer_trees
from benchmarks.loop_pinocchio import Loops
from benchmarks.sim_problems import ROWS, T_END, Motion

Array = np.ndarray
# Accuracy (absolute, relative), damping, iterations: the largest damping that does not show in the results.
SETTINGS = {"four-bar": (1e-12, 1e-12, 1e-8, 20), "3-RRR": (1e-12, 1e-12, 1e-8, 20)}
_SETTINGS = (1e-12, 1e-12, 1e-10, 20)


class Course:
    """A motion on a tree of the peer."""

    def __init__(self, motion: Motion, loops: Loops) -> None:
        pin = self.pin = loops.pin
        self.motion, self.loops, self.model = motion, loops, loops.model
        self.data = self.model.createData()
        self.parts = pin.StdVec_RigidConstraintData()
        for constraint in loops.constraints:
            self.parts.append(constraint.createData())
        pin.initConstraintDynamics(self.model, self.data, loops.constraints, self.parts)
        self.settings = pin.ProximalSettings(*SETTINGS.get(motion.title, _SETTINGS))
        self.sphericals = [(j.idx_q, j.idx_v) for j in self.model.joints if j.shortname() == "JointModelSpherical"]

    def steps(self, h: float, driven: bool = True) -> Array:
        """The states at the rows, (rows, nq + nv), with steps of h; what is timed."""
        call, model, data, settings = self.pin.constraintDynamics, self.model, self.data, self.settings
        constraints, parts, force = self.loops.constraints, self.parts, np.zeros(self.model.nv)
        indices, efforts = self.loops.driven(), self.motion.efforts if driven else None

        def acceleration(t: float, q: Array, v: Array) -> Array:
            if efforts is not None:
                force[indices] = efforts(t)
            return call(model, data, q, v, force, constraints, parts, settings).copy()

        rates, unit = (self._turning, self._unit) if self.sphericals else (_plain, _same)
        return classic(acceleration, rates, unit, self.loops.q.copy(), self.loops.v * 0.0, h)

    def _turning(self, q: Array, v: Array) -> Array:
        """Rates of the coordinates; every other joint here has velocities that are its rates."""
        out, at_q, at_v = np.empty(len(q)), 0, 0
        for spherical_q, spherical_v in self.sphericals:
            out[at_q:spherical_q] = v[at_v:spherical_v]
            x, y, z, w = q[spherical_q : spherical_q + 4]
            a, b, c = 0.5 * v[spherical_v : spherical_v + 3]
            out[spherical_q] = w * a + y * c - z * b
            out[spherical_q + 1] = w * b + z * a - x * c
            out[spherical_q + 2] = w * c + x * b - y * a
            out[spherical_q + 3] = -x * a - y * b - z * c
            at_q, at_v = spherical_q + 4, spherical_v + 3
        out[at_q:] = v[at_v:]
        return out

    def _unit(self, q: Array) -> Array:
        q = q.copy()
        for start, _ in self.sphericals:
            part = q[start : start + 4]
            part /= np.sqrt(part @ part)
        return q

    def observed(self, states: Array) -> Array:
        """What is compared, (rows, 1 or 3)."""
        if self.motion.body is None:
            return states[:, :1]
        joint, offset = self.loops.bodies[self.motion.body]
        out = []
        for q in states[:, : self.model.nq]:
            self.pin.forwardKinematics(self.model, self.data, q)
            at = self.data.oMi[joint]
            out.append(at.translation + at.rotation @ offset.r)
        return np.array(out)

    def closure(self, states: Array) -> float:
        """The largest closure residual of all cuts, [m]."""
        worst = 0.0
        for q in states[:, : self.model.nq]:
            self.pin.forwardKinematics(self.model, self.data, q)
            for c in self.loops.constraints:
                one = self.data.oMi[c.joint1_id].act(c.joint1_placement.translation)
                two = self.data.oMi[c.joint2_id].act(c.joint2_placement.translation)
                worst = max(worst, float(np.abs(one - two).max()))
        return worst

    def energy(self, states: Array) -> Array:
        """Kinetic and potential energy, (rows,), [J]."""
        nq = self.model.nq
        return np.array([self.pin.computeMechanicalEnergy(self.model, self.data, x[:nq], x[nq:]) for x in states])


def course(motion: Motion) -> Course:
    """The motion on the smallest tree: the platform, where it floats in ours, hangs on the first leg."""
    model = motion.model
    trees = peer_trees(model, motion.q, np.zeros(model.nv), np.zeros(model.na))
    return Course(motion, Loops(trees.get(HUNG) or next(iter(trees.values()))))


def classic(acceleration: Any, rates: Any, unit: Callable[[Array], Array], q: Array, v: Array, h: float) -> Array:
    """The classical Runge-Kutta method of order four over the time of a motion."""
    every, half = round(T_END / (ROWS - 1) / h), 0.5 * h
    rows = [np.concatenate([q, v])]
    for k in range(round(T_END / h)):
        t = k * h
        a1, k1 = acceleration(t, q, v), rates(q, v)
        q2, v2 = q + half * k1, v + half * a1
        a2, k2 = acceleration(t + half, unit(q2), v2), rates(q2, v2)
        q3, v3 = q + half * k2, v + half * a2
        a3, k3 = acceleration(t + half, unit(q3), v3), rates(q3, v3)
        q4, v4 = q + h * k3, v + h * a3
        a4, k4 = acceleration(t + h, unit(q4), v4), rates(q4, v4)
        q, v = unit(q + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)
        if (k + 1) % every == 0:
            rows.append(np.concatenate([q, v]))
    return np.array(rows)


def _plain(q: Array, v: Array) -> Array:
    return v


def _same(q: Array) -> Array:
    return q
