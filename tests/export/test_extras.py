"""Missing libraries are named with the extra that brings them."""

import re
import sys
import tomllib
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.errors import ArgumentError


@pytest.mark.parametrize("extra", ["jax", "torch", "casadi"])
def test_a_missing_library_names_the_extra(extra, monkeypatch):
    monkeypatch.setitem(sys.modules, extra, None)
    arm = lw.build(lw.catalog.load("three-link-arm"))
    with pytest.raises(ArgumentError, match=rf"'{extra}'.*pip install '\.\[{extra}\]'"):
        getattr(lw.export, f"{extra}_function")(arm, "mass_matrix")


def test_every_extra_that_a_message_names_can_be_installed():
    """Nothing is published: an extra is installed from a clone, and only one that the project defines."""
    root = Path(__file__).parents[2]
    known = tomllib.loads((root / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    named = set()
    for file in (root / "src").rglob("*.py"):
        text = file.read_text()
        assert not re.search(r"pip install .?linkwright\[", text), file
        named.update(re.findall(r"installation_hint\(['\"](\w+)", text))
        named.update(re.findall(r"missing_package_text\([^()]*['\"](\w+)['\"]\)", text))
        named.update(re.findall(r"import_extra\([^()]*['\"](\w+)['\"]\)", text))
    assert {"plot", "mjcf", "jax"} <= named <= known.keys()
