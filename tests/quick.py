"""What a change needs, within a minute: `python3 dev.py test --quick`, or `python -m tests.quick` where all is set up.

Files of tests are chosen by what changed since `main` (commits and what is not committed yet): changed tests, those
named after a changed module, those that import it, always a few laws of everything, those of a changed package, those
of packages that import it. Tests known to be slow are left out unless their own file or namesake changed, and so is
what would start when time is over; the summary says how many. `python -m tests.quick times.xml` writes the list of slow
tests from the report of `python3 dev.py test --junitxml=times.xml`.
"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterable
from pathlib import Path
from xml.etree import ElementTree

import pytest

from tests.test_layers import PACKAGES

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
SLOW_TESTS = TESTS / "slow_tests.txt"
SLOW = 0.5  # [s] of a test, on average over its parameters
SECONDS = 35.0  # from the first test of a worker on; the rest of a minute is left for starting and ending
MOST_FILES = 40  # reading a file of tests takes a tenth of a second

CORE = (
    "test_layers.py",
    "test_findings.py",
    "test_public.py",
    "test_language.py",
    "test_repository.py",
    "laws/test_forward.py",
    "loops/test_maximal.py",
    "model/test_batches_in_lanes.py",
)
"""Run whatever changed: the rules of the repository, and Newton's and Euler's equations on trees and loops."""

FOLDERS = {
    "laws": "algebra joints recursion mechanism",
    "springs": "recursion formulations dynamics",
    "flexible": "recursion mechanism",
    "crosscheck": "recursion loops formats model",
    "corpus": "formats",
    "refactoring": "functions recursion loops formulations",
    "hostile": "formats cli results",
    "extension": "joints forces simulation analysis export",
    "web": "viewer",
}
"""Folders of tests that are not named after a package, and the packages they need."""

ELSEWHERE = {
    "dev.py": ("test_dev.py",),
    "docs": ("test_howto.py", "test_howto_simulate.py", "test_tutorials.py", "test_coming_from.py"),
    "README.md": ("test_readme.py",),
    "examples": ("test_examples.py",),
    "viewer": ("viewer", "web"),
}


def changed_files() -> list[str]:
    """Paths that differ from the point where this branch left `main`; on `main` itself, from the commit before."""

    def git(*words: str) -> list[str]:
        done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
        return done.stdout.splitlines() if done.returncode == 0 else []

    left = git("merge-base", "HEAD", "main") or git("merge-base", "HEAD", "origin/main")
    if left == git("rev-parse", "HEAD"):
        left = git("rev-parse", "HEAD~1")
    committed = git("diff", "--name-only", *left) if left else []
    return sorted({*committed, *git("ls-files", "--others", "--exclude-standard")})


def packages_that_import(package: str) -> list[str]:
    """Packages with a direct import of this one, by the table of layers."""
    return [name for name, row in PACKAGES.items() if package in row.packages.split()]


def wanted_files(changed: Iterable[str]) -> tuple[list[Path], set[Path]]:
    """Files of tests in order of importance, and those among them that run whole, slow tests too."""
    paths = [Path(path) for path in changed]
    named = [
        *(ROOT / p for p in paths if p.parts[0] == "tests" and p.name.startswith("test_")),
        *(f for p in paths if p.parts[0] == "src" for f in _namesakes(p)),
    ]
    packages = dict.fromkeys(
        p.parts[2].removesuffix(".py") for p in paths if p.parts[:1] == ("src",) and len(p.parts) > 2
    )
    helpers = [p.parts[1] for p in paths if p.parts[0] == "tests" and len(p.parts) > 2]
    near = [*helpers, *packages, *(f for f, needs in FOLDERS.items() if set(needs.split()) & set(packages))]
    far = [other for package in packages for other in packages_that_import(package)]
    elsewhere = [TESTS / name for p in paths for name in ELSEWHERE.get(p.parts[0], ())]
    whole = {f for f in named if f.is_file()}
    importing = [f for p in paths if p.parts[:1] == ("src",) for f in _tests_that_import(p)]
    ranked = [
        *(*named, *importing, *(TESTS / name for name in CORE), *elsewhere),
        *(TESTS / name for name in (*near, *far)),
    ]
    files = dict.fromkeys(f for path in ranked for f in _test_files(path))
    return list(files), whole


def _namesakes(path: Path) -> list[Path]:
    return sorted(TESTS.glob(f"**/test_{path.stem}.py"))


def _tests_that_import(path: Path) -> list[Path]:
    """Files of tests that name a module of the library in full."""
    module = ".".join(path.with_suffix("").parts[1:]).removesuffix(".__init__")
    if module.count(".") < 2:  # a package or the library is named by all the tests of it
        return []
    named = re.compile(rf"{re.escape(module)}\b|from {re.escape(module.rpartition('.')[0])} import .*\b{path.stem}\b")
    return [f for f in _test_files(TESTS) if named.search(f.read_text(encoding="utf-8"))]


def _test_files(path: Path) -> list[Path]:
    return sorted(path.glob("**/test_*.py")) if path.is_dir() else [path] if path.is_file() else []


def title(nodeid: str) -> str:
    """Names of file and function, which stay when a folder is renamed."""
    return nodeid.partition("[")[0].rpartition("/")[2]


def slow_tests() -> dict[str, float]:
    """Seconds of the tests that are known to be slow, by the names of file and function."""
    rows = [line.split(" ", 1) for line in SLOW_TESTS.read_text(encoding="utf-8").splitlines()]
    return {name: float(seconds) for seconds, name in rows}


class Limits:
    """A plugin: skips what is slow and what would start too late, counted from the first test."""

    def __init__(self, whole: Iterable[str], seconds: float) -> None:
        self.whole, self.seconds, self.slow = set(whole), seconds, slow_tests()
        self.until: float | None = None

    def pytest_runtest_setup(self, item: pytest.Item) -> None:
        if self.until is None:
            self.until = time.monotonic() + self.seconds
        if title(item.nodeid) in self.slow and item.nodeid.partition("::")[0] not in self.whole:
            pytest.skip("left out: slow")
        if time.monotonic() > self.until:
            pytest.skip("left out: no time")


def pytest_configure(config: pytest.Config) -> None:
    """In a worker: take over the limits."""
    config.pluginmanager.register(Limits(os.environ[_WHOLE].split(), SECONDS), "limits")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [str(report.longrepr[2]) for report in terminalreporter.stats.get("skipped", []) if report.longrepr]
    slow, late = (sum(reason in text for text in skipped) for reason in ("left out: slow", "left out: no time"))
    terminalreporter.write_line(
        f"quick: left out {slow} slow tests and {late} for lack of time{os.environ[_LEFT_OUT]}; no types, no doctests "
        "(`python3 dev.py test` runs everything)"
    )


_WHOLE, _LEFT_OUT = "LINKWRIGHT_QUICK_WHOLE", "LINKWRIGHT_QUICK_LEFT_OUT"


def run_quick_tests(changed: list[str]) -> int:
    files, whole = wanted_files(changed)
    kept, rest = files[:MOST_FILES], files[MOST_FILES:]
    relative = [f.relative_to(ROOT).as_posix() for f in kept]
    print(f"[quick] {len(changed)} files changed, {len(kept)} files of tests", flush=True)
    os.environ[_WHOLE] = " ".join(f.relative_to(ROOT).as_posix() for f in whole)
    folders = sorted({f.parent.name for f in rest})
    os.environ[_LEFT_OUT] = f", {len(rest)} files of {', '.join(folders)}" if rest else ""
    os.environ.setdefault("HYPOTHESIS_PROFILE", "ci")
    options = ["-q", "-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-p", "tests.quick"]
    return int(pytest.main([*options, "-p", "no:cacheprovider", *relative]))


def write_slow_tests(report: Path) -> None:
    """Write the list of slow tests from a JUnit report of the whole suite."""
    times: dict[str, list[float]] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.attrib['classname'].replace('.', '/')}.py::{case.attrib['name']}"
        times.setdefault(title(name), []).append(float(case.attrib["time"]))
    means = {name: sum(x) / len(x) for name, x in sorted(times.items()) if name.startswith("test_")}
    lines = [f"{seconds:.1f} {name}\n" for name, seconds in means.items() if seconds >= SLOW]
    SLOW_TESTS.write_text("".join(lines), encoding="utf-8")


if __name__ == "__main__":
    if sys.argv[1:]:
        write_slow_tests(Path(sys.argv[1]))
    else:
        sys.exit(run_quick_tests(changed_files()))
