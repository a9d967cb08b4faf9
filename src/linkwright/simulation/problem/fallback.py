"""Accelerations and projections where the compiled elimination is ill-conditioned.

First a second compiled order. Where that gives up too, a dense solve in which directions that the loops have almost
lost fade out smoothly: an equation with a singular value far below a share of its typical size is left to the motion's
own continuity, which passes a singular position on the branch it came on (theory 8.9).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.kernels import registry
from linkwright.kernels.compiled import Kernels
from linkwright.model import Model
from linkwright.recursion.coordinates import normalized
from linkwright.simulation.problem.acting import NOTHING, Acting, acted
from linkwright.simulation.problem.callbacks import Callback, Later
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.nominal import shared
from linkwright.solve.pivot_checked import stabilized_kernel
from linkwright.solve.tree_pivots import tree_kernel

# Shares of the typical smallest singular value. Projection leaves alone what it could only move far: gaps there are of
# second order. Measured on chains of 2, 5, 7 and 10 four-bars that pass their flat position ten times in 10 s: off by
# 1e-7 to 2e-6 rad with the default method; with three times the first share 4e-4, with a third of the second 8e-6.
FADING = 1e-2
SLACK = 1.0

# Rows, which no step starts from, follow equations down to this share.
_LEAST = 1e-7

# Equations that have faded by less than this are followed as they are.
_UNNOTICED = 1e-4

# Distance over which derivatives along the motion are taken, in rad or shares of a unit.
_SHIFT = 1e-5

# Directions in which the motion takes lost equations back to their rank more slowly than this share of the fastest.
_TRANSVERSAL = 1e-3

Array = np.ndarray


def fallback(model: Model, acting: Acting = NOTHING) -> Callback:
    """Accelerations where both compiled orders give up."""

    def accelerations(q: Array, v: Array, tau: Array, *outer: Array) -> Array:
        with np.errstate(invalid="ignore", over="ignore"):
            return fading_accelerations(model, q, v, tau, *outer)

    return _callback(model, acting, accelerations)


def tree_fallback(model: Model, acting: Acting = NOTHING) -> Callback:
    """Accelerations of a tree by least constraint, where its pivots are too small."""
    return _callback(model, acting, tree_kernel(model.kinematics, wrench=bool(acting.sites)))


def stabilized_fallback(model: Model, rate: float, acting: Acting = NOTHING) -> Callback:
    """Accelerations with Baumgarte's terms, by the dense solve, where the compiled order is ill-conditioned."""
    kernel = stabilized_kernel(model.dynamics, wrench=bool(acting.sites))
    return _callback(model, acting, lambda q, v, tau, *outer: kernel(q, v, tau, np.array([rate]), *outer))


def _callback(model: Model, acting: Acting, accelerations: Callable[..., Array]) -> Callback:
    """A function of q, v, tau and wrenches on all bodies as drivers call it, with wrenches behind the efforts."""
    tree = model.kernels.setup.simplified

    def called(q: Array, v: Array, given: Array) -> tuple[Array]:
        q = normalized(tree, q)
        tau, w = np.split(given, [model.na])
        outer = acting.outer(model.kernels.here, q, w) if acting.sites else ()
        return (accelerations(q, v, tau, *outer),)

    return Callback(called, [model.nq, model.nv, model.na + acting.n_wrenches], [model.nv])


def second(kernels: Kernels, acting: Acting = NOTHING) -> Later:
    """Accelerations in a second compiled order."""
    return Later(lambda: acted(kernels, registry.SECOND_FORWARD_DYNAMICS, acting))


def fading_accelerations(model: Model, q: Array, v: Array, tau: Array, *outer: Array) -> Array:
    """Accelerations (nv,) that keep the loops closed as far as the loops decide them (theory 8.9)."""
    kernels, rank = model.kernels, model.kinematics.rank.rank
    M = kernels.function(registry.MASS_MATRIX)(q)
    right = kernels.function(registry.KKT_RIGHT_SIDE, wrench=bool(outer))(q, v, tau, *outer)
    J = kernels.function(registry.CLOSURE_JACOBIAN)(q)
    L = np.linalg.cholesky(M)
    free = np.linalg.solve(L, right[: model.nv])
    G = np.linalg.solve(L, J.T).T
    U, s, Vt = np.linalg.svd(G, full_matrices=False)
    wanted = U.T @ (right[model.nv :] - G @ free)
    share = FADING * typical(model)
    lost = fading(s, share)
    counts = np.arange(len(s)) < rank  # the others belong to repeated equations and to the freedoms of the motion
    small, sound = counts & (lost > _UNNOTICED), counts & ~(lost > _UNNOTICED)
    y = faded(s, share) * wanted
    if small.any():
        regular = np.linalg.solve(L.T, free + Vt[sound].T @ (wanted[sound] / s[sound]))
        y[small] += lost[small] ** 2 * continued(kernels, q, v, regular, U[:, small], np.linalg.solve(L.T, Vt[small].T))
    return np.linalg.solve(L.T, free + Vt.T @ y)


def continued(kernels: Kernels, q: Array, v: Array, a: Array, U: Array, W: Array) -> Array:
    """Correction (k,) that keeps the motion on its branch in directions W (nv, k) that the loops almost lose (8.16).

    Of the equations U (m, n) the second derivative says nothing there; the third one does, because v takes them back to
    their rank. The least correction to the accelerations `a` of the other directions is taken: along the branch it is
    zero.
    """
    rate = float(np.linalg.norm(v))
    if not rate > 0.0:
        return np.zeros(W.shape[1])
    jacobian, bias, h = (
        kernels.function(registry.CLOSURE_JACOBIAN),
        kernels.function(registry.CLOSURE_BIAS),
        _SHIFT / rate,
    )
    after, before = (kernels.function(registry.ADVANCED)(q, x * v) for x in (h, -h))
    J_dot = (jacobian(after) - jacobian(before)) / (2.0 * h)
    by_time = (bias(after, v) - bias(before, v)) / (2.0 * h)

    def third(x: Array) -> Array:
        """(J' + db/dv) x; the bias b is quadratic in v."""
        unit = rate / max(float(np.linalg.norm(x)), 1e-300)
        return J_dot @ x + (bias(q, v + unit * x) - bias(q, v - unit * x)) / (2.0 * unit)

    B = U.T @ np.stack([third(w) for w in W.T], axis=1)
    P, sizes, Qt = np.linalg.svd(B, full_matrices=False)
    return -Qt.T @ (faded(sizes, _TRANSVERSAL) * (P.T @ (U.T @ (third(a) + by_time))))


def typical(model: Model) -> float:
    """The usual smallest singular value of the loops' equations, relative to the largest."""
    return _typical(model.kinematics)


@shared
def _typical(loops: Kinematics) -> float:
    return loops.cache.get("typical singular value", lambda: _smallest(loops))


def _smallest(loops: Kinematics) -> float:
    scale = loops.scales
    J = loops.open.function(registry.CLOSURE_JACOBIAN)(loops.branch_samples) / scale.rows[:, None] * scale.speeds
    s = np.linalg.svd(J, compute_uv=False)[:, : loops.rank.rank]
    return float(np.median(s[:, -1] / s[:, 0])) if s.shape[1] else 1.0


def fading(s: Array, share: float) -> Array:
    """Measure of how far singular values are below a share of the largest: 1 where they are zero, 0 far above it.

    The fourth power leaves nothing of it in regular positions: at 30 times the share 1e-12 of an equation is missing.
    """
    small = (share * s.max(initial=1e-300)) ** 2
    return (small / (s * s + small)) ** 2


def faded(s: Array, share: float) -> Array:
    """Inverses of singular values, fading to zero below a share of the largest."""
    left = fading(s, share)
    return (1.0 - left * left) / np.maximum(s, 1e-300)


def careful_projection(model: Model) -> Callback:
    """Projection that does not follow equations the loops have almost lost."""
    share = SLACK * typical(model)
    sizes = [model.nq, model.nv]
    return Callback(lambda q, v: dense_projection(model, q, v, share), sizes, sizes[::-1])


def row_projection(model: Model) -> Callback:
    """Projection as near to closed loops as it goes, for states that no step starts from.

    An equation is followed as long as its singular value is above the root of the gap: below, the nearest closed state
    is not found along it.
    """
    kinematics = model.kinematics
    gap = kinematics.open.function(registry.CLOSURE_RESIDUAL)

    def closed(q: Array, v: Array) -> tuple[Array, Array]:
        q = normalized(kinematics.setup.simplified, q)
        left = float(np.abs(gap(q) / kinematics.scales.rows).max())
        for _ in range(12):
            nearer = dense_projection(model, q, v, max(_LEAST, np.sqrt(left)))[1]
            size = float(np.abs(gap(nearer) / kinematics.scales.rows).max())
            if not size < left:
                break
            q, left = nearer, size
        for _ in range(2):
            v = dense_projection(model, q, v, _LEAST)[0]
        return v, q

    sizes = [model.nq, model.nv]
    return Callback(closed, sizes, sizes[::-1])


def dense_projection(model: Model, q: Array, v: Array, share: float = 1e-9) -> tuple[Array, Array]:
    """Velocities and coordinates brought nearer to closed loops along the least change, with full pivoting."""
    kinematics = model.kinematics
    scale, q = kinematics.scales, normalized(kinematics.setup.simplified, q)
    J = kinematics.open.function(registry.CLOSURE_JACOBIAN)(q) / scale.rows[:, None] * scale.speeds
    gap = kinematics.open.function(registry.CLOSURE_RESIDUAL)(q) / scale.rows
    U, s, Vt = np.linalg.svd(J, full_matrices=False)
    inverse = faded(s, share)
    dq = -scale.speeds * (Vt.T @ (inverse * (U.T @ gap)))
    dv = -scale.speeds * (Vt.T @ (inverse * (U.T @ (J @ (v / scale.speeds)))))
    return v + dv, kinematics.open.function(registry.ADVANCED)(q, dq)
