"""Flexible links: slender beams that bend, as frozen records, and the shapes they bend in (theory 9.6, 9.8)."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from math import comb
from typing import Any, Literal

import numpy as np
from numpy.polynomial import Polynomial as Poly
from numpy.polynomial.legendre import Legendre

from linkwright.algebra.sums import all_known, float_if_known, known_value, numeric_array
from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.numerics.tolerances import ROUNDED_AWAY, ROUNDED_SHAPE

# --- flexible links ---------------------------------------------------------------------------------------------------

Plane = Literal["y", "z"]
Root = Literal["clamped", "pinned", "free"]


@dataclass(frozen=True)
class Sine:
    """Shapes sin(j pi x / l), j = 1..count, both ends on the line between them: a beam pinned at both ends."""

    count: int


@dataclass(frozen=True)
class Clamped:
    """The first `count` vibration shapes of a beam clamped at x = 0 and free at x = l, 1 at the free end."""

    count: int


@dataclass(frozen=True)
class Polynomial:
    """`count` polynomials that keep what the ends demand and are otherwise free.

    A clamped end has no deflection and no slope, a pinned end no deflection.
    """

    count: int
    root: Root = "clamped"
    tip: Root = "free"


Shapes = Sine | Clamped | Polynomial


@dataclass(frozen=True)
class Beam:
    """A uniform beam along the x axis of its body's frame, from x = 0 to x = length.

    Attributes:
        length: [m].
        density: mass per length, [kg/m].
        stiffness: bending stiffness E I, [N m^2]; one number, or one for each plane.
        shapes: how it may bend in each plane.
        planes: directions of the deflection, in body axes: ("y",), ("z",) or both.
        damping: structural damping, stress grows by damping [s] times its rate, so that a shape of angular frequency
            w loses energy with the damping ratio damping w / 2.
        gyration: radius of gyration of the cross-section [m], for rotary inertia; 0 leaves it out.
        shortening: count that a bent beam's end comes nearer, by half the integral of the squared slope.
    """

    length: float
    density: float
    stiffness: float | tuple[float, ...]
    shapes: Shapes
    planes: tuple[Plane, ...] = ("y",)
    damping: float = 0.0
    gyration: float = 0.0
    shortening: bool = False

    @property
    def count(self) -> int:
        """Number of modal coordinates."""
        return self.shapes.count * len(self.planes)

    @property
    def stiffnesses(self) -> tuple[float, ...]:
        """Bending stiffness in each plane."""
        given = self.stiffness
        return tuple(given) if isinstance(given, tuple) else (given,) * len(self.planes)


# --- values and derivatives of the shapes a beam may bend in (theory 9.6, 9.8) ----------------------------------------

_ORDERS = (0, 1, 2)
_ZEROS = {"clamped": 2, "pinned": 1, "free": 0}


def shape_values(beam: Beam, x: Any, order: int = 0) -> Vec:
    """The shapes (count of one plane,) or their first or second derivatives at x [m], per meter^order.

    >>> from linkwright.joints.beams import Beam, Sine
    >>> float(round(shape_values(Beam(2.0, 1.0, 1.0, Sine(1)), 1.0)[0], 12))
    1.0
    """
    assert order in _ORDERS
    xi = x / beam.length
    match beam.shapes:
        case Sine(count):
            j = np.pi * np.arange(1, count + 1)
            values = j**order * np.sin(j * xi + 0.5 * np.pi * order)
        case Clamped(count):
            values = np.array(
                [
                    _clamped_beam_shape(root, xi, order) / _clamped_beam_shape(root, 1.0, 0)
                    for root in clamped_roots(count)
                ]
            )
        case Polynomial(count, root, tip):
            values = _polynomial_shapes(count, root, tip, xi, order)
    values = numeric_array(values)
    if all_known(values):
        values = np.where(np.abs(values) < ROUNDED_SHAPE, 0.0, values)
    return values / beam.length**order


def _clamped_beam_shape(root: float, xi: Any, order: int) -> Any:
    """cosh - cos - sigma (sinh - sin) of root xi, by decaying exponentials so that high shapes keep their digits."""
    s, c = np.sin(root), np.cos(root)
    decay = np.exp(-root)
    # 1 - sigma and 1 + sigma, sigma = (sinh - sin) / (cosh + cos), each without cancellation
    bottom = 0.5 * (1.0 + decay * decay) + decay * c
    less, more = (decay * decay + decay * (c + s)) / bottom, (1.0 + decay * (c - s)) / bottom
    sigma = 1.0 - less
    z = root * xi
    rising, falling = 0.5 * less * np.exp(z), 0.5 * more * np.exp(-z)
    turned = z + 0.5 * np.pi * order
    wave = np.cos(turned) - sigma * np.sin(turned)
    return float_if_known(root**order * (rising + (-1.0) ** order * falling - wave))


@lru_cache(maxsize=32)
def clamped_roots(count: int) -> tuple[float, ...]:
    """Roots of cos z cosh z = -1: frequencies of a clamped beam are root^2 sqrt(E I / (density length^4)).

    >>> [round(z, 6) for z in clamped_roots(2)]
    [1.875104, 4.694091]
    """
    roots = []
    for j in range(1, count + 1):
        z = (j - 0.5) * np.pi if j > 1 else 1.875
        for _ in range(50):
            step = (np.cos(z) + 1.0 / np.cosh(z)) / (-np.sin(z) - np.tanh(z) / np.cosh(z))
            z -= step
            if abs(step) < ROUNDED_AWAY * z:
                break
        roots.append(float(z))
    return tuple(roots)


def _polynomial_shapes(count: int, root: str, tip: str, xi: Any, order: int) -> Vec:
    """x^a (1 - x)^b times shifted Legendre polynomials, a and b being the zeros the ends demand."""
    ends = Poly([0.0, 1.0]) ** _ZEROS[root] * Poly([1.0, -1.0]) ** _ZEROS[tip]
    free = [Legendre.basis(j, domain=[0.0, 1.0]) for j in range(count)]
    terms = [
        comb(order, k) * ends.deriv(order - k)(xi) * np.array([p.deriv(k)(xi) for p in free]) for k in range(order + 1)
    ]
    return np.sum(terms, axis=0)


def center_line_deflection(beam: Beam, x: Any, order: int = 0) -> Mat:
    """Deflection of the center line at x per modal coordinate, or its derivatives, (3, count), body axes."""
    values = shape_values(beam, x, order)
    out = np.zeros((3, beam.count), dtype=values.dtype)
    for i, plane in enumerate(beam.planes):
        out["xyz".index(plane), i * len(values) : (i + 1) * len(values)] = values
    return out


def axial_shortening(beam: Beam, x: Any) -> Mat:
    """S with the axial displacement -1/2 eta^T S eta at x: products of slopes integrated up to x, (count, count)."""
    if all_known([beam.length, x]):
        return _cached_shortening(beam, x)
    share = x / beam.length
    if known_value(share) is not None:
        return _cached_shortening(of_unit_size(beam), share) / beam.length
    return _cached_shortening.__wrapped__(beam, x)


@lru_cache(maxsize=256)
def _cached_shortening(beam: Beam, x: Any) -> Mat:
    nodes, weights = np.polynomial.legendre.leggauss(gauss_point_count(beam))
    total: Any = np.zeros((beam.count, beam.count))
    for node, weight in zip(nodes, weights, strict=True):
        tilt = center_line_deflection(beam, 0.5 * x * (node + 1.0), 1)
        total = total + 0.5 * x * weight * tilt.T @ tilt
    return zero_rounding(total)


def of_unit_size(beam: Beam, gyration: float = 0.0) -> Beam:
    """The beam with length, mass per length and stiffness 1, from which those of any size follow."""
    return replace(beam, length=1.0, density=1.0, stiffness=1.0, damping=0.0, gyration=gyration)


def gauss_point_count(beam: Beam) -> int:
    """Gauss points that integrate products of the shapes to round-off."""
    return 24 + 6 * beam.shapes.count


def zero_rounding(values: np.ndarray) -> np.ndarray:
    """The same numbers with round-off among them made zero, which the compiler then leaves out."""
    if not all_known(values):
        return values
    return np.where(np.abs(values) > ROUNDED_SHAPE * np.abs(values).max(initial=0.0), values, 0.0)
