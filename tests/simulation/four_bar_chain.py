"""Passages of chains of N parallelogram four-bars (IFToMM benchmark A02) compared with their exact motion.

    python -m tests.simulation.four_bar_chain 7 10 20

passes the ten flat positions of 10 s with chains of that many four-bars.
"""

import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright.papers.gallery.four_bar_chain import (
    TEN_SECONDS,
    chain_acceleration,
    exact_angles,
    four_bar_chain,
    parallel_state,
)


def first_flat(n, rate, angle=np.pi / 2):
    """Time at which the rods are flat for the first time."""

    def flat(t, y):
        return np.sin(y[0])

    flat.terminal = True
    found = solve_ivp(
        lambda t, y: [y[1], chain_acceleration(n, y[0])],
        (0.0, 20.0),
        [angle, rate],
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
        events=flat,
    )
    return float(found.t_events[0][0])


def flat_positions(n, rate, times=TEN_SECONDS):
    """Number of flat positions passed."""
    angles = exact_angles(n, rate, np.linspace(times[0], times[-1], 20001))
    return int(np.sum(np.diff(np.floor(angles / np.pi)) != 0))


def passed(model, n, rate, method, times=TEN_SECONDS):
    """A run through all flat positions, and its errors: of the tip of the first rod [m] and between rods [rad]."""
    q, v = parallel_state(n, np.pi / 2, rate)
    run = lw.simulate(model, q, v, times[-1], output=times, method=method, stop_at=(), check=False)
    angles = exact_angles(n, rate, times)[: len(run.t)]
    tip = np.hypot(np.cos(run["theta0"]) - np.cos(angles), np.sin(run["theta0"]) - np.sin(angles)).max()
    apart = max(np.abs(run["theta0"] - run[f"theta{i}"]).max() for i in range(n + 1))
    return run, tip, apart


def main(sizes):
    for n in sizes:
        began = time.perf_counter()
        model = lw.build(four_bar_chain(n))
        model.assemble()
        print(f"{n} four-bars: planned in {time.perf_counter() - began:.1f} s")
        q, v = parallel_state(n, np.pi / 2, -1.0)
        stopped = lw.simulate(model, q, v, 2.0)
        ended = stopped.meta["ended"]
        print(f"  stops at {ended['t']:.9f} s ({ended['kind']}), exactly {first_flat(n, -1.0):.9f} s")
        for method in (lw.DOP853(), lw.DOP853(1e-11), lw.DP5(1e-8), lw.RK4(1e-3)):
            began = time.perf_counter()
            run, tip, apart = passed(model, n, -1.0, method)
            events = [e.name for e in run.events]
            print(
                f"  {method!r}: {run.meta['ended']['kind']} at {run.t[-1]:g} s, {events.count('constraint')} passages, "
                f"{len(events) - events.count('constraint')} other events, tip off by {tip:.1e} m, rods by {apart:.1e} "
                f"rad, energy {run.meta['energy_balance']['drift']:.1e} J, {time.perf_counter() - began:.1f} s"
            )


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [7, 10])
