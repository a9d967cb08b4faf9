"""The how-to page on springs and beams does what it says."""

import re
from pathlib import Path

import linkwright as lw
from linkwright.formats import from_yaml, to_yaml

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "springs-and-beams.md").read_text(encoding="utf-8")


def test_the_scripts_run(capsys):
    names = {}
    for text in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(text, names)
    assert "stiffness" in capsys.readouterr().out
    assert names["lines"].shape == (201, 25, 3)


def test_the_beam_of_the_page_can_be_read():
    (beam,) = re.findall(r"beam: \{.*\}", PAGE)
    text = to_yaml(lw.catalog.load("four-bar")).replace("\n  coupler:\n", f"\n  coupler:\n    {beam}\n")
    assert "coupler.modes" in from_yaml(text).names
