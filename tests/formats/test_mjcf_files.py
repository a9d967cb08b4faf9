"""MJCF models in folders: includes, meshes, tendons, keyframes; and what a file must not be able to do."""

import contextlib
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError
from linkwright.formats import from_mjcf, read

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

CUBE = "".join(f"v {x} {y} {z}\n" for x in (0, 0.1) for y in (0, 0.2) for z in (0, 0.3)) + (
    "f 1 2 4\nf 1 4 3\nf 5 7 8\nf 5 8 6\nf 1 5 6\nf 1 6 2\nf 3 4 8\nf 3 8 7\nf 1 3 7\nf 1 7 5\nf 2 6 8\nf 2 8 4\n"
)
MAIN = """<mujoco model="whole"><compiler meshdir="shapes"/>
<asset><texture name="t" type="2d" file="paint.png"/><material name="paint" texture="t" rgba="1 0 0 1"/></asset>
<include file="parts/arm.xml"/>
<worldbody><body name="ball"><freejoint/><geom size="0.1" material="paint"/></body></worldbody>
<sensor><jointpos joint="j"/></sensor><contact><exclude body1="arm" body2="ball"/></contact></mujoco>"""
ARM = """<mujocoinclude><asset><mesh file="cube.obj"/><mesh name="looks" file="looks.stl"/></asset>
<worldbody><body name="arm"><joint name="j"/><geom type="mesh" mesh="cube"/>
<body name="tip"><joint name="k" axis="1 0 0"/><inertial pos="0 0 0.1" mass="2" diaginertia="1 1 1"/>
<geom type="mesh" mesh="looks"/></body></body></worldbody></mujocoinclude>"""


def folder(tmp_path, main=MAIN, arm=ARM, cube=CUBE):
    for name in ("parts", "shapes"):
        (tmp_path / name).mkdir()
    (tmp_path / "main.xml").write_text(main)
    (tmp_path / "parts/arm.xml").write_text(arm)
    (tmp_path / "shapes/cube.obj").write_text(cube)
    return tmp_path / "main.xml"


def test_includes_materials_and_masses_of_meshes(tmp_path):
    imported = read(folder(tmp_path))
    assert not [note for note in imported.notes if note.matters]
    bodies = {body.name: body for body in imported.mechanism.bodies}
    assert bodies["arm"].inertia.mass == pytest.approx(1000 * 0.1 * 0.2 * 0.3)
    assert bodies["arm"].inertia.com == pytest.approx((0.05, 0.1, 0.15))
    assert bodies["tip"].inertia.mass == 2.0
    assert bodies["ball"].shapes[0].color == "#ff0000"
    notes = [str(note) for note in imported.notes]
    for tag in ("texture", "sensor", "contact"):
        assert sum(f"<{tag}>" in text for text in notes) == 1


def test_a_missing_mesh_without_weight_stops_nothing_and_one_with_weight_is_named(tmp_path):
    path = folder(tmp_path)
    (tmp_path / "shapes/cube.obj").unlink()
    with pytest.raises(FormatError, match="the mass of body 'arm' comes from meshes"):
        read(path)


@pytest.mark.parametrize(
    "name, message",
    [
        ("../outside.xml", "is not a file below the model's folder"),
        ("/etc/hostname", "is not a file below the model's folder"),
        ("link.xml", "is not a file below the model's folder"),
        ("pipe.xml", "is not a file below the model's folder"),
        ("main.xml", "is included twice"),
        ("none.xml", "is not a file below the model's folder"),
    ],
)
def test_includes_stay_in_the_folder(tmp_path, name, message):
    inside = tmp_path / "robot"
    inside.mkdir()
    (tmp_path / "outside.xml").write_text("<mujocoinclude/>")
    (inside / "link.xml").symlink_to(tmp_path / "outside.xml")
    if hasattr(os, "mkfifo"):
        os.mkfifo(inside / "pipe.xml")
    path = inside / "main.xml"
    path.write_text(f'<mujoco><Include file="{name}"/></mujoco>')
    with pytest.raises(FormatError, match=message):
        read(path)


@pytest.mark.parametrize(
    "inside",
    [
        '<asset><model name="m" file="{secret}"/></asset>',
        '<worldbody><flexcomp name="f" type="gmsh" file="{secret}"/></worldbody>',
        '<asset><mesh name="m" file="{secret}"/></asset><worldbody><body><joint/><geom mesh="m"/></body></worldbody>',
        '<asset><hfield name="h" file="{secret}"/><texture name="x" file="{secret}" type="2d"/></asset>',
        '<extension><plugin plugin="mujoco.sdf.bowl"/></extension>',
        '<deformable><skin name="s" file="{secret}"/></deformable>',
    ],
)
def test_no_other_file_reaches_mujoco(tmp_path, inside, monkeypatch):
    """Whatever names a file outside is not in the text that MuJoCo parses."""
    seen = []
    parse = mujoco.MjSpec.from_string
    monkeypatch.setattr(mujoco.MjSpec, "from_string", lambda text, **more: seen.append(text) or parse(text, **more))
    (tmp_path / "robot").mkdir()
    secret = tmp_path / "secret.obj"
    secret.write_text(CUBE)
    path = tmp_path / "robot/main.xml"
    base = '<worldbody><body name="b"><joint/><geom size="1"/></body></worldbody>'
    path.write_text(f"<mujoco>{base}{inside.format(secret=secret)}</mujoco>")
    monkeypatch.chdir(tmp_path)
    with contextlib.suppress(FormatError):
        read(path)
    assert seen and not any("secret" in text or "plugin" in text for text in seen)
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


def test_copies_are_bounded():
    inside = '<body><joint/><geom size="1"/></body>'
    for _ in range(5):
        inside = f'<replicate count="99">{inside}</replicate>'
    with pytest.raises(FormatError, match="more than 10000 elements"):
        from_mjcf(f"<mujoco><worldbody>{inside}</worldbody></mujoco>")


CHAIN = """<mujoco><compiler angle="radian" autolimits="true"/><worldbody>
<body name="a"><joint name="j1" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/>
<site name="s" pos="0.3 0 0.1"/>
<body name="b" pos="0.3 0 0"><joint name="j2" axis="0 1 0"/><geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/>
<body name="c" pos="0.3 0 0"><joint name="j3" type="slide" axis="1 0 0" pos="0.1 0 0"/>
<geom type="capsule" size="0.02" fromto="0 0 0 0.3 0 0"/><site name="e" pos="0.1 0 0.2"/></body></body></body>
<site name="w" pos="0 0 0.5"/></worldbody>{}</mujoco>"""


def test_an_equality_of_one_joint_holds_it():
    """The mechanism with a held joint is the one drawn with the joint at that value."""
    held = from_mjcf(CHAIN.format('<equality><joint joint1="j2" polycoef="0.7 0 0 0 0"/></equality>'))
    assert not [note for note in held.notes if note.matters]
    free, fixed = lw.build(from_mjcf(CHAIN.format("")).mechanism), lw.build(held.mechanism)
    assert fixed.q_names == ("j1", "j3")
    M = free.mass_matrix(np.array([0.3, 0.7, 0.1]))
    assert fixed.mass_matrix(np.array([0.3, 0.1])) == pytest.approx(M[np.ix_([0, 2], [0, 2])], rel=1e-12)


def test_straight_tendons_are_struts_and_act_as_mujocos():
    text = CHAIN.format(
        '<tendon><spatial name="pull" stiffness="40" damping="3" springlength="0.2"><site site="w"/><site site="e"/>'
        '</spatial><spatial name="other" stiffness="9"><site site="s"/><site site="e"/></spatial></tendon>'
    )
    imported, peer = from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    assert not [note for note in imported.notes if note.matters]
    assert [strut.name for strut in imported.mechanism.forces] == ["pull", "other"]
    ours, data = lw.build(imported.mechanism), mujoco.MjData(peer)
    data.qpos, data.qvel = [0.4, -0.3, 0.05], [1.0, -2.0, 0.7]
    mujoco.mj_forward(peer, data)
    h = ours.bias_forces(np.array(data.qpos), np.array(data.qvel))
    assert h == pytest.approx(data.qfrc_bias - data.qfrc_passive, rel=1e-10)


def test_a_bent_tendon_with_force_is_reported():
    text = CHAIN.format(
        '<tendon><spatial name="bent" stiffness="4"><site site="w"/><site site="s"/><site site="e"/></spatial></tendon>'
    )
    notes = [str(note) for note in from_mjcf(text).notes if note.matters]
    assert len(notes) == 1 and "the stiffness of tendon 'bent' is dropped" in notes[0]


def test_a_tendon_equality_couples_its_joints():
    text = CHAIN.format(
        '<tendon><fixed name="f"><joint joint="j1" coef="2"/><joint joint="j2" coef="-1"/></fixed></tendon>'
        '<equality><tendon tendon1="f" polycoef="0.1 0 0 0 0"/></equality>'
        '<actuator><motor name="m" tendon="f" gear="3"/></actuator>'
    )
    imported = from_mjcf(text)
    coupling = imported.mechanism.couplings[0]
    assert (coupling.terms, coupling.offset) == ((("j1", 2.0), ("j2", -1.0)), 0.1)
    assert not imported.mechanism.actuators  # the tendon's length is held: its force does no work


def test_an_actuator_of_a_tendon_drives_the_joint_that_the_others_follow():
    """j2 = 2 j1: the tendon 3 j1 + 0.5 j2 moves with 4 j1, and its force works with that factor times its gear."""
    text = CHAIN.format(
        '<tendon><fixed name="f"><joint joint="j1" coef="3"/><joint joint="j2" coef="0.5"/></fixed></tendon>'
        '<equality><joint joint1="j2" joint2="j1" polycoef="0 2 0 0 0"/></equality>'
        '<actuator><motor name="m" tendon="f" gear="5" forcerange="-2 2"/></actuator>'
    )
    (actuator,) = from_mjcf(text).mechanism.actuators
    assert (actuator.name, actuator.joint, actuator.gear, actuator.effort) == ("m", "j1", 20.0, 40.0)


def test_several_actuators_of_a_joint_are_one_input():
    text = CHAIN.format(
        '<actuator><position name="p" joint="j1" forcerange="-3 3"/><velocity name="v" joint="j1" forcerange="-1 1"/>'
        "</actuator>"
    )
    (actuator,) = from_mjcf(text).mechanism.actuators
    assert (actuator.name, actuator.effort) == ("p", 4.0)


def test_the_home_keyframe_is_the_home():
    keys = '<keyframe><key name="other" qpos="1 1 1"/><key name="home" qpos="0.5 0 0.1" ctrl=""/></keyframe>'
    assert from_mjcf(CHAIN.format(keys)).mechanism.home == (("j1", (0.5,)), ("j3", (0.1,)))


def test_only_listed_attributes_reach_mujoco_and_others_are_named_with_their_line(monkeypatch):
    seen = []
    parse = mujoco.MjSpec.from_string
    monkeypatch.setattr(mujoco.MjSpec, "from_string", lambda text, **more: seen.append(text) or parse(text, **more))
    imported = from_mjcf(
        """<mujoco><compiler savecompiled="true" usethread="false"/><worldbody>
        <body name="b" user="1 2 3"><joint solreflimit="0.1 1"
          wobble="3"/><geom size="1" friction="1 0 0"/></body></worldbody></mujoco>"""
    )
    assert not any(word in seen[0] for word in ("savecompiled", "usethread", "user", "wobble", "solref", "friction"))
    (note,) = [note for note in imported.notes if note.code == "unknown-attribute"]
    assert (note.value, note.subject, note.severity, note.line) == ("wobble", "joint", "warning", 2)


def test_an_unknown_element_is_named_with_its_line():
    text = '<mujoco><worldbody><body><joint/><geom size="1"/>\n\n<magnet/></body></worldbody></mujoco>'
    (note,) = [note for note in from_mjcf(text).notes if note.code == "unknown-tag"]
    assert (note.subject, note.severity, note.line) == ("magnet", "error", 3)


@pytest.mark.parametrize(
    "inside, message",
    [
        ("<body><joint/></body>" * 2001, "more than 2000 bodies"),
        (
            '<body><joint name="j"/></body></worldbody><actuator><motor joint="j" nsample="1000000"/></actuator>',
            "nsample",
        ),
        (
            '<body><joint name="j"/></body></worldbody><actuator><general joint="j" actdim="99999999"/></actuator>',
            "actdim",
        ),
    ],
)
def test_sizes_are_bounded_before_mujoco_sees_them(inside, message, monkeypatch):
    monkeypatch.setattr(mujoco.MjSpec, "from_string", lambda text, **more: pytest.fail("MuJoCo was asked"))
    end = "" if "</worldbody>" in inside else "</worldbody>"
    with pytest.raises(FormatError, match=message):
        from_mjcf(f"<mujoco><worldbody>{inside}{end}</mujoco>")


def test_memory_that_a_file_asks_for_is_not_given():
    """<size> with memory, constraints and user data, and height fields, are left out."""
    text = """<mujoco><size memory="9999G" nuserdata="2000000000" nuser_body="100000000"/>
    <asset><hfield name="h" nrow="99999" ncol="99999" size="1 1 1 1"/></asset><worldbody>
    <body><joint/><geom size="1"/></body></worldbody></mujoco>"""
    assert from_mjcf(text).mechanism.bodies[0].inertia.mass > 0.0


def test_large_meshes_compile_in_a_process_of_their_own(tmp_path, monkeypatch):
    """The same model and drawing as here; limits and refusals come back as messages."""
    from linkwright.formats.mjcf import model_compiler

    (tmp_path / "cube.obj").write_text(CUBE)
    inside = '<joint/><geom type="mesh" mesh="cube" pos="1 2 3"/>'
    asset = '<asset><mesh file="cube.obj" scale="2 1 1"/></asset>'
    (tmp_path / "m.xml").write_text(f"<mujoco>{asset}<worldbody><body>{inside}</body></worldbody></mujoco>")
    here = read(tmp_path / "m.xml")
    monkeypatch.setattr(model_compiler, "SMALL", 10)
    there = read(tmp_path / "m.xml")
    assert there == here and there.mechanism.bodies[0].inertia.mass > 0.0
    (tmp_path / "cube.obj").write_text("v 1 2 3\nf 1 1 1\n")
    with pytest.raises(FormatError, match="MuJoCo does not accept the model"):
        read(tmp_path / "m.xml")
    monkeypatch.setattr(model_compiler, "MOST_SECONDS", 1e-3)
    with pytest.raises(FormatError, match=r"takes more than 0\.001 s"):
        read(tmp_path / "m.xml")


def test_the_compiler_of_large_models_runs_without_the_library():
    """It is a script in an isolated process, which may not find the library."""
    from linkwright.formats.mjcf import model_compiler

    text = "<mujoco><worldbody><body><joint/><geom size='1'/></body></worldbody></mujoco>"
    given, script = json.dumps({"text": text, "meshes": {}}), Path(model_compiler.__file__).read_text(encoding="utf-8")
    assert "from linkwright" not in script and "import linkwright" not in script
    command = [sys.executable, "-I", model_compiler.__file__]
    done = subprocess.run(command, input=given.encode(), capture_output=True, check=True)
    assert set(json.loads(done.stdout.partition(b"\n")[0])) == {"drawn", "emptied", "fields", "hidden"}
