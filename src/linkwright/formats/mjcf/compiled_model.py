"""MJCF text to MuJoCo's compiled model; meshes are opened only where a body's mass comes from them."""

from __future__ import annotations

from typing import Any

from linkwright.dataclass import dataclass
from linkwright.formats.assets import Assets
from linkwright.formats.import_findings import refuse_one
from linkwright.formats.meshes import LARGEST_MESH
from linkwright.formats.mjcf import model_compiler
from linkwright.formats.mjcf.source import MeshFile, source_elements
from linkwright.formats.xml import xml_text
from linkwright.formats.xml_values import Findings
from linkwright.mechanism import Mesh


@dataclass(frozen=True)
class Compiled:
    """MuJoCo's model of a file.

    Attributes:
        mujoco, model: the module and its compiled model.
        surfaces: file and scale of the mesh that a geom is drawn with, by the geom's number.
        undrawn: numbers of geoms that stand for a mesh or height field.
    """

    mujoco: Any
    model: Any
    surfaces: dict[int, Mesh]
    undrawn: frozenset[int]


def compile_mjcf_text(text: str, file: str, assets: Assets, found: Findings) -> Compiled:
    """Compile the model of a text; `assets` hold what it includes and its meshes."""
    checked = source_elements(text, file, assets, found)
    mujoco = _import_mujoco(file)
    opened = {key: str(mesh.path) for key, mesh in checked.meshes.items() if _is_small_mesh(mesh)}
    try:
        made = model_compiler.compile_with_meshes(mujoco, xml_text(checked.root), opened)
    except model_compiler.Refused as error:
        refuse_one(file, "bad-syntax", f"MuJoCo does not accept the model: {error}", "correct it there first")
    _note_lacking_meshes(list(dict.fromkeys(made.lacking)), made.hidden, found)
    surfaces = {geom: _mesh_of_file(checked.meshes[key], scale) for geom, (key, scale) in made.drawn.items()}
    return Compiled(mujoco, made.model, surfaces, frozenset(made.emptied))


def _import_mujoco(file: str) -> Any:
    try:
        import mujoco
    except ImportError:
        fix = "install it with pip install 'linkwright[mjcf]'"
        refuse_one(file, "missing-package", "reading MJCF needs the package mujoco", fix)
    return mujoco


def _is_small_mesh(mesh: MeshFile) -> bool:
    """Return True if a mesh may be opened."""
    return mesh.path is not None and mesh.path.stat().st_size <= LARGEST_MESH


def _mesh_of_file(file: MeshFile, scale: list[float]) -> Mesh:
    x, y, z = scale
    return Mesh(file.written if file.path is None else str(file.path), (x, y, z))


def _note_lacking_meshes(lacking: list[str], hidden: int, found: Findings) -> None:
    if lacking:
        shown = ", ".join(f"'{name}'" for name in lacking[:4]) + (" ..." if len(lacking) > 4 else "")
        text = f"the masses of {shown} come from meshes that are not below the model's folder"
        found.note(text, "warning", "dropped-mass", lacking[0], len(lacking), "write <inertial> there")
    if hidden:
        text = f"{hidden} geoms from height fields, or meshes without a file, left out of the drawing"
        found.note(text, code="dropped-mesh", value=hidden)
