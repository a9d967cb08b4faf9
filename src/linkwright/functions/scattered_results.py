"""Functions whose results are mostly constants: code gives the others, which are put among them.

A closure Jacobian of many loops is nearly all zeros, and code that stores each of them takes long to compile.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler import Kernel, Port, Program, Signature
from linkwright.compiler.cache.entries import keep_text, recall_text
from linkwright.dataclass import dataclass

LARGE = 30
"""Velocities from which on matrices are scattered."""


@dataclass(frozen=True, eq=False)
class Slots:
    """One output: its shape, the slots that vary, and the constants in the others."""

    shape: tuple[int, ...]
    varying: np.ndarray
    constants: np.ndarray

    @cached_property
    def present(self) -> np.ndarray:
        """Slots that vary or hold a constant other than zero."""
        return np.union1d(self.varying, np.flatnonzero(self.constants))

    def entries(self, values: np.ndarray) -> np.ndarray:
        """What the slots `present` hold, (..., n_present), of values (..., n_varying)."""
        if len(self.present) == len(self.varying):
            return values
        whole = np.broadcast_to(self.constants[self.present], (*values.shape[:-1], len(self.present))).copy()
        whole[..., np.searchsorted(self.present, self.varying)] = values
        return whole

    def filled(self, values: np.ndarray, out: np.ndarray | None) -> np.ndarray:
        """The whole output of values (..., n_varying), NaN in rows that are refused."""
        lead = values.shape[:-1]
        whole = np.empty((*lead, self.constants.size)) if out is None else out.reshape((*lead, self.constants.size))
        whole[...] = self.constants
        whole[..., self.varying] = values
        whole[np.isnan(values).all(axis=-1)] = np.nan
        return whole.reshape((*lead, *self.shape)) if out is None else out


@dataclass(frozen=True, eq=False)
class Scattered:
    """A function of arrays with any leading batch axes, called like a kernel.

    Attributes:
        kernel: gives the entries that vary, one vector per output.
        signature: ports in and out of the whole function.
        slots: of every output.
    """

    kernel: Kernel
    signature: Signature
    slots: tuple[Slots, ...]

    def __call__(self, *arrays: Any, out: Any = None, **named: Any) -> Any:
        found = self.kernel.call(*arrays, **named)
        given = (None,) * len(found) if out is None else (out,) if self.signature.form == "array" else tuple(out)
        whole = [slots.filled(x, o) for slots, x, o in zip(self.slots, found, given, strict=True)]
        return self.signature.pack({p.name: x for p, x in zip(self.signature.outputs, whole, strict=True)})


def varying_part(program: Program) -> tuple[Program, tuple[Slots, ...]]:
    """The program of the results that are not constants, and the slots of these and of the constants."""
    constant = (program.results >= program.n_inputs) & (program.results < program.first_operation)
    values = np.where(constant, program.constants[np.where(constant, program.results - program.n_inputs, 0)], 0.0)
    outputs, results, slots, start = [], [], [], 0
    for port in program.outputs:
        part = slice(start, start + port.size)
        start += port.size
        varying = np.flatnonzero(~constant[part])
        varying = varying if len(varying) else np.arange(1)
        outputs.append(replace(port, shape=(len(varying),)))
        results.append(program.results[part][varying])
        slots.append(Slots(port.shape, varying, values[part]))
    packed = replace(program, outputs=tuple(outputs), results=np.concatenate(results), form="tuple")
    return packed, tuple(slots)


def scattered_function(
    key: str, program: Callable[[], Program], compiled: Callable[[Callable[[], Program]], Kernel]
) -> Scattered:
    """The function of a program, by way of the cache.

    Args:
        key: of the note that holds signature and slots (letters and digits).
        program: the whole program, traced only if note or code are not in the cache.
        compiled: the kernel of what varies, given a function that makes its program.
    """
    text = recall_text(key)
    parts = None if text is None else _read_scattered_slots(text)
    if parts is None:
        whole = program()
        parts = whole.outputs, whole.form, varying_part(whole)[1]
        keep_text(key, _slots_as_text(*parts))
    outputs, form, slots = parts
    kernel = compiled(lambda: varying_part(program())[0])
    return Scattered(kernel, Signature(kernel.signature.inputs, outputs, form), slots)


def _slots_as_text(outputs: Any, form: Any, slots: tuple[Slots, ...]) -> str:
    set_apart = [np.flatnonzero(s.constants) for s in slots]
    parts = [
        [port.name, port.shape, s.varying.tolist(), at.tolist(), s.constants[at].tolist()]
        for port, s, at in zip(outputs, slots, set_apart, strict=True)
    ]
    return json.dumps([form, parts])


def _read_scattered_slots(text: str) -> Any:
    try:
        form, parts = json.loads(text)
        outputs, slots = [], []
        for name, shape, varying, at, values in parts:
            port = Port(str(name), tuple(int(n) for n in shape))
            constants = np.zeros(port.size)
            constants[np.array(at, dtype=int)] = values
            outputs.append(port)
            slots.append(Slots(port.shape, np.array(varying, dtype=int), constants))
        return tuple(outputs), form, tuple(slots)
    except (ValueError, KeyError, TypeError, IndexError):
        return None
