"""The scene of a mechanism as plain data for the page: what is drawn, on which body, and what it is called."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.sums import float_if_known
from linkwright.algebra.transforms import UPRIGHT, RigidTransform
from linkwright.errors import ArgumentError
from linkwright.joints.beams import center_line_deflection
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Body, Joint
from linkwright.mechanism.topology import as_drawn
from linkwright.model.actuator_records import ModelActuator
from linkwright.viewer import automatic_shapes, glyphs
from linkwright.viewer.automatic_shapes import body_color
from linkwright.viewer.scene_setting import FirstPose
from linkwright.viewer.solids import GRAY, Solid, solids_of_shape
from linkwright.viewer.surfaces import Surfaces

Data = dict[str, Any]
NO_SURFACES = Surfaces()
_WEIGHTLESS = 1e-3  # [kg] of links that files use as frames
_LISTS = ("bodies", "joints", "solids", "rods", "beams", "frames", "paths", "efforts", "meshes")
NOTHING: Data = {name: [] for name in _LISTS} | {
    "name": "",
    "base": "",
    "gravity": [0.0, 0.0, 0.0],
    "up": [0.0, 0.0, 1.0],
    "normal": None,
    "center": [0.0, 0.0, 0.0],
    "extent": 1.0,
    "unit": 0.01,
}


def scene_data(
    scene: FirstPose,
    actuators: Sequence[ModelActuator],
    paths: Sequence[str] | None = None,
    meshes: Surfaces = NO_SURFACES,
) -> Data:
    """Everything that does not change with time.

    Args:
        scene: the mechanism at its first pose.
        actuators: those of the model.
        paths: the frames or bodies whose origins leave a trace; the platform unless given.
        meshes: the surfaces of the mechanism's shapes.
    """
    mech = scene.mech
    return {
        "name": mech.name,
        "base": mech.base,
        "bodies": [{"name": body.name, "mass": body.inertia.mass} for body in mech.bodies],
        "joints": [joint_data(scene, joint) for joint in (*mech.joints, *mech.loops)],
        "solids": [*_body_solids(scene, meshes), *_joint_solids(scene, actuators)],
        "meshes": list(meshes.data),
        "rods": _rods_between_bodies(scene),
        "beams": beam_entries(scene),
        "frames": [_frame_entry(scene, f.name, f.body, f.pose) for f in mech.frames],
        "paths": [_path_entry(scene, name) for name in (_default_paths(mech) if paths is None else paths)],
        "efforts": [_effort_point_and_axis(scene, each) for each in actuators],
        "gravity": list(mech.gravity),
        "up": scene.up.tolist(),
        "normal": None if scene.normal is None else scene.normal.tolist(),
        "center": scene.center.tolist(),
        "extent": scene.extent,
        "unit": scene.unit,
    }


def pose_numbers(pose: RigidTransform) -> list[float]:
    """A pose as x y z, quaternion w x y z."""
    turn = (1.0, 0.0, 0.0, 0.0) if pose.rows == UPRIGHT else map(float_if_known, pose.wxyz)
    return [*pose.xyz, *turn]


def joint_data(scene: FirstPose, joint: Joint) -> Data:
    """A joint's name, kind, bodies, position and limits as the file draws it; cut joints have no columns in q."""
    joint = as_drawn(joint)
    return {
        "name": joint.name,
        "kind": type(joint.kind).__name__.lower(),
        "parent": scene.numbers[joint.parent],
        "child": scene.numbers[joint.child],
        "at": pose_numbers(joint.at),
        "childAt": pose_numbers(joint.child_at),
        "parts": list(joint.kind.q_parts),
        "column": scene.columns.get(joint.name),
        "lower": [x if abs(x) < np.inf else None for x in joint.limits.lower],
        "upper": [x if abs(x) < np.inf else None for x in joint.limits.upper],
    }


def _body_solids(scene: FirstPose, meshes: Surfaces) -> list[Data]:
    mech = scene.mech
    points = _points_of_bodies(mech)
    own = {joint.child: joint for joint in mech.joints}
    out = [solid_data(s, "body", -1) for s in _base_solids(scene, meshes, points[mech.base])]
    for i, body in enumerate(mech.bodies):
        solids: list[Solid] = []
        if meshes.is_drawn(body.shapes):
            color = automatic_shapes.body_color(scene, body.name)
            solids = [s for shape in body.shapes for s in solids_of_shape(shape, i, color, meshes)]
        elif not (own[body.name].kind.is_of_beam or _is_only_a_frame(body, meshes)):
            corners = automatic_shapes.distinct_points(points[body.name], scene.extent)
            solids = automatic_shapes.link_solids(scene, body, corners, own[body.name])
            solids += _rails_on_body(scene, body.name, automatic_shapes.body_color(scene, body.name))
        out += [solid_data(s, "body", i) for s in solids]
    return out


def _is_only_a_frame(body: Body, meshes: Surfaces) -> bool:
    """Return True for a body of hardly any mass without shapes, in a robot that is drawn by its meshes."""
    return bool(meshes.parts) and not body.shapes and body.inertia.mass < _WEIGHTLESS


def _base_solids(scene: FirstPose, meshes: Surfaces, points: list[np.ndarray]) -> list[Solid]:
    mech = scene.mech
    if meshes.is_drawn(mech.base_shapes):
        return [s for shape in mech.base_shapes for s in solids_of_shape(shape, -1, GRAY, meshes)]
    here = [
        j for j in (*mech.joints, *mech.loops) if j.parent == mech.base and not automatic_shapes.is_carried(scene, j)
    ]
    feet = [s for j in here for s in automatic_shapes.pedestal_solids(scene, j)] + _rails_on_body(
        scene, mech.base, GRAY
    )
    return feet + automatic_shapes.base_frame(scene, automatic_shapes.distinct_points(points, scene.extent))


def _rails_on_body(scene: FirstPose, body: str, color: str) -> list[Solid]:
    sliding = [j for j in (*scene.mech.joints, *scene.mech.loops) if j.parent == body and j.kind.slides_along_axis]
    return [s for joint in sliding for s in automatic_shapes.rail_solids(scene, joint, color)]


def _points_of_bodies(mech: Mechanism) -> dict[str, list[np.ndarray]]:
    """Every body's joints, force elements and frames, in its frame, its own joint first."""
    points: dict[str, list[np.ndarray]] = {name: [] for name in (mech.base, *mech.names)}
    for joint in mech.joints:
        if not joint.kind.floats:
            points[joint.child].append(joint.child_at.r)
    for joint in (*mech.joints, *mech.loops):
        if not joint.kind.floats:
            points[joint.parent].append(joint.at.r)
    for joint in mech.loops:
        points[joint.child].append(joint.child_at.r)
    for body, at in (end for force in mech.forces for end in force.ends):
        points[body].append(np.array(at))
    for frame in mech.frames:
        points[frame.body].append(frame.pose.r)
    return points


def _joint_solids(scene: FirstPose, actuators: Sequence[ModelActuator]) -> list[Data]:
    mech = scene.mech
    driven = {each.joint for each in actuators}
    every = enumerate((*mech.joints, *mech.loops))
    return [
        solid_data(s, "joint", i) for i, joint in every for s in glyphs.joint_glyph(scene, joint, joint.name in driven)
    ]


def solid_data(solid: Solid, layer: str, owner: int) -> Data:
    """A solid with the number of the body or joint it stands for."""
    data = {
        "layer": layer,
        "owner": owner,
        "kind": solid.kind,
        "body": solid.body,
        "at": pose_numbers(solid.at),
        "size": list(solid.size),
        "color": solid.color,
    }
    data |= {"corners": [list(c) for c in solid.corners]} if solid.corners else {}
    return data | ({"surface": solid.surface} if solid.surface >= 0 else {})


def _rods_between_bodies(scene: FirstPose) -> list[Data]:
    """Distance rods, force elements, springs and the inner rods of telescopes: between points of two bodies."""
    mech = scene.mech
    number = scene.numbers
    pistons = [(j, glyphs.piston_segment(scene, j)) for j in (*mech.joints, *mech.loops)]
    ends: list[tuple[str, str, str, Any, str, Any]] = [
        (j.name, "rod", j.parent, j.at.xyz, j.child, j.child_at.xyz)
        for j in mech.loops
        if j.kind.rod_length is not None
    ]
    ends += [(x.name, x.glyph, *x.ends[0], *x.ends[1]) for x in mech.forces if x.ends]
    ends += [
        (j.name, "spring", j.parent, j.at.xyz, j.child, j.child_at.xyz)
        for j in (*mech.joints, *mech.loops)
        if glyphs.is_sprung_slider(scene, j)
    ]
    ends += [
        (j.name, "tube" if automatic_shapes.is_telescope(scene, j) else "piston", j.parent, pair[0], j.child, pair[1])
        for j, pair in pistons
        if pair is not None
    ]
    return [
        {"name": name, "kind": kind, "a": number[a], "from": _xyz_list(p), "b": number[b], "to": _xyz_list(r)}
        for name, kind, a, p, b, r in ends
    ]


def _xyz_list(point: Any) -> list[float]:
    return [float_if_known(x) for x in point]


def _frame_entry(scene: FirstPose, name: str, body: str, pose: RigidTransform) -> Data:
    return {"name": name, "body": scene.numbers[body], "at": pose_numbers(pose)}


def _default_paths(mech: Mechanism) -> list[str]:
    """The platform, else frames on moving bodies, else the last body."""
    if mech.platform:
        return [mech.platform]
    moving = [frame.name for frame in mech.frames if frame.body != mech.base]
    return moving[:8]


def _path_entry(scene: FirstPose, name: str) -> Data:
    frames = {f.name: (f.body, f.pose.xyz) for f in scene.mech.frames}
    body, xyz = frames.get(name, (name, (0.0, 0.0, 0.0)))
    if body not in scene.numbers:
        known = [*frames, *scene.numbers]
        raise ArgumentError(f"paths names {name!r}, which is not a frame or body{suggest_name(name, known)}", name=name)
    return {"name": name, "body": scene.numbers[body], "xyz": list(xyz)}


def _effort_point_and_axis(scene: FirstPose, actuator: ModelActuator) -> Data:
    """Point and axis of an actuator's effort: on the joint's child, along the axis of the velocity it drives."""
    joint = as_drawn(next(j for j in (*scene.mech.joints, *scene.mech.loops) if j.name == actuator.joint))
    axis = _velocity_axis(joint.kind, actuator.dof)
    offset, size = 0.0, glyphs.glyph_radius(scene, joint)
    for pin in [part for part in joint.kind.draw_glyph() if part.shape == "pin"]:
        offset, collar = glyphs.pin_on_axis(scene, joint, pin.axis)
        size = max(collar, size)
    return {
        "name": actuator.name,
        "joint": joint.name,
        "body": scene.numbers[joint.child],
        "at": pose_numbers(joint.child_at @ RigidTransform.of(offset * np.array(axis))),
        "axis": axis,
        "ring": max(4.2 * scene.unit, 1.7 * size),
        "moment": not actuator.is_sliding,
    }


def _velocity_axis(kind: kinds.JointKind, index: int) -> list[float]:
    freedoms = kind.unit_twists()
    return list(freedoms[index].axis) if index < len(freedoms) else [float(i == index % 3) for i in range(3)]


_STATIONS = 33


def beam_entries(scene: FirstPose) -> list[dict[str, Any]]:
    """Every beam: its body, where its modal coordinates start in q, its stations, and displacement per coordinate.

    `fields` holds for every station and modal coordinate the displacement x y z in the body's frame, [m/m]; `held` the
    numbers of the stations that other bodies are joined to, the root first.
    """
    out = []
    for joint in scene.mech.joints:
        if joint.kind.bends:
            beam = joint.kind.beam
            stations = np.linspace(0.0, beam.length, _STATIONS)
            fields = np.array([center_line_deflection(beam, float_if_known(x)).T for x in stations])
            out.append(
                {
                    "name": joint.parent,
                    "body": scene.numbers[joint.parent],
                    "column": scene.columns[joint.name],
                    "count": beam.count,
                    "stations": stations.tolist(),
                    "fields": fields.ravel().tolist(),
                    "held": held_stations(scene.mech, joint),
                    "radius": 0.75 * scene.unit,
                    "color": body_color(scene, joint.parent),
                }
            )
    return out


def held_stations(mech: Mechanism, modes: Joint) -> list[int]:
    """Numbers of the stations of a beam where other bodies are joined to it, its root included, rising."""
    joined = {j.parent for j in mech.joints} | {name for loop in mech.loops for name in (loop.parent, loop.child)}
    joined |= {body for force in mech.forces for body, _ in force.ends}
    sections = [(j.child, j.kind) for j in mech.joints if j.parent == modes.child and j.kind.borrows is not None]
    held = {round(kind.x / kind.beam.length * (_STATIONS - 1)) for name, kind in sections if name in joined}
    return sorted(held | {0})
