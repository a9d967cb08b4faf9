"""The mechanism of a study's record, for its page, from the model and the states that were studied."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from linkwright.model import Model
from linkwright.results.studied_mechanism import StudiedMechanism, thin_states


def studied_mechanism(model: Model, q: Any = None, t: Any = None, **more: Any) -> StudiedMechanism:
    """A model and some of the states q (..., nq) that a study went through, at times t where these are a motion."""
    states: dict[str, Any] = {} if q is None else dict(zip(("q", "t"), thin_states(q, t), strict=True))
    mech = model.mechanism
    return StudiedMechanism(mech.name, mech, model.actuated, model.parameters.names, **states, **more)


def slider_bounds(names: Sequence[str], bounds: Any) -> dict[str, tuple[float, float]]:
    """Ranges of sliders by name, from rows of least and largest values (n, 2)."""
    return {name: (float(low), float(high)) for name, (low, high) in zip(names, bounds, strict=True)}
