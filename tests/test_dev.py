"""dev.py: expected faults give messages, nothing is installed twice, no failed step is passed over."""

import importlib.util
import shutil
import sys
from subprocess import CompletedProcess

import pytest

import dev


@pytest.fixture
def clone(tmp_path, monkeypatch):
    """A pretend clone with a ready environment; gives the list of installations requested."""
    installed = []
    monkeypatch.setattr(dev, "ROOT", tmp_path)
    monkeypatch.setattr(dev, "PYTHON", tmp_path / "python")
    monkeypatch.setattr(dev, "STAMP", tmp_path / "stamp.json")
    monkeypatch.setattr(dev, "install", installed.append)
    (tmp_path / "pyproject.toml").write_text("first")
    (tmp_path / "python").touch()
    return installed


def test_the_environment_is_installed_only_when_something_changed(clone):
    dev.prepare({"dev"})
    dev.prepare({"dev"})
    dev.prepare(set())
    assert clone == [["dev"]]
    (dev.ROOT / "pyproject.toml").write_text("second")
    dev.prepare(set())
    assert clone == [["dev"], ["dev"]]
    dev.prepare({"bench"})
    assert clone[-1] == ["bench", "dev"]


def test_a_broken_stamp_means_installing_again(clone):
    dev.STAMP.write_text("{ not json")
    dev.prepare(set())
    assert clone == [[]]


@pytest.mark.parametrize("missing", ["venv", "ensurepip"])
def test_a_python_without_venv_is_shown_what_to_install(missing, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: None)
    monkeypatch.setattr(importlib.util, "find_spec", lambda name: None if name == missing else object())
    with pytest.raises(dev.Stop, match=r"without its 'venv' module: install it .*-venv"):
        dev.make_venv()


def test_an_old_python_is_refused(monkeypatch):
    monkeypatch.setattr(sys, "version_info", (3, 9, 2, "final", 0))
    with pytest.raises(dev.Stop, match=r"needs Python 3\.11 or newer and this is 3\.9"):
        dev.main(["test"])


def test_an_unknown_command_names_the_known_ones():
    with pytest.raises(dev.Stop, match=r"Unknown command 'dmeo': choose one of demo, test"):
        dev.main(["dmeo"])


@pytest.mark.parametrize(
    ("said", "remedy"),
    [
        ("OSError: [Errno 28] No space left on device", "disk is full"),
        ("Failed to establish a new connection", "network"),
        ("ERROR: No matching distribution found for numpy", "supports"),
        ("something nobody foresaw", "delete the folder .venv"),
    ],
)
def test_a_failed_installation_ends_with_a_way_out(said, remedy, capsys):
    with pytest.raises(dev.Stop, match=remedy):
        dev.must([sys.executable, "-c", f"print({said!r}); raise SystemExit(1)"], "Installing")
    assert said in capsys.readouterr().err


@pytest.mark.parametrize("culprit", ["format", "check", "mypy", "pytest", None])
def test_any_failed_step_fails_the_check_and_its_messages_are_shown(culprit, monkeypatch, capsys):
    steps = []
    monkeypatch.setenv("HYPOTHESIS_PROFILE", "ci")
    monkeypatch.setattr(dev, "prepare", lambda extras: None)
    monkeypatch.setattr(dev, "browser", lambda: None)
    monkeypatch.setattr(dev, "run", lambda command: steps.append(command) or int(culprit in command))
    monkeypatch.setattr(
        dev, "quietly", lambda command: CompletedProcess(steps.append(command), int(culprit in command), "a wrong type")
    )
    assert dev.check([]) == (0 if culprit is None else 1)
    assert sorted(command[2] for command in steps) == ["mypy", "pytest", "ruff", "ruff"]
    said = capsys.readouterr()
    assert ("a wrong type" in said.err) == (culprit == "mypy")
    assert "FAILED" in said.out or culprit in ("pytest", None)


@pytest.mark.parametrize("culprit", ["format", "check", "tests.quick", None])
def test_the_quick_check_lints_and_runs_the_tests_of_the_change_last(culprit, monkeypatch):
    steps = []
    monkeypatch.setattr(dev, "prepare", lambda extras: None)
    monkeypatch.setattr(dev, "run", lambda command: steps.append(command) or int(culprit in command))
    assert dev.main(["test", "--quick"]) == (0 if culprit is None else 1)
    assert len(steps) == 3 and "tests.quick" in steps[-1]


def test_soaking_runs_every_case_and_the_long_searches(monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_SOAK", "")
    seen = []
    monkeypatch.setattr(dev, "prepare", lambda extras: None)
    monkeypatch.setattr(dev, "check", lambda args: seen.append(dev.os.environ["LINKWRIGHT_SOAK"]) or 0)
    monkeypatch.setattr(dev, "run", lambda command: seen.append(command[2]) or int("tests.hostile" in command))
    assert dev.soak([]) == 1
    assert seen == ["1", "tests.loops.random_mechanisms", "tests.hostile"]


@pytest.fixture
def commands(monkeypatch):
    """Programs dev.py asks for, none of which is run; every one fails."""
    requested = []

    class Done:
        returncode, stdout = 1, "could not resolve host"

    monkeypatch.setattr(dev, "quietly", lambda command: requested.append(command) or Done)
    return requested


@pytest.mark.parametrize(("user", "installs"), [(0, True), (1000, False)])
def test_a_browser_is_installed_only_where_we_may(user, installs, commands, monkeypatch, capsys):
    monkeypatch.setattr(shutil, "which", lambda name: "apt-get" if name == "apt-get" else None)
    monkeypatch.setattr(dev.Path, "exists", lambda path: True)
    monkeypatch.setattr(dev.os, "geteuid", lambda: user, raising=False)
    dev.browser()
    assert any("chromium" in command for command in commands) == installs
    assert ("could not be installed" in capsys.readouterr().out) == installs


def test_a_browser_that_is_there_is_left_alone(commands, monkeypatch):
    monkeypatch.setattr(shutil, "which", lambda name: name if name == "chromium" else None)
    dev.browser()
    assert commands == []
