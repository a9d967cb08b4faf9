"""Files in and out: the format is found by the ending of the name; what is written appears whole or not at all."""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from linkwright import checks
from linkwright.errors import ArgumentError, FormatWarning, warn_caller
from linkwright.files import FileKind, is_taken, write_whole
from linkwright.findings import Finding, merge_similar_findings
from linkwright.formats.assets import Assets
from linkwright.formats.file_format import FileFormat, SourceFile
from linkwright.formats.format_registry import (
    beginning_of_files,
    file_formats,
    format_of_text,
    format_to_write,
    readable_suffixes,
    writable_suffixes,
)
from linkwright.formats.import_findings import Imported, refuse_one
from linkwright.formats.meshes import with_meshes_found
from linkwright.formats.text_files import read_text
from linkwright.formats.units import UnitError, value_in_si
from linkwright.mechanism import Mechanism
from linkwright.mechanism.mechanism import require_mechanism

Parameters = Mapping[str, object] | None
Folders = Sequence[str | os.PathLike[str]]
Arguments = Mapping[str, object] | None
_log = logging.getLogger("linkwright.formats")


def load(
    path: str | os.PathLike[str], parameters: Parameters = None, folders: Folders = (), xacro_args: Arguments = None
) -> Mechanism:
    """The mechanism in a file: native YAML (.yaml, .yml), URDF (.urdf, loops in a .yaml beside it), xacro, MJCF, SDF.

    What an import dropped or assumed is logged; what may change the mechanics, or looks like a slip, is a
    `FormatWarning`. `parameters` replace values in the `parameters` section of a YAML file,
    or numbers of any file by their paths, `{"bodies.crank.mass": "2 kg"}`. A model may name files
    below its own folder, in the packages it belongs to or that are on ROS's paths, and below `folders`, where
    packages may lie at any depth. `xacro_args` are the values of a xacro file's arguments, `{"ur_type": "ur5e"}`.

    >>> load("robot.docx")
    Traceback (most recent call last):
        ...
    linkwright.errors.FormatError: robot.docx: there is no such file; check the name and the folder
    """
    imported = read(path, parameters, folders, xacro_args)
    for note in (note for note in imported.notes if not note.matters):
        _log.info("%s", _text_of_note(note, path))
    for note in merge_similar_findings([note for note in imported.notes if note.matters]):
        warn_caller(_text_of_note(note, path), FormatWarning, note)
    return imported.mechanism


def _text_of_note(note: Finding, path: str | os.PathLike[str]) -> str:
    return str(note) if note.file else f"{os.fspath(path)}: {note}"


def read(
    path: str | os.PathLike[str], parameters: Parameters = None, folders: Folders = (), xacro_args: Arguments = None
) -> Imported:
    """The mechanism in a file together with the notes of its import.

    >>> import tempfile, pathlib
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = pathlib.Path(folder, "two.urdf")
    ...     _ = file.write_text('<robot name="two"><link name="a"/><link name="b"/>'
    ...         '<joint name="j" type="fixed"><parent link="a"/><child link="b"/></joint></robot>')
    ...     read(file).mechanism.base
    'a'
    """
    path = _require_file_path(path)
    if parameters is not None:
        checks.require_mapping("parameters", parameters, "a dictionary of names and values")
    if isinstance(folders, str) or not isinstance(folders, Sequence):
        checks.refuse_argument("folders", folders, "a list of folders")
    ending = path.suffix.lower()
    text = read_text(path, beginning_of_files(ending))
    file_format = format_of_text(ending, text)
    if file_format is None or file_format.read is None:
        known = ", ".join(readable_suffixes())
        fault = f"a file ending in '{ending}' is not read (known: {known})"
        refuse_one(str(path), "unknown-format", fault, "convert it")
    by_path = values_by_path(parameters)
    parameters = {name: x for name, x in (parameters or {}).items() if name not in by_path}
    if parameters and not file_format.has_parameters:
        able = " and ".join(each.name for each in file_formats() if each.has_parameters)
        raise ArgumentError(f"{path}: only {able} files have parameters; leave out {', '.join(map(str, parameters))}")
    arguments = _require_arguments(xacro_args, path, file_format)
    allowed = tuple(_require_folder(folder) for folder in folders)
    imported = file_format.read(SourceFile(text, path, allowed, parameters, arguments))
    assets = Assets(path.parent, allowed)
    mech, missing = with_meshes_found(with_written_values(imported.mechanism, by_path), assets)
    notes = (replace(note, file=str(path)) if note.line and not note.file else note for note in imported.notes)
    return Imported(mech, (*notes, *missing))


def _require_arguments(given: Any, path: Path, file_format: FileFormat) -> dict[str, str]:
    """The arguments of a file as texts."""
    given = {} if given is None else checks.require_mapping("xacro_args", given, "a dictionary of names and values")
    if given and not file_format.has_arguments:
        able = " and ".join(each.name for each in file_formats() if each.has_arguments)
        text = f"{path}: only {able} files have arguments; leave out {', '.join(map(str, given))}"
        raise ArgumentError(text, name="xacro_args")
    return {str(name): str(value).lower() if isinstance(value, bool) else str(value) for name, value in given.items()}


def _require_folder(folder: Any) -> Path:
    path = _require_file_path(folder)
    if not path.is_dir():
        raise ArgumentError(f"folders: '{path}' is not a folder; check the name", name="folders")
    return path


def values_by_path(parameters: Parameters) -> dict[str, Any]:
    """Those of given values that are numbers by their paths, `joints.B.at.x`, and not parameters of a file."""
    return {name: x for name, x in (parameters or {}).items() if isinstance(name, str) and "." in name}


def with_written_values(mech: Mechanism, by_path: Mapping[str, Any]) -> Mechanism:
    """The mechanism with other numbers by their paths, in SI or as texts with units."""
    found = {}
    for path, value in by_path.items():
        mech.value(path)  # names a path that is not there
        try:
            found[path] = value_in_si(value, mech.numbers[path].unit)
        except UnitError as error:
            raise ArgumentError(f"{path}: {error}", name=path) from None
    return mech.with_values(found) if found else mech


def _require_file_path(path: Any) -> Path:
    return checks.require_path("path", path)


def save(mech: Mechanism, path: str | os.PathLike[str], dialect: str | None = None) -> tuple[Finding, ...]:
    """Write a mechanism by the ending of the name; the file appears complete or not at all.

    Args:
        mech: the mechanism.
        path: .yaml and .yml hold everything; .urdf, .xml (MJCF) and .sdf what these formats can say.
        dialect: of URDF: "plus" (the default) writes loops as <loop> elements, "extended" a sidecar .yaml beside the
            file that names pairs of frames. Of SDF: "joints" (the default) for Gazebo, "drake" with ball constraints.

    Returns: what the format could not say, also given as `FormatWarning` where the mechanics differs.

    >>> import tempfile, pathlib
    >>> from linkwright.joints import Revolute
    >>> from linkwright.mechanism import Body, Joint
    >>> mech = Mechanism("pendulum", (Body("rod"),), (Joint("swing", "ground", "rod", Revolute()),))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     found = save(mech, pathlib.Path(folder, "pendulum.yaml"))
    ...     load(pathlib.Path(folder, "pendulum.yaml")) == mech
    True
    """
    require_mechanism("save", mech)
    path = _require_file_path(path)
    ending = path.suffix.lower()
    file_format = format_to_write(ending)
    if file_format is None or file_format.write is None:
        known = ", ".join(writable_suffixes())
        fault = (
            f"a file ending in '{ending}' is not written" if ending else "the name has no ending, which says the format"
        )
        refuse_one(str(path), "unknown-format", fault, f"end it with one of {known}")
    if dialect is not None and not file_format.has_dialects:
        able = " and ".join(each.name for each in file_formats() if each.has_dialects)
        raise ArgumentError(f"{path}: only {able} have dialects; leave out dialect={dialect!r}")
    made = file_format.write(mech, path) if dialect is None else file_format.write(mech, path, dialect)
    for other, text in made.beside.items():
        _require_replaceable_beside(path.with_suffix(other), file_format)
        write_whole(path.with_suffix(other), text)
    write_whole(path, made.text)
    for loss in (loss for loss in made.losses if loss.matters):
        warn_caller(f"{path}: {loss}", FormatWarning, loss)
    return made.losses


def mechanism_file_kind() -> FileKind:
    """The kind of file that mechanisms are written to, with the endings of all formats."""
    return FileKind("a mechanism file", writable_suffixes(), None)


def _require_replaceable_beside(path: Path, file_format: FileFormat) -> None:
    """A file beside another replaces one of its kind only: a mechanism file may have the same name."""
    if is_taken(path) and not (file_format.is_replaceable and file_format.is_replaceable(path)):
        fix = "choose another name, or a dialect without it"
        refuse_one(
            str(path), "unknown-format", f"this is not a file beside {file_format.name} and is not replaced", fix
        )
