"""Codes of findings: short kebab-case strings, each in the table of docs/reference/findings.md, none there in vain."""

import ast
import re
import warnings
from functools import lru_cache
from pathlib import Path

import pytest

import linkwright as lw
from linkwright import errors
from linkwright.findings import Finding
from tests.codes import CODES

SOURCE = Path(lw.__file__).parent
FIRST = {"Finding", "wrong", "doubt", "_doubt"}  # calls whose first argument is a code


@lru_cache
def trees():
    return [ast.parse(path.read_text(encoding="utf-8")) for path in SOURCE.rglob("*.py")]


def literal_codes(tree):
    """Codes written out in a file: in calls that make findings, and as `code = ...` of classes."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            given = [keyword.value for keyword in node.keywords if keyword.arg == "code"]
            given += node.args[:1] if name in FIRST else node.args[1:2] if name == "refuse_one" else []
            given += node.args[2:3] if name == "note" else []
            yield from (each.value for each in given if isinstance(each, ast.Constant))


def test_every_code_written_in_the_source_is_in_the_table():
    """Those that are computed are caught while they are made: tests/conftest.py refuses a code without a row."""
    written = {code for tree in trees() for code in literal_codes(tree)}
    assert len(written) > 80
    assert written <= CODES, written - CODES


def test_every_code_of_the_table_is_in_the_source():
    texts = {node.value for tree in trees() for node in ast.walk(tree) if isinstance(node, ast.Constant)}
    assert not CODES - texts


def test_codes_are_short_and_kebab_case():
    assert all(re.fullmatch(r"[a-z]+(-[a-z]+)*", code) and len(code) <= 24 for code in CODES)


@pytest.mark.parametrize("kind", [each for each in vars(errors).values() if isinstance(each, type)])
def test_errors_and_warnings_carry_findings(kind):
    if issubclass(kind, errors.LinkwrightError):
        (found,) = kind("it broke").findings
        assert (found.code, found.message, found.severity) == (kind.code, "it broke", "error")
        own = Finding("locked", "it cannot move")
        assert kind("it broke", [own]).findings == (own,)
    elif issubclass(kind, errors.LinkwrightWarning):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            warnings.warn("it may break", kind, stacklevel=1)
        assert (caught[0].message.finding.code, caught[0].message.finding.severity) == (kind.code, "warning")


def test_a_code_without_a_row_is_refused_in_tests():
    with pytest.raises(AssertionError, match="no-such-code"):
        Finding("no-such-code", "nothing")
