"""Which joints to drive: every admissible set of actuators along a motion, ranked."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.analysis.studied_model import studied_mechanism
from linkwright.checks import require_instance, require_texts
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.numerics.dense import singular_values
from linkwright.numerics.tolerances import NO_EFFECT
from linkwright.results.charts import Curve, Panel
from linkwright.results.result import Result
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

Array = np.ndarray
_MOST = 20_000


@dataclass(frozen=True)
class RankedSet:
    """A set of joint velocities that drives the mechanism along the motion.

    Attributes:
        joints: names of the velocities.
        peak: largest effort of any of them, with lengths counted in the mechanism's mean link, [N m].
        conditioning: least of the motion: how much they move at least when the mechanism moves by one unit, at most 1.
        work: energy that they give, [J]; power that flows back is not counted.
    """

    joints: tuple[str, ...]
    peak: float
    conditioning: float
    work: float


@dataclass(frozen=True, eq=False)
class ActuatorSets(StudyResult):
    """Sets of actuators, least peak effort first.

    Attributes:
        mechanism: name. sets: the admissible ones. examined: how many were tried.
    """

    mechanism: str
    sets: tuple[RankedSet, ...]
    examined: int
    studied: StudiedMechanism | None = None

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        columns = {"joints": "", "peak_effort": "N m", "conditioning": "", "work": "J"}
        rows = [[", ".join(e.joints), e.peak, e.conditioning, e.work] for e in self.sets[:50]]
        facts = {"mechanism": self.mechanism, "examined_sets": self.examined, "admissible_sets": len(self.sets)}
        dots = [Curve("sets", [e.conditioning for e in self.sets], [e.peak for e in self.sets], dots=True)]
        panels = [Panel("conditioning", "peak effort [N m]", dots, log=True)] if self.sets else []
        arrays = {name: np.array([getattr(e, name) for e in self.sets]) for name in ("peak", "conditioning", "work")}
        arrays["joints"] = np.array([", ".join(e.joints) for e in self.sets])
        return StudyContent(
            f"Actuator sets of {self.mechanism}", facts, [StudyTable("sets", columns, rows)], panels, arrays
        )


def actuator_sets(model: Model, run: Result, candidates: Sequence[str] | None = None) -> ActuatorSets:
    """Rank every set of as many joint velocities as freedoms by peak effort, conditioning and energy along a motion.

    Args:
        run: result of `lw.motion` or `lw.simulate`.
        candidates: names of velocities (`model.v_names`) to choose from; None takes all revolute and prismatic joints
            of the tree.

    Friction, springs and rotors are those of the model. Sets that are singular somewhere on the motion are left out.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("five-bar"))
    >>> run = lw.motion(model, 1.0, pose=lambda t: [0.1 * np.sin(6 * t), 0.42, 0, 0, 0, 0])
    >>> found = actuator_sets(model, run)
    >>> found.examined, found.sets[0].peak <= found.sets[-1].peak
    (6, True)
    """
    model = require_instance("model", model, Model, "a Model")
    run = require_instance("run", run, Result, "a Result of lw.motion or lw.simulate")
    names, k = (
        _candidate_velocities(model, None if candidates is None else require_texts("candidates", candidates)),
        model.mobility,
    )
    count = math.comb(len(names), k)
    if not 0 < k <= len(names) or count > _MOST:
        raise ArgumentError(
            f"{len(names)} candidates for {k} freedoms give {count} sets, at most {_MOST} are examined; name candidates"
        )
    a = run.a if run.a.shape[1] == model.nv else model.forward_dynamics(run.q, run.v, run.tau)
    R, units = _independent_motions(model, run.q), _velocity_weights(model)
    force = np.einsum("nvi,nv->ni", R, model.generalized_forces(run.q, run.v, a))
    basis = np.linalg.qr(R / units[:, None])[0]
    column = [model.v_names.index(name) for name in names]
    found = []
    for pick in itertools.combinations(column, k):
        ranked = _rank_actuator_set(model, run, list(pick), R, force, basis, units)
        if ranked is not None:
            found.append(ranked)
    ranked_sets = tuple(sorted(found, key=lambda each: each.peak))
    return ActuatorSets(model.mechanism.name, ranked_sets, count, studied_mechanism(model, run.q, run.t))


def _rank_actuator_set(
    model: Model, run: Result, pick: list[int], R: Array, force: Array, basis: Array, units: Array
) -> RankedSet | None:
    conditioning = singular_values(basis[:, pick])[:, -1].min()
    if not conditioning > NO_EFFECT:
        return None
    tau = np.linalg.solve(np.swapaxes(R[:, pick], 1, 2), force[..., None])[..., 0]
    power = np.maximum(tau * run.v[:, pick], 0.0).sum(axis=1)
    work = float(np.sum(0.5 * (power[1:] + power[:-1]) * np.diff(run.t)))
    names = tuple(model.v_names[i] for i in pick)
    return RankedSet(names, float(np.abs(tau * units[pick]).max()), float(conditioning), work)


def _independent_motions(model: Model, q: Array) -> Array:
    """Velocities per independent velocity, (n, nv, k)."""
    return (
        model.independent_map(q) if model.has_loops else np.broadcast_to(np.eye(model.nv), (len(q), model.nv, model.nv))
    )


def _velocity_weights(model: Model) -> Array:
    """What one unit of each velocity counts: 1 for turning, the mean link for sliding, (nv,)."""
    return np.asarray(model.scales.speeds, dtype=float)


def _candidate_velocities(model: Model, given: Any) -> list[str]:
    if given is None:
        names = [joint.name for joint in model.mechanism.joints if joint.kind.nv == 1 and not joint.kind.bends]
        return [name for name in names if name in model.v_names]
    for name in given:
        if name not in model.v_names:
            raise ArgumentError(f"unknown velocity '{name}'{suggest_name(str(name), model.v_names)}")
    return list(dict.fromkeys(given))
