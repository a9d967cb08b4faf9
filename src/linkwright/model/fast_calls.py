"""The fast path of a model's methods: compiled code in their place, which keeps their text and signature.

A method of `FAST_METHODS` does little more than call compiled code. Every model has a table of such calls, made when it
is built. A call is a function in C that a person can keep (`f = model.inverse_dynamics`): at first it goes to the
method, and from the moment its code is compiled it is that code. Calls with options, batches and lists of numbers go on
to Python from there. A method that a subclass overrides stays the subclass's; `super()` finds the code in `fast_calls`.
"""

from __future__ import annotations

import functools
from collections.abc import Callable
from inspect import Parameter, signature
from types import FunctionType
from typing import Any

from linkwright.compiler.codegen.python_api import METHOD, make_builtin, vectorcall_address
from linkwright.dynamics.independent_velocities import independent_forward_derivatives, independent_inverse_derivatives
from linkwright.dynamics.methods import DynamicsMethod, method_of_formulation
from linkwright.formulations.multipliers import Multipliers
from linkwright.functions.definition import Definition
from linkwright.functions.tree import tree_functions


def _code_of(definition: Definition) -> Callable[[Any], Callable[..., Any]]:
    return lambda model: model.kernels.function(definition)


def _default_method(model: Any) -> DynamicsMethod:
    return method_of_formulation(Multipliers(), model.dynamics, model.sharing)


FAST_METHODS: dict[str, Callable[[Any], Callable[..., Any]]] = {
    "inverse_dynamics": lambda model: _default_method(model).efforts(False, "refuse"),
    "forward_dynamics": lambda model: _default_method(model).accelerations(False),
    "mass_matrix": _code_of(tree_functions.mass_matrix),
    "convective_matrix": _code_of(tree_functions.convective_matrix),
    "bias_forces": _code_of(tree_functions.bias_forces),
    "gravity_forces": _code_of(tree_functions.gravity_forces),
    "udu": _code_of(tree_functions.udu),
    "momentum": _code_of(tree_functions.momentum),
    "inverse_dynamics_derivatives": lambda model: independent_inverse_derivatives(model.dynamics),
    "forward_dynamics_derivatives": lambda model: independent_forward_derivatives(model.dynamics),
}
"""The methods, and what makes the function behind each for a model: compiled code where there is some."""


class FastCall:
    """A call in C that goes to `general` until its own code is there.

    Attributes:
        call: the function.
        general: takes the calls that the code does not take.
    """

    __slots__ = ("_record", "call", "general")

    def __init__(self, name: str, text: bytes, general: Callable[..., Any]) -> None:
        self.general = general
        self.call, self._record = make_builtin(name, vectorcall_address(), self, text)

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        return self.general(*arrays, **named)

    def become(self, address: int, general: Callable[..., Any]) -> None:
        """Be compiled code from now on, for everybody who keeps the call; `general` owns the code."""
        self.general = general
        self._record[METHOD] = address


@functools.cache
def described_call(method: Callable[..., Any]) -> bytes:
    """Signature and docstring of a method as functions in C have them, without self and annotations."""
    given = signature(method)
    plain = [each.replace(annotation=Parameter.empty) for each in [*given.parameters.values()][1:]]
    arguments = given.replace(parameters=plain, return_annotation=Parameter.empty)
    return f"{method.__name__}{arguments}\n--\n\n{method.__doc__}".encode()


def copy_method_metadata(callable_object: Callable[..., Any], method: Callable[..., Any]) -> Callable[..., Any]:
    """A function of Python that stands in for a method, with the method's name, docstring and signature."""
    function: Any = callable_object if isinstance(callable_object, FunctionType) else _function_of(callable_object)
    given = signature(method)
    function.__name__, function.__doc__ = method.__name__, method.__doc__
    function.__signature__ = given.replace(parameters=[*given.parameters.values()][1:])
    return function


def _function_of(callable_object: Callable[..., Any]) -> Callable[..., Any]:
    """A function that calls a record, which takes no attributes itself."""
    return lambda *arrays, **named: callable_object(*arrays, **named)
