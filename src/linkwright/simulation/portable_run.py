"""A single run for a machine without Python: the driver's record, and the programs that it calls.

What a run on the host has behind its driver is missing there: dense solves, other orders made when they are needed, and
the examination of singular positions. A driver that needs one of them ends with its status.
"""

from __future__ import annotations

from linkwright.compiler.codegen.wasm import WasmFunction
from linkwright.dataclass import dataclass
from linkwright.functions.tree.tree_functions import WrenchSite
from linkwright.functions.wasm_functions import wasm_function
from linkwright.model import Model
from linkwright.simulation.drivers.driver_records import Driver
from linkwright.simulation.integrators import Method
from linkwright.simulation.problem.applied_loads import AppliedLoads
from linkwright.simulation.problem.callbacks import Callback, LazyKernel
from linkwright.simulation.problem.problem import Function, problem_of_model
from linkwright.simulation.root_functions import root_functions
from linkwright.simulation.running.run_workspace import driver_without_functions


@dataclass(frozen=True, eq=False)
class PortableRun:
    """A run that has not begun.

    Attributes:
        driver: its record; functions are to be set, and `mechanics.tau` holds the efforts, then six numbers per body:
            moment and force on it, at its origin in its axes.
        functions: programs by field of the record's `mechanics`.
    """

    driver: Driver
    functions: dict[str, WasmFunction]


def portable_run(model: Model, method: Method) -> PortableRun:
    """A run of a model under a method, with a wrench on every body."""
    acting = AppliedLoads(tuple(WrenchSite(name) for name in model.bodies))
    problem = problem_of_model(model, acting=acting)
    roots = root_functions(problem, (), False)
    driver = driver_without_functions(problem, method, roots.kinds)
    found: dict[str, Function | None] = {**problem.functions, "watch": roots.code}
    made = {name: code.code if isinstance(code, LazyKernel) else code for name, code in found.items()}
    functions = {
        name: wasm_function(code)
        for name, code in made.items()
        if code is not None and not isinstance(code, Callback | LazyKernel)
    }
    return PortableRun(driver, functions)
