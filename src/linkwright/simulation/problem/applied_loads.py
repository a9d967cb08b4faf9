"""Forces on a mechanism besides its actuators' efforts: wrenches on bodies and frames, limits as end stops."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import Kernel, Options, Program, cached_kernel, trace
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.forces import EndStop
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import BoundKernel, in_parts
from linkwright.functions.setup import Setup, setup_at
from linkwright.functions.stages import Stage
from linkwright.functions.stepping import stepping_functions
from linkwright.functions.store import Kernels
from linkwright.functions.tree.tree_functions import WrenchSite, attachment_of_frame, wrenches_from_sites
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Joint
from linkwright.mechanism.tree import part_names
from linkwright.model import Model
from linkwright.model.model_construction import model_with_inputs
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


def model_with_stops(model: Model, stops: EndStops | None) -> Model:
    """The model with the limits of its joints as end stops, at the same values of its inputs."""
    setup = model.setup
    made = () if stops is None else tuple(_end_stops(setup.mech, stops))
    if not made:
        return model
    mech = setup.mech
    forces = (*mech.forces, *made)
    found: Model = model.nominal_cache.get(
        ("with stops", made), lambda: model_with_inputs(model, replace(mech, forces=forces), ())
    )
    given = None if setup.inputs is None else setup.inputs.given
    return found if given is None else found.with_parameters(given)


def _end_stops(mech: Mechanism, stops: EndStops) -> Iterator[EndStop]:
    """The elements at the limits of coordinates that are angles and lengths."""
    for joint in (*mech.joints, *mech.loops, *mech.open_loops):
        sizes = [_value_for_joint(joint, given) for given in (stops.stiffness, stops.damping)]
        if joint.kind.q_parts != joint.kind.v_parts or not any(sizes):
            continue
        for part, name in enumerate(part_names((joint,), speeds=True)):
            for end, bounds in (("lower", joint.limits.lower), ("upper", joint.limits.upper)):
                if bounds and np.isfinite(bounds[part]):
                    yield EndStop(f"{name} {end} stop", joint.name, end, part, *sizes)


def _value_for_joint(joint: Joint, given: float | Mapping[str, float]) -> float:
    return float(given.get(joint.name, 0.0) if isinstance(given, Mapping) else given)


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
    """Wrenches that are given behind the efforts, six numbers each.

    Attributes:
        sites: where wrenches act, in the order in which they are given.
    """

    sites: tuple[WrenchSite, ...] = ()

    @property
    def n_wrenches(self) -> int:
        """Numbers that are given behind the efforts."""
        return 6 * len(self.sites)

    def split(self, stage: Stage, q: Vec, given: Vec) -> tuple[Vec, tuple[Mat, ...]]:
        """The efforts, and the wrenches on all bodies if there are any; `given` has each in the axes of its site."""
        tau = given[: len(stage.setup.drives)]
        return tau, self.outer(stage.setup, q, given[len(tau) :])

    def concern(self, definition: Definition) -> bool:
        """Return True if a function is another one under these loads."""
        return "tau" in definition.inputs and bool(self.sites)

    def outer(self, setup: Setup, q: Vec, given: Vec) -> tuple[Mat, ...]:
        """The wrenches on all bodies (n_bodies, 6), in their frames, as the last argument of dynamics; () without."""
        return (wrenches_from_sites(setup, self.sites, q, given),) if self.sites else ()


NOTHING = AppliedLoads()


# Definitions of powers, which are written in one way only.
_POWERS = (stepping_functions.state_rates, stepping_functions.minimal_rates, stepping_functions.spring_rates)


def acted_program(kernels: Kernels, definition: Definition, acting: AppliedLoads) -> Program:
    """The program of a function under loads: numbers of wrenches follow the efforts.

    As in `Kernels.input_program`, values of the mechanism's inputs are the last argument, p.
    """
    if not acting.concern(definition):
        return kernels.input_program(definition)
    setup = kernels.setup
    way = definition if definition in _POWERS else kernels.cheapest_definition(definition, wrench=True)
    sizes = {name: size for name, size in kernels.record(definition).sizes().items() if name in definition.inputs}
    sizes["tau"] = (len(setup.drives) + acting.n_wrenches,)
    if setup.inputs is not None:
        sizes["p"] = (len(setup.inputs.source.inputs),)

    def function(**given: Any) -> Any:
        stage, p = kernels.record(definition), given.pop("p", None)
        if p is not None and setup.inputs is not None:
            stage = stage.on(setup_at(setup, setup.inputs.source, list(p)))
        tau, (outer,) = acting.split(stage, given["q"], given["tau"])
        return way(stage, **given | {"tau": tau}, w_ext=outer)

    program = trace(function, {name: sizes[name] for name in (*definition.inputs, "p") if name in sizes})
    return program if definition.any_norm else kernels.with_unit_quaternions(program)


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
