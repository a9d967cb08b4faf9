"""Loops that close in an instant of a run: conditions, closed coordinates, and the velocities after it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.dataclass import dataclass
from linkwright.errors import AssemblyError, SingularityError
from linkwright.model import Model
from linkwright.simulation.problem.acceleration_fallback import dense_projection
from linkwright.simulation.switching.impulses import Impact, closing_impact, rows_of
from linkwright.simulation.switching.switches import Close
from linkwright.simulation.switching.topologies import Anchors, anchored_frame, model_with_loops

Array = np.ndarray
_ROUNDS = 6


@dataclass(frozen=True, eq=False)
class ClosedState:
    """State after loops have closed: coordinates on all of them, the impact, the loops that stay closed or bounce."""

    q: Array
    impact: Impact
    closed: frozenset[str]
    bounced: frozenset[str]
    anchors: dict[str, RigidTransform]


def closed_at(
    model: Model,
    state: tuple[Array, Array],
    closed: frozenset[str],
    anchors: Anchors,
    closing: Sequence[Close],
    pushing: dict[str, Vec3 | None],
) -> ClosedState:
    """State of the mechanism after some loops close; those in `pushing` open rather than pull along their normals."""
    q, v = state
    met = dict(anchors) | {
        each.loop: anchored_frame(model, each.loop, q, each.normal) for each in closing if each.anchor
    }
    whole = model_with_loops(model, closed | {each.loop for each in closing}, met, q)
    for each in closing:
        _require_met(whole, each, q)
    q = on_loops(whole, q)
    normals = dict(pushing) | {each.loop: each.normal for each in closing if each.restitution > 0.0}
    rebound = _rebound_restitutions(whole, q, v, normals, closing)
    found = closing_impact(whole, q, v, normals, rebound)
    _require_no_gain(model, q, v, found)
    stay = found.kept - frozenset(rebound)
    return ClosedState(
        q, found, stay, frozenset(rebound) & found.kept, {name: met[name] for name in met if name in stay}
    )


def _require_met(whole: Model, switch: Close, q: Array) -> None:
    kinematics = whole.kinematics
    rows = rows_of(whole, {})[switch.loop].indices
    gaps = np.abs(whole.closure_residual(q)[rows] / kinematics.scales.rows[rows])
    if gaps.max(initial=0.0) > switch.tolerance:
        raise AssemblyError(
            f"loop '{switch.loop}' cannot close here: its sides are {gaps.max() * kinematics.scales.length:.2g} m (or, "
            f"of angles, {gaps.max():.2g} rad) apart; start so that they meet, or join them where they are with "
            f"Close('{switch.loop}', anchor=True)",
            gap=float(gaps.max()),
        )


def on_loops(model: Model, q: Array) -> Array:
    """Coordinates brought onto all loops, as near as rounding allows."""
    best, v = q, np.zeros(model.nv)
    for _ in range(_ROUNDS):
        _, nearer = dense_projection(model, best, v)
        if not np.abs(model.closure_residual(nearer)).max() < np.abs(model.closure_residual(best)).max():
            break
        best = nearer
    return best


def _rebound_restitutions(
    whole: Model, q: Array, v: Array, normals: dict[str, Vec3 | None], closing: Sequence[Close]
) -> dict[str, float]:
    """Restitution of the loops that part again faster than their `settle`."""
    J, rows = whole.closure_jacobian(q), rows_of(whole, normals)
    out = {}
    for each in closing:
        normal = rows[each.loop].normal
        if each.restitution > 0.0 and normal is not None:
            approach = -float(normal @ J[rows[each.loop].indices] @ v)
            if each.restitution * approach > each.settle:
                out[each.loop] = each.restitution
    return out


def _require_no_gain(model: Model, q: Array, v: Array, found: Impact) -> None:
    before, lost = float(model.energy(q, v)[0]), sum(found.lost.values())
    if lost < -1e-9 * before:
        names = ", ".join(f"'{name}'" for name in sorted(found.kept))
        raise SingularityError(
            f"'{model.mechanism.name}' would gain {-lost:.3g} J of kinetic energy when the sides of {names} meet: "
            "restitution along a normal does not fit sides that stick across it; take restitution=0, or a rod"
        )
