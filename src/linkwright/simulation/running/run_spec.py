"""What is to be computed: one record for a run, a run whose loops close and open, many runs, and a stepper's robots."""

from __future__ import annotations

import math
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from linkwright.compiler import Kernel
from linkwright.compiler.codegen.target import Options, host_target
from linkwright.dataclass import dataclass
from linkwright.formulations.formulation import Formulation
from linkwright.model import Model
from linkwright.results.lazy_content import Columns
from linkwright.results.meta import hash_parts, run_provenance
from linkwright.simulation.events.root_functions import Crossing
from linkwright.simulation.methods.methods import Given, Method
from linkwright.simulation.problem.applied_loads import AppliedLoads
from linkwright.simulation.problem.lane_kernels import LaneKernels, lane_kernels
from linkwright.simulation.problem.problem import Problem, problem_of_model
from linkwright.simulation.problem.run_efforts import RunActuation
from linkwright.simulation.problem.stops import EndStops, stops_of
from linkwright.simulation.running.output import Output
from linkwright.simulation.running.row_layout import row_columns
from linkwright.simulation.running.times import Times
from linkwright.simulation.switching.switches import Switch, switch_title


class StartRecord(Protocol):
    """What a specification starts from: a state, those of many runs, or a whole motion that is given."""

    command: ClassVar[str]

    def meta(self) -> dict[str, Any]:
        """For the meta of the result."""

    def request(self) -> dict[str, Any]:
        """For the request of a recording."""


S = TypeVar("S", bound=StartRecord, covariant=True)


@dataclass(frozen=True, eq=False)
class RunSpec(Generic[S]):
    """Everything that decides a run.

    Attributes:
        model: at the values of its inputs; of many runs, at its own values.
        start: closed state at the start; of many runs, the states, constant efforts and values of inputs of all; of a
            motion that is given, all its states.
        actuation: efforts and wrenches.
        times: span and rows.
        method: how to step; `Given()` where nothing is stepped.
        formulation: how loops are kept closed; None is `Multipliers()`.
        crossings, switches: the caller's events, and the loops that close and open.
        stop_at: what ends the run early: "singularity", "limits".
        output: where rows go, progress and pace.
        check: compare accelerations with a second method.
        max_steps: steps that may be attempted.
        stops: joint limits that push back.
    """

    model: Model
    start: S
    actuation: RunActuation
    times: Times
    method: Method
    formulation: Formulation | None = None
    crossings: tuple[Crossing, ...] = ()
    switches: tuple[Switch, ...] = ()
    stop_at: tuple[str, ...] = ("singularity",)
    output: Output = Output()
    check: bool = True
    max_steps: float = math.inf
    stops: EndStops | None = None

    @property
    def acting(self) -> AppliedLoads:
        """Loads besides the actuators' efforts."""
        mech, sites = self.model.kernels.setup.mech, self.actuation.loads.sites
        return AppliedLoads(sites, () if self.stops is None else stops_of(mech, self.stops))

    @property
    def problem(self) -> Problem:
        """Functions and states of the motion."""
        return problem_of_model(self.model, self.formulation, self.acting, self.actuation.states)

    @property
    def lanes(self) -> LaneKernels:
        """Functions of the motion for runs side by side."""
        return lane_kernels(self.model, acting=self.acting)

    @property
    def formulation_text(self) -> str:
        """The formulation for people."""
        if not self.model.kinematics.closed:
            return "tree"
        return "Multipliers()" if self.formulation is None else self.problem.description

    @property
    def columns(self) -> Columns:
        """The series of the result."""
        return row_columns(self.model, self.actuation.states)

    @property
    def stops_at_limits(self) -> bool:
        """True if limits of joints end the run."""
        return "limits" in self.stop_at

    @property
    def goes_through(self) -> bool:
        """True if the run goes on through singular positions."""
        return "singularity" not in self.stop_at

    def meta(self) -> dict[str, Any]:
        """The meta known before the first step."""
        return {
            **model_provenance(self.model),
            "command": self.start.command,
            **({} if isinstance(self.method, Given) else self._stepping_meta()),
            "span": [self.times.origin, self.times.end],
            **self.start.meta(),
        }

    def _stepping_meta(self) -> dict[str, Any]:
        method, loads = self.method, self.actuation.loads
        tolerances = {name: getattr(method, name, None) for name in ("rtol", "atol", "h", "h_max")}
        return {
            "formulation": self.formulation_text,
            "method": repr(method),
            "tolerances": {name: x for name, x in tolerances.items() if x is not None and math.isfinite(x)},
            "effort": self.actuation.description,
            **({"wrench": loads.description} if loads.wrenches else {}),
        }

    def request(self) -> dict[str, Any]:
        """What is computed, as JSON data: a run is resumed only by a call that requests the same.

        Functions of the caller are known by their names only.
        """
        known, inputs, times = model_provenance(self.model), self.model.kernels.setup.inputs, self.times
        events = [[each.name, each.direction, each.stop] for each in self.crossings]
        return {
            "version of linkwright": known["linkwright"],
            "kind of processor": hash_parts(host_target(Options()).features),
            "mechanism": known["mechanism"]["hash"],
            "set of actuators": list(self.model.actuated),
            "set of parameters": []
            if inputs is None
            else [list(self.model.parameters.names), hash_parts(inputs.values)],
            "method": repr(self.method),
            "span": [times.origin, times.end],
            "set of times": hash_parts(times.since_start, times.shown),
            "formulation": self.formulation_text,
            **self.start.request(),
            "effort": _effort_identity(self.actuation),
            **({"wrench": _wrench_identity(self.actuation)} if self.actuation.loads.wrenches else {}),
            "events": [*events, *(_switch_identity(each) for each in self.switches)],
            "stop_at": sorted(self.stop_at),
        }


def model_provenance(model: Model) -> dict[str, Any]:
    """Versions, computer and the text of the mechanism, which make a run repeatable."""

    def made() -> dict[str, Any]:
        from linkwright.formats import to_yaml  # readers of files take long to import

        given = model.kernels.setup.inputs
        values = {} if given is None else dict(zip(model.parameters.names, given.values.tolist(), strict=True))
        return run_provenance(model.mechanism.name, to_yaml(model.mechanism)) | {"parameters": values}

    return model.cache.get("provenance", made)


def _effort_identity(actuation: RunActuation) -> list[str]:
    """Description of the efforts, and a digest of the law's code where there is one."""
    code = actuation.code
    key = code.addresses.key if isinstance(code, Kernel) else None
    shown = actuation.description if key is None else type(actuation.law).__name__
    if actuation.sampled is not None:
        shown = f"sampled every {actuation.period!r} s"
    return [shown, hash_parts(actuation.start) if key is None else hash_parts(key)]


def _wrench_identity(actuation: RunActuation) -> list[str]:
    """Where wrenches act, and a digest of their laws' code where there is one."""
    key = actuation.wrench.addresses.key if isinstance(actuation.wrench, Kernel) else None
    return [repr(actuation.loads.sites), "" if key is None else hash_parts(key)]


def _switch_identity(switch: Switch) -> list[Any]:
    settings = {name: x for name, x in vars(switch).items() if not callable(x)}
    return [switch_title(switch), {name: list(x) if isinstance(x, tuple) else x for name, x in settings.items()}]
