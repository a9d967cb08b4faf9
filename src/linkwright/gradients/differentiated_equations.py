"""Programs with their derivatives, and equations of a mechanism that are differentiated by its inputs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import Any, NamedTuple

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product
from linkwright.compiler import Program, adjoint, inline_program, tangent, trace
from linkwright.functions.loop.minimal_functions import actuator_accelerations, actuator_positions, actuator_velocities
from linkwright.functions.setup import Setup
from linkwright.functions.stages import HeldFunctions
from linkwright.functions.tree.tree_functions import frame_attachment, link_frame_wrenches
from linkwright.loops.closure import (
    actuation_matrix,
    closure_bias,
    gaps_of_closure,
    jacobian_of_closure,
    loop_wrenches,
    loop_wrenches_on_links,
)
from linkwright.recursion import inverse_recursion, poses
from linkwright.recursion.twist_recursion import motion_of_tree

# --- programs with their derivatives along a direction (forward) and of a weighted sum of outputs (reverse) -----------

Arrays = Mapping[str, Any]


class Differentiable:
    """A program, called on recorded values (then it is recorded in their trace) or on plain numbers.

    Arguments are looked up by name among the arrays given; outputs are one flat vector, in the order of the program's.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names = tuple(port.name for port in program.inputs)
        self._made: dict[tuple[str, ...], Program] = {}
        self._with: dict[Differentiable, Differentiable] = {}

    @property
    def size(self) -> int:
        """Number of outputs."""
        return self.program.n_outputs

    def vjp(self, x: Arrays, weights: Vec, wrt: Sequence[str]) -> dict[str, Vec]:
        """Vector-Jacobian product: derivatives of weights @ outputs by the named arguments that the program takes."""
        names = tuple(name for name in wrt if name in self.names)
        key = ("adjoint", *names)
        if key not in self._made:
            self._made[key] = adjoint(self.program, names)
        found = inline_program(self._made[key], *self._given_arguments(x), *self._split(weights))
        return found if isinstance(found, dict) else {names[0] + "_bar": found}

    def jvp(self, x: Arrays, directions: Arrays) -> Vec:
        """Jacobian-vector product: derivatives of the outputs along directions of the arguments that it takes."""
        names = tuple(name for name in directions if name in self.names)
        key = ("tangent", *names)
        if key not in self._made:
            self._made[key] = tangent(self.program, names)
        return self._flat(
            inline_program(self._made[key], *self._given_arguments(x), *(directions[name] for name in names))
        )

    def beside(self, other: Differentiable) -> Differentiable:
        """This program and another as one: the outputs of both, of the arguments of both."""
        if other not in self._with:
            ports = [port for each in (self, other) for port in each.program.inputs]
            shapes = {port.name: port.shape for port in sorted(ports, key=lambda port: port.name == "p")}
            both = trace(lambda **x: np.concatenate([self.values(x), other.values(x)]), shapes)
            self._with[other] = Differentiable(both)
        return self._with[other]

    def values(self, x: Arrays) -> Vec:
        """The outputs."""
        return self._flat(inline_program(self.program, *self._given_arguments(x)))

    def _given_arguments(self, x: Arrays) -> list[Any]:
        return [x[name] for name in self.names]

    def _split(self, weights: Vec) -> list[Vec]:
        ends = np.cumsum([port.size for port in self.program.outputs])
        parts = np.split(np.asarray(weights), ends[:-1])
        return [part.reshape(port.shape) for part, port in zip(parts, self.program.outputs, strict=True)]

    def _flat(self, found: Any) -> Vec:
        parts = found.values() if isinstance(found, dict) else found if isinstance(found, tuple) else (found,)
        return np.concatenate([np.ravel(part) for part in parts])


class Term(NamedTuple):
    """Weights on the outputs of a program."""

    function: Differentiable
    weights: Vec


def weighted_sum(x: Arrays, terms: Sequence[Term], wrt: Sequence[str]) -> dict[str, Vec]:
    """Derivatives of the sum of terms by the named arguments, of those that occur: one sweep back."""
    taken = [term for term in terms if set(wrt) & set(term.function.names)]
    if not taken:
        return {}
    function = reduce(Differentiable.beside, (term.function for term in taken))
    found = function.vjp(x, np.concatenate([term.weights for term in taken]), wrt)
    return {name.removesuffix("_bar"): bar for name, bar in found.items()}


# --- equations of a mechanism that are differentiated by its inputs ---------------------------------------------------


def force_balance(setup: Setup, q: Vec, v: Vec, a: Vec, lam: Vec, tau: Vec, w_ext: Mat | None = None) -> Vec:
    """M a + h - J_c^T lam - B tau, (nv,), but for efforts at tree joints, which depend on nothing."""
    closure = setup.closure
    outer = [np.zeros(6)] * len(setup.simplified.links) if w_ext is None else link_frame_wrenches(setup, w_ext)
    if not closure.n_all:
        return inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, None if w_ext is None else outer)
    every = lam
    if closure.kept is not None:
        every = np.zeros(closure.n_all, dtype=lam.dtype)
        every[list(closure.kept)] = lam
    ends = loop_wrenches(closure, setup.drives, q, every, tau)
    carried = [x + y for x, y in zip(loop_wrenches_on_links(closure, ends), outer or [], strict=True)]
    force = inverse_recursion.tree_inverse_dynamics(setup.simplified, q, v, a, carried)
    for coupling, row in zip(closure.couplings, every[closure.n_all - len(closure.couplings) :], strict=True):
        for speed, ratio in zip(coupling.speeds, coupling.row(q), strict=True):
            force[speed] = force[speed] - ratio * row
    return force


def closure_gap(setup: Setup, q: Vec) -> Vec:
    """Closure residuals, (n_rows,)."""
    return gaps_of_closure(setup.closure, q)


def closure_gap_rate(setup: Setup, q: Vec, v: Vec) -> Vec:
    """Their rates, J_c v."""
    return jacobian_of_closure(setup.closure, q) @ v


def closure_gap_second_rate(setup: Setup, q: Vec, v: Vec, a: Vec) -> Vec:
    """Their second rates, J_c a + c."""
    return closure_bias(setup.closure, q, v, motion_of_tree(setup.simplified, q, v, a), a)


def held_jacobian(held: HeldFunctions, q: Vec) -> Mat:
    """Rates of the functions that stay along the velocities, (count, nv)."""
    setup = held.setup
    if held.frame is None:
        rows = actuation_matrix(setup.closure, setup.drives, q).T
    else:
        rows = poses.jacobian_of_frame(setup.simplified, q, *frame_attachment(setup, held.frame))
    return np.concatenate([rows[list(held.given)], np.eye(setup.simplified.nv)[list(held.speeds)]])


def held_matrix(held: HeldFunctions, q: Vec) -> Mat:
    """[J_c; Jacobian of the functions that stay], (n_rows + count, nv)."""
    if not held.setup.closure.n_rows:
        return held_jacobian(held, q)
    return np.concatenate([jacobian_of_closure(held.setup.closure, q), held_jacobian(held, q)])


def held_gap(held: HeldFunctions, q: Vec, turn: Mat) -> Vec:
    """Closure residuals and the functions that stay, but for constants; `turn` is the frame's rotation as it is."""
    setup, still = held.setup, np.zeros(len(held.speeds))
    if held.frame is None:
        own = actuator_positions(setup, q)
    else:
        pose = poses.pose_of_frame(setup.simplified, q, *frame_attachment(setup, held.frame))
        own = np.concatenate([sum(0.5 * cross_product(turn[:, i], pose.R[:, i]) for i in range(3)), pose.r])
    return _join_vectors(closure_gap(setup, q) if setup.closure.n_rows else still[:0], own[list(held.given)], still)


def held_rate(held: HeldFunctions, q: Vec, v: Vec) -> Vec:
    """Their rates."""
    setup = held.setup
    if held.frame is None:
        own = actuator_velocities(setup, q, v)
    else:
        own = poses.jacobian_of_frame(setup.simplified, q, *frame_attachment(setup, held.frame)) @ v
    closing = closure_gap_rate(setup, q, v) if setup.closure.n_rows else v[:0]
    return _join_vectors(closing, own[list(held.given)], v[list(held.speeds)])


def held_second(held: HeldFunctions, q: Vec, v: Vec, a: Vec) -> Vec:
    """Their second rates."""
    setup = held.setup
    if held.frame is None:
        own = actuator_accelerations(setup, q, v, a)
    else:
        own = poses.frame_acceleration(setup.simplified, q, v, a, *frame_attachment(setup, held.frame))
    closing = closure_gap_second_rate(setup, q, v, a) if setup.closure.n_rows else a[:0]
    return _join_vectors(closing, own[list(held.given)], a[list(held.speeds)])


def _join_vectors(*parts: Vec) -> Vec:
    return np.concatenate([np.asarray(part) for part in parts])
