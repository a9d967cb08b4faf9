"""Study files in and out: hardened like mechanism files, every problem reported at once with its line."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from linkwright import checks
from linkwright.errors import ArgumentError
from linkwright.files import FileKind, write_whole
from linkwright.findings import Path as Location
from linkwright.formats.import_findings import refuse_file
from linkwright.formats.study.study_document import Study, StudyMethod, read_file_text, read_validated_block
from linkwright.formats.yaml.yaml_writer import block_lines
from linkwright.method_registry import foreign_option, missing_option

STUDY = FileKind("a study", (".yaml", ".yml"), None)


def load_study(path: str | os.PathLike[str]) -> Study:
    """The study in a file; a mechanism named as a file is looked for beside it."""
    return from_study_text(*read_file_text(path))


def save_study(study: Study, path: str | os.PathLike[str]) -> None:
    """Write a study; the file appears complete or not at all."""
    if not isinstance(study, Study):
        raise ArgumentError(f"save_study takes a Study and a path, found {type(study).__name__} as the study")
    write_whole(checks.require_path("path", path), to_study_text(study))


def from_study_text(text: str, file: str = "text") -> Study:
    """The study a YAML text describes; `file` is the name used in messages.

    >>> from_study_text("{format: 1, mechanism: four-bar, t_end: 200 ms}").t_end
    0.2
    """
    study, source = read_validated_block(text, file, Study, "a study")
    if found := list(_study_contradictions(study)):
        refuse_file(file, [source.problem("contradiction", message, path, fix) for path, message, fix in found])
    return study


def to_study_text(study: Study) -> str:
    """A study as YAML that reads back as the same study, bit for bit.

    >>> text = to_study_text(from_study_text("{format: 1, mechanism: four-bar, t_end: 0.2}"))
    >>> from_study_text(text).t_end
    0.2
    """
    return "\n".join(block_lines(_tuples_to_lists(study.model_dump(exclude_none=True, exclude_defaults=True)))) + "\n"


def _tuples_to_lists(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _tuples_to_lists(each) for key, each in value.items()}
    return [_tuples_to_lists(each) for each in value] if isinstance(value, list | tuple) else value


def _method_contradictions(name: str, method: StudyMethod) -> Iterator[tuple[Location, str, str]]:
    given = [key for key, value in method.model_dump(exclude={"name"}).items() if value is not None]
    if missing_option(name, given) is not None:
        yield ("method",), f"{name} has a fixed step", "add 'step', for example 'step: 1 ms'"
    if found := foreign_option(name, given):
        option, why, others = found
        yield ("method", option), f"{name} {why}", f"leave '{option}' out, or take {' or '.join(others)}"


def _study_contradictions(study: Study) -> Iterator[tuple[Location, str, str]]:
    """Things that are right one by one and wrong together: path, message, fix."""
    if study.t_end <= study.t_start:
        text = f"the run ends at {study.t_end} s, which is not after its start at {study.t_start} s"
        yield ("t_end",), text, ""
    for i, each in enumerate(study.switches):
        if (each.close is None) == (each.open is None):
            yield ("switches", i), "a switch names the loop it closes or the one it opens", "write one of them"
        if each.open is not None and (each.restitution or each.anchor):
            text = "'restitution' and 'anchor' belong to loops that close"
            yield ("switches", i), text, "leave them out here"
    if study.output.rows is not None and study.output.step is not None:
        yield ("output",), "'rows' and 'step' both set the rows that are kept", "keep one of them"
    if study.method.name is not None:
        yield from _method_contradictions(study.method.name, study.method)
    if study.formulation.name == "virtual-springs" and study.formulation.stiffness is None:
        yield ("formulation",), "virtual springs need a 'stiffness', for example 'stiffness: 1e6 N/m'", ""
    if study.formulation.name == "baumgarte" and study.formulation.rate is None:
        yield ("formulation",), "baumgarte needs a 'rate', for example 'rate: 20'", ""
