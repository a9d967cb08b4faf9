"""Compiled functions of a mechanism as compiled drivers call them."""

from __future__ import annotations

import ctypes
from functools import partial

import numpy as np

from linkwright.compiler import Kernel
from linkwright.compiler.native import FunctionPointer, array_address
from linkwright.compiler.runtime.code import NativeCode
from linkwright.functions.design_inputs import BoundKernel

_CODE = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)


def compiled_pointer(code: Kernel | BoundKernel, entry: str = "lw_state", draft: bool = False) -> FunctionPointer:
    """A compiled function as drivers call it, which owns its code; a `draft` will do for a run that may be short."""
    kernel, given = (code, None) if isinstance(code, Kernel) else (code.rest, code.early_results)
    entry = entry if given is None else "lw_bound"
    start = kernel.addresses.draft(entry) if draft else kernel.addresses[entry]
    code_in_python = partial(_from_python, kernel.addresses, start, entry in ("lw_block", "lw_rows"))
    return FunctionPointer(start, code_in_python, given)


def _from_python(owner: NativeCode, start: int, lanes: bool, *arrays: np.ndarray) -> int:
    """Call machine code on arrays from Python; code of lanes returns nothing, which counts as 1."""
    table = np.array([x.__array_interface__["data"][0] for x in arrays], dtype=np.uintp)
    result = _CODE(start)(array_address(table))
    return 1 if lanes else int(result)
