"""Typical sizes of a mechanism, so that lengths and angles can be compared and random starts land near it."""

from __future__ import annotations

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.loops.closure import Closure
from linkwright.mechanism.mechanism import Mechanism
from linkwright.numerics.tolerances import SLIGHT_ACCELERATION


@dataclass(frozen=True, eq=False)
class Scales:
    """One length [m] for the whole mechanism; per speed and per closure row what one unit of it counts."""

    length: float
    speeds: np.ndarray
    rows: np.ndarray


def scales_of_mechanism(mech: Mechanism, closure: Closure) -> Scales:
    """Scales of a mechanism."""
    length = characteristic_length(mech)
    rows = np.where(np.array(closure.lengths, dtype=bool), length, 1.0)
    return Scales(length, _velocity_unit_sizes(mech, length), closure.select(rows))


def slight_accelerations(mech: Mechanism) -> np.ndarray:
    """Slight accelerations (nv,) [rad/s^2, m/s^2]: a share of what gravity gives; of 1 rad/s^2 where there is none."""
    length = characteristic_length(mech)
    falling = float(np.linalg.norm(mech.gravity)) / length
    return SLIGHT_ACCELERATION * (falling or 1.0) * _velocity_unit_sizes(mech, length)


def characteristic_length(mech: Mechanism) -> float:
    """Mean distance between joints on a body, over the arms that are not zero; 1 m when there are none."""
    arms: list[float] = []
    for joint in (*mech.joints, *mech.loops):
        arms += [float(np.linalg.norm(pose.xyz)) for pose in (joint.at, joint.child_at)]
        if joint.kind.rod_length is not None:
            arms.append(joint.kind.rod_length)
    for name, values in mech.home:
        kind = next(j.kind for j in (*mech.joints, *mech.loops) if j.name == name)
        arms += [abs(x) for x, part in zip(values, kind.q_parts, strict=True) if is_length_part(part)]
    present = [float(x) for x in arms if x > 0]
    return float(np.mean(present)) if present else 1.0


def _velocity_unit_sizes(mech: Mechanism, length: float) -> np.ndarray:
    return np.array([_velocity_unit_size(part, length) for joint in mech.joints for part in joint.kind.v_parts])


def _velocity_unit_size(part: str, length: float) -> float:
    """Size of one unit of a velocity; deflections of beams stay small."""
    return 0.1 * length if part.startswith("eta") else length if is_length_part(part) else 1.0


def is_length_part(part: str) -> bool:
    """True if a part of a joint's coordinates or velocities is a length; the others are angles."""
    return part in ("length", "x", "y", "z", "vx", "vy", "vz")


def random_coordinates(mech: Mechanism, n: int, rng: np.random.Generator, limited: bool = True) -> np.ndarray:
    """Random coordinates (n, nq): within the joints' limits, else whole turns and about the mechanism's size."""
    columns: list[np.ndarray] = []
    ranges = iter(coordinate_ranges(mech, limited))
    for joint in mech.joints:
        for _ in joint.kind.q_parts:
            ends = next(ranges)
            columns.append(rng.normal(size=n) if ends is None else rng.uniform(*ends, size=n))
        if joint.kind.has_quaternion:
            columns[-4:] = np.array(columns[-4:]) / np.linalg.norm(columns[-4:], axis=0)
    return np.array(columns).T.reshape(n, len(columns))


def coordinate_ranges(mech: Mechanism, limited: bool = True) -> list[tuple[float, float] | None]:
    """Range of every coordinate from which random starts are drawn; None of the parts of quaternions."""
    length, found = characteristic_length(mech), []
    for joint in mech.joints:
        for i, part in enumerate(joint.kind.q_parts):
            spread = 2.0 * length if is_length_part(part) else np.pi
            low = joint.limits.lower[i] if limited and joint.limits.lower else -spread
            high = joint.limits.upper[i] if limited and joint.limits.upper else spread
            ends = float(max(low, -4.0 * spread)), float(min(high, 4.0 * spread))
            found.append(None if part.startswith("q") else ends)
    return found
