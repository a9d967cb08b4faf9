"""Actuation of a closed-loop mechanism by the named actuators, and multipliers when equations are redundant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwright.dynamics.dynamics import Dynamics, velocities_of_massless_motion
from linkwright.errors import ArgumentError
from linkwright.functions import Kernels, part_names
from linkwright.functions.loop import closure_functions
from linkwright.functions.memo import memo
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.mechanism.mechanism import Mechanism
from linkwright.numerics.dense import decompose_scaled, least_norm
from linkwright.numerics.tolerances import NO_EFFECT, SINGULAR


def exactly_actuated(kinematics: Kinematics) -> bool:
    """As many actuators as freedoms, and together they drive every motion."""
    if not kinematics.has_closure:
        return len(kinematics.setup.drives) == kinematics.mobility
    return len(kinematics.setup.drives) == kinematics.mobility and effort_rank(kinematics) == kinematics.mobility


def independent_actuators(kinematics: Kinematics) -> bool:
    """True if no actuator repeats what others do, so that efforts are unique."""
    return len(kinematics.setup.drives) == effort_rank(kinematics)


def effort_rank(kinematics: Kinematics) -> int:
    """Number of independent motions that the actuators drive, in a general configuration."""
    return find_undriven_freedoms(kinematics).driven


def require_driven(kinematics: Kinematics, undriven: str = "refuse") -> None:
    """Refuse efforts when some motion has no actuator, unless it is idle, a floating base's, or declared free."""
    if undriven == "free" or find_undriven_freedoms(kinematics).expected:
        return
    if kinematics.has_closure:
        require_enough(kinematics)
    else:
        _refuse_tree(kinematics)


def _refuse_tree(kinematics: Kinematics) -> None:
    setup = kinematics.setup
    driven = {drive.speed for drive in setup.drives}
    idle = [name for d, name in enumerate(part_names(setup.mech.joints, speeds=True)) if d not in driven]
    if idle and set(idle) <= set(shape_speeds(setup.mech)):
        raise ArgumentError(no_efforts(setup.mech.name, idle), idle=idle)
    listed = ", ".join(f"'{name}'" for name in idle)
    raise ArgumentError(
        f"inverse_dynamics of '{setup.mech.name}': no actuator drives {listed}, so an arbitrary motion has no "
        'efforts; name them in actuated=..., let the dynamics move them with undriven="free", or ask '
        "generalized_forces for what every joint would need",
        idle=idle,
    )


def require_enough(kinematics: Kinematics) -> None:
    """Refuse efforts when some motion has no actuator, and say which motion."""
    setup = kinematics.setup
    if not find_undriven_freedoms(kinematics).count:
        return
    if not setup.drives and setup.closure.n_all:
        raise ArgumentError(
            f"mechanism '{setup.mech.name}' has loops and names no actuators, so it has no efforts; "
            "name them in the file or in actuated=[...]"
        )
    shapes = shape_speeds(setup.mech)
    if shapes and find_undriven_freedoms(kinematics).count <= len(shapes):
        raise ArgumentError(no_efforts(setup.mech.name, shapes), mobility=kinematics.mobility, idle=list(shapes))
    raise ArgumentError(
        f"the actuators {list(setup.actuated)} cannot drive '{setup.mech.name}': it has {kinematics.mobility} degrees "
        f"of freedom and they drive {effort_rank(kinematics)}; left alone, {undriven_motion(kinematics)}; "
        'actuate one of these joints too, or let the dynamics move what nobody drives with undriven="free"',
        mobility=kinematics.mobility,
    )


def shape_speeds(mech: Mechanism) -> tuple[str, ...]:
    """Speeds of the shapes in which links bend."""
    return part_names(tuple(joint for joint in mech.joints if joint.kind.bends), speeds=True)


def no_efforts(name: str, shapes: Sequence[str]) -> str:
    """Message that says why a mechanism whose links bend has no efforts for a motion."""
    listed = ", ".join(f"'{shape}'" for shape in shapes)
    return (
        f"links of '{name}' bend: their own stiffness moves the shapes {listed}, and no actuator does, so an arbitrary "
        "motion has no efforts; compute efforts of the mechanism with rigid links, find the motion that efforts make "
        'with forward_dynamics or simulate, or let the shapes follow with undriven="free"'
    )


def undriven_motion(kinematics: Kinematics) -> str:
    """Message about a motion that no actuator drives."""
    return f"joints {find_undriven_freedoms(kinematics).description} still move"


def all_multipliers(dynamics: Dynamics, q: np.ndarray, lam: np.ndarray) -> np.ndarray:
    """Multipliers of all rows from those of the kept ones; with redundant rows the set of least norm."""
    kept = dynamics.kernels.setup.closure.kept
    if kept is None:
        return lam
    rows = dynamics.kinematics.scales.rows
    J = every_row(dynamics).function(closure_functions.closure_jacobian)(q) / rows[:, None]
    force = np.swapaxes(J[..., list(kept), :] * rows[list(kept), None], -1, -2) @ lam[..., None]
    return least_norm(np.swapaxes(J, -1, -2), force[..., 0], NO_EFFECT) / rows


def dense_multipliers(dynamics: Dynamics, state: Sequence[np.ndarray]) -> np.ndarray:
    """Multipliers of all rows (n, n_all), of least norm, at states q, v, a, tau and perhaps w_ext, with leading axes;
    NaN where the loops are singular or a state is not finite."""
    q, v, a, tau, *w_ext = state
    kinematics = dynamics.kinematics
    scale, rank = kinematics.scales, kinematics.rank.rank
    force = kinematics.compute_at(tree_functions.generalized_forces, q, v, a, *w_ext)
    force = force - (kinematics.compute_at(closure_functions.effort_matrix, q) @ tau[..., None])[..., 0]
    J = every_row(dynamics).function(closure_functions.closure_jacobian)(q)
    found = decompose_scaled(np.swapaxes(J, -1, -2), 1.0 / scale.speeds, 1.0 / scale.rows)
    return np.where(found.distance(rank)[..., None] > SINGULAR, found.solution(force, rank), np.nan)


@memo(valid_at="all")
def every_row(dynamics: Dynamics) -> Kernels:
    """Kernels on all closure rows, written on the same sides as those planned for accelerations, if any can be."""
    if velocities_of_massless_motion(dynamics.kinematics):
        return dynamics.kinematics.all_rows
    setup = dynamics.kernels.setup
    return Kernels(replace(setup, closure=replace(setup.closure, kept=None)))
