"""Programs of a controller's functions: from actuator states through closed loops to efforts and reactions."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compiler import Program, inlined, trace
from linkwright.errors import ArgumentError, LinkwrightError, MechanismError
from linkwright.kernels import Kernels, registry
from linkwright.kernels.loop.joint_twists import output_frame
from linkwright.kernels.loop.targets import coordinate_of
from linkwright.kernels.stages import SquareTarget
from linkwright.model import Model
from linkwright.solve.actuation import every_row
from linkwright.solve.targets import square_target


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
        coordinates, velocities: indices in q and in v of the actuators.
    """

    forward_step: Program
    forward_rates: Program
    others: Mapping[str, Program]
    left_out: Mapping[str, str]
    frame: str | None
    components: tuple[int, ...]
    joints: tuple[str, ...]
    coordinates: tuple[int, ...]
    velocities: tuple[int, ...]


def kit_programs(model: Model, frame: str | None = None, single: bool = False) -> KitPrograms:
    """Trace the functions of a controller's kit; `frame` is a frame or body, the mechanism's output when None.

    `single`: for single precision, whose rounding the backward check of multipliers would flag everywhere.
    """
    loops, setup = model.kinematics, model.kernels.setup
    target = square_target(loops, None, tuple(range(model.na))) if model.na else None
    if target is None:
        raise MechanismError(
            f"'{model.mechanism.name}' has {model.mobility} degrees of freedom and {model.na} actuators with a "
            "coordinate of their own: a kit from actuator states needs one for each freedom, none at a cut joint (rods "
            "that spin idly are written as loops of type distance)"
        )
    speeds = [drive.speed for drive in setup.drives if drive.speed is not None]
    makers = _Makers(model, target, frame or output_frame(setup.mech) or None, speeds, single)
    others, left_out = {}, {}
    for name, make in makers.all().items():
        try:
            others[name] = make()
        except LinkwrightError as reason:
            left_out[name] = str(reason)
    step, rates = (target.input_program(x) for x in (registry.TARGET_STEP, registry.TARGET_RATES))
    joints = tuple(link.joint for link in setup.tree.links) + tuple(loop.name for loop in setup.mech.loops)
    coordinates = tuple(x for x in (coordinate_of(setup, speed) for speed in speeds) if x is not None)
    components = makers.components() if "inverse_step" in others else ()
    return KitPrograms(step, rates, others, left_out, makers.frame, components, joints, coordinates, tuple(speeds))


@dataclass(frozen=True, eq=False)
class _Makers:
    """Traces programs by putting those of the model into each other."""

    model: Model
    target: Kernels[SquareTarget]
    frame: str | None
    speeds: list[int]
    single: bool

    def all(self) -> dict[str, Callable[[], Program]]:
        return {
            "inverse_step": lambda: self._posed().input_program(registry.TARGET_STEP),
            "inverse_rates": lambda: self._posed().input_program(registry.TARGET_RATES),
            "pose": self.pose,
            "actuator_jacobian": self.actuator_jacobian,
            "gravity": self.gravity,
            "inverse_dynamics": lambda: self.model.program("inverse_dynamics", inputs=True),
            "bias": self.bias,
            "mass_matrix": self.mass_matrix,
            "joint_reactions": self.joint_reactions,
        }

    def _posed(self) -> Kernels[SquareTarget]:
        """Kernels towards a pose: of its components as many as the mechanism has freedoms are given."""
        found = square_target(self.model.kinematics, self._frame(), tuple(range(6)))
        if found is not None and len(found.stage.used) < 6:
            found = square_target(self.model.kinematics, self._frame(), found.stage.used)
        if found is None:
            raise ArgumentError(f"the pose of '{self.frame}' does not determine all joints of the mechanism")
        return found

    def components(self) -> tuple[int, ...]:
        """Components rx ry rz x y z of the pose (0 to 5) that inverse kinematics follow."""
        return self._posed().stage.target.given

    def _frame(self) -> str:
        if self.frame is None:
            raise ArgumentError("the mechanism names no platform; name a frame or body")
        return self.frame

    def _traced(self, function: Callable[..., Any], *arguments: str) -> Program:
        """The program of a function of named arguments and of a caller of programs that hands the inputs on."""
        sizes = {"q": self.model.nq, "v": self.model.nv, "a": self.model.nv, "tau": self.model.na}
        n = len(self.model.parameters)

        def traced(**given: Any) -> Any:
            inputs = (given.pop("p"),) if n else ()
            return function(lambda program, *x: inlined(program, *x, *inputs), **given)

        return trace(traced, {name: sizes[name] for name in arguments} | ({"p": n} if n else {}))

    def pose(self) -> Program:
        pose = self.model.kinematics.open.input_program(registry.FRAME_QUATERNION, frame=self._frame())
        return self._traced(lambda call, q: np.concatenate(call(pose, q)), "q")

    def actuator_jacobian(self) -> Program:
        J = self.model.kinematics.open.input_program(registry.FRAME_JACOBIAN, frame=self._frame())
        R = self.target.input_program(registry.TARGET_MAP)
        return self._traced(lambda call, q: call(J, q) @ call(R, q), "q")

    def gravity(self) -> Program:
        efforts, still = self.model.program("inverse_dynamics", inputs=True), np.zeros(self.model.nv)
        return self._traced(lambda call, q: call(efforts, q, still, still), "q")

    def bias(self) -> Program:
        efforts = self.model.program("inverse_dynamics", inputs=True)
        rates, still = self.target.input_program(registry.TARGET_RATES), np.zeros(self.model.na)
        return self._traced(lambda call, q, v: call(efforts, q, *call(rates, q, v[self.speeds], still)), "q", "v")

    def mass_matrix(self) -> Program:
        inertia = self.model.kinematics.open.input_program(registry.MASS_MATRIX)
        R = self.target.input_program(registry.TARGET_MAP)

        def felt(call: Any, q: Any) -> Any:
            map_ = call(R, q)
            return map_.T @ call(inertia, q) @ map_

        return self._traced(felt, "q")

    def joint_reactions(self) -> Program:
        loops, dynamics = self.model.kinematics, self.model.dynamics
        if not loops.closed:
            wrenches = loops.open.input_program(registry.JOINT_WRENCHES)
            return self._traced(lambda call, q, v, a, tau: call(wrenches, q, v, a) + 0.0 * tau[0], "q", "v", "a", "tau")
        multipliers = registry.KEPT_MULTIPLIERS if self.single else registry.CHECKED_MULTIPLIERS
        found = dynamics.kernels.input_program(multipliers)
        every, kept = every_row(dynamics), dynamics.kernels.setup.closure.kept
        wrenches, n = every.input_program(registry.LOOP_JOINT_WRENCHES), every.setup.closure.n_all
        dropped = np.setdiff1d(np.arange(n), np.arange(n) if kept is None else kept)
        if every.pattern(registry.CLOSURE_JACOBIAN)[dropped].any():
            raise ArgumentError("closure equations are redundant, so that reactions are not determined by them alone")

        def reactions(call: Any, q: Any, v: Any, a: Any, tau: Any) -> Any:
            lam = np.zeros(n, dtype=q.dtype)  # equations that hold for every motion carry nothing
            lam[np.setdiff1d(np.arange(n), dropped)] = call(found, q, v, a, tau)
            return np.concatenate(call(wrenches, q, v, a, tau, lam))

        return self._traced(reactions, "q", "v", "a", "tau")


def live_values(program: Program) -> int:
    """The largest number of values that are needed at once, inputs and constants aside."""
    last = {int(i): len(program.operations) for i in program.results.tolist()}
    for k in range(len(program.operations) - 1, -1, -1):
        for i in program.operations[k][1]:
            last.setdefault(int(i), k)
    first, live, most = program.first_operation, 0, 0
    ends: dict[int, int] = {}
    for value, end in last.items():
        if value >= first:
            ends[end] = ends.get(end, 0) + 1
    for k in range(len(program.operations)):
        live += int(first + k in last)
        most = max(most, live)
        live -= ends.get(k, 0)
    return most
