"""Motions of a frame in six freedoms: references of position and angles, with exact twists and twist rates."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np

from linkwright.algebra.jets import Jet, as_jet
from linkwright.checks import require_finite_array, require_number, require_positive, require_real_array
from linkwright.control.control_checks import Array, finite_row, require_reference, scalar_array, set_frozen_fields
from linkwright.control.references import Delayed, Motion, Quintic, Reference
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model.pose import Pose
from linkwright.numerics.tolerances import ORTHONORMAL

Kinematics = tuple[Pose, Array, Array]
"""Pose, twist and twist rate, (..., 6), world axes."""


class PoseReference(Protocol):
    """A motion of a frame."""

    def at(self, t: Any) -> Kinematics:
        """Pose, twist and twist rate at times (...)."""
        ...


@dataclass(frozen=True, eq=False)
class SumOfSines:
    """Sums of sines of k numbers: offset + sum over i of amplitude_i sin(2 pi frequency_i t + phase_i).

    Attributes:
        offset: (k,). amplitude, frequency [Hz], phase [rad]: (m, k) or (k,), broadcast.

    >>> [x.round(12).tolist() for x in SumOfSines([1.0], [0.5], [0.25]).at(1.0)][:2]
    [[1.5], [0.0]]
    """

    offset: Array
    amplitude: Array
    frequency: Array
    phase: Array = 0.0  # type: ignore[assignment]

    def __post_init__(self) -> None:
        offset = finite_row("offset", self.offset)
        given = [require_finite_array(name, getattr(self, name)) for name in ("amplitude", "frequency", "phase")]
        try:
            amplitude, frequency, phase, _ = np.broadcast_arrays(*map(np.atleast_2d, given), offset)
        except ValueError:
            shapes = ", ".join(str(x.shape) for x in given)
            raise ArgumentError(f"amplitude, frequency and phase have shapes {shapes}, expected (m, k)") from None
        if amplitude.shape[1] != len(offset):
            raise ArgumentError(f"amplitude has {amplitude.shape[1]} columns and offset {len(offset)} numbers")
        set_frozen_fields(self, offset=offset, amplitude=amplitude, frequency=frequency, phase=phase)

    @property
    def size(self) -> int:
        return len(self.offset)

    def at(self, t: Any) -> Motion:
        w = 2.0 * np.pi * self.frequency
        turn = w * scalar_array("t", t)[..., None, None] + self.phase
        s, c = self.amplitude * np.sin(turn), self.amplitude * np.cos(turn)
        return self.offset + s.sum(axis=-2), (w * c).sum(axis=-2), -(w**2 * s).sum(axis=-2)


@dataclass(frozen=True, eq=False)
class PickAndPlace:
    """A point that is lifted, carried and set down, then goes back the same way; again and again.

    Attributes:
        start, end: (3,), [m]; 305 mm apart in the usual test cycle. height: of the lift, 25 mm there, [m].
        cycle: time of the way there and back, [s].
        overlap: share of each lift during which the point is carried already: 0 stops at the corners, 1 carries from
            the beginning. lift: share of the way's time that a lift takes. up: direction of the lift, unit.

    >>> cycle = PickAndPlace((0.0, 0.0, 0.0), (0.305, 0.0, 0.0), cycle=0.4)
    >>> cycle.at(0.2)[0].round(12).tolist(), float(cycle.at(0.1)[0][2].round(12))
    ([0.305, 0.0, 0.0], 0.025)
    """

    start: Array
    end: Array
    height: float = 0.025
    cycle: float = 0.4
    overlap: float = 0.5
    lift: float = 0.25
    up: Array = (0.0, 0.0, 1.0)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        set_frozen_fields(
            self,
            start=finite_row("start", self.start, 3),
            end=finite_row("end", self.end, 3),
            up=finite_row("up", self.up, 3),
        )
        set_frozen_fields(
            self, cycle=require_positive("cycle", self.cycle), height=require_number("height", self.height)
        )
        for name, value, most in (("overlap", self.overlap, 1.0), ("lift", self.lift, 0.5)):
            if not 0.0 <= require_number(name, value) <= most or (name == "lift" and value == 0.0):
                raise ArgumentError(f"{name} is {value!r}, expected a share of at most {most:g}")
        if abs(float(self.up @ self.up) - 1.0) > ORTHONORMAL:
            raise ArgumentError(f"up has length {np.sqrt(self.up @ self.up):.6g}, expected 1")

    @property
    def size(self) -> int:
        return 3

    def at(self, t: Any) -> Motion:
        half = 0.5 * self.cycle
        phase = np.mod(require_real_array("t", t).astype(float), self.cycle)
        back = phase >= half
        way = _travel_and_return(self, np.where(back, phase - half, phase))
        return tuple(np.where(back[..., None], b, a) for a, b in zip(way[0], way[1], strict=True))


def _travel_and_return(move: PickAndPlace, s: Array) -> tuple[Motion, Motion]:
    """Positions, rates and accelerations of the way there and of the way back, at times s since it began."""
    half = 0.5 * move.cycle
    rise = move.lift * half
    waits = rise * (1.0 - move.overlap)
    raised = [x - y for x, y in zip(_unit_step(rise).at(s), Delayed(_unit_step(rise), half - rise).at(s), strict=True)]
    carried = Delayed(_unit_step(half - 2.0 * waits), waits).at(s)
    across, lift = move.end - move.start, move.height * move.up
    there = [x * across + y * lift for x, y in zip(carried, raised, strict=True)]
    back = [-x * across + y * lift for x, y in zip(carried, raised, strict=True)]
    return (move.start + there[0], there[1], there[2]), (move.end + back[0], back[1], back[2])


def _unit_step(duration: float) -> Quintic:
    return Quintic(np.zeros(1), np.ones(1), duration)


@dataclass(frozen=True, eq=False)
class EulerMotion:
    """A frame whose origin follows a reference, turned by three angles that follow another.

    Attributes:
        position: reference of three numbers [m], world axes.
        angles: reference of three numbers [rad].
        sequence: axes of the three turns; small letters about fixed axes, in this order ("xyz": roll, pitch, yaw of
            URDF), capital letters about the turned axes ("ZYX" is the same orientation with the angles reversed).
        quaternion_wxyz: orientation at angles zero.
    """

    position: Reference
    angles: Reference
    sequence: str = "xyz"
    quaternion_wxyz: Array = (1.0, 0.0, 0.0, 0.0)  # type: ignore[assignment]

    def __post_init__(self) -> None:
        for name in ("position", "angles"):
            require_reference(name, getattr(self, name), 3)
        require_sequence(self.sequence)
        set_frozen_fields(self, quaternion_wxyz=finite_row("quaternion_wxyz", self.quaternion_wxyz, 4))

    def at(self, t: Any) -> Kinematics:
        angles = [Jet(*parts) for parts in zip(*(np.moveaxis(x, -1, 0) for x in self.angles.at(t)), strict=True)]
        return pose_kinematics(self.position.at(t), euler_quaternion(angles, self.sequence, self.quaternion_wxyz))


def require_sequence(sequence: Any) -> None:
    """Refuse a sequence that is not three axes of one kind."""
    known = (
        isinstance(sequence, str)
        and len(sequence) == 3
        and (set(sequence) <= set("xyz") or set(sequence) <= set("XYZ"))
    )
    if not known or sequence[0] == sequence[1] or sequence[1] == sequence[2]:
        raise ArgumentError(f"sequence is {sequence!r}, expected three axes such as 'xyz' (fixed) or 'ZYX' (turned)")


def euler_quaternion(angles: list[Jet], sequence: str, first: Any = (1.0, 0.0, 0.0, 0.0)) -> list[Jet]:
    """Quaternion w x y z of three turns after `first`, as jets."""
    total = [as_jet(float(x)) for x in first]
    turns = list(zip(sequence.lower(), angles, strict=True))
    for axis, angle in turns if sequence.islower() else reversed(turns):
        half = 0.5 * angle
        turn = [np.cos(half)] + [np.sin(half) if name == axis else as_jet(0.0) for name in "xyz"]
        total = _quaternion_product(turn, total)
    return total


def _quaternion_product(a: list[Any], b: list[Any]) -> list[Any]:
    w, x, y, z = a
    p, q, r, s = b
    return [
        w * p - x * q - y * r - z * s,
        w * q + x * p + y * s - z * r,
        w * r - x * s + y * p + z * q,
        w * s + x * r - y * q + z * p,
    ]


def pose_kinematics(position: Motion, wxyz: list[Jet]) -> Kinematics:
    """Pose, twist and twist rate from a position with its derivatives, (..., 3), and a quaternion of any length."""
    size = np.sqrt(wxyz[0] * wxyz[0] + wxyz[1] * wxyz[1] + wxyz[2] * wxyz[2] + wxyz[3] * wxyz[3])
    unit = [x / size for x in wxyz]
    p, p_dot, p_ddot = (np.asarray(x, dtype=float) for x in position)
    parts = (_stack_components([getattr(x, name) for x in unit], p.shape[:-1]) for name in ("value", "rate", "second"))
    e, e_dot, e_ddot = parts
    inverse = np.moveaxis(e * np.array([1.0, -1.0, -1.0, -1.0]), -1, 0)
    omega, alpha = (
        2.0 * np.stack(_quaternion_product(list(np.moveaxis(x, -1, 0)), list(inverse))[1:], axis=-1)
        for x in (e_dot, e_ddot)
    )
    return Pose(p, e), np.concatenate([omega, p_dot], axis=-1), np.concatenate([alpha, p_ddot], axis=-1)


def _stack_components(parts: list[Any], lead: tuple[int, ...]) -> Array:
    return np.stack([np.broadcast_to(np.asarray(x, dtype=float), lead) for x in parts], axis=-1)
