"""Exported functions beside the library's own: time to compile, time per state, gradients.

    python -m benchmarks.learners [mechanism function ...]

needs the extra jax, and torch for its rows. Times are the least of several, in microseconds per state.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import linkwright as lw

CASES = [("five-bar", "forward_dynamics"), ("gough-stewart", "inverse_dynamics"), ("gough-stewart", "forward_dynamics")]
BATCH = 1024


def least(call: Callable[[], Any], times: int = 10) -> float:
    found = []
    for _ in range(times):
        start = time.perf_counter()
        call()
        found.append(time.perf_counter() - start)
    return min(found) * 1e6


def states(model: lw.Model, function: str) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    q_act = model.actuator_positions(model.assemble().q) + 0.02 * rng.normal(size=(BATCH, model.na))
    q, v, a = model.forward_kinematics(q_act, *rng.normal(size=(2, BATCH, model.na)))
    known = {"q": q, "v": v, "a": a, "tau": rng.normal(size=(BATCH, model.na))}
    return [known[port.name] for port in model.program(function).inputs]


def row(title: str, seconds: float, one: float, batch: float, gradient: float, error: float) -> None:
    print(f"  {title:<22}{seconds:>10.2f}{one:>12.1f}{batch / BATCH:>14.3f}{gradient / BATCH:>14.3f}{error:>12.1e}")


def in_jax(model: lw.Model, function: str, x: list[np.ndarray], expected: np.ndarray) -> None:
    import jax

    jax.config.update("jax_enable_x64", True)
    for method in ("xla", "kernel"):
        f = lw.export.jax_function(model, function, method=method)
        start = time.perf_counter()
        one = jax.jit(f).lower(*(each[0] for each in x)).compile()
        seconds = time.perf_counter() - start
        batch = jax.jit(f).lower(*x).compile()
        gradient = jax.jit(jax.grad(lambda *x, f=f: f(*x).sum())).lower(*x).compile()
        error = np.abs(np.asarray(batch(*x)) - expected).max() / np.abs(expected).max()
        calls = [(one, [each[0] for each in x]), (batch, x), (gradient, x)]
        times = [least(lambda f=f, given=given: jax.block_until_ready(f(*given))) for f, given in calls]
        row(f"jax {method}", seconds, *times, error)


def in_torch(model: lw.Model, function: str, x: list[np.ndarray], expected: np.ndarray) -> None:
    f = lw.export.torch_function(model, function)
    import torch

    given = [torch.tensor(each) for each in x]
    start = time.perf_counter()
    f(*(each[0] for each in given))
    seconds = time.perf_counter() - start

    def gradient() -> None:
        leaf = given[0].clone().requires_grad_()
        f(leaf, *given[1:]).sum().backward()

    gradient()
    times = [least(lambda: f(*(each[0] for each in given))), least(lambda: f(*given)), least(gradient)]
    row("torch", seconds, *times, np.abs(f(*given).numpy() - expected).max() / np.abs(expected).max())


def case(name: str, function: str) -> None:
    model = lw.build(lw.catalog.load(name))
    x = states(model, function)
    own = getattr(model, function)
    expected = own(*x)
    print(f"{name} {function}, {model.program(function).n_operations} operations, batches of {BATCH}")
    print(f"  {'':<22}{'first, s':>10}{'one, us':>12}{'batch, us':>14}{'gradient, us':>14}{'error':>12}")
    row("linkwright", 0.0, least(lambda: own(*(each[0] for each in x))), least(lambda: own(*x)), np.nan, 0.0)
    in_jax(model, function, x, expected)
    try:
        in_torch(model, function, x, expected)
    except lw.errors.LinkwrightError as error:
        print(f"  {error}")


def main(arguments: list[str]) -> None:
    for name, function in list(zip(arguments[::2], arguments[1::2], strict=True)) or CASES:
        case(name, function)


if __name__ == "__main__":
    main(sys.argv[1:])
