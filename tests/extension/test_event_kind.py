"""A kind of event written as the page shows is watched alone, in ensembles and in switched runs, and saved."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.simulation.switching.switches import EventKind
from tests.extension.pages import names_of_section
from tests.simulation.switched_mechanisms import ball

START = np.array([0.3, -0.2, 0.4])


@pytest.fixture(scope="module")
def page() -> dict[str, Any]:
    return names_of_section("extend.md", "A kind of event")


def test_joints_stand_still_where_they_turn_back(page: dict[str, Any]) -> None:
    arm, run = page["arm"], page["run"]
    turns = [event for event in run.events if event.kind == "crossing"]
    assert turns and {event.name for event in turns} <= {f"{name} turns back" for name in arm.v_names}
    for event in turns:
        i = arm.v_names.index(event.name.removesuffix(" turns back"))
        before, after = (lw.simulate(arm, START, t_end=event.t + dt, output=2).v[-1, i] for dt in (-1e-6, 1e-6))
        assert before * after < 0.0


def test_the_same_events_in_an_ensemble(page: dict[str, Any]) -> None:
    arm, kind = page["arm"], page["TurningPoints"]
    starts = np.stack([START, 1.1 * START])
    many = lw.simulate_many(arm, starts, t_end=0.5, events=[kind(stop=True)], threads=1)
    for q, status, t in zip(starts, many.status, many.ended, strict=True):
        alone = lw.simulate(arm, q, t_end=0.5, events=[kind(stop=True)])
        assert status == "event" and alone.meta["ended"]["kind"] == "event"
        assert t == pytest.approx(alone.t[-1], abs=1e-9)


def test_a_saved_run_shows_them(page: dict[str, Any], tmp_path: Path) -> None:
    file = tmp_path / "run.npz"
    run = lw.simulate(page["arm"], START, t_end=0.5, events=[page["TurningPoints"]()], output=lw.Output(path=file))
    assert lw.open_result(file).events == run.events != ()


@dataclass(frozen=True)
class Latch:
    """A loop that closes without bouncing and stays closed, and the instant at which the catch is halfway."""

    loop: str

    def events(self, model: lw.Model) -> list[Any]:
        return [lw.events.Close(self.loop), lw.events.Crossing("halfway", lambda t, q, v: q[0] - 0.35)]


def test_a_kind_may_close_loops() -> None:
    kind: EventKind = Latch("floor")
    run = lw.simulate(lw.build(ball(0.1)), [0.6], t_end=1.0, events=[kind])
    assert [(event.kind, event.name) for event in run.events] == [("crossing", "halfway"), ("closed", "floor")]
    assert np.abs(run.v[-1]).max() < 1e-12


def test_other_objects_are_refused() -> None:
    with pytest.raises(lw.errors.ArgumentError, match="your own kind"):
        lw.simulate(lw.build(ball(0.1)), [0.6], events=[1.0])  # type: ignore[list-item]
