"""Loops and couplings in <gazebo> blocks of a URDF: joints of SDF between two links, and plugins that couple joints."""

from __future__ import annotations

from collections.abc import Iterator

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.algebra.vectors import Vec3
from linkwright.formats.sdf.scenes import MODEL, numbers_of_child, pose_of, text_of_child
from linkwright.formats.urdf.urdf_joints import unit_axis
from linkwright.formats.xml import Element, Findings
from linkwright.joints import Fixed, JointKind, Prismatic, Revolute, Spherical, Universal
from linkwright.mechanism import Coupling, Joint

_AXES = {"revolute": ("axis",), "continuous": ("axis",), "prismatic": ("axis",), "universal": ("axis", "axis2")}
_AXES |= {"revolute2": ("axis", "axis2"), "ball": (), "fixed": ()}


def gazebo_joint_elements(root: Element) -> Iterator[Element]:
    """Joints of <gazebo> blocks of the robot that are read: of a known type, between two of its links."""
    links = {link.attributes.get("name", "") for link in root.all("link")}
    for block in (each for each in root.all("gazebo") if not each.attributes.get("reference")):
        for element in block.all("joint"):
            ends = {text_of_child(element, "parent"), text_of_child(element, "child")}
            if len(ends) == 2 and ends <= links and element.attributes.get("type") in _AXES:
                yield element


def gazebo_loop_joints(root: Element, joints: list[Joint], found: Findings) -> Iterator[tuple[Joint, Element]]:
    """The joints of <gazebo> blocks; as in Gazebo each joins its links as the robot is drawn, at zero coordinates."""
    elements = list(gazebo_joint_elements(root))
    drawn = drawn_link_poses(joints) if elements else {}
    for element in elements:
        name = found.text(element, "name", "a joint of <gazebo>")
        near, far = text_of_child(element, "parent"), text_of_child(element, "child")
        if near not in drawn or far not in drawn:
            continue
        pose, relative_to = pose_of(element, f"joint '{name}' of <gazebo>", found)
        at = (IDENTITY if relative_to == MODEL else drawn.get(relative_to, drawn[far])) @ pose
        kind = _kind_of_element(element, name, at, drawn, found)
        _note_forces_of_axis(element, name, found)
        yield Joint(name, near, far, kind, drawn[near].inverse @ at, drawn[far].inverse @ at), element


def drawn_link_poses(joints: list[Joint]) -> dict[str, RigidTransform]:
    """Poses of all links at zero coordinates, in the frame of the first root."""
    children, poses = {joint.child for joint in joints}, dict[str, RigidTransform]()
    waiting = list(joints)
    for joint in joints[:1]:
        top = joint.parent
        while top in children:
            top = next(each.parent for each in joints if each.child == top)
        poses[top] = IDENTITY
    while ready := [joint for joint in waiting if joint.parent in poses]:
        for joint in ready:
            poses.setdefault(joint.child, poses[joint.parent] @ joint.at @ joint.child_at.inverse)
        waiting = [joint for joint in waiting if joint not in ready]
    return poses


def _kind_of_element(
    element: Element, name: str, at: RigidTransform, drawn: dict[str, RigidTransform], found: Findings
) -> JointKind:
    written = element.attributes["type"]
    axes = [_axis_in_joint(element.first(tag), name, at, drawn, found) for tag in _AXES[written]]
    match written:
        case "ball":
            return Spherical()
        case "fixed":
            return Fixed()
        case "prismatic":
            return Prismatic(*axes)
        case "universal" | "revolute2":
            return Universal(*axes)
    return Revolute(*axes)


def _axis_in_joint(
    axis: Element | None, name: str, at: RigidTransform, drawn: dict[str, RigidTransform], found: Findings
) -> Vec3:
    """A unit axis in the joint's frame; it may be written in the frame of a link or of the whole robot."""
    owner, xyz = f"joint '{name}' of <gazebo>", None if axis is None else axis.first("xyz")
    x, y, z = numbers_of_child(axis, "xyz", owner, found, (0.0, 0.0, 1.0))
    frame = "" if xyz is None else xyz.attributes.get("expressed_in", "")
    if frame == MODEL or text_of_child(axis, "use_parent_model_frame") in ("true", "1"):
        x, y, z = (float(part) for part in at.R.T @ (x, y, z))
    elif frame in drawn:
        x, y, z = (float(part) for part in at.R.T @ drawn[frame].R @ (x, y, z))
    return unit_axis((x, y, z))


def _note_forces_of_axis(element: Element, name: str, found: Findings) -> None:
    """Springs and friction of such a joint are not read."""
    for axis in (child for child in element.children if child.tag in ("axis", "axis2")):
        dynamics = axis.first("dynamics")
        for tag in ("damping", "friction", "spring_stiffness"):
            (value,) = numbers_of_child(dynamics, tag, f"joint '{name}' of <gazebo>", found, (0.0,))
            if value:
                text = f"joint '{name}' of <gazebo>: <{tag}> {value:g} dropped"
                found.note(text, "warning", "dropped-force", name, value, line=axis.line)


# --- plugins that couple two joints -----------------------------------------------------------------------------------


def mimic_plugins(root: Element) -> Iterator[Element]:
    """Plugins that make one joint follow another and name both."""
    for block in root.all("gazebo"):
        for plugin in block.all("plugin"):
            named = "mimic" in " ".join(plugin.attributes.values()).lower()
            if named and text_of_child(plugin, "joint") and text_of_child(plugin, "mimicJoint"):
                yield plugin


def coupling_of_plugin(plugin: Element, joints: list[Joint], found: Findings) -> Coupling | None:
    """The coupling that a plugin keeps: joint = multiplier * mimicJoint + offset."""
    name, other = text_of_child(plugin, "joint"), text_of_child(plugin, "mimicJoint")
    owner = f"the plugin that couples '{name}' and '{other}'"
    sizes = {joint.name: joint.kind.nq for joint in joints}
    if sizes.get(name) != 1 or sizes.get(other) != 1:
        text = f"{owner}: they are not two joints with one coordinate each; dropped"
        found.note(text, "error", "dropped-coupling", name, other, "write it as <mimic>", plugin.line)
        return None
    (ratio,) = numbers_of_child(plugin, "multiplier", owner, found, (1.0,))
    (offset,) = numbers_of_child(plugin, "offset", owner, found, (0.0,))
    return Coupling(f"{name} mimics {other}", ((name, 1.0), (other, -ratio)), offset)
