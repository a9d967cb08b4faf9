"""Programs of one vector and their derivatives, which are programs of the same kind."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from linkwright.compiler import Kernel, Options, Port, Program, adjoint, cached_kernel, tangent
from linkwright.dataclass import dataclass
from linkwright.export.operation_levels import Levels, schedule_levels


@dataclass(frozen=True, eq=False)
class Flat:
    """A program whose inputs are one vector x and whose outputs are one vector y.

    Attributes:
        program: with the ports x and y.
        name: of the function, for announcements.
        checked: whether NaN in the first element of y flags all of it.
        of: the program of which this one is a derivative; it is then linear in the last part of x.
        backward: whether it is the derivative backward.
    """

    program: Program
    name: str
    checked: bool = False
    of: Flat | None = None
    backward: bool = False

    @cached_property
    def push(self) -> Flat:
        """Change of y along a change of x, from both."""
        return Flat(flatten_program(tangent(self.program)), f"derivatives of {self.name}", of=self)

    @cached_property
    def pull(self) -> Flat:
        """Derivatives by x of a weighted sum of y, from x and weights."""
        return Flat(flatten_program(adjoint(self.program)), f"derivatives of {self.name}", of=self, backward=True)

    @property
    def transposed_map(self) -> Flat:
        """The transposed linear map of a derivative."""
        if self.of is None:
            raise TypeError(f"{self.name} is not a derivative")
        return self.of.push if self.backward else self.of.pull

    @property
    def size(self) -> int:
        """Number of elements of y."""
        return self.program.n_outputs

    @cached_property
    def levels(self) -> Levels:
        """The program as few operations on arrays."""
        return schedule_levels(self.program)

    @cached_property
    def kernel(self) -> Kernel:
        """Its machine code."""
        options = Options(pivot_checked=self.checked)
        return cached_kernel(self.program.digest, lambda: self.program, options, self.name)

    def rows(self, x: np.ndarray) -> np.ndarray:
        """y of x, (..., n), by machine code; bad states are NaN."""
        made = self.kernel(np.ascontiguousarray(x, dtype=float)[None])[0]
        if self.checked and self.size:
            made[np.isnan(made[..., 0])] = np.nan
        return made


def flatten_program(program: Program) -> Program:
    """The same program with one vector in and one out."""
    ports = (Port("x", (program.n_inputs,)),), (Port("y", (program.n_outputs,)),)
    return replace(program, inputs=ports[0], outputs=ports[1], form="array")
