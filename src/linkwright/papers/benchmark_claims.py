"""Benchmarks of motions beside the papers: Andrews' squeezing mechanism, chains of four-bars, the flyball governor."""

from __future__ import annotations

from functools import cache

import numpy as np

from linkwright.model import build
from linkwright.papers.gallery.claim_records import Computed
from linkwright.papers.gallery.four_bar_chain import TEN_SECONDS, exact_angles, four_bar_chain, parallel_state
from linkwright.papers.gallery.published_mechanisms import ACCURATE, catalog_model, own_model
from linkwright.results.result import Result
from linkwright.simulation.api import simulate

Array = np.ndarray


@cache
def squeezer_run() -> Result:
    """The squeezer for 0.03 s under its constant torque."""
    linkage = catalog_model("andrews-squeezer")
    return simulate(linkage, linkage.assemble().q, t_end=0.03, effort=[0.033], method=ACCURATE, output=301)


@cache
def two_four_bar_run() -> Result:
    """Two four-bars from upright with 1 m/s at B0, 10 s, along the branch of parallelograms."""
    linkage = own_model("two-four-bars")
    q = linkage.assemble().q
    return simulate(
        linkage,
        q,
        linkage.independent_map(q)[:, 0] * -1.0,
        t_end=10.0,
        method=ACCURATE,
        output=0.01,
        stop_at=(),
    )


def corner_positions(times: tuple[float, ...]) -> Array:
    """B0 at some times, (n, 2), [m]."""
    run = two_four_bar_run()
    rows = [int(np.argmin(np.abs(run.t - t))) for t in times]
    return np.asarray(own_model("two-four-bars").frame_pose(run.q[rows], "B0")[0][:, :2])


def _relative_energy_drift(run: Result) -> float:
    return float(np.abs(run.energy - run["work"] - run.energy[0]).max() / run["kinetic energy"].max())


CHAINS = (2, 5, 10, 20, 40)


@cache
def chain_run(n: int) -> Result:
    """A chain of n four-bars from upright with 1 m/s at the tips, 10 s."""
    start = parallel_state(n, np.pi / 2, -1.0)
    return simulate(build(four_bar_chain(n)), *start, t_end=10.0, method=ACCURATE, output=TEN_SECONDS, stop_at=())


def tip_error(n: int) -> float:
    """Largest distance of the first rod's tip from that of the exact motion, [m]."""
    run, angles = chain_run(n), exact_angles(n, -1.0)
    return float(np.hypot(np.cos(run["theta0"]) - np.cos(angles), np.sin(run["theta0"]) - np.sin(angles)).max())


def largest_angle_between_rods(n: int) -> float:
    """Largest angle between two rods of a chain, [rad]."""
    run = chain_run(n)
    return float(max(np.abs(run["theta0"] - run[f"theta{i}"]).max() for i in range(n + 1)))


@cache
def governor_run() -> Result:
    """The governor from 30 degrees and 2 pi rad/s, 10 s."""
    governor = own_model("flyball-governor")
    start = 2.0 * np.pi * np.eye(governor.nv)[governor.v_names.index("turn")]
    return simulate(governor, governor.assemble().q, start, t_end=10.0, method=ACCURATE, output=0.1)


def governor_states() -> Array:
    """Angle of a rod and height of the slider at 1, 5 and 10 s, (3, 2), [rad, m]."""
    run = governor_run()
    rows = [int(np.argmin(np.abs(run.t - t))) for t in (1.0, 5.0, 10.0)]
    return np.column_stack([run["alpha1"][rows], run["height"][rows]])


def governor_momentum_drift() -> float:
    """Largest change of the angular momentum about the shaft, relative to it."""
    run, governor = governor_run(), own_model("flyball-governor")
    row = governor.mass_matrix(run.q)[:, governor.v_names.index("turn")]
    momentum = np.sum(row * run.v, axis=1)
    return float(np.abs(momentum / momentum[0] - 1.0).max())


ANDREWS: Computed = {
    "accelerations": lambda: squeezer_run().a[0, :2],
    "angles": lambda: squeezer_run().q[-1],
    "velocities": lambda: squeezer_run().v[-1, :2],
    "closure": lambda: squeezer_run().closure.max(),
}
IFTOMM: Computed = {
    "positions": lambda: corner_positions((1.0, 5.0, 10.0)),
    "closure": lambda: two_four_bar_run().closure.max(),
    "energy": lambda: _relative_energy_drift(two_four_bar_run()),
    "chains": lambda: [tip_error(n) for n in CHAINS],
    "chains-parallel": lambda: [largest_angle_between_rods(n) for n in CHAINS],
    "chains-closure": lambda: [chain_run(n).closure.max() for n in CHAINS],
    "chains-energy": lambda: [_relative_energy_drift(chain_run(n)) for n in CHAINS],
    "governor": governor_states,
    "governor-momentum": governor_momentum_drift,
    "governor-energy": lambda: governor_run().meta["energy_balance"]["relative"],
}
