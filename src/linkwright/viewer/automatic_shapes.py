"""Shapes for bodies whose file gives none: rods between joints, plates, sliders and rails."""

from __future__ import annotations

from itertools import combinations

import numpy as np

from linkwright.algebra.sums import nominal_array
from linkwright.algebra.transforms import RigidTransform, frame_with_z
from linkwright.mechanism.records import Body, Joint
from linkwright.numerics.dense import singular_values
from linkwright.numerics.tolerances import TINY, UNSEEN
from linkwright.viewer.scene_setting import FirstPose
from linkwright.viewer.solids import GRAY, Solid, capsule_solids, off_plane, plate_solids

Array = np.ndarray
# Tol's bright scheme, distinguishable by the color-blind; green is the platform's, gray the base's.
COLORS = ("#4477aa", "#66ccee", "#ccbb44", "#ee6677", "#aa3377", "#bbbbbb")
PLATFORM = "#228833"


def body_color(scene: FirstPose, body: str) -> str:
    """Green for the platform, else by the number of joints to the base."""
    if body == scene.mech.base:
        return GRAY
    frames = {frame.name: frame.body for frame in scene.mech.frames}
    if body == frames.get(scene.mech.platform or ""):
        return PLATFORM
    return COLORS[(scene.depths[body] - 1) % len(COLORS)]


def link_solids(scene: FirstPose, body: Body, points: Array, own: Joint) -> list[Solid]:
    """A rod, star or plate through the body's points (n, 3), and a block where it slides."""
    number, color = scene.numbers[body.name], body_color(scene, body.name)
    tubes = {name for joint in scene.mech.joints if is_telescope(scene, joint) for name in (joint.parent, joint.child)}
    solids = _solids_through_points(
        number, points if body.name in tubes else with_tip(body, points, scene), scene.unit, color
    )
    if own.kind.slides_along_axis and not is_telescope(scene, own):
        solids.append(_slider_block(number, own.child_at, own.kind.axes[0], scene.unit, color))
    return solids


def with_tip(body: Body, points: Array, scene: FirstPose) -> Array:
    """The points, and for a body with a single one the far end that a uniform rod with its mass center would have."""
    com = np.array(body.inertia.com)
    if len(points) == 1 and np.linalg.norm(com - points[0]) > scene.unit:
        return np.vstack([points, 2.0 * com - points[0]])
    return points


def distinct_points(points: list[Array], size: float) -> Array:
    """Points (n, 3) without those that coincide with earlier ones."""
    kept: list[Array] = []
    for p in points:
        if all(np.linalg.norm(p - k) > UNSEEN * size for k in kept):
            kept.append(p)
    return np.array(kept).reshape(-1, 3)


def _solids_through_points(number: int, points: Array, radius: float, color: str) -> list[Solid]:
    if len(points) == 0:
        return []
    if len(points) == 1:
        return capsule_solids(number, 1.4 * radius, points[0], points[0], color)
    spread = singular_values(nominal_array(points - points.mean(axis=0)))
    if len(points) == 2 or spread[1] < 1e-3 * spread[0]:
        along = points @ (points[-1] - points[0])
        return capsule_solids(number, radius, points[along.argmin()], points[along.argmax()], color)
    if len(points) == 3 or off_plane(points) < radius:
        return plate_solids(number, points, radius, color, convex=True) + _rim_balls(
            number, points, 0.6 * radius, color
        )
    flat, off = _mostly_flat(points, radius)
    middle = flat.mean(axis=0)
    arms = [
        solid for p in (off if len(off) else points) for solid in capsule_solids(number, 0.8 * radius, middle, p, color)
    ]
    return arms if not len(off) else _solids_through_points(number, flat, radius, color) + arms


def _mostly_flat(points: Array, thickness: float) -> tuple[Array, Array]:
    """The points of a plate and the one or two that stick out of it; all and none when there is no such plate."""
    for count in (1, 2) if len(points) <= 12 else ():
        outs = [list(out) for out in combinations(range(len(points)), count) if len(points) - count >= 3]
        flat = [out for out in outs if off_plane(np.delete(points, out, axis=0)) < 0.1 * thickness]
        if flat:
            best = max(flat, key=lambda out: _plane_roundness(np.delete(points, out, axis=0)))
            return np.delete(points, best, axis=0), points[best]
    return points, points[:0]


def _plane_roundness(points: Array) -> float:
    """Breadth over length of points in a plane; 1 for a regular polygon, 0 for a line."""
    spread = singular_values(nominal_array(points - points.mean(axis=0)))
    return float(spread[1] / max(spread[0], TINY))


def _rim_balls(number: int, points: Array, radius: float, color: str) -> list[Solid]:
    return [solid for p in points for solid in capsule_solids(number, radius, p, p, color)]


def _slider_block(number: int, at: RigidTransform, axis: tuple[float, float, float], unit: float, color: str) -> Solid:
    frame = at @ RigidTransform.of(matrix=frame_with_z(axis))
    return Solid("box", number, frame, (2.6 * unit, 2.6 * unit, 6.0 * unit), color)


def rail_solids(scene: FirstPose, joint: Joint, color: str) -> list[Solid]:
    """The rail of a sliding joint on its parent, as long as the travel; of a telescope the outer tube."""
    outer = is_telescope(scene, joint)
    ends = (0.0, tube_end(scene, joint)) if outer else rail_travel(scene, joint)
    beyond = 0.0 if outer else 2.5 * scene.unit
    axis, at = np.array(joint.kind.axes[0]), joint.at
    start, end = (at.r + at.R @ axis * x for x in (ends[0] - beyond, ends[1] + beyond))
    return capsule_solids(scene.numbers[joint.parent], (1.0 if outer else 0.6) * scene.unit, start, end, color)


def is_telescope(scene: FirstPose, joint: Joint) -> bool:
    """Return True if a joint slides between two moving bodies that no file draws."""
    bodies = [scene.bodies.get(name) for name in (joint.parent, joint.child)]
    return joint.kind.slides_along_axis and all(body is not None and not body.shapes for body in bodies)


def tube_end(scene: FirstPose, joint: Joint) -> float:
    """End of a telescope's outer tube along its axis [m], so that the inner one is seen when drawn in most."""
    return 0.6 * min(scene.reach.get(joint.name, (0.0, 0.0)), key=abs)


def rail_travel(scene: FirstPose, joint: Joint) -> tuple[float, float]:
    """Range [m] of a rail: the joint's limits, else what was seen, the origin included."""
    index = [part.unit for part in joint.kind.coordinates].index("m")
    seen = scene.reach.get(joint.name, (0.0, 0.0))
    low = joint.limits.lower[index] if joint.limits.lower else -np.inf
    high = joint.limits.upper[index] if joint.limits.upper else np.inf
    low = low if abs(low) < np.inf else min(seen[0], 0.0)
    high = high if abs(high) < np.inf else max(seen[1], 0.0)
    return (low, high) if high - low > UNSEEN * scene.extent else (low - 0.1 * scene.extent, high + 0.1 * scene.extent)


def is_carried(scene: FirstPose, joint: Joint) -> bool:
    """Return True if a joint only lets a body move that others hold: a floating one, or a planar one in a loop."""
    closed = {name for loop in scene.mech.loops for name in (loop.parent, loop.child)}
    held = joint.parent == scene.mech.base and joint.child in closed
    loose = joint.kind.nv >= 3 and not joint.kind.keeps_origin
    return joint.kind.floats or (loose and held)


def base_frame(scene: FirstPose, points: Array) -> list[Solid]:
    """A torso or frame through the joints of a base, (n, 3); the ground of a planar mechanism is not drawn."""
    if len(points) < 2 or scene.normal is not None:
        return []
    return _solids_through_points(-1, points, scene.unit, GRAY)


def pedestal_solids(scene: FirstPose, joint: Joint) -> list[Solid]:
    """A gray foot under a joint of the base."""
    at = joint.at.r
    return [Solid("ball", -1, RigidTransform.of(at), (1.7 * scene.unit,) * 3, GRAY)]
