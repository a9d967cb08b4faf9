"""Rosenbrock steps for stiff motion of a single run (theory 8.10-8.11). In the compiler's subset of Python."""

from __future__ import annotations

from math import sqrt

from linkwright.compiler.native import Rows
from linkwright.simulation.drivers.driver_records import Driver
from linkwright.simulation.drivers.mechanics import state_derivative
from linkwright.simulation.drivers.small_matrices import lu_factored, lu_solved


def rosenbrock_step(d: Driver) -> int:
    """The stages of a step, its result and its error; 0 when they cannot be computed."""
    m = d.method
    k = d.k
    y_new = d.y_new
    if differentiate_rates(d) == 0 or factor_shifted_jacobian(1.0 / (m.gamma * d.step.size), d) == 0:
        return 0
    for j in range(m.stages):
        if rosenbrock_stage(j, d) == 0:
            return 0
    for i in range(d.shape.n):
        y_new[i] += k[m.stages * d.shape.stride + i]
    d.step.error = rosenbrock_error(d)
    return 1


def differentiate_rates(d: Driver) -> int:
    """Derivatives of the right-hand side at the state by time, coordinates and velocities.

    What laws gave at a stage that failed is forgotten: the derivatives contain the laws, and would refuse it.
    """
    m = d.mechanics
    by = d.linear
    y = d.y
    tau = m.tau
    for i in range(d.shape.n_acting):
        if tau[i] - tau[i] != 0.0:
            tau[i] = 0.0
    s = y[d.shape.nq :]
    clock = d.clock
    clock[0] = d.settings.origin + d.step.t
    return m.jacobian(clock, y, s, m.tau, by.by_t, by.by_q, by.by_s)


def factor_shifted_jacobian(shift: float, d: Driver) -> int:
    """LU factors, with row exchanges, of shift 1 - Jacobian of the right-hand side; 0 when it is singular."""
    n = d.shape.n
    nq = d.shape.nq
    ns = d.shape.ns
    m = d.linear.matrix
    by_q = d.linear.by_q
    by_s = d.linear.by_s
    d.linear.factorings += 1
    for i in range(n):
        for j in range(nq):
            m[i * n + j] = -by_q[i * nq + j]
        for j in range(ns):
            m[i * n + nq + j] = -by_s[i * ns + j]
        for j in range(nq + ns, n):
            m[i * n + j] = 0.0
        m[i * n + i] += shift
    return lu_factored(n, n, m, d.linear.pivots)


def solved_for(d: Driver, x: Rows) -> None:
    """Replace a right-hand side by the solution."""
    lu_solved(d.shape.n, d.shape.n, d.linear.matrix, d.linear.pivots, x)


def rosenbrock_stage(j: int, d: Driver) -> int:
    """Stage j into row j + 1 of k, whose row 0 holds the derivative at the state; 0 when it cannot be computed."""
    m = d.method
    n = d.shape.n
    stride = d.shape.stride
    k = d.k
    y = d.y
    y_new = d.y_new
    by_t = d.linear.by_t
    h = d.step.size
    out = k[(j + 1) * stride :]
    for i in range(n):
        y_new[i] = y[i]
    for r in range(j):
        x = m.a[j * m.stages + r]
        for i in range(n):
            y_new[i] += x * k[(r + 1) * stride + i]
    if j == 0:
        for i in range(n):
            out[i] = k[i]
    elif state_derivative(d.step.t + m.c[j] * h, d, y_new, out) == 0:
        return 0
    for i in range(n):
        out[i] += h * m.g[j] * by_t[i]
    for r in range(j):
        x = m.e[j * m.stages + r] / h
        for i in range(n):
            out[i] += x * k[(r + 1) * stride + i]
    solved_for(d, out)
    return 1


def rosenbrock_error(d: Driver) -> float:
    """The last stage, which is the estimated error, in units of the tolerance."""
    m = d.method
    y = d.y
    y_new = d.y_new
    k = d.k
    last = k[m.stages * d.shape.stride :]
    checked = d.shape.checked
    total = 0.0
    for c in range(d.shape.n_checked):
        i = checked[c]
        x = last[i] / (m.atol + m.rtol * max(abs(y[i]), abs(y_new[i])))
        total += x * x
    return sqrt(total / float(max(1, d.shape.n_checked)))


def rosenbrock_weights(d: Driver) -> int:
    """Weights of the stages in the interpolated state at theta (theory 8.11, multiplied out); how many there are."""
    m = d.method
    dense = m.d
    weights = d.weights
    used = d.used
    theta = d.step.theta
    for j in range(m.stages):
        inner = dense[m.stages + j] + theta * dense[2 * m.stages + j]
        weights[j] = theta * (1.0 - theta) * (dense[j] + theta * inner)
        used[j] = (j + 1) * d.shape.stride
    return m.stages
