"""Reactions of all joints per unit wrench on the output; by virtual work also how joint displacements move it.

With actuators locked, a displacement d of the child against its parent at a joint (child axes) moves the output by
-R^T d, where the reaction there is R times the wrench on the output. Compliances C of joints and links add R^T C R.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from linkwright.analysis.performance.output_components import OutputFrame
from linkwright.checks import require_mapping, require_number, require_positive, require_real_array
from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.numerics.tolerances import NEGATIVE_VALUE

Array = np.ndarray


def reaction_maps(
    model: Model, q: Array, output: OutputFrame, joints: list[str], p: Array | None = None
) -> dict[str, Array]:
    """{joint: R (n, 6, m)}: reaction of parent on child, in child axes, per unit wrench on the output (world axes).

    Args:
        q: closed configurations, (n, nq). p: one set of parameters for all, or (n, n_p).
    """
    n, m = len(q), len(output.components)
    named = {} if p is None else {"p": p if p.ndim == 1 else p[:, None]}
    own = {} if p is None else {"p": p}
    load = np.zeros((n, m + 1, len(model.bodies), 6))
    load[:, 1:, model.bodies.index(output.body)] = _unit_wrenches_on_body(model, q, output, own)
    still = np.zeros(model.nv)
    found = model.joint_reactions(q[:, None], still, still, w_ext=load, **named)
    return {name: np.swapaxes(found[name][:, 1:] - found[name][:, :1], -1, -2) for name in joints}


def _unit_wrenches_on_body(model: Model, q: Array, output: OutputFrame, own: dict[str, Any]) -> Array:
    """Unit wrenches on the output at its frame's origin, as wrenches on its body in its frame, (n, m, 6)."""
    at = model.frame_pose(q, output.frame, **own).position
    body = model.frame_pose(q, output.body, **own)
    wrench = np.eye(6)[list(output.components)]
    arm = (at - body.position)[:, None]
    moment = wrench[:, :3] + np.cross(arm, wrench[:, 3:])
    force = np.broadcast_to(wrench[:, 3:], moment.shape)
    R = body.rotation
    return np.concatenate([moment @ R, force @ R], axis=-1)


def joint_compliances(model: Model, given: Mapping[str, Any]) -> dict[str, Array]:
    """6 x 6 compliances by joint, [rad/(N m), m/N], from matrices or from six numbers of the diagonal."""
    found = {}
    for name, value in require_mapping("compliance", given, "compliances by joint").items():
        require_joint(model, "compliance", name)
        C = require_real_array(f"compliance of '{name}'", value)
        C = np.diag(C) if C.shape == (6,) else C
        if C.shape != (6, 6) or not np.isfinite(C).all():
            raise ArgumentError(f"compliance of '{name}' has shape {C.shape}, expected (6, 6) or (6,) finite numbers")
        if np.linalg.eigvalsh(0.5 * (C + C.T)).min() < -NEGATIVE_VALUE * np.abs(C).max():
            raise ArgumentError(f"compliance of '{name}' gives off energy under a load; its eigenvalues must be >= 0")
        found[name] = C
    return found


def require_joint(model: Model, title: str, name: str) -> None:
    """Refuse names that are not joints."""
    mech = model.mechanism
    known = [joint.name for joint in (*mech.joints, *mech.loops)]
    if not isinstance(name, str) or name not in known:
        raise ArgumentError(f"{title} names the unknown joint {name!r:.80}{suggest_name(name, known)}")


def beam_compliance(
    length: float,
    young: float,
    area: float,
    moment_y: float,
    moment_z: float,
    shear: float = 0.0,
    torsion: float = 0.0,
) -> Array:
    """Compliance of a straight link at its tip, (6, 6), [rad/(N m), m/N]: Euler-Bernoulli, x along the link.

    Args:
        length: [m]. young, shear: moduli [Pa]; without `shear` the link does not twist.
        area: of the section [m^2]. moment_y, moment_z, torsion: second moments of area [m^4].

    >>> float(beam_compliance(1.0, 2e11, 1e-4, 1e-8, 1e-8)[3, 3])
    5e-08
    """
    L, E, area = require_positive("length", length), require_positive("young", young), require_positive("area", area)
    moment_y, moment_z = require_positive("moment_y", moment_y), require_positive("moment_z", moment_z)
    shear, torsion = require_number("shear", shear), require_number("torsion", torsion)
    with np.errstate(all="ignore"):
        C = _cantilever_compliance(*map(np.float64, (L, E, area, moment_y, moment_z, shear, torsion)))
    if not np.isfinite(C).all():
        raise ArgumentError(f"length {L:g} m and the section give a compliance that is not finite; check the units")
    return C


def _cantilever_compliance(L: Any, E: Any, area: Any, moment_y: Any, moment_z: Any, shear: Any, torsion: Any) -> Array:
    C = np.zeros((6, 6))
    C[0, 0] = L / (shear * torsion) if shear > 0.0 and torsion > 0.0 else 0.0
    C[1, 1], C[2, 2], C[3, 3] = L / (E * moment_y), L / (E * moment_z), L / (E * area)
    C[4, 4], C[5, 5] = L**3 / (3.0 * E * moment_z), L**3 / (3.0 * E * moment_y)
    C[2, 4] = C[4, 2] = L**2 / (2.0 * E * moment_z)
    C[1, 5] = C[5, 1] = -(L**2) / (2.0 * E * moment_y)
    return C
