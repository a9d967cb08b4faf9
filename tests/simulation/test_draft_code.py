"""Runs on drafts of the compiled functions, and runs that go over to optimized ones on the way, give the same bits."""

from __future__ import annotations

import numpy as np
import pytest

import linkwright as lw
from linkwright.simulation.running import run, run_workspace


@pytest.mark.usefixtures("code_as_for_users")
@pytest.mark.parametrize("after", [0.0, 1e9], ids=["at once", "never"])
def test_the_code_of_a_run_does_not_change_its_bits(after: float, monkeypatch: pytest.MonkeyPatch) -> None:
    def results(seconds: float) -> set[bytes]:
        monkeypatch.setattr(run_workspace, "_OPTIMIZE_AFTER", seconds)
        model = lw.build(lw.catalog.load("four-bar"))
        q = model.assemble().q
        runs = [lw.simulate(model, q, np.zeros(model.nv), 0.4) for _ in range(3)]
        return {x.q.tobytes() + x.v.tobytes() for x in runs}

    monkeypatch.setenv("LINKWRIGHT_CACHE", "off")
    monkeypatch.setattr(run, "_FIRST_BUDGET", 3)
    found = results(after)
    assert len(found) == 1 and found == results(0.1)
