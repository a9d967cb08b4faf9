"""Virtual springs for a wanted closure error: their forces, frequencies, stiffness, damping, step (theory 9.16-9.19).

`advise_springs` chooses them, `stiffness_study` is Wang's figure 6 for any mechanism.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.checks import (
    refuse_argument,
    require_finite_array,
    require_in_range,
    require_instance,
    require_number,
    require_positive,
)
from linkwright.dataclass import dataclass
from linkwright.dynamics.methods import row_owners, row_weights, sprung_rows
from linkwright.errors import ArgumentError
from linkwright.formulations.virtual_springs import VirtualSprings
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled, least_norm
from linkwright.numerics.tolerances import LIMIT_SLACK, NO_EFFECT, SMALLEST_SIZE
from linkwright.results.charts import Curve, Panel
from linkwright.results.result import Result
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable
from linkwright.simulation.api import simulate
from linkwright.simulation.integrators import DOP853
from linkwright.simulation.running.run_spec import MAX_STEPS

Array = np.ndarray
_REFERENCE = DOP853(rtol=1e-8)


def kinematics_with_loops(model: Model) -> Kinematics:
    """The kinematics of a model with loops; refused for a tree."""
    if not require_instance("model", model, Model, "a Model from linkwright.build").has_loops:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' has no loops, so there is nothing to put springs at")
    return model.kinematics


def largest_joint_opening(model: Model, q: Array, at: tuple[str, ...] | None = None, arm: float | None = None) -> Array:
    """Largest opening of a sprung joint, (...,), [m]; angles count at the arm."""
    weighted = model.closure_residual(q) * np.sqrt(row_weights(kinematics_with_loops(model), arm))
    return largest_row_length(model, weighted, at)


def largest_joint_force(
    model: Model, q: Array, v: Array, tau: Array, at: tuple[str, ...] | None = None, arm: float | None = None
) -> Array:
    """Largest force that a sprung joint must carry in closed states, (...,), [N]; moments count divided by the arm.

    Where equations are redundant the forces are those that springs take: of least energy in the springs.
    """
    root = np.sqrt(row_weights(kinematics_with_loops(model), arm))
    a = model.forward_dynamics(q, v, tau)
    driven = (model.kernels.function(closure_functions.effort_matrix)(q) @ np.asarray(tau, dtype=float)[..., None])[
        ..., 0
    ]
    rest = model.generalized_forces(q, v, a) - driven
    J = model.closure_jacobian(q) * root[:, None]
    return largest_row_length(model, least_norm(np.swapaxes(J, -1, -2), rest, NO_EFFECT), at)


def largest_row_length(model: Model, rows: Array, at: tuple[str, ...] | None) -> Array:
    """The largest length of the rows (..., n) of one sprung joint."""
    kinematics = kinematics_with_loops(model)
    owner, chosen = row_owners(kinematics.setup.closure), sprung_rows(kinematics, at)
    names = dict.fromkeys(owner[i] for i in chosen)
    sizes = [np.linalg.norm(rows[..., [i for i in chosen if owner[i] == name]], axis=-1) for name in names]
    return np.max(sizes, axis=0)


def spring_mobilities(
    model: Model, q: Array, at: tuple[str, ...] | None = None, arm: float | None = None
) -> tuple[Array, Array]:
    """Smallest and largest mobility of the springs' modes, (...,), [1/kg]: a mode rings with sqrt(stiffness mobility).

    They are the eigenvalues of J M^-1 J^T (weighted), other loops kept closed; directions that cannot open have none.
    """
    kinematics = kinematics_with_loops(model)
    rows = sprung_rows(kinematics, at)
    J = model.closure_jacobian(q)
    left = [i for i in range(J.shape[-2]) if i not in rows]
    sprung = J[..., list(rows), :] * np.sqrt(row_weights(kinematics, arm))[list(rows), None]
    values = np.linalg.eigvalsh(
        sprung @ _constrained_responses(model, q, J[..., left, :]) @ np.swapaxes(sprung, -1, -2)
    )
    top = values[..., -1]
    return np.min(np.where(values > NO_EFFECT * top[..., None], values, np.inf), axis=-1), top


def _constrained_responses(model: Model, q: Array, J: Array) -> Array:
    """Accelerations per tree force with the loops of J kept closed, (..., nv, nv)."""
    M_inv = np.linalg.inv(model.mass_matrix(q))
    if not J.shape[-2]:
        return M_inv
    X = M_inv @ np.swapaxes(J, -1, -2)
    return M_inv - X @ decompose_scaled(J @ X).inverse(share=NO_EFFECT) @ np.swapaxes(X, -1, -2)


_ROWS = 1001
_LOOKS = 64
_PER_PERIOD = 20
# Explicit steps cost no factorization; with so many more of them than the motion itself needs, a stiff method pays.
_WORTH_STIFF = 30.0
_SETTLES = 0.05


@dataclass(frozen=True)
class SpringAdvice(StudyResult):
    """Virtual springs for a motion, and what they will do.

    Attributes:
        mechanism: name. springs: the formulation to simulate with.
        opening: predicted largest opening of a sprung joint, [m].
        force: largest force a sprung joint carries along the motion, [N]; `first_force` is that at the start.
        frequencies: of the softest and of the stiffest spring mode met, [rad/s].
        damping_ratios: of these two.
        step: for RK4, twenty steps in the stiffest mode's period or nine tenths of `step_limit`, [s].
        step_limit: where RK4 becomes unstable, [s].
        stiff_step: a step that follows the motion and not the springs, for stiff methods, [s].
        stiff: whether a stiff method is likely to be quicker than an explicit one.
        noise: round-off of the spring forces, [N]; tolerances far below it cannot be met.
    """

    mechanism: str
    springs: VirtualSprings
    opening: float
    force: float
    first_force: float
    frequencies: tuple[float, float]
    damping_ratios: tuple[float, float]
    step: float
    step_limit: float
    stiff_step: float
    stiff: bool
    noise: float

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        slow, fast = (w / (2.0 * np.pi) for w in self.frequencies)
        least, most = self.damping_ratios
        facts = {
            "mechanism": self.mechanism,
            "stiffness": self.springs.stiffness,
            "damping": self.springs.damping,
            "opening": self.opening,
            "largest_force": self.force,
            "force_at_start": self.first_force,
            "softest_frequency": slow,
            "stiffest_frequency": fast,
            "softest_damping_ratio": least,
            "stiffest_damping_ratio": most,
            "rk4_step": self.step,
            "rk4_step_limit": self.step_limit,
            "stiff_step": self.stiff_step,
            "method": "stiff" if self.stiff else "explicit",
            "force_noise": self.noise,
        }
        units = {"stiffness": "N/m", "damping": "N s/m", "opening": "m", "largest_force": "N", "force_at_start": "N"}
        units |= {"softest_frequency": "Hz", "stiffest_frequency": "Hz", "force_noise": "N"}
        units |= dict.fromkeys(("rk4_step", "rk4_step_limit", "stiff_step"), "s")
        titles = {
            "rk4_step": "step of RK4",
            "rk4_step_limit": "RK4 is unstable beyond",
            "force_noise": "round-off of forces",
        }
        factor = np.logspace(-2.0, 2.0, 41)
        stiffness, opening = factor * np.asarray(self.springs.stiffness), self.opening / factor
        curves = [Curve("predicted", stiffness, opening), Curve("advised", stiffness[20:21], opening[20:21], dots=True)]
        panels = [Panel("stiffness [N/m]", "opening [m]", curves, log=True)]
        return StudyContent(
            f"Virtual springs for {self.mechanism}",
            facts,
            panels=panels,
            arrays={"stiffness": stiffness, "opening": opening},
            units=units,
            titles=titles,
        )


def advise_springs(
    model: Model,
    q: Any,
    v: Any = None,
    t_end: float = 1.0,
    effort: Any = None,
    opening: float = 1e-5,
    damping_ratio: float = 0.1,
    at: tuple[str, ...] | None = None,
    arm: float | None = None,
    max_steps: int = MAX_STEPS,
) -> SpringAdvice:
    """Springs that open by at most about `opening` [m] along a motion, which is computed once with multipliers.

    Args:
        model, q, v, t_end, effort: the motion, as for `simulate`.
        opening: the wanted largest opening of a cut joint, [m]; angles count at the arm.
        damping_ratio: of the softest spring mode; 0 for springs without damping.
        at, arm: as for `VirtualSprings`.
        max_steps: of the motion, as for `simulate`.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("four-bar"))
    >>> advice = advise_springs(model, model.assemble().q, t_end=0.5, effort=[6.0], opening=1e-5)
    >>> advice.opening, advice.springs.stiffness > 1e5
    (1e-05, True)
    """
    kinematics_with_loops(model)
    _require_spring_arguments(opening, damping_ratio)
    _require_some(VirtualSprings(1.0, 0.0, at, arm))
    run = _run_to_end(model, q, v, t_end, effort, method=_REFERENCE, output=_ROWS, max_steps=max_steps)
    forces = largest_joint_force(model, run.q, run.v, run.tau, at, arm)
    looks = run.q[:: max(1, len(run.t) // _LOOKS)]
    soft, hard = spring_mobilities(model, looks, at, arm)
    softest, stiffest = float(soft.min()), float(hard.max())
    force, first = float(forces.max()), float(forces[0])
    if force == 0.0:
        raise ArgumentError(
            "the cut joints carry no force along the motion; give a start, a speed or an effort", name="q"
        )
    stiffness = opening_force(force, first, damping_ratio) / opening
    damping = 2.0 * damping_ratio * np.sqrt(stiffness / softest)
    frequencies = float(np.sqrt(stiffness * softest)), float(np.sqrt(stiffness * stiffest))
    ratios = damping_ratio, float(0.5 * damping * np.sqrt(stiffest / stiffness))
    limit = min(rk4_limit(w, ratio) for w, ratio in zip(frequencies, ratios, strict=True))
    step = min(0.9 * limit, 2.0 * np.pi / (_PER_PERIOD * frequencies[1]))
    stiff_step = float(t_end) / run.stats["steps"]
    length = kinematics_with_loops(model).scales.length
    return SpringAdvice(
        mechanism=model.mechanism.name,
        springs=VirtualSprings(float(stiffness), float(damping), at, arm),
        opening=float(opening),
        force=force,
        first_force=first,
        frequencies=frequencies,
        damping_ratios=ratios,
        step=float(step),
        step_limit=float(limit),
        stiff_step=stiff_step,
        stiff=bool(damping_ratio > _SETTLES and stiff_step > _WORTH_STIFF * step),
        noise=float(stiffness * np.finfo(float).eps * length),
    )


def opening_force(force: float, first: float, damping_ratio: float) -> float:
    """The force whose static opening is the largest one met (theory 9.17), [N].

    A closed start loads the springs suddenly by the first force. Without damping they ring about the slowly changing
    load with that amplitude for ever; with damping the ringing overshoots once and dies out.
    """
    if damping_ratio <= 0.0:
        return force + first
    if damping_ratio >= 1.0:
        return force
    overshoot = np.exp(-np.pi * damping_ratio / np.sqrt(1.0 - damping_ratio**2))
    return max(force, float(first * (1.0 + overshoot)))


def rk4_limit(frequency: float, ratio: float) -> float:
    """Largest step [s] with which RK4 is stable on a mode of an angular frequency and damping ratio (theory 9.19)."""
    roots = frequency * np.roots([1.0, 2.0 * ratio, 1.0])
    return min(_largest_stable_step(complex(s)) for s in roots)


def _largest_stable_step(s: complex) -> float:
    def grows(h: float) -> bool:
        z = h * s
        return abs(1.0 + z * (1.0 + z * (0.5 + z * (1.0 / 6.0 + z / 24.0)))) > 1.0 + LIMIT_SLACK

    low, high = 0.0, 10.0 / abs(s)
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (low, middle) if grows(middle) else (middle, high)
    return low


def _run_to_end(model: Model, q: Any, v: Any, t_end: float, effort: Any, **options: Any) -> Result:
    """A run that reaches its end, or an event of the mechanism's own; refused where its steps are used up."""
    run = simulate(model, q, v, t_end, effort, check=False, **options)
    if run.meta["ended"]["kind"] == "budget":
        raise ArgumentError(f"the motion is not computed to its end: {run.meta['ended']['text']}", name="t_end")
    return run


def _require_some(springs: VirtualSprings) -> None:
    if springs.at == ():
        refuse_argument("at", (), "the names of cut joints, or None for all")


def _require_spring_arguments(opening: Any, damping_ratio: Any) -> None:
    given = require_positive("opening", opening, "a length above zero in meters, for example 1e-5")
    require_in_range("opening", given, SMALLEST_SIZE, 1e30)
    expected = "0 (none) to 1 (critical), at most 10"
    if not 0.0 <= require_number("damping_ratio", damping_ratio, expected) <= 10.0:
        refuse_argument("damping_ratio", damping_ratio, expected)


FROM_1E4_TO_1E7 = tuple(10.0 ** (4.0 + 0.25 * np.arange(13)))


@dataclass(frozen=True, eq=False)
class StiffnessStudy(StudyResult):
    """Openings of the widest sprung joint against stiffness, arrays (n,).

    Attributes:
        mechanism: name. stiffness: [N/m].
        final, largest, rms: the opening at the end, the largest and the root mean square over the run, [m].
        envelope: the predicted bound, which falls as 1 / stiffness, [m].
        evaluations: right-hand sides the run took.
    """

    mechanism: str
    stiffness: Array
    final: Array
    largest: Array
    rms: Array
    envelope: Array
    evaluations: Array

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        units = {"stiffness": "N/m", "final": "m", "largest": "m", "rms": "m", "envelope": "m", "evaluations": ""}
        arrays = {name: getattr(self, name) for name in units}
        rows = [[x.item() for x in row] for row in zip(*arrays.values(), strict=True)]
        curves = [Curve(name, self.stiffness, arrays[name]) for name in ("final", "largest", "rms")]
        curves.append(Curve("envelope", self.stiffness, self.envelope, dashed=True))
        panel = Panel("stiffness [N/m]", "opening [m]", curves, log=True)
        table, facts = StudyTable("openings", units, rows, titles={"rms": "RMS"}), {"mechanism": self.mechanism}
        return StudyContent(f"Openings of {self.mechanism} on virtual springs", facts, [table], [panel], arrays)


def stiffness_study(
    model: Model,
    q: Any,
    v: Any = None,
    t_end: float = 0.1,
    effort: Any = None,
    stiffness: Sequence[float] = FROM_1E4_TO_1E7,
    damping: float = 0.0,
    at: tuple[str, ...] | None = None,
    arm: float | None = None,
    rtol: float = 1e-10,
    rows: int = 2001,
    max_steps: int = MAX_STEPS,
) -> StiffnessStudy:
    """Simulate a motion on springs of several stiffnesses and compare the openings with their 1/k envelope.

    Each run attempts at most `max_steps` steps, as those of `simulate`.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("four-bar"))
    >>> study = stiffness_study(model, model.assemble().q, effort=[6.0], stiffness=[1e5, 1e6])
    >>> bool(np.all(study.largest < study.envelope))
    True
    """
    kinematics_with_loops(model)
    values = require_finite_array("stiffness", stiffness)
    if values.ndim != 1 or not len(values) or not np.all(values > 0.0):
        refuse_argument("stiffness", stiffness, "a list of numbers above zero in N/m")
    _require_some(VirtualSprings(1.0, damping, at, arm))
    bounded = {"output": rows, "max_steps": max_steps}
    exact = _run_to_end(model, q, v, t_end, effort, method=_REFERENCE, **bounded)
    forces = largest_joint_force(model, exact.q, exact.v, exact.tau, at, arm)
    bound = opening_force(float(forces.max()), float(forces[0]), 0.0)
    found, evaluations = [], []
    for k in values:
        springs = VirtualSprings(float(k), damping, at, arm)
        run = _run_to_end(model, q, v, t_end, effort, formulation=springs, method=DOP853(rtol=rtol), **bounded)
        found.append(largest_joint_opening(model, run.q, at, arm))
        evaluations.append(run.stats["evaluations"])
    e = np.array(found)
    rms = np.sqrt(np.mean(e * e, axis=1))
    return StiffnessStudy(
        model.mechanism.name, values, e[:, -1], e.max(axis=1), rms, bound / values, np.array(evaluations)
    )
