"""The chain of fallbacks: compiled code, a second elimination, dense algebra, each for what the one before flags."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwright.compiler import Fallback, Kernel
from linkwright.dataclass import dataclass
from linkwright.errors import SingularityError
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.store import Kernels

Code = Kernel | InputKernel


@dataclass(frozen=True, eq=False)
class FallbackChain:
    """What takes over where compiled code of a mechanism flags its result.

    Attributes:
        owner: the mechanism's kinematics or dynamics.
        dense: called as `dense(owner, *state, alone=...)`: the result of one state. With `alone` it may raise;
            otherwise the state is a row of a batch, and it returns NaN.
        second: kernels and definition of another elimination, compiled when first needed and asked before `dense`.
    """

    owner: Any
    dense: Callable[..., Any]
    second: tuple[Kernels, Definition] | None = None

    def code(self, kernels: Kernels, definition: Definition, wrench: bool = False, frame: str | None = None) -> Code:
        """The compiled function of a definition with this chain behind it."""
        second = None if self.second is None else partial(self.second[0].code, self.second[1], wrench, frame)
        return kernels.code(definition, wrench, frame).extended(Fallback(self, second))

    def behind(self, code: InputKernel) -> InputKernel:
        """Compiled code that no definition names, with the dense algebra behind it."""
        return code.extended(Fallback(self))

    def __call__(self, *state: Any, alone: bool) -> Any:
        return self.dense(self.owner, *state, alone=alone)

    def at(self, values: np.ndarray) -> FallbackChain:
        """The chain of the mechanism at other values of its inputs."""
        return FallbackChain(self.owner.at(values), self.dense)


def refused_as_nan(dense: Callable[..., np.ndarray], *state: Any, alone: bool) -> np.ndarray:
    """The dense result; a singular state raises when it is alone and is NaN in a batch."""
    try:
        return dense(*state)
    except SingularityError:
        if alone:
            raise
        return np.array(np.nan)
