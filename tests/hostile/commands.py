"""Command lines with misused options: each ends with its result or a message, never with "unexpected"."""

from __future__ import annotations

import random
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from tests.hostile.cases import Case, Wrong

_SUBJECTS = (
    "four-bar",
    "three-link-arm",
    "slider-crank",
    "five-bar",
    "stanford-arm",
    "nowhere",
    "good.yaml",
    "bad.yaml",
    ".",
)
_VALUES = (
    "", "1", "-1", "0", "nan", "inf", "1e308", "1e-300", "x", "x=1", "x=1, y=2, z=3", "theta=1", "theta1=30 deg",
    "motor=nan", "motor=1e300", "=", ",", "1 s", "1 parsec", "0.01 s", "10 ms", "good.yaml", "bad.yaml",
    "missing.csv", "..", "a b", "\ud800", "link3", "crank", "rz", "x y", "1,2,3", "[1, 2]", "{}", "9" * 400, "%s",
    "--help",
)  # fmt: skip
# Verbs that serve pages, run long by design, or write without end; those are tried by other kinds and tests.
_LEFT_OUT = ("view", "demo", "bench", "verify", "selftest", "sweep", "merge", "calibrate", "tolerance")


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases of command lines, in a folder with a good and a bad file."""
    lw.save(lw.catalog.load("four-bar"), folder / "good.yaml")
    (folder / "bad.yaml").write_text("format: 1\nbodies: [\n", encoding="utf-8")
    verbs = {name: verb for name, verb in main.commands.items() if name not in _LEFT_OUT}
    return partial(case, verbs, seed)


def case(verbs: dict[str, click.Command], seed: int, index: int) -> Case:
    """One command line."""
    rng = random.Random(f"commands {seed} {index}")
    name = rng.choice(list(verbs))
    line = [name, *_arguments(verbs[name], rng)]
    return Case(f"commands/{name}", " ".join(map(ascii, line)), lambda: run(line), (), 60.0)


def _arguments(verb: click.Command, rng: random.Random) -> list[str]:
    if isinstance(verb, click.Group):
        inner = rng.choice(list(verb.commands))
        return [inner, *_arguments(verb.commands[inner], rng)]
    out = [rng.choice(_SUBJECTS) for each in verb.params if isinstance(each, click.Argument)]
    if rng.random() < 0.1:
        out = out[1:] if rng.random() < 0.5 else [*out, rng.choice(_VALUES)]
    options = [each for each in verb.params if isinstance(each, click.Option)]
    for option in rng.sample(options, min(len(options), rng.choice((0, 1, 1, 2, 3)))):
        out.append(rng.choice(option.opts))
        if not option.is_flag:
            out.append(rng.choice(_VALUES))
    return out


def run(line: list[str]) -> None:
    """Run a command line in this process."""
    found = CliRunner().invoke(main, line)
    if found.exception is not None and not isinstance(found.exception, SystemExit):
        raise found.exception
    message = (found.output.strip().splitlines() or [""])[-1]
    if found.exit_code == 1 and "unexpected" in found.output:
        raise Wrong(message)
    if found.exit_code:
        raise lw.LinkwrightError(message or "no message")
