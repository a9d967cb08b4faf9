"""Drawn solids stand where the bodies are: two ways to the same poses, and solids that reach every joint."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given

import linkwright as lw
from linkwright import joints as kinds
from linkwright.algebra import rotations
from linkwright.mechanism import Mechanism, beams_of
from linkwright.viewer.automatic_shapes import COLORS, PLATFORM, is_carried, is_telescope
from linkwright.viewer.body_tracks import body_tracks, rotation_quaternions, walk_outward
from linkwright.viewer.glyphs import DRIVEN_COLOR
from linkwright.viewer.scene import beam_entries, scene_data
from linkwright.viewer.scene_setting import FirstPose, setting
from linkwright.viewer.solids import convex_hull, is_simple_polygon, outline_of_points, plate_solids
from tests.strategies import a_share, samples
from tests.viewer.mechanisms import bare, chain, home, model


@a_share(4)
@given(samples())
def test_the_walk_agrees_with_the_recursion(sample):
    from linkwright.recursion.poses import link_poses
    from linkwright.recursion.relative_motion import attached_pose

    r, R = walk_outward(sample.mech, sample.q[None])
    poses = [
        attached_pose(p, link.body)
        for p, link in zip(link_poses(sample.tree, sample.q), sample.tree.links, strict=True)
    ]
    np.testing.assert_allclose(r[0], [p.r for p in poses], atol=1e-12)
    np.testing.assert_allclose(R[0], [p.R for p in poses], atol=1e-12)


@pytest.mark.parametrize("name", ["gough-stewart", "stanford-arm"])
def test_compiled_tracks_agree_with_the_walk(name):
    q = home(name)[None]
    tracks = body_tracks(model(name), q)
    r, R = walk_outward(model(name).mechanism, q)
    np.testing.assert_allclose(tracks[..., :3], r, atol=1e-12)
    turned = np.array([rotations.rotation_matrix(w) for w in tracks[0, :, 3:]])
    np.testing.assert_allclose(turned, R[0], atol=1e-12)


def test_quaternions_do_not_jump_along_a_turn():
    built = lw.build(chain(1))
    tracks = body_tracks(built, np.linspace(0.0, 20.0, 400)[:, None])
    assert np.abs(np.diff(tracks[:, 0, 3:], axis=0)).max() < 0.06


def test_quaternions_of_not_a_number_are_not_a_number():
    R = np.stack([np.eye(3), np.full((3, 3), np.nan)])
    found = rotation_quaternions(R)
    assert np.isfinite(found[0]).all() and np.isnan(found[1]).all()


def distance(point: np.ndarray, solid: dict) -> float:
    """Distance of a point of the body's frame from a solid's surface; negative or zero inside."""
    r, R = np.array(solid["at"][:3]), rotations.rotation_matrix(np.array(solid["at"][3:]))
    x, size = R.T @ (point - r), np.array(solid["size"])
    if solid["kind"] == "ball":
        return float(np.linalg.norm(x) - size[0])
    if solid["kind"] == "box":
        return float(np.linalg.norm(np.maximum(np.abs(x) - 0.5 * size, 0.0)))
    if solid["kind"] == "cylinder":
        return float(np.hypot(max(np.hypot(*x[:2]) - size[0], 0.0), max(abs(x[2]) - 0.5 * size[2], 0.0)))
    corners = np.array(solid["corners"])
    return float(np.linalg.norm(corners - x, axis=1).min())


def staged(mech: Mechanism, q: np.ndarray) -> tuple[FirstPose, np.ndarray]:
    """The setting of a mechanism at q, and the poses of its bodies."""
    r, R = walk_outward(mech, q[None])
    poses = np.concatenate([r, rotation_quaternions(R)], axis=-1)[0]
    return setting(mech, poses, {}), poses


@pytest.mark.parametrize("name", [n for n in lw.catalog.names() if not beams_of(lw.catalog.load(n))])
def test_without_shapes_every_link_reaches_its_joints(name):
    mech = bare(lw.catalog.load(name))
    scene, _ = staged(mech, home(name))
    data = scene_data(scene, lw.build(mech).actuators)
    solids = [s for s in data["solids"] if s["layer"] == "body"]
    for joint in (*mech.joints, *mech.loops):
        if is_carried(scene, joint):
            continue
        for body, point in ((joint.parent, joint.at.r), (joint.child, joint.child_at.r)):
            near = [distance(point, s) for s in solids if s["body"] == scene.numbers[body]]
            assert min(near) <= scene.unit, f"nothing of {body} is drawn at joint {joint.name}"


@pytest.mark.parametrize("name", lw.catalog.names())
def test_the_two_sides_of_every_drawn_joint_meet(name):
    scene, poses = staged(lw.catalog.load(name), home(name))

    def world(body: int, at: list[float]) -> np.ndarray:
        if body < 0:
            return np.array(at[:3])
        return poses[body, :3] + rotations.rotation_matrix(poses[body, 3:]) @ np.array(at[:3])

    still = {"revolute", "universal", "spherical", "fixed"}
    joints = [j for j in scene_data(scene, ())["joints"] if j["kind"] in still]
    gaps = [np.linalg.norm(world(j["parent"], j["at"]) - world(j["child"], j["childAt"])) for j in joints]
    assert max(gaps) < 1e-9


PLANAR = {"3-rrr", "andrews-squeezer", "five-bar", "four-bar", "four-bar-flexible", "slider-crank", "three-link-arm"}
PLANAR |= {"3-rpr", "iftomm-two-four-bars", "peaucellier", "theo-jansen-leg"}


@pytest.mark.parametrize("name", lw.catalog.names())
def test_planar_mechanisms_are_known_as_planar(name):
    scene, _ = staged(lw.catalog.load(name), home(name))
    assert (scene.normal is not None) == (name in PLANAR)


def test_a_self_crossing_plate_is_drawn_as_its_hull():
    bow = np.array([[0, 0, 1], [1, 1, 1], [1, 0, 1], [0, 1, 1.0]])
    corners, frame = outline_of_points(bow)
    assert len(corners) == 4 and is_simple_polygon(corners)
    np.testing.assert_allclose(abs(frame.R[:, 2]), [0, 0, 1], atol=1e-12)


def test_a_hull_holds_every_point():
    points = np.random.default_rng(0).normal(size=(60, 2))
    corners = points[convex_hull(points)]
    ahead = np.roll(corners, -1, axis=0) - corners
    for p in points:
        side = ahead[:, 0] * (p[1] - corners[:, 1]) - ahead[:, 1] * (p[0] - corners[:, 0])
        assert (side >= -1e-12).all()


def test_a_point_inside_makes_no_notch_in_an_automatic_plate():
    """A platform's own frame in its middle is not a corner of it."""
    corners = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.4, 0.0], [1.0, 2.0, 0.0]])
    (drawn,) = plate_solids(0, corners, 0.1, "#000000", convex=True)
    assert len(drawn.corners) == 3
    (as_given,) = plate_solids(0, corners, 0.1, "#000000")
    assert len(as_given.corners) == 4


TELESCOPES = ["gough-stewart", "3-rpr", "3-rps", "tricept", "hexapod"]


@pytest.mark.parametrize("name", TELESCOPES)
def test_inner_and_outer_tubes_of_a_telescope_have_no_surface_in_common(name):
    """Coincident surfaces would flicker: the inner tube is thinner, and nothing else of the child lies there."""
    mech = bare(lw.catalog.load(name))
    scene = replace(staged(mech, home(name))[0], reach={j.name: (0.9, 1.1) for j in mech.joints})
    data = scene_data(scene, ())
    joints = [joint for joint in mech.joints if is_telescope(scene, joint)]
    inner = {rod["name"]: rod for rod in data["rods"] if rod["kind"] == "tube"}
    assert joints and {joint.name for joint in joints} == set(inner)
    for joint in joints:
        axis = joint.at.R @ np.array(joint.kind.axis)
        np.testing.assert_allclose(inner[joint.name]["from"], joint.at.r + 0.54 * axis, atol=1e-12)
        np.testing.assert_allclose(inner[joint.name]["to"], joint.child_at.r, atol=1e-12)
        child = [s for s in data["solids"] if s["layer"] == "body" and s["body"] == scene.numbers[joint.child]]
        assert joint.child == platform_body(mech) or {s["kind"] for s in child} <= {"ball"}


def platform_body(mech: Mechanism) -> str:
    return next(frame.body for frame in mech.frames if frame.name == mech.platform)


def test_a_platform_with_a_tool_is_a_plate_with_an_arm():
    mech = bare(lw.catalog.load("gough-stewart"))
    scene, _ = staged(mech, home("gough-stewart"))
    own = scene.numbers[platform_body(mech)]
    solids = [s for s in scene_data(scene, ())["solids"] if s["layer"] == "body" and s["body"] == own]
    (flat,) = [s for s in solids if s["kind"] == "plate"]
    assert len(flat["corners"]) == 6 and [s["kind"] for s in solids].count("cylinder") == 1


@pytest.mark.parametrize("name", ["linapod", "3-prs", "orthoglide", "hexaglide"])
def test_driven_carriages_wear_a_band_that_looks_out_of_their_block(name):
    mech = lw.catalog.load(name)
    scene, _ = staged(mech, home(name))
    data = scene_data(scene, lw.build(mech).actuators)
    for number in {scene.numbers[j.child] for j in mech.joints if isinstance(j.kind, kinds.Prismatic)}:
        (block,) = [s for s in data["solids"] if s["layer"] == "body" and s["body"] == number and s["kind"] == "box"]
        (band,) = [s for s in data["solids"] if s["layer"] == "joint" and s["body"] == number and s["kind"] == "box"]
        assert band["color"] == DRIVEN_COLOR and band["at"] == block["at"]
        assert sorted(np.array(band["size"]) / block["size"]) == pytest.approx([0.4, 1.08, 1.08])


def test_the_pin_of_a_slider_looks_out_of_it():
    mech = lw.catalog.load("slider-crank")
    scene, _ = staged(mech, home("slider-crank"))
    (block,) = [s for s in scene_data(scene, ())["solids"] if s["layer"] == "body" and s["color"] == "#228833"]
    joints = (*mech.joints, *mech.loops)
    pins = [s for s in scene_data(scene, ())["solids"] if s["layer"] == "joint" and s["kind"] == "cylinder"]
    (pin,) = [s for s in pins if {joints[s["owner"]].parent, joints[s["owner"]].child} == {"rod", "slider"}]
    assert pin["size"][2] > block["size"][2]


def test_bending_is_drawn_from_the_stations_that_carry_other_bodies():
    (beam,) = beam_entries(staged(lw.catalog.load("four-bar-flexible"), home("four-bar-flexible"))[0])
    assert beam["held"] == [0, len(beam["stations"]) - 1]


def seen_by(color: str, weights: np.ndarray) -> np.ndarray:
    """L*, a*, b* of a color as someone sees it whose eyes mix linear red, green and blue by the weights."""
    rgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255.0
    linear = np.clip(weights @ np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4), 0.0, 1.0)
    to_xyz = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])
    share = to_xyz @ linear / to_xyz.sum(axis=1)
    f = np.where(share > 0.008856, np.cbrt(share), 7.787 * share + 16.0 / 116.0)
    return np.array([116.0 * f[1] - 16.0, 500.0 * (f[0] - f[1]), 200.0 * (f[1] - f[2])])


# Machado, Oliveira and Fernandes, IEEE Trans. Vis. Comput. Graph. 15 (2009), table of severity 1.0
EYES = {
    "protanopia": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "deuteranopia": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
}


@pytest.mark.parametrize("eyes", EYES)
def test_the_color_blind_distinguish_links_platform_and_actuators(eyes):
    """A difference of 10 in CIE 1976 is seen at a glance; of 2.3 it is just noticed."""
    found = [seen_by(color, np.array(EYES[eyes])) for color in (PLATFORM, DRIVEN_COLOR, *COLORS)]
    apart = [np.linalg.norm(a - b) for a, b in combinations(found, 2)]
    assert min(apart) > 10.0
