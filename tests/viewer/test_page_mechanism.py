"""Every page carries the engine of its mechanism, with the parameters of the file as inputs."""

import json

import numpy as np
import pytest

import linkwright as lw
from linkwright.viewer import ShownMotion, document, page, page_mechanism
from linkwright.viewer.page import mechanism_content
from linkwright.viewer.page_mechanism import engine_entries, free_parameters, model_of_page, parameter_sliders
from linkwright.viewer.run_report import report_content
from linkwright.viewer.shown_motion import unpack_array
from tests.viewer.mechanisms import chain, home, model
from tests.viewer.test_page import content

LIMIT = 150_000  # bytes that an engine adds to a page


def test_a_page_has_the_engine_of_its_mechanism_and_its_parameters():
    data = content(page(document(model("four-bar"), ShownMotion(np.zeros(1), home("four-bar")[None]))))
    assert data["engine"]["sizes"]["q"] == model("four-bar").nq and "engineReason" not in data
    assert [each["name"] for each in data["parameters"]] == free_parameters(model("four-bar").mechanism)
    assert all(each["low"] < each["value"] < each["high"] for each in data["parameters"])


def test_an_engine_is_made_once(monkeypatch):
    first = engine_entries(model("five-bar"))
    monkeypatch.setattr(page_mechanism, "page_engine", None)
    assert engine_entries(lw.build(lw.catalog.load("five-bar"))) == first


def test_inputs_of_a_model_are_the_parameters_of_its_page():
    moved = lw.build(lw.catalog.load("four-bar"), inputs=["coupler"]).with_parameters(coupler=4.2)
    (only,) = parameter_sliders(model_of_page(moved))
    assert (only["name"], only["value"], only["unit"]) == ("coupler", 4.2, "m")


def test_mechanisms_too_long_for_a_page_have_the_reason(monkeypatch):
    monkeypatch.setattr("linkwright.viewer.page_engine.MOST_OPERATIONS", 50)
    found = engine_entries(lw.build(chain(2, "short chain")))
    assert set(found) == {"engineReason"} and "short chain" in found["engineReason"]


@pytest.mark.parametrize("name", ["gough-stewart", "delta", "puma-560"])
def test_engines_add_little_to_a_page(name):
    assert len(json.dumps(engine_entries(model(name)))) < LIMIT


def test_a_page_of_a_run_can_be_taken_over_at_every_instant():
    m = model("four-bar")
    run = lw.simulate(m, m.assemble().q, t_end=0.1, output=21)
    data = report_content(run)[0].data
    q, v = unpack_array(data["q"]), unpack_array(data["v"])
    assert len(q) == len(v) == len(unpack_array(data["t"]))
    assert np.allclose(q[-1], run.q[-1], atol=1e-6) and np.allclose(v[-1], run.v[-1], rtol=1e-6, atol=1e-5)
    still = content(page(mechanism_content(m, still=True)))
    assert "v" not in still


def test_reports_name_what_they_show():
    m = lw.build(lw.catalog.load("gough-stewart"), inputs=["platform_mass"]).with_parameters(platform_mass=12.0)
    run = lw.simulate(m, m.assemble().q, t_end=0.02, effort=[6.0] * 6, output=3)
    title = "Gough-Stewart platform, constant efforts, 20 ms, platform mass 12 kg"
    assert report_content(run)[0].title == title
    swing = lw.build(chain(1, "my-swing"))
    assert report_content(lw.simulate(swing, [1.0], t_end=0.5, output=3))[0].title == "My swing, let go, 0.5 s"
    assert report_content(run, title="Mine")[0].title == "Mine"
