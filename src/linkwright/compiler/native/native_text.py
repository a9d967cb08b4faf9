"""Functions of the subset as IR text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import FunctionType
from typing import Any

import numpy as np

from linkwright.compiler.codegen.ir_text import double_literal
from linkwright.compiler.native.lanes import Value, lane_declarations
from linkwright.compiler.native.native_expressions import (
    MEMORY_CLASSES,
    AddressOf,
    Expressions,
    Kind,
    known_truth,
)
from linkwright.compiler.native.native_records import FixedFields
from linkwright.compiler.native.parsing import ARRAYS, annotation_text, ir_signature, outer_names, syntax_tree
from linkwright.errors import CompilerError


class Writer(Expressions):
    """Statements of one function; variables live in memory and are moved to registers by LLVM."""

    def __init__(
        self,
        tree: ast.FunctionDef,
        names: Callable[[str], Any],
        lanes: int = 1,
        views: tuple[str, ...] = (),
        fixed: FixedFields = (),
    ) -> None:
        super().__init__(tree.name, names, lanes, fixed)
        self.tree = tree
        self.views = views
        self.loops: list[tuple[str, str]] = []
        self.result, self.kinds = ir_signature(tree, names, lanes)

    def text(self, name: str, exported: bool) -> str:
        """The definition of the function under a name."""
        arguments = self.tree.args.args
        parameters = [f"{kind} %a.{x.arg}" for kind, x in zip(self.kinds, arguments, strict=True)]
        for number, (kind, argument) in enumerate(zip(self.kinds, arguments, strict=True)):
            self._parameter(argument, kind, str(number) in self.views)
        self._body(self.tree.body)
        if not self.ended:
            self.put("ret void" if self.result == "void" else "unreachable")
        scope = "" if exported else "internal "
        head = f"define {scope}{self.result} @{name}({', '.join(parameters)}) #0"
        return f"{head} {{\nentry:\n  " + "\n  ".join([*self.slots, *self.lines]) + "\n}\n"

    def _parameter(self, argument: ast.arg, kind: str, view: bool) -> None:
        name, written = argument.arg, annotation_text(argument.annotation)
        if kind != "ptr":
            self.store(name, Value(kind, f"%a.{name}"))
        elif written in ARRAYS:
            self.references[name] = AddressOf(Kind(self._elements(ARRAYS[written])), f"%a.{name}")
        else:
            self.references[name] = AddressOf(Kind("lane" if view else "record", self.names(written)), f"%a.{name}")

    def _body(self, statements: list[ast.stmt]) -> None:
        for statement in statements:
            if self.ended:
                return
            self._statement(statement)

    def _statement(self, node: ast.stmt) -> None:
        match node:
            case ast.Expr(value=ast.Constant()) | ast.Pass():
                return
            case ast.Expr(value=ast.Call() as call):
                self.call(call)
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if self.kind(value) is not None:
                self.references[name] = self.reference(value)
            case ast.Assign(targets=[target], value=value):
                self._assign(target, self.value(value))
            case ast.AugAssign(target=target, op=op, value=value):
                load = ast.copy_location(_readable_target(target), node)
                self._assign(target, self.value(ast.copy_location(ast.BinOp(load, op, value), node)))
            case ast.If(test=test, body=body, orelse=orelse):
                self._if(test, body, orelse)
            case ast.While(test=test, body=body, orelse=[]):
                self._while(test, body)
            case ast.For(target=ast.Name(id=name), iter=ast.Call(func=ast.Name(id="range")) as call, orelse=[]):
                self._for(name, call.args, node.body)
            case ast.Return(value=value):
                self._return(value)
            case ast.Break() | ast.Continue():
                self.jump(self.loops[-1][isinstance(node, ast.Continue)])
            case _:
                raise self.unsupported_error(node)

    def _assign(self, target: ast.expr, value: Value) -> None:
        match target:
            case ast.Name(id=name):
                self.store(name, value)
            case ast.Attribute() if self._fixed_number(target) is not None:
                raise self.unsupported_error(target)
            case ast.Subscript() | ast.Attribute():
                element, location, memory = self.location(target)
                self.put(f"store {element} {self.cast(value, element)}, ptr {location}, align 8, !tbaa !{memory}")
            case _:
                raise self.unsupported_error(target)

    def _return(self, value: ast.expr | None) -> None:
        if value is None:
            self.put("ret void")
        else:
            self.put(f"ret {self.result} {self.cast(self.value(value), self.result)}")
        self.ended = True

    def _if(self, test: ast.expr, body: list[ast.stmt], orelse: list[ast.stmt]) -> None:
        """A branch that is known not to be taken while compiling is not compiled, so it may hold what only other widths
        allow."""
        x = self.cast(self.value(test), "i1")
        if known_truth(x) is not None:
            self._body(body if known_truth(x) else orelse)
            return
        yes, no, after = self.label("yes"), self.label("no"), self.label("after")
        self._branch(x, yes, no)
        self.start(yes)
        self._body(body)
        self.jump(after)
        self.start(no)
        self._body(orelse)
        self.jump(after)
        self.start(after)

    def _branch(self, x: str, yes: str, no: str) -> None:
        self.put(f"br i1 {x}, label %{yes}, label %{no}")
        self.ended = True

    def _while(self, test: ast.expr, body: list[ast.stmt]) -> None:
        again, inside, after = self.label("again"), self.label("inside"), self.label("after")
        self.jump(again)
        self.start(again)
        self._branch(self.cast(self.value(test), "i1"), inside, after)
        self.start(inside)
        self.loops.append((after, again))
        self._body(body)
        self.loops.pop()
        self.jump(again)
        self.start(after)

    def _for(self, name: str, bounds: list[ast.expr], body: list[ast.stmt]) -> None:
        """Counts up in a counter of its own, as Python does: what the body does to the name is forgotten."""
        first = self.value(bounds[0]) if len(bounds) == 2 else Value("i64", "0")
        last = self.cast(self.value(bounds[-1]), "i64")
        counter = self.slot("i64")
        self.put(f"store i64 {self.cast(first, 'i64')}, ptr {counter}")
        again, inside, step, after = (self.label(x) for x in ("again", "inside", "step", "after"))
        self.jump(again)
        self.start(again)
        now = self.let(f"load i64, ptr {counter}")
        going = self.let(f"icmp slt i64 {now}, {last}")
        self.put(f"br i1 {going}, label %{inside}, label %{after}")
        self.ended = True
        self.start(inside)
        self.store(name, Value("i64", now))
        self.loops.append((after, step))
        self._body(body)
        self.loops.pop()
        self.jump(step)
        self.start(step)
        self.put(f"store i64 {self.let(f'add nsw i64 {now}, 1')}, ptr {counter}")
        self.jump(again)
        self.start(after)


def _readable_target(target: ast.expr) -> ast.expr:
    """The target of an assignment as something to read."""
    match target:
        case ast.Name(id=name):
            return ast.Name(id=name, ctx=ast.Load())
        case ast.Subscript(value=value, slice=index):
            return ast.Subscript(value=value, slice=index, ctx=ast.Load())
        case ast.Attribute(value=value, attr=name):
            return ast.Attribute(value=value, attr=name, ctx=ast.Load())
    raise CompilerError(f"cannot read {ast.unparse(target)}")


# --- several functions, and all they call -----------------------------------------------------------------------------

_HEAD = (
    "declare double @llvm.sqrt.f64(double)\ndeclare double @llvm.fabs.f64(double)\n"
    "declare i64 @llvm.abs.i64(i64, i1)\ndeclare double @lw_exp(double)\ndeclare double @lw_log(double)\n"
)
_TAIL = 'attributes #0 = { nounwind "frame-pointer"="none" "no-trapping-math"="true" }\n' + MEMORY_CLASSES


def module_text(function: FunctionType, lanes: int = 1) -> str:
    """IR of a function, of all functions it calls, and of the constant arrays they read."""
    return text_of_functions((function,), lanes)


def text_of_functions(functions: Sequence[FunctionType], lanes: int = 1, fixed: FixedFields = ()) -> str:
    """IR of several functions that are exported, and of what they need together."""
    title = ", ".join(one.__name__ for one in functions)
    done: dict[str, str] = {}
    written = {one.__name__: one for one in functions}
    tables: dict[str, np.ndarray] = {}
    waiting: dict[str, tuple[FunctionType, tuple[str, ...]]] = {name: (one, ()) for name, one in written.items()}
    while waiting:
        name, (one, views) = waiting.popitem()
        writer = Writer(syntax_tree(one), outer_names(one), lanes, views, fixed)
        done[name] = writer.text(name, exported=one in functions)
        tables |= writer.constants
        for other, _ in writer.called.values():
            if written.setdefault(other.__name__, other) is not other:
                raise CompilerError(f"'{title}' calls two functions that are both named '{other.__name__}'")
        waiting |= {n: f for n, f in writer.called.items() if n not in done}
    head = _HEAD + lane_declarations(lanes)
    return head + "".join(_constant_table(n, x) for n, x in tables.items()) + "\n".join(done.values()) + _TAIL


def _constant_table(name: str, values: np.ndarray) -> str:
    kind = "i64" if values.dtype == np.int64 else "double"
    texts = [f"{kind} {x if kind == 'i64' else double_literal(float(x))}" for x in values.ravel().tolist()]
    return f"@lw.table.{name} = internal constant [{len(texts)} x {kind}] [{', '.join(texts)}], align 64\n"
