"""A model under a formulation, as the codes that drivers call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from linkwright.compiler import Kernel, Program
from linkwright.errors import ArgumentError
from linkwright.formulations.minimal import Minimal
from linkwright.formulations.multipliers import Multipliers
from linkwright.formulations.springs import VirtualSprings
from linkwright.kernels import registry
from linkwright.kernels.compiled import Kernels
from linkwright.kernels.definition import Definition
from linkwright.kernels.stages import Division, MinimalEquations
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model
from linkwright.simulation.drivers import status
from linkwright.simulation.drivers.status import EXTRAS
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.fallback import (
    careful_projection,
    fallback,
    row_projection,
    second,
    stabilized_fallback,
    tree_fallback,
)
from linkwright.solve.alternative_trees import forward_solver
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.methods.minimal import velocity_indices
from linkwright.solve.methods.springs import row_coefficients, spring_kernels
from linkwright.solve.tree_pivots import tree_solver

Code = Kernel | Callback
Source = tuple[Kernels, Definition]


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
    sources: tuple[Source, Source] | None = None
    watched: Kernels[Division] | None = None
    partitioned: Kernels[MinimalEquations] | None = None
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
    formulation = Multipliers() if formulation is None else formulation
    if type(formulation) not in STEPPING:
        raise ArgumentError(
            f"formulation is {formulation!r}, expected Multipliers(...), Minimal(...) or VirtualSprings(...)"
        )
    made = STEPPING[type(formulation)] if model.kinematics.closed else _tree
    return model.cache.get(("problem", formulation), lambda: made(model, formulation))


def everything(model: Model) -> tuple[int, ...]:
    """Places of all coordinates and speeds."""
    return tuple(range(model.nq + model.nv))


def _tree(model: Model, _: Any = None) -> Problem:
    kernels, (solving, definition) = model.kernels, tree_solver(model.kinematics)
    codes: dict[str, Code] = {
        "dynamics": solving.kernel(definition),
        "rates": kernels.kernel(registry.STATE_RATES),
        "gaps": kernels.kernel(registry.GAPS),
        "project": kernels.kernel(registry.UNIT_PROJECTION),
        "monitor": kernels.kernel(registry.MONITOR),
    }
    if definition is not registry.FORWARD_DYNAMICS:
        codes["fallback"] = tree_fallback(model)
    rows = kernels.setup.inertias
    plain = Problem(model, codes, model.nv, _turning(model), everything(model), words="tree")
    plain = replace(plain, sources=((kernels, registry.FORWARD_DYNAMICS), (kernels, registry.STATE_RATES)))
    return plain if rows is None else replace(plain, given=(rows,), form=status.WITH_INERTIAS)


def _turning(model: Model) -> bool:
    return any(name.endswith(".qw") for name in model.q_names)


def _multipliers(model: Model, formulation: Multipliers) -> Problem:
    if formulation.baumgarte is not None:
        return _stabilized(model, formulation.baumgarte.rate)
    kernels, first = model.dynamics.kernels, forward_solver(model.dynamics)
    codes: dict[str, Code] = {
        "dynamics": first.kernels.kernel(first.definition),
        "fallback": fallback(model),
        **second(kernels),
        "project": kernels.kernel(registry.CHECKED_PROJECTION),
        **_about(model.kernels),
        **_sized(model.kinematics),
        "project_again": careful_projection(model),
        "project_row": row_projection(model),
    }
    plain = Problem(model, codes, model.nv, True, everything(model), watched=_watched(model.kinematics))
    return replace(plain, sources=((first.kernels, first.definition), (model.kernels, registry.STATE_RATES)))


def _sized(loops: Kinematics) -> dict[str, Code]:
    """The determinants that are watched."""
    watched = _watched(loops)
    return {} if watched is None else {"size": watched.kernel(registry.CLOSURE_BLOCKS)}


def _watched(loops: Kinematics) -> Kernels[Division] | None:
    """Kernels whose independent set is watched for singularities; a mechanism without freedom has none."""
    return loops.kernels if loops.mobility and loops.rank.rank else None


def _stabilized(model: Model, rate: float) -> Problem:
    kernels = model.dynamics.kernels
    codes: dict[str, Code] = {
        "dynamics": kernels.kernel(registry.CHECKED_STABILIZED_DYNAMICS),
        "fallback": stabilized_fallback(model, rate),
        **_about(model.kernels),
    }
    plain = Problem(model, codes, model.nv, False, everything(model), words=f"Multipliers(Baumgarte({rate!r}))")
    sources = (kernels, registry.CHECKED_STABILIZED_DYNAMICS), (model.kernels, registry.STATE_RATES)
    return replace(plain, given=(np.array([float(rate)]),), form=status.PULLED, sources=sources)


def _minimal(model: Model, formulation: Minimal) -> Problem:
    speeds = velocity_indices(model.kinematics, formulation.independent)
    return minimal_problem(model, speeds, formulation.displacement)


def minimal_problem(model: Model, speeds: tuple[int, ...] | None, displacement: bool) -> Problem:
    """The problem in independent speeds, kept with the model; None takes the mechanism's own set."""
    key = ("minimal problem", speeds, displacement)
    return model.cache.get(key, lambda: _in_independents(model, speeds, displacement))


def _in_independents(model: Model, speeds: tuple[int, ...] | None, displacement: bool) -> Problem:
    kernels = model.dynamics.minimal if speeds is None else model.dynamics.minimal_on(speeds)
    part = kernels.stage.partition
    codes: dict[str, Code] = {
        "dynamics": kernels.kernel(registry.MINIMAL_ACCELERATIONS),
        "expand": kernels.kernel(registry.ALL_SPEEDS),
        "whole_row": kernels.kernel(registry.MINIMAL_ROW),
        "project": kernels.kernel(registry.MINIMAL_PROJECTION),
        "newton": kernels.kernel(registry.DISPLACEMENT),
        **_about(model.kernels),
        **_sized(model.kinematics),
        "rates": kernels.kernel(registry.MINIMAL_RATES),
    }
    ns = len(part.independent)
    at_speeds = tuple(range(model.nq, model.nq + ns))
    coordinates = _coordinates(model, part.independent) if displacement else tuple(range(model.nq))
    words = f"Minimal({[model.v_names[i] for i in part.independent]}, displacement={displacement})"
    plain = Problem(model, codes, ns, True, (*coordinates, *at_speeds), part.independent, displacement, words=words)
    sources = (kernels, registry.MINIMAL_ACCELERATIONS), (kernels, registry.MINIMAL_RATES)
    return replace(plain, watched=_watched(model.kinematics), partitioned=kernels, sources=sources)


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
    kernels = spring_kernels(model.kinematics, springs)
    codes: dict[str, Code] = {
        "dynamics": kernels.kernel(registry.SPRING_FORWARD_DYNAMICS),
        "rates": kernels.kernel(registry.SPRING_RATES),
        "gaps": kernels.kernel(registry.RIGID_GAPS),
        "project": kernels.kernel(registry.RIGID_PROJECTION),
        "monitor": kernels.kernel(registry.SPRING_MONITOR),
    }
    projects = kernels.stage.plan is not None or _turning(model)
    given = tuple(np.asarray(x, dtype=float) for x in row_coefficients(model.kinematics, springs))
    plain = Problem(model, codes, model.nv, projects, everything(model), words=repr(springs))
    sources = (kernels, registry.SPRING_FORWARD_DYNAMICS), (kernels, registry.SPRING_RATES)
    return replace(plain, given=given, form=status.ON_SPRINGS, sources=sources)


def _about(kernels: Kernels) -> dict[str, Code]:
    """What is asked of a closed machine under any formulation."""
    return {
        "rates": kernels.kernel(registry.STATE_RATES),
        "gaps": kernels.kernel(registry.GAPS),
        "monitor": kernels.kernel(registry.MONITOR),
    }


STEPPING: dict[type, Callable[[Model, Any], Problem]] = {
    Multipliers: _multipliers,
    Minimal: _minimal,
    VirtualSprings: _on_springs,
}
"""How each formulation is stepped in time; those of the papers are not."""
