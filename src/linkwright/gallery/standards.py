"""Two benchmarks of closed loops beside the papers: Andrews' squeezing mechanism and two four-bars in a row."""

from __future__ import annotations

from functools import cache

import numpy as np

from linkwright.gallery.machines import model, own_model
from linkwright.gallery.records import REFERENCE, AtMost, Claim, Near
from linkwright.results.result import Result
from linkwright.simulation import DOP853, simulate

Array = np.ndarray
SQUEEZED = (
    15.81077119629904,
    -15.75637105984298,
    0.04082224013073101,
    -0.5347301163226948,
    0.5244099658805303,
    0.5347301163226948,
    1.048080741042263,
)


@cache
def squeezed() -> Result:
    """The squeezer for 0.03 s under its constant torque."""
    machine = model("andrews-squeezer")
    method = DOP853(rtol=1e-11, atol=1e-12)
    return simulate(machine, machine.assemble().q, t_end=0.03, effort=[0.033], method=method, output=301)


@cache
def swung() -> Result:
    """Two four-bars from upright with 1 m/s at B0, 10 s, along the branch of parallelograms."""
    machine = own_model("two-four-bars")
    q = machine.assemble().q
    return simulate(
        machine,
        q,
        machine.independent_map(q)[:, 0] * -1.0,
        t_end=10.0,
        method=DOP853(rtol=1e-11, atol=1e-12),
        output=0.01,
        on_singularity="continue",
    )


def corner(times: tuple[float, ...]) -> Array:
    """B0 at some times, (n, 2), [m]."""
    run = swung()
    rows = [int(np.argmin(np.abs(run.t - t))) for t in times]
    return np.asarray(own_model("two-four-bars").frame_pose(run.q[rows], "B0")[0][:, :2])


def _drift(run: Result) -> float:
    return float(np.abs(run.energy - run["work"] - run.energy[0]).max() / run["kinetic energy"].max())


CLAIMS = (
    Claim(
        "andrews/accelerations",
        "Test Set for IVP Solvers",
        "first accelerations of beta and theta",
        Near((14222.44391995411, -10666.83293996559), 1e-5),
        lambda: squeezed().a[0, :2],
        "rad/s^2",
    ),
    Claim(
        "andrews/angles",
        "Test Set for IVP Solvers",
        "the seven angles after 0.03 s",
        Near(SQUEEZED, 1e-7),
        lambda: squeezed().q[-1],
        "rad",
    ),
    Claim(
        "andrews/speeds",
        "Test Set for IVP Solvers",
        "speeds of beta and theta after 0.03 s",
        Near((1139.920302151208, -1424.379294994111), 1e-3),
        lambda: squeezed().v[-1, :2],
        "rad/s",
    ),
    Claim(
        "andrews/closure",
        "Test Set for IVP Solvers",
        "loops stay closed",
        AtMost(1e-12),
        lambda: squeezed().closure.max(),
        "m",
    ),
    Claim(
        "iftomm/positions",
        "A02, N = 2",
        "point B0 at 1, 5 and 10 s",
        Near((-0.1950203019, -0.9807992057, -0.811310461, -0.5846155454, 0.3284581115, 0.9445185382), 1e-3),
        lambda: corner((1.0, 5.0, 10.0)),
        "m",
        REFERENCE,
    ),
    Claim(
        "iftomm/closure",
        "A02, N = 2",
        "loops stay closed through singular positions",
        AtMost(1e-8),
        lambda: swung().closure.max(),
        "m",
    ),
    Claim("iftomm/energy", "A02, N = 2", "energy stays", AtMost(1e-6), lambda: _drift(swung()), "of peak kinetic"),
)
