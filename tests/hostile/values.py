"""Values that no argument expects: wrong types, shapes, names and numbers, and objects that misbehave."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

import linkwright as lw
from tests.hostile.cases import Foreign

PIPES = "a-pipe"


class Liar:
    """Claims to be a sequence, an array and a number, and is none."""

    def __len__(self) -> int:
        return 3

    def __getitem__(self, index: object) -> Any:
        raise Foreign("an entry of a foreign object")

    def __float__(self) -> float:
        raise Foreign("a number of a foreign object")

    def __repr__(self) -> str:
        return "Liar()"


class Plain:
    """An object without anything."""

    def __repr__(self) -> str:
        return "Plain()"


def _deep() -> list[Any]:
    out: list[Any] = []
    for _ in range(200):
        out = [out]
    return out


def _pipe(name: str) -> Path:
    """A pipe in the current folder, which no reader may wait for and no writer may replace."""
    path = Path.cwd() / f"{PIPES}{name}"
    if not path.exists():
        os.mkfifo(path)
    return path


def replaced_pipes() -> list[str]:
    """Pipes of the current folder in whose place something else is."""
    return [name for name in (PIPES, f"{PIPES}.npz") if Path(name).exists() and not Path(name).is_fifo()]


def _circular() -> list[Any]:
    out: list[Any] = [1.0]
    out.append(out)
    return out


VALUES: tuple[Callable[[], Any], ...] = (
    *((lambda x=x: x) for x in (None, True, False, -1, 0, 1, 2, 3, 7, 2**31, 2**70, -(2**70), 1e308, -1e308, 1e-308)),
    *((lambda x=x: x) for x in (float("nan"), float("inf"), -float("inf"), 0.5, -0.0, 1e-3, 1e300, 1e16, 3 + 4j)),
    *(
        (lambda x=x: x)
        for x in ("", "x", "theta1", "previous", "platform", "\0", "a" * 10000, "../../x", "1e5", "\ud800")
    ),
    *((lambda x=x: x) for x in (b"bytes", (), "q", "mass", range(3), int, Ellipsis, Decimal("1.5"), Fraction(1, 3))),
    list,
    dict,
    set,
    lambda: [[]],
    lambda: [None],
    lambda: [1, [2, 3]],
    lambda: ["a", "b"],
    lambda: ["theta1", "theta1"],
    lambda: {"x": 1},
    lambda: {"theta1": "a"},
    lambda: {"theta1": float("nan")},
    lambda: {1: 2},
    lambda: {"crank": None},
    object,
    Plain,
    Liar,
    lambda: lambda: None,
    lambda: lambda *given: None,
    lambda: lambda *given: "text",
    lambda: lambda *given: [0.0] * 50,
    _deep,
    _circular,
    lambda: iter([1.0, 2.0]),
    lambda: Path("nowhere") / "x.yaml",
    lambda: Path("."),
    lambda: _pipe(""),
    lambda: _pipe(".npz"),
    lambda: np.zeros(0),
    lambda: np.zeros((0, 3)),
    lambda: np.zeros((3, 0)),
    lambda: np.zeros((2, 3, 4)),
    lambda: np.full(3, np.nan),
    lambda: np.full(3, 1e300),
    lambda: np.zeros(3, dtype=complex),
    lambda: np.zeros(3, dtype=bool),
    lambda: np.zeros(3, dtype=np.int8),
    lambda: np.zeros(3, dtype=np.float16),
    lambda: np.zeros(3, dtype="datetime64[s]"),
    lambda: np.array([1.0, None], dtype=object),
    lambda: np.array("text"),
    lambda: np.array(["1", "2"]),
    lambda: np.array(1.5),
    lambda: np.zeros(3, dtype=[("x", float)]),
    lambda: np.ma.masked_array([1.0, 2.0, 3.0], mask=[0, 1, 0]),
    lambda: np.float32(0.5),
    lambda: np.int64(3),
    lambda: np.datetime64("now"),
    lambda: memoryview(b"1234"),
    lambda: lw.catalog.load("three-link-arm"),
    lambda: lw.joints.Revolute(),
    lambda: lw.Inertia(1.0),
    lambda: lw.RK4(0.01),
    lambda: lw.Minimal(),
    lambda: lw.RigidTransform(),
    lambda: lw.Pose(np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])),
)


def odd(good: Any, rng: random.Random) -> Any:
    """A strange value instead of a good one: any, or the good one spoilt."""
    spoilt = _spoilt(good, rng) if rng.random() < 0.5 else None
    return rng.choice(VALUES)() if spoilt is None else spoilt


def _spoilt(good: Any, rng: random.Random) -> Any:
    if isinstance(good, str):
        return rng.choice(
            (good + "x", good.upper(), good[:-1], f" {good}", good.encode(), [good], good * 100, f"{good}\n")
        )
    if isinstance(good, bool) or good is None:
        return None
    if isinstance(good, dict) and good:
        key = rng.choice(list(good))
        return rng.choice(({**good, key: rng.choice(VALUES)()}, {**good, "unknown": good[key]}, {**good, 5: good[key]}))
    if isinstance(good, int | float):
        return rng.choice(
            (-good, good * 1e300, good * 1e-300, float("nan"), str(good), [good], good + 1e9, np.array(good))
        )
    try:
        array = np.array(good, dtype=float)
    except (TypeError, ValueError):
        if isinstance(good, tuple | list) and good:
            i = rng.randrange(len(good))
            return [*good[:i], rng.choice(VALUES)(), *good[i + 1 :]]
        return None
    return _spoilt_array(array, rng)


def _spoilt_array(array: np.ndarray, rng: random.Random) -> Any:
    flat = array.astype(float).copy()
    if flat.size:
        flat.ravel()[rng.randrange(flat.size)] = rng.choice((np.nan, np.inf, 1e300, -1e300, 1e-300, 1e20))
    row = array.ravel()
    return rng.choice(
        (
            flat,
            flat,
            array[..., :-1] if array.ndim else array,
            np.append(row, 0.0),
            array[None, :0] if array.ndim else array[None],
            np.broadcast_to(array, (3, *array.shape)),
            np.broadcast_to(array, (2, 0, *array.shape)),
            np.broadcast_to(array, (1, 1, 1, *array.shape)),
            np.stack([flat, array]),
            array * 1e300,
            array * 0.0,
            -array,
            array.astype(np.float32),
            array.astype(complex),
            array.astype(object),
            array.astype(str),
            array.tolist(),
            row[::-1],
            array.T,
            np.asfortranarray(np.broadcast_to(array, (4, *array.shape))),
        )
    )


def shown(value: Any) -> str:
    """A value in few characters."""
    try:
        text = repr(value)
    except Exception:
        text = f"<{type(value).__name__}>"
    return text if len(text) < 80 else f"{text[:70]}...({type(value).__name__})"
