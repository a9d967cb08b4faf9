"""The frame whose motion is judged and its components, and reactions of all joints per unit wrench on it.

With actuators locked, a displacement d of the child against its parent at a joint (child axes) moves the output by
-R^T d, where the reaction there is R times the wrench on the output. Compliances C of joints and links add R^T C R.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.checks import require_mapping, require_number, require_positive, require_real_array, require_vector
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, withheld_warnings
from linkwright.kinematics.singularity import some_coordinates
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model, arguments
from linkwright.numerics.tolerances import LEAST_RATE, NEGATIVE_VALUE, STILL_COMPONENT

# --- the frame whose motion is judged, and the components of its twist that the mechanism can move --------------------

Array = np.ndarray
NAMES = ("rx", "ry", "rz", "x", "y", "z")


@dataclass(frozen=True)
class OutputFrame:
    """A frame, its body, and the components (of rx ry rz x y z) that count, in that order.

    Attributes:
        exact: as many components as actuators and freedoms, so that efforts and rates determine each other.
    """

    frame: str
    body: str
    components: tuple[int, ...]
    exact: bool

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the components."""
        return tuple(NAMES[i] for i in self.components)

    @property
    def angular(self) -> list[int]:
        """Rows of the Jacobian that are angular."""
        return [row for row, i in enumerate(self.components) if i < 3]

    @property
    def linear(self) -> list[int]:
        """Rows of the Jacobian that are linear."""
        return [row for row, i in enumerate(self.components) if i >= 3]

    @property
    def description(self) -> str:
        """Frame and components, for example "platform: x y"."""
        return f"{self.frame}: {' '.join(self.names)}"


def output_of(model: Model, frame: str | None = None, components: Sequence[str] | None = None) -> OutputFrame:
    """The output: the named components, else those that move; where parasitic ones move too, all six count."""
    mech = model.mechanism
    named = arguments.require_output_frame(mech, frame)
    bodies = {each.name: each.body for each in mech.frames}
    if named not in bodies and named not in mech.names:
        raise ArgumentError(f"unknown frame '{named}'{suggest_name(named, [*bodies, *mech.names])}")
    if components is not None:
        picked = tuple(arguments.component_rows(components))
    else:
        key = ("moving components", named)
        picked = model.cache.get(key, lambda: _moving_components(model, named))
        if not picked:
            still = "it has no degree of freedom" if not model.mobility else "no actuator moves it"
            raise ArgumentError(
                f"the output '{named}' of '{mech.name}' cannot move: {still}; name another frame, or see lw.check"
            )
    exact = len(picked) == model.na == model.mobility
    return OutputFrame(named, bodies.get(named, named), picked, exact)


def _moving_components(model: Model, frame: str) -> tuple[int, ...]:
    """Components that move in some configurations, if there are as many as freedoms; a point's translation first."""
    J = output_jacobians(model, some_coordinates(model.kinematics), frame)
    J = J[np.isfinite(J).all(axis=(-2, -1))]
    size = np.abs(J).max(axis=(0, 2), initial=0.0) if len(J) else np.ones(6)
    moving = [i for i in range(6) if size[i] > STILL_COMPONENT * max(size.max(), LEAST_RATE)]
    linear = [i for i in moving if i >= 3]
    if len(moving) > model.mobility and len(linear) == model.mobility and _is_point(model, frame):
        return tuple(linear)
    return tuple(moving) if len(moving) <= model.mobility else tuple(range(6))


def _is_point(model: Model, frame: str) -> bool:
    """True if translation alone is the output, as `singularity` sees it."""
    return model.singularity(some_coordinates(model.kinematics)[0]).output.split(": ")[-1] == "x y z"


def output_jacobians(model: Model, q: Array, frame: str, **p: Any) -> Array:
    """`actuator_jacobian` of rows (n, nq), NaN in rows that have none, without warnings."""
    with withheld_warnings(BatchWarning):
        return model.actuator_jacobian(q, frame=frame, **p)


def per_actuator(model: Model, title: str, given: Any) -> Array:
    """One number above zero for each actuator: a number for all, a dictionary by name, or an array (na,)."""
    if isinstance(given, Mapping):
        for name in given:
            if name not in model.actuated:
                raise ArgumentError(f"{title} names the unknown actuator '{name}'{suggest_name(name, model.actuated)}")
        missing = [name for name in model.actuated if name not in given]
        if missing:
            raise ArgumentError(f"{title} lacks a value for the actuator '{missing[0]}'; name every one")
        given = [given[name] for name in model.actuated]
    values = require_real_array(title, given).astype(float)
    values = np.full(model.na, float(values)) if values.ndim == 0 else require_vector(title, values, model.na)
    if not np.all(values > 0.0):
        raise ArgumentError(f"{title} is {values[~(values > 0.0)][0]:g} for an actuator, expected numbers above zero")
    return values


def sliding_actuators(model: Model) -> Array:
    """Which actuators slide, (na,) of bool; the others turn."""
    return np.array([each.is_sliding for each in model.actuators])


# --- reactions of all joints per unit wrench on the output ------------------------------------------------------------


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
