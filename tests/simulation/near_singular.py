"""Runs through and near flat positions, against motions computed independently.

`python -m tests.simulation.near_singular 400` draws 400 random runs: near-parallelograms, rhombuses and kites with
length errors of 1e-8 to 1e-3, each against its truth, and five-bars through flat, whose energy is judged (their motion
is too sensitive to be compared). `... 100 300` draws runs 300 to 399. None may lose more than 1e-5 of its energy or
leave the truth without saying so, none may take 5 s for 5 s of motion.

Truth of four-bars: the one freedom is the way along the curve f(theta, psi) = 0, followed by its unit tangent.
"""

from __future__ import annotations

import sys
import time
import warnings
from itertools import pairwise
from math import cos, hypot, pi, sin

import numpy as np
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright.mechanism import Mechanism
from linkwright.papers.gallery.four_bar_chain import G, planar_hinge, uniform_rod

ENERGY, ANGLE, SECONDS = 1e-5, 0.05, 5.0


def four_bar(ground, crank, coupler, rocker, angle):
    """A four-bar of uniform rods of 1 kg that starts at angles of crank and rocker."""
    loop = planar_hinge("B", "coupler", "rocker", coupler, rocker)
    tip = crank * np.exp(1j * angle[0])
    home = (
        ("crank", (angle[0],)),
        ("elbow", (float(np.angle((ground + rocker * np.exp(1j * angle[1]) - tip) / np.exp(1j * angle[0]))),)),
        ("out", (angle[1],)),
    )
    return Mechanism(
        "four-bar",
        (uniform_rod("crank_rod", crank), uniform_rod("coupler", coupler), uniform_rod("rocker", rocker)),
        (
            planar_hinge("crank", "ground", "crank_rod"),
            planar_hinge("elbow", "crank_rod", "coupler", crank),
            planar_hinge("out", "ground", "rocker", ground),
        ),
        (loop,),
        gravity=(0.0, -G, 0.0),
        home=home,
    )


def rocker_angle(lengths, theta, near):
    """The angle of the rocker that closes the loop at a crank angle, of the two the nearer to a given one."""
    ground, crank, coupler, rocker = lengths
    d = crank * np.exp(1j * theta) - ground
    x = np.arccos(np.clip((rocker**2 + abs(d) ** 2 - coupler**2) / (2 * rocker * abs(d)), -1.0, 1.0))
    return min(
        (float(np.angle(d) + side * x) for side in (1, -1)), key=lambda psi: abs(np.angle(np.exp(1j * (psi - near))))
    )


def four_bar_truth(lengths, theta, psi, rate, times, rtol=1e-12):
    """Angles of crank and rocker (n, 2) at times, from angles and a rate of the crank."""
    ground, a, coupler, b = lengths

    def closure_gradient(th, ps):
        """Gradient of f = |B - A|^2 - coupler^2, and the vector from A to B."""
        x, y = ground + b * cos(ps) - a * cos(th), b * sin(ps) - a * sin(th)
        return 2 * a * (x * sin(th) - y * cos(th)), 2 * b * (y * cos(ps) - x * sin(ps)), x, y

    def rates(_, state):
        th, ps, speed = state
        f_th, f_ps, x, y = closure_gradient(th, ps)
        size = hypot(f_th, f_ps)
        n = (f_th / size, f_ps / size)
        t = (-n[1], n[0])
        second = (
            2 * a * (a + x * cos(th) + y * sin(th)),
            -2 * a * b * cos(th - ps),
            2 * b * (b - x * cos(ps) - y * sin(ps)),
        )
        curvature = -(second[0] * t[0] ** 2 + 2 * second[1] * t[0] * t[1] + second[2] * t[1] ** 2) / size
        m = (2 * a * a / 3, a * b * cos(th - ps) / 6, 2 * b * b / 3)
        momentum = (m[0] * t[0] + m[1] * t[1], m[1] * t[0] + m[2] * t[1])
        inertia = t[0] * momentum[0] + t[1] * momentum[1]
        change = 2 * curvature * (n[0] * momentum[0] + n[1] * momentum[1])
        change -= t[0] * t[1] * a * b * sin(th - ps) * (t[0] - t[1]) / 3
        force = -G * (a * cos(th) * t[0] + b * cos(ps) * t[1])
        return speed * t[0], speed * t[1], (force - 0.5 * change * speed**2) / inertia

    f_th, f_ps, *_ = closure_gradient(theta, psi)
    state = np.array([theta, psi, -rate * hypot(f_th, f_ps) / f_ps])
    found = [state[:2].copy()]
    for start, end in pairwise(times):
        state = solve_ivp(rates, (start, end), state, method="DOP853", rtol=rtol, atol=1e-13).y[:, -1].copy()
        for _ in range(3):
            f_th, f_ps, x, y = closure_gradient(*state[:2])
            state[:2] -= np.array([f_th, f_ps]) * (x * x + y * y - coupler**2) / (f_th**2 + f_ps**2)
        found.append(state[:2].copy())
    return np.array(found)


def started(model, rate):
    """The start of a mechanism of one freedom at home, its first coordinate at a rate."""
    q = model.assemble().q
    free = np.linalg.svd(model.closure_jacobian(q))[2][-1]
    return q, free / free[0] * rate


def off_the_truth(run, truth):
    """Largest difference of crank and rocker angles from the truth, [rad]."""
    n = len(run.t)
    return float(np.abs(np.angle(np.exp(1j * (np.stack([run["crank"], run["out"]], axis=1) - truth[:n])))).max())


def energy_lost(run):
    """Drift of the energy balance over the peak kinetic energy."""
    return run.meta["energy_balance"]["relative"]


def five_bar(error=0.0, ground=0.2, crank=0.2, link=0.3, angle=0.6):
    """A five-bar whose links can lie flat with its cranks: link = crank + ground / 2; one link is off by an error."""
    angles, other = (pi - angle, angle), link * (1 + error)
    A, B = crank * np.exp(1j * angles[0]), ground + crank * np.exp(1j * angles[1])
    r = abs(B - A)
    x = (link**2 - other**2 + r * r) / (2 * r)
    P = A + (B - A) / r * (x + 1j * np.sqrt(link**2 - x * x))
    home = (
        ("c1", (angles[0],)),
        ("d1", (float(np.angle((P - A) / np.exp(1j * angles[0]))),)),
        ("c2", (angles[1],)),
        ("d2", (float(np.angle((P - B) / np.exp(1j * angles[1]))),)),
    )
    return Mechanism(
        "five-bar",
        (uniform_rod("k1", crank), uniform_rod("l1", link), uniform_rod("k2", crank), uniform_rod("l2", other)),
        (
            planar_hinge("c1", "ground", "k1"),
            planar_hinge("d1", "k1", "l1", crank),
            planar_hinge("c2", "ground", "k2", ground),
            planar_hinge("d2", "k2", "l2", crank),
        ),
        (planar_hinge("P", "l1", "l2", link, other),),
        gravity=(0.0, -G, 0.0),
        home=home,
    )


def five_bar_start(model, rate, asymmetry):
    """The start of a five-bar at home with its cranks at opposite rates, but for an asymmetry."""
    q, names = model.assemble().q, list(model.v_names)
    v = np.zeros(4)
    cranks, links = [names.index("c1"), names.index("c2")], [names.index("d1"), names.index("d2")]
    v[cranks] = rate, -rate * (1 + asymmetry)
    J = model.closure_jacobian(q)
    v[links] = np.linalg.lstsq(J[:, links], -J[:, cranks] @ v[cranks], rcond=None)[0]
    return q, v


def drawn_lengths(rng, family):
    """Lengths of a four-bar near one that lies flat, and angles near which it starts."""
    size, theta = float(rng.uniform(0.1, 1.0)), float(rng.uniform(0.5, 2.6) * rng.choice([-1, 1]))
    if family == "parallelogram":
        crank = size * float(rng.uniform(0.3, 0.9))
        lengths, psi = (size, crank, size, crank), theta
    elif family == "rhombus":
        lengths, psi = (size, size, size, size), theta
    else:
        side = size * float(rng.uniform(1.3, 2.5))
        lengths = (size, size, side, side)
        psi = rocker_angle(lengths, theta, 0.5 * theta)
    errors = 10.0 ** rng.uniform(-8, -3) * rng.choice([-1, 1]) * (rng.permutation(4) == 0)
    lengths = tuple(float(x) for x in np.array(lengths) * (1 + errors))
    return lengths, theta, rocker_angle(lengths, theta, psi), float(np.abs(errors).max())


def drawn_run(seed):
    """Family, largest length error, lost energy, difference from the truth, CPU seconds, whether the run says so."""
    rng = np.random.default_rng(seed)
    family = ("parallelogram", "rhombus", "kite", "five-bar")[seed % 4]
    times = np.linspace(0.0, 5.0, 51)
    if family == "five-bar":
        error = float(10.0 ** rng.uniform(-8, -3) * rng.choice([-1, 0, 1]))
        model = lw.build(five_bar(error))
        q, v = five_bar_start(
            model, float(rng.uniform(5, 12)), float(10.0 ** rng.uniform(-4, -1) * rng.choice([0, 1, -1]))
        )
    else:
        lengths, theta, psi, error = drawn_lengths(rng, family)
        rate = float(rng.uniform(1.0, 2.5) * rng.choice([-1, 1]) * np.sqrt(2 * G / lengths[1]))
        model = lw.build(four_bar(*lengths, (theta, psi)))
        q, v = started(model, rate)
    began = time.process_time()
    run = lw.simulate(model, q, v, 5.0, output=times, stop_at=(), check=False)
    spent = time.process_time() - began
    off = 0.0 if family == "five-bar" else off_the_truth(run, four_bar_truth(lengths, theta, psi, rate, times))
    reported = not run.meta["complete"] or any(e.kind in ("accuracy", "branch") for e in run.events)
    return family, error, energy_lost(run), off, spent, reported


def main(many, first=0):
    """Draw runs, print what is wrong and the worst figures; the number of those that are wrong."""
    rows = []
    for seed in range(first, first + many):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            rows.append(drawn_run(seed))
        family, error, lost, off, spent, reported = rows[-1]
        if lost > ENERGY or off > ANGLE or spent > SECONDS:
            noted = "reported" if reported else "NOT REPORTED"
            print(
                f"{seed} {family} error {error:.1e}: energy {lost:.1e}, off by {off:.1e} rad, {spent:.2f} s, {noted}",
                flush=True,
            )
    for family in dict.fromkeys(row[0] for row in rows):
        lost, off, spent = (np.array([row[i] for row in rows if row[0] == family]) for i in (2, 3, 4))
        print(
            f"{family}: {len(lost)} runs, energy median {np.median(lost):.1e} largest {lost.max():.1e}, "
            f"off by at most {off.max():.1e} rad, CPU median {np.median(spent):.3f} largest {spent.max():.2f} s"
        )
    return sum(((row[2] > ENERGY or row[3] > ANGLE) and not row[5]) or row[4] > SECONDS for row in rows)


if __name__ == "__main__":
    sys.exit(int(main(*(int(x) for x in sys.argv[1:])) > 0))
