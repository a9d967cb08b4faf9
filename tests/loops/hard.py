"""Closed configurations hard to compute with: close to where a leg, a pivot or the whole closure becomes singular."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.compiler import evaluate
from linkwright.formulations.elimination import factor
from linkwright.formulations.lu import lu
from linkwright.kernels import registry
from linkwright.solve.branches import legs
from linkwright.solve.newton import close
from linkwright.solve.samples import CLOSED, close_all, right_way_round
from tests.loops.machines import Machine

DISTANCES = (1e-8, 1e-6, 1e-4, 1e-2)
_NUDGE = 1e-6

Measure = Callable[[np.ndarray], np.ndarray]


def scaled_jacobian(machine: Machine, q: np.ndarray) -> np.ndarray:
    """Jacobians of the kept rows with lengths in units of the machine's own, (n, rows, nv)."""
    J = evaluate(machine.kernels.program(registry.CLOSURE_JACOBIAN), q)
    rows = machine.kernels.setup.closure.select(machine.scales.rows)
    return J / rows[:, None] * machine.scales.speeds


def allowed_motions(machine: Machine, q: np.ndarray) -> np.ndarray:
    """Orthonormal scaled speeds that keep the loops closed, (n, nv, mobility); at a singularity the best there are."""
    J = (
        evaluate(machine.open.program(registry.CLOSURE_JACOBIAN), q)
        / machine.scales.rows[:, None]
        * machine.scales.speeds
    )
    _, _, Vt = np.linalg.svd(J)
    return Vt[:, machine.rank.rank :].transpose(0, 2, 1)


def polished(machine: Machine, q: np.ndarray) -> np.ndarray:
    """The same configurations closed to the last digits."""
    closing = machine.open.function(registry.CLOSING)
    free = np.ones(machine.setup.tree.nv, dtype=bool)
    return close(q, lambda x, _: closing(x), machine.open.function(registry.ADVANCED), machine.scales, free, 0.0, 2).q


def measures(machine: Machine) -> dict[str, Measure]:
    """What vanishes at a singularity: each leg's determinant, the passive joints' one, and every watched pivot."""
    out: dict[str, Measure] = {}
    for i, leg in enumerate(legs(machine.kinematics)):
        out[f"leg {i + 1}"] = _determinant(machine, leg.rows, leg.speeds)
    driven = [drive.speed for drive in machine.setup.drives]
    rows = tuple(range(machine.kernels.setup.closure.n_rows))
    out["type II"] = _determinant(machine, rows, tuple(i for i in range(machine.setup.tree.nv) if i not in driven))
    planned, efforts = machine.kernels.stage, machine.actuated.stage
    for i in np.flatnonzero(planned.typical):
        out[f"pivot {i}"] = _pivot(machine, int(i))
    for i in np.flatnonzero(efforts.pivots):
        out[f"effort pivot {i}"] = _effort_pivot(machine, int(i))
    return out


def _determinant(machine: Machine, rows: tuple[int, ...], speeds: tuple[int, ...]) -> Measure:
    return lambda q: np.linalg.det(scaled_jacobian(machine, q)[:, np.array(rows)[:, None], speeds])


def _pivot(machine: Machine, i: int) -> Measure:
    program, plan = machine.kernels.program(registry.KKT_MATRIX), machine.kernels.stage.plan
    return lambda q: factor(np.moveaxis(evaluate(program, q), 0, -1), plan).sizes[i]


def _effort_pivot(machine: Machine, i: int) -> Measure:
    program, plan = machine.actuated.program(registry.EFFORT_SYSTEM), machine.actuated.stage.plan
    return lambda q: np.broadcast_to(lu(np.moveaxis(evaluate(program, q), 0, -1), plan).sizes[i], len(q))


def near_zero(machine: Machine, measure: Measure, start: np.ndarray, steps: int) -> np.ndarray:
    """Closed configurations at each of the DISTANCES, both ways, from where a measure vanishes (or is least)."""
    q, out = np.array(start), []
    with np.errstate(all="ignore"):
        for _ in range(steps):
            value, gradient = _slope(machine, measure, q)
            length = -value / np.maximum(np.linalg.norm(gradient, axis=1), 1e-300)
            q = _moved(machine, q, gradient, np.clip(length, -0.2, 0.2))
        _, gradient = _slope(machine, measure, q)
        for distance in DISTANCES:
            out += [_moved(machine, q, gradient, np.full(len(q), sign * distance)) for sign in (-1.0, 1.0)]
    return np.concatenate([q, *out])


def _slope(machine: Machine, measure: Measure, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A measure and its gradient along the motions the loops allow, (n, nv), scaled."""
    T, advanced = allowed_motions(machine, q), machine.open.function(registry.ADVANCED)
    value = np.nan_to_num(measure(q))
    sides = [measure(advanced(q, _NUDGE * T[:, :, k] * machine.scales.speeds)) for k in range(T.shape[2])]
    slopes = np.nan_to_num((np.array(sides) - value) / _NUDGE)
    return value, np.einsum("nvk,kn->nv", T, slopes)


def _moved(machine: Machine, q: np.ndarray, gradient: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The configurations moved along the unit gradients and closed again; those that do not close stay."""
    unit = gradient / np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1e-300)
    trial = machine.open.function(registry.ADVANCED)(q, length[:, None] * unit * machine.scales.speeds)
    moved = close_all(machine.open, trial)
    good = (moved.gap < CLOSED) & right_way_round(machine.open, moved.q)
    return np.where(good[:, None], moved.q, q)


def hard_configurations(
    machine: Machine, starts: int, rng: np.random.Generator, steps: int = 25, most: int | None = None
) -> np.ndarray:
    """Closed configurations near every (or at `most` some) singular position of legs, pivots and closure."""
    out, known = [], list(measures(machine).values())
    for measure in [known[i] for i in rng.permutation(len(known))[:most]]:
        start = machine.branch_samples[rng.integers(0, len(machine.branch_samples), starts)]
        out.append(near_zero(machine, measure, start, steps))
    return polished(machine, np.concatenate(out))
