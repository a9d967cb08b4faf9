"""Command lines with misused options: each ends with its result or a message, never with "unexpected".

Half of them are lines of any options; the others are good lines in which one thing was changed.
"""

from __future__ import annotations

import random
import shlex
from collections.abc import Callable
from functools import partial
from pathlib import Path

import click
import numpy as np
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from tests.hostile.cases import Case, Wrong
from tests.hostile.mutations import mutated

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
# Verbs that serve pages or run long by design; those are tried by other kinds and tests.
LEFT_OUT = ("view", "demo", "bench", "verify", "selftest")
GOOD = (
    "new four-bar fresh.yaml --overwrite",
    "info good.yaml --json",
    "check good.yaml",
    "explain good.yaml --report page.html --overwrite",
    "assemble good.yaml --at 'theta=60 deg' --starts 3",
    "fk good.yaml --at 'motor=60 deg'",
    "ik five-bar --pose 'x=0, y=400 mm' --components 'x y'",
    "motion good.yaml --at 'motor=120 deg' --duration '1 s' --samples 5 --save-run efforts.csv --overwrite",
    "motion good.yaml --coordinates motion.csv --save-run again.csv --overwrite",
    "simulate good.yaml --duration '0.1 s' --effort 'motor=6 N m' --samples 5 --max-steps 5000",
    "simulate study.yaml --save-run studied.csv --overwrite",
    "indices five-bar --pose 'x=0, y=400 mm' --stiffness 1e4 --encoder 1e-4 --length '1 m'",
    "motion five-bar --sines 'y=20 mm @ 2 Hz' --duration '0.5 s' --samples 20 --save-run moved.npz --overwrite",
    "time-optimal five-bar --pose 'x=-0.1..0.1, y=0.4' --max-effort 2 --intervals 10",
    "calibrate five-bar poses.csv --vary 'proximal, distal' --noise '20 um' --save-mechanism found.yaml --overwrite",
    "tolerance five-bar --deviation 'proximal=50 um' --pose 'x=0, y=400 mm' --draws 50 --limit '30 um'",
    "identify five-bar --parameters 'inertial, friction'",
    "identify five-bar run.npz --estimator ordinary",
    "optimize search.yaml --save-mechanism best.yaml --overwrite",
    "optimize five-bar --vary 'distal=0.4..0.5' --pose 'x=-0.1..0.1:2, y=0.4' --starts 1 --at-most 'condition=3'",
    "sweep designs.yaml --output swept.npz --overwrite",
    "sweep designs.yaml --shard 1/2 --output sharded.npz",
    "sweep shards.npz --merge --output merged.csv --overwrite",
    "workspace five-bar --pose 'x=-0.2..0.2:5, y=0.4' --no-refine --at-most 'condition=4' --output region.json "
    "--overwrite",
    "clearance five-bar --pose 'x=0, y=400 mm'",
    "size five-bar --run run.npz --gears '5, 10' --rest '0.1 s'",
    "motion five-bar --run run.npz --without 'rods: distal1' --faster 2",
    "export list good.yaml --target jax",
    "export c good.yaml forward_dynamics --output arm.c --vary bodies.crank.mass --overwrite",
    "convert good.yaml converted.urdf --dialect extended --overwrite",
    "view good.yaml --still --output view.html --overwrite",
    "report run.npz --output report.html --title 'Test 3' --overwrite",
)
_STUDY = "format: 1\nmechanism: four-bar\nt_end: 0.05\n"
_SWEEP = "{format: 1, mechanism: five-bar, sweep: {grid: {proximal: [0.3, 0.31]}}, at: {y: [0.4, 0.41]}}"
_SEARCH = (
    "{format: 1, mechanism: five-bar, optimize: {vary: {distal: [0.4, 0.5]}, minimize: {measure: condition}, starts: 1}"
    ", at: {x: [-0.1, 0.1], y: [0.4]}}"
)


def cases(folder: Path, seed: int) -> Callable[[int], Case]:
    """Cases of command lines, in a folder with the files that good lines name, and a bad one."""
    _place_files(folder)
    verbs = {name: verb for name, verb in main.commands.items() if name not in LEFT_OUT}
    return partial(case, verbs, seed)


def case(verbs: dict[str, click.Command], seed: int, index: int) -> Case:
    """One command line."""
    rng = random.Random(f"commands {seed} {index}")
    if rng.random() < 0.5:
        line = _changed(shlex.split(rng.choice(GOOD)), rng)
    else:
        name = rng.choice(list(verbs))
        line = [name, *_arguments(verbs[name], rng)]
    return Case(f"commands/{line[0]}", " ".join(map(ascii, line)), lambda: run(line), (), 60.0)


def _place_files(folder: Path) -> None:
    lw.save(lw.catalog.load("four-bar"), folder / "good.yaml")
    texts = {"bad": "format: 1\nbodies: [\n", "study": _STUDY, "designs": _SWEEP, "search": _SEARCH}
    for name, text in texts.items():
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    robot = lw.build(lw.catalog.load("five-bar"))
    home = robot.assemble().q
    points = robot.frame_pose(home, "platform").position + 0.05 * np.stack(
        [np.cos([0.0, 1, 2, 3, 4]), *np.zeros((2, 5))], 1
    )
    q = robot.inverse_kinematics((points, np.tile([1.0, 0, 0, 0], (5, 1))), near=home, components=("x", "y"))[0]
    actuators = dict(zip(robot.actuated, robot.actuator_positions(q).T, strict=True))
    _write_table(folder / "poses.csv", actuators | dict(zip("xyz", points.T, strict=True)))
    _write_states(folder / "motion.csv")
    run(shlex.split("motion five-bar --sines 'y=20 mm @ 2 Hz' --duration '0.5 s' --samples 40 --save-run run.npz"))
    for part in ("1/2", "2/2"):
        run(shlex.split(f"sweep designs.yaml --shard {part} --output shards.npz"))


def _write_states(path: Path) -> None:
    """Coordinates of the four-bar along a motion of its crank."""
    model, t = lw.build(lw.catalog.load("four-bar")), np.linspace(0.0, 1.0, 20)
    found = lw.motion(model, t, q_act=lambda t: [1.0 + 0.5 * t * t])
    states = {"q": (model.q_names, found.q), "v": (model.v_names, found.v), "a": (model.v_names, found.a)}
    columns = {f"{x}.{name}": column for x, (names, rows) in states.items() for name, column in zip(names, rows.T)}
    _write_table(path, {"t": t, **columns})


def _write_table(path: Path, columns: dict[str, np.ndarray]) -> None:
    np.savetxt(path, np.stack(list(columns.values()), axis=1), delimiter=",", header=",".join(columns), comments="")


def _changed(line: list[str], rng: random.Random) -> list[str]:
    """A good line in which a word was replaced, left out, repeated, put in or edited, once or twice; or as it is."""
    out = list(line)
    for _ in range(rng.choice((0, 1, 1, 1, 1, 2))):
        k = rng.randrange(1, len(out)) if len(out) > 1 else 0
        match rng.randrange(6):
            case 0 | 1:
                out[k] = rng.choice(_VALUES)
            case 2 | 3:
                out[k] = mutated(out[k], rng)
            case 4:
                out[k : k + 1] = [] if rng.random() < 0.5 else [out[k]] * 2
            case _:
                out[k:k] = [rng.choice(_VALUES)]
    return out


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
        raise lw.errors.LinkwrightError(message or "no message")
