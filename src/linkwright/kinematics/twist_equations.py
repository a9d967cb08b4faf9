"""The equations on the rates of all joints at one configuration, as dense matrices (theory 6.26, 6.31)."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.functions.loop.twist_functions import Graph
from linkwright.numerics.tolerances import TINY


@dataclass(frozen=True, eq=False)
class Twists:
    """At one configuration: G y = 0 for the rates y (f,), output twist X y, actuator rates Q y.

    `flow` holds the squares of the wrenches that loop wrenches send through all joints, (rows, rows): a measure of the
    rows of G that does not depend on the loops chosen. Lengths count in units of `length` [m].
    """

    G: np.ndarray
    flow: np.ndarray
    X: np.ndarray
    Q: np.ndarray
    length: Any


def twists(made: Graph, numbers: np.ndarray, length: float | None = None) -> Twists:
    """The equations from what `joint_twists` returns, (width,), real or complex; length: by default the mean arm."""
    f, n, L = len(made.joint), len(made.joints), numbers[-1] if length is None else length
    sizes = np.cumsum([6 * f, 3 * n, made.couplings * f])
    S, middles, ratios, planar = np.split(numbers[:-1], sizes)
    S = S.reshape(f, 6).T / np.where(made.turns, np.array([1.0] * 3 + [L] * 3)[:, None], 1.0)
    G = (made.loops[:, made.joint][:, None, :] * S).reshape(-1, f)
    coupled = ratios.reshape(made.couplings, f) * np.where(made.turns, 1.0, L)
    coupled = coupled / (np.sqrt(np.sum(coupled * coupled, axis=1, keepdims=True)) + TINY)
    X = made.path[made.joint] * S if made.carrier is not None else np.zeros((6, f))
    Q = np.zeros((len(made.driven), f), dtype=numbers.dtype)
    Q[np.arange(len(made.driven)), list(made.driven)] = 1.0
    for (row, _, turning), x in zip(made.planar, planar, strict=True):
        Q[row, turning] = x / L
    return Twists(np.vstack([G, coupled]), _flow(made, middles.reshape(n, 3) / L), X, Q, L)


def _flow(made: Graph, arms: np.ndarray) -> np.ndarray:
    """Sum over the joints of the squared wrench at the joint's own point that loop wrenches send through it."""
    n = len(made.loops)
    shift = np.tile(np.eye(6, dtype=arms.dtype), (len(arms), 1, 1))
    x, y, z = arms.T
    shift[:, 0, 4], shift[:, 0, 5], shift[:, 1, 3], shift[:, 1, 5], shift[:, 2, 3], shift[:, 2, 4] = z, -y, -z, x, y, -x
    squares = (shift.transpose(0, 2, 1) @ shift).reshape(-1, 36)
    blocks = ((made.loops[:, None] * made.loops[None]) @ squares).reshape(n, n, 6, 6)
    total = np.eye(6 * n + made.couplings, dtype=arms.dtype)
    total[: 6 * n, : 6 * n] = blocks.transpose(0, 2, 1, 3).reshape(6 * n, 6 * n)
    return total
