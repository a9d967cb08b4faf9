"""A mechanism as the papers take it: the loops on the tree as drawn, its serial legs and driven velocities."""

from __future__ import annotations

from functools import reduce
from typing import Any

import numpy as np

from linkwright.algebra.transforms import wrench_from
from linkwright.algebra.vectors import Mat, Vec
from linkwright.compiler import minimum
from linkwright.functions.setup import Setup
from linkwright.loops.closure import Closure, closure_of
from linkwright.papers.leg_chains import LegChains, leg_chains


def closure_as_drawn(setup: Setup) -> Closure:
    """The loops on the tree as drawn, whose bodies are the user's own."""
    return closure_of(setup.mech, setup.tree)


def serial_legs(setup: Setup, platform: str | None) -> LegChains:
    """The legs of a mechanism, its named platform preferred."""
    bodies = {frame.name: frame.body for frame in setup.mech.frames}
    preferred = None if setup.mech.platform is None else bodies.get(setup.mech.platform, setup.mech.platform)
    return leg_chains(closure_as_drawn(setup), platform, preferred)


def driven_velocities(setup: Setup) -> tuple[int, ...]:
    """Places in v of the driven speeds."""
    return tuple(drive.speed for drive in setup.drives if drive.speed is not None)


def drawn_link_wrenches(setup: Setup, w_ext: Mat | None) -> list[Vec] | None:
    """Wrenches on the bodies in the drawn tree's link frames."""
    if w_ext is None:
        return None
    return [wrench_from(w, link.body) for w, link in zip(w_ext, setup.tree.links, strict=True)]


def smallest_value(values: Any) -> Any:
    return reduce(minimum, list(values))


def diagonal_blocks(blocks: list[Mat]) -> Mat:
    n = sum(block.shape[0] for block in blocks)
    k = sum(block.shape[1] for block in blocks)
    out = np.zeros((n, k), dtype=np.result_type(*blocks))
    row = column = 0
    for block in blocks:
        out[row : row + block.shape[0], column : column + block.shape[1]] = block
        row, column = row + block.shape[0], column + block.shape[1]
    return out
