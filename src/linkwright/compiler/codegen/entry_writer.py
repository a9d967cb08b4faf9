"""Instructions the front doors share: reading Python objects, checking arrays, making results."""

from __future__ import annotations

from linkwright.compiler.codegen.python_api import DATA, DESCR, DIMS, FLAGS, NDIM, TUPLE_ITEMS, TUPLE_SIZE, TYPE
from linkwright.compiler.codegen.rows import checked_entry
from linkwright.compiler.codegen.text import Lines
from linkwright.compiler.trace.program import Port, Signature


class DoorWriter:
    """Writes one function (self, args, nargs, kwnames); a failed check branches to the block `slow`."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.entry = checked_entry(signature)
        self.w = Lines()
        self._labels = 0

    def label(self) -> str:
        self._labels += 1
        return f"l{self._labels}"

    def require(self, condition: str, otherwise: str = "slow") -> None:
        label = self.label()
        self.w.put(f"br i1 {self.w.let(condition)}, label %{label}, label %{otherwise}")
        self.w.put(f"{label}:")

    def slow_block(self) -> None:
        """Hand the whole call to the general function."""
        w = self.w
        w.put("slow:")
        w.put(f"ret ptr {w.let('call ptr @PyObject_Vectorcall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)')}")

    def argument(self, index: int | str) -> str:
        return self.w.let(f"load ptr, ptr {self.w.let(f'getelementptr ptr, ptr %args, i64 {index}')}")

    def field(self, thing: str, offset: int, kind: str) -> str:
        return self.w.let(f"load {kind}, ptr {self.w.let(f'getelementptr i8, ptr {thing}, i64 {offset}')}")

    def data(self, array: str) -> str:
        return self.field(array, DATA, "ptr")

    def dims(self, array: str) -> str:
        return self.field(array, DIMS, "ptr")

    def n_dims(self, array: str) -> str:
        return self.field(array, NDIM, "i32")

    def set_table(self, index: int, pointer: str) -> None:
        self.w.put(f"store ptr {pointer}, ptr {self.w.let(f'getelementptr ptr, ptr %table, i64 {index}')}")

    def require_array(self, array: str, flags: int, otherwise: str = "slow") -> None:
        """A plain NumPy array of native float64 with the flags set."""
        self.require(f"icmp eq ptr {self.field(array, TYPE, 'ptr')}, @lw_array_type", otherwise)
        self.require(f"icmp eq ptr {self.field(array, DESCR, 'ptr')}, @lw_float64", otherwise)
        found = self.w.let(f"and i32 {self.field(array, FLAGS, 'i32')}, {flags}")
        self.require(f"icmp eq i32 {found}, {flags}", otherwise)

    def require_dims(self, dims: str, sizes: list[str], otherwise: str = "slow") -> None:
        for k, n in enumerate(sizes):
            self.require(f"icmp eq i64 {self.field(dims, 8 * k, 'i64')}, {n}", otherwise)

    def out_keyword(self) -> str:
        """The array given as the only keyword `out`."""
        self.require(f"icmp eq i64 {self.field('%kwnames', TUPLE_SIZE, 'i64')}, 1")
        self.require(f"icmp eq ptr {self.field('%kwnames', TUPLE_ITEMS, 'ptr')}, @lw_out_name")
        return self.argument("%nargs")

    def require_apart(self, data: str, size: str, others: list[tuple[str, str]]) -> None:
        """That `size` doubles at `data` share nothing with the other (data, size) pairs."""
        start, end = self._range(data, size)
        for pointer, count in others:
            first, last = self._range(pointer, count)
            before = self.w.let(f"icmp ule i64 {end}, {first}")
            after = self.w.let(f"icmp ule i64 {last}, {start}")
            self.require(f"or i1 {before}, {after}")

    def _range(self, data: str, size: str) -> tuple[str, str]:
        start = self.w.let(f"ptrtoint ptr {data} to i64")
        return start, self.w.let(f"add i64 {start}, {self.w.let(f'mul i64 {size}, 8')}")

    def new_array(self, n_dims: int, dims: str, made: list[str]) -> str:
        """A fresh array; on failure those made before are dropped and Python's error is passed on."""
        w = self.w
        w.put("call void @Py_IncRef(ptr @lw_float64)")  # the allocator takes over one reference
        array = w.let(
            f"call ptr @lw_new_array(ptr @lw_array_type, ptr @lw_float64, i32 {n_dims}, ptr {dims}, ptr null, "
            "ptr null, i32 0, ptr null)"
        )
        good, fail = self.label(), self.label()
        w.put(f"br i1 {w.let(f'icmp ne ptr {array}, null')}, label %{good}, label %{fail}")
        w.put(f"{fail}:")
        self.drop(made)
        w.put("ret ptr null")
        w.put(f"{good}:")
        return array

    def drop(self, arrays: list[str]) -> None:
        for array in arrays:
            self.w.put(f"call void @Py_DecRef(ptr {array})")

    def packed(self, made: list[str]) -> str:
        """The arrays in the form the traced function returned."""
        w = self.w
        if self.signature.form == "array":
            return made[0]
        if self.signature.form == "tuple":
            out = w.let(f"call ptr @PyTuple_New(i64 {len(made)})")
            for i, array in enumerate(made):
                w.let(f"call i32 @PyTuple_SetItem(ptr {out}, i64 {i}, ptr {array})")
            return out
        out = w.let("call ptr @PyDict_New()")
        for i, array in enumerate(made):
            w.let(f"call i32 @PyDict_SetItemString(ptr {out}, ptr @lw.name.{i}, ptr {array})")
        self.drop(made)
        return out


def sizes(port: Port) -> list[str]:
    """The port's axes as IR literals."""
    return [str(n) for n in port.shape]
