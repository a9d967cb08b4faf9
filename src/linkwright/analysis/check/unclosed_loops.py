"""Loops that do not close, a home pose that is not closed, and poses at a singularity."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from linkwright.compiler import evaluate
from linkwright.findings import Finding
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.closure_diagnosis import find_open_groups
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.singularity import Singularity
from linkwright.loops.closure import relative_poses
from linkwright.loops.cut_joints import assembly_sense_cosines
from linkwright.mechanism import Mechanism
from linkwright.mechanism.names import list_of_names
from linkwright.mechanism.tree import coordinate_slices
from linkwright.numerics.tolerances import CLOSED, OPEN_STATE, REGULAR_STATE
from linkwright.plans.closed_samples import home_coordinates, without_driven_home
from linkwright.plans.closure_newton import close_all, right_way_round
from linkwright.plans.scales import random_coordinates

_STARTS = 256


def find_open_loops(kinematics: Kinematics) -> Finding:
    """Loops that stay open however the mechanism is put together, and by how much."""
    rng = np.random.default_rng(0)
    start = home_coordinates(kinematics.all_rows)[None, :]
    tried = close_all(
        kinematics.all_rows, np.concatenate([start, random_coordinates(kinematics.setup.mech, _STARTS, rng)])
    )
    shut = tried.q[tried.gap < CLOSED]
    if len(shut) and not np.any(right_way_round(kinematics.all_rows, shut)):
        names = _inverted_loops(kinematics, shut[0])
        return Finding(
            "axis-reversed",
            f"{list_of_names('loop', 'loops', names)} of '{kinematics.setup.mech.name}' closes only with its axis "
            "upside down",
            "turn the joint's axis round on one side, its 'at' or its 'child_at', by 180 degrees",
            subject=names[0],
        )
    left = find_open_groups(kinematics.all_rows, tried.q)
    if not left:
        message = f"no closed configuration of '{kinematics.setup.mech.name}' was found by the assembly"
        return Finding("loop-open", message, "check lengths and units: numbers of very different size leave none")
    worst = left[0]
    way_out = "check the lengths and joint frames along this loop, their units first, and that no two loops contradict"
    if worst.way_out:
        way_out = worst.way_out
    elif worst.origins_meet:
        way_out = "make the cut joint spherical (type 3d of a sidecar), or turn one of its frames"
    message = f"loop '{worst.loop}' does not close: {worst.description}"
    return Finding("loop-open", message, way_out, subject=worst.loop, value=worst.residual)


def _inverted_loops(kinematics: Kinematics, q: np.ndarray) -> list[str]:
    pairs = zip(kinematics.setup.closure.loops, relative_poses(kinematics.setup.closure, q), strict=True)
    return [loop.name for loop, pose in pairs if np.any(assembly_sense_cosines(loop, pose.Q) <= 0.0)]


def _loop_gaps(kinematics: Kinematics, q: np.ndarray) -> dict[str, tuple[float, str]]:
    """Largest closure residual of each loop and coupling, and its unit."""
    gaps: dict[str, tuple[float, str]] = {}
    closure = kinematics.setup.closure
    units = [" m" if length else " (sine of an angle)" for length in closure.lengths]
    units[len(units) - len(closure.couplings) :] = [""] * len(closure.couplings)
    for row, gap in enumerate(
        np.abs(evaluate(kinematics.all_rows.program(closure_functions.closure_residual), q)).tolist()
    ):
        name = kinematics.loop_of_row(row)
        gaps[name] = max(gaps.get(name, (0.0, "")), (gap, units[row]))
    return gaps


def home_findings(kinematics: Kinematics) -> Iterator[Finding]:
    """A home pose that leaves loops open, with closed values to write instead.

    A home of some joints leaves the others to be found; where it keeps its own, nothing is wrong.
    """
    mech = kinematics.setup.mech
    if not mech.home:
        return
    start, closed = home_coordinates(kinematics.all_rows), kinematics.home
    gaps = _loop_gaps(kinematics, start)
    worst = max(gaps, key=lambda name: gaps[name])
    gap, unit = gaps[worst]
    if gap < OPEN_STATE:
        return
    moved = {
        joint: np.abs(closed[at] - start[at]).max(initial=0.0)
        for joint, (at, _) in coordinate_slices(mech.joints).items()
    }
    if not _has_whole_home(mech) and max(moved[name] for name, _ in mech.home) < OPEN_STATE:
        return
    far = max(moved, key=lambda name: moved[name])
    values = ", ".join(f"{x:.9g}" for x in closed[coordinate_slices(mech.joints)[far][0]])
    slip = _is_gap_of_slip(kinematics, gap, unit)
    yield Finding(
        "home-open",
        f"the home pose leaves loop '{worst}' open by {gap:.3g}{unit}"
        f"{', more than the mean link is long' if slip else ''}; the nearest closed pose found was taken",
        f"{'look at the units of the lengths; ' if slip else ''}write the closed values into 'home'; joint '{far}' "
        f"changes most, to {values} (SI); 'linkwright assemble' prints all of them",
        "warning" if slip else "remark",
        worst,
        gap,
    )
    yield from _moved_actuators(kinematics, start, closed)


def _is_gap_of_slip(kinematics: Kinematics, gap: float, unit: str) -> bool:
    """Return True if a home that was written whole is open by more than a link: then some length is probably wrong.

    A home of some joints, the others at zero, is a first guess and may be as far off.
    """
    return _has_whole_home(kinematics.setup.mech) and unit == " m" and gap > float(kinematics.scales.length)


def _has_whole_home(mech: Mechanism) -> bool:
    """Return True if the home has values of all joints that move."""
    named = {name for name, _ in mech.home}
    return all(joint.name in named for joint in mech.joints if joint.kind.coordinates)


def _moved_actuators(kinematics: Kinematics, start: np.ndarray, closed: np.ndarray) -> Iterator[Finding]:
    """Driven joints that are not where the file's home has them, because the loops do not close with them."""
    free = without_driven_home(kinematics.as_drawn)
    if free is None:
        return
    for link in kinematics.as_drawn.setup.tree.links:
        held = (
            np.flatnonzero(~free[link.dofs]) if link.dofs.stop - link.dofs.start == _slice_length(link.coords) else ()
        )
        for i in (link.coords.start + int(k) for k in held):
            if abs(closed[i] - start[i]) > OPEN_STATE:
                yield Finding(
                    "home-moved",
                    f"joint '{link.joint}' is driven, and the loops do not close with it at {start[i]:.6g}, where the "
                    f"home pose has it; in the nearest closed pose found it is at {closed[i]:.6g}",
                    "write a value into 'home' that the loops can close with",
                    "warning",
                    link.joint,
                    float(closed[i]),
                )


def _slice_length(part: slice) -> int:
    return int(part.stop - part.start)


def singularity_findings(near: Singularity, exactly_driven: bool) -> Iterator[Finding]:
    """A home pose at, or within round-off of, a singularity."""
    way_out = "choose a home pose a little off this position"
    if near.constraint < REGULAR_STATE:
        yield Finding(
            "singular-home",
            f"at home the closure equations lose rank (smallest singular value {near.constraint:.1e} of the largest), "
            "so the mechanism can branch there",
            f"{way_out}, on the branch you want",
            value=near.constraint,
        )
    elif exactly_driven and near.type2 < REGULAR_STATE:
        yield Finding(
            "singular-home",
            f"at home the mechanism can move with all actuators locked (type 2 singularity, {near.type2:.1e})",
            f"{way_out}, or drive other joints",
            value=near.type2,
        )
    elif near.type1 < REGULAR_STATE:
        yield Finding(
            "singular-home",
            f"at home a leg is stretched or folded (type 1 singularity, {near.type1:.1e})",
            f"{way_out}; there actuators move without moving the platform",
            "warning",
            value=near.type1,
        )
