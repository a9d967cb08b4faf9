"""What gradients by parameters cost: operations and CPU time against one evaluation of the function.

    python -m benchmarks.gradients [--inputs 50] [--rows 2048] [mechanism ...]

`operations`: of one set of weights (reverse mode) against the function. `row`: CPU time of a row in a batch, the same
ratio, both compiled for the same inputs, shortest of many alternating rounds. `call`: the same for a single state.
`assembly`: the gradient of the efforts against efforts and forward kinematics together, as an optimizer calls them.
An energy has no constraints, and its gradient keeps the loops closed.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.gradients.fixed_quantities import FixedQuantities
from linkwright.gradients.parameter_gradients import Query, gradient_kernel

_MECHANISMS = ("puma-560", "five-bar", "four-bar", "delta", "gough-stewart", "hexapod")
_LETTERS = {"inverse_dynamics": ("q", "v", "a"), "forward_dynamics": ("q", "v", "tau"), "energy": ("q", "v")}
_ROUNDS, _SINGLE = 40, 400
_WITHOUT = {"shapes", "limits", "home", "effort", "speed", "axis", "first", "second", "normal", "roll", "pitch", "yaw"}


def inputs_of(mech: lw.Mechanism, count: int) -> list[str]:
    """So many numbers of a mechanism, lengths, masses and inertias in mixed order."""
    paths = [path for path, x in mech.numbers.items() if x.value and not set(path.split(".")) & _WITHOUT]
    return [str(path) for path in np.random.default_rng(0).permutation(paths)[:count]]


def shortest(functions: dict[str, Callable[[], Any]], rounds: int) -> dict[str, float]:
    """Shortest CPU time of each function, called in turn."""
    best = dict.fromkeys(functions, np.inf)
    for _ in range(rounds):
        for name, function in functions.items():
            start = time.process_time()
            function()
            best[name] = min(best[name], time.process_time() - start)
    return best


def measured(model: lw.Model, rows: int) -> dict[str, dict[str, float]]:
    """Ratios by function."""
    rng, q0 = np.random.default_rng(1), model.kinematics.home
    speeds = [model.v_names.index(name) for name in model.independent]
    v = np.asarray(model.independent_map(q0)) @ rng.uniform(-1.0, 1.0, len(speeds))
    given = {
        "inverse_dynamics": (q0, v, np.zeros(model.nv), np.ones(model.na)),
        "forward_dynamics": (q0, v, np.zeros(model.na), np.ones(model.nv)),
        "energy": (q0, v, (1.0, 1.0)),
    }
    out = {}
    for name, (*state, weights) in given.items():
        many = [np.repeat(x[None, :], rows, axis=0) for x in state]
        w = tuple(np.full(rows, x) for x in weights) if name == "energy" else np.repeat(weights[None, :], rows, axis=0)
        kernel = gradient_kernel(model.dynamics, Query(name, FixedQuantities(), _LETTERS[name]), "reverse")
        getattr(model, name)(*state)
        function: Any = getattr(model, name)  # compiled code itself, from the second call on
        function(*many), model.parameter_jacobian(name, *many, weights=w)

        def single(function: Any = function, state: Any = state) -> None:
            for _ in range(_SINGLE):
                function(*state)

        def gradient(name: str = name, state: Any = state, weights: Any = weights) -> None:
            for _ in range(_SINGLE):
                model.parameter_jacobian(name, *state, weights=weights)

        times = shortest(
            {
                "row": lambda function=function, many=many: function(*many),
                "gradient row": lambda name=name, many=many, w=w: model.parameter_jacobian(name, *many, weights=w),
                "call": single,
                "gradient call": gradient,
            },
            _ROUNDS,
        )
        out[name] = {
            "operations": kernel.rest.count.total / model.operation_count(name).total,
            "row": times["gradient row"] / times["row"],
            "call": times["gradient call"] / times["call"],
        }
    if model.has_loops:
        out["inverse_dynamics"]["assembly"] = _with_assembly(model, q0, rows)
    return out


def _with_assembly(model: lw.Model, q0: np.ndarray, rows: int) -> float:
    q_act = np.repeat(np.asarray(model.actuator_positions(q0))[None, :], rows, axis=0)
    found = model.forward_kinematics(q_act, near=q0)
    w = np.ones((rows, model.na))
    times = shortest(
        {
            "value": lambda: model.inverse_dynamics(*model.forward_kinematics(q_act, near=q0)),
            "gradient": lambda: model.parameter_jacobian("inverse_dynamics", *found, weights=w),
        },
        4,
    )
    return times["gradient"] / times["value"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--inputs", type=int, default=50)
    parser.add_argument("--rows", type=int, default=2048)
    parser.add_argument("mechanisms", nargs="*", default=_MECHANISMS)
    chosen = parser.parse_args()
    print(f"{'mechanism':16} {'function':18} {'inputs':>6} {'operations':>10} {'row':>6} {'call':>6} {'assembly':>8}")
    for name in chosen.mechanisms or _MECHANISMS:
        mech = lw.catalog.load(name)
        inputs = inputs_of(mech, chosen.inputs)
        for function, ratios in measured(lw.build(mech, inputs=inputs), chosen.rows).items():
            columns = [f"{ratios[key]:{width}.2f}" for key, width in (("operations", 10), ("row", 6), ("call", 6))]
            last = f"{ratios['assembly']:8.4f}" if "assembly" in ratios else ""
            print(f"{name:16} {function:18} {len(inputs):6} {' '.join(columns)} {last}", flush=True)


if __name__ == "__main__":
    main()
