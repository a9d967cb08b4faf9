"""Moves of parallel mechanisms under laws that contain the model, against the same law solved densely.

python -m tests.simulation.moves 60 [mechanism ...]: that many regular moves of each mechanism under each law; every run
must reach its end and agree with scipy's integration of the law and the motion written apart.
"""

from __future__ import annotations

import sys
import warnings
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from scipy.integrate import solve_ivp

import linkwright as lw
from linkwright.errors import BatchWarning
from linkwright.functions.loop import closure_functions
from linkwright.model.programs import actuator_coordinates

DURATION = 0.3
LAWS = ("ComputedTorque", "PDGravity")
REACH = {"3-rrr": 1.5, "five-bar": 1.5, "gough-stewart": 0.15, "delta": 0.8}

# Moves that come nearer to a singularity than this, as `model.singularity` measures it, are not regular.
_REGULAR = 0.02


@dataclass(frozen=True, eq=False)
class Move:
    """A straight move of the actuators from x0 to x1, and the coordinates it starts from."""

    x0: np.ndarray
    x1: np.ndarray
    q: np.ndarray


@lru_cache
def catalog_model(name: str) -> lw.Model:
    return lw.build(lw.catalog.load(name))


def moves(name: str, n: int, seed: int = 0) -> list[Move]:
    """Random moves along which the mechanism is regular."""
    m, rng, out = catalog_model(name), np.random.default_rng(seed), []
    home = m.assemble().q[actuator_coordinates(m)[0]]
    while len(out) < n:
        x0, x1 = home + REACH[name] * rng.uniform(-1.0, 1.0, size=(2, m.na))
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", BatchWarning)
            q = m.forward_kinematics(np.linspace(x0, x1, 25))[0]
        if np.isnan(q).any():
            continue
        near = [m.singularity(each) for each in q]
        if min(min(s.type2, s.constraint) for s in near) > _REGULAR:
            out.append(Move(x0, x1, q[0]))
    return out


def gains(name: str, kind: str) -> tuple[float, float]:
    """Stiffness and damping; the light five-bar would be stiff under those of the others."""
    if kind == "ComputedTorque":
        return 100.0, 20.0
    return (50.0, 2.0) if name == "five-bar" else (2000.0, 100.0)


def run(name: str, kind: str, move: Move) -> lw.Result:
    law = getattr(lw.control, kind)(
        catalog_model(name), lw.control.Cycloidal(move.x0, move.x1, DURATION), *gains(name, kind)
    )
    return lw.simulate(catalog_model(name), move.q, None, DURATION, effort=law, output=4, check=False)


def dense_efforts(name: str, kind: str, move: Move, t: float, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """The law's efforts by pseudo-inverses of all closure equations, without the library's eliminations."""
    m = catalog_model(name)
    coordinates, speeds = actuator_coordinates(m)
    x, x_dot, x_ddot = lw.control.Cycloidal(move.x0, move.x1, DURATION).at(t)
    stiffness, damping = gains(name, kind)
    feedback = stiffness * (x - q[coordinates]) + damping * (x_dot - v[speeds])
    rest = [d for d in range(m.nv) if d not in speeds]
    J = m.closure_jacobian(q)
    R = np.zeros((m.nv, m.na))
    R[speeds], R[rest] = np.eye(m.na), -np.linalg.pinv(J[:, rest]) @ J[:, speeds]
    if kind == "PDGravity":
        return feedback + R.T @ m.generalized_forces(q, np.zeros(m.nv), np.zeros(m.nv))
    a = R @ (x_ddot + feedback)
    a[rest] -= np.linalg.pinv(J[:, rest]) @ m.kernels.function(closure_functions.bias)(q, v)
    return R.T @ m.generalized_forces(q, v, a)


def integrated(name: str, kind: str, move: Move) -> np.ndarray:
    """Coordinates at the end, by scipy, from the inertia matrix bordered by the closure equations."""
    m = catalog_model(name)
    kernels = m.kernels
    speeds = actuator_coordinates(m)[1]

    def derivative(t: float, y: np.ndarray) -> np.ndarray:
        q, v = y[: m.nq], y[m.nq :]
        for i in [i for i, part in enumerate(m.q_names) if part.endswith(".qw")]:
            q = np.concatenate([q[:i], q[i : i + 4] / np.linalg.norm(q[i : i + 4]), q[i + 4 :]])
        force = -m.bias_forces(q, v)
        force[speeds] += dense_efforts(name, kind, move, t, q, v)
        M, J = m.mass_matrix(q), m.closure_jacobian(q)
        c = kernels.function(closure_functions.bias)(q, v)
        K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
        a = np.linalg.lstsq(K, np.concatenate([force, -c]), rcond=1e-12)[0][: m.nv]
        return np.concatenate([kernels.function(closure_functions.coordinate_rates)(q, v), a])

    start = np.concatenate([move.q, np.zeros(m.nv)])
    return solve_ivp(derivative, (0.0, DURATION), start, "DOP853", rtol=1e-9, atol=1e-11).y[: m.nq, -1]


def main(arguments: list[str]) -> int:
    n, names = int(arguments[0]), arguments[1:] or list(REACH)
    failures = 0
    for name in names:
        for kind in LAWS:
            worst, again = 0.0, 0
            for i, move in enumerate(moves(name, n)):
                found = run(name, kind, move)
                again += found.stats["fallbacks"] > 0
                if found.meta["ended"]["kind"] != "done":
                    failures += 1
                    print(name, kind, i, found.meta["ended"], flush=True)
                elif i < 10:
                    worst = max(worst, float(np.abs(found.q[-1] - integrated(name, kind, move)).max()))
            print(f"{name} {kind}: {n} moves, {again} with a fallback, first ten off by {worst:.1e}", flush=True)
            failures += worst > 1e-6
    return failures


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
