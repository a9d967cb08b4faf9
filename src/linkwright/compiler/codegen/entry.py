"""The front door as IR text: a CPython function that checks its arrays and runs one state with next to no overhead.

Batches in plain arrays go on to the second door (`doorway_batch`). Anything out of the ordinary (lists, other dtypes,
keywords, values that are not finite) is passed on unchanged to the general Python function, which knows how to convert,
broadcast and complain.
"""

from __future__ import annotations

from linkwright.compiler.codegen.entry_writer import DoorWriter, sizes
from linkwright.compiler.codegen.python_api import ALIGNED, C_CONTIGUOUS, REFERENCES, WRITEABLE
from linkwright.compiler.codegen.text import function
from linkwright.compiler.trace.program import Signature

DECLARATIONS = """
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
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
"""

SPARES = """
@lw.spare.0 = internal global ptr null
@lw.spare.1 = internal global ptr null
define void @lw_lend(ptr %a, ptr %b) #0 {
  store ptr %a, ptr @lw.spare.0
  store ptr %b, ptr @lw.spare.1
  ret void
}
"""
"""lw_lend(a, b): two arrays of the result's shape, owned by the kernel, handed out while nobody else holds them."""

HEAD = "(ptr %self, ptr %args, i64 %nargs, ptr %kwnames) #0"


def door_function(signature: Signature) -> str:
    """`lw_call`, with the signature of METH_FASTCALL | METH_KEYWORDS."""
    return DECLARATIONS + SPARES + _globals(signature) + function(f"ptr @lw_call{HEAD}", _lines(signature))


def _globals(signature: Signature) -> str:
    """Shapes and names of the outputs."""
    out = []
    for i, port in enumerate(signature.outputs):
        dims = ", ".join(f"i64 {n}" for n in port.shape)
        if port.shape:
            out.append(f"@lw.dims.{i} = internal constant [{len(port.shape)} x i64] [{dims}]")
        name = port.name.encode() + b"\0"
        text = "".join(f"\\{byte:02X}" for byte in name)
        out.append(f'@lw.name.{i} = internal constant [{len(name)} x i8] c"{text}"')
    return "\n".join(out) + "\n"


def _lines(signature: Signature) -> list[str]:
    door = DoorWriter(signature)
    w, n_in, n_out = door.w, len(signature.inputs), len(signature.outputs)
    w.put(f"%table = alloca ptr, i32 {n_in + n_out}, align 8")
    door.require(f"icmp eq i64 %nargs, {n_in}")
    for i, port in enumerate(signature.inputs):
        array = door.argument(i)
        door.require_array(array, C_CONTIGUOUS | ALIGNED)
        door.require(f"icmp eq i32 {door.n_dims(array)}, {len(port.shape)}", otherwise="many")
        if port.shape:
            door.require_dims(door.dims(array), sizes(port))
        door.set_table(i, door.data(array))
    w.put("%plain = icmp eq ptr %kwnames, null")
    w.put("br i1 %plain, label %fresh, label %given")
    _given_output(door)
    _fresh_outputs(door)
    w.put("many:")
    w.put(f"ret ptr {w.let('call ptr @lw.call_many(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)')}")
    door.slow_block()
    return w.text


def _given_output(door: DoorWriter) -> None:
    """Only `out=` with one output array; it may not overlap an input."""
    w, signature = door.w, door.signature
    w.put("given:")
    if signature.form != "array":
        w.put("br label %slow")
        return
    out, port = door.out_keyword(), signature.outputs[0]
    door.require_array(out, C_CONTIGUOUS | ALIGNED | WRITEABLE)
    door.require(f"icmp eq i32 {door.n_dims(out)}, {len(port.shape)}")
    if port.shape:
        door.require_dims(door.dims(out), sizes(port))
    data = door.data(out)
    others = [(door.data(door.argument(i)), str(p.size)) for i, p in enumerate(signature.inputs)]
    door.require_apart(data, str(port.size), others)
    door.set_table(len(signature.inputs), data)
    door.require(f"icmp ne i32 {w.let(f'call i32 @{door.entry}(ptr %table)')}, 0")
    w.put(f"call void @Py_IncRef(ptr {out})")
    w.put(f"ret ptr {out}")


def _lent_output(door: DoorWriter) -> None:
    """A result that earlier callers have let go of: only we hold it, so nobody can tell it from a new one."""
    w, port = door.w, door.signature.outputs[0]
    for k in (0, 1):
        missing = f"no.{k}"
        spare = w.let(f"load ptr, ptr @lw.spare.{k}")
        door.require(f"icmp ne ptr {spare}, null", otherwise=missing)
        door.require(f"icmp eq i32 {door.field(spare, REFERENCES, 'i32')}, 1", otherwise=missing)
        # its last owner may have changed its shape, dtype or flags
        door.require_array(spare, C_CONTIGUOUS | ALIGNED | WRITEABLE, otherwise=missing)
        door.require(f"icmp eq i32 {door.n_dims(spare)}, {len(port.shape)}", otherwise=missing)
        if port.shape:
            door.require_dims(door.dims(spare), sizes(port), otherwise=missing)
        door.set_table(len(door.signature.inputs), door.data(spare))
        door.require(f"icmp ne i32 {w.let(f'call i32 @{door.entry}(ptr %table)')}, 0")
        w.put(f"call void @Py_IncRef(ptr {spare})")
        w.put(f"ret ptr {spare}")
        w.put(f"{missing}:")


def _fresh_outputs(door: DoorWriter) -> None:
    w, signature = door.w, door.signature
    w.put("fresh:")
    if signature.form == "array":
        _lent_output(door)
    w.put("br label %make")
    w.put("make:")
    made: list[str] = []
    for i, port in enumerate(signature.outputs):
        made.append(door.new_array(len(port.shape), f"@lw.dims.{i}" if port.shape else "null", made))
        door.set_table(len(signature.inputs) + i, door.data(made[-1]))
    finite = w.let(f"call i32 @{door.entry}(ptr %table)")
    w.put(f"br i1 {w.let(f'icmp ne i32 {finite}, 0')}, label %good, label %bad")
    w.put("bad:")
    door.drop(made)
    w.put("br label %slow")
    w.put("good:")
    w.put(f"ret ptr {door.packed(made)}")
