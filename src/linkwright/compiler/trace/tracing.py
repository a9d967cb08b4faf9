"""Run a function once on recording scalars and keep what it did as a `Program`."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.compiler.trace.cleaning import cleaned
from linkwright.compiler.trace.program import Form, Port, Program
from linkwright.compiler.trace.recorder import Recorder
from linkwright.errors import CompilerError

Shape = int | Sequence[int]


def trace(fn: Callable[..., Any], inputs: Mapping[str, Shape]) -> Program:
    """The straight-line program of `fn`, called once with object arrays as keyword arguments.

    Args:
        fn: a function of arrays that returns an array, a tuple of arrays or a dict of arrays.
        inputs: shape of every argument, by name; the order is the order of positional calls.

    Returns:
        The cleaned program; running it returns the same form (array, tuple or dict) as `fn`.

    >>> program = trace(lambda x, y: x @ y, {"x": 3, "y": 3})
    >>> program.n_operations
    5
    """
    recorder = Recorder()
    ports = tuple(Port(name, _shape(shape)) for name, shape in inputs.items())
    arrays = {port.name: recorder.inputs(port.shape) for port in ports}
    scalars = [x for array in arrays.values() for x in array.ravel()]
    form, named = _named(fn(**arrays))
    outputs = tuple(Port(name, np.shape(value)) for name, value in named.items())
    results = [recorder.number(x) for value in named.values() for x in np.asarray(value).ravel()]
    return cleaned(ports, scalars, outputs, results, form)


def _shape(shape: Shape) -> tuple[int, ...]:
    return (shape,) if isinstance(shape, int) else tuple(int(n) for n in shape)


def _named(result: Any) -> tuple[Form, dict[str, Any]]:
    if isinstance(result, Mapping):
        form: Form = "dict"
        named = {str(name): value for name, value in result.items()}
    elif isinstance(result, tuple):
        form, named = "tuple", {f"out{i}": value for i, value in enumerate(result)}
    else:
        form, named = "array", {"out": result}
    if any(value is None for value in named.values()) or not named:
        raise CompilerError("the traced function returned nothing; return an array, a tuple or a dict of arrays")
    return form, named
