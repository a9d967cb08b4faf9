"""Missing libraries are named with the extra that brings them."""

import sys

import pytest

import linkwright as lw
from linkwright.errors import ArgumentError


@pytest.mark.parametrize("extra", ["jax", "torch", "casadi"])
def test_a_missing_library_names_the_extra(extra, monkeypatch):
    monkeypatch.setitem(sys.modules, extra, None)
    arm = lw.build(lw.catalog.load("three-link-arm"))
    with pytest.raises(ArgumentError, match=rf"pip install 'linkwright\[{extra}\]'"):
        getattr(lw.export, f"{extra}_function")(arm, "mass_matrix")
