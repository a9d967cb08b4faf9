"""Links that bend: their series in a run, and axial loads that would change how they bend."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

from linkwright.errors import AccuracyWarning, LinkwrightError, LinkwrightWarning, warn_caller, withheld_warnings
from linkwright.findings import Finding
from linkwright.joints.beams import Beam, axial_shortening
from linkwright.mechanism.flexible_bodies import beams_of, flexibility_of_beam
from linkwright.model import Model
from linkwright.model.beam_deflections import deflection
from linkwright.results.result import Columns, Deferred, Result, lazy_result
from linkwright.results.series import Sensitivity, Series
from linkwright.simulation.problem.applied_loads import AppliedLoads, WrenchLaw
from linkwright.simulation.running.row_layout import row_layout

GROUP = "beam"


def with_beams(model: Model, run: Result, derivatives: Callable[..., Sensitivity] | None = None) -> Result:
    """The run of a model with beams and, for each, the series `<body>.mid_y`, `.tip_y` (and z) [m] and `.strain` [J].

    `derivatives` makes its sensitivity; None where it has none.
    """
    more = [
        each for name, beam in beams_of(model.mechanism).items() for each in _series_of_beam(model, run, name, beam)
    ]
    every = (*run.series, *more)
    rows = np.column_stack([run.t, *(each.values for each in every)])
    columns = Columns(tuple((each.name, each.unit, each.group) for each in every))
    return lazy_result(Deferred(rows, columns, lambda: (run.meta, run.events), derivatives))


def _series_of_beam(model: Model, run: Result, name: str, beam: Beam) -> Iterator[Series]:
    for title, x in (("mid", 0.5 * beam.length), ("tip", beam.length)):
        bent = deflection(model, run.q, name, x)
        for plane in beam.planes:
            yield Series(f"{name}.{title}_{plane}", bent[:, "xyz".index(plane)], "m", GROUP)
    eta = np.stack([run[f"{name}.eta{i + 1}"] for i in range(beam.count)], axis=-1)
    energy = 0.5 * np.einsum("ni,ij,nj->n", eta, flexibility_of_beam(beam).stiffness, eta)
    yield Series(f"{name}.strain", energy, "J", GROUP)


Array = np.ndarray

# Share of the load that would buckle a link in its own shapes. Its bending stiffness changes by that share.
_MATTERS = 0.02
AXIAL_LOAD = "axial-load"
_SAMPLES = 64


def warn_of_axial_loads(model: Model, shares: Mapping[str, float]) -> bool:
    """Warn of links whose axial load changes their bending, given as shares of what buckles them; True if there are."""
    names = [name for name, share in shares.items() if share > _MATTERS]
    if names:
        text = (
            f"'{model.mechanism.name}': axial loads change how {', '.join(names)} bends, and without shortening this "
            "is not counted; write `axial_shortening: true` in the beam"
        )
        value = {name: shares[name] for name in names}
        finding = Finding(AXIAL_LOAD, text, severity="warning", subject=names[0], value=value)
        warn_caller(text, AccuracyWarning, finding)
    return bool(names)


def bends_without_shortening(model: Model) -> bool:
    """Return True if a link is a beam of which shortening is not counted."""
    return any(not beam.shortening for beam in beams_of(model.mechanism).values())


def axial_load_shares(
    model: Model, acting: AppliedLoads, loads: WrenchLaw, rows: Array, p: Array | None = None
) -> dict[str, float]:
    """The largest axial load of each link without `axial_shortening`, as a share of the load that would buckle it.

    Rows are those of runs, (n, width), of which some are looked at, with values p (n, n_p) of the model's inputs.
    """
    usable = np.flatnonzero(np.isfinite(rows).all(axis=1)) if bends_without_shortening(model) else ()
    if not len(usable):
        return {}
    picked = usable[np.unique(np.linspace(0, len(usable) - 1, _SAMPLES).astype(int))]
    rows = rows[picked]
    q, v, a, tau = row_layout(model).motion(rows)
    wrenches = loads.rows(rows[:, 0], q, v) if loads.wrenches else None
    return shares_of_buckling(model, acting, (q, v, a, tau), wrenches, None if p is None else p[picked])


def shares_of_buckling(
    model: Model,
    acting: AppliedLoads,
    states: tuple[Array, Array, Array | None, Array],
    wrenches: Array | None,
    p: Array | None = None,
) -> dict[str, float]:
    """The same at states q, v, a and efforts (n, ...), with components of wrenches (n, ...) as `acting` has them.

    Without accelerations (None) those of the model are taken.
    """
    q, v, a, tau = states
    given: dict[str, Any] = {} if p is None else {"p": p}
    outer: Array | None = None
    if wrenches is not None:
        outer = np.array([acting.outer(model.setup_here, *each)[0] for each in zip(q, wrenches, strict=True)])
    try:
        with withheld_warnings(LinkwrightWarning):
            a = model.forward_dynamics(q, v, tau, outer, **given) if a is None else a
            reactions = model.joint_reactions(q, v, a, tau, outer, **given)
    except LinkwrightError:
        return {}
    bending = {name: beam for name, beam in beams_of(model.mechanism).items() if not beam.shortening}
    return {
        name: _largest_axial_force(model, name, q, reactions, given) / buckling_load(beam)
        for name, beam in bending.items()
    }


def _largest_axial_force(model: Model, name: str, q: Array, reactions: dict[str, Array], p: dict[str, Any]) -> float:
    """The largest force along a link in the joints on it, [N]."""
    axis, largest = model.frame_pose(q, name, **p).rotation[..., :, 0], 0.0
    for joint in (*model.mechanism.joints, *model.mechanism.loops):
        if not joint.kind.is_of_beam and name in (joint.parent.partition("@")[0], joint.child.partition("@")[0]):
            R = model.frame_pose(q, joint.child, **p).rotation
            force = np.einsum("nij,nj->ni", R, reactions[joint.name][:, 3:])
            largest = max(largest, float(np.nanmax(np.abs(np.sum(axis * force, axis=-1)), initial=0.0)))
    return largest


def buckling_load(beam: Beam) -> float:
    """The least axial load at the end under which a beam buckles in its own shapes, [N].

    >>> from linkwright.joints.beams import Sine
    >>> round(buckling_load(Beam(2.0, 1.0, 100.0, Sine(2))) / (np.pi**2 * 100.0 / 2.0**2), 9)  # Euler, pinned ends
    1.0
    """
    K, S = flexibility_of_beam(beam).stiffness, axial_shortening(beam, beam.length)
    return float(1.0 / np.abs(np.linalg.eigvals(np.linalg.solve(K, S))).max())
