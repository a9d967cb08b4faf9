"""The robots of the comparison as URDF text, bare of all but links and joints: every engine reads the same."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROBOTS = "example-robot-data"
FILES = {
    "UR5": ("ur_description/urdf/ur5_robot.urdf", ()),
    "Panda": ("panda_description/urdf/panda.urdf", ("panda_finger_joint1", "panda_finger_joint2")),
}
BASES = {"UR5": "world", "Panda": "panda_link0"}


def robot(name: str) -> str | None:
    """URDF of an arm from the package example-robot-data; None without it.

    Friction, damping, mimics, pictures and transmissions are left out; the fingers of the gripper are held.
    """
    file, held = FILES[name]
    path = _found(file)
    return None if path is None else _bare(ET.parse(path).getroot(), held)


def _found(file: str) -> Path | None:
    try:
        files = distribution(ROBOTS).files or []
    except PackageNotFoundError:
        return None
    return next((Path(str(found.locate())) for found in files if str(found).endswith(file)), None)


def _bare(root: ET.Element, held: tuple[str, ...]) -> str:
    for element in list(root):
        if element.tag not in ("link", "joint"):
            root.remove(element)
    for link in root.findall("link"):
        _drop(link, "visual", "collision")
    for joint in root.findall("joint"):
        _drop(joint, "safety_controller", "dynamics", "mimic", "calibration")
        if joint.get("name") in held:
            joint.set("type", "fixed")
            _drop(joint, "axis", "limit")
    return ET.tostring(root, encoding="unicode")


def _drop(element: ET.Element, *tags: str) -> None:
    for child in [child for child in element if child.tag in tags]:
        element.remove(child)


_LINK = """<link name="link{i}"><inertial><origin xyz="0.01 0.02 0.1"/><mass value="1"/>
<inertia ixx="0.004" iyy="0.005" izz="0.002" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="joint{i}" type="revolute"><parent link="link{parent}"/><child link="link{i}"/><origin xyz="0 0 {z}"/>
<axis xyz="{axis}"/><limit lower="-1000" upper="1000" effort="1e9" velocity="1e9"/></joint>
"""


def chain(n: int) -> str:
    """URDF of n links of 0.2 m and 1 kg, hinged about y and x in turn."""
    parts = [
        _LINK.format(i=i, parent=i - 1, z=0.2 if i > 1 else 0, axis="0 1 0" if i % 2 else "1 0 0")
        for i in range(1, n + 1)
    ]
    return '<robot name="chain"><link name="link0"/>\n' + "".join(parts) + "</robot>"
