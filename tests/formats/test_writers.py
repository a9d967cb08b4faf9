"""Mechanisms handed on: what is written reads back as the same mechanics, here and in MuJoCo and Pinocchio."""

from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import linkwright as lw
from linkwright import catalog
from linkwright.algebra.transforms import RigidTransform
from linkwright.formats import from_mjcf, from_sdf, from_urdf, read, to_mjcf, to_sdf, to_urdf
from linkwright.formats.written_files import renamed_parts
from linkwright.joints import Distance, Spherical
from linkwright.mechanism import Actuator
from linkwright.mechanism.tree import coordinate_slices, spanning_tree
from linkwright.recursion.inertia import tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_bias_forces
from linkwright.recursion.poses import pose_of_frame

NAMES = [name for name in catalog.names() if name != "four-bar-flexible"]
TOLERANCE = 1e-9


def same_state(one, other, rng):
    """A random state of a mechanism, and the same state in the coordinates of its copy: joints keep their names, those
    of several coordinates may have become chains name_1, name_2."""
    ours, theirs = coordinate_slices(one.joints), coordinate_slices(other.joints)
    sizes = [spanning_tree(mech) for mech in (one, other)]
    q, v = np.zeros(sizes[0].nq), rng.uniform(-1, 1, sizes[0].nv)
    x, rows = np.zeros(sizes[1].nq), np.zeros(sizes[0].nv, dtype=int)
    for joint in one.joints:
        coords, dofs = ours[joint.name]
        values = rng.uniform(-0.6, 0.6, joint.kind.nq)
        if "qw" in joint.kind.q_parts:
            values[-4:] /= np.linalg.norm(values[-4:])
        q[coords] = values
        names = [joint.name] if joint.name in theirs else [f"{joint.name}_{i + 1}" for i in range(joint.kind.nv)]
        x[np.concatenate([np.r_[theirs[name][0]] for name in names]).astype(int)] = values
        rows[dofs] = np.concatenate([np.r_[theirs[name][1]] for name in names]).astype(int)
    return (q, v), (x, v[np.argsort(rows)] if len(rows) == sizes[1].nv else None), rows


def same_mechanics(one, other, seed=0):
    """Inertia and bias of the tree, and both sides of every loop, are where they were."""
    (q, v), (x, w), rows = same_state(one, other, np.random.default_rng(seed))
    ours, theirs = spanning_tree(one), spanning_tree(other)
    M, N = tree_mass_matrix(ours, q), tree_mass_matrix(theirs, x)[np.ix_(rows, rows)]
    assert np.abs(M - N).max() < TOLERANCE * np.abs(M).max()
    h = tree_bias_forces(ours, q, v)
    assert np.abs(h - tree_bias_forces(theirs, x, w)[rows]).max() < TOLERANCE * max(1.0, np.abs(h).max())
    loops = {loop.name: loop for loop in other.loops}
    for loop in one.loops:
        for side in (0, 1):
            a, b = (
                world(mech, tree, state, each, side)
                for mech, tree, state, each in ((one, ours, q, loop), (other, theirs, x, loops[loop.name]))
            )
            assert np.abs(a.r - b.r).max() < TOLERANCE
        assert type(loops[loop.name].kind) in (type(loop.kind), Spherical)


def world(mech, tree, q, loop, side):
    """A loop's frame seen from the base."""
    body, at = ((loop.parent, loop.at), (loop.child, loop.child_at))[side]
    if body == mech.base:
        return at
    i = [link.name for link in tree.links].index(body)
    return pose_of_frame(tree, q, i, tree.links[i].body @ at)


def upright(mech):
    return replace(mech, gravity=(0.0, 0.0, -9.81))


@pytest.mark.parametrize("name", NAMES)
def test_urdf_reads_back_as_the_same_mechanics(name):
    mech = upright(catalog.load(name))
    made = to_urdf(mech)
    assert not [loss for loss in made.losses if loss.matters]
    imported = from_urdf(made.text)
    assert not [note for note in imported.notes if note.severity == "error"]
    same_mechanics(mech, imported.mechanism)
    assert len(imported.mechanism.actuators) == len(mech.actuators)


@pytest.mark.parametrize("name", NAMES)
def test_mjcf_reads_back_as_the_same_mechanics(name):
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    mech = catalog.load(name)
    made = to_mjcf(mech)
    raised = [loss.subject for loss in made.losses if loss.code == "lost-inertia"]
    assert not [loss for loss in made.losses if loss.matters and loss.code != "lost-inertia"]
    back = from_mjcf(made.text).mechanism
    assert len(back.actuators) == len(mech.actuators)
    if raised:
        assert raised == ["link3"] and name == "puma-560"  # a table's inertia that no body can have
        return
    base = replace(
        back,
        base=mech.base,
        loops=tuple(_based(loop, mech.base) for loop in back.loops),
        joints=tuple(_based(joint, mech.base) for joint in back.joints),
        frames=tuple(replace(f, body=mech.base if f.body == "world" else f.body) for f in back.frames),
        forces=tuple(_based(strut, mech.base) for strut in back.forces),
    )
    same_mechanics(mech, base)


def _based(each, base):
    names = {side: base for side in ("parent", "child") if getattr(each, side) == "world"}
    return replace(each, **names)


@pytest.mark.parametrize("name", ["four-bar", "gough-stewart", "3-rpr", "tricept", "orthoglide"])
def test_pinocchio_reads_the_same_trees(name):
    """Its own URDF reader, on the text without loops."""
    pin = pytest.importorskip("pinocchio", reason="Pinocchio (pip package pin) is not installed")
    mech = upright(catalog.load(name))
    text = to_urdf(mech).text
    copy, model = from_urdf(text).mechanism, pin.buildModelFromXML(text)
    from tests.corpus.by_pinocchio import Peer, _matched
    from tests.crosscheck import peer as built

    theirs = Peer(copy, _matched(copy, built.peer(copy), model), "own reader")
    rng = np.random.default_rng(1)
    (q, v), (x, w), rows = same_state(mech, copy, rng)
    data = model.createData()
    y, (T, T_dot) = theirs.coordinates(x), theirs.model.velocities(x, w)
    M = np.array(pin.crba(model, data, y))
    M = np.triu(M) + np.triu(M, 1).T
    rotors, resisting = theirs.passive(x, w)  # Pinocchio reads no rotor inertia and leaves damping to its user
    ours = tree_mass_matrix(spanning_tree(mech), q)
    assert np.abs(ours - (T.T @ M @ T + np.diag(rotors))[np.ix_(rows, rows)]).max() < TOLERANCE * np.abs(ours).max()
    h = T.T @ (pin.nonLinearEffects(model, data, y, T @ w) + M @ T_dot @ w)
    assert tree_bias_forces(spanning_tree(mech), q, v) == pytest.approx(
        (h + resisting)[rows], rel=TOLERANCE, abs=TOLERANCE
    )


@pytest.mark.parametrize("dialect", ["plus", "extended"])
@pytest.mark.parametrize("name", ["four-bar", "3-rps"])
def test_closed_loops_move_alike_in_both_dialects(name, dialect, tmp_path):
    mech = upright(catalog.load(name))
    lw.save(mech, tmp_path / "copy.urdf", dialect=dialect)
    assert (tmp_path / "copy.yaml").exists() == (dialect == "extended")
    copy = read(tmp_path / "copy.urdf").mechanism
    ours, theirs = lw.build(mech), lw.build(copy)
    assert (ours.mobility, ours.na) == (theirs.mobility, theirs.na)
    q = ours.assemble().q
    start = {name: q[coords] for name, (coords, _) in coordinate_slices(mech.joints).items()}
    guess = np.concatenate([start.get(joint.name, np.zeros(joint.kind.nq)) for joint in copy.joints])
    at = {actuator.joint: float(start[actuator.joint][0]) for actuator in mech.actuators}
    x = theirs.assemble(guess=guess, fixed=at).q
    tau = np.linspace(0.3, 1.0, ours.na)
    a, b = (model.forward_dynamics(state, np.zeros(model.nv), tau) for model, state in ((ours, q), (theirs, x)))
    for joint in mech.joints:
        mine, other = coordinate_slices(mech.joints)[joint.name][1], coordinate_slices(copy.joints)[joint.name][1]
        assert a[mine] == pytest.approx(b[other], rel=1e-9, abs=1e-9)


def test_mujoco_itself_moves_as_we_do():
    """Constrained accelerations of a written platform from MuJoCo's own matrices."""
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    import mujoco

    from tests.corpus.by_mujoco import Peer

    mech = catalog.load("3-rps")
    text = to_mjcf(mech).text
    copy = from_mjcf(text).mechanism
    model = lw.build(copy)
    q = model.assemble().q
    v = model.independent_map(q) @ np.random.default_rng(2).uniform(-1, 1, model.mobility)
    tau = np.array([1.0, -2.0, 3.0])
    force = np.zeros(model.nv)
    for actuator, effort in zip(copy.actuators, tau, strict=True):
        force[model.v_names.index(actuator.joint)] = effort
    a = model.forward_dynamics(q, v, tau)
    assert Peer(copy, mujoco.MjModel.from_xml_string(text)).compare(q, v, a, force).difference < TOLERANCE


def by_name(mech, values):
    """Values of joints with one velocity, those of chains under the names they get."""
    found = {}
    for name, (_, dofs) in coordinate_slices(mech.joints).items():
        part = values[dofs]
        found |= {name: part[0]} if len(part) == 1 else {f"{name}_{i + 1}": x for i, x in enumerate(part)}
    return found


@pytest.mark.parametrize("name", NAMES)
def test_sdf_keeps_every_joint_at_its_home(name):
    """Inertia and bias of the trees that are the same, at the home, where the copy's coordinates are zero."""
    mech = catalog.load(name)
    made = to_sdf(mech)
    raised = [loss.subject for loss in made.losses if loss.code == "lost-inertia"]
    assert not [loss for loss in made.losses if loss.matters and loss.code != "lost-inertia"]
    copy = from_sdf(made.text).mechanism
    assert len(copy.actuators) == len(mech.actuators)
    if raised:
        assert raised == ["link3"] and name == "puma-560"  # a table's inertia that no body can have
        return
    floating = any("qw" in joint.kind.q_parts for joint in mech.joints)
    assert len(copy.loops) == len(mech.loops) - floating  # a platform that legs hold is carried by one of them
    if floating:
        return
    home = dict(mech.home)
    q = np.concatenate([home.get(joint.name, np.zeros(joint.kind.nq)) for joint in mech.joints])
    ours, theirs = spanning_tree(mech), spanning_tree(copy)
    v = np.random.default_rng(4).uniform(-1, 1, ours.nv)
    indices = coordinate_slices(copy.joints)
    rows = [indices[part if part in indices else f"{part}_joint"][1].start for part in by_name(mech, v)]
    M, N = tree_mass_matrix(ours, q), tree_mass_matrix(theirs, np.zeros(theirs.nq))
    assert np.abs(M - N[np.ix_(rows, rows)]).max() < TOLERANCE * np.abs(M).max()
    w = np.zeros(theirs.nv)
    w[rows] = v
    h = tree_bias_forces(ours, q, v)
    assert np.abs(h - tree_bias_forces(theirs, np.zeros(theirs.nq), w)[rows]).max() < TOLERANCE * max(
        1.0, np.abs(h).max()
    )


@pytest.mark.parametrize("name", ["four-bar", "3-rps"])
def test_closed_loops_move_alike_in_sdf(name):
    """Accelerations from the home, in motion, of every joint that both have."""
    mech = catalog.load(name)
    copy = from_sdf(to_sdf(mech).text).mechanism
    ours, theirs = lw.build(mech), lw.build(copy)
    assert (ours.mobility, ours.na) == (theirs.mobility, theirs.na)
    q = ours.assemble().q
    x = theirs.assemble().q
    v = ours.independent_map(q) @ np.linspace(0.2, 0.8, ours.mobility)
    mine = by_name(mech, v)
    shared = {name: i for i, name in enumerate(theirs.v_names) if name in mine}
    J, w = theirs.closure_jacobian(x), np.zeros(theirs.nv)
    w[list(shared.values())] = [mine[name] for name in shared]
    rest = [i for i in range(theirs.nv) if i not in shared.values()]
    w[rest] = np.linalg.lstsq(J[:, rest], -J @ w, rcond=None)[0] if rest else ()
    assert np.abs(J @ w).max() < 1e-9
    tau = np.linspace(0.3, 1.0, ours.na)
    a, b = by_name(mech, ours.forward_dynamics(q, v, tau)), theirs.forward_dynamics(x, w, tau)
    assert len(shared) >= ours.na
    for name, i in shared.items():
        assert b[i] == pytest.approx(a[name], rel=1e-9, abs=1e-9)


SPECIAL = """
format: 1
name: everything
gravity: [0, 0, -9.81]
bodies:
  a: {mass: 1, com: [0.1, 0, 0], inertia: [0.01, 0.02, 0.02]}
  b: {mass: 2, com: [0, 0.1, 0], inertia: [0.02, 0.01, 0.02]}
  c: {mass: 1, com: [0, 0, 0.1], inertia: [0.01, 0.01, 0.01]}
joints:
  i:
    {type: screw, axis: z, pitch: 0.1, parent: ground, child: a, at: [0.1, 0, 0],
     child_at: {xyz: [0, 0.2, 0], rpy: [0.3, 0.2, 0.1]}}
  j: {type: cylindrical, axis: y, parent: a, child: b, at: [0.3, 0, 0], friction: {viscous: [0.2, 0.3]}}
  k: {type: revolute, axis: x, parent: b, child: c, spring: {stiffness: 3, rest: 0.2}, armature: 0.1}
loops:
  rod: {type: distance, length: 0.9, parent: ground, child: c, at: [0, 0, 0.3], child_at: [0.1, 0, 0]}
couplings: {g: {terms: {i: 1, k: -2}, offset: 0.1}}
struts: {s: {parent: a, child: c, at: [0, 0, 0.1], child_at: [0, 0.1, 0], stiffness: 5, length: 0.2, damping: 1}}
actuators: {m: {joint: k, gear: 10, rotor_inertia: 1e-3, effort: 4}}
frames: {tip: {body: c, at: [0, 0, 0.2]}}
"""


def test_what_urdf_cannot_say_is_listed():
    made = to_urdf(lw.formats.from_yaml(SPECIAL))
    codes = {loss.code: loss for loss in made.losses if loss.matters}
    assert set(codes) == {"lost-spring"}
    copy = from_urdf(made.text).mechanism
    assert copy.loops[0].kind == Distance(0.9) and len(copy.couplings) == 2 and copy.forces[0].stiffness == 5.0
    assert copy.actuators[0].rotor_inertia == pytest.approx(1e-3 + 0.1 / 10.0**2)  # with the joint's armature
    assert copy.actuators[0].gear == 10.0
    assert {joint.name for joint in copy.joints} >= {"i_1", "i_2", "j_1", "j_2", "k", "tip_joint"}


@pytest.mark.parametrize(("write", "back"), [(to_urdf, from_urdf), (to_sdf, from_sdf)])
def test_the_armature_of_a_driven_joint_is_written_as_a_rotor(write, back):
    """At a driven joint the mass matrix stays; a joint that nobody drives loses its armature, with a warning."""
    mech = upright(catalog.load("three-link-arm"))
    first, second, *others = mech.joints
    geared = (Actuator("drive", first.name, gear=5.0, rotor_inertia=1e-3),)
    mech = replace(mech, joints=(replace(first, armature=(0.4,)), second, *others), actuators=geared)
    made = write(mech)
    assert not [loss for loss in made.losses if loss.matters]
    same_mechanics(mech, back(made.text).mechanism)
    idle = replace(mech, joints=(first, replace(second, armature=(0.4,)), *others))
    assert [loss.code for loss in write(idle).losses if loss.matters] == ["lost-armature"]


def test_mjcf_says_springs_screws_and_rods():
    pytest.importorskip("mujoco", reason="mujoco is not installed")
    made = to_mjcf(lw.formats.from_yaml(SPECIAL))
    assert not [loss for loss in made.losses if loss.matters]
    copy = from_mjcf(made.text).mechanism
    joints = {joint.name: joint for joint in copy.joints}
    assert joints["k"].spring.stiffness == (3.0,) and joints["k"].armature == pytest.approx((0.2,))
    assert copy.loops[0].kind == Distance(pytest.approx(0.9)) and copy.forces[0].damping == 1.0
    assert {coupling.name: dict(coupling.terms) for coupling in copy.couplings} == {
        "i": {"i_2": 1.0, "i_1": -0.1},
        "g": {"i_1": 1.0, "k": -2.0},
    }


def test_a_sidecar_does_not_replace_a_mechanism(tmp_path):
    mech = catalog.load("four-bar")
    lw.save(mech, tmp_path / "a.yaml")
    with pytest.raises(lw.errors.FormatError, match="is not replaced"):
        lw.save(mech, tmp_path / "a.urdf", dialect="extended")
    with pytest.warns(lw.errors.FormatWarning, match="gravity"):
        losses = lw.save(mech, tmp_path / "a.urdf")
    assert [loss.code for loss in losses if loss.matters] == ["lost-gravity"]


def test_unknown_endings_and_dialects_are_refused(tmp_path):
    mech = catalog.load("four-bar")
    with pytest.raises(lw.errors.FormatError, match="is not written"):
        lw.save(mech, tmp_path / "a.docx")
    with pytest.raises(lw.errors.ArgumentError, match="only URDF and SDF have dialects"):
        lw.save(mech, tmp_path / "a.xml", dialect="plus")
    with pytest.raises(lw.errors.ArgumentError, match="expected one of plus, extended"):
        to_urdf(mech, "other")
    with pytest.raises(lw.errors.ArgumentError, match="expected one of joints, drake"):
        to_sdf(mech, dialect="other")
    with pytest.raises(lw.errors.MechanismError, match="flexible links"):
        to_urdf(catalog.load("four-bar-flexible"))


def test_poses_survive_the_angles_of_urdf():
    from linkwright.formats.written_files import rpy_of_pose

    rng = np.random.default_rng(3)
    quaternions = [*rng.normal(size=(50, 4)), (1, 0, 1, 0), (1, 0, -1, 0), (0.5, 0.5, 0.5, 0.5)]
    for wxyz in quaternions:
        pose = RigidTransform.from_quaternion((0, 0, 0), wxyz)
        assert np.abs(RigidTransform.from_rpy((0, 0, 0), rpy_of_pose(pose)).R - pose.R).max() < 1e-14


def model_of_sdf(text):
    """The model of an SDF file, whose names follow the rules that libsdformat and Drake refuse files by."""
    world = ElementTree.fromstring(text).find("world")
    (model,) = world.findall("model")
    parts = [*model.findall("link"), *model.findall("joint"), *model.findall("frame")]
    names = [part.attrib["name"] for part in parts]
    assert len({*names}) == len(names)
    for name in (world.attrib["name"], model.attrib["name"], *names):
        assert name and name != "world" and "::" not in name
        assert not (name.startswith("__") and name.endswith("__"))
    return model


@pytest.mark.parametrize("dialect", ["joints", "drake"])
@pytest.mark.parametrize("name", NAMES)
def test_sdf_follows_the_rules_of_other_readers(name, dialect):
    """Names; moments of a body; constraints between links of the model; without loops in joints for Drake."""
    model = model_of_sdf(to_sdf(upright(catalog.load(name)), dialect=dialect).text)
    links = {link.attrib["name"] for link in model.findall("link")}
    for link in model.findall("link"):
        x = {each.tag: float(each.text) for each in link.find("inertial/inertia")}
        tensor = [[x["ixx"], x["ixy"], x["ixz"]], [x["ixy"], x["iyy"], x["iyz"]], [x["ixz"], x["iyz"], x["izz"]]]
        a, b, c = np.linalg.eigvalsh(tensor)
        assert a >= -1e-12 * c and c <= (a + b) * (1.0 + 1e-9)
    joined = [joint.findtext("child") for joint in model.findall("joint")]
    if dialect == "drake":
        assert len({*joined}) == len(joined) and {*joined} <= links
    ends = [each.text for each in model.iter() if each.tag.endswith(("_body_A", "_body_B"))]
    assert {*ends} <= links


def test_reserved_names_are_changed_in_sdf():
    """Names as nested models leave them, and those that SDF keeps for itself."""
    mech = catalog.load("four-bar")
    joint = mech.joints[0].name
    names = {"crank": "leg::crank", "coupler": "world", "rocker": "leg.crank", joint: "__A__"}
    named = replace(renamed_parts(mech, lambda name: names.get(name, name)), name="a::b")
    for dialect in ("joints", "drake"):
        made = to_sdf(upright(named), dialect=dialect)
        model_of_sdf(made.text)
        assert any("4 names are reserved" in loss.message for loss in made.losses)
        copy = from_sdf(made.text).mechanism
        assert len(copy.bodies) == 3 and copy.joints[0].name == "A"
        assert lw.build(copy).mobility == 1


@pytest.mark.parametrize("name", ["four-bar", "delta", "andrews-squeezer", "orthoglide"])
def test_loops_of_drake_are_the_same_loops(name):
    """A revolute joint is two points that stay together; the base is a link where a point of it is needed."""
    mech = upright(catalog.load(name))
    copy = from_sdf(to_sdf(mech, dialect="drake").text).mechanism
    ours, theirs = lw.build(mech), lw.build(copy)
    assert ours.mobility == theirs.mobility and len(mech.forces) == len(copy.forces)
    if mech.actuators:
        q, x = ours.assemble().q, theirs.assemble().q
        a = ours.forward_dynamics(q, np.zeros(ours.nv), np.zeros(ours.na))
        b = theirs.forward_dynamics(x, np.zeros(theirs.nv), np.zeros(theirs.na))
        named = dict(zip(theirs.v_names, b, strict=True))
        shared = [(value, named[each]) for each, value in zip(ours.v_names, a, strict=True) if each in named]
        assert shared and np.abs(np.diff(shared)).max() <= 1e-7 * max(1.0, np.abs(a).max())


def test_gravity_that_drake_does_not_read_is_reported():
    made = to_sdf(replace(catalog.load("four-bar"), gravity=(0.0, -9.81, 0.0)), dialect="drake")
    assert [loss.code for loss in made.losses if loss.matters] == ["lost-gravity"]
