"""Functions of a model by target: where each can be exported to, and why not elsewhere."""

from __future__ import annotations

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.export.c.exportables import exportable_functions
from linkwright.export.exported_functions import KINEMATICS, function_to_export
from linkwright.model import Model

SINGLE = ("c", "casadi", "jax", "torch")
"""Targets that take functions one by one."""


@dataclass(frozen=True)
class Exports:
    """A function by name, the targets that take it, and why others do not.

    Attributes:
        name: of the function.
        arguments: names of its arguments.
        frame: whether it depends on a frame or body.
        targets: of `SINGLE`, those that take it.
        reason: why the model does not have it, or other targets do not take it; else "".
    """

    name: str
    arguments: tuple[str, ...]
    frame: bool
    targets: tuple[str, ...]
    reason: str = ""


def list_functions(model: Model) -> tuple[Exports, ...]:
    """Every function of a model: kinematics that close loops, then those that are one program."""
    rows = [_kinematics_entry(model, name) for name in KINEMATICS]
    for x in exportable_functions(model):
        rows.append(Exports(x.name, x.inputs, x.frame, () if x.reason else SINGLE, x.reason))
    return tuple(rows)


def _kinematics_entry(model: Model, name: str) -> Exports:
    arguments = (*KINEMATICS[name], "near")
    try:
        function_to_export(model, name, None)
    except LinkwrightError as error:
        return Exports(name, arguments, name == "inverse_kinematics", (), str(error))
    reason = "C has it in a kit (export c without a function); CasADi solves closure_residual as a constraint"
    return Exports(name, arguments, name == "inverse_kinematics", ("jax", "torch"), reason)
