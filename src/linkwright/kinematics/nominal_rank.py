"""The rank of the nominal values at other values of the inputs: equations left out must still follow from those kept.

Which closure equations repeat others is found once, at the nominal values. A loop drawn with parallel axes repeats
three of its equations; with its angles changed it does not, and a mechanism without these equations is another one.
So every set of values is looked at once, in one of its states.
"""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, AssemblyError
from linkwright.findings import Finding
from linkwright.functions.loop import closure_functions
from linkwright.functions.memo import memo
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.query import warn_of_rows
from linkwright.mechanism.names import counted_noun
from linkwright.numerics.dense import count_above, singular_values
from linkwright.numerics.tolerances import CLOSED_STATE, INDEPENDENT_ROW, LEAST_SIZE
from linkwright.plans.rank import independent_columns
from linkwright.plans.scales import random_coordinates

Array = np.ndarray

# Sets of values that are remembered as looked at; changed inputs that a message names.
_REMEMBERED, _SHOWN = 4096, 3

# Random coordinates and values at which the rank is looked at.
_RANDOM = 32


def has_nominal_rank(kinematics: Kinematics) -> bool:
    """Whether equations are left out here that repeat others at the nominal values and need not do so at all."""
    if kinematics.nominal is None or not kinematics.has_closure:
        return False
    return _can_change(kinematics.nominal)


@memo()
def _can_change(nominal: Kinematics) -> bool:
    """Whether more equations count in general, at random coordinates and values, than do at the nominal values.

    No values have more than random ones do, so that nothing is looked at again where these have no more: in a planar
    loop whose lengths are the inputs.
    """
    if not nominal.rank.redundant:
        return False
    rng, scale, inputs = np.random.default_rng(7), nominal.scales, nominal.setup.inputs
    p = np.array(inputs.source.nominal)  # type: ignore[union-attr]
    sizes = np.maximum(np.abs(p), 0.1) * rng.choice([0.03, 0.3], size=(_RANDOM, 1))
    values, q = p + sizes * rng.normal(size=(_RANDOM, len(p))), random_coordinates(nominal.setup.mech, _RANDOM, rng)
    J = nominal.all_rows.code(closure_functions.closing).at(values)(q)[1] / scale.rows[:, None] * scale.speeds  # type: ignore[union-attr]
    J = J[np.isfinite(J).all(axis=(1, 2))]
    counting = count_above(singular_values(J), INDEPENDENT_ROW)
    return not len(J) or bool(np.any(counting > nominal.rank.rank))


def added_equations(kinematics: Kinematics, q: Array) -> Array:
    """How many closure equations count at the values of each state q (..., nq) beyond the nominal rank, (...).

    One state of every set of values is looked at; 0 where that of a row's own set is not closed.
    """
    values = kinematics.setup.inputs.values  # type: ignore[union-attr]
    lead = np.broadcast_shapes(q.shape[:-1], values.shape[:-1])
    if 0 in lead:
        return np.zeros(lead, dtype=int)
    if values.ndim == 1:
        return np.full(lead, _of_one_set(kinematics, values, q.reshape(-1, q.shape[-1])))
    own = [1] * (len(lead) - values.ndim + 1) + list(values.shape[:-1])
    picked = tuple(slice(None) if n > 1 else slice(0, 1) for n in own)
    states = np.broadcast_to(q, (*lead, q.shape[-1]))[picked].reshape(-1, q.shape[-1])
    sets = np.ascontiguousarray(values.reshape(-1, values.shape[-1]))
    out, able = np.zeros(len(sets), dtype=int), np.isfinite(states).all(axis=1) & np.isfinite(sets).all(axis=1)
    if able.any():
        rows = np.ascontiguousarray(sets[able]).view(f"V{sets.itemsize * sets.shape[1]}").ravel()
        _, first, again = np.unique(rows, return_index=True, return_inverse=True)
        out[able] = np.maximum(_extra_ranks_at_values(kinematics, states[able][first], sets[able][first]), 0)[
            again.ravel()
        ]
    return np.broadcast_to(out.reshape(own), lead)


def _of_one_set(kinematics: Kinematics, values: Array, q: Array) -> int:
    """The number at one set of values, in the first finite one of the states (n, nq), or at home where it is open."""
    known = _sets_looked_at(kinematics)
    key = values.tobytes()
    if key not in known:
        finite = np.flatnonzero(np.isfinite(q).all(axis=1))[:1]
        if not len(finite):
            return 0
        found = _extra_ranks_at_values(kinematics, q[finite], values[None, :])
        if len(known) >= _REMEMBERED:
            known.clear()
        known[key] = int(found[0]) if found[0] >= 0 else _at_home(kinematics, values)
    return known[key]


@memo(valid_at="nominal")
def _sets_looked_at(kinematics: Kinematics) -> dict[bytes, int]:
    """The number at the sets of values looked at last; it is filled as they come."""
    return {}


def _at_home(kinematics: Kinematics, values: Array) -> int:
    """The number at one set of values where the loops close next to the nominal home; 0 where they do not."""
    try:
        q = kinematics.home
    except AssemblyError:
        return 0
    return max(0, int(_extra_ranks_at_values(kinematics, q[None, :], values[None, :])[0]))


def _extra_ranks_at_values(kinematics: Kinematics, q: Array, values: Array) -> Array:
    """The numbers at sets of values (n, n_p) in one state each (n, nq); -1 where it is not closed."""
    scale, rank = kinematics.scales, kinematics.rank
    closing: Any = kinematics.all_rows.code(closure_functions.closing)
    gap, J = closing.at(np.ascontiguousarray(values))(np.ascontiguousarray(q))
    J = J / scale.rows[:, None] * scale.speeds
    out = np.where(np.abs(gap / scale.rows).max(axis=1) < CLOSED_STATE, 0, -1)
    doubtful = np.flatnonzero(
        (out == 0) & ~_is_spanned_by_kept(J, rank.kept, rank.redundant, _square_columns(kinematics))
    )
    if len(doubtful):
        out[doubtful] = np.maximum(count_above(singular_values(J[doubtful]), INDEPENDENT_ROW) - rank.rank, 0)
    return out


@memo(valid_at="nominal")
def _square_columns(kinematics: Kinematics) -> list[int]:
    """Columns with which the kept rows are a regular square matrix at the nominal home."""
    J = kinematics.scaled_jacobian(kinematics.all_rows, kinematics.home[None, :])
    return independent_columns(J[:, list(kinematics.rank.kept)])


def _is_spanned_by_kept(J: Array, kept: tuple[int, ...], others: tuple[int, ...], columns: list[int]) -> Array:
    """Mask of matrices J (n, m, nv) whose other rows follow from the kept ones, by the columns of a square part.

    It is quicker than singular values and errs towards no: near a singular part nothing seems to follow.
    """
    left, right = J[:, list(kept)], J[:, list(others)]
    try:
        shares = np.linalg.solve(left[:, :, columns].transpose(0, 2, 1), right[:, :, columns].transpose(0, 2, 1))
    except np.linalg.LinAlgError:
        return np.zeros(len(J), dtype=bool)
    rest = np.abs(right - shares.transpose(0, 2, 1) @ left).max(axis=(1, 2), initial=0.0)
    return np.asarray(rest < 0.1 * INDEPENDENT_ROW * np.abs(J).max(axis=(1, 2)))


def rank_change(kinematics: Kinematics, values: Array, more: int) -> str:
    """What to say of a set of values (n_p,) at which more equations count, and the way out."""
    mobility = kinematics.mobility
    equations = "equation counts" if more == 1 else "equations count"
    return (
        f"{more} more closure {equations} than at the nominal values ({changed_inputs(kinematics, values)}), so that "
        f"the mechanism has {counted_noun(mobility - more, 'degree')} of freedom and not {mobility}, and what was "
        "planned "
        "for the nominal values does not hold; build a model at these: build(model.with_parameters(p).mechanism, "
        "inputs=[...])"
    )


def changed_inputs(kinematics: Kinematics, values: Array) -> str:
    """The inputs that are not at their nominal values, those that changed most first; "" where all are."""
    source = kinematics.setup.inputs.source  # type: ignore[union-attr]
    nominal = np.array(source.nominal)
    share = np.abs(values - nominal) / np.maximum(np.abs(nominal), LEAST_SIZE)
    order = [i for i in np.argsort(-share, kind="stable").tolist() if share[i] > 0.0]
    shown = [f"{source.names[i]} = {values[i]:.6g} (nominal {nominal[i]:.6g})" for i in order[:_SHOWN]]
    more = f" and {len(order) - _SHOWN} more" if len(order) > _SHOWN else ""
    return ", ".join(shown) + more


def rows_of_nominal_rank(kinematics: Kinematics, function: str, q: Array) -> Array:
    """The states q (..., nq), with NaN and a warning where more equations count; a single state raises."""
    more = added_equations(kinematics, q)
    if not more.any():
        return q
    name, reason = kinematics.setup.mech.name, partial(rank_change_of_row, kinematics, more)
    if not more.ndim:
        raise rank_error(f"{function} of '{name}': {reason(0)}", int(more))
    rows = np.flatnonzero(more)
    warn_of_rows(function, name, rows, more.shape, "rank-changed", reason(int(rows[0])))
    return np.where(more[..., None] > 0, np.nan, q)


def rank_change_of_row(kinematics: Kinematics, more: Array, row: int) -> str:
    """The same of a row of a batch, by the numbers of added equations (...)."""
    values = kinematics.setup.inputs.values  # type: ignore[union-attr]
    own = np.broadcast_to(values, (*more.shape, values.shape[-1])).reshape(-1, values.shape[-1])[row]
    return rank_change(kinematics, own, int(more.reshape(-1)[row]))


def rank_error(message: str, more: int) -> ArgumentError:
    """The error of values at which more equations count."""
    return ArgumentError(message, [Finding("rank-changed", message, value=more)], equations=more)


def require_nominal_rank(kinematics: Kinematics, what: str, q: Array | None = None) -> None:
    """Refuse one set of values at which more equations count, in a state q (nq,), or at home."""
    if not has_nominal_rank(kinematics):
        return
    if q is None:
        try:
            q = kinematics.home
        except AssemblyError:
            return  # no state can be wrong where the loops do not close; that error is for those who need a state
    values = kinematics.setup.inputs.values  # type: ignore[union-attr]
    more = int(added_equations(kinematics, q))
    if more:
        message = f"{what} of '{kinematics.setup.mech.name}': {rank_change(kinematics, values, more)}"
        raise rank_error(message, more)
