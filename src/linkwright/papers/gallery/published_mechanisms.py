"""The papers' mechanisms, built once, the motions the papers prescribe, and a timer."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from linkwright import catalog
from linkwright.control.references import Cycloidal
from linkwright.formats.mechanism_files import load
from linkwright.mechanism.tree import Tree, spanning_tree
from linkwright.model import Model, build
from linkwright.simulation.integrators import DOP853

Array = np.ndarray
DATA = Path(__file__).parent / "data"

# Methods whose errors are far below what claims compare, and whose errors are near rounding.
ACCURATE = DOP853(rtol=1e-11, atol=1e-12)
FINEST = DOP853(rtol=1e-12, atol=1e-13)


@cache
def catalog_model(name: str) -> Model:
    """A mechanism of the catalog."""
    return build(catalog.load(name))


@cache
def own_model(name: str) -> Model:
    """A mechanism that only the gallery needs, from its file under data."""
    return build(load(DATA / f"{name}.yaml"))


@cache
def catalog_tree(name: str) -> Tree:
    """The tree of a mechanism of the catalog, as its file draws it."""
    return spanning_tree(catalog.load(name))


STANFORD_START = np.array([0.0, np.pi / 2, 0.0, 0.0, 0.0, 0.0])
STANFORD_END = np.array([np.pi / 3, np.pi / 3, 0.1, np.pi / 3, np.pi / 3, np.pi / 3])
SAHA_MOVES = {
    "three-link-arm": Cycloidal(np.zeros(3), np.full(3, np.pi), duration=10.0),
    "stanford-arm": Cycloidal(STANFORD_START, STANFORD_END, duration=10.0),
}
"""Saha's equations 38 and 39, the second with the factor that its end values need."""

KHAN_START = np.array([np.pi / 3, 4.0 * np.pi / 3, 11.0 * np.pi / 6])
KHAN_MOVE = Cycloidal(KHAN_START, KHAN_START + 2.0 * np.pi * np.array([1 / 6, -1 / 6, 1 / 12]), duration=3.0)


@cache
def khan_start() -> Array:
    """All coordinates of the 3-RRR at the printed start."""
    robot = catalog_model("3-rrr")
    return robot.forward_kinematics(KHAN_START, near=robot.assemble().q)[0]


def khan_motion(times: Array) -> tuple[Array, Array, Array]:
    """q, v, a of the 3-RRR along the prescribed motion."""
    return catalog_model("3-rrr").forward_kinematics(*KHAN_MOVE.at(times), near=khan_start())


def khan_pose(q: Array) -> Array:
    """Centroid x7, y7 [m] and angle theta7 [rad] of the platform, (..., 3)."""
    origin, _ = catalog_model("3-rrr").frame_pose(q, "platform")
    return np.stack([origin[..., 0], origin[..., 1], q[..., 2] + q[..., 5] + q[..., 6]], axis=-1)


def hexam_circle(rpm: float = 40.0, steps: int = 180) -> tuple[Array, Array, Array]:
    """q, v, a of HexaM on its circle of 0.1 m at p_Z = -1.1 m, steps + 1 states over one turn."""
    robot, w = catalog_model("hexam"), 2.0 * np.pi * rpm / 60.0
    theta = np.linspace(0.0, 2.0 * np.pi, steps + 1)
    out = 0.1 * np.stack([np.cos(theta), np.sin(theta), 0.0 * theta], axis=-1)
    along = np.stack([-out[:, 1], out[:, 0], out[:, 2]], axis=-1)
    still = np.zeros((len(theta), 3))
    _, turn = robot.frame_pose(robot.assemble().q, "platform")
    pose = (out + [0.0, 0.0, -1.1], np.broadcast_to(turn, (len(theta), 4)))
    return robot.inverse_kinematics(pose, np.hstack([still, w * along]), np.hstack([still, -w * w * out]))


def rps_motion(times: Array) -> tuple[Array, Array, Array]:
    """q, v, a of the 3-RPS with legs 0.26 m + (1, -1, -1) 10 mm sin(pi t / 3)."""
    s, way = np.pi / 3.0 * np.asarray(times)[:, None], 0.01 * np.array([1.0, -1.0, -1.0])
    rate = np.pi / 3.0
    d = (0.26 + way * np.sin(s), way * rate * np.cos(s), -way * rate**2 * np.sin(s))
    return weightless_rps().forward_kinematics(*d)


@cache
def weightless_rps() -> Model:
    """The 3-RPS without gravity, as its paper takes it."""
    return build(replace(catalog.load("3-rps"), gravity=(0.0, 0.0, 0.0)))


def shortest_cpu_time(call: Callable[[], Any], rounds: int = 15) -> float:
    """Shortest CPU time of several calls, [s]: it means something on a computer with other work."""
    times = []
    for _ in range(rounds):
        began = time.process_time_ns()
        call()
        times.append(time.process_time_ns() - began)
    return 1e-9 * min(times)
