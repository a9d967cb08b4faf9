"""Check that every motion the loops allow moves some mass; otherwise accelerations are not determined."""

from __future__ import annotations

import numpy as np

from linkwright.compiler import evaluate
from linkwright.errors import MechanismError
from linkwright.kernels import registry
from linkwright.kernels.setup import part_names
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.memory import remembered
from linkwright.solve.nominal import shared

_LIGHT = 1e-13
_SAMPLES = 16


@shared
def massless_motion(loops: Kinematics) -> tuple[str, ...]:
    """Velocities of a motion that moves no mass in any of some configurations; () when every motion moves some."""

    def found() -> tuple[str, ...]:
        kept = remembered(loops.setup, "massless motion", lambda: _found(loops), lambda x: [str(name) for name in x])
        return tuple(kept)

    return loops.cache.get("massless motion", found)


def _found(loops: Kinematics) -> list[str]:
    if not loops.mobility:
        return []
    q = loops.branch_samples[:: max(1, len(loops.branch_samples) // _SAMPLES)]
    T = np.linalg.svd(loops.scaled_jacobian(loops.open, q))[2][:, loops.rank.rank :].transpose(0, 2, 1)
    M = evaluate(loops.open.program(registry.MASS_MATRIX), q) * np.outer(loops.scales.speeds, loops.scales.speeds)
    values, motions = np.linalg.eigh(T.transpose(0, 2, 1) @ M @ T)
    if np.any(values[:, 0] > _LIGHT * np.diagonal(M, axis1=1, axis2=2).max(axis=1)):
        return []
    v = np.abs(T[0] @ motions[0, :, 0])
    names = part_names(loops.setup.mech.joints, speeds=True)
    return [name for name, x in zip(names, v, strict=True) if x > 1e-3 * v.max()]


def require_mass(loops: Kinematics) -> None:
    """Refuse accelerations of a mechanism with a motion that moves no mass, and name that motion."""
    moving = massless_motion(loops)
    if moving:
        listed = ", ".join(f"'{name}'" for name in moving[:6])
        here, way_out = "", "give the bodies they carry a mass or an inertia, or hold one of these joints"
        if loops.setup.inputs is not None:
            here = " at the nominal values of its inputs, where its equations are ordered"
            way_out += "; for masses that are inputs, build the model at values with mass: "
            way_out += "build(model.with_parameters(p).mechanism, inputs=[...])"
        raise MechanismError(
            f"mechanism '{loops.setup.mech.name}' can move without moving any mass{here}: joints {listed} do; {way_out}"
        )
