"""The page on safety and limits lists the bounds that the code has."""

import re
from importlib import import_module
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "howto" / "safety-and-limits.md"
ROWS = re.findall(r"^\| [^|]+ \| ([\d.e]+) \| `([\w.]+)` \|", PAGE.read_text(encoding="utf-8"), re.MULTILINE)


def test_the_page_lists_bounds():
    assert len(ROWS) > 30


@pytest.mark.parametrize(("value", "name"), ROWS, ids=[name for _, name in ROWS])
def test_a_bound_is_that_of_the_code(value, name):
    module, _, constant = name.rpartition(".")
    assert getattr(import_module(f"linkwright.{module}"), constant) == float(value)
