"""Workspaces against closed geometry."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.spatial.transform import Rotation

import linkwright as lw
from linkwright.analysis import workspace
from linkwright.analysis.region.boundary import (
    cell_simplices,
    corners_inside_first,
    crossing_edges,
    level_set,
    mixed_cells,
    plane_mesh,
)
from linkwright.cli import main
from tests.analysis import closed_forms
from tests.analysis.hexaslide_region import from_mechanism

BOX = {"x": (-0.72, 0.64), "y": (-0.65, 0.65), "z": (-1.26, 0.0)}


@pytest.fixture(scope="module")
def hexam():
    return lw.build(lw.catalog.load("hexam"))


@pytest.fixture(scope="module")
def five_bar():
    return lw.build(lw.catalog.load("five-bar"))


def grid(n):
    return {name: (*span, n) for name, span in BOX.items()}


def test_every_pose_and_the_volume_of_a_hexaslide_equal_its_geometry(hexam):
    pose = hexam.frame_pose(hexam.assemble().q, "platform")
    exact = from_mechanism(hexam.mechanism, pose.rotation, pose.position)
    found = lw.analysis.workspace(hexam, grid(31))
    points = np.stack(np.meshgrid(*found.axes, indexing="ij"), axis=-1)
    assert np.array_equal(found.inside, exact.reaches(points))
    volume = exact.volume(*BOX.values(), 100)
    assert abs(found.volume / volume - 1.0) < 5e-3 and abs(found.volume - volume) < found.error
    assert found.bounds[0] < volume < found.bounds[1]
    step = 1e-3 * max(axis[1] - axis[0] for axis in found.axes)
    assert np.abs(exact.margin(found.points)).max() < step  # points of the mesh lie on the boundary


def test_a_part_that_is_not_connected_with_the_start_is_left_out(hexam):
    """Above its rails HexaM reaches a second part, with its legs pointing up."""
    pose = hexam.frame_pose(hexam.assemble().q, "platform")
    exact = from_mechanism(hexam.mechanism, pose.rotation, pose.position)
    found = lw.analysis.workspace(hexam, grid(31) | {"z": (-1.26, 0.6, 47)})
    points = np.stack(np.meshgrid(*found.axes, indexing="ij"), axis=-1)
    apart = exact.reaches(points) & ~found.inside
    assert apart.any() and np.array_equal(apart, found.code == found.reasons.index("not connected with the start"))
    assert np.all(points[apart][:, 2] > 0.0) and np.all(points[found.inside][:, 2] < 0.0)


def test_the_mesh_of_the_boundary_encloses_the_volume(hexam, tmp_path):
    found = lw.analysis.workspace(hexam, grid(21), show=["type2"])
    a, b, c = (found.points[found.faces[:, i]] - found.points.mean(axis=0) for i in range(3))
    signed = np.einsum("ij,ij->i", a, np.cross(b, c)) / 6.0
    normal = np.cross(b - a, c - a)
    assert len(found.point_values["type2"]) == len(found.points) and np.abs(signed).sum() > found.volume * 0.9
    edges = np.sort(np.concatenate([found.faces[:, [0, 1]], found.faces[:, [1, 2]], found.faces[:, [2, 0]]]), axis=1)
    edges = edges[edges[:, 0] != edges[:, 1]]
    _, counts = np.unique(edges, axis=0, return_counts=True)
    assert np.all(counts == 2) and np.isfinite(normal).all()  # closed
    for name in ("a.ply", "a.vtk", "a.vti"):
        found.export(tmp_path / name)
    assert f"element face {len(found.faces)}" in (tmp_path / "a.ply").read_text()
    with pytest.raises(lw.errors.ResultError, match=r"\.ply"):
        found.export(tmp_path / "a.stl")


def test_the_area_of_the_five_bar_is_that_of_two_rings(five_bar):
    """Tip within the rings of both legs (Liu, Wang, Pritschow 2006), above the line of the motors."""
    found = lw.analysis.workspace(five_bar, {"x": (-0.75, 0.75, 121), "y": (0.0, 0.75, 61)})
    n = 1500
    x, y = -0.75 + 1.5 * (np.arange(2 * n) + 0.5) / (2 * n), 0.75 * (np.arange(n) + 0.5) / n
    X, Y = np.meshgrid(x, y, indexing="ij")
    inside = np.ones_like(X, dtype=bool)
    for side in (-1.0, 1.0):
        r = np.hypot(X - side * closed_forms.BASE, Y)
        inside &= (r <= closed_forms.PROXIMAL + closed_forms.DISTAL) & (
            r >= closed_forms.DISTAL - closed_forms.PROXIMAL
        )
    area = inside.mean() * 1.5 * 0.75
    assert found.volume == pytest.approx(area, rel=2e-3) and found.unit == "m^2"
    assert any("end of the grid along y" in note for note in found.notes)


def test_poses_beyond_a_node_on_a_folded_leg_are_in_the_mode_of_the_start():
    """Legs fold at nodes of this grid, (-0.2, 0) and (0.2, 0) m: what lies beyond mirrors as the mechanism does."""
    robot = lw.build(lw.catalog.load("five-bar", {"proximal": "200 mm", "distal": "300 mm"}))
    found = lw.analysis.workspace(robot, {"x": (-0.4, 0.4, 61), "y": (-0.1, 0.5, 61)}, show=["condition"])
    assert np.array_equal(found.code, found.code[::-1])
    condition = found.values["condition"]
    regular = found.inside & (condition < 1e5)
    np.testing.assert_allclose(condition[regular], condition[::-1][regular], rtol=1e-6)


def test_bounds_of_indices_cut_the_region(five_bar):
    axes = {"x": (-0.3, 0.3, 25), "y": (0.2, 0.6, 21)}
    found = lw.analysis.workspace(five_bar, axes, at_most={"condition": 2.0}, at_least={"speed": 0.21}, speed=1.0)
    X, Y = np.meshgrid(*found.axes, indexing="ij")
    with np.errstate(invalid="ignore"):
        condition = np.array([[np.linalg.cond(_jacobian(x, y)) for x, y in zip(*row)] for row in zip(X, Y)])
        least = np.array([[_speed(x, y) for x, y in zip(*row)] for row in zip(X, Y)])
    assert np.array_equal(found.inside, (condition <= 2.0) & (least >= 0.21))  # no pose of the grid is on a bound
    assert found.reasons[-2:] == ("speed below 0.21", "condition above 2")
    assert np.allclose(found.values["condition"][found.inside], condition[found.inside], rtol=1e-9)
    names, axes_left, values = found.slice("condition", x=0.0)
    assert names == ("y",) and np.array_equal(values, found.values["condition"][12], equal_nan=True)
    assert np.array_equal(axes_left[0], found.axes[1])


def test_the_extent_covers_every_pose_inside_where_the_grid_cuts_the_region(five_bar):
    """A cut leaves no crossing of the boundary at the ends of the grid; refined crossings only widen the extent."""
    found = lw.analysis.workspace(five_bar, {"x": (-0.05, 0.05, 9), "y": (0.2, 0.6, 41)})
    for i, (name, axis) in enumerate(zip(found.names, found.axes)):
        values = axis[found.inside.any(axis=1 - i)]
        low, high = found.extent[name]
        assert axis[0] <= low <= min(values.min(), found.points[:, i].min())
        assert axis[-1] >= high >= max(values.max(), found.points[:, i].max())
    assert found.extent["x"] == (-0.05, 0.05) and len(found.points)


def _jacobian(x, y):
    J = closed_forms.five_bar_jacobian(x, y)
    return J if np.isfinite(J).all() else np.diag([1.0, 0.0])


def _speed(x, y):
    J = _jacobian(x, y)
    return 0.0 if not np.linalg.det(J) else 1.0 / np.linalg.norm(np.linalg.inv(J), axis=1).max()


def test_dexterous_is_the_common_part_and_reach_the_union_of_orientations(hexam):
    home = hexam.frame_pose(hexam.assemble().q, "platform")
    turns = [Rotation.from_rotvec(v) for v in ([0.0, 0.0, 0.0], [0.2, 0.0, 0.0], [0.0, -0.2, 0.0])]
    first = Rotation.from_quat(home.quaternion_wxyz[[1, 2, 3, 0]])
    wxyz = np.array([(turn * first).as_quat()[[3, 0, 1, 2]] for turn in turns])
    alone = [from_mechanism(hexam.mechanism, (turn * first).as_matrix(), home.position) for turn in turns]
    axes = grid(15)
    every = lw.analysis.workspace(hexam, axes, orientations=wxyz)
    some = lw.analysis.workspace(hexam, axes, orientations=wxyz, combine="any")
    points = np.stack(np.meshgrid(*every.axes, indexing="ij"), axis=-1)
    exact = np.array([each.reaches(points) for each in alone])
    assert np.array_equal(every.inside, exact.all(axis=0)) and every.kind == "dexterous"
    assert np.array_equal(some.inside, exact.any(axis=0)) and some.kind == "reach"


def test_the_orientation_workspace_turns_about_fixed_axes(hexam):
    home = hexam.frame_pose(hexam.assemble().q, "platform")
    first = Rotation.from_quat(home.quaternion_wxyz[[1, 2, 3, 0]])
    found = lw.analysis.workspace(hexam, {"rx": (-0.8, 0.8, 17), "ry": (-0.8, 0.8, 17)})
    for i, rx in enumerate(found.axes[0]):
        for j, ry in enumerate(found.axes[1]):
            R = (Rotation.from_euler("xyz", [rx, ry, 0.0]) * first).as_matrix()
            exact = from_mechanism(hexam.mechanism, first.as_matrix(), home.position)
            exact.b = exact.b @ (R @ first.as_matrix().T).T
            assert found.inside[i, j] == exact.reaches(home.position)
    assert found.kind == "orientation" and found.unit == "rad^2"


def test_ranges_are_found(five_bar):
    found = lw.analysis.workspace(five_bar, at_most={"condition": 3.0})
    inside = np.argwhere(found.inside)
    assert inside.min() >= 1 and np.all(inside.max(axis=0) <= np.array(found.code.shape) - 2)
    assert not any("end of the grid" in note for note in found.notes)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"grid": {"x": (0.1, -0.1, 5), "y": (0.3, 0.5, 5)}}, "end must be above"),
        ({"grid": {"x": (0.1, 0.2, 1)}}, "at least 2"),
        ({"grid": {"q": (0, 1, 5)}}, "unknown axis 'q'"),
        ({"grid": {"z": (0, 1, 5)}}, "does not have"),
        ({"grid": {}}, "one to three axes"),
        ({"grid": {"x": "wide"}}, "expected \\(low, high, count\\)"),
        ({"grid": {"x": (0, 1, 5000), "y": (0, 1, 5000)}}, "at most"),
        ({"at_most": {"beauty": 1.0}}, "unknown index 'beauty'"),
        ({"at_most": {"condition": "good"}}, "'condition'. is 'good'"),
        ({"at_most": 3.0}, "at_most is 3"),
        ({"at_most": {"condition": 2.0}, "at_least": {"condition": 3.0}}, "at least 3 and at most 2"),
        ({"at_least": {"least_stiffness": 1.0}}, "stiffness=1e4"),
        ({"orientations": np.zeros((0, 4))}, "quaternions"),
    ],
)
def test_wrong_arguments_are_refused(five_bar, given, message):
    arguments = {"grid": {"x": (-0.1, 0.1, 5), "y": (0.3, 0.5, 5)}} | given
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        lw.analysis.workspace(five_bar, **arguments)


def test_the_verb_prints_and_writes(tmp_path):
    table, mesh = tmp_path / "a.csv", tmp_path / "a.ply"
    words = ["workspace", "five-bar", "--pose", "x=-300 mm..300 mm:21, y=0.2..0.6:21", "--at-most", "condition=2"]
    done = CliRunner().invoke(main, [*words, "--json", "--output", str(table)])
    assert done.exit_code == 0, done.output
    data = json.loads(done.output)
    low, high = data["bounds"]
    assert data["poses"] == 441 and low < data["volume"] and high is None  # the region reaches the grid's end
    assert len(table.read_text().splitlines()) == 443
    wrong = CliRunner().invoke(main, [*words, "--export", str(mesh)])
    assert wrong.exit_code == 2 and "three axes" in wrong.output
    assert CliRunner().invoke(main, ["workspace", "five-bar", "--pose", "x=1:2"]).exit_code == 2


def test_files_that_the_verb_wrote_are_named(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["workspace", "five-bar", "--pose", "x=-0.3..0.3:5, y=0.2..0.6:5", "--no-refine"]
    done = CliRunner().invoke(main, [*words, "--export", "region.json", "--view", "region.html"])
    assert done.exit_code == 0, done.output
    assert "Written: region.json" in done.output and "Written: region.html" in done.output


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--export", "x.npz"], "'x.npz' ends in none of .ply, .vtk, .vti, .json"),
        (["--export", "x.ply", "--pose", "x, y"], "needs three axes"),
        (["--turns", "rx=1"], "--turns: rx is not an axis"),
        (["--turns", "rx=0..1 kg:3"], "--turns: rx:"),
        (["--at-least", "type2=small"], "--at-least: type2: 'small' is not a quantity"),
    ],
)
def test_mistakes_are_found_before_anything_is_computed(monkeypatch, words, message):
    monkeypatch.setattr(lw.analysis, "workspace", lambda *_, **__: pytest.fail("computed"))
    done = CliRunner().invoke(main, ["workspace", "five-bar", *words])
    assert done.exit_code == 2 and message in re.sub(r"[\s│]+", " ", done.output)


def test_an_interrupted_verb_says_so(monkeypatch):
    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(lw.analysis, "workspace", interrupted)
    done = CliRunner().invoke(main, ["workspace", "five-bar"])
    assert done.exit_code == 130 and "interrupted" in done.output and "Aborted" not in done.output


def test_the_page_on_workspaces_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "howto" / "workspace.md").read_text(encoding="utf-8")
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code.replace(", 41)", ", 15)"), names)
    assert names["found"].volume > 0.2 and (tmp_path / "workspace.png").stat().st_size > 1000


def test_the_total_orientation_workspace_is_the_common_part_of_all_turns(hexam):
    grid = {"x": (-0.5, 0.4, 9), "y": (-0.4, 0.4, 9)}
    at = hexam.frame_pose(hexam.assemble().q, "platform")
    angles = np.array([-0.15, 0.0, 0.15])
    total = workspace(hexam, grid, turns={"rx": (-0.15, 0.15, 3), "ry": (-0.15, 0.15, 3)})
    some = workspace(hexam, grid, turns={"rx": (-0.15, 0.15, 3), "ry": (-0.15, 0.15, 3)}, combine="any")
    every, single = np.ones((9, 9), dtype=bool), np.zeros((9, 9), dtype=bool)
    for rx in angles:
        for ry in angles:
            turned = Rotation.from_euler("xyz", [rx, ry, 0.0]) * Rotation.from_quat(at.quaternion_wxyz[[1, 2, 3, 0]])
            pose = lw.Pose(at.position, turned.as_quat()[[3, 0, 1, 2]])
            found = workspace(hexam, grid, at=pose, refine=False).inside
            every, single = every & found, single | found
    assert (total.kind, some.kind) == ("total orientation", "inclusive orientation")
    assert np.array_equal(total.inside, every) and np.array_equal(some.inside, single)
    assert 0 < every.sum() < single.sum()


def test_levels_are_where_the_index_has_the_value(five_bar, hexam):
    found = workspace(five_bar, {"x": (-0.3, 0.3, 121), "y": (0.2, 0.5, 121)}, show=["condition"], refine=False)
    lines = found.level("condition", 3.0)
    poses = np.column_stack([lines.points, np.zeros(len(lines.points))])
    at = lw.Pose(poses, np.tile([1.0, 0.0, 0.0, 0.0], (len(poses), 1)))
    q = five_bar.inverse_kinematics(at, components=("x", "y"))[0]
    assert len(lines.points) > 50 and lines.faces.shape[1] == 2
    assert np.allclose(five_bar.singularity(q, components=("x", "y")).condition, 3.0, rtol=2e-2)
    sphere = level_set(*ball(41))
    area = np.linalg.norm(
        np.cross(*(sphere.points[sphere.faces[:, i]] - sphere.points[sphere.faces[:, 0]] for i in (1, 2))), axis=1
    )
    assert 0.5 * area.sum() == pytest.approx(4.0 * np.pi * 0.7**2, rel=5e-3)
    with pytest.raises(lw.errors.ArgumentError, match="no index 'manipulability'"):
        found.level("manipulability", 1.0)


def ball(n):
    """A distance from the origin over a cube, and a radius."""
    axis = np.linspace(-1.0, 1.0, n)
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij")
    return (axis, axis, axis), np.sqrt(x**2 + y**2 + z**2), 0.7


def test_the_data_of_pages_is_the_workspace(hexam, tmp_path):
    grid = {"x": (-0.5, 0.4, 9), "y": (-0.4, 0.4, 9), "z": (-1.2, -0.2, 9)}
    found = workspace(hexam, grid, show=["condition"])
    found.export(tmp_path / "w.json")
    data = json.loads((tmp_path / "w.json").read_text(encoding="utf-8"))
    assert np.array_equal(np.array(data["boundary"]["points"]), found.points)
    assert np.array_equal(np.array(data["boundary"]["faces"]), found.faces)
    assert len(data["boundary"]["values"]["condition"]) == len(found.points)
    assert np.array_equal(np.array(data["grid"]["code"]).reshape(found.code.shape), found.code)
    assert [axis["name"] for axis in data["axes"]] == ["x", "y", "z"] and data["volume"] == found.volume


def test_a_region_thinner_than_a_cell_has_a_note(five_bar):
    grid = {"x": (-0.3, 0.3, 4), "y": (0.05, 0.65, 4)}
    thin = workspace(five_bar, grid, at_most={"condition": 1.2}, refine=False)
    if thin.inside.any():
        assert any("thinner than a cell" in note for note in thin.notes)
    x, y = 0.0, 0.42
    thin = workspace(five_bar, {"x": (x - 1.0, x + 1.0, 3), "y": (y - 1.0, y + 1.0, 3)}, refine=False)
    assert thin.inside.sum() == 1 and any("thinner than a cell" in note for note in thin.notes)


def test_indices_over_orientations_are_the_worst_of_all_or_the_best_of_any(hexam):
    home = hexam.frame_pose(hexam.assemble().q, "platform")
    first = Rotation.from_quat(home.quaternion_wxyz[[1, 2, 3, 0]])
    turns = [Rotation.from_rotvec(v) for v in ([0.0, 0.0, 0.0], [0.25, 0.0, 0.0], [0.0, -0.25, 0.0])]
    wxyz = np.array([(turn * first).as_quat()[[3, 0, 1, 2]] for turn in turns])
    given = {"grid": grid(7), "at_most": {"condition": 1e3}, "show": ("type2",), "refine": False}
    alone = [lw.analysis.workspace(hexam, **given, at=(home.position, each)) for each in wxyz]
    every = lw.analysis.workspace(hexam, **given, orientations=wxyz)
    some = lw.analysis.workspace(hexam, **given, orientations=wxyz, combine="any")
    for name, worst, best in (("condition", np.max, np.nanmin), ("type2", np.min, np.nanmax)):
        single = np.array([each.values[name] for each in alone])
        within = np.where([each.inside for each in alone], single, np.nan)
        assert np.allclose(every.values[name][every.inside], worst(single, axis=0)[every.inside], rtol=1e-9)
        assert np.allclose(some.values[name][some.inside], best(within[:, some.inside], axis=0), rtol=1e-9)
        assert every.inside.any() and not np.allclose(single[0][every.inside], every.values[name][every.inside])
    turned = lw.analysis.workspace(hexam, **given, turns={"rx": (-0.2, 0.2, 3)})
    straight = lw.analysis.workspace(hexam, **given)
    assert np.all(turned.values["condition"][turned.inside] >= straight.values["condition"][turned.inside] - 1e-9)


def area(mesh):
    a, b, c = (mesh.points[mesh.triangles[:, i]] for i in range(3))
    (ux, uy), (vx, vy) = (b - a).T, (c - a).T
    return 0.5 * np.abs(ux * vy - uy * vx).sum()


def test_a_drawn_plane_ends_at_the_boundary():
    """The triangles of a picture cover what the crossing points enclose; even numbers of values do not extrapolate."""
    found = lw.analysis.workspace(lw.build(lw.catalog.load("five-bar")), {"x": (-0.6, 0.6, 40), "y": (-0.7, 0.7, 40)})
    (panel,) = found.content().panels
    mesh = plane_mesh(found.axes, found.inside, found.points, np.ones(found.code.shape))
    assert np.array_equal(panel.points, mesh.points) and np.array_equal(panel.triangles, mesh.triangles)
    assert area(mesh) == pytest.approx(found.volume, rel=1e-9) and np.isnan(found.error)
    bounds = found.extent["x"], found.extent["y"]
    for i, (low, high) in enumerate(bounds):
        assert mesh.points[:, i].min() == pytest.approx(low) and mesh.points[:, i].max() == pytest.approx(high)
    assert plane_mesh(found.axes, found.inside, found.points[:-1], np.ones(found.code.shape)) is None


def test_planes_of_a_solid_add_up_to_its_volume():
    x = np.linspace(-1.2, 1.2, 25)
    distance = np.sqrt(sum(np.meshgrid(x**2, x**2, x**2, indexing="ij")))
    inside = distance < 1.0
    S, m = corners_inside_first(cell_simplices(inside.shape, mixed_cells(inside)), inside.ravel())
    edges = crossing_edges(S, m, inside.size)
    at = np.stack([a.ravel() for a in np.meshgrid(x, x, x, indexing="ij")], axis=1)
    a, b = at[edges.first], at[edges.last]
    u = b - a
    p, q, r = (u * u).sum(1), (a * u).sum(1), (a * a).sum(1) - 1.0
    crossings = a + ((-q + np.sqrt(q**2 - p * r)) / p)[:, None] * u
    areas = [area(plane_mesh((x, x, x), inside, crossings, distance, (2, k))) for k in range(25)]
    assert sum(areas) * (x[1] - x[0]) == pytest.approx(4.0 / 3.0 * np.pi, rel=0.01)
    assert areas[12] == pytest.approx(np.pi, rel=0.004)


def test_a_grid_that_is_reached_everywhere_has_no_boundary():
    model = lw.build(lw.catalog.load("five-bar"))
    found = lw.analysis.workspace(model, {"x": (-0.1, 0.1, 3), "y": (0.4, 0.45, 3)})
    assert found.volume == pytest.approx(0.2 * 0.05, rel=1e-12)
