"""Addresses and memory layout of CPython and NumPy that the CPython entry points rely on, verified before use."""

from __future__ import annotations

import ctypes
import logging
import struct
import sys
from functools import lru_cache
from types import MethodType
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass

_log = logging.getLogger(__name__)

# Offsets in a NumPy array object; checked by `_layout_holds` on real arrays.
REFERENCES, TYPE, DATA, NDIM, DIMS, DESCR, FLAGS = 0, 8, 16, 24, 32, 56, 64
C_CONTIGUOUS, ALIGNED, WRITEABLE = 0x1, 0x100, 0x400
TUPLE_SIZE, TUPLE_ITEMS = 16, 24

_FUNCTIONS = (
    *("PyObject_Vectorcall", "Py_IncRef", "Py_DecRef", "PyTuple_New", "PyTuple_SetItem"),
    *("PyDict_New", "PyDict_SetItemString", "PyEval_SaveThread", "PyEval_RestoreThread"),
)
_OUT = sys.intern("out")
_FLOAT64 = np.dtype(np.float64)


@dataclass(frozen=True)
class PythonSymbols:
    """Symbol name to address, for the linker."""

    addresses: dict[str, int]


@lru_cache
def python_symbols() -> PythonSymbols | None:
    """Symbols that the CPython entry points link to; None where the layout is not the known one and ctypes must do."""
    try:
        api = _numpy_api()
        if api is None or not _layout_holds() or not _is_working_allocator(api["lw_new_array"]):
            raise RuntimeError("the memory layout is not the expected one")
        own = {name: _python_api_address(name) for name in _FUNCTIONS}
    except (AttributeError, RuntimeError, ValueError, TypeError) as error:
        _log.warning("calls take the slower path through ctypes on this Python and NumPy: %s", error)
        return None
    return PythonSymbols(own | api | {"lw_float64": id(_FLOAT64), "lw_out_name": id(_OUT)})


def _python_api_address(name: str) -> int:
    return ctypes.cast(getattr(ctypes.pythonapi, name), ctypes.c_void_p).value or 0


def _numpy_api() -> dict[str, int] | None:
    """Type object and allocator out of NumPy's stable table of C functions."""
    if sys.implementation.name != "cpython" or struct.calcsize("P") != 8:
        return None
    core = getattr(np, "_core", None) or np.core
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    table = ctypes.cast(pointer(core._multiarray_umath._ARRAY_API, None), ctypes.POINTER(ctypes.c_void_p))
    if table[2] != id(np.ndarray):
        return None
    return {"lw_array_type": table[2] or 0, "lw_new_array": table[94] or 0}


def _read_object_field(x: Any, offset: int, kind: Any) -> Any:
    return kind.from_address(id(x) + offset).value


def _layout_holds() -> bool:
    """Return True if the fields of arrays of several kinds are at the expected offsets."""
    if object.__basicsize__ != 16 or tuple.__basicsize__ != TUPLE_ITEMS or not _counts_references():
        return False
    samples: list[np.ndarray] = [np.zeros(3), np.zeros((2, 5)), np.zeros((4, 3, 2))[::2], np.zeros((2, 2)).T]
    samples.append(np.zeros((3, 2), dtype=np.float32))
    samples[0].setflags(write=False)
    return all(map(_array_holds, samples)) and _read_object_field((_OUT,), TUPLE_ITEMS, ctypes.c_void_p) == id(_OUT)


def _array_holds(x: np.ndarray) -> bool:
    flags = _read_object_field(x, FLAGS, ctypes.c_int)
    dims = _read_object_field(x, DIMS, ctypes.c_void_p)
    return (
        _read_object_field(x, TYPE, ctypes.c_void_p) == id(np.ndarray)
        and _read_object_field(x, DATA, ctypes.c_void_p) == x.__array_interface__["data"][0]
        and _read_object_field(x, NDIM, ctypes.c_int) == x.ndim
        and tuple((ctypes.c_int64 * x.ndim).from_address(dims)) == x.shape
        and _read_object_field(x, DESCR, ctypes.c_void_p) == id(x.dtype)
        and bool(flags & C_CONTIGUOUS) == x.flags.c_contiguous
        and bool(flags & ALIGNED) == x.flags.aligned
        and bool(flags & WRITEABLE) == x.flags.writeable
    )


def _counts_references() -> bool:
    """Return True if the count of an object's owners is at the expected offset."""
    owner = [object()]
    alone = ctypes.c_int32.from_address(id(owner[0]) + REFERENCES).value
    owner.append(owner[0])
    return alone == 1 and ctypes.c_int32.from_address(id(owner[0]) + REFERENCES).value == 2


def _is_working_allocator(address: int) -> bool:
    """Return True if the allocator found in the table makes the right array."""
    thing, whole, pointer = ctypes.py_object, ctypes.c_int, ctypes.c_void_p
    kind = ctypes.PYFUNCTYPE(thing, thing, thing, whole, pointer, pointer, pointer, whole, pointer)
    dims = (ctypes.c_int64 * 2)(2, 3)
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(_FLOAT64))  # the allocator takes over one reference
    made = kind(address)(np.ndarray, _FLOAT64, 2, ctypes.addressof(dims), None, None, 0, None)
    return type(made) is np.ndarray and made.shape == (2, 3) and made.dtype == _FLOAT64 and made.flags.c_contiguous


_COMPILED = b"Compiled function; see the record it belongs to."


def vectorcall_address() -> int:
    """Address of a C function (self, args, nargs, kwnames) that calls self with the arguments."""
    return ctypes.cast(ctypes.pythonapi.PyObject_Vectorcall, ctypes.c_void_p).value or 0


_FASTCALL_WITH_KEYWORDS = 0x0080 | 0x0002
METHOD = 1
"""The entry of the record of `make_builtin` that holds the address of its code."""


def make_builtin(name: str, address: int, general: Any, text: bytes = _COMPILED) -> tuple[Any, np.ndarray]:
    """A Python function around generated code, and the record behind it.

    Args:
        name: what it calls itself.
        address: of a C function (self, args, nargs, kwnames).
        general: callable behind `self`; the code hands every unusual call to it.
        text: its docstring, with the signature in front as C functions have them.

    The entry `METHOD` of the record may be set to another address at any time.

    Python reads the record once more when it frees the function, before it lets go of `self`. In a cycle the garbage
    collector empties objects earlier, those of ctypes too, but not arrays, tuples and bound methods: these own the
    record.
    """
    title = name.encode()
    fields = struct.pack("PPiP", _text_address(title), address, _FASTCALL_WITH_KEYWORDS, _text_address(text))
    record = np.frombuffer(fields, dtype=np.uintp).copy()
    owner = MethodType(_call_general, (general, record, title, text))
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p]
    return make(record.ctypes.data, owner, None), record


def _text_address(text: bytes) -> int:
    return ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p).value or 0


def _call_general(owned: tuple[Any, ...], *arrays: Any, **named: Any) -> Any:
    return owned[0](*arrays, **named)
