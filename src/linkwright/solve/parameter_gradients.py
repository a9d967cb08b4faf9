"""Derivatives of functions by the inputs of a mechanism: held velocities, kernels, and the dense fallback."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compiler import Fallback, operation_count
from linkwright.errors import ArgumentError
from linkwright.kernels import registry
from linkwright.kernels.compiled import Kernels
from linkwright.kernels.definition import Definition
from linkwright.kernels.gradients.closing import Completion, Point, Unlooped
from linkwright.kernels.gradients.differentiable import Differentiable
from linkwright.kernels.gradients.functions import Accelerations, Assembly, Efforts, Explicit, PoseOf, Target
from linkwright.kernels.gradients.programs import Derivative, Mode, derivative, equations
from linkwright.kernels.inputs import InputKernel, Owned
from linkwright.mechanism.names import suggestion
from linkwright.recursion.factor import outward_speeds
from linkwright.solve.actuation import independent_actuators, require_driven
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
    "independent_map": registry.INDEPENDENT_MAP,
    "minimal_inertia": registry.MINIMAL_INERTIA,
}
"""Functions that are differentiated through their own program, by public name."""

FUNCTIONS = ("inverse_dynamics", "forward_dynamics", "assembly", *_EXPLICIT)


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
        return kernel.extended(Fallback(Owned(_Repair(query, mode), dynamics)))

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


def _target(dynamics: Dynamics, query: Query) -> Target:
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
    if query.name not in _EXPLICIT:
        raise ArgumentError(
            f"parameter_jacobian does not know the function '{query.name}'{suggestion(query.name, FUNCTIONS)}"
        )
    definition = _EXPLICIT[query.name]
    at = loops.open if definition.stage is type(loops.setup) else dynamics.minimal
    program = Differentiable(at.input_program(definition, query.wrench, query.frame))
    return PoseOf(program) if definition is registry.FRAME_POSE else Explicit(program)


def _efforts(loops: Kinematics, query: Query, outer: tuple[str, ...]) -> Efforts:
    require_driven(loops, query.undriven)
    if not independent_actuators(loops):
        raise ArgumentError(
            f"the actuators of '{loops.setup.mech.name}' repeat each other, so that their efforts depend on how the "
            "work is shared; build it with actuators that do not, in actuated=[...], for derivatives of efforts"
        )
    speeds, free = held(loops), freedoms(loops).undriven
    driven = [speeds.index(drive.speed) for drive in loops.setup.drives if drive.speed is not None]
    heavy = [speeds.index(free.speeds[i]) for i in free.heavy]
    return Efforts(driven, heavy, ("q", "v", "a", *outer))


@dataclass(frozen=True)
class _Repair:
    """A derivative by dense algebra on all closure equations, for a state that the planned order spoils."""

    query: Query
    mode: Mode

    def __call__(self, dynamics: Dynamics, *state: Array, alone: bool) -> Array:
        return repaired(lambda *x: self._found(dynamics, *x), *state, alone=alone)

    def _found(self, dynamics: Dynamics, *state: Array) -> Array:
        loops, nominal = dynamics.kinematics, dynamics.nominal or dynamics
        found = derivative_of(nominal, self.query)
        names = found.target.names
        known = nominal.cache.get(
            ("gradient equations", self.query.wrench), lambda: equations(nominal.kinematics.open, self.query.wrench)
        )
        inputs = loops.setup.inputs
        x = dict(zip(names, state, strict=False)) | {"p": inputs.values}  # type: ignore[union-attr]
        completion = _dense(loops, x["q"])
        point = Point(loops.open.here, x, completion, known, found.follow)
        return np.asarray(derivative(found.target, self.mode, point, state[-1]), dtype=float)


def _dense(loops: Kinematics, q: Array) -> Completion:
    if not loops.closed:
        return Unlooped(np.eye(loops.setup.tree.nv))
    part = loops.partition if held(loops) == loops.independent else loops.division_on(held(loops)).partition
    return dense_complement(loops, q, part)
