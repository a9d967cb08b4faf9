"""Pins of turning joints are where the drawn bodies meet, wherever the file puts the joint's frame on its axis."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints as kinds
from linkwright.mechanism.topology import as_drawn
from linkwright.viewer.body_tracks import rotation_quaternions, walk_outward
from linkwright.viewer.glyphs import OnAxis, axis_inside_shapes, contact_point, joint_glyph
from linkwright.viewer.scene_setting import FirstPose, setting
from tests.viewer.mechanisms import home


def first_pose(name: str) -> FirstPose:
    mech = lw.catalog.load(name)
    r, R = walk_outward(mech, home(name)[None])
    return setting(mech, np.concatenate([r[0], rotation_quaternions(R)[0]], axis=-1), {})


@pytest.mark.parametrize("name", [n for n in lw.catalog.names() if n != "four-bar-flexible"])
def test_a_pin_touches_what_is_drawn_of_both_bodies(name):
    """The part of the axis inside the pin overlaps, or nearly, the parts inside both bodies."""
    scene = first_pose(name)
    for joint in (*scene.mech.joints, *scene.mech.loops):
        if not isinstance(joint.kind, kinds.Revolute):
            continue
        pin = joint_glyph(scene, joint, driven=False)[0]
        middle = float((joint.at.inverse @ pin.at).r @ np.array(joint.kind.axis))
        shapes = {body.name: body.shapes for body in scene.mech.bodies} | {scene.mech.base: scene.mech.base_shapes}
        for body, at in ((joint.parent, joint.at), (joint.child, joint.child_at)):
            side = axis_inside_shapes(shapes[body], at, joint.kind.axis)
            if side is not None:
                apart = max(side.low - middle, middle - side.high, 0.0)
                assert apart <= 0.5 * pin.size[2] + 2.0 * scene.unit, (joint.name, body)


def test_contact_is_inside_both_or_between_them():
    rng = np.random.default_rng(1)
    for _ in range(200):
        a, b = (OnAxis(*np.sort(rng.normal(size=2)), 0.0) for _ in range(2))
        x = contact_point(a, b)
        overlap = min(a.high, b.high) - max(a.low, b.low)
        if overlap >= 0.0:
            assert all(side.low - 1e-12 <= x <= side.high + 1e-12 for side in (a, b))
        else:
            assert min(a.high, b.high) < x < max(a.low, b.low)


def test_springs_are_drawn_as_springs():
    """The squeezer's spring is a coil; a pin with a spring has a spiral."""
    from dataclasses import replace

    from linkwright.forces import Spring
    from linkwright.viewer.scene import scene_data

    scene = first_pose("andrews-squeezer")
    assert [rod["kind"] for rod in scene_data(scene, ())["rods"]] == ["spring"]
    joint = replace(as_drawn(scene.mech.joints[0]), spring=Spring((5.0,)))
    assert [s.kind for s in joint_glyph(scene, joint, driven=False)] == ["cylinder", "spiral"]
