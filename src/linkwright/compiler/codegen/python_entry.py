"""CPython functions as IR text: plain float64 arrays in and out, without Python in between.

`lw_call` checks its arrays and runs one state; batches with one leading axis go on to `lw.call_many`, which runs them
on one thread (inputs without the leading axis serve every row). Anything else (lists, other dtypes, more axes, batches
worth several threads, values that are not finite) is passed on unchanged to the general Python function, which
converts, broadcasts and reports errors.
"""

from __future__ import annotations

from linkwright.compiler.codegen import python_api as api
from linkwright.compiler.codegen.ir_text import Lines, function_definition
from linkwright.compiler.codegen.row_entry_points import checked_entry
from linkwright.compiler.trace.program import Port, Signature

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
declare ptr @PyEval_SaveThread()
declare void @PyEval_RestoreThread(ptr)
"""

_SPARES = """
@lw.spare.0 = internal global ptr null
@lw.spare.1 = internal global ptr null
define void @lw_lend(ptr %a, ptr %b) #0 {
  store ptr %a, ptr @lw.spare.0
  store ptr %b, ptr @lw.spare.1
  ret void
}
"""
"""lw_lend(a, b): two arrays of the result's shape, owned by the kernel, handed out while nobody else holds them."""

_BATCHES = """
@lw.rows = internal global ptr null
@lw.left = internal global i64 0
define void @lw_batch(ptr %rows, i64 %left) #0 {
  store ptr %rows, ptr @lw.rows
  store i64 %left, ptr @lw.left
  ret void
}
"""
"""lw_batch(rows, left): the function that runs batches, and the number of rows after which the general function, which
may choose another one, is called instead."""

_PARAMETERS = "(ptr %self, ptr %args, i64 %nargs, ptr %kwnames)"

_INPUT = api.C_CONTIGUOUS | api.ALIGNED
_OUTPUT = _INPUT | api.WRITEABLE

# From about this many rows on, other Python threads may run meanwhile.
_RELEASE_FROM = 64


def python_entry_functions(signature: Signature, most_rows: int) -> list[str]:
    """`lw_call`, with the signature of METH_FASTCALL | METH_KEYWORDS, and `lw.call_many` for at most `most_rows`.

    They call `checked_entry`, and what `lw_batch` names, in machine code made apart.
    """
    single = function_definition(f"ptr @lw_call{_PARAMETERS} #0", _SingleEntry(signature).lines())
    batch = function_definition(f"internal ptr @lw.call_many{_PARAMETERS} #0", _BatchEntry(signature).lines(most_rows))
    absent = "@lw.absent = internal constant i64 -1\n"
    entry = f"declare i32 @{checked_entry(signature)}(ptr)\n"
    return [_DECLARATIONS + entry + _SPARES + _BATCHES + _output_globals(signature) + single, absent + batch]


def _output_globals(signature: Signature) -> str:
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


class _Entry:
    """Writes one function (self, args, nargs, kwnames); a failed check branches to the block `slow`."""

    leading: tuple[str, ...] = ()
    """Sizes of the axes in front of a port's own."""

    def __init__(self, signature: Signature) -> None:
        self.signature = signature
        self.n_in = len(signature.inputs)
        self.w = Lines()
        self._labels = 0

    def run(self) -> None:
        """Run the program on `%table`."""
        raise NotImplementedError

    def fresh_outputs(self) -> None:
        """Results in new arrays."""
        raise NotImplementedError

    def outputs(self) -> None:
        """Both ways to return results, and the general function for all other calls."""
        self.w.put("%plain = icmp eq ptr %kwnames, null", "br i1 %plain, label %fresh, label %given")
        self._given_output()
        self.fresh_outputs()

    def slow_block(self) -> list[str]:
        """Hand the whole call to the general function; this ends the text."""
        w = self.w
        w.put("slow:")
        w.put(f"ret ptr {w.let(f'call ptr @PyObject_Vectorcall{_PARAMETERS}')}")
        return w.text

    def _given_output(self) -> None:
        """Only `out=` with one output array; it may not overlap an input."""
        w, signature = self.w, self.signature
        w.put("given:")
        if signature.form != "array":
            w.put("br label %slow")
            return
        out, port = self._out_keyword(), signature.outputs[0]
        self.require_array(out, _OUTPUT)
        self.require_shape(out, port)
        data = self.data(out)
        # an input that serves every row is shorter than a batch; taken as long, it only sends the call the long way
        others = [(self.data(self.argument(i)), self._size(p)) for i, p in enumerate(signature.inputs)]
        self._require_apart(data, self._size(port), others)
        self.set_table(self.n_in, data)
        self.run()
        w.put(f"call void @Py_IncRef(ptr {out})", f"ret ptr {out}")

    def label(self) -> str:
        self._labels += 1
        return f"l{self._labels}"

    def require(self, condition: str, otherwise: str = "slow") -> None:
        label = self.label()
        self.w.put(f"br i1 {self.w.let(condition)}, label %{label}, label %{otherwise}", f"{label}:")

    def argument(self, index: int | str) -> str:
        return self.w.let(f"load ptr, ptr {self.w.at('%args', index, 'ptr')}")

    def field(self, thing: str, offset: int, kind: str) -> str:
        return self.w.let(f"load {kind}, ptr {self.w.at(thing, offset, 'i8')}")

    def data(self, array: str) -> str:
        return self.field(array, api.DATA, "ptr")

    def set_table(self, index: int, pointer: str) -> None:
        self.w.put(f"store ptr {pointer}, ptr {self.w.at('%table', index, 'ptr')}")

    def require_array(self, array: str, flags: int, otherwise: str = "slow") -> None:
        """A plain NumPy array of native float64 with the flags set."""
        self.require(f"icmp eq ptr {self.field(array, api.TYPE, 'ptr')}, @lw_array_type", otherwise)
        self.require(f"icmp eq ptr {self.field(array, api.DESCR, 'ptr')}, @lw_float64", otherwise)
        found = self.w.let(f"and i32 {self.field(array, api.FLAGS, 'i32')}, {flags}")
        self.require(f"icmp eq i32 {found}, {flags}", otherwise)

    def require_shape(self, array: str, port: Port, otherwise: str = "slow", axes: str | None = None) -> None:
        """The leading axes and those of the port; another number of axes branches to `axes`."""
        sizes = [*self.leading, *map(str, port.shape)]
        self.require(f"icmp eq i32 {self.field(array, api.NDIM, 'i32')}, {len(sizes)}", axes or otherwise)
        if sizes:
            self.require_dims(self.field(array, api.DIMS, "ptr"), sizes, otherwise)

    def require_dims(self, dims: str, sizes: list[str], otherwise: str = "slow") -> None:
        for k, n in enumerate(sizes):
            self.require(f"icmp eq i64 {self.field(dims, 8 * k, 'i64')}, {n}", otherwise)

    def _size(self, port: Port) -> str:
        """Numbers in an array of the port."""
        return self.w.let(f"mul i64 {self.leading[0]}, {port.size}") if self.leading else str(port.size)

    def _out_keyword(self) -> str:
        """The array given as the only keyword `out`."""
        self.require(f"icmp eq i64 {self.field('%kwnames', api.TUPLE_SIZE, 'i64')}, 1")
        self.require(f"icmp eq ptr {self.field('%kwnames', api.TUPLE_ITEMS, 'ptr')}, @lw_out_name")
        return self.argument("%nargs")

    def _require_apart(self, data: str, size: str, others: list[tuple[str, str]]) -> None:
        """Check that `size` doubles at `data` share nothing with the other (data, size) pairs."""
        start, end = self._range(data, size)
        for pointer, count in others:
            first, last = self._range(pointer, count)
            before = self.w.let(f"icmp ule i64 {end}, {first}")
            after = self.w.let(f"icmp ule i64 {last}, {start}")
            self.require(f"or i1 {before}, {after}")

    def _range(self, data: str, size: str) -> tuple[str, str]:
        start = self.w.let(f"ptrtoint ptr {data} to i64")
        return start, self.w.let(f"add i64 {start}, {self.w.let(f'mul i64 {size}, 8')}")

    def new_array(self, n_dims: int, dims: str, made: list[str]) -> None:
        """Add a fresh array to those made; on failure these are dropped and Python's error is passed on."""
        w = self.w
        w.put("call void @Py_IncRef(ptr @lw_float64)")  # the allocator takes over one reference
        array = w.let(
            f"call ptr @lw_new_array(ptr @lw_array_type, ptr @lw_float64, i32 {n_dims}, ptr {dims}, ptr null, "
            "ptr null, i32 0, ptr null)"
        )
        good, fail = self.label(), self.label()
        w.put(f"br i1 {w.let(f'icmp ne ptr {array}, null')}, label %{good}, label %{fail}", f"{fail}:")
        self.drop(made)
        w.put("ret ptr null", f"{good}:")
        made.append(array)
        self.set_table(self.n_in + len(made) - 1, self.data(array))

    def drop(self, arrays: list[str]) -> None:
        self.w.put(*(f"call void @Py_DecRef(ptr {array})" for array in arrays))

    def return_packed(self, made: list[str]) -> None:
        """Return the arrays in the form the traced function returned."""
        w, out = self.w, made[0]
        if self.signature.form == "tuple":
            out = w.let(f"call ptr @PyTuple_New(i64 {len(made)})")
            for i, array in enumerate(made):
                w.let(f"call i32 @PyTuple_SetItem(ptr {out}, i64 {i}, ptr {array})")
        elif self.signature.form == "dict":
            out = w.let("call ptr @PyDict_New()")
            for i, array in enumerate(made):
                w.let(f"call i32 @PyDict_SetItemString(ptr {out}, ptr @lw.name.{i}, ptr {array})")
            self.drop(made)
        w.put(f"ret ptr {out}")


class _SingleEntry(_Entry):
    """One state."""

    def lines(self) -> list[str]:
        w = self.w
        w.put(f"%table = alloca ptr, i32 {self.n_in + len(self.signature.outputs)}, align 8")
        self.require(f"icmp eq i64 %nargs, {self.n_in}")
        for i, port in enumerate(self.signature.inputs):
            array = self.argument(i)
            self.require_array(array, _INPUT)
            self.require_shape(array, port, axes="many")
            self.set_table(i, self.data(array))
        self.outputs()
        w.put("many:")
        w.put(f"ret ptr {w.let(f'call ptr @lw.call_many{_PARAMETERS}')}")
        return self.slow_block()

    def run(self) -> None:
        self.require(self._is_good())

    def _is_good(self) -> str:
        call = self.w.let(f"call i32 @{checked_entry(self.signature)}(ptr %table)")
        return f"icmp ne i32 {call}, 0"

    def fresh_outputs(self) -> None:
        w, made = self.w, list[str]()
        w.put("fresh:")
        if self.signature.form == "array":
            self._lent_output()
        w.put("br label %make", "make:")
        for i, port in enumerate(self.signature.outputs):
            self.new_array(len(port.shape), f"@lw.dims.{i}" if port.shape else "null", made)
        w.put(f"br i1 {w.let(self._is_good())}, label %good, label %bad", "bad:")
        self.drop(made)
        w.put("br label %slow", "good:")
        self.return_packed(made)

    def _lent_output(self) -> None:
        """A result that earlier callers have let go of: only we hold it, so nobody can tell it from a new one."""
        w, port = self.w, self.signature.outputs[0]
        for k in (0, 1):
            missing = f"no.{k}"
            spare = w.let(f"load ptr, ptr @lw.spare.{k}")
            self.require(f"icmp ne ptr {spare}, null", missing)
            self.require(f"icmp eq i32 {self.field(spare, api.REFERENCES, 'i32')}, 1", missing)
            # its last owner may have changed its shape, dtype or flags
            self.require_array(spare, _OUTPUT, missing)
            self.require_shape(spare, port, missing)
            self.set_table(self.n_in, self.data(spare))
            self.run()
            w.put(f"call void @Py_IncRef(ptr {spare})", f"ret ptr {spare}", f"{missing}:")


class _BatchEntry(_Entry):
    """Rows of one leading axis."""

    def lines(self, most_rows: int) -> list[str]:
        w, n = self.w, self.n_in + len(self.signature.outputs)
        most_axes = 1 + max(len(port.shape) for port in self.signature.outputs)
        for name, kind, count in (("table", "ptr", n), ("strides", "i64", n), ("shape", "i64", most_axes)):
            w.put(f"%{name} = alloca {kind}, i32 {count}, align 8")
        rows = "-1"
        for i, port in enumerate(self.signature.inputs):
            rows = self._input(i, port, rows)
        self.require(f"icmp ule i64 {rows}, {most_rows}")  # unsigned: -1, nothing had the axis, is refused too
        self.leading = (rows,)
        left = w.let(f"sub i64 {w.let('load i64, ptr @lw.left')}, {rows}")
        self.require(f"icmp sge i64 {left}, 0")
        w.put(f"store i64 {left}, ptr @lw.left")
        for i, port in enumerate(self.signature.outputs, self.n_in):
            w.put(f"store i64 {port.size}, ptr {w.at('%strides', i, 'i64')}")
        self.outputs()
        return self.slow_block()

    def _input(self, i: int, port: Port, rows: str) -> str:
        """Check one input; returns the number of rows known so far, -1 for none."""
        w, array = self.w, self.argument(i)
        self.require_array(array, _INPUT)
        extra = w.let(f"sub i32 {self.field(array, api.NDIM, 'i32')}, {len(port.shape)}")
        self.require(f"icmp ult i32 {extra}, 2")
        batched = w.let(f"icmp eq i32 {extra}, 1")
        axes = w.let(f"zext i32 {extra} to i64")
        dims = self.field(array, api.DIMS, "ptr")
        if port.shape:
            self.require_dims(w.at(dims, axes, "i64"), list(map(str, port.shape)))
        own = w.let(f"load i64, ptr {w.let(f'select i1 {batched}, ptr {dims}, ptr @lw.absent')}")
        fits = w.let(f"icmp eq i64 {own}, {rows}")
        unknown = w.let(f"icmp eq i64 {rows}, -1")
        self.require(f"or i1 {w.let(f'or i1 {fits}, {unknown}')}, {w.let(f'icmp eq i64 {own}, -1')}")
        self.set_table(i, self.data(array))
        w.put(f"store i64 {w.let(f'mul i64 {axes}, {port.size}')}, ptr {w.at('%strides', i, 'i64')}")
        return w.let(f"select i1 {batched}, i64 {own}, i64 {rows}")

    def run(self) -> None:
        """All rows; long batches let other Python threads run."""
        w, rows = self.w, self.leading[0]
        brief, long, after = self.label(), self.label(), self.label()
        code = w.let("load ptr, ptr @lw.rows")
        call = f"call void {code}(ptr %table, ptr %strides, i64 0, i64 {rows})"
        w.put(f"br i1 {w.let(f'icmp ult i64 {rows}, {_RELEASE_FROM}')}, label %{brief}, label %{long}")
        w.put(f"{brief}:", call, f"br label %{after}", f"{long}:")
        state = w.let("call ptr @PyEval_SaveThread()")
        w.put(call, f"call void @PyEval_RestoreThread(ptr {state})", f"br label %{after}", f"{after}:")

    def fresh_outputs(self) -> None:
        w, made = self.w, list[str]()
        w.put("fresh:", f"store i64 {self.leading[0]}, ptr %shape")
        for port in self.signature.outputs:
            for k, n in enumerate(port.shape, 1):
                w.put(f"store i64 {n}, ptr {w.at('%shape', k, 'i64')}")
            self.new_array(1 + len(port.shape), "%shape", made)
        self.run()
        self.return_packed(made)
