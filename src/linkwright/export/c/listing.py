"""Functions of a model that can be exported one by one, and why others cannot."""

from __future__ import annotations

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.kernels.loop.joint_twists import output_frame
from linkwright.model import Model
from linkwright.model.naming import public_names, traced


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


def exportable(model: Model) -> tuple[Exportable, ...]:
    """Every function that the library traces, with the reason where this model does not have it."""
    return tuple(_looked_up(model, name) for name in public_names())


def _looked_up(model: Model, name: str) -> Exportable:
    setup = model.kernels.setup
    some = output_frame(setup.mech) or setup.mech.names[-1]
    try:
        try:
            _, definition = traced(model.dynamics, name)
        except LinkwrightError:
            _, definition = traced(model.dynamics, name, some)
    except LinkwrightError as error:
        return Exportable(name, reason=_reason(model, name, error))
    return Exportable(name, definition.inputs, definition.frame)


def _reason(model: Model, name: str, error: LinkwrightError) -> str:
    """The reason without a frame, where leaving it out was not the reason."""
    try:
        traced(model.dynamics, name)
    except LinkwrightError as first:
        return str(error if "name a frame" in str(first) else first)
    return str(error)
