"""Files that try to run code, read other files, or exhaust time and memory are refused quickly."""

import time

import pytest

from linkwright.errors import FormatError
from linkwright.formats import from_mjcf, from_sdf, from_urdf, from_yaml, read

SELF = '<sdf version="1.9"><model name="m"><include><name>x</name><uri>{}</uri></include></model></sdf>'


def bomb(levels=9):
    lines = ["a: &a [x, x, x, x, x, x, x, x, x]"]
    for i in range(levels):
        old, new = chr(97 + i), chr(98 + i)
        lines.append(f"{new}: &{new} [{', '.join(['*' + old] * 9)}]")
    return "\n".join(lines)


YAML = {
    "alias bomb": (bomb(), "aliases (*) unfold"),
    "list in itself": ("a: &a [*a]", "refers to itself"),
    "alias of nothing": ("a: *b", "refers to nothing"),
    "deep lists": ("[" * 100_000, "nested more than"),
    "deep maps": ("{a: " * 50_000, "nested more than"),
    "deep blocks": ("- " * 100_000, "nested more than"),
    "huge": ("a: b\n" * 60_000, "characters and at most"),
    "many values": ("- - - -\n" * 30_000, "more than 40000 values"),
    "python tag": ("a: !!python/object/apply:os.system [ls]", "the tag '!!python/object/apply:os.system' is not read"),
    "own tag": ("a: !include other.yaml", "the tag '!include' is not read"),
    "two documents": ("a: 1\n---\nb: 2", "a second document"),
    "control characters": ("a: \x01", "characters that are not text"),
    "long number": ("format: " + "9" * 100_000, "format"),
    "long exponent": ("format: 1\nname: x\ngravity: [0, 0, 1e999999999]", "not a finite number"),
    "long quantity": ("format: 1\nname: x\ngravity: [0, 0, '1" + "0" * 10_000 + " m/s^2']", "not a quantity"),
    "long unit": ("format: 1\nname: x\ngravity: [0, 0, '1 m^9 m^9 m^9 m^9']", "another quantity"),
}


@pytest.mark.parametrize("name", YAML)
def test_yaml(name):
    text, expected = YAML[name]
    refused_quickly(from_yaml, text, expected)


LAUGHS = '<!DOCTYPE lolz [<!ENTITY l "lol"><!ENTITY m "&l;&l;&l;&l;&l;&l;&l;&l;">]><robot name="&m;"/>'
URDF = {
    "entity bomb": (LAUGHS, "<!DOCTYPE, <!ENTITY) are not read"),
    "external entity": ('<!DOCTYPE r [<!ENTITY x SYSTEM "file:///etc/passwd">]><robot name="r">&x;</robot>', "DOCTYPE"),
    "external document type": ('<!DOCTYPE r SYSTEM "http://example.invalid/r.dtd"><robot name="r"/>', "DOCTYPE"),
    "deep": ("<a>" * 100_000, "nested more than"),
    "huge": ("<robot>" + " " * (9 * 1024 * 1024) + "</robot>", "characters and at most"),
    "many": ("<robot>" + "<link/>" * 250_000 + "</robot>", "elements"),
    "many open comments": ("<robot>" + "<!--" * 2_000_000, "not valid XML"),
    "unclosed": ("<robot><link></robot>", "not valid XML: mismatched tag"),
    "unknown entity": ('<robot name="&boom;"/>', "not valid XML: undefined entity"),
    "not XML": ("format: 1", "not valid XML"),
    "another XML": ("<mujoco/>", "the outermost element is <mujoco>"),
}


@pytest.mark.parametrize("name", URDF)
def test_urdf(name):
    text, expected = URDF[name]
    refused_quickly(from_urdf, text, expected)


def refused_quickly(read, text, expected):
    begun = time.process_time()
    with pytest.raises(FormatError) as caught:
        read(text, "bad")
    assert expected in str(caught.value)
    assert len(str(caught.value)) < 10_000
    assert time.process_time() - begun < 5.0


CIRCLE = {
    "mjcf that includes itself": ("a.xml", '<mujoco><include file="a.xml"/></mujoco>', "is included twice"),
    "mjcf in a circle": ("b.xml", '<mujoco><include file="c.xml"/></mujoco>', "is included twice"),
    "sdf that includes itself": ("d.sdf", SELF.format("d.sdf"), "nested more than 8 deep"),
    "sdf in a circle": ("e.sdf", SELF.format("f.sdf"), "nested more than 8 deep"),
    "mjcf above its folder": ("a.xml", '<mujoco><include file="../a.xml"/></mujoco>', "not a file below"),
    "sdf above its folder": ("a.sdf", SELF.format("file:///etc/passwd"), "not a file below"),
}
OTHERS = {"c.xml": '<mujoco><include file="b.xml"/></mujoco>', "f.sdf": SELF.format("e.sdf")}


@pytest.mark.parametrize("name", CIRCLE)
def test_includes_end(tmp_path, name):
    file, text, expected = CIRCLE[name]
    for other, content in {**OTHERS, file: text}.items():
        (tmp_path / other).write_text(content)
    begun = time.process_time()
    with pytest.raises(FormatError, match=expected):
        read(tmp_path / file)
    assert time.process_time() - begun < 5.0


@pytest.mark.parametrize("reader", [from_mjcf, from_sdf])
@pytest.mark.parametrize("name", ["entity bomb", "external entity", "external document type", "deep", "huge", "many"])
def test_other_xml_is_bounded_too(reader, name):
    refused_quickly(reader, URDF[name][0], URDF[name][1])


def test_numbers_beyond_all_measure_are_refused():
    text = '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1e999"/></inertial></link>{}</robot>'
    joint = '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint>'
    refused_quickly(from_urdf, text.format(joint), "is not a finite number")
