"""A program as a Python function backed by machine code: its arguments, one state, batches."""

from __future__ import annotations

import ctypes
import itertools
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from linkwright.checks import is_masked, quote_value, require_real_array
from linkwright.compiler.codegen.module import AnyProgram
from linkwright.compiler.codegen.python_api import make_builtin
from linkwright.compiler.codegen.target import Options
from linkwright.compiler.runtime.code import MOST_THREADS, NativeCode, PartSource, thread_pool, threads_for
from linkwright.compiler.trace.program import GIVEN, Port, Signature, UnitVector
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, CompilerError

# --- from the arguments of a call to contiguous float64 arrays, or to an error message --------------------------------


@dataclass(frozen=True)
class Arguments:
    """Inputs ready for machine code.

    Attributes:
        batch: leading axes of the result.
        arrays: contiguous float64, either one row or one row per state.
        strides: doubles from one state to the next, 0 where a single row serves all.
    """

    batch: tuple[int, ...]
    arrays: tuple[np.ndarray, ...]
    strides: tuple[int, ...]


def checked_arguments(signature: Signature, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> Arguments:
    """Inputs by position or name, converted, with their leading axes broadcast."""
    given = [
        require_real_array(f"input '{port.name}'", x)
        for port, x in zip(signature.inputs, signature.bind(arrays, named), strict=True)
    ]
    leading = [port.leading_axes(x.shape) for port, x in zip(signature.inputs, given, strict=True)]
    try:
        batch = np.broadcast_shapes(*leading)
    except ValueError:
        shapes = {port.name: x.shape for port, x in zip(signature.inputs, given, strict=True)}
        prepared = shapes.pop(GIVEN, ())  # from parameters: the caller has none of that name
        of = f", with parameters for {prepared[:-1]}" if prepared[:-1] else ""
        raise ArgumentError(f"the leading axes of the inputs do not fit together: {shapes}{of}") from None
    rows = [_input_rows(port, x, own, batch) for port, x, own in zip(signature.inputs, given, leading, strict=True)]
    if not batch:
        _require_finite(signature, [x for x, _ in rows])
        _require_units(signature, [x for x, _ in rows])
    return Arguments(batch, tuple(x for x, _ in rows), tuple(s for _, s in rows))


def _input_rows(port: Port, x: np.ndarray, own: tuple[int, ...], batch: tuple[int, ...]) -> tuple[np.ndarray, int]:
    if all(n == 1 for n in own):
        return np.ascontiguousarray(x, dtype=np.float64), 0
    full = x if own == batch else np.broadcast_to(x, (*batch, *port.shape))
    return np.require(full, np.float64, ["C", "A"]), port.size


def _require_finite(signature: Signature, rows: Sequence[np.ndarray]) -> None:
    for port, x in zip(signature.inputs, rows, strict=True):
        bad = np.flatnonzero(~np.isfinite(x))
        if bad.size:
            where = tuple(int(i) for i in np.unravel_index(bad[0], port.shape)) if port.shape else ()
            index = "".join(f"[{i}]" for i in where)
            raise ArgumentError(f"{port.name}{index} is {x.ravel()[bad[0]]}, expected a finite number")


def _require_units(signature: Signature, rows: Sequence[np.ndarray]) -> None:
    for i, unit in signature.units:
        if not is_unit(unit, rows[i].ravel()):
            raise ArgumentError(not_unit(unit, signature.inputs[i].name, rows[i].ravel()))


def is_unit(unit: UnitVector, x: np.ndarray) -> Any:
    """Return True where the part of x (..., n) that should have norm 1 does; False where it holds NaN."""
    return np.abs(np.linalg.norm(x[..., unit.part], axis=-1) - 1.0) <= unit.tolerance


def not_unit(unit: UnitVector, title: str, x: np.ndarray) -> str:
    """The message for a vector that should have norm 1 and does not."""
    norm = float(np.linalg.norm(x[unit.part]))
    where = f"{title}[{unit.start}:{unit.start + unit.size}]"
    return f"{where}, the {unit.name}, has norm {norm:.6g}, expected 1 within {unit.tolerance:g}; divide it by its norm"


def good_rows(signature: Signature, arrays: Sequence[np.ndarray]) -> np.ndarray:
    """Flags of the rows of the inputs, each (n, ...), with finite numbers only and unit vectors where due, (n,)."""
    flat = [x.reshape(len(x), -1) for x in arrays]
    good = np.all([np.isfinite(x).all(axis=1) for x in flat], axis=0)
    for i, unit in signature.units:
        good &= is_unit(unit, flat[i])
    return good


def output_arrays(
    signature: Signature, batch: tuple[int, ...], out: Any, inputs: Sequence[np.ndarray]
) -> dict[str, np.ndarray]:
    """Fresh arrays, or the caller's after checking that results can be written there."""
    if out is None:
        return {port.name: np.empty((*batch, *port.shape)) for port in signature.outputs}
    names = [port.name for port in signature.outputs]
    if isinstance(out, np.ndarray):
        out = (out,)
    if not isinstance(out, Mapping | Sequence) or isinstance(out, str):
        raise ArgumentError(f"out is {quote_value(out)}, expected one array for each of {names}")
    if len(out) != len(names) or (isinstance(out, Mapping) and set(out) != set(names)):
        raise ArgumentError(f"out has {len(out)} entries, expected one array for each of {names}")
    given = dict(out) if isinstance(out, Mapping) else dict(zip(names, out, strict=True))
    taken = list(inputs)
    for port in signature.outputs:
        _check_out(port, given[port.name], batch, taken)
        taken.append(given[port.name])
    return {name: given[name] for name in names}


def _check_out(port: Port, x: Any, batch: tuple[int, ...], taken: Sequence[np.ndarray]) -> None:
    shape = (*batch, *port.shape)
    if not isinstance(x, np.ndarray) or is_masked(x) or x.dtype != np.float64 or x.shape != shape:
        found = f"{x.dtype} {x.shape}" if type(x) is np.ndarray else type(x).__name__
        raise ArgumentError(f"out for '{port.name}' is {found}, expected a float64 array of shape {shape}")
    if not (x.flags.writeable and x.flags.c_contiguous and x.flags.aligned):
        raise ArgumentError(f"out for '{port.name}' must be writeable and C-contiguous; pass np.empty({shape})")
    if any(np.may_share_memory(x, other) for other in taken):
        raise ArgumentError(
            f"out for '{port.name}' shares memory with an input or another output; pass a separate array"
        )


# --- one state through machine code, in memory that is kept between calls ---------------------------------------------

MOST_NUMBERS = 4096
"""Inputs and outputs of programs with more numbers are not kept."""

_FLOAT = np.dtype(np.float64)


class OneState:
    """Inputs and outputs of one state side by side, and their addresses; for one thread at a time.

    Attributes:
        outputs: views of the outputs, overwritten by the next call.
        pointers, strides: what `lw_each` takes.
    """

    def __init__(self, signature: Signature) -> None:
        ports = (*signature.inputs, *signature.outputs)
        sizes = [port.size for port in ports]
        edges = [0, *itertools.accumulate(sizes)]
        numbers = np.zeros(edges[-1])
        views = [numbers[a:b].reshape(port.shape) for port, a, b in zip(ports, edges, edges[1:])]
        n = len(signature.inputs)
        self.inputs, self.outputs = views[:n], views[n:]
        self._given = numbers[: edges[n]]
        self._units = [(edges[i] + unit.start, unit.size, unit.tolerance) for i, unit in signature.units]
        self.pointers = (ctypes.c_void_p * len(ports))(*[numbers.ctypes.data + 8 * edge for edge in edges[:-1]])
        self.strides = (ctypes.c_int64 * len(ports))(*sizes)

    def takes(self, arrays: tuple[Any, ...]) -> bool:
        """Take over the inputs; False if they are not one state of plain arrays and finite numbers, or not certainly.

        The sum of squares is finite only if all numbers are.
        """
        for view, x in zip(self.inputs, arrays):
            if type(x) is not np.ndarray or x.dtype != _FLOAT or x.shape != view.shape:
                return False
            view[...] = x
        return math.isfinite(self._given.dot(self._given)) and all(map(self._is_unit, self._units))

    def _is_unit(self, unit: tuple[int, int, float]) -> bool:
        start, size, tolerance = unit
        return abs(math.hypot(*self._given[start : start + size].tolist()) - 1.0) <= tolerance


# --- A program as a Python function backed by machine code ------------------------------------------------------------

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


def cached_kernel(
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

    def make_program(self) -> AnyProgram:
        """The program as it was traced, made again where it is not at hand; `options.pivot_checked` says whether it
        flags bad results."""
        return self.addresses.make_program()

    @cached_property
    def call(self) -> Callable[..., Any]:
        """The same function without Python in between when given one state in contiguous float64 arrays."""
        address = self.addresses.call()
        if not address:
            return self._body
        name, *text = self._title or ("compiled",)
        return make_builtin(str(name), address, self._body, *text)[0]

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

    def with_fallback(
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
