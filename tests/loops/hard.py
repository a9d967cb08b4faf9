"""Closed configurations hard to compute with: close to where a leg, a pivot or the whole closure becomes singular."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.compiler import evaluate
from linkwright.formulations.elimination import factor_in_order, factor_lu
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.assembly import square_legs
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import CLOSED, NO_EFFECT
from linkwright.plans.closure_newton import close_all, right_way_round
from tests.loops.mechanisms import Mechanics

DISTANCES = (1e-8, 1e-6, 1e-4, 1e-2)
_NUDGE = 1e-6

Measure = Callable[[np.ndarray], np.ndarray]


def scaled_jacobian(mechanics: Mechanics, q: np.ndarray) -> np.ndarray:
    """Jacobians of the kept rows with lengths in units of the mechanism's own, (n, rows, nv)."""
    J = evaluate(mechanics.kernels.program(closure_functions.closure_jacobian), q)
    rows = mechanics.kernels.setup.closure.select(mechanics.scales.rows)
    return J / rows[:, None] * mechanics.scales.speeds


def allowed_motions(mechanics: Mechanics, q: np.ndarray) -> np.ndarray:
    """Orthonormal scaled speeds that keep the loops closed, (n, nv, mobility); at a singularity the best there are."""
    J = (
        evaluate(mechanics.all_rows.program(closure_functions.closure_jacobian), q)
        / mechanics.scales.rows[:, None]
        * mechanics.scales.speeds
    )
    _, _, Vt = np.linalg.svd(J)
    return Vt[:, mechanics.rank.rank :].transpose(0, 2, 1)


def polished(mechanics: Mechanics, q: np.ndarray) -> np.ndarray:
    """The same configurations closed to the last digits."""
    closing, scale = mechanics.all_rows.function(closure_functions.closing), mechanics.scales
    for _ in range(2):
        g, J = closing(q)
        dv = -decompose_scaled(J, scale.rows, scale.speeds).solution(g, share=NO_EFFECT)
        q = mechanics.all_rows.function(closure_functions.advanced)(q, dv)
    return q


def measures(mechanics: Mechanics) -> dict[str, Measure]:
    """Zero at a singularity: each leg's determinant, the passive joints' one, and every watched pivot."""
    out: dict[str, Measure] = {}
    for i, leg in enumerate(square_legs(mechanics.kinematics)):
        out[f"leg {i + 1}"] = _determinant(mechanics, leg.rows, leg.speeds)
    driven = [drive.speed for drive in mechanics.setup.drives]
    rows = tuple(range(mechanics.kernels.setup.closure.n_rows))
    out["type II"] = _determinant(mechanics, rows, tuple(i for i in range(mechanics.setup.tree.nv) if i not in driven))
    planned, efforts = mechanics.kernels.stage, mechanics.actuated.stage
    for i in np.flatnonzero(planned.typical):
        out[f"pivot {i}"] = _pivot(mechanics, int(i))
    for i in np.flatnonzero(efforts.pivots):
        out[f"effort pivot {i}"] = _effort_pivot(mechanics, int(i))
    return out


def _determinant(mechanics: Mechanics, rows: tuple[int, ...], speeds: tuple[int, ...]) -> Measure:
    return lambda q: np.linalg.det(scaled_jacobian(mechanics, q)[:, np.array(rows)[:, None], speeds])


def _pivot(mechanics: Mechanics, i: int) -> Measure:
    program, plan = mechanics.kernels.program(closure_functions.kkt_matrix), mechanics.kernels.stage.plan
    return lambda q: factor_in_order(np.moveaxis(evaluate(program, q), 0, -1), plan).sizes[i]


def _effort_pivot(mechanics: Mechanics, i: int) -> Measure:
    program, plan = mechanics.actuated.program(closure_functions.effort_system), mechanics.actuated.stage.plan
    return lambda q: np.broadcast_to(factor_lu(np.moveaxis(evaluate(program, q), 0, -1), plan).sizes[i], len(q))


def near_zero(mechanics: Mechanics, measure: Measure, start: np.ndarray, steps: int) -> np.ndarray:
    """Closed configurations at each of the DISTANCES, both ways, from where a measure vanishes (or is least)."""
    q, out = np.array(start), []
    with np.errstate(all="ignore"):
        for _ in range(steps):
            value, gradient = _derivative(mechanics, measure, q)
            length = -value / np.maximum(np.linalg.norm(gradient, axis=1), 1e-300)
            q = _moved(mechanics, q, gradient, np.clip(length, -0.2, 0.2))
        _, gradient = _derivative(mechanics, measure, q)
        for distance in DISTANCES:
            out += [_moved(mechanics, q, gradient, np.full(len(q), sign * distance)) for sign in (-1.0, 1.0)]
    return np.concatenate([q, *out])


def _derivative(mechanics: Mechanics, measure: Measure, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """A measure and its gradient along the motions the loops allow, (n, nv), scaled."""
    T, advanced = allowed_motions(mechanics, q), mechanics.all_rows.function(closure_functions.advanced)
    value = np.nan_to_num(measure(q))
    sides = [measure(advanced(q, _NUDGE * T[:, :, k] * mechanics.scales.speeds)) for k in range(T.shape[2])]
    derivatives = np.nan_to_num((np.array(sides) - value) / _NUDGE)
    return value, np.einsum("nvk,kn->nv", T, derivatives)


def _moved(mechanics: Mechanics, q: np.ndarray, gradient: np.ndarray, length: np.ndarray) -> np.ndarray:
    """The configurations moved along the unit gradients and closed again; those that do not close stay."""
    unit = gradient / np.maximum(np.linalg.norm(gradient, axis=1, keepdims=True), 1e-300)
    trial = mechanics.all_rows.function(closure_functions.advanced)(q, length[:, None] * unit * mechanics.scales.speeds)
    moved = close_all(mechanics.all_rows, trial)
    good = (moved.gap < CLOSED) & right_way_round(mechanics.all_rows, moved.q)
    return np.where(good[:, None], moved.q, q)


def hard_configurations(
    mechanics: Mechanics, starts: int, rng: np.random.Generator, steps: int = 25, most: int | None = None
) -> np.ndarray:
    """Closed configurations near every (or at `most` some) singular position of legs, pivots and closure."""
    out, known = [], list(measures(mechanics).values())
    for measure in [known[i] for i in rng.permutation(len(known))[:most]]:
        start = mechanics.branch_samples[rng.integers(0, len(mechanics.branch_samples), starts)]
        out.append(near_zero(mechanics, measure, start, steps))
    return polished(mechanics, np.concatenate(out))
