"""Two runs on one page: the curves of the second dotted, its mechanism pale."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from linkwright.viewer.runs import Shown
from linkwright.viewer.shown_motion import Plot


def compare_runs(found: Shown, other: Shown) -> Shown:
    """The first of two runs, its curves with those of the second beside them."""
    plots = tuple(_plot_with_others(plot, other.motion.plots) for plot in found.motion.plots)
    notes = found.notes
    same = found.model is not None and other.model is not None and found.model.bodies == other.model.bodies
    if found.model is not None and not same:
        notes = (*notes, "The compared run has other bodies, or no mechanism: it is shown by its curves alone.")
    if not any(plot.other for plot in plots):
        notes = (*notes, "The compared run has none of these series.")
    beside = other.motion if same else None
    pale = " and the pale mechanism" if same else ""
    text = f"Dotted curves, numbers in brackets{pale}: the compared run."
    return replace(found, motion=replace(found.motion, plots=plots, other=beside, compared=text), notes=notes)


def _plot_with_others(plot: Plot, others: Sequence[Plot]) -> Plot:
    """A plot with the series of the same name, unit and title of another run; NaN where that has none."""
    alike = [each for each in others if (each.title, each.unit) == (plot.title, plot.unit)]
    values = {name: (each.t, each.values[:, k]) for each in alike for k, name in enumerate(each.names)}
    values |= {name: (each.t, np.full(len(each.t), x)) for each in alike for name, x in each.constants}
    known = [values[name] for name in plot.names if name in values]
    if not known:
        return plot
    t = known[0][0]
    missing = np.full(len(t), np.nan)
    columns = [values[name][1] if name in values else missing for name in plot.names]
    return replace(plot, other=(t, np.stack(columns, axis=1)))
