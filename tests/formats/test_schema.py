"""The JSON Schema knows what the reader knows."""

from importlib.resources import files

import jsonschema
import pytest

import linkwright as lw
from linkwright.formats import json_schema, to_yaml
from linkwright.formats.yaml.text import read
from tests.formats.test_yaml_errors import GOOD
from tests.formats.test_yaml_parameters import ONCE

CHECK = jsonschema.Draft202012Validator(json_schema())


def data(text):
    return read(text, "file").data


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
