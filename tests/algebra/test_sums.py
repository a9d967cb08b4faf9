"""Sums of recorded values: arithmetic is that of numbers, and what cancels is exactly zero."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from linkwright.algebra.rotations import axis_rotation, factor_rotation
from linkwright.algebra.sums import (
    Symbols,
    SymbolSum,
    constant_ratio,
    direction_angle,
    is_structural_zero,
    known_value,
    nominal_value,
    numeric_array,
    resolve_sums,
)
from linkwright.algebra.transforms import RigidTransform, frame_with_z
from linkwright.compiler import evaluate, trace

_OPERATIONS = ["+", "-", "*", "/", "sin", "cos", "sqrt", "square", "arctan2", "abs", "turn"]


def _chain(x: list, steps: list[tuple[str, int, int]]) -> list:
    """Random arithmetic on a growing list of values, of any scalar type."""
    for op, i, j in steps:
        a, b = x[i % len(x)], x[j % len(x)]
        match op:
            case "+" | "-" | "*":
                x.append(a + b if op == "+" else a - b if op == "-" else a * b)
            case "/":
                x.append(a / (2.0 + b * b))
            case "sqrt":
                x.append((1.0 + a * a) ** 0.5)
            case "square":
                x.append(a**2 - 1.5 * a)
            case "arctan2":
                x.append(direction_angle(a, 2.0 + b * b))
            case "turn":
                c, s = math.cos(0.7), math.sin(0.7)
                x.append(c * (c * a - s * b) + s * (s * a + c * b))  # turned and turned back
            case _:
                x.append(np.sin(a) if op == "sin" else np.cos(a) if op == "cos" else abs(a))
    return x


steps = st.lists(st.tuples(st.sampled_from(_OPERATIONS), st.integers(0, 30), st.integers(0, 30)), max_size=14)


@given(steps, st.lists(st.floats(-2.0, 2.0), min_size=3, max_size=3), st.lists(st.floats(0.5, 2.0), min_size=3))
def test_arithmetic_is_that_of_numbers(chain, values, at):
    """A chain of operations on sums is, recorded and evaluated elsewhere, the chain on numbers; nominal values too."""
    at = at[:3]
    wanted = _chain([*values, 0.25, 0.0], chain)
    noted = []

    def recorded(p):
        symbols = Symbols()
        out = _chain([*(symbols.sum(x, y) for x, y in zip(p, at, strict=True)), 0.25, 0.0], chain)
        noted.extend(nominal_value(x) for x in out)
        return np.array([resolve_sums(x) for x in out], dtype=object)

    program = trace(recorded, {"p": 3})
    assert evaluate(program, np.array(values)) == pytest.approx(wanted, rel=1e-9, abs=1e-9)
    assert noted == pytest.approx(_chain([*at, 0.25, 0.0], chain), rel=1e-9, abs=1e-9)


def two_sums():
    symbols = Symbols()
    return symbols.sum(object(), 0.3), symbols.sum(object(), 0.2)


def test_what_cancels_is_exactly_zero():
    p, q = two_sums()
    R = axis_rotation(2, 0.7).matrix
    arm = R.T @ (R @ np.array([p, q, 0.0], dtype=object))
    assert is_structural_zero(arm[2]) and arm[0] == p and arm[1] == q
    assert (p + 1.0) - p == 1.0 and 0.0 * p == 0.0 and p - p == 0.0
    assert (2.0 * p * q) / (p * q) == 2.0 and (p * q) / q == p
    assert constant_ratio(0.5 * p, p) == 0.5 and constant_ratio(p, q) is None


def test_structure_is_not_taken_from_nominal_values():
    p = Symbols().sum(object(), 0.0)
    assert not is_structural_zero(p) and known_value(p) is None and nominal_value(p) == 0.0
    assert Symbols().sum(1.5, 1.5) == 1.5
    assert numeric_array([p, 1.0]).dtype == object and numeric_array([1, 2]).dtype == float


def test_work_is_bounded():
    """Products of long sums become one symbol instead of growing without end."""
    symbols = Symbols()
    p = [symbols.sum(object.__new__(_Number), 1.0) for _ in range(8)]
    total = sum(p)
    for _ in range(12):
        total = total * sum(p)
    assert isinstance(total, SymbolSum) and len(total.terms) <= 48


class _Number:
    """A stand-in for a recorded value that can be added and multiplied."""

    def __add__(self, other):
        return _Number()

    __radd__ = __mul__ = __rmul__ = __add__


@given(st.integers(0, 2), st.sampled_from([1.0, -1.0]), st.floats(-0.2, 0.2), st.floats(-0.2, 0.2))
def test_frames_of_a_direction_that_is_an_input(i, sign, a, b):
    """At the nominal direction it is the frame of the constant, and elsewhere a rotation with that z axis."""
    axis = np.zeros(3)
    axis[i] = sign

    def recorded(u):
        symbols = Symbols()
        return resolve_sums(frame_with_z([symbols.sum(x, y) for x, y in zip(u, axis, strict=True)]))

    program = trace(recorded, {"u": 3})
    assert np.allclose(evaluate(program, axis), frame_with_z(axis), atol=1e-15)
    moved = axis + np.roll([0.0, a, b], i)
    R = evaluate(program, moved)
    assert np.allclose(R.T @ R, np.eye(3), atol=1e-14) and np.linalg.det(R) > 0
    assert np.allclose(R[:, 2], moved / np.linalg.norm(moved), atol=1e-14)


def test_known_elements_decide_how_a_rotation_is_kept():
    c, s = two_sums()
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]], dtype=object)
    assert len(factor_rotation(about_x).factors) == 1 and factor_rotation(about_x).factors[0].axis == 0
    assert RigidTransform.of((c, 0.0, 1e-300), np.eye(3)).rows == RigidTransform().rows
