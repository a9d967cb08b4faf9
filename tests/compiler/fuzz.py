"""Random programs, compiled against the bit-exact reference: `python -m tests.compiler.fuzz [programs] [seed]`."""

from __future__ import annotations

import sys

import numpy as np

from linkwright.compiler import Options
from linkwright.compiler.runtime.kernel import compile_program
from tests.compiler.exact import exact_results
from tests.compiler.random_programs import BINARY, UNARY, Computation, random_computation

NAMES = [*UNARY, *BINARY, *(["add", "sub", "mul"] * 5), "select"]


def disagreement(computation: Computation, rng: np.random.Generator) -> str:
    """Differences between compiled code and reference; empty when nothing does."""
    options = Options(
        lanes=int(rng.choice([2, 4, 8])), generic=bool(rng.integers(0, 3) == 0), chunk=int(rng.choice([3, 10, 1000]))
    )
    program = computation.program()
    kernel = compile_program(program, options)
    x = rng.normal(size=(int(rng.integers(1, 20)), computation.n_inputs)) * 10.0 ** rng.integers(-3, 4)
    batch = kernel(x)
    for row, found in zip(x, batch, strict=True):
        expected = np.array(exact_results(program, row.tolist(), options))
        for name, values in (("batch", found), ("alone", kernel(row))):
            if not np.array_equal(values, expected, equal_nan=True):
                return f"{name} {values} expected {expected} at {row.tolist()} with {options}: {computation}"
    return ""


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
    rng = np.random.default_rng(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
    for k in range(count):
        fault = disagreement(random_computation(rng, NAMES, int(rng.integers(1, 60))), rng)
        if fault:
            raise SystemExit(f"program {k}: {fault}")
        if (k + 1) % 500 == 0:
            print(f"{k + 1} programs agree bit for bit", flush=True)


if __name__ == "__main__":
    main()
