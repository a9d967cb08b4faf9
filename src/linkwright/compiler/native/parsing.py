"""Source of functions as syntax trees, read once."""

from __future__ import annotations

import ast
import inspect
import textwrap
from functools import lru_cache
from types import FunctionType

from linkwright.compiler.native.writer import signature
from linkwright.errors import CompilerError


@lru_cache(maxsize=256)
def syntax(function: FunctionType) -> ast.FunctionDef:
    """The syntax tree of a function."""
    try:
        found = ast.parse(textwrap.dedent(inspect.getsource(function))).body[0]
    except (OSError, TypeError) as error:
        raise CompilerError(f"the source of '{function.__name__}' cannot be read: {error}") from None
    assert isinstance(found, ast.FunctionDef)
    return found


def signature_of(function: FunctionType) -> tuple[str, list[str]]:
    """The IR types of a function's result and arguments."""
    return signature(syntax(function))
