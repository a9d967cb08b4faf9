"""Check that every motion the loops allow moves some mass; otherwise accelerations are not determined."""

from __future__ import annotations

import numpy as np

from linkwright.compiler import evaluate
from linkwright.errors import MechanismError
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.mechanism.tree import part_names
from linkwright.numerics.dense import decompose
from linkwright.numerics.tolerances import MASSLESS
from linkwright.plans.nominal import shared
from linkwright.plans.plan_archive import remembered

_SAMPLES = 16


@shared
def massless_motion(kinematics: Kinematics) -> tuple[str, ...]:
    """Velocities of a motion that moves no mass in any of some configurations; () when every motion moves some."""

    def found() -> tuple[str, ...]:
        kept = remembered(
            kinematics.setup, "massless motion", lambda: _found(kinematics), lambda x: [str(name) for name in x]
        )
        return tuple(kept)

    return kinematics.cache.get("massless motion", found)


def _found(kinematics: Kinematics) -> list[str]:
    if not kinematics.mobility:
        return []
    q = kinematics.branch_samples[:: max(1, len(kinematics.branch_samples) // _SAMPLES)]
    J = kinematics.scaled_jacobian(kinematics.all_rows, q)
    T = decompose(J, complete=True).null_space(kinematics.rank.rank)
    M = evaluate(kinematics.all_rows.program(tree_functions.mass_matrix), q) * np.outer(
        kinematics.scales.speeds, kinematics.scales.speeds
    )
    values, motions = np.linalg.eigh(T.transpose(0, 2, 1) @ M @ T)
    if np.any(values[:, 0] > MASSLESS * np.diagonal(M, axis1=1, axis2=2).max(axis=1)):
        return []
    v = np.abs(T[0] @ motions[0, :, 0])
    names = part_names(kinematics.setup.mech.joints, speeds=True)
    return [name for name, x in zip(names, v, strict=True) if x > 1e-3 * v.max()]


def require_mass(kinematics: Kinematics) -> None:
    """Refuse accelerations of a mechanism with a motion that moves no mass, and name that motion."""
    moving = massless_motion(kinematics)
    if moving:
        listed = ", ".join(f"'{name}'" for name in moving[:6])
        here, way_out = "", "give the bodies they carry a mass or an inertia, or hold one of these joints"
        if kinematics.setup.inputs is not None:
            here = " at the nominal values of its inputs, where its equations are ordered"
            way_out += "; for masses that are inputs, build the model at values with mass: "
            way_out += "build(model.with_parameters(p).mechanism, inputs=[...])"
        raise MechanismError(
            f"mechanism '{kinematics.setup.mech.name}' can move without moving any mass{here}: joints {listed} "
            f"do; {way_out}"
        )
