"""Saha 1999, Figs 5, 6, 8 and 9."""

from __future__ import annotations

import numpy as np

from linkwright.gallery.saha import fall, torques
from linkwright.plots.charts import Chart, Curve, Panel

TIME = "t [s]"
STANFORD = ("theta_1", "theta_2", "b_3", "theta_4", "theta_5", "theta_6")


def planar_torques() -> Chart:
    t = np.linspace(0.0, 10.0, 201)
    tau = torques("three-link-arm", t)
    curves = [Curve(f"tau_{i + 1}", t, tau[:, i]) for i in range(3)]
    return Chart("saha-fig5", "Saha 1999, Fig 5: torques of the planar arm", [Panel(TIME, "torque [N m]", curves)])


def planar_fall() -> Chart:
    run = fall("three-link-arm")
    curves = [Curve(f"theta_{i + 1}", run.t, run.q[:, i]) for i in range(3)]
    return Chart("saha-fig6", "Saha 1999, Fig 6: the planar arm let go", [Panel(TIME, "joint angle [rad]", curves)])


def stanford_efforts() -> Chart:
    t = np.linspace(0.0, 10.0, 201)
    tau = torques("stanford-arm", t)
    panels = [
        Panel(TIME, "force [N]" if i == 2 else "torque [N m]", [Curve("", t, tau[:, i])], f"joint {i + 1}")
        for i in range(6)
    ]
    return Chart("saha-fig8", "Saha 1999, Fig 8: torques and force of the Stanford arm", panels, columns=2)


def stanford_fall() -> Chart:
    run = fall("stanford-arm")
    panels = [
        Panel(TIME, f"{name} [{'m' if name == 'b_3' else 'rad'}]", [Curve("", run.t, run.q[:, i])], f"joint {i + 1}")
        for i, name in enumerate(STANFORD)
    ]
    return Chart("saha-fig9", "Saha 1999, Fig 9: the Stanford arm let go", panels, columns=2)


CHARTS = {
    "saha-fig5": planar_torques,
    "saha-fig6": planar_fall,
    "saha-fig8": stanford_efforts,
    "saha-fig9": stanford_fall,
}
