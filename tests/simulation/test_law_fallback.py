"""Laws that contain the model survive every position in which the model's own functions have a result."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import evaluate
from linkwright.control.feedback import ComputedTorque
from tests.simulation.moves import DURATION, LAWS, Move, catalog_model, gains, integrated, moves, run


@pytest.mark.parametrize("name", ["3-rrr", "five-bar"])
@pytest.mark.parametrize("kind", LAWS)
def test_regular_moves_reach_their_end(name: str, kind: str) -> None:
    several = moves(name, 4)
    runs = [run(name, kind, move) for move in several]
    assert [found.meta["ended"]["kind"] for found in runs] == ["done"] * len(runs)
    if name == "3-rrr":
        assert any(found.stats["fallbacks"] for found in runs), "no state was left to the fallback: nothing is tested"
    hardest = int(np.argmax([found.stats["fallbacks"] for found in runs]))
    assert runs[hardest].q[-1] == pytest.approx(integrated(name, kind, several[hardest]), abs=1e-6)


def doubtful() -> Move:
    """A move of the 3-RRR whose recorded law is NaN somewhere."""
    return max(moves("3-rrr", 4), key=lambda move: run("3-rrr", "PDGravity", move).stats["fallbacks"])


def test_an_ensemble_finishes_such_runs_too() -> None:
    m, move = catalog_model("3-rrr"), doubtful()
    law = lw.control.PDGravity(m, lw.control.Cycloidal(move.x0, move.x1, DURATION), *gains("3-rrr", "PDGravity"))
    many = lw.simulate_many(m, np.repeat(move.q[None, :], 3, axis=0), None, DURATION, effort=law, output=4)
    alone = run("3-rrr", "PDGravity", move)
    assert list(many.status) == ["done"] * 3
    assert many.q[1, -1] == pytest.approx(alone.q[-1], abs=1e-7)


@pytest.mark.parametrize("formulation", [lw.Minimal(), lw.Multipliers(lw.Baumgarte(20.0))])
def test_other_formulations_do_too(formulation: object) -> None:
    m, move = catalog_model("3-rrr"), doubtful()
    law = lw.control.PDGravity(m, lw.control.Cycloidal(move.x0, move.x1, DURATION), *gains("3-rrr", "PDGravity"))
    found = lw.simulate(m, move.q, None, DURATION, effort=law, formulation=formulation, output=4, check=False)
    assert found.meta["ended"]["kind"] == "done"
    assert found.q[-1] == pytest.approx(run("3-rrr", "PDGravity", move).q[-1], abs=1e-5)


def test_on_floats_a_law_has_the_model_s_fallbacks() -> None:
    m = catalog_model("3-rrr")
    rng = np.random.default_rng(2)
    law = ComputedTorque(m, lw.control.Cycloidal(np.zeros(3), np.ones(3), 1.0), 10.0, 1.0)
    program = m.program("inverse_dynamics")
    seen = 0
    path = np.concatenate([np.linspace(move.x0, move.x1, 12) for move in moves("3-rrr", 4)])
    for q, v, a in zip(*m.forward_kinematics(path, *rng.normal(size=(2, len(path), 3))), strict=True):
        seen += bool(np.isnan(evaluate(program, q, v, a)).any())
        assert np.isfinite(law.tau(0.3, q, v)).all()
    assert seen, "no position of the sample is left to the fallback"
