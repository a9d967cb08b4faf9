"""Pull at a body, at the platform or at an actuator of a mechanism, on the host.

    dragging = Dragging(model.kinematics)
    pull = dragging.pull_body(q, 1, point, target, sight)

A pull takes some microseconds. Pages run the same text on the same record (`drag_record`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.transforms import RigidTransform, frame_with_z
from linkwright.compiler import Kernel
from linkwright.compiler.native import native_function
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.functions.design_inputs import BoundKernel
from linkwright.functions.driver_functions import compiled_pointer
from linkwright.functions.loop import closure_functions
from linkwright.functions.setup import setup_here
from linkwright.functions.stepping import limit_functions
from linkwright.functions.stepping.limit_functions import dependent_limits
from linkwright.functions.tree import screw_functions, tree_functions
from linkwright.functions.tree.tree_functions import frame_attachment
from linkwright.kinematics.dragging.drag_records import BOUNDARY, EDGE, ERRORS, LOST, NO_BOUND, REACHED, Drag
from linkwright.kinematics.dragging.pull_driver import pull_body
from linkwright.kinematics.kinematics import Kinematics

Array = np.ndarray
End = Literal["reached", "boundary", "edge", "lost", "going"]

LIGHT = 1e-4
"""What an error counts that is followed only where the others allow it."""

MOST_STEPS = 400
"""Steps of one pull; it goes on from where it is when it is called again."""

_ENDS: dict[int, End] = {REACHED: "reached", BOUNDARY: "boundary", EDGE: "edge", LOST: "lost"}


@dataclass(frozen=True, eq=False)
class PullResult:
    """The end of a pull.

    Attributes:
        q: closed coordinates.
        end: "reached"; "boundary" where nothing comes nearer on this branch; "edge" at a singular position, behind
            which lies another branch; "lost" where the equations have no solution; "going" after very many steps.
        missed: what is left of the errors that count, [m].
    """

    q: Array
    end: End
    missed: float


class Dragging:
    """A mechanism ready to be pulled; one object serves one thread."""

    def __init__(self, kinematics: Kinematics) -> None:
        self.kinematics = kinematics
        self.record = drag_record(kinematics)
        self._alone = bending_velocities(kinematics)
        for name, code in drag_functions(kinematics).items():
            setattr(self.record, name, compiled_pointer(code))
        self._code = native_function(pull_body).call

    def pull_body(self, q: Array, body: int, point: Array, target: Array, sight: Array | None = None) -> PullResult:
        """Bring a point of a numbered body, (3,) in its frame, to a target in the world, or as near as it comes.

        With a line of sight (3,) the point need not be at the target's depth.
        """
        axes = np.eye(3) if sight is None else frame_with_z(np.asarray(sight, dtype=float)).T
        counts = np.array([True, True, sight is None, False, False, False])
        weights = np.array([1.0, 1.0, 1.0 if sight is None else LIGHT, 0.0, 0.0, 0.0])
        return self._pull(q, body, point, target, axes, np.array([1.0, 0.0, 0.0, 0.0]), weights, counts)

    def pull_platform(self, q: Array, xyz: Array, wxyz: Array, turning: bool = False) -> PullResult:
        """Bring the platform to a pose; with fewer than six freedoms its position counts, or its turn when `turning`.

        What does not count is followed as far as that allows.
        """
        link, at = _platform_in_body(self.kinematics)
        light = 1.0 if self.kinematics.mobility >= ERRORS else LIGHT
        weights = np.repeat([light, 1.0] if turning else [1.0, light], 3)
        R = rotations.rotation_matrix(np.asarray(wxyz, dtype=float)) @ at.R.T
        return self._pull(q, link, at.r, xyz, np.eye(3), rotations.from_matrix(R), weights, weights >= 1.0)

    def pull_actuator(self, q: Array, number: int, value: float) -> PullResult:
        """Bring a numbered actuator, at a joint of the tree, to a position, all others where they are.

        `missed` is in units of the position.
        """
        d, alone = self.record, self._alone
        driven = driven_velocities(self.kinematics)
        d.goal.velocity, d.goal.value = driven[number], value
        others = [k for k in driven if k != driven[number]]
        d.step.n_alone = len(alone) + len(others)
        d.step.bounds[len(alone) : d.step.n_alone] = others
        d.step.q[:] = q
        found = self._code(d.address)
        missed = d.step.missed * float(d.speeds[driven[number]])
        return PullResult(d.step.q.copy(), _ENDS.get(found, "going"), missed)

    def _pull(
        self, q: Array, body: int, point: Array, xyz: Array, axes: Array, wxyz: Array, weights: Array, counts: Array
    ) -> PullResult:
        d, goal, step, length = self.record, self.record.goal, self.record.step, self.kinematics.scales.length
        goal.velocity, goal.body = -1, body
        step.n_alone = len(self._alone)
        goal.point[:], goal.xyz[:], goal.axes[:], goal.wxyz[:] = point, xyz, np.ravel(axes), wxyz
        goal.weights[:] = weights / np.repeat([length, 1.0], 3)
        goal.counts[:] = counts
        step.q[:] = q
        found = self._code(d.address)
        return PullResult(step.q.copy(), _ENDS.get(found, "going"), step.missed * length)


def driven_velocities(kinematics: Kinematics) -> list[int]:
    """The velocity of every actuator; refused where one is at a joint that closes a loop."""
    drives, names = kinematics.setup.drives, kinematics.setup.actuated
    found = [drive.speed for drive in drives]
    for name, speed in zip(names, found, strict=True):
        if speed is None:
            raise ArgumentError(f"actuator '{name}' is at a joint that closes a loop: it cannot be pulled alone")
    return [speed for speed in found if speed is not None]


def platform_link(kinematics: Kinematics) -> int:
    """Number of the body that carries the platform; -1 without one that moves."""
    setup = kinematics.setup
    return -1 if setup.mech.platform is None else frame_attachment(setup, setup.mech.platform)[0]


def _platform_in_body(kinematics: Kinematics) -> tuple[int, RigidTransform]:
    """Number of the body that carries the platform, and the platform's pose in its frame."""
    setup = setup_here(kinematics.setup)
    link = platform_link(kinematics)
    if link < 0:
        raise ArgumentError(f"mechanism '{setup.mech.name}' has no platform that could be pulled")
    return link, setup.simplified.links[link].body.inverse @ frame_attachment(setup, str(setup.mech.platform))[1]


def drag_functions(kinematics: Kinematics) -> dict[str, Kernel | BoundKernel]:
    """The compiled functions that pulls call, by field of `Drag`."""
    kernels = kinematics.all_rows
    made: dict[str, Callable[[], Kernel | BoundKernel]] = {
        "displace": lambda: kernels.bind_constants(closure_functions.advanced),
        "poses": lambda: kernels.bind_constants(tree_functions.body_quaternions),
        "screws": lambda: kernels.bind_constants(screw_functions.velocity_screws),
    }
    if dependent_limits(kinematics.setup):
        made["margins"] = lambda: kernels.bind_constants(limit_functions.dependent_margins)
        made["margin_rates"] = lambda: kernels.bind_constants(limit_functions.dependent_margin_rates)
    if kinematics.has_closure:
        made["equations"] = lambda: kernels.bind_constants(closure_functions.closure_jacobian)
        made["residual"] = lambda: kernels.bind_constants(closure_functions.closure_residual)
    return {name: make() for name, make in made.items()}


def drag_record(kinematics: Kinematics) -> Drag:
    """The record of a mechanism; goal, start and functions are to be set."""
    setup, scales = setup_here(kinematics.setup), kinematics.scales
    tree, rank, alone = setup.tree, kinematics.rank.rank, bending_velocities(kinematics)
    n, m, bodies = tree.nv, len(scales.rows), len(tree.links)
    limits = dependent_limits(setup)
    most = m + n
    sizes = {"goal.point": 3, "goal.xyz": 3, "goal.axes": 9, "goal.wxyz": 4, "goal.weights": ERRORS}
    sizes |= {"goal.counts": ERRORS, "step.error": ERRORS, "step.error_before": ERRORS, "step.z": n, "at": 8}
    sizes |= dict.fromkeys(("step.q", "step.trial", "step.moved"), tree.nq)
    sizes |= dict.fromkeys(("step.bounds", "step.values", "coordinate", "lower", "upper", "speeds"), n)
    sizes |= dict.fromkeys(("pivots", "real", "imaginary", "normal", "x", "work", "gradient"), n)
    sizes |= dict.fromkeys(("Q", "JQ", "sides", "reflections"), n * n)
    sizes |= {"moves": bodies * n, "shares": m, "units": m * n, "order": most, "J": most * n, "triangle": most * n}
    sizes |= {"gap": most, "origins": 3 * bodies, "turns": 4 * bodies, "twists": 6 * n, "A": ERRORS * n}
    sizes |= {"B": ERRORS * n, "share": ERRORS, "square": ERRORS, "y": ERRORS, "columns": ERRORS}
    sizes |= {"K": ERRORS * ERRORS, "M": ERRORS * ERRORS, "curvature": n * n}
    sizes |= dict.fromkeys(("course", "pulled", "transported"), n)
    sizes |= dict.fromkeys(("margin_units", "margins_here", "margins_there"), len(limits))
    sizes |= dict.fromkeys(("margin_rows_here", "margin_rows_there"), len(limits) * n)
    d = Drag(1, {name: max(1, size) for name, size in sizes.items()})
    shape, step = d.shape, d.step
    shape.nq, shape.nv, shape.n_rows, shape.rank = tree.nq, n, m, rank
    shape.turning = int(any(link.kind.has_quaternion for link in tree.links))
    step.n_alone, step.most_steps, d.goal.velocity = len(alone), MOST_STEPS, -1
    step.bounds[: len(alone)] = alone
    for i in range(bodies):
        for link in tree.ancestors(i):
            d.moves[i * n + tree.dofs[link].start : i * n + tree.dofs[link].stop] = 1
    if n:
        d.speeds[:] = scales.speeds
        d.coordinate[:], d.lower[:], d.upper[:] = -1, -NO_BOUND, NO_BOUND
    shape.n_margins = len(limits)
    d.margin_units[: len(limits)] = [scales.length if each.unit == "m" else 1.0 for each in limits]
    if m:
        d.shares[:], d.units[:] = 1.0 / scales.rows, np.ravel(scales.speeds / scales.rows[:, None])
    set_bounds(kinematics, d)
    return d


def bending_velocities(kinematics: Kinematics) -> tuple[int, ...]:
    """Velocities that bend links: pulls move links, they do not bend them."""
    links = kinematics.setup.tree.links
    return tuple(k for link in links if link.kind.bends for k in range(link.dofs.start, link.dofs.stop))


def set_bounds(kinematics: Kinematics, d: Drag) -> None:
    """Set the ranges of the tree's joints as bounds of their coordinates."""
    setup = setup_here(kinematics.setup)
    joints = {joint.name: joint for joint in setup.mech.joints}
    for link in setup.tree.links:
        joint = joints[link.joint]
        if link.coords.stop - link.coords.start != link.dofs.stop - link.dofs.start or link.kind.bends:
            continue
        velocities = range(link.dofs.start, link.dofs.stop)
        d.coordinate[link.dofs] = range(link.coords.start, link.coords.stop)
        for ends, values in ((d.lower, joint.limits.lower), (d.upper, joint.limits.upper)):
            for k, x in zip(velocities, values or (), strict=False):
                if np.isfinite(x):
                    ends[k] = x
