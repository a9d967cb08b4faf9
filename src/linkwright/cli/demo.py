"""`linkwright demo`: torques of the Stanford arm, checked against independent values, then a Gough-Stewart platform."""

from __future__ import annotations

import json
import math
from typing import Any

import click

from linkwright.cli.command_failures import CommandFailure, reporting_errors
from linkwright.cli.options import json_option
from linkwright.cli.outputs import output_option, overwrite_option
from linkwright.dataclass import dataclass
from linkwright.errors import Exit

FILE = "stanford_torques.csv"
# Efforts of theta1 theta2 b3 theta4 theta5 theta6. The paper (Saha 1999, Fig. 8) prints curves, no numbers; these are
# the same quantities computed from its Table 3 by Lagrange's equations in 40 digits, independently of this library.
REFERENCE = {
    0.0: (0.0, 13.3416, 0.0, 0.0, 0.0, 0.0),
    5.0: (
        -0.005708588676463469,
        15.753785400176854,
        -15.574391896511592,
        4.0028452355203876e-05,
        -9.809941892829704e-05,
        -6.979725157843297e-05,
    ),
}
TOLERANCE = 1e-10  # [N m or N]
DURATION, ROWS, LIFT = 2.0, 401, (0.2, -0.1, 0.25)  # [s], samples, [m]
MISS = 1e-5  # [m]; without feedback the platform falls away from its path, and the smallest difference grows


@click.command(short_help="Torques of the Stanford arm, and a report of a Gough-Stewart platform.")
@json_option
@output_option("--save-run", kind="run", default=FILE, show_default=True)
@output_option("--report", kind="page", default="gough_stewart.html", show_default=True)
@overwrite_option
@reporting_errors
def demo(as_json: bool, save_run: str, report: str) -> None:
    """Compute the joint torques of the Stanford arm over the 10 s motion of Saha (1999), Fig. 8, and check them.

    Then lift a Gough-Stewart platform, check a simulation against inverse dynamics, and write a report of it.

    \b
    Example:
      linkwright demo
    """
    from linkwright import build, catalog
    from linkwright import motion as compute_motion
    from linkwright.cli.printed_tables import print_paragraph
    from linkwright.cli.stated_motion import show_motion
    from linkwright.control import Cycloidal

    model = build(catalog.load("stanford-arm"))
    sixty, ninety = math.radians(60.0), math.radians(90.0)
    start, end = [0.0, ninety, 0.0, 0.0, 0.0, 0.0], [sixty, sixty, 0.1, sixty, sixty, sixty]
    law = Cycloidal(start, end, 10.0)  # type: ignore[arg-type]
    run = compute_motion(model, [0.1 * k for k in range(101)], q_act=law)
    worst = worst_difference(run.t.tolist(), run.tau.tolist())
    run.save(save_run)
    if not as_json:
        print_paragraph(
            "Stanford arm: six joints, the third one slides. In 10 s theta2 goes from 90 to 60 deg, b3 from 0 to 0.1 m,"
        )
        print_paragraph("the other joints from 0 to 60 deg. These torques and this force make it do so:\n")
        show_motion(run)
        print_paragraph(f"All {len(run.t)} samples with positions, velocities and accelerations: {save_run}")
        print_paragraph(reference_verdict(worst) + "\n")
    if worst > TOLERANCE:
        raise CommandFailure(
            f"the efforts differ from the reference values by {worst:.1e}; please report this", Exit.CHECK_FAILED
        )
    platform = lift_platform(report)
    if as_json:
        about = {"file": platform.file, "largest_difference": platform.miss, "agrees": platform.agrees}
        data: dict[str, Any] = {
            "actuated": model.actuated,
            "units": [each.effort_unit for each in model.actuators],
            "file": save_run,
        }
        data |= {"t": run.t.tolist(), "tau": run.tau.tolist(), "largest_difference": worst, "agrees": True}
        click.echo(json.dumps({**data, "platform": about}))
    else:
        print_paragraph(demo_summary(platform))
    if not platform.agrees:
        raise CommandFailure(
            f"the simulation misses the wanted motion by {platform.miss:.1e} m; please report this", Exit.CHECK_FAILED
        )


def worst_difference(t: list[float], tau: Any) -> float:
    """The largest deviation from the reference values, [N m or N]."""
    worst = 0.0
    for time, expected in REFERENCE.items():
        row = tau[min(range(len(t)), key=lambda k: abs(t[k] - time))]
        worst = max(worst, *(abs(x - y) if math.isfinite(x) else math.inf for x, y in zip(row, expected)))
    return worst


def reference_verdict(worst: float) -> str:
    """Return the result of the comparison with the reference values as text."""
    word = "agrees" if worst <= TOLERANCE else "DIFFERS"
    return (
        f"Check: {word} at t = 0 and 5 s with reference values computed independently (Lagrange, 40 digits)\n"
        f"from the data of Saha (1999), Table 3; largest difference {worst:.1e}, tolerance {TOLERANCE:.0e}."
    )


@dataclass(frozen=True, eq=False)
class Lifted:
    """A lifted platform: the run under the computed forces, the largest miss of a leg [m], where the report is."""

    run: Any
    miss: float
    file: str

    @property
    def agrees(self) -> bool:
        return self.miss <= MISS


def lift_platform(file: str) -> Lifted:
    """Forces that lift the platform by inverse dynamics, a simulation under these forces, and its report."""
    from linkwright import DOP853, build, catalog, simulate
    from linkwright.control import Cycloidal, feedforward

    model = build(catalog.load("gough-stewart"))
    home = model.assemble().q
    xyz, wxyz = model.frame_pose(home, "platform")
    end, _, _ = model.inverse_kinematics((xyz + LIFT, wxyz), near=home)
    legs = [model.q_names.index(f"rho{i}") for i in range(1, 7)]
    way = Cycloidal(home[legs], end[legs], DURATION)
    forces = feedforward(model, way, [DURATION * k / (ROWS - 1) for k in range(ROWS)], near=home)
    run = simulate(model, home, t_end=DURATION, effort=forces, method=DOP853(rtol=1e-12))
    miss = float(abs(run.q[:, legs] - way.at(run.t)[0]).max())
    return Lifted(run, miss, run.report(file, title=f"Gough-Stewart platform, lifted {LIFT[2]:g} m in {DURATION:g} s"))


def demo_summary(found: Lifted) -> str:
    """Return a short text: what was computed, the check, and where the report is."""
    peaks = ", ".join(f"{x:.4g}" for x in abs(found.run.tau).max(axis=0))
    verdict = "agrees" if found.agrees else "DIFFERS"
    return (
        f"Gough-Stewart platform: six legs, six closed loops. Inverse dynamics gives the forces that lift it by\n"
        f"{LIFT[2]} m in {DURATION:g} s (peaks {peaks} N); a simulation under these forces follows.\n"
        f"Check: the simulation {verdict} with the wanted motion; largest difference of a leg {found.miss:.1e} m,\n"
        f"tolerance {MISS:.0e} m. Loops closed to {found.run.closure.max():.1e} m.\n"
        f"Look at it: {found.file} (opens by double-click)"
    )
