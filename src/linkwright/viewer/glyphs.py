"""Signs for joints: a pin, a sleeve, a ball, a cross, so that a look tells the kind."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.algebra.pose import Pose, frame_with_z
from linkwright.mechanism import joints as kinds
from linkwright.mechanism.records import Body, Joint
from linkwright.mechanism.shapes import Capsule, Cylinder
from linkwright.viewer.automatic import travel
from linkwright.viewer.setting import Setting
from linkwright.viewer.solids import Solid, rod

JOINT_COLOUR = "#44403c"
DRIVEN_COLOUR = "#ee7733"


def glyph(scene: Setting, joint: Joint, driven: bool) -> list[Solid]:
    """The sign of one joint, on its parent's side and where needed on its child's."""
    near, far = scene.numbers[joint.parent], scene.numbers[joint.child]
    size, colour = radius(scene, joint), DRIVEN_COLOUR if driven else JOINT_COLOUR
    match joint.kind:
        case kinds.Revolute(axis):
            return [rod(near, size, joint.at, axis, 3.4 * size, colour)]
        case kinds.Prismatic(axis):
            return [_slider(scene, joint, axis, size, colour)]
        case kinds.Screw(axis) | kinds.Cylindrical(axis):
            return [
                sleeve(near, size, joint.at, axis, colour),
                rod(near, 0.8 * size, joint.at, axis, 5.0 * size, colour),
            ]
        case kinds.Universal(first, second):
            return [
                rod(near, 0.55 * size, joint.at, first, 3.6 * size, colour),
                rod(far, 0.55 * size, joint.child_at, second, 3.6 * size, colour),
            ]
        case kinds.Spherical():
            return [Solid("ball", far, joint.child_at, (1.25 * size,) * 3, colour)]
        case kinds.Planar(normal):
            return [Solid("box", near, _facing(joint.at, normal), (5.0 * size, 5.0 * size, 0.6 * size), colour)]
        case kinds.Fixed() | kinds.Floating() | kinds.Distance() | kinds.Modes() | kinds.Section():
            return []
        case other:
            raise TypeError(f"no sign for the joint {other!r}")


def _slider(scene: Setting, joint: Joint, axis: tuple[float, float, float], size: float, colour: str) -> Solid:
    """A sleeve at the end of the parent's rod when that lies on the axis, else on the child."""
    ends = [_along(joint, axis, point) for point in _rod_ends(scene.bodies.get(joint.parent))]
    far = max((x for x in ends if x is not None), default=None)
    if far is None:
        return sleeve(scene.numbers[joint.child], size, joint.child_at, axis, colour)
    return sleeve(scene.numbers[joint.parent], size, joint.at @ Pose.of(far * np.array(axis)), axis, colour)


def piston(scene: Setting, joint: Joint) -> tuple[np.ndarray, np.ndarray] | None:
    """The stretch between a telescope's two rods, a point of the parent and one of the child; None for other joints."""
    if not isinstance(joint.kind, kinds.Prismatic | kinds.Cylindrical):
        return None
    axis = np.array(joint.kind.axis)
    near = [_along(joint, joint.kind.axis, point) for point in _rod_ends(scene.bodies.get(joint.parent))]
    back = replace(joint, at=joint.child_at)
    far = [_along(back, joint.kind.axis, point) for point in _rod_ends(scene.bodies.get(joint.child))]
    on_parent, on_child = ([x for x in ends if x is not None] for ends in (near, far))
    if _bare(scene, joint.parent) and _bare(scene, joint.child):
        on_parent, on_child = [travel(scene, joint)[1]], [0.0]
    if not on_parent or not on_child:
        return None
    start, end = joint.at.R @ axis * max(on_parent), joint.child_at.R @ axis * min(on_child)
    return joint.at.r + start, joint.child_at.r + end


def _bare(scene: Setting, body: str) -> bool:
    return body in scene.bodies and not scene.bodies[body].shapes


def _rod_ends(body: Body | None) -> list[np.ndarray]:
    shapes = body.shapes if body else ()
    return [
        shape.pose.r + shape.pose.R @ np.array(end)
        for shape in shapes
        if isinstance(shape.solid, Capsule)
        for end in (shape.solid.start, shape.solid.end)
    ]


def _along(joint: Joint, axis: tuple[float, float, float], point: np.ndarray) -> float | None:
    """How far along a joint's axis a point of the parent lies; None when it is off the axis."""
    local = joint.at.R.T @ (point - joint.at.r)
    x = float(local @ np.array(axis))
    return x if np.linalg.norm(local - x * np.array(axis)) < 1e-6 else None


def sleeve(body: int, size: float, at: Pose, axis: tuple[float, float, float], colour: str) -> Solid:
    """A square sleeve along an axis."""
    return Solid("box", body, _facing(at, axis), (2.6 * size, 2.6 * size, 3.6 * size), colour)


def _facing(at: Pose, axis: tuple[float, float, float]) -> Pose:
    return at @ Pose.of(matrix=frame_with_z(np.asarray(axis)))


def radius(scene: Setting, joint: Joint) -> float:
    """Somewhat more than the rods that meet here, [m]."""
    bodies = [scene.bodies[name] for name in (joint.parent, joint.child) if name in scene.bodies]
    rods = [
        shape.solid.radius
        for body in bodies
        for shape in body.shapes
        if isinstance(shape.solid, Capsule | Cylinder) and shape.solid.radius < 5.0 * scene.unit
    ]
    return 1.25 * max(rods) if rods else 1.25 * scene.unit
