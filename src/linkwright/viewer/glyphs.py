"""Signs for joints, one for each kind, and where on its axis the pin of a turning joint lies."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from linkwright.algebra.sums import float_if_known, nominal_array
from linkwright.algebra.transforms import RigidTransform, frame_with_z
from linkwright.dataclass import dataclass
from linkwright.joints import GlyphPart
from linkwright.mechanism.records import Body, Joint
from linkwright.mechanism.shapes import Box, Capsule, Cylinder, Shape, Sphere
from linkwright.numerics.tolerances import PARALLEL_AXES, TINY, WRITTEN_DIGITS
from linkwright.viewer.automatic_shapes import is_carried, is_telescope, tube_end
from linkwright.viewer.scene_setting import FirstPose
from linkwright.viewer.solids import Solid, rod_solid

# --- where on its axis the pin of a turning joint lies: between what is drawn of its two bodies -----------------------

Array = np.ndarray
Vec3 = tuple[float, float, float]
_STEPS = 41


@dataclass(frozen=True)
class OnAxis:
    """The part of a joint's axis inside the shapes of one body, from low to high [m] of its origin.

    `rod` is the radius [m] of a rod along the axis, 0 when there is none.
    """

    low: float
    high: float
    rod: float


def axis_inside_shapes(shapes: tuple[Shape, ...], at: RigidTransform, axis: Vec3) -> OnAxis | None:
    """The part of an axis inside shapes, given in their body; None where it meets none of them."""
    found = [part for shape in shapes if (part := _axis_inside_shape(shape, at, axis)) is not None]
    if not found:
        return None
    return OnAxis(min(p.low for p in found), max(p.high for p in found), max(p.rod for p in found))


def contact_point(near: OnAxis | None, far: OnAxis | None) -> float:
    """The point of the axis where two bodies meet: its origin where that is inside both, else the middle between them.

    >>> other = OnAxis(0.3, 0.5, 0.0)
    >>> contact_point(OnAxis(-0.1, 0.1, 0.0), other), contact_point(OnAxis(-0.1, 0.4, 0.0), other)
    (0.2, 0.35)
    """
    if near is None or far is None or all(side.low <= 0.0 <= side.high for side in (near, far)):
        return 0.0
    inner, outer = max(near.low, far.low), min(near.high, far.high)
    return 0.5 * (inner + outer)


def _axis_inside_shape(shape: Shape, at: RigidTransform, axis: Vec3) -> OnAxis | None:
    """The part of an axis inside one shape, by what is drawn near it."""
    local = shape.pose.inverse @ at
    r, n = local.r, local.R @ np.array(axis)
    match shape.solid:
        case Capsule(radius, start, end):
            return _of_rod(np.array(start), np.array(end), radius, radius, r, n)
        case Cylinder(radius, length):
            half = np.array([0.0, 0.0, 0.5 * length])
            return _of_rod(-half, half, radius, 0.0, r, n)
        case Sphere(radius):
            return _of_rod(np.zeros(3), np.zeros(3), radius, radius, r, n)
        case Box(size):
            return _of_box(np.array(size), r, n)
    return None


def _of_rod(a: Array, b: Array, radius: float, cap: float, r: Array, n: Array) -> OnAxis | None:
    """A rod from a to b with round ends of a radius, in whose frame the axis goes through r along n."""
    points = a + np.linspace(0.0, 1.0, _STEPS)[:, None] * (b - a) - r
    x = points @ n
    near = np.linalg.norm(nominal_array(points - x[:, None] * n), axis=1) < radius
    if not near.any():
        return None
    length = np.linalg.norm(b - a)
    parallel = length > radius and abs((b - a) @ n) > 0.99 * length
    beyond = cap if parallel else radius
    return OnAxis(x[near].min() - beyond, x[near].max() + beyond, radius if parallel else 0.0)


def _of_box(size: Array, r: Array, n: Array) -> OnAxis | None:
    """A box about the origin of its frame, where the line r + x n enters and leaves it."""
    inside = np.abs(r) <= 0.5 * size
    across = np.abs(n) < PARALLEL_AXES
    if (across & ~inside).any():
        return None
    ends = np.sort(np.stack([-0.5 * size - r, 0.5 * size - r])[:, ~across] / n[~across], axis=0)
    low, high = ends[0].max(), ends[1].min()
    return OnAxis(low, high, 0.0) if low < high else None


# --- signs for joints: a pin, a sleeve, a ball, a cross, one for each kind --------------------------------------------

JOINT_COLOR = "#44403c"
DRIVEN_COLOR = "#f48c66"
SPRING_COLOR = "#b0a030"
_FATTER = 1.45  # times the links that meet at a joint: what is wider there belongs to the base and stays in sight
_THICK = 5.0  # times the half thickness of an ordinary link


def joint_glyph(scene: FirstPose, joint: Joint, driven: bool) -> list[Solid]:
    """The sign of one joint, on its parent's side and where needed on its child's."""
    size, color = glyph_radius(scene, joint), DRIVEN_COLOR if driven else JOINT_COLOR
    if is_carried(scene, joint):
        return []
    return [solid for part in joint.kind.draw_glyph() for solid in _part_solids(scene, joint, part, size, color)]


def _part_solids(scene: FirstPose, joint: Joint, part: GlyphPart, size: float, color: str) -> list[Solid]:
    body, at = ((joint.parent, joint.at), (joint.child, joint.child_at))[part.side]
    number, wide = scene.numbers[body], part.radius * size
    match part.shape:
        case "pin":
            return _pin_solids(scene, joint, part.axis, size, color)
        case "slider":
            return _slider_solids(scene, joint, part.axis, size if size < _THICK * scene.unit else 0.65 * size, color)
        case "sleeve":
            return [square_sleeve(number, wide, at, part.axis, color)]
        case "rod":
            return [rod_solid(number, wide, at, part.axis, part.length * size, color)]
        case "ball":
            return [Solid("ball", number, at, (wide,) * 3, color)]
        case "plate":
            return [Solid("box", number, _transform_with_z(at, part.axis), (wide, wide, part.length * size), color)]


def _pin_solids(
    scene: FirstPose, joint: Joint, axis: tuple[float, float, float], size: float, color: str
) -> list[Solid]:
    """A pin where the two bodies meet on the axis, a collar where a rod goes along it; beside it the spring."""
    offset, collar = pin_on_axis(scene, joint, axis)
    at = joint.at @ RigidTransform.of(offset * np.array(axis))
    length = 0.9 * collar if collar else pin_length(scene, joint, axis, size)
    size = collar or size
    body = scene.numbers[joint.parent]
    if joint.spring is None or not any(joint.spring.stiffness):
        return [rod_solid(body, size, at, axis, length, color)]
    beside = at @ RigidTransform.of(0.5 * length * np.array(axis))
    spiral = Solid("spiral", body, _transform_with_z(beside, axis), (2.4 * size,) * 3, SPRING_COLOR)
    return [rod_solid(body, size, at, axis, length, color), spiral]


def pin_on_axis(scene: FirstPose, joint: Joint, axis: tuple[float, float, float]) -> tuple[float, float]:
    """Position of a pin along its axis [m], and its radius [m] where it is a collar of a rod along the axis, else 0."""
    sides = [
        axis_inside_shapes(_shapes_of_body(scene, name), at, axis)
        for name, at in ((joint.parent, joint.at), (joint.child, joint.child_at))
    ]
    rods = [side.rod for side in sides if side is not None and side.rod > 0.0]
    return contact_point(*sides), 1.12 * min(rods, default=0.0)


def _slider_solids(
    scene: FirstPose, joint: Joint, axis: tuple[float, float, float], size: float, color: str
) -> list[Solid]:
    """A sleeve at the end of the parent's rod when that lies on the axis, else on the child; a drawn block is its own
    sign and gets a band when it is driven."""
    ends = [_distance_along_axis(joint, axis, point) for point in _rod_ends(scene.bodies.get(joint.parent))]
    far = max((x for x in ends if x is not None), default=None)
    far = tube_end(scene, joint) if is_telescope(scene, joint) else far
    if far is not None:
        return [
            square_sleeve(
                scene.numbers[joint.parent], size, joint.at @ RigidTransform.of(far * np.array(axis)), axis, color
            )
        ]
    block = next((s for s in _shapes_of_body(scene, joint.child) if isinstance(s.solid, Box)), None)
    if block is None:
        return [square_sleeve(scene.numbers[joint.child], size, joint.child_at, axis, color)]
    return [_band_solids(scene, joint, axis, block, color)] if color == DRIVEN_COLOR else []


def piston_segment(scene: FirstPose, joint: Joint) -> tuple[np.ndarray, np.ndarray] | None:
    """The segment between a telescope's two rods, a point of the parent and one of the child; None for other joints."""
    if not joint.kind.slides_along_axis:
        return None
    axis = np.array(joint.kind.axes[0])
    near = [
        _distance_along_axis(joint, joint.kind.axes[0], point) for point in _rod_ends(scene.bodies.get(joint.parent))
    ]
    back = replace(joint, at=joint.child_at)
    far = [_distance_along_axis(back, joint.kind.axes[0], point) for point in _rod_ends(scene.bodies.get(joint.child))]
    on_parent, on_child = ([x for x in ends if x is not None] for ends in (near, far))
    if is_telescope(scene, joint):
        on_parent, on_child = [tube_end(scene, joint)], [0.0]
    if not on_parent or not on_child:
        return None
    start, end = joint.at.R @ axis * max(on_parent), joint.child_at.R @ axis * min(on_child)
    return joint.at.r + start, joint.child_at.r + end


def _rod_ends(body: Body | None) -> list[np.ndarray]:
    shapes = body.shapes if body else ()
    return [
        shape.pose.r + shape.pose.R @ np.array(end)
        for shape in shapes
        if isinstance(shape.solid, Capsule)
        for end in (shape.solid.start, shape.solid.end)
    ]


def _distance_along_axis(joint: Joint, axis: tuple[float, float, float], point: np.ndarray) -> float | None:
    """Distance of a point of the parent along a joint's axis; None when it is off the axis."""
    local = joint.at.R.T @ (point - joint.at.r)
    x = local @ np.array(axis)
    return x if np.linalg.norm(local - x * np.array(axis)) < WRITTEN_DIGITS else None


def square_sleeve(body: int, size: float, at: RigidTransform, axis: tuple[float, float, float], color: str) -> Solid:
    """A square sleeve along an axis."""
    return Solid("box", body, _transform_with_z(at, axis), (2.6 * size, 2.6 * size, 3.6 * size), color)


def _transform_with_z(at: RigidTransform, axis: tuple[float, float, float]) -> RigidTransform:
    return at @ RigidTransform.of(matrix=frame_with_z(np.asarray(axis)))


def _band_solids(scene: FirstPose, joint: Joint, axis: tuple[float, float, float], block: Shape, color: str) -> Solid:
    """A band round the block that slides; a sleeve would hide inside it."""
    assert isinstance(block.solid, Box)
    along = np.abs(block.pose.R.T @ joint.child_at.R @ np.array(axis))
    size = np.where(np.arange(3) == along.argmax(), 0.4, 1.08) * block.solid.size
    return Solid("box", scene.numbers[joint.child], block.pose, _three_floats(size), color)


def _shapes_of_body(scene: FirstPose, body: str) -> tuple[Shape, ...]:
    return scene.bodies[body].shapes if body in scene.bodies else scene.mech.base_shapes


def _three_floats(size: np.ndarray) -> tuple[float, float, float]:
    return float_if_known(size[0]), float_if_known(size[1]), float_if_known(size[2])


def pin_length(scene: FirstPose, joint: Joint, axis: tuple[float, float, float], size: float) -> float:
    """Length of a pin [m] that looks out of rods, and of blocks that it crosses the short way."""
    blocks = [
        np.abs(shape.pose.R.T @ at.R @ np.array(axis)) @ np.array(shape.solid.size)
        for shape, at in _shapes_at_joint(scene, joint)
        if isinstance(shape.solid, Box)
        and (np.abs(_point_in_shape(shape, at)) < 0.5 * np.array(shape.solid.size)).all()
        if np.abs(shape.pose.R.T @ at.R @ np.array(axis)) @ np.array(shape.solid.size) < 0.9 * max(shape.solid.size)
    ]
    return max(3.4 * size if size < _THICK * scene.unit else 2.4 * size, 1.15 * max(blocks, default=0.0))


def glyph_radius(scene: FirstPose, joint: Joint) -> float:
    """Radius [m] somewhat larger than that of the rods that meet here."""
    rods = [
        (s.solid.radius, _is_inside_rod(s, at))
        for s, at in _shapes_at_joint(scene, joint)
        if isinstance(s.solid, Capsule | Cylinder)
    ]
    own = [
        s.solid for name in (joint.parent, joint.child) if name in scene.bodies for s in _shapes_of_body(scene, name)
    ]
    moving = [solid.radius for solid in own if isinstance(solid, Capsule | Cylinder)]
    fat = _FATTER * max(moving, default=scene.unit)
    thick = [r for r, meets in rods if meets and r < fat]  # an actuator's housing is not a rod
    thin = [r for r in moving if r < _THICK * scene.unit]
    widest = max(thick or thin, default=scene.unit)
    return (1.25 if widest < _THICK * scene.unit else 1.06) * widest


def _shapes_at_joint(scene: FirstPose, joint: Joint) -> list[tuple[Shape, RigidTransform]]:
    """The shapes of both bodies of a joint, with the joint's pose in each."""
    sides = ((joint.parent, joint.at), (joint.child, joint.child_at))
    return [(shape, at) for name, at in sides for shape in _shapes_of_body(scene, name)]


def _point_in_shape(shape: Shape, at: RigidTransform) -> np.ndarray:
    return shape.pose.R.T @ (at.r - shape.pose.r)


def _is_inside_rod(shape: Shape, at: RigidTransform) -> bool:
    """Return True if a joint lies inside a rod; discs do not count."""
    match shape.solid:
        case Capsule(radius, start, end):
            a, b = np.array(start), np.array(end)
        case Cylinder(radius, length):
            a, b = np.array([0.0, 0.0, -0.5 * length]), np.array([0.0, 0.0, 0.5 * length])
            if length < 2.0 * radius:
                return False
        case _:
            return False
    along = b - a
    share = min(max((_point_in_shape(shape, at) - a) @ along / max(along @ along, TINY), 0.0), 1.0)
    return bool(np.linalg.norm(_point_in_shape(shape, at) - a - share * along) < radius)


def is_sprung_slider(scene: FirstPose, joint: Joint) -> bool:
    """Return True if a joint slides on a spring that is long enough to be seen."""
    if not joint.kind.slides_along_axis or joint.spring is None:
        return False
    stiff = joint.spring.stiffness[joint.kind.q_parts.index("length")] != 0.0
    return stiff and max(map(abs, scene.reach.get(joint.name, (0.0, 0.0)))) > 2.0 * scene.unit
