"""Public names of functions: which kernels compute each on a mechanism, and under which name they are traced."""

from __future__ import annotations

from collections.abc import Callable

from linkwright.errors import ArgumentError
from linkwright.formulations.springs import VirtualSprings
from linkwright.kernels import Kernels, Setup, registry
from linkwright.kernels.definition import Definition
from linkwright.kernels.stages import (
    Alternative,
    BorderedOrder,
    ClosedLegs,
    Division,
    EffortOrder,
    HybridOrder,
    MinimalEquations,
    MotionTarget,
    Reduced,
    Springs,
    SquareTarget,
    WatchedTree,
)
from linkwright.solve.actuation import effort_rank, independent_actuators, require_driven
from linkwright.solve.alternative_trees import effort_solver, forward_solver
from linkwright.solve.dynamics import Dynamics
from linkwright.solve.efforts import exact
from linkwright.solve.mass import massless_motion
from linkwright.solve.methods.springs import spring_kernels
from linkwright.solve.tree_pivots import tree_solver
from linkwright.solve.undriven import freedoms

_PUBLIC = {
    "inverse_dynamics_derivatives": registry.INVERSE_DERIVATIVES,
    "forward_dynamics_derivatives": registry.FORWARD_DERIVATIVES,
    "joint_reactions": registry.JOINT_WRENCHES,
    "linearize": registry.CHECKED_LINEAR_MODEL,
}
"""Public functions whose definitions have other names."""


def traced(dynamics: Dynamics, public: str, frame: str | None = None) -> tuple[Kernels, Definition]:
    """The kernels and the definition behind a public function's text name; `frame` for those that depend on one."""
    definition = _PUBLIC.get(public) or registry.named(public)
    if definition.stage in (MotionTarget, SquareTarget, ClosedLegs):
        raise ArgumentError(
            f"'{public}' has no program of its own: it depends on the requested target; export c without a function "
            "writes it as part of a kit"
        )
    if definition.frame and frame is None:
        raise ArgumentError(f"'{public}' depends on the requested frame: name a frame or body as frame=")
    if frame is not None and not definition.frame:
        raise ArgumentError(f"'{public}' does not depend on a frame; leave frame= out")
    if definition.frame and definition.stage is Setup:
        return dynamics.kinematics.open, definition
    return located(dynamics, definition)


def public_names() -> tuple[str, ...]:
    """Text names under which functions are traced."""
    return (*_PUBLIC, *registry.all_definitions())


def located(dynamics: Dynamics, definition: Definition) -> tuple[Kernels, Definition]:
    """The kernels at the stage that a function of a tree or with loops needs, and the definition that serves there."""
    return _of_loops(dynamics, definition) if dynamics.kinematics.closed else _of_tree(dynamics, definition)


def _of_tree(dynamics: Dynamics, definition: Definition) -> tuple[Kernels, Definition]:
    loops = dynamics.kinematics
    if definition is registry.FORWARD_DYNAMICS or definition.stage is WatchedTree:
        return tree_solver(loops)
    if (definition in _HYBRID or definition.stage in (HybridOrder, Reduced)) and not exact(loops):
        require_driven(loops)
        return dynamics.hybrid, _HYBRID.get(definition, definition)
    if definition.of_loops or definition.require or definition.frame or definition.stage is not Setup:
        name = "linearize" if definition is registry.CHECKED_LINEAR_MODEL else definition.name
        raise ArgumentError(f"'{name}' is computed for closed loops only; '{loops.setup.mech.name}' is a tree")
    return loops.open, definition


def _of_loops(dynamics: Dynamics, definition: Definition) -> tuple[Kernels, Definition]:
    loops = dynamics.kinematics
    if definition is registry.FORWARD_DYNAMICS:
        first = forward_solver(dynamics)
        return first.kernels, first.definition
    if definition is registry.INVERSE_DYNAMICS and (exact(loops) or not freedoms(loops).expected):
        first = effort_solver(dynamics)
        return first.kernels, first.definition
    if definition is registry.REGRESSOR and not exact(loops):
        return _hybrid(dynamics, definition), registry.CHECKED_HYBRID_REGRESSOR
    definition = _ON_LOOPS.get(definition, definition)
    if definition in _DERIVATIVES:
        return loops.kernels, definition
    if definition.require is not None:
        definition.require(loops)
    return _AT[definition.stage](dynamics, definition), definition


_HYBRID = {
    registry.INVERSE_DYNAMICS: registry.CHECKED_HYBRID_EFFORTS,
    registry.REGRESSOR: registry.CHECKED_HYBRID_REGRESSOR,
}
_ON_LOOPS = {
    registry.INVERSE_DYNAMICS: registry.CHECKED_HYBRID_EFFORTS,
    registry.REGRESSOR: registry.CHECKED_REGRESSOR,
    registry.FORWARD_DERIVATIVES: registry.CHECKED_FORWARD_DERIVATIVES,
    registry.INVERSE_DERIVATIVES: registry.CHECKED_INVERSE_DERIVATIVES,
}
_DERIVATIVES = (
    registry.CHECKED_FORWARD_DERIVATIVES,
    registry.CHECKED_INVERSE_DERIVATIVES,
    registry.CHECKED_LINEAR_MODEL,
)


def _divided(dynamics: Dynamics, _: Definition) -> Kernels:
    loops = dynamics.kinematics
    return loops.kernels if massless_motion(loops) else dynamics.minimal


def _hybrid(dynamics: Dynamics, _: Definition) -> Kernels:
    _require_unique(dynamics)
    return dynamics.hybrid


def _alternative(dynamics: Dynamics, definition: Definition) -> Kernels:
    for found in (forward_solver(dynamics), effort_solver(dynamics)):
        if found.definition is definition:
            return found.kernels
    raise ArgumentError(
        f"'{definition.name}' does not exist for '{dynamics.setup.mech.name}', which is computed on the file's own "
        "spanning tree; ask for forward_dynamics or inverse_dynamics"
    )


def _of_trees_only(dynamics: Dynamics, definition: Definition) -> Kernels:
    raise ArgumentError(f"'{definition.name}' is computed for trees only; '{dynamics.setup.mech.name}' has loops")


_AT: dict[type, Callable[[Dynamics, Definition], Kernels]] = {
    Setup: lambda dynamics, _: dynamics.kinematics.open,
    WatchedTree: _of_trees_only,
    BorderedOrder: lambda dynamics, _: dynamics.kernels,
    Division: _divided,
    MinimalEquations: _divided,
    EffortOrder: lambda dynamics, _: dynamics.actuated,
    HybridOrder: _hybrid,
    Reduced: _hybrid,
    Springs: lambda dynamics, _: spring_kernels(dynamics.kinematics, VirtualSprings(1.0)),
    Alternative: _alternative,
}
"""Kernels of each stage by name."""


def _require_unique(dynamics: Dynamics) -> None:
    """Refuse a program for efforts that depend on how redundant actuators share, or that undriven motions spoil."""
    loops, setup = dynamics.kinematics, dynamics.setup
    require_driven(loops)
    if not independent_actuators(loops) or not setup.drives:
        raise ArgumentError(
            f"mechanism '{setup.mech.name}' has {loops.mobility} degrees of freedom and {len(setup.drives)} "
            f"actuators, which drive {effort_rank(loops)}; a program for its efforts needs actuators that "
            "do not repeat each other, so build it with fewer in actuated=[...]"
        )
