"""Reasons why rows of kinematics have no result: out of reach, another mode, loops open, bad numbers."""

from __future__ import annotations

import numpy as np

from linkwright.errors import AssemblyError
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.nominal_rank import changed_inputs
from linkwright.kinematics.query import COMPONENTS, BatchRows, ClosedRows, Ended, Failures, KinematicsQuery
from linkwright.kinematics.target_plans import DrivenCoordinates, locate_driven_coordinates, moving_components
from linkwright.numerics.tolerances import QUATERNION_NORM

Array = np.ndarray


def position_failures(
    kinematics: Kinematics, wanted: KinematicsQuery, rows: BatchRows, found: ClosedRows
) -> list[Failures]:
    """The rows that have no configuration, as one record; () where all have one."""
    if not found.ended.any():
        return []

    def code(row: int) -> str:
        ended = Ended(int(found.ended[row]))
        return "quaternion-norm" if ended == Ended.NOT_FINITE and _bad_quaternion_norm(wanted, row) else ended.code

    def reason(row: int) -> str:
        ended = Ended(int(found.ended[row]))
        if ended == Ended.NOT_FINITE:
            return _not_finite(wanted, rows, row)
        if ended == Ended.NOT_BUILT:
            return _not_built(kinematics, rows, row)
        if wanted.frame is None:
            return why_not_tracked(kinematics, found, rows, row)
        return _unreached_pose_reason(kinematics, wanted, rows, row, ended)

    lost = np.flatnonzero(found.ended != Ended.REACHED)
    return [Failures(wanted.lead, lost, code, reason, AssemblyError)]


def design_of(kinematics: Kinematics, rows: BatchRows, row: int) -> Kinematics:
    """The mechanism at the values of a row."""
    shared = rows.values is None or rows.values.ndim == 1
    return kinematics if shared else kinematics.at(_row_of_batch(rows, rows.values, row))


def _row_of_batch(rows: BatchRows, array: Array | None, row: int) -> Array:
    return np.ravel(rows.of(array, np.array([row])))


def _bad_quaternion_norm(wanted: KinematicsQuery, row: int) -> float:
    """The norm of a row's quaternion where it is finite and not 1, else 0."""
    if wanted.norms is None:
        return 0.0
    norm = float(np.broadcast_to(wanted.norms, wanted.lead).reshape(-1)[row])
    return norm if np.isfinite(norm) and abs(norm - 1.0) > QUATERNION_NORM else 0.0


def _not_finite(wanted: KinematicsQuery, rows: BatchRows, row: int) -> str:
    norm = _bad_quaternion_norm(wanted, row)
    if norm:
        return (
            f"the quaternion of the pose has norm {norm:.6g}, expected 1 within {QUATERNION_NORM:g}; divide by its norm"
        )
    if np.isfinite(_row_of_batch(rows, rows.target, row)).all():
        return "near does not hold finite numbers and unit quaternions only; start from a closed configuration"
    return f"the {'actuator positions' if wanted.frame is None else 'pose'} of this row are not finite numbers"


def _not_built(kinematics: Kinematics, rows: BatchRows, row: int) -> str:
    values, names = _row_of_batch(rows, rows.values, row), kinematics.setup.inputs.source.names  # type: ignore[union-attr]
    bad = [f"{name} is {x}" for name, x in zip(names, values.tolist(), strict=True) if not np.isfinite(x)]
    if bad:
        return f"the parameter {', '.join(bad)}, expected a finite number"
    return (
        f"with {_changed_parameters_text(kinematics, rows, row)} a length or an angle that follows from the "
        "parameters is not a finite "
        "number; give values nearer to the nominal ones"
    )


def _changed_parameters_text(kinematics: Kinematics, rows: BatchRows, row: int) -> str:
    """The parameters that are not at their nominal values, "" where all are: those that changed most first."""
    inputs = kinematics.setup.inputs
    if inputs is None or rows.values is None:
        return ""
    return changed_inputs(kinematics, _row_of_batch(rows, rows.values, row))


def _changed_design_hint(kinematics: Kinematics, rows: BatchRows, row: int) -> str:
    """What to add where the parameters are not the nominal ones."""
    changed = _changed_parameters_text(kinematics, rows, row)
    return f"; the design is another than the file's, {changed}: its loops may not reach there" if changed else ""


def _unreached_pose_reason(
    kinematics: Kinematics, wanted: KinematicsQuery, rows: BatchRows, row: int, ended: Ended
) -> str:
    """Reason why a pose has no configuration."""
    target = _row_of_batch(rows, rows.target, row)
    where = f"the pose with origin ({', '.join(f'{x:.4g}' for x in target[:3])}) m"
    if ended == Ended.TURNED:
        return (
            f"the platform reaches {where} only behind a singularity: in another working mode than that of the start, "
            "or in the same one beyond a singularity of the constraints; model.working_modes(pose) lists them: start "
            "in one with near=q"
        )
    if ended == Ended.TOO_FAR:
        at = (kinematics.nominal or kinematics) if rows.before is not None else design_of(kinematics, rows, row)
        start = _row_of_batch(rows, rows.start, row)
        here = at.compute_at(tree_functions.frame_quaternion, start, frame=wanted.frame)[0]
        far, length = float(np.linalg.norm(target[:3] - here)), kinematics.scales.length
        return (
            f"{where} lies {far:.4g} m from the start, {far / length:.3g} times the mechanism's typical length of "
            f"{length:.3g} m; give lengths in meters, or start nearer to it with near=q"
        )
    return (
        f"the platform cannot reach {where} from here; it may be out of reach, or start nearer to it with "
        f"near=q{_changed_design_hint(kinematics, rows, row)}{_too_many(kinematics, wanted)}"
    )


def _too_many(kinematics: Kinematics, wanted: KinematicsQuery) -> str:
    """What to add where more components are given than the mechanism has freedoms."""
    if len(wanted.given) <= kinematics.mobility:
        return ""
    possible = [COMPONENTS[i] for i in moving_components(kinematics, str(wanted.frame))]
    such = (
        f", for example components={possible}"
        if len(possible) == kinematics.mobility
        else f", out of {', '.join(COMPONENTS)}"
    )
    return (
        f"; the mechanism has {kinematics.mobility} degrees of freedom, and {len(wanted.given)} components of the pose "
        f"are given: name with components=[...] the {kinematics.mobility} that are to be met{such}"
    )


def why_not_tracked(kinematics: Kinematics, found: ClosedRows, rows: BatchRows, row: int) -> str:
    """Reason why actuator positions were not reached."""
    driven, last = locate_driven_coordinates(kinematics), _row_of_batch(rows, rows.target, row)
    first = driven.positions(_row_of_batch(rows, rows.start, row), _values_at_start(rows, row))
    way = driven.way(first, last)
    done, ended = float(found.done[row]), found.ended[row]
    if ended == Ended.TOO_FAR:
        return _too_far(driven, first, way)
    stop = ", ".join(f"{x:.6g}" for x in first + way * done)
    where = f"beyond the actuator positions ({stop}), {done:.1%} of the way,"
    if rows.before is not None and _changed_parameters_text(kinematics, rows, row):
        where = (
            f"{done:.1%} of the way from the home of the file to these actuator positions and to "
            f"{_changed_parameters_text(kinematics, rows, row)}"
        )
        return (
            f"{where}, {_obstacle_text(ended)}; start from a configuration of this design with near=q "
            "(model.with_parameters(...).assemble().q), or give values nearer to the nominal ones"
        )
    return f"{where} {_obstacle_text(ended)}; {_way_out(ended)}{_changed_design_hint(kinematics, rows, row)}"


def _obstacle_text(ended: int) -> str:
    if ended == Ended.TURNED:
        return (
            "the loops close only in another assembly mode (the Jacobian of the passive joints changes its sign): a "
            "singularity lies between"
        )
    if ended == Ended.FAR:
        return "the loops close only in a configuration far from the last one: a singularity lies between"
    return "the loops do not stay closed: there it is out of reach, or the path meets a singularity"


def _way_out(ended: int) -> str:
    if ended in (Ended.TURNED, Ended.FAR):
        return "start on its other side with near=q, or plan around it"
    return "start nearer with near=q"


def _values_at_start(rows: BatchRows, row: int) -> Array | None:
    """Values of the inputs at which a row's start is closed; None for the nominal ones."""
    if rows.before is not None or rows.values is None:
        return rows.before
    return _row_of_batch(rows, rows.values, row)


def _too_far(driven: DrivenCoordinates, first: Array, way: Array) -> str:
    """Reason of a way that is absurdly long, by the actuator that goes farthest."""
    far = int(np.argmax(np.abs(way) / driven.units))
    unit = "m" if driven.is_length(far) else "rad"
    return (
        f"actuator '{driven.kinematics.setup.actuated[far]}' would go from {first[far]:.6g} to "
        f"{first[far] + way[far]:.6g} {unit}, too far to be followed; give angles in rad within some turns and lengths "
        "in m, or start nearer with near=q"
    )
