"""Workspaces whose start, or a pose of the grid, is a singularity of type 1; and ranges that are found."""

import re
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.analysis import workspace
from tests.analysis import closed_forms

CRANK, ROD, UPPER, LOWER, TOP = 0.04, 0.26, 0.2, 0.22, 0.15
PIVOT = np.array([0.25, -0.03])

TOGGLE = f"""
format: 1
name: toggle press
bodies: {{crank: {{mass: 1}}, rod: {{mass: 1}}, upper: {{mass: 1}}, lower: {{mass: 1}}, ram: {{mass: 5}}}}
joints:
  O: {{type: revolute, parent: ground, child: crank, at: [{PIVOT[0]}, {PIVOT[1]}, 0]}}
  A: {{type: revolute, parent: crank, child: rod, at: [{CRANK}, 0, 0]}}
  G: {{type: revolute, parent: ground, child: upper, at: [0, {TOP}, 0]}}
  K: {{type: revolute, parent: upper, child: lower, at: [{UPPER}, 0, 0]}}
  B: {{type: revolute, parent: rod, child: upper, at: [{ROD}, 0, 0], child_at: [{UPPER}, 0, 0]}}
  C: {{type: revolute, parent: lower, child: ram, at: [{LOWER}, 0, 0]}}
  S: {{type: prismatic, parent: ground, child: ram, axis: [0, 1, 0], limits: {{lower: -400 mm, upper: 0}}}}
frames: {{tool: {{body: ram}}}}
platform: tool
actuators: {{motor: {{joint: O}}}}
home: {{O: 90 deg, A: 90 deg, G: -80 deg, K: -20 deg}}
"""
STRETCHED = TOP - UPPER - LOWER


@pytest.fixture(scope="module")
def toggle(tmp_path_factory):
    file = tmp_path_factory.mktemp("toggle") / "toggle.yaml"
    file.write_text(TOGGLE)
    return lw.build(lw.load(file))


def upper_end():
    """Height of the ram where crank and rod are in line, with the knee on the side of the start."""
    reach, away = ROD + CRANK, PIVOT - [0.0, TOP]
    d = np.hypot(*away)
    turn = np.arccos((d**2 + UPPER**2 - reach**2) / (2.0 * d * UPPER))
    angle = np.arctan2(away[1], away[0]) - turn
    knee = np.array([UPPER * np.cos(angle), TOP + UPPER * np.sin(angle)])
    return knee[1] - np.sqrt(LOWER**2 - knee[0] ** 2)


def stretched_state(toggle):
    """Closed coordinates at the singularity itself."""
    start = toggle.assemble().q
    at = toggle.frame_pose(start, "tool")
    pose = lw.Pose([0.0, STRETCHED, 0.0], at.quaternion_wxyz)
    q = toggle.inverse_kinematics(pose, near=start, frame="tool", components=["y"])[0]
    assert toggle.singularity(q).type1 < 1e-6
    return q


@pytest.mark.parametrize("singular_start", [False, True])
@pytest.mark.parametrize(
    "ends", [(-0.3, -0.2, 401), (-0.3, -0.2, 1001), (-0.3, -0.2, 1000), (-0.271, -0.257, 41), (-0.276, -0.252, 9)]
)
def test_a_node_on_a_stretched_pose_does_not_end_the_search(toggle, ends, singular_start):
    near = stretched_state(toggle) if singular_start else None
    found = workspace(toggle, {"y": ends}, near=near)
    step = (ends[1] - ends[0]) / (ends[2] - 1)
    assert found.volume == pytest.approx(upper_end() - STRETCHED, abs=step * 2.0**-12)
    assert found.bounds[0] <= upper_end() - STRETCHED <= found.bounds[1] < np.inf
    assert not found.notes
    assert found.extent["y"] == pytest.approx((STRETCHED, upper_end()), abs=step * 2.0**-12)


@pytest.mark.parametrize("singular_start", [False, True])
def test_ranges_grow_until_the_region_ends_within_them(toggle, singular_start):
    found = workspace(toggle, near=stretched_state(toggle) if singular_start else None)
    assert found.volume == pytest.approx(upper_end() - STRETCHED, abs=1e-8)
    assert not found.inside[[0, -1]].any() and not found.notes


def test_a_region_that_the_grid_cuts_has_no_upper_bound(toggle):
    found = workspace(toggle, {"y": (-0.3, -0.265, 401)})
    assert found.volume == pytest.approx(-0.265 - STRETCHED, abs=1e-8)
    assert found.bounds[0] <= found.volume and found.bounds[1] == np.inf
    assert any("end of the grid along y" in note for note in found.notes)


def test_the_five_bar_from_a_stretched_leg_reaches_both_rings():
    model = lw.build(lw.catalog.load("five-bar"))
    long = closed_forms.PROXIMAL + closed_forms.DISTAL
    top = np.sqrt(long**2 - closed_forms.BASE**2)
    start = model.assemble().q
    frame = workspace(model, {"x": (-0.1, 0.1, 3), "y": (0.3, 0.5, 3)}, refine=False).frame
    home = model.frame_pose(start, frame)
    pose = lw.Pose([0.0, top - 1e-13, home.position[2]], home.quaternion_wxyz)
    near = model.inverse_kinematics(pose, near=start, frame=frame, components=["x", "y"])[0]
    assert model.singularity(near).type1 < 1e-5
    for low, high in ((top - 0.4, top + 0.05), (top - 0.4, top + 0.0513)):
        found = workspace(model, {"x": (-0.6, 0.6, 49), "y": (low, high, 46)}, near=near, refine=False)
        X, Y = np.meshgrid(*found.axes, indexing="ij")
        inside = np.ones_like(X, dtype=bool)
        edge = np.zeros_like(inside)
        for side in (-1.0, 1.0):
            r = np.hypot(X - side * closed_forms.BASE, Y)
            least = closed_forms.DISTAL - closed_forms.PROXIMAL
            inside &= (r <= long) & (r >= least)
            edge |= (abs(r - long) < 1e-4) | (abs(r - least) < 1e-4)  # a few poses, left to the boundary's bisection
        assert edge.sum() < 10 and np.array_equal(found.inside[~edge], inside[~edge])


def test_the_3_rrr_from_a_stretched_leg_reaches_what_it_reaches_from_home():
    model = lw.build(lw.catalog.load("3-rrr"))
    start = model.assemble().q
    frame = workspace(model, {"rz": (-0.1, 0.1, 3)}, refine=False).frame
    home = model.frame_pose(start, frame)
    low, high, near = 0.0, 0.5, start
    for _ in range(50):
        middle = 0.5 * (low + high)
        try:
            pose = lw.Pose(home.position + [0.0, middle, 0.0], home.quaternion_wxyz)
            near, low = model.inverse_kinematics(pose, near=near, frame=frame)[0], middle
        except lw.errors.AssemblyError:
            high = middle
    assert model.singularity(near).type1 < 1e-5
    at = home.position + [0.0, low, 0.0]
    grid = {"x": (at[0] - 0.6, at[0] + 0.6, 31), "y": (at[1] - 0.6, at[1] + 0.6, 31)}
    one, other = (workspace(model, grid, at=home, near=q) for q in (start, near))
    assert one.inside.sum() > 100 and np.count_nonzero(one.inside != other.inside) <= 1
    assert one.volume == pytest.approx(other.volume, abs=one.error)


def test_angles_that_are_found_stay_within_one_turn():
    found = workspace(lw.build(lw.catalog.load("3-rrr")), refine=False)
    turn = found.axes[found.names.index("rz")]
    assert turn[-1] - turn[0] <= 2.0 * np.pi + 1e-9
    assert not any("end of the grid" in note for note in found.notes) and found.bounds[1] < np.inf


def test_a_region_over_one_axis_is_drawn_and_printed_so_that_people_read_it(toggle, tmp_path):
    found = workspace(toggle, {"y": (-0.3, -0.2, 401)}, show=["type1"])
    strip, index = found.content().panels
    parts = {each.name: each.x.reshape(-1, 3)[:, :2] for each in strip.bands}
    assert list(parts) == ["inside", "out of reach"]
    assert parts["inside"][0] == pytest.approx((STRETCHED, upper_end()), abs=1e-7)
    assert sum(np.diff(x).sum() for x in parts.values()) == pytest.approx(0.1)
    assert index.beside == "type1" and np.array_equal(np.isfinite(index.curves[0].y), found.inside)
    legend = found.plot(tmp_path / "a.png").axes[0].get_legend()
    assert [each.get_text() for each in legend.get_texts()] == ["inside", "out of reach"]
    assert repr(found) == str(found) and len(repr(found)) < 1000 and "y: -0.27, -0.258 m" in repr(found)


def test_colors_tell_most_values_apart_and_reports_align_text(tmp_path):
    found = workspace(lw.build(lw.catalog.load("five-bar")), show=["condition"])
    drawing = found.plot(tmp_path / "a.png")
    drawn = found.content().panels[0].colored_values
    low, high = drawing.axes[0].collections[0].get_clim()
    assert low == found.values["condition"][found.inside].min()
    assert high == np.quantile(drawn[np.isfinite(drawn)], 0.98) < 0.5 * np.nanmax(drawn)
    assert "2 % are above" in drawing.axes[0].get_title()
    page = Path(found.report(tmp_path / "a.html")).read_text(encoding="utf-8")
    assert re.search(r"\.text2 :is\(th,td\):nth-child\(2\)[^{}]*\{text-align:left\}", page)
