"""A mechanism as a transmission between two sets of coordinates: motors and the joints they move."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import combinations_with_replacement
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.typing import ArrayLike

from linkwright import checks
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, MechanismError, SingularityError, withheld_warnings
from linkwright.functions.loop import closure_functions
from linkwright.functions.setup import drivable_names
from linkwright.functions.stepping.limit_functions import limits_of
from linkwright.functions.tree.tree_functions import driven_speeds
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.tree import part_names
from linkwright.model.model import Model
from linkwright.model.model_construction import build
from linkwright.model.model_parameters import Parameters, with_p
from linkwright.numerics.dense import decompose_scaled, singular_values
from linkwright.numerics.tolerances import NO_EFFECT, TINY, UNDETERMINED

Array = np.ndarray
Space = Literal["inputs", "outputs"]
MOST_POINTS = 10_000_000  # of a grid over the ranges of the outputs


@dataclass(frozen=True, eq=False)
class Transmission:
    """States of a submechanism, seen from both sides; rows that cannot be reached are NaN.

    Attributes:
        q, v, a: all coordinates, velocities and accelerations, (..., nq), (..., nv), (..., nv).
        inputs, input_rates, input_accelerations: of the motors, (..., m).
        outputs, output_rates, output_accelerations: of the joints, (..., m).
    """

    q: Array
    v: Array
    a: Array
    inputs: Array
    input_rates: Array
    input_accelerations: Array
    outputs: Array
    output_rates: Array
    output_accelerations: Array


@dataclass(frozen=True, eq=False)
class RangeCheck:
    """A grid over the range of the outputs: where it is reached, and how near it is to a lock.

    Attributes:
        names: of the outputs.
        outputs, inputs: positions on the grid, (points..., m); inputs are NaN where a point is not reached.
        gain: smallest and largest motor rate per unit of joint rate (singular values of d inputs / d outputs),
            (points..., 2). The largest grows without bound towards a dead center, where the joint locks; the smallest
            goes to zero where the motors no longer hold the joint.
        reached: points that are reached on the branch of the start, (points...).
        limit: largest gain ratio that passes.
    """

    names: tuple[str, ...]
    outputs: Array
    inputs: Array
    gain: Array
    reached: Array
    limit: float

    @property
    def locked(self) -> Array:
        """Points that are not reached, or with a largest gain of more than `limit` times the smallest, (points...)."""
        with np.errstate(invalid="ignore", divide="ignore"):
            return ~(self.reached & (self.gain[..., 1] <= self.limit * self.gain[..., 0]))

    @property
    def ok(self) -> bool:
        """True if no point of the grid locks."""
        return not self.locked.any()

    @property
    def message(self) -> str:
        """Text for people: how many points lock and where the first one is, and the range of inputs and gains."""
        locked = self.locked
        some = f"{int(locked.sum())} of {locked.size} points lock"
        if locked.any():
            first = self.outputs[tuple(np.argwhere(locked)[0])]
            some += ", the first at " + ", ".join(f"{n} = {x:.6g}" for n, x in zip(self.names, first, strict=True))
        if not self.reached.any():
            return some
        axes = tuple(range(self.inputs.ndim - 1))
        low, high = np.nanmin(self.inputs, axis=axes), np.nanmax(self.inputs, axis=axes)
        ranges = ", ".join(f"{a:.6g} to {b:.6g}" for a, b in zip(low, high, strict=True))
        return f"{some}; inputs {ranges}; gain {np.nanmin(self.gain):.6g} to {np.nanmax(self.gain):.6g}"


@dataclass(frozen=True, eq=False)
class Submechanism:
    """The maps between the motors of a mechanism (inputs) and the joints they move (outputs); made by `submechanism`.

    Functions take batches. Positions are found on the assembly branch of `near`, the home where it is left out. Where
    there are parameters, every function of states takes `p`: their values [SI], (n_p,), or (..., n_p) that broadcast
    like the states, in the order of `parameters`.

    Attributes:
        driven: the model with the inputs as actuators.
        posed: the model of the same mechanism with the outputs as actuators.
    """

    driven: Model
    posed: Model
    fast_calls: ClassVar[Mapping[str, Any]] = {}  # compiled code takes the place of methods of models only

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the motors."""
        return self.driven.actuated

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the joints' coordinates."""
        return self.posed.actuated

    @property
    def parameters(self) -> Parameters:
        """Numbers of the mechanism that can change: names, units, values."""
        return self.driven.parameters

    def _at(self, p: ArrayLike, one_set: bool = False) -> Submechanism:
        """The submechanism at one set of values for each row."""
        return Submechanism(self.driven._at(p, one_set), self.posed._at(p, one_set))

    def with_parameters(self, values: ArrayLike | Mapping[str, float] | None = None, /, **named: float) -> Submechanism:
        """The submechanism at other values [SI] of its parameters, as `Model.with_parameters`; nothing is compiled
        again. Positions are found near the home at these values."""
        driven, posed = (model.with_parameters(values, **named) for model in (self.driven, self.posed))
        return Submechanism(driven, posed)

    @with_p()
    def from_inputs(
        self,
        position: ArrayLike,
        rate: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Transmission:
        """The state at motor positions (..., m) [rad, m] with their rates and accelerations, zero when left out."""
        return self._seen_from_inputs(*self.driven.forward_kinematics(position, rate, acceleration, near=near))

    @with_p()
    def from_outputs(
        self,
        position: ArrayLike,
        rate: ArrayLike | None = None,
        acceleration: ArrayLike | None = None,
        near: ArrayLike | None = None,
    ) -> Transmission:
        """The state at joint positions (..., m) [rad, m] with their rates and accelerations, zero when left out."""
        return self._seen_from_inputs(*self.posed.forward_kinematics(position, rate, acceleration, near=near))

    def _seen_from_inputs(self, q: Array, v: Array, a: Array) -> Transmission:
        sides = [
            (m.actuator_positions(q), m.actuator_velocities(v, q), m.actuator_accelerations(a, q, v))
            for m in (self.driven, self.posed)
        ]
        return Transmission(q, v, a, *sides[0], *sides[1])

    @with_p()
    def jacobian(self, q: ArrayLike) -> Array:
        """J with output rates = J input rates, (..., m, m), at closed q (..., nq); NaN in rows where it has none."""
        return _rates_of(self.posed, q, _joint_velocity_map(self.driven, q))

    @with_p()
    def inverse_jacobian(self, q: ArrayLike) -> Array:
        """K with input rates = K output rates, (..., m, m); efforts of the outputs = K^T efforts of the inputs."""
        return _rates_of(self.driven, q, _joint_velocity_map(self.posed, q))

    @with_p()
    def jacobian_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Time derivative of `jacobian` along v, (..., m, m)."""
        return _jacobian_time_derivative(self.driven, self.posed, q, v)

    @with_p()
    def inverse_jacobian_rate(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Time derivative of `inverse_jacobian` along v, (..., m, m)."""
        return _jacobian_time_derivative(self.posed, self.driven, q, v)

    @with_p()
    def inertia(self, q: ArrayLike, space: Space = "outputs") -> Array:
        """Inertia of the whole mechanism, rotors included, felt at the outputs or at the inputs, (..., m, m).

        Idle freedoms are free.
        """
        model = self._model(space)
        M = model.mass_matrix(q)
        if model.mobility == len(model.actuated):
            R = _joint_velocity_map(model, q)
            return _transpose_last_axes(R) @ M @ R
        R = model.independent_map(q)
        G = _rates_of(model, q, R)
        return np.linalg.inv(G @ np.linalg.solve(_transpose_last_axes(R) @ M @ R, _transpose_last_axes(G)))

    @with_p()
    def bias(self, q: ArrayLike, v: ArrayLike, space: Space = "outputs") -> Array:
        """Efforts at the outputs or inputs that keep their accelerations zero, (..., m): gravity, velocities, springs,
        friction. `inertia @ acceleration + bias` is the effort of a motion."""
        model = self._model(space)
        x, rate = model.actuator_positions(q), model.actuator_velocities(v, q)
        _, v, a = model.forward_kinematics(x, rate, near=q)
        return model.inverse_dynamics(q, v, a)

    @with_p()
    def input_efforts(self, q: ArrayLike, efforts: ArrayLike) -> Array:
        """Efforts at the inputs (..., m) with the power of efforts at the outputs: J^T efforts."""
        return _transposed_product(self.jacobian(q), efforts)

    @with_p()
    def output_efforts(self, q: ArrayLike, efforts: ArrayLike) -> Array:
        """Efforts at the outputs (..., m) with the power of efforts at the inputs: K^T efforts."""
        return _transposed_product(self.inverse_jacobian(q), efforts)

    def check_range(
        self,
        ranges: Mapping[str, tuple[float, float]] | None = None,
        points: int | Sequence[int] = 25,
        limit: float = 100.0,
        near: ArrayLike | None = None,
    ) -> RangeCheck:
        """Go over a grid of output positions and look where the mechanism locks.

        Args:
            ranges: lower and upper end of every output, [rad, m]; None takes the limits of their joints.
            points: of the grid along every output.
            limit: largest ratio of the largest to the smallest gain that passes.
            near: closed coordinates of the branch; the home when left out.
        """
        ends = self._ranges(ranges)
        limit = checks.require_positive("limit", limit)
        given = [points] * len(ends) if not isinstance(points, list | tuple) else points
        counts = [checks.require_integer("points", n, 1, MOST_POINTS) for n in given]
        if len(counts) != len(ends) or math.prod(counts) > MOST_POINTS:
            raise ArgumentError(
                f"points is {points!r:.80}, expected a whole number, or one for each of {self.outputs}, and at most "
                f"{MOST_POINTS} points in all"
            )
        axes = [np.linspace(low, high, n) for (low, high), n in zip(ends, counts, strict=True)]
        grid = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
        with withheld_warnings(BatchWarning):  # the record names the points
            found = self.from_outputs(grid, near=near)
        reached = np.isfinite(found.q).all(axis=-1)
        gain = np.full((*reached.shape, 2), np.nan)
        if reached.any():
            K = self.inverse_jacobian(found.q[reached])
            gain[reached] = singular_values(K)[:, [-1, 0]]
        return RangeCheck(self.outputs, grid, found.inputs, gain, reached, limit)

    def _ranges(self, ranges: Mapping[str, tuple[float, float]] | None) -> list[tuple[float, float]]:
        if ranges is None:
            ends = {each.name: each.range for each in self.posed.actuators}
            ranges = {name: pair for name, pair in ends.items() if np.isfinite(pair).all()}
        checks.require_mapping("ranges", ranges, "lower and upper ends by output")
        for name in self.outputs:
            if name not in ranges:
                raise ArgumentError(
                    f"the range of '{name}' is not known; give ranges={{'{name}': (lower, upper), ...}}"
                )
        for name in ranges:
            if name not in self.outputs and name not in _two_sided_ranges(self.posed.mechanism):
                raise ArgumentError(f"ranges names the unknown output '{name}'{suggest_name(name, self.outputs)}")
        pairs = [checks.require_array_shape(f"ranges['{name}']", ranges[name], (2,)).tolist() for name in self.outputs]
        return [(low, high) for low, high in pairs]

    def _model(self, space: Any) -> Model:
        return self.driven if checks.require_choice("space", space, ("inputs", "outputs")) == "inputs" else self.posed


def submechanism(
    mech: Mechanism, inputs: Sequence[str], outputs: Sequence[str], parameters: Sequence[str] = ()
) -> Submechanism:
    """The maps between motors and the joints they move through a closed-loop mechanism: ankles, knees, differentials.

    Args:
        mech: the mechanism; its freedoms, idle ones aside, are as many as the inputs and as the outputs.
        inputs: names of actuators, joints or single velocities ("ankle.first") that the motors drive; a joint with
            several freedoms stands for all of them.
        outputs: the same for the joints that are moved.
        parameters: names or paths of numbers of the mechanism that can change, see `Submechanism.with_parameters`.

    >>> import linkwright as lw
    >>> crank = lw.submechanism(lw.catalog.load("slider-crank"), ["crank_angle"], ["stroke"])
    >>> state = crank.from_inputs([1.0], [2.0])
    >>> bool(abs(crank.jacobian(state.q) @ [2.0] - state.output_rates) < 1e-12)
    True
    """
    checks.require_instance("mech", mech, Mechanism, "a Mechanism; read a file with linkwright.load")
    names = [_expand_velocity_names(mech, title, x) for title, x in (("inputs", inputs), ("outputs", outputs))]
    for title, found in zip(("inputs", "outputs"), names, strict=True):
        if not found:
            known = ", ".join(drivable_names(mech)) or "none"
            raise ArgumentError(
                f"{title} is empty; name at least one actuator or joint of '{mech.name}' (known: {known})"
            )
    if len(names[0]) != len(names[1]):
        raise ArgumentError(
            f"{len(names[0])} inputs {names[0]} and {len(names[1])} outputs {names[1]}: name as many of both"
        )
    driven, posed = (build(mech, x, inputs=checks.require_texts("parameters", parameters)) for x in names)
    for one, other in ((driven, posed), (posed, driven)):
        _require_determined_coordinates(one, other)
    return Submechanism(driven, posed)


def _require_determined_coordinates(one: Model, other: Model) -> None:
    """Refuse coordinates that leave others free at the home."""
    q = one.assemble().q
    R = one.independent_map(q) if one.kinematics.has_closure else np.eye(one.nv)
    G, left = _rates_of(one, q, R), _rates_of(other, q, R)
    by = left @ decompose_scaled(G).inverse(share=NO_EFFECT)
    if np.abs(left - by @ G).max(initial=0.0) > UNDETERMINED * np.abs(left).max(initial=TINY):
        raise MechanismError(
            f"{list(one.actuated)} do not determine {list(other.actuated)} of '{one.mechanism.name}', which has "
            f"{one.mobility} degrees of freedom: name as many inputs and outputs as it has freedoms, idle ones aside"
        )


def _expand_velocity_names(mech: Mechanism, title: str, names: Any) -> list[str]:
    """Names of single velocities; a joint with several stands for all of them."""
    parts = {joint.name: part_names((joint,), speeds=True) for joint in (*mech.joints, *mech.loops)}
    known, out = drivable_names(mech), []
    for name in checks.require_texts(title, names):
        if name not in known and len(parts.get(name, ())) == 0:
            raise ArgumentError(f"{title} names '{name}', which is not an actuator or joint{suggest_name(name, known)}")
        out += [name] if name in known else list(parts[name])
    for name in out:
        if known[name].speed is None:
            raise MechanismError(
                f"{title} names '{name}', which sits at a joint that closes a loop and has no coordinate in q: write "
                "that joint under joints and another one of its loop under loops"
            )
    return out


def _two_sided_ranges(mech: Mechanism) -> dict[str, tuple[float, float]]:
    """Ranges of single coordinates that have both limits, by name."""
    joints = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    ends: dict[str, dict[float, float]] = {}
    for limit in limits_of(mech):
        joint = joints[limit.joint]
        if limit.part is not None and joint.kind.q_parts == joint.kind.v_parts:
            ends.setdefault(part_names((joint,), speeds=True)[limit.part], {})[limit.sign] = limit.bound
    return {name: (x[1.0], x[-1.0]) for name, x in ends.items() if len(x) == 2}


def _transpose_last_axes(x: Array) -> Array:
    return np.swapaxes(x, -1, -2)


def _transposed_product(J: Array, efforts: Any) -> Array:
    """J^T efforts, (..., m)."""
    given = checks.require_real_array("efforts", efforts).astype(float)
    if given.shape[-1:] != J.shape[-2:-1]:
        raise ArgumentError(f"efforts has shape {given.shape}, expected (..., {J.shape[-2]})")
    try:
        return (_transpose_last_axes(J) @ given[..., None])[..., 0]
    except ValueError:
        raise ArgumentError(
            f"efforts has shape {given.shape}, and its leading axes do not fit those of q, {J.shape[:-2]}"
        ) from None


def _rates_of(model: Model, q: ArrayLike, R: Array) -> Array:
    """Rates of the actuators along the columns of R (..., nv, n), (..., na, n)."""
    B = model.kernels.function(closure_functions.effort_matrix)(q) if model.has_loops else _tree_efforts(model)
    return _transpose_last_axes(B) @ R


def _tree_efforts(model: Model) -> Array:
    return np.eye(model.nv)[:, driven_speeds(model.setup)]


def _joint_velocity_map(model: Model, q: ArrayLike) -> Array:
    """R with velocities of all joints = R velocities of the actuators, (..., nv, m); of least norm in idle freedoms."""
    still = np.broadcast_to(np.eye(model.nv), (*np.shape(q)[:-1], model.nv, model.nv))
    R = model.independent_map(q) if model.has_loops else still
    G = _rates_of(model, q, R)
    found = decompose_scaled(G)
    singular = found.distance(found.s.shape[-1]) <= NO_EFFECT
    if singular.ndim == 0 and singular and found.finite:
        raise SingularityError(
            f"mechanism '{model.mechanism.name}' is singular here: the rates of {list(model.actuated)} do not "
            "determine those of the other joints; move it off this position",
            q=np.asarray(q),
        )
    return np.where(singular[..., None, None], np.nan, R @ found.inverse())


def _jacobian_time_derivative(source: Model, result: Model, q: ArrayLike, v: ArrayLike) -> Array:
    """Time derivative of the Jacobian from the actuators of one model to those of another.

    Results' accelerations at unit rates and no acceleration are the quadratic form of the second derivatives, which is
    symmetric: its mixed terms follow from sums of two unit rates.
    """
    x, rate = source.actuator_positions(q), source.actuator_velocities(v, q)
    m = len(source.actuated)

    def curved(unit: Array) -> Array:
        _, u, a = source.forward_kinematics(x, np.broadcast_to(unit, x.shape), near=q)
        return result.actuator_accelerations(a, q, u)

    units = np.eye(m)
    H = np.zeros((*x.shape[:-1], m, m, m))
    for i, j in combinations_with_replacement(range(m), 2):
        H[..., i, j] = curved(units[i] + units[j]) if i != j else curved(units[i])
    for i, j in combinations_with_replacement(range(m), 2):
        if i != j:
            H[..., i, j] = 0.5 * (H[..., i, j] - H[..., i, i] - H[..., j, j])
            H[..., j, i] = H[..., i, j]
    return np.asarray((H @ rate[..., None, :, None])[..., 0])
