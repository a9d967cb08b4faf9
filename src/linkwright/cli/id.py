"""`linkwright id`: inverse dynamics along a motion."""

from __future__ import annotations

from typing import Any

import click

from linkwright.cli.failures import reporting_errors
from linkwright.cli.file_names import plain
from linkwright.cli.outputs import claim, output_option, overwrite_option
from linkwright.errors import Exit

_COMPARED, _AGREES = 12, 1e-6


@click.command("id", short_help="Inverse dynamics: efforts that make a mechanism follow a motion.")
@click.argument("name_or_file")
@click.option("--motion", default="cycloidal", show_default=True, help="'cycloidal', or a CSV file: t, q.*, v.*, a.*")
@click.option("--from", "start", help="First coordinates: all in order, or some by name. [default: home, else 0]")
@click.option("--to", "end", help="Last coordinates, written the same way.")
@click.option("--duration", default="10 s", show_default=True, help="Duration of the cycloidal motion.")
@click.option("--samples", default=101, show_default=True, help="Samples of the cycloidal motion.")
@output_option("--output", kind="efforts", help="CSV file to write.  [default: NAME_efforts.csv]")
@overwrite_option
@click.option("--compare", is_flag=True, help="Compare with a second method; ends with 5 where they differ.")
@click.option("--json", "as_json", is_flag=True, help="Print the numbers as JSON; a CSV only with --output.")
@reporting_errors
def inverse_dynamics(
    name_or_file: str, motion: str, output: str | None, compare: bool, as_json: bool, **path: Any
) -> None:
    """Compute the actuators' efforts along a motion of NAME_OR_FILE (a catalog name or a mechanism file).

    Where loops or couplings tie joints together, --from and --to are positions of the actuators, by the name of the
    actuator or of its coordinate; the other joints follow with every loop closed.

    \b
    Examples:
      linkwright id three-link-arm --to "90 deg, 45 deg, 0" --duration "2 s"
      linkwright id stanford-arm --to "theta1=60 deg, b3=100 mm" --output torques.csv
      linkwright id four-bar --to "motor=120 deg"
      linkwright id robot.urdf --motion measured.csv
    """
    from linkwright.cli import inverse
    from linkwright.cli.driven import require_closed
    from linkwright.cli.mechanisms import built
    from linkwright.cli.tables import say

    model = built(name_or_file)
    if motion == "cycloidal":
        course = _cycloidal(model, **path)
    else:
        course = inverse.motion_from_csv(motion, model)
        require_closed(model, course)
    if output is None and not as_json:
        output = claim(f"{plain(model.mechanism.name, '_')}_efforts.csv", "efforts")
    found = inverse.efforts(model, course)
    other = _compared(model, course) if compare else None
    if as_json:
        more = {"agreement": {"method": other.method, "relative": other.relative}} if other else {}
        inverse.as_json(found, mechanism=model.mechanism.name, **more)
    else:
        inverse.show_efforts(found, f"Efforts of {model.mechanism.name}")
    if output:
        inverse.write_efforts(found, output, quiet=as_json)
    if other and not as_json:
        say(other.message[0].upper() + other.message[1:] + ".")
    if other and other.relative > _AGREES:
        raise click.exceptions.Exit(Exit.CHECK_FAILED)


def _compared(model: Any, course: Any) -> Any:
    """Up to a dozen samples of the motion by a second method."""
    from linkwright.analysis.comparison import agreement

    last = len(course.t) - 1
    picked = sorted({round(k * last / (_COMPARED - 1)) for k in range(_COMPARED)})
    return agreement(model, "inverse_dynamics", *([x[k] for k in picked] for x in (course.q, course.v, course.a)))


def _cycloidal(model: Any, start: str | None, end: str | None, duration: str, samples: int) -> Any:
    from linkwright.cli.driven import driven, is_closed
    from linkwright.cli.motion import coordinates, cycloidal, typed

    names, units, aliases = _inputs(model)
    if end is None:
        raise click.UsageError('a cycloidal motion needs --to, for example --to "90 deg, 45 deg, 0"')
    seconds = typed(duration, "--duration", "s")

    def course(rest: list[float]) -> Any:
        first = rest if start is None else coordinates(start, names, units, rest, aliases)
        return cycloidal(first, coordinates(end, names, units, first, aliases), seconds, samples)

    return driven(model, model.assemble().q, course) if is_closed(model.mechanism) else course(_home(model.mechanism))


def _inputs(model: Any) -> tuple[Any, list[str], dict[str, str]]:
    """Names, units and aliases of the coordinates that --from and --to set."""
    from linkwright.cli.driven import driven_coordinates, is_closed
    from linkwright.cli.inverse import part_units
    from linkwright.errors import ArgumentError

    if is_closed(model.mechanism):
        moved, units = driven_coordinates(model)
        return model.actuated, units, dict(zip(moved, model.actuated))
    units = part_units(model.mechanism, False, "rad", "m")
    if "" in units:
        joint = model.q_names[units.index("")].rpartition(".")[0]
        raise ArgumentError(f"joint '{joint}' carries a quaternion; give the motion as a CSV file, --motion FILE.csv")
    return model.q_names, units, {}


def _home(mech: Any) -> list[float]:
    home = {name: list(values) for name, values in mech.home}
    return [x for j in mech.joints for x in home.get(j.name, [0.0] * len(j.kind.q_parts))]
