"""Programs, straight or rolled over items of few kinds: the frozen records between tracing and machine code.

Straight-line code of a tree grows with the tree; this form does not. Items are numbered so that parents come before
their children. Each item has a row of named fields (its state); the base, parent of the first items, has one too.

A step is an ordinary traced `Program` whose port names say what they mean:

| port | as input | as output |
|---|---|---|
| `param` | the item's row of parameters | - |
| `<field>` | the item's own field | assigned |
| `parent_<field>` | the parent's field | added to the parent's field |
| `<input>` / `<output>` | the item's slice (all of it without offsets) | the item's slice, assigned |

Fields, and output elements nobody assigns, start at zero.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property
from typing import Any, Literal

import numpy as np

from linkwright.checks import refuse_argument, require_instance, require_real_array
from linkwright.compiler.trace.operations import operation_arity
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, CompilerError

# --- A straight-line program: the frozen record between tracing and machine code --------------------------------------

Form = Literal["array", "tuple", "dict"]


@dataclass(frozen=True)
class UnitVector:
    """Elements start .. start + size of an input, whose norm callers must give as 1 within a tolerance.

    The program must not depend on the norm. `name` is for messages.
    """

    start: int
    size: int
    name: str
    tolerance: float

    @property
    def part(self) -> slice:
        """Entries of the array that hold the vector."""
        return slice(self.start, self.start + self.size)


@dataclass(frozen=True)
class Port:
    """A named array going in or out; of an input, the parts that callers must give as unit vectors."""

    name: str
    shape: tuple[int, ...]
    units: tuple[UnitVector, ...] = ()

    @property
    def size(self) -> int:
        """Numbers of the port."""
        return math.prod(self.shape)

    def leading_axes(self, shape: tuple[int, ...]) -> tuple[int, ...]:
        """The batch axes of an array of this port, after checking that its shape ends in the port's."""
        n = len(self.shape)
        if type(shape) is not tuple:
            refuse_argument("shape", shape, "the shape of an array")
        if len(shape) < n or shape[len(shape) - n :] != self.shape:
            expected = ", ".join(map(str, self.shape))
            raise ArgumentError(f"input '{self.name}' has shape {shape}, expected (..., {expected})")
        return shape[: len(shape) - n]


GIVEN = "given"
"""The last input of the second part of a divided program."""


@dataclass(frozen=True)
class Signature:
    """Interface of a program: ports in, ports out, and the form of the result."""

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    form: Form = "array"

    @property
    def has_given(self) -> bool:
        """True for the second part of a divided program, whose last input is computed by the first."""
        return bool(self.inputs) and self.inputs[-1].name == GIVEN

    @property
    def units(self) -> list[tuple[int, UnitVector]]:
        """Every part of an input that must be a unit vector, with the number of the input."""
        return [(i, unit) for i, port in enumerate(self.inputs) for unit in port.units]

    @cached_property
    def numbers(self) -> int:
        """Numbers of all ports."""
        return sum(port.size for port in (*self.inputs, *self.outputs))

    def bind(self, arrays: tuple[Any, ...], named: Mapping[str, Any]) -> list[Any]:
        """Positional and keyword inputs in port order."""
        require_instance("arrays", arrays, (tuple, list), "a tuple of arrays")
        require_instance("named", named, Mapping, "a dictionary of arrays")
        known = [port.name for port in self.inputs]
        found = dict(zip(known, arrays, strict=False)) | dict(named)
        if len(arrays) + len(named) != len(known) or set(found) != set(known):
            problem = _argument_problem(known, len(arrays), set(named))
            raise ArgumentError(f"this function takes {', '.join(known)}; {problem}")
        return [found[name] for name in known]

    def pack(self, arrays: dict[str, Any]) -> Any:
        """Output arrays by name in the form the traced function returned."""
        require_instance("arrays", arrays, dict, "a dictionary of arrays")
        if missing := [port.name for port in self.outputs if port.name not in arrays]:
            raise ArgumentError(f"arrays has no '{missing[0]}', expected {[port.name for port in self.outputs]}")
        if self.form == "dict":
            return arrays
        values = tuple(arrays[port.name] for port in self.outputs)
        return values if self.form == "tuple" else values[0]


def _argument_problem(known: list[str], placed: int, named: set[str]) -> str:
    """The message for arguments that are unknown, given twice, missing or too many."""
    unknown, twice = sorted(named - set(known)), sorted(named & set(known[:placed]))
    missing = [name for name in known[placed:] if name not in named]
    if unknown:
        return f"'{unknown[0]}' is not one of them"
    if twice:
        return f"'{twice[0]}' is given twice"
    return f"{', '.join(missing)} {'is' if len(missing) == 1 else 'are'} missing" if missing else f"{placed} were given"


@dataclass(frozen=True, eq=False)
class Program:
    """Operations in order; every value has a number: inputs first, then constants, then one per operation.

    Attributes:
        inputs: ports whose elements, in row-major order, are the first values.
        constants: the next values, (n_constants,).
        opcodes: one `Op` per operation, (n_operations,).
        args: value numbers of the arguments, (n_operations, 3), -1 where unused.
        outputs: ports filled from `results`.
        results: value number of every output element, (n_outputs,).
        form: whether the traced function returned one array, a tuple or a dict; calls return the same.
        tables: what the look-ups read, each (n,).
    """

    inputs: tuple[Port, ...]
    constants: np.ndarray
    opcodes: np.ndarray
    args: np.ndarray
    outputs: tuple[Port, ...]
    results: np.ndarray
    form: Form = "array"
    tables: tuple[np.ndarray, ...] = ()

    def __post_init__(self) -> None:
        for name, dtype in (("constants", "<f8"), ("opcodes", "<u2"), ("args", "<i4"), ("results", "<i4")):
            array = np.ascontiguousarray(require_real_array(name, getattr(self, name)), dtype=dtype)
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @cached_property
    def n_inputs(self) -> int:
        """Numbers that go in."""
        return sum(port.size for port in self.inputs)

    @property
    def n_outputs(self) -> int:
        """Numbers that come out."""
        return len(self.results)

    @property
    def n_operations(self) -> int:
        """Length of the program."""
        return len(self.opcodes)

    @cached_property
    def first_operation(self) -> int:
        """The value number of the first operation."""
        return self.n_inputs + len(self.constants)

    @cached_property
    def operations(self) -> list[tuple[int, tuple[int, ...]]]:
        """Every operation as (opcode, arguments), in plain integers, which Python walks faster than arrays."""
        opcodes = self.opcodes.tolist()
        known = {op: operation_arity(op) for op in set(opcodes)}
        pairs = zip(opcodes, self.args.tolist(), strict=True)
        return [(op, tuple(args[: known[op]])) for op, args in pairs]

    @cached_property
    def digest(self) -> bytes:
        """A stable hash of the content; equal digests mean equal programs."""
        h = hashlib.blake2b(digest_size=16)
        h.update(repr((1, self.form, self.inputs, self.outputs)).encode())
        for array in (self.constants, self.opcodes, self.args, self.results, *self.tables):
            h.update(len(array).to_bytes(8, "little"))
            h.update(array.tobytes())
        return h.digest()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Program) and self.digest == other.digest

    def __hash__(self) -> int:
        return hash(self.digest)

    def __reduce__(self) -> Any:
        fields = (self.inputs, self.constants, self.opcodes, self.args, self.outputs, self.results)
        return Program, (*fields, self.form, self.tables)

    @property
    def signature(self) -> Signature:
        """Ports and form, as a compiled function has them."""
        return Signature(self.inputs, self.outputs, self.form)


# --- the rolled form --------------------------------------------------------------------------------------------------

PARAM = "param"
PARENT = "parent_"


@dataclass(frozen=True)
class RolledSweep:
    """One pass: the step of every kind (None: nothing to do), outward from the base or inward to it."""

    steps: tuple[Program | None, ...]
    inward: bool = False


@dataclass(frozen=True, eq=False)
class RolledProgram:
    """A computation on a tree of items.

    Attributes:
        inputs: ports of the whole computation.
        outputs: ports of the whole computation.
        fields: width of every field of an item's state.
        parent: of every item, (n,), -1 for the base; parents come first.
        kind: of every item, (n,), which of the steps does it.
        params: a row per item, (n, n_params).
        offsets: for a port, where every item's slice starts, (n,); a port without is given whole to every step.
        sweeps: the passes, in order.
        root: fields of the base that are not zero.
        form: of the result, as for `Program`.
    """

    inputs: tuple[Port, ...]
    outputs: tuple[Port, ...]
    fields: Mapping[str, int]
    parent: np.ndarray
    kind: np.ndarray
    params: np.ndarray
    offsets: Mapping[str, np.ndarray]
    sweeps: tuple[RolledSweep, ...]
    root: Mapping[str, np.ndarray] = field(default_factory=dict)
    form: Form = "array"

    def __post_init__(self) -> None:
        _validate_rolled_program(self)

    @property
    def n_items(self) -> int:
        return len(self.parent)

    @property
    def signature(self) -> Signature:
        return Signature(self.inputs, self.outputs, self.form)

    @property
    def steps(self) -> list[Program]:
        """All steps of all sweeps."""
        return [step for sweep in self.sweeps for step in sweep.steps if step is not None]

    @property
    def width(self) -> int:
        """Numbers in one row of state."""
        return sum(self.fields.values())

    @cached_property
    def starts(self) -> dict[str, int]:
        """First column of every field in a row of state."""
        ends = np.cumsum([0, *self.fields.values()]).tolist()
        return dict(zip(self.fields, ends, strict=False))

    def state_bytes(self, lanes: int) -> int:
        """Memory the state of all items takes when several runs go side by side."""
        return 8 * lanes * self.width * (self.n_items + 1)

    @property
    def offset_ports(self) -> list[str]:
        """Ports of which each item has a slice, in table order."""
        return [port.name for port in (*self.inputs, *self.outputs) if port.name in self.offsets]

    @property
    def root_row(self) -> np.ndarray:
        row = np.zeros(self.width)
        for name, value in self.root.items():
            row[self.starts[name] : self.starts[name] + self.fields[name]] = np.ravel(value)
        return row

    @cached_property
    def data(self) -> np.ndarray:
        """Everything that depends on the number of items, in 8-byte words: n, table, root row, parameters."""
        columns = [self.kind, np.asarray(self.parent) + 1, *(self.offsets[name] for name in self.offset_ports)]
        table = (
            np.stack([np.asarray(c, dtype=np.int64) for c in columns], axis=1)
            if self.n_items
            else np.zeros(0, np.int64)
        )
        numbers = np.concatenate([self.root_row, np.ravel(self.params)]).astype(np.float64)
        return np.concatenate([[self.n_items], table.ravel(), numbers.view(np.int64)])

    @cached_property
    def digest(self) -> bytes:
        """A stable hash of the content."""
        h = hashlib.blake2b(digest_size=16)
        h.update(repr((1, self.inputs, self.outputs, dict(self.fields), self.offset_ports, self.form)).encode())
        for sweep in self.sweeps:
            h.update(repr((sweep.inward, [step and step.digest for step in sweep.steps])).encode())
        h.update(self.data.tobytes())
        return h.digest()


def _validate_rolled_program(rolled: RolledProgram) -> None:
    n = rolled.n_items
    names = [*rolled.fields, *(port.name for port in (*rolled.inputs, *rolled.outputs))]
    if len(set(names)) != len(names) or PARAM in names:
        raise CompilerError(f"fields, inputs and outputs need different names, none of them '{PARAM}': {names}")
    parent, kind = np.asarray(rolled.parent), np.asarray(rolled.kind)
    if np.any(parent >= np.arange(n)) or np.any(parent < -1):
        raise CompilerError(
            "items must be numbered so that every parent comes before its children, with -1 for the base"
        )
    if len(kind) != n or np.shape(rolled.params)[:1] != (n,) or any(len(x) != n for x in rolled.offsets.values()):
        raise CompilerError(f"kind, params and offsets need one row for each of the {n} items")
    kinds = int(kind.max()) + 1 if n else 0
    for sweep in rolled.sweeps:
        if len(sweep.steps) < kinds or np.any(kind < 0):
            raise CompilerError(f"kinds run to {kinds - 1}, but a sweep has only {len(sweep.steps)} steps")
        for k, step in enumerate(sweep.steps):
            if step is not None and np.any(kind == k):
                _validate_step(rolled, step, np.flatnonzero(kind == k))


def _validate_step(rolled: RolledProgram, step: Program, items: np.ndarray) -> None:
    sizes_in = dict(rolled.fields) | {PARENT + name: size for name, size in rolled.fields.items()}
    sizes_in[PARAM] = int(np.size(rolled.params) // max(1, rolled.n_items))
    sizes_out = {name: size for name, size in sizes_in.items() if name != PARAM}
    for ports, own, sizes, what in (
        (step.inputs, rolled.inputs, sizes_in, "input"),
        (step.outputs, rolled.outputs, sizes_out, "output"),
    ):
        whole = {port.name: port.size for port in own}
        for port in ports:
            if port.name in whole:
                starts = np.asarray(rolled.offsets[port.name])[items] if port.name in rolled.offsets else np.zeros(1)
                good = starts.min() >= 0 and port.size + starts.max() <= whole[port.name]
            else:
                good = sizes.get(port.name) == port.size
            if not good:
                raise CompilerError(
                    f"step {what} '{port.name}' of size {port.size} does not match a field, `param`, "
                    f"`parent_<field>` or {what} of that size"
                )
