"""Program in, callable kernel out."""

from __future__ import annotations

from linkwright.compiler.kernel import Kernel
from linkwright.compiler.linking import load, object_code
from linkwright.compiler.module import module_text
from linkwright.compiler.program import Program
from linkwright.compiler.python_api import python_symbols
from linkwright.compiler.target import Options, Target, host_target

ENTRIES = ("lw_state", "lw_block", "lw_rows")


def compile_program(program: Program, options: Options | None = None) -> Kernel:
    """Machine code for this processor.

    >>> from linkwright.compiler.tracing import trace
    >>> dot = compile_program(trace(lambda x, y: x @ y, {"x": 3, "y": 3}))
    >>> float(dot([1.0, 2.0, 3.0], [1.0, 1.0, 1.0]))
    6.0
    """
    options = options or Options()
    target = host_target(options)
    code = program_object(program, options, target)
    return kernel_from_object(code, program, program.n_operations, options, target)


def program_object(program: Program, options: Options, target: Target) -> bytes:
    """Object code of a program."""
    return object_code(module_text(program, target, options.chunk, door=python_symbols() is not None), target)


def kernel_from_object(code: bytes, signature: Program, n_operations: int, options: Options, target: Target) -> Kernel:
    """A kernel from object code made earlier; of the program only ports and form are needed."""
    symbols = python_symbols()
    names = (*ENTRIES, "lw_call") if symbols else ENTRIES
    library = load(code, target, names, symbols.addresses if symbols else {})
    return Kernel(signature, n_operations, options, target, library)
