"""Loops in URDF dialects: the same mechanism as the native file's, and the same motion as Pinocchio's."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError
from linkwright.formats import from_urdf, read

pin = pytest.importorskip("pinocchio", reason="Pinocchio has no wheel for this platform")


def link(name, mass=1.0, com=(0.1, 0.02, 0.0), moments=(0.01, 0.02, 0.025)):
    if mass is None:
        return f'<link name="{name}"/>'
    xyz, (a, b, c) = " ".join(map(str, com)), moments
    return (
        f'<link name="{name}"><inertial><origin xyz="{xyz}"/><mass value="{mass}"/>'
        f'<inertia ixx="{a}" iyy="{b}" izz="{c}" ixy="0.001" ixz="0" iyz="0"/></inertial></link>'
    )


def joint(name, parent, child, xyz=(0, 0, 0), kind="revolute", rpy=(0, 0, 0), axis=(0, 0, 1), inside=""):
    texts = [" ".join(map(str, each)) for each in (xyz, rpy, axis)]
    return (
        f'<joint name="{name}" type="{kind}"><origin xyz="{texts[0]}" rpy="{texts[1]}"/><axis xyz="{texts[2]}"/>'
        f'<parent link="{parent}"/><child link="{child}"/>{inside}'
        '<limit effort="9" velocity="9" lower="-9" upper="9"/></joint>'
    )


def robot(*parts):
    return f'<robot name="own">{"".join(parts)}</robot>'


FOUR_BAR = robot(
    link("base", None),
    link("crank", 1.0),
    link("coupler", 2.0),
    link("rocker", 1.5),
    joint("A", "base", "crank"),
    joint("B", "crank", "coupler", (0.2, 0, 0)),
    joint("D", "base", "rocker", (0.5, 0, 0)),
    '<loop name="C" type="revolute"><predecessor link="coupler"><origin xyz="0.45 0 0"/></predecessor>'
    '<successor link="rocker"><origin xyz="0.3 0 0"/></successor><axis xyz="0 0 1"/></loop>',
    '<transmission name="t"><joint name="A"/><actuator name="m"/></transmission>',
)
NATIVE = """
format: 1
name: own
base: base
bodies:
  crank: {mass: 1, com: [0.1, 0.02, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.025, xy: 0.001}}
  coupler: {mass: 2, com: [0.1, 0.02, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.025, xy: 0.001}}
  rocker: {mass: 1.5, com: [0.1, 0.02, 0], inertia: {xx: 0.01, yy: 0.02, zz: 0.025, xy: 0.001}}
joints:
  A: {type: revolute, parent: base, child: crank}
  B: {type: revolute, parent: crank, child: coupler, at: [0.2, 0, 0]}
  D: {type: revolute, parent: base, child: rocker, at: [0.5, 0, 0]}
loops:
  C: {type: revolute, parent: coupler, child: rocker, at: [0.45, 0, 0], child_at: [0.3, 0, 0]}
actuators: {A: {joint: A}}
"""

# A five-bar in space: a ball closes it, its ends are frames without mass on fixed joints, one joint leaves the plane.
FIVE_BAR = robot(
    link("base", None),
    link("a", 1.0),
    link("b", 0.8),
    link("c", 1.1),
    link("twist", 0.2, (0.01, 0.0, 0.01), (0.001, 0.001, 0.001)),
    link("d", 0.9),
    link("end_b", None),
    link("end_d", None),
    joint("m1", "base", "a"),
    joint("p1", "a", "b", (0.3, 0, 0)),
    joint("f1", "b", "end_b", (0.4, 0, 0.02), "fixed"),
    joint("m2", "base", "c", (0.25, 0, 0)),
    joint("p2", "c", "twist", (0.3, 0, 0)),
    joint("p3", "twist", "d", (0, 0, 0), axis=(0, 1, 0)),
    joint("f2", "d", "end_d", (0.4, 0, 0), "fixed"),
)
FIVE_BAR_LOOPS = "closed_loop: [[end_d, end_b]]\ntype: ['3d']\nname_mot: [m2, m1]\n"


def revolute_or_weld(text, loops):
    """The same mechanism in Pinocchio: its model and one rigid constraint per loop (frames of links, 3d or 6d)."""
    model = pin.buildModelFromXML(text)
    constraints = pin.StdVec_RigidConstraintModel()
    for near, far, kind in loops:
        frames = [model.frames[model.getFrameId(name)] for name in (near, far)]
        (j1, p1), (j2, p2) = ((f.parentJoint, f.placement) for f in frames)
        contact = pin.ContactType.CONTACT_3D if kind == "3d" else pin.ContactType.CONTACT_6D
        constraints.append(pin.RigidConstraintModel(contact, model, j1, p1, j2, p2, pin.ReferenceFrame.LOCAL))
    return model, constraints


def accelerations(model, constraints, names, q, v, tau):
    """Pinocchio's constrained accelerations by joint name."""
    data = model.createData()
    order = [model.joints[model.getJointId(name)].idx_v for name in names]
    full = [np.zeros(model.nv) for _ in range(3)]
    for mine, theirs in zip((q, v, tau), full, strict=True):
        theirs[order] = mine
    x, x_dot, force = full
    parts = pin.StdVec_RigidConstraintData()
    for each in constraints:
        parts.append(each.createData())
    pin.initConstraintDynamics(model, data, constraints, parts)
    settings = pin.ProximalSettings(1e-13, 1e-8, 1000)
    return pin.constraintDynamics(model, data, x, x_dot, force, constraints, parts, settings)[order]


def test_a_loop_element_is_the_native_loop():
    imported = from_urdf(FOUR_BAR)
    ours, native = lw.build(imported.mechanism), lw.build(lw.formats.from_yaml(NATIVE))
    assert ours.actuated == ("m",) and ours.mobility == 1
    q = ours.assemble(fixed={"A": 0.7}).q
    v = ours.independent_map(q)[:, 0] * 1.3
    assert ours.forward_dynamics(q, v, np.array([0.4])) == pytest.approx(
        native.forward_dynamics(q, v, np.array([0.4])), abs=1e-13
    )


def five_bar(tmp_path, loops=FIVE_BAR_LOOPS):
    (tmp_path / "robot.urdf").write_text(FIVE_BAR)
    (tmp_path / "robot.yaml").write_text(loops)
    return read(tmp_path / "robot.urdf")


def test_a_sidecar_names_loops_and_actuators(tmp_path):
    imported = five_bar(tmp_path)
    mech = imported.mechanism
    assert [(each.parent, each.child) for each in mech.loops] == [("end_d", "end_b")]
    assert [each.name for each in mech.actuators] == ["m2", "m1"]
    assert any("1 loops, 2 actuators" in str(note) for note in imported.notes)


def test_constrained_motion_is_pinocchios(tmp_path):
    """A 3d closure with massless frames in a chain that leaves the plane."""
    model = lw.build(five_bar(tmp_path).mechanism)
    assert model.mobility == 2
    peer, constraints = revolute_or_weld(FIVE_BAR, [("end_d", "end_b", "3d")])
    rng = np.random.default_rng(4)
    names = list(model.v_names)
    for _ in range(10):
        c = model.assemble(guess=rng.uniform(-1.0, 1.0, model.nq))
        v = model.independent_map(c.q) @ rng.normal(size=2)
        tau = rng.normal(size=2)
        force = np.zeros(model.nv)
        force[[names.index("m2"), names.index("m1")]] = tau
        theirs = accelerations(peer, constraints, names, c.q, v, force)
        ours = model.forward_dynamics(c.q, v, tau)
        assert ours == pytest.approx(theirs, rel=1e-8, abs=1e-8 * np.abs(theirs).max())


def test_mimicked_and_coupled_joints_keep_their_ratio():
    mimic = '<mimic joint="i" multiplier="-2" offset="0.1"/>'
    text = robot(
        *(link(name) for name in "abcd"),
        joint("i", "a", "b"),
        joint("j", "b", "c", (0.1, 0, 0), inside=mimic),
        joint("k", "a", "d", (0.2, 0, 0)),
        '<coupling name="belt"><predecessor link="c"/><successor link="d"/><ratio value="3"/></coupling>',
    )
    model = lw.build(from_urdf(text).mechanism, actuated=["i"])
    q = model.assemble(fixed={"i": 0.3}).q
    i, j, k = (q[model.q_names.index(name)] for name in "ijk")
    assert model.mobility == 1
    assert j == pytest.approx(-2.0 * i + 0.1)
    assert k == pytest.approx(3.0 * (i + j))


MISTAKES = [
    ("closed_loop: [[end_d, end_b]]", "closed_loop: [[end_d, end_x]]", "'end_x' is not a link or joint of the robot"),
    ("closed_loop: [[end_d, end_b]]", "closed_loop: [[end_d]]", "is not a valid loop; write two frames, and 3d or 6d"),
    ("'3d'", "'2d'", "of type '2d' is not a valid loop"),
    ("['3d']", "[]", "there are 1 closed loops and 0 types"),
    ("['3d']", "3d", "'3d' is not a list; write type: [...]"),
    ("m2, m1", "m2, m9", "robot.yaml:3: name_mot[1]: 'm9' is not a joint with one coordinate"),
]


@pytest.mark.parametrize("old, new, message", MISTAKES)
def test_mistakes_in_a_sidecar_are_reported(tmp_path, old, new, message):
    assert old in FIVE_BAR_LOOPS
    with pytest.raises(FormatError) as caught:
        five_bar(tmp_path, FIVE_BAR_LOOPS.replace(old, new))
    assert message in str(caught.value)


def test_another_yaml_file_beside_a_urdf_is_left_alone(tmp_path):
    (tmp_path / "robot.urdf").write_text(FOUR_BAR)
    (tmp_path / "robot.yaml").write_text(NATIVE)
    assert lw.load(tmp_path / "robot.urdf") == from_urdf(FOUR_BAR).mechanism


def test_a_loop_between_unknown_links_is_refused():
    with pytest.raises(FormatError, match="joint 'C' has the unknown child link 'rokcer'"):
        from_urdf(FOUR_BAR.replace('<successor link="rocker">', '<successor link="rokcer">'))
    with pytest.raises(FormatError, match="coupling 'g' couples no joint"):
        from_urdf(
            FOUR_BAR.replace(
                "<loop", '<coupling name="g"><predecessor link="base"/><successor link="base"/></coupling><loop', 1
            )
        )
