"""Twist annihilators (Khan 24-34, 65-70): maps that remove what passive joints add to a twist (any scalar)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright import joints as kinds
from linkwright.algebra.vectors import Mat, Vec, cross_product, skew
from linkwright.dataclass import dataclass


def numeric_annihilator(p: Vec) -> tuple[Mat, Any]:
    """Phi = 1 - p p^T / delta and delta = p^T p, for a twist of three or six components (Khan 70, theory 7.4).

    >>> Phi, delta = numeric_annihilator(np.array([1.0, 0.0, 1.0]))
    >>> Phi.tolist(), float(delta)
    ([[0.5, 0.0, -0.5], [0.0, 1.0, 0.0], [-0.5, 0.0, 0.5]], 2.0)
    """
    delta = p @ p
    return np.eye(len(p)) - np.outer(p, p) * (1.0 / delta), delta


def geometric_annihilator(kind: kinds.JointKind, axes: list[Vec], r: Vec) -> Mat:
    """Phi of a whole joint, from its axes alone, so that no lengths are added to angles, (6, 6) (Khan 69, theory 7.3).

    Args:
        kind: revolute, prismatic, screw, cylindrical, universal, spherical or fixed.
        axes: unit directions of the joint, world axes.
        r: from the reference point to a point of the joint, [m], world axes.
    """
    one, zero = np.eye(3), np.zeros((3, 3))
    turns, slides = ([x for x in kind.unit_twists() if x.turns is way] for way in (True, False))
    if not turns:
        return np.block([[one, zero], [zero, _projection_along_axes(axes[: len(slides)])]])
    across = _projection_along_axes(axes[: len(slides)])
    lower = -skew(r) if not slides else -(across @ skew(r))
    lower = lower - turns[0].pitch * one if turns[0].pitch else lower
    return np.block([[_projection_along_axes(axes[: len(turns)]) if len(turns) < 3 else zero, zero], [lower, across]])


def _projection_along_axes(axes: list[Vec]) -> Mat:
    """The projection along at most two directions, the second at right angles to the first."""
    if len(axes) == 2:
        n = cross_product(axes[0], axes[1])
        return np.outer(n, n)
    return np.eye(3) - np.outer(axes[0], axes[0]) if axes else np.eye(3)


@dataclass(frozen=True, eq=False)
class Annihilation:
    """Remainder of a chain without its passive freedoms.

    Phi: annihilator of all of them, Phi_1 of (30). p_tilde, delta: per freedom, None where it is driven. a: the rows of
    P_bar (35): the rate of a passive freedom is a^T (t_P - sum of driven b rate).
    """

    Phi: Mat
    p_tilde: list[Vec | None]
    delta: list[Any]
    a: list[Vec | None]


def find_annihilation(b: list[Vec], passive: list[bool]) -> Annihilation:
    """Phi_i, p_tilde_i, delta_i from the platform to the base, then the rows a_i (Khan 26-34, theory 7.5-7.8).

    Args:
        b: per freedom of the chain, base first, its twist at the platform's point P, B_Pi p_i.
        passive: which of them are not driven.
    """
    n = len(b)
    p_tilde: list[Vec | None] = [None] * n
    delta: list[Any] = [None] * n
    Phi = np.eye(len(b[0]))
    for i in reversed(range(n)):
        if passive[i]:
            p = Phi @ b[i]
            p_tilde[i], delta[i] = p, p @ p
            Phi = Phi - np.outer(p, p) * (1.0 / delta[i])
    return Annihilation(Phi, p_tilde, delta, [_annihilator_row(b, p_tilde, delta, i) for i in range(n)])


def _annihilator_row(b: list[Vec], p_tilde: list[Vec | None], delta: list[Any], i: int) -> Vec | None:
    """a_i = Psi_1 ... Psi_(i-1) p_tilde_i / delta_i with Psi_k = 1 - p_tilde_k b_k^T / delta_k over passive k < i."""
    p = p_tilde[i]
    if p is None:
        return None
    a = p * (1.0 / delta[i])
    for k in reversed(range(i)):
        p = p_tilde[k]
        if p is not None:
            a = a - p * ((b[k] @ a) * (1.0 / delta[k]))
    return a
