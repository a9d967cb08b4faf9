"""Options of verbs: the defaults of the functions they call, and none that is given and not used."""

from __future__ import annotations

import inspect
import json

import click
import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main

FUNCTIONS = {
    "calibrate": lw.analysis.calibrate,
    "check": lw.check,
    "clearance": lw.analysis.clearance,
    "identify": lw.analysis.identify,
    "indices": lw.analysis.indices,
    "motion": lw.motion,
    "optimize": lw.analysis.optimize,
    "simulate": lw.simulate,
    "size": lw.analysis.size,
    "time-optimal": lw.analysis.time_optimal,
    "tolerance": lw.analysis.tolerance,
    "workspace": lw.analysis.workspace,
}
PLAIN = (bool, int, float, str)


@pytest.mark.parametrize("verb", FUNCTIONS)
def test_a_verb_has_the_defaults_of_its_function(verb):
    command = main.get_command(click.Context(main), verb)
    options = {option.name: option.default for option in command.params if isinstance(option, click.Option)}
    compared = {
        name: parameter.default
        for name, parameter in inspect.signature(FUNCTIONS[verb]).parameters.items()
        if isinstance(parameter.default, PLAIN) and isinstance(options.get(name), PLAIN)
    }
    written = {name: options[name] for name in compared}
    for name, default in written.items():
        if isinstance(default, str) and not isinstance(compared[name], str):  # with a unit: "0 s"
            written[name] = float(default.split()[0])
    assert written == compared


def test_identify_has_one_default_method():
    option = next(x for x in main.get_command(click.Context(main), "identify").params if x.name == "estimator")
    assert option.default == inspect.signature(lw.analysis.identify).parameters["method"].default


def motion(*options: str) -> dict:
    found = CliRunner().invoke(main, ["motion", "four-bar", "--json", "--actuators", "motion.csv", *options])
    assert found.exit_code == 0, found.output
    return json.loads(found.stdout)


def test_samples_and_duration_count_beside_a_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    t = np.linspace(0.5, 1.5, 21)
    rows = "".join(f"{1e3 * a},{x}\n" for a, x in zip(t, 0.3 + 0.5 * np.sin(t), strict=True))
    (tmp_path / "motion.csv").write_text("t [ms],motor\n" + rows)
    for options, samples, times in (
        ((), 21, [0.5, 1.5]),
        (("--samples", "7"), 7, [0.5, 1.5]),
        (("--duration", "250 ms", "--samples", "11"), 11, [0.5, 0.75]),
        (("--duration", "0.5 s"), 201, [0.5, 1.0]),
    ):
        found = motion(*options)
        assert found["samples"] == samples and found["times"] == pytest.approx(times, rel=1e-12), options
    longer = CliRunner().invoke(main, ["motion", "four-bar", "--actuators", "motion.csv", "--duration", "2 s"])
    assert longer.exit_code == 2 and "do not cover 0.5 to 2.5 s" in longer.output
