"""The command line. Verbs import what they need when they run, so that `--help` is fast."""

from __future__ import annotations

import click

from linkwright.cli.bench import bench
from linkwright.cli.check import check
from linkwright.cli.convert import convert
from linkwright.cli.demo import demo
from linkwright.cli.deviations import calibrate, tolerance
from linkwright.cli.explain import explain
from linkwright.cli.export import export
from linkwright.cli.identify import identify
from linkwright.cli.info import info
from linkwright.cli.kinematics import assemble, fk, ik
from linkwright.cli.new import new
from linkwright.cli.optimize import optimize
from linkwright.cli.registered_studies import StudyCommandLine
from linkwright.cli.report import report
from linkwright.cli.settings import add_common_options, read_option_defaults
from linkwright.cli.simulate import simulate
from linkwright.cli.stated_motion import motion
from linkwright.cli.sweep import sweep
from linkwright.cli.time_optimal import size, time_optimal
from linkwright.cli.verify import selftest, verify
from linkwright.cli.versions import print_version, remember_verbose
from linkwright.cli.view import view
from linkwright.cli.workspace import clearance, indices, workspace

_VERBOSE = "With --version: everything that a bug report needs."


@click.group(cls=StudyCommandLine, context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--verbose", is_flag=True, is_eager=True, expose_value=False, callback=remember_verbose, help=_VERBOSE)
@click.option("--version", is_flag=True, expose_value=False, callback=print_version, help="Show the version and end.")
@click.option("--debug", is_flag=True, help="Show tracebacks of errors.")
@click.option(
    "--config", callback=read_option_defaults, is_eager=True, expose_value=False, help="TOML file with options, [verb]."
)
def main(debug: bool) -> None:
    """Kinematics and dynamics of serial and parallel robots.

    \b
    Start with:
      linkwright demo
      linkwright new four-bar my-robot.yaml
      linkwright info stanford-arm
    Exit codes: 0 done, 1 unexpected, 2 wrong usage, 3 bad mechanism file,
    4 does not converge or close, 5 a check failed, 130 Ctrl-C.
    """


GROUPS = {
    "Start": (demo, new),
    "Look at a mechanism": (info, view, check, explain),
    "Compute": (assemble, fk, ik, motion, simulate),
    "Design": (workspace, indices, clearance, size, tolerance, optimize, time_optimal, sweep),
    "From measurements": (identify, calibrate),
    "Hand on": (convert, export, report),
    "Trust": (verify, selftest, bench),
}
"""The verbs as the help page lists them."""

main.groups = {title: [str(verb.name) for verb in verbs] for title, verbs in GROUPS.items()}
for _verbs in GROUPS.values():
    for _verb in _verbs:
        main.add_command(add_common_options(_verb))
