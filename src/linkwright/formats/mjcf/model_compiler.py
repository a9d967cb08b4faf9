"""MuJoCo's compiler on a checked text, here or in a process of its own with limits of time and memory.

A process costs 0.3 s of CPU, most of it for importing mujoco; a robot compiles in 2 to 200 ms. So small models compile
here, and those with large meshes, whose hulls take seconds, in a process that ends after MOST_SECONDS or at Ctrl-C.
This file runs as a script there and imports nothing of the library.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from types import MappingProxyType
from typing import Any

SMALL = 8 * 1024 * 1024  # bytes of meshes that give mass
MOST_SECONDS = 120  # of CPU
MOST_MEMORY = 8 * 1024**3  # bytes
_STAND_IN, _TETRAHEDRON = "none.obj", b"v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"


class Made:
    """A compiled model, and what its geoms use meshes for.

    Attributes:
        model: MuJoCo's.
        drawn: name and scale of the mesh of a geom, by the geom's number.
        emptied: numbers of geoms that stand for meshes or height fields without mass.
        fields: half edges of the height field of a geom, by the geom's number.
        hidden: how many geoms are meshes without a file.
    """

    def __init__(
        self,
        model: Any = None,
        drawn: Mapping[int, tuple[str, list[float]]] = MappingProxyType({}),
        emptied: Sequence[int] = (),
        fields: Mapping[int, list[float]] = MappingProxyType({}),
        hidden: int = 0,
    ) -> None:
        self.model, self.drawn, self.emptied, self.fields, self.hidden = model, drawn, emptied, fields, hidden


class Refused(Exception):
    """MuJoCo's reason for not compiling a model."""


class MassLost(Refused):
    """Bodies whose mass comes from meshes that are not there."""

    def __init__(self, bodies: list[str]) -> None:
        super().__init__(", ".join(bodies))
        self.bodies = bodies


def compile_with_meshes(mujoco: Any, text: str, meshes: Mapping[str, str]) -> Made:
    """The model of a text; `meshes` are the paths of the files that may be opened, by their names in the text."""
    with _Quiet(mujoco):
        try:
            spec = mujoco.MjSpec.from_string(text)
            needed = {key for key in _giving_mass(mujoco, spec) if key in meshes}
            if sum(os.path.getsize(meshes[key]) for key in needed) <= SMALL or not sys.executable:
                return _compile_spec(mujoco, spec, meshes)
        except ValueError as error:
            raise Refused(" ".join(str(error).split())[:300]) from None
    return _compile_in_subprocess(mujoco, text, meshes)


class _Quiet:
    """MuJoCo's warnings to nowhere: by itself it writes them into a file in the current folder."""

    def __init__(self, mujoco: Any) -> None:
        self.mujoco = mujoco

    def __enter__(self) -> None:
        self.mujoco.set_mju_user_warning(lambda _: None)

    def __exit__(self, *_: object) -> None:
        self.mujoco.set_mju_user_warning(None)


def _mesh_geom_types(mujoco: Any) -> tuple[Any, ...]:
    kinds = mujoco.mjtGeom
    return (kinds.mjGEOM_MESH, kinds.mjGEOM_HFIELD, kinds.mjGEOM_SDF)


def _is_geom_weighed(spec: Any, geom: Any) -> bool:
    """Return True if MuJoCo computes a body's mass or inertia from a geom."""
    body, (lowest, highest) = geom.parent, spec.compiler.inertiagrouprange
    from_geoms = int(spec.compiler.inertiafromgeom) == 1 or not body.explicitinertial
    solid = lowest <= geom.group <= highest and geom.mass != 0.0 and geom.density != 0.0
    return bool(body.name != "world" and from_geoms and solid)


def _giving_mass(mujoco: Any, spec: Any) -> set[str]:
    """Names of mesh files that bodies get their mass from."""
    files = {mesh.name: mesh.file for mesh in spec.meshes if mesh.file}
    return {files[geom.meshname] for geom in spec.geoms if geom.meshname in files and _is_geom_weighed(spec, geom)}


def _compile_spec(mujoco: Any, spec: Any, meshes: Mapping[str, str]) -> Made:
    """Load the meshes that give a body its mass, empty all others, and compile."""
    solid = _mesh_geom_types(mujoco)
    files = {mesh.name: mesh for mesh in spec.meshes if mesh.file}
    without_points = {mesh.name for mesh in spec.meshes if not mesh.file and not len(mesh.uservert)}  # by a plugin
    fields = {each.name: [float(x) for x in each.size[:2]] for each in spec.hfields}
    contents: dict[str, bytes] = {}
    made, drawn, emptied, flat, lacking = Made(), [], [], [], []
    for geom in list(spec.geoms):
        if geom.type not in solid and not geom.meshname:
            continue
        mesh = files.get(geom.meshname)
        key = mesh.file if mesh is not None else ""
        if mesh is not None and geom.type == solid[0]:
            drawn.append((geom, key, [float(x) for x in mesh.scale]))
        elif geom.hfieldname in fields:
            flat.append((geom, fields[geom.hfieldname]))
        else:
            made.hidden += 1
        inline = bool(geom.meshname) and not key and geom.type != solid[1] and geom.meshname not in without_points
        if _is_geom_weighed(spec, geom) and (inline or key in contents or _has_mesh_bytes(key, meshes, contents)):
            continue
        if _is_geom_weighed(spec, geom) and geom.type != solid[1]:
            lacking.append(geom.parent.name or "a body without a name")
        emptied.append(geom)
        _empty_geom(mujoco, geom)
    if lacking:
        raise MassLost(list(dict.fromkeys(lacking)))
    for each in [*spec.hfields, *(mesh for mesh in spec.meshes if mesh.name in without_points)]:
        spec.delete(each)
    for mesh in spec.meshes:
        if mesh.file and mesh.file not in contents:
            mesh.file = _STAND_IN
    spec.assets = {**contents, _STAND_IN: _TETRAHEDRON}
    try:
        made.model = spec.compile()
    except ValueError as error:
        raise Refused(" ".join(str(error).split())[:300]) from None
    made.drawn = {geom.id: (key, scale) for geom, key, scale in drawn}
    made.emptied = [geom.id for geom in emptied]
    made.fields = {geom.id: size for geom, size in flat}
    return made


def _empty_geom(mujoco: Any, geom: Any) -> None:
    """A geom without mass; MuJoCo takes tens of milliseconds to delete one."""
    geom.type, geom.size, geom.meshname = mujoco.mjtGeom.mjGEOM_SPHERE, [1e-3, 0.0, 0.0], ""
    geom.hfieldname, geom.mass, geom.density = "", 0.0, 0.0


def _has_mesh_bytes(key: str, meshes: Mapping[str, str], contents: dict[str, bytes]) -> bool:
    """Return True if the bytes of a mesh are available."""
    with suppress(KeyError, OSError):
        contents[key] = Path(meshes[key]).read_bytes()
    return key in contents


def _compile_in_subprocess(mujoco: Any, text: str, meshes: Mapping[str, str]) -> Made:
    """Compile in a process of its own; Ctrl-C here ends it."""
    given = json.dumps({"text": text, "meshes": dict(meshes)}).encode()
    try:
        done = subprocess.run(
            [sys.executable, "-I", __file__], input=given, capture_output=True, timeout=3.0 * MOST_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise Refused(f"compiling takes more than {MOST_SECONDS} s") from None
    header, _, binary = done.stdout.partition(b"\n")
    if done.returncode != 0 or not header:
        raise Refused(f"compiling needs more than {MOST_SECONDS} s or {MOST_MEMORY} bytes (code {done.returncode})")
    found = json.loads(header)
    if "refused" in found:
        raise Refused(found["refused"])
    if "lost" in found:
        raise MassLost(found["lost"])
    model = mujoco.MjModel.from_binary_path("model.mjb", assets={"model.mjb": binary})
    drawn = {int(geom): (key, scale) for geom, (key, scale) in found["drawn"].items()}
    fields = {int(geom): size for geom, size in found["fields"].items()}
    return Made(model, drawn, found["emptied"], fields, found["hidden"])


def _limit_process_resources() -> None:
    """Bound the time and memory of this process, where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def _main() -> None:
    import mujoco
    import numpy as np

    _limit_process_resources()
    given = json.loads(sys.stdin.buffer.read())
    binary = b""
    try:
        with _Quiet(mujoco):
            made = _compile_spec(mujoco, mujoco.MjSpec.from_string(given["text"]), given["meshes"])
        buffer = np.zeros(mujoco.mj_sizeModel(made.model), np.uint8)
        mujoco.mj_saveModel(made.model, None, buffer)
        binary = buffer.tobytes()
        header = {"drawn": made.drawn, "emptied": made.emptied, "fields": made.fields, "hidden": made.hidden}
    except MassLost as error:
        header = {"lost": error.bodies}
    except (ValueError, Refused) as error:
        header = {"refused": " ".join(str(error).split())[:600]}
    sys.stdout.buffer.write(json.dumps(header).encode() + b"\n" + binary)


if __name__ == "__main__":
    _main()
