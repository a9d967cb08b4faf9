"""Khan et al. 2005, section 5.2: integration with adaptive and fixed steps, feedback, free fall."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from linkwright.control.feedback import PD, FeedforwardFeedback, feedforward
from linkwright.control.laws import Constant, Sum, Table
from linkwright.formulations.minimal_equations import Minimal
from linkwright.papers.gallery.claim_records import Computed
from linkwright.papers.gallery.published_mechanisms import ACCURATE, FINEST, KHAN_MOVE, catalog_model, khan_start
from linkwright.results.result import Result
from linkwright.simulation.api import simulate
from linkwright.simulation.integrators import DOP853, DP5

Array = np.ndarray
GAIN, DAMPING = np.full(3, 100.0), np.full(3, 20.0)
"""Feedback gains; the paper prints none."""
ACTUATED_ONLY, ALL_RATES = Minimal(displacement=True), Minimal()
"""The paper's two ways: integrate the actuators' coordinates with displacement analysis, or all joint rates."""


@cache
def torque_table(points: int = 3001, between: Any = "spline") -> Table:
    """The torques of inverse dynamics as a table over the 3 s."""
    table = feedforward(catalog_model("3-rrr"), KHAN_MOVE, np.linspace(0.0, 3.0, points), near=khan_start())
    return Table(table.times, table.efforts, between)


@cache
def torque_driven_run(method: DP5 | DOP853, formulation: Minimal = ALL_RATES, extra: float = 0.0) -> Result:
    """The motion under these torques, that of actuator 1 more by `extra` N m."""
    law: Any = torque_table()
    if extra:
        law = Sum((law, Constant(np.array([extra, 0.0, 0.0]))))
    return simulate(
        catalog_model("3-rrr"), khan_start(), t_end=3.0, effort=law, method=method, formulation=formulation, output=301
    )


def angle_errors(run: Result) -> Array:
    """Prescribed less simulated actuator angles, (n, 3), [rad]."""
    return np.asarray(KHAN_MOVE.at(run.t)[0] - run.q[:, :3])


# Relative tolerances, absolute tolerance and fixed steps [s] of the paper.
TOLERANCES, ABSOLUTE, FIXED_STEPS = (1e-3, 1e-6), 1e-6, (0.01, 0.001)


def adaptive_method(rtol: float, h_max: float = float("inf")) -> DP5:
    return DP5(rtol=rtol, atol=ABSOLUTE, h_max=h_max)


def _count_time_points(rtol: float, h_max: float = float("inf")) -> float:
    """Points in time: steps and the start."""
    return torque_driven_run(adaptive_method(rtol, h_max)).stats["steps"] + 1.0


def _largest_angle_error(method: DP5, formulation: Minimal = ALL_RATES) -> float:
    return float(np.abs(angle_errors(torque_driven_run(method, formulation))).max())


def _errors_beside_scipy() -> list[float]:
    """Our largest errors over those of SciPy's Dormand-Prince pair, whose step control is another.

    The motion is unstable: it magnifies an error 7e5 times, so that two programs agree in size and not in digits.
    """
    return [_largest_angle_error(adaptive_method(rtol)) / _scipys_error(rtol) for rtol in TOLERANCES]


def _scipys_error(rtol: float) -> float:
    """Largest error of the actuator angles, integrated by SciPy with all joint rates, [rad]."""
    robot, law, start = catalog_model("3-rrr"), torque_table(), khan_start()
    n = robot.nv

    def rates(t: float, x: Array) -> Array:
        q, v = x[:n], robot.independent_map(x[:n]) @ x[n:]
        a = robot.forward_dynamics(q, v, np.asarray(law.tau(t, q, v)))
        return np.concatenate([v, a[:3]])

    times = np.linspace(0.0, 3.0, 301)
    done = solve_ivp(rates, (0.0, 3.0), np.append(start, np.zeros(3)), "RK45", times, rtol=rtol, atol=ABSOLUTE)
    return float(np.abs(KHAN_MOVE.at(times)[0] - done.y[:3].T).max())


@cache
def feedback_run() -> Result:
    """Torques sampled every 0.01 s, held straight between, with feedback at a fixed step of 0.001 s."""
    robot = catalog_model("3-rrr")
    law = FeedforwardFeedback(torque_table(301, "line"), PD(robot, KHAN_MOVE, GAIN, DAMPING))
    return simulate(robot, khan_start(), t_end=3.0, effort=law, method=DP5(h=FIXED_STEPS[1]), output=3001)


def feedback_corrections(run: Result) -> Array:
    """Torques of the feedback, (n, 3), in percent of each actuator's largest torque."""
    rate = KHAN_MOVE.at(run.t)[1] - run.v[:, :3]
    return np.asarray(100.0 * (GAIN * angle_errors(run) + DAMPING * rate) / np.abs(run.tau).max(axis=0))


def _tracking_accuracy() -> float:
    """100 % less the largest error as part of the angle that the actuator travels."""
    travel = np.abs(KHAN_MOVE.end - KHAN_MOVE.start)
    return float(100.0 * (1.0 - (np.abs(angle_errors(feedback_run())).max(axis=0) / travel).max()))


def _disturbance_growth() -> float:
    """Change of the angles after 3 s by 1e-6 N m more at actuator 1, [rad]."""
    method = FINEST
    return float(np.abs(torque_driven_run(method, extra=1e-6).q[-1, :3] - torque_driven_run(method).q[-1, :3]).max())


@cache
def _free_fall_run(t_end: float) -> Result:
    method = ACCURATE
    return simulate(catalog_model("3-rrr"), khan_start(), t_end=t_end, method=method, stop_at=())


def _first_singularity() -> float:
    return next(event.t for event in _free_fall_run(0.6).events if event.name == "type2")


COMPUTE: Computed = {
    "K8-forward": lambda: float(np.abs(angle_errors(torque_driven_run(FINEST))).max()),
    "K8-actuated-only": lambda: float(np.abs(angle_errors(torque_driven_run(FINEST, ACTUATED_ONLY))).max()),
    "K9-steps-1e-3": lambda: _count_time_points(TOLERANCES[0]),
    "K9-steps-capped": lambda: _count_time_points(TOLERANCES[0], 0.01),
    "K9-steps-1e-6": lambda: _count_time_points(TOLERANCES[1]),
    "K9-tolerances": lambda: [_count_time_points(10.0**-k) for k in (3, 4, 5, 6)],
    "K9-adaptive-errors": _errors_beside_scipy,
    "K9-fixed-0.01": lambda: _largest_angle_error(DP5(h=FIXED_STEPS[0])),
    "K9-fixed-0.001": lambda: _largest_angle_error(DP5(h=FIXED_STEPS[1])),
    "K9-instability": _disturbance_growth,
    "K9-feedback": _tracking_accuracy,
    "K9-feedback-errors": lambda: np.abs(angle_errors(feedback_run())).max(axis=0),
    "K9-correction": lambda: np.abs(feedback_corrections(feedback_run())).max(),
    "K4-type-II": _first_singularity,
    "K8-fall": lambda: _free_fall_run(0.34).q[-1, :3],
}
"""Our numbers for every claim, by its name."""
