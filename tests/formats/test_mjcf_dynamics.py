"""MJCF: on random models, inertia and accelerations are those that MuJoCo itself computes."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest

from linkwright.errors import LinkwrightError
from linkwright.formats import from_mjcf
from linkwright.formats.mjcf.source import ATTRIBUTES, HARMLESS
from linkwright.mechanism.tree import coordinate_slices, spanning_tree
from linkwright.recursion.forward_recursion import tree_forward_dynamics
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_bias_forces

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

TOLERANCE = 1e-9
NEWER = hasattr(mujoco.MjModel, "actuator_armature")  # MuJoCo 3.5 and later: inertia and damping of actuators


@pytest.fixture(autouse=True)
def where_mujoco_writes_its_log(tmp_path, monkeypatch):
    """MuJoCo writes its warnings into a file of the folder it runs in."""
    monkeypatch.chdir(tmp_path)


def xml(x):
    return " ".join(f"{float(y)!r}" for y in np.atleast_1d(x))


def joint(rng, name, kind, friction):
    """A joint with everything that its kind may carry here."""
    text = f'<joint name="{name}" type="{kind}" pos="{xml(0.1 * rng.normal(size=3))}" axis="{xml(rng.normal(size=3))}"'
    text += f' damping="{xml(rng.uniform(0, 2))}"' * (rng.random() < 0.7)
    if kind != "free":
        text += f' armature="{xml(rng.uniform(0, 0.5))}"' * (rng.random() < 0.7)
        text += f' frictionloss="{xml(rng.uniform(0.1, 1.0))}"' * (friction and rng.random() < 0.7)
    if kind in ("hinge", "slide"):
        text += f' stiffness="{xml(rng.uniform(1, 9))}" springref="{xml(rng.normal())}"' * (rng.random() < 0.5)
        text += f' ref="{xml(rng.normal())}"' * (rng.random() < 0.5)
    return text + "/>"


def body(rng, names, depth, friction):
    """A body with its joints and the bodies it carries."""
    kinds = [rng.choice(["hinge", "slide"]) for _ in range(rng.integers(1, 3))] if rng.random() < 0.7 else ["ball"]
    if depth == 0 and rng.random() < 0.3:
        kinds = ["free"]
    joints = ""
    for kind in kinds:
        names.append((f"j{len(names)}", str(kind)))
        joints += joint(rng, *names[-1], friction)
    root = 0.2 * rng.normal(size=(3, 3))
    S = root @ root.T + 1e-2 * np.eye(3)
    J = np.trace(S) * np.eye(3) - S
    full = xml([J[0, 0], J[1, 1], J[2, 2], J[0, 1], J[0, 2], J[1, 2]])
    inertial = (
        f'<inertial mass="{xml(rng.uniform(0.5, 2))}" pos="{xml(0.2 * rng.normal(size=3))}" fullinertia="{full}"/>'
    )
    inside = "".join(body(rng, names, depth + 1, friction) for _ in range(rng.integers(0, 3) if depth < 2 else 0))
    carried = f'gravcomp="{xml(rng.choice([0.0, 0.5, 1.0, 1.3]))}"'
    where = f'pos="{xml(rng.normal(size=3))}" quat="{xml(rng.normal(size=4))}"'
    return f"<body {where} {carried}>{joints}{inertial}{inside}</body>"


def model_text(rng, friction=False):
    names = []
    bodies = "".join(body(rng, names, 0, friction) for _ in range(rng.integers(1, 3)))
    single = [name for name, kind in names if kind in ("hinge", "slide")]
    own = 'armature="0.03" damping="0.4"' if NEWER else ""
    actuators = "".join(
        f'<motor name="m{name}" joint="{name}" gear="{xml(rng.uniform(-4, 4))}" {own if rng.random() < 0.5 else ""}/>'
        for name in single
        if rng.random() < 0.6
    )
    return f"""<mujoco><compiler angle="radian" autolimits="true"/><option gravity="{xml(5 * rng.normal(size=3))}"/>
    <worldbody>{bodies}</worldbody><actuator>{actuators}</actuator></mujoco>"""


def states(mech, peer, rng):
    """One state in both: our q and v, MuJoCo's data, T with v = T(q) qvel, and T_dot qvel."""
    data, tree, slices = mujoco.MjData(peer), spanning_tree(mech), coordinate_slices(mech.joints)
    data.qvel, data.ctrl = rng.normal(size=peer.nv), rng.normal(size=peer.nu)
    q, T, rate = np.zeros(tree.nq), np.zeros((tree.nv, peer.nv)), np.zeros(tree.nv)
    for j in range(peer.njnt):
        kind, a, d = int(peer.jnt_type[j]), int(peer.jnt_qposadr[j]), int(peer.jnt_dofadr[j])
        coords, dofs = slices[peer.joint(j).name]
        nv = dofs.stop - dofs.start
        x = rng.normal(size=coords.stop - coords.start)
        if kind <= 1:
            x[-4:] /= np.linalg.norm(x[-4:])
        q[coords] = x
        data.qpos[a : a + len(x)] = x + (peer.qpos0[a] if kind > 1 else 0.0)
        T[dofs, d : d + nv] = np.eye(nv)
        if kind == 0:
            R = np.zeros(9)
            mujoco.mju_quat2Mat(R, x[3:])
            R = R.reshape(3, 3)
            T[dofs, d : d + 6] = np.block([[np.zeros((3, 3)), np.eye(3)], [R.T, np.zeros((3, 3))]])
            rate[dofs][3:] = -np.cross(data.qvel[d + 3 : d + 6], R.T @ data.qvel[d : d + 3])
    mujoco.mj_forward(peer, data)
    return q, T @ data.qvel, data, T, rate


def efforts(mech, peer, data):
    """Forces of the actuators along our velocities."""
    force, slices = np.zeros(spanning_tree(mech).nv), coordinate_slices(mech.joints)
    actuators = {actuator.name: actuator for actuator in mech.actuators}
    for i in range(peer.nu):
        force[slices[actuators[peer.actuator(i).name].joint][1]] += peer.actuator_gear[i][0] * data.ctrl[i]
    return force


@pytest.mark.parametrize("seed", range(100))
def test_inertia_and_accelerations_are_mujocos(seed):
    """With armature, damping, springs, gravity compensation and geared actuators at joints of every kind."""
    rng = np.random.default_rng(seed)
    text = model_text(rng)
    imported, peer = from_mjcf(text), mujoco.MjModel.from_xml_string(text)
    assert not [note for note in imported.notes if note.matters]
    mech, tree = imported.mechanism, spanning_tree(imported.mechanism)
    q, v, data, T, rate = states(mech, peer, rng)
    full = np.zeros((peer.nv, peer.nv))
    mujoco.mj_fullM(peer, data, full)
    assert np.abs(T.T @ tree_mass_matrix(tree, q) @ T - full).max() < TOLERANCE * np.abs(full).max()
    a, expected = tree_forward_dynamics(tree, q, v, efforts(mech, peer, data)), T @ data.qacc + rate
    assert np.abs(a - expected).max() < TOLERANCE * max(1.0, np.abs(expected).max())


@pytest.mark.parametrize("seed", range(20))
def test_dry_friction_is_mujocos_where_joints_slide(seed):
    """Away from standstill MuJoCo's friction constraint is at its bound, and ours within slip^2 / 2 v^2 of it."""
    rng = np.random.default_rng(seed)
    text = model_text(rng, friction=True)
    mech, peer = from_mjcf(text).mechanism, mujoco.MjModel.from_xml_string(text)
    smooth = from_mjcf(re.sub(r' frictionloss="[^"]*"', "", text)).mechanism
    q, v, _, T, _ = states(mech, peer, rng)
    v = np.sign(v) * (1.0 + np.abs(v))
    added = tree_bias_forces(spanning_tree(mech), q, v) - tree_bias_forces(spanning_tree(smooth), q, v)
    assert added == pytest.approx(np.sign(v) * (T @ peer.dof_frictionloss), abs=1e-6)


# --- Every attribute of every element: what changes MuJoCo's accelerations changes ours as much, or is listed.

FULL = """<mujoco model="r"><compiler angle="radian" autolimits="true"/><option gravity="1 2 -9"><flag/></option>
<default><joint damping="0.1"/></default>
<worldbody><site name="s0" pos="0.2 0.1 0.5"/>
  <body name="a" pos="1 0 0"><inertial pos="0.1 0 0" mass="1" diaginertia="1 1.2 1.3"/>
    <joint name="i" axis="0 1 0" range="-900 900" armature="0.1" stiffness="2" springref="0.1"/>
    <site name="s" pos="0.3 0 0.1"/>
    <body name="b" pos="1 0 0"><joint name="j" axis="0 1 1" type="slide"/>
      <geom name="g" size="0.1" mass="1" pos="0.1 0.2 0.1"/>
      <geom name="h" type="box" size="0.1 0.2 0.3" mass="0.5" pos="0.3 0.2 0.1"/>
      <body name="d" pos="0 1 0"><inertial pos="0.1 0 0" mass="1" diaginertia="1 1 1"/>
        <joint name="k" type="ball"/></body></body></body>
</worldbody>
<tendon><fixed name="t"><joint joint="i" coef="1"/><joint joint="j" coef="0.5"/></fixed>
  <spatial name="p"><site site="s0"/><site site="s"/></spatial></tendon>
<actuator><motor name="m" joint="i" gear="3"/></actuator></mujoco>"""
VALUES = (
    *("0.3", "2", "-1", "true", "false", "enable", "disable", "0.3 0.2", "0.3 0.2 0.1", "0.5 0.5 0.5 0.5", "degree"),
    *("1 0 0 0 0 0", "0.9 0.8 0.7 0.1 0.02 0.03", "hinge", "slide", "i", "a", "s", "fixed", "affine", "capsule"),
)
CONTAINERS = ("default", "worldbody", "tendon", "actuator")
"""Elements of FULL to which MuJoCo takes no attribute with any of these values."""
ELEMENTS_OF_FULL = [*dict.fromkeys(each.tag for each in ET.fromstring(FULL).iter())]
# Bounds are reported and do not push; friction slips a little (the law above); soft constraints are not read.
BOUNDS = {("joint", "range"), ("joint", "margin"), ("joint", "limited"), ("spatial", "range"), ("fixed", "range")}
BOUNDS |= {("motor", "ctrlrange"), ("motor", "forcerange"), ("joint", "actuatorfrcrange"), ("joint", "frictionloss")}
BOUNDS |= {("spatial", "actuatorfrcrange"), ("fixed", "actuatorfrcrange")}


def changed_texts(tag):
    """FULL with one attribute of the first element of a kind set to each value, for those that MuJoCo knows."""
    i = [each.tag for each in ET.fromstring(FULL).iter()].index(tag)
    for name in sorted({*ATTRIBUTES.get(tag, "").split(), *HARMLESS.split()} - {"name"}):
        for value in VALUES:
            root = ET.fromstring(FULL)
            [*root.iter()][i].set(name, value)
            text = ET.tostring(root, encoding="unicode")
            if is_unknown_to_mujoco(text):
                break
            yield name, value, text


def is_unknown_to_mujoco(text):
    try:
        mujoco.MjModel.from_xml_string(text)
    except ValueError as error:
        return "unrecognized attribute" in str(error)
    return False


def accelerations_of_mujoco(text):
    """Of a state, as its joints have it; None where MuJoCo does not take the text."""
    try:
        peer = mujoco.MjModel.from_xml_string(text)
    except ValueError:
        return None
    rng, data = np.random.default_rng(3), mujoco.MjData(peer)
    data.qvel, data.ctrl = rng.normal(size=peer.nv), rng.normal(size=peer.nu)
    data.qpos[:2] = 0.3, 0.2
    mujoco.mj_forward(peer, data)
    return data.qacc.copy()


def has_mujocos_accelerations(text, imported):
    rng, peer = np.random.default_rng(3), mujoco.MjModel.from_xml_string(text)
    mech, tree = imported.mechanism, spanning_tree(imported.mechanism)
    q, v, data, T, rate = states(mech, peer, rng)
    found, expected = tree_forward_dynamics(tree, q, v, efforts(mech, peer, data)), T @ data.qacc + rate
    return np.abs(found - expected).max() < 1e-7 * max(1.0, np.abs(expected).max())


@pytest.mark.skipif(not NEWER, reason="attributes of newer versions")
@pytest.mark.filterwarnings("ignore:compiler attribute|Inertia matrix is too close:UserWarning")
@pytest.mark.parametrize("tag", ELEMENTS_OF_FULL)
def test_an_attribute_that_changes_the_motion_is_read_or_listed(tag):
    usual, silent, compared = accelerations_of_mujoco(FULL), [], 0
    known = {note.message for note in from_mjcf(FULL).notes if note.matters}
    for name, value, text in changed_texts(tag):
        found = None if (tag, name) in BOUNDS else accelerations_of_mujoco(text)
        compared += found is not None
        if found is None or (found.shape == usual.shape and np.allclose(found, usual, rtol=1e-7, atol=1e-9)):
            continue
        try:
            imported = from_mjcf(text)
        except LinkwrightError:
            continue  # refused with its reason
        said = {note.message for note in imported.notes if note.matters}
        if said <= known and not has_mujocos_accelerations(text, imported):
            silent.append((name, value))
    assert silent == [] and (compared > 0) == (tag not in CONTAINERS)
