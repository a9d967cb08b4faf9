"""The rolled form: passes over many items of few kinds, each item done by the traced step of its kind.

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
from collections.abc import Mapping
from dataclasses import field
from functools import cached_property

import numpy as np

from linkwright.compiler.trace.program import Form, Port, Program, Signature
from linkwright.dataclass import dataclass, exact_text
from linkwright.errors import CompilerError

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
        h.update(exact_text((1, self.inputs, self.outputs, dict(self.fields), self.offset_ports, self.form)).encode())
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
