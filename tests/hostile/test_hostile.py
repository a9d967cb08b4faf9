"""A sample of `python -m tests.hostile`, in this process, and the watchdog on cases that end badly on purpose."""

import shlex
import sys

import pytest
from click.testing import CliRunner

from linkwright.cli import main
from tests.hostile import commands
from tests.hostile.cases import ARGUMENT, FAULTS, GROWTH, HANG, RAW, REFUSED, RESULT
from tests.hostile.kinds import KINDS
from tests.hostile.watching import Plan, endings
from tests.hostile.worker import run

GROWING = ("calls/analysis",)  # new functions come to it every week: `python -m tests.hostile calls` tries them
SAMPLES = {"files": 80, "results": 60, "records": 150, "calls": 80, "commands": 12, "use": 8}


@pytest.mark.filterwarnings("ignore::linkwright.errors.FormatWarning")  # files are read as they are
@pytest.mark.parametrize("kind", SAMPLES)
def test_hostile_cases_end_in_results_or_messages(kind, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    case = KINDS[kind](tmp_path, seed=1)
    found = [run(index, case(index)) for index in range(SAMPLES[kind])]
    faults = [each for each in found if each.ending in FAULTS and each.ending != HANG]  # the computer may be busy
    ours = [each for each in faults if not each.title.startswith("Finding(")]  # the suite itself refuses unlisted codes
    assert [each for each in ours if each.kind not in GROWING] == []
    assert len({each.ending for each in found}) > 1  # some are good and some are refused


def test_the_good_lines_that_are_changed_are_good(tmp_path, monkeypatch):
    """A line of an earlier command line would try nothing but its usage; every verb that is tried has one."""
    monkeypatch.chdir(tmp_path)
    commands.cases(tmp_path, seed=1)
    results = {line: CliRunner().invoke(main, shlex.split(line)) for line in commands.GOOD}
    assert {line: found.output[-300:] for line, found in results.items() if found.exit_code} == {}
    assert set(main.commands) - {line.split()[0] for line in commands.GOOD} == {*commands.LEFT_OUT} - {"view"}


@pytest.mark.skipif(sys.platform != "linux", reason="memory and CPU time of other processes are read from /proc")
def test_the_watchdog_sees_every_way_to_end_and_goes_on():
    found = {each.index: each.ending for each in endings(Plan("faulty", 0, 7, 120.0))}
    assert found == {0: RESULT, 1: REFUSED, 2: ARGUMENT, 3: RAW, 4: HANG, 5: RAW, 6: GROWTH}
