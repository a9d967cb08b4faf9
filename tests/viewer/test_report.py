"""Reports show what the run holds, whatever it holds."""

import html
import json
import re
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.readable_text import number_text
from linkwright.results.series import Event
from linkwright.viewer.run_report import _mechanism_rows, run_report_page
from linkwright.viewer.runs import component_plots
from linkwright.viewer.shown_motion import unpack_array
from tests.viewer.mechanisms import model

EVIL = "<script>alert(1)</script>"


@lru_cache
def run() -> lw.Result:
    """Half a second of the four-bar of the catalog under its torque."""
    built = model("four-bar")
    return lw.simulate(built, built.assemble().q, t_end=0.5, effort=[6.0], output=51)


def content(text: str) -> dict:
    (found,) = re.findall(r'<script type="application/json" id="linkwright-data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def visible(text: str) -> str:
    """The part of a page below the animation."""
    return text[text.index('<div id="report">') : text.index("</main>")]


@lru_cache
def written() -> str:
    return run_report_page(run())


def test_limits_of_actuators_and_what_reactions_mean_are_written():
    facts = dict(_mechanism_rows(model("3-rpr")))
    assert facts["limits of effort"].startswith("leg1 500 N; leg2 500 N")
    assert facts["limits of speed"].startswith("leg1 0.5 m/s")
    assert model("four-bar").redundant_equations and "3 closure equations follow from others" in visible(written())


def test_the_animation_is_the_run():
    data = content(written())
    np.testing.assert_allclose(unpack_array(data["t"]), run().t)
    np.testing.assert_allclose(unpack_array(data["q"]), run().q, atol=1e-6)
    position = model("four-bar").body_poses(run().q).position
    half_step = 0.5 * np.ptp(position, axis=0) / 65534  # two bytes over the range of each column
    assert (abs(unpack_array(data["poses"])[..., :3] - position) <= 1.001 * half_step + 1e-6).all()
    assert set(data["reactions"]) == {"theta", "alpha_rel", "phi", "B"}


def test_the_curves_are_the_run():
    plots = {plot["beside"]: plot for plot in content(written())["plots"]}
    known = {label.partition(" [")[0] for label in plots}
    assert {
        "Efforts",
        "Positions of the actuators",
        "Velocities of the actuators",
        "Power",
        "Closure",
        "Energy",
    } <= known
    power = unpack_array(plots["Power [W]"]["curves"][0]["y"])
    np.testing.assert_allclose(power, 6.0 * run()["theta_dot"], rtol=1e-6, atol=1e-6)


def test_curves_of_actuators_are_named_by_actuator():
    plots = {plot["beside"].partition(" [")[0]: plot["curves"] for plot in content(written())["plots"]}
    titles = {"Efforts": "effort", "Positions of the actuators": "position", "Velocities of the actuators": "velocity"}
    for title, quantity in {**titles, "Power": "power"}.items():
        assert [curve["name"] for curve in plots[title]] == [f"{quantity}(motor)"]
    position = unpack_array(plots["Positions of the actuators"][0]["y"])
    np.testing.assert_allclose(position, run()["theta"], rtol=1e-6, atol=1e-6)


def test_every_component_of_a_path_that_moves_is_readable():
    t = np.linspace(0.0, 1.0, 11)
    wave, names = np.sin(t), ("x", "y", "z")

    def drawn(*columns):
        return component_plots("Origin", "m", names, t, np.stack(np.broadcast_arrays(*columns), axis=1))

    def named(plot):
        return tuple(curve.name for curve in plot.curves)

    (planar,) = drawn(1e-18 * wave, 0.3 + 1e-3 * wave, 0.1 * np.ones(11))
    assert named(planar) == ("y",) and planar.constants == (("x", 0.0), ("z", 0.1))
    np.testing.assert_array_equal(planar.curves[0].y, 0.3 + 1e-3 * wave)
    (together,) = drawn(wave, -wave, 0.5 * wave)
    assert named(together) == names and together.constants == ()
    assert [named(plot) for plot in drawn(wave, 5.0 + 0.01 * wave, 0.0 * wave)] == [("x",), ("y",)]
    (still,) = drawn(np.zeros(11), np.ones(11), np.full(11, np.nan))
    assert named(still) == names
    (resting,) = drawn(np.zeros(11), np.ones(11), np.ones(11))
    assert named(resting) == names and resting.constants == ()


def test_the_tables_hold_peak_rms_and_range_of_every_actuator_and_series():
    text = visible(written())
    text = text[text.index("All values") :]
    for each in run().summary():
        row = re.search(rf'<th scope="row">{re.escape(html.escape(each.name))}</th>(.*?)</tr>', text)
        assert row is not None
        cells = re.findall(r"<td>(.*?)</td>", row[1])
        assert cells == [
            each.unit,
            *(number_text(x) for x in (each.peak, each.rms, each.low, each.high, each.first, each.last)),
        ]


def test_the_text_shows_how_it_was_computed():
    text = visible(written())
    for part in (
        "Multipliers()",
        "DOP853",
        "degrees of freedom</dt><dd>1<",
        "1 closing loops",
        lw.__version__,
        "motor",
    ):
        assert part in text
    saved = re.search(r'download="mechanism.yaml" href="data:application/octet-stream;base64,([^"]+)"', text)
    import base64

    assert saved is not None and base64.b64decode(saved[1]).decode() == run().meta["mechanism"]["yaml"]


def test_names_and_events_of_a_run_are_never_markup():
    series = [lw.types.Series(f"{EVIL}{i}", [0.0, 1.0], EVIL, EVIL) for i in range(2)]
    found = lw.Result([0.0, 1.0], series, {EVIL: EVIL, "mechanism": {"name": EVIL}}, [Event(0.5, EVIL, EVIL, EVIL)])
    text = run_report_page(found)
    assert EVIL not in text and html.escape(EVIL) in visible(text)


@pytest.mark.parametrize(
    ("about", "message"),
    [
        ({}, "does not name its mechanism"),
        ({"mechanism": {"name": "x", "yaml": "format: 99\nname: x\n"}}, "cannot be built by this version"),
        ({"mechanism": {"name": "x", "yaml": "{"}}, "cannot be built by this version"),
        ({"mechanism": 3}, "does not name its mechanism"),
    ],
)
def test_a_run_without_a_mechanism_is_curves_and_tables(about, message):
    found = lw.Result([0.0, 1.0], [lw.types.Series("x", [1.0, 2.0], "m", "q")], about)
    data = content(run_report_page(found))
    assert message in data["notes"][0] and data["scene"]["bodies"] == []
    assert unpack_array(data["plots"][0]["curves"][0]["y"]).tolist() == [1.0, 2.0]


def test_a_run_of_another_mechanism_is_noted():
    found = replace(run(), series=run().series[1:])
    assert "no animation" in content(run_report_page(found))["notes"][0]


def test_an_empty_run_is_a_report():
    empty = lw.Result([], [replace(each, values=[]) for each in run().series], run().meta)
    text = run_report_page(empty)
    assert "empty" in content(text)["notes"][0] and "nan" in visible(text)


def test_samples_that_are_not_numbers_are_reported():
    broken = [replace(each, values=np.where(np.arange(51) == 20, np.nan, each.values)) for each in run().series]
    text = run_report_page(replace(run(), series=tuple(broken)))
    assert any("1 of 51 samples" in note for note in content(text)["notes"])


def test_a_notebook_shows_the_page_in_a_frame():
    frame = run()._repr_html_()
    (held,) = re.findall(r'srcdoc="([^"]*)"', frame)
    assert content(html.unescape(held))["scene"]["name"] == "four-bar"


def test_the_command_writes_the_report_beside_the_run(tmp_path):
    run().save(tmp_path / "swing.npz")
    done = CliRunner().invoke(main, ["report", str(tmp_path / "swing.npz"), "--no-open", "--title", "Swing", "--json"])
    assert done.exit_code == 0, done.output
    printed = json.loads(done.output)
    text = (tmp_path / "swing.html").read_text(encoding="utf-8")
    assert printed["bytes"] == len(text.encode()) and content(text)["title"] == "Swing"


@pytest.mark.parametrize(("arguments", "code"), [(["missing.npz"], 1), ([], 2)])
def test_the_command_refuses_with_a_message(arguments, code, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["report", *arguments])
    assert done.exit_code != 0 and "Traceback" not in done.output


def test_a_path_of_an_unknown_point_is_refused(tmp_path):
    with pytest.raises(lw.errors.LinkwrightError, match="did you mean 'coupler'"):
        run().report(tmp_path / "x.html", paths=["cuopler"])


@pytest.mark.parametrize(
    ("path", "message"), [(None, "path is None, expected"), ("no/such/run.html", "make the folder")]
)
def test_a_path_that_cannot_be_written_is_reported(path, message, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        run().report(path, reactions=False)


def test_view_writes_a_page_into_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    done = CliRunner().invoke(main, ["view", "four-bar", "--no-open"])
    assert done.exit_code == 0 and "four-bar.html" in done.output
    data = content((tmp_path / "four-bar.html").read_text(encoding="utf-8"))
    assert unpack_array(data["poses"]).shape == (161, 3, 7)


def test_a_file_of_a_later_version_is_refused_with_a_message(tmp_path):
    path = tmp_path / "later.csv"
    run().save(path)
    path.write_text(
        path.read_text(encoding="utf-8").replace('"linkwright run":1', '"linkwright run":2'), encoding="utf-8"
    )
    done = CliRunner().invoke(main, ["report", str(path), "--no-open"])
    assert done.exit_code != 0 and "reads format 1" in done.output and "Traceback" not in done.output
    assert not (tmp_path / "later.html").exists()


def test_a_report_of_a_million_samples_is_thinned_and_its_tables_are_not():
    n = 1_000_000
    t = np.linspace(0.0, 1000.0, n)
    q = np.sin(t)
    q[654_321] = 7.0
    text = run_report_page(
        lw.Result(t, [lw.types.Series("j0", q, "rad", "q"), lw.types.Series("j0_dot", np.cos(t), "rad/s", "v")])
    )
    data = content(text)
    assert any(str(n) in note for note in data["notes"]) and len(text.encode()) < 2.5e6
    assert max(unpack_array(data["plots"][0]["curves"][0]["y"])) == 7.0
    assert '<th scope="row">j0</th><td>rad</td><td>7</td>' in visible(text)
