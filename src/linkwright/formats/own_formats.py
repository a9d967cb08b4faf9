"""The formats of the library; a reader or a writer is imported by the function that needs it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from linkwright.formats.file_format import FileFormat, SourceFile
from linkwright.formats.import_findings import Imported
from linkwright.formats.written_files import Losses, Written, with_mesh_name
from linkwright.mechanism import Mechanism

# --- native YAML ------------------------------------------------------------------------------------------------------


def _read_yaml(source: SourceFile) -> Imported:
    from linkwright.formats.plausibility import doubts_about_values, written_doubts
    from linkwright.formats.yaml import from_yaml

    mech = from_yaml(source.text, str(source.path), source.parameters)
    return Imported(mech, (*doubts_about_values(mech), *written_doubts(mech)))


def _write_yaml(mech: Mechanism, path: Path) -> Written:
    from linkwright.formats.meshes import with_shapes
    from linkwright.formats.yaml import to_yaml

    losses = Losses()
    named = with_shapes(mech, lambda shape: with_mesh_name(shape, path.parent, losses))
    return Written(to_yaml(named), losses=tuple(losses.found))


# --- URDF, and xacro that expands to it -------------------------------------------------------------------------------


def _read_urdf(source: SourceFile) -> Imported:
    return _read_urdf_text(source.text, source.path)


def _read_xacro(source: SourceFile) -> Imported:
    """The URDF or SDF that a file expands to; lines of what is found there are lines of no file."""
    from linkwright.errors import FormatError
    from linkwright.formats.import_findings import refuse_file
    from linkwright.formats.urdf.xacro_reader import expanded_text, is_sdf_text

    text = expanded_text(source)
    try:
        made = _read_sdf(replace(source, text=text)) if is_sdf_text(text) else _read_urdf_text(text, source.path)
    except FormatError as error:
        refuse_file(str(source.path), [replace(finding, line=0) for finding in error.findings])
    return Imported(made.mechanism, tuple(replace(note, line=0) for note in made.notes))


def _read_urdf_text(text: str, path: Path) -> Imported:
    """A URDF file; a YAML file beside it, of its name or `robot.yaml`, may name loops and actuators (Extended URDF)."""
    from linkwright.formats.text_files import read_text
    from linkwright.formats.urdf import from_urdf
    from linkwright.formats.urdf.open_tree import find_open_tree
    from linkwright.formats.urdf.sidecar import close_with_sidecar, sidecar_candidates, unread_sidecars

    imported, names = from_urdf(text, str(path)), sidecar_candidates(path)
    missed = tuple(unread_sidecars(imported, path.parent, names))
    beside = next((name for name in names if name.is_file()), None)
    if beside is not None:
        imported = close_with_sidecar(imported, read_text(beside), str(beside))
    missed = missed or tuple(find_open_tree(imported.mechanism, names[0].name))
    return Imported(imported.mechanism, (*imported.notes, *missed))


def _write_urdf(mech: Mechanism, path: Path, dialect: str = "plus") -> Written:
    from linkwright.formats.urdf.urdf_writer import to_urdf

    return to_urdf(mech, dialect, path.parent)


def _is_sidecar(path: Path) -> bool:
    from linkwright.formats.text_files import read_text
    from linkwright.formats.urdf.sidecar import is_sidecar_text

    return is_sidecar_text(read_text(path), str(path))


# --- MJCF -------------------------------------------------------------------------------------------------------------


def _read_mjcf(source: SourceFile) -> Imported:
    from linkwright.formats.mjcf import from_mjcf

    return from_mjcf(source.text, str(source.path), source.path.parent, source.folders)


def _write_mjcf(mech: Mechanism, path: Path) -> Written:
    from linkwright.formats.mjcf.mjcf_writer import to_mjcf

    return to_mjcf(mech, path.parent)


# --- SDF --------------------------------------------------------------------------------------------------------------


def _read_sdf(source: SourceFile) -> Imported:
    from linkwright.formats.sdf import from_sdf

    return from_sdf(source.text, str(source.path), source.path.parent, source.folders)


def _write_sdf(mech: Mechanism, path: Path, dialect: str = "joints") -> Written:
    from linkwright.formats.sdf.sdf_writer import to_sdf

    return to_sdf(mech, path.parent, dialect)


OWN_FORMATS = (
    FileFormat(
        "YAML",
        (".yaml", ".yml"),
        _read_yaml,
        _write_yaml,
        beginning="a mechanism begins with 'format: 1'",
        has_parameters=True,
    ),
    FileFormat(
        "URDF",
        (".urdf",),
        _read_urdf,
        _write_urdf,
        beginning="URDF begins with <robot>",
        has_dialects=True,
        is_replaceable=_is_sidecar,
    ),
    FileFormat("xacro", (".xacro",), _read_xacro, beginning="xacro begins with <robot>", has_arguments=True),
    FileFormat("MJCF", (".xml", ".mjcf"), _read_mjcf, _write_mjcf, beginning="MJCF begins with <mujoco>"),
    FileFormat("SDF", (".sdf", ".world"), _read_sdf, _write_sdf, beginning="SDF begins with <sdf>", has_dialects=True),
)
