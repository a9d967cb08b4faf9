"""The flyball governor of the claims against Lagrange's equations of its symmetric motion, written out by hand."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from linkwright.papers.benchmark_claims import governor_states

BAR, TIP, SLIDER = 0.3, 5.0, 3.0  # masses, kg
LONG, ACROSS = BAR * 1e-4 / 6, BAR * (1 + 1e-4) / 12
STIFFNESS, DAMPING, G = 8e5, 4e4, 9.81


def moment_about_shaft(alpha):
    """Of everything, and its derivative by alpha."""
    c, s = np.cos(alpha), np.sin(alpha)
    inner, outer = 0.05 + 0.5 * c, 0.05 + c
    moment = LONG * s * s + ACROSS * c * c + BAR * inner**2 + TIP * outer**2
    by_alpha = 2 * (LONG - ACROSS) * s * c - BAR * inner * s - 2 * TIP * outer * s
    return 2 * moment + LONG + SLIDER * 0.01 / 6, 2 * by_alpha


def rates(_, y):
    alpha, height, alpha_dot, height_dot = y
    moment, moment_by_alpha = moment_about_shaft(alpha)
    turn = 2 * np.pi * moment_about_shaft(np.pi / 6)[0] / moment
    across, up = 0.5 * np.cos(alpha), 1 - 0.5 * np.sin(alpha) - height
    length = np.hypot(across, up)
    by_alpha, by_height = -0.5 * (across * np.sin(alpha) + up * np.cos(alpha)) / length, -up / length
    force = 2 * (STIFFNESS * (length - 0.5) + DAMPING * (by_alpha * alpha_dot + by_height * height_dot))
    weight = 2 * G * np.cos(alpha) * (BAR / 2 + TIP)
    alpha_ddot = (0.5 * moment_by_alpha * turn**2 + weight - force * by_alpha) / (2 * (ACROSS + BAR / 4 + TIP))
    return [alpha_dot, height_dot, alpha_ddot, -G - force * by_height / SLIDER]


def test_the_governor_moves_as_by_equations_written_by_hand():
    times = [1.0, 5.0, 10.0]
    found = solve_ivp(rates, (0, 10), [np.pi / 6, 0.5, 0, 0], "DOP853", times, rtol=1e-10, atol=1e-12)
    assert governor_states() == pytest.approx(found.y[:2].T, abs=1e-9)
