"""Assembly modes of random 3-RRR manipulators against the roots of a polynomial.

    python -m tests.laws.planar_modes 200

With the motors' angles given, the elbows E_i stand, and the platform (origin P, angle phi, joints b_i) has
|P + R b_i - E_i| = l for i = 1, 2, 3. Differences of two of these are linear in P; put into the first they leave a
trigonometric polynomial in phi (J.-P. Merlet, Parallel Robots, 2nd ed., section 4.2: up to six assembly modes). Its
coefficients follow from samples, its roots from a companion matrix. Nothing here uses the library but the comparison.
"""

from __future__ import annotations

import sys

import numpy as np

import linkwright as lw

_DEGREE = 6  # at least that of the polynomial; coefficients beyond it vanish


def platform_angles(elbows, corners, reach):
    """Angles phi of all real solutions, ascending; elbows and corners (3, 2)."""
    samples = 2.0 * np.pi * np.arange(4 * _DEGREE) / (4 * _DEGREE)
    c = np.fft.fft([_eliminant(phi, elbows, corners, reach) for phi in samples]) / len(samples)
    coefficients = np.array([c[k] for k in range(_DEGREE, -_DEGREE - 1, -1)])
    large = np.abs(coefficients) > 1e-12 * np.abs(coefficients).max()
    first, last = int(np.argmax(large)), len(large) - int(np.argmax(large[::-1]))
    roots = np.roots(coefficients[first:last])
    found = np.angle(roots[np.abs(np.abs(roots) - 1.0) < 1e-5])
    return np.sort([phi for phi in found if _residual(phi, elbows, corners, reach) < 1e-5])


def _offsets(phi, elbows, corners):
    c, s = np.cos(phi), np.sin(phi)
    return corners @ np.array([[c, s], [-s, c]]) - elbows


def _position(phi, elbows, corners):
    """Numerator N (2,) and denominator D of P = N / D."""
    u = _offsets(phi, elbows, corners)
    A = 2.0 * (u[1:] - u[0])
    b = np.sum(u[0] ** 2) - np.sum(u[1:] ** 2, axis=1)
    return np.array([b[0] * A[1, 1] - A[0, 1] * b[1], A[0, 0] * b[1] - b[0] * A[1, 0]]), np.linalg.det(A)


def _eliminant(phi, elbows, corners, reach):
    u = _offsets(phi, elbows, corners)[0]
    N, D = _position(phi, elbows, corners)
    return N @ N + 2.0 * D * (N @ u) + D * D * (u @ u - reach**2)


def _residual(phi, elbows, corners, reach):
    N, D = _position(phi, elbows, corners)
    lengths = np.linalg.norm(N / D + _offsets(phi, elbows, corners), axis=1)
    return np.abs(lengths - reach).max()


def random_case(rng):
    """Parameters and motor angles of a manipulator that can be assembled, and its platform angles."""
    while True:
        p = {
            "side": 1.0,
            "proximal": rng.uniform(0.3, 0.5),
            "distal": rng.uniform(0.4, 0.7),
            "plate": rng.uniform(0.3, 0.6),
        }
        angles = rng.uniform(-np.pi, np.pi, 3)
        base = p["side"] * np.array([[0.0, 0.0], [1.0, 0.0], [0.5, 3**0.5 / 2]])
        elbows = base + p["proximal"] * np.stack([np.cos(angles), np.sin(angles)], axis=1)
        corners = p["plate"] * np.array([[-0.5, -(12**-0.5)], [0.5, -(12**-0.5)], [0.0, 3**-0.5]])
        found = platform_angles(elbows, corners, p["distal"])
        apart = np.diff(np.append(found, found[:1] + 2.0 * np.pi))
        if len(found) and apart.min() > 1e-3:
            return p, angles, found


def compared(model, rng):
    """Numbers of modes by the library and by the polynomial, and the largest difference of their angles."""
    p, angles, expected = random_case(rng)
    at = model.with_parameters(p)
    modes = at.assembly_modes(angles)
    turned = [at.frame_pose(mode.q, "platform").quaternion_wxyz for mode in modes]
    found = np.sort(np.angle(np.exp(1j * np.array([2.0 * np.arctan2(e[3], e[0]) for e in turned]))))
    if len(found) != len(expected):
        return len(found), len(expected), np.inf
    return len(found), len(expected), float(np.abs(np.exp(1j * found) - np.exp(1j * expected)).max())


def main(count):
    """Print how often each number of modes was met, and every disagreement."""
    model, rng = lw.build(lw.catalog.load("3-rrr"), inputs="all"), np.random.default_rng(16)
    met, worst, wrong = {}, 0.0, 0
    for i in range(count):
        ours, theirs, off = compared(model, rng)
        met[theirs] = met.get(theirs, 0) + 1
        wrong += off > 1e-6
        if off > 1e-6:
            print(f"case {i}: {ours} modes found, {theirs} by the polynomial", flush=True)
        else:
            worst = max(worst, off)
    print(
        f"{count} manipulators, {wrong} disagree; modes {dict(sorted(met.items()))}; largest difference {worst:.1e} rad"
    )


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
