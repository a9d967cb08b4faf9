"""The line that says why a first call takes long: on terminals only, after its time, and gone before other output."""

import io
import time

import linkwright as lw
from linkwright.cli.progress_line import compilation_shown, other_progress
from linkwright.compiler.runtime.progress import announce_work, listen_to_progress


class Terminal(io.StringIO):
    def isatty(self):
        return True

    def wait_for(self, text):
        for _ in range(500):
            if text in self.getvalue():
                return True
            time.sleep(0.01)
        return False


ERASED = "\r\x1b[2K"


def test_long_work_is_announced_and_the_line_goes_when_it_is_over():
    terminal = Terminal()
    with compilation_shown(terminal, after=0.0):
        with announce_work("compiling forward dynamics"):
            assert terminal.wait_for("compiling forward dynamics (first use, kept for the next; ")
        assert terminal.getvalue().endswith(ERASED)
    assert terminal.getvalue().endswith(ERASED)


def test_short_work_and_other_streams_see_nothing():
    terminal, pipe = Terminal(), io.StringIO()
    for stream in (terminal, pipe):
        with compilation_shown(stream, after=60.0), announce_work("compiling"):
            time.sleep(0.3)
        assert stream.getvalue() == ""


def test_a_command_with_its_own_bar_has_no_line():
    terminal = Terminal()
    with compilation_shown(terminal, after=0.0):
        other_progress()
        with announce_work("compiling"):
            time.sleep(0.5)
    assert terminal.getvalue() == ""


def test_listeners_hear_of_planning_and_compiling_and_of_their_end(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "cache"))
    heard = []
    with listen_to_progress(heard.append):
        model = lw.build(lw.catalog.load("four-bar"))
        model.forward_dynamics(model.assemble().q, [0.0] * model.nv, [0.0] * model.na)
    assert "compiling forward dynamics" in heard and "planning: elimination" in heard and heard[-1] == ""
    assert not any("\n" in work for work in heard)
