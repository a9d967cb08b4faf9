"""Tests of the compiler call machine code through its own entry point from the first call on, and batches in lanes."""

import pytest

from linkwright.compiler.runtime import kernel


@pytest.fixture(autouse=True)
def entry_point_at_once(monkeypatch):
    monkeypatch.setattr(kernel, "ENTRY_AFTER", 0)


@pytest.fixture(autouse=True)
def lanes_at_once_and_efforts(batches_in_lanes, code_as_for_users):
    pass
