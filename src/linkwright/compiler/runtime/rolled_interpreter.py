"""Run a rolled program step by step with NumPy: slow, simple, in any precision."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.compiler.runtime.interpreter import bind, evaluate, leading_axes
from linkwright.compiler.trace.program import Program
from linkwright.compiler.trace.rolled import PARAM, PARENT, RolledProgram, Sweep


def evaluate_rolled(rolled: RolledProgram, *arrays: Any, dtype: Any = np.float64, **named: Any) -> Any:
    """The outputs for arrays with any leading batch axes; see `evaluate`."""
    given = [np.asarray(x, dtype=dtype) for x in bind(rolled.signature, arrays, named)]
    batch = np.broadcast_shapes(*(leading_axes(p, x.shape) for p, x in zip(rolled.inputs, given, strict=True)))
    memory = {
        port.name: np.broadcast_to(x, (*batch, *port.shape)).reshape((*batch, port.size))
        for port, x in zip(rolled.inputs, given, strict=True)
    }
    memory |= {port.name: np.zeros((*batch, port.size), dtype=dtype) for port in rolled.outputs}
    state = np.zeros((rolled.n_items + 1, *batch, rolled.width), dtype=dtype)
    state[0] = rolled.root_row
    for sweep in rolled.sweeps:
        for i in reversed(range(rolled.n_items)) if sweep.inward else range(rolled.n_items):
            _do_item(rolled, sweep, i, memory, state, dtype)
    named_out = {port.name: memory[port.name].reshape((*batch, *port.shape)) for port in rolled.outputs}
    return rolled.signature.pack(named_out)


def _do_item(
    rolled: RolledProgram, sweep: Sweep, i: int, memory: dict[str, np.ndarray], state: np.ndarray, dtype: Any
) -> None:
    step = sweep.steps[int(rolled.kind[i])]
    if step is None:
        return
    inputs = [_place(rolled, port.name, port.size, i, memory, state) for port in step.inputs]
    shaped = [np.reshape(x, (*x.shape[:-1], *port.shape)) for x, port in zip(inputs, step.inputs, strict=True)]
    results = evaluate(_as_dict(step), *shaped, dtype=dtype)
    for port in step.outputs:
        target = _place(rolled, port.name, port.size, i, memory, state)
        found = results[port.name]
        value = found.reshape((*found.shape[: found.ndim - len(port.shape)], port.size))
        target[...] = target + value if port.name.startswith(PARENT) else value


def _as_dict(step: Program) -> Program:
    return replace(step, form="dict")


def _place(
    rolled: RolledProgram, name: str, size: int, i: int, memory: dict[str, np.ndarray], state: np.ndarray
) -> np.ndarray:
    """The numbers a port of item i's step stands for, as a view."""
    if name == PARAM:
        return np.asarray(rolled.params[i]).ravel()
    if name in memory:
        start = int(rolled.offsets[name][i]) if name in rolled.offsets else 0
        return memory[name][..., start : start + size]
    row = int(rolled.parent[i]) + 1 if name.startswith(PARENT) else i + 1
    start = rolled.starts[name.removeprefix(PARENT)]
    return state[row][..., start : start + size]
