"""`python -m benchmarks.simulation`: two seconds of motion, beside Pinocchio stepped by Runge-Kutta from Python.

Same machine, start and efforts; CPU time, least of several; errors of the leg joints' coordinates against one reference
(DOP853 at rtol 1e-13). Limits are events without effect. Run it on a quiet machine.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

import linkwright as lw
from benchmarks.closed import peer_trees

Array = np.ndarray
T_END = 2.0
ROWS = 201


@dataclass(frozen=True, eq=False)
class Problem:
    """A machine, its start and efforts, the peer's step, our tolerance, and how many times faster is promised."""

    name: str
    start: Callable[[lw.Model], Array]
    effort: Any
    force: Callable[[float], Array]
    step: float
    rtol: float
    promised: float
    gravity: tuple[float, float, float] | None = None


def elbows_out(model: lw.Model) -> Array:
    """Khan's platform in the middle of its base, unturned, every leg bent the same way."""
    pose = (np.array([0.5, np.sqrt(3) / 6, 0.0]), np.array([1.0, 0.0, 0.0, 0.0]))
    modes = [mode.q for mode in model.platform_modes(pose)]
    return next(q for q in modes if np.all(np.sin(q[3:6]) < 0))


def tilted(model: lw.Model) -> Array:
    """Wang's platform at (-1.5, 0.1, 1.5) m, turned by 0.1 rad about y."""
    pose = (np.array([-1.5, 0.1, 1.5]), np.array([np.cos(0.05), 0.0, np.sin(0.05), 0.0]))
    return model.from_platform(pose, near=model.assemble().q)[0]


def home(model: lw.Model) -> Array:
    return model.assemble().q


PROBLEMS = (
    Problem("four-bar", home, [6.0], lambda t: np.array([6.0]), 1e-3, 1e-8, 150),
    Problem("3-rrr", elbows_out, None, lambda t: np.zeros(3), 2e-4, 3e-8, 200),
    Problem(
        "gough-stewart",
        tilted,
        lw.Sines([9.0] * 6, [np.pi] * 6),
        lambda t: np.full(6, 9 * np.sin(np.pi * t)),
        2e-4,
        1e-9,
        400,
        (0.0, 0.0, -9.81),
    ),
)


def cpu(call: Callable[[], Any], times: int) -> float:
    """The least CPU time of several calls, [s]."""
    spent = []
    for _ in range(times):
        began = time.process_time()
        call()
        spent.append(time.process_time() - began)
    return min(spent)


def ours(problem: Problem, model: lw.Model, q: Array, method: Any) -> lw.Result:
    return lw.simulate(model, q, t_end=T_END, effort=problem.effort, method=method, output=ROWS, check=False)


def pinocchio(problem: Problem, model: lw.Model, q: Array) -> tuple[Callable[[], Array], list[str]]:
    """Classical Runge-Kutta around `constraintDynamics`; rows of the leg joints' coordinates, and their names."""
    import pinocchio as pin

    from benchmarks.loop_pinocchio import CHOLESKY, Loops

    tree = next(iter(peer_trees(model, q, np.zeros(model.nv), problem.force(0.0)).values()))
    loops = Loops(tree)
    data, parts = loops.model.createData(), loops._data()
    pin.initConstraintDynamics(loops.model, data, loops.constraints, parts)
    settings, driven, tau = pin.ProximalSettings(*CHOLESKY), loops.driven(), np.zeros(loops.model.nv)
    names = [name for name in tree.rate_places if loops.model.joints[loops.last[name][0]].nq == 1]
    places = [loops.model.joints[loops.last[name][0]].idx_q for name in names]

    def acceleration(x: Array, v: Array, t: float) -> Array:
        tau[driven] = problem.force(t)
        return pin.constraintDynamics(loops.model, data, x, v, tau, loops.constraints, parts, settings).copy()

    rates = _rates(loops.model)
    steps = round(T_END / problem.step)

    def run() -> Array:
        x, v, h = loops.q.copy(), np.zeros(loops.model.nv), T_END / steps
        rows = [x[places]]
        for k in range(steps):
            x, v = _step(x, v, k * h, h, acceleration, rates)
            if (k + 1) * (ROWS - 1) % steps == 0:
                rows.append(x[places])
        return np.array(rows)

    return run, names


def _rates(model: Any) -> Callable[[Array, Array], Array]:
    """Rates of Pinocchio's coordinates; quaternions x y z w with angular velocity in the body's axes."""
    balls = [(j.idx_q, j.idx_v) for j in model.joints if (j.nq, j.nv) == (4, 3)]
    if model.nq == model.nv:
        return lambda x, v: v
    plain = [(j.idx_q, j.idx_v, j.nq) for j in model.joints if j.nq == j.nv and j.nq > 0]

    def rates(x: Array, v: Array) -> Array:
        out = np.zeros_like(x)
        for i, k, n in plain:
            out[i : i + n] = v[k : k + n]
        for i, k in balls:
            (a, b, c, w), (p, q, r) = x[i : i + 4], v[k : k + 3]
            out[i : i + 4] = (
                0.5 * (w * p + b * r - c * q),
                0.5 * (w * q + c * p - a * r),
                0.5 * (w * r + a * q - b * p),
                -0.5 * (a * p + b * q + c * r),
            )
        return out

    return rates


def _step(x: Array, v: Array, t: float, h: float, acceleration: Any, rates: Any) -> tuple[Array, Array]:
    a1, x1 = acceleration(x, v, t), rates(x, v)
    v2 = v + 0.5 * h * a1
    a2, x2 = acceleration(x + 0.5 * h * x1, v2, t + 0.5 * h), rates(x + 0.5 * h * x1, v2)
    v3 = v + 0.5 * h * a2
    a3, x3 = acceleration(x + 0.5 * h * x2, v3, t + 0.5 * h), rates(x + 0.5 * h * x2, v3)
    v4 = v + h * a3
    a4, x4 = acceleration(x + h * x3, v4, t + h), rates(x + h * x3, v4)
    return x + h / 6 * (x1 + 2 * x2 + 2 * x3 + x4), v + h / 6 * (a1 + 2 * a2 + 2 * a3 + a4)


def row(problem: Problem, repeats: int) -> str:
    """One line of the table."""
    mech = lw.catalog.load(problem.name)
    model = lw.build(mech if problem.gravity is None else replace(mech, gravity=problem.gravity))
    q = problem.start(model)
    exact = ours(problem, model, q, lw.DOP853(1e-13))
    theirs, names = pinocchio(problem, model, q)
    found = theirs()
    reference = np.stack([exact[name] for name in names], axis=1)
    their_error = np.abs(found - reference[:: (ROWS - 1) // (len(found) - 1)]).max()
    method = lw.DOP853(problem.rtol)
    run = ours(problem, model, q, method)
    our_error = np.abs(np.stack([run[name] for name in names], axis=1) - reference).max()
    spent = cpu(lambda: ours(problem, model, q, method), 20 * repeats), cpu(theirs, repeats)
    return (
        f"| {problem.name} | {1e3 * spent[0]:.2f} | {our_error:.1e} | {run.meta['closure']:.0e} | "
        f"{1e3 * spent[1]:.0f} | {their_error:.1e} | {spent[1] / spent[0]:.0f} | {problem.promised:.0f} |"
    )


def main() -> int:
    repeats = 1 if "--quick" in sys.argv else 3
    print("| problem | ours ms | error | closure m | Pinocchio + RK4 ms | error | ratio | promised |")
    print("|---|---|---|---|---|---|---|---|")
    for problem in PROBLEMS:
        print(row(problem, repeats), flush=True)
    return 0


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    sys.exit(main())
