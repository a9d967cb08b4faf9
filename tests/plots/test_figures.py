"""Figures show what was requested, with names and units, and are written whole or not at all."""

import builtins
import io
import os

import numpy as np
import pytest

from linkwright.errors import ArgumentError, LinkwrightError, ResultError
from linkwright.plots.figures import choose_series, plain_label, plot_run, plot_study
from linkwright.results.charts import Curve, Map, Panel, Surface, charts_of_groups
from linkwright.results.result import Result
from linkwright.results.series import Series
from linkwright.results.study_result import StudyContent
from linkwright.viewer.runs import shown_run
from tests.results.runs import HOSTILE, example

pytest.importorskip("matplotlib")


def names_of(chart):
    return [curve.name for curve in chart.curves]


def labels(drawn):
    return [ax.get_ylabel() for ax in drawn.axes]


def test_one_panel_for_each_group_and_unit():
    drawn = example().plot()
    expected = ["theta1 [rad]", "theta1_dot [rad/s]", "effort(motor) [N m]", "Energy [J]", "closure residual [m]"]
    assert labels(drawn) == expected
    assert drawn.axes[-1].get_xlabel() == "t [s]"
    energies = drawn.axes[3]
    assert [text.get_text() for text in energies.get_legend().get_texts()] == [
        "kinetic energy",
        "potential energy",
        "work",
    ]


def test_the_lines_are_the_numbers():
    run = example(50)
    line = run.plot("theta1_dot").axes[0].lines[0]
    assert np.array_equal(line.get_xdata(), run.t)
    assert np.array_equal(line.get_ydata(), run["theta1_dot"])


def test_series_and_groups_are_chosen_in_the_order_requested():
    run = example()
    assert [each.name for each in choose_series(run, ["work", "q"])] == ["work", "theta1"]
    assert len(choose_series(run, "energy")) == 3
    with pytest.raises(ArgumentError, match=r"no series 'thta1'.*did you mean 'theta1'"):
        run.plot("thta1")


def test_series_of_different_units_do_not_share_an_axis():
    run = Result([0.0], (Series("a", [1.0], "m", "q"), Series("b", [1.0], "rad", "q"), Series("c", [1.0], "m", "q")))
    assert [names_of(chart) for chart in charts_of_groups(run.series, run.t)] == [["a", "c"], ["b"]]


def test_a_figure_shows_the_charts_of_the_page():
    """Both draw the same description: titles, units, names and numbers."""
    run = example()
    drawn, charts = run.plot().axes, shown_run(run).motion.plots
    assert len(drawn) == len(charts)
    for ax, chart in zip(drawn, charts):
        lines = [line.get_ydata().tolist() for line in ax.lines[: len(chart.curves)]]
        assert lines == [curve.y.tolist() for curve in chart.curves]


@pytest.mark.parametrize("ending", ["pdf", "svg", "png"])
def test_equal_runs_give_equal_files(tmp_path, ending):
    for name in ("one", "two"):
        example().plot(["q", "v"], tmp_path / f"{name}.{ending}")
    assert sorted(os.listdir(tmp_path)) == [f"one.{ending}", f"two.{ending}"]
    one, two = ((tmp_path / f"{name}.{ending}").read_bytes() for name in ("one", "two"))
    beginnings = {"pdf": b"%PDF", "svg": b"<?xml", "png": b"\x89PNG"}
    assert one.startswith(beginnings[ending])
    assert len(one) == len(two) if ending == "svg" else one == two


def test_hostile_names_empty_runs_and_bad_numbers_are_drawn(tmp_path):
    ascii_only = [name for name in HOSTILE if name.isascii()] + ["$x^$", "_hidden", "\\frac"]
    series = tuple(Series(name, [np.nan, np.inf, 1.0], "$", "g") for name in ascii_only)
    plot_run(Result([0.0, 1.0, 2.0], series), None, tmp_path / "a.png")
    plot_run(
        Result([0.0, 1.0, 2.0], tuple(Series(f"x{i}", [1.0, 2.0, 3.0]) for i in range(40))), path=tmp_path / "b.svg"
    )
    plot_run(Result(np.zeros(0)), path=tmp_path / "c.pdf")
    plot_run(Result(np.zeros(0), (Series("x", np.zeros(0)),)), path=tmp_path / "d.png")
    assert plain_label("a\nb") == "a?b"


def test_what_cannot_be_written_is_reported(tmp_path):
    with pytest.raises(ResultError, match=r"saved as .pdf, .svg, .png"):
        example().plot(path=tmp_path / "x.docx")
    with pytest.raises(ResultError, match="cannot be written"):
        example().plot(path=tmp_path / "no" / "x.png")
    with pytest.raises(ArgumentError, match="expected the name of a file"):
        example().plot(path=3)


def test_without_matplotlib_the_way_out_is_named(monkeypatch):
    honest = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("matplotlib"):
            raise ImportError(name)
        return honest(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(LinkwrightError, match=r"pip install '\.\[plot\]'"):
        example().plot()


@pytest.mark.parametrize("depth", [0.1, 0.3, 1.0])
def test_the_color_bar_of_a_surface_leaves_the_label_of_z_free(depth):
    """A bowl, as the workspace of a Delta, beside a plane through it; its colors leave out the largest values."""
    turn, r = (x.ravel() for x in np.meshgrid(np.linspace(0.0, 2.0 * np.pi, 20), np.linspace(0.1, 1.0, 8)))
    points = 0.25 * np.column_stack([r * np.cos(turn), r * np.sin(turn), depth * (r**2 - 1.5)])
    faces = np.array([[i, i + 1, i + 20] for i in range(139)])
    surface = Surface(("x [m]", "y [m]", "z [m]"), points, faces, r + 50.0 * (r > 0.99), "condition", "region")
    plane = Map("x [m]", "y [m]", np.linspace(-1.0, 1.0, 4), np.linspace(-1.0, 1.0, 4), np.eye(4), "condition")
    drawn = plot_study(StudyContent("Workspace", panels=[surface, plane]), shown=False)
    drawn.savefig(io.BytesIO(), format="png", dpi=drawn.dpi)  # places labels
    (in_space,) = [axes for axes in drawn.axes if hasattr(axes, "zaxis")]
    label = in_space.zaxis.label.get_window_extent()
    others = [axes for axes in drawn.axes if axes is not in_space]
    assert len(others) == 3 and not any(label.overlaps(each.get_window_extent()) for each in others)


def test_numbers_of_axes_are_plain_and_counts_are_whole():
    """Logarithmic axes write 0.4, not a power of ten; axes of counts have no fractions; a single value is a dot."""
    steps = np.arange(3)
    panels = [
        Panel("ratio", "size", [Curve("sets", [0.28, 0.64], [1e-3, 30.0])], log=True),
        Panel("step", "value", [Curve("best", steps, 0.5 * steps)]),
        Panel("k", "opening", [Curve("one", [2.0], [3.0])]),
    ]
    figure = plot_study(StudyContent("Axes", panels=panels), shown=False)
    figure.canvas.draw()
    log, counted, single = figure.axes
    texts = [t.get_text() for axis in (log.xaxis, log.yaxis) for t in axis.get_ticklabels(which="both")]
    assert {"0.4", "0.5", "1"} <= {*texts} and not any("$" in text or "e" in text for text in texts)
    assert all(float(x).is_integer() for x in counted.get_xticks()) and single.lines[0].get_marker() == "."


def test_a_wide_region_has_a_low_figure():
    x, y = np.linspace(0.0, 10.0, 5), np.linspace(0.0, 2.0, 3)
    region = Map("x [m]", "y [m]", x, y, np.add.outer(x, y), "condition")
    wide, high = plot_study(StudyContent("Region", panels=[region]), shown=False).get_size_inches()
    assert high < 0.4 * wide
