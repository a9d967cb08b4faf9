"""The public face of a mechanism: names, checks, and one compiled function per question."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler import Kernel, OpCount, Program, operation_count
from linkwright.kernels import part_names, setup
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Inertia
from linkwright.model import arguments, limits, reaching
from linkwright.model.closedness import checking
from linkwright.model.engine import Engine
from linkwright.model.loop_engine import LoopEngine
from linkwright.model.tree_engine import TreeEngine
from linkwright.solve.configuration import Configuration
from linkwright.solve.machine import Machine
from linkwright.solve.singularities import Singularity, generic, singularity

Array = np.ndarray


class Model:
    """Kinematics and dynamics of one mechanism. Every function takes one state or any leading batch axes.

    A single state with NaN or a wrong shape raises, in a batch such a row gives a row of NaN. Quaternions w x y z in q
    count by their direction; a norm off by more than 1e-3 is refused in the same way. Twists are [angular; linear],
    wrenches [moment; force].

    Attributes:
        mechanism: the machine.
        nq, nv, na: numbers of coordinates, speeds and actuators.
        q_names, v_names: names of the coordinates and speeds.
        actuated: names of the actuators, in the order of tau.
        bodies: names of the moving bodies, in the order of w_ext.
    """

    def __init__(
        self, mech: Mechanism, actuated: Any, grouping: bool, sharing: Any, inputs: bool, recut: bool, like: Any = None
    ) -> None:
        self._recipe = (mech, actuated, grouping, sharing, inputs, recut)
        machine = Machine(setup(mech, actuated, grouping, inputs, recut), like)
        closed = bool(mech.loops or mech.couplings)
        self._engine: Engine = LoopEngine(machine, sharing) if closed else TreeEngine(machine)
        self.mechanism, self._kernels = mech, self._engine.kernels
        self._functions: dict[Any, Callable[..., Any]] = {}
        self.nq, self.nv = self._kernels.setup.tree.nq, self._kernels.setup.tree.nv
        self.q_names, self.v_names = (part_names(mech.joints, speeds) for speeds in (False, True))
        self.actuated = self._kernels.setup.actuated
        self.na, self.bodies = len(self.actuated), mech.names

    def __reduce__(self) -> Any:
        return Model, self._recipe

    def __repr__(self) -> str:
        return f"Model('{self.mechanism.name}', nq={self.nq}, nv={self.nv}, na={self.na})"

    def with_inertias(self, inertias: Mapping[str, Inertia]) -> Model:
        """The same machine with other mass properties of the named bodies; see `inertias_as_inputs` of `build`."""
        return Model(arguments.replaced(self.mechanism, inertias), *self._recipe[1:], self._kernels)

    @cached_property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent speeds: the actuated ones when they qualify; in a tree all of them."""
        return tuple(self.v_names[i] for i in self._engine.independent)

    def assemble(
        self, guess: Array | None = None, fixed: Mapping[str, float] | None = None, guesses: int = 128
    ) -> Configuration:
        """A configuration with every loop closed, near `guess` (nq,) or home, with the coordinates in `fixed` held.

        When the first start does not close, `guesses` random ones are tried.
        """
        start = None if guess is None else self._coordinates("guess", guess)
        return self._engine.assemble(
            start, arguments.places("fixed", fixed or {}, self.q_names), arguments.count("guesses", guesses)
        )

    def assembly_modes(self, q_act: Array, guesses: int = 512) -> list[Configuration]:
        """All assembly modes found for the actuator positions q_act (na,), nearest to home first."""
        return self._engine.modes(arguments.vector("q_act", q_act, self.na), arguments.count("guesses", guesses))

    def follow(self, path: Array, start: Array) -> Array:
        """Closed coordinates (n, nq) along a path of actuator positions (n, na) that stays on the branch of start."""
        path = arguments.rows("path", path, self.na)
        return self._engine.follow(path, self._coordinates("start", start))

    def from_actuators(
        self, q_act: Array, v_act: Array | None = None, a_act: Array | None = None, near: Array | None = None
    ) -> tuple[Array, Array, Array]:
        """All coordinates, speeds and accelerations from those of the actuators, in the assembly mode of `near`.

        Every row goes the straight way from `near`, through legs that stretch or fold (type 1) and not through type 2
        singularities. A row that is not reached is NaN, with a `BatchWarning`; a single state raises.
        """
        return reaching.from_actuators(self, self._engine, q_act, v_act, a_act, near)

    def from_platform(
        self,
        pose: tuple[Array, Array],
        twist: Array | None = None,
        twist_rate: Array | None = None,
        near: Array | None = None,
        free: Sequence[str] | None = None,
    ) -> tuple[Array, Array, Array]:
        """All coordinates, speeds and accelerations from the platform's pose, twist and twist rate.

        Args:
            pose: origin (..., 3) [m] and quaternion w x y z (..., 4) of the platform frame.
            twist, twist_rate: (..., 6), world axes, at the frame's origin; zero when left out.
            near: coordinates to start from, (nq,); None starts from home. free: the components of x y z rx ry rz that
                are given, for platforms with fewer than six freedoms; what fewer leave open stays near the start.

        A row that is not reached is NaN, with a `BatchWarning`; a single state raises.
        """
        return reaching.from_platform(self, self._engine, pose, twist, twist_rate, near, free)

    def platform_modes(self, pose: tuple[Array, Array], guesses: int = 512) -> list[Configuration]:
        """One configuration for each set of actuator positions that holds the platform at a pose: all leg roots."""
        return reaching.platform_modes(self, self._engine, pose, arguments.count("guesses", guesses))

    def limits_exceeded(
        self, q: Array, v: Array | None = None, tau: Array | None = None
    ) -> tuple[limits.Exceeded, ...]:
        """Every limit that a state breaks: positions and cones, speeds where v is given, efforts where tau is given.

        Joints of the tree, cut joints and actuators are looked at; a record holds code, subject, value and limit, and
        its text is a sentence. The effort of a joint is that of the actuator that drives it.
        """
        velocities = None if v is None else arguments.vector("v", v, self.nv)
        efforts = None if tau is None else arguments.vector("tau", tau, self.na)
        return limits.limits_exceeded(self._kernels, self._coordinates("q", q), velocities, efforts)

    def limits_exceeded_along(self, q: Array, v: Array, tau: Array) -> tuple[tuple[int, int, limits.Exceeded], ...]:
        """Per limit that a motion breaks: in how many of its rows, in which first, and the worst record.

        q is (..., nq), v is (..., nv), tau is (..., na), rows counted in their order; a row of NaN breaks no limit.
        """
        state = self._state(q, {"v": (v, self.nv), "tau": (tau, self.na)})
        return limits.worst_exceeded(self._kernels, *(x.reshape(-1, x.shape[-1]) for x in state))

    @cached_property
    def mobility(self) -> int:
        """Degrees of freedom: speeds less independent closure equations."""
        return len(self._engine.independent)

    @cached_property
    def redundant_equations(self) -> tuple[str, ...]:
        """A sentence for every closure equation that repeats others; with any, `reactions` are the least-norm ones."""
        return self._engine.redundancy

    def singularity(self, q: Array, free: Sequence[str] | None = None, length: float | None = None) -> Singularity:
        """How near a configuration is to a singularity of type 1, type 2 or of the constraints: 0 there, 1 at best.

        Args:
            q: closed coordinates, (nq,).
            free: the components of x y z rx ry rz of the platform (of a serial arm's last body) that are its output;
                None takes its translation where that has all of its freedoms, else the whole twist.
            length: characteristic length [m] that compares turning with sliding; None takes the mechanism's mean arm.
        """
        state, machine = self._coordinates("q", q), self._engine.machine
        if free is None and length is None:
            return singularity(machine, state)
        picked = None if free is None else reaching.components(free)
        unit = None if length is None else arguments.positive("length", length)
        return singularity(machine, state, generic(machine, picked, unit))

    @checking
    def inverse_dynamics(
        self,
        q: Array,
        v: Array,
        a: Array,
        w_ext: Any = None,
        out: Array | None = None,
        formulation: Any = None,
        undriven: str = "refuse",
    ) -> Array:
        """Efforts tau (..., na) of the actuators, [N m or N], at the joint after the gear, that produce a.

        Idle freedoms and a floating base carry no effort: their accelerations follow from the dynamics, whatever `a`
        says there, with a MotionWarning where it says something else.

        Args:
            q, v, a: state and acceleration, (..., nq), (..., nv), (..., nv). out: array that takes the result.
            w_ext: wrench on each body at its origin in its frame, (..., n_bodies, 6) or {body: wrench}.
            undriven: "free" treats all other freedoms without an actuator in the same way; "refuse" does not.
        """
        free = arguments.choice("undriven", undriven, ("refuse", "free"))
        if w_ext is None and formulation is None and free == "refuse":
            return self._at_hand("inverse_dynamics", self._engine.inverse_dynamics)(q, v, a, out=out)
        outer = None if w_ext is None else arguments.wrenches(w_ext, self.bodies)
        q = self._states(q)
        return arguments.put(out, self._engine.inverse_by(arguments.formulation(formulation), q, v, a, outer, free))

    def generalized_forces(self, q: Array, v: Array, a: Array, w_ext: Any = None) -> Array:
        """Tree forces along every speed that produce a, (..., nv), whatever is actuated.

        With loops: of the tree that is left when they are cut. What springs, friction and rotors take at cut joints is
        in it, carried to the tree's speeds; so it is in `bias_forces`, and their rotors in `generalized_inertia`.
        """
        outer = () if w_ext is None else (arguments.wrenches(w_ext, self.bodies),)
        return self._function("generalized_forces", wrench=bool(outer))(q, v, a, *outer)

    @checking
    def forward_dynamics(
        self, q: Array, v: Array, tau: Array, w_ext: Any = None, out: Array | None = None, formulation: Any = None
    ) -> Array:
        """Accelerations a, (..., nv), that the actuators' efforts tau (..., na) produce, by multipliers unless told."""
        if formulation is not None:
            outer = () if w_ext is None else (arguments.wrenches(w_ext, self.bodies),)
            q = self._states(q)
            return arguments.put(out, self._engine.forward_by(arguments.formulation(formulation), q, v, tau, *outer))
        if w_ext is None:
            return self._at_hand("forward_dynamics", self._engine.forward_dynamics)(q, v, tau, out=out)
        return arguments.put(out, self._engine.forward_with(q, v, tau, arguments.wrenches(w_ext, self.bodies)))

    @checking
    def reactions(self, q: Array, v: Array, a: Array, tau: Array | None = None, w_ext: Any = None) -> dict[str, Array]:
        """Wrench of parent on child at each joint, cut ones too: {joint: (..., 6)}, at the joint, in child axes."""
        outer = None if w_ext is None else arguments.wrenches(w_ext, self.bodies)
        efforts = None if tau is None else arguments.batch("tau", tau, self.na)
        q, v, a = self._state(q, {"v": (v, self.nv), "a": (a, self.nv)})
        return self._engine.reactions(q, v, a, efforts, outer)

    def closure_residual(self, q: Array) -> Array:
        """The gap of every closure equation, (..., rows), [m, or sine of an angle]."""
        return self._engine.closure_residual(self._states(q))

    def closure_jacobian(self, q: Array) -> Array:
        """Derivative of `closure_residual` along v at any q, closed or not, (..., rows, nv)."""
        return self._engine.closure_jacobian(self._states(q))

    def independent_map(self, q: Array) -> Array:
        """R with v = R v_ind, (..., nv, n_ind)."""
        return self._engine.independent_map(self._states(q))

    def minimal_inertia(self, q: Array) -> Array:
        """Inertia of the independent speeds, R^T inertia R, (..., n_ind, n_ind)."""
        return self._engine.minimal_inertia(self._states(q))

    def generalized_inertia(self, q: Array) -> Array:
        """Generalized inertia matrix of the tree, rotors at cut joints included, (..., nv, nv)."""
        return self._bound("generalized_inertia")(q)

    def convective_matrix(self, q: Array, v: Array) -> Array:
        """Matrix C with C v the velocity terms and inertia rate minus 2 C skew, (..., nv, nv)."""
        return self._bound("convective_matrix")(q, v)

    def bias_forces(self, q: Array, v: Array) -> Array:
        """Forces at zero acceleration: velocity terms, gravity, springs, friction, also at cut joints, (..., nv)."""
        return self._bound("bias_forces")(q, v)

    def gravity_forces(self, q: Array) -> Array:
        """Forces that hold the tree still against gravity, (..., nv)."""
        return self._bound("gravity_forces")(q)

    def udu(self, q: Array) -> tuple[Array, Array]:
        """Factors U (..., nv, nv) and D (..., nv) of the inertia, U diag(D) U^T, by reverse Gaussian elimination."""
        return self._bound("udu")(q)

    def energy(self, q: Array, v: Array, formulation: Any = None) -> tuple[Array, Array]:
        """Kinetic and potential energy (gravity, springs; those of a `VirtualSprings` formulation too), [J]."""
        by = arguments.formulation(formulation)
        both = self._function("energy")(q, v) if by is None else self._engine.energy_by(by, self._states(q), v)
        return both[..., 0], both[..., 1]

    def momentum(self, q: Array, v: Array) -> Array:
        """Angular momentum about the world's origin and linear momentum, (..., 6), world axes."""
        return self._bound("momentum")(q, v)

    def center_of_mass(self, q: Array) -> Array:
        """Mass centre of the moving bodies, (..., 3), [m]."""
        arguments.require_mass(self.mechanism)
        return self._function("center_of_mass")(q)

    def frame_pose(self, q: Array, frame: str) -> tuple[Array, Array]:
        """Origin (..., 3) [m] and unit quaternion w x y z (..., 4) of a frame or body in the world."""
        return self._function("frame_quaternion", frame=arguments.name("frame", frame))(q)

    def body_poses(self, q: Array) -> Array:
        """Origin x y z [m] and rotation rows of every body's frame in the world, (..., n_bodies, 12)."""
        return self._bound("body_poses")(q)

    def frame_twist(self, q: Array, v: Array, frame: str) -> Array:
        """Twist of a frame or body, (..., 6), world axes, at its origin."""
        return self._function("frame_twist", frame=arguments.name("frame", frame))(q, v)

    def frame_twist_rate(self, q: Array, v: Array, a: Array, frame: str) -> Array:
        """Angular acceleration and acceleration of the origin of a frame or body, (..., 6), world axes."""
        return self._function("frame_twist_rate", frame=arguments.name("frame", frame))(q, v, a)

    def frame_jacobian(self, q: Array, frame: str) -> Array:
        """Jacobian J with frame_twist = J v, (..., 6, nv)."""
        return self._function("frame_jacobian", frame=arguments.name("frame", frame))(q)

    def frame_jacobian_rate(self, q: Array, v: Array, frame: str) -> Array:
        """Rate of the frame's Jacobian, frame_twist_rate = J a + J_dot v, (..., 6, nv)."""
        return self._function("frame_jacobian_rate", frame=arguments.name("frame", frame))(q, v)

    def inverse_dynamics_derivatives(self, q: Array, v: Array, a: Array) -> tuple[Array, Array, Array]:
        """Derivatives by displacements, speeds and accelerations: of a tree's `generalized_forces`, (..., nv, nv); with
        loops, kept closed, of the efforts by those of the independent speeds, (..., na, n_ind)."""
        return self._bound("inverse_dynamics_derivatives", self._engine.inverse_derivatives)(q, v, a)

    def forward_dynamics_derivatives(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array, Array]:
        """Derivatives of `forward_dynamics` by displacements, speeds (..., nv, nv) and tau (..., nv, na); with loops,
        kept closed, by displacements and speeds of the independent speeds, (..., nv, n_ind)."""
        return self._bound("forward_dynamics_derivatives", self._engine.forward_derivatives)(q, v, tau)

    def linearise(self, q: Array, v: Array, tau: Array) -> tuple[Array, Array]:
        """A (..., 2 n, 2 n) and B (..., 2 n, na) of d/dt x = A x + B d tau about a state.

        x holds displacements and changes of speed of the n independent speeds; of ball and free joints in body axes.
        """
        return self._engine.linearise(*self._state(q, {"v": (v, self.nv), "tau": (tau, self.na)}))

    def program(self, name: str) -> Program:
        """The traced program of a named function, for `linkwright.export.c_source` and other exports."""
        kernels, traced = self._engine.program_name(arguments.public(arguments.name("name", name)))
        return kernels.program(traced)

    def operation_count(self, name: str) -> OpCount:
        """Exact operations of one call of a named function, for example "inverse_dynamics"."""
        return operation_count(self.program(name))

    def _coordinates(self, title: str, q: Any) -> Array:
        """One set of coordinates, (nq,), finite, with unit quaternions."""
        return arguments.unit_quaternions(title, arguments.vector(title, q, self.nq), self._kernels.setup.units)

    def _states(self, q: Any) -> Array:
        """Coordinates with any leading axes, (..., nq), with unit quaternions; rows too far from them are NaN."""
        return arguments.unit_quaternions("q", arguments.batch("q", q, self.nq), self._kernels.setup.units)

    def _state(self, q: Any, more: Mapping[str, tuple[Any, int]]) -> list[Array]:
        """Coordinates and further arrays (name to value and last size) with their leading axes made equal."""
        return arguments.joined({"q": (self._states(q), self.nq), **more})

    def _normalizing(self, answer: Callable[..., Any]) -> Callable[..., Any]:
        """The function of q and more; quaternions are seen to before, where compiled code does not do that itself."""
        by_itself = not self._kernels.setup.units or isinstance(self._engine, TreeEngine)
        return answer if by_itself else lambda q, *more, **named: answer(self._states(q), *more, **named)

    def _at_hand(self, name: str, made: Callable[[], Kernel | Callable[..., Array]]) -> Callable[..., Array]:
        """The compiled function, which from its first use on is called without this class in between."""
        if name not in self._functions:
            answer = made()
            if isinstance(answer, Kernel):
                self._functions[name] = answer.call
            else:
                self._functions[name] = arguments.taking_out(self._normalizing(answer))
            if isinstance(answer, Kernel):
                answer.widen(functools.partial(getattr(Model, name), self))
                self.__dict__[name] = answer.call
        return self._functions[name]

    def _bound(self, name: str, made: Callable[[], Any] | None = None) -> Callable[..., Any]:
        """The compiled function behind a method that adds nothing to it; from now on it takes the method's place."""
        if name not in self.__dict__:
            self.__dict__[name] = self._normalizing(made()) if made else self._function(name)
        return self.__dict__[name]

    def _function(self, name: str, frame: str | None = None, wrench: bool = False) -> Callable[..., Any]:
        key = (name, frame, wrench)
        if key not in self._functions:
            self._functions[key] = self._kernels.function(name, wrench=wrench, frame=frame)
        return self._functions[key]
