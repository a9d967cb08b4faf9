"""Opening and saving: the reader follows the ending, every failure is a message, a file is whole or absent."""

import logging
import os
import sys

import pytest

from linkwright import catalog
from linkwright.errors import FormatError, FormatWarning, LinkwrightError
from linkwright.formats.mechanism_files import load, read, save

URDF = """<robot name="r"><link name="a"/><link name="b"/><joint name="j" type="revolute">
<parent link="a"/><child link="b"/><limit lower="0" upper="1"/><mimic joint="k"/></joint></robot>"""


@pytest.mark.filterwarnings("ignore:.*puma-560.*link3.*no real body can:linkwright.errors.FormatWarning")
def test_saved_and_loaded(tmp_path):
    for name in catalog.names():
        save(catalog.load(name), tmp_path / f"{name}.yaml")
        assert load(str(tmp_path / f"{name}.yaml")) == catalog.load(name)
    assert sorted(p.name for p in tmp_path.iterdir()) == sorted(f"{name}.yaml" for name in catalog.names())


@pytest.mark.parametrize(
    ("name", "content", "expected"),
    [
        ("none.yaml", None, "there is no such file"),
        ("empty.yaml", b"", "the file is empty"),
        ("blank.urdf", b" \n ", "the file is empty"),
        ("binary.yaml", b"\x89PNG\x00\x01", "not a text file in UTF-8"),
        ("latin.yaml", "name: Größe".encode("latin-1"), "not a text file in UTF-8"),
        ("zeros.urdf", b"<robot>\0</robot>", "not a text file in UTF-8"),
        ("robot.xml", b"<robot/>", "the outermost element is <robot>; an MJCF file has <mujoco>"),
        ("robot.docx", b"hello", "a file ending in '.docx' is not read"),
        ("robot.yml.bak", b"hello", "a file ending in '.bak' is not read"),
        (
            "robot",
            b"hello",
            "a file ending in '' is not read (known: .yaml, .yml, .urdf, .xacro, .xml, .mjcf, .sdf, .world)",
        ),
    ],
)
def test_what_cannot_be_read_is_reported(tmp_path, name, content, expected):
    if content is not None:
        (tmp_path / name).write_bytes(content)
    with pytest.raises(FormatError) as caught:
        load(tmp_path / name)
    assert expected in str(caught.value)
    assert name in str(caught.value)


def test_a_folder_is_no_file(tmp_path):
    with pytest.raises(FormatError, match="this is a folder; name a file in it"):
        load(tmp_path)


def test_a_byte_order_mark_does_no_harm(tmp_path):
    (tmp_path / "r.urdf").write_bytes(b"\xef\xbb\xbf" + URDF.encode())
    assert read(tmp_path / "r.urdf").mechanism.names == ("b",)


def test_notes_are_logged_and_those_that_matter_warn(tmp_path, caplog):
    (tmp_path / "r.urdf").write_text(URDF)
    moves = pytest.warns(FormatWarning, match=r"r\.urdf: joint '.*it moves freely")
    with caplog.at_level(logging.INFO, logger="linkwright"), moves:
        load(tmp_path / "r.urdf")
    levels = {record.levelname: record.getMessage() for record in caplog.records}
    assert set(levels) == {"INFO"} and "gravity" in levels["INFO"]
    assert len(read(tmp_path / "r.urdf").notes) == 3


def test_mechanisms_are_written_by_the_ending_of_the_name(tmp_path):
    with pytest.raises(FormatError, match=r"end it with one of \.yaml, \.yml, \.urdf"):
        save(catalog.load("three-link-arm"), tmp_path / "arm.docx")


def test_a_folder_that_is_not_there(tmp_path):
    with pytest.raises(LinkwrightError, match="cannot be written"):
        save(catalog.load("three-link-arm"), tmp_path / "no" / "arm.yaml")


def test_a_failed_write_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "arm.yaml"
    path.write_text("old")

    def broken(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", broken)
    with pytest.raises(LinkwrightError, match="No space left on device"):
        save(catalog.load("three-link-arm"), path)
    assert path.read_text() == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["arm.yaml"]


@pytest.mark.skipif(sys.platform == "win32", reason="file modes are POSIX")
def test_a_saved_file_has_ordinary_rights(tmp_path):
    (tmp_path / "plain").write_text("")
    save(catalog.load("three-link-arm"), tmp_path / "arm.yaml")
    assert (tmp_path / "arm.yaml").stat().st_mode == (tmp_path / "plain").stat().st_mode
