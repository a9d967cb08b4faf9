"""Wang, Gosselin, Cheng 2001, Figs 6 to 8 and 10 to 14."""

from __future__ import annotations

import numpy as np

from linkwright.gallery import wang, wang_machines
from linkwright.gallery.charts_saha import TIME
from linkwright.plots.charts import Chart, Curve, Panel
from linkwright.results.result import Result

Array = np.ndarray
ANGLES = ("theta", "alpha", "phi")
PAPER = "Wang, Gosselin, Cheng 2001"


def stiffness() -> Chart:
    k = 10.0 ** np.arange(2.0, 7.76, 0.125)
    gaps = [wang.spring_gap(x) for x in k]
    curves = [
        Curve("e at 0.1 s", k, [e[-1] for e in gaps]),
        Curve("largest e in 0.1 s", k, [e.max() for e in gaps]),
        Curve("16.13 N / k", k, 16.13 / k, dashed=True),
    ]
    panel = Panel("stiffness k [N/m]", "position error e [m]", curves, log=True)
    return Chart("wang-fig6", f"{PAPER}, Fig 6: the cut joint's error against stiffness", [panel])


def _both(t: Array, q: Array, v: Array, of: str = "") -> list[Panel]:
    """Angles and speeds, or differences of them, as two panels."""
    return [
        Panel(TIME, f"{of}angle [rad]", [Curve(name, t, q[:, i]) for i, name in enumerate(ANGLES)]),
        Panel(TIME, f"{of}speed [rad/s]", [Curve(name, t, v[:, i]) for i, name in enumerate(ANGLES)]),
    ]


def _state(run: Result) -> tuple[Array, Array]:
    return wang.absolute(run.q), wang.absolute(run.v)


def rigid_motion() -> Chart:
    run = wang.moved(wang.SPRINGS)
    title = f"{PAPER}, Fig 7: the rigid linkage on springs, k = 1e6 N/m"
    return Chart("wang-fig7", title, _both(run.t, *_state(run)))


def _difference(sprung: Result, exact: Result) -> list[Panel]:
    (q, v), (q_exact, v_exact) = _state(sprung), _state(exact)
    return _both(sprung.t, q - q_exact, v - v_exact, "error of ")


def rigid_errors() -> Chart:
    panels = _difference(wang.moved(wang.SPRINGS), wang.moved(wang.DAE))
    return Chart("wang-fig8", f"{PAPER}, Fig 8: springs less the closed linkage", panels)


def flexible_motion() -> Chart:
    run = wang_machines.flexible(wang_machines.STIFF)
    title = f"{PAPER}, Fig 10: the linkage with the flexible coupler"
    return Chart("wang-fig10", title, _both(run.t, *_state(run)))


def deflection() -> Chart:
    run = wang_machines.flexible(wang_machines.STIFF)
    panel = Panel(TIME, "deflection [m]", [Curve("mid-point", run.t, run["coupler.mid_y"])])
    return Chart("wang-fig11", f"{PAPER}, Fig 11: deflection of the coupler's mid-point", [panel])


def flexible_errors() -> Chart:
    panels = _difference(wang_machines.flexible(wang_machines.STIFF), wang_machines.flexible(None))
    return Chart("wang-fig12", f"{PAPER}, Fig 12: springs less the closed flexible linkage", panels)


def deflection_error() -> Chart:
    t = wang_machines.flexible(None).t
    panel = Panel(TIME, "error [% of largest deflection]", [Curve("", t, wang_machines.deviation())])
    return Chart("wang-fig13", f"{PAPER}, Fig 13: error of the mid-point's deflection on springs", [panel])


def platform() -> Chart:
    run = wang_machines.platform(wang_machines.PLATFORM_SPRINGS)
    vel = wang_machines.velocity(run)
    panels = [
        Panel(TIME, "position [m]", [Curve(name, run.t, run.q[:, i]) for i, name in enumerate("xyz")]),
        Panel(TIME, "velocity [m/s]", [Curve(f"v_{name}", run.t, vel[:, i]) for i, name in enumerate("xyz")]),
    ]
    title = f"{PAPER}, Fig 14: the platform on springs (1 s; a leg is too short at 1.42 s)"
    return Chart("wang-fig14", title, panels)


CHARTS = {
    "wang-fig6": stiffness,
    "wang-fig7": rigid_motion,
    "wang-fig8": rigid_errors,
    "wang-fig10": flexible_motion,
    "wang-fig11": deflection,
    "wang-fig12": flexible_errors,
    "wang-fig13": deflection_error,
    "wang-fig14": platform,
}
