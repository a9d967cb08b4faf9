"""Derivatives by the inputs of a mechanism by complex steps: no cancellation, nothing shared with the derivative code.

An input gets an imaginary step, the loops are closed again in complex numbers with the actuators or a pose held,
velocities and accelerations follow by linear equations, and the imaginary part of a function there is its derivative.
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
from linkwright.dynamics.actuation import every_row
from linkwright.functions.definition import Definition
from linkwright.functions.loop import closure_functions, minimal_functions, multiplier_functions
from linkwright.functions.tree import tree_functions
from linkwright.gradients.fixed_quantities import first_actuators, held_components
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.model import arguments

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
    """A model at a state with an imaginary step of input `index`, closed again with `fixed` held: actuators or a pose;
    with "state" nothing moves."""

    model: lw.Model
    x: dict[str, np.ndarray]
    index: int
    fixed: str = "actuators"

    def ask(self, definition: Definition, *arrays: Any, frame: str | None = None, wrench: bool = False) -> Any:
        program = self.model.kernels.input_program(definition, wrench=wrench, frame=frame)
        return run(program, *arrays, self.p)

    @cached_property
    def p(self) -> np.ndarray:
        step = np.zeros(len(self.model.parameters), dtype=complex)
        step[self.index] = 1j * STEP
        return self.model.parameters.values + step

    @cached_property
    def follow(self) -> bool:
        return self.fixed == "pose" or (self.fixed == "actuators" and self.model.kinematics.has_closure)

    @cached_property
    def free(self) -> list[int]:
        """Velocities that nobody drives, which are held too."""
        return list(find_undriven_freedoms(self.model.kinematics).undriven.speeds)

    @cached_property
    def frame(self) -> str:
        return arguments.require_output_frame(self.model.mechanism)

    @cached_property
    def given(self) -> list[int]:
        """Components of the pose, or actuators, that are held."""
        loops = self.model.kinematics
        return list(held_components(loops, self.frame, None) if self.fixed == "pose" else first_actuators(loops))

    @cached_property
    def kept(self) -> list[int]:
        return list(self.model.kinematics.rank.kept)

    def rows(self, q: np.ndarray) -> np.ndarray:
        """Rates of what is held, and velocities that nobody drives."""
        if self.fixed == "pose":
            H = self.ask(tree_functions.frame_jacobian, q, frame=self.frame)[0]
        else:
            H = self.B(q).T
        return np.vstack([H[self.given], np.eye(self.model.nv)[self.free]])

    def B(self, q: np.ndarray) -> np.ndarray:
        return self.ask(closure_functions.effort_matrix, q)[0]

    def matrix(self, q: np.ndarray) -> np.ndarray:
        """[J_c; rates of what is held], square."""
        rows = self.rows(q)
        if not self.model.kinematics.has_closure:
            return rows
        return np.vstack([self.ask(closure_functions.exact_closure_jacobian, q)[0][self.kept], rows])

    def away(self, q: np.ndarray) -> np.ndarray:
        """How far what is held is from where it was."""
        if self.fixed == "actuators":
            before = self.model.actuator_positions(self.x["q"])
            return (self.ask(minimal_functions.actuator_positions, q)[0] - before)[self.given]
        r, R = self.ask(tree_functions.frame_pose, q, frame=self.frame)
        r0, R0 = self.model.kernels.function(tree_functions.frame_pose, frame=self.frame)(self.x["q"])
        turned = 0.5 * sum(np.cross(R0[:, i], R[:, i]) for i in range(3))
        return np.concatenate([turned, r - r0])[self.given]

    @cached_property
    def q(self) -> np.ndarray:
        q = self.x["q"].astype(complex)
        for _ in range(4 if self.follow else 0):
            gap = self.ask(closure_functions.closure_residual, q)[0][self.kept] if self.kept else np.zeros(0)
            step = np.linalg.solve(self.matrix(q), -np.concatenate([gap, self.away(q), np.zeros(len(self.free))]))
            q = q + self.ask(closure_functions.coordinate_rates, q, step)[0]
        return q

    def held_rates(self, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
        """Second rates of what is held."""
        if self.fixed == "pose":
            own = self.ask(tree_functions.frame_twist_rate, q, v, a, frame=self.frame)[0]
        else:
            own = self.ask(minimal_functions.actuator_accelerations, q, v, a)[0]
        return np.concatenate([own[self.given], a[self.free]])

    @cached_property
    def still(self) -> Moved:
        """The same without a step."""
        other = Moved(self.model, self.x, self.index, self.fixed)
        other.__dict__["p"] = self.model.parameters.values.astype(complex)
        return other

    @cached_property
    def v(self) -> np.ndarray:
        v = self.x["v"].astype(complex)
        if not self.follow:
            return v
        held = self.still.rows(self.x["q"]) @ v
        return np.linalg.solve(self.matrix(self.q), np.concatenate([np.zeros(len(self.kept)), held]))

    @cached_property
    def a(self) -> np.ndarray:
        a = self.x["a"].astype(complex)
        if not self.follow:
            return a
        held = self.still.held_rates(self.x["q"], self.x["v"], a) - self.held_rates(self.q, self.v, 0.0 * a)
        bias = self.ask(closure_functions.bias, self.q, self.v)[0][self.kept] if self.kept else np.zeros(0)
        return np.linalg.solve(self.matrix(self.q), np.concatenate([-bias, held]))

    def bordered(self, rows: np.ndarray) -> np.ndarray:
        M = self.ask(tree_functions.mass_matrix, self.q)[0]
        return np.block([[M, rows.T], [rows, np.zeros((len(rows), len(rows)))]])

    @cached_property
    def J(self) -> np.ndarray:
        if not self.model.kinematics.has_closure:
            return np.zeros((0, self.model.nv))
        return self.ask(closure_functions.closure_jacobian, self.q)[0][self.kept]

    def efforts(self, *w_ext: np.ndarray) -> np.ndarray:
        """Efforts by the bordered equations on actuators and loops, undriven freedoms left to the dynamics."""
        force = self.ask(tree_functions.generalized_forces, self.q, self.v, self.a, *w_ext, wrench=bool(w_ext))[0]
        return self.carried(force)[1]

    def carried(self, force: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Accelerations along what nobody drives, and the efforts that carry a force with the loops.

        Actuators that repeat each other: B tau + J^T lam = force with tau - preload = B^T w of least norm, J w = 0.
        """
        B, nv, na = self.B(self.q), self.model.nv, self.model.na
        if find_undriven_freedoms(self.model.kinematics).driven == na:
            rows = np.vstack([B.T, self.J])
            x = np.linalg.solve(self.bordered(rows), np.concatenate([force, np.zeros(len(rows))]))
            return x[:nv], x[nv : nv + na]
        preload = np.array(getattr(self.model.sharing, "wanted", np.zeros(na)))
        zero = np.zeros((len(self.J), len(self.J)))
        K = np.block([[B @ B.T, self.J.T], [self.J, zero]])
        w = np.linalg.solve(K, np.concatenate([force - B @ preload, np.zeros(len(self.J))]))[:nv]
        return np.zeros(nv), preload + B.T @ w

    def accelerations(self, *w_ext: np.ndarray) -> np.ndarray:
        """Accelerations by the bordered equations."""
        h = self.ask(tree_functions.generalized_forces, self.q, self.v, 0.0 * self.v, *w_ext, wrench=bool(w_ext))[0]
        force = self.B(self.q) @ self.x["tau"] - h
        closed = self.model.kinematics.has_closure
        bias = self.ask(closure_functions.bias, self.q, self.v)[0][self.kept] if closed else np.zeros(0)
        return np.linalg.solve(self.bordered(self.J), np.concatenate([force, -bias]))[: self.model.nv]

    def reactions(self) -> np.ndarray:
        """Wrenches in all joints under the efforts that the motion needs; of least norm where equations repeat."""
        loops, nv = self.model.kinematics, self.model.nv
        if not loops.has_closure:
            return self.ask(tree_functions.joint_wrenches, self.q, self.v, self.a)[0]
        force = self.ask(tree_functions.generalized_forces, self.q, self.v, self.a)[0]
        extra, tau = self.carried(force)
        every = every_row(self.model.dynamics)
        J = run(every.input_program(closure_functions.closure_jacobian), self.q, self.p)[0] / loops.scales.rows[:, None]
        left = force - self.B(self.q) @ tau - self.ask(tree_functions.mass_matrix, self.q)[0] @ extra
        dependent = [i for i in range(nv) if i not in loops.independent]
        A = J[:, dependent].T
        K = np.block([[np.eye(len(J)), A.T], [A, np.zeros((len(A), len(A)))]])
        lam = np.linalg.solve(K, np.concatenate([np.zeros(len(J)), left[dependent]]))[: len(J)] / loops.scales.rows
        program = every.input_program(multiplier_functions.loop_joint_wrenches)
        parts = run(program, self.q, self.v, self.a - extra, tau, lam, self.p)
        return np.concatenate([np.ravel(part) for part in parts])

    def pose(self, frame: str) -> np.ndarray:
        """Change of a pose, [angular; linear]."""
        return _change(*self.ask(tree_functions.frame_pose, self.q, frame=frame))

    def body_poses(self) -> np.ndarray:
        """Changes of the poses of all bodies; a frame may have the name of a body, so these are asked for together."""
        rows = self.ask(tree_functions.body_poses, self.q)[0].reshape(-1, 12)
        return np.concatenate([_change(row[:3], row[3:].reshape(3, 3)) for row in rows])


def _change(r: np.ndarray, R: np.ndarray) -> np.ndarray:
    """Change of a pose, [angular; linear], after a complex step."""
    S = R.imag @ R.real.T
    turned = 0.5j * np.array([S[2, 1] - S[1, 2], S[0, 2] - S[2, 0], S[1, 0] - S[0, 1]])
    return np.concatenate([turned, r])


def derivatives(found: np.ndarray) -> np.ndarray:
    """The derivative that a result after a complex step shows."""
    return found.imag / STEP
