"""Forces on a mechanism besides its actuators' efforts: wrenches on bodies and frames, end stops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import Kernel, Options, Program, cached_kernel, maximum, select, trace
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import BoundKernel, in_parts
from linkwright.functions.setup import Setup, drivable_names, setup_at
from linkwright.functions.stages import Stage, VelocityPartitionPlan
from linkwright.functions.stepping import stepping_functions
from linkwright.functions.stepping.limit_functions import drawn_mechanism, joint_values, limits_of
from linkwright.functions.store import Kernels
from linkwright.functions.tree.tree_functions import WrenchSite, attachment_of_frame, wrenches_from_sites
from linkwright.loops.closure import DrivenVelocity, actuation_matrix
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import part_names
from linkwright.model import Model, build
from linkwright.model.wrench import Wrench, as_wrenches, site_of
from linkwright.simulation.problem.callbacks import Callback, warn_called_in_python


@dataclass(frozen=True)
class EndStops:
    """Joint limits as end stops: force = max(0, stiffness x + damping x_dot) at a depth x > 0 beyond the limit.

    A stop pushes back into the range and never pulls. Limits of joints whose coordinates are angles and lengths, cut
    or not, have stops; cones and quaternions have none.

    Attributes:
        stiffness: [N m/rad or N/m], for all joints or by joint.
        damping: [N m s/rad or N s/m], for all joints or by joint; joints that are not named have none.
    """

    stiffness: float | Mapping[str, float]
    damping: float | Mapping[str, float] = 0.0

    def __post_init__(self) -> None:
        for title, given in (("stiffness", self.stiffness), ("damping", self.damping)):
            for name, value in given.items() if isinstance(given, Mapping) else [("", given)]:
                at = f"['{name}']" if name else ""
                if checks.require_number(f"{title}{at}", value, "a number of at least zero") < 0.0:
                    checks.refuse_argument(f"{title}{at}", value, "a number of at least zero")


@dataclass(frozen=True)
class Stop:
    """One limit with its spring and damper: `index` counts the limits of the mechanism (`limits_of`), `part` the
    coordinates of its joint."""

    index: int
    part: int
    drive: DrivenVelocity
    stiffness: float
    damping: float


def require_stops(mech: Mechanism, stops: Any) -> None:
    """Refuse what are no end stops, and those of unknown joints."""
    if stops is None:
        return
    checks.require_instance("stops", stops, EndStops, "lw.EndStops(...) or None")
    joints = {joint.name for joint in (*mech.joints, *mech.loops, *mech.open_loops)}
    for given in (stops.stiffness, stops.damping):
        for name in given if isinstance(given, Mapping) else ():
            if name not in joints:
                raise ArgumentError(f"EndStops names the unknown joint '{name}'{suggest_name(name, joints)}")


def stops_of(mech: Mechanism, stops: EndStops) -> tuple[Stop, ...]:
    """The limits that have a spring or a damper."""
    joints = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    known = drivable_names(mech)
    out = []
    for index, limit in enumerate(limits_of(mech)):
        joint = joints[limit.joint]
        stiffness, damping = (_value_for_joint(joint, given) for given in (stops.stiffness, stops.damping))
        if limit.part is not None and joint.kind.q_parts == joint.kind.v_parts and (stiffness or damping):
            name = part_names((joint,), speeds=True)[limit.part]
            out.append(Stop(index, limit.part, known[name], stiffness, damping))
    return tuple(out)


def _value_for_joint(joint: Joint, given: float | Mapping[str, float]) -> float:
    return float(given.get(joint.name, 0.0) if isinstance(given, Mapping) else given)


@dataclass(frozen=True, eq=False)
class StopForces:
    """What stops do at a state.

    Attributes:
        tau: efforts of all drives of `setup_with_stops`.
        lost: power that the stops take away, [W].
        stored: energy in their springs, [J].
    """

    tau: Vec
    lost: Any
    stored: Any


def setup_with_stops(setup: Setup, stops: tuple[Stop, ...]) -> Setup:
    """The setup with the stops as further drives."""
    drives = tuple(dict.fromkeys((*setup.drives, *(stop.drive for stop in stops))))
    names = {drive: name for name, drive in drivable_names(setup.mech).items()}
    return replace(setup, drives=drives, actuated=tuple(names[drive] for drive in drives))


def stop_forces(setup: Setup, stops: tuple[Stop, ...], q: Vec, v: Vec, tau: Vec) -> StopForces:
    """What stops do at a state under the efforts of the setup's own drives (any scalar)."""
    efforts = dict(zip(setup.drives, tau, strict=True))
    values, lost, energy = joint_values(setup, q), 0.0 * v[0], 0.0 * v[0]
    limits = limits_of(setup.mech, drawn_mechanism(setup))
    rates = actuation_matrix(setup.closure, tuple(stop.drive for stop in stops), q).T @ v
    for stop, rate in zip(stops, rates, strict=True):
        limit = limits[stop.index]
        depth = maximum(-limit.sign * (values[limit.joint][stop.part] - limit.bound), 0.0)
        depth_rate = -limit.sign * rate
        stored = stop.stiffness * depth
        push = select(depth, maximum(stored + stop.damping * depth_rate, 0.0), 0.0 * depth)
        efforts[stop.drive] = efforts.get(stop.drive, 0.0) + limit.sign * push
        lost = lost + (push - stored) * depth_rate
        energy = energy + 0.5 * stored * depth
    return StopForces(np.array([*efforts.values()], dtype=q.dtype), lost, energy)


RunWrench = Wrench | Sequence[Wrench] | Mapping[str, ArrayLike]
"""Wrenches of a run: `Wrench` records, constant or laws, or moment and force (6,) by body, in its frame."""

_EXPECTED = "a Wrench, a list of them, or {body: moment and force (6,)}"


@dataclass(frozen=True, eq=False)
class WrenchLaw:
    """The wrenches of a run, one behind the other.

    Attributes:
        wrenches: where they act, and their values as functions of time and state.
    """

    wrenches: tuple[Wrench, ...] = ()

    @property
    def sites(self) -> tuple[WrenchSite, ...]:
        return tuple(site_of(each) for each in self.wrenches)

    @property
    def description(self) -> str:
        """For the run's meta."""
        return ", ".join(f"on '{each.on}'" for each in self.wrenches) or "none"

    def at(self, t: Any, q: Any, v: Any) -> Any:
        """Moment and force of each in its own axes, (6 n,), on any scalar."""
        found = [each.value(t, q, v) for each in self.wrenches]
        for each, w in zip(self.wrenches, found, strict=True):
            if w.shape != (6,):
                raise ArgumentError(f"the wrench on '{each.on}' has shape {w.shape}, expected (6,): one for the run")
        return np.concatenate(found) if found else np.zeros(0)

    def rows(self, t: Any, q: Any, v: Any) -> np.ndarray:
        """The same at several states, (n, 6 wrenches)."""
        return np.array([self.at(*state) for state in zip(t, q, v, strict=True)], dtype=float)


NO_WRENCH = WrenchLaw()


def wrench_law(model: Model, wrench: Any) -> WrenchLaw:
    """The wrenches of a run from its `wrench` argument."""
    if wrench is None:
        return NO_WRENCH
    found = as_wrenches("wrench", wrench)
    if found is None and isinstance(wrench, Mapping):
        found = tuple(_wrench_on_body(model, name, w) for name, w in wrench.items())
    if found is None and isinstance(wrench, Sequence) and not len(wrench):
        found = ()
    if found is None:
        checks.refuse_argument("wrench", wrench, _EXPECTED)
    for each in found:
        attachment_of_frame(model.setup.mech, each.on)
    return WrenchLaw(found)


def _wrench_on_body(model: Model, name: Any, w: Any) -> Wrench:
    if name not in model.bodies:
        raise ArgumentError(f"wrench names the unknown body {name!r}{suggest_name(str(name), model.bodies)}")
    row = checks.require_vector(f"wrench['{name}']", w, 6)
    return Wrench(str(name), force=row[3:], moment=row[:3])


def wrench_kernel(model: Model, law: WrenchLaw, lanes: int | None = None) -> Kernel:
    """The machine code of the wrenches' values, (6 n,), of t, q and v."""
    program = trace(lambda t, q, v: np.asarray(law.at(t[0], q, v)), {"t": 1, "q": model.nq, "v": model.nv})
    return cached_kernel(b"wrench" + program.digest, lambda: program, Options(lanes=lanes))


def wrench_code(model: Model, law: WrenchLaw) -> Kernel | Callback | None:
    """Their values as drivers call them: compiled where they are written for any scalar, else called in Python."""
    if not law.wrenches:
        return None
    try:
        return wrench_kernel(model, law)
    except ArgumentError:
        raise
    except (LinkwrightError, TypeError, ValueError, AttributeError) as error:
        names = ", ".join(dict.fromkeys(f"'{each.on}'" for each in law.wrenches if not each.constant))
        warn_called_in_python(model, f"the law of the wrench on {names}", error)
        return _wrench_callback(model, law)


def _wrench_callback(model: Model, law: WrenchLaw) -> Callback:
    def values(t: np.ndarray, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray]:
        now = float(t[0])
        try:
            found = np.asarray(law.at(now, q, v), dtype=float)
        except (TypeError, ValueError) as error:
            if checks.raised_by_caller(error):
                raise
            raise ArgumentError(f"a wrench failed at t = {now:.9g} s: {error}", t=now) from error
        return (found,)

    return Callback(values, [1, model.nq, model.nv], [6 * len(law.wrenches)])


@dataclass(frozen=True)
class AppliedLoads:
    """Wrenches that are given behind the efforts, six numbers each, and end stops.

    Attributes:
        sites: where wrenches act, in the order in which they are given.
        stops: limits of joints that push back.
    """

    sites: tuple[WrenchSite, ...] = ()
    stops: tuple[Stop, ...] = ()

    @property
    def n_wrenches(self) -> int:
        """Numbers that are given behind the efforts."""
        return 6 * len(self.sites)

    def on(self, stage: Stage, q: Vec, v: Vec, given: Vec) -> Applied:
        """What acts at a state; `given` are the efforts, then the wrenches, each in the axes of its site."""
        setup = stage.setup
        tau = given[: len(setup.drives)]
        outer = self.outer(setup, q, given[len(tau) :])
        if not self.stops:
            return Applied(stage, tau, outer, 0.0, 0.0)
        pushed = stop_forces(setup, self.stops, q, v, tau)
        return Applied(stage.on(setup_with_stops(setup, self.stops)), pushed.tau, outer, pushed.lost, pushed.stored)

    def concern(self, definition: Definition) -> bool:
        """Return True if a function is another one under these loads."""
        if "tau" in definition.inputs:
            return bool(self.sites or self.stops)
        return bool(self.stops) and definition in _ENERGIES

    def kernels(self, kernels: Kernels[Any]) -> Kernels[Any]:
        """The kernels with the stops as further drives."""
        if not self.stops:
            return kernels
        inputs, stops = kernels.setup.inputs, self.stops
        found: Kernels[Any] = kernels.cache.get(
            ("with stops", stops), lambda: Kernels(kernels.stage.on(setup_with_stops(kernels.setup, stops)))
        )
        return found if inputs is None else found.at(inputs.values)

    def model(self, model: Model) -> Model:
        """The model with the stops as further actuators."""
        if not self.stops:
            return model
        setup = model.setup
        names, inputs = setup_with_stops(setup, self.stops).actuated, model.parameters.names
        found: Model = model.nominal_cache.get(
            ("with stops", self.stops), lambda: build(setup.mech, list(names), inputs=inputs)
        )
        values = None if setup.inputs is None else setup.inputs.given
        return found if values is None else found.with_parameters(values)

    def efforts(self, model: Model, states: Any, p: np.ndarray | None = None) -> np.ndarray:
        """Efforts of all actuators of `model(...)` at rows (q, v, tau), with values p of the inputs for each row."""
        if not self.stops:
            return np.array([tau for _, _, tau in states])
        setup, inputs = model.setup_here, model.setup.inputs
        rows = []
        for i, (q, v, tau) in enumerate(states):
            here = setup if p is None or inputs is None else setup_at(setup, inputs.source, p[i].tolist())
            rows.append(stop_forces(here, self.stops, q, v, tau).tau)
        return np.array(rows, dtype=float)

    def outer(self, setup: Setup, q: Vec, given: Vec) -> tuple[Mat, ...]:
        """The wrenches on all bodies (n_bodies, 6), in their frames, as the last argument of dynamics; () without."""
        return (wrenches_from_sites(setup, self.sites, q, given),) if self.sites else ()


@dataclass(frozen=True, eq=False)
class Applied:
    """What acts at a state: a stage with all drives, their efforts, the wrenches on all bodies if there are any, the
    power lost in end stops [W], and the energy in their springs [J]."""

    stage: Stage
    tau: Vec
    outer: tuple[Any, ...]
    lost: Any
    stored: Any


NOTHING = AppliedLoads()


# Definitions of powers, to which stops add what they lose, and of energies, to which they add what they store.
_POWERS = (stepping_functions.state_rates, stepping_functions.minimal_rates, stepping_functions.spring_rates)
_ENERGIES = (stepping_functions.monitor, stepping_functions.spring_monitor)


def acted_program(kernels: Kernels, definition: Definition, acting: AppliedLoads) -> Program:
    """The program of a function under loads: numbers of wrenches follow the efforts, and stops push.

    As in `Kernels.input_program`, values of the mechanism's inputs are the last argument, p.
    """
    if not acting.concern(definition):
        return kernels.input_program(definition)
    setup, forced, pushes = kernels.setup, "tau" in definition.inputs, definition not in (*_POWERS, *_ENERGIES)
    way = acting.kernels(kernels).cheapest_definition(definition, wrench=bool(acting.sites)) if pushes else definition
    sizes = {name: size for name, size in kernels.record(definition).sizes().items() if name in definition.inputs}
    if forced:
        sizes["tau"] = (len(setup.drives) + acting.n_wrenches,)
    if setup.inputs is not None:
        sizes["p"] = (len(setup.inputs.source.inputs),)

    def function(**given: Any) -> Any:
        stage, p = kernels.record(definition), given.pop("p", None)
        if p is not None and setup.inputs is not None:
            stage = stage.on(setup_at(setup, setup.inputs.source, list(p)))
        tau = given["tau"] if forced else np.zeros(len(setup.drives) + acting.n_wrenches)
        applied = acting.on(stage, given["q"], _all_velocities(stage, given), tau)
        outer = {"w_ext": applied.outer[0]} if forced and applied.outer else {}
        if pushes:
            return way(applied.stage, **given | {"tau": applied.tau}, **outer)
        if not forced:
            return way(stage, **given) + [0.0, 0.0, 0.0, applied.stored]
        rates, powers = way(stage, **given | {"tau": tau[: len(setup.drives)]}, **outer)
        return rates, powers + [0.0, applied.lost]

    program = trace(function, {name: sizes[name] for name in (*definition.inputs, "p") if name in sizes})
    return program if definition.any_norm else kernels.demanding(program)


def _all_velocities(stage: Any, given: Mapping[str, Any]) -> Any:
    """All velocities, which follow from the independent ones where only those are given."""
    if "v" in given:
        return given["v"]
    own = stage if isinstance(stage, VelocityPartitionPlan) else stage.base
    return stepping_functions.all_speeds(own, given["q"], given["v_ind"])


def function_of_loads(
    kernels: Kernels, definition: Definition, acting: AppliedLoads, **constants: np.ndarray
) -> Kernel | BoundKernel:
    """The compiled function of state, efforts and wrenches alone, as `Kernels.bind_constants` without loads."""
    if not acting.concern(definition):
        return kernels.bind_constants(definition, **constants)
    taken = {name: constants[name] for name in definition.inputs if name in constants}

    def made() -> Any:
        program = acted_program(kernels, definition, acting)
        return in_parts(b"acted", program, (*taken, "p"), Options(pivot_checked=definition.pivot_checked))

    code = kernels.cache.get(("acted", definition, acting, tuple(taken)), made)
    if isinstance(code, Kernel):
        return code
    return code.bind_inputs(kernels.setup.with_p(taken))
