"""The public API: every public name is in the reference, and nothing that moved is left at the top level."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

import linkwright as lw

NAMESPACES = ("analysis", "beams", "control", "events", "export")
REFERENCE = Path(__file__).parent.parent / "docs" / "reference" / "index.md"


def public_names() -> list[str]:
    """Public names by their dotted path below `linkwright`."""
    inner = [f"{space}.{name}" for space in NAMESPACES for name in getattr(lw, space).__all__]
    return sorted([name for name in lw.__all__ if name not in NAMESPACES] + inner)


def test_the_reference_lists_the_public_names():
    listed = re.findall(r":: linkwright\.([\w.]+)", REFERENCE.read_text(encoding="utf-8"))
    assert sorted(listed) == public_names()


@pytest.mark.parametrize("name", public_names())
def test_every_public_name_leads_to_an_object(name):
    space, _, last = name.rpartition(".")
    found = getattr(importlib.import_module(f"linkwright.{space}".rstrip(".")), last)
    assert found.__doc__, f"{name} has no docstring"
    assert last in dir(getattr(lw, space) if space else lw)


@pytest.mark.parametrize("space", NAMESPACES)
def test_names_of_a_namespace_are_not_repeated_at_the_top(space):
    assert not set(getattr(lw, space).__all__) & set(lw.__all__)


@pytest.mark.parametrize("package", ["linkwright", "linkwright.control", "linkwright.analysis"])
def test_an_unknown_name_is_refused(package):
    with pytest.raises(AttributeError, match=f"module '{package}' has no attribute 'Absent'"):
        getattr(importlib.import_module(package), "Absent")  # noqa: B009


def test_importing_the_library_loads_no_mechanics():
    code = "import sys, linkwright; print([m for m in sys.modules if m.split('.')[0] in ('scipy', 'llvmlite')])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
