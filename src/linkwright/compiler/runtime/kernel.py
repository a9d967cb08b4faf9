"""A program as a Python function backed by machine code."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from linkwright.compiler.codegen.module import AnyProgram
from linkwright.compiler.codegen.python_api import make_builtin
from linkwright.compiler.codegen.target import Options
from linkwright.compiler.runtime.code import NativeCode, PartSource
from linkwright.compiler.runtime.kernel_arguments import Arguments, checked_arguments, good_rows, output_arrays
from linkwright.compiler.runtime.one_state import MOST_NUMBERS, OneState
from linkwright.compiler.runtime.threads import MOST_THREADS, thread_pool, threads_for
from linkwright.compiler.trace.program import Signature
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, CompilerError

ENTRY_AFTER = 500
"""Calls of one state after which a kernel gets its own entry point for Python, which takes as long to compile as they
save; a batch gains less, and counts a tenth."""


def compile_program(program: AnyProgram, options: Options | None = None) -> Kernel:
    """Return the kernel of a program for this processor.

    >>> from linkwright.compiler.trace.tracing import trace
    >>> dot = compile_program(trace(lambda x, y: x @ y, {"x": 3, "y": 3}))
    >>> float(dot([1.0, 2.0, 3.0], [1.0, 1.0, 1.0]))
    6.0
    """
    return Kernel(NativeCode(PartSource(lambda: program, options or Options())))


def compiled(
    key: str | bytes, make_program: Callable[[], AnyProgram], options: Options | None = None, title: str = "functions"
) -> Kernel:
    """Return the kernel of a key: from the cache when it is there, else traced, compiled and kept.

    Args:
        key: everything that decides the program (model content, function, formulation, versions), as text or bytes.
        make_program: called for each part of the code (see `NativeCode`) that the cache does not have.
        options: how to compile; part of the cache key, like the processor and the code generator's version.
        title: of the function, for announcements (see `progress`).
    """
    return Kernel(NativeCode(PartSource(make_program, options or Options(), key, title)))


@dataclass(frozen=True, eq=False)
class Fallback:
    """Results for states that a pivot-checked kernel flags by NaN in its first number.

    Attributes:
        repair: called as `repair(*state, alone=...)`, returns the result of the single output. With `alone` it is a
            single state, for which it may raise; otherwise a row of a batch, for which it returns NaN.
        second: makes, when first needed, a kernel of the same signature, or what is called like one, that is called
            before it; it too flags by NaN.
        report: called with the numbers of the rows of a batch that have good inputs and no result, and its leading
            axes.
    """

    repair: Callable[..., Any]
    second: Callable[[], Any] | None = None
    report: Callable[[np.ndarray, tuple[int, ...]], None] | None = None


class Kernel:
    """Compiled code of one program; call it with arrays, any leading batch axes.

    Attributes:
        addresses: the machine code, which gives addresses for other compiled code; keep it alive.
        signature: ports in and out.
        count: operations of the program.
        lanes: states side by side in `lw_block`.
        options: how it was compiled.
    """

    def __init__(
        self,
        code: NativeCode,
        fallback: Fallback | None = None,
        general: Callable[..., Any] | None = None,
        title: tuple[str, bytes] | None = None,
    ) -> None:
        self.addresses = code
        self.signature = code.signature
        self.count = code.count
        self.lanes = code.lanes
        self.options = code.options
        self._body = _Body(code, fallback, general)
        self._title = title

    @property
    def calls(self) -> float:
        """Calls so far of one state through Python; a batch counts a tenth."""
        return self._body.calls

    @cached_property
    def call(self) -> Callable[..., Any]:
        """The same function without Python in between when given one state in contiguous float64 arrays."""
        address = self.addresses.call()
        if not address:
            return self._body
        name, *text = self._title or ("compiled",)
        call, self._body.keep = make_builtin(str(name), address, self._body, *text)
        return call

    @property
    def entry(self) -> tuple[int, Callable[..., Any]]:
        """Address of the code behind `call`, 0 where there is none, and what takes all other calls and owns it."""
        return self.addresses.call(), self._body

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """The program's outputs; `out=` takes the results, `threads=` overrides the number of threads for a batch.

        A single state with a value that is not finite raises `ArgumentError`; in a batch such a row gives a row of NaN.
        """
        return (self._body if self._body.calls < ENTRY_AFTER else self.call)(*arrays, **named)

    def __reduce__(self) -> NoReturn:
        raise CompilerError(
            "machine code cannot be pickled; pickle the Program and compile it (or find it cached) there"
        )

    def __repr__(self) -> str:
        return f"Kernel({', '.join(port.name for port in self.signature.inputs)}; {self.count.total} operations)"

    def extended(
        self,
        fallback: Fallback | None = None,
        general: Callable[..., Any] | None = None,
        report: Callable[[np.ndarray, tuple[int, ...]], None] | None = None,
        title: tuple[str, bytes] | None = None,
    ) -> Kernel:
        """Another kernel of the same machine code.

        Args:
            fallback: results for states that this code flags.
            general: takes over calls with further arguments, so that `call` can stand in for a richer function.
            report: what the fallback, where there is one, does with rows of a batch that have no result.
            title: name of `call`, and its docstring with the signature in front.
        """
        fallback = fallback or self._body.fallback
        if report is not None and fallback is not None:
            fallback = replace(fallback, report=report)
        return Kernel(self.addresses, fallback, general or self._body.general, title or self._title)


class _Body:
    """The general call: conversion, broadcasting, threads. It owns the machine code; the Python entry owns it."""

    def __init__(self, code: NativeCode, fallback: Fallback | None, general: Callable[..., Any] | None) -> None:
        self.code = code
        self.signature = code.signature
        self.keep: Any = None
        self.calls = 0.0
        self.fallback = fallback
        self.general = general
        self._sizes = [port.size for port in code.signature.outputs]
        self._small = code.signature.numbers <= MOST_NUMBERS
        self._kept: list[OneState] = []
        ports = len(code.signature.inputs) + len(self._sizes)
        self._pointers, self._strides = ctypes.c_void_p * ports, ctypes.c_int64 * ports

    def __call__(self, *arrays: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        known = self.signature.inputs
        if self._small and out is None and not named and len(arrays) == len(known):
            memory = self._memory()
            if memory.takes(arrays):
                return self._one(memory, arrays)
            self._kept.append(memory)
        if self.general is not None and (len(arrays) > len(known) or not named.keys() <= {p.name for p in known}):
            return self.general(*arrays, **named)
        if threads is not None and (not isinstance(threads, int) or not 1 <= threads <= MOST_THREADS):
            raise ArgumentError(f"threads is {threads!r}, expected a whole number from 1 to {MOST_THREADS}, or None")
        return self._call_code(checked_arguments(self.signature, arrays, named), out, threads)

    def _memory(self) -> OneState:
        try:
            return self._kept.pop()
        except IndexError:  # the first call, or as many threads at once as have not been before
            return OneState(self.signature)

    def _one(self, memory: OneState, arrays: tuple[Any, ...]) -> Any:
        """The outputs of one state that the memory has taken over."""
        self.calls += 1.0
        self.code.rows(1)(memory.pointers, memory.strides, 0, 1)
        made = [x.copy() for x in memory.outputs]
        self._kept.append(memory)
        if self.fallback is not None:
            _repair_flagged_rows(self.signature, self.fallback, Arguments((), arrays, (0,) * len(arrays)), made[0])
        match self.signature.form:
            case "array":
                return made[0]
            case "tuple":
                return tuple(made)
        return {port.name: x for port, x in zip(self.signature.outputs, made)}

    def _call_code(self, given: Arguments, out: Any, threads: int | None) -> Any:
        self.calls += 0.1 if given.batch else 1.0
        made = output_arrays(self.signature, given.batch, out, given.arrays)
        self._run(given, list(made.values()), threads)
        if self.fallback is not None:
            _repair_flagged_rows(self.signature, self.fallback, given, next(iter(made.values())))
        if out is not None:
            return out
        return self.signature.pack(made)

    def _run(self, given: Arguments, made: list[np.ndarray], threads: int | None) -> None:
        n = math.prod(given.batch)
        pointers = self._pointers(*[x.__array_interface__["data"][0] for x in (*given.arrays, *made)])
        strides = self._strides(*given.strides, *self._sizes)
        rows = self.code.rows(n)
        wanted = 1 if n < 2 else threads or threads_for(n, self.code.count.total)
        if wanted == 1:
            rows(pointers, strides, 0, n)
            return
        edges = [n * i // wanted for i in range(wanted + 1)]
        list(thread_pool(wanted, "rows").map(lambda part: rows(pointers, strides, *part), itertools.pairwise(edges)))


def _repair_flagged_rows(signature: Signature, fallback: Fallback, given: Arguments, result: np.ndarray) -> None:
    """Results flagged by NaN made again: by the second kernel, else by `repair`."""
    if not result.size:
        return
    if given.batch:
        lost = _repair_rows(signature, fallback, given, result.reshape(int(np.prod(given.batch)), -1))
        if fallback.report is not None and len(lost):
            fallback.report(lost, given.batch)
    elif np.isnan(result.flat[0]):
        found = np.nan if fallback.second is None else fallback.second()(*given.arrays)
        flagged = np.isnan(np.ravel(found)[0])
        result[...] = np.reshape(fallback.repair(*given.arrays, alone=True) if flagged else found, result.shape)


def _repair_rows(signature: Signature, fallback: Fallback, given: Arguments, results: np.ndarray) -> np.ndarray:
    """The same for rows of a batch; returns those without a result. Rows with bad inputs stay NaN."""
    rows = np.flatnonzero(np.isnan(results[:, 0]))
    if not len(rows):
        return rows
    results[rows] = np.nan
    ports = zip(signature.inputs, given.arrays, given.strides, strict=True)
    inputs = [x.reshape(-1, *port.shape) if stride else x.reshape(1, *port.shape) for port, x, stride in ports]
    chosen = [x[rows] if len(x) > 1 else np.repeat(x, len(rows), axis=0) for x in inputs]
    good = good_rows(signature, chosen)
    rows, chosen = rows[good], [x[good] for x in chosen]
    if fallback.second is not None and len(rows):
        results[rows] = np.reshape(fallback.second()(*chosen), (len(rows), -1))
    for row, *state in zip(rows, *chosen, strict=True):
        if np.isnan(results[row, 0]):
            results[row] = np.ravel(fallback.repair(*state, alone=False))
    return rows[np.isnan(results[rows, 0])]
