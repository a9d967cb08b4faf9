"""Published cases under tests/data (each names its source, what was assumed and its tolerances)."""

from __future__ import annotations

import json
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dynamics.fallback import effort_kernel
from linkwright.functions import Kernels, function_registry
from tests.loops.mechanisms import Mechanics

DATA = Path(__file__).parent.parent / "data"


@cache
def case(name: str) -> dict[str, Any]:
    """A case file."""
    return json.loads((DATA / f"{name}.json").read_text(encoding="utf-8"))


def ask(kernels: Kernels, name: str, *arguments: np.ndarray) -> Any:
    """A question answered for many states at once, by the traced program."""
    return evaluate(kernels.program(function_registry.definition_of_name(name)), *arguments)


def efforts(mechanics: Mechanics, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Efforts of the actuators as users get them: corrected or solved densely where the first elimination says so."""
    return effort_kernel(mechanics.dynamics, wrench=False)(q, v, a)


def completed(
    mechanics: Mechanics, q: np.ndarray, known: list[int], v: np.ndarray, a: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """All speeds and accelerations (n, nv) of closed q (n, nq) from those of the `known` speeds, by dense solves."""
    nv = mechanics.setup.tree.nv
    rest = [i for i in range(nv) if i not in known]
    J = ask(mechanics.all_rows, "closure_jacobian", q)
    inverse = np.linalg.pinv(J[:, :, rest], rcond=1e-10)
    speeds, rates = np.zeros((len(q), nv)), np.zeros((len(q), nv))
    speeds[:, known], rates[:, known] = v, a
    speeds[:, rest] = -_times(inverse, _times(J[:, :, known], v))
    bias = ask(mechanics.all_rows, "closure_bias", q, speeds)
    rates[:, rest] = -_times(inverse, _times(J[:, :, known], a) + bias)
    return speeds, rates


def _times(A: np.ndarray, x: np.ndarray) -> np.ndarray:
    return (A @ x[:, :, None])[:, :, 0]


def cut_forces(mechanics: Mechanics, q: np.ndarray, v: np.ndarray, a: np.ndarray, tau: np.ndarray) -> np.ndarray:
    """Forces of the parents on the children at every cut joint, (n, loops, 3), child axes."""
    kernels = mechanics.kernels
    lam = np.zeros((len(q), kernels.setup.closure.n_all))
    kept = kernels.setup.closure.kept
    lam[:, list(kept) if kept is not None else slice(None)] = ask(kernels, "kept_multipliers", q, v, a, tau)
    return ask(kernels, "loop_joint_wrenches", q, v, a, tau, lam)[1][:, :, 3:]


def turn(angle: np.ndarray) -> np.ndarray:
    """Rotations about z, (n, 3, 3)."""
    c, s, o, i = np.cos(angle), np.sin(angle), np.zeros_like(angle), np.ones_like(angle)
    return np.moveaxis(np.array([[c, -s, o], [s, c, o], [o, o, i]]), -1, 0)


def apart(angles: Any, others: Any) -> float:
    """Largest difference of angles, whole turns left out."""
    d = np.asarray(angles) - np.asarray(others)
    return float(np.abs(d - 2.0 * np.pi * np.round(d / (2.0 * np.pi))).max())
