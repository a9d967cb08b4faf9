"""The least distances between bodies that no joint connects (docs/howto/interference.md)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from linkwright.analysis.interference.capsules import Capsules, capsules_of, moved_points, segment_distances
from linkwright.analysis.studied_model import studied_mechanism
from linkwright.checks import require_instance
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.kinematics.query import batch_array
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.results.charts import Curve, Panel
from linkwright.results.studied_mechanism import StudiedMechanism
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

Array = np.ndarray
Pair = tuple[str, str]
_VALUES = 1 << 13  # distances that are computed together
_FEW = 8  # names in a note


@dataclass(frozen=True, eq=False)
class Clearance(StudyResult):
    """Distances between bodies, below zero where the capsules around their shapes overlap.

    Attributes:
        mechanism: name. pairs: of bodies, (k,). distance: of each, (n, k), [m].
        left_out: pairs that overlap at home, where they are attached to one body side by side.
        without: bodies without capsules, with the reason.
    """

    mechanism: str
    pairs: tuple[Pair, ...]
    distance: Array
    left_out: tuple[Pair, ...] = ()
    without: tuple[tuple[str, str], ...] = ()
    studied: StudiedMechanism | None = None

    @property
    def least(self) -> Array:
        """The least distance of any pair, (n,), [m]; infinite where there are no pairs, NaN in rows of NaN."""
        return self.distance.min(axis=-1) if self.pairs else np.full(self.distance.shape[0], np.inf)

    @property
    def nearest(self) -> list[Pair]:
        """The pair with the least distance in every row."""
        return [self.pairs[i] for i in np.argmin(self.distance, axis=-1)] if self.pairs else []

    @property
    def notes(self) -> tuple[str, ...]:
        """What was left out."""
        found = [f"bodies without shapes are not looked at: {_first_names([name for name, _ in self.without])}"]
        pairs = [" and ".join(pair) for pair in self.left_out]
        found.append(f"pairs that overlap at home are not looked at: {_first_names(pairs)}")
        return tuple(text for text, some in zip(found, (self.without, self.left_out), strict=True) if some)

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        least = np.nanmin(self.distance, axis=0) if len(self.distance) else np.zeros(0)
        order = np.argsort(least)
        rows = [[" and ".join(self.pairs[i]), float(least[i]), int(np.nanargmin(self.distance[:, i]))] for i in order]
        facts: dict[str, Any] = {"mechanism": self.mechanism, "configurations": len(self.distance)}
        facts |= {"pair_count": len(self.pairs), "least_distance": float(least.min()) if len(least) else np.inf}
        columns = {"bodies": "", "distance": "m", "configuration": ""}
        curves = [Curve(" and ".join(self.pairs[i]), np.arange(len(self.distance)), self.distance[:, i]) for i in order]
        panels = [Panel("configuration", "distance [m]", curves[:_FEW])] if curves else []
        tables = [StudyTable("distances", columns, rows, "Least distances")]
        arrays = {"distance": self.distance, "pairs": np.array([" / ".join(pair) for pair in self.pairs])}
        return StudyContent(
            f"Clearance of {self.mechanism}", facts, tables, panels, arrays, self.notes, {"least_distance": "m"}
        )


def _first_names(names: Sequence[str]) -> str:
    more = len(names) - _FEW
    return ", ".join(names[:_FEW]) + (f" and {more} more" if more > 0 else "")


def clearance(
    model: Model, q: ArrayLike, *, pairs: Sequence[Pair] | None = None, ignore: Sequence[Pair] = ()
) -> Clearance:
    """Distances between bodies that no joint connects, from capsules that cover their shapes.

    Args:
        q: coordinates, (nq,) or (n, nq); rows of NaN give NaN.
        pairs: of bodies (and the base) to look at; None takes all that no joint connects and that are apart at home.
        ignore: pairs that are not looked at.

    Rods are one capsule, flat parts strips of up to eight, meshes the strips of their box: distances are never too
    large, and too small by at most the difference of a shape and its capsules.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("delta"))
    >>> found = clearance(model, model.assemble().q)
    >>> bool(found.least[0] > 0.0), found.without
    (True, ())
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    for title, each in (("pairs", () if pairs is None else pairs), ("ignore", ignore)):
        require_instance(title, each, (list, tuple), "a list of pairs of names of bodies")
    rows = batch_array("q", q, model.nq)
    return clearances_of(model, pairs, ignore).at(model, rows.reshape(-1, model.nq))


@dataclass(frozen=True, eq=False)
class Clearances:
    """Pairs of capsules of a mechanism, sorted by pair of bodies, ready for many configurations.

    Attributes:
        pairs: of bodies. first, last: indices of the capsules of all pairs, (m,). starts: where each pair's begin.
    """

    capsules: Capsules
    pairs: tuple[Pair, ...]
    first: Array
    last: Array
    starts: Array
    left_out: tuple[Pair, ...] = ()

    def at(self, model: Model, q: Array) -> Clearance:
        """Distances at coordinates (n, nq)."""
        return Clearance(
            model.mechanism.name,
            self.pairs,
            self.distances(model, q),
            self.left_out,
            tuple(self.capsules.without.items()),
            studied_mechanism(model, q),
        )

    def distances(self, model: Model, q: Array) -> Array:
        """Distances of the pairs of bodies, (n, k), [m]."""
        out = np.empty((len(q), len(self.pairs)))
        step = max(1, _VALUES // max(len(self.first), 1))
        for at in range(0, len(q) if self.pairs else 0, step):
            out[at : at + step] = self._block(model, q[at : at + step])
        return out

    def _block(self, model: Model, q: Array) -> Array:
        own, pose = self.capsules, model.body_poses(q)
        lead = (len(q), 1)
        wxyz = np.concatenate([pose.quaternion_wxyz, np.broadcast_to([1.0, 0.0, 0.0, 0.0], (*lead, 4))], axis=1)
        xyz = np.concatenate([pose.position, np.zeros((*lead, 3))], axis=1)
        start, end = moved_points()(
            np.take(wxyz, own.owner, axis=1), np.take(xyz, own.owner, axis=1), own.start, own.end
        )
        i, j = self.first, self.last
        apart = segment_distances()(*(np.take(x, k, axis=1) for k in (i, j) for x in (start, end)))
        return np.minimum.reduceat(apart - own.radius[i] - own.radius[j], self.starts, axis=1)


def clearances_of(model: Model, pairs: Sequence[Pair] | None = None, ignore: Sequence[Pair] = ()) -> Clearances:
    """The pairs to look at: those that are given, or all that no joint connects and that are apart at home."""
    mech = model.mechanism
    own = capsules_of(mech)
    skipped = {frozenset(_check_body_pair(own.bodies, each)) for each in ignore}
    if pairs is not None:
        chosen = [_check_body_pair(own.bodies, each) for each in pairs]
        return _clearances_of_pairs(own, [pair for pair in chosen if frozenset(pair) not in skipped])
    skipped |= _connected_bodies(mech)
    every = [(a, b) for i, a in enumerate(own.bodies) for b in own.bodies[i + 1 :] if frozenset((a, b)) not in skipped]
    found = _clearances_of_pairs(own, every)
    at_home = found.distances(model, model.assemble().q[None])[0]
    left_out = tuple(pair for pair, x in zip(found.pairs, at_home, strict=True) if not x > 0.0)
    kept = _clearances_of_pairs(own, [pair for pair in found.pairs if pair not in left_out])
    return Clearances(kept.capsules, kept.pairs, kept.first, kept.last, kept.starts, left_out)


def _clearances_of_pairs(own: Capsules, pairs: Sequence[Pair]) -> Clearances:
    some = [pair for pair in pairs if not any(name in own.without for name in pair)]
    first, last, starts = [], [], [0]
    for a, b in some:
        mine, theirs = (np.flatnonzero(own.owner == own.bodies.index(name)) for name in (a, b))
        first.append(np.repeat(mine, len(theirs)))
        last.append(np.tile(theirs, len(mine)))
        starts.append(starts[-1] + len(first[-1]))
    none = [np.zeros(0, dtype=int)]
    return Clearances(
        own, tuple(some), np.concatenate(first or none), np.concatenate(last or none), np.array(starts[:-1], dtype=int)
    )


def _connected_bodies(mech: Mechanism) -> set[frozenset[str]]:
    return {frozenset((joint.parent, joint.child)) for joint in (*mech.joints, *mech.loops)}


def _check_body_pair(known: Sequence[str], given: Any) -> Pair:
    if not isinstance(given, tuple | list) or len(given) != 2 or given[0] == given[1]:
        raise ArgumentError(f"a pair is {given!r}, expected the names of two bodies")
    for name in given:
        if name not in known:
            raise ArgumentError(f"unknown body '{name}'{suggest_name(str(name), known)}")
    return given[0], given[1]
