"""The JSON Schema knows what the reader knows."""

from importlib.resources import files

import jsonschema
import pytest

import linkwright as lw
from linkwright.formats import json_schema, to_yaml
from linkwright.formats.yaml.schema import DESCRIPTIONS, section_of
from linkwright.formats.yaml.yaml_text import read_yaml_text
from tests.formats.format_page import _ABOUT, PAGE, page
from tests.formats.test_yaml_errors import GOOD
from tests.formats.test_yaml_parameters import ONCE

NAMES = {"crank", "A", "belt", "wheel", "motor", "pull", "tip"}  # of parts in examples
CHECK = jsonschema.Draft202012Validator(json_schema())


def data(text):
    return read_yaml_text(text, "file").data


def test_the_schema_is_one():
    jsonschema.Draft202012Validator.check_schema(json_schema())


@pytest.mark.parametrize("name", lw.catalog.names())
def test_catalog_files_satisfy_it(name):
    text = files("linkwright.catalog").joinpath("data", f"{name}.yaml").read_text(encoding="utf-8")
    assert [error.message for error in CHECK.iter_errors(data(text))] == []
    assert [error.message for error in CHECK.iter_errors(data(to_yaml(lw.catalog.load(name))))] == []


def test_parameters_and_repeats_satisfy_it():
    assert [error.message for error in CHECK.iter_errors(data(ONCE))] == []
    assert [error.message for error in CHECK.iter_errors(data(GOOD))] == []


@pytest.mark.parametrize(
    "old, new",
    [
        ("format: 1", "format: 2"),
        ("name: arm", "nam: arm"),
        ("{mass: 1}", "{mas: 1}"),
        ("{mass: 1}", "{com: [1, 2]}"),
        ("type: revolute", "type: revolut"),
        ("child: link1}", "child: link1, axis: up}"),
        ("child: link1}", "child: link1, at: {xzy: [0, 0, 0]}}"),
        ("child: link1}", "}"),
        ("{joint: j1}", "{joint: 3}"),
        ("platform: tip", "platform: 12"),
    ],
)
def test_mistakes_break_it(old, new):
    assert old in GOOD
    assert not CHECK.is_valid(data(GOOD.replace(old, new)))


def test_every_key_has_a_meaning_that_editors_show():
    schema = json_schema()
    sections = [("Mechanism", schema), *((section_of(name), part) for name, part in schema["$defs"].items())]
    described = {(section, key) for section, part in sections for key in part.get("properties", {})}
    for section, part in sections:
        for key, value in part.get("properties", {}).items():
            assert value["description"] == DESCRIPTIONS[section][key]
    assert described == {(section, key) for section, keys in DESCRIPTIONS.items() for key in keys}


def test_the_reference_page_is_the_one_of_this_schema():
    assert PAGE.read_text(encoding="utf-8") == page(), "run python -m tests.formats.format_page"


@pytest.mark.parametrize("example", [example for _, example in _ABOUT.values()])
def test_examples_of_the_reference_page_use_known_keys(example):
    assert set(keys(data(example))) <= {key for section in DESCRIPTIONS.values() for key in section} | NAMES


def keys(value):
    """All keys of nested data."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield key
            yield from keys(each)
    if isinstance(value, list):
        for each in value:
            yield from keys(each)
