"""Named compiled functions of a mechanism, traced and compiled when first needed, or taken from the cache.

A closure Jacobian of many loops is nearly all zeros, and code that stores each of them takes long to compile.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from typing import Any, Generic, TypeVar

import numpy as np

from linkwright.compiler import (
    Kernel,
    Options,
    Port,
    Program,
    RolledProgram,
    Signature,
    cached_kernel,
    divide_program,
    evaluate,
    inline_program,
    operation_count,
    trace,
)
from linkwright.compiler.cache import keep_text, recall_text
from linkwright.compiler.trace.tracing import Shape
from linkwright.dataclass import dataclass, exact_text
from linkwright.errors import ArgumentError
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import BoundKernel, Divided, InputKernel, Inputs
from linkwright.functions.memo import Cache, memo, source_stamp
from linkwright.functions.setup import Setup, setup_at, setup_here
from linkwright.functions.stages import Stage
from linkwright.mechanism.parameterized_mechanism import ParameterizedMechanism

# --- functions whose results are mostly constants: code gives the others, which are put among them --------------------

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

    def fill_output(self, values: np.ndarray, out: np.ndarray | None) -> np.ndarray:
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
        whole = [slots.fill_output(x, o) for slots, x, o in zip(self.slots, found, given, strict=True)]
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
    key: str, program: Callable[[], Program], make_kernel: Callable[[Callable[[], Program]], Kernel]
) -> Scattered:
    """The function of a program, by way of the cache.

    Args:
        key: of the note that holds signature and slots (letters and digits).
        program: the whole program, traced only if note or code are not in the cache.
        make_kernel: the kernel of what varies, given a function that makes its program.
    """
    text = recall_text(key)
    parts = None if text is None else _read_scattered_slots(text)
    if parts is None:
        whole = program()
        parts = whole.outputs, whole.form, varying_part(whole)[1]
        keep_text(key, _slots_as_text(*parts))
    outputs, form, slots = parts
    kernel = make_kernel(lambda: varying_part(program())[0])
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


# --- named compiled functions of a mechanism, traced and compiled when first needed, or taken from the cache ----------

AnyProgram = TypeVar("AnyProgram", Program, RolledProgram)
AnyStage = TypeVar("AnyStage", bound=Stage)

# Programs traced last, in this process, by everything that decides them: planning traces what is then compiled.
_RECENT: dict[tuple[Any, ...], Program] = {}
_MOST_RECENT = 12


class Kernels(Generic[AnyStage]):
    """Programs and machine code of a mechanism at one stage; safe to share between threads.

    Functions of the stages below are there too. Of a mechanism with inputs, functions are compiled once for all their
    values, and programs are those of the values at which the stage stands.

    Attributes:
        stage: what is known of the mechanism.
        setup: trees, closure equations and actuators, on which the stage stands.
        cache: what was found out at this stage; the same for all values of the inputs.
    """

    def __init__(self, stage: AnyStage) -> None:
        self.stage: AnyStage = stage
        self.setup: Setup = stage.setup
        self.cache = Cache()
        self._codes: dict[Any, InputKernel] = {}

    @cached_property
    def here(self) -> Setup:
        """The setup with the numbers of the values at which it stands; `setup` has the nominal ones."""
        return setup_here(self.setup)

    def at(self, values: np.ndarray) -> Kernels[AnyStage]:
        """The same functions at other values of the mechanism's inputs; nothing is traced or compiled again."""
        found: Kernels[AnyStage] = Kernels(self.stage.on(self.setup.at(values)))
        found.cache = self.cache
        return found

    def program(self, definition: Definition, wrench: bool = False, frame: str | None = None) -> Program:
        """The traced program of a definition; `wrench` adds the argument w_ext, `frame` fixes a frame."""
        inputs = self.setup.inputs
        if inputs is None or inputs.given is None:
            return self._cheapest(definition, wrench, frame, with_inputs=False)
        inputs.require_one()
        whole, values = self.input_program(definition, wrench, frame), inputs.values
        states = {port.name: port.shape for port in whole.inputs if port.name != "p"}
        found = trace(lambda **x: inline_program(whole, *x.values(), values), states)
        return found if definition.any_norm else self.with_unit_quaternions(found)

    def input_program(self, definition: Definition, wrench: bool = False, frame: str | None = None) -> Program:
        """The program of a definition that takes the values of the mechanism's inputs as its last argument, p.

        Of a mechanism without inputs it is the program.
        """
        return self._cheapest(definition, wrench, frame, with_inputs=self.setup.inputs is not None)

    def function(self, definition: Definition, wrench: bool = False, frame: str | None = None) -> Callable[..., Any]:
        """Machine code of a definition."""
        if self._scatters(definition):
            return self._scattered_function(definition, wrench, frame)
        return self.code(definition, wrench, frame)

    def code(self, definition: Definition, wrench: bool = False, frame: str | None = None) -> Kernel | InputKernel:
        """The compiled function of a definition, with the inputs of the mechanism where it has some."""
        inputs = self.setup.inputs
        if inputs is None:
            return self._whole(definition, wrench, frame)
        key = (definition, wrench, frame)
        if key not in self._codes:
            parts = self._parts(definition, wrench, frame, ("p",))
            self._codes.setdefault(key, InputKernel(parts.first, parts.rest, inputs))
        return self._codes[key]

    @memo()
    def _whole(self, definition: Definition, wrench: bool, frame: str | None) -> Kernel:
        def made() -> Program | RolledProgram:
            """The rolled form of a big tree where there is one, else the straight program."""
            rolled = None if definition.rolled is None or wrench else definition.rolled(self.setup)
            if rolled is None:
                return self.program(definition, wrench, frame)
            return rolled if definition.any_norm else self.with_unit_quaternions(rolled)

        return self._compile_definition(definition, wrench, frame, made)

    def bind_constants(self, definition: Definition, **constants: np.ndarray) -> Kernel | BoundKernel:
        """The compiled function of a state alone, with inputs of the mechanism and constant arguments bound to it.

        Constants that the definition does not take are left out. What follows from them alone is computed here.
        """
        taken = {n: constants[n] for n in definition.inputs if n in constants}
        if not taken:
            found = self.code(definition)
            return found if isinstance(found, Kernel) else found.bound_kernel
        given = self.setup.with_p(taken)
        return self._parts(definition, False, None, tuple(given)).bind_inputs(given)

    @memo()
    def _parts(self, definition: Definition, wrench: bool, frame: str | None, early: tuple[str, ...]) -> Divided:
        """The function in two parts: what follows from the early arguments alone, and the rest."""

        def part(i: int) -> Program:
            whole = self.input_program(definition, wrench, frame)
            return divide_program(whole, early, pass_on=early == ("p",))[i]

        first = self._compile_definition(definition, wrench, frame, lambda: part(0), f"first {early}")
        return Divided(
            first, self._compile_definition(definition, wrench, frame, lambda: part(1), f"rest {early}"), early
        )

    def derived_kernel(self, key: tuple[Any, ...], make: Callable[[], Program], pivot_checked: bool) -> InputKernel:
        """A compiled function of the stage that no definition names: of a program with p as its last argument.

        `key` says which one it is, apart from the stage.
        """
        inputs, title = self._required_inputs(), f"{source_stamp()} {self.stage.identity} {exact_text(key)}"
        both = lru_cache(lambda: divide_program(self.with_unit_quaternions(make()), ["p"], pass_on=True))

        def parts() -> tuple[Kernel, Kernel]:
            first = cached_kernel(f"{title} first", lambda: both()[0])
            return first, cached_kernel(f"{title} rest", lambda: both()[1], Options(pivot_checked=pivot_checked))

        first, rest = self.cache.get(("derived", key), parts)
        return InputKernel(first, rest, inputs)

    def with_inputs(self, function: Callable[..., Any], shapes: Mapping[str, Shape]) -> Program:
        """The program of a function of the stage, of arrays and of the inputs p, its last argument."""
        return _trace_with_inputs(self.stage, self._required_inputs().source, function, shapes)

    def _required_inputs(self) -> Inputs:
        if self.setup.inputs is None:
            raise ArgumentError(
                f"the model of '{self.setup.mech.name}' has no inputs; name them in build(mech, inputs=[...])"
            )
        return self.setup.inputs

    def values(self, definition: Definition, *arrays: np.ndarray) -> Any:
        """Results of a definition without compiling it, for arrays with any leading batch axes."""
        program = self.program(definition)
        if not self._scatters(definition):
            return evaluate(program, *arrays)
        varying, slots = self._varying(definition)
        found = [part.fill_output(x, None) for part, x in zip(slots, evaluate(varying, *arrays), strict=True)]
        return program.signature.pack({port.name: x for port, x in zip(program.outputs, found, strict=True)})

    def entries(self, definition: Definition, *arrays: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Entries of a definition's array that are not zero: their slots in the flat array, and values (..., n)."""
        varying, (slots,) = self._varying(definition)
        return slots.present, slots.entries(evaluate(varying, *arrays)[0])

    def _varying(self, definition: Definition) -> tuple[Program, tuple[Slots, ...]]:
        if self.setup.inputs is not None:  # the program depends on their values
            return varying_part(self.program(definition))
        return self._varying_part(definition)

    @memo()
    def _varying_part(self, definition: Definition) -> tuple[Program, tuple[Slots, ...]]:
        return varying_part(self.program(definition))

    def _scatters(self, definition: Definition) -> bool:
        """Whether code gives only what varies of a definition's matrix: with many loops and numbers that are fixed."""
        fixed = self.setup.inputs is None
        return definition.sparse and fixed and self.setup.tree.nv >= LARGE and self.setup.closure.n_all > 0

    @memo()
    def _scattered_function(self, definition: Definition, wrench: bool, frame: str | None) -> Scattered:
        title = f"{source_stamp()} {self.record(definition).identity} {(definition.name, wrench, frame)} slots"
        key = hashlib.blake2b(title.encode(), digest_size=16).hexdigest()

        def varying(make: Callable[[], Program]) -> Kernel:
            return self._compile_definition(definition, wrench, frame, make, "varying")

        return scattered_function(key, lambda: self.program(definition, wrench, frame), varying)

    def _compile_definition(
        self, definition: Definition, wrench: bool, frame: str | None, make: Callable[[], Any], part: str = ""
    ) -> Kernel:
        key = f"{source_stamp()} {self.record(definition).identity} {(definition.name, wrench, frame)} {part}"
        options = Options(pivot_checked=definition.pivot_checked and not part.startswith("first"))
        return cached_kernel(key, make, options, definition.name.removeprefix("checked_").replace("_", " "))

    @memo()
    def pattern(self, definition: Definition) -> np.ndarray:
        """Mask of the entries of a definition's array result that are not zero by structure."""
        program = self.input_program(definition)
        zeros = {program.n_inputs + i for i, c in enumerate(program.constants) if c == 0.0}
        (port,) = program.outputs
        return np.array([int(r) not in zeros for r in program.results], dtype=bool).reshape(port.shape)

    def cheapest_definition(self, definition: Definition, wrench: bool) -> Definition:
        """The definition itself, or the other way to write it where that takes fewer operations."""
        return self._cheaper(definition, wrench, None, with_inputs=self.setup.inputs is not None)

    def _cheaper(self, definition: Definition, wrench: bool, frame: str | None, with_inputs: bool) -> Definition:
        if definition.cheaper is None or self.setup.tree.nv > definition.compare_up_to:
            return definition
        ways = (definition, definition.cheaper)
        return min(ways, key=lambda way: operation_count(self._trace_definition(way, wrench, frame, with_inputs)).total)

    @memo()
    def _cheapest(self, definition: Definition, wrench: bool, frame: str | None, with_inputs: bool) -> Program:
        way = self._cheaper(definition, wrench, frame, with_inputs)
        found = self._trace_definition(way, wrench, frame, with_inputs)
        return found if definition.any_norm else self.with_unit_quaternions(found)

    def with_unit_quaternions(self, program: AnyProgram) -> AnyProgram:
        """The same program, which requires unit quaternions in q."""
        if not self.setup.units:
            return program
        inputs = tuple(replace(p, units=self.setup.units) if p.name == "q" else p for p in program.inputs)
        return replace(program, inputs=inputs)

    def _trace_definition(self, definition: Definition, wrench: bool, frame: str | None, with_inputs: bool) -> Program:
        record = self.record(definition)
        key = (record.identity, definition, wrench, frame, with_inputs)
        found = _RECENT.pop(key, None)
        if found is None:
            sizes, fixed = record.sizes(), {} if frame is None else {"frame": frame}
            shapes = {n: sizes[n] for n in ((*definition.inputs, "w_ext") if wrench else definition.inputs)}
            if with_inputs:
                source = self._required_inputs().source
                found = _trace_with_inputs(record, source, lambda at, p, **x: definition(at, **x, **fixed), shapes)
            else:
                found = trace(lambda **x: definition(record, **x, **fixed), shapes)
        _RECENT[key] = found
        while len(_RECENT) > _MOST_RECENT:
            _RECENT.pop(next(iter(_RECENT)), None)
        return found

    def record(self, definition: Definition) -> Any:
        """The record a definition works on: that of its stage."""
        found: Any = self.stage
        while found is not None and definition.stage is not type(found):
            found = found.base
        if found is None:
            raise ArgumentError(
                f"'{definition.name}' needs the stage {definition.stage.__name__}, and these kernels are at "
                f"{type(self.stage).__name__}"
            )
        return found


def _trace_with_inputs(
    record: Any, source: ParameterizedMechanism, function: Callable[..., Any], shapes: Mapping[str, Shape]
) -> Program:
    """The program of a function of a stage's record at values of the inputs, of p and of arrays; p is its last one."""

    def with_p(p: np.ndarray, **x: Any) -> Any:
        return function(record.on(setup_at(record.setup, source, list(p))), p, **x)

    return trace(with_p, {**shapes, "p": (len(source.inputs),)})
