"""What is drawn stands where the machine is: two ways to the same poses, and solids that reach every joint."""

import numpy as np
import pytest
from hypothesis import given

import linkwright as lw
from linkwright.algebra import quaternion
from linkwright.mechanism import Mechanism, beams_of
from linkwright.mechanism import joints as kinds
from linkwright.viewer.outline import hull, outline, simple
from linkwright.viewer.scene import scene_data
from linkwright.viewer.setting import Setting, setting
from linkwright.viewer.solids import plate
from linkwright.viewer.walking import body_tracks, quaternions, walked
from tests.strategies import a_share, samples
from tests.viewer.machines import bare, chain, home, model


@a_share(4)
@given(samples())
def test_the_walk_agrees_with_the_recursion(sample):
    from linkwright.recursion.poses import carried, link_poses

    r, R = walked(sample.mech, sample.q[None])
    places = [
        carried(p, link.body) for p, link in zip(link_poses(sample.tree, sample.q), sample.tree.links, strict=True)
    ]
    np.testing.assert_allclose(r[0], [p.r for p in places], atol=1e-12)
    np.testing.assert_allclose(R[0], [p.R for p in places], atol=1e-12)


@pytest.mark.parametrize("name", ["gough-stewart", "stanford-arm"])
def test_compiled_tracks_agree_with_the_walk(name):
    q = home(name)[None]
    tracks = body_tracks(model(name), q)
    r, R = walked(model(name).mechanism, q)
    np.testing.assert_allclose(tracks[..., :3], r, atol=1e-12)
    turned = np.array([quaternion.rotation_matrix(w) for w in tracks[0, :, 3:]])
    np.testing.assert_allclose(turned, R[0], atol=1e-12)


def test_quaternions_do_not_jump_along_a_turn():
    machine = lw.build(chain(1))
    tracks = body_tracks(machine, np.linspace(0.0, 20.0, 400)[:, None])
    assert np.abs(np.diff(tracks[:, 0, 3:], axis=0)).max() < 0.06


def test_quaternions_of_not_a_number_are_not_a_number():
    R = np.stack([np.eye(3), np.full((3, 3), np.nan)])
    found = quaternions(R)
    assert np.isfinite(found[0]).all() and np.isnan(found[1]).all()


def distance(point: np.ndarray, solid: dict) -> float:
    """How far a point of the body's frame is from a solid's surface; negative or zero inside."""
    r, R = np.array(solid["at"][:3]), quaternion.rotation_matrix(np.array(solid["at"][3:]))
    x, size = R.T @ (point - r), np.array(solid["size"])
    if solid["kind"] == "ball":
        return float(np.linalg.norm(x) - size[0])
    if solid["kind"] == "box":
        return float(np.linalg.norm(np.maximum(np.abs(x) - 0.5 * size, 0.0)))
    if solid["kind"] == "cylinder":
        return float(np.hypot(max(np.hypot(*x[:2]) - size[0], 0.0), max(abs(x[2]) - 0.5 * size[2], 0.0)))
    corners = np.array(solid["corners"])
    return float(np.linalg.norm(corners - x, axis=1).min())


def staged(mech: Mechanism, q: np.ndarray) -> tuple[Setting, np.ndarray]:
    """The setting of a mechanism at q, and the places of its bodies."""
    r, R = walked(mech, q[None])
    places = np.concatenate([r, quaternions(R)], axis=-1)[0]
    return setting(mech, places, {}), places


@pytest.mark.parametrize("name", [n for n in lw.catalog.names() if not beams_of(lw.catalog.load(n))])
def test_without_shapes_every_link_reaches_its_joints(name):
    mech = bare(lw.catalog.load(name))
    scene, _ = staged(mech, home(name))
    data = scene_data(scene, [actuator.name for actuator in mech.actuators])
    solids = [s for s in data["solids"] if s["layer"] == "body"]
    for joint in (*mech.joints, *mech.loops):
        if isinstance(joint.kind, kinds.Floating):
            continue
        for body, place in ((joint.parent, joint.at.r), (joint.child, joint.child_at.r)):
            near = [distance(place, s) for s in solids if s["body"] == scene.numbers[body]]
            assert min(near) <= scene.unit, f"nothing of {body} is drawn at joint {joint.name}"


@pytest.mark.parametrize("name", lw.catalog.names())
def test_the_two_sides_of_every_drawn_joint_meet(name):
    scene, places = staged(lw.catalog.load(name), home(name))

    def world(body: int, at: list[float]) -> np.ndarray:
        if body < 0:
            return np.array(at[:3])
        return places[body, :3] + quaternion.rotation_matrix(places[body, 3:]) @ np.array(at[:3])

    still = {"revolute", "universal", "spherical", "fixed"}
    joints = [j for j in scene_data(scene, ())["joints"] if j["kind"] in still]
    gaps = [np.linalg.norm(world(j["parent"], j["at"]) - world(j["child"], j["childAt"])) for j in joints]
    assert max(gaps) < 1e-9


PLANAR = {"3-rrr", "andrews-squeezer", "five-bar", "four-bar", "four-bar-flexible", "slider-crank", "three-link-arm"}
PLANAR |= {"3-rpr", "iftomm-two-four-bars", "peaucellier", "theo-jansen-leg"}


@pytest.mark.parametrize("name", lw.catalog.names())
def test_flat_machines_are_known_as_flat(name):
    scene, _ = staged(lw.catalog.load(name), home(name))
    assert (scene.normal is not None) == (name in PLANAR)


def test_a_self_crossing_plate_is_drawn_as_its_hull():
    bow = np.array([[0, 0, 1], [1, 1, 1], [1, 0, 1], [0, 1, 1.0]])
    corners, frame = outline(bow)
    assert len(corners) == 4 and simple(corners)
    np.testing.assert_allclose(abs(frame.R[:, 2]), [0, 0, 1], atol=1e-12)


def test_a_hull_holds_every_point():
    points = np.random.default_rng(0).normal(size=(60, 2))
    corners = hull(points)
    ahead = np.roll(corners, -1, axis=0) - corners
    for p in points:
        side = ahead[:, 0] * (p[1] - corners[:, 1]) - ahead[:, 1] * (p[0] - corners[:, 0])
        assert (side >= -1e-12).all()


def test_a_point_inside_makes_no_notch_in_an_automatic_plate():
    """A platform's own frame in its middle is no corner of it."""
    corners = np.array([[0.0, 0.0, 0.0], [2.0, 0.0, 0.0], [1.0, 0.4, 0.0], [1.0, 2.0, 0.0]])
    (drawn,) = plate(0, corners, 0.1, "#000000", convex=True)
    assert len(drawn.corners) == 3
    (as_given,) = plate(0, corners, 0.1, "#000000")
    assert len(as_given.corners) == 4
