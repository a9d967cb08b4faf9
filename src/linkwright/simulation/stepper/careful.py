"""Steps of single rows where the compiled elimination is ill-conditioned, by functions that have their fallbacks."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.kernels import registry
from linkwright.kernels.parameterized import setup_at
from linkwright.kernels.setup import Setup, drivable
from linkwright.model import Model, build
from linkwright.simulation.methods.methods import DP5, RK4
from linkwright.simulation.problem.acting import Acting
from linkwright.simulation.problem.stops import stopped


@dataclass(frozen=True, eq=False)
class CarefulSteps:
    """The steps of `drivers.batch` by the public functions of the model: second elimination, dense solve, projection.

    Attributes:
        model: whose rows they are.
        acting: wrenches and end stops.
        method: explicit, with a fixed step h [s].
    """

    model: Model
    acting: Acting
    method: RK4 | DP5
    h: float

    def advanced(self, y: np.ndarray, given: np.ndarray, p: np.ndarray, substeps: int) -> np.ndarray:
        """The state (q, v, extras) after some steps under what is given (efforts, wrenches); raises where it has none.

        Raises:
            LinkwrightError: with the reason.
        """
        with np.errstate(over="ignore", invalid="ignore"):
            for _ in range(substeps):
                y = self._step(y, given, p)
        if not np.isfinite(y).all():
            raise LinkwrightError("a step of fixed size gave numbers that are not finite; take a smaller h")
        return y

    def _step(self, y: np.ndarray, given: np.ndarray, p: np.ndarray) -> np.ndarray:
        tableau, nq, nv = self.method.tableau, self.model.nq, self.model.nv
        k: list[np.ndarray] = []
        for j in range(tableau.stages):
            stage = sum((x * self.h * dy for x, dy in zip(tableau.A[j], k, strict=False)), y)
            k.append(self._derivative(stage, given, p))
        end = sum((x * self.h * dy for x, dy in zip(tableau.A[tableau.stages], k, strict=False)), y)
        q, v = self._at(self.model, p).project(end[:nq], end[nq : nq + nv])
        return np.concatenate([q, v, end[nq + nv :]])

    def _derivative(self, y: np.ndarray, given: np.ndarray, p: np.ndarray) -> np.ndarray:
        model, nq, nv, na = self.model, self.model.nq, self.model.nv, self.model.na
        q, v, tau, lost = y[:nq], y[nq : nq + nv], given[:na], 0.0
        outer = self.acting.outer(self._setup(p), q, given[na:]) if self.acting.sites else ()
        rates, powers = self._at(model, p).kernels.function(registry.STATE_RATES, bool(outer))(q, v, tau, *outer)
        if self.acting.stops:
            _, tau, lost = stopped(self._setup(p), self.acting.stops, q, v, tau)
            model = self._with_stops
        a = self._at(model, p).forward_dynamics(q, v, tau, *outer)
        return np.concatenate([rates, a, powers + [0.0, lost]])

    def _at(self, model: Model, p: np.ndarray) -> Model:
        return model.with_parameters(p) if len(p) else model

    def _setup(self, p: np.ndarray) -> Setup:
        setup = self.model.kernels.setup
        return setup if setup.inputs is None else setup_at(setup, setup.inputs.source, p.tolist())

    @cached_property
    def _with_stops(self) -> Model:
        """The model with the stops as further actuators, in the order of `stopped`."""
        setup = self.model.kernels.setup
        drives = dict.fromkeys((*setup.drives, *(stop.drive for stop in self.acting.stops)))
        names = {drive: name for name, drive in drivable(setup.mech).items()}
        return build(setup.mech, [names[drive] for drive in drives], inputs=self.model.parameters.names)
