"""Beams in files, attachments on them, and what is refused."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, FormatError, MechanismError
from linkwright.forces import Strut
from linkwright.formats import from_yaml, to_yaml
from linkwright.joints.beams import Beam, Clamped, Polynomial, Sine, shape_values
from linkwright.mechanism import Frame, beams_of, flexible
from linkwright.mechanism.flexible_bodies import remove_beams
from tests.flexible.beams import BEAMS, arm


@pytest.mark.parametrize("name", BEAMS)
def test_writing_and_reading_is_the_identity(name):
    mech = arm(BEAMS[name])
    assert from_yaml(to_yaml(mech)) == mech
    assert beams_of(mech) == {"beam": BEAMS[name]}


def test_making_flexible_can_be_taken_back():
    plain, beams = remove_beams(arm(BEAMS["all"]))
    assert plain.names == ("beam", "link", "mass")
    assert flexible(plain, beams) == arm(BEAMS["all"])
    assert remove_beams(plain) == (plain, {})


def test_frames_struts_and_loops_move_to_sections():
    plain, beams = remove_beams(lw.catalog.load("four-bar-flexible"))
    plain = replace(
        plain,
        frames=(Frame("middle", "coupler", lw.catalog.load("four-bar").loops[0].at),),
        forces=(Strut("tie", "ground", "coupler", (1.0, 1.0, 0.0), (2.0, 0.0, 0.0), 10.0),),
    )
    mech = flexible(plain, beams)
    assert mech.frames[0].body == mech.loops[0].parent == "coupler@4.0"
    assert mech.forces[0].child == "coupler@2.0"
    assert mech.forces[0].child_at == (0.0, 0.0, 0.0)
    assert remove_beams(mech)[0] == plain


def test_quantities_have_units():
    text = to_yaml(lw.catalog.load("four-bar-flexible"))
    written = 'length: "= coupler", density: "= density"'
    assert written in text
    plain, other = (text.replace(written, x) for x in ("length: 4, density: 0.25", "length: 400 cm, density: 250 g/m"))
    assert from_yaml(other) == from_yaml(plain)


@pytest.mark.parametrize(
    ("written", "message"),
    [
        ("{length: 4, density: 0.25, stiffness: 9, shapes: {sine: 2, clamped: 1}}", "shapes are one of"),
        ("{length: 4, density: 0.25, stiffness: 9, shapes: {sine: 2, root: free}}", "belong to polynomial"),
        ("{length: 4, density: 0.25, stiffness: 9, shapes: {sine: 2}, planes: x}", "write y, z or"),
        ("{length: 3, density: 0.25, stiffness: 9, shapes: {sine: 2}}", "outside its beam's length of 3 m"),
        ("{length: 4, density: 0, stiffness: 9, shapes: {sine: 2}}", "density 0.0; it must be above zero"),
        ("{length: 4, density: 1, stiffness: [9, 8], shapes: {sine: 2}}", "2 stiffnesses for 1 planes"),
        ("{length: 4, density: 1, stiffness: 9, shapes: {sine: 0}}", "at least one"),
        ("{length: 4, density: 1, stiffness: 9 N, shapes: {sine: 1}}", "bending stiffness"),
        ("{length: 4, density: 1, stiffness: 9}", "shapes"),
    ],
)
def test_bad_beams_are_refused_with_their_line(written, message):
    lines = to_yaml(lw.catalog.load("four-bar-flexible")).splitlines()
    at = next(i for i, line in enumerate(lines) if "beam:" in line)
    indent = lines[at][: lines[at].index("beam:")]
    end = next(i for i in range(at + 1, len(lines)) if len(lines[i]) - len(lines[i].lstrip()) <= len(indent))
    text = "\n".join([*lines[:at], f"{indent}beam: {written}", *lines[end:]])
    with pytest.raises(FormatError, match=message):
        from_yaml(text)


def test_beams_hang_by_their_root_and_bodies_exist():
    plain, beams = remove_beams(lw.catalog.load("four-bar-flexible"))
    hung = replace(plain.joints[1], child_at=plain.loops[0].at)
    with pytest.raises(MechanismError, match="a beam is carried at x = 0"):
        flexible(replace(plain, joints=(plain.joints[0], hung, plain.joints[2])), beams)
    with pytest.raises(MechanismError, match="did you mean 'coupler'"):
        flexible(plain, {"copler": beams["coupler"]})
    with pytest.raises(MechanismError, match="flexible already"):
        flexible(lw.catalog.load("four-bar-flexible"), beams)


def test_functions_that_flexible_links_do_not_have_are_refused():
    model = lw.build(arm(BEAMS["planar"]))
    q, v = np.zeros(model.nq), np.zeros(model.nv)
    with pytest.raises(ArgumentError, match=r"own stiffness moves the shapes 'beam\.eta1'.*no actuator does"):
        model.inverse_dynamics(q, v, v)
    with pytest.raises(ArgumentError, match="flexible"):
        model.convective_matrix(q, v)
    with pytest.raises(ArgumentError, match=r"beam\.eta1"):
        lw.build(arm(BEAMS["planar"]), actuated=["beam.eta1"])


def test_no_message_proposes_an_actuator_on_a_shape():
    """Closed loops too: the actuator drives the one rigid freedom, the coupler's stiffness the other two."""
    model = lw.build(lw.catalog.load("four-bar-flexible"))
    q, v = model.assemble().q, np.zeros(model.nv)
    with pytest.raises(ArgumentError, match=r"shapes 'coupler\.eta1', 'coupler\.eta2'") as caught:
        model.inverse_dynamics(q, v, v)
    assert "actuate" not in str(caught.value) and "rigid links" in str(caught.value)
    idle = lw.build(lw.catalog.load("four-bar-flexible"), actuated=[])
    with pytest.raises(ArgumentError, match="names no actuators"):
        idle.inverse_dynamics(q, v, v)


@pytest.mark.parametrize(
    "shapes", [Sine(6), Clamped(6), Polynomial(6, "pinned", "clamped"), Polynomial(6, "free", "free")]
)
def test_derivatives_of_shapes_are_derivatives(shapes):
    beam, h = Beam(1.3, 1.0, 1.0, shapes), 1e-5
    for x in (0.2, 0.65, 1.1):
        for order in (0, 1):
            low, high = (shape_values(beam, x + s, order) for s in (-h, h))
            derivative = shape_values(beam, x, order + 1)
            np.testing.assert_allclose((high - low) / (2 * h), derivative, atol=1e-6 * np.abs(derivative).max())


def test_ends_keep_what_they_promise_exactly():
    for shapes, ends in (
        (Sine(5), ((0.0, 0), (1.0, 0))),
        (Clamped(5), ((0.0, 0), (0.0, 1))),
        (Polynomial(5, "clamped", "pinned"), ((0.0, 0), (0.0, 1), (1.0, 0))),
    ):
        for xi, order in ends:
            assert not np.any(shape_values(Beam(1.7, 1.0, 1.0, shapes), 1.7 * xi, order))


def test_the_center_line_runs_from_joint_to_joint():
    model = lw.build(lw.catalog.load("four-bar-flexible"))
    q = np.repeat(model.assemble().q[None, :], 3, axis=0)
    q[1, 3:], q[2, 3:] = (0.1, 0.0), (0.0, 0.05)
    lines = lw.beams.beam_points(model, q)["coupler"]
    ends = model.frame_pose(q, "coupler")[0], model.frame_pose(q, "coupler@4.0")[0]
    np.testing.assert_allclose(lines[:, 0], ends[0], atol=1e-12)
    np.testing.assert_allclose(lines[:, -1], ends[1], atol=1e-12)
    off = np.linalg.norm(lines - lines[:1], axis=-1)
    np.testing.assert_allclose(off[1], 0.1 * np.sin(np.pi * np.linspace(0, 1, 25)), atol=1e-12)
    np.testing.assert_allclose(off[2], np.abs(0.05 * np.sin(2 * np.pi * np.linspace(0, 1, 25))), atol=1e-12)
    np.testing.assert_allclose(
        lw.beams.deflection(model, q, "coupler", 1.0)[:, 1], [0.0, 0.1 * np.sqrt(0.5), 0.05], atol=1e-14
    )
    np.testing.assert_allclose(lw.beams.deflection(model, q, "coupler"), np.zeros((3, 3)), atol=0.0)
    with pytest.raises(ArgumentError, match="unknown flexible body"):
        lw.beams.deflection(model, q, "crank")
    with pytest.raises(ArgumentError, match="between 0 and 4 m"):
        lw.beams.deflection(model, q, "coupler", 5.0)
