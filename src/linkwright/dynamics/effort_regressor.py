"""The regressor of the actuators' efforts: compiled, and by dense algebra where pivots are small or efforts shared."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from linkwright.dynamics.actuation import independent_actuators, require_driven
from linkwright.dynamics.dense_solutions import effort_map
from linkwright.dynamics.dynamics import Dynamics
from linkwright.dynamics.efforts import driven_motion, exact
from linkwright.dynamics.fallback import repaired_efforts
from linkwright.dynamics.sharing import LeastNorm, projected
from linkwright.functions.fallback_chain import Code, FallbackChain
from linkwright.functions.loop import regressor_functions
from linkwright.functions.memo import memo
from linkwright.numerics.dense import decompose
from linkwright.numerics.tolerances import NO_EFFORT

Array = np.ndarray


def regressor_function(dynamics: Dynamics, undriven: str) -> Callable[..., Array]:
    """Y (..., na, n_theta) from q, v, a, with efforts = Y theta; refused where motions have no actuator.

    Of more actuators than freedoms the efforts of least norm.
    """
    kinematics = dynamics.kinematics
    if exact(kinematics):
        return (
            regressor_kernel(dynamics) if kinematics.closed else kinematics.all_rows.code(regressor_functions.regressor)
        )
    require_driven(kinematics, undriven)
    return lambda q, v, a: _with_undriven(dynamics, q, v, a)


@memo(valid_at="all")
def regressor_kernel(dynamics: Dynamics) -> Code:
    """The regressor of as many actuators as freedoms of a mechanism with loops."""
    return FallbackChain(dynamics, _dense).code(dynamics.actuated, regressor_functions.checked_regressor)


@memo(valid_at="all")
def hybrid_regressor_kernel(dynamics: Dynamics) -> Code:
    """The regressor where freedoms are not driven, at accelerations that follow from the dynamics."""
    return FallbackChain(dynamics, _dense_hybrid).code(dynamics.hybrid, regressor_functions.checked_hybrid_regressor)


def _dense(dynamics: Dynamics, q: Array, v: Array, a: Array, alone: bool) -> Array:
    tau = repaired_efforts(dynamics, q, v, a, alone=alone)
    if not tau.ndim:
        return tau
    S = effort_map(dynamics.kinematics, dynamics.actuated, q)
    return S @ dynamics.kinematics.all_rows.function(regressor_functions.tree_regressor)(q, v, a)


def _dense_hybrid(dynamics: Dynamics, q: Array, v: Array, a: Array, alone: bool) -> Array:
    kernels = dynamics.hybrid
    S = effort_map(dynamics.kinematics, kernels, q, kernels.stage.undriven.speeds)
    return S @ dynamics.kinematics.all_rows.function(regressor_functions.tree_regressor)(q, v, a)


def _with_undriven(dynamics: Dynamics, q: Any, v: Any, a: Any) -> Array:
    """The regressor at the accelerations of undriven freedoms that follow from the dynamics, or of shared efforts."""
    kinematics = dynamics.kinematics
    if not independent_actuators(kinematics):
        if kinematics.setup.inputs is not None:
            kinematics.setup.inputs.require_one()
        found = projected(kinematics, q, v, a, None)
        W = kinematics.all_rows.function(regressor_functions.tree_regressor)(q, v, found.a)
        return _pseudo_inverse(found.G) @ (found.T @ W)
    a = driven_motion(dynamics, LeastNorm(), q, v, a, None)[1]
    if not kinematics.setup.drives:
        return np.zeros(
            (*a.shape[:-1], 0, kinematics.all_rows.function(regressor_functions.tree_regressor)(q, v, a).shape[-1])
        )
    return hybrid_regressor_kernel(dynamics)(q, v, a)


def _pseudo_inverse(G: Array) -> Array:
    return decompose(G).inverse(share=NO_EFFORT)
