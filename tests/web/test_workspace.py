"""The workspace as a layer: what the sliders leave is what the index says."""

import numpy as np
import pytest

import linkwright as lw
from linkwright import analysis, types
from linkwright.analysis.region.boundary import plane_mesh
from linkwright.errors import ArgumentError
from tests.viewer.mechanisms import model
from tests.web.browser import local, opened
from tests.web.test_page import pixels, settle


@pytest.fixture(scope="module")
def region():
    return analysis.workspace(model("five-bar"), ["x", "y"], show=("condition",))


def drawn_area(view):
    """Area of the triangles of a slice."""
    points = view.evaluate("() => Array.from(linkwright.viewer.workspace.drawn[0].geometry.attributes.position.array)")
    a, b, c = np.moveaxis(np.array(points).reshape(-1, 3, 3), 1, 0)
    return 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()


def test_a_slice_ends_at_the_boundary_and_where_the_index_does(running, region, tmp_path):
    file = tmp_path / "region.html"
    lw.view(model("five-bar"), file, workspace=region)
    with opened(running, local(file)) as (view, witness):
        mesh = plane_mesh(region.axes, region.inside, region.points, np.ones(region.code.shape))
        a, b, c = (mesh.points[mesh.triangles[:, i]] for i in range(3))
        (ux, uy), (vx, vy) = (b - a).T, (c - a).T
        assert drawn_area(view) == pytest.approx(0.5 * np.abs(ux * vy - uy * vx).sum(), rel=1e-3)
        view.select_option("#workspace-sense", "most")
        view.locator("#workspace-level").evaluate("(s) => { s.value = 40; s.dispatchEvent(new Event('input')) }")
        limit = view.evaluate("() => linkwright.viewer.workspace.limit")
        good = int((region.inside & (region.values["condition"] <= limit)).sum())
        cell = np.prod([axis[1] - axis[0] for axis in region.axes])
        assert 0 < good < region.inside.sum() and drawn_area(view) == pytest.approx(good * cell, rel=0.03)
        before = pixels(view)
        view.click("#layer-workspace")
        settle(view)
        assert pixels(view) != before and witness.errors == []


def test_a_surface_from_the_grid_encloses_its_volume(running, tmp_path):
    """A ball of poses: the surface of its better part has the area of the smaller ball, within the grid's error."""
    axis = np.linspace(-1.0, 1.0, 33)
    x, y, z = np.meshgrid(axis, axis, axis, indexing="ij")
    r = np.sqrt(x * x + y * y + z * z)
    empty = np.zeros((0, 3))
    ball = types.Workspace(
        "five-bar", "platform", "test", ("x", "y", "z"), (axis,) * 3, (r > 0.95).astype(int), {"far": r}, ("in", "out"),
        0.0, 0.0, (0.0, 0.0), "m^3", empty, empty.astype(int), {},
    )  # fmt: skip
    file = tmp_path / "ball.html"
    lw.view(model("five-bar"), file, still=True, workspace=ball)
    with opened(running, local(file)) as (view, witness):
        view.select_option("#workspace-sense", "most")
        view.locator("#workspace-level").evaluate("(s) => { s.value = 60; s.dispatchEvent(new Event('input')) }")
        points = view.evaluate(
            "() => Array.from(linkwright.viewer.workspace.drawn[0].geometry.attributes.position.array)"
        )
        limit = view.evaluate("() => linkwright.viewer.workspace.limit")
        a, b, c = np.moveaxis(np.array(points).reshape(-1, 3, 3), 1, 0)
        surface = 0.5 * np.linalg.norm(np.cross(b - a, c - a), axis=1).sum()
        assert surface == pytest.approx(4.0 * np.pi * limit**2, rel=0.02) and witness.errors == []
        assert np.linalg.norm(a, axis=1) == pytest.approx(limit, abs=0.01)


def test_orientations_are_refused(region):
    turned = analysis.workspace(model("five-bar"), {"x": (-0.1, 0.1, 3)})
    with pytest.raises(ArgumentError, match="two or three of x, y, z"):
        lw.view(model("five-bar"), "never.html", workspace=turned)
    with pytest.raises(ArgumentError, match=r"analysis\.workspace"):
        lw.view(model("five-bar"), "never.html", workspace=3)
