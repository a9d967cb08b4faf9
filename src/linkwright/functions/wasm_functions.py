"""Compiled functions of a mechanism as the encoder of WebAssembly takes them."""

from __future__ import annotations

from linkwright.compiler import Kernel, Program
from linkwright.compiler.codegen.wasm import WasmFunction
from linkwright.compiler.trace.program import GIVEN
from linkwright.functions.design_inputs import BoundKernel


def wasm_function(code: Kernel | BoundKernel) -> WasmFunction:
    """The program of a function, and what computes the numbers that it is given from parameters."""
    if isinstance(code, Kernel):
        return WasmFunction(code.make_program(), code.options.pivot_checked)
    start, first = {**code.early, GIVEN: code.early_results}, code.first.make_program()
    assert isinstance(first, Program)
    return WasmFunction(code.rest.make_program(), code.rest.options.pivot_checked, first, start)
