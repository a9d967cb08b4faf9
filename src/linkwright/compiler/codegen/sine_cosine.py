"""Sine and cosine of an angle together, in additions and multiplications: one text for every code generator.

Cody-Waite reduction to |r| <= pi/4 followed by the fdlibm kernels, with the remainder carried in two parts so that
results near multiples of pi/2 keep their relative accuracy. What remains for the code generator is bits: the last one
of the rounded quotient says which of the two is which, the last two say the signs.
"""

from __future__ import annotations

from typing import Protocol, TypeVar

V = TypeVar("V")


class Arithmetic(Protocol[V]):
    """Instructions in the making, on values of any kind; the last three are a b + c, a b - c and c - a b."""

    def const(self, value: float) -> V: ...
    def add(self, a: V, b: V) -> V: ...
    def sub(self, a: V, b: V) -> V: ...
    def mul(self, a: V, b: V) -> V: ...
    def fma(self, a: V, b: V, c: V) -> V: ...
    def fms(self, a: V, b: V, c: V) -> V: ...
    def fnma(self, a: V, b: V, c: V) -> V: ...


LARGEST = 1e5
"""Angles up to which the reduction is accurate."""

_TWO_OVER_PI = 0.6366197723675814
# Adding 1.5 * 2^52 rounds to an integer and leaves its low bits at the bottom of the significand.
_ROUNDER = 6755399441055744.0

# pi/2 in three parts of 53 bits, for use with fma.
_FULL = (1.5707963267948966, 6.123233995736766e-17, -1.4973849048591698e-33)
# pi/2 in three parts of 33 bits and a rest (fdlibm): times an integer below 2^20 they are exact without fma.
_SHORT = (1.57079632673412561417e00, 6.07710050630396597660e-11, 2.02226624871116645580e-21, 8.47842766036889956997e-32)

_SIN = (
    -1.66666666666666324348e-01,
    8.33333333332248946124e-03,
    -1.98412698298579493134e-04,
    2.75573137070700676789e-06,
    -2.50507602534068634195e-08,
    1.58969099521155010221e-10,
)
_COS = (
    4.16666666666666019037e-02,
    -1.38888888888741095749e-03,
    2.48015872894767294178e-05,
    -2.75573143513906633035e-07,
    2.08757232129817482790e-09,
    -1.13596475577881948265e-11,
)


def sine_and_cosine(w: Arithmetic[V], x: V, fma: bool) -> tuple[V, V, V]:
    """The rounded quotient of an angle by pi/2, and sine and cosine of the remainder.

    The lowest bits of the quotient, read as a whole number n, say the quadrant: for odd n sine and cosine change
    places, and bit 1 of n is the sign of the sine, bit 1 of n + 1 that of the cosine.
    """
    rounded = w.fma(x, w.const(_TWO_OVER_PI), w.const(_ROUNDER))
    n = w.sub(rounded, w.const(_ROUNDER))
    hi, lo = _reduced_with_fma(w, x, n) if fma else _reduced_plainly(w, x, n)
    return rounded, *_fdlibm_kernels(w, hi, lo)


def _two_diff(w: Arithmetic[V], a: V, b: V) -> tuple[V, V]:
    """a - b as a rounded difference and its exact error."""
    s = w.sub(a, b)
    t = w.sub(s, a)
    return s, w.sub(w.sub(a, w.sub(s, t)), w.add(b, t))


def _reduced_with_fma(w: Arithmetic[V], x: V, n: V) -> tuple[V, V]:
    p1, p2, p3 = (w.const(part) for part in _FULL)
    r = w.fnma(n, p1, x)  # exact: r < 1 is a multiple of 2^-53
    product = w.mul(n, p2)
    rest = w.fms(n, p2, product)
    hi, error = _two_diff(w, r, product)
    return hi, w.fnma(n, p3, w.sub(error, rest))


def _reduced_plainly(w: Arithmetic[V], x: V, n: V) -> tuple[V, V]:
    p1, p2, p3, p4 = (w.const(part) for part in _SHORT)
    r = w.sub(x, w.mul(n, p1))
    r, error2 = _two_diff(w, r, w.mul(n, p2))
    r, error3 = _two_diff(w, r, w.mul(n, p3))
    lo = w.sub(w.add(error2, error3), w.mul(n, p4))
    hi = w.add(r, lo)
    return hi, w.sub(lo, w.sub(hi, r))


def _polynomial_by_fma(w: Arithmetic[V], z: V, coefficients: tuple[float, ...]) -> V:
    value = w.const(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        value = w.fma(z, value, w.const(c))
    return value


def _fdlibm_kernels(w: Arithmetic[V], x: V, y: V) -> tuple[V, V]:
    """fdlibm's __kernel_sin and __kernel_cos of x + y, |x| <= pi/4, y a small correction."""
    half = w.const(0.5)
    z = w.mul(x, x)
    v = w.mul(z, x)
    r = _polynomial_by_fma(w, z, _SIN[1:])
    inner = w.fms(z, w.fms(half, y, w.mul(v, r)), y)
    sine = w.sub(x, w.fnma(v, w.const(_SIN[0]), inner))
    zz = w.mul(z, z)
    r = w.fma(w.mul(zz, zz), _polynomial_by_fma(w, z, _COS[3:]), w.mul(z, _polynomial_by_fma(w, z, _COS[:3])))
    hz = w.mul(half, z)
    one = w.const(1.0)
    top = w.sub(one, hz)
    cosine = w.add(top, w.add(w.sub(w.sub(one, top), hz), w.fms(z, r, w.mul(x, y))))
    return sine, cosine
