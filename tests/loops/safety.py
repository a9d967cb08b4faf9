"""Compiled closed-loop answers against dense LAPACK solves: `python -m tests.loops.safety [n]`.

For every machine of the catalog with loops, n random closed configurations (half from random starts, half on walks
along the home branch) and hard ones near every singular position. An answer is judged by its relative error; where
LAPACK itself, given matrices that differ in their last digits, gets more than a tenth of 1e-10, ten times as much as it
gets is allowed.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.assembly.machine import Machine
from linkwright.assembly.samples import random_closed, walk
from linkwright.compiler import evaluate
from linkwright.errors import SingularityError
from linkwright.kernels import Kernels
from linkwright.loops.closure import Closure
from tests.loops.hard import allowed_motions, hard_configurations, polished
from tests.loops.machines import EFFORT, NAMES

EPS = float(np.finfo(float).eps)
GOOD = 1e-10
FACTOR = 10.0
PROBES = 4
CHUNK = 2000
SINGLES = 20


@dataclass
class Tally:
    """What was seen of one question on one machine."""

    random: int = 0
    hard: int = 0
    worst: float = 0.0  # relative error where rounding allows GOOD
    beyond: int = 0  # states where rounding does not allow GOOD
    ratio: float = 0.0  # there, error / what rounding explains
    ours: float = 0.0  # there, largest error
    plain: float = 0.0  # there, largest error of a plain LAPACK solve in double precision
    repaired: int = 0  # random states solved densely
    reported: int = 0  # states refused as singular
    unreported: list[tuple[np.ndarray, float, float]] = field(default_factory=list)  # q, error, error explained

    def add(self, q: np.ndarray, error: np.ndarray, explained: np.ndarray, plain: np.ndarray) -> None:
        """Take in relative errors, NaN where refused, those that rounding explains, and those of a plain solve."""
        allowed = FACTOR * explained < GOOD
        self.reported += int(np.isnan(error).sum())
        self.beyond += int((~allowed).sum())
        self.worst = max(self.worst, np.nanmax(error[allowed], initial=0.0))
        self.ratio = max(self.ratio, np.nanmax((error / explained)[~allowed], initial=0.0))
        answered = ~allowed & np.isfinite(error)
        self.ours = max(self.ours, np.max(error[answered], initial=0.0))
        self.plain = max(self.plain, np.max(plain[answered], initial=0.0))
        over = error > np.maximum(GOOD, FACTOR * explained)
        self.unreported += list(zip(q[over], error[over], explained[over], strict=True))


class Subject:
    """A model under test, its dense counterparts, and what was seen."""

    def __init__(self, name: str) -> None:
        self.name, self.model = name, lw.build(lw.catalog.load(name))
        engine: Any = self.model._engine
        self.machine: Machine = engine.machine
        self.forward, self.inverse = Tally(), Tally()
        self.rank = self.model.nv + self.machine.rank.rank
        zero, idle = np.zeros(self.model.nv), np.zeros(self.model.na)
        self.model.forward_dynamics(self.machine.home, zero, idle)
        self.model.inverse_dynamics(self.machine.home, zero, zero)
        engine.machine.kernels.kernel("guarded_forward_dynamics").mend(counted(engine._dense, self.forward))
        engine.machine.actuated.kernel("guarded_efforts").mend(counted(engine._dense_efforts, self.inverse))
        self.open = Kernels(replace(self.machine.kernels.setup, closure=every_row(self.machine.kernels)))
        self.pushed = Kernels(replace(self.machine.actuated.setup, closure=every_row(self.machine.actuated)))
        self.typical_J = (self.machine.scales.rows[:, None] / self.machine.scales.speeds) * self._pattern()

    def _pattern(self) -> np.ndarray:
        sides = (self.open, self.pushed, self.machine.open)
        return np.any([kernels.pattern("closure_jacobian") for kernels in sides], axis=0)

    def _typical(self, K: np.ndarray) -> np.ndarray:
        """Sizes to which entries of the bordered matrix are known, be they small by cancellation or not."""
        nv, m = self.model.nv, len(self.typical_J)
        mass = np.sqrt(np.median(np.abs(np.diagonal(K, axis1=1, axis2=2)[:, :nv]).astype(float), axis=0))
        M = np.outer(mass, mass) * self.open.pattern("kkt_matrix")[:nv, :nv]
        return np.block([[M, self.typical_J.T], [self.typical_J, np.zeros((m, m))]])

    def _terms(self, b: np.ndarray, v: np.ndarray) -> np.ndarray:
        """Sizes of the terms that add up to the right-hand side; those of a closure row are accelerations of its sides.

        Recursions carry gravity as an acceleration of the base, so it is among them and cancels.
        """
        forces, rate = np.abs(b[:, : self.model.nv]), np.abs(v / self.machine.scales.speeds).max(axis=1)
        rows = np.outer(rate**2, self.machine.scales.rows) + np.linalg.norm(self.model.mechanism.gravity)
        return np.hstack([np.maximum(forces, np.median(forces, axis=0)), rows])

    def state(self, q: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
        """Random speeds the loops allow, and efforts."""
        T, scale = allowed_motions(self.machine, q), self.machine.scales
        speed = 1.0 if scale.length > 0.1 else 0.1 / scale.length
        v = speed * scale.speeds * (T @ rng.normal(size=(len(q), T.shape[2], 1)))[:, :, 0]
        return v, EFFORT.get(self.name, 1.0) * rng.normal(size=(len(q), self.model.na))

    def judge(self, q: np.ndarray, rng: np.random.Generator, hard: bool = False) -> None:
        """Compare both questions in these configurations."""
        before = self.forward.repaired, self.inverse.repaired
        (v, tau), na = self.state(q, rng), self.model.na
        K, b = exact(self.open, "kkt_matrix", q), exact(self.open, "kkt_right_side", q, v, tau)
        right = dense(K, b, self._typical(K), self._terms(b, v), 1.0 / self.machine.scales.speeds, self.rank)
        self._compare(self.model.forward_dynamics, self.forward, (q, v, tau), right)
        a = right.x.astype(float)
        X, force = exact(self.pushed, "effort_system", q), exact(self.open, "generalized_forces", q, v, a)
        terms = np.abs(force - K_times(K, a)) + K_times(np.abs(K), np.abs(a))
        typical = np.hstack([np.zeros((self.model.nv, na)), self.typical_J.T])
        right = dense(X, force, typical, terms, np.ones(na), self.model.nv)
        self._compare(self.model.inverse_dynamics, self.inverse, (q, v, a), right)
        for tally, repaired in zip((self.forward, self.inverse), before, strict=True):
            tally.hard, tally.random = tally.hard + hard * len(q), tally.random + (not hard) * len(q)
            tally.repaired = repaired if hard else tally.repaired

    def _compare(self, answer: Any, tally: Tally, state: Any, right: Dense) -> None:
        tally.add(state[0], right.error(answer(*state)), right.explained, right.plain)
        some = np.linspace(0, len(right.x) - 1, min(SINGLES, len(right.x))).astype(int)
        alone, single = right.x.astype(float), Tally()
        alone[some] = [alone_or_nan(answer, alone.shape[1], *(x[i] for x in state)) for i in some]
        single.add(state[0], right.error(alone), right.explained, right.plain)
        tally.unreported += single.unreported


def every_row(kernels: Kernels) -> Closure:
    """The closure of some kernels with redundant equations too, whose answers are those of least norm."""
    return replace(kernels.setup.closure, kept=None)


def exact(kernels: Kernels, name: str, *arguments: np.ndarray) -> np.ndarray:
    """A question answered by the interpreter, in long double precision."""
    return evaluate(kernels.program(name), *arguments, dtype=np.longdouble)


def counted(repair: Any, tally: Tally) -> Any:
    """The repair of guarded states, counted when it is for a row of a batch."""

    def repaired(*state: np.ndarray, alone: bool) -> np.ndarray:
        tally.repaired += not alone
        return repair(*state, alone=alone)

    return repaired


def alone_or_nan(answer: Any, size: int, *state: np.ndarray) -> np.ndarray:
    """The answer to a single state, NaN where it is refused."""
    try:
        return np.array(answer(*state))
    except SingularityError:
        return np.full(size, np.nan)


def K_times(K: np.ndarray, a: np.ndarray) -> np.ndarray:
    """The inertia in a bordered matrix times accelerations."""
    return np.einsum("nij,nj->ni", K[:, : a.shape[1], : a.shape[1]], a)


@dataclass(frozen=True, eq=False)
class Dense:
    """Right answers x (n, k), weights to compare their parts, relative errors explained and of LAPACK alone."""

    x: np.ndarray
    weight: np.ndarray
    explained: np.ndarray
    plain: np.ndarray

    def error(self, answer: np.ndarray) -> np.ndarray:
        """Relative errors of answers, (n,)."""
        return largest(answer - self.x, self.weight) / largest(self.x, self.weight)


def largest(x: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The largest part of each row, (n,)."""
    return np.abs(x * weight).max(axis=1).astype(float)


def dense(A: np.ndarray, b: np.ndarray, typical: np.ndarray, terms: np.ndarray, weight: np.ndarray, rank: int) -> Dense:
    """Solutions by LAPACK, refined, and the relative error of their first parts that rounding explains.

    That is what LAPACK makes of the same equations when every entry is off by up to 2^-52 of itself or of its typical
    size, and every right-hand side by as much of the terms it sums: the largest of some random trials.
    """
    rounded, n, rng = A.astype(float), len(weight), np.random.default_rng(0)
    rows, columns = scaling(rounded, typical)
    inverse = inverses(rounded, rows, columns, rank)
    x = _times(inverse, b.astype(float)).astype(np.longdouble)
    for _ in range(3):
        x = x + _times(inverse, (b - np.einsum("nij,nj->ni", A, x)).astype(float))
    right = Dense(x[:, :n], weight, np.zeros(len(x)), np.zeros(len(x)))
    known, sums = np.maximum(np.abs(rounded), typical), np.asarray(terms, dtype=float)
    errors = []
    for size in (0.0, *[EPS] * PROBES):
        off = rounded + size * known * rng.uniform(-1.0, 1.0, known.shape)
        side = b.astype(float) + size * sums * rng.uniform(-1.0, 1.0, sums.shape)
        errors.append(right.error(_solved(off, side, rows, columns, rank)[:, :n]))
    return replace(right, explained=np.max(errors, axis=0), plain=errors[0])


def _times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (A @ x[:, :, None])[:, :, 0]


def inverses(A: np.ndarray, rows: np.ndarray, columns: np.ndarray, rank: int) -> np.ndarray:
    """Inverses, of given rank: least-norm ones, in scaled units, where equations are redundant."""
    if A.shape[1] == A.shape[2] == rank:
        try:
            return np.linalg.inv(A)
        except np.linalg.LinAlgError:
            pass
    U, s, Vt = np.linalg.svd(A * rows[:, None] * columns, full_matrices=False)
    shrunk = Vt[:, :rank].transpose(0, 2, 1) / np.maximum(s[:, None, :rank], 1e-300)
    return columns[:, None] * (shrunk @ U[:, :, :rank].transpose(0, 2, 1)) * rows


def scaling(A: np.ndarray, typical: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Factors of rows and columns that bring the largest entry of each near one."""
    size = np.maximum(np.median(np.abs(A), axis=0), typical)
    rows, columns = np.ones(size.shape[0]), np.ones(size.shape[1])
    for _ in range(6):
        scaled = rows[:, None] * size * columns
        rows = rows / np.sqrt(_or_one(scaled.max(axis=1)))
        columns = columns / np.sqrt(_or_one(scaled.max(axis=0)))
    return rows, columns


def _or_one(size: np.ndarray) -> np.ndarray:
    return np.where(size > 0.0, size, 1.0)


def _solved(A: np.ndarray, b: np.ndarray, rows: np.ndarray, columns: np.ndarray, rank: int) -> np.ndarray:
    if A.shape[1] == A.shape[2] == rank:
        try:
            return np.linalg.solve(A, b[:, :, None])[:, :, 0]
        except np.linalg.LinAlgError:
            pass
    return _times(inverses(A, rows, columns, rank), b)


def configurations(machine: Machine, n: int, rng: np.random.Generator, chunk: int = CHUNK) -> Iterator[np.ndarray]:
    """Random closed configurations in chunks, n in all: from random starts and on walks, by turns."""
    made, turn = 0, 0
    while made < n:
        count = min(chunk, n - made)
        if turn % 2:
            copies = max(1, count // 20)
            q = walk(machine.open, machine.home, copies, -(-count // copies), rng)[:count]
        else:
            q = random_closed(machine.open, count, rng)
        turn += 1
        made += len(q)
        if len(q):
            yield polished(machine, q)


def examined(
    name: str, n: int, starts: int = 16, most: int | None = None, seed: int = 0, show: bool = False
) -> Subject:
    """One machine judged in n random configurations and in hard ones."""
    subject, rng = Subject(name), np.random.default_rng(seed)
    hard = hard_configurations(subject.machine, starts, rng, most=most) if starts else np.zeros((0, 0))
    for first in range(0, len(hard), CHUNK):
        subject.judge(hard[first : first + CHUNK], rng, hard=True)
    for q in configurations(subject.machine, n, rng):
        subject.judge(q, rng)
        if show:
            print(f"\r{name}: {subject.forward.random} random states", end="", file=sys.stderr, flush=True)
    if show:
        print(file=sys.stderr)
    return subject


def row(name: str, question: str, seen: Tally) -> str:
    """One line of the table."""
    return (
        f"| {name} | {question} | {seen.random} | {seen.hard} | {seen.worst:.1e} | {seen.beyond} | {seen.ours:.1e} | "
        f"{seen.plain:.1e} | {seen.ratio:.2g} | "
        f"{100.0 * seen.repaired / max(1, seen.random):.2f} % | {seen.reported} | {len(seen.unreported)} |"
    )


HEAD = (
    "| mechanism | dynamics | random | hard | worst error | beyond | worst there | LAPACK there | "
    "ratio | solved densely | reported | unreported |\n|---|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|"
)


def main() -> None:
    n = int(sys.argv[1]) if len(sys.argv) > 1 else 100_000
    chosen = sys.argv[2:] or NAMES
    now = time.strftime("%Y-%m-%d")
    print(f"{now}; {platform.system()} {platform.machine()}; Python {platform.python_version()}; n = {n}.\n\n{HEAD}")
    faults = 0
    for name in chosen:
        subject = examined(name, n, show=True)
        for question, tally in (("forward", subject.forward), ("inverse", subject.inverse)):
            print(row(name, question, tally), flush=True)
            for q, error, explained in tally.unreported[:3]:
                print(
                    f"{name} {question}: error {error:.1e}, explained {explained:.1e}, q={q.tolist()}", file=sys.stderr
                )
            faults += len(tally.unreported)
    raise SystemExit(f"{faults} larger errors went unreported" if faults else 0)


if __name__ == "__main__":
    main()
