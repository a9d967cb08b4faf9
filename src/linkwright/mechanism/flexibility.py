"""Mass and stiffness of a beam's shapes: integrals taken once, when a tree is made (theory 9.7-9.10)."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from linkwright.algebra.sums import all_known, is_structural_zero, numeric_array
from linkwright.algebra.vectors import Mat
from linkwright.dataclass import dataclass
from linkwright.joints.beams import (
    Beam,
    axial_shortening,
    center_line_deflection,
    gauss_point_count,
    of_unit_size,
    zero_rounding,
)
from linkwright.mechanism.records import Inertia


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
