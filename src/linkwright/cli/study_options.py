"""The study that `simulate` runs: read from a study file, or described by options about a mechanism."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkwright.errors import ArgumentError, FormatError

if TYPE_CHECKING:
    from linkwright.formats.study import Study
    from linkwright.mechanism import Mechanism


def requested_study(name: str, options: dict[str, Any]) -> tuple[Study, Mechanism, str]:
    """The study, its mechanism, and the folder from which the study names the mechanism's file."""
    from linkwright.cli.mechanisms import imported, requested_parameters
    from linkwright.formats.study import load_study

    if not is_study(name):
        mech = imported(name).mechanism
        return _described(name, mech, options), mech, ""
    for option, value in {**options, "set": requested_parameters()}.items():
        if value:
            flag = {"start": "from"}.get(option, option).replace("_", "-")
            raise click.UsageError(f"--{flag} is for mechanisms; the study {name} defines it: change it there")
    study = load_study(name)
    folder = os.path.dirname(name)
    beside = os.path.join(folder, study.mechanism)
    path = beside if os.path.isfile(beside) else study.mechanism
    return study, imported(path, study.parameters).mechanism, folder


def is_study(name: str) -> bool:
    """Return True for a file that names its mechanism, which only studies do."""
    from linkwright.formats.files import read_text
    from linkwright.formats.yaml.text import read

    if not os.path.isfile(name) or os.path.splitext(name)[1].lower() not in (".yaml", ".yml"):
        return False
    data = read(read_text(Path(name)), name).data
    return isinstance(data, dict) and "mechanism" in data


def saved_study(study: Study, folder: str, path: str) -> None:
    """Write a study; a mechanism file is named as it is seen from the new study."""
    from linkwright.formats.study import save_study

    file = os.path.join(folder, study.mechanism)
    if os.path.isfile(file):
        seen = os.path.relpath(file, os.path.dirname(path) or ".").replace(os.sep, "/")
        study = study.model_copy(update={"mechanism": seen})
    save_study(study, path)


def _described(name: str, mech: Mechanism, options: dict[str, Any]) -> Study:
    """The study that the options describe."""
    from linkwright import build
    from linkwright.cli.mechanisms import requested_parameters
    from linkwright.formats.study import from_study_text

    model = build(mech)
    data: dict[str, Any] = {"format": 1, "mechanism": name, "parameters": requested_parameters()}
    data["t_end"] = _seconds("--duration", options["duration"] or "1 s")
    data["start"] = _start(model, options["start"], options["speeds"])
    data["method"] = _method(options)
    data["formulation"] = _formulation(options)
    data["stop_at_limits"] = options["stop_at_limits"]
    data["max_steps"] = options["max_steps"]
    data["output"] = {} if options["samples"] is None else {"rows": options["samples"]}
    if options["effort"]:
        data["effort"] = {"law": "constant", "efforts": _efforts(model, options["effort"])}
    data["wrenches"] = [_force(text) for text in options["force"]]
    try:
        return from_study_text(json.dumps(data), "the options")
    except FormatError as error:
        raise ArgumentError(str(error)) from None


def _force(text: str) -> dict[str, Any]:
    """A force on a body or frame, world axes, from "slider=0, 0, -50 N"."""
    from linkwright.cli.motion import typed

    name, equals, written = text.partition("=")
    parts = written.split(",") if "," in written else written.split()
    if not equals or len(parts) != 3:
        raise click.UsageError(f'--force is "{text}"; write a body or frame and three numbers: "slider=0, 0, -50 N"')
    return {"body": name.strip(), "force": [typed(part.strip(), "--force", "N") for part in parts], "axes": "world"}


def _seconds(option: str, written: str) -> float:
    from linkwright.cli.motion import typed

    time = typed(written, option, "s")
    if not 0.0 < time < float("inf"):
        raise ArgumentError(f"{option} is {written}; write a time above zero, for example '1 s'")
    return time


def _method(options: dict[str, Any]) -> dict[str, Any]:
    name, step = options["method"], options["step"]
    if name == "rk4" and step is None:
        raise click.UsageError('rk4 has a fixed step; give one, for example --step "1 ms"')
    if step is not None and name not in ("rk4", "dp5"):
        title = name or "the default method"
        raise click.UsageError(f"{title} chooses its steps itself; leave --step out, or take --method rk4 or dp5")
    written = {"name": name, "rtol": options["rtol"], "step": None if step is None else _seconds("--step", step)}
    return {key: value for key, value in written.items() if value is not None}


def _formulation(options: dict[str, Any]) -> dict[str, Any]:
    name, springs = (
        options["formulation"] or "multipliers",
        {k: options[k] for k in ("stiffness", "damping") if options[k]},
    )
    if name == "springs":
        if "stiffness" not in springs:
            raise click.UsageError('virtual springs need a stiffness, for example --stiffness "1e6 N/m"')
        return {"name": "virtual-springs", **springs}
    if springs:
        raise click.UsageError(f"--{next(iter(springs))} is for --formulation springs; leave it out, or add that")
    return {"name": name}


def _start(model: Any, positions: str | None, speeds: str | None) -> dict[str, Any]:
    """Coordinates, all of them when some were given, and independent velocities by name."""
    from linkwright.cli.configurations import given
    from linkwright.cli.inverse import part_units

    start: dict[str, Any] = {} if positions is None else {"q": _coordinates(model, positions)}
    if speeds:
        units = dict(zip(model.v_names, part_units(model.mechanism, True, "rad/s", "m/s")))
        known = list(model.independent)
        start["v"] = given(speeds, known, [units[each] for each in known], "--speeds")
    return start


def _coordinates(model: Any, text: str) -> list[float]:
    """All coordinates: as typed for a tree; with loops, from the actuators or closed with some joints held."""
    from linkwright.cli.configurations import given
    from linkwright.cli.driven import driven_coordinates, is_closed
    from linkwright.cli.inverse import part_units
    from linkwright.cli.motion import coordinates

    home = model.assemble().q
    units = part_units(model.mechanism, False, "rad", "m")
    if not is_closed(model.mechanism):
        return coordinates(text, model.q_names, units, home.tolist())
    names, act_units = driven_coordinates(model) if model.na else ([], [])
    named = {part.partition("=")[0].strip() for part in text.split(",") if "=" in part}
    if model.na and named <= {*names, *model.actuated}:
        here = [float(home[model.q_names.index(name)]) for name in names]
        acts = coordinates(text, model.actuated, act_units, here, dict(zip(names, model.actuated)))
        return model.forward_kinematics(acts, near=home)[0].tolist()
    driven = dict(zip(model.actuated, names))
    held = given(text, [*model.actuated, *model.q_names], [*act_units, *units], "--from")
    held = {driven.get(name, name): x for name, x in held.items()}
    return model.assemble(fixed=held).q.tolist()


def _efforts(model: Any, text: str) -> list[float]:
    from linkwright.cli.configurations import given

    if not model.na:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' has no actuators; name them in its file")
    values = given(text, model.actuated, [each.effort_unit for each in model.actuators], "--effort")
    return [values.get(each, 0.0) for each in model.actuated]
