"""Pages for people who come from other tools name things that are there."""

import re
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.formats.yaml.schema import DESCRIPTIONS

PAGES = sorted((Path(__file__).parents[1] / "docs" / "howto").glob("coming-from-*.md"))
KEYS = {key for section in DESCRIPTIONS.values() for key in section}


def test_there_is_a_page_for_each_tool():
    assert [page.stem.removeprefix("coming-from-") for page in PAGES] == ["drake", "mujoco", "pinocchio", "simscape"]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_every_name_of_ours_is_public(page):
    rows = [row.split("|")[-2] for row in page.read_text(encoding="utf-8").splitlines() if row.startswith("| ")]
    ours = "".join(rows)
    for name in re.findall(r"\bmodel\.(\w+)", ours):
        assert hasattr(lw.Model, name), name
    for name in re.findall(r"\blw\.(\w+)", ours):
        assert hasattr(lw, name), name
    for key in re.findall(r"`(\w+):", ours):
        assert key in KEYS, key
