"""Xacro by the extra: the same mechanism as the URDF it expands to."""

import sys

import pytest

from linkwright.errors import ArgumentError, FormatError
from linkwright.formats import from_urdf, read

TEXT = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:property name="m" value="2"/>
<link name="a"/><xacro:macro name="rod" params="name parent">
<link name="${name}"><inertial><mass value="${m * 1.5}"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="j_${name}" type="continuous"><parent link="${parent}"/><child link="${name}"/><axis xyz="0 0 1"/></joint>
</xacro:macro><xacro:rod name="b" parent="a"/></robot>"""


def test_a_xacro_file_is_the_urdf_it_expands_to(tmp_path):
    pytest.importorskip("xacro", reason="xacro is not installed")
    (tmp_path / "r.xacro").write_text(TEXT)
    moments = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    link = f'<link name="b"><inertial><mass value="3"/>{moments}</inertial></link>'
    joint = '<joint name="j_b" type="continuous"><parent link="a"/><child link="b"/><axis xyz="0 0 1"/></joint>'
    plain = from_urdf(f'<robot name="r"><link name="a"/>{link}{joint}</robot>').mechanism
    assert read(tmp_path / "r.xacro").mechanism == plain


def test_mistakes_of_xacro_are_named(tmp_path):
    pytest.importorskip("xacro", reason="xacro is not installed")
    (tmp_path / "r.xacro").write_text(TEXT.replace("m * 1.5", "unknown * 1.5"))
    with pytest.raises(FormatError, match="xacro does not accept the file"):
        read(tmp_path / "r.xacro")


def test_without_the_package_the_way_out_is_named(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "xacro", None)
    (tmp_path / "r.xacro").write_text(TEXT)
    with pytest.raises(FormatError, match=r"pip install .\.\[xacro\]"):
        read(tmp_path / "r.xacro")


PACKAGE = """<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:macro name="rod" params="m">
<link name="a"/><link name="b"><inertial><mass value="${m}"/><inertia ixx="1" iyy="1" izz="1"/></inertial></link>
<joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint></xacro:macro></robot>"""
ROBOT = """<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:arg name="m" default="1"/>
<xacro:include filename="$(find parts)/urdf/rod.xacro"/><xacro:rod m="$(arg m)"/></robot>"""


@pytest.fixture
def workspace(tmp_path):
    """A folder with a robot, and another with the package that its robot includes a part of, two folders deep."""
    pytest.importorskip("xacro", reason="xacro is not installed")
    (tmp_path / "own").mkdir()
    (tmp_path / "own" / "r.xacro").write_text(ROBOT)
    package = tmp_path / "src" / "stack" / "parts_of_mine"
    (package / "urdf").mkdir(parents=True)
    (package / "package.xml").write_text("<package><name>parts</name></package>")
    (package / "urdf" / "rod.xacro").write_text(PACKAGE)
    return tmp_path


def test_packages_are_found_at_any_depth_below_folders(workspace):
    mech = read(workspace / "own" / "r.xacro", folders=[workspace / "src"]).mechanism
    assert mech.bodies[0].inertia.mass == 1.0


def test_a_package_that_is_not_found_is_named_with_the_way_out(workspace):
    with pytest.raises(FormatError, match=r"package 'parts' is not found; .*folders=\[.*--folder"):
        read(workspace / "own" / "r.xacro")


def test_packages_on_the_paths_of_ros_are_found(workspace, monkeypatch):
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(workspace / "src" / "stack"))
    assert read(workspace / "own" / "r.xacro").mechanism.name == "r"


def test_arguments_of_a_file_are_given_by_name(workspace):
    mech = read(workspace / "own" / "r.xacro", None, [workspace / "src"], {"m": 2.5}).mechanism
    assert mech.bodies[0].inertia.mass == 2.5
    (workspace / "own" / "r.xacro").write_text(ROBOT.replace('<xacro:arg name="m" default="1"/>', ""))
    with pytest.raises(FormatError, match=r"argument 'm' has no value; .*--xacro-arg m="):
        read(workspace / "own" / "r.xacro", folders=[workspace / "src"])


def test_only_xacro_files_have_arguments(tmp_path):
    (tmp_path / "r.urdf").write_text("<robot/>")
    with pytest.raises(ArgumentError, match="only xacro files have arguments; leave out m"):
        read(tmp_path / "r.urdf", xacro_args={"m": 1})


def test_relative_includes_start_at_the_file_that_names_them(workspace):
    (workspace / "own" / "more" / "deep").mkdir(parents=True)
    (workspace / "own" / "more" / "deep" / "rod.xacro").write_text(PACKAGE)
    inner = '<robot xmlns:xacro="http://www.ros.org/wiki/xacro"><xacro:include filename="deep/rod.xacro"/></robot>'
    (workspace / "own" / "more" / "inner.xacro").write_text(inner)
    (workspace / "own" / "r.xacro").write_text(ROBOT.replace("$(find parts)/urdf/rod.xacro", "more/inner.xacro"))
    assert read(workspace / "own" / "r.xacro").mechanism.bodies[0].inertia.mass == 1.0


@pytest.mark.parametrize(
    "text, subject",
    [
        ('<xacro:include filename="../src/stack/parts_of_mine/urdf/rod.xacro"/><xacro:rod m="1"/>', "rod.xacro"),
        ('<xacro:property name="x" value="${load_yaml(\'/etc/passwd\')}"/><link name="${x}"/>', "/etc/passwd"),
    ],
)
def test_files_outside_the_folders_are_not_opened(workspace, text, subject):
    robot = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    (workspace / "own" / "r.xacro").write_text(f"{robot}{text}</robot>")
    with pytest.raises(FormatError, match=rf"{subject}', which is not below the model's folder.*--folder"):
        read(workspace / "own" / "r.xacro")


def test_expressions_reach_nothing_outside(workspace):
    """What expressions of xacro are known to reach through attributes of Python's objects cannot run programs."""
    escape = "${[].__class__.__base__.__subclasses__()}"
    robot = '<robot name="r" xmlns:xacro="http://www.ros.org/wiki/xacro">'
    (workspace / "own" / "r.xacro").write_text(f'{robot}<link name="{escape}"/></robot>')
    with pytest.raises(FormatError, match="xacro"):
        read(workspace / "own" / "r.xacro")
