"""`lw.view` shows mechanisms, models and runs in the browser, a notebook or a file."""

import sys
import webbrowser
from pathlib import Path
from types import ModuleType
from urllib.parse import urlsplit
from urllib.request import url2pathname

import pytest

import linkwright as lw
from tests.viewer.mechanisms import model


@pytest.fixture
def opened(monkeypatch):
    addresses: list[str] = []
    monkeypatch.setattr(webbrowser, "open", addresses.append)
    monkeypatch.delitem(sys.modules, "ipykernel", raising=False)
    return addresses


def test_a_script_opens_the_browser_with_the_page(opened):
    page = lw.view(lw.catalog.load("four-bar"), still=True)
    (address,) = opened
    file = Path(url2pathname(urlsplit(address).path))
    assert file.read_text(encoding="utf-8") == page.html and page.title == "four-bar"
    file.unlink()


def test_a_path_is_written_and_nothing_opened(opened, tmp_path):
    page = lw.view(model("four-bar"), tmp_path / "a.html")
    assert (tmp_path / "a.html").read_text(encoding="utf-8") == page.html and opened == []


def test_a_notebook_shows_the_page_in_a_frame(opened, monkeypatch):
    monkeypatch.setitem(sys.modules, "ipykernel", ModuleType("ipykernel"))
    page = lw.view(model("four-bar"), still=True)
    assert opened == [] and page._repr_html_().startswith("<iframe") and "html=" not in repr(page)


def test_a_run_is_shown_as_its_report(opened, tmp_path):
    built = model("four-bar")
    run = lw.simulate(built, built.assemble().q, t_end=0.05, effort=[6.0], output=3)
    assert "How it was computed" in lw.view(run, tmp_path / "run.html").html


def test_what_cannot_be_shown_is_refused():
    with pytest.raises(lw.errors.ArgumentError, match="found str"):
        lw.view("four-bar")
