"""Efforts where some freedoms are driven by nobody: an idle spin, a floating base."""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec
from linkwright.formulations import hybrid
from linkwright.kernels.guards import ACCEPTED_EFFORTS, STRICTER, STRICTEST, marked, share
from linkwright.kernels.recipes import Recipe, Stage, link_wrenches
from linkwright.kernels.setup import Setup

# Largest force along a motion without mass, relative to the terms it is the sum of, that is still called rounding.
BALANCED = 1e-10


def guarded_hybrid_efforts(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """Efforts (na,); the first is NaN when a pivot was too small, or a massless motion cannot be balanced."""
    found = _found(setup, q, v, a, w_ext)
    return marked(found.tau, *_margins(setup, found))


def guarded_hybrid(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None = None) -> Vec:
    """The same efforts and then all accelerations, those of the undriven freedoms completed, (na + nv,)."""
    found = _found(setup, q, v, a, w_ext)
    return marked(np.concatenate([found.tau, found.a]), *_margins(setup, found))


def reduced_effort_system(setup: Setup, q: Vec) -> Mat:
    """[B J_c^T] on the velocities that are not undriven ones, square."""
    return hybrid.reduced_system(setup.closure, setup.drives, _undriven(setup), q)


def undriven_pivots(setup: Setup, q: Vec) -> Mat:
    """Pivots and diagonal of the inertia of the undriven motions that move mass, (2, n)."""
    nv = setup.lean.nv
    found = _found(setup, q, np.zeros(nv), np.zeros(nv), None)
    return np.array([found.inertia_pivots, found.inertias])


def _found(setup: Setup, q: Vec, v: Vec, a: Vec, w_ext: Mat | None) -> hybrid.Hybrid:
    assert setup.plans.efforts is not None
    outer = link_wrenches(setup, w_ext)
    plan, undriven = setup.plans.efforts, _undriven(setup)
    return hybrid.hybrid_dynamics(setup.lean, setup.closure, setup.drives, plan, undriven, q, v, a, outer)


def _margins(setup: Setup, found: hybrid.Hybrid) -> list[Any]:
    """Positive where pivots are large enough, and where light motions are balanced."""
    limit = ACCEPTED_EFFORTS if setup.closure.kept is None else min(STRICTER * ACCEPTED_EFFORTS, STRICTEST)
    margins = [share(found.pivots, setup.plans.effort_sizes) - limit]
    margins.append(share(found.inertia_pivots, _undriven(setup).sizes) - limit)
    return margins + [BALANCED * size - abs(x) for x, size in zip(found.unbalanced, found.terms, strict=True)]


def _undriven(setup: Setup) -> hybrid.Undriven:
    assert setup.plans.undriven is not None
    return setup.plans.undriven


HYBRID_RECIPES: dict[str, Recipe] = {
    "guarded_hybrid_efforts": Recipe(("q", "v", "a"), guarded_hybrid_efforts, Stage.HYBRID),
    "guarded_hybrid": Recipe(("q", "v", "a"), guarded_hybrid, Stage.HYBRID),
    "reduced_effort_system": Recipe(("q",), reduced_effort_system, Stage.HYBRID),
    "undriven_pivots": Recipe(("q",), undriven_pivots, Stage.HYBRID),
}
