"""Public class for many robots stepped together: `Stepper`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import cycle
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.compiler.runtime.code import MOST_THREADS, available_threads
from linkwright.errors import ArgumentError, LinkwrightError
from linkwright.functions.tree.tree_functions import WRENCH_PARTS, attachment_of_frame
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.model.wrench import Wrench, site_of
from linkwright.simulation.ensemble.run_set import RunSet, Varied, closed_starts, vary_model
from linkwright.simulation.integrators import RK4, Method
from linkwright.simulation.problem.applied_loads import EndStops, WrenchLaw, model_with_stops, require_stops
from linkwright.simulation.problem.run_efforts import RunActuation
from linkwright.simulation.robot_rows import EVERY, CarefulSteps, Chosen, RobotEnergies, Workers, allocate_robot_rows
from linkwright.simulation.running.energy_balance import EnergyBalance, warn_of_lost_energy
from linkwright.simulation.running.flexible_links import (
    bends_without_shortening,
    shares_of_buckling,
    warn_of_axial_loads,
)
from linkwright.simulation.running.run_output import ENDLESS
from linkwright.simulation.running.run_spec import RunSpec

Array = np.ndarray

# Calls of `step` between looks at the energies, which show how much robots exchange.
_CALLS_BETWEEN_LOOKS = 1024

# Calls of `step` between looks at axial loads of links that bend, and robots that are looked at.
_CALLS_BETWEEN_LOADS, _ROBOTS_LOOKED_AT = 64, 64

# Arrays of the rows that a pickled stepper keeps.
_STATE = ("q", "v", "extras", "number", "acting", "failed")

# Robots that memory holds, and steps of one call.
_MOST_ROBOTS, _MOST_SUBSTEPS = 10_000_000, 1_000_000


class Stepper:
    """Many robots of one mechanism, stepped together by fixed steps under efforts that come from outside.

    For learners and sampling controllers: `step` takes the efforts of all robots and returns their states. Robots run
    side by side in the processor's lanes on all cores; arrays are allocated once. A robot gets the bits of
    `simulate_many` with the same fixed step, whatever its neighbors. One that cannot be stepped (efforts that are not
    finite, a singular position) becomes a row of NaN until it is reset; the others go on. Contacts are not modeled.

    Attributes:
        model: the mechanism.
        n: number of robots.
        h: time of one call of `step`, [s].
        substeps: integration steps in it.
        q, v: states, (n, nq), (n, nv), read-only; the same arrays after every step: copy what is to be kept.
        wrenches: bodies and frames on which `step` takes a wrench.
        threads: threads that share the robots.

    >>> import linkwright as lw
    >>> robots = lw.Stepper(lw.build(lw.catalog.load("five-bar")), n=3, h=1e-3)
    >>> q, v = robots.step([[0.1, 0.0], [0.0, 0.0], [0.0, float("nan")]])
    >>> q.shape, robots.failed.tolist()
    ((3, 4), [False, False, True])
    """

    def __init__(
        self,
        model: Model,
        n: int,
        h: float,
        method: type[Method] = RK4,
        *,
        substeps: int = 1,
        q: ArrayLike | None = None,
        v: ArrayLike | None = None,
        p: ArrayLike | None = None,
        stops: EndStops | None = None,
        wrenches: Sequence[str | Wrench] = (),
        threads: int | None = None,
    ) -> None:
        """Compile what the steps need, and put all robots at their start.

        Args:
            model: from `build`; with `inputs` its parameters may differ from robot to robot.
            n: number of robots.
            h: time of one call of `step`, [s].
            method: class of a method that takes a fixed step, h / substeps: `RK4`, `DP5` or your own.
            substeps: steps in one call, under the same efforts.
            q, v: start of the robots, one for all or one for each; the assembled home, at rest, when left out.
            p: values of the model's inputs, (n_p,) or (n, n_p).
            stops: joint limits as end stops; None does not enforce limits.
            wrenches: bodies and frames on which `step` takes a wrench, by name, or as `Wrench(on, at=..., axes=...)`
                without values, which says at which point and in which axes.
            threads: how many at most; all processors by default.
        """
        checks.require_instance("model", model, Model, "a Model; make one with linkwright.build")
        require_stops(model.mechanism, stops)
        model = model_with_stops(model, stops)
        n = checks.require_integer("n", n, 1, _MOST_ROBOTS)
        substeps = checks.require_integer("substeps", substeps, 1, _MOST_SUBSTEPS)
        h = checks.require_positive("h", h)
        actuation = RunActuation(np.zeros(model.na), loads=_wrench_law(model, wrenches))
        varied = _varied_robots(model, p, n)
        home = _start_rows("q", model.assemble().q if q is None else q, model.nq, n)
        states = _closed_robots(varied, np.arange(n), home if len(home) == n else home[0], v)
        start = RunSet(np.broadcast_to(states, (n, states.shape[1])), np.zeros((n, model.na)), varied)
        step = _fixed_step(method, h / substeps)
        spec = RunSpec(model, start, actuation, ENDLESS, step, stop_at=(), check=False, stops=stops)
        self._prepare(spec, h, substeps, home, threads)
        self._take_values(varied)
        self._put(EVERY, start.states)

    def _prepare(self, spec: RunSpec[RunSet], h: float, substeps: int, home: Array, threads: int | None) -> None:
        """Compile what the steps of a specification need and allocate the arrays."""
        model, acting = spec.model, spec.acting
        self.model, self.n, self.h, self.substeps = model, len(spec.start), h, substeps
        self._spec, self._home = spec, home
        self.wrenches = tuple(site.on for site in acting.sites)
        self._kernels = spec.lanes
        self._rows = allocate_robot_rows(spec, self._kernels, substeps)
        wanted = available_threads() if threads is None else checks.require_integer("threads", threads, 1, MOST_THREADS)
        self._wanted_threads = wanted
        self._workers = Workers(spec, self._kernels, self._rows, wanted)
        self._careful = CarefulSteps(spec, self._rows)
        self.threads, self._most_threads = self._workers.count, threads
        self.q, self.v, self.work, self.losses, self.steps, self._failed = (
            _read_only(x)
            for x in (self._rows.q, self._rows.v, *self._rows.extras.T, self._rows.number, self._rows.failed)
        )
        self._efforts, self._wrenches = self._rows.acting[:, : model.na], self._rows.acting[:, model.na :]
        self._reasons: dict[int, str] = {}
        self._look_is_due = cycle([False] * (_CALLS_BETWEEN_LOOKS - 1) + [True]).__next__
        self._energies = RobotEnergies(model, self._rows)
        self._acting, self._looks_at_beams = acting, bends_without_shortening(model)
        self._load_is_due = cycle([False] * (_CALLS_BETWEEN_LOADS - 1) + [True]).__next__

    def __reduce__(self) -> Any:
        arrays = {name: getattr(self._rows, name) for name in _STATE}
        arguments = self._spec, self.h, self.substeps, self._home, self._most_threads
        return _restore_stepper, (arguments, self._varied, arrays, self._energies.state(), self._reasons)

    @property
    def t(self) -> Array:
        """Time since the last reset of every robot, (n,) [s]."""
        return self._rows.number * (self.h / self.substeps)

    @property
    def failed(self) -> Array:
        """Robots that could not be stepped and are NaN until they are reset, (n,) of bool."""
        return np.isnan(self._rows.q).any(axis=1) | np.isnan(self._rows.v).any(axis=1)

    @property
    def reasons(self) -> dict[int, str]:
        """Reasons of robots that failed, by number: the effort or wrench that is not finite, or what has no result."""
        return dict(self._reasons)

    @property
    def energy_balance(self) -> EnergyBalance:
        """Drift of energy less work plus losses of every robot since its reset, (n,), with a warning where it is large.

        `drift` [J], `exchanged` (the largest kinetic energy, or change of potential energy, work or losses, that was
        seen), `relative`, and `holds`: False where the drift is above 1e-2 of it, so that the step is too long. Every
        1024th call of `step` looks at it and warns too.
        """
        return self._judge_energy(EVERY)

    def _judge_energy(self, chosen: Chosen) -> EnergyBalance:
        found = self._energies.balance(chosen)
        warn_of_lost_energy(self.model.mechanism.name, found, "energy_balance of the stepper shows which robots")
        return found

    def step(
        self, tau: ArrayLike, wrench: Mapping[str, ArrayLike] | ArrayLike | None = None, p: ArrayLike | None = None
    ) -> tuple[Array, Array]:
        """Advance every robot by h under constant efforts; the states q (n, nq), v (n, nv), which the next call reuses.

        Args:
            tau: efforts, (na,) or (n, na). Where they are not finite that robot fails alone.
            wrench: moment and force on what `wrenches` names, at its origin in its axes unless it says otherwise: by
                name (6,) or (n, 6), or an array (n, wrenches, 6); None is zero.
            p: values of the model's inputs from now on, (n_p,) or (n, n_p). With other lengths a robot's loops are
                open: `reset` it.
        """
        _fill_rows(self._efforts, "tau", tau)
        self._set_wrenches(wrench)
        if p is not None:
            self.set_parameters(p)
        if self._workers.advance():
            self._repair()
        if self._look_is_due():
            self._judge_energy(EVERY)
        if self._looks_at_beams and self._load_is_due():
            self._look_at_axial_loads()
        return self.q, self.v

    def _look_at_axial_loads(self) -> None:
        """Warn once of axial loads of beams at the present states of some robots."""
        data = self._rows
        rows = np.flatnonzero(~self.failed)[:_ROBOTS_LOOKED_AT]
        if len(rows):
            p = np.broadcast_to(self._values, (self.n, self._values.shape[1]))[rows]
            states = (data.q[rows], data.v[rows], None, self._efforts[rows])
            wrenches = self._wrenches[rows] if self.wrenches else None
            shares = shares_of_buckling(self.model, self._acting, states, wrenches, p if p.size else None)
            self._looks_at_beams = not warn_of_axial_loads(self.model, shares)

    def reset(self, rows: ArrayLike | None = None, q: ArrayLike | None = None, v: ArrayLike | None = None) -> None:
        """Put some robots at a start, closed as `simulate_many` closes it; their time, work and losses begin at zero.

        Args:
            rows: their numbers, or n bools; None is all.
            q, v: (nq,), (nv,), or one row for each of them; the start given to the stepper, at rest, when left out.
        """
        chosen = self._chosen(rows)
        if not len(chosen):
            return
        if q is None:
            q = self._home[chosen] if len(self._home) == self.n else self._home[0]
        self._put(EVERY if rows is None else chosen, _closed_robots(self._varied, chosen, q, v))
        for i in self._reasons.keys() & set(chosen.tolist()):
            del self._reasons[i]

    def _put(self, chosen: Chosen, states: Array) -> None:
        """Put robots at closed states (k, nq + nv), or at one for all."""
        data, nq = self._rows, self.model.nq
        data.q[chosen], data.v[chosen] = states[:, :nq], states[:, nq:]
        for array in (data.extras, data.number, data.failed):
            array[chosen] = 0.0
        self._energies.begin(chosen)

    def _chosen(self, rows: ArrayLike | None) -> Array:
        if rows is None:
            return np.arange(self.n)
        try:
            chosen = np.asarray(rows)
        except ValueError:
            checks.refuse_argument("rows", rows, f"numbers of robots, or {self.n} bools")
        if chosen.dtype == bool and chosen.shape == (self.n,):
            return np.flatnonzero(chosen)
        if chosen.ndim > 1 or (chosen.size and not np.issubdtype(chosen.dtype, np.integer)):
            raise ArgumentError(f"rows is {rows!r:.60}, expected numbers of robots, or {self.n} bools")
        chosen = chosen.reshape(-1).astype(np.int64)
        outside = chosen[(chosen < 0) | (chosen >= self.n)]
        if outside.size:
            raise ArgumentError(f"rows names robot {outside[0]}, and there are {self.n}, numbered from 0")
        return chosen

    @property
    def p(self) -> Array:
        """Values of the model's inputs, (n, n_p)."""
        return np.broadcast_to(self._values, (self.n, self._values.shape[1]))

    def set_parameters(self, p: ArrayLike | None) -> None:
        """Values of the model's inputs from now on, (n_p,) or (n, n_p); None for those of the model.

        With other lengths a robot's loops are open: `reset` it.
        """
        self._take_values(_varied_robots(self.model, p, self.n))

    def _take_values(self, varied: Varied) -> None:
        self._varied, self._values = varied, varied.values
        self._rows.given[:] = self._kernels.given_numbers(self._values, self.n)
        self._energies.set_parameters(self._values)

    def _set_wrenches(self, wrench: Any) -> None:
        if wrench is None:
            if self.wrenches:
                self._wrenches[:] = 0.0
            return
        if not self.wrenches:
            raise ArgumentError("a wrench is given to a stepper made without any; name its bodies in wrenches=[...]")
        if not isinstance(wrench, Mapping):
            _fill_rows(self._rows.acting[:, self.model.na :].reshape(self.n, -1, 6), "wrench", wrench)
            return
        self._wrenches[:] = 0.0
        for name, w in wrench.items():
            if name not in self.wrenches:
                raise ArgumentError(
                    f"wrench names '{name}', and the stepper takes wrenches on {list(self.wrenches)}"
                    f"{suggest_name(str(name), self.wrenches)}"
                )
            at = 6 * self.wrenches.index(name)
            _fill_rows(self._wrenches[:, at : at + 6], f"wrench['{name}']", w)

    def _repair(self) -> None:
        """Step the rows that failed with the model's fallbacks; those that have no next state become NaN."""
        data, values = self._rows, self._values
        if self._spec.problem.has_tangents and not self._careful.advance_failed(values, self._wanted_threads):
            return
        for i in np.flatnonzero(data.failed > 0.0):
            y = np.concatenate([data.q[i], data.v[i], data.extras[i]])
            found, reason = np.full(len(y), np.nan), self._not_finite(int(i))
            if np.isfinite(y).all() and not reason:
                p = values[i if len(values) > 1 else 0]
                try:
                    found = self._careful.advance_state(y, data.acting[i], p, self.substeps)
                except (LinkwrightError, ValueError) as error:
                    reason = str(error)
            if reason:
                self._reasons.setdefault(int(i), f"at t = {self.t[i]:.9g} s: {reason}")
            data.q[i], data.v[i], data.extras[i] = np.split(found, [self.model.nq, self.model.nq + self.model.nv])
            data.number[i] += self.substeps

    def _not_finite(self, i: int) -> str:
        """The effort or wrench of a robot that is not finite, by name; "" if all are."""
        titles = [f"the effort of actuator '{name}'" for name in self.model.actuated]
        titles += [f"{part} of the wrench on '{name}'" for name in self.wrenches for part in WRENCH_PARTS]
        for title, value in zip(titles, self._rows.acting[i], strict=True):
            if not np.isfinite(value):
                return f"{title} is {value}; it must be finite"
        return ""


def _restore_stepper(
    arguments: tuple[Any, ...],
    varied: Varied,
    arrays: Mapping[str, Array],
    energies: dict[str, Array],
    reasons: Mapping[int, str],
) -> Stepper:
    """A stepper as it was pickled: compiled again, or found in the cache, with the states of its robots."""
    made = object.__new__(Stepper)
    made._prepare(*arguments)
    made._take_values(varied)
    for name, array in arrays.items():
        getattr(made._rows, name)[:] = array
    made._energies.restore(energies)
    made._reasons.update(reasons)
    return made


def _varied_robots(model: Model, p: ArrayLike | None, n: int) -> Varied:
    """The model with values of its inputs for all robots, or for each."""
    varied = vary_model(model, None, p)
    if len(varied.values) not in (1, n):
        raise ArgumentError(f"p has {len(varied.values)} rows, expected one for all or one for each of {n}")
    return varied


def _closed_robots(varied: Varied, chosen: Array, q: Any, v: Any) -> Array:
    """States of some robots with every loop closed, (k, nq + nv), or one for all; v None is zero."""
    model, values = varied.model, varied.values
    given = ("q", q, model.nq), ("v", np.zeros(model.nv) if v is None else v, model.nv)
    q, v = (_start_rows(title, x, size, len(chosen)) for title, x, size in given)
    own = Varied(model, values if len(values) == 1 else values[chosen], ())
    return closed_starts(own, q, v, lambda i: f"robot {chosen[i]}")


def _wrench_law(model: Model, wrenches: Any) -> WrenchLaw:
    """Where `step` takes wrenches."""
    expected = "a list of bodies and frames, by name or as Wrench(on, at=..., axes=...)"
    given: tuple[str | Wrench, ...] = checks.require_instances("wrenches", wrenches, (str, Wrench), expected)
    found = {site_of(each): each for each in (Wrench(x) if isinstance(x, str) else x for x in given)}
    names = [site.on for site in found]
    for name in names:
        attachment_of_frame(model.setup.mech, name)
        if names.count(name) > 1:
            raise ArgumentError(f"wrenches names '{name}' twice; give its wrenches as one sum")
    for each in given:
        if isinstance(each, Wrench) and not (each.constant and not np.any(each.value(0.0, None, None))):
            raise ArgumentError(
                f"the wrench on '{each.on}' has values, and a stepper takes them in every call: step(tau, wrench=...)"
            )
    return WrenchLaw(tuple(found.values()))


def _read_only(x: Array) -> Array:
    view = x.view()
    view.flags.writeable = False
    return view


def _fill_rows(into: Array, title: str, value: Any) -> None:
    """Copy an array (n, ...) or one row for all; nothing is allocated for a float array."""
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{title} is {value!r:.60}, expected numbers") from None
    if array.shape not in (into.shape, into.shape[1:]):
        raise ArgumentError(f"{title} has shape {array.shape}, expected {into.shape} or {into.shape[1:]}")
    into[:] = array


def _start_rows(title: str, value: Any, size: int, n: int) -> Array:
    """Rows (n, size) from one row for all or one for each, of finite numbers."""
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(f"{title} is {value!r:.60}, expected numbers") from None
    if array.shape not in ((size,), (n, size)):
        raise ArgumentError(f"{title} has shape {array.shape}, expected ({size},) or ({n}, {size})")
    if not np.isfinite(array).all():
        raise ArgumentError(f"{title} holds numbers that are not finite")
    return np.atleast_2d(array)


def _fixed_step(method: Any, h: float) -> Method:
    """A method, given by its class, with a fixed step."""
    if isinstance(method, type) and issubclass(method, Method):
        try:
            made = method(h=h)  # type: ignore[call-arg]
        except TypeError:
            made = None
        if made is not None and made.is_explicit:
            return made
    return checks.refuse_argument("method", method, "lw.RK4 or lw.DP5, or your own with a fixed step, the class itself")
