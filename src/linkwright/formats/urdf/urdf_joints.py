"""URDF links to bodies and joints to joints; the child's frame is the joint's frame, as URDF has it."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from linkwright.algebra.vectors import Vec3
from linkwright.forces import Friction
from linkwright.formats.written_inertia import possible_tensor
from linkwright.formats.xml import Element, Findings, color_text, corrected_tag, plain_numbers
from linkwright.joints import (
    Cylindrical,
    Fixed,
    Floating,
    JointKind,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from linkwright.mechanism import Body, Box, Capsule, Cylinder, Ellipsoid, Inertia, Joint, Limits, Mesh, Shape, Sphere
from linkwright.mechanism.names import suggest_name
from linkwright.numerics.tolerances import MANY_TURNS

# --- URDF joints to joints; the child's frame is the joint's frame, as URDF has it ------------------------------------

_KINDS = (
    "revolute",
    "continuous",
    "prismatic",
    "fixed",
    "floating",
    "planar",
    "spherical",
    "universal",
    "cylindrical",
    "screw",
)
_BOUNDED = ("revolute", "prismatic")


def read_urdf_joint(element: Element, found: Findings) -> Joint | None:
    """One joint; None when its problems leave nothing to build."""
    name = found.text(element, "name", "a joint")
    owner = f"joint '{name}'"
    ends = [_link_of_joint_end(element, tag, owner, found) for tag in ("parent", "child")]
    kind = joint_kind_of_element(element, owner, found)
    if kind is None or not all(ends):
        return None
    limits, friction = _limits_of_element(element, owner, found), _friction_of_dynamics(element, owner, found)
    at = found.origin(element, owner)
    return Joint(name, ends[0], ends[1], kind, at, limits=limits, friction=friction)


def _link_of_joint_end(element: Element, tag: str, owner: str, found: Findings) -> str:
    child = element.first(tag)
    if child is None:
        found.problem(f"{owner} has no <{tag}>", element, "missing-key", f'add <{tag} link="..."/>')
        return ""
    return found.text(child, "link", owner)


def joint_kind_of_element(element: Element, owner: str, found: Findings) -> JointKind | None:
    """The kind of joint from an element's type and axis; None and a problem when it is unknown."""
    written = element.attributes.get("type", "")
    match written:
        case "revolute" | "continuous":
            return Revolute(_axis_of_element(element, owner, found))
        case "prismatic":
            return Prismatic(_axis_of_element(element, owner, found))
        case "planar":
            return Planar(_axis_of_element(element, owner, found))
        case "fixed":
            return Fixed()
        case "floating":
            return Floating()
        case "spherical" | "ball":
            return Spherical()
        case "universal":
            return _universal_joint_kind(element, owner, found)
        case "cylindrical":
            return Cylindrical(_axis_of_element(element, owner, found))
        case "screw":
            return Screw(_axis_of_element(element, owner, found), _screw_pitch(element, owner, found))
    found.problem(f"{owner} has the type '{written}'{suggest_name(written, _KINDS)}", element, "unknown-name")
    return None


def _universal_joint_kind(element: Element, owner: str, found: Findings) -> Universal:
    """Two axes; Drake's universal joint has none and turns about x, then about y."""
    axes = [
        unit_axis(found.triple(axis, "xyz", owner, (1.0, 0.0, 0.0)))
        for axis in element.children
        if axis.tag[:4] == "axis"
    ]
    return Universal(axes[0], axes[1]) if len(axes) == 2 else Universal()


def _screw_pitch(element: Element, owner: str, found: Findings) -> float:
    """Drake's pitch is the advance in a full turn."""
    return found.number(element.first("drake:screw_thread_pitch"), "value", owner) / math.tau


def _axis_of_element(element: Element, owner: str, found: Findings) -> Vec3:
    """The unit axis; URDF's default is x. A zero axis stays as it is and is refused by the mechanism."""
    axis = element.first("axis")
    if axis is None:
        found.note(
            f"{owner} has no <axis>; the default of URDF was taken, x",
            code="default-axis",
            subject=element.attributes.get("name", ""),
            fix='write it, <axis xyz="..."/>',
            line=element.line,
        )
    return unit_axis((1.0, 0.0, 0.0) if axis is None else found.triple(axis, "xyz", owner, (1.0, 0.0, 0.0)))


def unit_axis(axis: Vec3) -> Vec3:
    """The unit vector along an axis; a zero axis stays as it is."""
    x, y, z = axis
    length = math.hypot(x, y, z)
    return axis if length in (0.0, 1.0) else (x / length, y / length, z / length)


def _limits_of_element(element: Element, owner: str, found: Findings) -> Limits:
    kind, limit = element.attributes.get("type", ""), element.first("limit")
    if kind not in (*_BOUNDED, "continuous"):
        if limit is not None and kind != "fixed":
            found.note(f"{owner}: <limit> of a {kind} joint dropped", code="dropped-limit", subject=owner)
        return Limits()
    if limit is None:
        if kind in _BOUNDED:
            found.note(f"{owner}: no <limit>; taken as unlimited")
        return Limits()
    lower, upper = _range_of_limit(limit, kind, element, found)
    speed, effort = (_positive_bound(limit, name, owner, found) for name in ("velocity", "effort"))
    return Limits(lower, upper, speed, effort)


def _range_of_limit(
    limit: Element, kind: str, joint: Element, found: Findings
) -> tuple[tuple[float, ...], tuple[float, ...]]:
    """The range of a joint's coordinate; none for a continuous joint, an endless range, and a crossed one."""
    name = joint.attributes.get("name", "")
    owner, written = f"joint '{name}'", {"lower", "upper"} & limit.attributes.keys()
    if kind not in _BOUNDED:
        if any(found.bound(limit, each, owner, 0.0) for each in written):
            text, fix = (
                f"{owner} is continuous, and its lower and upper limit are dropped",
                'write type="revolute" to keep',
            )
            found.note(text, code="dropped-limit", subject=name, fix=f"{fix} them", line=limit.line)
        return (), ()
    if not written:
        found.note(f"{owner}: <limit> without lower and upper; taken as unlimited in position", subject=name)
        return (), ()
    lower, upper = found.bound(limit, "lower", owner, 0.0), found.bound(limit, "upper", owner, 0.0)
    if lower > upper:
        text = f"{owner} has a lower limit {lower:g} above its upper limit {upper:g}; taken as unlimited in position"
        turned = corrected_tag(
            limit, lower=limit.attributes.get("upper", "0"), upper=limit.attributes.get("lower", "0")
        )
        fix = f"if they are exchanged, write {turned}"
        found.note(text, "warning", "crossed-limits", name, (lower, upper), fix, limit.line)
        return (), ()
    if math.isinf(lower) or math.isinf(upper):
        if math.isfinite(lower) or math.isfinite(upper):
            text = f"{owner} is bounded on one side only; taken as unlimited in position"
            found.note(text, "warning", "dropped-limit", name, (str(lower), str(upper)), line=limit.line)
        return (), ()
    if kind == "revolute" and max(abs(lower), abs(upper)) > MANY_TURNS:
        text = f"{owner} has the limits {lower:g} and {upper:g} rad, {(upper - lower) / math.tau:.1f} turns"
        radians = {"lower": plain_numbers([math.radians(lower)]), "upper": plain_numbers([math.radians(upper)])}
        fix = f"if degrees were meant, write {corrected_tag(limit, **radians)}"
        found.note(text, "warning", "many-turns", name, (lower, upper), fix, limit.line)
    return (lower,), (upper,)


def _positive_bound(limit: Element, name: str, owner: str, found: Findings) -> tuple[float, ...]:
    if name not in limit.attributes:
        return ()
    value = found.bound(limit, name, owner, 0.0)
    if value == math.inf:
        return ()
    if value <= 0.0:
        found.note(f"{owner}: {name} limit {value:g} taken as no limit")
        return ()
    return (value,)


def _friction_of_dynamics(element: Element, owner: str, found: Findings) -> Friction | None:
    dynamics = element.first("dynamics")
    viscous, coulomb = found.number(dynamics, "damping", owner), found.number(dynamics, "friction", owner)
    if viscous == 0.0 and coulomb == 0.0:
        return None
    if element.attributes.get("type") not in (*_BOUNDED, "continuous"):
        text = f"{owner}: <dynamics> of a {element.attributes.get('type')} joint dropped"
        found.note(text, "warning", "dropped-friction", owner, (viscous, coulomb))
        return None
    return Friction((viscous,) if viscous else (), (coulomb,) if coulomb else ())


# --- URDF links to bodies: inertia turned into the link's axes, simple geometry to shapes -----------------------------


def body_of_link(link: Element, colors: dict[str, str], found: Findings) -> Body:
    """A link as a body whose frame is the link frame."""
    name = found.text(link, "name", "a link")
    owner = f"link '{name}'"
    return Body(name, _inertia_of_link(link, owner, found), _shapes_of_visuals(link, owner, colors, found))


def _inertia_of_link(link: Element, owner: str, found: Findings) -> Inertia:
    inertial = link.first("inertial")
    if inertial is None:
        return Inertia()
    mass, moments = inertial.first("mass"), inertial.first("inertia")
    if mass is None:
        text, fix = f"{owner}: <inertial> has no <mass>, so that the link weighs nothing", 'add <mass value="..."/>'
        found.note(text, "error", "dropped-mass", owner, fix=fix, line=inertial.line)
        return Inertia()
    origin = found.origin(inertial, owner)
    e = {key: found.number(moments, f"i{key}", owner) for key in ("xx", "yy", "zz", "xy", "xz", "yz")}
    rows = [[e["xx"], e["xy"], e["xz"]], [e["xy"], e["yy"], e["yz"]], [e["xz"], e["yz"], e["zz"]]]
    R = origin.R
    turned = R @ rows @ R.T
    texts = () if moments is None else (moments.attributes.get(f"i{key}", "") for key in e)
    line = inertial.line if moments is None else moments.line
    symmetric = possible_tensor((turned + turned.T) / 2.0, texts, owner, found, line, tag_of_tensor(moments, R))
    tensor: Any = tuple(tuple(float(x) for x in row) for row in symmetric)
    return Inertia(found.number(mass, "value", owner), origin.xyz, tensor)


def tag_of_tensor(moments: Element | None, R: Any) -> Callable[[Any], str]:
    """The text of an <inertia> for a tensor in the link's axes; R are the axes that it is written in."""

    def text(tensor: Any) -> str:
        rows = R.T @ tensor @ R
        keys = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}
        written = {key: plain_numbers([rows[at]]) for key, at in keys.items()}
        return corrected_tag(Element("inertia", {}, 0) if moments is None else moments, **written)

    return text


def _shapes_of_visuals(link: Element, owner: str, colors: dict[str, str], found: Findings) -> tuple[Shape, ...]:
    shapes = []
    for visual in link.all("visual"):
        geometry, about = visual.first("geometry"), Findings()
        solids = geometry.children if geometry is not None else []
        for solid in solids:
            drawn = _solid_of_geometry(solid, owner, about)
            if drawn is not None:
                shape = Shape(drawn, about.origin(visual, owner), _color_of_visual(visual, owner, colors, about))
                shapes += [] if about.problems else [shape]
        found.notes += about.notes
        for problem in about.problems:  # what is only drawn refuses no robot
            text = f"{problem.message}; left out of the drawing"
            found.note(text, code="dropped-mesh", subject=owner, line=problem.line)
    return tuple(shapes)


def _solid_of_geometry(
    solid: Element, owner: str, found: Findings
) -> Box | Cylinder | Sphere | Capsule | Ellipsoid | Mesh | None:
    match solid.tag:
        case "box":
            return Box(found.triple(solid, "size", owner))
        case "cylinder":
            return Cylinder(found.number(solid, "radius", owner), found.number(solid, "length", owner))
        case "sphere":
            return Sphere(found.number(solid, "radius", owner))
        case "capsule" | "drake:capsule":
            half = 0.5 * found.number(solid, "length", owner)
            return Capsule(found.number(solid, "radius", owner), (0.0, 0.0, -half), (0.0, 0.0, half))
        case "drake:ellipsoid":
            a, b, c = (found.number(solid, axis, owner) for axis in "abc")
            return Ellipsoid((a, b, c))
        case "mesh":
            return Mesh(found.text(solid, "filename", owner), _scale_of_mesh(solid, owner, found))
    found.note(f"{owner}: geometry <{solid.tag}> left out of the drawing")
    return None


def _scale_of_mesh(solid: Element, owner: str, found: Findings) -> Vec3:
    """Three factors, or one for all axes."""
    written = solid.attributes.get("scale", "1 1 1").split()
    if len(written) == 1:
        factor = found.number(solid, "scale", owner, 1.0)
        return (factor, factor, factor)
    return found.triple(solid, "scale", owner, (1.0, 1.0, 1.0))


def _color_of_visual(visual: Element, owner: str, colors: dict[str, str], found: Findings) -> str | None:
    material = visual.first("material")
    if material is None:
        return None
    return color_of_material(material, owner, found) or colors.get(material.attributes.get("name", ""))


def color_of_material(material: Element, owner: str, found: Findings) -> str | None:
    """A material's color as text, if it has one."""
    element = material.first("color")
    if element is None:
        return None
    return color_text(found.numbers(element, "rgba", owner, (0.5, 0.5, 0.5, 1.0)))
