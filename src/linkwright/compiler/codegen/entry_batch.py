"""The second door as IR text: batches with one leading axis in plain arrays, on one thread, without Python in between.

Inputs without the leading axis serve every row. More axes, broadcasting and batches worth several threads are left to
the general Python function.
"""

from __future__ import annotations

from linkwright.compiler.codegen.entry import HEAD
from linkwright.compiler.codegen.entry_writer import DoorWriter, sizes
from linkwright.compiler.codegen.python_api import ALIGNED, C_CONTIGUOUS, WRITEABLE
from linkwright.compiler.codegen.text import function
from linkwright.compiler.trace.program import Port, Signature

# From about this many rows on, other Python threads may run meanwhile.
_RELEASE_FROM = 64


def batch_door_function(signature: Signature, most_rows: int) -> str:
    """`lw.call_many`; batches of more than `most_rows` are left to threads."""
    absent = "@lw.absent = internal constant i64 -1\n"
    return absent + function(f"internal ptr @lw.call_many{HEAD}", _lines(signature, most_rows))


def _lines(signature: Signature, most_rows: int) -> list[str]:
    door = DoorWriter(signature)
    w, n_in = door.w, len(signature.inputs)
    n = n_in + len(signature.outputs)
    most_axes = 1 + max(len(port.shape) for port in signature.outputs)
    w.put(f"%table = alloca ptr, i32 {n}, align 8")
    w.put(f"%strides = alloca i64, i32 {n}, align 8")
    w.put(f"%shape = alloca i64, i32 {most_axes}, align 8")
    rows = "-1"
    for i, port in enumerate(signature.inputs):
        rows = _input(door, i, port, rows)
    door.require(f"icmp ule i64 {rows}, {most_rows}")  # unsigned: -1, nothing had the axis, is refused too
    for i, port in enumerate(signature.outputs, n_in):
        w.put(f"store i64 {port.size}, ptr {w.let(f'getelementptr i64, ptr %strides, i64 {i}')}")
    w.put("%plain = icmp eq ptr %kwnames, null")
    w.put("br i1 %plain, label %fresh, label %given")
    _given_output(door, rows)
    _fresh_outputs(door, rows)
    door.slow_block()
    return w.text


def _input(door: DoorWriter, i: int, port: Port, rows: str) -> str:
    """Check one input; returns the number of rows known so far, -1 for none."""
    w = door.w
    array = door.argument(i)
    door.require_array(array, C_CONTIGUOUS | ALIGNED)
    extra = w.let(f"sub i32 {door.n_dims(array)}, {len(port.shape)}")
    door.require(f"icmp ult i32 {extra}, 2")
    batched = w.let(f"icmp eq i32 {extra}, 1")
    axes = w.let(f"zext i32 {extra} to i64")
    dims = door.dims(array)
    if port.shape:
        door.require_dims(w.let(f"getelementptr i64, ptr {dims}, i64 {axes}"), sizes(port))
    own = w.let(f"load i64, ptr {w.let(f'select i1 {batched}, ptr {dims}, ptr @lw.absent')}")
    fits = w.let(f"icmp eq i64 {own}, {rows}")
    unknown = w.let(f"icmp eq i64 {rows}, -1")
    door.require(f"or i1 {w.let(f'or i1 {fits}, {unknown}')}, {w.let(f'icmp eq i64 {own}, -1')}")
    door.set_table(i, door.data(array))
    stride = w.let(f"mul i64 {axes}, {port.size}")
    w.put(f"store i64 {stride}, ptr {w.let(f'getelementptr i64, ptr %strides, i64 {i}')}")
    return w.let(f"select i1 {batched}, i64 {own}, i64 {rows}")


def _run(door: DoorWriter, rows: str) -> None:
    """All rows; long batches let other Python threads run."""
    w = door.w
    brief, long, after = door.label(), door.label(), door.label()
    call = f"call void @lw_rows(ptr %table, ptr %strides, i64 0, i64 {rows})"
    w.put(f"br i1 {w.let(f'icmp ult i64 {rows}, {_RELEASE_FROM}')}, label %{brief}, label %{long}")
    w.put(f"{brief}:")
    w.put(call)
    w.put(f"br label %{after}")
    w.put(f"{long}:")
    state = w.let("call ptr @PyEval_SaveThread()")
    w.put(call)
    w.put(f"call void @PyEval_RestoreThread(ptr {state})")
    w.put(f"br label %{after}")
    w.put(f"{after}:")


def _given_output(door: DoorWriter, rows: str) -> None:
    w, signature = door.w, door.signature
    w.put("given:")
    if signature.form != "array":
        w.put("br label %slow")
        return
    out, port = door.out_keyword(), signature.outputs[0]
    door.require_array(out, C_CONTIGUOUS | ALIGNED | WRITEABLE)
    door.require(f"icmp eq i32 {door.n_dims(out)}, {1 + len(port.shape)}")
    door.require_dims(door.dims(out), [rows, *sizes(port)])
    data = door.data(out)
    others = []
    for i, p in enumerate(signature.inputs):
        # an input that serves every row is shorter; claiming it as long as a batch only sends the call the long way
        others.append((door.data(door.argument(i)), w.let(f"mul i64 {rows}, {p.size}")))
    door.require_apart(data, w.let(f"mul i64 {rows}, {port.size}"), others)
    door.set_table(len(signature.inputs), data)
    _run(door, rows)
    w.put(f"call void @Py_IncRef(ptr {out})")
    w.put(f"ret ptr {out}")


def _fresh_outputs(door: DoorWriter, rows: str) -> None:
    w, signature = door.w, door.signature
    w.put("fresh:")
    w.put(f"store i64 {rows}, ptr %shape")
    made: list[str] = []
    for i, port in enumerate(signature.outputs):
        for k, n in enumerate(port.shape, 1):
            w.put(f"store i64 {n}, ptr {w.let(f'getelementptr i64, ptr %shape, i64 {k}')}")
        made.append(door.new_array(1 + len(port.shape), "%shape", made))
        door.set_table(len(signature.inputs) + i, door.data(made[-1]))
    _run(door, rows)
    w.put(f"ret ptr {door.packed(made)}")
