"""What identifies a function, so that chunks of another one are not taken for its own."""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Iterator
from functools import partial
from types import CodeType, FunctionType, ModuleType
from typing import Any

import numpy as np

from linkwright.dataclass import exact_text

_DEEPEST = 4  # functions that call functions


def function_identity(function: Any) -> tuple[str, str]:
    """Name of a function, and a digest of its code, of what it is bound to, and of the globals it uses.

    Numbers, texts and arrays count by their values, functions by their code, models by their mechanism, other objects
    by their `description` where they have one and else by their type.
    """
    inner = function
    while isinstance(inner, partial):
        inner = inner.func
    owner = inner if inspect.isroutine(inner) else type(inner)
    name = f"{getattr(owner, '__module__', '')}.{getattr(owner, '__qualname__', type(owner).__name__)}"
    digest = hashlib.blake2b(digest_size=16)
    for part in _identity_parts(function, 0):
        digest.update(len(part).to_bytes(8, "little") + part)
    return name, digest.hexdigest()


def _identity_parts(x: Any, depth: int) -> Iterator[bytes]:
    if depth > _DEEPEST:
        return
    if isinstance(x, partial):
        yield from _identity_parts((x.func, x.args, sorted(x.keywords.items())), depth)
    elif isinstance(x, np.ndarray | np.generic):
        yield repr((x.dtype.str, x.shape)).encode() + (x.tobytes() if x.dtype != object else b"")
    elif isinstance(x, bool | int | float | complex | str | bytes | type(None)):
        yield repr(x).encode()
    elif isinstance(x, list | tuple):
        yield f"{len(x)} items".encode()
        for item in x:
            yield from _identity_parts(item, depth)
    elif isinstance(x, dict):
        yield from _identity_parts(sorted(x.items(), key=lambda item: exact_text(item[0])), depth)
    elif isinstance(x, FunctionType):
        yield from _of_function(x, depth)
    elif inspect.ismethod(x):
        yield from _identity_parts((x.__func__, x.__self__), depth)
    elif isinstance(x, ModuleType | type) or inspect.isroutine(x):
        yield getattr(x, "__qualname__", x.__name__).encode()
    else:
        yield type(x).__qualname__.encode()
        stated = getattr(x, "description", None) or getattr(x, "mechanism", None)
        yield b"" if stated is None else exact_text(stated).encode()


def _of_function(function: FunctionType, depth: int) -> Iterator[bytes]:
    yield from _of_code(function.__code__)
    yield from _identity_parts((function.__defaults__, function.__kwdefaults__), depth + 1)
    for cell in function.__closure__ or ():
        yield from _identity_parts(cell.cell_contents if _is_cell_filled(cell) else None, depth + 1)
    for name in sorted(_names_in_code(function.__code__)):
        if name in function.__globals__:
            yield name.encode()
            yield from _identity_parts(function.__globals__[name], depth + 1)


def _of_code(code: CodeType) -> Iterator[bytes]:
    yield code.co_code
    yield repr((code.co_names, code.co_varnames)).encode()
    for constant in code.co_consts:
        if isinstance(constant, CodeType):
            yield from _of_code(constant)
        else:
            yield repr(constant).encode()


def _names_in_code(code: CodeType) -> set[str]:
    inner = [_names_in_code(each) for each in code.co_consts if isinstance(each, CodeType)]
    return set(code.co_names).union(*inner)


def _is_cell_filled(cell: Any) -> bool:
    try:
        return cell.cell_contents is not None
    except ValueError:
        return False
