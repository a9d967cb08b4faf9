"""Derivatives of functions by the inputs of a mechanism: held velocities, kernels, and the dense fallback."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.compiler import inline_program, operation_count
from linkwright.dataclass import dataclass, exact_text
from linkwright.dynamics.actuation import every_row, independent_actuators, require_driven
from linkwright.dynamics.dynamics import Dynamics, require_mass_in_motions
from linkwright.dynamics.efforts import LeastPeak, Preload, Sharing
from linkwright.dynamics.independent_velocities import actuator_jacobian, dense_complement
from linkwright.errors import ArgumentError, SingularityError
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.fallback_chain import FallbackChain, refused_as_nan
from linkwright.functions.loop import closure_functions, minimal_functions, multiplier_functions, twist_functions
from linkwright.functions.memo import memo
from linkwright.functions.setup import Setup
from linkwright.functions.stages import FixedQuantityPlan
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.functions.tree.tree_functions import frame_attachment
from linkwright.gradients.differentiated_equations import Differentiable, held_matrix
from linkwright.gradients.fixed_quantities import (
    FixedQuantities,
    HeldCompletion,
    Unlooped,
    completion_at,
    driving_speeds,
    first_actuators,
    plan_fixed_quantities,
)
from linkwright.gradients.gradient_programs import Derivative, Mode, Programs, derivative_at_point
from linkwright.gradients.solved_gradients import (
    Accelerations,
    EffortFunction,
    Reactions,
    SharedEfforts,
    spread_multipliers,
)
from linkwright.gradients.state_gradients import Assembly, DifferentiatedFunction, Explicit, PosesOf
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.loops.closure import actuation_matrix
from linkwright.mechanism.names import suggest_name
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import SINGULAR
from linkwright.recursion.forward_recursion import factor_udu, outward_speeds, udu_solve
from linkwright.recursion.poses import jacobian_of_frame

Array = np.ndarray

_EXPLICIT: dict[str, Definition] = {
    "generalized_forces": tree_functions.generalized_forces,
    "mass_matrix": tree_functions.mass_matrix,
    "convective_matrix": tree_functions.convective_matrix,
    "bias_forces": tree_functions.bias_forces,
    "gravity_forces": tree_functions.gravity_forces,
    "udu": tree_functions.udu,
    "energy": tree_functions.energies,
    "momentum": tree_functions.momentum,
    "center_of_mass": tree_functions.center_of_mass,
    "frame_pose": tree_functions.frame_pose,
    "body_poses": tree_functions.body_poses,
    "frame_twist": tree_functions.frame_twist,
    "frame_acceleration": tree_functions.frame_twist_rate,
    "frame_jacobian": tree_functions.frame_jacobian,
    "frame_jacobian_rate": tree_functions.frame_jacobian_rate,
    "closure_residual": closure_functions.closure_residual,
    "closure_jacobian": closure_functions.exact_closure_jacobian,
    "joint_twists": twist_functions.joint_twists,
    "actuator_positions": minimal_functions.actuator_positions,
    "actuator_velocities": minimal_functions.actuator_velocities,
    "actuator_accelerations": minimal_functions.actuator_accelerations,
    "independent_map": minimal_functions.independent_map,
    "minimal_inertia": minimal_functions.minimal_inertia,
}
"""Functions that are differentiated through their own program, by public name."""

FUNCTIONS = (
    "inverse_dynamics",
    "forward_dynamics",
    "joint_reactions",
    "actuator_jacobian",
    "singularity",
    "assembly",
    *(name for name in _EXPLICIT if name != "joint_twists"),
)


def needed_arrays(name: str) -> tuple[str, ...]:
    """Names of the arrays that derivatives of an explicit function need."""
    return _EXPLICIT[name].inputs if name in _EXPLICIT else ()


@dataclass(frozen=True)
class Query:
    """A function to differentiate by the inputs.

    Attributes:
        name: its public name; "assembly" is the coordinates themselves.
        hold: what is held while q, v and a follow the inputs with the loops closed; None where they stay.
        arrays: names of the arrays it is given, in order. frame: the frame it is about.
        undriven: "free" leaves all freedoms without an actuator to the dynamics.
        sharing: how actuators that repeat each other share the work.
    """

    name: str
    hold: FixedQuantities | None
    arrays: tuple[str, ...] = ()
    frame: str | None = None
    undriven: str = "refuse"
    sharing: Sharing | None = None

    @property
    def wrench(self) -> bool:
        """Whether w_ext is given."""
        return "w_ext" in self.arrays

    def follows(self, kinematics: Kinematics) -> bool:
        """Whether q, v and a follow the inputs: with loops, or with a pose that is held."""
        return self.hold is not None and (kinematics.has_closure or self.hold.frame is not None)


@memo()
def driving_kernels(kinematics: Kinematics) -> Kernels:
    """Kernels at the velocities that dynamics are written in, or at held actuators where one sits at a cut joint."""
    if not kinematics.has_closure:
        return kinematics.all_rows
    speeds = driving_speeds(kinematics)
    if speeds is None:
        return Kernels(plan_fixed_quantities(kinematics, kinematics.division.setup, FixedQuantities()))
    return kinematics.kernels if speeds == kinematics.independent else Kernels(kinematics.division_on(speeds))


def kernels_for(kinematics: Kinematics, query: Query) -> Kernels:
    """Kernels at what dynamics are written in, or on the setup where the loops do not take part."""
    if query.name in _EXPLICIT and not query.follows(kinematics):
        return kinematics.all_rows
    return driving_kernels(kinematics)


@memo(valid_at="all")
def gradient_kernel(dynamics: Dynamics, query: Query, mode: Mode) -> InputKernel:
    """Compiled code of one direction ("forward") or of one set of weights ("reverse")."""
    found = derivative_of(dynamics, query)
    checked = found.holding is not None or found.kernels.stage is not found.kernels.setup
    kernel = found.kernels.derived_kernel(("gradient", mode, *_query_key(query)), lambda: found.program(mode), checked)
    return FallbackChain(dynamics, DenseGradient(query, mode)).behind(kernel) if checked else kernel


def _query_key(query: Query) -> tuple[Any, ...]:
    return query.name, query.hold, query.arrays, query.frame, query.undriven, exact_text(query.sharing)


@memo(valid_at="all")
def result_shapes(dynamics: Dynamics, query: Query) -> tuple[tuple[int, ...], ...]:
    """Shapes of the results of a function, in the order of the derivative's rows."""
    return derivative_of(dynamics, query).target.shapes


@memo(valid_at="all")
def cheaper_mode(dynamics: Dynamics, query: Query) -> str:
    """The mode in which a full Jacobian takes fewer operations."""
    found, inputs = derivative_of(dynamics, query), dynamics.setup.inputs
    counts = {"forward": 0 if inputs is None else len(inputs.source.inputs), "reverse": found.target.size}
    if counts["forward"] <= counts["reverse"]:  # a direction never takes more operations than a set of weights
        return "forward"
    if counts["forward"] > _FAR * counts["reverse"]:
        return "reverse"
    modes: tuple[Mode, Mode] = ("forward", "reverse")
    return min(modes, key=lambda mode: counts[mode] * operation_count(found.program(mode)).total)


_FAR = 4
"""How many times more inputs than results there must be for reverse mode to be taken without counting."""


@memo(valid_at="nominal")
def derivative_of(dynamics: Dynamics, query: Query) -> Derivative:
    """What is differentiated, at the nominal values."""
    kinematics = dynamics.kinematics
    kernels, held = kernels_for(kinematics, query), None
    if query.hold is not None and query.hold.frame is not None:
        held = Kernels(plan_fixed_quantities(kinematics, kernels.setup, query.hold))
    return Derivative(kernels, _differentiated_function(dynamics, query), held, query.follows(kinematics), query.wrench)


def _differentiated_function(dynamics: Dynamics, query: Query) -> DifferentiatedFunction:
    kinematics, nv = dynamics.kinematics, dynamics.setup.tree.nv
    outer = ("w_ext",) if query.wrench else ()
    if query.name == "assembly":
        return Assembly(nv)
    if query.name == "forward_dynamics":
        require_mass_in_motions(kinematics)
        order = None if kinematics.has_closure else outward_speeds(kinematics.setup.simplified)
        return Accelerations(nv, ("q", "v", "tau", *outer), order)
    if query.name == "inverse_dynamics":
        return _effort_function(kinematics, query, outer)
    if query.name == "joint_reactions":
        return _reaction_function(dynamics, query, outer)
    if query.name == "actuator_jacobian":
        return Explicit(_actuator_jacobian(kinematics, query))
    if query.name not in _EXPLICIT:
        raise ArgumentError(
            f"parameter_jacobian does not know the function '{query.name}'{suggest_name(query.name, FUNCTIONS)}"
        )
    definition = _EXPLICIT[query.name]
    at = kinematics.all_rows if definition.stage is Setup else kinematics.kernels
    program = Differentiable(at.input_program(definition, query.wrench, query.frame))
    if definition is tree_functions.frame_pose:
        return PosesOf(program)
    return (
        PosesOf(program, (len(kinematics.setup.mech.names), 6))
        if definition is tree_functions.body_poses
        else Explicit(program)
    )


def _effort_function(kinematics: Kinematics, query: Query, outer: tuple[str, ...]) -> EffortFunction:
    require_driven(kinematics, query.undriven)
    driven, heavy = _driven_and_heavy_columns(kinematics)
    return EffortFunction(
        driven, heavy, ("q", "v", "a", *outer), len(kinematics.setup.drives), _shared_effort_function(kinematics, query)
    )


def _driven_and_heavy_columns(kinematics: Kinematics) -> tuple[list[int], list[int]]:
    """Columns of R of independent actuators, and of undriven motions that move mass."""
    first, free, speeds = (
        first_actuators(kinematics),
        find_undriven_freedoms(kinematics).undriven,
        driving_speeds(kinematics),
    )
    if speeds is None:
        return list(range(len(first))), [len(first) + i for i in free.heavy]
    driven = [speeds.index(kinematics.setup.drives[i].speed) for i in first]
    return driven, [speeds.index(free.speeds[i]) for i in free.heavy]


def _shared_effort_function(kinematics: Kinematics, query: Query) -> SharedEfforts | None:
    if independent_actuators(kinematics):
        return None
    if isinstance(query.sharing, LeastPeak):
        raise ArgumentError(
            f"the actuators of '{kinematics.setup.mech.name}' share the work with LeastPeak(), whose efforts have "
            "kinks where another actuator takes the peak; build with sharing=LeastNorm() or Preload(...) for "
            "derivatives"
        )
    wanted = query.sharing.wanted if isinstance(query.sharing, Preload) else [0.0] * len(kinematics.setup.drives)
    rates = driving_kernels(kinematics).input_program(minimal_functions.actuator_velocities)
    return SharedEfforts(tuple(float(x) for x in wanted), Differentiable(rates))


def _reaction_function(dynamics: Dynamics, query: Query, outer: tuple[str, ...]) -> Reactions:
    kinematics, wrench = dynamics.kinematics, bool(outer)
    efforts = _effort_function(kinematics, query, outer)
    if not kinematics.has_closure:
        return Reactions(
            efforts, Differentiable(kinematics.all_rows.input_program(tree_functions.joint_wrenches, wrench)), None
        )
    every, kernels = every_row(dynamics), kernels_for(kinematics, query)
    wrenches = Differentiable(every.input_program(multiplier_functions.loop_joint_wrenches, wrench))
    rows = kinematics.setup.closure.n_all
    if not kinematics.rank.redundant and every.setup.closure.loops == kernels.setup.closure.loops:
        return Reactions(efforts, wrenches, None)
    jacobian = every.input_program(closure_functions.closure_jacobian)

    def function(at: Any, p: Array, q: Array, lam: Array) -> Array:
        return spread_multipliers(
            inline_program(jacobian, q, p), completion_at(at, q)[0], kinematics.scales.rows[:rows], lam
        )

    shapes = {"q": (kinematics.setup.tree.nq,), "lam": (kernels.setup.closure.n_rows,)}
    return Reactions(efforts, wrenches, Differentiable(kernels.with_inputs(function, shapes)))


def _actuator_jacobian(kinematics: Kinematics, query: Query) -> Differentiable:
    """J R (B^T R)^-1 on the driven motions, and of least norm with actuators that repeat each other."""
    frame, speeds = query.frame or "", kinematics.scales.speeds
    actuator_jacobian(
        kinematics, kinematics.home, frame
    )  # refused where the actuators do not determine the frame's motion
    driven, _ = _driven_and_heavy_columns(kinematics)
    units = np.array([1.0 if d.speed is None else 1.0 / speeds[d.speed] for d in kinematics.setup.drives])

    def function(at: Any, p: Array, q: Array) -> Array:
        R = completion_at(at, q)[0].R[:, driven]
        J = jacobian_of_frame(at.setup.simplified, q, *frame_attachment(at.setup, frame)) @ R
        if len(driven) == len(units):
            return J
        G = units[:, None] * (actuation_matrix(at.setup.closure, at.setup.drives, q).T @ R)
        factors = factor_udu(G.T @ G)
        return J @ np.array([udu_solve(*factors, column) for column in G]).T * units

    return Differentiable(driving_kernels(kinematics).with_inputs(function, {"q": (kinematics.setup.tree.nq,)}))


@dataclass(frozen=True)
class DenseGradient:
    """A derivative by dense algebra on all closure equations, for a state that the planned order spoils."""

    query: Query
    mode: Mode

    def __call__(self, dynamics: Dynamics, *state: Array, alone: bool) -> Array:
        return refused_as_nan(lambda *x: self._find_gradient(dynamics, *x), *state, alone=alone)

    def _find_gradient(self, dynamics: Dynamics, *state: Array) -> Array:
        kinematics, nominal = dynamics.kinematics, dynamics.nominal or dynamics
        found = derivative_of(nominal, self.query)
        if isinstance(found.target, Reactions):
            raise SingularityError(
                f"mechanism '{kinematics.setup.mech.name}' stands near a singularity, where derivatives of joint "
                "reactions cannot be computed; move it off this position",
                q=state[0],
            )
        every, known = _on_all_rows(nominal, found), _programs_on_all_rows(nominal, self.query)
        inputs = kinematics.setup.inputs
        x = dict(zip(found.target.names, state, strict=False)) | {"p": inputs.values}  # type: ignore[union-attr]
        driving = _dense_completion(kinematics, every.kernels, x["q"])
        following = driving if every.holding is None else _dense_completion(kinematics, every.holding, x["q"])
        point = every.point(kinematics.all_rows.here, x, driving, following, known)
        return np.asarray(derivative_at_point(found.target, self.mode, point, state[-1]), dtype=float)


@memo()
def _programs_on_all_rows(dynamics: Dynamics, query: Query) -> Programs:
    return _on_all_rows(dynamics, derivative_of(dynamics, query)).programs()


def _on_all_rows(dynamics: Dynamics, found: Derivative) -> Derivative:
    """The same derivative with all closure equations, loops written as the file draws them."""
    opened = dynamics.kinematics.all_rows

    def kernels(some: Kernels) -> Kernels:
        return Kernels(some.stage.on(opened.setup)) if isinstance(some.stage, FixedQuantityPlan) else opened

    held = None if found.holding is None else kernels(found.holding)
    return Derivative(kernels(found.kernels), found.target, held, found.follow, found.wrench)


def _dense_completion(kinematics: Kinematics, kernels: Kernels, q: Array) -> HeldCompletion:
    if isinstance(kernels.stage, FixedQuantityPlan):
        return _dense_held(kinematics, kernels.stage.on(kinematics.all_rows.here), q)
    if not kinematics.has_closure:
        return Unlooped(np.eye(kinematics.setup.tree.nv))
    speeds = driving_speeds(kinematics)
    part = (
        kinematics.partition if speeds in (None, kinematics.independent) else kinematics.division_on(speeds).partition
    )
    return dense_complement(kinematics, q, part)


@dataclass(frozen=True, eq=False)
class DenseHeld:
    """The completion of held functions by the pseudo-inverse of [J_c; their Jacobian], all closure rows in front."""

    inverse: Array
    rows: int

    @property
    def R(self) -> Array:
        return self.inverse[:, self.rows :]

    def closing(self, rates: Array) -> Array:
        return -self.inverse @ rates

    def closing_transposed(self, weights: Array) -> Array:
        return -self.inverse.T @ weights

    def multipliers(self, force: Array) -> Array:
        return (self.inverse.T @ force)[: self.rows]


def _dense_held(kinematics: Kinematics, stage: FixedQuantityPlan, q: Array) -> DenseHeld:
    scale, rows = kinematics.scales, stage.setup.closure.n_all
    X = np.asarray(held_matrix(stage.functions, q), dtype=float) * scale.speeds
    units = np.concatenate([scale.rows[:rows], np.ones(len(X) - rows)])
    found = decompose_scaled(X, units)
    if found.distance(len(found.s)) <= SINGULAR:
        raise SingularityError(
            f"mechanism '{kinematics.setup.mech.name}' stands at a singularity, where what is held does not determine "
            "its motion, so that derivatives do not exist; move it off this position, or hold something else",
            q=q,
        )
    return DenseHeld(scale.speeds[:, None] * found.inverse(), rows)
