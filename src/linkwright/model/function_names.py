"""Public names of functions: which kernels compute each on a mechanism, and under which name they are traced."""

from __future__ import annotations

from collections.abc import Callable

from linkwright.dynamics.actuation import effort_rank, independent_actuators, require_driven
from linkwright.dynamics.alternative_trees import effort_solver, forward_solver
from linkwright.dynamics.dynamics import Dynamics, velocities_of_massless_motion
from linkwright.dynamics.efforts import has_exact_efforts
from linkwright.dynamics.methods import spring_kernels
from linkwright.dynamics.tree_dynamics import tree_solver
from linkwright.errors import ArgumentError
from linkwright.formulations.virtual_springs import VirtualSprings
from linkwright.functions import Kernels, Setup, function_registry
from linkwright.functions.definition import Definition
from linkwright.functions.loop import loop_derivative_functions, multiplier_functions, regressor_functions
from linkwright.functions.stages import (
    AlternativeTreePlan,
    HybridDynamicsPlan,
    InverseDynamicsPlan,
    KKTPlan,
    MinimalEquations,
    PivotCheckedTree,
    ReducedEffortPlan,
    SpringPlan,
    VelocityPartitionPlan,
)
from linkwright.functions.tree import tree_derivative_functions, tree_functions
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms


def locate_public_function(dynamics: Dynamics, public: str, frame: str | None = None) -> tuple[Kernels, Definition]:
    """The kernels and the definition behind a public function's text name; `frame` for those that depend on one."""
    if public in _NOT_ONE_PROGRAM:
        raise ArgumentError(f"'{public}' is not one program: {_NOT_ONE_PROGRAM[public]}")
    definition = function_registry.public_definition(public)
    if definition.frame and frame is None:
        raise ArgumentError(f"'{public}' depends on the requested frame: name a frame or body as frame=")
    if frame is not None and not definition.frame:
        raise ArgumentError(f"'{public}' does not depend on a frame; leave frame= out")
    return locate_definition(dynamics, definition)


_IN_KITS = "export c without a function writes it as part of a kit"
_NOT_ONE_PROGRAM = {
    "assemble": f"it closes the loops by Newton steps from a guess; {_IN_KITS}",
    "forward_kinematics": f"it closes the loops by Newton steps to the requested actuators; {_IN_KITS}",
    "inverse_kinematics": f"it closes the loops by Newton steps to the requested pose; {_IN_KITS}",
    "follow": "it closes the loops by Newton steps along a path",
    "project": "it closes the loops by steps that keep the distance least",
    "assembly_modes": "it searches from many starts",
    "working_modes": "it searches from many starts",
    "singularity": "it decomposes matrices of every state; 'joint_twists' is the program of their numbers",
    "actuator_jacobian": "it follows from 'frame_jacobian' and 'independent_map', which are programs",
    "integrate": "it serves the steps of a model; 'coordinate_rates' is the program of what it integrates",
    "limits_exceeded": "it lists what a state exceeds",
    "limits_exceeded_along": "it lists what a motion exceeds",
    "assembly_sensitivity": "it depends on what is held",
    "parameter_jacobian": "it depends on what is held; programs with the inputs as last argument are "
    "program(name, inputs=True)",
}
"""Functions of a model that people ask for as programs, and what they are instead."""


def public_names() -> tuple[str, ...]:
    """Text names under which functions are traced."""
    return tuple(function_registry.public_definitions())


def locate_definition(dynamics: Dynamics, definition: Definition) -> tuple[Kernels, Definition]:
    """The kernels at the stage that a function of a tree or with loops needs, and the definition that serves there."""
    if definition.frame and definition.stage is Setup:
        return dynamics.kinematics.all_rows, definition
    return _of_loops(dynamics, definition) if dynamics.kinematics.has_closure else _of_tree(dynamics, definition)


def _of_tree(dynamics: Dynamics, definition: Definition) -> tuple[Kernels, Definition]:
    kinematics = dynamics.kinematics
    if definition is tree_functions.forward_dynamics or definition.stage is PivotCheckedTree:
        return tree_solver(kinematics)
    if (definition in _HYBRID or definition.stage in (HybridDynamicsPlan, ReducedEffortPlan)) and not has_exact_efforts(
        kinematics
    ):
        require_driven(kinematics)
        return dynamics.hybrid, _HYBRID.get(definition, definition)
    if definition.of_loops or definition.require or definition.frame or definition.stage is not Setup:
        name = definition.public or definition.name
        raise ArgumentError(f"'{name}' is computed for closed loops only; '{kinematics.setup.mech.name}' is a tree")
    return kinematics.all_rows, definition


def _of_loops(dynamics: Dynamics, definition: Definition) -> tuple[Kernels, Definition]:
    kinematics = dynamics.kinematics
    if definition is tree_functions.forward_dynamics:
        first = forward_solver(dynamics)
        return first.kernels, first.definition
    if definition is tree_functions.inverse_dynamics and (
        has_exact_efforts(kinematics) or not find_undriven_freedoms(kinematics).expected
    ):
        first = effort_solver(dynamics)
        return first.kernels, first.definition
    if definition is regressor_functions.regressor and not has_exact_efforts(kinematics):
        return _hybrid_kernels(dynamics, definition), regressor_functions.checked_hybrid_regressor
    definition = _ON_LOOPS.get(definition, definition)
    if definition in _DERIVATIVES:
        return kinematics.kernels, definition
    if definition.require is not None:
        definition.require(kinematics)
    return _AT[definition.stage](dynamics, definition), definition


_HYBRID = {
    tree_functions.inverse_dynamics: multiplier_functions.checked_hybrid_efforts,
    regressor_functions.regressor: regressor_functions.checked_hybrid_regressor,
}
_ON_LOOPS = {
    tree_functions.inverse_dynamics: multiplier_functions.checked_hybrid_efforts,
    regressor_functions.regressor: regressor_functions.checked_regressor,
    tree_derivative_functions.forward_derivatives: loop_derivative_functions.checked_forward_derivatives,
    tree_derivative_functions.inverse_derivatives: loop_derivative_functions.checked_inverse_derivatives,
}
_DERIVATIVES = (
    loop_derivative_functions.checked_forward_derivatives,
    loop_derivative_functions.checked_inverse_derivatives,
    loop_derivative_functions.checked_linear_model,
)


def _minimal_kernels(dynamics: Dynamics, _: Definition) -> Kernels:
    kinematics = dynamics.kinematics
    return kinematics.kernels if velocities_of_massless_motion(kinematics) else dynamics.minimal


def _hybrid_kernels(dynamics: Dynamics, _: Definition) -> Kernels:
    _require_unique(dynamics)
    return dynamics.hybrid


def _alternative_tree_kernels(dynamics: Dynamics, definition: Definition) -> Kernels:
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
    Setup: lambda dynamics, _: dynamics.kinematics.all_rows,
    PivotCheckedTree: _of_trees_only,
    KKTPlan: lambda dynamics, _: dynamics.kernels,
    VelocityPartitionPlan: _minimal_kernels,
    MinimalEquations: _minimal_kernels,
    InverseDynamicsPlan: lambda dynamics, _: dynamics.actuated,
    HybridDynamicsPlan: _hybrid_kernels,
    ReducedEffortPlan: _hybrid_kernels,
    SpringPlan: lambda dynamics, _: spring_kernels(dynamics.kinematics, VirtualSprings(1.0)),
    AlternativeTreePlan: _alternative_tree_kernels,
}
"""Kernels of each stage by name."""


def _require_unique(dynamics: Dynamics) -> None:
    """Refuse a program for efforts that depend on how redundant actuators share, or that undriven motions spoil."""
    kinematics, setup = dynamics.kinematics, dynamics.setup
    require_driven(kinematics)
    if not independent_actuators(kinematics) or not setup.drives:
        raise ArgumentError(
            f"mechanism '{setup.mech.name}' has {kinematics.mobility} degrees of freedom and {len(setup.drives)} "
            f"actuators, which drive {effort_rank(kinematics)}; a program for its efforts needs actuators that "
            "do not repeat each other, so build it with fewer in actuated=[...]"
        )
