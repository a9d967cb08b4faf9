"""Pages hold everything and let nothing out: hostile names, odd runs, sizes."""

import html
import json
import re

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError
from linkwright.generated_text import policy_digest
from linkwright.joints import Revolute
from linkwright.mechanism import Body, Joint, Mechanism
from linkwright.results.charts import time_panel
from linkwright.viewer import ShownMotion, document, page
from linkwright.viewer.page import bundle_file, inline_frame
from linkwright.viewer.page_content import curves_only
from linkwright.viewer.shown_motion import unpack_array
from tests.viewer.mechanisms import chain, home, model, wobble

EVIL = '</script><script>alert("1")</script><img src=x onerror=alert(2)>'


def content(text: str) -> dict:
    (found,) = re.findall(r'<script type="application/json" id="linkwright-data">(.*?)</script>', text, re.DOTALL)
    return json.loads(found)


def hostile() -> lw.Model:
    body = Body(EVIL)
    joint = Joint(EVIL, "ground", EVIL, Revolute())
    return lw.build(Mechanism(EVIL, (body,), (joint,)))


def test_names_of_files_are_never_markup():
    text = page(document(hostile(), ShownMotion(np.zeros(1), np.zeros((1, 1)))))
    assert EVIL not in text and "<img" not in text.replace(bundle_file("viewer.js"), "")
    assert text.count("<script") - bundle_file("viewer.js").count("<script") == 2
    data = content(text)
    assert data["title"] == EVIL and data["scene"]["bodies"][0]["name"] == EVIL
    assert html.escape(EVIL) in text.split("</head>")[0]


def test_only_our_own_script_and_style_may_run():
    text = page(document(model("four-bar"), ShownMotion(np.zeros(1), home("four-bar")[None])))
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', text)
    rules = dict(rule.strip().split(" ", 1) for rule in html.unescape(policy).split(";"))
    assert rules["default-src"] == rules["connect-src"] == "'none'"
    ours = f"'{policy_digest(bundle_file('viewer.js'))}'"
    assert rules["script-src"] == f"{ours} 'wasm-unsafe-eval'"
    bare = html.unescape(page(curves_only(wobble("four-bar", rows=3), "curves", ())))
    assert f"script-src {ours};" in bare and "unsafe" not in bare.split("</head>")[0]


def test_nothing_in_the_page_points_outside():
    text = page(document(model("four-bar"), ShownMotion(np.zeros(1), home("four-bar")[None])))
    assert not re.search(
        r"<(link|img|iframe|script|audio|video)[^>]*\s(src|href)=", text.replace(bundle_file("viewer.js"), "")
    )


def test_a_two_second_report_of_a_gough_stewart_platform_stays_below_two_and_a_half_megabytes():
    motion = wobble("gough-stewart", rows=2001)
    assert len(page(document(model("gough-stewart"), motion)).encode()) < 2.5e6


def test_a_million_samples_are_thinned_and_the_page_reports_it():
    n = 1_000_000
    t = np.linspace(0.0, 1000.0, n)
    built = lw.build(chain(1))
    curve = time_panel("Positions", "rad", ("j0",), t, np.sin(t)[:, None])
    data = document(built, ShownMotion(t, np.sin(t)[:, None], plots=(curve,))).data
    assert unpack_array(data["t"])[[0, -1]].tolist() == [0.0, 1000.0] and len(unpack_array(data["t"])) <= 2000
    assert len(unpack_array(data["plots"][0]["x"][0])) <= 4002
    assert any(str(n) in note for note in data["notes"])


def test_samples_that_are_not_numbers_are_reported():
    q = np.array([[0.0], [np.nan], [0.2]])
    data = document(lw.build(chain(1)), ShownMotion(np.array([0.0, 1.0, 2.0]), q)).data
    assert any("1 of 3 samples" in note for note in data["notes"])
    assert np.isnan(unpack_array(data["poses"])[1]).any() and np.isfinite(unpack_array(data["poses"])[[0, 2]]).all()


def test_an_empty_run_still_shows_the_mechanism():
    built = model("four-bar")
    data = document(built, ShownMotion(np.zeros(0), np.zeros((0, built.nq)))).data
    assert unpack_array(data["poses"]).shape == (1, 3, 7) and any("empty" in note for note in data["notes"])


def test_a_thousand_bodies_are_a_page():
    built = lw.build(chain(1000))
    text = page(document(built, ShownMotion(np.zeros(1), np.zeros((1, 1000)))))
    data = content(text)
    assert len(data["scene"]["bodies"]) == 1000 and len(text) < 2.5e6
    assert "engine" not in data and "1000 bodies" in data["engineReason"]


@pytest.mark.parametrize("bad", [np.zeros((3, 2)), np.zeros((2, 3))])
def test_arrays_that_do_not_fit_are_refused(bad):
    with pytest.raises(ArgumentError, match="needs t"):
        document(model("four-bar"), ShownMotion(np.zeros(3), bad))


def test_times_that_fall_are_refused():
    with pytest.raises(ArgumentError, match="times"):
        document(lw.build(chain(1)), ShownMotion(np.array([0.0, 2.0, 1.0]), np.zeros((3, 1))))


def test_a_frame_for_notebooks_holds_the_page_as_text():
    text = page(document(hostile(), ShownMotion(np.zeros(1), np.zeros((1, 1)))))
    frame = inline_frame(text)
    (held,) = re.findall(r'srcdoc="([^"]*)"', frame)
    assert html.unescape(held) == text and frame.count("<") == 2


def test_paths_may_be_chosen():
    data = document(model("four-bar"), ShownMotion(np.zeros(1), home("four-bar")[None]), paths=["coupler"]).data
    assert [p["name"] for p in data["scene"]["paths"]] == ["coupler"]
