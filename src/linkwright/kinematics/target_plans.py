"""Plans for kinematics with a given pose or given actuator positions: which equations count, and their elimination."""

from __future__ import annotations

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.formulations.elimination import SquarePlan, irreducible_blocks
from linkwright.functions.loop import target_functions
from linkwright.functions.loop.target_functions import actuator_unit, coordinate_of
from linkwright.functions.memo import memo
from linkwright.functions.stages import MotionTarget, SquareTarget
from linkwright.functions.store import Kernels
from linkwright.joints import JointKind
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.motions import all_motions
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.numerics.dense import decompose_scaled, distance_to_singularity, singular_values
from linkwright.numerics.tolerances import REGULAR_STATE
from linkwright.plans.elimination_plans import square_plan
from linkwright.plans.rank import independent_rows

# Largest matrix that is eliminated by straight-line code.
_MOST_VELOCITIES = 120


@dataclass(frozen=True)
class _SquarePart:
    """The part of a target's equations that is square: components, elimination, typical pivots, irreducible blocks."""

    used: tuple[int, ...]
    plan: SquarePlan
    typical: tuple[float, ...]
    blocks: tuple[tuple[int, ...], ...]


@memo(valid_at="nominal")
def square_target(
    kinematics: Kinematics, frame: str | None, given: tuple[int, ...], holding: bool = False
) -> Kernels[SquareTarget] | None:
    """Kernels for a target: a frame's given components, or (frame None) the numbered actuators.

    They stand at the nominal values of the mechanism's inputs. None where the equations are not square: where
    components leave a freedom open, where actuators have no position.

    `holding`: velocities of idle freedoms are held.
    """
    planned = _plan_target(kinematics, frame, given, holding)
    return None if planned is None else Kernels(planned)


def held_speeds(kinematics: Kinematics) -> tuple[int, ...] | None:
    """Velocities of idle freedoms, each of which determines one; None where other freedoms are not driven either."""
    found = find_undriven_freedoms(kinematics)
    floating = {d for link in kinematics.setup.tree.links if link.kind.floats for d in _range_of_slice(link.dofs)}
    speeds = found.undriven.speeds
    return speeds if found.expected and not floating & set(speeds) else None


def _range_of_slice(part: slice) -> range:
    return range(part.start, part.stop)


def _plan_target(
    kinematics: Kinematics, frame: str | None, given: tuple[int, ...], holding: bool
) -> SquareTarget | None:
    setup = kinematics.independent_rows if kinematics.closed else kinematics.setup
    if setup.tree.nv > _MOST_VELOCITIES or not _is_driven_by_positions(kinematics, frame):
        return None
    held = held_speeds(kinematics) if holding else ()
    if held is None:
        return None
    target = MotionTarget(setup, frame, given, held)
    found = _find_square_part(kinematics, target)
    if found is None:
        return None
    scale = kinematics.scales
    return SquareTarget(
        target,
        found.used,
        found.plan,
        found.typical,
        found.blocks,
        scale.length,
        tuple(scale.speeds.tolist()),
        tuple(scale.rows.tolist()),
    )


def _is_driven_by_positions(kinematics: Kinematics, frame: str | None) -> bool:
    """Whether all actuators have a position."""
    setup = kinematics.setup
    if frame is not None:
        return True
    found = [
        has_positions(setup.closure.loops[drive.loop].kind)
        if drive.speed is None
        else coordinate_of(setup, drive.speed) is not None
        for drive in setup.drives
    ]
    return bool(found) and all(found)


def has_positions(kind: JointKind) -> bool:
    """Whether a joint has positions where it closes a loop."""
    return kind.nq > 0 and not kind.has_quaternion


@memo(on_disk="square")
def _find_square_part(kinematics: Kinematics, target: MotionTarget) -> _SquarePart | None:
    """The components that take part, and the elimination of the square matrix; None where it is not square."""
    kernels, scale = Kernels(target), kinematics.scales
    X = evaluate(kernels.program(target_functions.target_matrix), samples_of(kinematics))
    n, held = target.setup.closure.n_rows, len(target.held)
    kept, J = X[:, :n], X[:, n : X.shape[1] - held]
    units = _target_component_units(kinematics, target)
    T = _closed_motion_basis(kept / target.setup.closure.select(scale.rows)[:, None] * scale.speeds)
    moves = (J * scale.speeds / units[:, None]) @ T
    used = independent_rows(moves).kept if moves.size else ()
    if len(used) + held != kinematics.mobility or n + len(used) + held != target.setup.tree.nv:
        return None
    rows = [*range(n), *(n + i for i in used), *range(X.shape[1] - held, X.shape[1])]
    plan, typical = square_plan(X[:, rows], kernels.pattern(target_functions.target_matrix)[rows], scale.speeds)
    pattern = kernels.pattern(target_functions.target_matrix)[rows]
    return _SquarePart(tuple(used), plan, typical, tuple(tuple(block) for block in irreducible_blocks(pattern, plan)))


def moving_components(kinematics: Kinematics, frame: str) -> list[int]:
    """The components rx ry rz x y z of a frame's twist that change in motions of the mechanism."""
    setup = kinematics.independent_rows if kinematics.closed else kinematics.setup
    kernels = Kernels(MotionTarget(setup, frame, tuple(range(6))))
    X = evaluate(kernels.program(target_functions.target_matrix), samples_of(kinematics))
    kept, J = np.split(X, [setup.closure.n_rows], axis=1)
    moves = (
        J
        * kinematics.scales.speeds
        @ _closed_motion_basis(kept / setup.closure.select(kinematics.scales.rows)[:, None] * kinematics.scales.speeds)
    )
    moves = moves / np.array([1.0] * 3 + [kinematics.scales.length] * 3)[:, None]
    return np.flatnonzero(np.abs(moves).max(axis=(0, 2), initial=0.0) > REGULAR_STATE).tolist()


def samples_of(kinematics: Kinematics) -> np.ndarray:
    """Configurations on the home's branch in which the closure equations have their usual rank."""
    if not kinematics.closed:
        return all_motions(kinematics).q
    q = kinematics.branch_samples
    values = singular_values(kinematics.scaled_jacobian(kinematics.all_rows, q))
    return q[distance_to_singularity(values, kinematics.rank.rank) > REGULAR_STATE]


def _closed_motion_basis(J: np.ndarray) -> np.ndarray:
    """Orthonormal motions that keep the loops closed, (samples, nv, mobility)."""
    return decompose_scaled(J, complete=True).null_space(J.shape[1])


def _target_component_units(kinematics: Kinematics, target: MotionTarget) -> np.ndarray:
    scale = kinematics.scales
    if target.frame is None:
        return np.array([actuator_unit(target.setup, i, scale.length, scale.speeds.tolist()) for i in target.given])
    return np.array([1.0 if i < 3 else scale.length for i in target.given])
