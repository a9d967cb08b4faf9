"""Contact of the sides of a loop, and switches that may act now, as event functions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.algebra.transforms import frame_with_z
from linkwright.algebra.vectors import Vec3
from linkwright.compiler import Kernel, Program, cached_kernel, inline_program, trace
from linkwright.errors import ArgumentError
from linkwright.functions.loop import closure_functions
from linkwright.functions.loop.multiplier_functions import loop_forward_dynamics
from linkwright.functions.setup import Setup
from linkwright.loops.closure import loop_wrenches
from linkwright.loops.cut_joints import loop_of, loop_pose
from linkwright.mechanism.records import Joint
from linkwright.model import Model
from linkwright.numerics.tolerances import CLOSED_STATE
from linkwright.plans.scales import characteristic_length
from linkwright.recursion.poses import link_poses
from linkwright.simulation.problem.applied_loads import NOTHING, AppliedLoads
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.problem import Problem
from linkwright.simulation.root_functions import Crossing, RootFunctions, event_number, root_functions
from linkwright.simulation.running.run_spec import RunSpec, Start
from linkwright.simulation.switching.switches import Close, Open, Switch, every_loop, require_switches, switch_title

Array = np.ndarray

SLACK = 1e-12
"""Contact is found this share of the mechanism's size behind the surface, so that one just left is in front."""


def axes_of_parent(joint: Joint) -> Array:
    """Axes of a loop's frame on its parent, as columns in the parent body's axes, (3, 3)."""
    axes = joint.kind.axes
    return joint.at.R @ (frame_with_z(axes[0]) if axes else np.eye(3))


def gap_along(setup: Setup, joint: Joint, normal: Vec3 | None) -> Callable[[Any], Any]:
    """Distance of the child from the parent along the normal, as a function of q, [m]; of a rod, its slack."""
    loop = loop_of(setup.mech, setup.simplified, joint)
    span = joint.kind.rod_length
    if span is not None:

        def slack(q: Any) -> Any:
            d = loop_pose(loop, link_poses(setup.simplified, q)).d
            return np.sqrt(d @ d) - span

        return slack
    u = axes_of_parent(joint).T @ np.array(normal)
    return lambda q: u @ loop_pose(loop, link_poses(setup.simplified, q)).d


def push_program(model: Model, name: str, normal: Vec3 | None, acting: AppliedLoads = NOTHING) -> Program:
    """The force of parent on child along the normal in a closed loop [N]; of a rod, its thrust.

    It is a function of q, v and tau; the numbers of wrenches follow the efforts.
    """
    kinematics, dynamics = model.kinematics, model.dynamics
    planned = dynamics.kernels.stage
    setup = planned.setup
    index, joint = next((i, j) for i, j in enumerate(model.mechanism.loops) if j.name == name)
    rod = joint.kind.rod_length is not None
    u = np.zeros(3) if rod else axes_of_parent(joint).T @ np.array(normal)
    rows = range(setup.closure.n_all) if setup.closure.kept is None else setup.closure.kept
    first = [kinematics.loop_of_row(i) for i in range(setup.closure.n_all)].index(name)

    def push(q: Array, v: Array, tau: Array) -> Array:
        efforts, outer = acting.split(planned, q, tau)
        _, kept, _ = loop_forward_dynamics(planned, q, v, efforts, *outer)
        lam = np.zeros(setup.closure.n_all, dtype=kept.dtype)
        lam[list(rows)] = kept
        if rod:
            return np.array([lam[first]])
        near, far = loop_wrenches(setup.closure, setup.drives, q, lam, efforts)[index]
        parent = far if setup.closure.loops[index].flipped else near
        return np.array([-(parent[3:] @ u)])

    return trace(push, {"q": model.nq, "v": model.nv, "tau": model.na + acting.n_wrenches})


def push_kernel(program: Program) -> Kernel:
    """Compile a program of `push_program`."""
    return cached_kernel(b"push" + program.digest, lambda: program)


State = tuple[float, Array, Array]
Function = Callable[..., Any]
_STEP = 1e-6


def applicable_switches(switches: Sequence[Switch], closed: frozenset[str]) -> list[Switch]:
    """Switches that would close an open loop or open a closed one."""
    return [each for each in switches if (each.loop in closed) == isinstance(each, Open)]


def first_crossings(model: Model, switches: Sequence[Switch]) -> tuple[Crossing, ...] | None:
    """Event functions of the switches that can act first in a run; None where one depends on efforts or inputs."""
    require_switches(model, switches)
    first = applicable_switches(switches, frozenset(joint.name for joint in model.mechanism.loops))
    if model.setup.inputs is not None or any(isinstance(each, Open) and each.by_force for each in first):
        return None
    length = characteristic_length(model.mechanism)
    functions = [
        _contact_distance(_switch_gap(model, each), length)
        if isinstance(each, Close) and each.when is None
        else each.when
        for each in first
    ]
    return tuple(Crossing(switch_title(s), f, s.direction, True) for s, f in zip(first, functions, strict=True) if f)


def _switch_gap(model: Model, switch: Close) -> Function:
    joint = every_loop(model.mechanism)[switch.loop]
    return gap_along(model.setup, joint, switch.normal)


def _contact_distance(gap: Function, length: float) -> Function:
    """Distance before the sides of a loop meet, as an event function."""
    return lambda t, q, v: gap(q) + SLACK * length


class SwitchEvents:
    """Switches of a run: those that can act while some loops are closed, and their event functions."""

    def __init__(self, spec: RunSpec[Start]) -> None:
        model, switches, actuation = spec.model, spec.switches, spec.actuation
        self.spec, self.model, self.switches, self.actuation = spec, model, switches, actuation
        self.named = {switch_title(switch): switch for switch in switches}
        self.held = actuation.start.copy()
        self._length = characteristic_length(model.mechanism)
        self._gaps = {
            each.loop: _switch_gap(model, each) for each in switches if isinstance(each, Close) and each.when is None
        }
        self._pushes: dict[Any, tuple[Function, Kernel]] = {}
        self._watches: dict[Any, RootFunctions] = {}
        self._before: dict[str, float] = {}

    def able(self, closed: frozenset[str]) -> list[Switch]:
        """Switches that would close an open loop or open a closed one."""
        return applicable_switches(self.switches, closed)

    def crossings(self, model: Model, closed: frozenset[str], state: State) -> tuple[Crossing, ...]:
        """Event functions of the switches that can act; all of them end the phase."""
        able = self.able(closed)
        t, q, v = state
        self._before = {
            switch_title(s): event_number(switch_title(s), s.when, t, q, v) for s in able if s.when is not None
        }
        return tuple(Crossing(switch_title(s), self._function(model, s), s.direction, True) for s in able)

    def root_functions(self, problem: Problem, crossings: Sequence[Crossing], stop_at_limits: bool) -> RootFunctions:
        """Event functions of the switches, the limits and the caller, compiled once for each set of closed loops."""
        key = (problem, tuple(each.name for each in crossings))
        if key not in self._watches:
            self._watches[key] = root_functions(problem, crossings, stop_at_limits)
        return self._watches[key]

    def _function(self, model: Model, switch: Switch) -> Function:
        if switch.when is not None:
            return switch.when
        if isinstance(switch, Close):
            return _contact_distance(self._gaps[switch.loop], self._length)
        return self._push(model, switch)[0]

    def _push(self, model: Model, switch: Open) -> tuple[Function, Kernel]:
        key = (model, switch.loop)
        if key not in self._pushes:
            program = push_program(model, switch.loop, switch.normal, replace(self.spec, model=model).acting)
            kernel = push_kernel(program)

            def function(t: Any, q: Array, v: Array) -> Any:
                tau = self.acting(t, q, v)
                return (inline_program(program, q, v, tau) if q.dtype == object else kernel(q, v, tau))[0]

            self._pushes[key] = function, kernel
        return self._pushes[key]

    def acting(self, t: Any, q: Array, v: Array) -> Array:
        """Efforts and, behind them, the numbers of the wrenches at a state."""
        return np.concatenate([self.efforts(t, q, v), self.actuation.loads.at(t, q, v)])

    def efforts(self, t: Any, q: Array, v: Array) -> Array:
        """Efforts at a state, (na,); during a phase a sampled controller keeps its last output."""
        if self.actuation.law is not None:
            return np.asarray(self.actuation.law.tau(t, q, v))
        if self.actuation.sampled is None and self.actuation.code is None:
            return self.actuation.start
        if q.dtype == object:
            raise ArgumentError("efforts of Python functions cannot be recorded")
        if self.actuation.sampled is not None:
            return self.held[: len(self.actuation.start)].copy()
        assert isinstance(self.actuation.code, Callback)
        return self.actuation.code.function(np.array([float(t)]), q, v)[0]

    def pulling(self, model: Model, closed: frozenset[str], state: State) -> str | None:
        """The loop that pulls hardest of those that can only push, if any."""
        t, q, v = state
        if self.actuation.sampled is not None:
            self.held = self.actuation.sampled(t, q, v)
        pushes = {
            each.loop: float(self._push(model, each)[1](q, v, self.acting(t, q, v))[0])
            for each in self.able(closed)
            if isinstance(each, Open) and each.by_force
        }
        name = min(pushes, key=lambda loop: pushes[loop], default=None)
        return name if name is not None and pushes[name] <= 0.0 else None

    def pushing(self, closed: frozenset[str], closing: Sequence[Close]) -> dict[str, Vec3 | None]:
        """Loops that take part in an impact and can only push, with their normals."""
        present = closed | {each.loop for each in closing}
        return {s.loop: s.normal for s in self.switches if isinstance(s, Open) and s.by_force and s.loop in present}

    def together(self, fired: Sequence[Switch], closed: frozenset[str], state: State) -> list[Switch]:
        """Other switches that act in the same instant."""
        return [each for each in self.able(closed) if each not in fired and self._acts(each, state)]

    def _acts(self, switch: Switch, state: State) -> bool:
        t, q, v = state
        if switch.when is not None:
            before, now = self._before[switch_title(switch)], float(switch.when(t, q, v))
            way = np.sign(now - before)
            return before * now <= 0.0 and before != 0.0 and switch.direction in (0, way)
        return isinstance(switch, Close) and bool(self._gaps[switch.loop](q) <= 0.0) and self._rate(switch, q, v) < 0.0

    def _rate(self, switch: Close, q: Array, v: Array) -> float:
        gap, q_dot = self._gaps[switch.loop], self.model.kernels.function(closure_functions.coordinate_rates)(q, v)
        return float(gap(q + _STEP * q_dot) - gap(q - _STEP * q_dot)) / (2.0 * _STEP)

    def require_apart(self, q: Array, closed: frozenset[str]) -> None:
        """Refuse a start at which the two sides of a loop have already passed each other."""
        for name, gap in self._gaps.items():
            behind = -float(gap(q))
            if name not in closed and behind > CLOSED_STATE * self._length:
                raise ArgumentError(
                    f"loop '{name}' is past its closing at the start, by {behind:.3g} m; start before its sides meet, "
                    "or turn the normal of Close(...) round"
                )
