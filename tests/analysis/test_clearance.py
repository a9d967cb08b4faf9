"""Distances between bodies against sampled points, and the capsules that cover shapes."""

import dataclasses

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.analysis.interference.capsules import capsules_of_shape, segment_distance, segment_distances
from linkwright.analysis.interference.clearance import clearances_of
from linkwright.mechanism.shapes import Box, Cylinder, Ellipsoid, Plate, Shape, Sphere


def sampled(p, p_end, r, r_end, n=201):
    """The least distance over a grid of points of both segments; too large by at most half a spacing of each."""
    s = np.linspace(0.0, 1.0, n)
    a, b = p + s[:, None] * (p_end - p), r + s[:, None] * (r_end - r)
    return np.linalg.norm(a[:, None] - b[None], axis=-1).min()


def cases():
    rng = np.random.default_rng(0)
    rows = rng.normal(size=(300, 4, 3))
    rows[:40, 3] = rows[:40, 2] + rng.normal(size=(40, 1)) * (rows[:40, 1] - rows[:40, 0])  # parallel
    rows[40:60, 1] = rows[40:60, 0]  # a point
    rows[60:80, 3] = rows[60:80, 2]
    rows[80:100, 2] = 0.5 * (rows[80:100, 0] + rows[80:100, 1])  # touching
    rows[100:120, 3] = rows[100:120, 2] + 1e-9 * rng.normal(size=(20, 3)) + (rows[100:120, 1] - rows[100:120, 0])
    return rows


def test_distances_of_segments_equal_sampled_ones():
    rows = cases()
    found = segment_distances()(*np.moveaxis(rows, 1, 0))
    assert np.allclose(found, segment_distance(*np.moveaxis(rows, (1, 2), (0, 1))), rtol=0, atol=1e-14)
    for x, row in zip(found, rows, strict=True):
        other = sampled(*row)
        spacing = (np.linalg.norm(row[1] - row[0]) + np.linalg.norm(row[3] - row[2])) / 400.0
        assert x - 1e-12 <= other <= x + spacing
    assert found[80:100].max() < 1e-15


def inside(solid, points):
    """Which points in the solid's frame are inside it, independent of the capsules."""
    x, y, z = points.T
    match solid:
        case Box(size):
            return (np.abs(points) <= 0.5 * np.array(size)).all(axis=1)
        case Cylinder(radius, length):
            return (np.hypot(x, y) <= radius) & (np.abs(z) <= 0.5 * length)
        case Sphere(radius):
            return np.linalg.norm(points, axis=1) <= radius
        case Ellipsoid(radii):
            return np.sum((points / np.array(radii)) ** 2, axis=1) <= 1.0
        case Plate(corners, thickness):
            c = np.array(corners)[:, :2]
            ahead = np.roll(c, -1, axis=0) - c
            left = [d[0] * (y - p[1]) - d[1] * (x - p[0]) >= 0.0 for p, d in zip(c, ahead, strict=True)]
            return np.all(left, axis=0) & (np.abs(z) <= 0.5 * thickness)
    raise TypeError


HEXAGON = tuple((0.3 * np.cos(a), 0.2 * np.sin(a), 0.0) for a in np.linspace(0.0, 2.0 * np.pi, 7)[:-1])
SOLIDS = [
    Box((0.4, 0.05, 0.05)),
    Box((0.05, 0.3, 0.4)),
    Cylinder(0.05, 0.5),
    Cylinder(0.2, 0.02),
    Sphere(0.1),
    Ellipsoid((0.05, 0.3, 0.1)),
    Plate(HEXAGON, 0.02),
]


@pytest.mark.parametrize("solid", SOLIDS, ids=lambda x: type(x).__name__)
def test_capsules_cover_shapes_and_not_much_more(solid):
    rng = np.random.default_rng(1)
    points = rng.uniform(-0.5, 0.5, (60000, 3))
    points = points[inside(solid, points)]
    pose = RigidTransform.from_rpy((0.1, -0.2, 0.3), (0.4, -0.5, 0.6))
    rows = capsules_of_shape(Shape(solid, pose))
    world = points @ np.array(pose.R, dtype=float).T + np.array(pose.r, dtype=float)
    far = np.array([distances_to(row, world) for row in rows]).min(axis=0)
    assert len(points) > 50 and far.max() <= 1e-12
    grown = rng.uniform(-1.0, 1.0, (40000, 3))
    flat = np.array([distances_to(row, grown) for row in rows]).min(axis=0) <= 0.0
    own = (grown - np.array(pose.r, dtype=float)) @ np.array(pose.R, dtype=float)
    size = np.sort([np.ptp(points[:, i]) for i in range(3)])
    beyond = np.abs(own[flat]) - 0.5 * np.array([np.ptp(points[:, i]) for i in range(3)])
    assert beyond.max(initial=0.0) <= 0.75 * size[1] + 0.02, "no farther out than the second extent"


def distances_to(capsule, points):
    """Signed distances of points to one capsule, by projection."""
    a, b, radius = capsule[:3], capsule[3:6], capsule[6]
    d = b - a
    share = np.clip((points - a) @ d / max(d @ d, 1e-300), 0.0, 1.0)
    return np.linalg.norm(points - a - share[:, None] * d, axis=1) - radius


@pytest.mark.parametrize("name", ["delta", "five-bar", "hexapod", "3-rrr"])
def test_distances_of_bodies_equal_those_of_their_capsules_in_the_world(name):
    model = lw.build(lw.catalog.load(name))
    q = model.assemble().q[None].repeat(3, axis=0)
    found = lw.analysis.clearance(model, q)
    ready = clearances_of(model)
    own, bodies = ready.capsules, {body.name: body for body in model.mechanism.bodies}
    assert found.pairs and np.array_equal(found.distance[0], found.distance[2])
    for pair, x in zip(found.pairs, found.distance[0], strict=True):
        ends = []
        for body in pair:
            rows = own.owner == own.bodies.index(body)
            pose = model.frame_pose(q[0], body) if body in bodies else None
            R, r = (np.eye(3), np.zeros(3)) if pose is None else (pose.rotation, pose.position)
            ends.append([(own.start[rows] @ R.T + r), (own.end[rows] @ R.T + r), own.radius[rows]])
        (a, b, ra), (c, d, rc) = ends
        other = min(sampled(a[i], b[i], c[j], d[j], 101) - ra[i] - rc[j] for i in range(len(a)) for j in range(len(c)))
        size = max(np.linalg.norm(y - x, axis=1).max() for x, y in ((a, b), (c, d)))
        assert x - 1e-12 <= other <= x + size / 100.0


def test_the_limit_of_a_workspace_is_where_distances_are(tmp_path):
    model = lw.build(lw.catalog.load("five-bar"))
    grid = {"x": (-0.3, 0.3, 25), "y": (0.1, 0.55, 25)}
    free = lw.analysis.workspace(model, grid, refine=False)
    tight = lw.analysis.workspace(model, grid, refine=False, clearance=0.05)
    assert "links closer than 0.05 m" in tight.reasons
    x, y = np.meshgrid(*tight.axes, indexing="ij")
    poses = lw.Pose(np.stack([x, y, 0 * x], axis=-1)[free.inside], np.tile([1.0, 0, 0, 0], (free.inside.sum(), 1)))
    q = model.inverse_kinematics(poses, components=("x", "y"), near=model.assemble().q)[0]
    near = lw.analysis.clearance(model, q).least < 0.05
    codes = tight.code[free.inside]
    close = codes == tight.reasons.index("links closer than 0.05 m")
    assert near.any() and not near.all()
    assert np.array_equal(close | (codes == tight.reasons.index("not connected with the start")), near) or (
        close[near].all() and not codes[~near & (codes != 3)].any()
    )


def test_a_motion_reports_the_least_distance():
    model = lw.build(lw.catalog.load("delta"))
    given = {"pose": lambda t: [0.04 * np.sin(3 * t), 0.0, -0.2, 0, 0, 0]}
    least = lw.analysis.clearance(model, lw.motion(model, 1.0, **given).q).least
    bound = 0.5 * (least.min() + least.max())
    run = lw.motion(model, 1.0, **given, clearance=bound)
    assert np.array_equal(run["clearance"], least)
    found = [each for each in run.meta["limits"] if each["code"] == "clearance"]
    assert min(each["worst"] for each in found) == least.min() < bound
    assert min(each["first_time"] for each in found) == run.t[np.argmax(least < bound)]


def test_bodies_without_shapes_and_unknown_ones_are_named():
    model = lw.build(lw.catalog.load("delta"))
    q = model.assemble().q
    with pytest.raises(lw.errors.ArgumentError, match="unknown body 'arm9'"):
        lw.analysis.clearance(model, q, pairs=[("arm9", "arm1")])
    with pytest.raises(lw.errors.ArgumentError, match="expected the names of two bodies"):
        lw.analysis.clearance(model, q, pairs=[("arm1", "arm1")])
    assert lw.analysis.clearance(model, q, pairs=[("arm1", "arm2")]).pairs == (("arm1", "arm2"),)
    mech = model.mechanism
    bare = tuple(dataclasses.replace(b, shapes=()) if b.name == "arm1" else b for b in mech.bodies)
    found = lw.analysis.clearance(lw.build(dataclasses.replace(mech, bodies=bare)), q)
    assert found.without == (("arm1", "it has no shape"),) and "arm1" in found.notes[0]
    assert not any("arm1" in pair for pair in found.pairs)
