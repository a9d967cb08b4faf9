"""Definition of a compiled function: its inputs, stage, pivot check and fallback."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from linkwright.compiler import RolledProgram
from linkwright.dataclass import dataclass
from linkwright.functions.setup import Setup


@dataclass(frozen=True, eq=False)
class Definition:
    """One compiled function of a mechanism; call it to evaluate the function on any scalar.

    Attributes:
        name: its text name, unique among all definitions.
        public: its name in `Model.program` and in exports; "" for one that only serves other functions.
        inputs: names of the arrays it takes, in order; `Setup.sizes` and the stages' `sizes` give their shapes.
        function: of the stage's record and the inputs.
        stage: the record it needs: what has to be known of a mechanism before it can be traced.
        pivot_checked: whether it flags a result of a bad elimination by NaN in its first number.
        cheaper: another way to write the same function; the one with fewer operations is used.
        compare_up_to: up to how many velocities the two are compared.
        rolled: the same function as a loop over links, for big trees; None where a tree has no such form.
        sparse: whether its results are matrices that are mostly zeros in large mechanisms.
        any_norm: whether it takes quaternions of any length, as time stepping meets them.
        frame: whether it depends on a frame, body or variant by name.
        of_loops: whether it is about closure equations, so that a tree has no such function.
        require: raises ArgumentError, with the reason, for a mechanism (its kinematics) that has no such function.
    """

    name: str
    inputs: tuple[str, ...]
    function: Callable[..., Any]
    public: str = ""
    stage: type = Setup
    pivot_checked: bool = False
    cheaper: Definition | None = None
    compare_up_to: float = float("inf")
    rolled: Callable[[Setup], RolledProgram | None] | None = None
    sparse: bool = False
    any_norm: bool = False
    frame: bool = False
    of_loops: bool = False
    require: Callable[[Any], None] | None = None

    def __call__(self, record: Any, *arrays: Any, **named: Any) -> Any:
        return self.function(record, *arrays, **named)

    def __repr__(self) -> str:
        return f"Definition({self.name!r})"


_DEFINITIONS: dict[str, Definition] = {}


def compiled(
    *inputs: str, name: str | None = None, public: bool | str = False, **options: Any
) -> Callable[[Callable[..., Any]], Definition]:
    """Decorator that makes a function the definition of a compiled function, listed under its name.

    Args:
        inputs: names of the arrays it takes after the record of its stage.
        name: its text name where this is not the function's.
        public: whether models show it under its own name, or the name under which they do.
        options: as the attributes of `Definition`.
    """

    def define(function: Callable[..., Any]) -> Definition:
        own = name or function.__name__
        shown = public if isinstance(public, str) else own if public else ""
        return register_definition(Definition(own, inputs, function, shown, **options))

    return define


def register_definition(definition: Definition) -> Definition:
    """List a definition under its text name, which no other may have."""
    if _DEFINITIONS.setdefault(definition.name, definition) is not definition:
        raise ValueError(f"two definitions have the name '{definition.name}'")
    return definition


def listed_definitions() -> dict[str, Definition]:
    """The definitions of all modules imported so far, by their text names."""
    return _DEFINITIONS
