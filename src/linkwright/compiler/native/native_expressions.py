"""Expressions of the subset as IR text."""

from __future__ import annotations

import ast
import math
import types
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from linkwright.compiler.codegen.ir_text import double_literal
from linkwright.compiler.native.lanes import LaneValues, Value
from linkwright.compiler.native.native_records import (
    FixedFields,
    Record,
    choose_by_lane,
    fill_lanes,
    has_function,
    is_any_lane_true,
    lane_view,
    record_layout,
    square_roots,
)
from linkwright.compiler.native.parsing import signature_of
from linkwright.errors import CompilerError

_ARITHMETIC = {ast.Add: ("fadd", "add nsw"), ast.Sub: ("fsub", "sub nsw"), ast.Mult: ("fmul", "mul nsw")}
_COMPARE: dict[type[ast.cmpop], tuple[str, str, Callable[[int, int], bool]]] = {
    ast.Lt: ("olt", "slt", int.__lt__),
    ast.LtE: ("ole", "sle", int.__le__),
    ast.Gt: ("ogt", "sgt", int.__gt__),
    ast.GtE: ("oge", "sge", int.__ge__),
    ast.Eq: ("oeq", "eq", int.__eq__),
    ast.NotEq: ("une", "ne", int.__ne__),
}
LIBRARY: dict[Any, str] = {math.exp: "lw_exp", math.log: "lw_log"}

_NUMBERS = {"float": "double", "int": "i64", "Row": "row", "IntRow": "ints"}
_ADDRESSES = {"Floats": "double", "Ints": "i64", "Rows": "rows", "FunctionPointer": "code", "Many": "records"}

NUMBERS, INTEGERS, NUMBER, INTEGER, ADDRESS = range(1, 6)
"""Classes of memory that never overlap: elements of arrays, and fields of records. LLVM keeps addresses and sizes in
registers while arrays are written, because it knows."""

MEMORY_CLASSES = '!0 = !{!"places"}\n' + "".join(
    f'!{i} = !{{!{i + 5}, !{i + 5}, i64 0}}\n!{i + 5} = !{{!"{name}", !0, i64 0}}\n'
    for i, name in enumerate(("numbers", "integers", "number", "integer", "address"), 1)
)
"""What their numbers mean, as IR text."""


class Kind(NamedTuple):
    """Kind of a reference: an array by its elements (`double`, `i64`, `rows`), `code`, `record`, `records`, or
    `lane_view`, a record as one of its lanes sees it."""

    name: str
    record: type[Record] | None = None


class AddressOf(NamedTuple):
    """A kind and the text of an address."""

    kind: Kind
    text: str


class Expressions(LaneValues):
    """Values of expressions, computed in the current block.

    `names` looks up what is not a variable: constants, constant arrays, records and other functions. `fixed` are fields
    that hold known whole numbers.
    """

    def __init__(self, title: str, names: Callable[[str], Any], lanes: int = 1, fixed: FixedFields = ()) -> None:
        super().__init__(lanes)
        self.title = title
        self.names = names
        self.fixed = {(record, name): value for record, name, value in fixed}
        self.variables: dict[str, tuple[str, str]] = {}
        self.references: dict[str, AddressOf] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.called: dict[str, tuple[types.FunctionType, tuple[str, ...]]] = {}

    def unsupported_error(self, node: ast.AST) -> CompilerError:
        return CompilerError(
            f"line {getattr(node, 'lineno', '?')} of '{self.title}' is outside the subset: {ast.unparse(node)}"
        )

    def store(self, name: str, value: Value) -> None:
        """Give a variable a value; it keeps the type of its first one."""
        if name not in self.variables:
            self.variables[name] = (value.type, self.slot(value.type))
        kind, location = self.variables[name]
        if value.type == "double" and kind == "i64":
            raise CompilerError(f"variable '{name}' of '{self.title}' is an int and is given a float; start it as 0.0")
        self.put(f"store {kind} {self.cast(value, kind)}, ptr {location}, align 8")

    def cast(self, value: Value, kind: str) -> str:
        """The value as text of the wanted type."""
        if value.type == kind:
            return value.text
        if value.type == "i64" and kind == "double":
            return self.let(f"sitofp i64 {value.text} to double")
        if value.type == "i1" and kind == "i64":
            return self.let(f"zext i1 {value.text} to i64")
        if kind == self.row and value.type in ("i64", "double"):
            return self.spread_out(self.cast(value, "double"))
        raise CompilerError(f"'{self.title}' uses a value of type {value.type} where {kind} is needed")

    def value(self, node: ast.expr) -> Value:
        match node:
            case ast.Constant(value=bool() as x):
                return Value("i1", str(x).lower())
            case ast.Constant(value=int() as x):
                return Value("i64", str(x))
            case ast.Constant(value=float() as x):
                return Value("double", double_literal(x))
            case ast.Name(id=name):
                return self._emit_name(name, node)
            case ast.Attribute(value=value, attr="lanes") if self.kind(value) is not None:
                return Value("i64", str(self.lanes))
            case ast.Attribute() if (known := self._fixed_number(node)) is not None:
                return Value("i64", str(known))
            case ast.Attribute() | ast.Subscript() if self.kind(node) is None:
                element, location, memory = self.location(node)
                return Value(element, self.let(f"load {element}, ptr {location}, align 8, !tbaa !{memory}"))
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self.value(left), self.value(right), node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._negative(self.value(operand))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return self._not(self.cast(self.value(operand), "i1"))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._emit_comparison(op, self.value(left), self.value(right))
            case ast.BoolOp(op=op, values=values):
                return self._both_or_either(isinstance(op, ast.And), values)
            case ast.Call():
                return self.call(node)
        raise self.unsupported_error(node)

    def _fixed_number(self, node: ast.Attribute) -> int | None:
        base = self.kind(node.value)
        return None if base is None or base.record is None else self.fixed.get((base.record, node.attr))

    def _emit_name(self, name: str, node: ast.AST) -> Value:
        if name in self.variables:
            kind, location = self.variables[name]
            return Value(kind, self.let(f"load {kind}, ptr {location}, align 8"))
        match self.names(name):
            case bool() as x:
                return Value("i1", str(x).lower())
            case int() as x:
                return Value("i64", str(x))
            case float() as x:
                return Value("double", double_literal(x))
        raise self.unsupported_error(node)

    def _not(self, x: str) -> Value:
        if known_truth(x) is not None:
            return Value("i1", str(not known_truth(x)).lower())
        return Value("i1", self.let(f"xor i1 {x}, true"))

    def _binary(self, op: ast.operator, a: Value, b: Value, node: ast.AST) -> Value:
        kind = self._common(a, b)
        if isinstance(op, ast.Div):
            kind = "double" if kind == "i64" else kind
            return Value(kind, self.let(f"fdiv {kind} {self.cast(a, kind)}, {self.cast(b, kind)}"))
        if type(op) not in _ARITHMETIC:
            raise self.unsupported_error(node)
        floating = kind != "i64"
        name = _ARITHMETIC[type(op)][not floating]
        return Value(kind, self.let(f"{name} {kind} {self.cast(a, kind)}, {self.cast(b, kind)}"))

    def _common(self, *values: Value) -> str:
        """Common type of values."""
        kinds = {x.type for x in values}
        return next((kind for kind in (self.row, "double") if kind in kinds), "i64")

    def _negative(self, x: Value) -> Value:
        return Value(x.type, self.let(f"sub i64 0, {x.text}" if x.type == "i64" else f"fneg {x.type} {x.text}"))

    def _emit_comparison(self, op: ast.cmpop, a: Value, b: Value) -> Value:
        kind = self._common(a, b)
        floating, whole, compare = _COMPARE[type(op)]
        if kind == "i64" and _is_integer_literal(a.text) and _is_integer_literal(b.text):
            return Value("i1", str(compare(int(a.text), int(b.text))).lower())
        head = f"icmp {whole}" if kind == "i64" else f"fcmp {floating}"
        return Value(
            self.mask if kind == self.row else "i1",
            self.let(f"{head} {kind} {self.cast(a, kind)}, {self.cast(b, kind)}"),
        )

    def _both_or_either(self, both: bool, values: list[ast.expr]) -> Value:
        """`and` and `or`, which look at the next value only when they must; what is known now is not compiled."""
        first = self.cast(self.value(values[0]), "i1")
        if known_truth(first) is not None:
            if known_truth(first) is not both:
                return Value("i1", first)
            rest = values[1:]
            return self.value(rest[0]) if len(rest) == 1 else self._both_or_either(both, rest)
        location, after = self.slot("i1"), self.label("after")
        for number, node in enumerate(values):
            x = first if number == 0 else self.cast(self.value(node), "i1")
            self.put(f"store i1 {x}, ptr {location}")
            if number < len(values) - 1:
                more = self.label("more")
                self.put(f"br i1 {x}, label %{more if both else after}, label %{after if both else more}")
                self.ended = True
                self.start(more)
        self.jump(after)
        self.start(after)
        return Value("i1", self.let(f"load i1, ptr {location}"))

    def kind(self, node: ast.expr) -> Kind | None:
        """Kind of what an expression refers to, or None when it is a number; nothing is computed."""
        match node:
            case ast.Name(id=name) if name in self.references:
                return self.references[name].kind
            case ast.Name(id=name) if name not in self.variables and isinstance(self._global(name), np.ndarray):
                return Kind("i64" if self._global(name).dtype == np.int64 else "double")
            case ast.Attribute(value=value, attr=name):
                return self._field_kind(self.kind(value), name)
            case ast.Subscript(value=value, slice=ast.Slice()):
                return self.kind(value)
            case ast.Subscript(value=value):
                return self._element_kind(self.kind(value))
            case ast.Call(func=ast.Name(id=name), args=[record, _]) if self._global(name) is lane_view:
                found = self.kind(record)
                return found if found is None or self.lanes == 1 else Kind("lane", found.record)
        return None

    def _global(self, name: str) -> Any:
        try:
            return self.names(name)
        except CompilerError:
            return None

    def _field_kind(self, base: Kind | None, name: str) -> Kind | None:
        if base is None or base.record is None or name not in base.record.fields:
            return None
        kind, record = base.record.fields[name]
        if kind == "record":
            return Kind("record", record)
        return Kind(self._elements(_ADDRESSES[kind]), record) if kind in _ADDRESSES else None

    def _element_kind(self, base: Kind | None) -> Kind | None:
        return Kind("record", base.record) if base is not None and base.name == "records" else None

    def _elements(self, name: str) -> str:
        return "double" if name == "rows" and self.lanes == 1 else name

    def reference(self, node: ast.expr) -> AddressOf:
        """The address that an expression refers to."""
        kind = self.kind(node)
        if kind is None:
            raise CompilerError(f"'{ast.unparse(node)}' in '{self.title}' is neither an array nor a record")
        match node:
            case ast.Name(id=name) if name in self.references:
                return self.references[name]
            case ast.Name(id=name):
                self.constants[name] = self.names(name)
                return AddressOf(kind, f"@lw.table.{name}")
            case ast.Attribute(value=value, attr=name):
                location = self._offset(self.reference(value), name)
                inside = kind.name == "record"
                return AddressOf(kind, location if inside else self._load_address(location))
            case ast.Subscript(value=value, slice=ast.Slice(lower=lower, upper=None, step=None)) if lower:
                return AddressOf(kind, self._element(self.reference(value), lower)[1])
            case ast.Subscript(value=value, slice=ast.Slice()):
                raise self.unsupported_error(node)
            case ast.Subscript(value=value, slice=index):
                return AddressOf(kind, self._element(self.reference(value), index)[1])
            case ast.Call(args=[record, which]):
                return self._lane(self.reference(record), self.cast(self.value(which), "i64"))
        raise self.unsupported_error(node)

    def _lane(self, record: AddressOf, which: str) -> AddressOf:
        """A record of rows, moved by so many numbers: each row then begins with the number of that lane."""
        assert record.kind.record is not None
        others = [n for n, f in record.kind.record.fields.items() if f.kind not in ("Row", "IntRow")]
        if others:
            raise CompilerError(f"{record.kind.record.__name__} is not made of rows alone: {', '.join(others)}")
        if self.lanes == 1:
            return record
        location = self.let(f"getelementptr inbounds double, ptr {record.text}, i64 {which}")
        return AddressOf(Kind("lane", record.kind.record), location)

    def _offset(self, base: AddressOf, name: str) -> str:
        """Address of a field."""
        record = base.kind.record
        if record is None or name not in record.fields:
            raise CompilerError(f"'{name}' in '{self.title}' is not a field of {record and record.__name__}")
        words = record_layout(record, self.lanes)[0][name]
        return self.let(f"getelementptr inbounds i64, ptr {base.text}, i64 {words}")

    def _element(self, array: AddressOf, index: ast.expr) -> tuple[str, str]:
        """Type and address of one element."""
        if isinstance(index, ast.Tuple):
            return "double", self._cell(array.text, *index.elts)
        offset = self.cast(self.value(index), "i64")
        if array.kind.name == "records" and array.kind.record is not None:
            words = record_layout(array.kind.record, 1)[1]
            return "ptr", self.let(f"getelementptr inbounds [{words} x i64], ptr {array.text}, i64 {offset}")
        element = self.row if array.kind.name == "rows" else array.kind.name
        return element, self.let(f"getelementptr inbounds {element}, ptr {array.text}, i64 {offset}")

    def _cell(self, start: str, row: ast.expr, which: ast.expr) -> str:
        first = self.let(f"mul nsw i64 {self.cast(self.value(row), 'i64')}, {self.lanes}")
        offset = self.let(f"add nsw i64 {first}, {self.cast(self.value(which), 'i64')}")
        return self.let(f"getelementptr inbounds double, ptr {start}, i64 {offset}")

    def _load_address(self, location: str) -> str:
        return self.let(f"load ptr, ptr {location}, align 8, !tbaa !{ADDRESS}")

    def location(self, node: ast.expr) -> tuple[str, str, int]:
        """Type, address and memory of a number or row that an element or a field holds."""
        match node:
            case ast.Subscript(value=value, slice=index) if self.kind(value) is not None:
                element, address = self._element(self.reference(value), index)
                return element, address, INTEGERS if element == "i64" else NUMBERS
            case ast.Attribute(value=value, attr=name) if self.kind(value) is not None:
                base = self.reference(value)
                address = self._offset(base, name)
                assert base.kind.record is not None
                element = self._number(base.kind, base.kind.record.fields[name].kind, node)
                return element, address, INTEGER if element == "i64" else NUMBER
        raise self.unsupported_error(node)

    def _number(self, base: Kind, field: str, node: ast.expr) -> str:
        kind = _NUMBERS[field]
        if kind == "row":
            return "double" if base.name == "lane" else self.row
        if kind == "ints":
            if base.name != "lane" and self.lanes > 1:
                raise CompilerError(f"'{ast.unparse(node)}' in '{self.title}' is one per lane; take it from lane(...)")
            return "i64"
        return kind

    def call(self, node: ast.Call) -> Value:
        match node.func:
            case ast.Attribute() as code if self.kind(code) == Kind("code"):
                return self._through(self._offset(self.reference(code.value), code.attr), node.args)
            case ast.Name(id=name):
                return self._by_name(name, node)
        raise self.unsupported_error(node)

    def _through(self, location: str, arguments: list[ast.expr]) -> Value:
        """A call of a compiled program: one table of pointers in, a 32-bit status out; of lanes, always 1.

        The numbers given to every call are the last entry of the table.
        """
        target = self._load_address(location)
        given = self.let(f"getelementptr inbounds i64, ptr {location}, i64 1")
        pointers = [self.reference(argument).text for argument in arguments]
        pointers += [self._load_address(given)] if self.lanes == 1 else []
        table = self.slot(f"[{max(1, len(pointers))} x ptr]")
        for number, pointer in enumerate(pointers):
            entry = self.let(f"getelementptr ptr, ptr {table}, i64 {number}")
            self.put(f"store ptr {pointer}, ptr {entry}, align 8")
        if self.lanes > 1:
            self.put(f"call void {target}(ptr {table})")
            return Value("i64", "1")
        status = self.let(f"call i32 {target}(ptr {table})")
        return Value("i64", self.let(f"sext i32 {status} to i64"))

    def _by_name(self, name: str, node: ast.Call) -> Value:
        if name in ("abs", "min", "max", "float", "int"):
            return self._builtin(name, [self.value(x) for x in node.args])
        function = self.names(name)
        if function is math.sqrt:
            x = self.cast(self.value(node.args[0]), "double")
            return Value("double", self.let(f"call double @llvm.sqrt.f64(double {x})"))
        if function is has_function:
            return Value("i1", self.let(f"icmp ne ptr {self.reference(node.args[0]).text}, null"))
        if function in (choose_by_lane, square_roots, is_any_lane_true, fill_lanes):
            return self._of_lanes(function, [self.value(x) for x in node.args])
        if function in LIBRARY:
            x = self.cast(self.value(node.args[0]), "double")
            return Value("double", self.let(f"call double @{LIBRARY[function]}(double {x})"))
        if isinstance(function, types.FunctionType):
            return self._function(function, node.args)
        raise self.unsupported_error(node)

    def _builtin(self, name: str, values: list[Value]) -> Value:
        """As Python has them: of several equal or unordered values `min` and `max` keep the first."""
        if name == "float":
            return Value("double", self.cast(values[0], "double"))
        if name == "int":
            first = values[0]
            turned = first.type == "double"
            whole = self.let(f"fptosi double {first.text} to i64") if turned else self.cast(first, "i64")
            return Value("i64", whole)
        kind = self._common(*values)
        if name == "abs":
            if kind == self.row:
                return self.magnitudes(values[0].text)
            head = "double @llvm.fabs.f64(double" if kind == "double" else "i64 @llvm.abs.i64(i64"
            tail = ")" if kind == "double" else ", i1 true)"
            return Value(kind, self.let(f"call {head} {values[0].text}{tail}"))
        best = self.cast(values[0], kind)
        test = ("fcmp o" if kind == "double" else "icmp s") + ("lt" if name == "min" else "gt")
        for other in values[1:]:
            x = self.cast(other, kind)
            better = self.let(f"{test} {kind} {x}, {best}")
            best = self.let(f"select i1 {better}, {kind} {x}, {kind} {best}")
        return Value(kind, best)

    def _of_lanes(self, function: Any, values: list[Value]) -> Value:
        if function is fill_lanes:
            return Value(self.row, self.cast(values[0], self.row))
        if function is square_roots:
            return self.roots(self.cast(values[0], self.row))
        if function is is_any_lane_true:
            return self.any_lane(self.cast(values[0], self.mask))
        return self.chosen(self.cast(values[0], self.mask), *(self.cast(x, self.row) for x in values[1:]))

    def _function(self, function: types.FunctionType, arguments: list[ast.expr]) -> Value:
        """A call of another function of the subset; it is compiled for the records it is given, whole or as a lane."""
        result, kinds = signature_of(function, self.lanes)
        given, views = [], []
        for number, (kind, argument) in enumerate(zip(kinds, arguments, strict=True)):
            if kind == "ptr":
                one = self.reference(argument)
                views += [str(number)] if one.kind.name == "lane" else []
            text = one.text if kind == "ptr" else self.cast(self.value(argument), kind)
            given.append(f"{kind} {text}")
        name = ".".join([function.__name__, *(["lane", *views] if views else [])])
        if self.called.setdefault(name, (function, tuple(views)))[0] is not function:
            raise CompilerError(f"'{self.title}' calls two functions that are both named '{function.__name__}'")
        call = f"call {result} @{name}({', '.join(given)})"
        if result == "void":
            self.put(call)
            return Value("void", "")
        return Value(result, self.let(call))


def known_truth(text: str) -> bool | None:
    """A truth value that is known while compiling, or None."""
    return {"true": True, "false": False}.get(text)


def _is_integer_literal(text: str) -> bool:
    return text.removeprefix("-").isdigit()
