"""Pictures, animations and 3D models are made without a browser and show what the mechanism does."""

import io
import re
from xml.etree import ElementTree

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.errors import ArgumentError, ResultError
from linkwright.viewer import document
from linkwright.viewer.body_tracks import PIXEL, joint_separation
from linkwright.viewer.flat_drawing import opening_camera
from linkwright.viewer.gltf import glb_bytes
from linkwright.viewer.page import mechanism_content, write_scene
from linkwright.viewer.shown_motion import ShownMotion, unpack_array
from linkwright.viewer.triangles import clip_ears, of_solid, polygon_area
from tests.viewer.mechanisms import model


@pytest.fixture(scope="module")
def moving():
    return mechanism_content(model("four-bar"))


def volume(solid) -> float:
    a, b, c = (solid.corners[solid.faces[:, k]] for k in range(3))
    return float(np.sum(a * np.cross(b, c)) / 6.0)


@pytest.mark.parametrize(
    ("kind", "size", "expected"),
    [
        ("box", [0.2, 0.3, 0.4], 0.024),
        ("cylinder", [0.1, 0.1, 0.5], 12 * np.sin(np.pi / 12) * 0.01 * 0.5),
        ("plate", [0.01, 0.01, 0.01], 0.01 * 1.25),
    ],
)
def test_solids_are_closed_and_outward(kind, size, expected):
    """Volume of the triangles by the divergence theorem; every edge belongs to two faces, one in each direction."""
    corners = [[0, 0, 0], [2, 0, 0], [1, 0.5, 0], [0.5, 2, 0]]
    solid = {"kind": kind, "size": size, "at": [1, 2, 3, 0.5, 0.5, 0.5, 0.5], "corners": corners}
    found = of_solid(solid, [])
    outline = polygon_area(np.array(corners)[:, :2])
    assert volume(found) == pytest.approx(0.01 * outline if kind == "plate" else expected)
    points = np.round(found.corners, 9)
    edges = [(tuple(points[f[i]]), tuple(points[f[(i + 1) % 3]])) for f in found.faces for i in range(3)]
    assert len(set(edges)) == len(edges) and {(b, a) for a, b in edges} == set(edges)
    inward = found.corners[found.faces].mean(axis=1) - np.array([1.0, 2.0, 3.0])
    if kind != "plate":
        assert (np.sum(inward * found.normals[found.faces[:, 0]], axis=1) > 0).all()


def test_ears_of_random_polygons_fill_them():
    rng = np.random.default_rng(3)
    for n in range(3, 12):
        angle = np.sort(rng.uniform(0, 2 * np.pi, n))
        star = rng.uniform(0.3, 1.0, n)[:, None] * np.stack([np.cos(angle), np.sin(angle)], axis=1)
        if polygon_area(star) > 0.05 and np.diff(np.append(angle, angle[0] + 2 * np.pi)).max() < np.pi:
            parts = [polygon_area(star[list(t)]) for t in clip_ears(star)]
            assert min(parts) > -1e-12 and sum(parts) == pytest.approx(polygon_area(star))


def test_a_picture_of_a_planar_mechanism_has_its_points_where_they_are(moving):
    """Pins of the four-bar in the picture are as far apart as in the mechanism, in the scale of the bar."""
    tree = ElementTree.fromstring(moving.still)
    assert tree.tag.endswith("svg") and len(list(tree.iter())) > 20
    bar = re.search(r'd="M([\d.]+) \d+v5h([\d.]+)v-5"', moving.still)
    text = re.search(r">([\d.]+) (m|mm)</text>", moving.still)
    assert bar is not None and text is not None
    scale = float(bar[2]) / (float(text[1]) * {"m": 1.0, "mm": 1e-3}[text[2]])
    built = model("four-bar")
    crank, rocker = built.assemble().q[[0, 2]]
    pins = np.array([[0, 0], [3, 0], [np.cos(crank), np.sin(crank)], [3 + 2.5 * np.cos(rocker), 2.5 * np.sin(rocker)]])
    centers = drawn_circles(moving.still)
    expected = centers[0] + scale * (pins - pins[0]) * [1, -1]
    assert np.linalg.norm(expected[:, None] - centers, axis=-1).min(axis=1).max() < 0.5  # of a pixel
    view, scene = opening_camera(moving.data["scene"]), moving.data["scene"]
    assert view.axes[2] @ np.array(scene["normal"]) == pytest.approx(1.0)


def drawn_circles(svg: str) -> np.ndarray:
    """Centers of the outlines of at least twenty corners, which follow each other by differences."""
    outlines = [re.findall(r"-?\d*\.?\d+", path) for path in re.findall(r'd="M([^"]*)z"', svg)]
    corners = [np.cumsum(np.array(each, dtype=float).reshape(-1, 2), axis=0) for each in outlines if len(each) > 40]
    return np.array([0.5 * (each.min(axis=0) + each.max(axis=0)) for each in corners])


def test_an_animation_has_the_frames_of_the_motion(moving, tmp_path):
    image = pytest.importorskip("PIL.Image", reason="Pillow comes with the extra 'plot'")
    file = write_scene(moving, tmp_path / "crank.gif")
    with image.open(file) as found:
        assert found.n_frames == 80 and found.size == (640, 480) and found.info["loop"] == 0
        first = np.asarray(found.convert("RGB"))
        found.seek(40)
        assert np.abs(first.astype(int) - np.asarray(found.convert("RGB"))).max() > 100


def test_a_model_for_other_programs_moves_as_the_mechanism(moving):
    """A glTF reader of somebody else finds every body at its pose, with y up, and solids of the same size."""
    trimesh = pytest.importorskip("trimesh", reason="trimesh comes with the extra 'meshes'")
    scene, tracks = moving.data["scene"], unpack_array(moving.data["poses"]).astype(float)
    content = glb_bytes(scene, unpack_array(moving.data["t"]), tracks, "four-bar")
    assert content[:4] == b"glTF" and len(content) % 4 == 0
    found = trimesh.load(io.BytesIO(content), file_type="glb")
    up = np.array(scene["up"])
    for i, body in enumerate(scene["bodies"]):
        matrix, _ = found.graph.get(body["name"])
        turned = matrix[:3, 3]
        assert turned[1] == pytest.approx(tracks[0, i, :3] @ up, abs=1e-6)
        assert np.linalg.norm(turned) == pytest.approx(np.linalg.norm(tracks[0, i, :3]), abs=1e-6)
    import json
    import struct

    (size,) = struct.unpack("<I", content[12:16])
    document_ = json.loads(content[20 : 20 + size])
    (animation,) = document_["animations"]
    assert len(animation["channels"]) == 2 * len(scene["bodies"]) + 3 * len(scene["rods"])
    names = [document_["nodes"][c["target"]["node"]]["name"] for c in animation["channels"]]
    assert names[0] == scene["bodies"][0]["name"]


def test_joints_stay_together_between_frames():
    """A crank that turns by 0.4 rad from sample to sample gets frames in between until nothing parts by a pixel."""
    built = model("four-bar")
    angles = built.assemble().q[0] + np.arange(0.0, 2.0 * np.pi, 0.4)
    q = built.follow(angles[:, None], built.assemble().q)
    motion = ShownMotion(np.arange(len(q)) * 0.1, q)
    data = document(built, motion).data
    tracks = unpack_array(data["poses"]).astype(float)
    coarse = np.concatenate([built.body_poses(q).position, built.body_poses(q).quaternion_wxyz], axis=-1)
    extent = data["scene"]["extent"]
    assert joint_separation(built.mechanism, coarse).max() > 2.0 * PIXEL * extent
    assert joint_separation(built.mechanism, tracks).max() < 0.5 * PIXEL * extent
    t = unpack_array(data["t"])
    assert np.all(np.isin(np.round(motion.t, 9), np.round(t, 9))) and np.all(np.diff(t) > 0)


def test_other_endings_are_refused(moving, tmp_path):
    with pytest.raises(ResultError, match=r"\.svg, \.gif, \.glb"):
        write_scene(moving, tmp_path / "x.doc")
    empty = lw.view(lw.Result([0.0, 1.0], [lw.types.Series("x", [0.0, 1.0])]), tmp_path / "curves.html")
    with pytest.raises(ArgumentError, match="no mechanism to draw"):
        empty.save(tmp_path / "curves.gif")
    done = CliRunner().invoke(main, ["view", "four-bar", "--output", "x.doc"])
    assert done.exit_code == 2 and ".glb" in done.output


def test_the_command_writes_a_picture(tmp_path):
    file = tmp_path / "bar.svg"
    done = CliRunner().invoke(main, ["view", "four-bar", "--still", "--output", str(file), "--no-open", "--json"])
    assert done.exit_code == 0, done.output
    assert file.read_text(encoding="utf-8").startswith("<svg")
