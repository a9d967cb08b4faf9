"""`linkwright selftest`: sound machines pass; a wrong answer is found."""

import json

import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis import selftest
from linkwright.cli import main


@pytest.mark.parametrize("name", ["three-link-arm", "four-bar", "3-rps", "andrews-squeezer"])
def test_sound_machines_pass(name):
    done = CliRunner().invoke(main, ["selftest", name, "--states", "2", "--json"])
    broken = [check for check in json.loads(done.stdout) if not check["passed"]]
    assert broken == [] and done.exit_code == 0


def test_a_wrong_answer_fails_the_test(monkeypatch):
    right = lw.Model.inverse_dynamics
    monkeypatch.setattr(lw.Model, "inverse_dynamics", lambda self, *x, **y: 1.0001 * right(self, *x, **y))
    done = CliRunner().invoke(main, ["selftest", "four-bar"])
    assert done.exit_code == 5
    assert "FAILED" in done.output and "inverse dynamics inverts forward dynamics" in done.output


def test_each_law_notices_a_machine_that_breaks_it(monkeypatch):
    """Every law is fed one wrong function and must object."""
    model = lw.build(lw.catalog.load("four-bar"))
    wrongs = {
        "closure_residual": "every loop closes",
        "from_actuators": "forward kinematics inverts inverse kinematics",
        "generalized_forces": "the loops do no work",
        "energy": "energy changes by the actuators' power",
        "linearise": "derivatives agree with differences",
    }
    for function, law in wrongs.items():
        with monkeypatch.context() as patch:
            right = getattr(lw.Model, function)
            patch.setattr(lw.Model, function, lambda self, *x, _right=right, **y: _bent(_right(self, *x, **y)))
            broken = [check.name for check in selftest.failures(selftest.selftest(model, states=3))]
        assert law in broken, function


def _bent(answer):
    if isinstance(answer, tuple):
        first, *others = answer
        return (first + 0.01 * abs(first) + 0.01, *others)
    return answer + 0.01
