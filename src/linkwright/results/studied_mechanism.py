"""The mechanism of a study as plain data: what the page of the study draws, computes and lets the reader move."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.formats import to_yaml
from linkwright.results.archives import run_provenance
from linkwright.results.thinning import even_indices

Array = np.ndarray
MOST_STATES = 400
"""States of a study that are kept for its page."""


@dataclass(frozen=True, eq=False)
class StudiedMechanism:
    """The mechanism that a study is about.

    Attributes:
        name: of the mechanism. file: a `Mechanism`, or the text of its file. actuated: names of its actuators.
        inputs: its numbers that vary; without any, the page varies the free parameters of the file.
        q: states that the page goes through, (n, nq); without any, what its actuators reach from home.
        t: their times, (n,), [s]; None for states that are no motion.
        bounds: ranges of inputs, by name. designs: values of inputs by name, by what each design is called.
        region: for a workspace its frame, kind, components and indices, by these words; empty elsewhere.
    """

    name: str
    file: Any
    actuated: tuple[str, ...]
    inputs: tuple[str, ...] = ()
    q: Array = field(default_factory=lambda: np.zeros((0, 0)))
    t: Array | None = None
    bounds: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    designs: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    region: Mapping[str, Any] = field(default_factory=dict)

    @property
    def text(self) -> str:
        """The text of its file."""
        return self.file if isinstance(self.file, str) else to_yaml(self.file)

    def header(self) -> dict[str, Any]:
        """All but the states, as JSON data; the mechanism is written as runs write it."""
        words = {name: getattr(self, name) for name in ("actuated", "inputs", "bounds", "designs", "region")}
        return {**words, "mechanism": run_provenance(self.name, self.text)["mechanism"]}

    def arrays(self) -> dict[str, Array]:
        """The states and their times, by the names that files give them."""
        return {"studied.q": self.q} | ({} if self.t is None else {"studied.t": self.t})


def thin_states(q: Any, t: Any = None) -> tuple[Array, Array | None]:
    """At most so many states as a page needs, evenly taken from q (..., nq), with their times."""
    rows = np.asarray(q, dtype=float)
    rows = rows.reshape(-1, rows.shape[-1])
    kept = even_indices(len(rows), MOST_STATES)
    return rows[kept], None if t is None else np.asarray(t, dtype=float)[kept]


def studied_from_header(head: Mapping[str, Any], arrays: dict[str, Array]) -> StudiedMechanism | None:
    """The mechanism of a study that was saved, whose arrays are taken out of `arrays`; None where it has none."""
    q, t = arrays.pop("studied.q", None), arrays.pop("studied.t", None)
    if q is None or "studied" not in head:
        return None
    words, about = head["studied"], head["studied"]["mechanism"]
    return StudiedMechanism(
        about["name"], about["yaml"], tuple(words["actuated"]), tuple(words["inputs"]), q, t,
        {name: (low, high) for name, (low, high) in words["bounds"].items()}, words["designs"], words["region"],
    )  # fmt: skip
