"""Motions to show over time, thinned and packed for the page: coordinates, efforts, reactions, curves."""

from __future__ import annotations

import base64
import math
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.model import Model
from linkwright.results.charts import Panel
from linkwright.results.thinning import even_indices

Array = np.ndarray


def pack_array(values: Any, kind: str = "f4") -> dict[str, Any]:
    """An array as a record the page can unpack; `kind` is "f4", "f8", "u2" or "u4".

    >>> pack_array([[1.0, 2.0]])
    {'shape': [1, 2], 'kind': 'f4', 'base64': 'AACAPwAAAEA='}
    """
    array = np.ascontiguousarray(values, dtype=f"<{kind}")
    return {"shape": list(array.shape), "kind": kind, "base64": base64.b64encode(array.tobytes()).decode("ascii")}


LEVELS = 65534
"""Of numbers in two bytes between the ends of their column; one more means that there is none."""


def pack_columns(values: Any) -> dict[str, Any]:
    """An array (..., k) in two bytes a number, each of its columns from its least to its largest.

    >>> unpack_array(pack_columns([[0.0, 5.0], [1.0, 5.0], [np.nan, 5.0]])).tolist()
    [[0.0, 5.0], [1.0, 5.0], [nan, 5.0]]
    """
    array = np.asarray(values, dtype=float)
    rows = array.reshape(len(array), math.prod(array.shape[1:]))
    good = np.isfinite(rows)
    low = np.min(rows, axis=0, where=good, initial=np.inf)
    high = np.max(rows, axis=0, where=good, initial=-np.inf)
    low, span = np.where(low <= high, low, 0.0).astype("<f4"), np.where(low <= high, high - low, 0.0)
    share = (np.where(good, rows, low) - low) / np.where(span > 0.0, span, 1.0)
    whole = np.where(good, np.round(np.clip(share, 0.0, 1.0) * LEVELS), LEVELS + 1)
    packed = pack_array(whole.reshape(array.shape), "u2")
    return {**packed, "low": pack_array(low), "step": pack_array(span / LEVELS)}


_IN_SCRIPTS = bytes.maketrans(b"<>&", b",./")


def deflate_bytes(content: bytes) -> str:
    """Bytes, deflated, as text for a page: five letters for four bytes, none of which a script element escapes."""
    return base64.b85encode(zlib.compress(content, 9)).translate(_IN_SCRIPTS).decode("ascii")


def unpack_array(record: dict[str, Any]) -> Array:
    """The array of a packed record.

    >>> unpack_array(pack_array([1.0, 2.0])).tolist()
    [1.0, 2.0]
    """
    flat = np.frombuffer(base64.b64decode(record["base64"]), dtype=f"<{record['kind']}")
    if "low" not in record:
        return flat.reshape(record["shape"])
    low, step = unpack_array(record["low"]), unpack_array(record["step"])
    rows = flat.reshape(-1, max(len(low), 1))
    return np.where(rows > LEVELS, np.nan, low + rows * step).astype("<f4").reshape(record["shape"])


_NUMBERS = 160_000  # in the animation, four bytes each
_CURVES = 120_000  # in all plots together
_SAMPLES = 4_000  # in one plot


@dataclass(frozen=True, eq=False)
class ShownMotion:
    """A motion to show.

    Attributes:
        t: times, (n,), [s], rising; empty for a still picture without a pose.
        q: coordinates, (n, nq).
        tau: efforts of the actuators, (n, na), or None.
        reactions: {joint: wrench (n, 6)} in child axes, or empty.
        plots: curves to draw beside the scene.
        of: number of samples the run has when these are only some of them.
        events: times [s] and texts of what happened.
        other: a motion of the same bodies to compare with, or None.
        compared: text that names it.
        v: velocities, (n, nv), from which a page may go on, or None.
    """

    t: Array
    q: Array
    tau: Array | None = None
    reactions: Mapping[str, Array] = field(default_factory=dict)
    plots: tuple[Panel, ...] = ()
    of: int = 0
    events: tuple[tuple[float, str], ...] = ()
    other: ShownMotion | None = None
    compared: str = ""
    v: Array | None = None


def require_motion(model: Model, motion: ShownMotion) -> None:
    """Refuse arrays that do not fit the model or each other."""
    n = len(motion.t)
    if motion.t.ndim != 1 or motion.q.shape != (n, model.nq):
        raise ArgumentError(
            f"a motion needs t (n,) and q (n, {model.nq}) for '{model.mechanism.name}', found {motion.t.shape} and "
            f"{motion.q.shape}"
        )
    if motion.v is not None and motion.v.shape != (n, model.nv):
        raise ArgumentError(f"v has shape {motion.v.shape}, expected ({n}, {model.nv})")
    if motion.tau is not None and motion.tau.shape != (n, model.na):
        raise ArgumentError(f"tau has shape {motion.tau.shape}, expected ({n}, {model.na})")
    steps = np.diff(motion.t)
    if not (np.isfinite(motion.t).all() and (steps >= 0).all()):
        raise ArgumentError("the times of a motion must be finite and must not fall")


def shown_samples(model: Model, motion: ShownMotion) -> Array:
    """Indices of the samples the animation keeps."""
    return even_indices(len(motion.t), most_frames(model, motion))


def most_frames(model: Model, motion: ShownMotion) -> int:
    """Number of frames that the animation may have."""
    width = 7 * len(model.bodies) + model.nq + 6 * len(motion.reactions) + (model.na if motion.tau is not None else 0)
    width += model.nv if motion.v is not None else 0
    return max(50, min(2000, _NUMBERS // max(1, width)))


def plot_samples(motion: ShownMotion) -> int:
    """Number of samples that each plot may keep."""
    curves = sum(len(plot.curves) for plot in motion.plots)
    return max(400, min(_SAMPLES, _CURVES // max(1, curves)))


def thinning_note(motion: ShownMotion, shown: int) -> Sequence[str]:
    """A note when the page shows fewer samples than the run has."""
    n = max(len(motion.t), motion.of)
    most = plot_samples(motion)
    thin = [plot for plot in motion.plots if any(len(curve.x) > most for curve in plot.curves)]
    if shown == n and not thin:
        return []
    curves = f", curves at most {most} with their peaks kept" if thin else ""
    return [f"Of {n} samples the animation shows {shown}{curves}; the tables use all of them."]


def nan_note(motion: ShownMotion) -> Sequence[str]:
    """A note when some poses are not numbers."""
    bad = int((~np.isfinite(motion.q).all(axis=1)).sum()) if len(motion.q) else 0
    return [f"{bad} of {len(motion.t)} samples hold values that are not numbers; the last good pose is shown."] * bool(
        bad
    )
