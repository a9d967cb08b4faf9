"""Small files whose repeats, variables or names grow: read or refused after bounded work, with a message."""

import os

import numpy as np
import pytest

from linkwright.errors import FormatError, MechanismError
from linkwright.findings import printable_text
from linkwright.formats.text_files import read_text
from linkwright.formats.yaml import from_yaml
from linkwright.formats.yaml.expansion import MOST_PROBLEMS
from linkwright.joints import Revolute
from linkwright.mechanism import Body, Joint, Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.results.run_files import column_title

HEAD = "format: 1\nname: a\n"
ARM = "bodies: {a: {mass: 1}}\njoints: {j: {type: revolute, parent: ground, child: a}}\n"


def repeated(*lines, copies=2000):
    return HEAD + f"repeat:\n- for: {{i: 1..{copies}}}\n" + "".join(f"  {line}\n" for line in lines)


def findings(text):
    with pytest.raises(FormatError) as refused:
        from_yaml(text, "x.yaml")
    return refused.value.findings


def test_many_unknown_names_are_reported_up_to_a_bound():
    text = repeated('bodies: {"b{i}": {mass: 1}}', 'joints: {"j{i}": {type: revolute, parent: "z{i}", child: "b{i}"}}')
    assert len(findings(text)) == MOST_PROBLEMS


def test_texts_with_variables_grow_to_a_bound():
    text = HEAD + "parameters: {t: " + "x" * 50_000 + '}\nbodies:\n  a: {mass: 1, note: "' + "{t}" * 30_000 + '"}\n'
    (found,) = findings(text)
    assert found.code == "too-large" and "characters" in found.message


def test_empty_repeats_count():
    (found,) = findings(HEAD + "repeat:\n" + "- {for: {i: 1..2000}}\n" * 100)
    assert found.code == "too-large"


@pytest.mark.parametrize("order", [1, -1])
def test_long_chains_of_parameters_are_not_circles(order):
    rows = ["  p0: 2", *(f"  p{i}: = p{i - 1}" for i in range(1, 300))][::order]
    mech = from_yaml(HEAD + "parameters:\n" + "\n".join(rows) + "\n" + ARM.replace("mass: 1", "mass: = p299"), "x.yaml")
    assert mech.bodies[0].inertia.mass == 2.0


def test_circles_of_parameters_are_named():
    (found,) = findings(HEAD + "parameters: {a: = b, b: = c, c: = b}\n" + ARM)
    assert "(b -> c -> b)" in found.message


@pytest.mark.parametrize("name", [r"\\U00110000", r"\\ud800"])
def test_characters_that_are_none(name):
    (found,) = findings('format: 1\nname: "' + name.replace("\\\\", "\\") + '"\n' + ARM)
    assert found.code == "not-text"


def test_a_pipe_is_not_a_file(tmp_path):
    if not hasattr(os, "mkfifo"):
        pytest.skip("no named pipes on this system")
    os.mkfifo(tmp_path / "x.yaml")
    with pytest.raises(FormatError, match="not a regular file"):
        read_text(tmp_path / "x.yaml")


def test_names_do_not_steer_a_terminal():
    name = "rod\x1b[31m"
    with pytest.raises(MechanismError) as refused:
        Mechanism("arm", (Body(name),), (Joint("swing", "ground", name, Revolute()),))
    assert "\x1b" not in str(refused.value)
    assert printable_text("a\x9bb\u202e") == r"a\x9bb\u202e"
    assert printable_text("line\nline") == "line\nline"


def test_titles_of_columns_are_not_formulas():
    assert column_title("=1+1", "m") == "'=1+1 [m]"
    assert column_title("x", "m") == "x [m]"


def test_suggestions_compare_a_bounded_number_of_names():
    rng = np.random.default_rng(0)
    known = ["".join(rng.choice(list("abcdef"), 60)) for _ in range(3000)]
    assert suggest_name("crnak", [*known, "crank", "crank"]) == " (did you mean 'crank'?)"
    assert suggest_name("x" * 10_000, known).startswith(" (known:")
