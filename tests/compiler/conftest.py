"""Tests of the compiler call machine code through its own entry point from the first call on."""

import pytest

from linkwright.compiler.runtime import kernel


@pytest.fixture(autouse=True)
def entry_point_at_once(monkeypatch):
    monkeypatch.setattr(kernel, "ENTRY_AFTER", 0)
