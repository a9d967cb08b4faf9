"""Coordinates after a motion with constant velocities, and the velocities between two sets of coordinates."""

from __future__ import annotations

from math import factorial
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.vectors import Vec, cross_product
from linkwright.compiler import maximum, select
from linkwright.functions.definition import compiled
from linkwright.functions.setup import Setup
from linkwright.numerics.tolerances import TINY
from linkwright.recursion.twist_recursion import normalize_quaternions

# Below this square of an angle, functions that divide by powers of it are summed as series.
_SERIES = 1.0

# Terms of those series: the next one is below rounding.
_TERMS = 10

# Bernoulli numbers B_2, B_4, ... by magnitude.
_BERNOULLI = (1 / 6, 1 / 30, 1 / 42, 1 / 30, 5 / 66, 691 / 2730, 7 / 6, 3617 / 510, 43867 / 798, 174611 / 330)


@compiled("q", "v", "h")
def integrated(setup: Setup, q: Vec, v: Vec, h: Vec) -> Vec:
    """Coordinates (nq,) after moving from q with constant velocities v for a time h, (1,) [s].

    Quaternions follow the exponential of the velocity in the child's axes, so that this is the
    exact solution of q_dot(q, v).
    """
    dv = h[0] * v
    out = np.zeros(setup.tree.nq, dtype=np.result_type(q, dv))
    for link in setup.tree.links:
        own, step = q[link.coords], dv[link.dofs]
        if link.kind.floats:
            phi, R = step[:3], rotations.rotation_of_quaternion(own[3:])
            travel = R @ _cross_product_series(
                phi, step[3:], 0.5 * _sinc(0.25 * (phi @ phi)) ** 2, _cubic_sinc_factor(phi @ phi)
            )
            out[link.coords] = np.concatenate(
                [own[:3] + travel, rotations.quaternion_product(own[3:], _quaternion_of_rotation_vector(phi))]
            )
        elif link.kind.turns_about_point:
            out[link.coords] = rotations.quaternion_product(own, _quaternion_of_rotation_vector(step))
        else:  # registered kinds have rates v here
            out[link.coords] = own + step
    return normalize_quaternions(setup.tree, out)


@compiled("q", "q1", public=True)
def difference(setup: Setup, q: Vec, q1: Vec) -> Vec:
    """Velocities (nv,) that lead from q to q1 in a unit of time; rotations the short way round, by at most pi."""
    out = np.zeros(setup.tree.nv, dtype=np.result_type(q, q1))
    for link in setup.tree.links:
        start, end = q[link.coords], q1[link.coords]
        if link.kind.floats:
            phi, R = _rotation_vector(start[3:], end[3:]), rotations.rotation_of_quaternion(start[3:])
            travel = _cross_product_series(phi, R.T @ (end[:3] - start[:3]), -0.5, _inverse_third(phi @ phi))
            out[link.dofs] = np.concatenate([phi, travel])
        elif link.kind.turns_about_point:
            out[link.dofs] = _rotation_vector(start, end)
        else:
            out[link.dofs] = end - start
    return out


def _quaternion_of_rotation_vector(phi: Vec) -> Vec:
    """The quaternion of a rotation vector."""
    quarter = 0.25 * (phi @ phi)
    return np.array([np.cos(np.sqrt(quarter)), *(0.5 * _sinc(quarter) * phi)])


def _rotation_vector(start: Vec, end: Vec) -> Vec:
    """The rotation vector, child axes, that takes one quaternion to another the short way round."""
    turn = rotations.quaternion_product(start * np.array([1.0, -1.0, -1.0, -1.0]), end)
    turn = turn * select(turn[0], 1.0, -1.0)
    square = turn[1:] @ turn[1:]
    sine = np.sqrt(maximum(square, TINY))
    factor = select(square - TINY, 2.0 * np.arctan2(sine, turn[0]) / sine, 2.0)
    return factor * turn[1:]


def _cross_product_series(phi: Vec, x: Vec, second: Any, third: Any) -> Vec:
    """x + second phi x x + third phi x (phi x x)."""
    across = cross_product(phi, x)
    return x + second * across + third * cross_product(phi, across)


def _sinc(square: Any) -> Any:
    """sin(x) / x from the square of x."""
    x = np.sqrt(maximum(square, TINY))
    return select(square - TINY, np.sin(x) / x, 1.0)


def _cubic_sinc_factor(square: Any) -> Any:
    """(1 - sin(x) / x) / x^2 from the square of x."""
    series = _evaluate_polynomial([(-1.0) ** k / factorial(2 * k + 3) for k in range(_TERMS)], square)
    return select(square - _SERIES, (1.0 - _sinc(square)) / maximum(square, _SERIES), series)


def _inverse_third(square: Any) -> Any:
    """(1 - (x / 2) / tan(x / 2)) / x^2 from the square of x."""
    series = _evaluate_polynomial([b / factorial(2 * k + 2) for k, b in enumerate(_BERNOULLI)], square)
    half = 0.5 * np.sqrt(maximum(square, _SERIES))
    return select(square - _SERIES, (1.0 - half * np.cos(half) / np.sin(half)) / maximum(square, _SERIES), series)


def _evaluate_polynomial(coefficients: list[float], x: Any) -> Any:
    total: Any = 0.0
    for c in reversed(coefficients):
        total = total * x + c
    return total
