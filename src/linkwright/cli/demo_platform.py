"""The second half of the demonstration: a Gough-Stewart platform, its leg forces, and a report to look at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

FILE = "gough_stewart.html"
DURATION = 2.0  # [s]
ROWS = 401
LIFT = (0.2, -0.1, 0.25)  # [m]
TOLERANCE = 1e-5  # [m]; without feedback the machine falls away from its way, and the smallest difference grows


@dataclass(frozen=True, eq=False)
class Lifted:
    """A lifted platform: the run under the computed forces, the largest miss of a leg [m], where the report is."""

    run: Any
    miss: float
    file: str

    @property
    def agrees(self) -> bool:
        return self.miss <= TOLERANCE


def lifted(file: str = FILE) -> Lifted:
    """Forces that lift the platform by inverse dynamics, a simulation under these forces, and its report."""
    from linkwright import DOP853, Cycloidal, build, catalog, feedforward, simulate

    model = build(catalog.load("gough-stewart"))
    home = model.assemble().q
    xyz, wxyz = model.frame_pose(home, "platform")
    end, _, _ = model.from_platform((xyz + LIFT, wxyz), near=home)
    legs = [model.q_names.index(f"rho{i}") for i in range(1, 7)]
    way = Cycloidal(home[legs], end[legs], DURATION)
    forces = feedforward(model, way, [DURATION * k / (ROWS - 1) for k in range(ROWS)], near=home)
    run = simulate(model, home, t_end=DURATION, effort=forces, method=DOP853(rtol=1e-12))
    miss = float(abs(run.q[:, legs] - way.at(run.t)[0]).max())
    return Lifted(run, miss, run.report(file, title="Gough-Stewart platform, lifted in two seconds"))


def told(found: Lifted) -> str:
    """What was done and where the report is, in words."""
    peaks = ", ".join(f"{x:.4g}" for x in abs(found.run.tau).max(axis=0))
    word = "agrees" if found.agrees else "DIFFERS"
    return (
        f"Gough-Stewart platform: six legs, six closed loops. Inverse dynamics gives the forces that lift it by\n"
        f"{LIFT[2]} m in {DURATION:g} s (peaks {peaks} N); a simulation under these forces follows.\n"
        f"Check: the simulation {word} with the wanted motion; largest difference of a leg {found.miss:.1e} m,\n"
        f"tolerance {TOLERANCE:.0e} m. Loops closed to {found.run.closure.max():.1e} m.\n"
        f"Look at it: {found.file} (opens by double-click)"
    )
