"""Inputs that open the loops of an overconstrained mechanism: alone they cannot change with the loops kept closed."""

from __future__ import annotations

import numpy as np

from linkwright.compiler import evaluate, jacobian
from linkwright.functions.loop import closure_functions
from linkwright.gradients.differentiated_equations import gap
from linkwright.kinematics.kinematics import Kinematics
from linkwright.numerics.dense import decompose
from linkwright.numerics.tolerances import LEAST_SIZE, UNDETERMINED
from linkwright.plans.nominal import shared

# Samples in which changes of gaps are compared with what motions make up for.
_LOOKS = 5


@shared
def opening_inputs(kinematics: Kinematics) -> tuple[int, ...]:
    """Numbers of the inputs whose change leaves a gap that no motion closes, in some configuration."""
    inputs = kinematics.setup.inputs
    if inputs is None or not kinematics.rank.redundant:
        return ()
    return kinematics.cache.get("opening inputs", lambda: _found(kinematics, np.array(inputs.source.nominal)))


def _found(kinematics: Kinematics, p: np.ndarray) -> tuple[int, ...]:
    q = kinematics.branch_samples[:: max(1, len(kinematics.branch_samples) // _LOOKS)]
    residual = kinematics.all_rows.with_inputs(lambda s, p, q: gap(s.setup, q), {"q": kinematics.setup.tree.nq})
    changes = evaluate(jacobian(residual, ["p"]), q, np.broadcast_to(p, (len(q), len(p))))
    changes = changes / kinematics.scales.rows[:, None]
    J = evaluate(kinematics.all_rows.program(closure_functions.exact_closure_jacobian), q)
    U = decompose(J, kinematics.scales.rows, kinematics.scales.speeds).column_space(kinematics.rank.rank)
    left = changes - U @ (np.swapaxes(U, -1, -2) @ changes)
    size, gone = np.linalg.norm(changes, axis=-2), np.linalg.norm(left, axis=-2)
    return tuple(int(i) for i in np.flatnonzero(np.any(gone > UNDETERMINED * np.maximum(size, LEAST_SIZE), axis=0)))
