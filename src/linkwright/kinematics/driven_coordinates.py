"""Positions of the actuators: coordinates of the tree, or values of cut joints, and loops closed with them given."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.loop import actuator_functions, closure_functions
from linkwright.functions.loop.actuator_functions import no_position
from linkwright.functions.loop.target_functions import actuator_unit, coordinate_of, is_angle_velocity
from linkwright.functions.memo import memo
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.target_plans import has_positions
from linkwright.plans.closure_newton import close_all, close_with
from linkwright.plans.damped_newton import Closed
from linkwright.plans.scales import is_length_part

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
        code = self.kinematics.all_rows.code(actuator_functions.actuator_positions)
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
        B = self.kinematics.all_rows.function(closure_functions.effort_matrix)(q)
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
