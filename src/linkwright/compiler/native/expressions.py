"""Expressions of the subset as IR text."""

from __future__ import annotations

import ast
import math
import types
from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.compiler.codegen.text import real
from linkwright.compiler.native.lanes import LaneValues, Value, choose, some, spread
from linkwright.errors import CompilerError

_ARITHMETIC = {ast.Add: ("fadd", "add nsw"), ast.Sub: ("fsub", "sub nsw"), ast.Mult: ("fmul", "mul nsw")}
_COMPARE = {
    ast.Lt: ("olt", "slt"),
    ast.LtE: ("ole", "sle"),
    ast.Gt: ("ogt", "sgt"),
    ast.GtE: ("oge", "sge"),
    ast.Eq: ("oeq", "eq"),
    ast.NotEq: ("une", "ne"),
}
LIBRARY: dict[Any, str] = {math.exp: "lw_exp", math.log: "lw_log"}


_BEHIND_ADDRESSES = {"arrays": "double", "lane arrays": "lanes"}


class Expressions(LaneValues):
    """Values of expressions, computed in the current block.

    `names` looks up what is not a variable: constants, constant arrays and other functions.
    """

    def __init__(self, title: str, names: Callable[[str], Any], lanes: int = 1) -> None:
        super().__init__(lanes)
        self.title = title
        self.names = names
        self.variables: dict[str, tuple[str, str]] = {}
        self.arrays: dict[str, tuple[str, str]] = {}
        self.constants: dict[str, np.ndarray] = {}
        self.called: dict[str, types.FunctionType] = {}

    def refused(self, node: ast.AST) -> CompilerError:
        return CompilerError(
            f"line {getattr(node, 'lineno', '?')} of '{self.title}' is outside the subset: {ast.unparse(node)}"
        )

    def store(self, name: str, value: Value) -> None:
        """Give a variable a value; it keeps the type of its first one."""
        if name not in self.variables:
            self.variables[name] = (value.type, self.slot(value.type))
        kind, place = self.variables[name]
        if value.type == "double" and kind == "i64":
            raise CompilerError(f"variable '{name}' of '{self.title}' is an int and is given a float; start it as 0.0")
        self.put(f"store {kind} {self.cast(value, kind)}, ptr {place}, align 8")

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
                return Value("double", real(x))
            case ast.Name(id=name):
                return self._named(name, node)
            case ast.BinOp(left=left, op=op, right=right):
                return self._binary(op, self.value(left), self.value(right), node)
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return self._negative(self.value(operand))
            case ast.UnaryOp(op=ast.Not(), operand=operand):
                return Value("i1", self.let(f"xor i1 {self.cast(self.value(operand), 'i1')}, true"))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return self._compared(op, self.value(left), self.value(right))
            case ast.BoolOp(op=op, values=values):
                return self._both_or_either(isinstance(op, ast.And), values)
            case ast.Subscript(value=ast.Name(id=name), slice=index) if not isinstance(index, ast.Slice):
                element, place = self.place(name, index)
                return Value(element, self.let(f"load {element}, ptr {place}, align 8"))
            case ast.Call():
                return self.call(node)
        raise self.refused(node)

    def _named(self, name: str, node: ast.AST) -> Value:
        if name in self.variables:
            kind, place = self.variables[name]
            return Value(kind, self.let(f"load {kind}, ptr {place}, align 8"))
        match self.names(name):
            case bool() as x:
                return Value("i1", str(x).lower())
            case int() as x:
                return Value("i64", str(x))
            case float() as x:
                return Value("double", real(x))
        raise self.refused(node)

    def _binary(self, op: ast.operator, a: Value, b: Value, node: ast.AST) -> Value:
        kind = self._common(a, b)
        if isinstance(op, ast.Div):
            kind = "double" if kind == "i64" else kind
            return Value(kind, self.let(f"fdiv {kind} {self.cast(a, kind)}, {self.cast(b, kind)}"))
        if type(op) not in _ARITHMETIC:
            raise self.refused(node)
        floating = kind != "i64"
        name = _ARITHMETIC[type(op)][not floating]
        return Value(kind, self.let(f"{name} {kind} {self.cast(a, kind)}, {self.cast(b, kind)}"))

    def _common(self, *values: Value) -> str:
        """The type in which values meet."""
        kinds = {x.type for x in values}
        return next((kind for kind in (self.row, "double") if kind in kinds), "i64")

    def _negative(self, x: Value) -> Value:
        return Value(x.type, self.let(f"sub i64 0, {x.text}" if x.type == "i64" else f"fneg {x.type} {x.text}"))

    def _compared(self, op: ast.cmpop, a: Value, b: Value) -> Value:
        kind = self._common(a, b)
        floating = kind != "i64"
        head = f"fcmp {_COMPARE[type(op)][0]}" if floating else f"icmp {_COMPARE[type(op)][1]}"
        return Value(
            self.mask if kind == self.row else "i1",
            self.let(f"{head} {kind} {self.cast(a, kind)}, {self.cast(b, kind)}"),
        )

    def _both_or_either(self, both: bool, values: list[ast.expr]) -> Value:
        """`and` and `or`, which look at the next value only when they must."""
        place, after = self.slot("i1"), self.label("after")
        for number, node in enumerate(values):
            x = self.cast(self.value(node), "i1")
            self.put(f"store i1 {x}, ptr {place}")
            if number < len(values) - 1:
                more = self.label("more")
                self.put(f"br i1 {x}, label %{more if both else after}, label %{after if both else more}")
                self.ended = True
                self.start(more)
        self.jump(after)
        self.start(after)
        return Value("i1", self.let(f"load i1, ptr {place}"))

    def branch(self, test: ast.expr, yes: str, no: str) -> None:
        x = self.cast(self.value(test), "i1")
        self.put(f"br i1 {x}, label %{yes}, label %{no}")
        self.ended = True

    def array(self, name: str) -> tuple[str, str]:
        """Element type and address of an array argument or of a constant array of the module."""
        if name in self.arrays:
            return self.arrays[name]
        constant = self.names(name)
        if not isinstance(constant, np.ndarray):
            raise CompilerError(f"'{name}' in '{self.title}' is no array")
        self.constants[name] = constant
        return ("i64" if constant.dtype == np.int64 else "double"), f"@lw.table.{name}"

    def place(self, name: str, index: ast.expr) -> tuple[str, str]:
        """Element type and address of one element."""
        element, start = self.array(name)
        if isinstance(index, ast.Tuple):
            return self._cell(start, *index.elts)
        element = {"lanes": self.row}.get(element, element if element in ("double", "i64") else "ptr")
        offset = self.cast(self.value(index), "i64")
        return element, self.let(f"getelementptr inbounds {element}, ptr {start}, i64 {offset}")

    def _cell(self, start: str, row: ast.expr, lane: ast.expr) -> tuple[str, str]:
        first = self.let(f"mul nsw i64 {self.cast(self.value(row), 'i64')}, {self.lanes}")
        offset = self.let(f"add nsw i64 {first}, {self.cast(self.value(lane), 'i64')}")
        return "double", self.let(f"getelementptr inbounds double, ptr {start}, i64 {offset}")

    def is_array(self, node: ast.expr) -> bool:
        """Whether an expression means an array and not a number."""
        match node:
            case ast.Subscript(slice=ast.Slice()):
                return True
            case ast.Subscript(value=ast.Name(id=name)):
                return self.arrays.get(name, ("",))[0] in _BEHIND_ADDRESSES
        return False

    def part(self, node: ast.expr) -> tuple[str, str]:
        """Element type and address of an array, or of the rest of one."""
        match node:
            case ast.Name(id=name):
                return self.array(name)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Slice(lower=lower, upper=None)) if lower:
                return self.array(name)[0], self.place(name, lower)[1]
            case ast.Subscript(value=ast.Name(id=name), slice=index) if self.is_array(node):
                return _BEHIND_ADDRESSES[self.arrays[name][0]], self.let(
                    f"load ptr, ptr {self.place(name, index)[1]}, align 8"
                )
        raise self.refused(node)

    def call(self, node: ast.Call) -> Value:
        match node.func:
            case ast.Subscript(value=ast.Name(id=codes), slice=index):
                return self._through(codes, index, node.args)
            case ast.Name(id=name):
                return self._by_name(name, node)
        raise self.refused(node)

    def _through(self, codes: str, index: ast.expr, arguments: list[ast.expr]) -> Value:
        """A call of a compiled program: one table of pointers in, a 32-bit status out; of lanes, nothing out."""
        _, place = self.place(codes, index)
        target = self.let(f"load ptr, ptr {place}, align 8")
        table = self.slot(f"[{max(1, len(arguments))} x ptr]")
        for number, argument in enumerate(arguments):
            entry = self.let(f"getelementptr ptr, ptr {table}, i64 {number}")
            self.put(f"store ptr {self.part(argument)[1]}, ptr {entry}, align 8")
        if self.array(codes)[0] == "lane codes":
            self.put(f"call void {target}(ptr {table})")
            return Value("void", "")
        status = self.let(f"call i32 {target}(ptr {table})")
        return Value("i64", self.let(f"sext i32 {status} to i64"))

    def _by_name(self, name: str, node: ast.Call) -> Value:
        if name in ("abs", "min", "max", "float", "int"):
            return self._builtin(name, [self.value(x) for x in node.args])
        function = self.names(name)
        if function is math.sqrt:
            x = self.cast(self.value(node.args[0]), "double")
            return Value("double", self.let(f"call double @llvm.sqrt.f64(double {x})"))
        if function in (choose, some, spread):
            return self._of_lanes(function, [self.value(x) for x in node.args])
        if function in LIBRARY:
            x = self.cast(self.value(node.args[0]), "double")
            return Value("double", self.let(f"call double @{LIBRARY[function]}(double {x})"))
        if isinstance(function, types.FunctionType):
            return self._function(function, node.args)
        raise self.refused(node)

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
        if function is spread:
            return Value(self.row, self.cast(values[0], self.row))
        if function is some:
            return self.any_lane(self.cast(values[0], self.mask))
        return self.chosen(self.cast(values[0], self.mask), *(self.cast(x, self.row) for x in values[1:]))

    def _function(self, function: types.FunctionType, arguments: list[ast.expr]) -> Value:
        from linkwright.compiler.native.parsing import signature_of

        self.called[function.__name__] = function
        result, kinds = signature_of(function)
        given = []
        for kind, argument in zip(kinds, arguments, strict=True):
            text = self.part(argument)[1] if kind == "ptr" else self.cast(self.value(argument), kind)
            given.append(f"{kind} {text}")
        call = f"call {result} @{function.__name__}({', '.join(given)})"
        if result == "void":
            self.put(call)
            return Value("void", "")
        return Value(result, self.let(call))
