"""The study that `simulate` runs: read from a study file, or described by options about a mechanism."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from linkwright.cli.values import WrittenList, WrittenOption
from linkwright.errors import ArgumentError, FormatError

if TYPE_CHECKING:
    from linkwright.formats.study import Study
    from linkwright.mechanism import Mechanism


def requested_study(name: str, options: dict[str, Any]) -> tuple[Study, Mechanism, str]:
    """The study, its mechanism, and the folder from which the study names the mechanism's file."""
    from linkwright.cli.mechanisms import import_mechanism, requested_parameters
    from linkwright.formats.study import load_study

    if not is_study(name):
        mech = import_mechanism(name).mechanism
        return _simulation_study(name, mech, options), mech, ""
    for option, value in {**options, "set": requested_parameters()}.items():
        if value:
            raise click.UsageError(
                f"--{option.replace('_', '-')} is for mechanisms; the study {name} defines it: change it there"
            )
    study = load_study(name)
    folder = os.path.dirname(name)
    beside = os.path.join(folder, study.mechanism)
    path = beside if os.path.isfile(beside) else study.mechanism
    return study, import_mechanism(path, study.parameters).mechanism, folder


def is_study(name: str) -> bool:
    """Return True for a file that names its mechanism, which only studies do."""
    from linkwright.formats.text_files import read_text
    from linkwright.formats.yaml.yaml_text import read_yaml_text

    if not os.path.isfile(name) or os.path.splitext(name)[1].lower() not in (".yaml", ".yml"):
        return False
    data = read_yaml_text(read_text(Path(name)), name).data
    return isinstance(data, dict) and "mechanism" in data


def saved_study(study: Study, folder: str, path: str) -> None:
    """Write a study; a mechanism file is named as it is seen from the new study."""
    from linkwright.formats.study import save_study

    file = os.path.join(folder, study.mechanism)
    if os.path.isfile(file):
        seen = os.path.relpath(file, os.path.dirname(path) or ".").replace(os.sep, "/")
        study = study.model_copy(update={"mechanism": seen})
    save_study(study, path)


def _simulation_study(name: str, mech: Mechanism, options: dict[str, Any]) -> Study:
    """The study that the options describe."""
    from linkwright import build
    from linkwright.cli.mechanisms import requested_parameters
    from linkwright.formats.study import from_study_text

    model = build(mech)
    data: dict[str, Any] = {"format": 1, "mechanism": name, "parameters": requested_parameters()}
    data["t_end"] = options["duration"] or 1.0
    data["start"] = _start_entry(model, options["at"], options["velocities"])
    data["method"] = _method_entry(options)
    data["formulation"] = _formulation_entry(options)
    data["stop_at_limits"] = options["stop_at_limits"]
    data["max_steps"] = options["max_steps"]
    data["output"] = {} if options["samples"] is None else {"rows": options["samples"]}
    if options["effort"]:
        data["effort"] = {"law": "constant", "efforts": _typed_efforts(model, options["effort"])}
    data["wrenches"] = [typed_force(text) for text in options["force"]]
    try:
        return from_study_text(json.dumps(data), "the options")
    except FormatError as error:
        raise ArgumentError(str(error)) from None


def typed_force(text: str) -> dict[str, Any]:
    """A force on a body or frame, world axes, from "slider=0, 0, -50 N"."""
    name, equals, written = text.partition("=")
    parts = written.split(",") if "," in written else written.split()
    if not equals or len(parts) != 3:
        raise click.UsageError(f'--force is "{text}"; write a body or frame and three numbers: "slider=0, 0, -50 N"')
    source = WrittenOption("--force", text)
    force = [source.number(part.strip(), text.index(part.strip()), name.strip(), "N") for part in parts]
    return {"body": name.strip(), "force": force, "axes": "world"}


def _method_entry(options: dict[str, Any]) -> dict[str, Any]:
    from linkwright.method_registry import DEFAULT_NAME, foreign_option, missing_option

    name = options["method"]
    written = {key: options[key] for key in ("rtol", "step") if options[key] is not None}
    if name is not None and missing_option(name, written):
        raise click.UsageError(f'{name} has a fixed step; give one, for example --step "1 ms"')
    if found := foreign_option(name or DEFAULT_NAME, written):
        option, why, others = found
        text = f"{name or 'the default method'} {why}; leave --{option} out"
        raise click.UsageError(f"{text}, or take --method {' or '.join(others)}")
    return written if name is None else {"name": name, **written}


def _formulation_entry(options: dict[str, Any]) -> dict[str, Any]:
    name = options["formulation"] or "multipliers"
    springs = {key: options[f"spring_{key}"] for key in ("stiffness", "damping") if options[f"spring_{key}"]}
    if name == "springs":
        if "stiffness" not in springs:
            raise click.UsageError('virtual springs need a stiffness, for example --spring-stiffness "1e6 N/m"')
        return {"name": "virtual-springs", **springs}
    if springs:
        raise click.UsageError(
            f"--spring-{next(iter(springs))} is for --formulation springs; leave it out, or add that"
        )
    return {"name": name}


def _start_entry(model: Any, at: WrittenList | None, velocities: WrittenList | None) -> dict[str, Any]:
    """Coordinates, all of them when some were given, and independent velocities by name."""
    from linkwright.cli.configurations import configuration_at, velocity_units

    start: dict[str, Any] = {} if at is None else {"q": configuration_at(model, at).tolist()}
    if velocities:
        units = dict(zip(model.v_names, velocity_units(model)))
        known = list(model.independent)
        start["v"] = velocities.values(known, [units[each] for each in known], kind="independent velocity")
    return start


def _typed_efforts(model: Any, effort: WrittenList) -> list[float]:
    if not model.na:
        raise ArgumentError(f"mechanism '{model.mechanism.name}' has no actuators; name them in its file")
    values = effort.values(model.actuated, [each.effort_unit for each in model.actuators], kind="actuator")
    return [values.get(each, 0.0) for each in model.actuated]
