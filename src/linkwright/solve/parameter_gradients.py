"""Derivatives of functions by the inputs of a mechanism: held velocities, kernels, and the dense fallback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compiler import Fallback, inlined, operation_count
from linkwright.errors import ArgumentError, SingularityError
from linkwright.kernels import registry
from linkwright.kernels.compiled import Kernels
from linkwright.kernels.definition import Definition
from linkwright.kernels.gradients.closing import HeldCompletion, Point, Unlooped
from linkwright.kernels.gradients.differentiable import Differentiable
from linkwright.kernels.gradients.functions import (
    Accelerations,
    Assembly,
    DifferentiatedFunction,
    EffortFunction,
    Explicit,
    PosesOf,
    Reactions,
    spread,
)
from linkwright.kernels.gradients.programs import Derivative, Mode, derivative, equations
from linkwright.kernels.inputs import InputKernel, Owned
from linkwright.kernels.loop.independent import complement
from linkwright.kernels.setup import Setup
from linkwright.kernels.stages import Division
from linkwright.kernels.tree.functions import frame_attachment
from linkwright.mechanism.names import suggestion
from linkwright.recursion.factor import outward_speeds
from linkwright.recursion.poses import frame_jacobian
from linkwright.solve.actuation import every_row, independent_actuators, require_driven
from linkwright.solve.complement import dense_complement, repaired
from linkwright.solve.dynamics import Dynamics
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.mass import require_mass
from linkwright.solve.nominal import shared
from linkwright.solve.undriven import freedoms

Array = np.ndarray

_EXPLICIT: dict[str, Definition] = {
    "generalized_forces": registry.GENERALIZED_FORCES,
    "mass_matrix": registry.MASS_MATRIX,
    "convective_matrix": registry.CONVECTIVE_MATRIX,
    "bias_forces": registry.BIAS_FORCES,
    "gravity_forces": registry.GRAVITY_FORCES,
    "udu": registry.UDU,
    "energy": registry.ENERGY,
    "momentum": registry.MOMENTUM,
    "center_of_mass": registry.CENTER_OF_MASS,
    "frame_pose": registry.FRAME_POSE,
    "body_poses": registry.BODY_POSES,
    "frame_twist": registry.FRAME_TWIST,
    "frame_acceleration": registry.FRAME_TWIST_RATE,
    "frame_jacobian": registry.FRAME_JACOBIAN,
    "frame_jacobian_rate": registry.FRAME_JACOBIAN_RATE,
    "closure_residual": registry.CLOSURE_RESIDUAL,
    "closure_jacobian": registry.EXACT_CLOSURE_JACOBIAN,
    "joint_twists": registry.JOINT_TWISTS,
    "independent_map": registry.INDEPENDENT_MAP,
    "minimal_inertia": registry.MINIMAL_INERTIA,
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


@dataclass(frozen=True)
class Query:
    """A function to differentiate by the inputs.

    Attributes:
        name: its public name; "assembly" is the coordinates themselves.
        follow: whether q, v and a follow the inputs with the actuators held and the loops closed; else they stay.
        arrays: names of the arrays it is given, in order. frame: the frame it is about.
        undriven: "free" leaves all freedoms without an actuator to the dynamics.
    """

    name: str
    follow: bool
    arrays: tuple[str, ...] = ()
    frame: str | None = None
    undriven: str = "refuse"

    @property
    def wrench(self) -> bool:
        """Whether w_ext is given."""
        return "w_ext" in self.arrays


@shared
def held(kinematics: Kinematics) -> tuple[int, ...]:
    """Indices in v of the velocities that are held while the inputs change: as many as determine all others.

    The actuators' in front, of those that repeat each other the first ones, and those that nobody drives.
    """
    driven = [drive.speed for drive in kinematics.setup.drives if drive.speed is not None]
    if not kinematics.closed:
        return tuple(range(kinematics.setup.tree.nv))
    if len(driven) < len(kinematics.setup.drives):
        names = [n for n, d in zip(kinematics.setup.actuated, kinematics.setup.drives, strict=True) if d.speed is None]
        raise ArgumentError(
            f"the actuators {names} of '{kinematics.setup.mech.name}' are at cut joints, and derivatives by parameters "
            "hold the positions of tree joints; cut the loop at another joint, or name joints of the tree in actuated"
        )
    chosen = (*driven, *freedoms(kinematics).undriven.speeds)
    if len(chosen) == kinematics.mobility:
        return chosen
    return kinematics.independent


def kernels_for(kinematics: Kinematics, query: Query) -> Kernels:
    """Kernels at the division on the held velocities, or on the setup where the loops do not take part."""
    if not kinematics.closed or (query.name in _EXPLICIT and not query.follow):
        return kinematics.open
    speeds = held(kinematics)
    if speeds == kinematics.independent:
        return kinematics.kernels
    return kinematics.cache.get(("division", speeds), lambda: Kernels(kinematics.division_on(speeds)))


@shared
def gradient_kernel(dynamics: Dynamics, query: Query, mode: Mode) -> InputKernel:
    """Compiled code of one direction ("forward") or of one set of weights ("reverse")."""

    def made() -> InputKernel:
        found = derivative_of(dynamics, query)
        checked = found.kernels.stage is not found.kernels.setup
        kernel = found.kernels.derived(("gradient", mode, *_key(query)), lambda: found.program(mode), checked)
        if not checked:
            return kernel
        return kernel.extended(Fallback(Owned(Repair(query, mode), dynamics)))

    return dynamics.cache.get(("gradient kernel", query, mode), made)


def _key(query: Query) -> tuple[Any, ...]:
    return query.name, query.follow, query.arrays, query.frame, query.undriven


def result_shapes(dynamics: Dynamics, query: Query) -> tuple[tuple[int, ...], ...]:
    """Shapes of the results of a function, in the order of the derivative's rows."""
    nominal = dynamics.nominal or dynamics
    return nominal.cache.get(("gradient shapes", query), lambda: derivative_of(nominal, query).target.shapes)


@shared
def cheaper_mode(dynamics: Dynamics, query: Query) -> str:
    """The mode in which a full Jacobian takes fewer operations."""

    def made() -> str:
        found, inputs = derivative_of(dynamics, query), dynamics.setup.inputs
        if found.target.forward_only:
            return "forward"
        counts = {"forward": 0 if inputs is None else len(inputs.source.inputs), "reverse": found.target.size}
        if counts["forward"] <= counts["reverse"]:  # a direction never takes more operations than a set of weights
            return "forward"
        if counts["forward"] > _FAR * counts["reverse"]:
            return "reverse"
        modes: tuple[Mode, Mode] = ("forward", "reverse")
        return min(modes, key=lambda mode: counts[mode] * operation_count(found.program(mode)).total)

    return dynamics.cache.get(("gradient mode", query), made)


_FAR = 4
"""How many times more inputs than results there must be for reverse mode to be taken without counting."""


def derivative_of(dynamics: Dynamics, query: Query) -> Derivative:
    """What is differentiated, at the nominal values."""
    follow = query.follow and dynamics.kinematics.closed
    return Derivative(kernels_for(dynamics.kinematics, query), _target(dynamics, query), follow, query.wrench)


def _target(dynamics: Dynamics, query: Query) -> DifferentiatedFunction:
    loops, nv = dynamics.kinematics, dynamics.setup.tree.nv
    outer = ("w_ext",) if query.wrench else ()
    if query.name == "assembly":
        return Assembly(nv)
    if query.name == "forward_dynamics":
        require_mass(loops)
        order = None if loops.closed else outward_speeds(loops.setup.simplified)
        return Accelerations(nv, ("q", "v", "tau", *outer), order)
    if query.name == "inverse_dynamics":
        return _efforts(loops, query, outer)
    if query.name == "joint_reactions":
        return _reactions(dynamics, query, outer)
    if query.name == "actuator_jacobian":
        return Explicit(_actuator_jacobian(loops, query))
    if query.name not in _EXPLICIT:
        raise ArgumentError(
            f"parameter_jacobian does not know the function '{query.name}'{suggestion(query.name, FUNCTIONS)}"
        )
    definition = _EXPLICIT[query.name]
    at = loops.open if definition.stage is Setup else loops.kernels
    program = Differentiable(at.input_program(definition, query.wrench, query.frame))
    if definition is registry.FRAME_POSE:
        return PosesOf(program)
    return (
        PosesOf(program, (len(loops.setup.mech.names), 6)) if definition is registry.BODY_POSES else Explicit(program)
    )


def _efforts(loops: Kinematics, query: Query, outer: tuple[str, ...]) -> EffortFunction:
    require_driven(loops, query.undriven)
    if not independent_actuators(loops):
        raise ArgumentError(
            f"the actuators of '{loops.setup.mech.name}' repeat each other, so that their efforts depend on how the "
            "work is shared; build it with actuators that do not, in actuated=[...], for derivatives of efforts"
        )
    speeds, free = held(loops), freedoms(loops).undriven
    driven = [speeds.index(drive.speed) for drive in loops.setup.drives if drive.speed is not None]
    heavy = [speeds.index(free.speeds[i]) for i in free.heavy]
    return EffortFunction(driven, heavy, ("q", "v", "a", *outer))


def _reactions(dynamics: Dynamics, query: Query, outer: tuple[str, ...]) -> Reactions:
    loops, wrench = dynamics.kinematics, bool(outer)
    efforts = _efforts(loops, query, outer)
    if not loops.closed:
        return Reactions(efforts, Differentiable(loops.open.input_program(registry.JOINT_WRENCHES, wrench)), None)
    every, kernels = every_row(dynamics), kernels_for(loops, query)
    wrenches = Differentiable(every.input_program(registry.LOOP_JOINT_WRENCHES, wrench))
    rows = loops.setup.closure.n_all
    if not loops.rank.redundant and every.setup.closure.loops == kernels.setup.closure.loops:
        return Reactions(efforts, wrenches, None)
    jacobian = every.input_program(registry.CLOSURE_JACOBIAN)

    def function(at: Division, p: Array, q: Array, lam: Array) -> Array:
        return spread(inlined(jacobian, q, p), complement(at, q), loops.scales.rows[:rows], lam)

    shapes = {"q": (loops.setup.tree.nq,), "lam": (kernels.setup.closure.n_rows,)}
    return Reactions(efforts, wrenches, Differentiable(kernels.with_inputs(function, shapes)))


def _actuator_jacobian(loops: Kinematics, query: Query) -> Differentiable:
    driven = tuple(drive.speed for drive in loops.setup.drives if drive.speed is not None)
    cut = len(driven) < len(loops.setup.drives)
    if not driven or cut or (loops.closed and driven != loops.independent):
        raise ArgumentError(
            f"the actuators of '{loops.setup.mech.name}' are not its independent velocities, so that derivatives of "
            "actuator_jacobian cannot be had; use frame_jacobian and independent_map"
        )
    frame = query.frame or ""

    def function(at: Any, p: Array, q: Array) -> Array:
        J = frame_jacobian(at.setup.simplified, q, *frame_attachment(at.setup, frame))
        return J @ complement(at, q).R if isinstance(at, Division) else J[:, list(driven)]

    kernels = loops.kernels if loops.closed else loops.open
    return Differentiable(kernels.with_inputs(function, {"q": (loops.setup.tree.nq,)}))


@dataclass(frozen=True)
class Repair:
    """A derivative by dense algebra on all closure equations, for a state that the planned order spoils."""

    query: Query
    mode: Mode

    def __call__(self, dynamics: Dynamics, *state: Array, alone: bool) -> Array:
        return repaired(lambda *x: self._found(dynamics, *x), *state, alone=alone)

    def _found(self, dynamics: Dynamics, *state: Array) -> Array:
        loops, nominal = dynamics.kinematics, dynamics.nominal or dynamics
        found = derivative_of(nominal, self.query)
        if found.target.forward_only:
            raise SingularityError(
                f"mechanism '{loops.setup.mech.name}' stands near a singularity, where derivatives of joint reactions "
                "cannot be computed; move it off this position",
                q=state[0],
            )
        names = found.target.names
        known = nominal.cache.get(
            ("gradient equations", self.query.wrench), lambda: equations(nominal.kinematics.open, self.query.wrench)
        )
        inputs = loops.setup.inputs
        x = dict(zip(names, state, strict=False)) | {"p": inputs.values}  # type: ignore[union-attr]
        completion = _dense(loops, x["q"])
        point = Point(loops.open.here, x, completion, known, found.follow)
        return np.asarray(derivative(found.target, self.mode, point, state[-1]), dtype=float)


def _dense(loops: Kinematics, q: Array) -> HeldCompletion:
    if not loops.closed:
        return Unlooped(np.eye(loops.setup.tree.nv))
    part = loops.partition if held(loops) == loops.independent else loops.division_on(held(loops)).partition
    return dense_complement(loops, q, part)
