"""Programs of a controller's functions: from actuator states through closed loops to efforts and reactions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field, replace
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import Program, maximum
from linkwright.compiler.passes.schedule import Angles, Step
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightError, MechanismError
from linkwright.export.c.c_expressions import loop_width, steps_of
from linkwright.functions import Kernels
from linkwright.functions.fallback_chain import in_pairs
from linkwright.functions.loop import (
    closure_functions,
    leg_functions,
    minimal_functions,
    multiplier_functions,
    target_functions,
)
from linkwright.functions.loop.target_functions import coordinate_of, pose_gap
from linkwright.functions.loop.twist_functions import output_frame
from linkwright.functions.stages import ClosedLegs, SquareTarget
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.leg_plan_search import closed_legs
from linkwright.kinematics.target_plans import square_target
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.model import Model
from linkwright.model.composed_programs import joint_names, joint_reaction_program, program_with_inputs
from linkwright.model.submechanism import Submechanism
from linkwright.recursion.relative_motion import FramePose

# --- errors of the components of a pose, twist and twist rate that inverse kinematics of a kit do not follow ----------


@dataclass(frozen=True, eq=False)
class OtherComponents:
    """Compares a state with what was asked of its platform.

    Attributes:
        pose, twist, twist_rate: programs of the frame.
        counted: components rx ry rz x y z (0 to 5) that inverse kinematics follow, which are left out here.
        length: of the mechanism, the unit of positions.
    """

    pose: Program
    twist: Program
    twist_rate: Program
    counted: tuple[int, ...]
    length: float

    def errors(
        self, call: Any, q: Vec, v: Vec, a: Vec, target: Vec, target_rate: Vec, target_acceleration: Vec
    ) -> tuple[Mat, Vec]:
        """Errors by rows pose, twist, twist rate, (3, 6), zero where counted, and what each row is relative to, (3,).

        Angles count as they are, lengths in units of the mechanism's; a pose is relative to 1, a twist to its largest
        component, a twist rate to its largest one plus the square of the twist's.
        """
        pose, R = FramePose(*call(self.pose, q)), rotations.rotation_of_quaternion(target[3:])
        rates = call(self.twist, q, v) - target_rate, call(self.twist_rate, q, v, a) - target_acceleration
        off = np.array([pose_gap(pose, target[:3], R), *rates])
        off = np.array([[abs(x) for x in row] for row in off]) * (1.0 / self._units)
        off[:, list(self.counted)] = 0.0
        twist, twist_rate = self._largest(target_rate), self._largest(target_acceleration)
        return off, np.array([1.0, twist, twist_rate + twist * twist], dtype=object)

    @property
    def _units(self) -> Vec:
        return np.array([1.0] * 3 + [self.length] * 3)

    def _largest(self, x: Vec) -> Any:
        return in_pairs(maximum, [abs(value) for value in x * (1.0 / self._units)])


# --- programs of a controller's functions -----------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class KitPrograms:
    """Programs by name, each with the inputs of the mechanism as its last argument p where it has some.

    Attributes:
        forward_step, forward_rates: a Newton step from q towards actuator positions; v and a from actuator rates.
        others: further programs by name; what each takes is in its ports.
        left_out: reasons by name of programs that the mechanism does not have.
        frame: of the pose; None without one.
        components: rx ry rz x y z of the pose (0 to 5) that inverse kinematics follow; () without one.
        joints: names of the joints in the order of the reactions.
        coordinates, velocities: indices in q and in v of the actuators; None at joints that close loops.
        held: indices in v of velocities of idle freedoms, which are zero.
        used: actuators whose positions determine the state; of redundant ones the others follow from them.
        outputs: joints that the actuators of a submechanism move; None without.
        legs: names of the legs that are solved in closed form, by the kinematics they belong to: "inverse", "output".
    """

    forward_step: Program
    forward_rates: Program
    others: Mapping[str, Program]
    left_out: Mapping[str, str]
    frame: str | None
    components: tuple[int, ...]
    joints: tuple[str, ...]
    coordinates: tuple[int | None, ...]
    velocities: tuple[int | None, ...]
    held: tuple[int, ...]
    used: tuple[int, ...]
    outputs: Outputs | None = None
    legs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class Outputs:
    """Joints that the actuators of a submechanism move: their names, and indices in q and in v."""

    names: tuple[str, ...]
    coordinates: tuple[int | None, ...]
    velocities: tuple[int | None, ...]


def submechanism_programs(
    sub: Submechanism, frame: str | None = None, single: bool = False, closed_form: bool = True, reactions: bool = True
) -> KitPrograms:
    """The functions of a kit, and the maps between the actuators of a submechanism and the joints they move."""
    found = kit_programs(sub.driven, frame, single, closed_form, reactions)
    target, posed = (
        _kernels_towards_actuators(sub.posed),
        _Makers(sub.posed, _kernels_towards_actuators(sub.posed), None, single),
    )
    outputs, m = Outputs(sub.outputs, _coordinates_of_drives(sub.posed), _velocities_of_drives(sub.posed)), sub.driven
    R, R_out = (x.input_program(target_functions.target_map) for x in (_kernels_towards_actuators(sub.driven), target))
    chosen, driven, n = list(outputs.velocities), list(found.velocities), len(sub.outputs)
    legs = closed_legs(sub.posed.kinematics, None, tuple(range(sub.posed.na)), True) if closed_form else None
    more = {
        **_position_program("output", target, legs),
        "output_rates": target.input_program(target_functions.target_rates),
        "output_jacobian": program_with_inputs(m, lambda call, q: call(R, q)[chosen, :n], "q"),
        "input_jacobian": program_with_inputs(m, lambda call, q: call(R_out, q)[driven, :n], "q"),
        "output_mass_matrix": posed.mass_matrix(),
        "output_bias": posed.bias(),
    }
    names = {} if legs is None else {"output": legs.stage.plans.names}
    return replace(found, others={**found.others, **more}, outputs=outputs, legs={**found.legs, **names})


def _position_program(way: str, target: Kernels[SquareTarget], legs: Kernels[ClosedLegs] | None) -> dict[str, Program]:
    """The program for positions by its name: leg by leg in closed form, or a Newton step."""
    if legs is None:
        return {f"{way}_step": target.input_program(target_functions.target_step)}
    return {f"{way}_positions": legs.input_program(leg_functions.closed_coordinates)}


def _kernels_towards_actuators(model: Model) -> Kernels[SquareTarget]:
    """Kernels towards actuator positions."""
    target = square_target(model.kinematics, None, tuple(range(model.na)), holding=True) if model.na else None
    if target is None:
        raise MechanismError(
            f"'{model.mechanism.name}' has {model.mobility} degrees of freedom and {model.na} actuators: a kit from "
            "actuator states needs an actuator with a position for each freedom, idle ones aside (rods that spin), and "
            "a base that is not floating"
        )
    return target


def _velocities_of_drives(model: Model) -> tuple[int | None, ...]:
    return tuple(drive.speed for drive in model.setup.drives)


def _coordinates_of_drives(model: Model) -> tuple[int | None, ...]:
    setup = model.setup
    return tuple(None if v is None else coordinate_of(setup, v) for v in _velocities_of_drives(model))


def kit_programs(
    model: Model, frame: str | None = None, single: bool = False, closed_form: bool = True, reactions: bool = True
) -> KitPrograms:
    """Trace the functions of a controller's kit; `frame` is a frame or body, the mechanism's output when None.

    `single`: for single precision, whose rounding the backward check of multipliers would flag everywhere.
    `closed_form`: inverse kinematics leg by leg where the legs have a closed form. `reactions`: those of joints too.
    """
    setup, target = model.setup, _kernels_towards_actuators(model)
    makers = _Makers(model, target, frame or output_frame(setup.mech) or None, single)
    others, left_out = {}, {}
    for name, make in makers.all().items():
        if name == "joint_reactions" and not reactions:
            continue
        try:
            others[name] = make()
        except LinkwrightError as reason:
            left_out[name] = str(reason)
    step, rates = (target.input_program(x) for x in (target_functions.target_step, target_functions.target_rates))
    components = makers.components() if "inverse_step" in others else ()
    legs = closed_legs(model.kinematics, makers.frame, components, True) if components and closed_form else None
    if legs is not None:
        others |= _position_program("inverse", target, legs)
        del others["inverse_step"]
    if components and len(components) < 6:
        others["inverse_unmet"] = makers.unmet(components)
    return KitPrograms(
        step,
        rates,
        others,
        left_out,
        makers.frame,
        components,
        joint_names(model),
        _coordinates_of_drives(model),
        _velocities_of_drives(model),
        target.stage.target.held,
        target.stage.used,
        legs={} if legs is None else {"inverse": legs.stage.plans.names},
    )


@dataclass(frozen=True, eq=False)
class _Makers:
    """Traces programs by putting those of the model into each other."""

    model: Model
    target: Kernels[SquareTarget]
    frame: str | None
    single: bool

    def all(self) -> dict[str, Callable[[], Program]]:
        """Makers of all programs, by name."""
        return {
            "inverse_step": lambda: self._pose_kernels().input_program(target_functions.target_step),
            "inverse_rates": lambda: self._pose_kernels().input_program(target_functions.target_rates),
            "pose": self.pose,
            "actuator_jacobian": self.actuator_jacobian,
            "gravity": self.gravity,
            "inverse_dynamics": self.inverse_dynamics,
            "bias": self.bias,
            "mass_matrix": self.mass_matrix,
            "joint_reactions": self.joint_reactions,
            **({"actuator_state": self.actuator_state} if None in _velocities_of_drives(self.model) else {}),
        }

    def _pose_kernels(self) -> Kernels[SquareTarget]:
        """Kernels towards a pose: of its components as many as the mechanism has freedoms are given."""
        found = square_target(self.model.kinematics, self._frame(), tuple(range(6)), holding=True)
        if found is not None and len(found.stage.used) < 6:
            found = square_target(self.model.kinematics, self._frame(), found.stage.used, holding=True)
        if found is None:
            raise ArgumentError(f"the pose of '{self.frame}' does not determine all joints of the mechanism")
        return found

    def components(self) -> tuple[int, ...]:
        """Components rx ry rz x y z of the pose (0 to 5) that inverse kinematics follow."""
        return self._pose_kernels().stage.target.given

    def unmet(self, components: tuple[int, ...]) -> Program:
        """Errors of the components of a pose, twist and twist rate beside those that count."""
        definitions = (tree_functions.frame_pose, tree_functions.frame_twist, tree_functions.frame_twist_rate)
        kernels, length = self.model.loop_kernels, self.model.scales.length
        pose, twist, twist_rate = (kernels.input_program(x, frame=self._frame()) for x in definitions)
        others = OtherComponents(pose, twist, twist_rate, components, length)
        return self._trace_program(others.errors, "q", "v", "a", "target", "target_rate", "target_acceleration")

    def _frame(self) -> str:
        if self.frame is None:
            raise ArgumentError("the mechanism names no platform; name a frame or body")
        return self.frame

    def _trace_program(self, function: Callable[..., Any], *arguments: str) -> Program:
        return program_with_inputs(self.model, function, *arguments)

    @property
    def _held_functions(self) -> tuple[int, ...]:
        return self.target.stage.target.held

    def actuator_state(self) -> Program:
        """Positions, velocities and accelerations of the actuators, (3, na)."""
        kernels = self.model.loop_kernels
        x, rate, acceleration = (
            kernels.input_program(definition)
            for definition in (
                minimal_functions.actuator_positions,
                minimal_functions.actuator_velocities,
                minimal_functions.actuator_accelerations,
            )
        )

        def state(call: Any, q: Any, v: Any, a: Any) -> Any:
            return np.array([call(x, q), call(rate, q, v), call(acceleration, q, v, a)])

        return self._trace_program(state, "q", "v", "a")

    def pose(self) -> Program:
        """Position and quaternion w x y z of the frame, (7,)."""
        pose = self.model.loop_kernels.input_program(tree_functions.frame_quaternion, frame=self._frame())
        return self._trace_program(lambda call, q: np.concatenate(call(pose, q)), "q")

    def actuator_jacobian(self) -> Program:
        """J with twist of the frame = J v_act, (6, na); zero in columns of actuators that follow from others."""
        J = self.model.loop_kernels.input_program(tree_functions.frame_jacobian, frame=self._frame())
        R, used, na = (
            self.target.input_program(target_functions.target_map),
            list(self.target.stage.used),
            self.model.na,
        )

        def columns(call: Any, q: Any) -> Any:
            found = np.zeros((6, na), dtype=q.dtype)
            found[:, used] = call(J, q) @ call(R, q)[:, : len(used)]
            return found

        return self._trace_program(columns, "q")

    def _require_all_used(self) -> None:
        """Refuse what redundant actuators do not define."""
        if len(self.target.stage.used) < self.model.na:
            raise ArgumentError("the actuators are redundant, so that their accelerations depend on each other")

    def inverse_dynamics(self) -> Program:
        """Efforts of a motion, (na,); of redundant actuators those with the smallest sum of squares, as in the library.

        With R the motions of the loops and B the directions of the actuators: G tau = R^T force with G = R^T B.
        """
        if len(self.target.stage.used) == self.model.na:
            return self.model.program("inverse_dynamics", inputs=True)
        if self._held_functions:
            raise ArgumentError("the actuators are redundant beside idle freedoms, for which efforts are not shared")
        kernels, R = self.model.loop_kernels, self.target.input_program(target_functions.target_map)
        B, forces = (
            kernels.input_program(x) for x in (closure_functions.effort_matrix, tree_functions.generalized_forces)
        )

        def shared(call: Any, q: Any, v: Any, a: Any) -> Any:
            Rt = call(R, q).T
            G = Rt @ call(B, q)
            return G.T @ _positive_solution(G @ G.T, Rt @ call(forces, q, v, a))

        return self._trace_program(shared, "q", "v", "a")

    def gravity(self) -> Program:
        """Efforts that hold the mechanism at rest, (na,)."""
        efforts, still = self.inverse_dynamics(), np.zeros(self.model.nv)
        return self._trace_program(lambda call, q: call(efforts, q, still, still), "q")

    def bias(self) -> Program:
        """Efforts at these velocities without acceleration of the actuators, (na,)."""
        self._require_all_used()
        efforts = self.model.program("inverse_dynamics", inputs=True)
        rates, still = self.target.input_program(target_functions.target_rates), np.zeros(self.model.na)
        rate_of = self.model.loop_kernels.input_program(minimal_functions.actuator_velocities)

        def drifting(call: Any, q: Any, v: Any) -> Any:
            return call(efforts, q, *call(rates, q, call(rate_of, q, v), still))

        return self._trace_program(drifting, "q", "v")

    def mass_matrix(self) -> Program:
        """Inertia that the actuators feel, (na, na)."""
        self._require_all_used()
        inertia = self.model.loop_kernels.input_program(tree_functions.mass_matrix)
        R = self.target.input_program(target_functions.target_map)

        n, heavy = self.model.na, self._heavy()

        def felt(call: Any, q: Any) -> Any:
            map_, M = call(R, q), call(inertia, q)
            driven, idle = map_[:, :n], map_[:, [n + i for i in heavy]]
            MR = M @ driven
            if heavy:  # idle freedoms follow, so that their forces are zero
                H, pulled = idle.T @ M @ idle, idle.T @ MR
                follow = np.array([_positive_solution(H, pulled[:, i]) for i in range(n)]).T
                MR = MR - M @ idle @ follow
            return driven.T @ MR

        return self._trace_program(felt, "q")

    def _heavy(self) -> tuple[int, ...]:
        """Numbers of the idle freedoms that move mass."""
        return find_undriven_freedoms(self.model.kinematics).undriven.heavy if self._held_functions else ()

    def joint_reactions(self) -> Program:
        """Wrenches at all joints, those of the tree first, (joints, 6); idle freedoms move as the dynamics has it."""
        reactions = joint_reaction_program(self.model, self.single)
        if not self._held_functions:
            return reactions
        dynamics, na = self.model.dynamics, self.model.na
        hybrid = dynamics.hybrid.input_program(multiplier_functions.checked_hybrid)

        def completed(call: Any, q: Any, v: Any, a: Any, tau: Any) -> Any:
            return call(reactions, q, v, call(hybrid, q, v, a)[na:], tau)

        return self._trace_program(completed, "q", "v", "a", "tau")


def _positive_solution(A: Any, b: Any) -> Any:
    """x with A x = b for a symmetric positive definite A, by elimination in the given order (any scalar)."""
    A, x = A.copy(), b.copy()
    n = len(x)
    for k in range(n):
        for i in range(k + 1, n):
            factor = A[i, k] / A[k, k]
            A[i, k:] = A[i, k:] - factor * A[k, k:]
            x[i] = x[i] - factor * x[k]
    for k in reversed(range(n)):
        x[k] = (x[k] - A[k, k + 1 :] @ x[k + 1 :]) / A[k, k] if k + 1 < n else x[k] / A[k, k]
    return x


def live_values(program: Program) -> int:
    """The largest number of values that are needed at once, in the order of the C code, inputs and constants aside.

    Angles, sines and cosines of a group that is computed together count as values.
    """
    steps, pairs = steps_of(program)
    made = [_values_of_step(program, step, pairs) for step in steps]
    read = [step.values if isinstance(step, Angles) else program.operations[step][1] for step in steps]
    last = {value: len(steps) for value in program.results.tolist()}
    for k in range(len(steps) - 1, -1, -1):
        for value in read[k]:
            last.setdefault(value, k)
    live, most = 0, 0
    ends: dict[int, int] = {}
    for k, step in enumerate(steps):
        for value in made[k]:
            live += 1
            ends[last.get(value, k)] = ends.get(last.get(value, k), 0) + 1
        most = max(most, live + (3 * loop_width(step) - len(made[k]) if isinstance(step, Angles) else 0))
        live -= ends.get(k, 0)
    return most


def _values_of_step(program: Program, step: Step, pairs: dict[int, dict[int, int]]) -> list[int]:
    """Values that a step computes."""
    if isinstance(step, Angles):
        return [value for angle in step.values for value in pairs[angle].values()]
    return [program.first_operation + step]
