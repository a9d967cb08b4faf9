"""Requests of the live page: a state goes in, a closed state comes out; nothing is kept in between."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from linkwright.errors import ArgumentError, LinkwrightError, MotionWarning, ParameterWarning, withheld_warnings
from linkwright.mechanism import Mechanism
from linkwright.mechanism.tree import coordinate_slices, spanning_tree
from linkwright.model import Model
from linkwright.model.limits import limits_exceeded
from linkwright.numerics.tolerances import LEAST_SIZE, PARALLEL_AXES, ROUNDED_RESULT
from linkwright.viewer.body_tracks import body_tracks
from linkwright.viewer.dragging import (
    BodyPoint,
    Grip,
    PlatformPose,
    Pull,
    another_mode,
    close_dragged_loops,
    describe_configuration,
    drive_actuators,
    pull_towards_goal,
)
from linkwright.viewer.page_content import sliding_length_ranges
from linkwright.viewer.ranges import reachable_intervals
from linkwright.viewer.scene import scene_data
from linkwright.viewer.scene_setting import setting
from linkwright.viewer.surfaces import mechanism_surfaces

Array = np.ndarray
Data = dict[str, Any]
_MOST_MODES = 24
_PASSIVE = "this mechanism names no actuators"


def make_grip(model: Model, q: Array) -> Grip:
    """The model ready to be dragged; q is a closed configuration."""
    size = setting(model.mechanism, body_tracks(model, q[None])[0], {}).extent
    joints = model.mechanism.joints
    slices = coordinate_slices(joints)
    modes = [slices[joint.name][1] for joint in joints if joint.kind.bends]
    bending = tuple(index for part in modes for index in range(part.start, part.stop))
    return Grip(model, spanning_tree(model.mechanism), size, bending)


def respond_to_request(held: Grip, request: Data) -> Data:
    """The state that a request of the page leads to.

    A request holds `q`, where the page is, `parameters`, the values of the model's inputs there, and one of `pose`
    (seven numbers, with `turning` true or false), `body` (its number, with `point` in its frame, `target` and the line
    of `sight` in the world), `actuators` (positions), `mode` (true), or nothing, which only describes q. With
    `live_scene` the drawing for these parameters comes back too.
    """
    held = _with_parameters(held, request.get("parameters"))
    model = held.model
    q = _closed_or_home(held, request.get("q"))
    if "pose" in request:
        found = pull_towards_goal(held, q, _pose_goal(model, request))
    elif "body" in request:
        found = pull_towards_goal(held, q, _point_goal(model, request))
    elif "actuators" in request:
        q_act = _finite_numbers("actuators", request["actuators"], model.na)
        found = drive_actuators(held, q, q_act, _positions_or_empty(model, q)) if model.na else Pull(q, False, _PASSIVE)
    elif request.get("mode"):
        found = _pull_to_mode(model, q, _positions_or_empty(model, q)) if model.na else Pull(q, False, _PASSIVE)
    else:
        found = Pull(q, True)
    return page_state(held, found) | ({"scene": live_scene(model, found.q)} if request.get("scene") else {})


def reachable_sliders(held: Grip, request: Data) -> list[Data]:
    """Sliders with what every actuator can reach from the state of a request while the others stay."""
    held = _with_parameters(held, request.get("parameters"))
    return actuator_sliders(held.model, _closed_or_home(held, request.get("q")), held.size)


def list_assembly_modes(held: Grip, request: Data) -> list[Data]:
    """Assembly modes with the actuator positions of a request's state, the nearest first, as the page draws them."""
    held = _with_parameters(held, request.get("parameters"))
    model, q = held.model, _closed_or_home(held, request.get("q"))
    found = model.assembly_modes(_positions_or_empty(model, q))[:_MOST_MODES] if model.na else []
    poses = body_tracks(model, np.array([mode.q for mode in found]).reshape(-1, model.nq))
    return [
        {"q": mode.q.tolist(), "poses": pose.ravel().tolist(), "branch": mode.branch}
        for mode, pose in zip(found, poses, strict=True)
    ]


def _with_parameters(held: Grip, values: Any) -> Grip:
    """The mechanism with other values of its parameters; values that make no mechanism are refused with the reason."""
    if values is None or not len(held.model.parameters):
        return held
    given = _finite_numbers("parameters", values, len(held.model.parameters))
    return held if np.array_equal(given, held.model.parameters.values) else _grip_with_values(held, given.tobytes())


@lru_cache(maxsize=8)
def _grip_with_values(held: Grip, values: bytes) -> Grip:
    with withheld_warnings(ParameterWarning):
        model = held.model.with_parameters(np.frombuffer(values))
    return replace(held, model=model, tree=spanning_tree(model.mechanism))


def live_scene(model: Model, q: Array) -> Data:
    """The drawing of a mechanism that stands at q."""
    drawn = setting(model.mechanism, body_tracks(model, q[None])[0], sliding_length_ranges(model.mechanism, q[None]))
    data = scene_data(drawn, model.actuators, meshes=mechanism_surfaces(model.mechanism))
    del data["meshes"]  # the page has them
    return data


def _positions_or_empty(model: Model, q: Array) -> Array:
    return model.actuator_positions(q) if model.na else np.zeros(0)


def _pose_goal(model: Model, request: Data) -> PlatformPose:
    pose = _finite_numbers("pose", request["pose"], 7)
    length = float(np.linalg.norm(pose[3:]))
    if model.mechanism.platform is None or length < LEAST_SIZE:
        raise ArgumentError("the pose needs a platform in the mechanism and a quaternion w x y z that is not zero")
    return PlatformPose(pose[:3], pose[3:] / length, bool(request.get("turning")))


def _point_goal(model: Model, request: Data) -> BodyPoint:
    body, last = request["body"], len(model.bodies) - 1
    if type(body) is not int or not 0 <= body <= last:
        raise ArgumentError(f"body must be the number of a moving body, 0 to {last}, found {body!r}")
    point, target, sight = (_finite_numbers(title, request.get(title), 3) for title in ("point", "target", "sight"))
    length = float(np.linalg.norm(sight))
    if length < LEAST_SIZE:
        raise ArgumentError("the line of sight must not be zero")
    return BodyPoint(body, point, target, sight / length)


def _pull_to_mode(model: Model, q: Array, q_act: Array) -> Pull:
    other, message = another_mode(model, q, q_act)
    return Pull(other, other is not q, message)


def _closed_or_home(held: Grip, given: Any) -> Array:
    """The coordinates that a page sends, closed; home when it sends none, or when the loops do not close there."""
    q = None if given is None else close_dragged_loops(held, _finite_numbers("q", given, held.model.nq))
    return held.model.assemble().q if q is None else q


def _finite_numbers(title: str, given: Any, size: int) -> Array:
    try:
        found = np.array(given, dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise ArgumentError(f"{title} must be {size} numbers") from None
    if found.shape != (size,) or not np.isfinite(found).all():
        raise ArgumentError(f"{title} must be {size} finite numbers, found the shape {found.shape}")
    return found


def page_state(held: Grip, found: Pull) -> Data:
    """A closed configuration as the page shows it."""
    model, q = held.model, found.q
    about, distances = describe_configuration(held, q.tobytes()), _singularity_distances_by_kind(held, q)
    return {
        "q": q.tolist(),
        "poses": body_tracks(model, q[None])[0].ravel().tolist(),
        "parameters": model.parameters.values.tolist(),
        "actuators": _positions_or_empty(model, q).tolist(),
        "efforts": _holding_efforts(model, q),
        "gap": float(np.abs(model.closure_residual(q)).max(initial=0.0)),
        "branch": about.branch,
        "singularity": min([about.singularity, *distances.values()]),
        "singularities": distances,
        "limits": [str(each) for each in limits_exceeded(model.kernels, q)],
        "message": found.message,
        "reached": found.reached,
        "platform": _platform_pose(model, q),
    }


def _singularity_distances_by_kind(held: Grip, q: Array) -> Data:
    """Distances to the kinds of singularity, 0 at one; those a mechanism cannot have are left out."""
    near = held.model.singularity(q, components=_plane_components(held.model))
    distances = {"type 1": near.type1, "type 2": near.type2, "constraint": near.constraint}
    return {kind: x for kind, x in distances.items() if x < 1.0}


@lru_cache(maxsize=32)
def _plane_components(model: Model) -> tuple[str, ...] | None:
    """The twist components of an open chain that moves in a coordinate plane, as many as it has freedoms."""
    if model.mechanism.loops or not 2 <= model.mobility <= 3:
        return None
    normal = setting(model.mechanism, body_tracks(model, model.assemble().q[None])[0], {}).normal
    if normal is None or np.abs(normal).max() < 1.0 - PARALLEL_AXES:
        return None
    axis = "xyz"[int(np.abs(normal).argmax())]
    return (*(each for each in "xyz" if each != axis), f"r{axis}")[: model.mobility]


def _holding_efforts(model: Model, q: Array) -> list[float | None]:
    """Efforts that hold the actuators against gravity, None where there are none; undriven freedoms follow freely.

    Rounding counts as 0, since the page scales its arrows by the largest effort.
    """
    rest = np.zeros(model.nv)
    try:
        with withheld_warnings(MotionWarning):
            tau = model.inverse_dynamics(q, rest, rest)
    except LinkwrightError:
        return [None] * model.na
    weight = sum(body.inertia.mass for body in model.mechanism.bodies) * float(np.linalg.norm(model.mechanism.gravity))
    tau = np.where(np.abs(tau) <= ROUNDED_RESULT * weight, 0.0, tau)
    return [float(x) if np.isfinite(x) else None for x in tau]


def _platform_pose(model: Model, q: Array) -> list[float] | None:
    if model.mechanism.platform is None:
        return None
    r, wxyz = model.frame_pose(q, model.mechanism.platform)
    return [*map(float, r), *map(float, wxyz)]


def actuator_sliders(model: Model, q: Array, size: float) -> list[Data]:
    """Name, unit and reachable range of every actuator's slider while the others stay at q."""
    if not model.na:
        return []
    return [
        {
            "name": each.name,
            "unit": each.unit,
            "low": float(way.low),
            "high": float(way.high),
            "whole": way.whole,
        }
        for each, way in zip(model.actuators, reachable_intervals(model, q, size), strict=True)
    ]


def free_parameters(mech: Mechanism) -> list[str]:
    """Parameters for sliders: they follow from no other, count no copies, and some number follows from them."""
    given = {each.name for each in mech.formulas.definitions if each.expression is None}
    return [each.name for each in mech.parameters if each.name in given and each.uses and not each.structural]


def parameter_sliders(model: Model) -> list[Data]:
    """Name, unit and range of every parameter's slider: half to one and a half of its value in the file."""
    out = []
    for each in model.parameters:
        low, high = sorted((0.5 * each.value, 1.5 * each.value)) if each.value else (-1.0, 1.0)
        out.append({"name": each.name, "unit": each.unit, "low": low, "high": high})
    return out
