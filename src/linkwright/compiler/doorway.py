"""The front door as IR text: a CPython function that checks its arrays and runs one state with next to no overhead.

Anything out of the ordinary (lists, batches, other dtypes, keywords, values that are not finite) is passed on unchanged
to the general Python function, which knows how to convert, broadcast and complain.
"""

from __future__ import annotations

from linkwright.compiler.program import Port, Signature
from linkwright.compiler.python_api import (
    ALIGNED,
    C_CONTIGUOUS,
    DATA,
    DESCR,
    DIMS,
    FLAGS,
    NDIM,
    TUPLE_ITEMS,
    TUPLE_SIZE,
    TYPE,
    WRITEABLE,
)
from linkwright.compiler.text import Lines, function

_DECLARATIONS = """
@lw_array_type = external global i8
@lw_float64 = external global i8
@lw_out_name = external global i8
declare ptr @lw_new_array(ptr, ptr, i32, ptr, ptr, ptr, i32, ptr)
declare ptr @PyObject_Vectorcall(ptr, ptr, i64, ptr)
declare void @Py_IncRef(ptr)
declare void @Py_DecRef(ptr)
declare ptr @PyTuple_New(i64)
declare i32 @PyTuple_SetItem(ptr, i64, ptr)
declare ptr @PyDict_New()
declare i32 @PyDict_SetItemString(ptr, ptr, ptr)
"""


def door_function(signature: Signature) -> str:
    """`lw_call`, with the signature of METH_FASTCALL | METH_KEYWORDS."""
    door = _Door(signature)
    return (
        _DECLARATIONS
        + _globals(signature)
        + function("ptr @lw_call(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) #0", door.lines())
    )


def _globals(signature: Signature) -> str:
    out = []
    for i, port in enumerate(signature.outputs):
        dims = ", ".join(f"i64 {n}" for n in port.shape)
        if port.shape:
            out.append(f"@lw.dims.{i} = internal constant [{len(port.shape)} x i64] [{dims}]")
        name = port.name.encode() + b"\0"
        text = "".join(f"\\{byte:02X}" for byte in name)
        out.append(f'@lw.name.{i} = internal constant [{len(name)} x i8] c"{text}"')
    return "\n".join(out) + "\n"


class _Door:
    """Writes the function; every failed check branches to the block that calls the general function."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.w = Lines()
        self.labels = 0

    def lines(self) -> list[str]:
        w, signature = self.w, self.signature
        n_in, n_out = len(signature.inputs), len(signature.outputs)
        w.put(f"%table = alloca ptr, i32 {n_in + n_out}, align 8")
        self.require(f"icmp eq i64 %nargs, {n_in}")
        inputs = [self._argument(i) for i in range(n_in)]
        for i, (port, array) in enumerate(zip(signature.inputs, inputs, strict=True)):
            self._check_array(array, port, C_CONTIGUOUS | ALIGNED)
            self._set_table(i, self._field(array, DATA, "ptr"))
        w.put("%plain = icmp eq ptr %kwnames, null")
        w.put("br i1 %plain, label %fresh, label %given")
        self._given_output()
        self._fresh_outputs()
        w.put("slow:")
        w.put(f"ret ptr {w.let('call ptr @PyObject_Vectorcall(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)')}")
        return w.text

    def _label(self) -> str:
        self.labels += 1
        return f"l{self.labels}"

    def require(self, condition: str) -> None:
        label = self._label()
        self.w.put(f"br i1 {self.w.let(condition)}, label %{label}, label %slow")
        self.w.put(f"{label}:")

    def _argument(self, index: int | str) -> str:
        return self.w.let(f"load ptr, ptr {self.w.let(f'getelementptr ptr, ptr %args, i64 {index}')}")

    def _field(self, thing: str, offset: int, kind: str) -> str:
        return self.w.let(f"load {kind}, ptr {self.w.let(f'getelementptr i8, ptr {thing}, i64 {offset}')}")

    def _set_table(self, index: int, pointer: str) -> None:
        self.w.put(f"store ptr {pointer}, ptr {self.w.let(f'getelementptr ptr, ptr %table, i64 {index}')}")

    def _check_array(self, array: str, port: Port, flags: int) -> None:
        w = self.w
        self.require(f"icmp eq ptr {self._field(array, TYPE, 'ptr')}, @lw_array_type")
        self.require(f"icmp eq ptr {self._field(array, DESCR, 'ptr')}, @lw_float64")
        self.require(f"icmp eq i32 {self._field(array, NDIM, 'i32')}, {len(port.shape)}")
        found = w.let(f"and i32 {self._field(array, FLAGS, 'i32')}, {flags}")
        self.require(f"icmp eq i32 {found}, {flags}")
        dims = self._field(array, DIMS, "ptr") if port.shape else ""
        for k, n in enumerate(port.shape):
            self.require(f"icmp eq i64 {self._field(dims, 8 * k, 'i64')}, {n}")

    def _given_output(self) -> None:
        """Only `out=` with one output array; it may not overlap an input."""
        w, signature = self.w, self.signature
        w.put("given:")
        if len(signature.outputs) != 1 or signature.form != "array":
            w.put("br label %slow")
            return
        self.require(f"icmp eq i64 {self._field('%kwnames', TUPLE_SIZE, 'i64')}, 1")
        self.require(f"icmp eq ptr {self._field('%kwnames', TUPLE_ITEMS, 'ptr')}, @lw_out_name")
        out = self._argument("%nargs")
        port = signature.outputs[0]
        self._check_array(out, port, C_CONTIGUOUS | ALIGNED | WRITEABLE)
        data = self._field(out, DATA, "ptr")
        self._require_apart(data, port)
        self._set_table(len(signature.inputs), data)
        self.require(f"icmp ne i32 {w.let('call i32 @lw_state(ptr %table)')}, 0")
        w.put(f"call void @Py_IncRef(ptr {out})")
        w.put(f"ret ptr {out}")

    def _require_apart(self, data: str, out: Port) -> None:
        w = self.w
        start = w.let(f"ptrtoint ptr {data} to i64")
        end = w.let(f"add i64 {start}, {8 * out.size}")
        for i, port in enumerate(self.signature.inputs):
            pointer = w.let(f"load ptr, ptr {w.let(f'getelementptr ptr, ptr %table, i64 {i}')}")
            first = w.let(f"ptrtoint ptr {pointer} to i64")
            last = w.let(f"add i64 {first}, {8 * port.size}")
            before = w.let(f"icmp ule i64 {end}, {first}")
            after = w.let(f"icmp ule i64 {last}, {start}")
            self.require(f"or i1 {before}, {after}")

    def _fresh_outputs(self) -> None:
        w, signature = self.w, self.signature
        w.put("fresh:")
        made = [self._new_array(i, port) for i, port in enumerate(signature.outputs)]
        for i, array in enumerate(made):
            self._set_table(len(signature.inputs) + i, self._field(array, DATA, "ptr"))
        finite = w.let("call i32 @lw_state(ptr %table)")
        w.put(f"br i1 {w.let(f'icmp ne i32 {finite}, 0')}, label %good, label %bad")
        w.put("bad:")
        for array in made:
            w.put(f"call void @Py_DecRef(ptr {array})")
        w.put("br label %slow")
        w.put("good:")
        w.put(f"ret ptr {self._packed(made)}")

    def _new_array(self, i: int, port: Port) -> str:
        w = self.w
        dims = f"@lw.dims.{i}" if port.shape else "null"
        w.put("call void @Py_IncRef(ptr @lw_float64)")
        made = w.let(
            f"call ptr @lw_new_array(ptr @lw_array_type, ptr @lw_float64, i32 {len(port.shape)}, ptr {dims}, ptr null, "
            "ptr null, i32 0, ptr null)"
        )
        label, fail = self._label(), self._label()
        w.put(f"br i1 {w.let(f'icmp ne ptr {made}, null')}, label %{label}, label %{fail}")
        w.put(f"{fail}:")
        w.put("ret ptr null")
        w.put(f"{label}:")
        return made

    def _packed(self, made: list[str]) -> str:
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
            w.put(f"call void @Py_DecRef(ptr {array})")
        return out
