"""A kind of joint that no library has, as the page on it writes it, through everything the library does."""

import subprocess
import sys
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.functions.memo import source_stamp
from linkwright.joints import JointKind, joint_registry
from linkwright.mechanism.topology import turned_round
from tests.extension.pages import code_block, imported_block

PAGE = "write-your-own-joint.md"
RADIUS = 0.3
ARM = lw.RigidTransform.of((0.1, 0.0, 0.0))
BODY = lw.Inertia(2.0, (0.05, 0.02, 0.01), ((0.02, 0.001, 0.002), (0.001, 0.03, 0.0), (0.002, 0.0, 0.04)))


@pytest.fixture(scope="module")
def curved_slide(tmp_path_factory):
    kind = imported_block(PAGE, tmp_path_factory.mktemp("page")).CurvedSlide
    yield kind
    joint_registry.KINDS.pop("curvedslide")
    joint_registry._sources.pop("curvedslide")


def tray(kind, **more):
    """A tray on a circle, and an arm on the tray."""
    joints = (
        lw.Joint("slide", "ground", "tray", kind, **more),
        lw.Joint("arm", "tray", "arm", lw.joints.Revolute((0.0, 0.6, 0.8)), lw.RigidTransform.of((0.1, 0.0, 0.05))),
    )
    return lw.Mechanism("tray", (lw.Body("tray", BODY), lw.Body("arm", BODY)), joints)


def crank_tray(kind):
    """The same motion by two equal cranks, with the slide as cut joint between ground and tray beside it."""
    pin = lw.joints.Revolute((0.0, 0.0, 1.0))
    down = lw.RigidTransform.of((0.0, -RADIUS, 0.0))
    joints = (
        lw.Joint("crank", "ground", "crank", pin, lw.RigidTransform.of((0.0, RADIUS, 0.0))),
        lw.Joint("pin", "crank", "tray", pin, down),
    )
    loops = (lw.Joint("slide", "ground", "tray", kind),)
    bodies = (lw.Body("crank", BODY), lw.Body("tray", BODY))
    return lw.Mechanism("crank tray", bodies, joints, loops)


def test_it_is_short():
    source = code_block(PAGE)
    assert len(source[source.index("@lw.joints.register") :].splitlines()) < 80


def test_a_tree_moves_as_one_of_slides_and_as_energy_says(curved_slide):
    model = lw.build(tray(curved_slide(radius=RADIUS)))
    q, v, a = np.array([0.7, -0.4]), np.array([1.3, -0.8]), np.array([0.5, 2.0])
    r, wxyz = model.body_poses(q)
    np.testing.assert_allclose(r[0], [RADIUS * np.sin(0.7), RADIUS * (1.0 - np.cos(0.7)), 0.0], atol=1e-14)
    np.testing.assert_allclose(abs(wxyz[0]), [1.0, 0.0, 0.0, 0.0], atol=1e-14)
    tau = model.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau), a, rtol=1e-11)
    h = 1e-5

    def kinetic(q, v):
        return 0.5 * v @ model.mass_matrix(q) @ v

    ahead, behind = (kinetic(q + s * h * v + 0.5 * h * h * a, v + s * h * a) for s in (1.0, -1.0))
    free = lw.build(lw.Mechanism("light", model.mechanism.bodies, model.mechanism.joints, gravity=(0.0, 0.0, 0.0)))
    np.testing.assert_allclose((ahead - behind) / (2.0 * h), v @ free.inverse_dynamics(q, v, a), rtol=1e-7)
    assert {w.shape for w in model.joint_reactions(q, v, a, tau).values()} == {(6,)}


def test_it_equals_two_cranks_as_cut_joint(curved_slide):
    """A crank with the slide closes to the motion of the slide alone; its body moves with one freedom."""
    model = lw.build(crank_tray(curved_slide(radius=RADIUS)), actuated=["crank"])
    q = model.assemble(fixed={"crank": 0.6}).q
    np.testing.assert_allclose(q, [0.6, -0.6], atol=1e-12)
    v, a = np.array([0.9, -0.9]), np.array([0.4, -0.4])
    tau = model.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau), a, rtol=1e-10)
    np.testing.assert_allclose(lw.build(model.mechanism, actuated=["slide"]).inverse_dynamics(q, v, a), tau, rtol=1e-10)
    for formulation in (lw.Minimal(), lw.Multipliers()):
        np.testing.assert_allclose(model.forward_dynamics(q, v, tau, formulation=formulation), a, rtol=1e-9)
    found = model.forward_kinematics(np.linspace(-1.0, 1.0, 7)[:, None], near=q)
    np.testing.assert_allclose(np.asarray(found[0])[:, 1], -np.linspace(-1.0, 1.0, 7), atol=1e-10)


FILE = """
format: 1
name: tray
bodies:
  tray: {{mass: 2 kg, com: [5 cm, 2 cm, 1 cm], inertia: [0.02, 0.03, 0.04]}}
  arm: {{mass: 1 kg, com: [0, 10 cm, 0], inertia: [0.02, 0.03, 0.04]}}
joints:
  slide:
    type: curvedslide
    parent: {0}
    child: {1}
    radius: 0.3 m
    axis: [0, 0.6, 0.8]
    at: {{xyz: [0.1 m, 0, 0]}}
    spring: {{stiffness: 3 N m/rad, rest: 0.2 rad}}
    friction: {{viscous: 0.4 N m s/rad, coulomb: 0.1 N m}}
    armature: 0.05 kg m^2
    limits: {{lower: -90 deg, upper: 90 deg, effort: 10 N m}}
  arm: {{type: revolute, parent: {2}, child: arm, axis: [0, 0, 1]}}
"""


@pytest.fixture(scope="module")
def drawn(curved_slide, tmp_path_factory):
    path = tmp_path_factory.mktemp("files") / "tray.yaml"
    path.write_text(FILE.format("ground", "tray", "tray"), encoding="utf-8")
    return lw.load(path)


def test_files_in_and_out(drawn, curved_slide, tmp_path):
    assert drawn.joints[0].kind == curved_slide((0.0, 0.6, 0.8), 0.3)
    lw.save(drawn, tmp_path / "again.yaml")
    assert lw.load(tmp_path / "again.yaml") == drawn


def test_springs_friction_and_limits_act_along_its_coordinate(drawn):
    model, free = lw.build(drawn), without_forces(drawn)
    q, v, a = np.array([0.5, 0.3]), np.array([0.7, -0.2]), np.array([1.0, 0.5])
    more = model.inverse_dynamics(q, v, a) - free.inverse_dynamics(q, v, a)
    slip = drawn.joints[0].friction.slip
    dry = 0.1 * 0.7 / np.sqrt(0.7**2 + (slip if np.isscalar(slip) else slip[0]) ** 2)
    np.testing.assert_allclose(more, [3.0 * 0.3 + 0.4 * 0.7 + dry + 0.05 * 1.0, 0.0], atol=1e-12)


def without_forces(mech):
    slide, arm = mech.joints
    bare = lw.Joint(slide.name, slide.parent, slide.child, slide.kind, slide.at, slide.child_at)
    return lw.build(lw.Mechanism("free", mech.bodies, (bare, arm)))


def test_a_reversed_joint_keeps_coordinates_and_efforts(curved_slide):
    """The body is drawn as the parent: the motion is the inverse, coordinates and efforts are those of the drawing."""
    slide = lw.Joint(
        "slide", "tray", "ground", curved_slide((0.0, 0.6, 0.8), RADIUS), lw.RigidTransform.of((0.1, 0, 0))
    )
    arm = lw.Joint("arm", "tray", "arm", lw.joints.Revolute())
    model = lw.build(
        lw.Mechanism("reversed", (lw.Body("tray", BODY), lw.Body("arm", BODY)), (turned_round(slide), arm))
    )
    q, v, a = np.array([0.5, 0.3]), np.array([0.7, -0.2]), np.array([1.0, 0.5])
    across = np.array([np.sin(0.5), 1.0 - np.cos(0.5)]) * RADIUS
    r, _ = model.body_poses(q)
    assert np.isclose(np.linalg.norm(r[0] + [0.1, 0.0, 0.0]), np.linalg.norm(across))
    tau = model.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(model.forward_dynamics(q, v, tau), a, rtol=1e-10)
    h = 1e-5
    still = lw.build(replace(model.mechanism, gravity=(0.0, 0.0, 0.0)))
    ahead, behind = (still.energy(q + s * h * v + 0.5 * h * h * a, v + s * h * a)[0] for s in (1.0, -1.0))
    np.testing.assert_allclose((ahead - behind) / (2.0 * h), v @ still.inverse_dynamics(q, v, a), rtol=1e-6)


def test_derivatives_regressor_inputs_and_batches(drawn):
    model = lw.build(drawn, inputs=["joints.slide.radius"])
    q, v, tau = np.array([0.5, 0.3]), np.array([0.7, -0.2]), np.array([1.0, 0.5])
    p = np.array([0.3])
    exact = model.parameter_jacobian("forward_dynamics", q, v, tau)
    step = 1e-6
    pair = [model.forward_dynamics(q, v, tau, p=p + s * step) for s in (1.0, -1.0)]
    np.testing.assert_allclose(np.asarray(exact)[..., 0], (pair[0] - pair[1]) / (2.0 * step), rtol=1e-5)
    rows = model.forward_dynamics(np.tile(q, (5, 1)), np.tile(v, (5, 1)), np.tile(tau, (5, 1)))
    np.testing.assert_array_equal(rows, np.tile(model.forward_dynamics(q, v, tau), (5, 1)))


def test_runs_keep_their_energy(drawn):
    model = without_forces(drawn)
    run = lw.simulate(model, [0.5, 0.3], [0.0, 0.0], 1.0)
    kinetic, potential = model.energy(run.q, run.v)
    assert np.ptp(run.v[:, 0]) > 0.1
    assert np.ptp(kinetic + potential) < 1e-6


def test_checks_pictures_and_code(drawn, tmp_path):
    assert not [x for x in lw.check(drawn).findings if x.severity == "error"]
    lw.view(drawn, tmp_path / "page.html")
    lw.export.c_kit(lw.build(drawn)).write(tmp_path / "kit")
    assert (tmp_path / "page.html").stat().st_size > 10_000


def test_an_edited_kind_is_not_served_from_the_cache(curved_slide):
    before = source_stamp()
    kept = joint_registry._sources["curvedslide"]
    try:
        joint_registry._sources["curvedslide"] = kept + "\n# edited"
        assert source_stamp() != before
    finally:
        joint_registry._sources["curvedslide"] = kept
    assert source_stamp() == before


def test_what_cannot_be_computed_with_is_refused():
    with pytest.raises(lw.errors.ArgumentError, match="one of the library's"):
        lw.joints.register(type("Revolute", (JointKind,), {}))
    with pytest.raises(lw.errors.ArgumentError, match="closure_rows"):
        lw.joints.register(type("Hollow", (JointKind,), {}))
    rates = {"coordinate_rates": lambda self, q, v: 2.0 * v, "closure_rows": lambda self: ()}
    with pytest.raises(lw.errors.ArgumentError, match="velocities"):
        lw.joints.register(type("Doubled", (JointKind,), rates))
    quaternion = rates | {"coordinates": lw.joints.Spherical.coordinates, "velocities": lw.joints.Spherical.velocities}
    with pytest.raises(lw.errors.ArgumentError, match="no moved_coordinates"):
        lw.joints.register(type("Halved", (JointKind,), quaternion))


def test_a_plug_in_package_brings_its_joint(tmp_path):
    (tmp_path / "sliding_trays.py").write_text(code_block(PAGE), encoding="utf-8")
    info = tmp_path / "sliding_trays-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: sliding-trays\nVersion: 1.0\n", encoding="utf-8")
    (info / "entry_points.txt").write_text("[linkwright.joints]\nmine = sliding_trays\n", encoding="utf-8")
    (tmp_path / "tray.yaml").write_text(FILE.format("ground", "tray", "tray"), encoding="utf-8")
    script = f"""
import sys; sys.path.insert(0, {str(tmp_path)!r})
import linkwright as lw
mech = lw.load({str(tmp_path / "tray.yaml")!r})
print(type(mech.joints[0].kind).__module__, lw.build(mech).nv)
"""
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["sliding_trays", "2"]


def test_other_formats_write_it_as_steps_or_say_that_they_cannot(drawn, curved_slide):
    """A curved slide does not move as turns and slides in a row."""
    for write in (lw.formats.to_urdf, lw.formats.to_mjcf, lw.formats.to_sdf):
        with pytest.raises(lw.errors.MechanismError, match="curvedslide joint does not move as turning"):
            write(drawn)
        loop = crank_tray(curved_slide(radius=RADIUS))
        assert "lost-loop" in {each.code for each in write(loop).losses}
