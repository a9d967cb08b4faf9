"""Control of the platform's pose (any scalar)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.algebra import rotations
from linkwright.compiler import select
from linkwright.control.control_checks import Array, nonnegative_gains, one_state, set_frozen_fields
from linkwright.control.platform_paths import PlatformMotion
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.model.pose import Pose
from linkwright.model.programs import consistent_accelerations, evaluate_named_function, independent_map_of_model


def solve_normal_equations(A: Any, b: Any) -> Any:
    """x with the smallest |A x - b|, for A (m, n) of full rank n, by elimination of A^T A without pivoting.

    Elimination of a positive definite matrix is stable in any order, which a recorded one needs; the price is the
    square of A's condition number.

    >>> solve_normal_equations(np.array([[2.0, 0.0], [1.0, 1.0]]), np.array([2.0, 3.0])).round(12).tolist()
    [1.0, 2.0]
    """
    M, x = A.T @ A, A.T @ b
    n = len(x)
    M, x = [[M[i, j] for j in range(n)] for i in range(n)], [x[i] for i in range(n)]
    for k in range(n):
        inverse = 1.0 / M[k][k]
        for i in range(k + 1, n):
            factor = M[i][k] * inverse
            x[i] = x[i] - factor * x[k]
            for j in range(k, n):
                M[i][j] = M[i][j] - factor * M[k][j]
    for k in reversed(range(n)):
        x[k] = (x[k] - sum(M[k][j] * x[j] for j in range(k + 1, n))) / M[k][k]
    return np.array(x)


COMPONENTS = ("rx", "ry", "rz", "x", "y", "z")


@dataclass(frozen=True, eq=False)
class PlatformComputedTorque:
    """Efforts that give the platform its reference's twist rate + damping (twist error) + stiffness (pose error).

    The pose error is twice the vector part of the quaternion between reference and platform, and the difference of the
    origins: [rotation; translation], world axes.

    Attributes:
        model: the model; its file names a platform.
        motion: where the platform should be.
        stiffness: (6,) or one for all, [1/s^2].
        damping: (6,) or one for all, [1/s].
        components: those of rx ry rz x y z that are followed, one per degree of freedom; all when None.
    """

    model: Model
    motion: PlatformMotion
    stiffness: Array
    damping: Array
    components: Sequence[str] | None = None

    def __post_init__(self) -> None:
        require_platform(self.model, self.motion)
        set_frozen_fields(self, components=followed_components(self.model, self.components))
        set_frozen_fields(self, **nonnegative_gains(self, 6, "stiffness", "damping"))

    @property
    def na(self) -> int:
        return self.model.na

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        return following_efforts(self.model, self.components or COMPONENTS, self.requested_twist_rate(t, q, v), q, v)

    def requested_twist_rate(self, t: Any, q: Any, v: Any) -> Any:
        """The requested twist rate, (6,)."""
        t, q, v = one_state(self.model, t, q, v)
        pose, twist, twist_rate = self.motion.at(t)
        error, error_rate = platform_errors(self.model, pose, twist, q, v)
        return twist_rate + self.damping * error_rate + self.stiffness * error


def require_platform(model: Any, motion: Any) -> None:
    """Refuse a mechanism without a platform, and a motion that is not one of a platform."""
    checks.require_instance("model", model, Model, "a Model from linkwright.build")
    if model.mechanism.platform is None:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' names no platform; add 'platform:' to its file")
    checks.require_instance("motion", motion, PlatformMotion, "control.PlatformMotion(...)")


def followed_components(model: Model, components: Any) -> tuple[str, ...]:
    """The components of the platform's twist that are followed, at least one per degree of freedom."""
    found = COMPONENTS if components is None else checks.require_texts("components", components, "['x', 'y']")
    if set(found) - set(COMPONENTS) or len(set(found)) != len(found) or len(found) < model.mobility:
        raise ArgumentError(
            f"components is {found}, expected {model.mobility} different ones of {', '.join(COMPONENTS)}"
        )
    return found


def platform_errors(model: Model, pose: Pose, twist: Any, q: Any, v: Any) -> tuple[Any, Any]:
    """Errors of the platform's pose and twist against wanted ones, (6,) each, world axes."""
    _, q, v = one_state(model, 0.0, q, v)
    frame = model.mechanism.platform
    found = evaluate_named_function(model, "frame_twist", q, v, frame=frame)
    return pose_error(pose, evaluate_named_function(model, "frame_quaternion", q, frame=frame)), twist - found


def following_efforts(model: Model, components: Sequence[str], wanted: Any, q: Any, v: Any, w_ext: Any = None) -> Any:
    """Efforts that give the platform a twist rate, (na,), wrenches on the bodies taken into account.

    The independent velocities have the accelerations with J R a_ind = wanted - (twist rate at a_ind = 0).
    """
    _, q, v = one_state(model, 0.0, q, v)
    frame, rows = model.mechanism.platform, [COMPONENTS.index(name) for name in components]
    coasting = consistent_accelerations(model, q, v, np.zeros(model.mobility))
    rest = evaluate_named_function(model, "frame_acceleration", q, v, coasting, frame=frame)
    J = evaluate_named_function(model, "frame_jacobian", q, frame=frame) @ independent_map_of_model(model, q)
    a = consistent_accelerations(model, q, v, solve_normal_equations(J[rows], (wanted - rest)[rows]))
    return evaluate_named_function(model, "inverse_dynamics", q, v, a, w_ext=w_ext)


def pose_error(wanted: tuple[Any, Any], found: tuple[Any, Any]) -> Any:
    """Error of the found pose against the wanted one, (6,): [2 vec(q_wanted q_found^-1); difference of origins]."""
    turn = rotations.quaternion_product(wanted[1], found[1] * np.array([1.0, -1.0, -1.0, -1.0]))
    shorter = select(turn[0], 2.0, -2.0)
    return np.concatenate([shorter * turn[1:], wanted[0] - found[0]])
