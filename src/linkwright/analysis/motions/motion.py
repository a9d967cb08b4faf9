"""Inverse kinematics and dynamics along a motion, as a `Result` (docs/howto/motions.md)."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from linkwright.analysis.interference.clearance import Clearance, clearances_of
from linkwright.analysis.motions.motion_arguments import actuators_at, check_times, poses_at, times_of_table
from linkwright.analysis.motions.path_states import PathStates, actuator_states, frame_states
from linkwright.checks import require_flag, require_instance, require_number
from linkwright.control.pose_references import PoseReference, require_sequence
from linkwright.control.references import Reference
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError
from linkwright.formats.tables import is_table
from linkwright.model import Model, arguments
from linkwright.model.limits import LimitViolation
from linkwright.model.model import Wrenches
from linkwright.numerics.tolerances import OPEN_STATE
from linkwright.results.archives import hash_parts
from linkwright.results.result import Result
from linkwright.results.series import Event, Series
from linkwright.simulation.integrators import Given
from linkwright.simulation.problem.run_efforts import RunActuation
from linkwright.simulation.running.run_output import Times
from linkwright.simulation.running.run_spec import RunSpec

Array = np.ndarray
PoseGiven = PoseReference | Callable[[Any], Any] | ArrayLike | tuple[ArrayLike, ArrayLike] | str | os.PathLike[str]
ActuatorsGiven = Reference | Callable[[Any], Any] | ArrayLike | str | os.PathLike[str]


def motion(
    model: Model,
    t: ArrayLike | None = None,
    *,
    pose: PoseGiven | None = None,
    q_act: ActuatorsGiven | None = None,
    frame: str | None = None,
    components: Sequence[str] | None = None,
    sequence: str = "xyz",
    near: ArrayLike | None = None,
    w_ext: Wrenches | None = None,
    reactions: bool = True,
    clearance: float | None = None,
) -> Result:
    """Joints, efforts, reactions and power along a motion of a frame or of the actuators.

    Args:
        t: times (n,) [s], or the end of 201 times from zero; None takes those of a file.
        pose: motion of a frame: a reference such as `lw.control.EulerMotion` or `PlatformMotion`, a function of t that
            returns x y z and three angles or a quaternion w x y z, an array (n, 6) or (n, 7), a pair (xyz, wxyz), or a
            CSV file or data frame with the columns t, x, y, z and rx, ry, rz or qw, qx, qy, qz.
        q_act: instead, positions of the actuators: a reference, a function, an array (n, na), or a CSV file or data
            frame with t and a column for each actuator. Titles may name units, `x [mm]`; without one, columns are SI.
        frame: the frame or body; None takes the mechanism's output. components: those of x y z rx ry rz that are given,
            where the frame has fewer than six freedoms; None takes those that the mechanism can move, and refuses
            poses that vary others (constants there pass).
        sequence: axes of the three angles, "xyz" about fixed axes (roll, pitch, yaw).
        near: closed coordinates to start every row from, (nq,); None goes from row to row, from home.
        w_ext: wrenches on bodies as for `inverse_dynamics`, for all rows or (n, n_bodies, 6).
        reactions: compute forces and moments in all joints.
        clearance: least distance [m] that links must keep; adds the series "clearance", as `lw.analysis.clearance`.

    Functions are differentiated exactly; arrays and files are joined by splines of degree 5. A motion that cannot be
    followed raises `AssemblyError` with the first time and the actuator whose leg does not reach.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("five-bar"))
    >>> run = motion(model, 1.0, pose=lambda t: [0.1 * np.sin(3 * t), 0.42, 0, 0, 0, 0])
    >>> run.tau.shape, run.meta["limits"]
    ((201, 2), [])
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    require_sequence(sequence)
    require_flag("reactions", reactions)
    _require_one(pose, q_act)
    now = check_times(_file_times(pose if q_act is None else q_act) if t is None else t)
    if q_act is not None:
        given = actuators_at(q_act, now, model.actuators)
        state, how = actuator_states(model, now, given, near), "positions of the actuators"
    else:
        state, how = (
            frame_states(model, now, poses_at(pose, now, sequence), frame, components, near),
            "poses of a frame",
        )
    return _motion_result(_motion_spec(model, now, state, how), w_ext, reactions, clearance)


def motion_of_states(
    model: Model,
    t: ArrayLike,
    states: tuple[ArrayLike, ArrayLike, ArrayLike],
    *,
    w_ext: Wrenches | None = None,
    clearance: float | None = None,
) -> Result:
    """Efforts, reactions and power along closed coordinates (n, nq), velocities and accelerations (n, nv)."""
    now, state = check_times(t), PathStates(*(np.asarray(x, dtype=float) for x in states))
    if model.has_loops:
        gaps = np.abs(model.closure_residual(state.q)).max(axis=-1, initial=0.0)
        k = int(np.argmax(np.where(np.isfinite(gaps), gaps, np.inf)))
        if not gaps[k] <= OPEN_STATE:
            raise AssemblyError(
                f"the motion leaves loops of '{model.mechanism.name}' open: the largest closure residual is "
                f"{gaps[k]:.1e} m, in sample {k + 1} of {len(gaps)}, and the tolerance is {OPEN_STATE:.0e} m; give "
                "closed coordinates, or positions of the actuators",
                gap=float(gaps[k]),
            )
    return _motion_result(_motion_spec(model, now, state, "coordinates"), w_ext, True, clearance)


@dataclass(frozen=True, eq=False)
class GivenMotion:
    """The states of a motion, and what they were found from."""

    states: PathStates
    source: str

    command: ClassVar[str] = "motion"

    def meta(self) -> dict[str, Any]:
        """For the meta of the result."""
        return {"motion": self.source}

    def request(self) -> dict[str, Any]:
        """For a request."""
        return {"motion": hash_parts(self.states.q, self.states.v, self.states.a)}


def _motion_spec(model: Model, t: Array, states: PathStates, source: str) -> RunSpec[GivenMotion]:
    """What is computed: efforts and reactions at the rows of a motion."""
    if not model.na:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' names no actuators; name them in actuated=[...]")
    times, actuation = Times(float(t[0]), float(t[-1]), t - t[0], t), RunActuation(np.zeros(model.na))
    return RunSpec(model, GivenMotion(states, source), actuation, times, Given(), check=False)


def _require_one(pose: Any, q_act: Any) -> None:
    if (pose is None) == (q_act is None):
        both = "both are given" if pose is not None else "neither is given"
        raise ArgumentError(f"a motion is of a frame, pose=..., or of the actuators, q_act=...; {both}")


def _file_times(given: Any) -> Array:
    if not is_table(given):
        raise ArgumentError("t is left out, which only a file can give; pass the times or the end time")
    return times_of_table(given)


def _motion_result(spec: RunSpec[GivenMotion], w_ext: Any, reactions: bool, clearance: float | None) -> Result:
    model, t, state = spec.model, spec.times.shown, spec.start.states
    named = {} if w_ext is None else {"w_ext": arguments.external_wrenches(w_ext, model.bodies)}
    tau = model.inverse_dynamics(state.q, state.v, state.a, **named)
    power = tau * model.actuator_velocities(state.v, state.q)
    series = [*_state_series(spec, tau), *_power_series(model, t, state, power)]
    if reactions:
        wrenches = model.joint_reactions(state.q, state.v, state.a, tau, **named)
        series += [each for name, w in wrenches.items() for each in _wrench_series(name, w)]
    broken = list(model.limits_exceeded_along(state.q, state.v, tau))
    notes: tuple[str, ...] = ()
    if clearance is not None:
        found = clearances_of(model).at(model, state.q)
        notes = found.notes
        series.append(Series("clearance", found.least, "m", "clearance"))
        broken += _too_close(found, require_number("clearance", clearance))
    events = [Event(float(t[first]), "limit", each.subject, str(each)) for _, first, each in broken]
    closure = np.zeros(len(t))
    if model.has_loops:
        closure = np.abs(model.closure_residual(state.q)).max(axis=-1, initial=0.0)
        series.append(Series("closure residual", closure, "m", "closure"))
    meta = {
        **spec.meta(),
        "complete": bool(np.isfinite(tau).all()),
        "closure": float(closure.max(initial=0.0)),
        "limits": [_violation_entry(t, *each) for each in broken],
        **({"clearance": list(notes)} if notes else {}),
    }
    return Result(t, tuple(series), meta, tuple(sorted(events, key=lambda event: event.t)))


def _too_close(found: Clearance, least: float) -> list[tuple[int, int, LimitViolation]]:
    """Pairs of links that come closer than allowed: rows, the first, and the worst."""
    out = []
    for i, pair in enumerate(found.pairs):
        near = found.distance[:, i] < least
        if near.any():
            worst, subject = float(found.distance[:, i].min()), " and ".join(pair)
            text = f"links {subject} come as near as {worst:.6g} m, closer than {least:.6g} m"
            record = LimitViolation("clearance", subject, "", worst, least, text)
            out.append((int(near.sum()), int(np.argmax(near)), record))
    return out


def _state_series(spec: RunSpec[GivenMotion], tau: Array) -> Iterator[Series]:
    values = {**vars(spec.start.states), "tau": tau}
    taken = dict.fromkeys(values, 0)
    for name, unit, group in spec.columns:
        if group in values:
            yield Series(name, values[group][:, taken[group]], unit, group)
            taken[group] += 1


def _power_series(model: Model, t: Array, state: PathStates, power: Array) -> Iterator[Series]:
    for i, name in enumerate(model.actuated):
        yield Series(f"power({name})", power[:, i], "W", "power")
    total = power.sum(axis=1)
    work = np.concatenate([[0.0], np.cumsum(0.5 * (total[1:] + total[:-1]) * np.diff(t))])
    kinetic, potential = model.energy(state.q, state.v)
    for name, x in (("kinetic energy", kinetic), ("potential energy", potential), ("work", work)):
        yield Series(name, np.broadcast_to(x, t.shape), "J", "energy")


def _wrench_series(joint: str, w: Array) -> Iterator[Series]:
    yield Series(f"force({joint})", np.linalg.norm(w[:, 3:], axis=1), "N", "reaction force")
    yield Series(f"moment({joint})", np.linalg.norm(w[:, :3], axis=1), "N m", "reaction moment")


def _violation_entry(t: Array, rows: int, first: int, worst: LimitViolation) -> dict[str, Any]:
    return {
        "code": worst.code,
        "subject": worst.subject,
        "part": worst.part,
        "first_time": float(t[first]),
        "rows": rows,
        "worst": worst.value,
        "limit": worst.limit,
        "message": worst.message,
    }
