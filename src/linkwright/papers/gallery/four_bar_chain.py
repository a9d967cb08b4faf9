"""A chain of N parallelogram four-bars (IFToMM benchmark A02) and its exact motion."""

from __future__ import annotations

import numpy as np
from scipy.integrate import solve_ivp

from linkwright.algebra.transforms import RigidTransform
from linkwright.joints import Revolute
from linkwright.mechanism import Actuator, Body, Inertia, Joint, Mechanism

Array = np.ndarray
G = 9.81
UP = (0.0, 0.0, 1.0)
TEN_SECONDS = np.linspace(0.0, 10.0, 101)


def uniform_rod(name: str, length: float = 1.0, mass: float = 1.0) -> Body:
    """A uniform rod along its x axis."""
    moment = mass * length**2 / 12
    return Body(name, Inertia.diagonal(mass, (length / 2, 0.0, 0.0), (0.0, moment, moment)))


def planar_hinge(name: str, parent: str, child: str, x: float = 0.0, tip: float | None = None) -> Joint:
    """A hinge at x along the parent; a cut joint meets the child at its tip."""
    child_at = RigidTransform() if tip is None else RigidTransform((tip, 0.0, 0.0))
    return Joint(name, parent, child, Revolute(UP), at=RigidTransform((x, 0.0, 0.0)), child_at=child_at)


def four_bar_chain(n: int, driven: bool = False) -> Mechanism:
    """N + 1 upright unit rods hinged at (0, 0), (1, 0), ... and N unit bars across their tips, all of 1 kg."""
    bodies = [uniform_rod(f"rod{i}") for i in range(n + 1)] + [uniform_rod(f"bar{i}") for i in range(1, n + 1)]
    joints = [planar_hinge(f"theta{i}", "ground", f"rod{i}", float(i)) for i in range(n + 1)]
    joints += [planar_hinge(f"beta{i}", f"rod{i - 1}", f"bar{i}", 1.0) for i in range(1, n + 1)]
    loops = [planar_hinge(f"B{i}", f"bar{i}", f"rod{i}", 1.0, 1.0) for i in range(1, n + 1)]
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


def parallel_state(n: int, angle: float, rate: float = 0.0) -> tuple[Array, Array]:
    """Coordinates and velocities of N parallelograms whose rods stand at an angle and turn at a rate."""
    return np.r_[np.full(n + 1, angle), np.full(n, -angle)], np.r_[np.full(n + 1, rate), np.full(n, -rate)]


def chain_acceleration(n: int, angle: float) -> float:
    """Of the one freedom: n + 1 rods turn about their ends and n bars go along, I angle'' = -S g cos(angle)."""
    return float(-((n + 1) / 2 + n) / ((n + 1) / 3 + n) * G * np.cos(angle))


def exact_angles(n: int, rate: float, times: Array = TEN_SECONDS, angle: float = np.pi / 2) -> Array:
    """Angle of the rods at some times from a start at a rate, by an integrator of its own."""
    found = solve_ivp(
        lambda t, y: [y[1], chain_acceleration(n, y[0])],
        (0.0, times[-1]),
        [angle, rate],
        method="DOP853",
        rtol=1e-13,
        atol=1e-13,
        t_eval=times,
    )
    return np.asarray(found.y[0])
