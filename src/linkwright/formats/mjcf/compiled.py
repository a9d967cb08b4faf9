"""MJCF text to MuJoCo's compiled model; meshes are opened only where a body's mass comes from them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from linkwright.errors import FormatError
from linkwright.formats.assets import Assets
from linkwright.formats.findings import refuse_one
from linkwright.formats.meshes import mesh_bytes
from linkwright.formats.mjcf.source import MeshFile, Source, source
from linkwright.formats.values import Findings
from linkwright.formats.xml import written
from linkwright.mechanism import Mesh

_STAND_IN, _TETRAHEDRON = "none.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


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
    model = source(text, file, assets, found)
    mujoco = _module(file)
    with _Quiet(mujoco):
        spec = _accepted(lambda: mujoco.MjSpec.from_string(written(model.root)), file)
        use = _meshes(mujoco, spec, model, found)
        missing = f" (masses of missing meshes: {', '.join(use.lacking)})" if use.lacking else ""
        made = _accepted(spec.compile, file, missing)
    surfaces = {geom.id: mesh for geom, mesh in use.drawn}
    return Compiled(mujoco, made, surfaces, frozenset(geom.id for geom in use.emptied))


def _accepted(made: Callable[[], Any], file: str, hint: str = "") -> Any:
    try:
        return made()
    except ValueError as error:
        reason = " ".join(str(error).split())[:300]
        message = f"MuJoCo does not accept the model: {reason}{hint}"
        refuse_one(file, "bad-syntax", message, "correct it there first")


class _Quiet:
    """MuJoCo's warnings to nowhere: by itself it writes them into a file in the current folder."""

    def __init__(self, mujoco: Any) -> None:
        self.mujoco = mujoco

    def __enter__(self) -> None:
        self.mujoco.set_mju_user_warning(lambda _: None)

    def __exit__(self, *_: object) -> None:
        self.mujoco.set_mju_user_warning(None)


def _module(file: str) -> Any:
    try:
        import mujoco
    except ImportError:
        fix = "install it with pip install 'linkwright[mjcf]'"
        refuse_one(file, "missing-package", "reading MJCF needs the package mujoco", fix)
    return mujoco


@dataclass
class _Use:
    """What geoms use meshes for: drawn ones with their mesh, emptied ones, bodies that lack their mass."""

    drawn: list[tuple[Any, Mesh]] = field(default_factory=list)
    emptied: list[Any] = field(default_factory=list)
    lacking: list[str] = field(default_factory=list)


def _meshes(mujoco: Any, spec: Any, model: Source, found: Findings) -> _Use:
    """Load the meshes that give a body its mass, and empty all others."""
    kinds = mujoco.mjtGeom
    solid = (kinds.mjGEOM_MESH, kinds.mjGEOM_HFIELD, kinds.mjGEOM_SDF)
    files = {mesh.name: mesh for mesh in spec.meshes if mesh.file}
    contents: dict[str, bytes] = {}
    use, hidden = _Use(), 0
    for geom in list(spec.geoms):
        if geom.type not in solid and not geom.meshname:
            continue
        mesh = files.get(geom.meshname)
        key = mesh.file if mesh is not None else ""
        if mesh is not None and geom.type == kinds.mjGEOM_MESH and key in model.meshes:
            use.drawn.append((geom, _surface(mesh, model.meshes[key])))
        else:
            hidden += 1
        inline = bool(geom.meshname) and not key and geom.type not in solid[1:]
        if _weighs(spec, geom) and (inline or key in contents or _read(model.meshes.get(key), key, contents)):
            continue
        if _weighs(spec, geom):
            use.lacking.append(geom.parent.name or "a body without a name")
        use.emptied.append(geom)
        _emptied(mujoco, geom)
    for mesh in spec.meshes:
        if mesh.file and mesh.file not in contents:
            mesh.file = _STAND_IN
    spec.assets = {**contents, _STAND_IN: _TETRAHEDRON}
    _report(list(dict.fromkeys(use.lacking)), hidden, found)
    return use


def _surface(mesh: Any, file: MeshFile) -> Mesh:
    x, y, z = (float(part) for part in mesh.scale)
    return Mesh(file.written if file.path is None else str(file.path), (x, y, z))


def _emptied(mujoco: Any, geom: Any) -> None:
    """A geom without mass; MuJoCo takes tens of milliseconds to delete one."""
    geom.type, geom.size, geom.meshname = mujoco.mjtGeom.mjGEOM_SPHERE, [1e-3, 0.0, 0.0], ""
    geom.mass, geom.density = 0.0, 0.0


def _read(file: MeshFile | None, key: str, contents: dict[str, bytes]) -> bool:
    """Return True if the bytes of a mesh are available."""
    if file is None or file.path is None:
        return False
    try:
        contents[key] = mesh_bytes(str(file.path))
    except FormatError:
        return False
    return True


def _weighs(spec: Any, geom: Any) -> bool:
    """Return True if MuJoCo computes a body's mass or inertia from a geom."""
    body, (lowest, highest) = geom.parent, spec.compiler.inertiagrouprange
    from_geoms = int(spec.compiler.inertiafromgeom) == 1 or not body.explicitinertial
    solid = lowest <= geom.group <= highest and geom.mass != 0.0 and geom.density != 0.0
    return bool(body.name != "world" and from_geoms and solid)


def _report(lacking: list[str], hidden: int, found: Findings) -> None:
    if lacking:
        shown = ", ".join(f"'{name}'" for name in lacking[:4]) + (" ..." if len(lacking) > 4 else "")
        text = f"the masses of {shown} come from meshes that are not below the model's folder"
        found.note(text, "warning", "dropped-mass", lacking[0], len(lacking), "write <inertial> there")
    if hidden:
        text = f"{hidden} geoms from height fields, or meshes without a file, left out of the drawing"
        found.note(text, code="dropped-mesh", value=hidden)
