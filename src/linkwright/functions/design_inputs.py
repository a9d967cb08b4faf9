"""Compiled functions of a mechanism whose numbers are inputs, and programs traced inside a trace."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import fields, is_dataclass, replace
from functools import cached_property
from typing import Any, TypeVar

import numpy as np

from linkwright.algebra.sums import SymbolSum
from linkwright.checks import all_finite, require_real_array
from linkwright.compiler import (
    Fallback,
    Kernel,
    OpCount,
    Options,
    Program,
    Scalar,
    Signature,
    cached_kernel,
    divide_program,
    trace,
)
from linkwright.compiler.trace.tracing import Shape
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, Finding, LinkwrightError, ParameterWarning, warn_caller
from linkwright.functions.memo import source_stamp
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.parameterized_mechanism import ParameterizedMechanism, parameterize_mechanism

# --- programs traced inside a trace -----------------------------------------------------------------------------------

Record = TypeVar("Record")


def traced_on(
    record: Record, function: Callable[..., Any], inputs: Mapping[str, Shape]
) -> tuple[Program, tuple[np.ndarray, ...]]:
    """The program of `function(record, **inputs)`, and what to give it behind the inputs.

    Numbers of the record that an outer trace has recorded become one more argument of the program; without any, there
    is nothing to give.
    """
    met: dict[int, Any] = {}
    _replace_recorded_values(record, lambda x: met.setdefault(id(x), x))
    if not met:
        return trace(lambda **x: function(record, **x), inputs), ()

    def inner(outer: np.ndarray, **x: Any) -> Any:
        known = dict(zip(met, outer, strict=True))
        return function(_replace_recorded_values(record, lambda y: known[id(y)]), **x)

    values = np.array([x.recorded_value if isinstance(x, SymbolSum) else x for x in met.values()], dtype=object)
    return trace(inner, {**inputs, "outer": (len(met),)}), (values,)


def _replace_recorded_values(x: Any, change: Callable[[Any], Any]) -> Any:
    """A record, tuple or array with its recorded values changed; constants among them are plain numbers then."""
    if isinstance(x, Scalar):
        return change(x) if x.value is None else x.value
    if isinstance(x, SymbolSum):
        return change(x)
    if isinstance(x, np.ndarray):
        if x.dtype != object:
            return x
        return np.array([_replace_recorded_values(y, change) for y in x.ravel()], dtype=object).reshape(x.shape)
    if isinstance(x, tuple):
        items = tuple(_replace_recorded_values(y, change) for y in x)
        return x if all(new is old for new, old in zip(items, x, strict=True)) else items
    if is_dataclass(x) and not isinstance(x, type):
        given = {f.name: getattr(x, f.name) for f in fields(x)}
        new = {name: _replace_recorded_values(value, change) for name, value in given.items()}
        new = {name: value for name, value in new.items() if value is not given[name]}
        return x if not new else x.replace_unchecked(**new) if isinstance(x, Mechanism) else replace(x, **new)
    return x


# --- compiled functions of a mechanism whose numbers are inputs -------------------------------------------------------


@dataclass(frozen=True, eq=False)
class ValueChecks:
    """Looks for masses and inertias that no real body has; compiled once for all values."""

    source: ParameterizedMechanism

    @cached_property
    def _margins(self) -> Kernel | None:
        """From values of the inputs to the margins of all masses and inertias that follow from them."""
        if not self.source.checked_bodies:
            return None
        program = trace(lambda p: np.array(self.source.margins(list(p))), {"p": len(self.source.inputs)})
        title = f"{source_stamp()} margins of inertias ".encode()
        return cached_kernel(title + program.digest, lambda: program)

    def warn(self, values: np.ndarray) -> None:
        """Warn of every body that is not a real one at one set of values, (n_p,)."""
        if self._margins is None or self._margins(values).min() >= 0.0:  # a margin of NaN is not
            return
        for finding in self.source.doubts(values.tolist()):
            text = (
                f"mechanism '{self.source.mech.name}' at these values of its inputs: '{finding.subject}' has a mass or "
            )
            warn_caller(f"{text}an inertia that no real body has ({finding.code})", ParameterWarning, finding)


_LEFT_OUT: Any = object()


@dataclass(frozen=True, eq=False)
class Inputs:
    """The inputs of a mechanism, and the values at which it stands.

    Attributes:
        source: the mechanism at its nominal values, with the names of its inputs.
        checks: of masses and inertias at other values.
        given: other values [SI], (n_p,), or (..., n_p) for states that have their own each; None at the nominal ones.
    """

    source: ParameterizedMechanism
    checks: ValueChecks
    given: np.ndarray | None = None

    @cached_property
    def values(self) -> np.ndarray:
        """Values of the inputs, (n_p,) or (..., n_p)."""
        return np.array(self.source.nominal, dtype=float) if self.given is None else self.given

    @property
    def mechanism(self) -> Mechanism:
        """The mechanism at these values, checked as every mechanism is."""
        self.require_one()
        return self.source.mech if self.given is None else self.source.at(self.values.tolist())

    def at(self, values: np.ndarray) -> Inputs:
        """The same inputs at other values."""
        return Inputs(self.source, self.checks, values)

    def warn_of_doubts(self) -> None:
        """Warn of masses and inertias that no real body has, once for these values; batches are not looked at."""
        if self.given is not None and self.given.ndim == 1 and not self._looked_at:
            self._looked_at.append(True)
            self.checks.warn(self.given)

    @cached_property
    def _looked_at(self) -> list[bool]:
        return []

    def require_one(self) -> None:
        """Refuse several sets of values."""
        if self.values.ndim != 1:
            raise ArgumentError(
                f"p has the shape {self.values.shape}, and this function takes one set of parameters at a time, "
                f"({len(self.source.inputs)},); use with_parameters in a loop over the sets"
            )


def nominal_inputs(mech: Mechanism, names: Sequence[str]) -> Inputs:
    """The named inputs of a mechanism, at their nominal values."""
    source = parameterize_mechanism(mech, names)
    return Inputs(source, ValueChecks(source))


class InputKernel:
    """A function compiled in two parts, called as a `Kernel` is; `p` gives other values of the inputs for one call.

    Attributes:
        first: from values of the inputs to what every state needs of them, these values in front.
        rest: from a state and the results of `first` to the function's.
        inputs: the inputs, and the values at which the function is called.
        call: the same function.
    """

    def __init__(self, first: Kernel, rest: Kernel, inputs: Inputs, general: Callable[..., Any] | None = None) -> None:
        self.first, self.rest, self.inputs, self.general = first, rest, inputs, general
        self.names = tuple(port.name for port in rest.signature.inputs[:-1])
        self._ready: np.ndarray | None = None

    def __call__(self, *arrays: Any, **named: Any) -> Any:
        if not named and len(arrays) == len(self.names):
            return self.rest.call(*arrays, self.early_results if self._ready is None else self._ready)
        return self._with_options(*arrays, **named)

    @property
    def call(self) -> Callable[..., Any]:
        """The same function with less of Python in between where it takes three arrays, as dynamics does."""
        if len(self.names) != 3:
            return self
        code, ready, options = self.rest.call, self.early_results, self._with_options

        def called(x: Any = _LEFT_OUT, y: Any = _LEFT_OUT, z: Any = _LEFT_OUT, *more: Any, **named: Any) -> Any:
            if named or more or z is _LEFT_OUT:
                return options(*(a for a in (x, y, z, *more) if a is not _LEFT_OUT), **named)
            return code(x, y, z, ready)

        return called

    @property
    def early_results(self) -> np.ndarray:
        """The results of the first part at the values of the inputs."""
        if self._ready is None:
            found = self.first(self.inputs.values)
            if found.ndim == 1 and not all_finite(found):
                raise self._unprepared_error()
            self.inputs.warn_of_doubts()
            self._ready = found
        return self._ready

    def _unprepared_error(self) -> ArgumentError:
        """The error of values at which the first part is not finite: no mechanism, or one of another plan."""
        source, values = self.inputs.source, self.inputs.values
        what = f"mechanism '{source.mech.name}' at {dict(zip(source.names, values.tolist(), strict=True))}"
        try:
            source.at(values.tolist())
        except LinkwrightError as error:
            return ArgumentError(
                f"{what} cannot be built: a length, an angle or an inertia that follows from them is not a finite "
                f"number, or not a possible one ({error}); give values nearer to the nominal ones"
            )
        message = (
            f"{what}: the order of solving that was planned at the nominal values divides by a mass, an inertia or a "
            "length that is zero here; build a model at these values: build(model.with_parameters(p).mechanism, "
            "inputs=[...])"
        )
        return ArgumentError(message, [Finding("plan-not-usable", message)])

    @property
    def bound_kernel(self) -> BoundKernel:
        """The function at these values, for compiled code that calls it."""
        return BoundKernel(self.rest, self.early_results, self.first, {"p": self.inputs.values})

    def _with_options(self, *arrays: Any, **named: Any) -> Any:
        named = {name: x for name, x in named.items() if name not in ("out", "p") or x is not None}
        if not named and len(arrays) == len(self.names):
            return self(*arrays)
        if self.general is not None and (len(arrays) > len(self.names) or named.keys() - {*self.names, "out"}):
            return self.general(*arrays, **named)
        if "p" in named:
            return self.at(checked_values(self.inputs.source, named.pop("p")))(*arrays, **named)
        return self.rest(*arrays, **named, **{self.rest.signature.inputs[-1].name: self.early_results})

    def at(self, values: np.ndarray) -> InputKernel:
        """The same machine code at other values of the inputs."""
        return InputKernel(self.first, self.rest, self.inputs.at(values), self.general)

    def with_fallback(
        self,
        fallback: Fallback | None = None,
        general: Callable[..., Any] | None = None,
        report: Callable[[np.ndarray, tuple[int, ...]], None] | None = None,
    ) -> InputKernel:
        """The same machine code with results for states that it flags, as `Kernel.with_fallback`.

        The repair of a fallback is a `FallbackChain`: it is asked at the values that the flagged state has.
        """
        rest = self.rest.with_fallback(None if fallback is None else self._fallback_of_rest(fallback), report=report)
        return InputKernel(self.first, rest, self.inputs, general or self.general)

    def _fallback_of_rest(self, fallback: Fallback) -> Fallback:
        n, repair, second = len(self.inputs.source.inputs), fallback.repair, fallback.second

        kept: list[tuple[bytes, Any]] = [(b"", None)]  # building a mechanism takes longer than repairing a row

        def repaired(*state: Any, alone: bool) -> Any:
            values = np.array(state[-1][:n])
            key = values.tobytes()
            known, owned = kept[0]
            if known != key:
                owned = repair.at(values)  # type: ignore[attr-defined]
                kept[0] = key, owned
            return owned(*state[:-1], alone=alone)

        return Fallback(repaired, None if second is None else lambda: _Second(second(), n), fallback.report)


@dataclass(frozen=True, eq=False)
class BoundKernel:
    """A compiled function with its last argument fixed: numbers that follow from inputs and other constants.

    Attributes:
        rest: the function.
        early_results: its last argument.
        first: what computed them.
        early: from which values.
    """

    rest: Kernel
    early_results: np.ndarray
    first: Kernel
    early: Mapping[str, np.ndarray]

    def __call__(self, *state: Any) -> Any:
        return self.rest.call(*state, self.early_results)

    def early_results_at(self, p: np.ndarray) -> np.ndarray:
        """The last argument at other values of the inputs, (..., n_p)."""
        found: np.ndarray = self.first.call(*{**self.early, "p": p}.values())
        return found

    @property
    def signature(self) -> Signature:
        """Ports of the function, with the fixed one last."""
        return self.rest.signature

    @property
    def count(self) -> OpCount:
        """Operations at every state."""
        return self.rest.count


@dataclass(frozen=True, eq=False)
class Divided:
    """A function compiled in two parts: from the `early` arguments alone, and the rest."""

    first: Kernel
    rest: Kernel
    early: tuple[str, ...]

    def bind_inputs(self, given: Mapping[str, np.ndarray]) -> BoundKernel:
        """The function with its early arguments fixed."""
        early = {name: given[name] for name in self.early}
        return BoundKernel(self.rest, self.first.call(*early.values()), self.first, early)


def in_parts(title: bytes, program: Program, early: Sequence[str], options: Options | None = None) -> Kernel | Divided:
    """The machine code of a program, divided where it has early arguments; the options are those of the rest."""
    names = tuple(port.name for port in program.inputs if port.name in early)
    if not names:
        return cached_kernel(title + program.digest, lambda: program, options)
    first, rest = divide_program(program, names)
    late = cached_kernel(title + rest.digest, lambda: rest, options)
    return Divided(cached_kernel(title + first.digest, lambda: first), late, names)


@dataclass(frozen=True, eq=False)
class _Second:
    """A second kernel, which prepares its own values from the inputs in front of those of the first."""

    kernel: Any
    n: int

    def __call__(self, *state: Any) -> Any:
        return self.kernel.at(state[-1][..., : self.n])(*state[:-1])

    @property
    def call(self) -> Callable[..., Any]:
        return self


def checked_values(source: ParameterizedMechanism, p: Any) -> np.ndarray:
    """Values of the inputs, (..., n_p), real numbers."""
    n = len(source.inputs)
    try:
        values = np.array(require_real_array("p", p), dtype=float)
    except ArgumentError:
        raise ArgumentError(f"p is {p!r:.80}, expected an array (..., {n}) of numbers") from None
    if values.ndim == 0 or values.shape[-1] != n:
        raise ArgumentError(
            f"p has the shape {values.shape}, expected (..., {n}): the inputs are {', '.join(source.names)}; "
            "model.parameters.array(...) makes such arrays"
        )
    if values.ndim == 1 and not all_finite(values):
        bad = int(np.flatnonzero(~np.isfinite(values))[0])
        raise ArgumentError(f"p[{bad}] ({source.names[bad]}) is {values[bad]}, expected a finite number")
    return values
