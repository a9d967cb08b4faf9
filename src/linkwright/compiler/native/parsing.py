"""The subset of Python that becomes machine code, and its source as syntax trees, read once.

class Walk(Record):
        n: int
        x: Floats
        shown: FunctionPointer

    def grown(w: Walk) -> float:
        x = w.x
        total = 0.0
        for i in range(w.n):
            if x[i] > 0.0:
                total += x[i]
        w.shown(x, x[w.n :])
        return total

Arguments and results are annotated; local variables are int, float or bool and keep the type of their first value.
Arrays are flat; `x[n:]` is the rest of an array; a name given to an array or a record keeps meaning it. Functions in
a record are compiled programs (and Python functions) that take arrays only and return an int. Whole numbers have 64
bits; bounds are not checked. Numbers and constant arrays of the module, other functions of the subset, `abs`,
`min`, `max`, `float`, `int`, `sqrt`, `exp` and `log` may be used. Nothing is reassociated or fused, so the machine code
gives the same bits as Python. `records` says what a record may hold, `lanes` what rows of lanes are.
"""

from __future__ import annotations

import ast
import inspect
import linecache
import textwrap
from collections.abc import Callable
from functools import lru_cache
from types import FunctionType
from typing import Any

import numpy as np

from linkwright.compiler.native.native_records import Record
from linkwright.errors import CompilerError

# --- the subset of Python that becomes machine code, by example: ------------------------------------------------------

Floats = np.ndarray
"""A flat array of float64."""

Ints = np.ndarray
"""A flat array of int64."""

SCALARS = {"int": "i64", "float": "double", "bool": "i1"}
ARRAYS = {"Floats": "double", "Ints": "i64", "Rows": "rows"}


# --- source of functions as syntax trees, read once -------------------------------------------------------------------


@lru_cache(maxsize=256)
def syntax_tree(function: FunctionType) -> ast.FunctionDef:
    """The syntax tree of a function."""
    code = function.__code__
    try:
        found: ast.stmt | None = _functions_of_file(code.co_filename).get((code.co_name, code.co_firstlineno))
        if found is None:  # it has decorators, or no file
            (found,) = ast.parse(textwrap.dedent(inspect.getsource(function))).body
    except (OSError, TypeError, SyntaxError) as error:
        raise CompilerError(f"the source of '{function.__name__}' cannot be read: {error}") from None
    assert isinstance(found, ast.FunctionDef)
    return found


@lru_cache(maxsize=64)
def _functions_of_file(file: str) -> dict[tuple[str, int], ast.FunctionDef]:
    """The functions of a file by name and line; parsing it once takes less time than finding each one's text."""
    lines = "".join(linecache.getlines(file))
    return {(x.name, x.lineno): x for x in ast.walk(ast.parse(lines)) if isinstance(x, ast.FunctionDef)}


def outer_names(function: FunctionType) -> Callable[[str], Any]:
    """The values that names outside a function have."""

    def value(name: str) -> Any:
        if name not in function.__globals__:
            raise CompilerError(f"'{function.__name__}' uses '{name}', which has no value yet there")
        return function.__globals__[name]

    return value


def signature_of(function: FunctionType, lanes: int = 1) -> tuple[str, list[str]]:
    """The IR types of a function's result and arguments."""
    return ir_signature(syntax_tree(function), outer_names(function), lanes)


def records_of(function: FunctionType) -> list[type[Record]]:
    """The records that a function takes."""
    found = [
        function.__globals__.get(ast.unparse(x.annotation)) for x in syntax_tree(function).args.args if x.annotation
    ]
    return [x for x in found if isinstance(x, type) and issubclass(x, Record)]


def ir_signature(tree: ast.FunctionDef, names: Callable[[str], Any], lanes: int) -> tuple[str, list[str]]:
    """The IR types of the result and of the arguments."""
    result = "void" if annotation_text(tree.returns) == "None" else _number_type(tree.returns, lanes)
    if result is None:
        raise CompilerError(f"'{tree.name}' needs one of the results None, {', '.join([*SCALARS, 'Row'])}")
    return result, [_argument_type(argument, names, lanes) for argument in tree.args.args]


def _number_type(annotation: ast.expr | None, lanes: int) -> str | None:
    written = annotation_text(annotation)
    if written == "Row":
        return f"<{lanes} x double>" if lanes > 1 else "double"
    return SCALARS.get(written)


def _argument_type(argument: ast.arg, names: Callable[[str], Any], lanes: int) -> str:
    number, written = _number_type(argument.annotation, lanes), annotation_text(argument.annotation)
    if number is not None:
        return number
    if written in ARRAYS or (written and _is_record(names(written))):
        return "ptr"
    raise CompilerError(
        f"argument '{argument.arg}' needs one of the annotations {[*SCALARS, 'Row', *ARRAYS]} or a record"
    )


def _is_record(x: Any) -> bool:
    return isinstance(x, type) and issubclass(x, Record)


def annotation_text(annotation: ast.expr | None) -> str:
    """The annotation as it is written; empty without one."""
    return "" if annotation is None else ast.unparse(annotation).strip("'\"")
