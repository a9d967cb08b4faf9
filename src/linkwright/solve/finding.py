"""Configurations people ask for: from a guess, with coordinates held, for actuator positions, for a platform pose."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from linkwright.errors import ArgumentError, AssemblyError
from linkwright.mechanism.tree import coordinate_slices
from linkwright.solve.branches import branch, told_elsewhere
from linkwright.solve.configuration import Configuration
from linkwright.solve.machine import Machine
from linkwright.solve.newton import close, close_carefully
from linkwright.solve.samples import CLOSED, close_all, right_way_round
from linkwright.solve.scales import random_coordinates
from linkwright.solve.singularities import singularity

_STARTS = 128
TURNING = ("angle", "first", "second")


def assemble(
    machine: Machine, guess: np.ndarray | None, fixed: dict[int, float], guesses: int = _STARTS
) -> Configuration:
    """A closed configuration near the guess with some coordinates (places in q to values) held."""
    start = machine.home if guess is None else guess
    starts = np.array(start, dtype=float)[None, :]
    found = _closed(machine, _held(starts, fixed), fixed)
    if not len(found):
        rng = np.random.default_rng(4)
        starts = np.concatenate([starts, random_coordinates(machine.setup.mech, guesses, rng)])
        found = _closed(machine, _held(starts, fixed), fixed)
    if not len(found):
        raise AssemblyError(_failure(machine, starts[0], fixed, guesses))
    return described(machine, found[np.argmin(np.linalg.norm(found - starts[0], axis=1))])


def modes(machine: Machine, q_act: np.ndarray, guesses: int = 512) -> list[Configuration]:
    """All assembly modes found for given actuator positions, nearest to home first."""
    require_actuators(machine)
    places = actuator_places(machine)
    fixed = dict(zip(places, np.asarray(q_act, dtype=float).tolist(), strict=True))
    rng = np.random.default_rng(5)
    starts = np.concatenate([machine.home[None, :], random_coordinates(machine.setup.mech, guesses, rng)])
    found = _closed(machine, _held(starts, fixed), fixed)
    return [described(machine, q) for q in distinct(machine, found, machine.home)]


def distinct(machine: Machine, found: np.ndarray, home: np.ndarray, by_actuators: bool = False) -> list[np.ndarray]:
    """Configurations that differ in the platform's pose (or in the actuators' positions), nearest to home first."""
    kept: list[np.ndarray] = []
    shapes: list[np.ndarray] = []
    for q in found[np.argsort(np.linalg.norm(found - home, axis=1))]:
        shape = _actuators(machine, q) if by_actuators else _shape(machine, q)
        if all(np.abs(shape - other).max() > 1e-6 for other in shapes):
            kept.append(q)
            shapes.append(shape)
    return kept


def _actuators(machine: Machine, q: np.ndarray) -> np.ndarray:
    """Positions of the actuators; an angle as its cosine and sine, so that whole turns do not count."""
    places = actuator_places(machine)
    parts = [part for joint in machine.setup.mech.joints for part in joint.kind.q_parts]
    pairs = [(np.cos(q[p]), np.sin(q[p])) if parts[p] in TURNING else (q[p], 0.0) for p in places]
    return np.array(pairs)


def require_actuators(machine: Machine) -> None:
    """Refuse what is asked for actuator positions when there are no actuators."""
    if not machine.setup.drives:
        raise ArgumentError(
            f"mechanism '{machine.setup.mech.name}' names no actuators, so their positions decide nothing; "
            "name them in the file or in actuated=[...], or hold coordinates with assemble(fixed=...)"
        )


def described(machine: Machine, q: np.ndarray) -> Configuration:
    """A closed configuration with its residual, branch and distance to the nearest singularity."""
    residual = float(np.abs(machine.open.function("closure_residual")(q)).max(initial=0.0))
    told_elsewhere(machine, q)
    return Configuration(q, residual, branch(machine, q), singularity(machine, q).distance)


def actuator_places(machine: Machine) -> list[int]:
    """Places in q of the actuators' coordinates."""
    slices = coordinate_slices(machine.setup.mech.joints)
    by_speed = {
        v.start + i: q.start + i for q, v in slices.values() for i in range(min(q.stop - q.start, v.stop - v.start))
    }
    places = []
    for name, drive in zip(machine.setup.actuated, machine.setup.drives, strict=True):
        if drive.speed is None or drive.speed not in by_speed:
            raise AssemblyError(f"actuator '{name}' sits at a cut joint and has no coordinate in q; cut another joint")
        places.append(by_speed[drive.speed])
    return places


def _held(q: np.ndarray, fixed: dict[int, float]) -> np.ndarray:
    q = np.array(q)
    for place, value in fixed.items():
        q[:, place] = value
    return q


def _closed(machine: Machine, q: np.ndarray, fixed: dict[int, float]) -> np.ndarray:
    result = close_all(machine.open, q, free_speeds(machine, list(fixed)))
    good = result.q[result.gap < CLOSED]
    return good[right_way_round(machine.open, good)] if len(good) else good


def free_speeds(machine: Machine, places: list[int]) -> np.ndarray:
    """Which speeds may move when the coordinates at `places` are held, (nv,) of bool."""
    free = np.ones(machine.setup.tree.nv, dtype=bool)
    for link in machine.setup.tree.links:
        held = [p - link.coords.start for p in places if link.coords.start <= p < link.coords.stop]
        if held and (link.coords.stop - link.coords.start) == (link.dofs.stop - link.dofs.start):
            free[[link.dofs.start + i for i in held]] = False
        elif held:
            free[link.dofs] = False
    return free


def _failure(machine: Machine, start: np.ndarray, fixed: dict[int, float], guesses: int) -> str:
    result = close_all(machine.open, _held(start[None, :], fixed), free_speeds(machine, list(fixed)))
    gaps = np.abs(machine.open.function("closure_residual")(result.q[0]))
    loop = machine.loop_of_row(int(np.argmax(gaps)))
    return (
        f"loop '{loop}' does not close: gap {gaps.max():.1e} after {result.steps} steps, and none of {guesses} other "
        "starts closed; the held values may be out of reach: hold fewer, or start nearer to an assembled configuration"
    )


def _shape(machine: Machine, q: np.ndarray) -> np.ndarray:
    """What tells two assembly modes apart: the pose of the platform's body when one is named, else of every body."""
    mech = machine.setup.mech
    poses = machine.open.function("body_poses")(q)
    carrier = {frame.name: frame.body for frame in mech.frames}.get(mech.platform or "")
    return poses[mech.names.index(carrier)] if carrier in mech.names else poses


def close_with(
    machine: Machine, q: np.ndarray, rows: Callable[..., tuple[np.ndarray, np.ndarray]], weights: np.ndarray
) -> np.ndarray:
    """Close the loops together with further equations: `rows(q, active)` gives their gaps and Jacobians."""
    closing = machine.open.function("closing")

    def both(x: np.ndarray, active: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        g, J = closing(x)
        more, more_J = rows(x, active)
        return np.concatenate([g, more], axis=1), np.concatenate([J, more_J], axis=1)

    scale = replace(machine.scales, rows=np.concatenate([machine.scales.rows, weights]))
    free = np.ones(machine.setup.tree.nv, dtype=bool)
    moving = machine.open.function("advanced")
    result = close_carefully(close(q, both, moving, scale, free), both, moving, scale, free)
    return np.where((result.gap < CLOSED)[:, None], result.q, np.nan)
