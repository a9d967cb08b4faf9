"""Sine and cosine of several angles at once, as C that compilers turn into vector instructions.

Calls of math.h, one angle at a time, take a large part of the time of a function. Here the angles of a program that do
not wait for each other fill an array, and a loop of fixed length without branches computes both functions of all of
them: Cody-Waite reduction to |r| <= pi/4, in parts of 33 bits whose products are exact where there are no fused
operations, and the polynomials of fdlibm with the remainder carried in two parts. Angles beyond 1e5 and those that are
not finite go to math.h.
"""

from __future__ import annotations

from collections.abc import Iterable

from linkwright.compiler.passes.schedule import Angles, Step, schedule_operations
from linkwright.compiler.trace.program import Program

_WIDTHS = (1, 2, 4, 8)

_TEXT = """/* sine and cosine of @n@ angles, in a loop that compilers turn into vector instructions */
static void NAME@n@(const double *restrict x, double *restrict sine, double *restrict cosine)
{
    int i;
    for (i = 0; i < @n@; ++i) {
        /* x = k pi/2 + (a + b) with a whole number k; adding 1.5 * 2^52 rounds to one */
        const double k = (x[i] * 0.6366197723675814 + 6755399441055744.0) - 6755399441055744.0;
        const double q = k - 4.0 * ((k * 0.25 + 6755399441055744.0) - 6755399441055744.0);
#if defined(FP_FAST_FMA) || defined(__FMA__) || defined(__ARM_FEATURE_FMA)
        const double r0 = fma(-k, 1.5707963267948966, x[i]);
        const double p2 = k * 6.123233995736766e-17;
        const double a = r0 - p2;
        const double t1 = a - r0;
        const double e = ((r0 - (a - t1)) - (p2 + t1)) - fma(k, 6.123233995736766e-17, -p2);
        const double b = fma(-k, -1.4973849048591698e-33, e);
#else
        const double r0 = x[i] - k * 1.57079632673412561417e+00;
        const double p2 = k * 6.07710050630396597660e-11;
        const double r1 = r0 - p2;
        const double t1 = r1 - r0;
        const double p3 = k * 2.02226624871116645580e-21;
        const double r2 = r1 - p3;
        const double t2 = r2 - r1;
        const double e = ((r0 - (r1 - t1)) - (p2 + t1)) + ((r1 - (r2 - t2)) - (p3 + t2));
        const double f = e - k * 8.47842766036889956997e-32;
        const double a = r2 + f;
        const double b = f - (a - r2);
#endif
        /* polynomials of fdlibm */
        const double z = a * a, v = z * a, w = z * z, h = 0.5 * z;
        const double s = 8.33333333332248946124e-03 + z * (-1.98412698298579493134e-04 + z * 2.75573137070700676789e-06)
                         + z * w * (-2.50507602534068634195e-08 + z * 1.58969099521155010221e-10);
        const double c = z * (4.16666666666666019037e-02
                              + z * (-1.38888888888741095749e-03 + z * 2.48015872894767294178e-05))
                         + w * w * (-2.75573143513906633035e-07
                                    + z * (2.08757232129817482790e-09 - z * 1.13596475577881948265e-11));
        const double sin_a = a - ((z * (0.5 * b - v * s) - b) - v * -1.66666666666666324348e-01);
        const double top = 1.0 - h;
        const double cos_a = top + (((1.0 - top) - h) + (z * c - a * b));
        /* quadrants: q is -2 ... 2 */
        const double even = 1.0 - fabs(q);
        sine[i] = q * q == 1.0 ? q * cos_a : even * sin_a;
        cosine[i] = q * q == 1.0 ? -q * sin_a : even * cos_a;
    }
    for (i = 0; i < @n@; ++i) {
        if (!(fabs(x[i]) <= 1e5)) {
            sine[i] = sin(x[i]);
            cosine[i] = cos(x[i]);
        }
    }
}
"""


def steps_of(program: Program) -> tuple[tuple[Step, ...], dict[int, dict[int, int]]]:
    """Operations in the order that keeps few values waiting, angles in groups; for every angle the value numbers of
    its sine and cosine, by `Op`."""
    found = schedule_operations(program, max(1, program.n_operations))
    return tuple(step for chunk in found.chunks for step in chunk), found.pairs


def loop_width(group: Angles) -> int:
    """How many angles the loop for a group takes; the last one of the group fills what is left."""
    return next(n for n in _WIDTHS if len(group.values) <= n)


def c_sincos_functions(name: str, programs: Iterable[Program]) -> list[str]:
    """The functions `name` + width that some programs call."""
    groups = [step for program in programs for step in steps_of(program)[0] if isinstance(step, Angles)]
    widths = {loop_width(group) for group in groups}
    return [_TEXT.replace("NAME", name).replace("@n@", str(n)) for n in sorted(widths)]
