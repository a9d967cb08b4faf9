"""Sine and cosine together, for several lanes, as IR text.

Cody-Waite reduction to |r| <= pi/4 followed by the fdlibm kernels, with the remainder carried in two parts so that
results near multiples of pi/2 keep their relative accuracy. Lanes with |x| > 1e5 or not finite go to the C library.
"""

from __future__ import annotations

from linkwright.compiler.codegen.ir_text import Lines, function_definition, vector_type

LARGEST = 1e5
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


def sincos_definitions(lanes: int, fma: bool) -> str:
    """Definitions of `@lw.sincos.<lanes>`, vector in, {sine, cosine} out, and of its slow path."""
    return _fast_sincos(lanes, fma) + _slow_sincos(lanes)


def _fast_sincos(lanes: int, fma: bool) -> str:
    w = Lines(lanes, fma)
    kind = vector_type(lanes)
    size = w.abs("%x")
    big = w.let(f"fcmp ugt {kind} {size}, {w.const(LARGEST)}")
    rounded = w.fma("%x", w.const(_TWO_OVER_PI), w.const(_ROUNDER))
    n = w.sub(rounded, w.const(_ROUNDER))
    hi, lo = _reduced_with_fma(w, n) if fma else _reduced_plainly(w, n)
    sine, cosine = _fdlibm_kernels(w, hi, lo)
    sine, cosine = _by_quadrant(w, rounded, sine, cosine)
    _return_or_slow(w, big, sine, cosine)
    return function_definition(f"internal {{{kind}, {kind}}} @lw.sincos.{lanes}({kind} %x) noinline #0", w.text)


def _two_diff(w: Lines, a: str, b: str) -> tuple[str, str]:
    """a - b as a rounded difference and its exact error."""
    s = w.sub(a, b)
    t = w.sub(s, a)
    return s, w.sub(w.sub(a, w.sub(s, t)), w.add(b, t))


def _reduced_with_fma(w: Lines, n: str) -> tuple[str, str]:
    p1, p2, p3 = map(w.const, _FULL)
    r = w.fnma(n, p1, "%x")  # exact: r < 1 is a multiple of 2^-53
    product = w.mul(n, p2)
    rest = w.fms(n, p2, product)
    hi, error = _two_diff(w, r, product)
    return hi, w.fnma(n, p3, w.sub(error, rest))


def _reduced_plainly(w: Lines, n: str) -> tuple[str, str]:
    p1, p2, p3, p4 = map(w.const, _SHORT)
    r = w.sub("%x", w.mul(n, p1))
    r, error2 = _two_diff(w, r, w.mul(n, p2))
    r, error3 = _two_diff(w, r, w.mul(n, p3))
    lo = w.sub(w.add(error2, error3), w.mul(n, p4))
    hi = w.add(r, lo)
    return hi, w.sub(lo, w.sub(hi, r))


def _polynomial_by_fma(w: Lines, z: str, coefficients: tuple[float, ...]) -> str:
    value = w.const(coefficients[-1])
    for c in reversed(coefficients[:-1]):
        value = w.fma(z, value, w.const(c))
    return value


def _fdlibm_kernels(w: Lines, x: str, y: str) -> tuple[str, str]:
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


def _by_quadrant(w: Lines, rounded: str, sine: str, cosine: str) -> tuple[str, str]:
    whole, mask = vector_type(w.lanes, "i64"), vector_type(w.lanes, "i1")
    n = w.let(f"bitcast {w.type} {rounded} to {whole}")
    odd = w.let(f"trunc {whole} {n} to {mask}")
    first, second = w.choose(odd, cosine, sine), w.choose(odd, sine, cosine)
    next_n = w.let(f"add {whole} {n}, {w.whole(1)}")
    return _with_sign(w, first, n), _with_sign(w, second, next_n)


def _with_sign(w: Lines, value: str, n: str) -> str:
    """The value negated where bit 1 of n is set."""
    whole = vector_type(w.lanes, "i64")
    shifted = w.let(f"shl {whole} {n}, {w.whole(62)}")
    sign = w.let(f"and {whole} {shifted}, {w.whole(-(2**63))}")
    bits = w.let(f"bitcast {w.type} {value} to {whole}")
    return w.let(f"bitcast {whole} {w.let(f'xor {whole} {bits}, {sign}')} to {w.type}")


def _return_or_slow(w: Lines, big: str, sine: str, cosine: str) -> None:
    kind = w.type
    bits = w.let(f"bitcast {vector_type(w.lanes, 'i1')} {big} to i{w.lanes}")
    some = w.let(f"icmp ne i{w.lanes} {bits}, 0")
    pair = f"{{{kind}, {kind}}}"
    one = w.let(f"insertvalue {pair} undef, {kind} {sine}, 0")
    both = w.let(f"insertvalue {pair} {one}, {kind} {cosine}, 1")
    w.put(f"br i1 {some}, label %slow, label %done")
    w.put("done:")
    w.put(f"ret {pair} {both}")
    w.put("slow:")
    replaced = w.let(f"call {pair} @lw.sincos.slow.{w.lanes}({kind} %x, {kind} {sine}, {kind} {cosine})")
    w.put(f"ret {pair} {replaced}")


def _slow_sincos(lanes: int) -> str:
    """Replace the lanes the fast path cannot do by the C library's results."""
    w = Lines(lanes)
    kind = vector_type(lanes)
    sine, cosine = "%s", "%c"
    for lane in range(lanes):
        x = w.let(f"extractelement {kind} %x, i32 {lane}")
        big = w.let(f"fcmp ugt double {w.let(f'call double @llvm.fabs.f64(double {x})')}, 0x40F86A0000000000")
        kept = [w.let(f"extractelement {kind} {v}, i32 {lane}") for v in (sine, cosine)]
        names = [w.let(f"call double @lw_{f}(double {x})") for f in ("sin", "cos")]
        chosen = [w.let(f"select i1 {big}, double {a}, double {b}") for a, b in zip(names, kept, strict=True)]
        sine = w.let(f"insertelement {kind} {sine}, double {chosen[0]}, i32 {lane}")
        cosine = w.let(f"insertelement {kind} {cosine}, double {chosen[1]}, i32 {lane}")
    pair = f"{{{kind}, {kind}}}"
    one = w.let(f"insertvalue {pair} undef, {kind} {sine}, 0")
    w.put(f"ret {pair} {w.let(f'insertvalue {pair} {one}, {kind} {cosine}, 1')}")
    return function_definition(
        f"internal {pair} @lw.sincos.slow.{lanes}({kind} %x, {kind} %s, {kind} %c) noinline cold #0", w.text
    )
