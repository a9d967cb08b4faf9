"""The public face of a mechanism: names, checks, and one compiled function per question."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.algebra import quaternion
from linkwright.compiler import OpCount, operation_count
from linkwright.errors import ArgumentError, MechanismError
from linkwright.kernels import Kernels, part_names, setup
from linkwright.mechanism.mechanism import Mechanism
from linkwright.model import arguments

Array = np.ndarray


def build(mech: Mechanism, actuated: Sequence[str] | None = None, *, grouping: bool = True) -> Model:
    """A model of a mechanism, specialised to its numbers.

    Args:
        mech: the machine, from `load`, `catalog.load` or written as records.
        actuated: names of the driven joints or actuators; None takes the actuators the file names, and in a tree
            that names none every joint.
        grouping: fold inertial parameters towards the base, which saves operations and changes no answer.

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> [float(round(x, 5)) for x in arm.inverse_dynamics([0, 0, 0], [0, 0, 0], [0, 0, 0])]
    [4.34583, 1.54998, 0.32373]
    """
    if not isinstance(mech, Mechanism):
        raise ArgumentError(
            f"build takes a Mechanism, found {type(mech).__name__}; read a file with linkwright.load first"
        )
    if mech.loops:
        loops = ", ".join(f"'{loop.name}'" for loop in mech.loops)
        raise MechanismError(f"mechanism '{mech.name}' has the loops {loops}; this version builds trees only")
    return Model(mech, None if actuated is None else arguments.names("actuated", actuated), grouping)


class Model:
    """Kinematics and dynamics of one mechanism. Every function takes one state or any leading batch axes.

    q (nq,), v (nv,), a (nv,), tau (na,) are float64 arrays; a single state with NaN or a wrong shape raises, in a
    batch such a row gives a row of NaN. Twists are [angular; linear], wrenches [moment; force].
    """

    def __init__(self, mech: Mechanism, actuated: tuple[str, ...] | None, grouping: bool) -> None:
        self._recipe = (mech, actuated, grouping)
        self._kernels = Kernels(setup(mech, actuated, grouping))
        self.mechanism = mech

    def __reduce__(self) -> Any:
        return Model, self._recipe

    def __repr__(self) -> str:
        return f"Model('{self.mechanism.name}', nq={self.nq}, nv={self.nv}, na={self.na})"

    @cached_property
    def nq(self) -> int:
        """Number of coordinates."""
        return self._kernels.setup.tree.nq

    @cached_property
    def nv(self) -> int:
        """Number of speeds."""
        return self._kernels.setup.tree.nv

    @cached_property
    def na(self) -> int:
        """Number of actuators."""
        return len(self.actuated)

    @cached_property
    def q_names(self) -> tuple[str, ...]:
        """Names of the coordinates."""
        return part_names(self.mechanism.joints, speeds=False)

    @cached_property
    def v_names(self) -> tuple[str, ...]:
        """Names of the speeds."""
        return part_names(self.mechanism.joints, speeds=True)

    @cached_property
    def actuated(self) -> tuple[str, ...]:
        """Names of the actuators, in the order of tau."""
        return self._kernels.setup.actuated

    @cached_property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent speeds; in a tree all of them."""
        return self.v_names

    @cached_property
    def bodies(self) -> tuple[str, ...]:
        """Names of the moving bodies, in the order of w_ext."""
        return self.mechanism.names

    def inverse_dynamics(self, q: Array, v: Array, a: Array, w_ext: Any = None) -> Array:
        """Efforts of the actuators that produce the accelerations a.

        Args:
            q, v, a: state and acceleration, (..., nq), (..., nv), (..., nv).
            w_ext: wrench on each body at its origin in its frame, (..., n_bodies, 6) or {body: wrench}.

        Returns:
            tau, (..., na), [N m or N], at the joint after the gear.
        """
        if w_ext is None:
            return self._inverse_dynamics(q, v, a)
        self._require_full_actuation()
        return self._with_wrench("inverse_dynamics", q, v, a, w_ext)

    def generalized_forces(self, q: Array, v: Array, a: Array, w_ext: Any = None) -> Array:
        """Tree forces along every speed that produce a, (..., nv), whatever is actuated."""
        if w_ext is None:
            return self._generalized_forces(q, v, a)
        return self._with_wrench("generalized_forces", q, v, a, w_ext)

    def forward_dynamics(self, q: Array, v: Array, tau: Array, w_ext: Any = None) -> Array:
        """Accelerations a, (..., nv), that the actuators' efforts tau (..., na) produce."""
        if w_ext is None:
            return self._forward_dynamics(q, v, tau)
        return self._with_wrench("forward_dynamics", q, v, tau, w_ext)

    def reactions(self, q: Array, v: Array, a: Array, tau: Array | None = None, w_ext: Any = None) -> dict[str, Array]:
        """Wrench of the parent on the child at every joint's origin, child axes: {joint: (..., 6)}.

        In a tree the wrenches follow from the motion alone; tau is taken for the same call on closed loops.
        """
        if w_ext is None:
            w = self._function("joint_wrenches")(q, v, a)
        else:
            w = self._with_wrench("joint_wrenches", q, v, a, w_ext)
        return {link.joint: w[..., i, :] for i, link in enumerate(self._kernels.setup.tree.links)}

    def generalized_inertia(self, q: Array) -> Array:
        """Generalized inertia matrix, (..., nv, nv)."""
        return self._function("generalized_inertia")(q)

    def convective_matrix(self, q: Array, v: Array) -> Array:
        """Matrix C with C v the velocity terms and inertia rate minus 2 C skew, (..., nv, nv)."""
        return self._function("convective_matrix")(q, v)

    def bias_forces(self, q: Array, v: Array) -> Array:
        """Forces at zero acceleration: velocity terms, gravity, springs, friction, (..., nv)."""
        return self._function("bias_forces")(q, v)

    def gravity_forces(self, q: Array) -> Array:
        """Forces that hold the machine still against gravity, (..., nv)."""
        return self._function("gravity_forces")(q)

    def udu(self, q: Array) -> tuple[Array, Array]:
        """Factors U (..., nv, nv) and D (..., nv) of the inertia, U diag(D) U^T, by reverse Gaussian elimination."""
        return self._function("udu")(q)

    def energy(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Kinetic and potential energy (gravity and springs), [J]."""
        both = self._function("energy")(q, v)
        return both[..., 0], both[..., 1]

    def momentum(self, q: Array, v: Array) -> Array:
        """Angular momentum about the world's origin and linear momentum, (..., 6), world axes."""
        return self._function("momentum")(q, v)

    def center_of_mass(self, q: Array) -> Array:
        """Mass centre of the moving bodies, (..., 3), [m]."""
        if not any(body.inertia.mass > 0 for body in self.mechanism.bodies):
            raise MechanismError(
                f"mechanism '{self.mechanism.name}' has no mass, so it has no mass centre; give masses"
            )
        return self._function("center_of_mass")(q)

    def frame_pose(self, q: Array, frame: str) -> tuple[Array, Array]:
        """Origin (..., 3) [m] and unit quaternion w x y z (..., 4) of a frame or body in the world."""
        xyz, R = self._function("frame_pose", frame=self._frame(frame))(q)
        return xyz, quaternion.from_matrix(R)

    def frame_twist(self, q: Array, v: Array, frame: str) -> Array:
        """Twist of a frame or body, (..., 6), world axes, at its origin."""
        return self._function("frame_twist", frame=self._frame(frame))(q, v)

    def frame_twist_rate(self, q: Array, v: Array, a: Array, frame: str) -> Array:
        """Angular acceleration and acceleration of the origin of a frame or body, (..., 6), world axes."""
        return self._function("frame_twist_rate", frame=self._frame(frame))(q, v, a)

    def frame_jacobian(self, q: Array, frame: str) -> Array:
        """Jacobian J with frame_twist = J v, (..., 6, nv)."""
        return self._function("frame_jacobian", frame=self._frame(frame))(q)

    def frame_jacobian_rate(self, q: Array, v: Array, frame: str) -> Array:
        """Rate of the frame's Jacobian, frame_twist_rate = J a + J_dot v, (..., 6, nv)."""
        return self._function("frame_jacobian_rate", frame=self._frame(frame))(q, v)

    def operation_count(self, name: str) -> OpCount:
        """Exact operations of one call of a named function, for example `operation_count("inverse_dynamics")`."""
        if not isinstance(name, str):
            raise ArgumentError(f"operation_count takes the name of a function, found {name!r}")
        return operation_count(self._kernels.program(name))

    @cached_property
    def _inverse_dynamics(self) -> Callable[..., Array]:
        self._require_full_actuation()
        return self._function("inverse_dynamics")

    @cached_property
    def _generalized_forces(self) -> Callable[..., Array]:
        return self._function("generalized_forces")

    @cached_property
    def _forward_dynamics(self) -> Callable[..., Array]:
        return self._function("forward_dynamics")

    def _function(self, name: str, frame: str | None = None) -> Callable[..., Any]:
        return self._kernels.function(name, frame=frame)

    def _with_wrench(self, name: str, *arrays: Any) -> Array:
        *state, w_ext = arrays
        return self._kernels.function(name, wrench=True)(*state, arguments.wrenches(w_ext, self.bodies))

    def _frame(self, frame: str) -> str:
        if not isinstance(frame, str):
            raise ArgumentError(f"frame is {frame!r}, expected the name of a frame or body")
        return frame

    def _require_full_actuation(self) -> None:
        driven = {drive.speed for drive in self._kernels.setup.drives}
        idle = [name for d, name in enumerate(self.v_names) if d not in driven]
        if idle:
            listed = ", ".join(f"'{name}'" for name in idle)
            raise ArgumentError(
                f"inverse_dynamics of '{self.mechanism.name}': no actuator drives {listed}, so an arbitrary motion has "
                "no efforts; name them in actuated=..., or ask generalized_forces for what every joint would need",
                idle=idle,
            )
