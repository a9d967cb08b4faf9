"""A program as a Python function backed by machine code."""

from __future__ import annotations

import ctypes
import itertools
import os
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NoReturn

import numpy as np

from linkwright.compiler.codegen.python_api import builtin
from linkwright.compiler.codegen.target import Options
from linkwright.compiler.passes.counts import OpCount
from linkwright.compiler.runtime.arguments import Arguments, checked_arguments, good_rows, outputs
from linkwright.compiler.runtime.linking import Library
from linkwright.compiler.runtime.threads import threads_for
from linkwright.compiler.trace.program import Signature
from linkwright.errors import ArgumentError, CompilerError

_LARGEST_LENT = 4096
_ROWS = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_int64, ctypes.c_int64)


@dataclass(frozen=True, eq=False)
class Fallback:
    """Results for states that a pivot-checked kernel flags by NaN in its first number.

    Attributes:
        repair: called as `repair(*state, alone=...)`, returns the result of the single output. With `alone` it is a
            single state, for which it may raise; otherwise a row of a batch, for which it returns NaN.
        second: makes, when first needed, a kernel of the same signature, or what is called like one, that is called
            before it; it too flags by NaN.
    """

    repair: Callable[..., Any]
    second: Callable[[], Any] | None = None


class Kernel:
    """Compiled code of one program; call it with arrays, any leading batch axes.

    Attributes:
        signature: ports in and out.
        count: operations of the program.
        lanes: states side by side in `lw_block`.
        call: the same function without Python in between when given one state in contiguous float64 arrays.
    """

    def __init__(
        self,
        signature: Signature,
        count: OpCount,
        lanes: int,
        options: Options,
        library: Library,
        fallback: Fallback | None = None,
        general: Callable[..., Any] | None = None,
    ) -> None:
        self.signature = signature
        self.count = count
        self.lanes = lanes
        self.options = options
        self._body = _Body(signature, count.total, library, fallback, general)
        self.call, self._record = _entry(self._body)

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        """The program's outputs; `out=` takes the results, `threads=` overrides the number of threads for a batch.

        A single state with a value that is not finite raises `ArgumentError`; in a batch such a row gives a row of NaN.
        """
        return self.call(*arrays, **named)

    def __reduce__(self) -> NoReturn:
        raise CompilerError(
            "machine code cannot be pickled; pickle the Program and compile it (or find it cached) there"
        )

    def __repr__(self) -> str:
        return f"Kernel({', '.join(port.name for port in self.signature.inputs)}; {self.count.total} operations)"

    def extended(self, fallback: Fallback | None = None, general: Callable[..., Any] | None = None) -> Kernel:
        """Another kernel of the same machine code.

        Args:
            fallback: results for states that this code flags.
            general: takes over calls with further arguments, so that `call` can stand in for a richer function.
        """
        body = self._body
        return Kernel(
            self.signature,
            self.count,
            self.lanes,
            self.options,
            body.library,
            fallback or body.fallback,
            general or body.general,
        )

    @property
    def addresses(self) -> Mapping[str, int]:
        """Machine addresses of `lw_state`, `lw_block` and `lw_rows`, for other compiled code; keep the kernel alive."""
        return self._body.library.addresses


class _Body:
    """The general call: conversion, broadcasting, threads. It owns the machine code; the Python entry owns it."""

    def __init__(
        self,
        signature: Signature,
        n_operations: int,
        library: Library,
        fallback: Fallback | None,
        general: Callable[..., Any] | None,
    ) -> None:
        self.signature = signature
        self.n_operations = n_operations
        self.library = library
        self.rows = _ROWS(library.addresses["lw_rows"])
        self.keep: Any = None
        self.fallback = fallback
        self.general = general

    def __call__(self, *arrays: Any, out: Any = None, threads: int | None = None, **named: Any) -> Any:
        known = self.signature.inputs
        if self.general is not None and (len(arrays) > len(known) or not named.keys() <= {p.name for p in known}):
            return self.general(*arrays, **named)
        if threads is not None and (not isinstance(threads, int) or threads < 1):
            raise ArgumentError(f"threads is {threads!r}, expected a whole number of at least 1, or None")
        given = checked_arguments(self.signature, arrays, named)
        made = outputs(self.signature, given.batch, out, given.arrays)
        self._run(given, list(made.values()), threads)
        if self.fallback is not None:
            _repair(self.signature, self.fallback, given, next(iter(made.values())))
        if out is not None:
            return out
        return self.signature.pack(made)

    def _run(self, given: Arguments, made: list[np.ndarray], threads: int | None) -> None:
        n = int(np.prod(given.batch, dtype=np.int64))
        count = len(given.arrays) + len(made)
        pointers = (ctypes.c_void_p * count)(*(x.__array_interface__["data"][0] for x in (*given.arrays, *made)))
        strides = (ctypes.c_int64 * count)(*given.strides, *(port.size for port in self.signature.outputs))
        wanted = threads or threads_for(n, self.n_operations)
        if wanted == 1 or n < 2:
            self.rows(pointers, strides, 0, n)
            return
        edges = [n * i // wanted for i in range(wanted + 1)]
        list(
            _pool(wanted, os.getpid()).map(lambda part: self.rows(pointers, strides, *part), itertools.pairwise(edges))
        )


def _repair(signature: Signature, fallback: Fallback, given: Arguments, result: np.ndarray) -> None:
    """Results flagged by NaN made again: by the second kernel, else by `repair`."""
    if given.batch:
        _repair_rows(signature, fallback, given, result.reshape(int(np.prod(given.batch)), -1))
    elif np.isnan(result.flat[0]):
        found = np.nan if fallback.second is None else fallback.second().call(*given.arrays)
        flagged = np.isnan(np.ravel(found)[0])
        result[...] = np.reshape(fallback.repair(*given.arrays, alone=True) if flagged else found, result.shape)


def _repair_rows(signature: Signature, fallback: Fallback, given: Arguments, results: np.ndarray) -> None:
    """The same for rows of a batch; those with bad inputs stay NaN."""
    rows = np.flatnonzero(np.isnan(results[:, 0]))
    if not len(rows):
        return
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


def _entry(body: _Body) -> tuple[Any, Any]:
    address = body.library.addresses.get("lw_call")
    if not address:
        return body, None
    call, record = builtin("compiled", address, body)
    body.keep = record
    _lend(body.signature, body.library)
    return call, record


def _lend(signature: Signature, library: Library) -> None:
    """Two result arrays for the code to hand out again once their owners have let them go; kept with the library."""
    port = signature.outputs[0]
    if signature.form != "array" or port.size > _LARGEST_LENT or any(isinstance(x, np.ndarray) for x in library.kept):
        return
    spares = [np.empty(port.shape), np.empty(port.shape)]
    lend = ctypes.PYFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(library.addresses["lw_lend"])
    lend(id(spares[0]), id(spares[1]))
    library.kept.extend(spares)


@lru_cache
def _pool(threads: int, process: int) -> ThreadPoolExecutor:
    """Threads of this process: a forked child has none of its parent's."""
    return ThreadPoolExecutor(threads, thread_name_prefix="linkwright")
