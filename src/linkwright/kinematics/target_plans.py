"""Plans for kinematics with a given pose or given actuator positions: which equations count, in which order."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError
from linkwright.formulations.elimination import SquarePlan, irreducible_blocks
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.loop import closure_functions, minimal_functions, target_functions
from linkwright.functions.loop.minimal_functions import no_position
from linkwright.functions.loop.target_functions import actuator_unit, coordinate_of, is_angle_velocity
from linkwright.functions.memo import memo
from linkwright.functions.stages import MotionTarget, SquareTarget
from linkwright.functions.store import Kernels
from linkwright.joints import JointKind
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.motions import all_motions
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.numerics.dense import decompose_scaled, distance_to_singularity, singular_values
from linkwright.numerics.tolerances import REGULAR_STATE
from linkwright.plans.closure_newton import Closed, close_all, close_with
from linkwright.plans.elimination_plans import square_plan
from linkwright.plans.rank import independent_rows
from linkwright.plans.scales import is_length_part

# --- plans for kinematics with a given pose or given actuator positions -----------------------------------------------

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
    setup = kinematics.independent_rows if kinematics.has_closure else kinematics.setup
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
    setup = kinematics.independent_rows if kinematics.has_closure else kinematics.setup
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
    if not kinematics.has_closure:
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


# --- positions of the actuators ---------------------------------------------------------------------------------------

Array = np.ndarray


@dataclass(frozen=True, eq=False)
class DrivenCoordinates:
    """Where the positions of a mechanism's actuators are.

    A position at a cut joint is a function of q; an angle there is known up to whole turns, so that the way to another
    is the shorter one.

    Attributes:
        kinematics: the mechanism.
        in_q: per actuator its index in q; None at a cut joint.
    """

    kinematics: Kinematics
    in_q: tuple[int | None, ...]

    @cached_property
    def in_tree(self) -> list[int]:
        """Numbers of the actuators at joints of the tree."""
        return [k for k, index in enumerate(self.in_q) if index is not None]

    @cached_property
    def at_cuts(self) -> list[int]:
        """Numbers of the actuators at cut joints."""
        return [k for k, index in enumerate(self.in_q) if index is None]

    @cached_property
    def indices(self) -> list[int]:
        """Indices in q of the actuators at joints of the tree."""
        return [index for index in self.in_q if index is not None]

    def is_length(self, number: int) -> bool:
        """Whether a numbered actuator's position is a length."""
        setup, drive = self.kinematics.setup, self.kinematics.setup.drives[number]
        if drive.speed is None:
            return is_length_part(setup.closure.loops[drive.loop].kind.v_parts[drive.part])
        return is_length_part([part for joint in setup.mech.joints for part in joint.kind.v_parts][drive.speed])

    @cached_property
    def units(self) -> Array:
        """What a unit of each position counts, (na,)."""
        setup, scale = self.kinematics.setup, self.kinematics.scales
        return np.array([actuator_unit(setup, k, scale.length, scale.speeds.tolist()) for k in range(len(self.in_q))])

    @cached_property
    def repeats(self) -> Array:
        """Mask of positions that are known up to whole turns, (na,)."""
        setup = self.kinematics.setup
        cut = [None if drive.speed is not None else setup.closure.loops[drive.loop].kind for drive in setup.drives]
        return np.array(
            [kind is not None and is_angle_velocity(kind, x.part) for kind, x in zip(cut, setup.drives, strict=True)]
        )

    def positions(self, q: Array, values: Array | None = None) -> Array:
        """Positions at coordinates (..., nq), (..., na); `values` of the inputs where they are others."""
        if not self.at_cuts:
            return q[..., self.indices]
        code = self.kinematics.all_rows.code(minimal_functions.actuator_positions)
        if values is not None and isinstance(code, InputKernel):
            code = code.at(np.ascontiguousarray(values))
        return np.asarray(code(np.ascontiguousarray(q)))

    def way(self, first: Array, last: Array) -> Array:
        """What has to be gone from some positions to others, (..., na)."""
        way = np.asarray(last - first)
        if self.at_cuts:
            way = np.where(self.repeats, way - 2.0 * np.pi * np.round(way / (2.0 * np.pi)), way)
        return way

    def between(self, first: Array, last: Array, share: Array) -> Array:
        """Positions some shares (n,) of the way, (n, na)."""
        return first + self.way(first, last) * share[:, None]

    @cached_property
    def free(self) -> Array:
        """Mask of the velocities that may move when the actuators in the tree are held, (nv,)."""
        return free_speeds(self.kinematics, self.indices)

    def jacobian(self, q: Array) -> Array:
        """Rates of the positions at cut joints per velocity, (..., n, nv)."""
        B = self.kinematics.compute_at(closure_functions.effort_matrix, q)
        return np.swapaxes(B, -1, -2)[..., self.at_cuts, :]

    def close(self, q: Array, targets: Array) -> Closed:
        """Close the loops from rows of q with the actuators at given positions, (n, na) or (na,)."""
        targets = np.broadcast_to(targets, (len(q), len(self.in_q)))
        q = np.array(q)
        q[:, self.indices] = targets[:, self.in_tree]
        if not self.at_cuts:
            return close_all(self.kinematics.all_rows, q, self.free)
        cut = self.at_cuts

        def rows(x: Array, active: Array) -> tuple[Array, Array]:
            return -self.way(self.positions(x), targets[active])[:, cut], self.jacobian(x)

        return close_with(self.kinematics.all_rows, q, rows, self.units[cut], self.free)


@memo()
def locate_driven_coordinates(kinematics: Kinematics) -> DrivenCoordinates:
    """Where the positions of the actuators are; refused where one drives a quaternion."""
    setup = kinematics.setup
    in_q: list[int | None] = []
    for name, drive in zip(setup.actuated, setup.drives, strict=True):
        index = None if drive.speed is None else coordinate_of(setup, drive.speed)
        if index is None and not (drive.speed is None and has_positions(setup.closure.loops[drive.loop].kind)):
            raise AssemblyError(no_position(name, setup.mech.name))
        in_q.append(index)
    return DrivenCoordinates(kinematics, tuple(in_q))


def require_actuators(kinematics: Kinematics) -> None:
    """Refuse functions of actuator positions when there are no actuators."""
    if not kinematics.setup.drives:
        raise ArgumentError(
            f"mechanism '{kinematics.setup.mech.name}' names no actuators, so their positions decide nothing; "
            "name them in the file or in actuated=[...], or hold coordinates with assemble(fixed=...)"
        )


def free_speeds(kinematics: Kinematics, indices: list[int]) -> np.ndarray:
    """Mask of the velocities that may move when the coordinates at `indices` are held, (nv,) of bool."""
    free = np.ones(kinematics.setup.tree.nv, dtype=bool)
    for link in kinematics.setup.tree.links:
        held = [p - link.coords.start for p in indices if link.coords.start <= p < link.coords.stop]
        if held and (link.coords.stop - link.coords.start) == (link.dofs.stop - link.dofs.start):
            free[[link.dofs.start + i for i in held]] = False
        elif held:
            free[link.dofs] = False
    return free
