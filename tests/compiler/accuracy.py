"""Judge compiled sine and cosine against mpmath: `python -m tests.compiler.accuracy [points]`."""

from __future__ import annotations

import sys

import mpmath
import numpy as np

from linkwright.compiler import trace
from linkwright.compiler.codegen.target import Options
from linkwright.compiler.runtime.kernel import compile_program


def angles(count: int, seed: int = 0) -> np.ndarray:
    """Uniform, logarithmic, and the doubles at and next to multiples of pi/2, all with |x| <= 1e5."""
    rng = np.random.default_rng(seed)
    third = count // 3
    uniform = rng.uniform(-1e5, 1e5, third)
    logarithmic = np.exp(rng.uniform(np.log(1e-20), np.log(1e5), third)) * rng.choice([-1.0, 1.0], third)
    multiples = rng.integers(-63661, 63662, count - 2 * third) * (np.pi / 2)
    steps = rng.integers(-2, 3, len(multiples))
    for _ in range(2):
        multiples = np.where(steps > 0, np.nextafter(multiples, np.inf), multiples)
        multiples = np.where(steps < 0, np.nextafter(multiples, -np.inf), multiples)
        steps -= np.sign(steps)
    return np.clip(np.concatenate([uniform, logarithmic, multiples]), -1e5, 1e5)


def worst_error(x: np.ndarray, options: Options) -> float:
    """Largest error of sine and cosine in units in the last place of the exact result."""
    pair = compile_program(trace(lambda x: (np.sin(x), np.cos(x)), {"x": 1}), options)
    found = pair(x[:, None])
    worst = 0.0
    with mpmath.workprec(160):
        for values, exact_function in zip(found, (mpmath.sin, mpmath.cos), strict=True):
            for angle, value in zip(x.tolist(), values[:, 0].tolist(), strict=True):
                exact = exact_function(mpmath.mpf(angle))
                worst = max(worst, float(abs(value - exact) / np.spacing(abs(float(exact)))))
    return worst


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1_000_000
    x = angles(count)
    for options in (Options(), Options(generic=True)):
        name = "without fma" if options.generic else "host"
        print(f"{name}: worst error {worst_error(x, options):.3f} ulp over {count} angles")


if __name__ == "__main__":
    main()
