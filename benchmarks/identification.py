"""Identification in numbers: the law tau = Y theta, counts of base parameters, recovery, coverage, time of a regressor.

    python -m benchmarks.identification [law] [counts] [recovery] [coverage] [time]
    python -m benchmarks.identification coverage --robots puma-560 --methods weighted --trials 1000

law: largest difference of Y theta and inverse dynamics on every mechanism of the catalog, with friction, armatures and
rotors. counts: dynamic and base parameters, and the rank of energies per unit parameter. recovery: error of base
parameters from exact measurements. coverage: share of 95 % intervals that hold the true value, 1000 trials with 1 %
noise. time: CPU time per state in batches, beside inverse dynamics.
"""

from __future__ import annotations

import argparse
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.analysis import BaseParameters, Identification, MeasuredMotion, base_parameters, identify
from linkwright.analysis.identification.measured_motion import States, random_states
from tests.analysis.test_base_parameters import energy_count
from tests.model.test_regressor import law as difference

ARMS = ("three-link-arm", "puma-560", "stanford-arm")
ROBOTS = (*ARMS, "five-bar", "3-rrr", "delta", "gough-stewart", "hexam")
TRIALS = 1000


def law() -> None:
    """Y theta against inverse dynamics."""
    for name in lw.catalog.names():
        print(f"{name:22} {difference(name):8.1e}", flush=True)


def counts() -> None:
    """Numbers of dynamic and base parameters."""
    heads = f"{'mechanism':16}{'inertial':>10}{'base':>6}{'by energies':>12}{'all':>8}{'base':>6}{'without':>9}"
    print(f"{heads}{'least':>10}{'next':>9}")
    for name in ROBOTS:
        model = lw.build(lw.catalog.load(name))
        own, every = base_parameters(model, parameters=["inertial"]), base_parameters(model)
        sizes = f"{len(every.names):8}{len(every):6}{len(every.without_effect):9}{every.least:10.1e}{every.next:9.1e}"
        print(f"{name:16}{len(own.names):10}{len(own):6}{energy_count(model):12}{sizes}", flush=True)


@dataclass(frozen=True, eq=False)
class Measured:
    """A model with other true parameters theta, its base parameters, and its efforts tau (n, na) at random states."""

    model: lw.Model
    base: BaseParameters
    states: States
    theta: np.ndarray
    tau: np.ndarray

    def identified(self, tau: np.ndarray, method: Any) -> Identification:
        """What is found from some efforts at these states."""
        model, s = self.model, self.states
        v_act, a_act = model.actuator_velocities(s.v, s.q), model.actuator_accelerations(s.a, s.q, s.v)
        motion = MeasuredMotion(np.arange(len(tau)), model.actuator_positions(s.q), tau, v_act, a_act)
        return identify(model, motion, base=self.base, near=s.q, method=method)


def _measured(name: str, n: int = 300) -> Measured:
    model = lw.build(lw.catalog.load(name))
    states = random_states(model, n, np.random.default_rng(5))
    theta = _other(model)
    tau = model.regressor(states.q, states.v, states.a) @ theta
    return Measured(model, base_parameters(model), states, theta, tau)


def recovery() -> None:
    """Errors of base parameters from exact measurements, relative to the largest."""
    for name in ("three-link-arm", "puma-560", "five-bar", "3-rrr", "gough-stewart"):
        given = _measured(name)
        wanted = given.base.of(given.theta)
        for method in ("ordinary", "weighted", "consistent"):
            found = given.identified(given.tau, method)
            error = np.abs(found.beta - wanted).max() / np.abs(wanted).max()
            print(f"{name:16} {method:12} {error:8.1e}  condition {found.condition:8.1e}", flush=True)


def _other(model: lw.Model) -> np.ndarray:
    """Other parameters than the mechanism's, physically consistent."""
    rng, theta = np.random.default_rng(9), model.regressor_parameters
    out = theta.values
    for i, each in enumerate(theta):
        if each.kind == "m":
            m, c, spread = rng.uniform(0.5, 2.0), rng.normal(size=3) * 0.1, np.diag(rng.uniform(0.01, 0.05, 3))
            J = np.trace(spread) * np.eye(3) - spread + m * (c @ c * np.eye(3) - np.outer(c, c))
            out[i : i + 10] = [m, *(m * c), J[0, 0], J[0, 1], J[0, 2], J[1, 1], J[1, 2], J[2, 2]]
        elif each.group in ("friction", "rotor"):
            out[i] = rng.uniform(0.1, 0.5)
    return out


def coverage(robots: list[str], methods: list[str], trials: int) -> None:
    """Share of intervals that hold the true value, with noise of 1 % of each actuator's effort."""
    for name in robots:
        given = _measured(name, 150)
        wanted, tau = given.base.of(given.theta), given.tau
        own = 0.01 * np.sqrt(np.mean(tau**2, axis=0))
        equal = np.full_like(own, np.sqrt(np.mean(own**2)))  # ordinary least squares takes noise for equal
        for method in methods:
            rng, inside = np.random.default_rng(1), []
            sigma = equal if method == "ordinary" else own
            for _ in range(trials):
                low, high = given.identified(tau + sigma * rng.normal(size=tau.shape), method).interval()
                inside.append((low <= wanted) & (wanted <= high))
            each = np.mean(inside, axis=0)
            print(
                f"{name:10} {method:9} {np.mean(inside):.2%} of {np.size(inside)} intervals; "
                f"single parameters {each.min():.1%} to {each.max():.1%}",
                flush=True,
            )


def time_table() -> None:
    """CPU time per state in a batch of 4096, one thread, the least of 20."""
    for name in ROBOTS:
        model = lw.build(lw.catalog.load(name))
        states = random_states(model, 4096, np.random.default_rng(1))
        first, second = (_least(f, states) for f in (model.inverse_dynamics, model.regressor))
        shape = f"{model.na} x {len(model.regressor_parameters)}"
        print(f"{name:16} {shape:>9}  inverse dynamics {first:6.3f} us  regressor {second:6.3f} us", flush=True)


def _least(function: Any, states: States) -> float:
    """CPU time per state, [us]."""
    spent = []
    for _ in range(20):
        start = time.process_time()
        function(states.q, states.v, states.a)
        spent.append(time.process_time() - start)
    return min(spent) / len(states) * 1e6


def main() -> None:
    """Print the requested tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "tables", nargs="*", metavar="table", help="law, counts, recovery, coverage, time; all by default"
    )
    parser.add_argument("--robots", nargs="+", default=["five-bar", "3-rrr", "puma-560"], help="of coverage")
    parser.add_argument("--methods", nargs="+", default=["ordinary", "weighted"], help="of coverage")
    parser.add_argument("--trials", type=int, default=TRIALS, help="of coverage")
    given = parser.parse_args()
    tables: dict[str, Callable[[], None]] = {
        "law": law,
        "counts": counts,
        "recovery": recovery,
        "coverage": lambda: coverage(given.robots, given.methods, given.trials),
        "time": time_table,
    }
    warnings.simplefilter("ignore")
    for name in given.tables or list(tables):
        print(f"\n{name}")
        tables[name]()


if __name__ == "__main__":
    main()
