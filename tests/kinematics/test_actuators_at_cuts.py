"""Forward kinematics with actuators at cut joints: it undoes `actuator_positions`, and so do velocities and rates."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import LinkwrightError
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.forward_kinematics import _generally_tracked
from linkwright.kinematics.velocity_kinematics import _dense_rates
from linkwright.plans.closure_newton import close_all
from tests.loops.random_drawings import random_case
from tests.loops.random_mechanisms import by_names, interpreted, loaded
from tests.sampling import sample

_STRIDE, _ROWS = 0.02, 3


def closed_neighbors(model: lw.Model, q: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Closed configurations near q, (n, nq), by steps along motions of the mechanism."""
    kernels, kinematics = model.kinematics.all_rows, model.kinematics
    dv = (model.independent_map(q) @ rng.normal(size=(model.mobility, _ROWS))).T
    dv *= _STRIDE / np.abs(dv / kinematics.scales.speeds).max(axis=1, keepdims=True)
    moved = kernels.function(closure_functions.advanced)(np.repeat(q[None], _ROWS, axis=0), dv)
    return close_all(kernels, moved).q


def cut_case(seed: int) -> tuple[lw.Model, np.ndarray] | None:
    """A random mechanism with actuators for all its freedoms, one at least at a cut joint, and where it is closed."""
    case = random_case(seed, without=("fewer", "more"))
    mech = loaded(case.drawing, by_text=False)
    if not {loop.name for loop in mech.loops} & {actuator.joint for actuator in mech.actuators}:
        return None
    model = lw.build(mech)
    q = by_names(model.q_names, case, case.coordinates, False)
    try:
        model.actuator_positions(q)
    except LinkwrightError:  # a quaternion is driven
        return None
    return (model, q) if model.na == model.mobility else None


def check_return(model: lw.Model, q: np.ndarray, seed: int) -> None:
    rng = np.random.default_rng(seed)
    there, size = closed_neighbors(model, q, rng), 1.0 + np.abs(q).max()
    v = np.array([model.independent_map(x) @ rng.normal(size=model.mobility) for x in there])
    a = np.array([model.forward_dynamics(x, y, np.zeros(model.na)) for x, y in zip(there, v, strict=True)])
    given = (
        model.actuator_positions(there),
        model.actuator_velocities(v, there),
        model.actuator_accelerations(a, there, v),
    )
    found = model.forward_kinematics(*given, near=q)
    for name, x, expected in zip("qva", found, (there, v, a), strict=True):
        assert np.abs(x - expected).max() <= 1e-8 * max(size, np.abs(expected).max()), (name, seed)
    one = model.forward_kinematics(*(x[0] for x in given), near=q)
    for x, rows in zip(one, found, strict=True):
        assert x == pytest.approx(rows[0], rel=1e-9, abs=1e-9)
    dense = _dense_rates(model.kinematics, None, list(range(model.na)), there[0], given[1][0], given[2][0])
    for x, rows in zip(dense[:2], (v, a), strict=True):
        assert np.abs(x - rows[0]).max() <= 1e-8 * max(size, np.abs(rows[0]).max()), seed
    general = _generally_tracked(model.kinematics, q, given[0])
    assert np.abs(general.q - there).max() <= 1e-8 * size


@pytest.mark.parametrize("block", sample(range(8), 2))
def test_forward_kinematics_undoes_actuator_positions_of_random_mechanisms(block):
    tried = 0
    with interpreted():
        for seed in range(40 * block, 40 * (block + 1)):
            found = cut_case(seed)
            if found is not None:
                check_return(*found, seed)
                tried += 1
    assert tried >= 5
