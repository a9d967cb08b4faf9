"""SDF: the mechanism that its poses draw, in any graph of joints."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.errors import FormatError
from linkwright.formats import from_sdf, read
from linkwright.formats.written_files import drawn_poses
from linkwright.joints import Fixed, Floating, Screw, Spherical, Universal

LINK = """<link name="{name}"><pose>{pose}</pose><inertial><pose>0.1 0.02 0 0 0 0</pose><mass>{mass}</mass><inertia>
<ixx>0.01</ixx><iyy>0.02</iyy><izz>0.025</izz><ixy>0.001</ixy><ixz>0</ixz><iyz>0</iyz></inertia></inertial></link>"""


def link(name, mass=1.0, pose="0 0 0 0 0 0"):
    return LINK.format(name=name, mass=mass, pose=pose)


def joint(name, parent, child, kind="revolute", pose="", axis="0 0 1", more="", effort=""):
    limit = f"<limit><effort>{effort}</effort></limit>" if effort else ""
    return (
        f'<joint name="{name}" type="{kind}"><parent>{parent}</parent><child>{child}</child>{pose}'
        f"<axis><xyz>{axis}</xyz>{limit}</axis>{more}</joint>"
    )


def sdf(*parts, world=""):
    return f'<sdf version="1.9"><model name="own">{"".join(parts)}</model></sdf>'


# A parallelogram drawn where it closes, its coupler hanging on crank and rocker.
FOUR_BAR = sdf(
    link("crank", 1.0, "0 0 0 0 0 1.2"),
    link("rocker", 1.5, "0.5 0 0 0 0 1.2"),
    '<frame name="top" attached_to="crank"><pose>0.3 0 0 0 0 -1.2</pose></frame>',
    LINK.format(name="coupler", mass=2.0, pose="0 0 0 0 0 0").replace(
        "<pose>0 0 0", '<pose relative_to="top">0 0 0', 1
    ),
    joint("A", "world", "crank", effort="9"),
    joint("B", "top", "coupler"),
    joint("D", "world", "rocker"),
    joint("C", "coupler", "rocker", pose="<pose>0.3 0 0 0 0 0</pose>"),
)
NATIVE = """
format: 1
name: own
gravity: [0, 0, -9.8]
base: world
bodies:
  crank: {mass: 1, com: [0.1, 0.02, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.025, xy: 0.001}}
  coupler: {mass: 2, com: [0.1, 0.02, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.025, xy: 0.001}}
  rocker: {mass: 1.5, com: [0.1, 0.02, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.025, xy: 0.001}}
joints:
  A: {type: revolute, parent: world, child: crank}
  B: {type: revolute, parent: crank, child: coupler, at: [0.3, 0, 0]}
  D: {type: revolute, parent: world, child: rocker, at: [0.5, 0, 0]}
loops:
  C: {type: revolute, parent: coupler, child: rocker, at: [0.5, 0, 0], child_at: [0.3, 0, 0]}
actuators: {A: {joint: A, effort: 9}}
"""


def test_a_loop_of_joints_is_the_native_mechanism():
    """Accelerations at one position; the angles of SDF are counted from where the model is drawn."""
    imported = from_sdf(FOUR_BAR)
    assert not [note for note in imported.notes if note.matters]
    ours, native = lw.build(imported.mechanism), lw.build(lw.formats.from_yaml(NATIVE))
    assert ours.mobility == native.mobility == 1 and ours.actuated == ("A",)
    q = np.array([1.2, -1.2, 1.2])  # A, B, D of the native file where the model is drawn
    x = np.zeros(3)
    assert np.abs(ours.closure_residual(x)).max() < 1e-12 and np.abs(native.closure_residual(q)).max() < 1e-12
    a = native.forward_dynamics(q, np.array([1.0, -1.0, 1.0]), np.array([0.4]))
    b = ours.forward_dynamics(x, np.array([1.0 if n != "B" else -1.0 for n in ours.v_names]), np.array([0.4]))
    by_name = dict(zip(native.v_names, a, strict=True))
    assert {n: pytest.approx(value, rel=1e-9) for n, value in zip(ours.v_names, b, strict=True)} == by_name


def test_poses_of_nested_frames_and_models_add_up():
    """Every body stands where the chain of poses in the file puts it."""
    text = sdf(
        "<pose>1 2 3 0.1 0.2 0.3</pose>",
        link("a", pose="0.1 0.2 0.3 0.4 0.5 0.6"),
        '<frame name="f" attached_to="a"><pose>0.5 0 0 0 0.3 0</pose></frame>',
        '<frame name="g"><pose relative_to="f">0 0.5 0 0.2 0 0</pose></frame>',
        '<model name="inner"><pose relative_to="g">0 0 1 0 0 1</pose>'
        + link("b", pose="0.7 0 0 0 0 0.2")
        + '<frame name="h" attached_to="b"><pose>0 0 0.2 0 0 0</pose></frame></model>',
        joint("j", "a", "inner::h"),
        joint("k", "world", "a", "fixed"),
    )
    mech = from_sdf(text).mechanism
    pose = lambda *x: RigidTransform.from_rpy(x[:3], x[3:])  # noqa: E731
    a = pose(1, 2, 3, 0.1, 0.2, 0.3) @ pose(0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
    g = a @ pose(0.5, 0, 0, 0, 0.3, 0) @ pose(0, 0.5, 0, 0.2, 0, 0)
    b = g @ pose(0, 0, 1, 0, 0, 1) @ pose(0.7, 0, 0, 0, 0, 0.2)
    found = drawn_poses(mech)
    for name, expected in (("a", a), ("inner::b", b)):
        assert np.abs(found[name].R - expected.R).max() < 1e-14 and np.abs(found[name].r - expected.r).max() < 1e-14
    assert mech.joints[0].child_at.xyz == pytest.approx((0.0, 0.0, 0.2))


def test_kinds_of_joint():
    pitch = "<screw_thread_pitch>0.5</screw_thread_pitch>"
    second = "<axis2><xyz>0 1 0</xyz></axis2>"
    mech = from_sdf(
        sdf(
            *(link(name) for name in "abcd"),
            joint("s", "world", "a", "screw", more=pitch),
            joint("u", "a", "b", "universal", axis="2 0 0", more=second),
            joint("o", "b", "c", "ball"),
        )
    ).mechanism
    kinds = {each.name: each.kind for each in mech.joints}
    assert kinds["s"] == Screw((0.0, 0.0, 1.0), 0.5 / (2 * np.pi))
    assert kinds["u"] == Universal((1.0, 0.0, 0.0), (0.0, 1.0, 0.0)) and kinds["o"] == Spherical()
    assert kinds["d_floating"] == Floating()


def test_axes_in_other_frames_springs_and_limits():
    axis = (
        '<axis><xyz expressed_in="__model__">0 1 0</xyz><limit><lower>-1</lower><upper>2</upper><effort>3</effort>'
        "<velocity>4</velocity></limit><dynamics><damping>0.1</damping><friction>0.2</friction>"
        "<spring_stiffness>5</spring_stiffness><spring_reference>0.3</spring_reference></dynamics></axis>"
    )
    text = sdf(
        link("a", pose="0 0 0 0 0 1.5707963267948966"),
        f'<joint name="j" type="revolute"><parent>world</parent><child>a</child>{axis}</joint>',
    )
    (each,) = from_sdf(text).mechanism.joints
    assert each.kind.axis == pytest.approx((1.0, 0.0, 0.0))
    assert (each.limits.lower, each.limits.upper, each.limits.effort, each.limits.speed) == ((-1,), (2,), (3,), (4,))
    assert (each.spring.stiffness, each.spring.rest) == ((5.0,), (0.3,))
    assert (each.friction.viscous, each.friction.coulomb) == ((0.1,), (0.2,))


def test_mimics_and_gearboxes_are_couplings():
    mimic = '<axis><xyz>0 0 1</xyz><mimic joint="i"><multiplier>2</multiplier><offset>0.1</offset></mimic></axis>'
    gear = "<gearbox_ratio>3</gearbox_ratio><gearbox_reference_body>base</gearbox_reference_body>"
    text = sdf(
        *(link(name) for name in ("base", "a", "b", "c")),
        joint("w", "world", "base", "fixed"),
        joint("i", "base", "a"),
        joint("k", "base", "c"),
        f'<joint name="j" type="revolute"><parent>a</parent><child>b</child>{mimic}</joint>',
        joint("box", "a", "c", "gearbox", more=gear),
    )
    couplings = {each.name: (dict(each.terms), each.offset) for each in from_sdf(text).mechanism.couplings}
    assert couplings == {"j mimics i": ({"j": 1.0, "i": -2.0}, 0.1), "box": ({"k": 1.0, "i": 3.0}, 0.0)}


def test_worlds_static_models_and_includes(tmp_path):
    (tmp_path / "arm").mkdir()
    arm = sdf(link("a"), link("b"), joint("j", "a", "b"))
    (tmp_path / "arm/model.sdf").write_text(arm)
    (tmp_path / "w.sdf").write_text(
        '<sdf version="1.9"><world name="w"><gravity>0 0 -3</gravity><include><uri>model://arm</uri><name>left</name>'
        f'<static>true</static></include><model name="free">{link("c")}</model></world></sdf>'
    )
    mech = read(tmp_path / "w.sdf").mechanism
    assert mech.gravity == (0.0, 0.0, -3.0)
    kinds = {each.child: type(each.kind) for each in mech.joints}
    assert kinds["left::a"] is Fixed and kinds["free::c"] is Floating


@pytest.mark.parametrize(
    "text, message",
    [
        ("<robot/>", "the outermost element is <robot>"),
        ("<sdf/>", "there is no <model>"),
        (sdf(link("a"), joint("j", "world", "b")), "'b' is not a link or frame"),
        (sdf(link("a"), joint("j", "world", "a", "hinge")), "has the type 'hinge'"),
        (sdf("<include><uri>model://../../etc</uri></include>"), "is not a file below the model's folder"),
        (
            sdf(
                '<frame name="f"><pose relative_to="g"/></frame><frame name="g"><pose relative_to="f"/></frame>',
                link("a"),
                joint("j", "f", "a"),
            ),
            "circle",
        ),
        (sdf(link("a"), '<joint name="j" type="fixed"><child>a</child></joint>'), "needs <parent> and <child>"),
        (sdf(link("a"), link("a"), joint("j", "world", "a")), "link 'a': a part of the model needs a name of its own"),
    ],
)
def test_mistakes_are_named(text, message):
    with pytest.raises(FormatError) as caught:
        from_sdf(text)
    assert message in str(caught.value)


def test_drakes_constraints_and_what_is_not_known():
    text = sdf(
        link("a"),
        link("b", pose="1 0 0 0 0 0"),
        joint("j", "world", "a"),
        joint("k", "world", "b"),
        "<drake:distance_constraint><drake:distance_constraint_body_A>a</drake:distance_constraint_body_A>"
        "<drake:distance_constraint_body_B>b</drake:distance_constraint_body_B>"
        "<drake:distance_constraint_p_AP>0.2 0 0</drake:distance_constraint_p_AP>"
        "<drake:distance_constraint_p_BQ>0 0.2 0</drake:distance_constraint_p_BQ>"
        "<drake:distance_constraint_distance>0.8</drake:distance_constraint_distance></drake:distance_constraint>",
        "<drake:linear_bushing_rpy/>",
    )
    imported = from_sdf(text)
    assert imported.mechanism.loops[0].kind.length == 0.8
    assert [note.code for note in imported.notes if note.matters] == ["unknown-tag"]


def test_a_model_stands_as_it_is_drawn_even_outside_its_limits():
    limits = "<limit><lower>1.0</lower><upper>2.0</upper><effort>9</effort></limit>"
    text = FOUR_BAR.replace("<limit><effort>9</effort></limit>", limits)
    mech = from_sdf(text)
    mech = getattr(mech, "mechanism", mech)
    assert mech.home == (("A", (0.0,)),)
    assert lw.build(mech).assemble().q == pytest.approx(np.zeros(3), abs=1e-12)
