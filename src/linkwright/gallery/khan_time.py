"""Khan et al. 2005, section 5.2: integration with adaptive and fixed steps, feedback, free fall."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp

from linkwright.control.feedback import PD, FeedforwardFeedback, feedforward
from linkwright.control.laws import Constant, Sum, Table
from linkwright.formulations.kinds import Minimal
from linkwright.gallery.machines import KHAN_MOVE, khan_start, model
from linkwright.gallery.records import REFERENCE, AtLeast, AtMost, Between, Claim, Difference, Near
from linkwright.results.result import Result
from linkwright.simulation import DOP853, DP5, simulate

Array = np.ndarray
GAIN, DAMPING = np.full(3, 100.0), np.full(3, 20.0)
"""Feedback gains; the paper prints none."""
ACTUATED_ONLY, ALL_RATES = Minimal(displacement=True), Minimal()
"""The paper's two ways: integrate the motors' coordinates with displacement analysis, or all joint rates."""


@cache
def torque_table(points: int = 3001, between: Any = "spline") -> Table:
    """The torques of inverse dynamics as a table over the 3 s."""
    table = feedforward(model("3-rrr"), KHAN_MOVE, np.linspace(0.0, 3.0, points), near=khan_start())
    return Table(table.times, table.efforts, between)


@cache
def driven(method: DP5 | DOP853, formulation: Minimal = ALL_RATES, extra: float = 0.0) -> Result:
    """The motion under these torques, that of motor 1 more by `extra` N m."""
    law: Any = torque_table()
    if extra:
        law = Sum((law, Constant(np.array([extra, 0.0, 0.0]))))
    return simulate(
        model("3-rrr"), khan_start(), t_end=3.0, effort=law, method=method, formulation=formulation, output=301
    )


def errors(run: Result) -> Array:
    """Prescribed less simulated motor angles, (n, 3), [rad]."""
    return np.asarray(KHAN_MOVE.at(run.t)[0] - run.q[:, :3])


def adaptive(rtol: float, h_max: float = float("inf")) -> DP5:
    return DP5(rtol=rtol, atol=1e-6, h_max=h_max)


def _points(rtol: float, h_max: float = float("inf")) -> float:
    """Points in time: steps and the start."""
    return driven(adaptive(rtol, h_max)).stats["steps"] + 1.0


def _largest(method: DP5, formulation: Minimal = ALL_RATES) -> float:
    return float(np.abs(errors(driven(method, formulation))).max())


def _errors_beside_scipy() -> list[float]:
    """Our largest errors over those of SciPy's Dormand-Prince pair, whose step control is another.

    The motion is unstable: it magnifies an error 7e5 times, so that two programs agree in size and not in digits.
    """
    return [_largest(adaptive(rtol)) / _scipys_error(rtol) for rtol in (1e-3, 1e-6)]


def _scipys_error(rtol: float) -> float:
    """Largest error of the motor angles, integrated by SciPy with all joint rates, [rad]."""
    machine, law, start = model("3-rrr"), torque_table(), khan_start()
    n = machine.nv

    def rates(t: float, x: Array) -> Array:
        q, v = x[:n], machine.independent_map(x[:n]) @ x[n:]
        a = machine.forward_dynamics(q, v, np.asarray(law.tau(t, q, v)))
        return np.concatenate([v, a[:3]])

    times = np.linspace(0.0, 3.0, 301)
    done = solve_ivp(rates, (0.0, 3.0), np.append(start, np.zeros(3)), "RK45", times, rtol=rtol, atol=1e-6)
    return float(np.abs(KHAN_MOVE.at(times)[0] - done.y[:3].T).max())


@cache
def followed() -> Result:
    """Torques sampled every 0.01 s, held straight between, with feedback at a fixed step of 0.001 s."""
    machine = model("3-rrr")
    law = FeedforwardFeedback(torque_table(301, "line"), PD(machine, KHAN_MOVE, GAIN, DAMPING))
    return simulate(machine, khan_start(), t_end=3.0, effort=law, method=DP5(h=1e-3), output=3001)


def corrections(run: Result) -> Array:
    """Torques of the feedback, (n, 3), in percent of each motor's largest torque."""
    rate = KHAN_MOVE.at(run.t)[1] - run.v[:, :3]
    return np.asarray(100.0 * (GAIN * errors(run) + DAMPING * rate) / np.abs(run.tau).max(axis=0))


def _accuracy() -> float:
    """100 % less the largest error as part of the angle that the motor travels."""
    travel = np.abs(KHAN_MOVE.end - KHAN_MOVE.start)
    return float(100.0 * (1.0 - (np.abs(errors(followed())).max(axis=0) / travel).max()))


def _grown() -> float:
    """What 1e-6 N m more at motor 1 does to the angles in 3 s, [rad]."""
    method = DOP853(rtol=1e-12, atol=1e-13)
    return float(np.abs(driven(method, extra=1e-6).q[-1, :3] - driven(method).q[-1, :3]).max())


@cache
def _fall(t_end: float) -> Result:
    method = DOP853(rtol=1e-11, atol=1e-12)
    return simulate(model("3-rrr"), khan_start(), t_end=t_end, method=method, on_singularity="continue")


def _first_singularity() -> float:
    return next(event.t for event in _fall(0.6).events if event.name == "type2")


_FEW = "plain Dormand-Prince error control needs {ours} points; "

CLAIMS = (
    Claim(
        "khan/K8-forward",
        "Eqs 57-64",
        "torques of inverse dynamics, integrated at rtol 1e-12, return the motion",
        AtMost(1e-8),
        lambda: float(np.abs(errors(driven(DOP853(rtol=1e-12, atol=1e-13)))).max()),
        "rad",
    ),
    Claim(
        "khan/K8-actuated-only",
        "Sec 4.2",
        "so they do with the motors' coordinates and displacement analysis",
        AtMost(1e-8),
        lambda: float(np.abs(errors(driven(DOP853(rtol=1e-12, atol=1e-13), ACTUATED_ONLY))).max()),
        "rad",
    ),
    Claim(
        "khan/K9-steps-1e-3",
        "Sec 5.2, Fig 6",
        "301 time steps at relative tolerance 1e-3",
        Near((301.0,), 0.0),
        lambda: _points(1e-3),
        "points",
        because=Difference(_FEW + "301 is what a largest step of 0.01 s leaves (next claim)", Near((17.0,), 4.0)),
    ),
    Claim(
        "khan/K9-steps-capped",
        "Sec 5.2, Fig 6",
        "301 time steps: with no step longer than 0.01 s (ours begins with three short ones)",
        Near((301.0,), 4.0),
        lambda: _points(1e-3, 0.01),
        "points",
        REFERENCE,
    ),
    Claim(
        "khan/K9-steps-1e-6",
        "Sec 5.2, Fig 6",
        "319 time steps at relative tolerance 1e-6",
        Near((319.0,), 0.0),
        lambda: _points(1e-6),
        "points",
        because=Difference(
            _FEW + "the paper's longest step is not printed, and 0.01 s leaves 301 at every tolerance",
            Near((38.0,), 8.0),
        ),
    ),
    Claim(
        "khan/K9-tolerances",
        "Sec 5.2",
        "few steps at 1e-3, 1e-4, 1e-5 and 1e-6: conclusion 1",
        AtMost(319.0),
        lambda: [_points(10.0**-k) for k in (3, 4, 5, 6)],
        "points",
    ),
    Claim(
        "khan/K9-adaptive-errors",
        "Fig 6",
        "largest errors at 1e-3 and 1e-6, without a longest step, as another program of the same pair makes them",
        Between(0.5, 2.0, "1 and 1"),
        _errors_beside_scipy,
        "of the errors of SciPy's RK45 at the same tolerances",
        REFERENCE,
    ),
    Claim(
        "khan/K9-fixed-0.01",
        "Fig 7a",
        "fixed steps of 0.01 s: largest error",
        Near((1.6013257e-7,), 1e-9),
        lambda: _largest(DP5(h=0.01)),
        "rad",
        REFERENCE,
    ),
    Claim(
        "khan/K9-fixed-0.001",
        "Fig 7b",
        "fixed steps of 0.001 s: a smaller error (round-off grows 7e5 times)",
        AtMost(1e-9),
        lambda: _largest(DP5(h=0.001)),
        "rad",
        REFERENCE,
    ),
    Claim(
        "khan/K9-instability",
        "Sec 5.2",
        "the deviation is an instability: 1e-6 N m more at motor 1 grows to 4e-3 rad",
        Near((4e-3,), 1e-4),
        _grown,
        "rad",
        REFERENCE,
    ),
    Claim("khan/K9-feedback", "Fig 8a", "with feedback the accuracy is around 99 %", AtLeast(99.0), _accuracy, "%"),
    Claim(
        "khan/K9-feedback-errors",
        "Fig 8a",
        "largest errors with feedback (gains 100, 20 assumed)",
        Near((1.8063988753702631e-6, 3.3650680291152923e-6, 1.113865497615052e-6), 1e-10),
        lambda: np.abs(errors(followed())).max(axis=0),
        "rad",
        REFERENCE,
    ),
    Claim(
        "khan/K9-correction",
        "Fig 8b",
        "the torque correction is extremely small",
        Between(0.0, 0.01, "extremely small"),
        lambda: np.abs(corrections(followed())).max(),
        "% of torque",
    ),
    Claim(
        "khan/K4-type-II",
        "Sec 3",
        "singular K is a singularity: released, the machine meets one at 0.4835 s",
        Near((0.4835,), 5e-4),
        _first_singularity,
        "s",
        REFERENCE,
    ),
    Claim(
        "khan/K8-fall",
        "Eqs 57-64",
        "released from rest: motor angles at 0.34 s",
        Near((1.717033092244136, 4.8002161458220245, 4.400197629397446), 1e-8),
        lambda: _fall(0.34).q[-1, :3],
        "rad",
        REFERENCE,
    ),
)
