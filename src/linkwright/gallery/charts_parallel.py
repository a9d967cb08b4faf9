"""Khan 2005, Figs 4 to 8; Hanzaki 2011, Fig 4; Rao 2006, Figs 7 to 9."""

from __future__ import annotations

import numpy as np

from linkwright.analysis.neglect import neglect
from linkwright.gallery import hanzaki, khan, khan_time, rao
from linkwright.gallery.charts_saha import TIME
from linkwright.gallery.machines import KHAN_MOVE, khan_motion, khan_pose, model
from linkwright.plots.charts import Chart, Curve, Panel
from linkwright.results.result import Result
from linkwright.simulation import DP5

ERROR = "error of joint angle [rad]"


def platform_path() -> Chart:
    t = np.linspace(0.0, 3.0, 151)
    pose = khan_pose(khan_motion(t)[0])
    axes = (("theta_7 [rad]", 2, "orientation"), ("x_7 [m]", 0, "x-position"), ("y_7 [m]", 1, "y-position"))
    panels = [Panel(TIME, beside, [Curve("", t, pose[:, i])], title) for beside, i, title in axes]
    return Chart("khan-fig4", "Khan et al. 2005, Fig 4: trajectory of the platform", panels)


def drives() -> Chart:
    t = np.linspace(0.0, 3.0, 151)
    angles, tau = KHAN_MOVE.at(t)[0], khan.torques(t)
    panels = [
        Panel(TIME, "joint angle [rad]", [Curve(f"theta_{i + 1}", t, angles[:, i]) for i in range(3)]),
        Panel(TIME, "torque [N m]", [Curve(f"tau_{i + 1}", t, tau[:, i]) for i in range(3)]),
    ]
    return Chart("khan-fig5", "Khan et al. 2005, Fig 5: desired motion and driving torques", panels)


def _errors(run: Result, title: str) -> Panel:
    e = khan_time.errors(run)
    return Panel(TIME, ERROR, [Curve(f"theta_{i + 1}", run.t, e[:, i]) for i in range(3)], title)


def adaptive() -> Chart:
    panels = [
        _errors(khan_time.driven(khan_time.adaptive(rtol)), f"relative tolerance {rtol:g}") for rtol in (1e-3, 1e-6)
    ]
    return Chart("khan-fig6", "Khan et al. 2005, Fig 6: errors with adaptive steps", panels)


def fixed() -> Chart:
    panels = [_errors(khan_time.driven(DP5(h=h)), f"step {h:g} s") for h in (0.01, 0.001)]
    return Chart("khan-fig7", "Khan et al. 2005, Fig 7: errors with fixed steps", panels)


def feedback() -> Chart:
    run = khan_time.followed()
    percent = khan_time.corrections(run)
    curves = [Curve(f"tau_{i + 1}", run.t, percent[:, i]) for i in range(3)]
    panels = [_errors(run, "errors"), Panel(TIME, "correction [% of largest torque]", curves, "torque correction")]
    return Chart("khan-fig8", "Khan et al. 2005, Fig 8: with feedback, step 0.001 s", panels)


def driving_forces() -> Chart:
    t = np.linspace(0.0, 6.0, 121)
    F = hanzaki.forces(t)
    curves = [Curve(f"leg {i + 1}", t, F[:, i], dashed=i == 2) for i in range(3)]  # legs 2 and 3 are alike
    title = "Hanzaki and Yoosefi 2011, Fig 4: driving forces of the 3-RPS"
    return Chart("hanzaki-fig4", title, [Panel(TIME, "force [N]", curves)])


def _angle() -> np.ndarray:
    return np.linspace(0.0, 360.0, len(rao.forces()))


def slider_forces() -> Chart:
    curves = [Curve(f"slider {i + 1}", _angle(), rao.forces()[:, i]) for i in range(6)]
    panel = Panel("place on the circle [deg]", "force [N]", curves)
    return Chart("rao-fig7", "Koteswara Rao et al. 2006, Fig 7: slider forces at 40 rpm", [panel])


def neglected() -> Chart:
    found = neglect(model("hexam"), rao.CASES, *rao.circle())
    panels = []
    for i in range(6):
        curves = [Curve("all inertias", _angle(), found.full[:, i])]
        curves += [Curve(f"without {name}", _angle(), tau[:, i], True) for name, tau in found.without.items()]
        panels.append(Panel("place on the circle [deg]", "force [N]", curves, f"slider {i + 1}"))
    title = "Koteswara Rao et al. 2006, Fig 8: inertias left out, 40 rpm"
    return Chart("rao-fig8", title, panels, columns=2)


def speeds() -> Chart:
    rows = rao.study()
    curves = [Curve(f"without {name}", rao.SPEEDS, [row.largest[name] for row in rows]) for name in rao.CASES]
    panel = Panel("speed [rpm]", "largest difference [N]", curves)
    return Chart("rao-fig9", "Koteswara Rao et al. 2006, Fig 9: largest difference of a slider force", [panel])


CHARTS = {
    "khan-fig4": platform_path,
    "khan-fig5": drives,
    "khan-fig6": adaptive,
    "khan-fig7": fixed,
    "khan-fig8": feedback,
    "hanzaki-fig4": driving_forces,
    "rao-fig7": slider_forces,
    "rao-fig8": neglected,
    "rao-fig9": speeds,
}
