"""One rule for all verbs: what linkwright wrote is replaced, other files are kept unless --overwrite is given."""

import shlex
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from linkwright.cli import main

FOREIGN = b"somebody's work"
KEPT = "a mechanism file", "a study", "a sweep", "a function for another program"
EVALUATIONS = {
    "indices five-bar": "",
    "calibrate five-bar m.csv --vary proximal": "--save-mechanism m.yaml",
    "identify five-bar": "--save-mechanism m.yaml",
    "tolerance five-bar --deviation proximal=1e-4": "",
    "optimize five-bar --vary proximal=0.2..0.3": "--save-mechanism m.yaml",
    "workspace five-bar": "--export w.json, --view w.html",
    "clearance five-bar": "",
    "selftest five-bar": "",
    "size five-bar --run run.npz": "",
    "motion five-bar --run run.npz --without distal1": "",
    "time-optimal five-bar": "--save-run r.npz",
}
SHARED = "--output o.npz, --output o.csv, --output o.json, --report r.html, --plot p.png, --plot p.svg, --plot p.pdf"
WRITTEN = {
    **{verb: f"{SHARED}, {more}".strip(", ") for verb, more in EVALUATIONS.items()},
    "check four-bar": "--suggest o.yaml, --suggest o.urdf",
    "demo": "--save-run o.csv, --report r.html",
    "motion three-link-arm --at '0.1, 0, 0' --samples 3": "--save-run o.csv",
    "simulate four-bar --duration 10ms": (
        "--save-run o.npz, --save-run o.csv, --save-run o.mat, --save-run o.nc, --report r.html, --save-study s.yaml, "
        "four-bar_run.npz"
    ),
    "motion five-bar --sines 'x=1 mm @ 1 Hz' --samples 3": "--save-run o.npz, --report r.html, --plot p.svg",
    "sweep designs.yaml": "--output o.npz, --output o.csv, designs.npz",
    "sweep designs.npz --merge": "--output o.npz",
    "export c five-bar": "five_bar/five_bar.h",
    "export c five-bar mass_matrix": "--output f.c, five_bar_mass_matrix.c",
    "export ros2 five-bar": "five_bar/five_bar_relay.py",
    "export fmu four-bar --sources-only --no-reactions": "--output u.fmu, four_bar.fmu",
    "export casadi five-bar mass_matrix": "--output f.casadi, mass_matrix.casadi",
    "export jax five-bar mass_matrix": "--output f.jax, mass_matrix.jax",
    "new four-bar n.yaml": "n.yaml",
    "convert four-bar bar.urdf": "bar.urdf",
    "convert four-bar bar.yaml": "bar.yaml",
    "view four-bar --still": "--output v.html, --output v.svg, --output v.gif, --output v.glb, four-bar.html",
    "report run.npz": "--output r.html, run.html",
    "explain four-bar": "--report e.html",
}
CASES = [(verb, each.strip()) for verb, files in WRITTEN.items() for each in files.split(",")]
WORKSPACE = "workspace five-bar --pose 'x=-0.1..0.1:3, y=0.3..0.5:3'"
CYCLES = [
    *((verb, file) for verb, file in CASES if verb.split()[0] in ("simulate", "convert", "view", "explain")),
    *((verb, file) for verb, file in CASES if verb.startswith("indices") and "plot" not in file),
    *(
        (verb, file)
        for verb, file in CASES
        if verb.startswith(("motion three", "motion five-bar --sines", "export c ", "export fmu"))
    ),
    *((verb, file) for verb, file in CASES if verb.startswith(("export ros2", "sweep designs.yaml", "report"))),
    (WORKSPACE, "--export w.json"),
    *((WORKSPACE, f"--plot p.{ending}") for ending in ("png", "svg", "pdf")),
    ("workspace delta --pose 'x=-0.05..0.05:3, y=-0.05..0.05:3, z=-0.4..-0.3:3' --no-refine", "--export w.vti"),
]
DESIGNS = "{format: 1, mechanism: five-bar, sweep: {grid: {proximal: [0.25, 0.3]}}, at: {x: [0], y: [0.4]}}"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "designs.yaml").write_text(DESIGNS)
    return tmp_path


def run(line):
    return CliRunner().invoke(main, shlex.split(line))


def commands(group=main, names=()):
    for name, each in group.commands.items():
        if isinstance(each, click.Group):
            yield from commands(each, (*names, name))
        else:
            yield " ".join((*names, name)), each


def test_every_verb_that_writes_has_the_option_and_is_listed():
    listed = {" ".join(verb.split()[: 1 + verb.startswith("export ")]) for verb in WRITTEN}
    for name, verb in commands():
        options = {option for param in verb.params for option in param.opts}
        writes = options & {
            "--output",
            "--report",
            "--save-mechanism",
            "--save-run",
            "--save-study",
            "--export",
            "--plot",
            "--suggest",
        }
        assert bool(writes) <= ("--overwrite" in options), name
        assert ("--overwrite" in options) == (name in listed), name


@pytest.mark.parametrize(("verb", "option"), CASES)
def test_files_of_another_origin_are_kept(verb, option):
    file = Path(option.rpartition(" ")[2])
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(FOREIGN)
    done = run(verb if not option.startswith("-") else f"{verb} {option}")
    if verb.startswith("report") and not option.startswith("-"):
        assert done.exit_code == 3  # run.npz does not exist
    else:
        assert done.exit_code == 2 and file.name in done.output and "--overwrite" in done.output, done.output
        assert "overwrite=True" not in done.output
    assert file.read_bytes() == FOREIGN


@pytest.mark.parametrize(("verb", "option"), CYCLES)
def test_results_are_replaced_and_overwrite_replaces_everything(verb, option):
    if verb.startswith("report"):
        assert run("simulate four-bar --duration 10ms --save-run run.npz").exit_code == 0
    file, line = Path(option.rpartition(" ")[2]), f"{verb} {option if option.startswith('-') else ''}"
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(FOREIGN)
    first = run(f"{line} --overwrite")
    assert first.exit_code == 0 and file.read_bytes() != FOREIGN, first.output
    assert file.name in first.output or f"{file.parent}:" in first.output
    again = run(f"{line} --quiet")
    if any(f"{kind} is never replaced unasked" in again.output for kind in KEPT):
        assert again.exit_code == 2 and (file.suffix in (".yaml", ".urdf") or verb.startswith("sweep"))
    else:
        assert again.exit_code == 0 and again.output == "", again.output


def test_a_result_of_another_kind_is_kept():
    assert run("indices five-bar --output o.npz --report r.html").exit_code == 0
    before = Path("o.npz").read_bytes()
    assert run("simulate four-bar --duration 10ms --save-run o.npz").exit_code == 2
    assert Path("o.npz").read_bytes() == before
    assert run("simulate four-bar --duration 10ms --save-run run.npz").exit_code == 0
    assert run("indices five-bar --output run.npz").exit_code == 2


@pytest.mark.parametrize("count", [300, 246])
@pytest.mark.parametrize("line", ["simulate four-bar --duration 0.01 --save-run {}.npz", "convert four-bar {}.urdf"])
def test_names_that_no_file_can_have_are_refused(tmp_path, monkeypatch, line, count):
    monkeypatch.chdir(tmp_path)
    found = CliRunner().invoke(main, line.format("a" * count).split())
    assert found.exit_code == 0 or ("File name too long" in found.output and "unexpected" not in found.output)
    assert found.exit_code == 0 or len(found.output) < 800
