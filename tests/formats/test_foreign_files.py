"""Files as other people write them are read as their own tools read them; what was changed or left out is listed."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError
from linkwright.findings import Finding, merge_similar_findings
from linkwright.formats import from_mjcf, from_sdf, from_urdf, read
from linkwright.joints import Floating, Universal
from linkwright.mechanism.shapes import Plate
from tests.codes import CODES

MASS = '<mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'


def urdf(joint="", inertial=MASS, more=""):
    return (
        f'<robot name="r"><link name="a"/><link name="b"><inertial>{inertial}</inertial></link>{more}'
        f'<joint name="j" type="revolute"><parent link="a"/><child link="b"/>{joint}</joint></robot>'
    )


def notes_with_code(imported, code):
    return [note for note in imported.notes if note.code == code]


# --- URDF -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("before", ["\n\n ", "<!-- made by a tool -->\n"])
def test_lines_before_the_declaration_are_allowed_and_counted(before):
    with pytest.raises(FormatError) as caught:
        from_urdf(f'{before}<?xml version="1.0"?>\n<robot name="r"><link/></robot>')
    assert caught.value.findings[0].line == before.count("\n") + 2


def test_end_tags_behind_the_root_are_not_looked_at():
    assert len(from_urdf(urdf() + "\n  </robot>\n").mechanism.bodies) == 1
    for more in ("<robot/>", "<link></robot>", "text"):
        with pytest.raises(FormatError, match="not valid XML"):
            from_urdf(urdf() + more)


def test_a_space_behind_a_number_is_read_and_listed():
    imported = from_urdf(urdf(inertial=MASS.replace('ixz="0"', 'ixz="1e-3\n"')))
    assert imported.mechanism.bodies[0].inertia.tensor[0][2] == 1e-3
    (note,) = notes_with_code(imported, "bad-value")
    assert 'ixz="1e-3"' in note.fix and note.matters


def test_a_link_without_a_mass_in_its_inertial_weighs_nothing():
    imported = from_urdf(urdf(inertial='<density value="500"/>'))
    assert imported.mechanism.bodies[0].inertia.mass == 0.0
    (note,) = notes_with_code(imported, "dropped-mass")
    assert note.severity == "error" and note.fix == 'add <mass value="..."/>'


def test_a_file_in_latin_1_is_read(tmp_path):
    (tmp_path / "r.urdf").write_bytes(urdf().replace("<robot", "<!-- \xe9t\xe9 --><robot").encode("latin-1"))
    assert len(read(tmp_path / "r.urdf").mechanism.bodies) == 1


def test_crossed_limits_are_no_limits_and_the_other_order_is_shown():
    imported = from_urdf(urdf('<limit lower="2" upper="-1" effort="3" velocity="inf"/>'))
    (joint,) = imported.mechanism.joints
    assert (joint.limits.lower, joint.limits.effort, joint.limits.speed) == ((), (3.0,), ())
    (note,) = notes_with_code(imported, "crossed-limits")
    assert 'lower="-1" upper="2"' in note.fix and note.matters and note.line == 1


@pytest.mark.parametrize("limit", ['lower="-inf" upper="inf"', 'lower="-Infinity" upper="+inf"'])
def test_endless_limits_are_no_limits(limit):
    assert not from_urdf(urdf(f"<limit {limit}/>")).mechanism.joints[0].limits.lower


def test_limits_of_a_continuous_joint_are_listed():
    imported = from_urdf(urdf('<limit lower="-1" upper="1"/>').replace("revolute", "continuous"))
    assert not imported.mechanism.joints[0].limits.lower
    assert "continuous" in notes_with_code(imported, "dropped-limit")[0].message


def test_the_world_needs_no_link():
    mech = from_urdf(urdf().replace('<link name="a"/>', "").replace('link="a"', 'link="world"')).mechanism
    assert mech.base == "world" and [body.name for body in mech.bodies] == ["b"]


def test_further_roots_float_freely():
    imported = from_urdf(urdf(more=f'<link name="c"><inertial>{MASS}</inertial></link>'))
    kinds = {joint.child: joint.kind for joint in imported.mechanism.joints}
    assert imported.mechanism.base == "world" and kinds["a"] == kinds["c"] == Floating()
    assert "c_fixed" not in kinds and "<joint" in notes_with_code(imported, "several-roots")[0].fix


@pytest.mark.parametrize("inertial", ["", f"<inertial>{MASS}</inertial>"])
def test_a_robot_of_one_link_floats(inertial):
    mech = from_urdf(f'<robot name="r"><link name="a">{inertial}</link></robot>').mechanism
    assert [joint.kind for joint in mech.joints] == [Floating()]


def test_what_is_only_drawn_refuses_no_robot():
    drawn = '<link name="c"><visual><geometry><mesh filename="m.stl" scale="{}"/></geometry></visual></link>'
    fixed = '<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>'
    four, one = (from_urdf(urdf(more=drawn.format(scale) + fixed)) for scale in ("1 1 1 1", "0.001"))
    assert not four.mechanism.bodies[1].shapes and notes_with_code(four, "dropped-mesh")
    assert one.mechanism.bodies[1].shapes[0].solid.scale == (0.001, 0.001, 0.001)


# --- inertias within the digits of the file ---------------------------------------------------------------------------


def moments(ixx, iyy, izz, ixy="0"):
    inertia = f'<inertia ixx="{ixx}" iyy="{iyy}" izz="{izz}" ixy="{ixy}" ixz="0" iyz="0"/>'
    return from_urdf(urdf(inertial=f'<mass value="1"/>{inertia}'))


def principal(imported):
    return np.linalg.eigvalsh(np.array(imported.mechanism.bodies[0].inertia.tensor))


@pytest.mark.parametrize("written", [("0.012", "0.034", "0.047"), ("1.2e-5", "3.4e-5", "4.7e-5")])
def test_a_triangle_violated_by_rounding_is_made_up_within_the_digits(written):
    imported = moments(*written)
    a, b, c = principal(imported)
    exact = sorted(map(float, written))
    assert a + b == pytest.approx(c) and np.abs(np.array([a, b, c]) - exact).max() < 0.04 * exact[2]
    assert len(notes_with_code(imported, "repaired-inertia")) == 1


@pytest.mark.parametrize(
    "written", [("0.01", "0.02", "0.09"), ("0.012000", "0.034000", "0.047000"), ("0", "0", "0.02")]
)
def test_what_is_no_rounding_is_used_as_written(written):
    imported = moments(*written)
    assert principal(imported) == pytest.approx(sorted(map(float, written)), rel=1e-14)
    assert not notes_with_code(imported, "repaired-inertia")


def test_a_moment_below_zero_by_rounding_is_zero():
    imported = moments("0", "0", "0", "2.4e-35")
    assert principal(imported).min() >= 0.0 and notes_with_code(imported, "repaired-inertia")


# --- SDF --------------------------------------------------------------------------------------------------------------

LINK = '<link name="{}"><pose>{} 0 0 0 0 0</pose><inertial><mass>2</mass></inertial></link>'


def test_worlds_end_in_world_and_may_hold_several_models(tmp_path):
    models = "".join(f'<model name="m{i}"><pose>0 {i} 0 0 0 0</pose>{LINK.format("l", 1)}</model>' for i in (1, 2))
    (tmp_path / "w.world").write_text(f'<sdf version="1.9"><world name="w">{models}</world></sdf>')
    mech = read(tmp_path / "w.world").mechanism
    assert [body.name for body in mech.bodies] == ["m1::l", "m2::l"]
    assert mech.joints[1].at.xyz == (1.0, 2.0, 0.0)


def test_a_merged_model_becomes_part_of_the_model_that_includes_it(tmp_path):
    axis = '<axis><xyz expressed_in="__model__">0 1 0</xyz></axis>'
    joint = f'<joint name="j" type="revolute"><parent>l</parent><child>k</child>{axis}</joint>'
    arm = f"{LINK.format('l', 1)}{LINK.format('k', 2)}{joint}"
    (tmp_path / "arm.sdf").write_text(f'<sdf version="1.9"><model name="arm">{arm}</model></sdf>')
    include = '<include merge="true"><uri>arm.sdf</uri><pose>0 0 3 0 0 1.5707963267948966</pose></include>'
    weld = '<joint name="weld" type="fixed"><parent>base</parent><child>l</child></joint>'
    (tmp_path / "r.sdf").write_text(
        f'<sdf version="1.9"><model name="r">{LINK.format("base", 0)}{include}{weld}</model></sdf>'
    )
    mech = read(tmp_path / "r.sdf").mechanism
    assert [body.name for body in mech.bodies] == ["base", "l", "k"]
    (axis,) = (joint.kind.axis for joint in mech.joints if joint.name == "j")
    assert axis == pytest.approx((0.0, 1.0, 0.0))  # of the merged model's frame, which turned with its links
    (at,) = (joint.at for joint in mech.joints if joint.name == "weld")
    assert at.xyz == pytest.approx((0.0, 1.0, 3.0))


def test_frames_at_joints_move_with_the_child():
    joint = '<joint name="j" type="revolute"><pose>0.5 0 0 0 0 0</pose><parent>a</parent><child>b</child>'
    parts = LINK.format("a", 0) + LINK.format("b", 1) + joint + "<axis><xyz>0 0 1</xyz></axis></joint>"
    frame = '<frame name="f" attached_to="j"><pose>0 0 0.25 0 0 0</pose></frame>'
    (found,) = from_sdf(f'<sdf version="1.9"><model name="r">{parts}{frame}</model></sdf>').mechanism.frames
    assert (found.body, found.pose.xyz) == ("b", (0.5, 0.0, 0.25))


def test_frames_of_a_world_may_have_names_of_a_models_frames():
    frames = '<frame name="f" attached_to="m::f"/>'
    model = f'<model name="m">{LINK.format("a", 1)}<frame name="f" attached_to="a"/></model>'
    mech = from_sdf(f'<sdf version="1.9"><world name="w">{model}{frames}</world></sdf>').mechanism
    assert {frame.name: frame.body for frame in mech.frames} == {"m::f": "m::a", "f": "m::a"}


def sdf_joint(kind, axis):
    joint = f'<joint name="j" type="{kind}"><parent>world</parent><child>a</child><axis><xyz>0 0 1</xyz>{axis}</axis>'
    return from_sdf(f'<sdf version="1.9"><model name="m">{LINK.format("a", 1)}{joint}</joint></model></sdf>')


@pytest.mark.parametrize(
    "kind, limit, code",
    [
        ("revolute", "<lower>-inf</lower><upper>inf</upper>", ""),
        ("revolute", "<lower>2</lower><upper>1</upper>", "crossed-limits"),
        ("continuous", "<lower>-1</lower><upper>1</upper>", "dropped-limit"),
    ],
)
def test_limits_of_sdf_that_bound_nothing(kind, limit, code):
    imported = sdf_joint(kind, f"<limit>{limit}</limit>")
    assert not imported.mechanism.joints[0].limits.lower
    assert not code or notes_with_code(imported, code)


def test_a_mark_after_a_number_is_left_out_with_a_warning():
    imported = sdf_joint("revolute", '<limit><velocity>2.5"</velocity></limit>')
    assert imported.mechanism.joints[0].limits.speed == (2.5,)
    assert notes_with_code(imported, "bad-value")[0].fix == "write <velocity>2.5</velocity>"
    with pytest.raises(FormatError, match="is not a finite number"):
        sdf_joint("revolute", "<limit><velocity>2.5rad</velocity></limit>")


def test_a_height_map_is_drawn_as_a_plate():
    ground = "<visual name='v'><geometry><heightmap><size>4 2 1</size></heightmap></geometry></visual></link>"
    link = LINK.format("a", 0).replace("</link>", ground)
    (shape,) = from_sdf(f'<sdf version="1.9"><model name="m">{link}</model></sdf>').mechanism.bodies[0].shapes
    assert isinstance(shape.solid, Plate) and np.ptp(np.array(shape.solid.corners), axis=0).tolist() == [4.0, 2.0, 0.0]


def test_models_of_a_folder_are_found_at_any_depth(tmp_path):
    place = tmp_path / "all" / "indoor" / "arm"
    place.mkdir(parents=True)
    (place / "model.config").write_text("<model/>")
    (place / "model.sdf").write_text(f'<sdf version="1.9"><model name="arm">{LINK.format("a", 1)}</model></sdf>')
    (tmp_path / "own").mkdir()
    text = '<sdf version="1.9"><world name="w"><include><uri>model://arm</uri></include></world></sdf>'
    (tmp_path / "own" / "w.world").write_text(text)
    assert read(tmp_path / "own" / "w.world", folders=[tmp_path / "all"]).mechanism.bodies[0].name == "a"
    with pytest.raises(FormatError, match="--folder"):
        read(tmp_path / "own" / "w.world")


@pytest.mark.parametrize("uri", ["package://arm/m.stl", "package:///arm/m.stl", "file://{}/arm/m.stl", "../arm/m.stl"])
def test_files_elsewhere_are_opened_in_the_folders_that_are_named(uri, tmp_path):
    (tmp_path / "own").mkdir()
    (tmp_path / "arm").mkdir()
    (tmp_path / "arm" / "package.xml").write_text("<package><name>arm</name></package>")
    (tmp_path / "arm" / "m.stl").write_bytes(b"")
    mesh = f'<link name="c"><visual><geometry><mesh filename="{uri.format(tmp_path)}"/></geometry></visual></link>'
    fixed = '<joint name="k" type="fixed"><parent link="b"/><child link="c"/></joint>'
    (tmp_path / "own" / "r.urdf").write_text(urdf(more=mesh + fixed))
    assert notes_with_code(read(tmp_path / "own" / "r.urdf"), "missing-mesh")
    found = read(tmp_path / "own" / "r.urdf", folders=[tmp_path])
    assert found.mechanism.bodies[1].shapes[0].solid.file == str((tmp_path / "arm" / "m.stl").resolve())


# --- MJCF -------------------------------------------------------------------------------------------------------------


def mjcf(asset="", geom="", more=""):
    pytest.importorskip("mujoco", reason="reading MJCF needs mujoco")
    body = f'<body><joint name="j" axis="0 0 1"/><geom size="0.1" mass="1"/>{geom}</body>'
    return from_mjcf(f"<mujoco><asset>{asset}</asset><worldbody>{body}</worldbody>{more}</mujoco>")


def test_height_fields_are_drawn_and_weigh_nothing():
    imported = mjcf('<hfield name="h" nrow="9" ncol="9" size="2 1 0.5 0.1"/>', '<geom type="hfield" hfield="h"/>')
    (body,) = imported.mechanism.bodies
    assert body.inertia.mass == 1.0 and any(isinstance(shape.solid, Plate) for shape in body.shapes)
    assert "height field" in notes_with_code(imported, "dropped-mesh")[0].message


@pytest.mark.parametrize("kind", ["mesh", "sdf"])
def test_a_mesh_written_in_the_file_gives_mass(kind):
    points = '<mesh name="m" vertex="0 0 0  1 0 0  0 1 0  0 0 1"/>'
    (body,) = mjcf(points, f'<geom type="{kind}" mesh="m" density="60"/>').mechanism.bodies
    assert body.inertia.mass == pytest.approx(11.0)  # 1 kg of a sphere, and a sixth of a cubic meter


def test_a_mass_that_a_plugin_makes_is_refused():
    plugin = '<mesh name="m"><plugin plugin="mujoco.sdf.torus"/></mesh>'
    with pytest.raises(FormatError, match="made by a plugin"):
        mjcf(plugin, '<geom type="mesh" mesh="m"/>')


def test_a_spring_on_a_tendon_of_one_joint_is_a_spring_of_the_joint():
    tendon = '<fixed name="t" stiffness="3" damping="0.5" springlength="0.4"><joint joint="j" coef="2"/></fixed>'
    (joint,) = mjcf(more=f"<tendon>{tendon}</tendon>").mechanism.joints
    assert joint.spring.stiffness == (12.0,) and joint.spring.rest == pytest.approx((0.2,))
    assert joint.friction.viscous == (2.0,)


def test_joints_without_a_name_get_names_of_their_own():
    pytest.importorskip("mujoco", reason="reading MJCF needs mujoco")
    body = '<body><joint/><geom size="1" mass="1"/><body><joint name="joint0"/><geom size="1" mass="1"/></body></body>'
    mech = from_mjcf(f"<mujoco><worldbody>{body}</worldbody></mujoco>").mechanism
    assert len({joint.name for joint in mech.joints}) == 2


# --- what is printed --------------------------------------------------------------------------------------------------


def test_findings_of_a_kind_are_one_line_with_a_count_and_lines_are_at_most_twelve():
    codes = sorted(CODES)[:20]
    many = [Finding(codes[i % 20], f"text {i}", severity="warning", subject=f"s{i}") for i in range(200)]
    lines = merge_similar_findings(many)
    assert len(lines) == 12 and "9 more kinds" in lines[-1].message
    assert "and 9 more like this: 's20', 's40', 's60', 's80', ..." in lines[0].message
    assert merge_similar_findings(many[:3]) == tuple(many[:3])


def test_a_file_with_many_mistakes_warns_in_at_most_twelve_lines(tmp_path):
    links = "".join(f'<link name="l{i}"><what{i}/><inertial>{MASS}</inertial></link>' for i in range(40))
    joints = "".join(
        f'<joint name="k{i}" type="revolute"><parent link="b"/><child link="l{i}"/><limit lower="1" upper="0"/></joint>'
        for i in range(40)
    )
    (tmp_path / "r.urdf").write_text(urdf(more=links + joints))
    with pytest.warns(lw.errors.FormatWarning) as caught:
        lw.load(tmp_path / "r.urdf")
    assert len(caught) <= 12 and any("and 39 more like this" in str(each.message) for each in caught)


def test_folders_must_be_there(tmp_path):
    (tmp_path / "r.urdf").write_text(urdf())
    with pytest.raises(lw.errors.ArgumentError, match="is not a folder"):
        read(tmp_path / "r.urdf", folders=[tmp_path / "gone"])


def test_a_joint_may_have_the_name_of_a_link():
    joint = '<joint name="b" type="revolute"><parent>a</parent><child>b</child><axis><xyz>0 0 1</xyz></axis></joint>'
    text = f'<sdf version="1.9"><model name="r">{LINK.format("a", 0)}{LINK.format("b", 1)}{joint}</model></sdf>'
    imported = from_sdf(text)
    assert [each.name for each in imported.mechanism.joints if each.child == "b"] == ["b"]
    assert notes_with_code(imported, "name-taken")[0].matters
    with pytest.raises(FormatError, match="a name of its own"):
        from_sdf(text.replace('<joint name="b"', '<link name="a"/><joint name="b"'))


def test_a_universal_joint_without_axes_turns_about_x_and_y():
    joint = '<joint name="u" type="revolute2"><parent>a</parent><child>b</child></joint>'
    text = f'<sdf version="1.9"><model name="r">{LINK.format("a", 0)}{LINK.format("b", 1)}{joint}</model></sdf>'
    imported = from_sdf(text)
    assert [each.kind for each in imported.mechanism.joints if each.name == "u"] == [Universal()]
    assert notes_with_code(imported, "default-axis")[0].matters


def test_meshes_of_an_included_model_are_beside_its_file(tmp_path):
    ball = "<geometry><mesh><uri>meshes/m.stl</uri></mesh></geometry>"
    link = LINK.format("a", 0).replace("</link>", f"<visual name='v'>{ball}</visual></link>")
    (tmp_path / "arm" / "meshes").mkdir(parents=True)
    (tmp_path / "arm" / "meshes" / "m.stl").write_bytes(b"")
    (tmp_path / "arm" / "model.sdf").write_text(f'<sdf version="1.9"><model name="arm">{link}</model></sdf>')
    (tmp_path / "w.sdf").write_text(
        '<sdf version="1.9"><world name="w"><include><uri>arm</uri></include></world></sdf>'
    )
    imported = read(tmp_path / "w.sdf")
    assert imported.mechanism.bodies[0].shapes[0].solid.file == str((tmp_path / "arm" / "meshes" / "m.stl").resolve())
    assert not notes_with_code(imported, "missing-mesh")


def test_a_model_may_be_placed_by_its_own_frame_and_by_one_that_is_called_so():
    inner = f'<model name="m" placement_frame="{{}}"><pose>0 5 0 0 0 0</pose>{LINK.format("a", 1)}</model>'
    whole = '<sdf version="1.9"><world name="w">{}</world></sdf>'
    drawn = [from_sdf(whole.format(inner.format(frame))).mechanism.joints[0].at.xyz for frame in ("__model__", "a")]
    assert drawn == [(1.0, 5.0, 0.0), (0.0, 5.0, 0.0)]
    frame = '<frame name="k::__model__" attached_to="a"><pose relative_to="__model__">0 0 3 0 0 0</pose></frame>'
    link = '<link name="k::b"><pose relative_to="k::__model__">0 1 0 0 0 0</pose></link>'
    flat = from_sdf(f'<sdf version="1.9"><model name="m">{LINK.format("a", 1)}{frame}{link}</model></sdf>').mechanism
    assert flat.joints[1].at.xyz == (0.0, 1.0, 3.0)


def test_a_gearbox_without_a_reference_body_is_listed():
    gear = '<joint name="g" type="gearbox"><parent>a</parent><child>b</child></joint>'
    imported = from_sdf(
        f'<sdf version="1.9"><model name="r">{LINK.format("a", 0)}{LINK.format("b", 1)}{gear}</model></sdf>'
    )
    assert not imported.mechanism.couplings and notes_with_code(imported, "dropped-coupling")[0].severity == "error"


# --- loops and couplings of URDF dialects -----------------------------------------------------------------------------


def test_axes_of_a_constraint_are_in_the_frames_of_their_own_ends():
    ends = '<parent link="a"/><child link="b"/><child_origin xyz="0 0 1"/>'
    axes = '<parent_axis xyz="0 0 2"/><child_axis xyz="0 1 0"/>'
    mech = from_urdf(urdf(more=f'<constraint name="c" type="revolute">{ends}{axes}</constraint>')).mechanism
    (loop,) = mech.loops
    assert loop.kind.axis == (0.0, 0.0, 1.0) and loop.child_at.xyz == (0.0, 0.0, 1.0)
    assert loop.child_at.R @ loop.kind.axis == pytest.approx([0.0, 1.0, 0.0])
    mech = from_urdf(urdf(more=f'<constraint name="c" type="universal">{ends}{axes}</constraint>')).mechanism
    assert mech.loops[0].kind.axes == ((0.0, 0.0, 1.0), (0.0, 1.0, 0.0))


@pytest.mark.parametrize(
    "axis, expected",
    [
        ("<xyz>0 1 0</xyz>", (0.0, 1.0, 0.0)),
        ('<xyz expressed_in="__model__">0 1 0</xyz>', (1.0, 0.0, 0.0)),
        ("<xyz>1 0 0</xyz><use_parent_model_frame>1</use_parent_model_frame>", (0.0, -1.0, 0.0)),
    ],
)
def test_a_joint_of_gazebo_joins_links_as_they_are_drawn(axis, expected):
    turned = '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/>'
    ends = "<parent>a</parent><child>b</child><pose>0.5 0 0 0 0 0</pose>"
    closing = f'<gazebo><joint name="c" type="prismatic">{ends}<axis>{axis}</axis></joint></gazebo>'
    (loop,) = from_urdf(urdf(turned, more=closing)).mechanism.loops
    assert loop.at.xyz == pytest.approx((1.0, 0.5, 0.0)) and loop.child_at.xyz == pytest.approx((0.5, 0.0, 0.0))
    assert loop.kind.axis == pytest.approx(expected, abs=1e-15)


def test_a_joint_of_gazebo_to_the_world_at_the_root_changes_nothing():
    fixing = "<gazebo><joint name='w' type='fixed'><parent>world</parent><child>{}</child></joint></gazebo>"
    assert not [note for note in from_urdf(urdf(more=fixing.format("a"))).notes if note.matters]
    (note,) = [note for note in from_urdf(urdf(more=fixing.format("b"))).notes if note.matters]
    assert note.code == "dropped-loop"


# --- files elsewhere, and what is left out of MJCF --------------------------------------------------------------------

TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"  # a sixth of a cubic meter


def test_a_robot_that_would_lose_a_mass_is_refused_and_whole_with_the_folder(tmp_path):
    pytest.importorskip("mujoco", reason="reading MJCF needs mujoco")
    (tmp_path / "own").mkdir()
    (tmp_path / "m.obj").write_text(TETRAHEDRON)
    body = '<body name="leg"><joint/><geom type="mesh" mesh="m" density="60"/></body>'
    mesh = '<asset><mesh name="m" file="../m.obj"/></asset>'
    (tmp_path / "own" / "r.xml").write_text(f"<mujoco>{mesh}<worldbody>{body}</worldbody></mujoco>")
    with pytest.raises(FormatError, match=r"mass of body 'leg'.*--folder") as caught:
        read(tmp_path / "own" / "r.xml")
    assert caught.value.findings[0].code == "lost-mass"
    mech = read(tmp_path / "own" / "r.xml", folders=[tmp_path]).mechanism
    assert mech.bodies[0].inertia.mass == pytest.approx(10.0)


def test_a_model_of_sdf_that_would_lose_a_mass_is_refused(tmp_path):
    shape = "<collision name='c'><geometry><mesh><uri>m.obj</uri></mesh></geometry></collision>"
    link = f'<link name="leg"><inertial auto="true"/>{shape}</link>'
    (tmp_path / "r.sdf").write_text(f'<sdf version="1.11"><model name="r">{link}</model></sdf>')
    with pytest.raises(FormatError, match="link 'leg': its mass comes from a mesh that is not opened") as caught:
        read(tmp_path / "r.sdf")
    assert caught.value.findings[0].code == "lost-mass"


def test_what_a_free_joint_resists_is_listed():
    pytest.importorskip("mujoco", reason="reading MJCF needs mujoco")
    joint = '<joint type="free" name="f" armature="0.1" damping="0.2" frictionloss="0.3"/>'
    text = f'<mujoco><worldbody><body>{joint}<geom size="0.1" mass="1"/></body></worldbody></mujoco>'
    imported = from_mjcf(text)
    assert imported.mechanism.joints[0].kind == Floating()
    assert {note.code for note in imported.notes if note.matters} >= {"dropped-armature", "dropped-friction"}
    assert all(note.subject == "f" for note in imported.notes if note.matters)


def test_flexible_parts_are_named():
    pytest.importorskip("mujoco", reason="reading MJCF needs mujoco")
    rope = '<flexcomp name="rope" type="grid" count="3 1 1" spacing="0.1 0.1 0.1" radius="0.01" dim="1" mass="1"/>'
    arm = '<body name="arm"><joint/><geom size="0.1" mass="1"/></body>'
    imported = from_mjcf(f"<mujoco><worldbody>{arm}{rope}</worldbody></mujoco>")
    (note,) = [note for note in imported.notes if "<flexcomp>" in note.message]
    assert "deformable body" in str(note) and note.severity == "error"


def test_xacro_without_its_package_says_what_to_install_and_why(tmp_path, monkeypatch):
    from linkwright.formats.urdf import xacro_reader

    monkeypatch.setattr(xacro_reader, "find_spec", lambda name: None)
    (tmp_path / "r.xacro").write_text(urdf())
    with pytest.raises(FormatError, match=r"needs the package xacro; .*\[xacro\].*evaluates expressions"):
        read(tmp_path / "r.xacro")
