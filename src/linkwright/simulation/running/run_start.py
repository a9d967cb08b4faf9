"""The start of a run: checked, and brought onto the closed loops."""

from __future__ import annotations

import logging
from typing import Any, ClassVar

import numpy as np

from linkwright.checks import require_vector
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError
from linkwright.functions.stepping import stepping_functions
from linkwright.kinematics.nominal_rank import require_nominal_rank
from linkwright.model import Model
from linkwright.model.arguments import unit_quaternions
from linkwright.numerics.tolerances import CLOSED_STATE, LEAST_SIZE, ROUNDED_SUM
from linkwright.results.meta import hash_parts
from linkwright.simulation.problem.acceleration_fallback import dense_projection

_log = logging.getLogger(__name__)

_FAR = 0.05
_FAR_VELOCITIES = 0.1


@dataclass(frozen=True, eq=False)
class Start:
    """Coordinates and velocities with every loop closed; how far they were moved, and a message when it matters."""

    q: np.ndarray
    v: np.ndarray
    gap: float = 0.0
    gap_rate: float = 0.0
    moved: float = 0.0
    moved_velocities: float = 0.0
    description: str = ""

    command: ClassVar[str] = "simulate"

    def meta(self) -> dict[str, Any]:
        """For the meta of the run: how far it was moved."""
        moved = {"gap": self.gap, "gap rate": self.gap_rate, "moved": self.moved, "text": self.description}
        return {"start": moved}

    def request(self) -> dict[str, Any]:
        """For the request of the run."""
        return {"start": hash_parts(self.q, self.v)}


def start_state(model: Model, q: Any, v: Any) -> Start:
    """The state a run begins with; a start far from closed is refused."""
    q = unit_quaternions("q", require_vector("q", q, model.nq), model.kernels.setup.units)
    v = np.zeros(model.nv) if v is None else require_vector("v", v, model.nv)
    if not model.kinematics.closed:
        return Start(q, v)
    require_nominal_rank(model.kinematics, "simulate", q)
    gap, rate = (float(x) for x in model.kinematics.all_rows.function(stepping_functions.gaps)(q, v))
    if max(gap, rate) < ROUNDED_SUM:
        return Start(q, v, gap, rate)
    length = model.kinematics.scales.length
    if gap > _FAR * length:
        raise AssemblyError(
            f"the start of '{model.mechanism.name}' is not assembled: its loops are open by {gap:.2g} m, more than "
            f"{_FAR:.0%} of the mechanism's size; call assemble(guess=q) first",
            gap=gap,
        )
    return _brought_near(model, q, v, gap, rate)


def _brought_near(model: Model, q: np.ndarray, v: np.ndarray, gap: float, rate: float) -> Start:
    q_new, v_new = q, v
    best = np.inf
    for _ in range(20):
        v_next, q_next = dense_projection(model, q_new, v_new)
        left = float(np.max(model.kinematics.all_rows.function(stepping_functions.gaps)(q_next, v_next)))
        if not left < best:
            break
        q_new, v_new, best = q_next, v_next, left
    moved, moved_velocities = float(np.abs(q_new - q).max()), float(np.abs(v_new - v).max())
    if not best < 1e-8:
        raise AssemblyError(
            f"the start of '{model.mechanism.name}' cannot be closed: a closure residual of {best:.1e} m remains of "
            f"{gap:.1e} m; call assemble(guess=q) first",
            gap=gap,
        )
    if moved_velocities > _FAR_VELOCITIES * max(float(np.abs(v).max()), LEAST_SIZE) and rate > CLOSED_STATE:
        raise ArgumentError(
            f"the velocities at the start of '{model.mechanism.name}' open its loops at {rate:.2g} m/s; take "
            "consistent ones from forward_kinematics(q_act, v_act)",
            rate=rate,
        )
    description = ""
    if gap > CLOSED_STATE or rate > CLOSED_STATE:
        description = (
            f"the start did not close the loops (residual {gap:.1e} m, rate {rate:.1e} m/s) and was moved: "
            f"coordinates by {moved:.1e}, velocities by {moved_velocities:.1e}"
        )
        _log.warning("%s: %s", model.mechanism.name, description)
    return Start(q_new, v_new, gap, rate, moved, moved_velocities, description)
