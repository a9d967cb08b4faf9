"""One option, one meaning; values of options are read in one way, and errors point at the character."""

import inspect
import json
from collections import defaultdict

import click
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.cli.study_verbs import ARGUMENTS

RETIRED = {"--from", "--to", "--fixed", "--inputs", "--input", "--free", "--grid", "--save", "--html", "--named-only"}


def verbs(group=main, path=()):
    for name, verb in group.commands.items():
        if isinstance(verb, click.Group):
            yield from verbs(verb, (*path, name))
        else:
            yield " ".join((*path, name)), verb


def meaning(option):
    """What the help page says: the kind of value, and the first sentence."""
    return option.is_flag, option.type.name, option.metavar, (option.help or "").partition(". ")[0].rstrip(".")


def meanings():
    found = defaultdict(lambda: defaultdict(list))
    for verb, command in [("linkwright", main), *verbs()]:
        for option in command.params:
            for name in option.opts if isinstance(option, click.Option) else ():
                found[name][meaning(option)].append(verb)
    return found


def test_one_option_has_one_meaning_in_all_verbs():
    several = {name: dict(kinds) for name, kinds in meanings().items() if len(kinds) > 1}
    assert not several


def test_every_option_says_what_it_means():
    silent = {name for name, kinds in meanings().items() for kind in kinds if not kind[3]}
    assert silent <= {"--distribution", "--intervals", "--solver", "--estimator"}


def test_retired_options_are_gone():
    assert not RETIRED & meanings().keys()


def test_every_verb_is_in_one_group_of_the_help_page():
    grouped = [name for names in main.groups.values() for name in names]
    assert sorted(grouped) == sorted(main.commands) and {"id", "merge", "neglect"}.isdisjoint(grouped)
    page = CliRunner().invoke(main, ["--help"]).output
    assert all(f"\n{title}:\n" in page for title in main.groups)


POINTED = [
    (["ik", "delta", "--pose", "x=5 mm, w=2"], "unknown component 'w'", "x=5 mm, w=2", 9),
    (["ik", "delta", "--pose", "x=5 mm, y=2 kg"], "y: '2 kg' is a mass", "x=5 mm, y=2 kg", 13),
    (["workspace", "five-bar", "--pose", "x=1:2"], "'1:2' is not a range", "x=1:2", 3),
    (["workspace", "five-bar", "--pose", "x=0..1:many"], "'many' is not a number of values", "x=0..1:many", 8),
    (["workspace", "five-bar", "--at-most", "condition=x"], "'x' is not a quantity", "condition=x", 11),
    (["indices", "five-bar", "--components", "x q"], "unknown component 'q'", "x q", 3),
    (["motion", "four-bar", "--at", "motr=1"], "unknown actuator 'motr'", "motr=1", 1),
    (["simulate", "four-bar", "--duration", "2 kg"], "'2 kg' is a mass", "2 kg", 3),
    (["simulate", "four-bar", "--effort", "motor="], "'motor' has no value", "motor=", 1),
    (["fk", "four-bar", "--at", "motor=0..1"], "'0..1' is a range; write one value", "motor=0..1", 7),
]


@pytest.mark.parametrize(("line", "message", "text", "column"), POINTED)
def test_an_error_points_at_the_character(line, message, text, column):
    done = CliRunner().invoke(main, line)
    assert done.exit_code == 2, done.output
    first, shown, mark = done.stderr.splitlines()
    assert message in first and first.startswith("Error: --")
    assert (shown.strip(), mark.index("^") - 1) == (text, column)


def test_limits_of_actuators_give_indices_of_speed_and_force():
    """The largest sphere of speeds grows with the limit; without one a note says what is missing."""
    words = ["workspace", "delta", "--pose", "x=-0.05..0.05:3, y=-0.05..0.05:3", "--show", "speed, force", "--json"]

    def run(*more):
        done = CliRunner().invoke(main, [*words, *more], catch_exceptions=False)
        assert done.exit_code == 0, done.output
        data = json.loads(done.output)
        return {row["index"]: row["least"] for row in data["indices"]}, data["notes"]

    none, notes = run()
    assert none == {"speed": None, "force": None}
    assert any("speed of motor1, motor2, motor3" in note for note in notes)
    assert any("force has no values" in note for note in notes)
    one, notes = run("--max-speed", "1 rad/s", "--max-effort", "motor1=1 N m, motor2=1 N m, motor3=1 N m")
    two, _ = run("--max-speed", "2", "--max-effort", "3 N m")
    assert two["speed"] == pytest.approx(2.0 * one["speed"]) and two["force"] == pytest.approx(3.0 * one["force"])
    assert not any("has no values" in note for note in notes)
    printed = CliRunner().invoke(main, words[:-1]).output
    assert "--max-speed 1" in " ".join(printed.split())
    done = CliRunner().invoke(main, ["indices", "delta", "--max-speed", "2 rad/s", "--json"])
    assert json.loads(done.output)["study"] == "indices" and done.exit_code == 0


def test_a_limit_that_the_file_does_not_give_is_said_to_belong_to_a_joint():
    for path in ("actuators.motor1.speed", "joints.theta1.limits.speed"):
        done = CliRunner().invoke(main, ["info", "delta", "--set", f"{path}=1 rad/s"])
        assert done.exit_code != 0 and "limits belong to joints" in " ".join(done.output.split()), done.output
        assert "gear" not in done.output


def test_a_word_for_the_catalog_names_the_verb_that_lists_it():
    for word in ("catalog", "list"):
        done = CliRunner().invoke(main, [word])
        assert done.exit_code == 2 and "'linkwright info' lists the catalog" in done.output


STUDIES = {name: each for name, each in main.commands.items() if hasattr(each.callback, "study_arguments")}


@pytest.mark.parametrize("verb", STUDIES)
def test_options_of_a_study_are_its_arguments(verb):
    """Names of the verb's table are arguments of the study's function, under the names that Python has."""
    function = getattr(lw.analysis, verb.replace("-", "_"))
    known = {"frame", *inspect.signature(function).parameters}  # of a pose, too
    if verb == "workspace":
        known |= {*inspect.signature(lw.analysis.indices).parameters}
    if verb == "identify":  # limits of the exciting motion are one argument
        known |= {"speed", "effort", "acceleration"}
    arguments = STUDIES[verb].callback.study_arguments
    flags = {flag for each in STUDIES[verb].params for flag in each.opts}
    assert {*arguments} <= known and {flag for name in arguments for flag in ARGUMENTS[name][0]} <= flags


def test_the_verbs_of_studies_are_these():
    measured = {"tolerance", "calibrate", "identify"}
    assert {*STUDIES} == {"workspace", "indices", "clearance", "size", "time-optimal", "optimize"} | measured
