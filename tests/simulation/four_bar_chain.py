"""A chain of N parallelogram four-bars (IFToMM benchmark A02) and its exact motion.

    python -m tests.simulation.four_bar_chain 7 10 20

passes the ten flat positions of 10 s with chains of that many four-bars and compares them with the exact motion.
"""

import sys
import time

import numpy as np
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Revolute
from linkwright.mechanism import Actuator, Body, Inertia, Joint, Mechanism

G = 9.81
UP = (0.0, 0.0, 1.0)
TEN_SECONDS = np.linspace(0.0, 10.0, 101)


def rod(name, length=1.0, mass=1.0):
    """A uniform rod along its x axis."""
    moment = mass * length**2 / 12
    return Body(name, Inertia.diagonal(mass, (length / 2, 0.0, 0.0), (0.0, moment, moment)))


def hinge(name, parent, child, x=0.0, tip=None):
    """A hinge at x along the parent; a cut joint meets the child at its tip."""
    child_at = RigidTransform() if tip is None else RigidTransform((tip, 0.0, 0.0))
    return Joint(name, parent, child, Revolute(UP), at=RigidTransform((x, 0.0, 0.0)), child_at=child_at)


def chain(n, driven=False):
    """N + 1 upright unit rods hinged at (0, 0), (1, 0), ... and N unit bars across their tips, all of 1 kg."""
    bodies = [rod(f"rod{i}") for i in range(n + 1)] + [rod(f"bar{i}") for i in range(1, n + 1)]
    joints = [hinge(f"theta{i}", "ground", f"rod{i}", float(i)) for i in range(n + 1)]
    joints += [hinge(f"beta{i}", f"rod{i - 1}", f"bar{i}", 1.0) for i in range(1, n + 1)]
    loops = [hinge(f"B{i}", f"bar{i}", f"rod{i}", 1.0, 1.0) for i in range(1, n + 1)]
    home = [(f"theta{i}", (np.pi / 2,)) for i in range(n + 1)] + [(f"beta{i}", (-np.pi / 2,)) for i in range(1, n + 1)]
    actuators = (Actuator("crank", "theta0"),) if driven else ()
    return Mechanism(
        f"chain of {n} four-bars",
        tuple(bodies),
        tuple(joints),
        tuple(loops),
        gravity=(0.0, -G, 0.0),
        home=tuple(home),
        actuators=actuators,
    )


def parallel(n, angle, rate=0.0):
    """Coordinates and velocities of N parallelograms whose rods stand at an angle and turn at a rate."""
    return np.r_[np.full(n + 1, angle), np.full(n, -angle)], np.r_[np.full(n + 1, rate), np.full(n, -rate)]


def acceleration(n, angle):
    """Of the one freedom: n + 1 rods turn about their ends and n bars go along, I angle'' = -S g cos(angle)."""
    return -((n + 1) / 2 + n) / ((n + 1) / 3 + n) * G * np.cos(angle)


def exact(n, rate, times=TEN_SECONDS, angle=np.pi / 2):
    """Angle of the rods at some times from a start at a rate, by an integrator of its own."""
    found = solve_ivp(
        lambda t, y: [y[1], acceleration(n, y[0])],
        (0.0, times[-1]),
        [angle, rate],
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
        t_eval=times,
    )
    return found.y[0]


def first_flat(n, rate, angle=np.pi / 2):
    """Time at which the rods are flat for the first time."""

    def flat(t, y):
        return np.sin(y[0])

    flat.terminal = True
    found = solve_ivp(
        lambda t, y: [y[1], acceleration(n, y[0])],
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
    angles = exact(n, rate, np.linspace(times[0], times[-1], 20001))
    return int(np.sum(np.diff(np.floor(angles / np.pi)) != 0))


def passed(model, n, rate, method, times=TEN_SECONDS):
    """A run through all flat positions, and its errors: of the tip of the first rod [m] and between rods [rad]."""
    q, v = parallel(n, np.pi / 2, rate)
    run = lw.simulate(model, q, v, times[-1], output=times, method=method, stop_at=(), check=False)
    angles = exact(n, rate, times)[: len(run.t)]
    tip = np.hypot(np.cos(run["theta0"]) - np.cos(angles), np.sin(run["theta0"]) - np.sin(angles)).max()
    apart = max(np.abs(run["theta0"] - run[f"theta{i}"]).max() for i in range(n + 1))
    return run, tip, apart


def main(sizes):
    for n in sizes:
        began = time.perf_counter()
        model = lw.build(chain(n))
        model.assemble()
        print(f"{n} four-bars: planned in {time.perf_counter() - began:.1f} s")
        q, v = parallel(n, np.pi / 2, -1.0)
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
                f"rad, energy {run.meta['energy balance']['drift']:.1e} J, {time.perf_counter() - began:.1f} s"
            )


if __name__ == "__main__":
    main([int(word) for word in sys.argv[1:]] or [7, 10])
