"""The papers' figures, computed and drawn: Saha, Khan, Hanzaki, Rao, Wang."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from linkwright.analysis.neglected_inertia import neglect_inertia
from linkwright.dataclass import dataclass
from linkwright.papers.gallery.published_mechanisms import KHAN_MOVE, catalog_model, khan_motion, khan_pose
from linkwright.papers.hanzaki import hanzaki_claims as hanzaki
from linkwright.papers.khan import khan_claims as khan
from linkwright.papers.khan import time_claims as khan_time
from linkwright.papers.rao import rao_claims as rao
from linkwright.papers.saha import saha_claims as saha
from linkwright.papers.wang import mechanism_claims as wang_mechanisms
from linkwright.papers.wang import wang_claims as wang
from linkwright.plots.figures import draw_chart
from linkwright.results.charts import Chart, Curve, Panel
from linkwright.results.result import Result
from linkwright.simulation.integrators import DP5

Array = np.ndarray
Panels = Callable[[], list[Panel]]
TIME, CIRCLE = "t [s]", "angle on the circle [deg]"
STANFORD = ("theta_1", "theta_2", "b_3", "theta_4", "theta_5", "theta_6")
SAHA, KHAN, WANG = "Saha 1999", "Khan et al. 2005", "Wang, Gosselin, Cheng 2001"
HANZAKI, RAO = "Hanzaki and Yoosefi 2011", "Koteswara Rao et al. 2006"

FIGURES: dict[str, Callable[[], Chart]] = {}
"""Figures by name: paper, "-fig" and number."""


def register_figure(name: str, title: str, columns: int = 1) -> Callable[[Panels], Panels]:
    """Register the panels that a function computes as a figure."""

    def registered(panels: Panels) -> Panels:
        FIGURES[name] = lambda: Chart(name, title, panels(), columns)
        return panels

    return registered


def _numbered_curves(names: Sequence[str] | str, x: Any, y: Array) -> list[Curve]:
    """One curve for every column of y; a name with {} is numbered from 1."""
    titles = [names.format(i + 1) for i in range(y.shape[1])] if isinstance(names, str) else names
    return [Curve(title, x, y[:, i]) for i, title in enumerate(titles)]


@register_figure("saha-fig5", f"{SAHA}, Fig 5: torques of the planar arm")
def planar_torques() -> list[Panel]:
    t = np.linspace(0.0, 10.0, 201)
    return [Panel(TIME, "torque [N m]", _numbered_curves("tau_{}", t, saha.arm_torques("three-link-arm", t)))]


@register_figure("saha-fig6", f"{SAHA}, Fig 6: the planar arm let go")
def planar_fall() -> list[Panel]:
    run = saha.arm_fall("three-link-arm")
    return [Panel(TIME, "joint angle [rad]", _numbered_curves("theta_{}", run.t, run.q))]


@register_figure("saha-fig8", f"{SAHA}, Fig 8: torques and force of the Stanford arm", columns=2)
def stanford_efforts() -> list[Panel]:
    t = np.linspace(0.0, 10.0, 201)
    units = ["force [N]" if name == "b_3" else "torque [N m]" for name in STANFORD]
    return _joint_panels(units, t, saha.arm_torques("stanford-arm", t))


@register_figure("saha-fig9", f"{SAHA}, Fig 9: the Stanford arm let go", columns=2)
def stanford_fall() -> list[Panel]:
    run = saha.arm_fall("stanford-arm")
    return _joint_panels([f"{name} [{'m' if name == 'b_3' else 'rad'}]" for name in STANFORD], run.t, run.q)


def _joint_panels(beside: list[str], t: Array, y: Array) -> list[Panel]:
    return [Panel(TIME, label, [Curve("", t, y[:, i])], f"joint {i + 1}") for i, label in enumerate(beside)]


@register_figure("khan-fig4", f"{KHAN}, Fig 4: trajectory of the platform")
def platform_path() -> list[Panel]:
    t = np.linspace(0.0, 3.0, 151)
    pose = khan_pose(khan_motion(t)[0])
    axes = (("theta_7 [rad]", 2, "orientation"), ("x_7 [m]", 0, "x-position"), ("y_7 [m]", 1, "y-position"))
    return [Panel(TIME, beside, [Curve("", t, pose[:, i])], title) for beside, i, title in axes]


@register_figure("khan-fig5", f"{KHAN}, Fig 5: desired motion and driving torques")
def drive_panels() -> list[Panel]:
    t = np.linspace(0.0, 3.0, 151)
    return [
        Panel(TIME, "joint angle [rad]", _numbered_curves("theta_{}", t, KHAN_MOVE.at(t)[0])),
        Panel(TIME, "torque [N m]", _numbered_curves("tau_{}", t, khan.khan_torques(t))),
    ]


def _error_panel(run: Result, title: str) -> Panel:
    return Panel(
        TIME, "error of joint angle [rad]", _numbered_curves("theta_{}", run.t, khan_time.angle_errors(run)), title
    )


@register_figure("khan-fig6", f"{KHAN}, Fig 6: errors with adaptive steps")
def adaptive_step_panels() -> list[Panel]:
    runs = {rtol: khan_time.torque_driven_run(khan_time.adaptive_method(rtol)) for rtol in khan_time.TOLERANCES}
    return [_error_panel(run, f"relative tolerance {rtol:g}") for rtol, run in runs.items()]


@register_figure("khan-fig7", f"{KHAN}, Fig 7: errors with fixed steps")
def fixed_step_panels() -> list[Panel]:
    return [_error_panel(khan_time.torque_driven_run(DP5(h=h)), f"step {h:g} s") for h in khan_time.FIXED_STEPS]


@register_figure("khan-fig8", f"{KHAN}, Fig 8: with feedback, step 0.001 s")
def feedback_panels() -> list[Panel]:
    run = khan_time.feedback_run()
    curves = _numbered_curves("tau_{}", run.t, khan_time.feedback_corrections(run))
    return [_error_panel(run, "errors"), Panel(TIME, "correction [% of largest torque]", curves, "torque correction")]


@register_figure("hanzaki-fig4", f"{HANZAKI}, Fig 4: driving forces of the 3-RPS")
def driving_forces() -> list[Panel]:
    t = np.linspace(0.0, 6.0, 121)
    F = hanzaki.leg_forces(t)
    curves = [Curve(f"leg {i + 1}", t, F[:, i], dashed=i == 2) for i in range(3)]  # legs 2 and 3 are alike
    return [Panel(TIME, "force [N]", curves)]


def _circle_angles() -> Array:
    return np.linspace(0.0, 360.0, len(rao.hexam_slider_forces()))


@register_figure("rao-fig7", f"{RAO}, Fig 7: slider forces at 40 rpm")
def slider_forces() -> list[Panel]:
    return [Panel(CIRCLE, "force [N]", _numbered_curves("slider {}", _circle_angles(), rao.hexam_slider_forces()))]


@register_figure("rao-fig8", f"{RAO}, Fig 8: inertias left out, 40 rpm", columns=2)
def neglected_inertia_panels() -> list[Panel]:
    found, panels = neglect_inertia(catalog_model("hexam"), rao.CASES, *rao.circle_motion()), []
    for i in range(6):
        curves = [Curve("all inertias", _circle_angles(), found.full[:, i])]
        curves += [Curve(f"without {name}", _circle_angles(), tau[:, i], True) for name, tau in found.without.items()]
        panels.append(Panel(CIRCLE, "force [N]", curves, f"slider {i + 1}"))
    return panels


@register_figure("rao-fig9", f"{RAO}, Fig 9: largest difference of a slider force")
def rotation_rate_panels() -> list[Panel]:
    rows = rao.neglected_inertia_study()
    curves = [Curve(f"without {name}", rao.SPEEDS, [row.largest[name] for row in rows]) for name in rao.CASES]
    return [Panel("speed [rpm]", "largest difference [N]", curves)]


@register_figure("wang-fig6", f"{WANG}, Fig 6: the cut joint's error against stiffness")
def stiffness_panels() -> list[Panel]:
    k = 10.0 ** np.arange(2.0, 7.76, 0.125)
    gaps = [wang.spring_gap(x) for x in k]
    curves = [
        Curve("e at 0.1 s", k, [e[-1] for e in gaps]),
        Curve("largest e in 0.1 s", k, [e.max() for e in gaps]),
        Curve("16.13 N / k", k, 16.13 / k, dashed=True),
    ]
    return [Panel("stiffness k [N/m]", "position error e [m]", curves, log=True)]


def _motion_panels(run: Result, exact: Result | None = None) -> list[Panel]:
    """Angles and velocities of the linkage, or their errors beside an exact run, as two panels."""
    q, v, of = wang.absolute_angles(run.q), wang.absolute_angles(run.v), ""
    if exact is not None:
        q, v, of = q - wang.absolute_angles(exact.q), v - wang.absolute_angles(exact.v), "error of "
    names = ("theta", "alpha", "phi")
    angles, rates = _numbered_curves(names, run.t, q), _numbered_curves(names, run.t, v)
    return [Panel(TIME, f"{of}angle [rad]", angles), Panel(TIME, f"{of}speed [rad/s]", rates)]


@register_figure("wang-fig7", f"{WANG}, Fig 7: the rigid linkage on springs, k = 1e6 N/m")
def rigid_motion() -> list[Panel]:
    return _motion_panels(wang.four_bar_run(wang.SPRINGS))


@register_figure("wang-fig8", f"{WANG}, Fig 8: springs less the closed linkage")
def rigid_errors() -> list[Panel]:
    return _motion_panels(wang.four_bar_run(wang.SPRINGS), wang.four_bar_run(wang.DAE))


@register_figure("wang-fig10", f"{WANG}, Fig 10: the linkage with the flexible coupler")
def flexible_motion() -> list[Panel]:
    return _motion_panels(wang_mechanisms.flexible_linkage_run(wang_mechanisms.STIFF))


@register_figure("wang-fig11", f"{WANG}, Fig 11: deflection of the coupler's mid-point")
def deflection_panels() -> list[Panel]:
    run = wang_mechanisms.flexible_linkage_run(wang_mechanisms.STIFF)
    return [Panel(TIME, "deflection [m]", [Curve("mid-point", run.t, run["coupler.mid_y"])])]


@register_figure("wang-fig12", f"{WANG}, Fig 12: springs less the closed flexible linkage")
def flexible_errors() -> list[Panel]:
    return _motion_panels(
        wang_mechanisms.flexible_linkage_run(wang_mechanisms.STIFF), wang_mechanisms.flexible_linkage_run(None)
    )


@register_figure("wang-fig13", f"{WANG}, Fig 13: error of the mid-point's deflection on springs")
def deflection_error() -> list[Panel]:
    t = wang_mechanisms.flexible_linkage_run(None).t
    return [Panel(TIME, "error [% of largest deflection]", [Curve("", t, wang_mechanisms.deflection_deviation())])]


@register_figure("wang-fig14", f"{WANG}, Fig 14: the platform on springs (1 s; a leg is too short at 1.42 s)")
def platform_panels() -> list[Panel]:
    run = wang_mechanisms.platform_run(wang_mechanisms.PLATFORM_SPRINGS)
    velocities = _numbered_curves(("v_x", "v_y", "v_z"), run.t, wang_mechanisms.platform_velocity(run))
    positions = _numbered_curves(("x", "y", "z"), run.t, run.q)
    return [Panel(TIME, "position [m]", positions), Panel(TIME, "velocity [m/s]", velocities)]


@dataclass(frozen=True)
class Drawings:
    """Figures of some papers, each drawn when it is reached; gives the files' names."""

    names: tuple[str, ...]
    folder: str
    ending: str

    def __len__(self) -> int:
        return len(self.names)

    def __iter__(self) -> Iterator[str]:
        return (draw_chart(FIGURES[name](), self.folder, self.ending).name for name in self.names)


def figure_drawings(papers: set[str], folder: str, ending: str = "pdf") -> Drawings:
    """The figures of the named papers, to be drawn into a folder."""
    return Drawings(tuple(name for name in FIGURES if name.partition("-")[0] in papers), folder, ending)
