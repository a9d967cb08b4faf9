"""How the closure error of virtual springs falls with their stiffness: Wang's figure 6 for any machine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.analysis.springs.advice import opening_force
from linkwright.analysis.springs.modes import joint_forces, openings
from linkwright.errors import ArgumentError
from linkwright.formulations.kinds import VirtualSprings
from linkwright.model import Model
from linkwright.simulation import DOP853, simulate

Array = np.ndarray
FROM_1E4_TO_1E7 = tuple(10.0 ** (4.0 + 0.25 * np.arange(13)))


@dataclass(frozen=True, eq=False)
class StiffnessStudy:
    """Openings of the widest sprung joint against stiffness, arrays (n,).

    Attributes:
        stiffness: [N/m].
        final, largest, rms: the opening at the end, the largest and the root mean square over the run, [m].
        envelope: the predicted bound, which falls as 1 / stiffness, [m].
        evaluations: right-hand sides the run took.
    """

    stiffness: Array
    final: Array
    largest: Array
    rms: Array
    envelope: Array
    evaluations: Array


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
) -> StiffnessStudy:
    """Simulate a motion on springs of several stiffnesses and compare the openings with their 1/k envelope.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("four-bar"))
    >>> study = stiffness_study(model, model.assemble().q, effort=[6.0], stiffness=[1e5, 1e6])
    >>> bool(np.all(study.largest < study.envelope))
    True
    """
    values = np.asarray(stiffness, dtype=float)
    if values.ndim != 1 or not len(values) or not np.all(np.isfinite(values) & (values > 0.0)):
        raise ArgumentError(f"stiffness is {stiffness!r}, expected a list of numbers above zero in N/m")
    exact = simulate(model, q, v, t_end, effort, method=DOP853(rtol=1e-8), output=rows, check=False)
    forces = joint_forces(model, exact.q, exact.v, exact.tau, at, arm)
    bound = opening_force(float(forces.max()), float(forces[0]), 0.0)
    found, evaluations = [], []
    for k in values:
        springs = VirtualSprings(float(k), damping, at, arm)
        run = simulate(model, q, v, t_end, effort, springs, DOP853(rtol=rtol), output=rows, check=False)
        found.append(openings(model, run.q, at, arm))
        evaluations.append(run.stats["evaluations"])
    e = np.array(found)
    rms = np.sqrt(np.mean(e * e, axis=1))
    return StiffnessStudy(values, e[:, -1], e.max(axis=1), rms, bound / values, np.array(evaluations))
