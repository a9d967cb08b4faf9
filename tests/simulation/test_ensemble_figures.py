"""Fans, histograms and tables of an ensemble are the quantiles of its runs."""

import re

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.simulation.ensemble.ensemble_record import Ensemble
from linkwright.simulation.ensemble.fan_charts import ensemble_content


def made(runs: int, stop: int | None = None) -> Ensemble:
    """Runs of straight lines i t with i = 0 .. runs - 1; run 0 may end early."""
    t = np.linspace(0.0, 1.0, 11)
    values = np.arange(runs)[:, None, None] * np.stack([t, 2.0 * t], axis=1)[None]
    status = ["done"] * runs
    if stop is not None:
        values[0, stop:] = np.nan
        status[0] = "singularity"
    columns = (("x", "m", "q"), ("f", "N", "tau"))
    reasons = {} if stop is None else {0: "it stopped <b>"}
    return Ensemble(t, values, columns, tuple(status), np.ones(runs), reasons, {"steps": np.ones(runs)}, {})


def test_a_fan_is_the_quantiles_of_the_runs():
    shown = ensemble_content(made(101))
    fan, bars = shown.panels[0], shown.panels[1]
    assert fan.beside == "f [N]"  # efforts come first
    np.testing.assert_allclose(fan.curves[0].y, 100.0 * fan.curves[0].x)
    np.testing.assert_allclose(fan.bands[0].low, 10.0 * fan.bands[0].x)
    np.testing.assert_allclose(fan.bands[0].high, 190.0 * fan.bands[0].x)
    (area,) = bars.bands
    assert area.high[1::2].sum() == 101 and area.x[-1] == pytest.approx(200.0)


def test_few_runs_are_drawn_one_by_one_and_an_early_end_is_reported():
    found = made(3, stop=4)
    shown = ensemble_content(found, "x")
    assert [c.name for c in shown.panels[0].curves] == ["run 0", "run 1", "run 2"] and len(shown.panels) == 2
    assert dict(map(tuple, shown.tables[0].rows)) == {"done": 2, "singularity": 1}
    assert shown.notes == ["run 0: it stopped <b>"]
    last = {row[0]: row for row in shown.tables[1].rows}
    assert last["x"][-1] == pytest.approx(2.0) and last["x"][4] == 0.0


def test_unknown_names_are_refused():
    with pytest.raises(ArgumentError, match="no series or group 'y'"):
        ensemble_content(made(3), "y")


def test_an_ensemble_draws_reports_and_shows_itself(tmp_path):
    pytest.importorskip("matplotlib", reason="figures need the extra 'plot'")
    built = lw.build(lw.catalog.load("four-bar"))
    found = lw.simulate_many(built, built.assemble().q, t_end=0.2, effort=np.linspace(4, 7, 20)[:, None], output=6)
    figure = found.plot(path=tmp_path / "fan.png")
    assert len(figure.axes) >= 4 and (tmp_path / "fan.png").stat().st_size > 10_000
    text = open_text(found.report(tmp_path / "runs.html"))
    assert "20 runs of four-bar" in text and "How the runs ended" in text and "linkwright-data" in text
    assert re.search(r"srcdoc=", found._repr_html_())


def open_text(path: str) -> str:
    with open(path, encoding="utf-8") as stream:
        return stream.read()
