"""Models and mechanisms as values of a notebook's cell: a table and a page in a frame, names escaped."""

from dataclasses import replace

import linkwright as lw
from linkwright.mechanism import Mechanism


def test_a_model_shows_its_numbers_and_moves():
    model = lw.build(lw.catalog.load("four-bar"), inputs=["crank"])
    shown = model._repr_html_()
    assert "<table" in shown and "<iframe srcdoc=" in shown
    assert "<dt>mobility</dt><dd>1</dd>" in shown and "<dt>inputs</dt><dd>crank</dd>" in shown


def test_a_mechanism_shows_itself_and_names_are_text():
    mech = replace(lw.catalog.load("three-link-arm"), name="<script>alert(1)</script>")
    shown = mech._repr_html_()
    assert "<script>" not in shown and "&lt;script&gt;alert" in shown


def test_a_mechanism_that_does_not_close_has_a_message():
    mech = lw.catalog.load("four-bar").with_values({"rocker": 100.0})
    assert isinstance(mech, Mechanism)
    shown = mech._repr_html_()
    assert "<iframe" not in shown and "<li>" in shown
