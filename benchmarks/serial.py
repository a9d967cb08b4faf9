"""UR5 and Panda: single calls from Python, and batches on one thread."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks import trees
from benchmarks.comparison import Comparison, Measured, MeasuringExtent, measured, ready
from benchmarks.peers import installed
from benchmarks.robots import BASES, FILES, ROBOTS, robot
from benchmarks.trees import State
from linkwright import Model, build
from linkwright.formats import from_urdf

ROWS = 4096
PROMISED = {
    trees.INVERSE: 8.0,
    trees.FORWARD: 10.0,
    trees.BATCH_INVERSE: 18.0,
    trees.BATCH_FORWARD: 25.0,
    trees.DERIVATIVES: 7.0,
}
# what the promises were made against
_CALLS = ("rnea", "aba", "rneaInParallel", "abaInParallel", "computeABADerivatives")
AGAINST = tuple(f"pinocchio {call}" for call in _CALLS)


def arm(name: str) -> Model | None:
    """The model of an arm, without friction; None without the package that holds its file."""
    text = robot(name)
    return None if text is None else build(from_urdf(text, f"{name}.urdf").mechanism)


def table(extent: MeasuringExtent) -> tuple[list[Measured], list[str]]:
    """All comparisons of the arms, and notes on what could not be measured."""
    rows, notes = [], []
    for name in FILES:
        model, text = arm(name), robot(name)
        if model is None or text is None:
            notes.append(f"{name} is not measured: its file comes with the package {ROBOTS}, which is not installed")
            continue
        rows += [measured(given, extent) for given in comparisons(name, model, text)]
    return rows, notes


def comparisons(name: str, model: Model, text: str) -> list[Comparison]:
    """Single calls and batches of one arm beside the peers that are here."""
    one, many = State.random(model.nv), State.random(model.nv, rows=ROWS)
    single = trees.rivals(text, one, BASES[name])
    batch = trees.pinocchio_batch(text, many) if "pinocchio" in installed() else {}
    out = [
        _comparison(name, function, ours, single.get(function, {}))
        for function, ours in functions(model, one).items()
        if function != trees.DERIVATIVES or name == "UR5"
    ]
    for function, ours in batch_functions(model, many).items():
        peers = {f"pinocchio {batch[function][0]}": batch[function][1]} if function in batch else {}
        out.append(_comparison(name, function, ours, peers, ROWS))
    return out


def functions(model: Model, s: State) -> dict[str, Callable[[], Any]]:
    """Our calls for one state."""
    return {
        trees.INVERSE: ready(model, "inverse_dynamics", s.q, s.v, s.a),
        trees.FORWARD: ready(model, "forward_dynamics", s.q, s.v, s.tau),
        trees.INERTIA: ready(model, "mass_matrix", s.q),
        trees.DERIVATIVES: ready(model, "forward_dynamics_derivatives", s.q, s.v, s.tau),
    }


def batch_functions(model: Model, s: State) -> dict[str, Callable[[], Any]]:
    """Our calls for a batch."""
    return {
        trees.BATCH_INVERSE: ready(model, "inverse_dynamics", s.q, s.v, s.a),
        trees.BATCH_FORWARD: ready(model, "forward_dynamics", s.q, s.v, s.tau),
    }


def _comparison(
    name: str, function: str, ours: Callable[[], Any], peers: dict[str, Any], states: int = 1
) -> Comparison:
    result = ours()
    return Comparison(
        name,
        function,
        ours,
        np.stack(result) if isinstance(result, tuple) else np.array(result),
        peers,
        states,
        PROMISED.get(function),
        AGAINST,
    )
