"""The drivers that a page runs, compiled to WebAssembly when the package is built.

    python -m linkwright.viewer.page_drivers        # after a change of a driver: writes the module beside this file,
                                                    # and the text of the driver of runs beside its own module

The module is package data, since compiling it takes seconds. A seal beside it says from which text it was made, and by
which LLVM: with the same LLVM the same bytes come out again.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import FunctionType
from typing import Any, cast

from linkwright.compiler.codegen import llvm
from linkwright.compiler.codegen.wasm import STACK_TOP
from linkwright.compiler.native.native_functions import write_text
from linkwright.compiler.native.native_text import text_of_functions
from linkwright.compiler.native.wasm_drivers import driver_module
from linkwright.kinematics.dragging.pull_driver import pull_body
from linkwright.kinematics.measures.measure_driver import measure_state_range
from linkwright.simulation.drivers.stepping import advance_lanes

DRIVERS: tuple[FunctionType, ...] = tuple(
    cast(FunctionType, x) for x in (advance_lanes, pull_body, measure_state_range)
)
"""Functions of the compiled subset that pages call, by their names."""

_MODULE, _SEAL = "drivers.wasm", "drivers.json"


@cache
def driver_binary() -> bytes:
    """The module as it was built."""
    return files("linkwright.viewer").joinpath("drivers").joinpath(_MODULE).read_bytes()


def sealed_about() -> dict[str, Any]:
    """From which text the module was made, and by which LLVM."""
    text = files("linkwright.viewer").joinpath("drivers").joinpath(_SEAL).read_text(encoding="utf-8")
    found: dict[str, Any] = json.loads(text)
    return found


def about_now() -> dict[str, Any]:
    """The same of a module that is made now."""
    text = text_of_functions(DRIVERS).encode()
    return {"text": hashlib.sha256(text).hexdigest(), "llvm": list(llvm.llvm_version_info)}


def build_drivers() -> bytes:
    """The module, compiled now."""
    return driver_module(DRIVERS, constants_at=STACK_TOP)


def write_drivers(folder: Path) -> None:
    """Write the module and its seal."""
    folder.mkdir(exist_ok=True)
    (folder / _MODULE).write_bytes(build_drivers())
    (folder / _SEAL).write_text(json.dumps(about_now(), indent=2) + "\n", encoding="utf-8")


if __name__ == "__main__":
    write_drivers(Path(__file__).with_name("drivers"))
    write_text(cast(FunctionType, advance_lanes))
