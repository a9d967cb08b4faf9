"""Every public function of catalog mechanisms as WebAssembly, run by Node, against the host's machine code.

`python -m tests.compiler.wasm_catalog [names ...]` compares the whole catalog (and a chain of 60 links, whose functions
are rolled) at random states, with lengths and masses as inputs `p`, and lists what is too long for a page. The host's
code is made without fused multiplication, which WebAssembly does not have; the suite compares a few mechanisms.
"""

from __future__ import annotations

import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

import linkwright as lw
from linkwright.compiler import Options, Program, RolledProgram, compile_program, operation_count
from linkwright.compiler.codegen.wasm import MOST_OPERATIONS, encode_programs
from linkwright.errors import LinkwrightError
from linkwright.functions import function_registry
from linkwright.viewer.page_mechanism import model_of_page
from tests.compiler.wasm_node import call_modules
from tests.viewer.mechanisms import chain

PLAIN = Options(generic=True)
STATES = 3
AGREE = 1e-12
"""Relative to the largest number of a result. All but the engine's own functions give the same bits."""


@dataclass(frozen=True)
class Comparison:
    """One function: its operations, the largest relative difference of its results, and whether all bits are equal."""

    name: str
    operations: int
    error: float
    same_bits: bool


def public_programs(model: lw.Model) -> dict[str, Program]:
    """Programs of all public functions that a mechanism has, with its inputs as their last argument."""
    found = {}
    for name, definition in function_registry.public_definitions().items():
        frame = (model.mechanism.platform or model.mechanism.names[-1]) if definition.frame else None
        try:
            found[name] = model.program(name, inputs=bool(model.parameters.names), frame=frame)
        except (LinkwrightError, NotImplementedError, ValueError):
            continue  # the mechanism has no such function
    return found


def rolled_programs(model: lw.Model) -> dict[str, RolledProgram]:
    """Programs of the functions that are loops over links where a tree is long."""
    made = {name: each.rolled for name, each in function_registry.public_definitions().items() if each.rolled}
    found = {name: make(model.kernels.setup) for name, make in made.items()}
    return {name: program for name, program in found.items() if program is not None}


def size_of(program: Program | RolledProgram) -> int:
    """Operations of a program."""
    return program.n_operations if isinstance(program, Program) else operation_count(program).total


def random_arguments(model: lw.Model, program: Program | RolledProgram, rng: np.random.Generator) -> dict:
    """Random arguments of a program, (STATES, size) by port: coordinates with unit quaternions, inputs near theirs."""
    found = {}
    for port in program.inputs:
        x = rng.normal(size=(STATES, port.size))
        if port.name == "p":
            x = model.parameters.values * (1.0 + 0.01 * x)
        elif port.name.startswith("q") and port.size == model.nq:
            x = np.array([model.integrate(model.assemble().q, v, 0.2) for v in rng.normal(size=(STATES, model.nv))])
        for unit in port.units:
            part = x[:, unit.start : unit.start + unit.size]
            part /= np.linalg.norm(part, axis=1, keepdims=True)
        found[port.name] = x
    return found


def compare(programs: dict, model: lw.Model, seed: int = 0) -> Iterator[Comparison]:
    """Every program against the host, but for those that are too long."""
    rng = np.random.default_rng(seed)
    short = {name: x for name, x in programs.items() if size_of(x) <= MOST_OPERATIONS}
    states = {name: random_arguments(model, program, rng) for name, program in short.items()}
    jobs = [(encode_programs({name: program}), {name: states[name]}) for name, program in short.items()]
    for (name, program), results in zip(short.items(), call_modules(jobs), strict=True):
        found = results[name]
        host = compile_program(program, PLAIN)
        arguments = [states[name][port.name].reshape(STATES, *port.shape) for port in program.inputs]
        expected = host(*arguments)
        parts = expected if isinstance(expected, tuple) else (expected,)
        if isinstance(expected, dict):
            parts = tuple(expected[key] for key in found)
        pairs = list(zip(found.values(), map(np.asarray, parts), strict=True))
        error = max((relative_error(a, b) for a, b in pairs), default=0.0)
        same = all(np.array_equal(a, b, equal_nan=True) for a, b in pairs)
        yield Comparison(name, size_of(program), error, same)


def relative_error(a: np.ndarray, b: np.ndarray) -> float:
    """Largest difference over the largest number of each state; infinite where one is not a number and the other is."""
    a, b = a.reshape(STATES, -1), b.reshape(STATES, -1)
    bad = ~np.isfinite(b)
    if not a.size or (bad != ~np.isfinite(a)).any():
        return np.inf if a.size else 0.0
    size = np.abs(np.where(bad, 0.0, b)).max(axis=1, keepdims=True)
    return float((np.abs(np.where(bad, 0.0, a - b)) / np.where(size > 0.0, size, 1.0)).max())


def main(names: list[str]) -> int:
    """Compare, and print a line for every mechanism; 1 where something differs."""
    warnings.simplefilter("ignore")
    faults, total, equal = [], 0, 0
    for name in names or [*lw.catalog.names(), "chain of 60"]:
        began = time.process_time()
        model = lw.build(chain(60)) if name == "chain of 60" else model_of_page(lw.build(lw.catalog.load(name)))
        programs = rolled_programs(model) if name == "chain of 60" else public_programs(model)
        found = list(compare(programs, model))
        long = [each for each, x in programs.items() if size_of(x) > MOST_OPERATIONS]
        faults += [(name, each) for each in found if not each.error <= AGREE]
        total, equal = total + len(found), equal + sum(each.same_bits for each in found)
        worst = max(found, key=lambda each: each.error)
        print(
            f"{name:22}{len(found):4} functions, {sum(x.same_bits for x in found):4} with the same bits, worst "
            f"{worst.error:.1e} ({worst.name}), {time.process_time() - began:.0f} s"
            + (f"; too long: {', '.join(f'{each} ({size_of(programs[each])})' for each in long)}" if long else ""),
            flush=True,
        )
    print(f"{total} functions, {equal} with the same bits, {len(faults)} off by more than {AGREE:g}")
    for name, each in faults:
        print(f"  {name}: {each}")
    return int(bool(faults))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
