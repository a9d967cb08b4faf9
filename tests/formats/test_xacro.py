"""Xacro by the extra: the same mechanism as the URDF it expands to."""

import sys

import pytest

from linkwright.errors import FormatError
from linkwright.formats import from_urdf, read

TEXT = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="m" value="2"/>
<link name="a"/><xacro:macro name="rod" params="name parent">
<link name="${name}"><inertial><mass value="${m * 1.5}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j_${name}" type="continuous"><parent link="${parent}"/><child link="${name}"/><axis xyz="0 0 1"/></joint>
</xacro:macro><xacro:rod name="b" parent="a"/></robot>"""


def test_a_xacro_file_is_the_urdf_it_expands_to(tmp_path):
    pytest.importorskip("xacrodoc", reason="xacrodoc is not installed")
    (tmp_path / "r.xacro").write_text(TEXT)
    moments = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    link = f'<link name="b"><inertial><mass value="3"/>{moments}</inertial></link>'
    joint = '<joint name="j_b" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
    plain = from_urdf(f'<robot name="r"><link name="a"/>{link}{joint}</robot>').mechanism
    assert read(tmp_path / "r.xacro").mechanism == plain


def test_mistakes_of_xacro_are_named(tmp_path):
    pytest.importorskip("xacrodoc", reason="xacrodoc is not installed")
    (tmp_path / "r.xacro").write_text(TEXT.replace("m * 1.5", "unknown * 1.5"))
    with pytest.raises(FormatError, match="xacro does not accept the file"):
        read(tmp_path / "r.xacro")


def test_without_the_package_the_way_out_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacrodoc", None)
    (tmp_path / "r.xacro").write_text(TEXT)
    with pytest.raises(FormatError, match=r"pip install .\.\[xacro\]"):
        read(tmp_path / "r.xacro")
