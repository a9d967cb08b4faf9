"""Triangle meshes from files: one function opens them, with limits, and nothing that they name is opened."""

from __future__ import annotations

import io
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError, installation_hint
from linkwright.findings import Finding
from linkwright.formats.assets import Assets, file_below_folder
from linkwright.formats.import_findings import refuse_one
from linkwright.mechanism import Inertia, Mechanism, Mesh, Shape

Array = np.ndarray
LARGEST_MESH = 64 * 1024 * 1024  # bytes
MOST_TRIANGLES = 2_000_000
_ENDINGS = (".stl", ".obj", ".ply", ".off", ".dae", ".glb")
_COLORED = (".dae", ".glb")  # with materials inside the file
_BOUND = re.compile(rb"<bind_material>.*?</bind_material>", re.DOTALL)
_PLAIN = (160, 160, 160, 255)  # of a part without a material
_FEW = 4  # names in a note


@dataclass(frozen=True, eq=False)
class Triangles:
    """A surface: vertices (n, 3) [m], triangles as numbers of vertices (m, 3), and their colors.

    Attributes:
        vertices: corners, (n, 3), [m].
        faces: numbers of the corners of every triangle, (m, 3).
        colors: red, green, blue and opacity of every triangle, (m, 4), 0 to 255; None for a file without materials.
    """

    vertices: Array
    faces: Array
    colors: Array | None = None


def load_mesh(mesh: Mesh) -> Triangles:
    """Return the scaled triangles of a mesh. Needs the package trimesh; files that the mesh names are not opened.

    Raises a `FormatError` for a file that is not there, not regular, larger than LARGEST_MESH bytes, of a format that
    is not read, or no mesh of at most MOST_TRIANGLES triangles with finite corners.
    """
    path, content = Path(mesh.file), mesh_bytes(mesh.file)
    ending = path.suffix.lower()
    if ending not in _ENDINGS:
        refuse_one(
            mesh.file, "unknown-format", f"meshes ending in '{ending}' are not read", f"convert it to {_ENDINGS[0]}"
        )
    if ending == ".dae" and (b"<!DOCTYPE" in content or b"<!ENTITY" in content):
        refuse_one(mesh.file, "not-read", "document types and entities are not read", "delete them")
    trimesh = _import_trimesh(mesh.file)
    try:
        read = _join_scene_parts(_load_mesh_scene(trimesh, content, ending), ending in _COLORED)
        if not len(read.faces) and ending == ".dae":  # materials that are not in the file hide what they are bound to
            read = _join_scene_parts(_load_mesh_scene(trimesh, _BOUND.sub(b"", content), ending), colored=False)
    except Exception as error:
        refuse_one(mesh.file, "bad-syntax", f"this is not a mesh ({type(error).__name__}: {str(error)[:200]})")
    return _require_valid_triangles(mesh, read)


def _load_mesh_scene(trimesh: Any, content: bytes, ending: str) -> Any:
    options: dict[str, Any] = {"process": False, "skip_materials": True, "force": "scene"}
    return trimesh.load(io.BytesIO(content), file_type=ending[1:], **options)


def _join_scene_parts(scene: Any, colored: bool) -> Triangles:
    """All parts of a file in one surface with the colors of its materials, in meters where the file states its unit."""
    vertices, faces, colors, count = [np.zeros((0, 3))], [np.zeros((0, 3), dtype=int)], [np.zeros((0, 4))], 0
    for node in scene.graph.nodes_geometry:
        turn, name = scene.graph[node]
        part = scene.geometry[name]
        if not hasattr(part, "faces"):  # lines and points
            continue
        size = _meters_per_unit(part.metadata.get("units"))
        vertices.append(size * (np.asarray(part.vertices, dtype=float) @ turn[:3, :3].T + turn[:3, 3]))
        faces.append(np.asarray(part.faces, dtype=int) + count)
        color = getattr(getattr(part.visual, "material", None), "main_color", None) if colored else None
        colors.append(np.tile(_PLAIN if color is None else color, (len(part.faces), 1)))
        count += len(part.vertices)
    return Triangles(np.concatenate(vertices), np.concatenate(faces), np.concatenate(colors) if colored else None)


def _meters_per_unit(unit: str | None) -> float:
    """Meters in a COLLADA file's unit of length, which trimesh reports as "meters" or "0.001 * meters"."""
    number = (unit or "").removesuffix("meters").strip(" *")
    try:
        return float(number) if number else 1.0
    except ValueError:
        return 1.0


def mesh_bytes(file: str) -> bytes:
    """The content of a mesh file, which must be a regular file below the limit of size."""
    try:
        path = Path(file).resolve(strict=True)
        if not path.is_file():
            refuse_one(file, "no-file", "this is not a regular file", "name a mesh")
        if path.stat().st_size > LARGEST_MESH:
            refuse_one(file, "too-large", f"the mesh is larger than {LARGEST_MESH} bytes", "simplify it")
        return path.read_bytes()
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        refuse_one(file, "no-file", f"the mesh cannot be opened ({reason})", "load the model with folders=[...]")


def _import_trimesh(file: str) -> Any:
    try:
        import trimesh
    except ImportError:
        fix = installation_hint("meshes")
        refuse_one(file, "missing-package", "reading meshes needs the package trimesh", fix)
    return trimesh


def _require_valid_triangles(mesh: Mesh, read: Triangles) -> Triangles:
    vertices, faces = read.vertices, read.faces
    if vertices.ndim != 2 or faces.ndim != 2 or not len(faces) or vertices.shape[1] != 3 or faces.shape[1] != 3:
        refuse_one(mesh.file, "bad-syntax", "there are no triangles in this mesh")
    if len(faces) > MOST_TRIANGLES:
        refuse_one(mesh.file, "too-large", f"the mesh has more than {MOST_TRIANGLES} triangles", "simplify it")
    if not np.isfinite(vertices).all() or faces.min() < 0 or faces.max() >= len(vertices):
        refuse_one(mesh.file, "bad-value", "corners of this mesh are not finite numbers")
    return replace(read, vertices=vertices * np.array(mesh.scale))


def simplify_surface(surface: Triangles, most: int) -> Triangles:
    """The surface with at most about `most` triangles of one color; needs the package fast_simplification.

    Corners at the same position are joined first, and triangles without an area removed.
    """
    vertices, same = np.unique(surface.vertices.astype(np.float32), axis=0, return_inverse=True)
    faces = same.reshape(-1)[surface.faces]
    a, b, c = faces.T
    faces = faces[(a != b) & (b != c) & (c != a)]
    if len(faces) > most:
        vertices, faces = _reduce_triangles(vertices, faces, most)
    used, numbers = np.unique(faces, return_inverse=True)
    return Triangles(vertices[used].astype(float), numbers.reshape(-1, 3))


def _reduce_triangles(vertices: Array, faces: Array, most: int) -> tuple[Array, Array]:
    try:
        import fast_simplification
    except ImportError:
        fix = installation_hint("meshes")
        refuse_one("meshes", "missing-package", "simplifying meshes needs the package fast_simplification", fix)
    points, triangles = fast_simplification.simplify(vertices, faces, target_count=most)
    return np.asarray(points), np.asarray(triangles, dtype=int)


def is_closed_surface(surface: Triangles) -> bool:
    """Return True if every edge belongs to two triangles that run along it in opposite directions."""
    _, same = np.unique(surface.vertices, axis=0, return_inverse=True)
    faces = same.reshape(-1)[surface.faces]
    faces = faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) & (faces[:, 2] != faces[:, 0])]
    edges = np.concatenate([faces[:, [0, 1]], faces[:, [1, 2]], faces[:, [2, 0]]])
    forth, counts = np.unique(edges, axis=0, return_counts=True)
    back = np.unique(edges[:, ::-1], axis=0)
    return bool((counts == 1).all() and len(forth) == len(back) and (forth == back).all())


def solid_inertia(surface: Triangles, density: float) -> Inertia:
    """Inertia of the solid inside a closed surface [kg/m^3], by tetrahedra from the origin to every triangle.

    A tetrahedron with corners 0, a, b, c has the volume a . (b x c) / 6 and the second moments
    V / 20 (a a^T + b b^T + c c^T + s s^T) with s = a + b + c.

    >>> corners = np.array([[0, 0, 0], [1, 0, 0], [0, 1, 0], [0, 0, 1]], dtype=float)
    >>> faces = np.array([[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]])
    >>> inertia = solid_inertia(Triangles(corners, faces), 6.0)
    >>> round(inertia.mass, 12), [round(x, 12) for x in inertia.com]
    (1.0, [0.25, 0.25, 0.25])
    """
    middle = surface.vertices.mean(axis=0)
    p = (surface.vertices - middle)[surface.faces]
    V = np.einsum("ni,ni->n", p[:, 0], np.cross(p[:, 1], p[:, 2])) / 6.0
    s, volume = p.sum(axis=1), float(V.sum())
    if not volume > 0.0:
        message = "the triangles of this mesh enclose no volume; their normals must point outwards"
        raise LinkwrightError(message)
    com = (V[:, None] * s).sum(axis=0) / 4.0 / volume
    second = (np.einsum("n,nki,nkj->ij", V, p, p) + np.einsum("n,ni,nj->ij", V, s, s)) / 20.0
    second = second - volume * np.outer(com, com)
    tensor = density * (np.trace(second) * np.eye(3) - second)
    return Inertia(density * volume, tuple((com + middle).tolist()), (tensor + tensor.T) / 2.0)


_FOUND: set[str] = set()  # real paths of meshes that readers of this process found in allowed folders


def may_be_opened(file: str) -> bool:
    """Return True if a reader of this process found a mesh in an allowed folder, or if it is below the current one.

    A name in a text or in the file of a run is not opened otherwise.
    """
    return file in _FOUND or file_below_folder(Path.cwd(), Path(file)) is not None


def with_meshes_found(mech: Mechanism, assets: Assets) -> tuple[Mechanism, tuple[Finding, ...]]:
    """The mechanism with the real paths of its meshes, and a note about those that are missing or may not be named."""
    missing: dict[str, None] = {}

    def found(shape: Shape) -> Shape:
        if not isinstance(shape.solid, Mesh):
            return shape
        path = assets.find(shape.solid.file)
        if path is None:
            missing[shape.solid.file] = None
            return shape
        _FOUND.add(str(path))
        return replace(shape, solid=replace(shape.solid, file=str(path)))

    named = with_shapes(mech, found)
    if not missing:
        return named, ()
    shown = ", ".join(f"'{name}'" for name in list(missing)[:_FEW]) + (" ..." if len(missing) > _FEW else "")
    text = f"{len(missing)} meshes are not below the model's folder or in a known package: {shown}"
    fix = "they are not drawn; name their folders with load(..., folders=[...])"
    return named, (Finding("missing-mesh", text, fix, "remark", next(iter(missing)), len(missing)),)


def with_shapes(mech: Mechanism, changed: Any) -> Mechanism:
    """The mechanism with every shape changed by a function; the same object where none changes."""
    bodies = tuple(replace(body, shapes=tuple(map(changed, body.shapes))) for body in mech.bodies)
    base = tuple(map(changed, mech.base_shapes))
    return mech if (bodies, base) == (mech.bodies, mech.base_shapes) else replace(mech, bodies=bodies, base_shapes=base)
