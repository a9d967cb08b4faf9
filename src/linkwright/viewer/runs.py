"""A saved run as a motion to show: its mechanism, curves with limits, account, and a second run beside it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.formats import from_yaml
from linkwright.mechanism.tree import coordinate_slices
from linkwright.model import Model, build
from linkwright.numerics.tolerances import STILL_COMPONENT
from linkwright.readable_text import number_text
from linkwright.results.charts import Panel, charts_of_groups, charts_of_series, time_panel
from linkwright.results.result import Result
from linkwright.results.series import Series
from linkwright.results.thinning import even_indices
from linkwright.viewer.shown_motion import ShownMotion

# --- limits of positions, velocities and efforts, in the order of a run's columns, to be drawn on its curves ----------

Pair = tuple[float, ...]


@dataclass(frozen=True)
class ColumnBounds:
    """Finite limits of every column of q (nq), v (nv) and tau (na); an empty tuple where there is none."""

    q: tuple[Pair, ...]
    v: tuple[Pair, ...]
    tau: tuple[Pair, ...]


def column_bounds(model: Model) -> ColumnBounds:
    """The limits of a model's tree joints and actuators."""
    q: list[Pair] = [()] * model.nq
    v: list[Pair] = [()] * model.nv
    slices = coordinate_slices(model.mechanism.joints)
    for joint in model.mechanism.joints:
        at_q, at_v = slices[joint.name]
        for i, pair in enumerate(zip(joint.limits.lower, joint.limits.upper, strict=False)):
            q[at_q.start + i] = _finite_ends(pair)
        for i, bound in enumerate(joint.limits.speed):
            v[at_v.start + i] = _finite_ends((-bound, bound))
    tau = (_finite_ends((-each.effort, each.effort)) for each in model.actuators)
    return ColumnBounds(tuple(q), tuple(v), tuple(tau))


def _finite_ends(pair: Sequence[float]) -> Pair:
    return tuple(float(x) for x in pair if np.isfinite(x))


# --- account of how a run was computed, for people, made from its meta ------------------------------------------------

_FORMULATIONS = {
    "tree": "recursively for a tree of bodies",
    "Multipliers": "with Lagrange multipliers at the joints that close loops",
    "Minimal": "in independent coordinates",
    "VirtualSprings": "with stiff springs at the joints that close loops",
    "Khan": "as in the paper of Khan and others",
    "Rao": "as in the paper of Rao and others",
    "Hanzaki": "as in the paper of Hanzaki and others",
}
_METHODS = {
    "RK4": "the classical Runge-Kutta method of order 4",
    "DP5": "the Dormand-Prince method of order 5",
    "DOP853": "the Dormand-Prince method of order 8",
    "Rodas5P": "a Rosenbrock method for stiff equations",
}


def run_statements(run: Result) -> Iterator[str]:
    """Statements about equations, steps, accuracy and the end of a run; those whose numbers it lacks are left out."""
    meta = run.meta
    yield from _step_statements(meta)
    closure, rate = meta.get("closure"), meta.get("closure_rate")
    if _is_positive_float(closure):
        speed = f" and moved apart at no more than {rate:.1e} m/s" if _is_positive_float(rate) else ""
        yield f"The loops stayed closed to {closure:.1e} m{speed}."
    balance = meta.get("energy_balance")
    if isinstance(balance, dict) and _is_positive_float(balance.get("drift")):
        yield (
            "Energy, less the work of actuators and forces and plus losses, changed by at most "
            f"{balance['drift']:.1e} J ({balance.get('relative', 0.0):.1e} of the energy exchanged): "
            "the error of the steps."
        )
    other = meta.get("agreement")
    if isinstance(other, dict) and isinstance(other.get("relative"), float):
        size = other["relative"]
        difference = (
            f"they differ by {size:.1e} of the largest one" if _is_positive_float(size) else "they do not differ"
        )
        yield (
            f"Accelerations at {other.get('samples')} of the samples were computed again by a second method "
            f"({other.get('method')}); {difference}."
        )
    ended = meta.get("ended")
    if isinstance(ended, dict) and ended.get("text"):
        yield f"The run ended at t = {_number_or_unknown(ended.get('t'))} s: {ended['text']}."


def _step_statements(meta: dict[str, Any]) -> Iterator[str]:
    """Statements about equations and steps."""
    written, method = _head_of_description(meta.get("formulation")), _head_of_description(meta.get("method"))
    if not written or not method:
        return
    way = _FORMULATIONS.get(written, f"by {written}")
    tolerances = meta.get("tolerances")
    tolerance = tolerances.get("rtol") if isinstance(tolerances, dict) else None
    size = tolerances.get("h") if isinstance(tolerances, dict) else None
    exact = f", with a relative tolerance of {tolerance:g}" if isinstance(tolerance, float) else ""
    exact += f", with steps of {size:g} s" if isinstance(size, float) else ""
    yield f"The equations of motion are written {way} and stepped by {_METHODS.get(method, method)}{exact}."
    stats = meta.get("stats")
    if isinstance(stats, dict) and "steps" in stats:
        parts = [f"{stats[name]} {name}" for name in ("rejected", "evaluations", "projections") if stats.get(name)]
        more = f" ({', '.join(parts)})" if parts else ""
        yield f"It took {stats['steps']} steps{more}."


def _head_of_description(text: Any) -> str:
    """The name before the bracket of a description."""
    found = re.match(r"\s*(\w+)", text) if isinstance(text, str) else None
    return found[1] if found else ""


def _is_positive_float(x: Any) -> bool:
    return isinstance(x, float) and x > 0.0


def _number_or_unknown(x: Any) -> str:
    return number_text(x) if isinstance(x, int | float) else "?"


# --- A saved run as a motion to show ----------------------------------------------------------------------------------

Array = np.ndarray
_FRAMES = 2000
_REACTIONS = 24  # joints whose reactions are curves
REACTION_ROUNDING = 1e-12
"""Share of the largest force or moment of all joints: one that stays below is zero."""
_READABLE = 0.1  # share of a chart's range that each of its components has at least


@dataclass(frozen=True, eq=False)
class Shown:
    """A run with its model, when the run holds enough to build it, and notes on what is missing."""

    run: Result
    model: Model | None
    motion: ShownMotion
    notes: tuple[str, ...]


def shown_run(run: Result, reactions: bool = True) -> Shown:
    """The part of a run that a page can show."""
    model, notes = rebuild_model(run)
    if model is None:
        motion = ShownMotion(
            run.t, np.zeros((len(run.t), 0)), plots=charts_of_groups(run.series, run.t), events=_event_labels(run)
        )
        return Shown(run, None, motion, notes)
    kept = even_indices(len(run.t), _FRAMES)
    tau = run.tau if run.tau.shape[1] == model.na and model.na else None
    motion = ShownMotion(run.t[kept], run.q[kept], None if tau is None else tau[kept], plots=run_curves(run, model))
    v = run.v[kept] if run.v.shape[1] == model.nv else None
    motion = replace(motion, v=v, of=len(run.t), events=_event_labels(run))
    if reactions and tau is not None and len(kept):
        wrenches, problems = _reactions_of_run(run, model, kept)
        drawn = any(each.group == "reaction force" for each in run.series)
        plots = motion.plots if drawn else (*motion.plots, *reaction_curves(motion.t, wrenches))
        return Shown(run, model, replace(motion, reactions=wrenches, plots=plots), (*notes, *problems))
    return Shown(run, model, motion, notes)


def _event_labels(run: Result) -> tuple[tuple[float, str], ...]:
    return tuple((event.t, event.text or f"{event.kind} {event.name}") for event in run.events)


def reaction_curves(t: Array, wrenches: Mapping[str, Array]) -> list[Panel]:
    """Sizes of forces and moments in the joints over times (n,); of many joints those with the largest peaks."""
    plots = []
    for title, unit, part in (("Forces", "N", slice(3, 6)), ("Moments", "N m", slice(0, 3))):
        sizes = {name: np.linalg.norm(w[:, part], axis=1) for name, w in wrenches.items()}
        peaks = {name: float(np.max(x, initial=0.0, where=np.isfinite(x))) for name, x in sizes.items()}
        least = REACTION_ROUNDING * max(peaks.values(), default=0.0)
        largest = set(sorted(peaks, key=lambda name: -peaks[name])[:_REACTIONS])
        chosen = [Series(name, x, unit) for name, x in sizes.items() if name in largest and peaks[name] > least]
        some = f" ({len(chosen)} largest of {len(sizes)})" if len(sizes) > _REACTIONS else ""
        plots += charts_of_series(f"{title} in the joints{some}", chosen, t)
    return plots


def rebuild_model(run: Result) -> tuple[Model | None, tuple[str, ...]]:
    """The model of a run, or None and the reason."""
    about = run.meta.get("mechanism")
    text = about.get("yaml") if isinstance(about, dict) else None
    if not isinstance(text, str):
        return None, ("The run does not name its mechanism and has no animation.",)
    try:
        model = build(from_yaml(text, "the run's mechanism"), _actuated_names(run))
    except LinkwrightError as error:
        return None, (f"The run's mechanism cannot be built by this version; the page has no animation: {error}",)
    if run.q.shape[1] != model.nq:
        found = f"{run.q.shape[1]} coordinates and the mechanism {model.nq}"
        return None, (f"The run has {found}; the page has no animation.",)
    return model, ()


def path_of_frame(run: Result, name: str) -> Array | None:
    """Origins of a frame or body along a run, (n, 3), [m]; for "frame.x" that component, (n,). None if there is none.

    >>> import linkwright as lw
    >>> model = lw.build(lw.catalog.load("five-bar"))
    >>> run = lw.simulate(model, model.assemble().q, t_end=0.01, output=3)
    >>> run["platform"].shape, run["platform.x"].shape, run.unit("platform.x")
    ((3, 3), (3,), 'm')
    """
    frame, _, part = name.rpartition(".")
    whole = part not in ("x", "y", "z") or not frame
    model = _model_of_text(str(run.meta["mechanism"]["yaml"]))
    wanted = name if whole else frame
    if wanted not in {*(each.name for each in model.mechanism.frames), *model.bodies} or run.q.shape[1] != model.nq:
        return None
    path = np.asarray(model.frame_pose(run.q, wanted).position)
    return path if whole else path[:, "xyz".index(part)]


@lru_cache(maxsize=8)
def _model_of_text(text: str) -> Model:
    return build(from_yaml(text, "the run's mechanism"))


def _actuated_names(run: Result) -> list[str] | None:
    names = [each.name for each in run.series if each.group == "tau"]
    return [re.sub(r"^effort\((.*)\)$", r"\1", name) for name in names] or None


def _reactions_of_run(run: Result, model: Model, kept: Array) -> tuple[dict[str, Array], tuple[str, ...]]:
    q, v, tau = run.q[kept], run.v[kept], run.tau[kept]
    if v.shape[1] != model.nv:
        return {}, ()
    if len(run.meta.get("phases", ())) > 1:
        return {}, ("Reactions are not shown, because loops closed or opened during the run.",)
    try:
        a = run.a[kept] if run.a.shape[1] == model.nv else model.forward_dynamics(q, v, tau)
        return dict(model.joint_reactions(q, v, a, tau)), ()
    except LinkwrightError as error:
        return {}, (f"Reactions are not shown: {error}",)


def run_curves(run: Result, model: Model) -> tuple[Panel, ...]:
    """Efforts, positions, velocities and power of the actuators, the platform, closure, energy, then the rest."""
    q_columns, v_columns = _driven_columns(model)
    q, v = _series_of_group(run, "q"), _series_of_group(run, "v")
    limits, tau = _series_limits(run, model), _series_of_group(run, "tau")
    plots = [*charts_of_series("Efforts", tau, run.t, limits)]
    for title, quantity, columns, series in (
        ("Positions of the actuators", "position", q_columns, q),
        ("Velocities of the actuators", "velocity", v_columns, v),
    ):
        driven = [(f"{quantity}({name})", series[i]) for name, i in columns.items() if i < len(series)]
        named = {name: limits[each.name] for name, each in driven if each.name in limits}
        plots += charts_of_series(title, [replace(each, name=name) for name, each in driven], run.t, named)
    plots += charts_of_series("Power", power_series(run, model), run.t)
    plots += _platform_path(run, model)
    rest = [each for i, each in enumerate(q) if i not in q_columns.values() and each.unit]
    plots += charts_of_series("Other positions", rest, run.t, limits)
    return (*plots, *charts_of_groups(run.series, run.t, ("q", "v", "a", "tau", "power")))


def _series_limits(run: Result, model: Model) -> dict[str, tuple[float, ...]]:
    """Limits of series by name."""
    known = column_bounds(model)
    pairs = zip(("q", "v", "tau"), (known.q, known.v, known.tau), strict=True)
    return {
        each.name: pair for group, rows in pairs for each, pair in zip(_series_of_group(run, group), rows, strict=False)
    }


def _series_of_group(run: Result, name: str) -> list[Series]:
    return [each for each in run.series if each.group == name]


def _driven_columns(model: Model) -> tuple[dict[str, int], dict[str, int]]:
    """Indices in q and in v, by actuator, of the actuators that drive joints of the tree."""
    return (
        {each.name: model.q_names.index(each.coordinate) for each in model.actuators if each.coordinate},
        {each.name: model.v_names.index(each.velocity) for each in model.actuators if each.velocity in model.v_names},
    )


def power_series(run: Result, model: Model) -> list[Series]:
    """The run's own power, else effort times velocity of every actuator."""
    given = _series_of_group(run, "power")
    _, columns = _driven_columns(model)
    if given or len(columns) != run.tau.shape[1] or run.v.shape[1] != model.nv:
        return given
    values = run.tau * run.v[:, [*columns.values()]]
    return [Series(f"power({name})", values[:, i], "W", "power") for i, name in enumerate(model.actuated)]


def _platform_path(run: Result, model: Model) -> list[Panel]:
    """The path of the platform's origin over time."""
    frame = model.mechanism.platform
    if frame is None or not len(run.t):
        return []
    r, _ = model.frame_pose(run.q, frame)
    return component_plots(f"Origin of {frame}", "m", ("x", "y", "z"), run.t, r)


def component_plots(title: str, unit: str, names: tuple[str, ...], t: Array, values: Array) -> list[Panel]:
    """Plots of the components (n, k) of a vector, so that each one that moves is readable.

    Components that do not move are named with their values and not drawn, unless none moves. Those that move share one
    chart, or have one each if a component would fill less than a tenth of the common one.
    """
    finite = values[np.isfinite(values).all(axis=1)]
    if not len(finite):
        return [time_panel(title, unit, names, t, values)]
    low, high = finite.min(axis=0), finite.max(axis=0)
    size = float(np.abs(finite).max())
    moves = high - low > STILL_COMPONENT * size
    if not moves.any():
        return [time_panel(title, unit, names, t, values)]
    still = [(name, float(x)) for name, x, moving in zip(names, low, moves, strict=True) if not moving]
    constants = tuple((name, x if abs(x) > STILL_COMPONENT * size else 0.0) for name, x in still)
    moving = np.flatnonzero(moves)
    together = (high - low)[moving].min() >= _READABLE * (high[moving].max() - low[moving].min())
    charts = [moving] if together else [moving[k : k + 1] for k in range(len(moving))]
    return [
        time_panel(title, unit, [names[i] for i in chart], t, values[:, chart], constants=constants) for chart in charts
    ]


# --- two runs on one page: the curves of the second dotted, its mechanism pale ----------------------------------------


def compare_runs(found: Shown, other: Shown) -> Shown:
    """The first of two runs, its curves with those of the second beside them."""
    plots = tuple(_plot_with_others(plot, other.motion.plots) for plot in found.motion.plots)
    notes = found.notes
    same = found.model is not None and other.model is not None and found.model.bodies == other.model.bodies
    if found.model is not None and not same:
        notes = (*notes, "The compared run has other bodies, or no mechanism: it is shown by its curves alone.")
    if not any(curve.other for plot in plots for curve in plot.curves):
        notes = (*notes, "The compared run has none of these series.")
    beside = other.motion if same else None
    pale = " and the pale mechanism" if same else ""
    text = f"Dotted curves, numbers in brackets{pale}: the compared run."
    return replace(found, motion=replace(found.motion, plots=plots, other=beside, compared=text), notes=notes)


def _plot_with_others(plot: Panel, others: Sequence[Panel]) -> Panel:
    """A plot with the curves of the same name and axis of another run beside its own."""
    alike = [each for each in others if each.beside == plot.beside and each.curves]
    known = {curve.name: (curve.x, curve.y) for each in alike for curve in each.curves}
    for each in alike:
        t = each.curves[0].x
        known |= {name: (t, np.full(len(t), x)) for name, x in each.constants}
    return replace(plot, curves=[replace(curve, other=known.get(curve.name)) for curve in plot.curves])
