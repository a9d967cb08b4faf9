"""Programs of derivatives by the inputs, made for one function of a mechanism: one direction or one set of weights.

A full Jacobian is a batch of unit directions or unit weights, so that the size of the code does not depend on how many
inputs or results there are.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from linkwright.algebra.vectors import Vec
from linkwright.compiler import Program
from linkwright.kernels.compiled import Kernels
from linkwright.kernels.gradients.closing import EQUATIONS, Point, Unlooped
from linkwright.kernels.gradients.differentiable import Differentiable
from linkwright.kernels.gradients.functions import DifferentiatedFunction
from linkwright.kernels.loop.independent import complement, flagged, margin
from linkwright.kernels.stages import Division

Mode = Literal["forward", "reverse"]
ALONG = {"forward": "direction", "reverse": "weights"}
"""The last argument of a derivative, by mode."""


def equations(kernels: Kernels, wrench: bool) -> dict[str, Differentiable]:
    """Programs of the equations at the stage of some kernels, with p as last argument."""
    sizes = kernels.setup.sizes() | {"lam": (kernels.setup.closure.n_rows,)}
    names = ("balance",) if not kernels.setup.closure.n_all else tuple(EQUATIONS)

    def program(name: str) -> Differentiable:
        function, arguments = EQUATIONS[name]
        given = (*arguments, "w_ext") if wrench and name == "balance" else arguments
        shapes = {argument: sizes[argument] for argument in given}
        return Differentiable(kernels.with_inputs(lambda at, p, **x: function(at.setup, **x), shapes))

    return {name: program(name) for name in names}


@dataclass(frozen=True, eq=False)
class Derivative:
    """What is differentiated: a function of a mechanism, on kernels at the stage that its loops need.

    Attributes:
        kernels: at a `Division` on the held velocities, or at the `Setup` where loops do not take part.
        target: makes the function, when first needed.
        follow: whether q, v and a follow the inputs; else they stay.
        wrench: whether there is an argument w_ext.
    """

    kernels: Kernels
    target: DifferentiatedFunction
    follow: bool
    wrench: bool

    def program(self, mode: Mode) -> Program:
        """The program of one direction or of one set of weights, with p as last argument."""
        known, target = equations(self.kernels, self.wrench), self.target

        def function(at: Any, p: Vec, **x: Any) -> Vec:
            along = x.pop(ALONG[mode])
            if not isinstance(at, Division):
                whole = Unlooped(np.eye(at.simplified.nv))
                return derivative(target, mode, Point(at, {**x, "p": p}, whole, known, self.follow), along)
            found = complement(at, x["q"])
            point = Point(at.setup, {**x, "p": p}, found, known, self.follow)
            return flagged(derivative(target, mode, point, along), margin(at.setup, x["q"], found))

        return self.kernels.with_inputs(function, self.shapes(mode))

    def shapes(self, mode: Mode) -> dict[str, tuple[int, ...]]:
        """Shapes of the arguments in order, p apart."""
        sizes, inputs = self.kernels.setup.sizes(), self.kernels.setup.inputs
        count = self.target.size if mode == "reverse" else 0 if inputs is None else len(inputs.source.inputs)
        return {name: sizes[name] for name in self.target.names} | {ALONG[mode]: (count,)}


def derivative(target: DifferentiatedFunction, mode: Mode, point: Point, along: Vec) -> Vec:
    """The derivative of a function at a point, any scalar."""
    function: Callable[[Point, Vec], Vec] = target.pulled if mode == "reverse" else target.pushed
    return function(point, along)
