"""Files in and out: readers by the ending of the name, messages for what cannot be read, writing all or nothing.

The readers and writers of XML formats are imported by the functions that need them: most files are native ones.
"""

from __future__ import annotations

import logging
import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from linkwright import checks
from linkwright.errors import ArgumentError, FormatWarning, warn_caller
from linkwright.files import FileKind, is_taken, write_whole
from linkwright.findings import Finding
from linkwright.formats.assets import Assets
from linkwright.formats.import_findings import Imported, refuse_one
from linkwright.formats.meshes import with_meshes_found, with_shapes
from linkwright.formats.plausibility import doubts_about_values, written_doubts
from linkwright.formats.units import UnitError, value_in_si
from linkwright.formats.written_files import Losses, Written, with_mesh_name
from linkwright.formats.yaml import from_yaml, to_yaml
from linkwright.mechanism import Mechanism
from linkwright.mechanism.mechanism import require_mechanism
from linkwright.mechanism.names import suggest_name

LARGEST = 32 * 1024 * 1024  # bytes; each reader has its own, smaller limit
Parameters = Mapping[str, object] | None
Folders = Sequence[str | os.PathLike[str]]
_log = logging.getLogger("linkwright.formats")


# How a file of each ending begins, for the message about an empty one.
_OF_ARCHIVES = "show a run with linkwright report, and read it with lw.open_result"
_BEGINNINGS = {
    ".yaml": "a mechanism begins with 'format: 1'",
    ".urdf": "URDF begins with <robot>",
    ".xml": "MJCF begins with <mujoco>",
    ".mjcf": "MJCF begins with <mujoco>",
    ".sdf": "SDF begins with <sdf>",
}


def _read_yaml(text: str, path: Path, parameters: Parameters, assets: Assets) -> Imported:
    mech = from_yaml(text, str(path), parameters)
    return Imported(mech, (*doubts_about_values(mech), *written_doubts(mech)))


def _read_urdf(text: str, path: Path, parameters: Parameters, assets: Assets) -> Imported:
    """A URDF file; a YAML file beside it, of its name or `robot.yaml`, may name loops and actuators (Extended URDF)."""
    from linkwright.formats.urdf import from_urdf
    from linkwright.formats.urdf.sidecar import close_with_sidecar, sidecar_candidates, unread_sidecars

    imported, names = from_urdf(text, str(path)), sidecar_candidates(path)
    missed = tuple(unread_sidecars(imported, path.parent, names))
    beside = next((name for name in names if name.is_file()), None)
    if beside is not None:
        imported = close_with_sidecar(imported, read_text(beside), str(beside))
    return Imported(imported.mechanism, (*imported.notes, *missed))


def _read_mjcf(text: str, path: Path, parameters: Parameters, assets: Assets) -> Imported:
    from linkwright.formats.mjcf import from_mjcf

    return from_mjcf(text, str(path), assets.folder, assets.allowed)


def _read_xacro(text: str, path: Path, parameters: Parameters, assets: Assets) -> Imported:
    from linkwright.formats.urdf.urdf_reader import urdf_text

    return _read_urdf(urdf_text(path), path, parameters, assets)


def _read_sdf(text: str, path: Path, parameters: Parameters, assets: Assets) -> Imported:
    from linkwright.formats.sdf import from_sdf

    return from_sdf(text, str(path), assets.folder, assets.allowed)


READERS: dict[str, Callable[[str, Path, Parameters, Assets], Imported]] = {
    ".yaml": _read_yaml,
    ".yml": _read_yaml,
    ".urdf": _read_urdf,
    ".xacro": _read_xacro,
    ".xml": _read_mjcf,
    ".mjcf": _read_mjcf,
    ".sdf": _read_sdf,
}


def load(path: str | os.PathLike[str], parameters: Parameters = None, folders: Folders = ()) -> Mechanism:
    """The mechanism in a file: native YAML (.yaml, .yml), URDF (.urdf, loops in a .yaml beside it), MJCF, SDF.

    What an import dropped or assumed is logged; what may change the mechanics, or looks like a slip, is a
    `FormatWarning`. `parameters` replace values in the `parameters` section of a YAML file,
    or numbers of any file by their paths, `{"bodies.crank.mass": "2 kg"}`. A model may name files
    below its own folder, in the packages it belongs to or that are on ROS's paths, and below `folders`.

    >>> load("robot.docx")
    Traceback (most recent call last):
        ...
    linkwright.errors.FormatError: robot.docx: there is no such file; check the name and the folder
    """
    imported = read(path, parameters, folders)
    for note in imported.notes:
        text = str(note) if note.file else f"{os.fspath(path)}: {note}"
        if note.matters:
            warn_caller(text, FormatWarning, note)
        else:
            _log.info("%s", text)
    return imported.mechanism


def read(path: str | os.PathLike[str], parameters: Parameters = None, folders: Folders = ()) -> Imported:
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
    text = read_text(path)
    ending = path.suffix.lower()
    if ending not in READERS:
        known = suggest_name(ending, READERS) if ending else f" (known: {', '.join(READERS)})"
        refuse_one(str(path), "unknown-format", f"a file ending in '{ending}' is not read{known}", "convert it")
    by_path = values_by_path(parameters)
    parameters = {name: x for name, x in (parameters or {}).items() if name not in by_path}
    if parameters and READERS[ending] is not _read_yaml:
        raise ArgumentError(f"{path}: only YAML files have parameters; leave out {', '.join(map(str, parameters))}")
    assets = Assets(path.parent, tuple(_require_file_path(folder) for folder in folders))
    imported = READERS[ending](text, path, parameters, assets)
    mech, missing = with_meshes_found(with_written_values(imported.mechanism, by_path), assets)
    notes = (replace(note, file=str(path)) if note.line and not note.file else note for note in imported.notes)
    return Imported(mech, (*notes, *missing))


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


def read_text(path: Path) -> str:
    """Return the text of a file, or raise an error that says why there is none."""
    try:
        if path.is_dir():
            refuse_one(str(path), "no-file", "this is a folder", "name a file in it")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            refuse_one(str(path), "no-file", "this is not a regular file but a device or a pipe", "name a file")
        if status.st_size > LARGEST:
            refuse_one(str(path), "too-large", f"the file is larger than {LARGEST} bytes", "is it a mechanism?")
        content = path.read_bytes()
    except FileNotFoundError:
        refuse_one(str(path), "no-file", "there is no such file", "check the name and the folder")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        refuse_one(str(path), "no-file", f"the file cannot be opened ({reason})")
    return _decode_text_file(content, path)


def _decode_text_file(content: bytes, path: Path) -> str:
    if not content.strip():
        refuse_one(str(path), "empty-file", "the file is empty", _BEGINNINGS.get(path.suffix, "write a model into it"))
    if content.startswith(b"PK"):
        refuse_one(str(path), "not-text", "this is an archive, such as a saved run, not a mechanism", _OF_ARCHIVES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:
        text = "\0"
    if "\0" in text:
        refuse_one(str(path), "not-text", "this is not a text file in UTF-8", "save it as UTF-8 text")
    return text


def save(mech: Mechanism, path: str | os.PathLike[str], dialect: str | None = None) -> tuple[Finding, ...]:
    """Write a mechanism by the ending of the name; the file appears complete or not at all.

    Args:
        mech: the mechanism.
        path: .yaml and .yml hold everything; .urdf, .xml (MJCF) and .sdf what these formats can say.
        dialect: of URDF: "plus" (the default) writes loops as <loop> elements, "extended" a sidecar .yaml beside the
            file that names pairs of frames.

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
    if ending not in WRITERS:
        known = ", ".join(WRITERS)
        fault = (
            f"a file ending in '{ending}' is not written" if ending else "the name has no ending, which says the format"
        )
        refuse_one(str(path), "unknown-format", fault, f"end it with one of {known}")
    if dialect is not None and ending != ".urdf":
        raise ArgumentError(f"{path}: only URDF has dialects; leave out dialect={dialect!r}")
    made = _written_urdf(mech, path.parent, dialect) if dialect is not None else WRITERS[ending](mech, path.parent)
    for other, text in made.beside.items():
        _is_replaceable_sidecar(path.with_suffix(other))
        write_whole(path.with_suffix(other), text)
    write_whole(path, made.text)
    for loss in (loss for loss in made.losses if loss.matters):
        warn_caller(f"{path}: {loss}", FormatWarning, loss)
    return made.losses


def _written_yaml(mech: Mechanism, folder: Path) -> Written:
    losses = Losses()
    named = with_shapes(mech, lambda shape: with_mesh_name(shape, folder, losses))
    return Written(to_yaml(named), losses=tuple(losses.found))


def _written_urdf(mech: Mechanism, folder: Path, dialect: str = "plus") -> Written:
    from linkwright.formats.urdf.urdf_writer import to_urdf

    return to_urdf(mech, dialect, folder)


def _written_mjcf(mech: Mechanism, folder: Path) -> Written:
    from linkwright.formats.mjcf.mjcf_writer import to_mjcf

    return to_mjcf(mech, folder)


def _written_sdf(mech: Mechanism, folder: Path) -> Written:
    from linkwright.formats.sdf.sdf_writer import to_sdf

    return to_sdf(mech, folder)


WRITERS: dict[str, Callable[[Mechanism, Path], Written]] = {
    ".yaml": _written_yaml,
    ".yml": _written_yaml,
    ".urdf": _written_urdf,
    ".xml": _written_mjcf,
    ".mjcf": _written_mjcf,
    ".sdf": _written_sdf,
}


MECHANISM = FileKind("a mechanism file", tuple(WRITERS), None)


def _is_replaceable_sidecar(path: Path) -> None:
    """A sidecar replaces a sidecar only: a mechanism file may have the same name."""
    from linkwright.formats.urdf.sidecar import is_sidecar_text

    if is_taken(path) and not is_sidecar_text(read_text(path), str(path)):
        fix = "choose another name, or the dialect 'plus'"
        refuse_one(str(path), "unknown-format", "this is not a sidecar of a URDF file and is not replaced", fix)
