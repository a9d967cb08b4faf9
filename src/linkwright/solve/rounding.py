"""Overconstrained loops whose equations disagree by little: those that repeat others are left out.

Three cranks of nearly equal lengths between two bars hold them with four equations for four velocities. With equal
lengths one equation would follow from the others and the mechanism would move; with lengths as a file rounds them no
configuration closes, or some isolated ones do. What a user means is the motion. So where no configuration near home
closes, the residual is small, and the equations that keep it repeat others but for as much, these are left out
("released"): the others close exactly, and the residual of the released ones is reported.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.findings import Finding
from linkwright.kernels import registry
from linkwright.kernels.compiled import Kernels
from linkwright.kernels.setup import Setup
from linkwright.loops.closure import closure_of
from linkwright.loops.equations import equations
from linkwright.mechanism.names import listed
from linkwright.solve.blocks import Block, blocks
from linkwright.solve.closing import CLOSED, close_all, right_way_round
from linkwright.solve.rank import standing_out
from linkwright.solve.scales import Scales, scales

# Closure residual, in rad or shares of the mechanism's length, up to which equations count as repeating others.
NEARLY_CLOSED = 1e-5

# Singular values below this share of the largest belong to equations that repeat others.
_REPEATED = 1e-4

# Motions from the home, steps of each, how far the fastest velocity moves in a step; steps of a closing.
_MOTIONS, _STEPS, _STRIDE = 4, 6, 0.05
_CLOSING_STEPS = 40


@dataclass(frozen=True)
class Released:
    """A closure equation that is left out.

    Attributes:
        loop: name of the cut joint.
        number: of the equation among those of the joint.
        equation: what it demands.
        residual: by how much it is open where the others close, [m, or sine of an angle].
    """

    loop: str
    number: int
    equation: str
    residual: float


def finding(mech_name: str, released: Sequence[Released]) -> Finding:
    """The warning that loops close only up to a small residual."""
    worst = max(released, key=lambda r: r.residual)
    names = listed("loop", "loops", list(dict.fromkeys(r.loop for r in released)))
    return Finding(
        "nearly-closed",
        f"{names} of '{mech_name}' cannot close exactly: its equations repeat those of other loops and disagree with "
        f"them by {worst.residual:.2g}, as rounded numbers do; of loop '{worst.loop}' it is left out that "
        f"{worst.equation}, all other equations hold",
        "give the lengths of these loops more digits, or leave out the loops that repeat others",
        "warning",
        worst.loop,
        worst.residual,
    )


def nearly_closed(kernels: Kernels, start: np.ndarray) -> tuple[np.ndarray, tuple[Released, ...]] | None:
    """A configuration near `start` (nq,) that closes all equations but some that repeat others, or None."""
    if kernels.setup.inputs is not None:
        return None
    system = _System(kernels, scales(kernels.setup.mech, kernels.setup.closure))
    q = system.least_squares(start[None, :])
    gap = system.residual(q)[0]
    if not CLOSED < np.abs(gap).max(initial=0.0) < NEARLY_CLOSED:
        return None
    rows = [
        row for block in system.blocks if np.abs(gap[block.rows]).max() > CLOSED for row in system.repeated(block, q)
    ]
    without = released_kernels(kernels, [_released(kernels, row, 0.0) for row in rows])
    closed = close_all(without, q)
    left = np.abs(system.residual(closed.q)[0])
    if not rows or not (closed.gap[0] < CLOSED and left.max() < NEARLY_CLOSED):
        return None
    found = [_released(kernels, row, float(left[row] * system.scale.rows[row])) for row in rows if left[row] > CLOSED]
    final = close_all(released_kernels(kernels, found), closed.q)
    good = final.gap[0] < CLOSED and right_way_round(kernels, final.q)[0]
    return (final.q[0], tuple(found)) if good else None


def released_kernels(kernels: Kernels, released: Sequence[Released]) -> Kernels[Setup]:
    """Kernels of the mechanism without some of its closure equations."""
    drawn: Setup = kernels.setup
    by_loop = {loop.name: [r.number for r in released if r.loop == loop.name] for loop in drawn.closure.loops}
    rows = tuple(tuple(numbers) for numbers in by_loop.values())
    return Kernels(replace(drawn, closure=closure_of(drawn.mech, drawn.simplified, drawn.closure.flipped, rows)))


def _released(kernels: Kernels, row: int, residual: float) -> Released:
    """A row of the loops' equations as a record."""
    every = [(loop.name, i, eq) for loop in kernels.setup.closure.loops for i, eq in enumerate(equations(loop))]
    name, number, equation = every[row]
    return Released(name, number, equation.description, residual)


@dataclass(frozen=True, eq=False)
class _System:
    """The closure equations of a mechanism in units of its size."""

    kernels: Kernels
    scale: Scales

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Loops that share velocities."""
        return blocks(self.kernels.pattern(registry.CLOSURE_JACOBIAN))

    def residual(self, q: np.ndarray) -> np.ndarray:
        """Scaled residuals (n, m)."""
        return np.asarray(self.kernels.function(registry.CLOSURE_RESIDUAL)(q)) / self.scale.rows

    def jacobian(self, q: np.ndarray) -> np.ndarray:
        """Their derivatives (n, m, nv) by the scaled velocities."""
        J = self.kernels.function(registry.EXACT_CLOSURE_JACOBIAN)(q)
        return np.asarray(J / self.scale.rows[:, None] * self.scale.speeds)

    def moved(self, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
        """Configurations displaced by scaled velocities."""
        return np.asarray(self.kernels.function(registry.ADVANCED)(q, dv * self.scale.speeds))

    def least_squares(self, q: np.ndarray) -> np.ndarray:
        """Configurations near q (n, nq) whose residual has no part that a motion removes, rows that repeat aside."""
        for _ in range(_CLOSING_STEPS):
            dv = -np.einsum("nvm,nm->nv", np.linalg.pinv(self.jacobian(q), rcond=_REPEATED), self.residual(q))
            longest = np.abs(dv).max(axis=1, keepdims=True, initial=0.0)
            q = self.moved(q, dv * np.minimum(1.0, 0.5 / np.maximum(longest, 1e-300)))
            if longest.max() < 1e-13:
                break
        return q

    def repeated(self, block: Block, q: np.ndarray) -> list[int]:
        """Rows of the loops of a block that repeat others along motions from q (1, nq)."""
        J = block.of(self.jacobian(self._along(block, q)))
        s = np.linalg.svd(J, compute_uv=False)
        rank = int((s > _REPEATED * s[:, :1]).sum(axis=1).max())
        kept = {int(block.rows[i]) for i in standing_out(J, rank)}
        couplings = self.kernels.setup.closure.n_all - len(self.kernels.setup.closure.couplings)
        return [row for row in block.rows.tolist() if row not in kept and row < couplings]

    def _along(self, block: Block, start: np.ndarray) -> np.ndarray:
        """Configurations along motions of a block's velocities that keep their direction, (n, nq)."""
        rng = np.random.default_rng(6)
        q, out = np.repeat(start, _MOTIONS, axis=0), [start]
        dv = np.zeros((_MOTIONS, self.kernels.setup.tree.nv))
        dv[:, block.columns] = rng.normal(size=(_MOTIONS, len(block.columns)))
        for _ in range(_STEPS):
            J = self.jacobian(q)
            dv = dv - np.einsum("nvm,nm->nv", np.linalg.pinv(J, rcond=_REPEATED), np.einsum("nmv,nv->nm", J, dv))
            dv = dv / np.maximum(np.abs(dv).max(axis=1, keepdims=True), 1e-300)
            q = self.least_squares(self.moved(q, _STRIDE * dv))
            out.append(q)
        return np.concatenate(out)
