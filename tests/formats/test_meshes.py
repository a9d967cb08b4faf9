"""Meshes: which files a model may name, what is kept of them, and the mass of what they enclose."""

import os
import struct
from dataclasses import replace
from itertools import product

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError, LinkwrightError
from linkwright.formats import from_sdf
from linkwright.formats.assets import Assets
from linkwright.formats.mechanism_files import read, save
from linkwright.formats.meshes import LARGEST_MESH, Triangles, is_closed_surface, load_mesh, mesh_bytes, solid_inertia
from linkwright.joints import Revolute
from linkwright.mechanism import Body, Joint, Mechanism, Mesh, Shape

CORNERS = np.array(list(product((-0.5, 0.5), repeat=3)))
FACES = np.array(
    [[0, 1, 3], [0, 3, 2], [4, 6, 7], [4, 7, 5], [0, 4, 5], [0, 5, 1], [2, 3, 7], [2, 7, 6], [0, 2, 6], [0, 6, 4]]
    + [[1, 5, 7], [1, 7, 3]]
)


def cuboid(size=(1.0, 1.0, 1.0), at=(0.0, 0.0, 0.0)) -> Triangles:
    return Triangles(CORNERS * np.array(size) + np.array(at), FACES)


def stl(surface: Triangles) -> bytes:
    """A binary STL file."""
    rows = [struct.pack("<12fH", 0, 0, 0, *surface.vertices[face].ravel(), 0) for face in surface.faces]
    return b"\0" * 80 + struct.pack("<I", len(rows)) + b"".join(rows)


def sphere(n: int = 60) -> Triangles:
    """A unit sphere of n by 2 n patches."""
    polar, around = np.linspace(0.0, np.pi, n + 1), np.linspace(0.0, 2.0 * np.pi, 2 * n + 1)[:-1]
    grid = np.array([[np.sin(p) * np.cos(a), np.sin(p) * np.sin(a), np.cos(p)] for p in polar for a in around])
    m = len(around)
    faces = []
    for i, j in product(range(n), range(m)):
        a, b = i * m + j, i * m + (j + 1) % m
        faces += [[a, a + m, b + m], [a, b + m, b]]
    return Triangles(np.where(np.abs(grid) < 1e-12, 0.0, grid), np.array(faces))


def test_the_inertia_of_a_cuboid_is_the_textbook_one():
    (x, y, z), at = (0.3, 0.5, 0.7), (1.0, -2.0, 3.0)
    found = solid_inertia(cuboid((x, y, z), at), 800.0)
    m = 800.0 * x * y * z
    expected = np.diag([y * y + z * z, x * x + z * z, x * x + y * y]) * m / 12.0
    assert found.mass == pytest.approx(m) and found.com == pytest.approx(at)
    assert np.array(found.tensor) == pytest.approx(expected, rel=1e-12, abs=1e-12)


def test_the_inertia_of_a_fine_sphere_is_two_fifths():
    surface = sphere()
    found = solid_inertia(surface, 1.0)
    assert is_closed_surface(surface)
    assert found.mass == pytest.approx(4.0 / 3.0 * np.pi, rel=3e-3)
    assert np.diag(found.tensor) == pytest.approx(0.4 * found.mass, rel=3e-3)


def test_surfaces_with_holes_or_inside_out_have_no_volume():
    assert is_closed_surface(cuboid()) and not is_closed_surface(Triangles(CORNERS, FACES[1:]))
    with pytest.raises(LinkwrightError, match="enclose no volume"):
        solid_inertia(Triangles(CORNERS, FACES[:, ::-1]), 1.0)


# --- which files a model may name


@pytest.fixture
def folders(tmp_path):
    """A package with a robot, and a file that it must not name."""
    package = tmp_path / "ws" / "arm_description"
    for path in (package / "urdf", package / "meshes", tmp_path / "elsewhere"):
        path.mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>arm_description</name></package>")
    for path in (package / "meshes" / "a.stl", package / "urdf" / "b.stl", tmp_path / "elsewhere" / "secret.stl"):
        path.write_bytes(stl(cuboid()))
    return tmp_path


def test_a_model_names_files_below_its_folder_and_in_its_package(folders):
    here = folders / "ws" / "arm_description" / "urdf"
    assets = Assets(here)
    assert assets.find("b.stl") == assets.find(f"file://{here}/b.stl") == here / "b.stl"
    assert assets.find("package://arm_description/meshes/a.stl") == here.parent / "meshes" / "a.stl"


@pytest.mark.parametrize(
    "name",
    [
        "../meshes/a.stl",
        "package://arm_description/../../elsewhere/secret.stl",
        "package://other/meshes/a.stl",
        "package://elsewhere/secret.stl",
        "package:///etc/passwd",
        "file:///etc/passwd",
        "/etc/passwd",
        "http://example.org/a.stl",
        "",
        "a\0b.stl",
        "x" * 5000,
    ],
)
def test_other_names_lead_nowhere(folders, name):
    assert Assets(folders / "ws" / "arm_description" / "urdf").find(name) is None
    assert Assets().find(name) is None


def test_a_link_to_another_folder_leads_nowhere_unless_it_is_allowed(folders):
    here = folders / "ws" / "arm_description" / "urdf"
    os.symlink(folders / "elsewhere" / "secret.stl", here / "link.stl")
    assert Assets(here).find("link.stl") is None
    allowed = Assets(here, (folders / "elsewhere",))
    assert (
        allowed.find("link.stl")
        == allowed.find("package://elsewhere/secret.stl")
        == folders / "elsewhere" / "secret.stl"
    )


def test_packages_are_found_on_ros_paths(folders, monkeypatch, tmp_path):
    (tmp_path / "alone").mkdir()
    assert Assets(tmp_path / "alone").find("package://arm_description/meshes/a.stl") is None
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(folders / "ws"))
    assert Assets(tmp_path / "alone").find("package://arm_description/meshes/a.stl") is not None


# --- what is kept

ROBOT = """<robot name="r"><link name="base"/><link name="arm"><inertial><mass value="1"/>
  <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial><visual><origin xyz="1 2 3" rpy="0.1 0.2 0.3"/>
  <geometry><mesh filename="package://arm_description/meshes/a.stl" scale="0.001 0.001 0.002"/></geometry>
  <material name="m"><color rgba="1 0 0 1"/></material></visual>
  <visual><geometry><mesh filename="package://gone/b.dae"/></geometry></visual></link>
  <joint name="j" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""


def robot(folders):
    path = folders / "ws" / "arm_description" / "urdf" / "robot.urdf"
    path.write_text(ROBOT)
    return path


def test_missing_meshes_are_noted_and_the_rest_is_read(folders):
    imported = read(robot(folders))
    drawn, gone = (shape.solid for shape in imported.mechanism.bodies[0].shapes)
    assert drawn == Mesh(str(folders / "ws" / "arm_description" / "meshes" / "a.stl"), (0.001, 0.001, 0.002))
    assert gone == Mesh("package://gone/b.dae")
    (note,) = [note for note in imported.notes if note.code == "missing-mesh"]
    assert note.value == 1 and "package://gone/b.dae" in note.message and not note.matters


@pytest.mark.parametrize("name", ["copy.urdf", "copy.sdf", "copy.yaml"])
def test_meshes_and_colors_are_handed_on(folders, name):
    mech = lw.load(robot(folders))
    path = folders / "ws" / "arm_description" / name
    save(mech, path)
    (body,) = (body for body in lw.load(path).bodies if body.name == "arm")
    assert [(s.solid, s.color) for s in body.shapes] == [(s.solid, s.color) for s in mech.bodies[0].shapes]
    assert np.allclose(body.shapes[0].pose.R, mech.bodies[0].shapes[0].pose.R, atol=1e-14)
    assert body.shapes[0].pose.r == pytest.approx(mech.bodies[0].shapes[0].pose.r)


def test_a_mesh_outside_the_new_folder_is_reported(folders):
    (folders / "new").mkdir()
    losses = save(lw.load(robot(folders)), folders / "new" / "copy.urdf")
    assert any(loss.code == "lost-shape" and "outside the folder" in loss.message for loss in losses)
    again = lw.load(folders / "new" / "copy.urdf", folders=[folders / "ws"])
    assert again.bodies[0].shapes[0].solid.file.endswith("a.stl")


def test_mujoco_reads_the_meshes_of_a_written_file(folders):
    mujoco = pytest.importorskip("mujoco")
    mech = lw.load(robot(folders))
    path = folders / "ws" / "arm_description" / "copy.xml"
    losses = save(mech, path)
    assert [loss.subject for loss in losses if loss.code == "lost-shape"] == ["arm"]  # MuJoCo reads no .dae
    model = mujoco.MjModel.from_xml_path(str(path))
    assert model.nmesh == 1 and model.body("arm").mass == pytest.approx(1.0)
    (back,) = lw.load(path).bodies[0].shapes
    shape = mech.bodies[0].shapes[0]
    assert back.solid == shape.solid and back.color == shape.color
    assert back.pose.r == pytest.approx(shape.pose.r) and np.allclose(back.pose.R, shape.pose.R)


@pytest.mark.parametrize("inertial", ['<inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>', ""])
def test_a_mesh_of_mjcf_stands_where_the_file_says_whether_it_weighs_or_not(tmp_path, inertial):
    """MuJoCo moves the corners of a mesh to its mass center; the drawing is that of the file."""
    pytest.importorskip("mujoco")
    (tmp_path / "assets").mkdir()
    (tmp_path / "assets" / "block.stl").write_bytes(stl(cuboid((0.1, 0.2, 0.3), (1.0, 2.0, 3.0))))
    (tmp_path / "m.xml").write_text(
        f"""<mujoco><compiler meshdir="assets"/><asset><mesh file="block.stl" scale="2 2 2"/></asset><worldbody>
        <body><joint type="hinge"/>{inertial}<geom type="mesh" mesh="block" pos="0.5 0 0" euler="0 0 90"
        rgba="1 0 0 1"/></body></worldbody></mujoco>"""
    )
    (body,) = lw.load(tmp_path / "m.xml").bodies
    (shape,) = body.shapes
    assert shape.solid == Mesh(str(tmp_path / "assets" / "block.stl"), (2.0, 2.0, 2.0)) and shape.color == "#ff0000"
    assert shape.pose.r == pytest.approx([0.5, 0.0, 0.0], abs=1e-6)
    assert np.allclose(shape.pose.R, [[0, -1, 0], [1, 0, 0], [0, 0, 1]], atol=1e-6)
    if not inertial:
        assert body.inertia.mass == pytest.approx(1000.0 * 0.1 * 0.2 * 0.3 * 8.0, rel=1e-5)


# --- opening them


def test_a_mesh_that_is_not_a_file_of_reasonable_size_is_refused(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("named pipes are files of POSIX")
    os.mkfifo(tmp_path / "pipe.stl")
    with (tmp_path / "huge.stl").open("wb") as stream:
        stream.truncate(LARGEST_MESH + 1)
    for name, why in (
        ("pipe.stl", "not a regular file"),
        ("huge.stl", "larger than"),
        ("gone.stl", "cannot be opened"),
    ):
        with pytest.raises(FormatError, match=why):
            mesh_bytes(str(tmp_path / name))


def test_triangles_of_a_file_are_scaled(tmp_path):
    pytest.importorskip("trimesh", reason="reading meshes needs trimesh")
    (tmp_path / "a.stl").write_bytes(stl(cuboid((1.0, 2.0, 3.0))))
    surface = load_mesh(Mesh(str(tmp_path / "a.stl"), (0.1, 0.1, 0.1)))
    assert np.ptp(surface.vertices, axis=0) == pytest.approx([0.1, 0.2, 0.3]) and len(surface.faces) == 12
    assert is_closed_surface(surface)


@pytest.mark.parametrize(
    "name, content", [("a.stl", b"nonsense"), ("a.obj", b"v 1 2 3"), ("a.txt", b"x"), ("a.stl", b"")]
)
def test_what_is_not_a_mesh_is_refused(tmp_path, name, content):
    pytest.importorskip("trimesh", reason="reading meshes needs trimesh")
    (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError):
        load_mesh(Mesh(str(tmp_path / name)))


def test_entities_in_a_mesh_are_refused(tmp_path):
    (tmp_path / "a.dae").write_bytes(b'<!DOCTYPE x [<!ENTITY a "b">]><COLLADA/>')
    with pytest.raises(FormatError, match="entities are not read"):
        load_mesh(Mesh(str(tmp_path / "a.dae")))


# --- automatic inertia of SDF


def sdf(geometry: str, inertial: str = '<inertial auto="true"/>', more: str = "") -> str:
    return f"""<sdf version="1.11"><model name="m"><link name="a">{inertial}<collision name="c"><pose>1 0 0 0 0 0</pose>
    <geometry>{geometry}</geometry>{more}</collision></link></model></sdf>"""


BOX = "<box><size>1 2 3</size></box>"


def test_sdf_computes_inertia_from_collision_shapes():
    body = from_sdf(sdf(BOX)).mechanism.bodies[0]
    assert body.inertia.mass == pytest.approx(6000.0) and body.inertia.com == pytest.approx((1.0, 0.0, 0.0))
    assert np.diag(body.inertia.tensor) == pytest.approx([500.0 * 13, 500.0 * 10, 500.0 * 5])
    light = from_sdf(sdf(BOX, more="<density>1</density>")).mechanism.bodies[0]
    assert light.inertia.mass == pytest.approx(6.0)
    scaled = from_sdf(sdf(BOX, '<inertial auto="true"><mass>3</mass></inertial>')).mechanism.bodies[0]
    assert scaled.inertia.mass == 3.0
    assert np.array(scaled.inertia.tensor) == pytest.approx(np.array(body.inertia.tensor) / 2000.0)


def test_a_link_of_two_collision_shapes_has_their_common_inertia():
    """Two halves of a box weigh as the box does, seen from anywhere."""
    halves = sdf("<box><size>1 2 1.5</size></box>").replace("1 0 0 0 0 0", "1 0 0.75 0 0 0")
    other = halves[halves.index("<collision") : halves.index("</link>")].replace("0.75", "-0.75")
    both = halves.replace("</link>", other.replace('name="c"', 'name="d"') + "</link>")
    found, whole = (from_sdf(text).mechanism.bodies[0].inertia for text in (both, sdf(BOX)))
    assert found.mass == pytest.approx(whole.mass) and found.com == pytest.approx(whole.com)
    assert np.array(found.tensor) == pytest.approx(np.array(whole.tensor))


def test_a_mesh_that_is_missing_refuses_the_link_it_gives_mass():
    with pytest.raises(FormatError, match=r"mass comes from a mesh that is not opened.*--folder"):
        from_sdf(sdf("<mesh><uri>gone.stl</uri></mesh>"))


def test_a_mesh_gives_the_inertia_of_the_box_it_shows(tmp_path):
    pytest.importorskip("trimesh", reason="reading meshes needs trimesh")
    (tmp_path / "box.stl").write_bytes(stl(cuboid((1.0, 2.0, 3.0))))
    (tmp_path / "m.sdf").write_text(sdf("<mesh><uri>box.stl</uri></mesh>"))
    found, whole = lw.load(tmp_path / "m.sdf").bodies[0].inertia, from_sdf(sdf(BOX)).mechanism.bodies[0].inertia
    assert found.mass == pytest.approx(whole.mass) and np.array(found.tensor) == pytest.approx(np.array(whole.tensor))


def test_a_body_with_meshes_only_is_drawn_as_one_without_shapes():
    from linkwright.viewer.scene import NO_SURFACES
    from linkwright.viewer.solids import solids_of_shape

    shape = Shape(Mesh("a.stl"))
    assert solids_of_shape(shape, 0, "#000000", NO_SURFACES) == [] and not NO_SURFACES.is_drawn((shape,))
    plain = Mechanism("p", (Body("rod"),), (Joint("swing", "ground", "rod", Revolute()),))
    assert replace(plain, bodies=(Body("rod", shapes=(shape,)),)) != plain
