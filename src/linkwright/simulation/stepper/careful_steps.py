"""Steps of single rows where the compiled elimination is ill-conditioned, by the driver of a single run.

That driver has a second elimination, a dense solve, and steps in tangent coordinates near singular positions. End stops
are no part of it: rows that have some are stepped by the public functions of the model.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.functions.setup import Setup, drivable_names, setup_at
from linkwright.functions.stepping import stepping_functions
from linkwright.model import Model, build
from linkwright.simulation.drivers.status import DONE, EXAMINE, FULL_LIST, GOING, SWITCH
from linkwright.simulation.ensemble.run_set import RunSet
from linkwright.simulation.problem.applied_loads import AppliedLoads
from linkwright.simulation.problem.callbacks import NO_RESULT, take_errors
from linkwright.simulation.problem.run_efforts import RunActuation
from linkwright.simulation.problem.stops import add_stop_efforts
from linkwright.simulation.running.run_spec import RunSpec
from linkwright.simulation.running.run_start import Start
from linkwright.simulation.running.workspace import workspace_of_run

# Attempts of steps between two looks at Ctrl-C, and slices of them that one call may take.
_BUDGET, _MOST_SLICES = 512, 200
_MODELS_KEPT = 16


@dataclass(frozen=True, eq=False)
class _Design:
    """The model of a row at its values of the inputs, the same with stops as actuators, and its numbers.

    Made once for all stages of a row's steps: states between the ends of a step are not closed exactly, and only the
    first state that a model is given is compared with its design.
    """

    model: Model
    with_stops: Model
    setup: Setup


@dataclass(frozen=True, eq=False)
class CarefulSteps:
    """The steps of `drivers.batch`, one row at a time, where those cannot be made.

    Attributes:
        spec: of all robots.
    """

    spec: RunSpec[RunSet]

    @cached_property
    def _acting(self) -> AppliedLoads:
        return self.spec.acting

    def advanced(self, y: np.ndarray, given: np.ndarray, p: np.ndarray, substeps: int) -> np.ndarray:
        """The state (q, v, extras) after some steps under what is given (efforts, wrenches); raises where it has none.

        Raises:
            LinkwrightError: with the reason.
        """
        if self._acting.stops:
            design = self._design(p)
            with np.errstate(over="ignore", invalid="ignore"):
                for _ in range(substeps):
                    y = self._step(y, given, design)
        else:
            y = self._run(self._row_spec(y, given, p), y, substeps)
        if not np.isfinite(y).all():
            raise LinkwrightError("a step of fixed size gave numbers that are not finite; take a smaller h")
        return y

    def _row_spec(self, y: np.ndarray, given: np.ndarray, p: np.ndarray) -> RunSpec[Start]:
        """One robot as a run of its own, from a state under constant efforts and wrenches."""
        model, loads = self._model_at(p), self.spec.actuation.loads
        start = Start(y[: model.nq], y[model.nq : model.nq + model.nv])
        spec: RunSpec[Any] = self.spec
        return replace(spec, model=model, start=start, actuation=RunActuation(given, loads=loads))

    def _run(self, spec: RunSpec[Start], y: np.ndarray, substeps: int) -> np.ndarray:
        workspace, roots = workspace_of_run(spec)
        driver, n = workspace.driver, len(y)
        workspace.state[:n] = y
        driver.settings.t_end = substeps * (spec.method.h or 0.0)
        advance, status = workspace.bound(), GOING
        for _ in range(_MOST_SLICES):
            driver.budget = _BUDGET
            status = advance()
            workspace.follow_tangents()
            driver.events.n_found = driver.tangent.n_passed = 0
            if status not in (GOING, EXAMINE, SWITCH, FULL_LIST):
                break
        found, error = workspace.state[:n].copy(), take_errors(workspace.functions.values())
        workspace.give_back(spec.method, roots)
        if error is not None and not isinstance(error, NO_RESULT):
            raise error
        if status != DONE:
            raise LinkwrightError("the loops' equations lose rank, and the motion could not be continued through it")
        return found

    def _model_at(self, p: np.ndarray) -> Model:
        """The model at values of its inputs; a row that is repaired is mostly repaired again."""
        model = self.spec.model
        if model.kernels.setup.inputs is None:
            return model
        return model.cache.recent("repaired rows", p.tobytes(), lambda: model.with_parameters(p), _MODELS_KEPT)

    def _step(self, y: np.ndarray, given: np.ndarray, design: _Design) -> np.ndarray:
        tableau, h = self.spec.method.tableau, self.spec.method.h or 0.0
        nq, nv = self.spec.model.nq, self.spec.model.nv
        k: list[np.ndarray] = []
        for j in range(tableau.stages):
            stage = sum((x * h * dy for x, dy in zip(tableau.A[j], k, strict=False)), y)
            k.append(self._derivative(stage, given, design))
        end = sum((x * h * dy for x, dy in zip(tableau.A[tableau.stages], k, strict=False)), y)
        q, v = design.model.project(end[:nq], end[nq : nq + nv])
        return np.concatenate([q, v, end[nq + nv :]])

    def _derivative(self, y: np.ndarray, given: np.ndarray, design: _Design) -> np.ndarray:
        model, nq, nv, na = design.model, design.model.nq, design.model.nv, design.model.na
        q, v, tau, lost = y[:nq], y[nq : nq + nv], given[:na], 0.0
        outer = self._acting.outer(design.setup, q, given[na:]) if self._acting.sites else ()
        rates, powers = model.kernels.function(stepping_functions.state_rates, bool(outer))(q, v, tau, *outer)
        if self._acting.stops:
            _, tau, lost = add_stop_efforts(design.setup, self._acting.stops, q, v, tau)
            model = design.with_stops
        a = model.forward_dynamics(q, v, tau, *outer)
        return np.concatenate([rates, a, powers + [0.0, lost]])

    def _design(self, p: np.ndarray) -> _Design:
        model, setup = self.spec.model, self.spec.model.kernels.setup
        with_stops = self._with_stops if self._acting.stops else model
        if setup.inputs is None:
            return _Design(model, with_stops, setup)
        moved = setup_at(setup, setup.inputs.source, p.tolist())
        return _Design(self._model_at(p), with_stops.with_parameters(p), moved)

    @cached_property
    def _with_stops(self) -> Model:
        """The model with the stops as further actuators, in the order of `add_stop_efforts`."""
        setup = self.spec.model.kernels.setup
        drives = dict.fromkeys((*setup.drives, *(stop.drive for stop in self._acting.stops)))
        names = {drive: name for name, drive in drivable_names(setup.mech).items()}
        return build(setup.mech, [names[drive] for drive in drives], inputs=self.spec.model.parameters.names)
