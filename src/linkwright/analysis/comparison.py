"""Results of the dynamics compared with a second method, on request.

The second method takes the mechanism apart: every body's Newton-Euler equations alone, the constraints of all joints
on the bodies' twists, and their null space by a singular value decomposition. Springs, friction and rotors enter by
virtual power. Neither the recursions, nor the elimination, nor the first method's passive forces take part.
"""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from linkwright.analysis.separate_bodies import separate_bodies_complement
from linkwright.checks import require_choice, require_instance, require_real_array
from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.formulations.minimal_equations import Minimal
from linkwright.functions.loop import minimal_functions
from linkwright.joints.kind import units_along_parts
from linkwright.model import Model
from linkwright.model.arguments import external_wrenches
from linkwright.numerics.dense import least_norm
from linkwright.numerics.tolerances import NO_EFFORT
from linkwright.plans.scales import slight_accelerations
from linkwright.readable_text import shared_unit
from linkwright.results.charts import Curve, Panel, axis_label
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

Array = np.ndarray
Function = Literal["inverse_dynamics", "forward_dynamics"]

SEPARATE_BODIES = "separate bodies and a numerical complement"
INDEPENDENT = "independent coordinates"


@dataclass(frozen=True, eq=False)
class Agreement(StudyResult):
    """Difference of two methods.

    Attributes:
        mechanism: name. names, units: of the actuators' efforts, or of the accelerations, in the order of the numbers.
        function: what was computed.
        method: the second method.
        first: efforts or accelerations of the model, (n, na) or (n, nv).
        second: the same by the second method.
        slight: a slight effort or acceleration of the mechanism; results below it are compared relative to it.
    """

    mechanism: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    function: str
    method: str
    first: Array
    second: Array
    slight: float = 0.0

    @property
    def relative(self) -> float:
        """The largest difference, relative to the largest number; rows without a result in either are left out."""
        difference = float(np.abs(self.second - self.first)[self._both].max(initial=0.0))
        size = max(self._largest, self.slight)
        return difference / size if size else 0.0

    @property
    def compared(self) -> int:
        """Number of states with a result by both methods."""
        return int(self._both.sum())

    @property
    def message(self) -> str:
        """Message with the same content."""
        what = "efforts" if self.function == "inverse_dynamics" else "accelerations"
        size = "the largest" if self._largest >= self.slight else f"{self.slight:.1e}, as all are smaller"
        found = f"{what} of {self.compared} states agree to {self.relative:.1e} of {size}"
        return f"second method ({self.method}): {found}"

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        facts: dict[str, Any] = {"mechanism": self.mechanism, "function": self.function, "second_method": self.method}
        facts |= {"compared_states": self.compared, "relative_difference": self.relative}
        first, second = (x[self._both] for x in (self.first, self.second))
        parts = (np.abs(first).max(axis=0, initial=0.0), np.abs(second - first).max(axis=0, initial=0.0))
        pairs = zip(self.names, self.units, *parts, strict=True)
        rows = [[name, unit, float(size), float(x)] for name, unit, size, x in pairs]
        columns = dict.fromkeys(("name", "unit", "largest_value", "largest_difference"), "")
        table = StudyTable("differences", columns, rows)
        curves = [Curve(name, np.arange(len(first)), x) for name, x in zip(self.names, (second - first).T, strict=True)]
        panels = [Panel("state", axis_label("second - first method", shared_unit(self.units)), curves)]
        arrays = {"first": self.first, "second": self.second}
        return StudyContent(f"Two methods for {self.mechanism}", facts, [table], panels, arrays, (self.message,))

    @property
    def _both(self) -> Array:
        return np.isfinite(self.first).all(axis=-1) & np.isfinite(self.second).all(axis=-1)

    @property
    def _largest(self) -> float:
        return float(np.abs(self.first[self._both]).max(initial=0.0))


def agreement(model: Model, function: Function, q: Any, v: Any, a_or_tau: Any, w_ext: Any = None) -> Agreement:
    """Compare `inverse_dynamics` (of accelerations) or `forward_dynamics` (of efforts) with a second method.

    Args:
        model: the model.
        function: which of the two.
        q: coordinates (..., nq); the loops must be closed and v, a consistent with them.
        v: velocities (..., nv).
        a_or_tau: accelerations a (..., nv) for inverse, efforts tau (..., na) for forward dynamics.
        w_ext: wrenches on the bodies, as the functions themselves take them.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("3-rrr"))
    >>> q, v, a = model.forward_kinematics(model.assemble().q[:3], [0.5, -0.3, 0.4], [1.0, 0.0, 2.0])
    >>> agreement(model, "inverse_dynamics", q, v, a).relative < 1e-12
    True
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    require_choice("function", function, ("inverse_dynamics", "forward_dynamics"))
    w_ext = None if w_ext is None else require_real_array("w_ext", external_wrenches(w_ext, model.bodies))
    found = getattr(model, function)(q, v, a_or_tau, w_ext=w_ext)
    n = int(np.prod(found.shape[:-1], dtype=int))
    rows = [_flattened_rows(x, found.shape[:-1], 1) for x in (q, v, a_or_tau, found)]
    outer = [None] * n if w_ext is None else _flattened_rows(w_ext, found.shape[:-1], 2)
    slight = _slight_reference(model, function, rows[0])
    if function == "inverse_dynamics":
        names, units = model.actuated, tuple(each.effort_unit for each in model.actuators)
    else:
        parts = tuple(part for joint in model.mechanism.joints for part in joint.kind.velocities)
        names, units = model.v_names, units_along_parts(parts, "rad/s^2", "m/s^2")
    about = (model.mechanism.name, tuple(names), units, function)
    closed = bool(model.mechanism.loops or model.mechanism.couplings)
    if (closed and function == "forward_dynamics") or not _can_be_separated(model):
        given = None if w_ext is None else outer
        second = getattr(model, function)(*rows[:3], w_ext=given, formulation=Minimal())
        return Agreement(*about, INDEPENDENT, rows[3], np.asarray(second), slight)
    states = zip(*rows, outer, strict=True)
    second = np.array([_separate_bodies_result(model, function, *state) for state in states]).reshape(rows[3].shape)
    return Agreement(*about, SEPARATE_BODIES, rows[3], second, slight)


def _flattened_rows(x: Any, lead: tuple[int, ...], axes: int) -> Array:
    """An argument with the leading axes of the result, flattened to one."""
    x = np.asarray(x, dtype=float)
    own = x.shape[x.ndim - axes :]
    return np.broadcast_to(x, (*lead, *own)).reshape(-1, *own)


def _slight_reference(model: Model, function: Function, q: Array) -> float:
    """A slight acceleration of the mechanism, or the largest effort that such accelerations need."""
    a = slight_accelerations(model.mechanism)
    if function == "forward_dynamics":
        return float(a.max(initial=0.0))
    sizes = model.scales.speeds
    inertia = np.diagonal(model.mass_matrix(q[np.isfinite(q).all(axis=-1)]), axis1=-2, axis2=-1)
    driven = [sizes[drive.speed] for drive in model.setup.drives if drive.speed is not None]
    return float((inertia * sizes * a).max(initial=0.0)) / min(driven, default=1.0)


def _can_be_separated(model: Model) -> bool:
    """Return True if every actuator acts along a velocity of the tree and no coupling ties joints without a body."""
    drives = model.setup.drives
    return all(drive.speed is not None for drive in drives) and not model.mechanism.couplings


def _separate_bodies_result(
    model: Model, function: Function, q: Array, v: Array, a_or_tau: Array, found: Array, w_ext: Any
) -> Array:
    """Efforts or accelerations of one state from the separate bodies, started from those found."""
    if not np.isfinite(found).all():
        return np.full_like(found, np.nan)
    inverse = function == "inverse_dynamics"
    a, tau = (a_or_tau, found) if inverse else (found, a_or_tau)
    balance = _Balance(model, q, v, tau, w_ext)
    if inverse:
        return tau + least_norm(balance.efforts, balance.missing(a), NO_EFFORT)
    still = balance.missing(np.zeros_like(a))
    inertia = np.column_stack([balance.missing(e) - still for e in np.eye(len(a))])
    return np.linalg.solve(inertia, -still)


class _Balance:
    """Forces that the motions left by the joints need beyond what the actuators give, at one state."""

    def __init__(self, model: Model, q: Array, v: Array, tau: Array, w_ext: Any) -> None:
        extra = () if w_ext is None else (w_ext,)
        program = model.loop_kernels.program(minimal_functions.noc_parts, wrench=w_ext is not None)
        self._parts = lambda a: evaluate(program, q, v, a, *extra)
        parts = self._parts(np.zeros(model.nv))
        _, self._V, self._N = separate_bodies_complement(model.kinematics, parts)
        driven = [drive.speed for drive in model.setup.drives if drive.speed is not None]
        self.efforts = self._N.T @ self._V[driven].T
        self._given = self.efforts @ tau

    def missing(self, a: Array) -> Array:
        """Missing force for accelerations a, one number per degree of freedom."""
        parts = self._parts(a)
        return self._N.T @ (parts["w"] + self._V.T @ parts["resisted"]) - self._given
