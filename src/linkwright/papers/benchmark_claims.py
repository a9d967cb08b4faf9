"""Two benchmarks of closed loops beside the papers: Andrews' squeezing mechanism and two four-bars in a row."""

from __future__ import annotations

from functools import cache

import numpy as np

from linkwright.papers.gallery.claim_records import Computed
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
}
