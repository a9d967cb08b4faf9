"""MJCF text to MuJoCo's compiled model; meshes are opened only where a body's mass comes from them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from linkwright.formats.findings import refuse_one
from linkwright.formats.mjcf.source import Source, source
from linkwright.formats.values import Findings
from linkwright.formats.xml import written

_STAND_IN, _TETRAHEDRON = "none.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
LARGEST_MESH = 64 * 1024 * 1024  # bytes


def compiled(text: str, file: str, folder: Path | None, found: Findings) -> tuple[Any, Any]:
    """The module `mujoco` and the compiled model of a text; `folder` holds what the model includes."""
    model = source(text, file, folder, found)
    mujoco = _module(file)
    with _Quiet(mujoco):
        spec = _accepted(lambda: mujoco.MjSpec.from_string(written(model.root)), file)
        lacking = _meshes(mujoco, spec, model, found)
        missing = f" (masses of missing meshes: {', '.join(lacking)})" if lacking else ""
        return mujoco, _accepted(spec.compile, file, missing)


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


def _meshes(mujoco: Any, spec: Any, model: Source, found: Findings) -> list[str]:
    """Load the meshes that give a body its mass, empty all others, and return the bodies that lack theirs."""
    kinds = mujoco.mjtGeom
    solid = (kinds.mjGEOM_MESH, kinds.mjGEOM_HFIELD, kinds.mjGEOM_SDF)
    files = {mesh.name: mesh.file for mesh in spec.meshes if mesh.file}
    contents: dict[str, bytes] = {}
    lacking: list[str] = []
    drawn = 0
    for geom in list(spec.geoms):
        if geom.type not in solid and not geom.meshname:
            continue
        key = files.get(geom.meshname, "")
        inline = bool(geom.meshname) and not key and geom.type not in solid[1:]
        if _weighs(spec, geom) and (inline or key in contents or _read(model.meshes.get(key), key, contents)):
            continue
        if _weighs(spec, geom):
            lacking.append(geom.parent.name or "a body without a name")
        drawn += 1
        _emptied(mujoco, geom)
    for mesh in spec.meshes:
        if mesh.file and mesh.file not in contents:
            mesh.file = _STAND_IN
    spec.assets = {**contents, _STAND_IN: _TETRAHEDRON}
    _report(list(dict.fromkeys(lacking)), drawn, found)
    return lacking


def _emptied(mujoco: Any, geom: Any) -> None:
    """A geom without mass that is not drawn; MuJoCo takes tens of milliseconds to delete one."""
    geom.type, geom.size, geom.meshname = mujoco.mjtGeom.mjGEOM_SPHERE, [1e-3, 0.0, 0.0], ""
    geom.mass, geom.density, geom.rgba, geom.material = 0.0, 0.0, [0.0] * 4, ""


def _read(path: Path | None, key: str, contents: dict[str, bytes]) -> bool:
    """Return True if the bytes of a mesh are available."""
    if path is None or path.stat().st_size > LARGEST_MESH:
        return False
    contents[key] = path.read_bytes()
    return True


def _weighs(spec: Any, geom: Any) -> bool:
    """Return True if MuJoCo computes a body's mass or inertia from a geom."""
    body, (lowest, highest) = geom.parent, spec.compiler.inertiagrouprange
    from_geoms = int(spec.compiler.inertiafromgeom) == 1 or not body.explicitinertial
    solid = lowest <= geom.group <= highest and geom.mass != 0.0 and geom.density != 0.0
    return bool(body.name != "world" and from_geoms and solid)


def _report(lacking: list[str], drawn: int, found: Findings) -> None:
    if lacking:
        shown = ", ".join(f"'{name}'" for name in lacking[:4]) + (" ..." if len(lacking) > 4 else "")
        text = f"the masses of {shown} come from meshes that are not below the model's folder"
        found.note(text, "warning", "dropped-mass", lacking[0], len(lacking), "write <inertial> there")
    if drawn:
        text = f"{drawn} geoms from meshes or height fields left out of the drawing"
        found.note(text, code="dropped-mesh", value=drawn)
