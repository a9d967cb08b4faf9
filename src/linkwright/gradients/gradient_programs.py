"""Programs of derivatives by the inputs, made for one function of a mechanism: one direction or one set of weights.

A full Jacobian is a batch of unit directions or unit weights, so that the size of the code does not depend on how many
inputs or results there are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.compiler import Program
from linkwright.dataclass import dataclass
from linkwright.functions.fallback_chain import flag_result
from linkwright.functions.stages import FixedQuantityPlan
from linkwright.functions.store import Kernels
from linkwright.functions.tree.tree_functions import frame_attachment
from linkwright.gradients import differentiated_equations as equations
from linkwright.gradients.differentiated_equations import Differentiable
from linkwright.gradients.fixed_quantities import FixedMotion, HeldCompletion, completion_at, smaller_margin
from linkwright.gradients.state_gradients import DifferentiatedFunction, Point
from linkwright.recursion.poses import pose_of_frame

Mode = Literal["forward", "reverse"]
ALONG = {"forward": "direction", "reverse": "weights"}
"""The last argument of a derivative, by mode."""

_CLOSURE: dict[str, Callable[..., Vec]] = {
    "q": equations.closure_gap,
    "v": equations.closure_gap_rate,
    "a": equations.closure_gap_second_rate,
}
_HELD: dict[str, Callable[..., Vec]] = {"q": equations.held_gap, "v": equations.held_rate, "a": equations.held_second}


@dataclass(frozen=True, eq=False)
class Programs:
    """The equations of a mechanism as programs with p as last argument.

    Attributes:
        balance: the equations of motion.
        driving, following: equations by "q", "v", "a" of what is held in dynamics and while the inputs change.
    """

    balance: Differentiable
    driving: Mapping[str, Differentiable]
    following: Mapping[str, Differentiable]


def level_equations(kernels: Kernels) -> dict[str, Differentiable]:
    """Equations of positions, velocities and accelerations of what a stage holds; none of a tree."""
    holding = isinstance(kernels.stage, FixedQuantityPlan)
    if not holding and not kernels.setup.closure.n_all:
        return {}
    return {name: _differentiable_program(kernels, name, holding) for name in ("q", "v", "a")}


def _differentiable_program(kernels: Kernels, name: str, holding: bool) -> Differentiable:
    sizes, function = kernels.stage.sizes(), (_HELD if holding else _CLOSURE)[name]
    taken = ("q", "v", "a")[: 1 + ("q", "v", "a").index(name)] + (("turn",) if holding and name == "q" else ())
    shapes = {argument: sizes[argument] for argument in taken}
    return Differentiable(
        kernels.with_inputs(lambda at, p, **x: function(at.functions if holding else at.setup, **x), shapes)
    )


def balance_program(kernels: Kernels, wrench: bool) -> Differentiable:
    """The equations of motion as a program with p as last argument."""
    setup = kernels.setup
    sizes = setup.sizes() | {"lam": (setup.closure.n_rows,)}
    names = ("q", "v", "a", "lam", "tau", "w_ext") if wrench else ("q", "v", "a", "lam", "tau")
    shapes = {name: sizes[name] for name in names}
    return Differentiable(kernels.with_inputs(lambda at, p, **x: equations.force_balance(at.setup, **x), shapes))


@dataclass(frozen=True, eq=False)
class Derivative:
    """A function of a mechanism that is differentiated, and what is held.

    Attributes:
        kernels: at a `VelocityPartitionPlan` or `FixedQuantityPlan` of the actuators, or at the `Setup` where loops do
            not take part.
        target: the function.
        holding: kernels of other functions that are held while the inputs change, on the same setup; None for none.
        follow: whether q, v and a follow the inputs; else they stay.
        wrench: whether there is an argument w_ext.
    """

    kernels: Kernels
    target: DifferentiatedFunction
    holding: Kernels[FixedQuantityPlan] | None
    follow: bool
    wrench: bool

    def programs(self) -> Programs:
        """The equations that the derivative follows from."""
        driving = level_equations(self.kernels)
        following = driving if self.holding is None else level_equations(self.holding)
        return Programs(balance_program(self.kernels, self.wrench), driving, following)

    def program(self, mode: Mode) -> Program:
        """The program of one direction or of one set of weights, with p as last argument."""
        known, target = self.programs(), self.target

        def function(at: Any, p: Vec, **x: Any) -> Vec:
            along, state = x.pop(ALONG[mode]), {**x, "p": p}
            driving, margin = completion_at(at, x["q"], target.needs_map)
            following = driving
            if self.holding is not None:
                stage = self.holding.stage.on(at.setup)
                following, other = completion_at(stage, x["q"], target.needs_map)
                margin = smaller_margin(margin, other)
            point = self.point(at.setup, state, driving, following, known)
            return flag_result(derivative_at_point(target, mode, point, along), margin)

        return self.kernels.with_inputs(function, self.shapes(mode))

    def point(
        self, setup: Any, x: dict[str, Any], driving: HeldCompletion, following: HeldCompletion, known: Programs
    ) -> Point:
        """The mechanism at a state, with completions of what is held."""
        held = [_held_functions_of_stage(kernels.stage) for kernels in (self.kernels, self.holding or self.kernels)]
        for stage in held:
            if stage is not None and stage.frame is not None:
                x = {**x, "turn": pose_of_frame(setup.simplified, x["q"], *frame_attachment(setup, stage.frame)).R}
            elif stage is not None:
                x = {"turn": _NO_TURN, **x}
        more = [0 if stage is None else stage.count for stage in held]
        return Point(
            setup,
            x,
            FixedMotion(driving, known.driving, more[0]),
            FixedMotion(following, known.following, more[1]) if self.follow else None,
            known.balance,
        )

    def shapes(self, mode: Mode) -> dict[str, tuple[int, ...]]:
        """Shapes of the arguments in order, p apart."""
        sizes, inputs = self.kernels.setup.sizes(), self.kernels.setup.inputs
        count = self.target.size if mode == "reverse" else 0 if inputs is None else len(inputs.source.inputs)
        return {name: sizes[name] for name in self.target.names} | {ALONG[mode]: (count,)}


_NO_TURN = np.eye(3)
"""The rotation of no frame, where actuators are held."""


def _held_functions_of_stage(stage: Any) -> Any:
    return stage.functions if isinstance(stage, FixedQuantityPlan) else None


def derivative_at_point(target: DifferentiatedFunction, mode: Mode, point: Point, along: Vec) -> Vec:
    """The derivative of a function at a point, any scalar."""
    function: Callable[[Point, Vec], Vec] = target.vjp if mode == "reverse" else target.jvp
    return function(point, along)
