"""The public object of a mechanism: names, checks, and one compiled function per method."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright.algebra import rotations
from linkwright.checks import require_choice, require_option_flag, require_positive, require_text, require_vector
from linkwright.compiler import Kernel, OpCount, Program, operation_count
from linkwright.compiler.runtime.kernel import is_unit, not_unit
from linkwright.dynamics import independent_velocities, reactions
from linkwright.dynamics.dynamics import Dynamics
from linkwright.dynamics.efforts import Sharing, regressor_function
from linkwright.dynamics.methods import DynamicsMethod, method_of_formulation
from linkwright.errors import ArgumentError, BatchWarning, LinkwrightError, withheld_warnings
from linkwright.formulations.formulation import Formulation
from linkwright.formulations.multipliers import Multipliers
from linkwright.functions import Kernels, Setup, part_names, setup
from linkwright.functions.definition import Definition
from linkwright.functions.design_inputs import InputKernel, checked_values, nominal_inputs
from linkwright.functions.loop import closure_functions, minimal_functions
from linkwright.functions.loop.regressor_functions import dynamic_parameters
from linkwright.functions.memo import Cache, memo
from linkwright.functions.store import Scattered
from linkwright.functions.tree import displacement_functions, tree_functions
from linkwright.kinematics.assembly import (
    Configuration,
    assemble_near_guess,
    find_assembly_modes,
    require_closed_loops,
    warn_of_open_loops,
)
from linkwright.kinematics.inverse_kinematics import kinematics_of
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.nominal_rank import has_nominal_rank, require_nominal_rank, rows_of_nominal_rank
from linkwright.kinematics.projection import project_onto_loops
from linkwright.kinematics.query import (
    Failure,
    KinematicsQuery,
    KinematicsResult,
    all_records,
    batch_array,
    batch_index,
    broadcast_parts,
    real_array,
    report_failures,
    warn_of_rows,
)
from linkwright.kinematics.singularity import Singularity, generic_ranks, measure_singularity
from linkwright.lazy import function_at_path
from linkwright.mechanism.mechanism import Mechanism, describe_mechanism
from linkwright.mechanism.parameters import warn_of_lengths
from linkwright.mechanism.records import Inertia
from linkwright.model import arguments, limits
from linkwright.model.actuator_records import (
    ModelActuator,
    actuator_records,
    warn_of_many_turns,
    warn_of_turned_coordinates,
)
from linkwright.model.fast_calls import FAST_METHODS, FastCall, copy_method_metadata, described_call
from linkwright.model.function_names import locate_public_function
from linkwright.model.model_parameters import Parameters, RegressorParameters, general_of, with_p
from linkwright.model.pose import Fixed, Pose
from linkwright.model.wrench import Wrench, as_wrenches, loaded_program, on_bodies, wrench_arguments
from linkwright.plans.rank import Rank, RedundantEquation
from linkwright.plans.scales import Scales
from linkwright.readable_text import Description, Printable, RecordTable, described_table

Array = np.ndarray
Wrenches = ArrayLike | Mapping[str, ArrayLike] | Wrench | Sequence[Wrench]
DIAGNOSED = (
    "inverse_kinematics",
    "forward_kinematics",
    "inverse_dynamics",
    "forward_dynamics",
    "singularity",
    "regressor",
)


# Calls of a method before its compiled function gets an entry point of its own, which takes a while to compile.
_FIRST_CALLS = 10

# Models at other values whose first state is looked at: one that does not close its loops belongs to another design.
_LOOKED_AT = 8


class Model(Printable):
    """Kinematics and dynamics of one mechanism. Every function takes one state or any leading batch axes.

    A single state with NaN or a wrong shape raises, in a batch such a row gives a row of NaN. Quaternions w x y z in q
    count by their direction; a norm off by more than 1e-3 is refused in the same way. Twists are [angular; linear],
    wrenches [moment; force].

    Attributes:
        nq, nv, na: numbers of coordinates, velocities and actuators.
        q_names, v_names: names of the coordinates and velocities.
        actuated: names of the actuators, in the order of tau; `actuators` has a record of each.
        bodies: names of the moving bodies, in the order of w_ext.
        setup: spanning trees, closure equations, driven velocities and inputs, all at the nominal values.
        kernels: compiled functions of the tree, by name; closure equations are all there, as the file draws them.
        kinematics: closed configurations, independent equations and velocities; needs no masses.
        dynamics: elimination orders and kernels of accelerations and efforts.
        cache: what was found out about the model, made when first needed; other packages keep theirs here too.
        fast_calls: compiled code that took the place of methods, by name (`model.fast_calls`).
    """

    def __init__(
        self,
        mech: Mechanism,
        actuated: tuple[str, ...] | None,
        grouping: bool,
        sharing: Sharing,
        alternative_trees: bool,
        inputs: tuple[str, ...] = (),
    ) -> None:
        self._arguments = (mech, actuated, grouping, sharing, alternative_trees, inputs)
        self.sharing = sharing
        given = nominal_inputs(mech, inputs) if inputs else None
        self.kernels = Kernels(setup(mech, actuated, grouping, alternative_trees, given))
        self.kinematics = Kinematics(self.kernels)
        self.dynamics = Dynamics(self.kinematics)
        self.cache: Cache = self.kinematics.cache
        self.setup = self.kernels.setup
        self.nq, self.nv = self.setup.tree.nq, self.setup.tree.nv
        self.q_names, self.v_names = (part_names(mech.joints, speeds) for speeds in (False, True))
        self.actuated = self.setup.actuated
        self.na, self.bodies = len(self.actuated), mech.names
        self.fast_calls: dict[str, Callable[..., Any]] = {}
        self._early_calls: dict[str, FastCall] = {}
        self._make_calls()

    def _make_calls(self) -> None:
        """The calls of the fast path that compiled code may take later on."""
        for name in FAST_METHODS:
            if not self._is_overridden(name):
                method = getattr(Model, name)
                general = general_of(method) if self.setup.inputs is None else method  # which takes p
                call = FastCall(name, described_call(method), functools.partial(general, self))
                self._early_calls[name], self.__dict__[name] = call, call.call

    def _is_overridden(self, name: str) -> bool:
        return getattr(type(self), name) is not getattr(Model, name)

    def __reduce__(self) -> tuple[Callable[..., Model], tuple[object, ...]]:
        inputs = self.setup.inputs
        values = None if inputs is None else inputs.given
        return _unpickle_model, (type(self), self._arguments, values, self._more_attributes())

    def _more_attributes(self) -> dict[str, Any]:
        """Attributes that a subclass gave the model."""
        return {name: x for name, x in self.__dict__.items() if name not in _ATTRIBUTES and not hasattr(Model, name)}

    @cached_property
    def mechanism(self) -> Mechanism:
        """The mechanism, at the values of the inputs that the model has."""
        inputs = self.setup.inputs
        return self.setup.mech if inputs is None else inputs.mechanism

    @property
    def setup_here(self) -> Setup:
        """The setup with the numbers of the values of the inputs that the model has; `setup` has the nominal ones."""
        return self.kernels.here

    @property
    def has_loops(self) -> bool:
        """True if the mechanism has loops or couplings."""
        return self.kinematics.has_closure

    @property
    def scales(self) -> Scales:
        """Typical sizes: a length [m] of the mechanism, and a unit of each velocity and closure equation."""
        return self.kinematics.scales

    @property
    def closure_rank(self) -> Rank:
        """The closure equations that are independent along the home pose's branch, and those that repeat others."""
        return self.kinematics.rank

    @property
    def loop_kernels(self) -> Kernels[Setup]:
        """Compiled functions with the closure equations that count: all but those that repeat others and disagree with
        them by rounding; `kernels` have these too."""
        return self.kinematics.all_rows

    @property
    def nominal_cache(self) -> Cache:
        """What was found out about the model that serves all values of its inputs."""
        return (self.kinematics.nominal or self.kinematics).cache

    @cached_property
    def actuators(self) -> tuple[ModelActuator, ...]:
        """The actuators in the order of tau, each with joint, unit, range, speed, effort, gear, rotor and friction.

        >>> import linkwright as lw
        >>> [(x.name, x.joint, x.unit) for x in lw.build(lw.catalog.load("five-bar")).actuators]
        [('motor1', 'theta1', 'rad'), ('motor2', 'theta2', 'rad')]
        """
        return RecordTable(actuator_records(self.setup, self.mechanism))

    @cached_property
    def parameters(self) -> Parameters:
        """The inputs named in `build(mech, inputs=[...])`: names, values, units and uses, in the order of p."""
        return Parameters(self.setup.inputs)

    def with_parameters(self, values: ArrayLike | Mapping[str, float] | None = None, /, **named: float) -> Model:
        """The model at other values of its inputs, [SI]; nothing is planned or compiled again.

        Args:
            values: a dictionary by name or path, or all values in the order of `parameters`, (n_p,).
            named: values by name.

        Rank, elimination orders and branch are those of the nominal values; values at which more closure equations are
        independent are refused when that is first needed. Loops are closed again from the nominal
        home when that is first needed; where they cannot close, this raises `AssemblyError`. A length that is not above
        zero, or a hundred times longer or shorter than in the file, gives a `ParameterWarning`; so does a state that
        is not closed at these values, if it is the first that one of the first models is given.
        """
        if values is not None and not isinstance(values, Mapping):
            if named:
                raise ArgumentError(f"all parameters are given as an array, and {list(named)} again by name")
            other = self._at(values, one_set=True)
        else:
            other = self._at(self.parameters.array(values, **named), one_set=True)
        seen = self._models_looked_at()
        if len(seen) < _LOOKED_AT:
            seen.append(None)
            other.__dict__["_unseen"] = True
        inputs: Any = other.kernels.setup.inputs
        warn_of_lengths(self.setup.mech.name, inputs.source.doubtful_lengths(inputs.values))
        return other

    @memo()
    def _models_looked_at(self) -> list[None]:
        """One entry for each of the first models at other values; it is filled as they come."""
        return []

    def _at(self, p: ArrayLike, one_set: bool = False) -> Model:
        """The model at values p of its inputs; (..., n_p) where every state has its own."""
        inputs = self.setup.inputs
        if inputs is None:
            raise ArgumentError(
                f"values of parameters are given, and the model of '{self.mechanism.name}' has no inputs; name them in "
                "build(mech, inputs=[...])"
            )
        values = checked_values(inputs.source, p)
        values.setflags(write=False)
        other = object.__new__(type(self))
        if type(self) is not Model:
            other.__dict__.update(self._more_attributes())
        for name in ("_arguments", "sharing", "nq", "nv", "q_names", "v_names", "actuated", "na", "bodies"):
            other.__dict__[name] = self.__dict__[name]
        other.kernels = self.kernels.at(values)
        other.setup = other.kernels.setup
        if one_set:
            other.setup.require_one_p()
        kinematics = self.kinematics
        other.kinematics = Kinematics(other.kernels, Cache(), kinematics.nominal or kinematics)
        other.dynamics = Dynamics(other.kinematics, self.dynamics.nominal or self.dynamics)
        other.cache = other.kinematics.cache
        other.fast_calls, other._early_calls = {}, {}
        other.__dict__["_rank_holds"] = False  # not looked at yet
        return other

    def _headline(self) -> Description:
        """Name and sizes."""
        sizes = (("nq", self.nq), ("nv", self.nv), ("na", self.na))
        return Description(f"'{self.setup.mech.name}'", tuple((name, str(n)) for name, n in sizes))

    def _describe(self) -> Description:
        """Sizes, mobility and inputs, actuators, and what the mechanism says of itself."""
        facts = [*self._headline().facts]
        try:
            facts.append(("mobility", str(self.mobility)))
        except LinkwrightError as error:
            facts.append(("mobility", f"unknown, because {error}"))
        if self.parameters.names:
            facts.append(("inputs", ", ".join(self.parameters.names)))
        rows = [[x.name, x.joint, x.unit] for x in self.actuators]
        actuators = described_table("Actuators", dict.fromkeys(("actuator", "joint", "of"), ""), rows)
        mechanism = describe_mechanism(self.mechanism)
        return Description(f"Model of {mechanism.title}", (*facts, *mechanism.facts), (actuators,))

    def _repr_html_(self) -> str:
        """A table and the mechanism in motion, for notebooks."""
        return function_at_path("linkwright.viewer.cards:model_card")(self)

    def with_inertias(self, inertias: Mapping[str, Inertia]) -> Model:
        """The same mechanism with other mass properties of the named bodies.

        Where all numbers that change are inputs of the model, this is `with_parameters`; else it is compiled again.
        """
        mech = arguments.replace_inertias(self.mechanism, inertias)
        if self.setup.inputs is not None:
            before = self.mechanism.numbers
            changed = {path: x.value for path, x in mech.numbers.items() if x != before[path]}
            if changed.keys() <= set(self.parameters.names):
                return self.with_parameters(changed)
        return Model(mech, *self._arguments[1:])

    @cached_property
    def independent(self) -> tuple[str, ...]:
        """Names of the independent velocities: the actuated ones when they qualify; in a tree all of them."""
        require_nominal_rank(self.kinematics, "independent velocities")
        return tuple(self.v_names[i] for i in self.independent_indices)

    @property
    def independent_indices(self) -> tuple[int, ...]:
        """Indices in v of the independent velocities."""
        return self.kinematics.independent

    @with_p(one_set=True)
    def assemble(
        self, guess: ArrayLike | None = None, fixed: Mapping[str, float] | None = None, guesses: int = 128
    ) -> Configuration:
        """A configuration with every loop closed, near `guess` (nq,) or home, with the coordinates in `fixed` held.

        When the first start does not close, `guesses` random ones are tried.
        """
        start = None if guess is None else self._coordinates("guess", guess)
        held = arguments.fixed_coordinate_indices("fixed", {} if fixed is None else fixed, self.q_names)
        warn_of_turned_coordinates(self.setup, {**dict(enumerate(() if start is None else start)), **held})
        return assemble_near_guess(
            self.kinematics,
            start,
            held,
            arguments.require_start_count("guesses", guesses),
        )

    @with_p(one_set=True)
    def assembly_modes(
        self, q_act: ArrayLike, guesses: int = 512, confidence: float | None = None
    ) -> list[Configuration]:
        """All assembly modes found for the actuator positions q_act (na,), nearest to home first.

        Args:
            guesses: random starts. confidence: below 1, for example 0.999: further rounds of as many starts follow, 64
                at most, until the expected share of starts that lead to a mode not found yet is at most 1 - confidence.
        """
        given = require_vector("q_act", q_act, self.na)
        warn_of_many_turns(self.setup, given)
        return find_assembly_modes(
            self.kinematics,
            given,
            arguments.require_start_count("guesses", guesses),
            None if confidence is None else arguments.require_share("confidence", confidence),
        )

    @with_p(one_set=True)
    def follow(self, path: ArrayLike, start: ArrayLike) -> Array:
        """Closed coordinates (n, nq) along a path of actuator positions (n, na) that stays on the branch of start."""
        from linkwright.kinematics.forward_kinematics import follow_actuator_path

        path = arguments.require_rows("path", path, self.na)
        warn_of_many_turns(self.setup, path)
        return follow_actuator_path(self.kinematics, path, self._coordinates("start", start))

    @with_p()
    def forward_kinematics(
        self,
        q_act: ArrayLike,
        v_act: ArrayLike | None = None,
        a_act: ArrayLike | None = None,
        near: ArrayLike | Literal["previous"] | None = None,
    ) -> tuple[Array, Array, Array]:
        """All coordinates, velocities and accelerations from those of the actuators, in the assembly mode of `near`.

        Args:
            q_act, v_act, a_act: (..., na); rates are zero when left out.
            near: closed coordinates to start from, (nq,), or (..., nq) for every row its own; None starts from home;
                "previous" starts each row along the last leading axis from the one before, the first from home.

        Every row goes the straight way from its start, through legs that stretch or fold (type 1) and not through type
        2 singularities. A row that is not reached is NaN, with a `BatchWarning`; a single state raises.
        """
        return self._answer_batch(self._forward_kinematics(q_act, v_act, a_act, near), "forward_kinematics")

    def _forward_kinematics(
        self, q_act: Any, v_act: Any = None, a_act: Any = None, near: Any = None
    ) -> KinematicsResult:
        if not self.na:
            raise ArgumentError(f"mechanism '{self.mechanism.name}' names no actuators; name them in actuated=[...]")
        target, rates = (
            batch_array("q_act", q_act, self.na),
            {"v_act": (v_act, self.na), "a_act": (a_act, self.na)},
        )
        warn_of_many_turns(self.setup, target)
        return self._reach_target(None, tuple(range(self.na)), target, rates, near)

    @with_p()
    def inverse_kinematics(
        self,
        pose: Pose | tuple[ArrayLike, ArrayLike],
        twist: ArrayLike | None = None,
        twist_rate: ArrayLike | None = None,
        near: ArrayLike | Literal["previous"] | None = None,
        frame: str | None = None,
        components: Sequence[str] | None = None,
    ) -> tuple[Array, Array, Array]:
        """All coordinates, velocities and accelerations from the pose, twist and twist rate of a frame.

        Args:
            pose: origin (..., 3) [m] and quaternion w x y z (..., 4) of the frame.
            twist, twist_rate: (..., 6), world axes, at the frame's origin; zero when left out.
            near: coordinates to start from, (nq,), or (..., nq) for every row its own; None starts from home;
                "previous" starts each row along the last leading axis from the one before, the first from home.
            frame: name of a frame or body; None takes the output: the platform, else the only frame, else the last body
                of a serial chain.
            components: those of x y z rx ry rz that are given, for frames with fewer than six freedoms; what fewer
                leave open stays near the start.

        Legs keep the working modes of the start. A row that is not reached is NaN, with a `BatchWarning`; a single
        state raises; `diagnose` lists failed rows.
        """
        return self._answer_batch(
            self._inverse_kinematics(pose, twist, twist_rate, near, frame, components), "inverse_kinematics"
        )

    def _inverse_kinematics(
        self,
        pose: Any,
        twist: Any = None,
        twist_rate: Any = None,
        near: Any = None,
        frame: str | None = None,
        components: Any = None,
    ) -> KinematicsResult:
        output, picked = (
            arguments.require_output_frame(self.setup.mech, frame),
            arguments.component_rows(components),
        )
        rates = {"twist": (twist, 6), "twist_rate": (twist_rate, 6)}
        target = arguments.pose_array(pose)
        return self._reach_target(output, tuple(picked), target, rates, near, arguments.wrong_norms(pose, target))

    def _reach_target(
        self,
        frame: str | None,
        components: tuple[int, ...],
        target: Array,
        rates: Mapping[str, tuple[Any, int]],
        near: Any,
        norms: Array | None = None,
    ) -> KinematicsResult:
        """Kinematics from a checked target and rates (names to values and last sizes)."""
        given = [None if x is None else batch_array(name, x, size) for name, (x, size) in rates.items()]
        previous = isinstance(near, str)
        if previous:
            require_choice("near", near, ("previous",))
        start = None if near is None or previous else self._states(near, "near")
        every = [target, *given, start, self.setup.p]
        lead = arguments.leading_axes(["target", *rates, "near", "p"], every)
        rate, acceleration = given
        wanted = KinematicsQuery(lead, frame, components, target, rate, acceleration, norms)
        return kinematics_of(self.kinematics, wanted, start, previous)

    def _answer_batch(self, found: KinematicsResult, function: str) -> tuple[Array, Array, Array]:
        if found.failures:
            report_failures(function, self.setup.mech.name, found.failures)
        return found.q, found.v, found.a

    @with_p(one_set=True)
    def working_modes(
        self,
        pose: Pose | tuple[ArrayLike, ArrayLike],
        guesses: int = 512,
        frame: str | None = None,
        components: Sequence[str] | None = None,
    ) -> list[Configuration]:
        """One configuration for each set of actuator positions that holds a frame at a pose: all working modes.

        Args:
            pose: origin (3,) [m] and quaternion w x y z (4,) of the frame.
            guesses: random starts of each leg.
            frame: a frame or body; None takes the output as `inverse_kinematics` does.
            components: those of x y z rx ry rz that are given; None for all.

        Legs are solved one by one and their solutions combined, nearest to home first; more than 1024 modes are cut
        off with a warning. Limits of the joints are not looked at: see `limits_exceeded`.
        """
        from linkwright.kinematics.working_modes import working_modes

        output, given = (
            arguments.require_output_frame(self.setup.mech, frame),
            arguments.component_rows(components),
        )
        parts = zip(arguments.origin_and_quaternion(pose), (3, 4), strict=True)
        xyz, wxyz = (require_vector("pose", part, size) for part, size in parts)
        R, starts = rotations.rotation_matrix(wxyz), arguments.require_start_count("guesses", guesses)
        return working_modes(self.kinematics, output, xyz, R, given, starts)

    @with_p()
    def actuator_positions(self, q: ArrayLike) -> Array:
        """Coordinates along which the actuators act, (..., na); angles at cut joints lie between -pi and pi."""
        return self._function(minimal_functions.actuator_positions)(self._states(q))

    @with_p()
    def actuator_velocities(self, v: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Velocities of the actuators, (..., na); q, (..., nq), is needed where one sits at a cut joint."""
        if q is None and not independent_velocities.need_coordinates(self.kinematics):
            return independent_velocities.driven_rates(self.kinematics, batch_array("v", v, self.nv))
        given = arguments.needed_at_cuts("actuator_velocities", self.setup.mech.name, q=q)
        return self._function(minimal_functions.actuator_velocities)(self._states(given["q"]), v)

    @with_p()
    def actuator_accelerations(self, a: ArrayLike, q: ArrayLike | None = None, v: ArrayLike | None = None) -> Array:
        """Accelerations of the actuators, (..., na); q and v are needed where one sits at a cut joint."""
        if q is None and v is None and not independent_velocities.need_coordinates(self.kinematics):
            return independent_velocities.driven_rates(self.kinematics, batch_array("a", a, self.nv))
        given = arguments.needed_at_cuts("actuator_accelerations", self.setup.mech.name, q=q, v=v)
        return self._function(minimal_functions.actuator_accelerations)(self._states(given["q"]), given["v"], a)

    @with_p()
    def actuator_jacobian(self, q: ArrayLike, frame: str | None = None) -> Array:
        """Jacobian J with `frame_twist` = J v_act, (..., 6, na), world axes, at the origin of a frame or body.

        Without `frame`, of the output: the platform, else the only frame, else the last body of a serial chain. At a
        singularity of type 2 a row is NaN, and a single state raises.
        """
        named = arguments.require_output_frame(self.setup.mech, frame)
        return independent_velocities.actuator_jacobian(self.kinematics, self._states(q), named)

    @with_p()
    def integrate(self, q: ArrayLike, v: ArrayLike, h: ArrayLike) -> Array:
        """Coordinates, (..., nq), after a motion from q with constant v for the time h, (...) [s].

        Quaternions stay unit. Floating joints follow a screw motion, as their velocities are constant in body axes.
        Loops are not closed again: see `project`.
        """
        time = real_array("h", h)[..., None]
        return self._function(displacement_functions.integrated)(self._states(q), v, time)

    @with_p()
    def difference(self, q0: ArrayLike, q1: ArrayLike) -> Array:
        """Velocities, (..., nv), that lead from q0 to q1 in one second: `difference(q, integrate(q, v, h))` is h v.

        Rotations of spherical and floating joints go the short way, by at most pi. Angles of other joints count as they
        are: two angles a turn apart differ by 2 pi.
        """
        return self._function(displacement_functions.difference)(self._states(q0, "q0"), self._states(q1, "q1"))

    @with_p()
    def project(self, q: ArrayLike, v: ArrayLike) -> tuple[Array, Array]:
        """Coordinates (..., nq) and velocities (..., nv) with every loop closed, nearest to the given ones.

        Distance is the sum of squares of displacements (`difference`), and of changes of v; angles count in rad,
        lengths in units of the mechanism's mean link. Rows that do not close are NaN; a single state raises.
        """
        return project_onto_loops(self.kinematics, *self._state(q, {"v": (v, self.nv)}))

    @with_p()
    def limits_exceeded(
        self, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | None = None
    ) -> tuple[limits.LimitViolation, ...] | limits.LimitRows:
        """Every limit that a state exceeds: positions and cones, speeds where v is given, efforts where tau is given.

        Joints of the tree, cut joints and actuators are looked at; a record holds code, subject, value and limit, and
        its text is a message. The effort of a joint is that of the actuator that drives it. For a batch the result is
        one `LimitRows`: values, limits and what is exceeded as arrays, and with `[row]` the records of one state.
        """
        found = self._limit_rows(q, v, tau)
        return RecordTable(found[()]) if found.exceeded.ndim == 1 else found

    @with_p()
    def limits_exceeded_along(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike
    ) -> tuple[tuple[int, int, limits.LimitViolation], ...]:
        """Per limit that a motion breaks: in how many of its rows, in which first, and the worst record.

        q is (..., nq), v is (..., nv), tau is (..., na), rows counted in their order; a row of NaN breaks no limit.
        """
        return limits.worst_exceeded(self._limit_rows(np.atleast_2d(self._states(q)), v, tau))

    def _limit_rows(self, q: ArrayLike, v: ArrayLike | None, tau: ArrayLike | None) -> limits.LimitRows:
        velocities = None if v is None else batch_array("v", v, self.nv)
        efforts = None if tau is None else batch_array("tau", tau, self.na)
        states = self._states(q)
        arguments.leading_axes(["q", "v", "tau"], [states, velocities, efforts])
        return limits.limit_rows(self.kernels, states, velocities, efforts)

    @cached_property
    def mobility(self) -> int:
        """Degrees of freedom: velocities less independent closure equations."""
        require_nominal_rank(self.kinematics, "mobility")
        return len(self.kinematics.independent)

    @cached_property
    def redundant_equations(self) -> tuple[RedundantEquation, ...]:
        """The closure equations that follow from others; with any, `joint_reactions` have least norm."""
        require_nominal_rank(self.kinematics, "redundant equations")
        return RecordTable(self.kinematics.redundancy)

    @with_p()
    def singularity(
        self, q: ArrayLike, components: Sequence[str] | None = None, length: float | None = None
    ) -> Singularity:
        """Distance of configurations from singularities of type 1, type 2 and of the constraints: 0 there, 1 at best.

        Args:
            q: closed coordinates, (..., nq); the fields of the result have the leading axes.
            components: those of x y z rx ry rz of the platform (of a serial arm's last body) that are its output;
                None takes its translation where that has all of its freedoms, else the whole twist.
            length: characteristic length [m] that compares turning with sliding; None takes the mechanism's mean arm.
        """
        picked = None if components is None else arguments.component_rows(components)
        unit = None if length is None else require_positive("length", length)
        return measure_singularity(self.kinematics, self._states(q), generic_ranks(self.kinematics, picked, unit))

    @with_p()
    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        w_ext: Wrenches | None = None,
        out: Array | None = None,
        formulation: Formulation | None = None,
        undriven: Literal["refuse", "free"] = "refuse",
        *,
        check: bool = False,
    ) -> Array:
        """Efforts tau (..., na) of the actuators, [N m or N], at the joint after the gear, that produce a.

        Idle freedoms and a floating base carry no effort: their accelerations follow from the dynamics, whatever `a`
        says there, with a MotionWarning where it says something else.

        Args:
            q, v, a: state and acceleration, (..., nq), (..., nv), (..., nv). out: array that takes the result.
            w_ext: wrench on each body at its origin in its frame, (..., n_bodies, 6) or {body: wrench}, or `Wrench`
                records, one or a list.
            undriven: "free" treats all other freedoms without an actuator in the same way; "refuse" does not.
            check: refuse a q that leaves a loop open; else q is taken as given, and `closure_residual` shows the gaps.
        """
        if require_option_flag("check", check):
            self._require_closed(q)
        free = require_choice("undriven", undriven, ("refuse", "free"))
        if w_ext is None and formulation is None and free == "refuse":
            return self._fast("inverse_dynamics")(q, v, a, out=out)
        outer = () if w_ext is None else (self._wrenches(w_ext, q),)
        efforts = self._reporting("inverse_dynamics", self._method(formulation).efforts(bool(outer), free))
        return arguments.write_to_out(out, efforts(self._states(q), v, a, *outer))

    def _wrenches(self, w_ext: Wrenches, q: ArrayLike) -> Any:
        """Wrenches (..., n_bodies, 6) at states q, each body's at its origin in its frame."""
        found = as_wrenches("w_ext", w_ext)
        if found is None:
            return arguments.external_wrenches(w_ext, self.bodies)
        return on_bodies(self.mechanism, found, lambda body: self.frame_pose(q, body).rotation)

    @with_p()
    def regressor(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, undriven: Literal["refuse", "free"] = "refuse"
    ) -> Array:
        """Regressor Y of the efforts, tau = Y theta, (..., na, n_theta).

        theta are the numbers that efforts are linear in, `regressor_parameters`: ten inertial parameters per body,
        friction, rotors, springs, and offsets of the actuators; Y depends on the geometry and the motion alone. More
        actuators than freedoms: Y theta are the efforts of least norm, and columns of offsets project on them.
        Freedoms that nobody drives have the accelerations that follow from the dynamics of the model, as for
        `inverse_dynamics`.

        Args:
            q, v, a: state and acceleration, (..., nq), (..., nv), (..., nv).
            undriven: "free" leaves all freedoms free that have no actuator; "refuse" only idle ones and a floating
                base.

        >>> import linkwright as lw
        >>> model = lw.build(lw.catalog.load("five-bar"))
        >>> q, v, a = model.forward_kinematics([2.0, 1.0], [1.0, -0.5], [3.0, 2.0])
        >>> Y = model.regressor(q, v, a)
        >>> bool(np.allclose(Y @ model.regressor_parameters.values, model.inverse_dynamics(q, v, a)))
        True
        """
        free = require_choice("undriven", undriven, ("refuse", "free"))
        return self._regressor(free)(self._states(q), v, a)

    @memo()
    def _regressor(self, undriven: str) -> Callable[..., Array]:
        return self._reporting("regressor", regressor_function(self.dynamics, undriven))

    @cached_property
    def regressor_parameters(self) -> RegressorParameters:
        """Names, units and values of theta, in the order of the columns of `regressor`."""
        return RegressorParameters(dynamic_parameters(self.setup_here))

    @with_p()
    def generalized_forces(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, w_ext: Wrenches | None = None) -> Array:
        """Tree forces along every velocity that produce a, (..., nv), whatever is actuated.

        With loops: of the tree that is left when they are cut. What springs, friction and rotors take at cut joints is
        in it, carried to the tree's velocities; so it is in `bias_forces`, and their rotors in `mass_matrix`.
        """
        outer = () if w_ext is None else (self._wrenches(w_ext, q),)
        return self._function(tree_functions.generalized_forces, wrench=bool(outer))(q, v, a, *outer)

    @with_p()
    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        w_ext: Wrenches | None = None,
        out: Array | None = None,
        formulation: Formulation | None = None,
        *,
        check: bool = False,
    ) -> Array:
        """Accelerations a, (..., nv), that the actuators' efforts tau (..., na) produce, by multipliers by default."""
        if require_option_flag("check", check):
            self._require_closed(q)
        if w_ext is None and formulation is None:
            return self._fast("forward_dynamics")(q, v, tau, out=out)
        outer = () if w_ext is None else (self._wrenches(w_ext, q),)
        accelerations = self._reporting("forward_dynamics", self._method(formulation).accelerations(bool(outer)))
        return arguments.write_to_out(out, accelerations(self._states(q), v, tau, *outer))

    @with_p()
    def joint_reactions(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        tau: ArrayLike | None = None,
        w_ext: Wrenches | None = None,
        *,
        check: bool = False,
    ) -> dict[str, Array]:
        """Wrench of parent on child at each joint, cut ones too: {joint: (..., 6)}, at the joint, in child axes.

        q is taken as given, open loops too; with check=True a q that leaves a loop open is refused.
        """
        if require_option_flag("check", check):
            self._require_closed(q)
        outer = None if w_ext is None else real_array("w_ext", self._wrenches(w_ext, q))
        efforts = None if tau is None else batch_array("tau", tau, self.na)
        q, v, a = self._state(q, {"v": (v, self.nv), "a": (a, self.nv)})
        return reactions.reactions_of_motion(self.dynamics, self.sharing, q, v, a, efforts, outer)

    @with_p()
    def closure_residual(self, q: ArrayLike) -> Array:
        """The gap of every closure equation, (..., rows), [m, or sine of an angle]."""
        return self._function(closure_functions.closure_residual)(self._states(q))

    @with_p()
    def closure_jacobian(self, q: ArrayLike) -> Array:
        """Derivative of `closure_residual` along v at any q, closed or not, (..., rows, nv)."""
        return self._function(closure_functions.exact_closure_jacobian)(self._states(q))

    @with_p()
    def independent_map(self, q: ArrayLike) -> Array:
        """R with v = R v_ind, (..., nv, n_ind)."""
        return independent_velocities.independent_velocity_map(self.kinematics, self._states(q))

    @with_p()
    def minimal_inertia(self, q: ArrayLike) -> Array:
        """Inertia of the independent velocities, R^T inertia R, (..., n_ind, n_ind)."""
        return independent_velocities.inertia_on_independent_velocities(self.kinematics, self._states(q))

    @with_p()
    def mass_matrix(self, q: ArrayLike) -> Array:
        """Generalized inertia matrix of the tree, rotors at cut joints included, (..., nv, nv)."""
        return self._fast("mass_matrix")(q)

    @with_p()
    def convective_matrix(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Matrix C with C v the velocity terms and inertia rate minus 2 C skew, (..., nv, nv)."""
        return self._fast("convective_matrix")(q, v)

    @with_p()
    def bias_forces(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Forces at zero acceleration: velocity terms, gravity, springs, friction, also at cut joints, (..., nv)."""
        return self._fast("bias_forces")(q, v)

    @with_p()
    def gravity_forces(self, q: ArrayLike) -> Array:
        """Forces that hold the tree still against gravity, (..., nv)."""
        return self._fast("gravity_forces")(q)

    @with_p()
    def udu(self, q: ArrayLike) -> tuple[Array, Array]:
        """Factors U (..., nv, nv) and D (..., nv) of the inertia, U diag(D) U^T, by reverse Gaussian elimination."""
        return self._fast("udu")(q)

    @with_p()
    def energy(self, q: ArrayLike, v: ArrayLike, formulation: Formulation | None = None) -> tuple[Array, Array]:
        """Kinetic and potential energy (gravity, springs; those of a `VirtualSprings` formulation too), [J]."""
        if formulation is None:
            both = self._function(tree_functions.energies)(q, v)
        else:
            both = self._method(formulation).energy()(self._states(q), v)
        return both[..., 0], both[..., 1]

    @with_p()
    def momentum(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Angular momentum about the world's origin and linear momentum, (..., 6), world axes."""
        return self._fast("momentum")(q, v)

    @with_p()
    def center_of_mass(self, q: ArrayLike) -> Array:
        """Mass center of the moving bodies, (..., 3), [m]."""
        arguments.require_mechanism_mass(self.setup.mech)
        return self._function(tree_functions.center_of_mass)(q)

    @with_p()
    def frame_pose(self, q: ArrayLike, frame: str) -> Pose:
        """Origin (..., 3) [m] and unit quaternion w x y z (..., 4) of a frame or body in the world."""
        return Pose(*self._function(tree_functions.frame_quaternion, frame=require_text("frame", frame))(q))

    @with_p()
    def body_poses(self, q: ArrayLike) -> Pose:
        """Origin (..., n_bodies, 3) [m] and unit quaternion w x y z (..., n_bodies, 4) of every body in the world."""
        return Pose(*self._function(tree_functions.body_quaternions)(q))

    @with_p()
    def frame_twist(self, q: ArrayLike, v: ArrayLike, frame: str) -> Array:
        """Twist of a frame or body, (..., 6), world axes, at its origin."""
        return self._function(tree_functions.frame_twist, frame=require_text("frame", frame))(q, v)

    @with_p()
    def frame_acceleration(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, frame: str) -> Array:
        """Angular acceleration and acceleration of the origin of a frame or body, (..., 6), world axes."""
        return self._function(tree_functions.frame_twist_rate, frame=require_text("frame", frame))(q, v, a)

    @with_p()
    def frame_jacobian(self, q: ArrayLike, frame: str) -> Array:
        """Jacobian J with frame_twist = J v, (..., 6, nv)."""
        return self._function(tree_functions.frame_jacobian, frame=require_text("frame", frame))(q)

    @with_p()
    def frame_jacobian_rate(self, q: ArrayLike, v: ArrayLike, frame: str) -> Array:
        """Rate of the frame's Jacobian, frame_acceleration = J a + J_dot v, (..., 6, nv)."""
        return self._function(tree_functions.frame_jacobian_rate, frame=require_text("frame", frame))(q, v)

    @with_p()
    def inverse_dynamics_derivatives(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> tuple[Array, Array, Array]:
        """Derivatives by displacements, velocities and accelerations: of a tree's `generalized_forces`, (..., nv, nv);
        with loops, kept closed, of the efforts by those of the independent velocities, (..., na, n_ind)."""
        return self._fast("inverse_dynamics_derivatives")(q, v, a)

    @with_p()
    def forward_dynamics_derivatives(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> tuple[Array, Array, Array]:
        """Derivatives of `forward_dynamics` by displacements, velocities (..., nv, nv) and tau (..., nv, na); with
        loops, kept closed, by independent displacements and velocities, (..., nv, n_ind)."""
        return self._fast("forward_dynamics_derivatives")(q, v, tau)

    @with_p()
    def linearize(self, q: ArrayLike, v: ArrayLike, tau: ArrayLike) -> tuple[Array, Array]:
        """A (..., 2 n, 2 n) and B (..., 2 n, na) of d/dt x = A x + B d tau about a state.

        x holds n independent displacements and changes of velocity; of spherical and floating joints in body axes.
        """
        return independent_velocities.linear_model(
            self.dynamics, *self._state(q, {"v": (v, self.nv), "tau": (tau, self.na)})
        )

    @with_p()
    def parameter_jacobian(
        self,
        function: str,
        *given: ArrayLike | str | Mapping[str, ArrayLike],
        fixed: Fixed = "actuators",
        weights: ArrayLike | tuple[ArrayLike, ...] | Mapping[str, ArrayLike] | None = None,
        **named: ArrayLike | str | Mapping[str, ArrayLike] | None,
    ) -> Array | tuple[Array, ...] | dict[str, Array] | Singularity:
        """Exact derivatives of a function by the inputs of the model, in the order of `parameters`.

        Args:
            function: its name, for example "inverse_dynamics".
            given, named: its arguments; q has to close the loops, and v and a to keep them closed.
            fixed: what stays while an input changes. "actuators": their positions, velocities and accelerations (of
                those that repeat each other the first ones); all other coordinates, velocities and accelerations
                follow, so that the loops stay closed (freedoms that nobody drives are held too). "pose": that of the
                output, its twist and twist rate; the actuators follow. `FixedPose(frame, components)` names another
                frame or some components. "state": q, v and a themselves; in a tree the actuators are the state.
            weights: numbers in the shape of the function's result; the derivatives of the sum of weights times results
                are returned, (..., n_p), by one sweep back, whose cost does not depend on the number of inputs.

        Returns:
            Derivatives (..., shape of the result, n_p), of several results one by one; of `frame_pose` [angular;
            linear] in world axes, (..., 6, n_p); of `singularity` a record of the derivatives of its
            measures, NaN
            where a singular value is multiple. Inputs that alone would open the loops of an overconstrained mechanism
            have NaN there, with a ParameterWarning.
        """
        from linkwright.model import gradients

        if require_text("function", function) == "singularity":
            if weights is not None:
                raise ArgumentError("singularity has measures by name and takes no weights; leave them out")
            return gradients.singularity_changes(Model, self, fixed, given, named)
        if weights is not None and not named and isinstance(function, str):
            known, key = self._compiled_gradients(), (function, len(given), gradients.label_of_fixed(fixed))
            if key not in known:
                known[key] = gradients.compiled_gradient(Model, self, function, len(given), fixed)
                general = functools.partial(general_of(Model.parameter_jacobian), self)
                self._replace("parameter_jacobian", gradients.looking_up(known, general))
            if known[key] is not None:
                return known[key].code(*given, weights, known[key].early_results)
        found = gradients.bind_arguments(Model, self, function, given, named, fixed)
        return (
            gradients.jacobian_by_inputs(self, found)
            if weights is None
            else gradients.gradient_by_inputs(self, found, weights)
        )

    @memo()
    def _compiled_gradients(self) -> dict[tuple[Any, ...], Any]:
        """Code of functions with so many arguments and something held; it is filled as they are asked for."""
        return {}

    @with_p()
    def assembly_sensitivity(self, q: ArrayLike, fixed: Fixed = "actuators") -> Array:
        """Derivatives of the coordinates by the inputs with the actuators' positions held and the loops closed.

        Tangent displacements, (..., nv, n_p), in the order of `v_names` and of `parameters`; zero for a tree. With
        fixed="pose" (or a `FixedPose`) the pose of the output stays, and the actuators follow.
        """
        from linkwright.model import gradients

        states = self._states(q)
        if not len(self.parameters):
            return np.zeros((*states.shape[:-1], self.nv, 0))
        found = gradients.jacobian_by_inputs(self, gradients.bind_arguments(Model, self, "assembly", (q,), {}, fixed))
        return np.asarray(found)

    def diagnose(
        self, function: str, /, *given: object, p: ArrayLike | None = None, **named: object
    ) -> tuple[Failure, ...]:
        """Rows that a function cannot compute, each with its index, a code and the reason; () where it computes all.

        Args:
            function: "inverse_kinematics", "forward_kinematics", "inverse_dynamics", "forward_dynamics", "regressor"
                or "singularity".
            given, named, p: what the function is called with.

        The function is called again; nothing of it is stored in the model. Dynamics are then computed row by row where
        they failed.

        >>> import linkwright as lw
        >>> arm = lw.build(lw.catalog.load("puma-560"))
        >>> origins, upright = [[0.4, 0.1, 0.3], [4.0, 0.0, 0.0]], [1.0, 0.0, 0.0, 0.0]
        >>> [(row.row, row.code) for row in arm.diagnose("inverse_kinematics", (origins, upright))]
        [(1, 'out-of-reach')]
        """
        require_choice("function", function, DIAGNOSED)
        state = arguments.named_arguments(getattr(Model, function), given, named)
        if p is not None:
            try:
                return self._at(p).diagnose(function, **state)
            except ArgumentError as error:
                return (Failure((), "bad-parameters", str(error)),)
        try:
            with withheld_warnings(BatchWarning):
                if function.endswith("_kinematics"):
                    return RecordTable(all_records(getattr(self, f"_{function}")(**state).failures))
                result = getattr(self, function)(**state)
        except LinkwrightError as error:
            return (Failure((), error.findings[0].code, str(error)),)
        numbers = np.asarray(result.constraint if isinstance(result, Singularity) else result[..., 0])
        numbers = numbers.sum(axis=-1) if function == "regressor" else numbers
        bad, lead = np.flatnonzero(np.isnan(numbers)).tolist(), numbers.shape
        arrays = arguments.as_arrays(state, self.bodies)
        return RecordTable(self._diagnose_row(function, arrays, batch_index(row, lead), lead) for row in bad)

    def _diagnose_row(self, function: str, state: Mapping[str, Any], row: Any, lead: tuple[int, ...]) -> Failure:
        """Why one row of a batch fails: the error of that state alone."""
        values, own = self.setup.p_over(lead), arguments.row_of(state, row, lead)
        bad = [name for name, x in own.items() if isinstance(x, np.ndarray) and not np.isfinite(x).all()]
        if bad:
            return Failure(row, "not-finite", f"{' and '.join(bad)} of this row do not hold finite numbers only")
        wrong = [unit for unit in self.setup.units if not is_unit(unit, own["q"])]
        if wrong:
            return Failure(row, "quaternion-norm", not_unit(wrong[0], "q", own["q"]))
        alone = self
        try:
            if values is not None:
                alone = self._at(values[row])
        except ArgumentError as error:
            return Failure(row, "bad-parameters", str(error))
        try:
            getattr(alone, function)(**own)
        except LinkwrightError as error:
            return Failure(row, error.findings[0].code, str(error))
        return Failure(row, "singular", "it has no result in the batch, and one alone: it stands near a singularity")

    def program(
        self,
        name: str,
        *,
        inputs: bool = False,
        frame: str | None = None,
        wrenches: Sequence[str | Wrench] = (),
    ) -> Program:
        """The traced program of a named function, for `linkwright.export.c_source` and other exports.

        `inputs`: the numbers named in `build(mech, inputs=[...])` are its last argument, p; else it has their values.
        `frame`: the frame or body of functions that depend on one. `wrenches`: bodies and frames on which external
        wrenches act, each an argument of its own, w_NAME, moment and force (6,) at its origin in its axes; a `Wrench`
        stands for another point or world axes, its force and moment do not count.
        """
        frame = None if frame is None else require_text("frame", frame)
        kernels, definition = locate_public_function(self.dynamics, require_text("name", name), frame)
        if sites := wrench_arguments(self.mechanism, wrenches):
            return loaded_program(kernels, definition, sites, frame, require_option_flag("inputs", inputs))
        if require_option_flag("inputs", inputs):
            return kernels.input_program(definition, frame=frame)
        return kernels.program(definition, frame=frame)

    def operation_count(self, name: str) -> OpCount:
        """Exact operations of one call of a named function, for example "inverse_dynamics"."""
        return operation_count(self.program(name))

    def _coordinates(self, title: str, q: Any) -> Array:
        """One set of coordinates, (nq,), finite, with unit quaternions."""
        return arguments.unit_quaternions(title, require_vector(title, q, self.nq), self.setup.units)

    def _states(self, q: Any, title: str = "q") -> Array:
        """Coordinates with any leading axes, (..., nq), with unit quaternions; rows too far from them are NaN."""
        return arguments.unit_quaternions(title, batch_array(title, q, self.nq), self.setup.units)

    def _state(self, q: Any, more: Mapping[str, tuple[Any, int]]) -> list[Array]:
        """Coordinates and further arrays (name to value and last size) with their leading axes made equal."""
        return broadcast_parts({"q": (self._states(q), self.nq), **more})

    def _require_closed(self, q: Any) -> None:
        """Refuse coordinates that leave a loop open."""
        self.setup.require_one_p()
        require_closed_loops(self.kinematics, self._states(q).reshape(-1, self.nq))

    def _warn_of_open_loops(self, function: str, *given: Any, **named: Any) -> None:
        """Warn of coordinates of another design in the arguments of a function, where the model stands at others."""
        q = named.get("q", next((x for x in given if not isinstance(x, str)), None))
        if not self.kinematics.has_closure or q is None:
            return
        try:
            states = self._states(q)
        except ArgumentError:
            return  # the function itself refuses it
        warn_of_open_loops(self.kinematics, function, states)

    def _at_nominal_rank(self, function: str, given: tuple[Any, ...], named: dict[str, Any]) -> tuple[Any, Any]:
        """The arguments of a function, rows of q NaN at values of the inputs at which more closure equations count."""
        place = next((i for i, x in enumerate(given) if not isinstance(x, str)), None)
        q = named["q"] if "q" in named else None if place is None else given[place]
        if q is None or not has_nominal_rank(self.kinematics):
            self.__dict__["_rank_holds"] = True
            return given, named
        try:
            states = self._states(q)
            arguments.leading_axes(["q", "p"], [states, self.setup.p])
        except ArgumentError:
            return given, named  # the function itself refuses it
        sound = rows_of_nominal_rank(self.kinematics, function, states)
        self.__dict__["_rank_holds"] = sound is states
        if sound is states:
            return given, named
        if "q" in named:
            return given, named | {"q": sound}
        return (*given[:place], sound, *given[place + 1 :]), named  # type: ignore[operator]

    def _method(self, formulation: Formulation | None = None) -> DynamicsMethod:
        return method_of_formulation(
            arguments.require_formulation(formulation) or Multipliers(), self.dynamics, self.sharing
        )

    def _normalizing(self, function: Callable[..., Any]) -> Callable[..., Any]:
        """The function of q and more; quaternions are seen to before, where compiled code does not do that itself."""
        by_itself = not self.setup.units or not self.kinematics.has_closure
        return function if by_itself else lambda q, *more, **named: function(self._states(q), *more, **named)

    def _fast(self, name: str) -> Callable[..., Any]:
        """The function behind a method of the fast path. Compiled code takes the method's place after some calls, so
        that nothing of this class runs in between; calls with options come back to the method."""
        found = self._code_behind(name)
        if isinstance(found, InputKernel) or (isinstance(found, Kernel) and found.calls > _FIRST_CALLS):
            return self._replace(name, found)
        return found

    @memo()
    def _code_behind(self, name: str) -> Callable[..., Any]:
        """The function behind a method of the fast path; compiled code has the method's text and hands options back."""
        found = FAST_METHODS[name](self)
        if isinstance(found, Scattered):
            return found
        if not isinstance(found, Kernel | InputKernel):
            return arguments.taking_out(self._normalizing(found))
        method, report = getattr(Model, name), self._report(name) if name in DIAGNOSED else None
        general = functools.partial(general_of(method), self)
        if isinstance(found, InputKernel):
            return found.with_fallback(general=general, report=report)
        return found.with_fallback(general=general, report=report, title=(name, described_call(method)))

    def _report(self, name: str) -> Callable[[Array, tuple[int, ...]], None]:
        """Warning of rows of a batch that have no result."""
        mechanism, kind = self.setup.mech.name, "at a singularity, or not drivable there"
        return lambda rows, lead: warn_of_rows(name, mechanism, rows, lead, kind, f"it is {kind}")

    def _reporting(self, name: str, function: Callable[..., Array]) -> Callable[..., Array]:
        """The function, with a warning of rows that have no result where it is compiled code."""
        return (
            function.with_fallback(report=self._report(name))
            if isinstance(function, Kernel | InputKernel)
            else function
        )

    def _replace(self, name: str, found: Callable[..., Any]) -> Callable[..., Any]:
        """Put a function in a method's place on this model (`fast_calls`); return how it is called."""
        function = found.call if isinstance(found, Kernel | InputKernel) else found
        if not self.__dict__.get("_rank_holds", True):
            return function
        early = self._early_calls.get(name)
        if not isinstance(found, Kernel):
            function = copy_method_metadata(function, getattr(Model, name))
            if early is not None and not self._is_overridden(name):
                early.general = function
        elif early is not None and found.entry[0]:
            early.become(*found.entry)
        self.fast_calls[name] = function
        if not self._is_overridden(name):
            self.__dict__[name] = function
        return function

    @memo()
    def _function(self, definition: Definition, frame: str | None = None, wrench: bool = False) -> Callable[..., Any]:
        return self.kernels.function(definition, wrench=wrench, frame=frame)


_ATTRIBUTES = frozenset(
    (
        *("_arguments", "sharing", "setup", "kernels", "kinematics", "dynamics", "cache", "fast_calls", "_early_calls"),
        *("nq", "nv", "na", "q_names", "v_names", "actuated", "bodies", "_unseen", "_rank_holds"),
    )
)
"""Attributes of a model that are not made by its class."""


def _unpickle_model(cls: type[Model], arguments: tuple[Any, ...], values: Array | None, more: dict[str, Any]) -> Model:
    """A model as it was pickled: compiled again, or found in the cache."""
    made = cls.__new__(cls)
    Model.__init__(made, *arguments)
    made.__dict__.update(more)
    return made if values is None else made.with_parameters(values)
