"""Laws for mechanisms that carry payloads and touch their surroundings (any scalar)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.algebra import rotations
from linkwright.algebra.vectors import cross_product
from linkwright.control.control_checks import (
    Array,
    compatible_states,
    controller_states,
    nonnegative_gains,
    one_state,
    set_frozen_fields,
)
from linkwright.control.platform_control import (
    COMPONENTS,
    followed_components,
    following_efforts,
    platform_errors,
    require_platform,
)
from linkwright.control.platform_paths import PlatformMotion
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.model.pose import Pose
from linkwright.model.programs import evaluate_named_function, wrenches_on_bodies
from linkwright.model.wrench import Wrench, as_wrenches

_WRENCHES = "a Wrench or a list of them"


def _wrench_tuple(title: str, given: Any) -> tuple[Wrench, ...]:
    found = as_wrenches(title, given)
    if found is None and not (isinstance(given, Sequence) and not isinstance(given, str) and len(given) == 0):
        checks.refuse_argument(title, given, _WRENCHES)
    return found or ()


@dataclass(frozen=True, eq=False)
class GravityCompensation:
    """Efforts that hold the mechanism and its payloads still where they are; springs and loops included.

    Attributes:
        model: the mechanism.
        payload: wrenches that are held too, such as `Wrench.weight(model.mechanism, "platform", 5.0)`.
    """

    model: Model
    payload: Wrench | Sequence[Wrench] = ()

    def __post_init__(self) -> None:
        checks.require_instance("model", self.model, Model, "a Model from linkwright.build")
        set_frozen_fields(self, payload=_wrench_tuple("payload", self.payload))

    @property
    def na(self) -> int:
        return self.model.na

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        return holding_efforts(self.model, self.payload, t, q, v)


def holding_efforts(model: Model, wrenches: Any, t: Any, q: Any, v: Any) -> Any:
    """Efforts that hold a mechanism still against its weight and wrenches on it, (na,)."""
    t, q, v = (one_state if wrenches else compatible_states)(model, t, q, v)
    still = np.zeros(model.nv)
    return evaluate_named_function(
        model, "inverse_dynamics", q, still, still, w_ext=wrenches_on_bodies(model, wrenches, t, q, v)
    )


@dataclass(frozen=True, eq=False)
class Impedance:
    """A spring and a damper between the platform and its reference, by actuators alone; weight is compensated.

    The platform is pulled by the wrench stiffness (pose error) + damping (twist error) at its origin, world axes; the
    pose error is that of `PlatformComputedTorque`. The mechanism keeps its own inertia, so that the law is passive: it
    gives back no more energy than it took, whatever touches the platform. Components that the mechanism cannot move
    along are carried by its joints.

    Attributes:
        model: the mechanism; its file names a platform.
        motion: where the platform should be.
        stiffness: (6,) or one for all, rotation first, [N m/rad, N/m].
        damping: (6,) or one for all, rotation first, [N m s/rad, N s/m].
        payload: wrenches that are held too, such as weights.
    """

    model: Model
    motion: PlatformMotion
    stiffness: Array
    damping: Array
    payload: Wrench | Sequence[Wrench] = ()

    def __post_init__(self) -> None:
        require_platform(self.model, self.motion)
        set_frozen_fields(self, **nonnegative_gains(self, 6, "stiffness", "damping"))
        set_frozen_fields(self, payload=_wrench_tuple("payload", self.payload))

    @property
    def na(self) -> int:
        return self.model.na

    def wrench(self, t: Any, q: Any, v: Any) -> Any:
        """Wrench of the spring and the damper on the platform, (6,), world axes."""
        t, q, v = one_state(self.model, t, q, v)
        pose, twist, _ = self.motion.at(t)
        error, error_rate = platform_errors(self.model, pose, twist, q, v)
        return self.stiffness * error + self.damping * error_rate

    def tau(self, t: Any, q: Any, v: Any) -> Any:
        pull = self.wrench(t, q, v)
        platform = str(self.model.mechanism.platform)
        against = Wrench(platform, lambda *_: -pull[3:], lambda *_: -pull[:3], axes="world")
        return holding_efforts(self.model, (*self.payload, against), t, q, v)  # type: ignore[misc]


@dataclass(frozen=True, eq=False)
class Admittance:
    """A platform that yields to a measured wrench like a mass on a spring and a damper, kept there by computed torque.

    The offset x of the platform from its reference obeys mass x'' + damping x' + stiffness x = wrench, whatever the
    mechanism weighs; rotations are offsets of the orientation about world axes, of less than half a turn. The offset
    and its rate are states of the law: rotation, translation, angular velocity, velocity, (12,), zero at the start.

    Attributes:
        model: the mechanism; its file names a platform.
        motion: where the platform is without a wrench.
        sensor: the wrench that acts on the platform's body and is measured, the same record as in
            `simulate(wrench=...)`, or several.
        mass, damping, stiffness: of the offset, (6,) or one for all, rotation first, [kg m^2, kg], and so on.
        following: stiffness of the computed torque that follows the offset reference, [1/s^2]; critically damped.
        components: those of rx ry rz x y z that are followed, one per degree of freedom; all when None. The
            platform yields along these.
    """

    model: Model
    motion: PlatformMotion
    sensor: Wrench | Sequence[Wrench]
    mass: Array
    damping: Array
    stiffness: Array
    following: float = 400.0
    components: Sequence[str] | None = None

    def __post_init__(self) -> None:
        require_platform(self.model, self.motion)
        numbers = nonnegative_gains(self, 6, "mass", "damping", "stiffness")
        if not np.all(numbers["mass"]):
            raise ArgumentError(f"mass is {numbers['mass'].tolist()}, expected numbers above zero")
        if not (sensor := _wrench_tuple("sensor", self.sensor)):
            checks.refuse_argument("sensor", self.sensor, _WRENCHES)
        set_frozen_fields(self, sensor=sensor, components=followed_components(self.model, self.components), **numbers)
        set_frozen_fields(self, following=checks.require_positive("following", self.following))
        set_frozen_fields(
            self, _along=np.array([float(name in (self.components or COMPONENTS)) for name in COMPONENTS])
        )

    @property
    def na(self) -> int:
        return self.model.na

    @property
    def n_states(self) -> int:
        """Numbers that the law keeps."""
        return 12

    def measured_wrench(self, t: Any, q: Any, v: Any) -> Any:
        """The measured wrench at the platform's origin, (6,), world axes."""
        return platform_wrench(self.model, self.sensor, t, q, v)

    def tau(self, t: Any, q: Any, v: Any, z: Any) -> Any:
        t, q, v = one_state(self.model, t, q, v)
        pose, twist, twist_rate = self._reference(t, q, v, controller_states(self, z))
        error, error_rate = platform_errors(self.model, pose, twist, q, v)
        wanted = twist_rate + 2.0 * np.sqrt(self.following) * error_rate + self.following * error
        w_ext = wrenches_on_bodies(self.model, self.sensor, t, q, v)  # type: ignore[arg-type]
        return following_efforts(self.model, self.components or COMPONENTS, wanted, q, v, w_ext)

    def rates(self, t: Any, q: Any, v: Any, z: Any) -> Any:
        """Rates of the states, (12,)."""
        t, q, v = one_state(self.model, t, q, v)
        z = controller_states(self, z)
        x, twist = z[:6], z[6:]
        omega, epsilon = twist[:3], x[:3]
        eta = np.sqrt(1.0 - epsilon @ epsilon)
        turning = 0.5 * (eta * omega + cross_product(omega, epsilon))
        return np.concatenate([turning, twist[3:], self._offset_rate(t, q, v, z)])

    def _offset_rate(self, t: Any, q: Any, v: Any, z: Any) -> Any:
        """Acceleration of the offset, (6,); the pose error of a rotation is twice the quaternion's vector part."""
        error = np.concatenate([2.0 * z[:3], z[3:6]])
        pull = self.measured_wrench(t, q, v) - self.damping * z[6:] - self.stiffness * error
        return self._along * pull / self.mass  # type: ignore[attr-defined]

    def _reference(self, t: Any, q: Any, v: Any, z: Any) -> tuple[Pose, Any, Any]:
        """The platform's pose, twist and twist rate with the offset."""
        pose, twist, twist_rate = self.motion.at(t)
        epsilon, offset, omega = z[:3], z[3:6], z[6:9]
        turn = np.concatenate([np.array([np.sqrt(1.0 - epsilon @ epsilon)]), epsilon])
        R, rate = rotations.rotation_matrix(turn), self._offset_rate(t, q, v, z)
        carried = R @ twist[:3]
        angular = R @ twist_rate[:3] + cross_product(omega, carried)
        there = Pose(pose.position + offset, rotations.quaternion_product(turn, pose.quaternion_wxyz))
        at = np.concatenate([omega + carried, z[9:] + twist[3:]])
        return there, at, np.concatenate([rate[:3] + angular, rate[3:] + twist_rate[3:]])


def platform_wrench(model: Model, wrenches: Any, t: Any, q: Any, v: Any) -> Any:
    """The sum of wrenches on the platform's body, at the platform's origin, world axes, (6,)."""
    frame = str(model.mechanism.platform)
    t, q, v = one_state(model, t, q, v)
    w_ext = wrenches_on_bodies(model, wrenches, t, q, v)
    body, r = frame, np.zeros(3)
    for each in model.mechanism.frames:
        if each.name == frame:
            body, r = each.body, each.pose.r
    w = w_ext[list(model.bodies).index(body)]
    R = rotations.rotation_matrix(evaluate_named_function(model, "frame_quaternion", q, frame=body)[1])
    return np.concatenate([R @ (w[:3] - cross_product(r, w[3:])), R @ w[3:]])
