"""Functions that many runs of a model need, compiled for lanes; numbers that differ from run to run are inputs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Any

import numpy as np

from linkwright.compiler import Kernel, Options, Program, cached_kernel, divide_program, trace
from linkwright.dataclass import dataclass, exact_text
from linkwright.dynamics.tree_dynamics import tree_solver
from linkwright.functions.definition import Definition
from linkwright.functions.loop import multiplier_functions
from linkwright.functions.memo import source_stamp
from linkwright.functions.setup import setup_at
from linkwright.functions.stages import KKTPlan, Stage, VelocityPartitionPlan
from linkwright.functions.stepping import stepping_functions
from linkwright.functions.store import Kernels
from linkwright.mechanism.parameterized_mechanism import ParameterizedMechanism
from linkwright.model import Model
from linkwright.simulation.drivers.driver_records import EXTRAS
from linkwright.simulation.problem.applied_loads import NOTHING, AppliedLoads
from linkwright.simulation.problem.problem import Function, Problem, all_state_indices, checked_indices

Query = Callable[..., Any]

# Operations per function of lane code: measured on the Gough-Stewart platform, 8 % faster than the usual 400.
CHUNK = 150
_KEPT = 8


@dataclass(frozen=True, eq=False)
class LaneKernels:
    """Kernels for lanes by field of `Mechanics`, and the kernels that prepare a run's values of inputs for them.

    Attributes:
        lanes: runs side by side.
        kernels: by field of `drivers.records.Mechanics`.
        starts: index at which a kernel's part of the given numbers begins.
        early: from a run's values of inputs to the numbers its kernel is given; None when there are none.
        n_given: numbers given to all kernels together.
        acting: wrenches, whose numbers the derivative takes behind the efforts.
    """

    lanes: int
    kernels: dict[str, Kernel]
    starts: dict[str, int]
    early: dict[str, Kernel | None]
    n_given: int
    acting: AppliedLoads

    def watching(self, kernel: Kernel, early: Kernel) -> LaneKernels:
        """The same kernels and event functions, which take what `early` gives."""
        n = early.signature.outputs[0].size
        return replace(
            self,
            kernels=self.kernels | {"watch": kernel},
            starts=self.starts | {"watch": self.n_given},
            early=self.early | {"watch": early if n else None},
            n_given=self.n_given + n,
        )

    def given_numbers(self, p: np.ndarray, runs: int) -> np.ndarray:
        """Numbers that the kernels are given in every run, (runs, n_given), from values of the inputs."""
        parts = [early(p) for early in self.early.values() if early is not None]
        rows = np.concatenate(parts, axis=1) if parts else np.zeros((1, 0))
        return np.ascontiguousarray(np.broadcast_to(rows, (runs, rows.shape[1])))


def lane_kernels(model: Model, lanes: int | None = None, acting: AppliedLoads = NOTHING) -> LaneKernels:
    """Kernels of a model for runs that may differ in its inputs; kept with the model.

    What acts besides the actuators is given to the derivative behind the efforts.
    """
    return model.nominal_cache.get(("lane kernels", lanes, acting), lambda: _make_lane_kernels(model, lanes, acting))


def lane_problem(
    model: Model,
    kernels: LaneKernels,
    laws: Mapping[str, Kernel] = MappingProxyType({}),
    states: int = 0,
    watched: Kernels[VelocityPartitionPlan] | None = None,
) -> Problem:
    """The problem of runs in lanes, kept with the model: in all velocities, by multipliers where there are loops.

    Args:
        model: whose motion it is.
        kernels: its functions.
        laws: of efforts and wrenches, compiled for lanes, by field of `Mechanics`.
        states: of a controller.
        watched: kernels whose independent set is watched for singularities, where runs are watched.
    """

    def made() -> Problem:
        projects = model.has_loops or any(name.endswith(".qw") for name in model.q_names)
        first = len(all_state_indices(model)) + EXTRAS
        moving = checked_indices(all_state_indices(model), model.nq + model.nv, model)
        checked = (*moving, *range(first, first + states))
        functions: dict[str, Function] = {**kernels.kernels, **laws}
        return Problem(
            model, functions, model.nv, projects, checked, watched=watched, acting=kernels.acting, states=states
        )

    key = (kernels, tuple(laws.items()), states, watched)
    return model.nominal_cache.recent("lane problems", key, made, _KEPT)


def _make_lane_kernels(model: Model, lanes: int | None, acting: AppliedLoads) -> LaneKernels:
    setups, inputs = _stages_of_model(model), model.setup.inputs
    dynamics, stamp = _dynamics_definition(model, acting), source_stamp("simulation")
    kernels: dict[str, Kernel] = {}
    early: dict[str, Kernel | None] = {}
    starts, start = {}, 0
    for name, (arguments, query) in _lane_queries(setups, dynamics, acting).items():
        makers = _Makers(setups, None if inputs is None else inputs.source, arguments, query, acting.n_wrenches)
        title = f"{stamp} {[s.identity for s in setups.values()]} {exact_text(acting)} {name} {dynamics.name}"
        kernels[name] = cached_kernel(f"{title} late", makers.late, Options(lanes=lanes, chunk=CHUNK))
        lanes = kernels[name].lanes  # the first and longest program decides
        early[name] = cached_kernel(f"{title} early", makers.early) if inputs is not None else None
        starts[name] = start
        start += next(port.size for port in kernels[name].signature.inputs if port.name == "given")
    assert lanes is not None
    return LaneKernels(lanes, kernels, starts, early, start, acting)


@dataclass(eq=False)
class _Makers:
    """Traces a query when it is first needed."""

    setups: dict[str, Stage]
    source: ParameterizedMechanism | None
    inputs: tuple[str, ...]
    query: Query
    n_wrenches: int
    _parts: tuple[Program, Program] | None = None

    def early(self) -> Program:
        return self.parts()[0]

    def late(self) -> Program:
        return self.parts()[1]

    def parts(self) -> tuple[Program, Program]:
        if self._parts is None:
            sizes = self.setups["open"].sizes()
            sizes["tau"] = (sizes["tau"][0] + self.n_wrenches,)
            n = 0 if self.source is None else len(self.source.inputs)
            whole = trace(self._trace_lane_program, {name: sizes[name] for name in self.inputs} | {"p": (n,)})
            self._parts = divide_program(whole, ["p"])
        return self._parts

    def _trace_lane_program(self, p: np.ndarray, **state: np.ndarray) -> Any:
        if self.source is None:
            return self.query(self.setups, *state.values())
        setups = {name: s.on(setup_at(s.setup, self.source, list(p))) for name, s in self.setups.items()}
        return self.query(setups, *state.values())


def _stages_of_model(model: Model) -> dict[str, Stage]:
    """The stages of a model: its tree or open loops, and its elimination planned or its pivots watched."""
    dynamics = model.dynamics
    planned: Stage = dynamics.kernels.stage if model.has_loops else tree_solver(model.kinematics)[0].stage
    return {"open": model.setup, "planned": planned}


def _dynamics_definition(model: Model, acting: AppliedLoads) -> Definition:
    """The definition of accelerations that `simulate` steps with, so that lanes have its bits."""
    if model.has_loops:
        return multiplier_functions.checked_forward_dynamics
    kernels, definition = tree_solver(model.kinematics)
    return kernels.cheapest_definition(definition, wrench=bool(acting.sites))


def _lane_queries(
    stages: dict[str, Stage], dynamics: Definition, acting: AppliedLoads
) -> dict[str, tuple[tuple[str, ...], Query]]:
    planned = stages["planned"]
    projection = (
        stepping_functions.checked_projection if isinstance(planned, KKTPlan) else stepping_functions.unit_projection
    )

    def accelerations(s: dict[str, Stage], q: Any, v: Any, tau: Any) -> Any:
        efforts, outer = acting.split(s["planned"], q, tau)
        return dynamics(s["planned"], q, v, efforts, *outer)

    def rates(s: dict[str, Stage], q: Any, v: Any, tau: Any) -> Any:
        efforts, outer = acting.split(s["planned"], q, tau)
        return stepping_functions.state_rates(s["open"], q, v, efforts, *outer)

    def query(definition: Definition, of: str) -> Query:
        return lambda s, *state: definition(s[of] if definition.stage is type(s[of]) else s[of].setup, *state)

    return {
        "dynamics": (("q", "v", "tau"), accelerations),
        "rates": (("q", "v", "tau"), rates),
        "gaps": (("q", "v"), query(stepping_functions.gaps, "open")),
        "project": (("q", "v"), query(projection, "planned")),
        "monitor": (("q", "v"), query(stepping_functions.monitor, "open")),
    }
