"""MJCF: the same inertia, bias and closing directions as MuJoCo itself finds."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import FormatError
from linkwright.formats import from_mjcf
from linkwright.mechanism import Mesh

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

ROBOT = """
<mujoco model="own">
  <compiler angle="radian"/>
  <option gravity="0.3 -0.2 -9.7"/>
  <default><geom density="800"/></default>
  <worldbody>
    <geom type="plane" size="1 1 1"/>
    <body name="a" pos="0.1 0 0.2" quat="0.9 0.1 -0.2 0.3">
      <joint name="j1" axis="0 0.6 0.8" pos="0.02 0 0" damping="0.3"/>
      <joint name="j2" type="slide" axis="1 0 0" range="-0.2 0.5" limited="true" stiffness="20" springref="0.1"/>
      <geom type="capsule" size="0.02 0.1" pos="0.1 0 0" euler="0 1.57 0"/>
      <site name="tip" pos="0.2 0 0"/>
      <body name="b" pos="0.25 0 0">
        <joint name="j3" axis="0 1 0" ref="0.3" frictionloss="0.1"/>
        <inertial mass="0.7" pos="0.05 0.01 0" fullinertia="0.01 0.02 0.015 0.001 0.002 0"/>
        <geom type="box" size="0.1 0.02 0.03" mass="0"/>
        <body name="c" pos="0.2 0 0">
          <joint name="ball" type="ball"/>
          <geom type="ellipsoid" size="0.1 0.05 0.02"/>
        </body>
      </body>
    </body>
    <body name="d" pos="0.3 0.1 0.25">
      <freejoint name="free"/>
      <geom type="cylinder" size="0.05 0.1"/>
      <body name="plate" pos="0 0 0.1"><geom type="sphere" size="0.03"/></body>
    </body>
  </worldbody>
  <equality>
    <connect name="pin" body1="c" body2="d" anchor="0.05 0 0"/>
    <joint name="gear" joint1="j1" joint2="j3" polycoef="0 2 0 0 0"/>
  </equality>
  <actuator><motor name="m1" joint="j1" gear="5"/></actuator>
</mujoco>
"""


def both(text=ROBOT):
    return lw.build(from_mjcf(text).mechanism), mujoco.MjModel.from_xml_string(text)


def state(ours, peer, rng):
    """One random state in the coordinates of both; ours are zero as drawn, floating joints' velocities in our order."""
    data = mujoco.MjData(peer)
    q, v = np.zeros(ours.nq), rng.normal(size=ours.nv)
    for name, value in zip(("j1", "j2", "j3"), rng.uniform(-0.8, 0.8, 3), strict=True):
        q[ours.q_names.index(name)] = value
        data.joint(name).qpos = value + peer.qpos0[peer.joint(name).qposadr[0]]
        data.joint(name).qvel = v[ours.v_names.index(name)]
    ball, free = rng.normal(size=4), rng.normal(size=7)
    ball, free[3:] = ball / np.linalg.norm(ball), free[3:] / np.linalg.norm(free[3:])
    first = ours.q_names.index("ball.qw")
    q[first : first + 4] = data.joint("ball").qpos = ball
    first = ours.q_names.index("free.x")
    q[first : first + 7] = data.joint("free").qpos = free
    first = ours.v_names.index("ball.wx")
    data.joint("ball").qvel = v[first : first + 3]
    first = ours.v_names.index("free.wx")
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, free[3:])
    turn = rotation.reshape(3, 3)
    data.joint("free").qvel = np.r_[turn @ v[first + 3 : first + 6], v[first : first + 3]]
    mujoco.mj_forward(peer, data)
    return q, v, data, turn


def to_ours(ours, peer, turn):
    """Matrix that takes MuJoCo's speeds to ours."""
    T = np.zeros((ours.nv, peer.nv))
    for name in ("j1", "j2", "j3"):
        T[ours.v_names.index(name), peer.joint(name).dofadr[0]] = 1.0
    i, j = ours.v_names.index("ball.wx"), peer.joint("ball").dofadr[0]
    T[i : i + 3, j : j + 3] = np.eye(3)
    i, j = ours.v_names.index("free.wx"), peer.joint("free").dofadr[0]
    T[i : i + 3, j + 3 : j + 6] = np.eye(3)
    T[i + 3 : i + 6, j : j + 3] = turn.T
    return T


FREELY = ROBOT.replace('damping="0.3"', "").replace('frictionloss="0.1"', "").replace('stiffness="20"', "")


def test_inertia_and_bias_are_mujocos():
    """T^T M T is MuJoCo's inertia and T^T (h + M T_dot v) its bias, T from its speeds to ours."""
    ours, peer = both(FREELY)
    rng = np.random.default_rng(2)
    for _ in range(5):
        q, v, data, turn = state(ours, peer, rng)
        T, inertia = to_ours(ours, peer, turn), ours.mass_matrix(q)
        full = np.zeros((peer.nv, peer.nv))
        mujoco.mj_fullM(peer, data, full)
        assert T.T @ inertia @ T == pytest.approx(full, abs=1e-12)
        i = ours.v_names.index("free.wx")
        T_dot_v = np.zeros(ours.nv)
        T_dot_v[i + 3 : i + 6] = -np.cross(v[i : i + 3], v[i + 3 : i + 6])
        bias = T.T @ (ours.bias_forces(q, v) + inertia @ T_dot_v)
        assert bias == pytest.approx(data.qfrc_bias, abs=1e-11)


def test_what_is_closed_stays_closed():
    """MuJoCo's equality rows and ours vanish for the same speeds."""
    ours, peer = both()
    closed = ours.assemble()
    data = mujoco.MjData(peer)
    for name in ("j1", "j2", "j3"):
        data.joint(name).qpos = closed.q[ours.q_names.index(name)] + peer.qpos0[peer.joint(name).qposadr[0]]
    first = ours.q_names.index("ball.qw")
    data.joint("ball").qpos = closed.q[first : first + 4]
    first = ours.q_names.index("free.x")
    data.joint("free").qpos = closed.q[first : first + 7]
    mujoco.mj_forward(peer, data)
    rows = np.arange(data.nefc)[data.efc_type[: data.nefc] == mujoco.mjtConstraint.mjCNSTR_EQUALITY]
    assert np.abs(data.efc_pos[rows]).max() < 1e-10
    rotation = np.zeros(9)
    mujoco.mju_quat2Mat(rotation, closed.q[first + 3 : first + 7])
    T = to_ours(ours, peer, rotation.reshape(3, 3))
    theirs = data.efc_J.reshape(-1, peer.nv)[rows]
    assert len(rows) == 4 and ours.mobility == peer.nv - 4
    assert np.abs(theirs @ np.linalg.solve(T, ours.independent_map(closed.q))).max() < 1e-10


def test_what_the_model_says_is_kept():
    imported = from_mjcf(ROBOT)
    mech = imported.mechanism
    joints = {joint.name: joint for joint in mech.joints}
    assert mech.gravity == (0.3, -0.2, -9.7)
    assert joints["j2"].limits.lower == (-0.2,) and joints["j2"].limits.upper == (0.5,)
    assert joints["j2"].spring.stiffness == (20.0,) and joints["j2"].spring.rest == (0.1,)
    assert joints["j1"].friction.viscous == (0.3,) and joints["j3"].friction.coulomb == (0.1,)
    assert [frame.name for frame in mech.frames] == ["tip"]
    assert [(a.name, a.joint) for a in mech.actuators] == [("m1", "j1")]
    assert "after_j1" in mech.names and joints["plate_fixed"].child == "plate"
    notes = [str(note) for note in imported.notes]
    assert any("its coordinate is MuJoCo's minus 0.3" in note for note in notes)
    assert any("contacts are dropped" in note for note in notes)


@pytest.mark.parametrize(
    "old, new, message",
    [
        ('<connect name="pin"', '<connect active="false" name="pin"', "equality 'pin' is not active at the start"),
        ('gravity="0.3 -0.2 -9.7"', 'density="1.2"', "forces of the surrounding fluid dropped"),
        (
            'name="ball" type="ball"',
            'name="ball" type="ball" stiffness="3"',
            "joint 'ball': the spring of a spherical or floating",
        ),
        (
            '<freejoint name="free"/>',
            '<joint type="free" name="free" armature="1"/>',
            "joint 'free': armature of a floating",
        ),
        ('<freejoint name="free"/>', '<joint type="free" name="free" frictionloss="1"/>', "joint 'free': dry friction"),
        ('<motor name="m1" joint="j1"', '<motor name="m1" site="tip"', "actuator 'm1' drives no sliding or turning"),
        (
            "<actuator>",
            '<tendon><fixed name="t" stiffness="2"><joint joint="j1" coef="1"/><joint joint="j2" coef="1"/></fixed>'
            "</tendon><actuator>",
            "the stiffness of tendon 't' is dropped",
        ),
        (
            '<body name="d"',
            '<body name="held" mocap="true"><geom size="0.1"/></body><body name="d"',
            "'held' is moved from",
        ),
        ("<option ", '<option><flag spring="disable"/></option><option ', "switches spring off"),
    ],
)
def test_what_changes_the_motion_is_noted(old, new, message):
    assert old in ROBOT
    notes = [str(note) for note in from_mjcf(ROBOT.replace(old, new)).notes if note.matters]
    assert any(message in note for note in notes)


@pytest.mark.parametrize(
    "text, message",
    [
        ('<mujoco><include file="other.xml"/></mujoco>', "<include file='other.xml'> needs a folder"),
        ('<!DOCTYPE x [<!ENTITY a "b">]><mujoco/>', "document types and entities"),
        ("<mujoco><worldbody><body><joint/></body></worldbody></mujoco>", "MuJoCo does not accept the model"),
        ("<robot/>", "the outermost element is <robot>"),
        ("<mujoco", "this is not valid XML"),
    ],
)
def test_what_cannot_be_read_is_reported(text, message):
    with pytest.raises(FormatError) as caught:
        from_mjcf(text)
    assert message in str(caught.value)


def test_meshes_are_not_looked_for(tmp_path):
    text = ROBOT.replace("<equality>", '<asset><mesh name="m" file="missing.stl"/></asset><equality>').replace(
        '<site name="tip"', '<geom type="mesh" mesh="m"/><site name="tip"'
    )
    (tmp_path / "own.xml").write_text(text)
    with pytest.raises(FormatError, match=r"the mass of body 'a' comes from meshes that are not below .*--folder"):
        lw.load(tmp_path / "own.xml")
    drawn = from_mjcf(text.replace('type="mesh"', 'type="mesh" mass="0"'))
    assert not [note for note in drawn.notes if note.matters]
    found, plain = drawn.mechanism, from_mjcf(ROBOT).mechanism
    assert [body.inertia for body in found.bodies] == [body.inertia for body in plain.bodies]
    assert [s.solid for body in found.bodies for s in body.shapes if isinstance(s.solid, Mesh)] == [Mesh("missing.stl")]


def test_a_weld_closes_a_loop_of_revolutes():
    def rod(name, joint, length, x, inside=""):
        solid = f'<geom type="capsule" fromto="0 0 0 {length} 0 0" size="0.01"/>'
        return f'<body name="{name}" pos="{x} 0 0"><joint name="{joint}" axis="0 0 1"/>{solid}{inside}</body>'

    chain = rod("a", "A", 0.2, 0, rod("b", "B", 0.4, 0.2, rod("e", "C", 0.05, 0.4)))
    text = f"""<mujoco><worldbody>{chain}{rod("c", "D", 0.3, 0.5)}</worldbody>
      <equality><weld name="w" body1="c" body2="e" relpose="0.3 0 0 1 0 0 0"/></equality></mujoco>"""
    model = lw.build(from_mjcf(text).mechanism, actuated=["A"])
    closed = model.assemble(fixed={"A": 1.0})
    assert model.mobility == 1 and closed.residual < 1e-12
    e, c = (model.frame_pose(closed.q, body)[0] for body in "ec")
    assert np.linalg.norm(e - c) == pytest.approx(0.3)
