"""MJCF text to MuJoCo's compiled model; meshes are opened only where a body's mass comes from them."""

from __future__ import annotations

from typing import Any

from linkwright.dataclass import dataclass
from linkwright.formats.assets import Assets
from linkwright.formats.findings import refuse_one
from linkwright.formats.meshes import LARGEST_MESH
from linkwright.formats.mjcf import compiling
from linkwright.formats.mjcf.source import MeshFile, source
from linkwright.formats.values import Findings
from linkwright.formats.xml import written
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


def compiled(text: str, file: str, assets: Assets, found: Findings) -> Compiled:
    """Compile the model of a text; `assets` hold what it includes and its meshes."""
    checked = source(text, file, assets, found)
    mujoco = _module(file)
    opened = {key: str(mesh.path) for key, mesh in checked.meshes.items() if _small(mesh)}
    try:
        made = compiling.compiled(mujoco, written(checked.root), opened)
    except compiling.Refused as error:
        refuse_one(file, "bad-syntax", f"MuJoCo does not accept the model: {error}", "correct it there first")
    _report(list(dict.fromkeys(made.lacking)), made.hidden, found)
    surfaces = {geom: _surface(checked.meshes[key], scale) for geom, (key, scale) in made.drawn.items()}
    return Compiled(mujoco, made.model, surfaces, frozenset(made.emptied))


def _module(file: str) -> Any:
    try:
        import mujoco
    except ImportError:
        fix = "install it with pip install 'linkwright[mjcf]'"
        refuse_one(file, "missing-package", "reading MJCF needs the package mujoco", fix)
    return mujoco


def _small(mesh: MeshFile) -> bool:
    """Return True if a mesh may be opened."""
    return mesh.path is not None and mesh.path.stat().st_size <= LARGEST_MESH


def _surface(file: MeshFile, scale: list[float]) -> Mesh:
    x, y, z = scale
    return Mesh(file.written if file.path is None else str(file.path), (x, y, z))


def _report(lacking: list[str], hidden: int, found: Findings) -> None:
    if lacking:
        shown = ", ".join(f"'{name}'" for name in lacking[:4]) + (" ..." if len(lacking) > 4 else "")
        text = f"the masses of {shown} come from meshes that are not below the model's folder"
        found.note(text, "warning", "dropped-mass", lacking[0], len(lacking), "write <inertial> there")
    if hidden:
        text = f"{hidden} geoms from height fields, or meshes without a file, left out of the drawing"
        found.note(text, code="dropped-mesh", value=hidden)
