"""Classical indices of a design at one configuration or at a million (docs/howto/indices.md)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.analysis.performance import indices_record
from linkwright.analysis.performance.indices_record import Indices
from linkwright.analysis.performance.output_components import (
    OutputFrame,
    joint_compliances,
    output_jacobians,
    output_of,
    per_actuator,
    reaction_maps,
    require_joint,
    sliding_actuators,
)
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.checks import require_instance, require_mapping, require_number
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, BatchWarning, withheld_warnings
from linkwright.functions.loop.twist_functions import output_frame
from linkwright.kinematics.query import batch_array
from linkwright.kinematics.singularity import Singularity
from linkwright.model import Model, arguments
from linkwright.numerics.dense import decompose_scaled, singular_values
from linkwright.numerics.tolerances import ROUNDED_RESULT

Array = np.ndarray
PerActuator = ArrayLike | Mapping[str, float]


def indices(
    model: Model,
    q: ArrayLike,
    *,
    frame: str | None = None,
    components: Sequence[str] | None = None,
    length: float | None = None,
    stiffness: PerActuator | None = None,
    compliance: Mapping[str, ArrayLike] | None = None,
    speed: PerActuator | None = None,
    effort: PerActuator | None = None,
    encoder: PerActuator | None = None,
    play: Mapping[str, float] | None = None,
    p: ArrayLike | None = None,
) -> Indices:
    """Jacobian, condition, distances to singularities, stiffness, capability, transmission and accuracy.

    Args:
        q: closed coordinates, (..., nq).
        frame: output frame or body; None takes the mechanism's output. The distances are always those of that one.
        components: those of x y z rx ry rz that count; None takes those that the mechanism can move.
        length: characteristic length [m] that compares turning with sliding; None takes the mechanism's mean arm.
        stiffness: of the actuators, [N m/rad or N/m]: a number, a dictionary by name, or (na,).
        compliance: of joints and their links by joint name, (6, 6) or its diagonal (6,), [rad/(N m), m/N], in the axes
            of the child at the joint; `beam_compliance` gives that of a straight link.
        speed, effort: limits of the actuators; None takes those of the file.
        encoder: largest errors of the actuators' positions, [rad or m].
        play: radial play of joints by name, [m].
        p: values of the model's inputs, (n_p,) or (..., n_p).

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("five-bar"))
    >>> found = indices(model, model.assemble().q, stiffness=1e4)
    >>> found.output, found.stiffness.shape, round(float(found.condition), 3)
    ('platform: x y', (2, 2), 1.141)
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    output = output_of(model, frame, components)
    given = _Properties(
        length,
        None if stiffness is None else per_actuator(model, "stiffness", stiffness),
        joint_compliances(model, {} if compliance is None else compliance),
        _given_actuator_limits(model, "speed", speed),
        _given_actuator_limits(model, "effort", effort),
        None if encoder is None else per_actuator(model, "encoder", encoder),
        _checked_play(model, {} if play is None else play),
    )
    return _compute_indices(_index_rows(model, q, p, output), given)


@dataclass(frozen=True, eq=False)
class _Properties:
    """Checked properties of actuators (na,) and joints; None or empty where they are not given."""

    length: float | None
    stiffness: Array | None
    compliance: dict[str, Array]
    speed: Array
    effort: Array
    encoder: Array | None
    play: dict[str, float]


@dataclass(frozen=True, eq=False)
class _Rows:
    """The rows at which indices are computed: q (n, nq), p (n_p,) or (n, n_p), and the arguments' leading axes."""

    model: Model
    q: Array
    p: Array | None
    output: OutputFrame
    lead: tuple[int, ...]

    @property
    def named_parameters(self) -> dict[str, Array]:
        """The parameters as an argument."""
        return {} if self.p is None else {"p": self.p}

    def with_leading_axes(self, x: Array) -> Array:
        """The rows back in the leading axes of the arguments."""
        return x.reshape((*self.lead, *x.shape[1:]))

    def reactions(self, joints: Sequence[str]) -> dict[str, Array]:
        """Reactions of joints per unit wrench on the output."""
        with withheld_warnings(BatchWarning):
            return reaction_maps(self.model, self.q, self.output, list(joints), self.p)


def _index_rows(model: Model, q: ArrayLike, p: ArrayLike | None, output: OutputFrame) -> _Rows:
    states = batch_array("q", q, model.nq)
    sets = None if p is None else batch_array("p", p, len(model.parameters))
    lead = arguments.leading_axes(["q", "p"], [states, sets])
    states = np.broadcast_to(states, (*lead, model.nq)).reshape(-1, model.nq)
    if sets is not None and sets.ndim > 1:
        sets = np.broadcast_to(sets, (*lead, sets.shape[-1])).reshape(-1, sets.shape[-1])
    return _Rows(model, states, sets, output, lead)


def _compute_indices(at: _Rows, given: _Properties) -> Indices:
    model, output, slides = at.model, at.output, sliding_actuators(at.model)
    J = output_jacobians(model, at.q, output.frame, **at.named_parameters)[:, list(output.components)]
    bad = ~np.isfinite(J).all(axis=(-2, -1))
    near = _output_distances(at, given.length)
    L = np.broadcast_to(np.asarray(near.length, dtype=float), len(J))
    scaled = _scale_jacobian(J, L, output, slides)
    inverse = decompose_scaled(J).inverse()
    joints = [*given.compliance, *given.play]
    maps = at.reactions(joints) if joints else {}
    C = _output_compliance(J, given.stiffness, given.compliance, maps)
    of_output = output.frame == output_frame(model.mechanism)
    condition, product = (near.condition, near.manipulability) if of_output else _gain_measures(scaled, bad)
    found = {
        "length": L,
        "jacobian": J,
        "type1": near.type1,
        "type2": near.type2,
        "constraint": near.constraint,
        "condition": condition,
        "manipulability": product,
        "compliance": C,
        "stiffness": None if C is None else _stiffness_from_compliance(C),
        **_speed_and_force_capability(at, J, inverse, given),
        "transmission": _transmission_angle_rows(scaled, inverse, L, output, slides),
        "advantage": _mechanical_advantage(scaled if output.linear and output.angular else J, bad),
        "error": _largest_errors(J, given.encoder, given.play, maps),
    }
    fields: dict[str, Any] = {
        name: None if x is None else at.with_leading_axes(np.asarray(x)) for name, x in found.items()
    }
    limits = np.array([given.speed, given.effort])
    return Indices(
        model.mechanism.name,
        output.description,
        output.names,
        model.actuated,
        **fields,
        limits=limits,
        notes=_index_notes(at),
        studied=studied_mechanism(model, at.q),
    )


def _output_distances(at: _Rows, length: float | None) -> Singularity:
    """Distances of the mechanism's output; of the components that count, where these are of that output."""
    own = at.output.frame == output_frame(at.model.mechanism) and len(at.output.components) < 6
    with withheld_warnings(BatchWarning):
        return at.model.singularity(
            at.q, components=at.output.names if own else None, length=length, **at.named_parameters
        )


def _scale_jacobian(J: Array, L: Array, output: OutputFrame, slides: Array) -> Array:
    """J with lengths counted in L: linear rows divided by it, columns of sliding actuators multiplied."""
    rows = np.array([1.0 if i < 3 else 0.0 for i in output.components])
    unit = np.where(rows > 0.0, 1.0, 1.0 / L[:, None])[:, :, None]
    return J * unit * np.where(slides, L[:, None], 1.0)[:, None, :]


def _singular_values(J: Array, bad: Array) -> Array:
    return np.where(bad[:, None], np.nan, singular_values(J))


def _gain_measures(J: Array, bad: Array) -> tuple[Array, Array]:
    gains = _singular_values(J, bad)
    with np.errstate(divide="ignore", invalid="ignore"):
        return gains[:, 0] / gains[:, -1], np.prod(gains, axis=1)


def _speed_and_force_capability(at: _Rows, J: Array, inverse: Array, given: _Properties) -> dict[str, Array]:
    """Speeds and forces of pure translation and rotation in every direction; NaN where they are not defined."""
    output, names = at.output, {"linear": ("speed", "force"), "angular": ("angular_speed", "moment")}
    carries = output.exact or not at.model.has_loops
    found = {}
    for part, (rate, load) in names.items():
        rows = output.linear if part == "linear" else output.angular
        speed = indices_record.inscribed_radius(inverse[..., rows], given.speed)
        force = indices_record.inscribed_radius(np.swapaxes(J, 1, 2)[..., rows], given.effort)
        found[rate] = _infinite_as_nan(speed) if output.exact else np.full(len(J), np.nan)
        found[load] = _infinite_as_nan(force) if carries else np.full(len(J), np.nan)
    return found


def _output_compliance(
    J: Array, stiffness: Array | None, soft: dict[str, Array], maps: dict[str, Array]
) -> Array | None:
    """J K^-1 J^T of the actuators plus R^T C R of the joints, (n, m, m)."""
    if stiffness is None and not soft:
        return None
    C = np.zeros((len(J), J.shape[1], J.shape[1]))
    C = C if stiffness is None else (J / stiffness) @ np.swapaxes(J, 1, 2)
    for name, own in soft.items():
        C = C + np.swapaxes(maps[name], 1, 2) @ own @ maps[name]
    return C


def _stiffness_from_compliance(C: Array) -> Array:
    """Stiffness from compliance; of directions that do not move it is left out (pseudo-inverse)."""
    return decompose_scaled(C).inverse()


def _transmission_angle_rows(scaled: Array, inverse: Array, L: Array, output: OutputFrame, slides: Array) -> Array:
    """Angle with sine 1 / (|column i of J| |row i of J^-1|), (n, na)."""
    rows = np.array([i < 3 for i in output.components])
    back = inverse * np.where(rows, 1.0, L[:, None])[:, None, :] / np.where(slides, L[:, None], 1.0)[:, :, None]
    size = np.linalg.norm(scaled, axis=1) * np.linalg.norm(back, axis=2)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.arcsin(np.minimum(1.0, 1.0 / size))


def _mechanical_advantage(J: Array, bad: Array) -> Array:
    gains = _singular_values(J, bad)
    with np.errstate(divide="ignore"):
        return 1.0 / gains[:, [0, -1]]


def _largest_errors(J: Array, encoder: Array | None, play: dict[str, float], maps: dict[str, Array]) -> Array | None:
    """Largest error per component: sum of |J| times encoder errors, and of play times force per unit load."""
    if encoder is None and not play:
        return None
    found = np.zeros(J.shape[:2]) if encoder is None else np.abs(J) @ encoder
    for name, radius in play.items():
        found = found + radius * np.linalg.norm(maps[name][:, 3:], axis=1)
    return found


def _given_actuator_limits(model: Model, quantity: str, given: Any) -> Array:
    return indices_record.actuator_limits(model, quantity) if given is None else per_actuator(model, quantity, given)


def _checked_play(model: Model, given: Mapping[str, float]) -> dict[str, float]:
    for name, value in require_mapping("play", given, "play by joint").items():
        require_joint(model, "play", name)
        if not require_number(f"play of '{name}'", value) >= 0.0:
            raise ArgumentError(f"play of '{name}' is {value}, expected a length of at least zero in meters")
    return {name: float(value) for name, value in given.items()}


def _infinite_as_nan(x: Array) -> Array:
    return np.where(np.isinf(x), np.nan, x)


def _index_notes(at: _Rows) -> tuple[str, ...]:
    model, output = at.model, at.output
    notes = []
    if not output.exact:
        notes.append(
            f"the output has {len(output.components)} components, {model.na} actuators and {model.mobility} freedoms: "
            "capabilities that need as many of each are not defined"
        )
    if model.redundant_equations:
        notes.append(
            f"{len(model.redundant_equations)} closure equations are redundant: reactions behind compliances and "
            "play of joints have least norm"
        )
    return tuple(notes)


def transmission_angles(
    model: Model,
    q: ArrayLike,
    joint: str,
    *,
    frame: str | None = None,
    components: Sequence[str] | None = None,
    p: ArrayLike | None = None,
) -> Array:
    """Transmission angle at a joint for each actuator, (..., na), [rad]: 90 degrees is best, 0 transmits nothing.

    The output is loaded so that only one actuator carries it, and only that one moves: the sine is the cosine between
    the force through the joint and the velocity of its point. At the coupler's joint on the rocker of a four-bar that
    is the angle between these links. NaN where no force goes through the joint or it stands still.
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    output = output_of(model, frame, components)
    if not output.exact:
        raise ArgumentError(
            f"the output '{output.description}' has {len(output.components)} components and the mechanism "
            f"{model.na} actuators and {model.mobility} freedoms; name as many in components=[...]"
        )
    require_joint(model, "joint", joint)
    at = _index_rows(model, q, p, output)
    J = output_jacobians(model, at.q, output.frame, **at.named_parameters)[:, list(output.components)]
    bad = ~np.isfinite(J).all(axis=(-2, -1))
    loads = np.swapaxes(decompose_scaled(J).inverse(), 1, 2)
    force = (at.reactions([joint])[joint] @ loads)[:, 3:]
    speed = _point_velocities(at, joint)
    size = np.linalg.norm(force, axis=1) * np.linalg.norm(speed, axis=1)
    scale = np.linalg.norm(force, axis=(1, 2))[:, None] * np.linalg.norm(speed, axis=(1, 2))[:, None]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = np.abs(np.sum(force * speed, axis=1)) / size
    share = np.where((size > ROUNDED_RESULT * scale) & ~bad[:, None], np.minimum(share, 1.0), np.nan)
    return at.with_leading_axes(np.arcsin(share))


def _point_velocities(at: _Rows, name: str) -> Array:
    """Velocity of a joint's point per actuator rate in the axes of the joint's child, (n, 3, na)."""
    mech = at.model.mechanism
    joint = next(each for each in (*mech.joints, *mech.loops) if each.name == name)
    twist = output_jacobians(at.model, at.q, joint.child, **at.named_parameters)
    R = at.model.frame_pose(at.q, joint.child, **at.named_parameters).rotation
    turned = np.swapaxes(R, 1, 2) @ twist.reshape(len(R), 2, 3, twist.shape[-1]).swapaxes(0, 1)
    arm = np.asarray(joint.child_at.xyz, dtype=float)
    return turned[1] + np.cross(turned[0], arm[None, :, None], axis=1)
