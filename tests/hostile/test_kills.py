"""A sample of kills, and of damaged and forged entries of the cache."""

import os
import random
import time

import pytest

from linkwright.compiler.cache import VARIABLE
from tests.hostile import cache, kills

POSIX = pytest.mark.skipif(not hasattr(os, "fork"), reason="children are forked")
pytestmark = [POSIX, pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")]


@pytest.mark.parametrize("name", ["simulate, sampled", "simulate, switches", "simulate_many, 2 threads"])
def test_killed_runs_lose_nothing_and_are_resumed_to_the_same_bits(tmp_path, name):
    case = kills.CASES[name]()
    case.whole()
    began = time.monotonic()
    whole = case.whole()
    kills.killed_until_done(case, whole, time.monotonic() - began, tmp_path, random.Random(1), 4)


def test_damaged_and_forged_entries_are_not_run(tmp_path, monkeypatch):
    folder = tmp_path / "cache"
    monkeypatch.setenv(VARIABLE, str(folder))
    cache.computed(2.0)
    rng = random.Random(3)
    for way in (*cache.DAMAGES, *[cache._forged] * 8):
        cache.attack(folder, rng, (way,))
