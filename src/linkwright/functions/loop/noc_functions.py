"""Constraints, velocities and wrenches of separate bodies, for the numerical complement that checks the dynamics."""

from __future__ import annotations

from typing import Any

from linkwright.algebra.transforms import wrench_from
from linkwright.algebra.vectors import Mat, Vec
from linkwright.formulations.noc import uncoupled_equations
from linkwright.functions.definition import compiled
from linkwright.functions.loop.minimal_functions import resisted_speeds
from linkwright.functions.setup import Setup


@compiled("q", "v", "a", public=True)
def noc_parts(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> dict[str, Any]:
    links = setup.tree.links
    outer = None if w_ext is None else [wrench_from(w, link.body) for w, link in zip(w_ext, links, strict=True)]
    parts = uncoupled_equations(setup.mech, setup.tree, q, v, a, resisted_speeds(setup, q, v, a), outer)
    return {"A": parts.A, "V": parts.V, "w": parts.w, "resisted": parts.resisted}
