"""Functions that other tools can call: one program, or kinematics that close loops by Newton steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.compiler import Port, Program, inline_program, trace
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, MechanismError, withheld_warnings
from linkwright.functions import Kernels
from linkwright.functions.loop import minimal_functions, target_functions
from linkwright.functions.stages import SquareTarget
from linkwright.kinematics.target_plans import square_target
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model, arguments
from linkwright.model.function_names import locate_public_function
from linkwright.model.programs import actuator_coordinates
from linkwright.model.submechanism import Submechanism
from linkwright.model.wrench import Wrench, wrench_arguments

Array = np.ndarray
Source = Model | Submechanism | Program

FORWARD, INVERSE = ("q_act", "v_act", "a_act"), ("pose", "twist", "twist_rate")
KINEMATICS = {"forward_kinematics": FORWARD, "inverse_kinematics": INVERSE}
MAPS = ("from_inputs", "from_outputs", "jacobian", "inverse_jacobian")


@dataclass(frozen=True, eq=False)
class OneProgram:
    """A function that is one program.

    Attributes:
        name: of the function.
        program: what it computes.
        checked: whether NaN in the first number flags the whole result.
        defaults: arguments that may be left out: wrenches, which are zero then, and p at the model's values.
    """

    name: str
    program: Program
    checked: bool = False
    defaults: Mapping[str, Array] = field(default_factory=dict)


@dataclass(frozen=True, eq=False)
class SolvedKinematics:
    """All coordinates from those of the actuators or from a pose, and what follows from them.

    Attributes:
        name: of the function.
        model: whose loops are closed.
        arguments: names of the target, its rate and its acceleration.
        kernels: of the target.
        after: a program of the coordinates, whose result is the function's; None: the function returns q, v and a.
        defaults: near (the assembled home) and p.
    """

    name: str
    model: Model
    arguments: tuple[str, str, str]
    kernels: Kernels[SquareTarget]
    frame: str | None
    after: OneProgram | None
    defaults: Mapping[str, Array]

    @cached_property
    def step(self) -> Program:
        """A bounded Newton step, with measures of the equations before it."""
        return self.kernels.input_program(target_functions.target_step)

    @cached_property
    def correction(self) -> Program:
        """A whole Newton step: at a solution its derivatives by the target and by p are those of the solution."""
        return self.kernels.input_program(target_functions.target_correction)

    @cached_property
    def rates(self) -> OneProgram:
        """Velocities and accelerations at closed coordinates."""
        program = self.kernels.input_program(target_functions.target_rates)
        return OneProgram(f"{self.name} rates", program, checked=True)

    def closed_coordinates(self, target: Array, near: Array, *p: Array) -> Array:
        """Closed coordinates of a batch by the model's own kinematics; rows that are not reached are NaN."""
        named: dict[str, Any] = {"near": near} | ({"p": p[0]} if p else {})
        with withheld_warnings(BatchWarning):
            if self.frame is None:
                return self.model.forward_kinematics(target[None], **named)[0][0]
            pose = (target[None, ..., :3], target[None, ..., 3:])
            return self.model.inverse_kinematics(pose, frame=self.frame, **named)[0][0]


def function_to_export(
    source: Source, function: str | None, frame: str | None, wrenches: Sequence[str | Wrench] = ()
) -> OneProgram | SolvedKinematics:
    """The named function of a model or submechanism; a program is its own function."""
    wrenches = checks.require_instances(
        "wrenches", wrenches, (str, Wrench), "names of bodies and frames, or Wrench records"
    )
    if isinstance(source, Program):
        if function is not None or frame is not None or wrenches:
            raise ArgumentError("a program is exported as it is; leave out function, frame and wrenches")
        return OneProgram("program", source)
    checks.require_instance(
        "source", source, (Model, Submechanism), "a Model from linkwright.build, a Submechanism or a Program"
    )
    name = checks.require_text("function", function, "the name of a function such as 'forward_dynamics'")
    named = None if frame is None else checks.require_text("frame", frame)
    if wrenches and (isinstance(source, Submechanism) or name in KINEMATICS):
        raise ArgumentError(f"'{name}' does not depend on wrenches; leave wrenches= out")
    if isinstance(source, Submechanism):
        return _map_to_export(source, name, named)
    return (
        _kinematics_to_export(source, name, named)
        if name in KINEMATICS
        else _program_to_export(source, name, named, wrenches)
    )


def _program_to_export(model: Model, name: str, frame: str | None, wrenches: Sequence[str | Wrench]) -> OneProgram:
    _, definition = locate_public_function(model.dynamics, name, frame)
    program = model.program(name, inputs=bool(len(model.parameters)), frame=frame, wrenches=wrenches)
    unloaded = {argument: np.zeros(6) for argument in wrench_arguments(model.mechanism, wrenches)}
    return OneProgram(name, program, definition.pivot_checked, unloaded | _default_parameters(model))


def _default_parameters(model: Model) -> dict[str, Array]:
    return {"p": model.parameters.values} if len(model.parameters) else {}


def _kinematics_to_export(
    model: Model, name: str, frame: str | None, after: OneProgram | None = None
) -> SolvedKinematics:
    forward = name == "forward_kinematics"
    if forward and frame is not None:
        raise ArgumentError("forward_kinematics does not depend on a frame; leave frame= out")
    output = None if forward else arguments.require_output_frame(model.setup.mech, frame)
    kernels = _kernels_towards_target(model, output)
    if kernels is None:
        given = "the positions of its actuators" if forward else f"the pose of '{output}'"
        raise MechanismError(
            f"'{model.mechanism.name}' has {model.mobility} degrees of freedom, and {given} do not determine all of "
            "them: name one actuator for each freedom in actuated=[...], none at a spherical joint, and write rods "
            "that spin idly as loops of type distance"
        )
    defaults = {"near": model.assemble().q, **_default_parameters(model)}
    return SolvedKinematics(name, model, KINEMATICS[name], kernels, output, after, defaults)


def _kernels_towards_target(model: Model, frame: str | None) -> Kernels[SquareTarget] | None:
    """Kernels towards actuator positions or a pose; of its components as many as the mechanism has freedoms count."""
    if frame is None:
        return square_target(model.kinematics, None, tuple(range(model.na))) if model.na else None
    found = square_target(model.kinematics, frame, tuple(range(6)))
    if found is not None and len(found.stage.used) < 6:
        found = square_target(model.kinematics, frame, found.stage.used)
    return found


def _map_to_export(sub: Submechanism, name: str, frame: str | None) -> SolvedKinematics:
    if name not in MAPS:
        raise ArgumentError(f"unknown function '{name}' of a submechanism{suggest_name(name, MAPS)}")
    if frame is not None:
        raise ArgumentError(f"'{name}' does not depend on a frame; leave frame= out")
    forward = name in ("from_inputs", "jacobian")
    given, wanted = (sub.driven, sub.posed) if forward else (sub.posed, sub.driven)
    found = _kinematics_to_export(given, "forward_kinematics", None)
    positions = wanted.kernels.input_program(minimal_functions.actuator_positions)
    after = OneProgram(name, positions)
    if name.endswith("jacobian"):
        speeds = actuator_coordinates(wanted)[1]
        R = found.kernels.input_program(target_functions.target_map)
        after = OneProgram(name, trace(lambda q: inline_program(R, q)[speeds], {"q": given.nq}), checked=True)
    return SolvedKinematics(
        name, given, ("position", "rate", "acceleration"), found.kernels, None, after, found.defaults
    )


@dataclass(frozen=True, eq=False)
class ExportedArguments:
    """Names, shapes and defaults of a function's arguments, in order.

    Attributes:
        title: name of the function.
        ports: its arguments.
        defaults: values of those that may be left out.
    """

    title: str
    ports: tuple[Port, ...]
    defaults: Mapping[str, Array]

    @classmethod
    def of(cls, found: OneProgram | SolvedKinematics) -> ExportedArguments:
        """The arguments of an exported function."""
        if isinstance(found, OneProgram):
            return cls(found.name, found.program.inputs, found.defaults)
        q, target, *p = found.correction.inputs
        rate = found.kernels.input_program(target_functions.target_rates).inputs[1].shape
        shapes = (target.shape, rate, rate, q.shape) if found.after is None else (target.shape, q.shape)
        names = (*found.arguments, "near") if found.after is None else (found.arguments[0], "near")
        ports = (*(Port(name, shape) for name, shape in zip(names, shapes, strict=True)), *p)
        return cls(found.name, ports, {name: np.zeros(rate) for name in names[1:-1]} | dict(found.defaults))

    def bind_arguments(self, arrays: Sequence[Any], named: Mapping[str, Any]) -> list[Any]:
        """Every argument in order, with the default where it is left out or None."""
        names = [port.name for port in self.ports]
        if len(arrays) > len(names):
            raise ArgumentError(f"{self.title} takes {', '.join(names)}; {len(arrays)} arguments were given")
        placed = dict(zip(names, arrays, strict=False))
        for name in named:
            if name not in names:
                raise ArgumentError(f"{self.title} has no argument '{name}'{suggest_name(name, names)}")
            if name in placed:
                raise ArgumentError(f"{self.title}: '{name}' is given twice")
        given = {name: x for name, x in {**placed, **named}.items() if x is not None}
        out = []
        for port in self.ports:
            x = given.get(port.name, self.defaults.get(port.name))
            if x is None:
                raise ArgumentError(f"{self.title} takes {', '.join(names)}; '{port.name}' is missing")
            port.leading_axes(tuple(x.shape) if hasattr(x, "shape") else np.shape(x))
            out.append(x)
        return out

    def naming(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """The function with its name and the list of its arguments as its description."""
        shapes = {port.name: ", ".join(["...", *map(str, port.shape)]) for port in self.ports}
        listed = [f"{name} ({shape})" + " = ..." * (name in self.defaults) for name, shape in shapes.items()]
        call.__name__ = call.__qualname__ = self.title
        call.__doc__ = f"Return {self.title} of {', '.join(listed)}; exported by linkwright."
        return call
