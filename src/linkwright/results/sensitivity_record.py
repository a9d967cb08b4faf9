"""Derivatives of the end of a run."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class Sensitivity:
    """Derivatives of the last state of a run, at its fixed time, by k numbers.

    Attributes:
        names: the numbers: inputs of the model, then "q0.<velocity>" and "v0.<velocity>" of the start.
        t: the time of the state, [s].
        q: displacements (nv, k), of spherical and floating joints in body axes; the loops stay closed.
        v: changes of the velocities, (nv, k).
        coordinates: derivatives of the coordinates themselves, (nq, k).
        value: the objective there; NaN where none was given.
        gradient: derivatives of the objective, (k,).
    """

    names: tuple[str, ...]
    t: float
    q: Array
    v: Array
    coordinates: Array
    value: float
    gradient: Array

    def by(self, name: str) -> tuple[Array, Array]:
        """Displacements and changes of velocity, (nv,) each, by one of the numbers."""
        if not isinstance(name, str) or name not in self.names:
            raise ArgumentError(f"name is {name!r:.80}, which is not among {', '.join(self.names)}", name=name)
        i = self.names.index(name)
        return self.q[:, i], self.v[:, i]
