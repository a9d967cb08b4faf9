"""Ranges of a transmission in motor and joint space: from the file, given, or found by walking until it locks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.model.submechanism import RangeCheck, Submechanism
from linkwright.numerics.dense import singular_values

Array = np.ndarray

_FARTHEST = math.radians(60.0)  # of ranges that are looked for, or as many lengths of the mechanism
_STEPS = 30
_NEAR = 5.0  # walks end where a gain is so many times the largest of the home, or so little of the smallest
_LOCK = 10.0  # at such gains the limits of a file are made smaller
_GIVEN_LOCK = 1000.0  # at such gains ranges that are given are refused
_MARGIN = 0.9  # of ranges that end at a lock
_POINTS = {1: 101, 2: 21, 3: 9}
_SHARES = (1.0, 0.9, 0.8, 0.6, 0.4, 0.2, 0.1)
_HALVINGS = 3  # between the first of these that is free and the one before
_ALONG = 25  # points along an edge of an outline


@dataclass(frozen=True, eq=False)
class TransmissionRanges:
    """Where a transmission works.

    Attributes:
        joints: lower and upper ends of the joints, (m, 2): a box that is reached everywhere without a lock.
        sources: of each joint: "file", "given" or "found".
        share: how much of the ranges that were not given this is, about the home; 1 where nothing locks.
        check: the grid over the box, with motor positions and gains.
        motor_limits: of the file, (m, 2), infinite where it has none.
        home: all coordinates from which positions are found.
    """

    joints: Array
    sources: tuple[str, ...]
    share: float
    check: RangeCheck
    motor_limits: Array
    home: Array

    @property
    def motors(self) -> Array:
        """Lower and upper ends of the motors over the box, (m, 2)."""
        flat = self.check.inputs.reshape(-1, len(self.joints))
        return np.stack([flat.min(axis=0), flat.max(axis=0)], axis=-1)

    @property
    def within_limits(self) -> Array:
        """Points of the grid whose motors are within their limits, (points...)."""
        y = self.check.inputs
        return np.asarray(((y >= self.motor_limits[:, 0]) & (y <= self.motor_limits[:, 1])).all(axis=-1))

    @property
    def reached_joints(self) -> Array | None:
        """Ends of the joints within the limits of the motors, (m, 2); None where no point is."""
        inside = self.check.outputs[self.within_limits]
        return np.stack([inside.min(axis=0), inside.max(axis=0)], axis=-1) if len(inside) else None


def find_ranges(sub: Submechanism, given: Mapping[str, tuple[float, float]]) -> TransmissionRanges:
    """The ranges of a submechanism: those given, those of the file, and for others what is free of locks."""
    home = sub.posed.assemble().q
    center, gains = sub.posed.actuator_positions(home), _Gains.at_home(sub, home)
    of_file = {each.name: each.range for each in sub.posed.actuators}
    ends, sources = np.zeros((len(center), 2)), []
    for i, name in enumerate(sub.outputs):
        if name in given:
            ends[i], source = given[name], "given"
        elif np.isfinite(of_file[name]).all() and np.ptp(of_file[name]) < 2.0 * math.pi:
            ends[i], source = of_file[name], "file"
        else:
            ends[i], source = _walk_until_lock(sub, center, i, gains), "found"
        sources.append(source)
    ends[:, 0], ends[:, 1] = np.minimum(ends[:, 0], ends[:, 1]), np.maximum(ends[:, 0], ends[:, 1])
    about, is_given = np.clip(center, ends[:, 0], ends[:, 1])[:, None], np.array([[x == "given"] for x in sources])
    lock = _GIVEN_LOCK if is_given.all() else _LOCK

    def box_of(share: float) -> Array:
        """The box with the ranges that are not given made smaller about the home."""
        return np.where(is_given, ends, about + share * (ends - about))

    def free_check(share: float) -> RangeCheck | None:
        check = _check_box(sub, box_of(share))
        return check if gains.are_free(sub, check, lock) else None

    shares = (1.0,) if is_given.all() else _SHARES
    found = next(((share, check) for share in shares if (check := free_check(share)) is not None), None)
    if found is None:
        raise MechanismError(
            f"within {named_box(sub.outputs, box_of(shares[-1]))} the transmission locks, the motors turn back, "
            "or it is not reached: give narrower ranges"
        )
    share, check = found
    failed = min((x for x in shares if x > share), default=share)
    for _ in range(_HALVINGS if failed > share else 0):
        middle = 0.5 * (share + failed)
        wider = free_check(middle)
        share, check, failed = (share, check, middle) if wider is None else (middle, wider, failed)
    limits = np.array([each.range for each in sub.driven.actuators])
    return TransmissionRanges(box_of(share), tuple(sources), share, check, limits, home)


def named_box(names: Sequence[str], box: Array) -> str:
    """Names with their ranges, for people."""
    return ", ".join(f"{name} {low:.6g} to {high:.6g}" for name, (low, high) in zip(names, box, strict=True))


@dataclass(frozen=True)
class _Gains:
    """Smallest and largest gain of the home, and the sign of the determinant of the rates there."""

    smallest: float
    largest: float
    sign: float

    @classmethod
    def at_home(cls, sub: Submechanism, home: Array) -> _Gains:
        K = sub.inverse_jacobian(home)
        gain = singular_values(K)
        return cls(float(gain[-1]), float(gain[0]), float(np.sign(np.linalg.det(K))))

    def free_rows(self, K: Array, lock: float) -> Array:
        """Rows without a lock on the way from the home, (...): a sign that changed is a dead center behind."""
        gain = singular_values(K)
        near = (gain[..., 0] <= lock * self.largest) & (gain[..., -1] * lock >= self.smallest)
        return np.asarray(near & (np.sign(np.linalg.det(K)) == self.sign))

    def are_free(self, sub: Submechanism, check: RangeCheck, lock: float) -> bool:
        if not check.reached.all():
            return False
        near = sub.from_outputs(check.outputs).q
        return bool(self.free_rows(sub.inverse_jacobian(near), lock).all())


def _check_box(sub: Submechanism, box: Array) -> RangeCheck:
    ranges = {name: (low, high) for name, (low, high) in zip(sub.outputs, box.tolist(), strict=True)}
    return sub.check_range(ranges, points=_POINTS.get(len(box), 5))


def _walk_until_lock(sub: Submechanism, center: Array, axis: int, gains: _Gains) -> tuple[float, float]:
    """Ends of one joint from the home, others standing, up to a lock."""
    sliding = sub.posed.actuators[axis].is_sliding
    longest = sub.posed.scales.length if sliding else _FARTHEST
    ends = []
    for sign in (-1.0, 1.0):
        x = np.repeat(center[None], _STEPS + 1, axis=0)
        x[:, axis] += sign * np.linspace(0.0, longest, _STEPS + 1)
        q = sub.from_outputs(x).q
        free = np.isfinite(q).all(axis=-1)
        free[free] = gains.free_rows(sub.inverse_jacobian(q[free]), _NEAR)
        last = _STEPS if free.all() else max(int(np.argmin(free)) - 1, 1)
        ends.append(center[axis] + (x[last, axis] - center[axis]) * (1.0 if free.all() else _MARGIN))
    return ends[0], ends[1]


def outline_of_box(box: Array) -> Array:
    """Points along the edges of a box: of one axis its ends, of two a closed line, of three all edges, (n, m)."""
    m, t = len(box), np.linspace(0.0, 1.0, _ALONG)
    if m == 1:
        return box.T
    if m == 2:
        (a, b), (c, d) = box
        corners = np.array([[a, c], [b, c], [b, d], [a, d], [a, c]])
        return np.concatenate([p + t[:-1, None] * (r - p) for p, r in pairwise(corners)])
    corners = np.stack(np.meshgrid(*box, indexing="ij"), axis=-1).reshape(-1, m)
    edges = [(p, r) for i, p in enumerate(corners) for r in corners[i + 1 :] if np.count_nonzero(p != r) == 1]
    return np.concatenate([p + t[:, None] * (r - p) for p, r in edges])
