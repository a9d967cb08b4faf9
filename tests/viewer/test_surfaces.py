"""Meshes on a page: read within limits, divided by color, simplified to the budget, and what was left out."""

from dataclasses import replace
from importlib.util import find_spec

import numpy as np
import pytest

import linkwright as lw
from linkwright.formats import from_mjcf, from_sdf, from_yaml, to_yaml
from linkwright.formats.meshes import Triangles, is_closed_surface, simplify_surface, solid_inertia
from linkwright.formats.sdf.scenes import solid_of
from linkwright.viewer import ShownMotion, document
from linkwright.viewer.shown_motion import unpack_array
from linkwright.viewer.surfaces import mechanism_surfaces, surface_data, triangle_share
from tests.formats.test_meshes import cuboid, sphere, stl

needs_trimesh = pytest.mark.skipif(find_spec("trimesh") is None, reason="reading meshes needs trimesh")
DAE = """<?xml version="1.0"?><COLLADA xmlns="http://www.collada.org/2005/11/COLLADASchema" version="1.4.1">
<asset><unit meter="0.001"/><up_axis>Z_UP</up_axis></asset>
<library_effects><effect id="e"><profile_COMMON><technique sid="t"><lambert><diffuse><color>1 0 0 0.5</color></diffuse>
</lambert></technique></profile_COMMON></effect></library_effects>
<library_materials><material id="m"><instance_effect url="#e"/></material></library_materials>
<library_geometries><geometry id="g"><mesh><source id="p">
<float_array id="f" count="9">0 0 0 1000 0 0 0 1000 0</float_array>
<technique_common><accessor source="#f" count="3" stride="3"><param name="X" type="float"/>
<param name="Y" type="float"/>
<param name="Z" type="float"/></accessor></technique_common></source>
<vertices id="v"><input semantic="POSITION" source="#p"/>
</vertices>
<triangles material="m" count="1"><input semantic="VERTEX" source="#v" offset="0"/><p>0 1 2</p></triangles>
</mesh></geometry></library_geometries><library_visual_scenes><visual_scene id="s"><node><instance_geometry url="#g">
<bind_material><technique_common><instance_material symbol="m" target="#m"/></technique_common></bind_material>
</instance_geometry></node></visual_scene></library_visual_scenes>
<scene><instance_visual_scene url="#s"/></scene></COLLADA>"""


def robot(folder, file: str, content: bytes) -> lw.Mechanism:
    (folder / file).write_bytes(content)
    (folder / "arm.yaml").write_text(
        "format: 1\nname: arm\nbodies:\n  rod: {mass: 1 kg, inertia: [1, 1, 1], shapes: [{mesh: {file: "
        + file
        + "}, color: '#00ff00'}]}\njoints:\n  swing: {type: revolute, parent: ground, child: rod, axis: z}\n"
    )
    return lw.load(folder / "arm.yaml")


def test_the_budget_is_shared_so_that_small_surfaces_stay_whole():
    rng = np.random.default_rng(1)
    for _ in range(50):
        sizes = rng.integers(1, 5000, rng.integers(1, 30)).tolist()
        budget = int(rng.integers(4 * len(sizes), 60_000))
        level = triangle_share(sizes, budget)
        assert sum(min(size, level) for size in sizes) <= max(budget, 4 * len(sizes))
        assert level >= max(sizes) or sum(min(size, level + 1) for size in sizes) > budget


def test_packed_corners_are_within_half_a_step():
    surface = sphere(12)
    data = surface_data(surface)
    corners = np.array(data["low"]) + unpack_array(data["corners"]) * np.array(data["step"])
    assert np.abs(corners - surface.vertices).max() <= 0.5001 * max(data["step"])
    assert np.array_equal(unpack_array(data["faces"]), surface.faces)


def test_simplified_surfaces_keep_their_volume_and_stay_closed():
    pytest.importorskip("fast_simplification", reason="simplifying meshes needs fast_simplification")
    soup = sphere(40)
    loose = Triangles(soup.vertices[soup.faces].reshape(-1, 3), np.arange(soup.faces.size).reshape(-1, 3))
    thin = simplify_surface(loose, 1500)
    assert len(thin.faces) <= 1.05 * 1500 < 0.5 * len(soup.faces) and is_closed_surface(thin)
    assert solid_inertia(thin, 1.0).mass == pytest.approx(solid_inertia(soup, 1.0).mass, rel=0.01)


@needs_trimesh
def test_a_mesh_of_a_file_is_drawn_in_the_color_of_its_shape(tmp_path):
    mech = robot(tmp_path, "a.stl", stl(cuboid((1.0, 2.0, 3.0))))
    built = lw.build(mech)
    content = document(built, ShownMotion(np.zeros(1), np.zeros((1, 1))))
    (solid,) = (s for s in content.data["scene"]["solids"] if s["layer"] == "body" and s["body"] == 0)
    assert (solid["kind"], solid["surface"], solid["color"]) == ("mesh", 0, "#00ff00")
    data = content.data["scene"]["meshes"][0]
    assert np.array(data["step"]) * 65_535 == pytest.approx([1.0, 2.0, 3.0]) and not content.notes


@needs_trimesh
def test_colors_and_the_unit_inside_a_file_count(tmp_path):
    found = mechanism_surfaces(robot(tmp_path, "a.dae", DAE.encode()))
    ((part,),) = found.parts.values()
    assert part.color == "#ff000080"
    assert np.array(found.data[0]["step"]) * 65_535 == pytest.approx([1.0, 1.0, 0.0])


@needs_trimesh
def test_a_file_that_cannot_be_read_is_named_on_the_page_and_replaced(tmp_path):
    content = document(lw.build(robot(tmp_path, "a.stl", b"nonsense")), ShownMotion(np.zeros(1), np.zeros((1, 1))))
    assert len(content.notes) == 1 and "a.stl" in content.notes[0] and "not drawn" in content.notes[0]
    assert any(s["layer"] == "body" and s["body"] == 0 for s in content.data["scene"]["solids"])


@needs_trimesh
def test_names_in_a_text_are_opened_only_where_a_reader_allowed_it(tmp_path, monkeypatch):
    """A run holds its mechanism as text: the meshes of a file loaded in this process are drawn, others are not."""
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    mech = robot(tmp_path, "a.stl", stl(cuboid()))
    assert mechanism_surfaces(from_yaml(to_yaml(mech), "text")).parts
    (tmp_path / "b.stl").write_bytes(stl(cuboid()))
    other = replace(mech.bodies[0].shapes[0], solid=lw.shapes.Mesh(str(tmp_path / "b.stl")))
    text = to_yaml(replace(mech, bodies=(replace(mech.bodies[0], shapes=(other,)),)))
    found = mechanism_surfaces(from_yaml(text, "text"))
    assert not found.parts and "not below the current folder" in found.notes[0]


# --- solids beside meshes


def test_ellipsoids_capsules_and_planes_are_read():
    sdf = """<sdf version="1.9"><model name="m"><link name="a"><visual name="v">
    <geometry>{}</geometry></visual></link></model></sdf>"""

    def solid(text: str):
        return from_sdf(sdf.format(text)).mechanism.bodies[0].shapes[0].solid

    assert solid("<ellipsoid><radii>1 2 3</radii></ellipsoid>") == lw.shapes.Ellipsoid((1.0, 2.0, 3.0))
    rod = solid("<capsule><radius>0.1</radius><length>2</length></capsule>")
    assert rod == lw.shapes.Capsule(0.1, (0.0, 0.0, -1.0), (0.0, 0.0, 1.0))
    flat = solid("<plane><normal>1 0 0</normal><size>2 4</size></plane>")
    assert np.ptp(np.array(flat.corners), axis=0)[0] == 0.0 and len(flat.corners) == 4


def test_geoms_for_contact_are_not_drawn():
    pytest.importorskip("mujoco")
    mech = from_mjcf(
        """<mujoco><worldbody><body name="a"><joint name="j"/><geom type="ellipsoid" size="1 2 3" rgba="1 0 0 0.2"/>
        <geom type="sphere" size="1" group="3"/></body><geom type="plane" size="1 2 1"/>
        <geom type="plane" size="0 0 1"/>
        </worldbody></mujoco>"""
    ).mechanism
    (first,), (second,) = mech.bodies[0].shapes, mech.base_shapes
    assert first.solid == lw.shapes.Ellipsoid((1.0, 2.0, 3.0)) and first.color == "#ff000033"
    assert np.ptp(np.array(second.solid.corners), axis=0).tolist() == [2.0, 4.0, 0.0]
    again = from_yaml(to_yaml(mech), "again")
    assert again.bodies[0].shapes == mech.bodies[0].shapes


def test_the_inertia_of_an_ellipsoid_is_that_of_its_surface():
    round_one, radii = sphere(80), (0.5, 1.0, 2.0)
    near = solid_inertia(Triangles(round_one.vertices * radii, round_one.faces), 3.0)
    exact = solid_of(lw.shapes.Ellipsoid(radii), 3.0, None)
    assert exact.mass == pytest.approx(near.mass, rel=2e-3)
    assert np.diag(exact.tensor) == pytest.approx(np.diag(near.tensor), rel=4e-3)


def test_the_inertia_of_a_capsule_is_that_of_its_slices():
    exact = solid_of(lw.shapes.Capsule(1.0, (0.0, 0.0, -0.7), (0.0, 0.0, 0.7)), 3.0, None)
    z = np.linspace(-1.7, 1.7, 200_001)
    r2 = 1.0 - np.maximum(np.abs(z) - 0.7, 0.0) ** 2
    slices = 3.0 * np.pi * r2 * (z[1] - z[0])
    assert exact.mass == pytest.approx(slices.sum(), rel=1e-6)
    across, along = (slices * (r2 / 4.0 + z**2)).sum(), (slices * r2 / 2.0).sum()
    assert np.diag(exact.tensor) == pytest.approx([across, across, along], rel=1e-6)
