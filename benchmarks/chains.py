"""Long chains: forward dynamics against the peers, and how the cost per body grows."""

from __future__ import annotations

from benchmarks import trees
from benchmarks.comparison import Comparison, Measured, MeasuringExtent, measured, ready
from benchmarks.promises import verdict
from benchmarks.robots import chain
from benchmarks.trees import State
from linkwright import Model, build
from linkwright.formats import from_urdf

PROMISED = {30: 4.0, 100: 4.0, 300: 3.0}
ALONE = (1000, 10_000)
GROWTH = 1.5  # cost per body at 10 000 over that at 100, at most


def chain_model(n: int) -> Model:
    """Our model of the chain."""
    return build(from_urdf(chain(n), f"chain{n}.urdf").mechanism)


def table(extent: MeasuringExtent) -> tuple[list[Measured], list[str]]:
    """Forward dynamics of all lengths."""
    sizes = (*PROMISED, *ALONE)
    rows = [measured(comparison(n), extent) for n in sizes]
    by_size = dict(zip(sizes, rows))
    growth = by_size[10_000].us / 10_000 / (by_size[100].us / 100)
    notes = [
        f"cost per body at 10 000 links over that at 100 links: {growth:.2f} (promised: at most {GROWTH}): "
        + verdict(growth, GROWTH, at_most=True),
        "Pinocchio is not measured beyond 300 links: its data take memory with the cube of the length (1.7 GB at 300)",
    ]
    return rows, notes


def comparison(n: int) -> Comparison:
    """A chain of n links beside the peers that can hold it."""
    model, s = chain_model(n), State.random(n, reach=0.5)
    peers = trees.rivals(chain(n), s, "link0", skip=_too_long(n)).get(trees.FORWARD, {})
    return Comparison(
        f"chain of {n}",
        trees.FORWARD,
        ready(model, "forward_dynamics", s.q, s.v, s.tau),
        model.forward_dynamics(s.q, s.v, s.tau),
        peers,
        promised=PROMISED.get(n),
        against=("pinocchio aba",),
    )


def _too_long(n: int) -> tuple[str, ...]:
    return () if n <= 300 else ("pinocchio", "mujoco", "drake")
