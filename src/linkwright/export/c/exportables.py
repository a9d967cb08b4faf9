"""Functions of a model's kit, those that can be exported one by one, and why others cannot."""

from __future__ import annotations

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.export.c.kit import c_kit
from linkwright.functions.loop.twist_functions import output_frame
from linkwright.model import Model
from linkwright.model.function_names import locate_public_function, public_names


@dataclass(frozen=True)
class Exportable:
    """A function by name.

    Attributes:
        name: as `Model.program` takes it.
        inputs: names of its arguments.
        frame: whether it depends on a frame or body.
        reason: why the model does not have it, else "".
    """

    name: str
    inputs: tuple[str, ...] = ()
    frame: bool = False
    reason: str = ""


@dataclass(frozen=True)
class KitFunction:
    """A function of a kit: operations of one call, bytes of stack, and how it is computed or why it is left out."""

    name: str
    operations: int = 0
    stack: int = 0
    note: str = ""


@dataclass(frozen=True)
class ListedKit:
    """Functions of a kit, and the reason where the model has none."""

    functions: tuple[KitFunction, ...]
    reason: str = ""


def listed_kit(model: Model, frame: str | None = None) -> ListedKit:
    """The functions that `c_kit` would write for a model."""
    try:
        kit = c_kit(model, frame=frame)
    except LinkwrightError as error:
        return ListedKit((), str(error))
    solved = dict.fromkeys(kit.closed_form, "in closed form")
    made = [KitFunction(n, x.operations, x.stack, solved.get(n, _by_steps(n))) for n, x in kit.figures.items()]
    return ListedKit((*made, *(KitFunction(n, note=f"left out: {why}") for n, why in kit.left_out.items())))


def _by_steps(name: str) -> str:
    return "by Newton steps" if name.endswith("kinematics") else ""


def exportable_functions(model: Model) -> tuple[Exportable, ...]:
    """Every function that the library traces, with the reason where this model does not have it."""
    return tuple(_look_up_export(model, name) for name in public_names())


def _look_up_export(model: Model, name: str) -> Exportable:
    setup = model.setup
    some = output_frame(setup.mech) or setup.mech.names[-1]
    try:
        try:
            _, definition = locate_public_function(model.dynamics, name)
        except LinkwrightError:
            _, definition = locate_public_function(model.dynamics, name, some)
    except LinkwrightError as error:
        return Exportable(name, reason=_reason_without_frame(model, name, error))
    return Exportable(name, definition.inputs, definition.frame)


def _reason_without_frame(model: Model, name: str, error: LinkwrightError) -> str:
    """The reason without a frame, where leaving it out was not the reason."""
    try:
        locate_public_function(model.dynamics, name)
    except LinkwrightError as first:
        return str(error if "name a frame" in str(first) else first)
    return str(error)
