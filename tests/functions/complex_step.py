"""Derivatives of closed-loop mechanisms by complex steps: no cancellation, and nothing shared with the derivative code.

A mechanism is moved along a motion its loops allow by an imaginary step and closed again by Newton's method in complex
numbers; its minimal equations are solved there, and the imaginary part of the result is the derivative.
"""

from __future__ import annotations

import numpy as np

from linkwright.functions import Kernels, Setup
from linkwright.functions.function_registry import all_definitions
from tests.loops.mechanisms import Mechanics

STEP = 1e-30


def ask(kernels: Kernels | Setup, name: str, *arguments: np.ndarray) -> np.ndarray:
    """A function evaluated on plain (here complex) numbers."""
    definition = all_definitions()[name]
    at = Kernels(kernels) if isinstance(kernels, Setup) else kernels
    return definition(at.record(definition), *arguments)


def displaced(setup: Kernels, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """q moved by an imaginary step along the motion v and closed again in complex numbers."""
    moved = q + 1j * STEP * ask(setup, "coordinate_rates", q, v)
    J = np.linalg.pinv(ask(setup, "closure_jacobian", q), rcond=1e-10)
    for _ in range(4):
        moved = moved + ask(setup, "coordinate_rates", q + 0j, -J @ ask(setup, "closure_residual", moved))
    return moved


def forward_derivatives(mechanics: Mechanics, q: np.ndarray, v: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Columns d a by independent displacements, independent velocities, efforts, (nv, 2 n_ind + na)."""
    setup, (chosen, R) = mechanics.minimal, _independent(mechanics, q)
    columns = []
    for k in range(len(chosen)):
        moved = displaced(setup, q, R[:, k])
        columns.append(_accelerated(setup, moved, v[chosen], tau))
    for k in range(len(chosen)):
        columns.append(_accelerated(setup, q, v[chosen] + 1j * STEP * np.eye(len(chosen))[k], tau))
    columns += [_accelerated(setup, q, v[chosen], tau + 1j * STEP * e) for e in np.eye(len(tau))]
    return np.array(columns).T


def inverse_derivatives(mechanics: Mechanics, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Columns d tau by independent displacements, speeds and accelerations, (na, 3 n_ind)."""
    setup, (chosen, R) = mechanics.minimal, _independent(mechanics, q)
    columns = [_efforts(setup, displaced(setup, q, R[:, k]), v[chosen], a[chosen]) for k in range(len(chosen))]
    unit = 1j * STEP * np.eye(len(chosen))
    columns += [_efforts(setup, q, v[chosen] + e, a[chosen]) for e in unit]
    columns += [_efforts(setup, q, v[chosen], a[chosen] + e) for e in unit]
    return np.array(columns).T


def _independent(mechanics: Mechanics, q: np.ndarray) -> tuple[list[int], np.ndarray]:
    part = mechanics.minimal.stage.partition
    return list(part.independent), ask(mechanics.minimal, "independent_map", q)


def _accelerated(setup: Kernels, q: np.ndarray, v_ind: np.ndarray, tau: np.ndarray) -> np.ndarray:
    q, v_ind, tau = q + 0j, v_ind + 0j, tau + 0j
    v = ask(setup, "independent_map", q) @ v_ind
    return ask(setup, "minimal_forward_dynamics", q, v, tau).imag / STEP


def _efforts(setup: Kernels, q: np.ndarray, v_ind: np.ndarray, a_ind: np.ndarray) -> np.ndarray:
    q, v_ind, a_ind = q + 0j, v_ind + 0j, a_ind + 0j
    R, B = ask(setup, "independent_map", q), ask(setup, "effort_matrix", q)
    v, a, dependent = R @ v_ind, R @ a_ind, list(setup.stage.partition.dependent)
    a[dependent] -= np.linalg.solve(ask(setup, "closure_jacobian", q)[:, dependent], ask(setup, "closure_bias", q, v))
    force = ask(setup, "generalized_forces", q, v, a)
    return np.linalg.solve(R.T @ B, R.T @ force).imag / STEP
