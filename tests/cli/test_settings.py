"""Options from a file; names completed by the shell."""

import json
import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main


def run(*arguments):
    return CliRunner().invoke(main, [str(each) for each in arguments])


def test_options_come_from_a_file_and_the_command_line_wins(tmp_path):
    config = tmp_path / "lw.toml"
    config.write_text('[assemble]\nat = "theta=60 deg"\njson = true\n')
    assert '"theta": 1.047197551196597' in run("--config", config, "assemble", "four-bar").output
    won = run("--config", config, "assemble", "four-bar", "--at", "theta=30 deg")
    assert '"theta": 0.52359877559829' in won.output


@pytest.mark.parametrize(
    "text, message",
    [
        ("[asemble]\nx = 1", "[asemble] is not a known verb (did you mean 'assemble'?)"),
        ("[assemble]\nmodse = 1", "[assemble] has no option 'modse' (did you mean 'modes'?)"),
        ("[assemble", "the options cannot be read"),
    ],
)
def test_mistakes_in_a_file_of_options_are_reported(tmp_path, text, message):
    config = tmp_path / "lw.toml"
    config.write_text(text)
    done = run("--config", config, "info")
    assert message in done.output and done.exit_code == 2


def test_the_shell_completes_names_of_the_catalog():
    environment = {
        **os.environ,
        "_LINKWRIGHT_COMPLETE": "bash_complete",
        "COMP_WORDS": "linkwright info g",
        "COMP_CWORD": "2",
    }
    code = "from linkwright.cli import main; main(prog_name='linkwright')"
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert "plain,gough-stewart" in done.stdout.split()


def test_parameters_of_a_file_are_set_by_every_verb_that_reads_one():
    heavy = run("info", "bennett", "--set", "line=5 kg/m", "--set", "a=0.2", "--json")
    assert '"mass": 1.0' in heavy.output and heavy.exit_code == 0
    verbs = [name for name, verb in main.commands.items() if any(p.name == "name_or_file" for p in verb.params)]
    assert len(verbs) > 8 and all("--set" in run(verb, "--help").output for verb in verbs)
    done = run("info", "bennett", "--set", "line")
    assert done.exit_code == 2 and "--set line: write NAME=VALUE" in done.output
    assert "unknown parameter 'lin' (did you mean 'line'?)" in run("info", "bennett", "--set", "lin=1").output


def test_numbers_are_set_by_their_paths_too(tmp_path):
    """The stroke of one leg is a number of the hexapod that no parameter gives alone."""
    path, given = "joints.rho1.limits.upper", {"rod": "450 mm", "joints.rho1.limits.upper": "800 mm"}
    assert lw.catalog.load("hexapod", given).value(path) == 0.8
    assert lw.catalog.load("hexapod", given).value("joints.rho2.limits.upper") == pytest.approx(1.9 * 0.45)
    words = [word for pair in given.items() for word in ("--set", "=".join(pair))]
    data = json.loads(run("info", "hexapod", *words, "--json").output)
    assert next(each for each in data["joints"] if each["name"] == "rho1")["limits"]["upper"] == [0.8]
    link = '<robot name="two"><link name="a"/><link name="b"/>'
    joint = '<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></robot>'
    (tmp_path / "two.urdf").write_text(link + joint)
    assert lw.load(tmp_path / "two.urdf", {"joints.j.at.x": "20 mm"}).value("joints.j.at.x") == 0.02
    assert "is not a number of the mechanism" in run("info", "hexapod", "--set", "joints.rho9.limits.upper=1").output
    assert "but a length is wanted" in run("info", "hexapod", "--set", f"{path}=1 kg").output


def test_computed_parameters_are_listed_apart_and_setting_one_is_a_warning():
    shown = run("info", "hexapod").output
    settable, computed = shown.partition("Computed from these, not to set")[::2]
    assert "plate" in settable and "length" in computed and "length" not in settable.partition("Parameters")[2]
    data = json.loads(run("info", "hexapod", "--json").output)["parameters"]
    assert {each["name"] for each in data if each["computed"]} == {"x", "y", "yaw", "lean", "length"}
    warned = run("check", "hexapod", "--set", "length=0.9 m")
    assert "'length' is computed from base, plate, pair, high" in " ".join(warned.output.split())
    assert "is computed from" not in run("check", "hexapod", "--set", "rod=450 mm").output
