"""MJCF text to MuJoCo's compiled model; nothing outside the text is read."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from linkwright.errors import FormatError
from linkwright.formats.problems import Problem, refuse
from linkwright.formats.urdf.values import Findings
from linkwright.formats.urdf.xml import Element, parse

_OUTSIDE = ("include", "attach", "plugin")


def compiled(text: str, file: str, found: Findings) -> tuple[Any, Any]:
    """The module `mujoco` and the compiled model of a text; geometry from files is left out."""
    root = parse(text, file)
    if root.tag != "mujoco":
        refuse(file, [Problem(f"the outermost element is <{root.tag}>; an MJCF file has <mujoco>", (), root.line)])
    outside = [_outside(element) for element in _all(root) if element.tag in _OUTSIDE]
    if outside:
        refuse(file, outside)
    mujoco = _module(file)
    try:
        spec = mujoco.MjSpec.from_string(text)
        _without_files(mujoco, spec, found)
        return mujoco, spec.compile()
    except ValueError as error:
        reason = " ".join(str(error).split())[:300]
        refuse(file, [Problem(f"MuJoCo does not accept the model: {reason}; mend it there first")])


def _all(element: Element) -> list[Element]:
    found, stack = [], [element]
    while stack:
        found.append(stack.pop())
        stack.extend(found[-1].children)
    return found


def _outside(element: Element) -> Problem:
    return Problem(
        f"<{element.tag}> brings in other files or code, which are not read; put its content here", (), element.line
    )


def _module(file: str) -> Any:
    try:
        import mujoco
    except ImportError:
        sentence = f"{file}: reading MJCF needs the package mujoco; install it with pip install 'linkwright[mjcf]'"
        raise FormatError(sentence, file=file) from None
    return mujoco


def _weighed(spec: Any, meshes: list[Any]) -> Iterator[str]:
    """Bodies whose mass or inertia MuJoCo would compute from the given geoms."""
    always = int(spec.compiler.inertiafromgeom) == 1
    for geom in meshes:
        body = geom.parent
        if body.name != "world" and (always or not body.explicitinertial) and geom.mass != 0.0 and geom.density != 0.0:
            yield body.name or "a body without a name"


def _without_files(mujoco: Any, spec: Any, found: Findings) -> None:
    """Meshes, height fields and textures taken out, so that no other file is looked for."""
    kinds = mujoco.mjtGeom
    meshes = [geom for geom in spec.geoms if geom.type in (kinds.mjGEOM_MESH, kinds.mjGEOM_HFIELD, kinds.mjGEOM_SDF)]
    weighed = list(dict.fromkeys(_weighed(spec, meshes)))
    for geom in meshes:
        spec.delete(geom)
    if weighed:
        shown = ", ".join(f"'{name}'" for name in weighed[:4]) + (" ..." if len(weighed) > 4 else "")
        text = f"the masses of {shown} come from meshes, which are not read; write <inertial> there"
        found.note(text, "warning", "dropped-mass", weighed[0], len(weighed))
    if meshes:
        text = f"{len(meshes)} geoms from meshes or height fields left out of the drawing"
        found.note(text, code="dropped-mesh", value=len(meshes))
    for part in (*spec.skins, *spec.meshes, *spec.hfields, *spec.materials, *spec.textures):
        spec.delete(part)
