"""Derivatives by the inputs of a mechanism by complex steps: no cancellation, nothing shared with the derivative code.

An input gets an imaginary step, the loops are closed again in complex numbers with the actuators held, velocities and
accelerations follow by linear equations, and the imaginary part of a function there is its derivative.
"""

from __future__ import annotations

import cmath
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.compiler import Op, Program
from linkwright.kernels import registry
from linkwright.kernels.definition import Definition
from linkwright.solve.actuation import every_row
from linkwright.solve.undriven import freedoms

STEP = 1e-30


def _arctan2(y: Any, x: Any) -> Any:
    y, x = np.asarray(y, dtype=complex), np.asarray(x, dtype=complex)
    change = (x.real * y.imag - y.real * x.imag) / (x.real**2 + y.real**2)
    return np.arctan2(y.real, x.real) + 1j * change


_RULES: Mapping[int, Callable[..., Any]] = {
    Op.ADD: lambda a, b: a + b,
    Op.SUB: lambda a, b: a - b,
    Op.MUL: lambda a, b: a * b,
    Op.NEG: lambda a: -a,
    Op.RECIP: lambda a: 1.0 / a,
    Op.SQRT: cmath.sqrt,
    Op.SIN: cmath.sin,
    Op.COS: cmath.cos,
    Op.EXP: cmath.exp,
    Op.LOG: cmath.log,
    Op.TANH: cmath.tanh,
    Op.ATAN2: _arctan2,
    Op.ABS: lambda a: a if a.real > 0.0 else -a,
    Op.MIN: lambda a, b: a if a.real < b.real else b,
    Op.MAX: lambda a, b: a if a.real > b.real else b,
    Op.SELECT: lambda c, a, b: a if c.real > 0.0 else b,
}


def run(program: Program, *arrays: Any) -> list[np.ndarray]:
    """The outputs of a program on complex numbers."""
    values = [complex(x) for array in arrays for x in np.ravel(array)] + [complex(c) for c in program.constants]
    for op, args in program.operations:
        values.append(_RULES[op](*[values[i] for i in args]))
    flat, out = np.array([values[i] for i in program.results]), []
    for port in program.outputs:
        out.append(flat[: port.size].reshape(port.shape))
        flat = flat[port.size :]
    return out


@dataclass(frozen=True, eq=False)
class Moved:
    """A model at a state with an imaginary step of input `index`, the loops closed again if `follow`."""

    model: lw.Model
    x: dict[str, np.ndarray]
    index: int
    follow: bool

    def ask(self, definition: Definition, *arrays: Any, frame: str | None = None, wrench: bool = False) -> Any:
        program = self.model.kernels.input_program(definition, wrench=wrench, frame=frame)
        return run(program, *arrays, self.p)

    @cached_property
    def p(self) -> np.ndarray:
        step = np.zeros(len(self.model.parameters), dtype=complex)
        step[self.index] = 1j * STEP
        return self.model.parameters.values + step

    @cached_property
    def held(self) -> list[int]:
        loops = self.model.kinematics
        driven = [drive.speed for drive in loops.setup.drives]
        return [*driven, *freedoms(loops).undriven.speeds]

    @cached_property
    def kept(self) -> list[int]:
        return list(self.model.kinematics.rank.kept)

    def matrix(self, q: np.ndarray) -> np.ndarray:
        """[J_c; rows that pick the held velocities], square."""
        J = self.ask(registry.EXACT_CLOSURE_JACOBIAN, q)[0][self.kept]
        return np.vstack([J, np.eye(self.model.nv)[self.held]])

    @cached_property
    def q(self) -> np.ndarray:
        q = self.x["q"].astype(complex)
        if not (self.follow and self.model.kinematics.closed):
            return q
        for _ in range(4):
            gap = self.ask(registry.CLOSURE_RESIDUAL, q)[0][self.kept]
            step = np.linalg.solve(self.matrix(q), np.concatenate([-gap, np.zeros(len(self.held))]))
            q = q + self.ask(registry.COORDINATE_RATES, q, step)[0]
        return q

    def rates(self, given: np.ndarray, bias: np.ndarray) -> np.ndarray:
        return np.linalg.solve(self.matrix(self.q), np.concatenate([-bias, given[self.held]]))

    @cached_property
    def v(self) -> np.ndarray:
        v = self.x["v"].astype(complex)
        if not (self.follow and self.model.kinematics.closed):
            return v
        return self.rates(v, np.zeros(len(self.kept)))

    @cached_property
    def a(self) -> np.ndarray:
        a = self.x["a"].astype(complex)
        if not (self.follow and self.model.kinematics.closed):
            return a
        return self.rates(a, self.ask(registry.CLOSURE_BIAS, self.q, self.v)[0][self.kept])

    def bordered(self, rows: np.ndarray) -> np.ndarray:
        M = self.ask(registry.MASS_MATRIX, self.q)[0]
        return np.block([[M, rows.T], [rows, np.zeros((len(rows), len(rows)))]])

    @cached_property
    def J(self) -> np.ndarray:
        if not self.model.kinematics.closed:
            return np.zeros((0, self.model.nv))
        return self.ask(registry.CLOSURE_JACOBIAN, self.q)[0][self.kept]

    def efforts(self, *w_ext: np.ndarray) -> np.ndarray:
        """Efforts by the bordered equations on actuators and loops, undriven freedoms left to the dynamics."""
        force = self.ask(registry.GENERALIZED_FORCES, self.q, self.v, self.a, *w_ext, wrench=bool(w_ext))[0]
        na = self.model.na
        rows = np.vstack([np.eye(self.model.nv)[self.held[:na]], self.J])
        x = np.linalg.solve(self.bordered(rows), np.concatenate([force, np.zeros(len(rows))]))
        return x[self.model.nv : self.model.nv + na]

    def accelerations(self, *w_ext: np.ndarray) -> np.ndarray:
        """Accelerations by the bordered equations."""
        h = self.ask(registry.GENERALIZED_FORCES, self.q, self.v, 0.0 * self.v, *w_ext, wrench=bool(w_ext))[0]
        force = -h
        force[self.held[: self.model.na]] += self.x["tau"]
        closed = self.model.kinematics.closed
        bias = self.ask(registry.CLOSURE_BIAS, self.q, self.v)[0][self.kept] if closed else np.zeros(0)
        return np.linalg.solve(self.bordered(self.J), np.concatenate([force, -bias]))[: self.model.nv]

    def reactions(self) -> np.ndarray:
        """Wrenches in all joints under the efforts that the motion needs; of least norm where equations repeat."""
        loops, nv, na = self.model.kinematics, self.model.nv, self.model.na
        if not loops.closed:
            return self.ask(registry.JOINT_WRENCHES, self.q, self.v, self.a)[0]
        force = self.ask(registry.GENERALIZED_FORCES, self.q, self.v, self.a)[0]
        rows = np.vstack([np.eye(nv)[self.held[:na]], self.J])
        x = np.linalg.solve(self.bordered(rows), np.concatenate([force, np.zeros(len(rows))]))
        every = every_row(self.model.dynamics)
        J = run(every.input_program(registry.CLOSURE_JACOBIAN), self.q, self.p)[0] / loops.scales.rows[:, None]
        dependent = [i for i in range(nv) if i not in self.held]
        A, left = J[:, dependent].T, (force - rows[:na].T @ x[nv : nv + na] - self.bordered(rows)[:nv, :nv] @ x[:nv])
        K = np.block([[np.eye(len(J)), A.T], [A, np.zeros((len(A), len(A)))]])
        lam = np.linalg.solve(K, np.concatenate([np.zeros(len(J)), left[dependent]]))[: len(J)] / loops.scales.rows
        program = every.input_program(registry.LOOP_JOINT_WRENCHES)
        parts = run(program, self.q, self.v, self.a - x[:nv], x[nv : nv + na], lam, self.p)
        return np.concatenate([np.ravel(part) for part in parts])

    def pose(self, frame: str) -> np.ndarray:
        """Change of a pose, [angular; linear]."""
        r, R = self.ask(registry.FRAME_POSE, self.q, frame=frame)
        S = R.imag @ R.real.T
        turned = 0.5j * np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])
        return np.concatenate([turned, r])


def derivatives(found: np.ndarray) -> np.ndarray:
    """The derivative that a result after a complex step shows."""
    return found.imag / STEP
