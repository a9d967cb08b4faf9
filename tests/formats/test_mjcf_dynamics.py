"""MJCF: on random models, inertia and accelerations are those that MuJoCo itself computes."""

import re

import numpy as np
import pytest

from linkwright.formats import from_mjcf
from linkwright.mechanism.tree import coordinate_slices, spanning_tree
from linkwright.recursion.forward_recursion import tree_forward_dynamics
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_bias_forces

mujoco = pytest.importorskip("mujoco", reason="mujoco is not installed")

TOLERANCE = 1e-9
NEWER = hasattr(mujoco.MjModel, "actuator_armature")  # MuJoCo 3.5 and later: inertia and damping of actuators


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
