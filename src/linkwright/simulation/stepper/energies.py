"""The energy balance of robots of a stepper, found out when it is asked for."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.functions.stepping import limit_functions
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.model import Model
from linkwright.simulation.problem.applied_loads import AppliedLoads
from linkwright.simulation.running.energy_balance import STEPPER_SHARE, EnergyBalance, rounding_of
from linkwright.simulation.stepper.robot_rows import RobotRows

Array = np.ndarray

# Some robots by number, or all of them, which NumPy goes through quicker.
Chosen = Array | slice
EVERY = slice(None)


class RobotEnergies:
    """Energies of robots since their start.

    A start is a copy of the state. Its energies are computed when they are first needed. What a robot exchanged is
    seen at its start and whenever somebody looks.
    """

    def __init__(self, model: Model, acting: AppliedLoads, rows: RobotRows) -> None:
        self._model, self._acting, self._rows = model, acting, rows
        n = len(rows.number)
        self._start = np.zeros((n, model.nq + model.nv))
        self._before = np.zeros((n, 4))
        self._unknown = np.ones(n, dtype=bool)
        self._exchanged = np.zeros(n)
        self._kernels = model.kernels
        self._values = np.zeros((1, 0))

    def begin(self, chosen: Chosen) -> None:
        """Count from the present states on."""
        rows, nq = self._rows, self._model.nq
        self._start[chosen, :nq], self._start[chosen, nq:] = rows.q[chosen], rows.v[chosen]
        self._before[chosen, 2:] = rows.extras[chosen]
        self._unknown[chosen], self._exchanged[chosen] = True, 0.0

    def set_parameters(self, values: Array) -> None:
        """Take other values of the mechanism's inputs, (1, n_p) or (n, n_p), and count from now on."""
        self._values = values
        if self._model.kernels.setup.inputs is not None:
            self._kernels = self._model.kernels.at(values)
        self.begin(EVERY)

    def balance(self, chosen: Chosen) -> EnergyBalance:
        """Drift of energy less work plus losses since the start; robots that failed count as balanced."""
        rows, before = self._rows, self._energies_at_start(chosen)
        kernels = self._kernels_at(chosen)
        now = self._stored_energy(kernels, rows.q[chosen], rows.v[chosen])
        changes = np.concatenate([now, rows.extras[chosen]], axis=1) - before
        drift = np.abs(changes[:, 0] + changes[:, 1] - changes[:, 2] + changes[:, 3])
        seen = np.maximum(np.abs(changes[:, 1:]).max(axis=1), np.maximum(before[:, 0], now[:, 0]))
        exchanged = self._exchanged[chosen] = np.fmax(self._exchanged[chosen], seen)
        largest = np.maximum(np.abs(now), np.abs(before[:, :2])).max(axis=1)
        drift[np.isnan(drift)] = 0.0
        return EnergyBalance(drift, exchanged, np.full(len(drift), STEPPER_SHARE), rounding_of(largest))

    def state(self) -> dict[str, Array]:
        """What a pickle keeps."""
        return {name: getattr(self, name) for name in ("_start", "_before", "_unknown", "_exchanged")}

    def restore(self, state: dict[str, Array]) -> None:
        """Go on with what a pickle kept."""
        for name, array in state.items():
            getattr(self, name)[:] = array

    def _energies_at_start(self, chosen: Chosen) -> Array:
        """Energies at the start, (k, 4)."""
        unknown = self._unknown[chosen]
        if unknown.any():
            rows: Any = np.flatnonzero(self._unknown) if isinstance(chosen, slice) else chosen[unknown]
            rows = EVERY if len(rows) == len(self._unknown) else rows
            start, nq = self._start[rows], self._model.nq
            self._before[rows, :2] = self._stored_energy(self._kernels_at(rows), start[:, :nq], start[:, nq:])
            self._unknown[rows] = False
        return self._before[chosen]

    def _kernels_at(self, chosen: Chosen) -> Kernels:
        """Functions at the values of some robots."""
        if isinstance(chosen, slice) or len(self._values) == 1:
            return self._kernels
        return self._model.kernels.at(self._values[chosen])

    def _stored_energy(self, kernels: Kernels, q: Array, v: Array) -> Array:
        """Kinetic and potential energy, (k, 2), [J]; springs of end stops store energy too."""
        stored: Array = kernels.function(tree_functions.energies)(q, v)
        if self._acting.stops:
            depths = np.maximum(-kernels.function(limit_functions.limit_distances)(q), 0.0)
            for stop in self._acting.stops:
                stored[:, 1] += 0.5 * stop.stiffness * depths[:, stop.index] ** 2
        return stored
