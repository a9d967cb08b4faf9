"""Inputs that open the loops of an overconstrained mechanism: alone they cannot change with the loops kept closed."""

from __future__ import annotations

import numpy as np

from linkwright.compiler import evaluate, jacobian
from linkwright.functions.loop import closure_functions
from linkwright.functions.memo import memo
from linkwright.gradients.differentiated_equations import gap
from linkwright.kinematics.kinematics import Kinematics
from linkwright.numerics.dense import decompose

# What no motion makes up for, as a share of the change of the gaps, beyond which loops are open; and samples looked at.
_OPEN, _LOOKS = 1e-7, 5


@memo(valid_at="all")
def opening_inputs(kinematics: Kinematics) -> tuple[int, ...]:
    """Numbers of the inputs whose change leaves a gap that no motion closes, in some configuration."""
    inputs = kinematics.setup.inputs
    if inputs is None or not kinematics.rank.redundant:
        return ()
    p = np.array(inputs.source.nominal)
    q = kinematics.branch_samples[:: max(1, len(kinematics.branch_samples) // _LOOKS)]
    residual = kinematics.all_rows.with_inputs(lambda s, p, q: gap(s.setup, q), {"q": kinematics.setup.tree.nq})
    changes = evaluate(jacobian(residual, ["p"]), q, np.broadcast_to(p, (len(q), len(p))))
    changes = changes / kinematics.scales.rows[:, None]
    J = evaluate(kinematics.all_rows.program(closure_functions.exact_closure_jacobian), q)
    U = decompose(J, kinematics.scales.rows, kinematics.scales.speeds).column_space(kinematics.rank.rank)
    left = changes - U @ (np.swapaxes(U, -1, -2) @ changes)
    size, gone = np.linalg.norm(changes, axis=-2), np.linalg.norm(left, axis=-2)
    return tuple(int(i) for i in np.flatnonzero(np.any(gone > _OPEN * np.maximum(size, 1e-9), axis=0)))
