"""A model under a formulation, as the functions that drivers call, and their Jacobian."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from typing import Any

import numpy as np

from linkwright.compiler import Kernel, Program, inline_program, jacobian, trace
from linkwright.dataclass import dataclass, exact_text
from linkwright.dynamics.alternative_trees import forward_solver
from linkwright.dynamics.methods import row_coefficients, spring_kernels, velocity_indices
from linkwright.dynamics.tree_dynamics import tree_solver
from linkwright.errors import ArgumentError
from linkwright.formulations.minimal_equations import Minimal
from linkwright.formulations.multipliers import Multipliers
from linkwright.formulations.virtual_springs import VirtualSprings
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import BoundKernel, Divided, in_parts
from linkwright.functions.loop import closure_functions, multiplier_functions, spring_functions
from linkwright.functions.stages import MinimalEquations, VelocityPartitionPlan
from linkwright.functions.stepping import stepping_functions
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model
from linkwright.simulation.drivers.driver_records import EXTRAS
from linkwright.simulation.problem.acceleration_fallback import (
    alternative_order_accelerations,
    dense_projection_callback,
    fallback_accelerations,
    stabilized_fallback,
    tree_fallback,
)
from linkwright.simulation.problem.applied_loads import (
    NO_WRENCH,
    NOTHING,
    AppliedLoads,
    WrenchLaw,
    acted_program,
    function_of_loads,
)
from linkwright.simulation.problem.callbacks import Callback, LazyKernel
from linkwright.simulation.problem.run_efforts import RunActuation

# Entries of the Jacobian of loops that a driver examines itself; the record of every run holds them.
_MOST_ENTRIES = 1 << 16

Function = Kernel | BoundKernel | Callback | LazyKernel
Source = tuple[Kernels, Definition]


@dataclass(frozen=True, eq=False)
class Problem:
    """Functions by field of `Mechanics`, and the shape of the state: coordinates, velocities, extras.

    Attributes:
        model: whose motion it is.
        functions: by field of `drivers.records.Mechanics`.
        ns: velocities in the state.
        projects: True if states are projected onto closed loops and unit quaternions.
        checked: indices of the state that the error estimate uses.
        independent: indices in v of the state's velocities, when they are not all.
        solves: True if dependent coordinates are solved for before every derivative.
        constants: arguments of the dynamics and the rates besides state and efforts, by name.
        sources: where the programs of the dynamics, the rates and the projection come from, for derivatives.
        watched: kernels whose independent set is watched for singularities.
        partitioned: kernels with the independent set the state is written in.
        description: the formulation, for the run's meta.
        copies: parts of the state: the motion, and directions whose derivatives are stepped with it.
        acting: wrenches, whose numbers follow the efforts.
        states: of a controller, behind the extras.
    """

    model: Model
    functions: dict[str, Function]
    ns: int
    projects: bool
    checked: tuple[int, ...]
    independent: tuple[int, ...] | None = None
    solves: bool = False
    constants: dict[str, np.ndarray] = field(default_factory=dict)
    sources: dict[str, Source] = field(default_factory=dict)
    watched: Kernels[VelocityPartitionPlan] | None = None
    partitioned: Kernels[MinimalEquations] | None = None
    description: str = "Multipliers()"
    copies: int = 1
    acting: AppliedLoads = NOTHING
    states: int = 0

    @property
    def fixed_inputs(self) -> dict[str, np.ndarray]:
        """Constants, and the values of the mechanism's inputs as p."""
        return self.model.setup.with_p(self.constants)

    @property
    def identity(self) -> tuple[Any, ...]:
        """What decides the programs of the derivative."""
        parts = tuple((kernels.stage.identity, definition) for kernels, definition in self.sources.values())
        return (*parts, self.acting)

    @property
    def n(self) -> int:
        return self.nq + self.ns + EXTRAS + self.states

    @property
    def nq(self) -> int:
        """Coordinates in the state."""
        return self.model.nq * self.copies

    @property
    def nv(self) -> int:
        """Velocities in a row of the output."""
        return self.model.nv * self.copies

    @property
    def na(self) -> int:
        """Efforts."""
        return self.model.na * self.copies

    @property
    def n_acting(self) -> int:
        """Efforts, and components of wrenches behind them."""
        return (self.model.na + self.acting.n_wrenches) * self.copies

    @property
    def programs(self) -> dict[str, Program]:
        """Programs of the functions that make up the derivative; inputs of the mechanism are their argument p."""
        return {code: acted_program(kernels, name, self.acting) for code, (kernels, name) in self.sources.items()}

    @property
    def has_tangents(self) -> bool:
        """True if steps can be taken in tangent coordinates where the loops' equations lose rank."""
        return {"displace", "equations"} <= self.functions.keys()

    @property
    def expands(self) -> bool:
        return self.independent is not None


def problem_of_model(model: Model, formulation: Any = None, acting: AppliedLoads = NOTHING, states: int = 0) -> Problem:
    """The problem of a model; made once for each formulation and set of wrenches and kept with the model.

    `states` is the number of states of a controller, which the error estimate uses too.
    """
    formulation = Multipliers() if formulation is None else formulation
    if type(formulation) not in STEPPING:
        raise ArgumentError(
            f"formulation is {formulation!r}, expected Multipliers(...), Minimal(...) or VirtualSprings(...)"
        )
    made = STEPPING[type(formulation)] if model.has_loops else _tree_problem
    found: Problem = model.cache.get(
        ("problem", formulation, acting), lambda: _check_losses(made(model, formulation, acting))
    )
    return (
        found
        if not states
        else model.cache.get(("controlled", found, states), lambda: _problem_with_controller(found, states))
    )


def _check_losses(problem: Problem) -> Problem:
    """The problem with losses in the error estimate where forces jump: a stop left behind unloads without a force."""
    return replace(problem, checked=checked_indices(problem.checked, problem.nq + problem.ns, problem.model))


def checked_indices(moving: tuple[int, ...], first: int, model: Model) -> tuple[int, ...]:
    """Indices that the error estimate uses: of the motion, and of the losses, which are behind work at `first`."""
    return moving if all(force.is_smooth for force in model.mechanism.forces) else (*moving, first + 1)


def _problem_with_controller(plain: Problem, states: int) -> Problem:
    """The problem with the states of a controller."""
    own = range(plain.n, plain.n + states)
    return replace(plain, states=states, checked=(*plain.checked, *own))


def all_state_indices(model: Model) -> tuple[int, ...]:
    """Indices of all coordinates and velocities in the state."""
    return tuple(range(model.nq + model.nv))


def _tree_problem(model: Model, _: Any, acting: AppliedLoads) -> Problem:
    kernels, (solving, definition) = model.kernels, tree_solver(model.kinematics)
    functions: dict[str, Function] = {
        "dynamics": function_of_loads(solving, definition, acting),
        "rates": function_of_loads(kernels, stepping_functions.state_rates, acting),
        "gaps": kernels.bind_constants(stepping_functions.gaps),
        "project": kernels.bind_constants(stepping_functions.unit_projection),
        "monitor": function_of_loads(kernels, stepping_functions.monitor, acting),
    }
    if definition is not tree_functions.forward_dynamics:
        functions["fallback"] = tree_fallback(model, acting)
    plain = Problem(
        model, functions, model.nv, _has_quaternions(model), all_state_indices(model), description="tree", acting=acting
    )
    names = {
        "dynamics": tree_functions.forward_dynamics,
        "rates": stepping_functions.state_rates,
        "project": stepping_functions.unit_projection,
    }
    return replace(plain, sources={code: (kernels, name) for code, name in names.items()})


def _has_quaternions(model: Model) -> bool:
    return any(name.endswith(".qw") for name in model.q_names)


def _multiplier_problem(model: Model, formulation: Multipliers, acting: AppliedLoads) -> Problem:
    if formulation.baumgarte is not None:
        return _stabilized_problem(model, formulation.baumgarte.rate, acting)
    dynamics = model.dynamics
    kernels, first = dynamics.kernels, forward_solver(dynamics)
    source: Source = first.kernels, first.definition
    functions: dict[str, Function] = {
        "dynamics": function_of_loads(*source, acting),
        "fallback": fallback_accelerations(model, acting),
        "second": alternative_order_accelerations(kernels, acting),
        "project": kernels.bind_constants(stepping_functions.checked_projection),
        **_closure_functions(model.kernels, acting),
        **_determinant_functions(model.kinematics),
        "project_again": dense_projection_callback(model),
        **_in_tangents(model, acting),
    }
    watched = _watched_kernels(model.kinematics)
    plain = Problem(model, functions, model.nv, True, all_state_indices(model), watched=watched, acting=acting)
    sources: dict[str, Source] = {
        "dynamics": source,
        "rates": (model.kernels, stepping_functions.state_rates),
        "project": (kernels, stepping_functions.checked_projection),
    }
    return replace(plain, sources=sources)


def _determinant_functions(kinematics: Kinematics) -> dict[str, Function]:
    """The determinants that are watched, and the equations that decide where one of them is zero.

    Those of many loops are left to the caller of the driver.
    """
    watched, code = _watched_kernels(kinematics), closure_functions.closure_jacobian
    if watched is None:
        return {}
    found: dict[str, Function] = {"size": watched.bind_constants(stepping_functions.closure_blocks)}
    if kinematics.all_rows.setup.closure.n_all * kinematics.all_rows.setup.tree.nv <= _MOST_ENTRIES:
        found["equations"] = LazyKernel(lambda: kinematics.all_rows.bind_constants(code))
    return found


def _in_tangents(model: Model, acting: AppliedLoads) -> dict[str, Function]:
    """What steps in tangent coordinates need besides the loops' equations; nothing where those are too many."""
    if "equations" not in _determinant_functions(model.kinematics):
        return {}
    kernels, tree = model.loop_kernels, model.kernels
    return {
        "residual": LazyKernel(lambda: kernels.bind_constants(closure_functions.closure_residual)),
        "displace": LazyKernel(lambda: kernels.bind_constants(closure_functions.advanced)),
        "terms": LazyKernel(lambda: function_of_loads(tree, closure_functions.kkt_terms, acting)),
    }


def _watched_kernels(kinematics: Kinematics) -> Kernels[VelocityPartitionPlan] | None:
    """Kernels whose independent set is watched for singularities; a mechanism without freedom has none."""
    return kinematics.kernels if kinematics.mobility and kinematics.rank.rank else None


def _stabilized_problem(model: Model, rate: float, acting: AppliedLoads) -> Problem:
    dynamics = model.dynamics
    kernels, constants = dynamics.kernels, {"pull": np.array([float(rate)])}
    functions: dict[str, Function] = {
        "dynamics": function_of_loads(kernels, multiplier_functions.checked_stabilized_dynamics, acting, **constants),
        "fallback": stabilized_fallback(model, rate, acting),
        **_closure_functions(model.kernels, acting),
    }
    description = f"Multipliers(Baumgarte({rate!r}))"
    plain = Problem(model, functions, model.nv, False, all_state_indices(model), description=description, acting=acting)
    sources: dict[str, Source] = {
        "dynamics": (kernels, multiplier_functions.checked_stabilized_dynamics),
        "rates": (model.kernels, stepping_functions.state_rates),
    }
    return replace(plain, constants=constants, sources=sources)


def _minimal_problem(model: Model, formulation: Minimal, acting: AppliedLoads) -> Problem:
    velocities = velocity_indices(model.kinematics, formulation.independent)
    return _in_independents(model, velocities, formulation.displacement, acting)


def minimal_problem(
    model: Model, velocities: tuple[int, ...] | None, displacement: bool, acting: AppliedLoads = NOTHING
) -> Problem:
    """The problem in independent velocities, kept with the model; None takes the mechanism's own set."""
    key = ("minimal problem", velocities, displacement, acting)
    return model.cache.get(key, lambda: _check_losses(_in_independents(model, velocities, displacement, acting)))


def in_velocities(problem: Problem, velocities: tuple[int, ...]) -> Problem:
    """The same problem in other independent velocities."""
    other = minimal_problem(problem.model, velocities, problem.solves, problem.acting)
    return _problem_with_controller(other, problem.states) if problem.states else other


def _in_independents(
    model: Model, velocities: tuple[int, ...] | None, displacement: bool, acting: AppliedLoads
) -> Problem:
    dynamics = model.dynamics
    kernels = dynamics.minimal if velocities is None else dynamics.minimal_on(velocities)
    part = kernels.stage.partition
    functions: dict[str, Function] = {
        "dynamics": function_of_loads(kernels, stepping_functions.minimal_accelerations, acting),
        "expand": kernels.bind_constants(stepping_functions.all_speeds),
        "whole_row": function_of_loads(kernels, stepping_functions.minimal_row, acting),
        "project": kernels.bind_constants(stepping_functions.minimal_projection),
        "newton": kernels.bind_constants(stepping_functions.displacement),
        **_closure_functions(model.kernels, acting),
        **_determinant_functions(model.kinematics),
        "rates": function_of_loads(kernels, stepping_functions.minimal_rates, acting),
    }
    ns = len(part.independent)
    at_velocities = tuple(range(model.nq, model.nq + ns))
    coordinates = _coordinate_indices(model, part.independent) if displacement else tuple(range(model.nq))
    description = f"Minimal({[model.v_names[i] for i in part.independent]}, displacement={displacement})"
    plain = Problem(
        model,
        functions,
        ns,
        True,
        (*coordinates, *at_velocities),
        part.independent,
        displacement,
        description=description,
        acting=acting,
    )
    sources: dict[str, Source] = {
        "dynamics": (kernels, stepping_functions.minimal_accelerations),
        "rates": (kernels, stepping_functions.minimal_rates),
    }
    return replace(plain, watched=_watched_kernels(model.kinematics), partitioned=kernels, sources=sources)


def coordinate_of_velocity(model: Model) -> dict[int, int]:
    """Index in q by index in v, of velocities that are rates of coordinates."""
    index_of: dict[int, int] = {}
    for q, v in coordinate_slices(model.setup.mech.joints).values():
        if q.stop - q.start == v.stop - v.start:
            index_of |= dict(zip(range(v.start, v.stop), range(q.start, q.stop)))
    return index_of


def _coordinate_indices(model: Model, velocities: tuple[int, ...]) -> tuple[int, ...]:
    """Indices in q of independent velocities that are rates of coordinates."""
    index_of = coordinate_of_velocity(model)
    missing = [model.v_names[i] for i in velocities if i not in index_of]
    if missing:
        raise ArgumentError(
            f"displacement analysis needs independent coordinates, and {missing} belong to spherical or floating "
            "joints; name others in Minimal(independent=...), or leave displacement out"
        )
    return tuple(index_of[i] for i in velocities)


def _on_springs(model: Model, springs: VirtualSprings, acting: AppliedLoads) -> Problem:
    kernels = spring_kernels(model.kinematics, springs)
    stiffness, damping = (np.asarray(x, dtype=float) for x in row_coefficients(model.kinematics, springs))
    constants = {"stiffness": stiffness, "damping": damping}
    names = {
        "dynamics": spring_functions.spring_forward_dynamics,
        "rates": stepping_functions.spring_rates,
        "gaps": stepping_functions.rigid_gaps,
        "project": stepping_functions.rigid_projection,
        "monitor": stepping_functions.spring_monitor,
    }
    functions: dict[str, Function] = {
        code: function_of_loads(kernels, name, acting, **constants) for code, name in names.items()
    }
    projects = kernels.stage.plan is not None or _has_quaternions(model)
    plain = Problem(
        model, functions, model.nv, projects, all_state_indices(model), description=exact_text(springs), acting=acting
    )
    sources: dict[str, Source] = {code: (kernels, names[code]) for code in ("dynamics", "rates", "project")}
    return replace(plain, constants=constants, sources=sources)


def _closure_functions(kernels: Kernels, acting: AppliedLoads) -> dict[str, Function]:
    """Functions of a closed mechanism under any formulation."""
    return {
        "rates": function_of_loads(kernels, stepping_functions.state_rates, acting),
        "gaps": kernels.bind_constants(stepping_functions.gaps),
        "monitor": function_of_loads(kernels, stepping_functions.monitor, acting),
    }


STEPPING: dict[type, Callable[[Model, Any, AppliedLoads], Problem]] = {
    Multipliers: _multiplier_problem,
    Minimal: _minimal_problem,
    VirtualSprings: _on_springs,
}
"""Makers of problems by formulation; those of the papers are not stepped in time."""


_KEPT = 8


def jacobian_kernel(problem: Problem, drive: RunActuation, method: str) -> Kernel | BoundKernel:
    """Derivatives of the right-hand side by t (n, 1), q (n, nq) and the state's velocities (n, ns)."""
    if isinstance(drive.code, Callback):
        raise ArgumentError(
            f"{method} is implicit and needs the derivative of the efforts, and a Python function has none; write it "
            "as an effort law with tau(t, q, v), sample it with Sampled(f, rate), or use DOP853"
        )
    if drive.states:
        raise ArgumentError(
            f"{method} is implicit and integrates coordinates and velocities, and this law has states of its own; use "
            "DOP853"
        )
    if isinstance(drive.wrench, Callback):
        raise ArgumentError(
            f"{method} is implicit and needs the derivative of the wrenches, and a Python function has none; write it "
            "with arithmetic and NumPy functions alone, or use DOP853"
        )
    if problem.solves:
        raise ArgumentError(
            f"{method} is implicit and integrates all coordinates; leave displacement out of Minimal(...)"
        )

    def made() -> Kernel | Divided:
        program = jacobian(derivative_program(problem, drive.law, drive.loads), ["t", "q", "s"])
        return in_parts(b"jacobian", program, tuple(problem.fixed_inputs))

    key = (*problem.identity, drive.law, drive.loads)
    found = problem.model.nominal_cache.recent("jacobians", key, made, _KEPT)
    return found.bind_inputs(problem.fixed_inputs) if isinstance(found, Divided) else found


def derivative_program(problem: Problem, law: Any, loads: WrenchLaw = NO_WRENCH) -> Program:
    """Rates of the whole state, (n,), of t, q, the state's velocities, tau, constants and p."""
    dynamics, rates = problem.programs["dynamics"], problem.programs["rates"]
    more = {port.name: port.shape for port in dynamics.inputs[3:]}

    def right_hand_side(t: Any, q: Any, s: Any, tau: Any, **given: Any) -> np.ndarray:
        if law is not None or loads.wrenches:
            v = _all_velocities(problem, q, s, given)
            efforts = tau[: model.na] if law is None else np.asarray(law.tau(t[0], q, v))
            tau = np.concatenate([efforts, loads.at(t[0], q, v)])
        a = inline_program(dynamics, q, s, tau, *given.values())
        q_dot, powers = inline_program(rates, q, s, tau, *(given[port.name] for port in rates.inputs[3:]))
        return np.concatenate([q_dot, a, powers])

    model = problem.model
    return trace(right_hand_side, {"t": 1, "q": model.nq, "s": problem.ns, "tau": problem.n_acting, **more})


def _all_velocities(problem: Problem, q: Any, s: Any, given: dict[str, Any]) -> Any:
    if problem.partitioned is None:
        return s
    program = problem.partitioned.input_program(stepping_functions.all_speeds)
    return inline_program(program, q, s, *(given[port.name] for port in program.inputs[2:]))
