"""A mechanism file as plain numbers: bodies, joints as drawn, and what acts along their velocities."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from tests.loops.oracle.rotations import of_quaternion, of_rpy

Array = np.ndarray
Pose = tuple[Array, Array]  # rotation matrix (columns are the frame's axes) and origin
Drawing = Mapping[str, Any]

Q_PARTS: dict[str, tuple[str, ...]] = {
    "fixed": (),
    "revolute": ("angle",),
    "prismatic": ("length",),
    "screw": ("angle",),
    "cylindrical": ("angle", "length"),
    "universal": ("first", "second"),
    "spherical": ("qw", "qx", "qy", "qz"),
    "planar": ("x", "y", "angle"),
    "floating": ("x", "y", "z", "qw", "qx", "qy", "qz"),
    "distance": (),
}
V_PARTS: dict[str, tuple[str, ...]] = Q_PARTS | {
    "spherical": ("wx", "wy", "wz"),
    "floating": ("wx", "wy", "wz", "vx", "vy", "vz"),
}
_AXES = {"x": (1, 0, 0), "y": (0, 1, 0), "z": (0, 0, 1), "-x": (-1, 0, 0), "-y": (0, -1, 0), "-z": (0, 0, -1)}


@dataclass(frozen=True, eq=False)
class Body:
    mass: float
    com: Array
    tensor: Array
    weight: float  # mass times the share that nothing compensates


@dataclass(frozen=True, eq=False)
class Joint:
    """A joint as drawn: frames on parent and child, axes in the joint's frame, and what acts along its velocities."""

    name: str
    kind: str
    parent: str
    child: str
    at: Pose
    child_at: Pose
    axes: tuple[Array, ...]
    size: float
    stiffness: Array
    rest: Array
    friction: tuple[tuple[Array, Array, float], ...]  # viscous, coulomb, slip; one entry per source
    rotor: Array

    @property
    def nv(self) -> int:
        return len(V_PARTS[self.kind])


@dataclass(frozen=True, eq=False)
class System:
    """A mechanism file, read."""

    base: str
    gravity: Array
    bodies: dict[str, Body]
    joints: tuple[Joint, ...]
    couplings: tuple[tuple[tuple[str, float], ...], ...]
    struts: tuple[Mapping[str, Any], ...]
    actuators: tuple[tuple[str, str, int], ...]  # name, joint, freedom

    @property
    def slices(self) -> dict[str, slice]:
        """Slice of each joint's velocities among those of all joints."""
        out, start = {}, 0
        for joint in self.joints:
            out[joint.name] = slice(start, start + joint.nv)
            start += joint.nv
        return out

    @property
    def drives(self) -> list[int]:
        """The driven velocities, in the order of the actuators."""
        return [self.slices[joint].start + dof for _, joint, dof in self.actuators]


def read(drawing: Drawing) -> System:
    """The sections of a file in plain numbers (SI)."""
    joints = tuple(
        _joint(name, x, drawing.get("actuators", {}))
        for section in ("joints", "loops")
        for name, x in drawing.get(section, {}).items()
    )
    kinds = {joint.name: joint.kind for joint in joints}
    return System(
        base=drawing.get("base", "ground"),
        gravity=np.array(drawing.get("gravity", (0.0, 0.0, -9.81)), dtype=float),
        bodies={name: _body(x) for name, x in drawing["bodies"].items()},
        joints=joints,
        couplings=tuple(tuple(x["terms"].items()) for x in drawing.get("couplings", {}).values()),
        struts=tuple(drawing.get("struts", {}).values()),
        actuators=tuple((a, x["joint"], _dof(x, kinds)) for a, x in drawing.get("actuators", {}).items()),
    )


def _dof(written: Mapping[str, Any], kinds: Mapping[str, str]) -> int:
    dof = written.get("dof", 0)
    return V_PARTS[kinds[written["joint"]]].index(dof) if isinstance(dof, str) else dof


def _body(x: Mapping[str, Any]) -> Body:
    tensor = np.array(x.get("inertia", [0.0, 0.0, 0.0]), dtype=float)
    mass = float(x.get("mass", 0.0))
    return Body(
        mass,
        np.array(x.get("com", [0.0, 0.0, 0.0]), dtype=float),
        np.diag(tensor) if tensor.ndim == 1 else tensor,
        mass * (1.0 - x.get("gravity_compensation", 0.0)),
    )


def pose(written: Any) -> Pose:
    """A frame: [x, y, z] or {xyz, and one of rpy, quaternion, matrix}."""
    if written is None or isinstance(written, list):
        return np.eye(3), np.array(written or [0.0, 0.0, 0.0], dtype=float)
    r = np.array(written.get("xyz", [0.0, 0.0, 0.0]), dtype=float)
    if "rpy" in written:
        return of_rpy(written["rpy"]), r
    if "quaternion" in written:
        return of_quaternion(written["quaternion"]), r
    return np.array(written.get("matrix", np.eye(3)), dtype=float), r


def _joint(name: str, x: Mapping[str, Any], actuators: Mapping[str, Any]) -> Joint:
    kind = x["type"]
    names = {"universal": (("first", "x"), ("second", "y")), "planar": (("normal", "z"),)}.get(kind, (("axis", "z"),))
    axes = tuple(_axis(x.get(key, usual)) for key, usual in names)
    n, spring = len(V_PARTS[kind]), x.get("spring")
    own = [(a, _dof(a, {name: kind})) for a in actuators.values() if a["joint"] == name]
    friction, rotor = [_friction(x.get("friction"), n)], _row(x.get("armature"), n)
    for a, dof in own:
        rotor[dof] += a.get("gear", 1.0) ** 2 * a.get("rotor_inertia", 0.0)
        viscous, coulomb, slip = _friction(a.get("friction"), 1)
        friction.append((np.eye(n)[dof] * viscous, np.eye(n)[dof] * coulomb, slip))
    return Joint(
        name=name,
        kind=kind,
        parent=x["parent"],
        child=x["child"],
        at=pose(x.get("at")),
        child_at=pose(x.get("child_at")),
        axes=tuple(axis / np.linalg.norm(axis) for axis in axes),
        size=float(x.get("pitch", x.get("length", 0.0))),
        stiffness=_row(spring and spring["stiffness"], n),
        rest=_row(spring and spring.get("rest"), n),
        friction=tuple(friction),
        rotor=rotor,
    )


def _axis(written: Any) -> Array:
    return np.array(_AXES[written] if isinstance(written, str) else written, dtype=float)


def _friction(x: Any, n: int) -> tuple[Array, Array, float]:
    x = x or {}
    return _row(x.get("viscous"), n), _row(x.get("coulomb"), n), float(x.get("slip", 1e-3))


def _row(written: Any, n: int) -> Array:
    return np.zeros(n) if written is None else np.atleast_1d(np.array(written, dtype=float))
