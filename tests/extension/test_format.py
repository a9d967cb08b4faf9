"""The format of the page "Write your own format" works wherever one of the library does."""

import json
import re
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright import plugins
from linkwright.cli import main
from linkwright.formats import FileFormat, format_registry
from linkwright.formats.own_formats import OWN_FORMATS

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "write-your-own-format.md").read_text(encoding="utf-8")
CODE, USE = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
LINK = "swing ground rod 0 0 0 0 0 0 2.0 0.5 0 0 0.01 0.2 0.2\n"


@pytest.fixture(autouse=True)
def registered(tmp_path, monkeypatch):
    """The format of the page, for one test, in a folder of its own."""
    monkeypatch.chdir(tmp_path)
    before = dict(format_registry._REGISTERED)
    names = {"__name__": "my_format"}
    exec(CODE, names)
    yield names
    format_registry._REGISTERED.clear()
    format_registry._REGISTERED.update(before)


def run(*arguments, code=0):
    done = CliRunner().invoke(main, list(map(str, arguments)))
    assert done.exit_code == code, done.output
    return done.output


def same_efforts(one, other):
    rng = np.random.default_rng(5)
    q, v, a = rng.normal(size=(3, 20, one.nv))
    return np.allclose(one.inverse_dynamics(q, v, a), other.inverse_dynamics(q, v, a), rtol=1e-14, atol=1e-14)


def test_the_format_is_short():
    assert len(CODE.splitlines()) < 80


def test_what_is_written_is_read_back(registered):
    exec(USE, registered)
    assert {loss.severity for loss in registered["lost"]} <= {"remark"}
    assert same_efforts(registered["model"], lw.build(registered["arm"], actuated=registered["model"].actuated))


@pytest.mark.parametrize("ending", ["yaml", "mjcf", "sdf"])
def test_convert_translates_from_and_to_it(ending):
    Path("rod.links").write_text("gravity 0 -9.81 0\n" + LINK)
    written = run("convert", "rod.links", f"rod.{ending}")
    assert f"Written: rod.{ending}" in written
    run("convert", f"rod.{ending}", "back.links")
    assert same_efforts(lw.build(lw.load("rod.links")), lw.build(lw.load("back.links")))


def test_convert_lists_what_was_lost():
    text = run("convert", "four-bar", "bar.links", code=5)
    assert re.search(r"error: loop '\w+' is lost", text)
    losses = json.loads(run("convert", "four-bar", "bar.links", "--overwrite", "--json", code=5))["losses"]
    assert [each["subject"] for each in losses if each["code"] == "lost-loop"] == [
        lw.catalog.load("four-bar").loops[0].name
    ]


def test_save_warns_of_what_was_lost():
    with pytest.warns(lw.errors.FormatWarning, match="loop '.*' is lost"):
        assert "lost-loop" in {loss.code for loss in lw.save(lw.catalog.load("four-bar"), "bar.links")}


def test_info_shows_the_notes_of_the_reader():
    Path("rod.links").write_text(LINK)
    assert "all joints are driven" in run("info", "rod.links")
    about = json.loads(run("info", "rod.links", "--json"))
    assert [note["code"] for note in about["notes"]] == ["assumed"]


def test_check_lists_the_warnings_of_the_reader(registered):
    def read(source):
        imported = registered["read_links"](source)
        return replace(imported, notes=tuple(replace(note, severity="warning") for note in imported.notes))

    lw.formats.register_format(FileFormat("doubtful links", (".doubtful",), read))
    Path("rod.doubtful").write_text(LINK)
    assert "all joints are driven" in run("check", "rod.doubtful")
    with pytest.warns(lw.errors.FormatWarning, match="all joints are driven"):
        lw.load("rod.doubtful")


def test_a_bad_line_is_a_bad_file():
    Path("bad.links").write_text(LINK + "swing ground rod 0 0 x\n")
    assert "bad.links:2: 'swing ground rod 0 0 x' is not a link" in run("info", "bad.links", code=3)
    assert "bad.links:2:" in run("check", "bad.links", code=3)


def test_messages_name_its_suffix():
    Path("robot.docx").write_text("hello")
    with pytest.raises(lw.errors.FormatError, match=r"known: .*\.yaml, .*\.sdf.*\.links"):
        lw.load("robot.docx")
    with pytest.raises(lw.errors.FormatError, match=r"end it with one of \.yaml.*\.links"):
        lw.save(lw.catalog.load("four-bar"), "robot.docx")
    run("identify", "three-link-arm", "data.csv", "--save-mechanism", "arm.docx", code=2)


def test_dialects_parameters_and_empty_files_are_refused_as_in_other_formats():
    Path("rod.links").write_text(LINK)
    Path("none.links").write_text("\n")
    with pytest.raises(lw.errors.ArgumentError, match="only URDF and SDF have dialects"):
        lw.save(lw.load("rod.links"), "other.links", dialect="plus")
    with pytest.raises(lw.errors.ArgumentError, match="only YAML files have parameters"):
        lw.load("rod.links", {"mass": 2.0})
    with pytest.raises(lw.errors.FormatError, match="the file is empty"):
        lw.load("none.links")
    assert lw.load("rod.links", {"bodies.rod.mass": "3 kg"}).bodies[0].inertia.mass == 3.0


def test_a_shared_suffix_is_decided_by_the_text(registered):
    one = {"read": registered["read_links"], "write": registered["write_links"]}
    with pytest.raises(lw.errors.ArgumentError, match="suffix of MJCF too"):
        lw.formats.register_format(FileFormat("links in xml", (".xml",), **one))
    shared = FileFormat("links in xml", (".xml",), **one, recognize=lambda text: text.startswith("gravity"))
    lw.formats.register_format(shared)
    Path("rod.xml").write_text("gravity 0 -9.81 0\n" + LINK)
    assert lw.load("rod.xml").names == ("rod",)
    run("convert", "rod.xml", "rod.xml", "--overwrite")
    assert "<mujoco" in Path("rod.xml").read_text() and lw.load("rod.xml").names == ("rod",)


def test_files_beside_it_are_replaced_only_where_it_says_so(registered):
    write, arm = lambda mech, path: lw.formats.Written("text", {".extra": "more"}), lw.catalog.load("three-link-arm")
    lw.formats.register_format(FileFormat("two files", (".two",), write=write))
    lw.save(arm, "arm.two")
    assert Path("arm.extra").read_text() == "more"
    with pytest.raises(lw.errors.FormatError, match="is not replaced"):
        lw.save(arm, "arm.two")
    lw.formats.register_format(FileFormat("two files", (".two",), write=write, is_replaceable=lambda path: True))
    lw.save(arm, "arm.two")
    with pytest.raises(lw.errors.FormatError, match="is not read"):
        lw.load("arm.two")


def test_what_is_no_format_is_refused():
    for bad, text in (
        (FileFormat("x", (), write=print), "suffixes"),
        (FileFormat("x", ("x",), write=print), "suffixes"),
        (FileFormat("x", (".x",)), "neither reads nor writes"),
        (FileFormat("URDF", (".x",), write=print), "a format of the library"),
        ("x", "FileFormat"),
    ):
        with pytest.raises(lw.errors.ArgumentError, match=text):
            lw.formats.register_format(bad)


def test_the_library_has_one_record_per_format():
    assert [each.name for each in OWN_FORMATS] == ["YAML", "URDF", "xacro", "MJCF", "SDF"]
    suffixes = [suffix for each in OWN_FORMATS for suffix in each.suffixes]
    assert len(suffixes) == len(set(suffixes)) and all(each.beginning for each in OWN_FORMATS)


def test_entry_points_are_loaded(tmp_path, monkeypatch):
    format_registry._REGISTERED.clear()
    (tmp_path / "links_plugin.py").write_text(CODE, encoding="utf-8")
    monkeypatch.syspath_prepend(tmp_path)
    entry = EntryPoint("mine", "links_plugin", "linkwright.formats")
    monkeypatch.setattr(plugins, "_installed_entry_points", lambda: (entry,))
    plugins.load_plugins.cache_clear()
    try:
        Path("rod.links").write_text(LINK)
        assert lw.load("rod.links").names == ("rod",)
    finally:
        plugins.load_plugins.cache_clear()
