"""A model under a formulation, as the codes that drivers call."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from linkwright.compiler import Kernel
from linkwright.errors import ArgumentError
from linkwright.formulations.kinds import Multipliers
from linkwright.model import Model
from linkwright.simulation.callbacks import Callback
from linkwright.simulation.drivers import places

Code = Kernel | Callback

EXTRAS = 2
"""Work of the actuators and energy lost, integrated along with the state."""


@dataclass(frozen=True, eq=False)
class Problem:
    """Codes by place, and the shape of the state: coordinates, speeds, extras.

    Attributes:
        model: whose motion it is.
        codes: by place (see `drivers.places`).
        ns: speeds in the state.
        projects: whether states are projected onto closed loops and unit quaternions.
        checked: places in the state that the error estimate looks at.
        expands: whether the state holds independent speeds only.
        solves: whether dependent coordinates are solved for before every slope.
        given: run-time parameters of the mechanics, or None.
        words: the formulation, for the run's meta.
    """

    model: Model
    codes: dict[int, Code]
    ns: int
    projects: bool
    checked: tuple[int, ...]
    expands: bool = False
    solves: bool = False
    given: np.ndarray | None = None
    words: str = "Multipliers()"

    @property
    def n(self) -> int:
        return self.model.nq + self.ns + EXTRAS


def problem(model: Model, formulation: Any = None) -> Problem:
    """The problem of a model; made once for each formulation and kept with the model."""
    known = model.__dict__.setdefault("_problems", {})
    if formulation not in known:
        known[formulation] = _made(model, formulation)
    return known[formulation]


def _made(model: Model, formulation: Any) -> Problem:
    if not (model.mechanism.loops or model.mechanism.couplings):
        return _tree(model)
    match formulation:
        case None | Multipliers(None):
            return _multipliers(model)
    raise ArgumentError(f"formulation is {formulation!r}, which cannot be simulated; use Multipliers()")


def _tree(model: Model) -> Problem:
    kernels = model._engine.kernels
    codes: dict[int, Code] = {
        places.DYNAMICS: kernels.kernel("forward_dynamics"),
        places.RATES: kernels.kernel("state_rates"),
        places.GAPS: kernels.kernel("gaps"),
        places.PROJECT: kernels.kernel("guarded_projection"),
        places.MONITOR: kernels.kernel("monitor"),
    }
    turning = any(name.endswith(".qw") for name in model.q_names)
    return Problem(model, codes, model.nv, turning, tuple(range(model.nq + model.nv)), words="tree")


def _multipliers(model: Model) -> Problem:
    machine = model._engine.machine  # type: ignore[attr-defined]
    codes: dict[int, Code] = {
        places.DYNAMICS: machine.kernels.kernel("guarded_forward_dynamics"),
        places.FALLBACK: Callback(
            lambda q, v, tau: (model.forward_dynamics(q, v, tau),), [model.nq, model.nv, model.na], [model.nv]
        ),
        places.RATES: machine.open.kernel("state_rates"),
        places.GAPS: machine.open.kernel("gaps"),
        places.PROJECT: machine.kernels.kernel("guarded_projection"),
        places.PROJECT_AGAIN: Callback(
            lambda q, v: dense_projection(model, q, v), [model.nq, model.nv], [model.nv, model.nq]
        ),
        places.MONITOR: machine.open.kernel("monitor"),
    }
    return Problem(model, codes, model.nv, True, tuple(range(model.nq + model.nv)))


def dense_projection(model: Model, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Speeds and coordinates brought nearer to closed loops along the least change, with full pivoting."""
    machine = model._engine.machine  # type: ignore[attr-defined]
    scale = machine.scales
    J = machine.open.function("closure_jacobian")(q) / scale.rows[:, None] * scale.speeds
    gap = machine.open.function("closure_residual")(q) / scale.rows
    inverse = np.linalg.pinv(J, rcond=1e-9)
    dq = -scale.speeds * (inverse @ gap)
    dv = -scale.speeds * (inverse @ (J @ (v / scale.speeds)))
    return v + dv, machine.open.function("advanced")(q, dq)
