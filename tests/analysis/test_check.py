"""Findings of `check` on mechanisms whose faults are known; each is argued beside it."""

import json
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np
import pytest

import linkwright as lw
from linkwright import catalog
from linkwright.algebra.transforms import RigidTransform
from linkwright.analysis.check.check import check
from linkwright.formats import from_yaml
from linkwright.joints import Fixed, Revolute, Spherical, Universal
from linkwright.mechanism import Actuator, Coupling, Inertia, Mechanism
from tests.analysis import mechanisms as m
from tests.loops.mechanisms import NAMES


@dataclass(frozen=True)
class Known:
    """A mechanism and what must be reported of it."""

    mech: Mechanism
    count: int  # Gruebler's
    mobility: int | None
    verdict: str | None
    idle: int = 0
    code: int = 0
    reports: tuple[str, ...] = ()
    fixes: tuple[str, ...] = ()


def stewart(actuators: int) -> Mechanism:
    mech = catalog.load("gough-stewart")
    return replace(mech, actuators=mech.actuators[:actuators])


def too_far() -> Mechanism:
    """The rocker's foot moved so far away that crank, coupler and rocker cannot span the distance."""
    mech = m.four_bar("j1")
    far = tuple(replace(j, at=RigidTransform.of((30.0, 0.0, 0.0))) if j.name == "j4" else j for j in mech.joints)
    return replace(mech, joints=far)


def upside_down() -> Mechanism:
    """The cut hinge's axis points up on one body and down on the other."""
    mech = m.four_bar("j1")
    (loop,) = mech.loops
    turned = replace(loop, child_at=RigidTransform.of(loop.child_at.xyz, np.diag([1.0, -1.0, -1.0])))
    return replace(mech, loops=(turned,))


def with_home(mech: Mechanism, **home: float) -> Mechanism:
    return replace(mech, home=tuple((name, (x,)) for name, x in home.items()))


def thin(mech: Mechanism, body: str, mass: float = 1.0) -> Mechanism:
    bodies = tuple(replace(b, inertia=Inertia(mass)) if b.name == body else b for b in mech.bodies)
    return replace(mech, bodies=bodies)


MESH = Coupling("mesh", (("a", 1.0), ("b", 2.0)))

KNOWN = {
    # 3 bodies, 4 hinges: 18 - 20 = -2 in space, 9 - 8 = 1 in its plane: three equations per planar loop repeat
    "planar four-bar in space": Known(
        m.four_bar("j1"), -2, 1, "exact", reports=("moves in a plane but is drawn in space: 3 of its 5 equations",)
    ),
    # 4 bodies, 6 hinges: 24 - 30 = -6; in the plane 12 - 12 = 0, and equal cranks make one more equation repeat
    "parallelogram with an extra rod": Known(
        m.three_cranks(), -6, 1, "exact", reports=("4 of its 5 equations repeat",)
    ),
    # five hinges in a plane: 24 - 25 = -1 in space, 12 - 10 = 2 in the plane; one actuator leaves one motion
    "five-bar with one actuator": Known(
        m.five_bar("j1"),
        -1,
        2,
        "insufficient",
        reports=("actuator 'j1' drives 1 of 2 freedoms; with all actuators locked", "can still move"),
        fixes=("actuate also joint 'j",),
    ),
    "five-bar": Known(m.five_bar("j1", "j5"), -1, 2, "exact"),
    # both actuators turn the same four-bar; the arm on its coupler hangs free
    "actuators that repeat each other": Known(
        m.carried_arm("A", "D"),
        -1,
        2,
        "wrong",
        code=5,
        reports=(
            "2 actuators 'A', 'D' drive only 1 of 2 freedoms, because they repeat each other",
            "'E' (-1) can still move",
        ),
        fixes=("drive other joints, for example joints",),
    ),
    "carried arm, rightly driven": Known(m.carried_arm("A", "E"), -1, 2, "exact"),
    "four-bar with two actuators": Known(
        m.four_bar("j1", "j4"),
        -2,
        1,
        "redundant",
        reports=("2 actuators drive 1 freedom, so their efforts are not unique",),
    ),
    "four-bar without actuators": Known(
        m.four_bar(), -2, 1, "none", reports=("no actuators are named; the mechanism has 1 freedom to drive",)
    ),
    # Bricard's trihedral linkage moves with one freedom although six hinges in a ring count 30 - 30 = 0
    "bricard": Known(
        catalog.load("bricard"), 0, 1, "exact", reports=("over-constrained and moves only because of its special dim",)
    ),
    # Bennett 1903: opposite links equal and length over sine of twist the same; 18 - 20 = -2 on paper
    "bennett": Known(m.bennett(), -2, 1, "exact", reports=("special dimensions: 3 of its 5 equations repeat",)),
    # spherical joints at both ends of six rods: each spins about itself; the platform keeps its 3 freedoms: 9 = 3 + 6
    "delta with idle spins": Known(
        m.with_spherical_joints("delta", m.lump()),
        9,
        9,
        "exact",
        idle=6,
        reports=(
            "body 'rod1a' spins between joints 'hooke1a', 'ball1a' and moves nothing else",
            "no actuator drives 6 idle freedoms: inverse dynamics takes no effort there",
        ),
        fixes=("take a joint without this freedom for 'hooke1a' (a universal one",),
    ),
    # 13 bodies, 12 spherical joints and 6 slides: 78 - 36 - 30 = 12 = 6 of the platform and a spin of each leg
    "Gough-Stewart with S-P-S legs": Known(
        m.with_spherical_joints("gough-stewart", m.lump()),
        12,
        12,
        "exact",
        idle=6,
        reports=("bodies 'lower1', 'upper1' spin between joints 'hooke1', 'ball1' and move nothing else",),
    ),
    # 2 bodies, 3 hinges: 12 - 15 = -3 in space, 6 - 6 = 0 in the plane: a triangle
    "locked truss": Known(
        m.truss(),
        -3,
        0,
        "locked",
        code=5,
        reports=(
            "the mechanism cannot move: 2 independent closure equations take all 2 velocities (the "
            "count on paper is -3)",
        ),
        fixes=("remove a joint from a loop",),
    ),
    # a floating plate has 6 freedoms and six rods in general position take one each
    "space frame, exactly determined": Known(
        m.hexapod_frame(),
        0,
        0,
        "locked",
        code=5,
        reports=("6 independent closure equations take all 6 velocities (every",),
    ),
    # two bars in a line: the middle pin moves across by first order, the bars would have to stretch by second
    "shaky truss": Known(m.shaky(), -3, 0, "locked", code=5, reports=("shaky structure: at home its equations allow",)),
    "two mechanisms": Known(
        m.two_mechanisms(),
        -4,
        2,
        "exact",
        reports=("falls into 2 parts that share nothing but the base: 'left_crank'",),
    ),
    # axes through one point: three translation equations repeat, as the three others do in the plane
    "spherical four-bar": Known(
        m.spherical_four_bar(), -2, 1, "exact", reports=("moves about one point: 3 of its 5 equations repeat others",)
    ),
    # Sarrus 1853: six hinges in a ring count 0; either leg alone keeps the plate from two turns, one of them is common
    "sarrus": Known(m.sarrus(), 0, 1, "exact", reports=("1 of its 5 equations repeats others",)),
    # Tsai 1996: 7 bodies, 6 universal and 3 prismatic joints: 42 - 24 - 15 = 3, all translations
    "3-UPU": Known(m.three_upu(), 3, 3, "exact"),
    # shaft, cross, shaft: R P P R in a plane
    "oldham coupling": Known(m.oldham(), -2, 1, "exact", reports=("moves in a plane",)),
    "slider-crank, offset": Known(m.offset_slider_crank(), -2, 1, "exact", reports=("moves in a plane",)),
    "serial arm": Known(catalog.load("stanford-arm"), 6, 6, "exact"),
    "Gough-Stewart with five actuators": Known(
        stewart(5),
        6,
        6,
        "insufficient",
        reports=("drive 5 of 6 freedoms",),
        fixes=("actuate also joint 'rho6'",),
    ),
    # R S S R: 18 - 5 - 3 - 3 - 5 = 2, one of them the rod's spin; with a universal joint instead of a spherical one 1
    "RSSR": Known(m.rssr(), 2, 2, "exact", idle=1, reports=("body 'rod' spins between joints 'near', 'far'",)),
    "RUSR": Known(m.rssr(Universal(m.X, m.Z)), 1, 1, "exact"),
    "gears": Known(m.geared(MESH), 1, 1, "exact"),
    "gears coupled twice": Known(
        m.geared(MESH, Coupling("again", (("a", 2.0), ("b", 4.0)))),
        0,
        1,
        "exact",
        reports=("repeats the other couplings",),
    ),
    "lengths that cannot close": Known(
        too_far(),
        -2,
        None,
        None,
        code=4,
        reports=("loop 'j3' does not close: the best of 257 starts leaves a closure residual of",),
        fixes=("check the lengths and joint frames along this loop",),
    ),
    "hinge upside down": Known(
        upside_down(),
        -2,
        None,
        None,
        code=4,
        reports=("loop 'j3' of 'four-bar' closes only with its axis upside down",),
        fixes=("by 180 degrees",),
    ),
    # all four hinges in a line: parallelogram and anti-parallelogram meet there
    "flat parallelogram": Known(
        m.flat_parallelogram(), -2, 1, "exact", code=5, reports=("at home the closure equations lose rank",)
    ),
    "limits": Known(
        with_home(m.limited(), j1=0.0),
        -2,
        1,
        "exact",
        code=5,
        reports=("at home joint 'j1' is at 0 rad, below its limit 0.5 rad",),
    ),
    # a thin rod has no inertia about its own line, and nothing else resists its spin
    "massless spin": Known(
        m.with_spherical_joints("delta"),
        9,
        9,
        "exact",
        idle=6,
        code=5,
        reports=("moves no mass, so forward dynamics has no solution",),
    ),
    "home pose left open": Known(
        with_home(m.five_bar("j1", "j5"), j1=0.2, j2=0.3),
        -1,
        2,
        "exact",
        reports=("the home pose leaves loop 'j3' open by", " m; the nearest closed pose found was taken"),
        fixes=("write the closed values into 'home'; joint '",),
    ),
}


@pytest.fixture(scope="module")
def diagnoses():
    """Diagnoses made when first needed."""
    made = {}

    def of(name):
        if name not in made:
            made[name] = check(KNOWN[name].mech)
        return made[name]

    return of


@pytest.mark.parametrize("name", KNOWN)
def test_the_verdict_is_the_known_one(name, diagnoses):
    known, found = KNOWN[name], diagnoses(name)
    assert (found.gruebler, found.mobility, len(found.idle)) == (known.count, known.mobility, known.idle)
    assert (found.actuation.verdict if found.actuation else None) == known.verdict
    assert found.exit_code == known.code, found.findings
    for message in known.reports:
        assert any(message in f.message for f in found.findings), (message, found.findings)
    for message in known.fixes:
        assert any(message in f.fix for f in found.findings), (message, found.findings)
    for finding in found.findings:
        assert finding.fix and finding.fix[0].islower() and not finding.fix.endswith("."), f"a clause: {finding.fix}"


@pytest.mark.parametrize("name", ["planar four-bar in space", "bennett", "sarrus", "locked truss"])
def test_redundant_equations_are_those_that_count_and_mobility_differ_by(name, diagnoses):
    found = diagnoses(name)
    assert len(found.redundant) == found.mobility - found.gruebler
    assert all("follows from the other equations" in each.message for each in found.redundant)


@pytest.mark.parametrize(
    "name", [*NAMES, "four-bar-flexible", "stanford-arm", "three-link-arm", "puma-560", "agile-eye"]
)
def test_nothing_is_wrong_with_the_catalog(name):
    found = check(catalog.load(name))
    assert found.problems == ()
    assert found.actuation.verdict == "exact"
    assert found.idle == ()


def test_links_that_bend_need_no_actuator():
    """The rigid four-bar's freedom and one for each of the coupler's two shapes, which its own stiffness holds."""
    found = check(catalog.load("four-bar-flexible"))
    rigid = check(catalog.load("four-bar"))
    assert (found.mobility, found.elastic, found.idle) == (3, 2, ())
    assert found.actuation.needed == rigid.actuation.needed == 1
    assert [s.joints for s in found.actuation.alternatives] == [s.joints for s in rigid.actuation.alternatives]
    assert any("links bend in 2 freedoms that no actuator drives" in f.message for f in found.findings)


@pytest.mark.parametrize("name", ["five-bar with one actuator", "actuators that repeat each other", "five-bar"])
def test_the_sets_that_would_do_hold_the_mechanism(name, diagnoses):
    """Second method: a pair of tree joints will do when, both locked, closure leaves the other velocities no motion."""
    mech, found = KNOWN[name].mech, diagnoses(name).actuation
    model = lw.build(mech)
    J = model.closure_jacobian(model.assemble().q)
    pairs = combinations(range(model.nv), 2)
    hold = {pair for pair in pairs if np.linalg.matrix_rank(np.delete(J, pair, axis=1), tol=1e-9) == model.nv - 2}
    assert found.possible == found.examined == 10
    assert found.admissible == len(found.alternatives)
    found_sets = {choice.joints for choice in found.alternatives if set(choice.joints) <= set(model.v_names)}
    assert found_sets == {tuple(model.v_names[i] for i in pair) for pair in hold}
    scores = [choice.conditioning for choice in found.alternatives]
    assert scores == sorted(scores, reverse=True)


def test_the_completion_of_too_few_actuators_is_accepted():
    found = check(m.five_bar("j1"))
    (few,) = [f for f in found.findings if f.code == "too-few-actuators"]
    assert few.severity == "warning"
    model = lw.build(m.five_bar("j1"), ["j1", *few.value])
    q = model.assemble().q
    assert np.all(np.isfinite(model.inverse_dynamics(q, np.zeros(model.nv), np.zeros(model.nv))))


def test_the_idle_spin_moves_nothing_else():
    """The law behind the verdict: with the actuator and every other body at rest, closure still allows a motion."""
    mech = m.rssr()
    model = lw.build(mech)
    q = model.assemble().q
    J = model.closure_jacobian(q)
    others = [model.frame_jacobian(q, body) for body in model.bodies if body != "rod"]
    held = np.concatenate([J, *others])
    assert np.linalg.matrix_rank(held, tol=1e-9) == model.nv - 1
    assert np.linalg.matrix_rank(J, tol=1e-9) == model.nv - 2


def test_actuators_that_drive_the_same_joint_are_reported():
    mech = replace(m.four_bar("j1"), actuators=(Actuator("one", "j1"), Actuator("two", "j1")))
    found = check(mech)
    assert found.exit_code == 5
    assert any("names the same speed twice" in f.message for f in found.problems)
    assert found.mobility == 1, "the rest is examined all the same"


def test_bodies_out_of_proportion_are_doubted():
    heavy = m.four_bar("j1")
    bodies = (
        replace(heavy.bodies[0], inertia=Inertia(1e-9)),
        replace(heavy.bodies[1], inertia=Inertia.diagonal(1.0, (0.0, 0.0, 0.0), (1e4, 1e4, 1e4))),
        replace(heavy.bodies[2], inertia=Inertia(1.0, (900.0, 0.0, 0.0))),
    )
    found = {f.code: f for f in check(replace(heavy, bodies=bodies)).findings if f.severity == "warning"}
    assert {code: f.subject for code, f in found.items()} == {
        "placeholder-mass": "b1",
        "wide-inertia": "b2",
        "far-mass-center": "b3",
    }
    assert "weighs 1e-09 kg" in found["placeholder-mass"].message
    assert "radius of gyration 100 m" in found["wide-inertia"].message
    assert "mass center 900 m from its origin" in found["far-mass-center"].message


def test_massless_bodies_are_remarked():
    found = check(thin(m.five_bar("j1", "j5"), "b2", mass=0.0))
    assert any(f.message == "body 'b2' has no mass and no inertia" for f in found.findings)
    assert found.exit_code == 0


def test_a_tree_with_a_massless_tip_is_reported():
    mech = m.drawn("whip", [("a", Revolute(m.Z), "ground", "A", (0, 0, 0)), ("b", Revolute(m.Z), "A", "B", (1, 0, 0))])
    found = check(thin(mech, "B", mass=0.0))
    assert found.exit_code == 5
    assert any("the motion of 'b'" in f.message and "moves no mass" in f.message for f in found.problems)


def test_json_data_is_plain():
    data = json.loads(json.dumps(check(m.rssr()).as_data(), allow_nan=False))
    assert data["mobility"] == 2 and data["idle"][0]["bodies"] == ["rod"]
    assert data["actuation"]["alternatives"][0]["joints"] == ["crank"]


def gimbal_rod() -> Mechanism:
    """A mechanism as others export it: spherical joints written as three hinges, a rod in two welded halves.

    Crank and rocker with one rod between: 2 + 2 * 3 hinges - 6 equations of the weld = 2: the crank's turn and the
    rod's spin, which turns the small bodies of both spherical joints as well.
    """
    near, far = (0.5, 0.1, 0.0), (0.7, 1.9, 1.1)
    middle = (0.6, 1.0, 0.55)
    rows = [
        ("crank", Revolute(m.Z), "ground", "arm", (0, 0, 0)),
        ("rocker", Revolute(m.X), "ground", "lever", (0.2, 2.2, 0.1)),
    ]
    for n, arm, at in (("near", "arm", near), ("far", "lever", far)):
        ends = [arm, f"{n}_1", f"{n}_2", f"half_{n}"]
        rows += [(f"{n}{i}", Revolute(axis), ends[i], ends[i + 1], at) for i, axis in enumerate((m.X, m.Y, m.Z))]
    rows += [("weld", Fixed(), "half_near", "half_far", middle)]
    return m.drawn("gimbal rod", rows, ["crank"], cut=("weld",))


def point_five_bar() -> Mechanism:
    """A five-bar closed by a point on a body with a hinge of its own across the plane: 5 hinges - 3 equations = 2."""
    rows = [(f"j{i + 1}", Revolute(m.Z), a, b, m.FIVE[i]) for i, (a, b) in enumerate((("ground", "b1"), ("b1", "b2")))]
    rows += [("across", Revolute(m.X), "b2", "tip", (0.5, 2.0, 0.0))]
    rows += [("tip", Spherical(), "tip", "b3", m.FIVE[2])]
    rows += [("j4", Revolute(m.Z), "b4", "b3", m.FIVE[3]), ("j5", Revolute(m.Z), "ground", "b4", m.FIVE[4])]
    return m.drawn("point five-bar", rows, ["j1", "j5"], cut=("tip",))


def planar_leg() -> Mechanism:
    """A thigh that turns, carrying a four-bar: one hinge and a planar loop, 4 - 5 + 3 = 2."""
    rows = [
        ("hip", Revolute(m.Z), "ground", "thigh", (0, 0, 0)),
        ("driver", Revolute(m.Z), "thigh", "driver", (0.011, 0, 0)),
        ("support", Revolute(m.Z), "thigh", "support", (0.042, 0, 0)),
        ("ankle", Revolute(m.Z), "driver", "foot", (0.05, 0.09, 0)),
        ("linkage", Revolute(m.Z), "foot", "support", (0.081, 0.088, 0)),
    ]
    return m.drawn("planar leg", rows, ["hip", "driver"], cut=("linkage",))


def washers() -> Mechanism:
    """A four-bar whose pin is exported as two hinges on one axis with a welded ball between them: the ball idles."""
    rows = [
        ("A", Revolute(m.Z), "ground", "crank", m.FOUR[0]),
        ("B", Revolute(m.Z), "crank", "coupler", m.FOUR[1]),
        ("C1", Revolute(m.Z), "coupler", "ball1", m.FOUR[2]),
        ("C2", Revolute(m.Z), "rocker", "ball2", m.FOUR[2]),
        ("D", Revolute(m.Z), "ground", "rocker", m.FOUR[3]),
        ("weld", Fixed(), "ball1", "ball2", m.FOUR[2]),
    ]
    return m.drawn("washers", rows, ["A"], cut=("weld",))


EXPORTED = [
    (gimbal_rod, 2, 1, ("near_1", "near_2", "half_near", "far_1", "far_2", "half_far")),
    (point_five_bar, 2, 0, ()),
    (planar_leg, 2, 0, ()),
    (washers, 2, 1, ("ball1", "ball2")),
]


@pytest.mark.parametrize(("made", "mobility", "idle", "bodies"), EXPORTED, ids=[row[0].__name__ for row in EXPORTED])
def test_mechanisms_as_other_programs_export_them(made, mobility, idle, bodies):
    found = check(made())
    assert (found.mobility, len(found.idle)) == (mobility, idle)
    assert found.actuation.verdict == "exact"
    assert [set(each.bodies) for each in found.idle] == [set(bodies)] * idle


def test_a_mechanism_whose_freedoms_are_all_idle_is_warned_of():
    """Both joints of the rocker at one point: it spins about them, and the crank cannot turn."""
    text = """
format: 1
name: slip
bodies: {crank: {mass: 1}, coupler: {mass: 1}, rocker: {mass: 1}}
joints:
  A: {type: revolute, parent: ground, child: crank, axis: z}
  B: {type: revolute, parent: crank, child: coupler, axis: z, at: [80 mm, 0, 0]}
  D: {type: revolute, parent: ground, child: rocker, axis: z, at: [280 mm, 0, 0]}
loops:
  C: {type: revolute, parent: coupler, child: rocker, axis: z, at: [300 mm, 0, 0]}
"""
    (found,) = (each for each in check(from_yaml(text)).findings if each.code == "idle-freedom")
    assert (
        found.severity == "warning" and "'rocker' spins" in found.message and "'slip' has no other motion" in str(found)
    )
    assert "joints 'D', 'C' lie on one axis" in found.fix and "spherical" not in found.fix
