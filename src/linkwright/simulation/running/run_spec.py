"""What is to be computed: one record for a run, a run whose loops close and open, many runs, and a stepper's robots."""

from __future__ import annotations

import logging
import math
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, TypeVar

import numpy as np

from linkwright.checks import require_integer
from linkwright.compiler import Kernel
from linkwright.compiler.codegen.target import Options, host_target
from linkwright.dataclass import dataclass, exact_text
from linkwright.errors import ArgumentError, AssemblyError
from linkwright.formulations.formulation import Formulation
from linkwright.functions.stepping import stepping_functions
from linkwright.kinematics.nominal_rank import require_nominal_rank
from linkwright.model import Model
from linkwright.model.arguments import require_vector, unit_quaternions
from linkwright.numerics.tolerances import CLOSED_STATE, END_OF_WAY, LEAST_SIZE, ROUNDED_SUM
from linkwright.results.archives import hash_parts, run_provenance
from linkwright.results.result import Columns
from linkwright.simulation.integrators import Given, Method
from linkwright.simulation.problem.acceleration_fallback import dense_projection
from linkwright.simulation.problem.applied_loads import AppliedLoads, EndStops
from linkwright.simulation.problem.problem import Problem, problem_of_model
from linkwright.simulation.problem.run_efforts import RunActuation
from linkwright.simulation.root_functions import Crossing
from linkwright.simulation.running.row_layout import row_columns
from linkwright.simulation.running.run_output import Output, Times
from linkwright.simulation.switching.switches import Switch, switch_title

if TYPE_CHECKING:  # of many runs only
    from linkwright.simulation.problem.lane_kernels import LaneKernels

MAX_STEPS = 100_000_000
"""Steps that a run may attempt unless it is allowed more."""

_MORE = "allow more (max_steps=..., --max-steps, max_steps: in a study)"


def checked_budget(max_steps: Any) -> int:
    """The number of steps that a run may attempt."""
    return require_integer("max_steps", max_steps, 1, 1 << 53)


def require_affordable(method: Method, duration: float, max_steps: int) -> None:
    """Refuse steps so short that a run cannot reach its end within its budget: it would only end by that.

    >>> from linkwright.simulation.integrators import RK4
    >>> require_affordable(RK4(1e-3), 1.0, 1000)
    """
    longest = method.h if method.h is not None else getattr(method, "h_max", math.inf)
    needed = duration / longest
    if needed > max_steps * (1.0 + END_OF_WAY):
        raise ArgumentError(
            f"{method!r} takes {needed:.3g} steps for {duration:g} s, and max_steps is {max_steps}; take longer steps, "
            f"or {_MORE}"
        )


def used_up(max_steps: float, work: str) -> str:
    """The message of a run that has used up its budget."""
    return (
        f"the budget of {int(max_steps)} steps is used up ({work}); {_MORE}, or take longer steps, looser tolerances "
        "or a method for stiff motion"
    )


_log = logging.getLogger(__name__)

_FAR = 0.05
_FAR_VELOCITIES = 0.1


@dataclass(frozen=True, eq=False)
class Start:
    """Coordinates and velocities with every loop closed; how far they were moved, and a message when it matters."""

    q: np.ndarray
    v: np.ndarray
    gap: float = 0.0
    gap_rate: float = 0.0
    moved: float = 0.0
    moved_velocities: float = 0.0
    description: str = ""

    command: ClassVar[str] = "simulate"

    def meta(self) -> dict[str, Any]:
        """For the meta of the run: how far it was moved."""
        moved = {"gap": self.gap, "gap_rate": self.gap_rate, "moved": self.moved, "text": self.description}
        return {"start": moved}

    def request(self) -> dict[str, Any]:
        """For the request of the run."""
        return {"start": hash_parts(self.q, self.v)}


def start_state(model: Model, q: Any, v: Any) -> Start:
    """The state a run begins with; a start far from closed is refused."""
    q = unit_quaternions("q", require_vector("q", q, model.nq), model.setup.units)
    v = np.zeros(model.nv) if v is None else require_vector("v", v, model.nv)
    if not model.has_loops:
        return Start(q, v)
    require_nominal_rank(model.kinematics, "simulate", q)
    gap, rate = (float(x) for x in model.loop_kernels.function(stepping_functions.gaps)(q, v))
    if max(gap, rate) < ROUNDED_SUM:
        return Start(q, v, gap, rate)
    length = model.scales.length
    if gap > _FAR * length:
        raise AssemblyError(
            f"the start of '{model.mechanism.name}' is not assembled: its loops are open by {gap:.2g} m, more than "
            f"{_FAR:.0%} of the mechanism's size; call assemble(guess=q) first",
            gap=gap,
        )
    return _brought_near(model, q, v, gap, rate)


def _brought_near(model: Model, q: np.ndarray, v: np.ndarray, gap: float, rate: float) -> Start:
    q_new, v_new = q, v
    best = np.inf
    for _ in range(20):
        v_next, q_next = dense_projection(model, q_new, v_new)
        left = float(np.max(model.loop_kernels.function(stepping_functions.gaps)(q_next, v_next)))
        if not left < best:
            break
        q_new, v_new, best = q_next, v_next, left
    moved, moved_velocities = float(np.abs(q_new - q).max()), float(np.abs(v_new - v).max())
    if not best < 1e-8:
        raise AssemblyError(
            f"the start of '{model.mechanism.name}' cannot be closed: a closure residual of {best:.1e} m remains of "
            f"{gap:.1e} m; call assemble(guess=q) first",
            gap=gap,
        )
    if moved_velocities > _FAR_VELOCITIES * max(float(np.abs(v).max()), LEAST_SIZE) and rate > CLOSED_STATE:
        raise ArgumentError(
            f"the velocities at the start of '{model.mechanism.name}' open its loops at {rate:.2g} m/s; take "
            "consistent ones from forward_kinematics(q_act, v_act)",
            rate=rate,
        )
    description = ""
    if gap > CLOSED_STATE or rate > CLOSED_STATE:
        description = (
            f"the start did not close the loops (residual {gap:.1e} m, rate {rate:.1e} m/s) and was moved: "
            f"coordinates by {moved:.1e}, velocities by {moved_velocities:.1e}"
        )
        _log.warning("%s: %s", model.mechanism.name, description)
    return Start(q_new, v_new, gap, rate, moved, moved_velocities, description)


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
        model: at the values of its inputs, with `stops` among its forces; of many runs, at its own values.
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
        stops: the joint limits that push back, for the record.
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
        return AppliedLoads(self.actuation.loads.sites)

    @property
    def problem(self) -> Problem:
        """Functions and states of the motion."""
        return problem_of_model(self.model, self.formulation, self.acting, self.actuation.states)

    @property
    def lanes(self) -> LaneKernels:
        """Functions of the motion for runs side by side."""
        from linkwright.simulation.problem.lane_kernels import lane_kernels

        return lane_kernels(self.model, acting=self.acting)

    @property
    def formulation_text(self) -> str:
        """The formulation for people."""
        if not self.model.has_loops:
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
            "method": exact_text(method),
            "tolerances": {name: x for name, x in tolerances.items() if x is not None and math.isfinite(x)},
            "effort": self.actuation.description,
            **({"wrench": loads.description} if loads.wrenches else {}),
            **({} if self.stops is None else {"stops": exact_text(self.stops)}),
        }

    def request(self) -> dict[str, Any]:
        """What is computed, as JSON data: a run is resumed only by a call that requests the same.

        Functions of the caller are known by their names only.
        """
        known, inputs, times = model_provenance(self.model), self.model.setup.inputs, self.times
        events = [[each.name, each.direction, each.stop] for each in self.crossings]
        return {
            "version of linkwright": known["linkwright"],
            "kind of processor": hash_parts(host_target(Options()).features),
            "mechanism": known["mechanism"]["hash"],
            "set of actuators": list(self.model.actuated),
            "set of parameters": []
            if inputs is None
            else [list(self.model.parameters.names), hash_parts(inputs.values)],
            "method": exact_text(self.method),
            "span": [times.origin, times.end],
            "set of times": hash_parts(times.since_start, times.shown),
            "formulation": self.formulation_text,
            **self.start.request(),
            "effort": _effort_identity(self.actuation),
            **({"wrench": _wrench_identity(self.actuation)} if self.actuation.loads.wrenches else {}),
            **({} if self.stops is None else {"stops": exact_text(self.stops)}),
            "events": [*events, *(_switch_identity(each) for each in self.switches)],
            "stop_at": sorted(self.stop_at),
        }


def model_provenance(model: Model) -> dict[str, Any]:
    """Versions, computer and the text of the mechanism, which make a run repeatable."""

    def made() -> dict[str, Any]:
        from linkwright.formats import to_yaml  # readers of files take long to import

        given = model.setup.inputs
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
    return [exact_text(actuation.loads.sites), "" if key is None else hash_parts(key)]


def _switch_identity(switch: Switch) -> list[Any]:
    settings = {name: x for name, x in vars(switch).items() if not callable(x)}
    return [switch_title(switch), {name: list(x) if isinstance(x, tuple) else x for name, x in settings.items()}]
