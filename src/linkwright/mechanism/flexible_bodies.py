"""Bodies made flexible: joints and bodies that a beam adds to a mechanism, mass and stiffness of its shapes.

A beam's frame is its body's, which hangs on its joint as before. On it sits a body `<name>.modes` that carries the
beam's mass and its modal coordinates, and on that one body `<name>@<x>` for each x where something is attached:
joints, loops, frames and force elements move there with the bent beam, turned by its slope.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any

import numpy as np

from linkwright.algebra.sums import all_known, is_structural_zero, nominal_value, numeric_array
from linkwright.algebra.transforms import RigidTransform
from linkwright.algebra.vectors import Mat, Vec3
from linkwright.checks import require_flag, require_instance, require_mapping, require_text
from linkwright.dataclass import dataclass
from linkwright.findings import Finding
from linkwright.joints import Modes, Section
from linkwright.joints.beams import (
    Beam,
    Clamped,
    Polynomial,
    Sine,
    axial_shortening,
    center_line_deflection,
    gauss_point_count,
    of_unit_size,
    zero_rounding,
)
from linkwright.joints.kind import LARGEST
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.records import Body, Inertia, Joint, Limits, M, Parts
from linkwright.mechanism.type_checks import wrong_type
from linkwright.mechanism.validation import NamedPart, body_part, joint_part, require_none, too_large

# --- mass and stiffness of a beam's shapes: integrals taken once, when a tree is made (theory 9.7-9.10) ---------------


@dataclass(frozen=True, eq=False)
class Flexibility:
    """Integrals over the beam's mass for a displacement that is a sum of amplitude times field.

    The amplitudes are the modal coordinates and, with shortening, their products `pairs`. With fields psi_a(x) and the
    point r0(x) of the straight beam, A_a = int psi_a dm, (3,); D_a = int r0 psi_a^T dm and B_ab = int psi_a psi_b^T dm,
    (3, 3). `stiffness` and `damping` are those of the modal coordinates, (count, count).
    """

    A: np.ndarray
    D: np.ndarray
    B: np.ndarray
    stiffness: Mat
    damping: Mat
    pairs: tuple[tuple[int, int], ...] = ()


def straight_inertia(beam: Beam) -> Inertia:
    """Mass properties of the straight beam."""
    mass = beam.density * beam.length
    across = mass * (beam.length**2 / 12.0 + beam.gyration**2)
    return Inertia.diagonal(mass, (0.5 * beam.length, 0.0, 0.0), (2.0 * mass * beam.gyration**2, across, across))


def flexibility_of_beam(beam: Beam) -> Flexibility:
    """The integrals of a beam; where its sizes are inputs, from those of a beam of unit size."""
    sizes = (beam.length, beam.density, beam.damping, beam.gyration, *beam.stiffnesses)
    return _beam_integrals(beam) if all_known(sizes) else _scaled_integrals(beam)


def _scaled_integrals(beam: Beam) -> Flexibility:
    """Fields of pairs go with 1 / length, points with length, slopes with 1 / length and curvatures with its square."""
    one, L, mass = _beam_integrals(of_unit_size(beam)), beam.length, beam.density * beam.length
    n, m = beam.count, len(one.pairs)
    field = np.array([1.0] * n + [1.0 / L] * m)
    A, D = one.A * (mass * field)[:, None], one.D * (mass * L * field)[:, None, None]
    B = one.B * (mass * np.outer(field, field))[:, :, None, None]
    if not is_structural_zero(beam.gyration):
        turning = _beam_integrals(of_unit_size(beam, gyration=1.0))
        D = D + zero_rounding(turning.D - one.D) * (mass * beam.gyration**2 / L)
        B = B + zero_rounding(turning.B - one.B) * (mass * beam.gyration**2 / L**2)
    EI = np.repeat(np.array(beam.stiffnesses), beam.shapes.count)
    stiffness = numeric_array(one.stiffness * (EI / L**3)[:, None])
    return Flexibility(
        numeric_array(A),
        numeric_array(D),
        numeric_array(B),
        stiffness,
        numeric_array(beam.damping * stiffness),
        one.pairs,
    )


@lru_cache(maxsize=128)
def _beam_integrals(beam: Beam) -> Flexibility:
    """The integrals of a beam by Gauss points."""
    pairs = _modal_pairs(beam) if beam.shortening else ()
    n = beam.count
    A, D, B = np.zeros((n + len(pairs), 3)), np.zeros((n + len(pairs), 3, 3)), np.zeros((n + len(pairs),) * 2 + (3, 3))
    stiffness = np.zeros((n, n))
    EI = np.repeat(beam.stiffnesses, beam.shapes.count)
    nodes, weights = np.polynomial.legendre.leggauss(gauss_point_count(beam))
    for node, weight in zip(nodes, weights, strict=True):
        x, dx = 0.5 * beam.length * (node + 1.0), 0.5 * beam.length * weight
        psi = np.hstack([center_line_deflection(beam, x), _shortening_fields(beam, x, pairs)])
        A += beam.density * dx * psi.T
        D += beam.density * dx * np.einsum("i,ja->aij", np.array([x, 0.0, 0.0]), psi)
        B += beam.density * dx * np.einsum("ia,jb->abij", psi, psi)
        _add_rotary(beam, x, beam.density * dx * beam.gyration**2, D, B)
        bend = center_line_deflection(beam, x, 2)
        stiffness += dx * EI[:, None] * (bend.T @ bend)
    stiffness = zero_rounding(0.5 * (stiffness + stiffness.T))
    return Flexibility(zero_rounding(A), zero_rounding(D), zero_rounding(B), stiffness, beam.damping * stiffness, pairs)


def _modal_pairs(beam: Beam) -> tuple[tuple[int, int], ...]:
    """Products of modal coordinates that shorten the beam: those of one plane."""
    plane = np.repeat(np.arange(len(beam.planes)), beam.shapes.count)
    return tuple((i, j) for i in range(beam.count) for j in range(i, beam.count) if plane[i] == plane[j])


def _shortening_fields(beam: Beam, x: float, pairs: tuple[tuple[int, int], ...]) -> Mat:
    """Axial displacement at x per product of modal coordinates, (3, len(pairs))."""
    out = np.zeros((3, len(pairs)))
    S = axial_shortening(beam, x) if pairs else np.zeros((0, 0))
    for k, (i, j) in enumerate(pairs):
        out[0, k] = -0.5 * S[i, j] if i == j else -S[i, j]
    return out


def _add_rotary(beam: Beam, x: float, weight: float, D: np.ndarray, B: np.ndarray) -> None:
    """Rotary inertia of the cross-sections: a point off the center line by y moves by -y tilt along the beam."""
    if not weight:
        return
    tilt, n = center_line_deflection(beam, x, 1), beam.count
    for axis in (1, 2):
        D[:n, axis, 0] -= weight * tilt[axis]
        B[:n, :n, 0, 0] += weight * np.outer(tilt[axis], tilt[axis])


# --- bodies made flexible: the joints and bodies that a beam adds to a mechanism, and their removal -------------------

# Beyond this share of the length a deflection is no longer small, and linear bending no longer holds.
SMALL = 0.1

# Shapes of one plane of bending: far more than a slender beam justifies.
_MOST_SHAPES = 50


def flexible(mech: M, beams: Mapping[str, Beam], checked: bool = True) -> M:
    """The mechanism with the named bodies made flexible; a body's own mass stays as a rigid hub in the beam's frame.

    Numbers that are inputs cannot be checked; they were `checked` at their nominal values.

    >>> from linkwright.joints import Revolute
    >>> from linkwright.mechanism import Body, Joint, Mechanism
    >>> arm = Mechanism("arm", (Body("rod"),), (Joint("swing", "ground", "rod", Revolute()),))
    >>> flexible(arm, {"rod": Beam(1.0, 0.5, 20.0, Clamped(2))}).names
    ('rod', 'rod.modes')
    """
    if require_flag("checked", checked):
        require_instance("mech", mech, Parts, "a Mechanism")
        for name, beam in require_mapping("beams", beams, "a dictionary of bodies and beams").items():
            require_text("a key of beams", name)
            require_instance(f"beams['{name}']", beam, Beam, "a Beam")
            require_none(mech.name, filter(None, [wrong_type(beam)]))
    if not beams:
        return mech
    problems = _flexible_body_problems if checked else _inputs_changing_sections
    require_none(mech.name, (found for name, beam in beams.items() for found in problems(mech, name, beam)))
    for name, beam in beams.items():
        mech = _with_beam(mech, name, beam)
    return replace(mech) if checked else mech


def beams_of(mech: Parts) -> dict[str, Beam]:
    """The flexible bodies of a mechanism with their beams."""
    return {joint.parent: joint.kind.beam for joint in mech.joints if joint.kind.bends}


def _with_beam(mech: M, name: str, beam: Beam) -> M:
    attached = _Attachments(mech, name)
    modes = f"{name}.modes"
    bound = (SMALL * beam.length,) * beam.count
    limits = Limits(tuple(-x for x in bound), bound)
    bodies = [Body(modes, straight_inertia(beam)), *(Body(section) for section in attached.sections.values())]
    joints = [Joint(modes, name, modes, Modes(beam), limits=limits)]
    joints += [Joint(section, modes, section, Section(beam, x)) for x, section in attached.sections.items()]
    return mech.replace_unchecked(
        bodies=(*mech.bodies, *bodies),
        joints=(*(attached.move_joint(j, loop=False) for j in mech.joints), *joints),
        loops=tuple(attached.move_joint(j, loop=True) for j in mech.loops),
        open_loops=tuple(attached.move_joint(j, loop=True) for j in mech.open_loops),
        frames=tuple(
            replace(f, body=attached.section(f.pose), pose=_at_section(f.pose)) if f.body == name else f
            for f in mech.frames
        ),
        forces=tuple(force.with_ends(attached.moved_end) for force in mech.forces),
    )


@dataclass(frozen=True, eq=False)
class _Attachments:
    """Things attached to a body, and the sections they move to."""

    mech: Parts
    name: str

    @property
    def sections(self) -> dict[Any, str]:
        loops = (*self.mech.loops, *self.mech.open_loops)
        xs = [j.at.xyz[0] for j in (*self.mech.joints, *loops) if j.parent == self.name]
        xs += [j.child_at.xyz[0] for j in loops if j.child == self.name]
        xs += [f.pose.xyz[0] for f in self.mech.frames if f.body == self.name]
        xs += [at[0] for force in self.mech.forces for body, at in force.ends if body == self.name]
        return {x: f"{self.name}@{nominal_value(x)!r}" for x in sorted(set(xs), key=nominal_value)}

    def section(self, pose: RigidTransform) -> str:
        return self.sections[pose.xyz[0]]

    def move_joint(self, joint: Joint, loop: bool) -> Joint:
        if joint.parent == self.name:
            joint = replace(joint, parent=self.section(joint.at), at=_at_section(joint.at))
        if loop and joint.child == self.name:
            joint = replace(joint, child=self.section(joint.child_at), child_at=_at_section(joint.child_at))
        return joint

    def moved_end(self, body: str, at: Vec3) -> tuple[str, Vec3]:
        return (self.sections[at[0]], _off_line(at)) if body == self.name else (body, at)


def _at_section(pose: RigidTransform) -> RigidTransform:
    return replace(pose, xyz=_off_line(pose.xyz))


def _off_line(point: Vec3, x: float = 0.0) -> Vec3:
    return (x, point[1], point[2])


def remove_beams(mech: M) -> tuple[M, dict[str, Beam]]:
    """The reverse of `flexible`: the mechanism without the bodies and joints of its beams, and the beams."""
    beams = beams_of(mech)
    if not beams:
        return mech, beams
    owner = {j.child: (j.parent.removesuffix(".modes"), j.kind.x) for j in mech.joints if j.kind.borrows is not None}
    ours = {f"{name}.modes" for name in beams} | set(owner)

    plain = mech.replace_unchecked(
        bodies=tuple(b for b in mech.bodies if b.name not in ours),
        joints=tuple(_joint_back(j, owner) for j in mech.joints if j.child not in ours),
        loops=tuple(_joint_back(j, owner) for j in mech.loops),
        open_loops=tuple(_joint_back(j, owner) for j in mech.open_loops),
        frames=tuple(
            replace(f, body=owner[f.body][0], pose=replace(f.pose, xyz=_off_line(f.pose.xyz, owner[f.body][1])))
            if f.body in owner
            else f
            for f in mech.frames
        ),
        forces=tuple(force.with_ends(partial(_end_back, owner)) for force in mech.forces),
        home=tuple(row for row in mech.home if row[0] not in ours),
    )
    return plain, beams


def _joint_back(joint: Joint, owner: Mapping[str, tuple[str, float]]) -> Joint:
    if joint.parent in owner:
        name, x = owner[joint.parent]
        joint = replace(joint, parent=name, at=replace(joint.at, xyz=_off_line(joint.at.xyz, x)))
    if joint.child in owner:
        name, x = owner[joint.child]
        joint = replace(joint, child=name, child_at=replace(joint.child_at, xyz=_off_line(joint.child_at.xyz, x)))
    return joint


def _end_back(owner: Mapping[str, tuple[str, float]], body: str, at: Vec3) -> tuple[str, Vec3]:
    if body not in owner:
        return body, at
    name, x = owner[body]
    return name, _off_line(at, x)


def _flexible_body_problems(mech: Parts, name: str, beam: Beam) -> Iterator[Finding]:
    part = body_part(name)
    if name not in mech.names:
        text = f"beam '{name}' does not name a body{suggest_name(name, mech.names)}"
        yield Finding("unknown-name", text, subject=name, path=("bodies", name))
        return
    if name in beams_of(mech) or f"{name}.modes" in mech.names:
        yield part.wrong("bad-beam", "is flexible already", "give it one beam")
        return
    yield from _beam_problems(part, beam)
    if any(body.gravity_compensation for body in mech.bodies if body.name == name):
        text = "bends, and gravity compensation holds for rigid bodies only"
        yield part.wrong("bad-beam", text, "leave out one of the two")
    for joint in mech.joints:
        x = joint.child_at.xyz[0]
        if joint.child == name and x != 0.0:
            text = f"carries the beam '{name}' at x = {x:g} m along it, and a beam is carried at x = 0"
            fix = "put its frame there, or list this joint under the loops"
            yield joint_part(joint).wrong("bad-beam", text, fix, x)
    for x in _Attachments(mech, name).sections:
        if not 0.0 <= x <= beam.length:
            text = f"has something attached at x = {x:g} m, outside its beam's length of {beam.length:g} m"
            yield part.wrong("bad-beam", text, value=x)


def _inputs_changing_sections(mech: Parts, name: str, beam: Beam) -> Iterator[Finding]:
    """Inputs that would change which sections a beam has."""
    for joint in mech.joints:
        if joint.child == name and not is_structural_zero(joint.child_at.xyz[0]):
            text = f"carries the beam '{name}' at x = 0, which cannot be an input"
            yield joint_part(joint).wrong("bad-beam", text, "leave it out of the inputs")
    names = list(_Attachments(mech, name).sections.values())
    for section in dict.fromkeys(names):
        if names.count(section) > 1:
            text = f"has several things attached at '{section}' of which some are inputs"
            yield body_part(name).wrong(
                "bad-beam", text, "let them follow from one parameter, so that they stay together"
            )


def _beam_problems(part: NamedPart, beam: Beam) -> Iterator[Finding]:
    """Beams that no real link is."""
    sizes = {"length": beam.length, "density": beam.density}
    sizes |= {f"stiffness in plane {p}": x for p, x in zip(beam.planes, beam.stiffnesses, strict=False)}
    for title, value in sizes.items():
        if not (np.isfinite(value) and value > 0.0):
            yield part.wrong("bad-beam", f"has a beam with the {title} {value}", "it must be above zero", value)
    for title, value in (("damping", beam.damping), ("gyration", beam.gyration)):
        if not (np.isfinite(value) and value >= 0.0):
            yield part.wrong("bad-beam", f"has a beam with the {title} {value}", "it must be zero or above", value)
    for title, value in (sizes | {"damping": beam.damping, "gyration": beam.gyration}).items():
        if np.isfinite(value) and value > LARGEST:
            yield too_large(part, f"beam {title}", value)
    if not isinstance(beam.shapes, Sine | Clamped | Polynomial) or not 1 <= beam.shapes.count <= _MOST_SHAPES:
        fix = f"take at least one and at most {_MOST_SHAPES} of Sine, Clamped or Polynomial"
        yield part.wrong("bad-beam", f"has a beam with the shapes {beam.shapes}", fix)
    if not beam.planes or len(set(beam.planes)) < len(beam.planes) or set(beam.planes) - {"y", "z"}:
        fix = "take ('y',), ('z',) or ('y', 'z')"
        yield part.wrong("bad-beam", f"has a beam that bends along {beam.planes}", fix, beam.planes)
    if len(beam.stiffnesses) != len(beam.planes):
        text = f"has a beam with {len(beam.stiffnesses)} stiffnesses for {len(beam.planes)} planes"
        yield part.wrong("bad-beam", text, value=len(beam.stiffnesses))
