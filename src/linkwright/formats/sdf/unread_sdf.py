"""Parts of an SDF file that are not read: every tag and attribute is read, known to be harmless, or noted.

What nobody knows and what moves or resists is a warning; drawings, contacts, sensors and settings are remarks.
"""

from __future__ import annotations

from collections.abc import Iterator

from linkwright.findings import Severity
from linkwright.formats.xml import Element, Findings

# Children that are read, by tag; those without an entry hold numbers and names, or are drawn.
_CHILDREN = {
    "sdf": "world model include",
    "world": "gravity model include joint frame",
    "model": "link joint frame model include pose static",
    "include": "uri name pose static placement_frame",
    "frame": "pose",
    "link": "pose inertial visual collision gravity",
    "inertial": "pose mass inertia density",
    "inertia": "ixx ixy ixz iyy iyz izz",
    "joint": "pose parent child axis axis2 gearbox_ratio gearbox_reference_body thread_pitch screw_thread_pitch "
    "drake:rotor_inertia drake:gear_ratio",
    "axis": "xyz limit dynamics mimic use_parent_model_frame",
    "limit": "lower upper effort velocity",
    "dynamics": "damping friction spring_stiffness spring_reference",
    "mimic": "multiplier offset reference",
}
_ATTRIBUTES = {
    "sdf": "version",
    "world": "name",
    "model": "name placement_frame canonical_link",
    "include": "merge placement_frame",
    "frame": "name attached_to",
    "link": "name",
    "inertial": "auto",
    "joint": "name type",
    "pose": "relative_to frame rotation_format degrees",
    "xyz": "expressed_in",
    "mimic": "joint",
}
# Without influence on the motion: drawings, contacts, sensors, settings of simulators, names of plugins.
_DRAWN = ("visual", "collision")
_HARMLESS = (
    "self_collide allow_auto_disable enable_wind gripper plugin sensor light audio_sink audio_source battery projector "
    "particle_emitter must_be_base_link physics scene gui atmosphere magnetic_field wind spherical_coordinates audio "
    "state population actor drake:controller_gains drake:acceleration initial_position stiffness dissipation "
    "auto_inertia_params drake:proximity_properties drake:visual drake:collision_filter_group drake:accepting_renderer"
)


def note_unread_sdf(root: Element, found: Findings) -> None:
    """Note everything below an element that is not read, once for each tag or attribute in its parent."""
    tags: dict[tuple[str, str], list[Element]] = {}
    attributes: dict[tuple[str, str], list[Element]] = {}
    for element in _read_below(root):
        kind = _kind_of_tag(element)
        for child in element.children:
            if child.tag not in _CHILDREN.get(kind, "").split() and not _is_constraint(child.tag):
                tags.setdefault((kind, child.tag), []).append(child)
        for name in element.attributes:
            if name not in _ATTRIBUTES.get(kind, "").split() and not name.startswith("xmlns"):
                attributes.setdefault((kind, name), []).append(element)
    for (owner, tag), uses in tags.items():
        severity, code = _severity_of_sdf_tag(tag, uses)
        fix = "it is not known" if code == "unknown-tag" else ""
        text = f"<{tag}> in <{owner}>{_times_text(uses)} dropped"
        found.note(text, severity, code, tag, len(uses), fix, uses[0].line)
    for (owner, name), uses in attributes.items():
        value = uses[0].attributes[name][:40]
        text = f"{name}='{value}' of <{owner}>{_times_text(uses)} dropped"
        found.note(text, "warning", "unknown-attribute", name, value, "it is not known", uses[0].line)


def _times_text(uses: list[Element]) -> str:
    return f" ({len(uses)} times)" if len(uses) > 1 else ""


def _kind_of_tag(element: Element) -> str:
    return "axis" if element.tag == "axis2" else element.tag


def _is_constraint(tag: str) -> bool:
    """Return True for parts of Drake that are read, or refused, one by one."""
    return tag.startswith("drake:") and ("constraint" in tag or "spring" in tag)


def _read_below(element: Element) -> Iterator[Element]:
    """The elements whose content is read."""
    yield element
    for child in element.children:
        if child.tag in _CHILDREN.get(_kind_of_tag(element), "").split() and child.tag not in _DRAWN:
            yield from _read_below(child)


def _severity_of_sdf_tag(tag: str, uses: list[Element]) -> tuple[Severity, str]:
    if tag in _HARMLESS.split() or (tag in ("kinematic", "velocity_decay") and not any(map(_says_something, uses))):
        return "remark", "dropped-tag"
    if tag in ("velocity_decay", "kinematic", "fluid_added_mass"):
        return "warning", "dropped-force"
    return "warning", "unknown-tag"


def _says_something(element: Element) -> bool:
    """Return True if a text in an element is neither zero nor false."""
    text = element.text.strip().lower()
    idle = text in ("", "false") or not text.strip("0.")
    return not idle or any(map(_says_something, element.children))
