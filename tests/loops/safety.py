"""Compiled closed-loop results against dense LAPACK solves: `python -m tests.loops.safety [n] [mechanisms]`.

For every mechanism of the catalog with loops, n random closed configurations (half from random starts, half on walks
along the home branch) and hard ones near every singular position. Three functions: forward dynamics by multipliers,
the same by independent velocities, and inverse dynamics. Two faults are counted: a result off by more than 1e-10 that
comes without a word, asked alone or in a batch; and one worse than LAPACK's, that is off by more than 1e-10 and by more
than ten times what LAPACK gets from matrices that differ in their last digits.
"""

from __future__ import annotations

import platform
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.compiler import evaluate
from linkwright.errors import AccuracyWarning, SingularityError
from linkwright.functions import Kernels, function_registry
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.assembly import extra_equation_count
from linkwright.loops.closure import Closure
from linkwright.plans.closed_samples import random_closed, random_walk_samples
from tests.loops.hard import allowed_motions, hard_configurations, polished
from tests.loops.lapack import Dense, dense
from tests.loops.mechanisms import EFFORT, NAMES, Mechanics

GOOD = 1e-10
FACTOR = 10.0
CHUNK = 2000
SINGLES = 20

# Efforts are judged relative to at least this share of the forces that add up to them, for they pass through zero.
STILL = 1e-2


@dataclass
class Tally:
    """Statistics of one function on one mechanism."""

    random: int = 0
    hard: int = 0
    worst: float = 0.0  # relative error where rounding allows GOOD
    beyond: int = 0  # states where rounding does not allow GOOD
    ratio: float = 0.0  # there, error / what rounding explains
    ours: float = 0.0  # there, largest error
    plain: float = 0.0  # there, largest error of a plain LAPACK solve in double precision
    corrected: int = 0  # random states the first elimination leaves to the second
    dense: int = 0  # random states that both leave to a dense solve
    refused: int = 0  # states refused as singular
    warned: int = 0  # states off by more than GOOD, which is said
    silent: list[tuple[np.ndarray, float, float]] = field(default_factory=list)  # q, error, error explained
    worse: list[tuple[np.ndarray, float, float]] = field(default_factory=list)

    @property
    def faults(self) -> list[tuple[np.ndarray, float, float]]:
        """Answers that are wrong without a word, or wrong without need."""
        return self.silent + self.worse

    def add(self, q: np.ndarray, error: np.ndarray, right: Dense, said: np.ndarray) -> None:
        """Take in relative errors, NaN where refused, and which results came with a warning."""
        explained, off = right.explained, error > GOOD
        allowed = FACTOR * explained < GOOD
        self.refused += int(np.isnan(error).sum())
        self.beyond += int((~allowed).sum())
        self.warned += int((off & said).sum())
        self.worst = max(self.worst, np.nanmax(error[allowed], initial=0.0))
        self.ratio = max(self.ratio, np.nanmax((error / explained)[~allowed], initial=0.0))
        answered = ~allowed & np.isfinite(error)
        self.ours = max(self.ours, np.max(error[answered], initial=0.0))
        self.plain = max(self.plain, np.max(right.plain[answered], initial=0.0))
        for found, over in ((self.silent, off & ~said), (self.worse, off & (error > FACTOR * explained))):
            found += list(zip(q[over], error[over], explained[over], strict=True))


class Subject:
    """A model under test, its dense counterparts, and what was seen."""

    def __init__(self, name: str) -> None:
        self.name, self.model = name, lw.build(lw.catalog.load(name))
        self.mechanics = Mechanics.of(self.model)
        self.forward, self.minimal, self.inverse = Tally(), Tally(), Tally()
        self.rank = self.model.nv + self.mechanics.rank.rank
        self.open = Kernels(replace(self.mechanics.kernels.setup, closure=every_row(self.mechanics.kernels)))
        self.pushed = Kernels(replace(self.mechanics.actuated.setup, closure=every_row(self.mechanics.actuated)))
        self.typical_J = (self.mechanics.scales.rows[:, None] / self.mechanics.scales.speeds) * self._pattern()

    @property
    def tallies(self) -> dict[str, Tally]:
        """Statistics by function."""
        return {"forward": self.forward, "minimal": self.minimal, "inverse": self.inverse}

    def _pattern(self) -> np.ndarray:
        sides = (self.open, self.pushed, self.mechanics.all_rows)
        return np.any([kernels.pattern(closure_functions.closure_jacobian) for kernels in sides], axis=0)

    def _typical(self, K: np.ndarray) -> np.ndarray:
        """Sizes to which entries of the bordered matrix are known, be they small by cancellation or not."""
        nv, m = self.model.nv, len(self.typical_J)
        mass = np.sqrt(np.median(np.abs(np.diagonal(K, axis1=1, axis2=2)[:, :nv]).astype(float), axis=0))
        M = np.outer(mass, mass) * self.open.pattern(closure_functions.kkt_matrix)[:nv, :nv]
        return np.block([[M, self.typical_J.T], [self.typical_J, np.zeros((m, m))]])

    def _terms(self, b: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Sizes of the terms that add up to the right-hand side; those of a closure row are accelerations of its sides.

        Recursions carry gravity as an acceleration of the base, so it is among them and cancels.
        """
        forces, rate = np.abs(b[:, : self.model.nv]), np.abs(v / self.mechanics.scales.speeds).max(axis=1)
        rows = np.outer(rate**2, self.mechanics.scales.rows) + np.linalg.norm(self.model.mechanism.gravity)
        return np.hstack([np.maximum(forces, np.median(forces, axis=0)), rows])

    def state(self, q: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Random speeds the loops allow, and efforts."""
        T, scale = allowed_motions(self.mechanics, q), self.mechanics.scales
        speed = 1.0 if scale.length > 0.1 else 0.1 / scale.length
        v = speed * scale.speeds * (T @ rng.normal(size=(len(q), T.shape[2], 1)))[:, :, 0]
        return v, EFFORT.get(self.name, 1.0) * rng.normal(size=(len(q), self.model.na))

    def judge(self, q: np.ndarray, rng: np.random.Generator, hard: bool = False) -> None:
        """Compare all functions in these configurations."""
        (v, tau), na = self.state(q, rng), self.model.na
        K, b = exact(self.open, "kkt_matrix", q), exact(self.open, "kkt_right_side", q, v, tau)
        right = dense(K, b, self._typical(K), self._terms(b, v), 1.0 / self.mechanics.scales.speeds, self.rank)
        self._compare(self.model.forward_dynamics, self.forward, (q, v, tau), right)
        self._compare(partial(self.model.forward_dynamics, formulation=lw.Minimal()), self.minimal, (q, v, tau), right)
        a = right.x.astype(float)
        X, force = exact(self.pushed, "effort_system", q), exact(self.open, "generalized_forces", q, v, a)
        terms = np.abs(force - K_times(K, a)) + K_times(np.abs(K), np.abs(a))
        typical = np.hstack([np.zeros((self.model.nv, na)), self.typical_J.T])
        floor = STILL * terms[:, [drive.speed for drive in self.mechanics.setup.drives]].max(axis=1).astype(float)
        right = dense(X, force, typical, terms, np.ones(na), self.model.nv, floor)
        self._compare(self.model.inverse_dynamics, self.inverse, (q, v, a), right)
        self._count((q, v, tau), (q, v, a), hard)

    def _compare(self, answer: Any, tally: Tally, state: Any, right: Dense) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            error = right.error(answer(*state))
        tally.add(state[0], error, right, self._said(answer, state, error > GOOD))
        self._compare_alone(answer, tally, state, right)

    def _said(self, answer: Any, state: Any, requested: np.ndarray) -> np.ndarray:
        """Mask of the requested states that come with a warning, in a batch of one."""
        said = np.zeros(len(requested), dtype=bool)
        for i in np.flatnonzero(requested):
            said[i] = warns(answer, *(x[i : i + 1] for x in state))
        return said

    def _compare_alone(self, answer: Any, tally: Tally, state: Any, right: Dense) -> None:
        """The same for some states asked one by one; only faults are taken in."""
        some = np.linspace(0, len(right.x) - 1, min(SINGLES, len(right.x))).astype(int)
        few, single = (
            replace(right, **{k: getattr(right, k)[some] for k in ("x", "floor", "explained", "plain")}),
            Tally(),
        )
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", AccuracyWarning)
            found = np.array([alone_or_nan(answer, few.x.shape[1], *(x[i] for x in state)) for i in some])
        error = few.error(found)
        said = np.array([off and warns(answer, *(x[i] for x in state)) for i, off in zip(some, error > GOOD)])
        single.add(state[0][some], error, few, said)
        tally.silent += single.silent
        tally.worse += single.worse

    def _count(self, forward: Any, inverse: Any, hard: bool) -> None:
        """Numbers of states left to the second elimination and to a dense solve."""
        planned, actuated = (Kernels(made.stage) for made in (self.mechanics.kernels, self.mechanics.actuated))
        divided = Kernels(self.mechanics.minimal.stage)
        second = (planned, "second_forward_dynamics")
        for tally, steps, state in (
            (self.forward, ((planned, "checked_forward_dynamics"), second), forward),
            (self.minimal, ((divided, "checked_minimal_dynamics"), second), forward),
            (self.inverse, ((actuated, "checked_efforts"), (actuated, "second_efforts")), inverse),
        ):
            left = [
                np.isnan(kernels.code(function_registry.definition_of_name(name))(*state)[:, 0])
                for kernels, name in steps
            ]
            tally.hard, tally.random = tally.hard + hard * len(left[0]), tally.random + (not hard) * len(left[0])
            if not hard:
                tally.dense += int(np.all(left, axis=0).sum())
                tally.corrected += int((left[0] & ~left[-1]).sum())


def every_row(kernels: Kernels) -> Closure:
    """The closure of some kernels with redundant equations too, whose results are those of least norm."""
    return replace(kernels.setup.closure, kept=None)


def exact(kernels: Kernels, name: str, *arguments: np.ndarray) -> np.ndarray:
    """A function evaluated by the interpreter, in long double precision."""
    return evaluate(kernels.program(function_registry.definition_of_name(name)), *arguments, dtype=np.longdouble)


def warns(answer: Any, *state: np.ndarray) -> bool:
    """True if a result is refused or comes with a warning."""
    with warnings.catch_warnings():
        warnings.simplefilter("error", AccuracyWarning)
        try:
            return bool(np.isnan(answer(*state)).any())
        except (SingularityError, AccuracyWarning):
            return True


def alone_or_nan(answer: Any, size: int, *state: np.ndarray) -> np.ndarray:
    """The result to a single state, NaN where it is refused."""
    try:
        return np.array(answer(*state))
    except SingularityError:
        return np.full(size, np.nan)


def K_times(K: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The inertia in a bordered matrix times accelerations."""
    return np.einsum("nij,nj->ni", K[:, : a.shape[1], : a.shape[1]], a)


def configurations(mechanics: Mechanics, n: int, rng: np.random.Generator, chunk: int = CHUNK) -> Iterator[np.ndarray]:
    """Random closed configurations in chunks, n in all: from random starts and on walks, by turns."""
    made, turn = 0, 0
    while made < n:
        count = min(chunk, n - made)
        if turn % 2:
            copies = max(1, count // 20)
            q = random_walk_samples(mechanics.all_rows, mechanics.home, copies, -(-count // copies), rng)[:count]
        else:
            q = random_closed(mechanics.all_rows, count, rng)
        turn += 1
        made += len(q)
        q = planned_for(mechanics, polished(mechanics, q)) if len(q) else q
        if len(q):
            yield q


def planned_for(mechanics: Mechanics, q: np.ndarray) -> np.ndarray:
    """Those configurations in which no equations count beyond the home branch's; of others assembling itself warns."""
    return q[[not extra_equation_count(mechanics.kinematics, each) for each in q]] if mechanics.rank.redundant else q


def examined(
    name: str, n: int, starts: int = 16, most: int | None = None, seed: int = 0, show: bool = False
) -> Subject:
    """One mechanism judged in n random configurations and in hard ones."""
    subject, rng = Subject(name), np.random.default_rng(seed)
    hard = hard_configurations(subject.mechanics, starts, rng, most=most) if starts else np.zeros((0, 0))
    hard = planned_for(subject.mechanics, hard)
    for first in range(0, len(hard), CHUNK):
        subject.judge(hard[first : first + CHUNK], rng, hard=True)
    for q in configurations(subject.mechanics, n, rng):
        subject.judge(q, rng)
        if show:
            print(f"\r{name}: {subject.forward.random} of {n} random states", end="", file=sys.stderr, flush=True)
    if show:
        print(file=sys.stderr)
    return subject


def row(name: str, function: str, seen: Tally) -> str:
    """One line of the table."""
    shares = [f"{100.0 * count / max(1, seen.random):.2f} %" for count in (seen.corrected, seen.dense)]
    return (
        f"| {name} | {function} | {seen.random} | {seen.hard} | {seen.worst:.1e} | {shares[0]} | {shares[1]} | "
        f"{seen.beyond} | {seen.ours:.1e} | {seen.plain:.1e} | {seen.ratio:.2g} | {seen.warned} | {seen.refused} | "
        f"{len(seen.silent)} | {len(seen.worse)} |"
    )


HEAD = (
    "| mechanism | dynamics | random | hard | worst error | corrected | dense | beyond | worst there | LAPACK there | "
    "ratio | warned | refused | silent | worse |\n|---|---|" + "--:|" * 13
)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    now = time.strftime("%Y-%m-%d")
    print(f"{now}; {platform.system()} {platform.machine()}; Python {platform.python_version()}; n = {n}.\n\n{HEAD}")
    faults = 0
    for name in sys.argv[2:] or NAMES:
        for function, tally in examined(name, n, show=True).tallies.items():
            print(row(name, function, tally), flush=True)
            for q, error, explained in tally.faults[:3]:
                words = f"{name} {function}: error {error:.1e}, explained {explained:.1e}, q={q.tolist()}"
                print(words, file=sys.stderr)
            faults += len(tally.faults)
    raise SystemExit(f"{faults} answers were wrong without a word or without need" if faults else 0)


if __name__ == "__main__":
    main()
