"""A model under a formulation, as the codes that drivers call."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright.compiler import Kernel, Program
from linkwright.errors import ArgumentError
from linkwright.formulations.kinds import Baumgarte, Minimal, Multipliers, VirtualSprings
from linkwright.kernels.kernels import Kernels
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model
from linkwright.model.arguments import position
from linkwright.simulation.drivers import status
from linkwright.simulation.drivers.status import EXTRAS
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.fallback import (
    careful_projection,
    fallback,
    row_projection,
    second,
    stabilised_fallback,
    tree_fallback,
)
from linkwright.solve.alternative_trees import forward_solver
from linkwright.solve.machine import Machine
from linkwright.solve.springs import row_coefficients, spring_kernels
from linkwright.solve.tree_pivots import tree_solver

Code = Kernel | Callback


@dataclass(frozen=True, eq=False)
class Problem:
    """Functions by field of `Mechanics`, and the shape of the state: coordinates, speeds, extras.

    Attributes:
        model: whose motion it is.
        codes: by field of `drivers.records.Mechanics`.
        ns: speeds in the state.
        projects: whether states are projected onto closed loops and unit quaternions.
        checked: places in the state that the error estimate looks at.
        independent: places in v of the state's speeds, when they are not all.
        solves: whether dependent coordinates are solved for before every slope.
        given: run-time parameters of the mechanics, by port; `form` says which codes take them.
        sources: where the programs of the dynamics and of the rates come from, for derivatives.
        watched: kernels whose independent set is watched for singularities.
        partitioned: kernels with the independent set the state is written in.
        words: the formulation, for the run's meta.
    """

    model: Model
    codes: dict[str, Code]
    ns: int
    projects: bool
    checked: tuple[int, ...]
    independent: tuple[int, ...] | None = None
    solves: bool = False
    given: tuple[np.ndarray, ...] = ()
    form: int = status.PLAIN
    sources: tuple[tuple[Kernels, str], tuple[Kernels, str]] | None = None
    watched: Kernels | None = None
    partitioned: Kernels | None = None
    words: str = "Multipliers()"

    @property
    def n(self) -> int:
        return self.model.nq + self.ns + EXTRAS

    @property
    def programs(self) -> dict[str, Program]:
        """Programs behind the codes that make up the slope."""
        assert self.sources is not None
        return {code: k.program(name) for code, (k, name) in zip(("dynamics", "rates"), self.sources)}

    @property
    def expands(self) -> bool:
        return self.independent is not None


def problem(model: Model, formulation: Any = None) -> Problem:
    """The problem of a model; made once for each formulation and kept with the model."""
    if not (formulation is None or isinstance(formulation, Multipliers | Minimal | VirtualSprings)):
        raise ArgumentError(
            f"formulation is {formulation!r}, expected Multipliers(...), Minimal(...) or VirtualSprings(...)"
        )
    known = model.__dict__.setdefault("_problems", {})
    if formulation not in known:
        known[formulation] = _made(model, formulation)
    return known[formulation]


def _made(model: Model, formulation: Any) -> Problem:
    if not (model.mechanism.loops or model.mechanism.couplings):
        return _tree(model)
    match formulation:
        case None | Multipliers(None):
            return _multipliers(model)
        case Multipliers(Baumgarte(rate)):
            return _stabilised(model, rate)
        case Minimal(names, displacement):
            speeds = None if names is None else tuple(position(name, model.v_names) for name in names)
            return minimal_problem(model, speeds, displacement)
        case VirtualSprings():
            return _on_springs(model, formulation)
    raise ArgumentError(f"formulation is {formulation!r}, expected Multipliers() or Multipliers(Baumgarte(rate))")


def machine_of(model: Model) -> Machine:
    """The machinery behind a model."""
    return model._engine.machine


def everything(model: Model) -> tuple[int, ...]:
    """Places of all coordinates and speeds."""
    return tuple(range(model.nq + model.nv))


def _tree(model: Model) -> Problem:
    kernels, (solving, name) = model._engine.kernels, tree_solver(machine_of(model))
    codes: dict[str, Code] = {
        "dynamics": solving.kernel(name),
        "rates": kernels.kernel("state_rates"),
        "gaps": kernels.kernel("gaps"),
        "project": kernels.kernel("guarded_projection"),
        "monitor": kernels.kernel("monitor"),
    }
    if name != "forward_dynamics":
        codes["fallback"] = tree_fallback(model)
    rows = kernels.setup.inertias
    plain = Problem(model, codes, model.nv, _turning(model), everything(model), words="tree")
    plain = replace(plain, sources=((kernels, "forward_dynamics"), (kernels, "state_rates")))
    return plain if rows is None else replace(plain, given=(rows,), form=status.WITH_INERTIAS)


def _turning(model: Model) -> bool:
    return any(name.endswith(".qw") for name in model.q_names)


def _multipliers(model: Model) -> Problem:
    machine = machine_of(model)
    first = forward_solver(machine)
    codes: dict[str, Code] = {
        "dynamics": first.kernels.kernel(first.name),
        "fallback": fallback(model),
        **second(machine.kernels),
        "project": machine.kernels.kernel("guarded_projection"),
        **_about(machine.open),
        **_sized(machine),
        "project_again": careful_projection(model),
        "project_row": row_projection(model),
    }
    plain = Problem(model, codes, model.nv, True, everything(model), watched=_watched(machine))
    return replace(plain, sources=((first.kernels, first.name), (machine.open, "state_rates")))


def _sized(machine: Machine) -> dict[str, Code]:
    """The determinants that are watched."""
    watched = _watched(machine)
    return {} if watched is None else {"size": watched.kernel("closure_blocks")}


def _watched(machine: Machine) -> Kernels | None:
    """Kernels whose independent set is watched for singularities; a machine without freedom has none."""
    return machine.kinematics.kernels if machine.mobility and machine.rank.rank else None


def _stabilised(model: Model, rate: float) -> Problem:
    machine = machine_of(model)
    codes: dict[str, Code] = {
        "dynamics": machine.kernels.kernel("guarded_stabilised_dynamics"),
        "fallback": stabilised_fallback(model, rate),
        **_about(machine.open),
    }
    plain = Problem(model, codes, model.nv, False, everything(model), words=f"Multipliers(Baumgarte({rate!r}))")
    sources = (machine.kernels, "guarded_stabilised_dynamics"), (machine.open, "state_rates")
    return replace(plain, given=(np.array([float(rate)]),), form=status.PULLED, sources=sources)


def minimal_problem(model: Model, speeds: tuple[int, ...] | None, displacement: bool) -> Problem:
    """The problem in independent speeds, kept with the model; None takes the machine's own set."""
    known: dict[Any, Problem] = model.__dict__.setdefault("_minimal_problems", {})
    key = speeds, displacement
    if key not in known:
        known[key] = _in_independents(model, speeds, displacement)
    return known[key]


def _in_independents(model: Model, speeds: tuple[int, ...] | None, displacement: bool) -> Problem:
    machine = machine_of(model)
    kernels = machine.minimal if speeds is None else machine.minimal_on(speeds)
    part = kernels.setup.plans.partition
    assert part is not None
    codes: dict[str, Code] = {
        "dynamics": kernels.kernel("minimal_accelerations"),
        "expand": kernels.kernel("all_speeds"),
        "whole_row": kernels.kernel("minimal_row"),
        "project": kernels.kernel("minimal_projection"),
        "newton": kernels.kernel("displacement"),
        **_about(machine.open),
        **_sized(machine),
        "rates": kernels.kernel("minimal_rates"),
    }
    ns = len(part.independent)
    at_speeds = tuple(range(model.nq, model.nq + ns))
    coordinates = _coordinates(model, part.independent) if displacement else tuple(range(model.nq))
    words = f"Minimal({[model.v_names[i] for i in part.independent]}, displacement={displacement})"
    plain = Problem(model, codes, ns, True, (*coordinates, *at_speeds), part.independent, displacement, words=words)
    sources = (kernels, "minimal_accelerations"), (kernels, "minimal_rates")
    return replace(plain, watched=_watched(machine), partitioned=kernels, sources=sources)


def coordinates_of_speeds(model: Model) -> dict[int, int]:
    """Places in q by places in v, of speeds that are rates of coordinates."""
    places_of: dict[int, int] = {}
    for q, v in coordinate_slices(model.mechanism.joints).values():
        if q.stop - q.start == v.stop - v.start:
            places_of |= dict(zip(range(v.start, v.stop), range(q.start, q.stop)))
    return places_of


def _coordinates(model: Model, speeds: tuple[int, ...]) -> tuple[int, ...]:
    """Places in q of independent speeds that are rates of coordinates."""
    places_of = coordinates_of_speeds(model)
    missing = [model.v_names[i] for i in speeds if i not in places_of]
    if missing:
        raise ArgumentError(
            f"displacement analysis needs independent coordinates, and {missing} belong to ball or free joints; name "
            "others in Minimal(independent=...), or leave displacement out"
        )
    return tuple(places_of[i] for i in speeds)


def _on_springs(model: Model, springs: VirtualSprings) -> Problem:
    machine = machine_of(model)
    kernels = spring_kernels(machine, springs)
    codes: dict[str, Code] = {
        "dynamics": kernels.kernel("spring_forward_dynamics"),
        "rates": kernels.kernel("spring_rates"),
        "gaps": kernels.kernel("rigid_gaps"),
        "project": kernels.kernel("rigid_projection"),
        "monitor": kernels.kernel("spring_monitor"),
    }
    projects = kernels.setup.plans.kkt is not None or _turning(model)
    given = tuple(np.asarray(x, dtype=float) for x in row_coefficients(machine, springs))
    plain = Problem(model, codes, model.nv, projects, everything(model), words=repr(springs))
    sources = (kernels, "spring_forward_dynamics"), (kernels, "spring_rates")
    return replace(plain, given=given, form=status.ON_SPRINGS, sources=sources)


def _about(kernels: Kernels) -> dict[str, Code]:
    """What is asked of a closed machine under any formulation."""
    return {
        "rates": kernels.kernel("state_rates"),
        "gaps": kernels.kernel("gaps"),
        "monitor": kernels.kernel("monitor"),
    }
