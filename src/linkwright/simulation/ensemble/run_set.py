"""The starts of many runs: states, constant efforts and values of the mechanism's inputs, one row for each."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.results.meta import hash_parts
from linkwright.simulation.ensemble.varied_parameters import Varied


@dataclass(frozen=True, eq=False)
class RunSet:
    """What differs from run to run.

    Attributes:
        states: closed states at the start, (runs, nq + nv).
        taus: constant efforts, (runs, na).
        varied: values of the mechanism's inputs.
    """

    states: np.ndarray
    taus: np.ndarray
    varied: Varied

    command: ClassVar[str] = "simulate_many"

    def __len__(self) -> int:
        return len(self.states)

    def meta(self) -> dict[str, Any]:
        """For the meta of the ensemble."""
        return {"varied": list(self.varied.names)}

    def request(self) -> dict[str, Any]:
        """For the request of the ensemble."""
        return {"set of runs": [len(self), hash_parts(self.states, self.taus, self.varied.values)]}
