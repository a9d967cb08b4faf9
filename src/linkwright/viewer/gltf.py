"""A mechanism and its motion as binary glTF 2.0 (.glb), for Blender, three.js, game engines and 3D viewers.

Every body is a node that its motion animates; rods between two bodies are nodes that also change their length. The
root turns the mechanism's upward direction to y, as glTF wants it.
"""

from __future__ import annotations

import json
import struct
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.numerics.tolerances import LEAST_SIZE, PARALLEL_AXES, TINY
from linkwright.version import __version__
from linkwright.viewer.flat_drawing import ROD_COLORS, THIN
from linkwright.viewer.triangles import TriangleSet, coil_triangles, join_solids, of_solid, rod_triangles

Array = np.ndarray
Data = dict[str, Any]
_FLOAT, _UINT, _ARRAY, _ELEMENTS = 5126, 5125, 34962, 34963


class _Buffer:
    """Arrays behind each other, with the records that describe them."""

    def __init__(self) -> None:
        self.content = bytearray()
        self.views: list[Data] = []
        self.accessors: list[Data] = []

    def add(self, values: Array, kind: str, target: int | None = None, bounds: bool = False) -> int:
        whole = np.ascontiguousarray(values, dtype="<u4" if kind == "SCALAR" and values.dtype.kind in "iu" else "<f4")
        view: Data = {"buffer": 0, "byteOffset": len(self.content), "byteLength": whole.nbytes}
        self.views.append(view | ({} if target is None else {"target": target}))
        record: Data = {
            "bufferView": len(self.views) - 1,
            "componentType": _UINT if whole.dtype.kind == "u" else _FLOAT,
            "count": len(whole),
            "type": kind,
        }
        if bounds:
            flat = whole.reshape(len(whole), -1)
            record |= {"min": flat.min(axis=0).tolist(), "max": flat.max(axis=0).tolist()}
        self.accessors.append(record)
        self.content += whole.tobytes()
        return len(self.accessors) - 1


class _Writer:
    def __init__(self, scene: Data, t: Array, tracks: Array) -> None:
        good = np.isfinite(tracks).all(axis=(1, 2)) if len(tracks) else np.zeros(0, dtype=bool)
        self.scene, self.t, self.tracks = scene, np.asarray(t, dtype=float)[good], np.asarray(tracks, float)[good]
        self.buffer = _Buffer()
        self.nodes: list[Data] = []
        self.meshes: list[Data] = []
        self.materials: dict[str, int] = {}
        self.channels: list[Data] = []
        self.samplers: list[Data] = []
        self.moving = len(self.t) > 1 and self.t[-1] > self.t[0]
        self.times = self.buffer.add(self.t - self.t[0], "SCALAR", bounds=True) if self.moving else -1

    def mesh(self, name: str, parts: list[tuple[TriangleSet, str]]) -> int:
        primitives = []
        for color in dict.fromkeys(c for _, c in parts):
            solid = join_solids([p for p, c in parts if c == color])
            attributes = {
                "POSITION": self.buffer.add(solid.corners, "VEC3", _ARRAY, bounds=True),
                "NORMAL": self.buffer.add(solid.normals, "VEC3", _ARRAY),
            }
            indices = self.buffer.add(solid.faces.ravel().astype(np.uint32), "SCALAR", _ELEMENTS)
            primitives.append({"attributes": attributes, "indices": indices, "material": self.material(color)})
        self.meshes.append({"name": name, "primitives": primitives})
        return len(self.meshes) - 1

    def material(self, color: str) -> int:
        return self.materials.setdefault(color, len(self.materials))

    def material_list(self) -> list[Data]:
        made = []
        for color in self.materials:
            rgb = [(int(color[i : i + 2], 16) / 255.0) ** 2.2 for i in (1, 3, 5)]
            alpha = int(color[7:], 16) / 255.0 if len(color) > 7 else 1.0
            looks = {"baseColorFactor": [*rgb, alpha], "metallicFactor": 0.05, "roughnessFactor": 0.55}
            clear = {"alphaMode": "BLEND"} if alpha < 1.0 else {}
            made.append({"name": color, "pbrMetallicRoughness": looks, **clear})
        return made

    def body(self, number: int, name: str) -> None:
        solids = [s for s in self.scene["solids"] if s["body"] == number]
        parts = [(of_solid(s, self.scene["meshes"]), s["color"]) for s in solids]
        parts += [(_straight_beam(b), b["color"]) for b in self.scene["beams"] if b["body"] == number]
        node: Data = {"name": name} | ({"mesh": self.mesh(name, parts)} if parts else {})
        self.nodes.append(node)
        if number >= 0:
            self.animate(node, self.tracks[:, number, :3], self.tracks[:, number, 3:])

    def animate(self, node: Data, r: Array, wxyz: Array, length: Array | None = None) -> None:
        """Give the last node its first pose, and its motion."""
        turns = np.roll(wxyz, -1, axis=1)
        node |= {"translation": r[0].tolist(), "rotation": turns[0].tolist()}
        tracks = {"translation": (r, "VEC3"), "rotation": (turns, "VEC4")}
        if length is not None:
            scale = np.column_stack([np.ones_like(length), np.maximum(length, LEAST_SIZE), np.ones_like(length)])
            node["scale"] = scale[0].tolist()
            tracks["scale"] = (scale, "VEC3")
        if not self.moving:
            return
        for path, (values, kind) in tracks.items():
            self.samplers.append({"input": self.times, "output": self.buffer.add(values, kind)})
            self.channels.append(
                {"sampler": len(self.samplers) - 1, "target": {"node": len(self.nodes) - 1, "path": path}}
            )

    def rod(self, record: Data) -> None:
        a, b = (self.points(record[body], record[end]) for body, end in (("a", "from"), ("b", "to")))
        along = b - a
        length = np.linalg.norm(along, axis=1)
        radius, color = THIN[record["kind"]] * self.scene["unit"], ROD_COLORS[record["kind"]]
        solid = coil_triangles(radius, float(length[0])) if record["kind"] == "spring" else rod_triangles(radius)
        node: Data = {"name": record["name"], "mesh": self.mesh(record["name"], [(solid, color)])}
        self.nodes.append(node)
        self.animate(node, a, _turns_from_y(along / np.maximum(length, TINY)[:, None]), length)

    def points(self, body: int, xyz: Any) -> Array:
        if body < 0:
            return np.tile(np.array(xyz, dtype=float), (len(self.tracks), 1))
        R = np.moveaxis(rotations.rotation_matrix(self.tracks[:, body, 3:].T), -1, 0)
        return self.tracks[:, body, :3] + R @ np.array(xyz, dtype=float)

    def document(self, title: str) -> Data:
        self.body(-1, self.scene["base"] or "base")
        for i, body in enumerate(self.scene["bodies"]):
            self.body(i, body["name"])
        for each in self.scene["rods"]:
            self.rod(each)
        root = {"name": title, "children": list(range(len(self.nodes))), "rotation": _quaternion_to_y(self.scene["up"])}
        data: Data = {
            "asset": {"version": "2.0", "generator": f"linkwright {__version__}"},
            "scene": 0,
            "scenes": [{"name": title, "nodes": [len(self.nodes)]}],
            "nodes": [*self.nodes, root],
            "meshes": self.meshes,
            "materials": self.material_list(),
            "accessors": self.buffer.accessors,
            "bufferViews": self.buffer.views,
            "buffers": [{"byteLength": len(self.buffer.content)}],
        }
        if self.channels:
            data["animations"] = [{"name": "motion", "channels": self.channels, "samplers": self.samplers}]
        return data


def glb_bytes(scene: Data, t: Array, tracks: Array, title: str) -> bytes:
    """A scene with poses (n, n_bodies, 7) at times (n,) as the bytes of a .glb file."""
    writer = _Writer(scene, t, tracks)
    text = json.dumps(writer.document(title), separators=(",", ":")).encode()
    head = text + b" " * (-len(text) % 4)
    body = bytes(writer.buffer.content) + b"\0" * (-len(writer.buffer.content) % 4)
    whole = 12 + 8 + len(head) + 8 + len(body)
    return b"".join(
        [
            struct.pack("<4sII", b"glTF", 2, whole),
            struct.pack("<I4s", len(head), b"JSON"),
            head,
            struct.pack("<I4s", len(body), b"BIN\0"),
            body,
        ]
    )


def _straight_beam(beam: Data) -> TriangleSet:
    """A flexible link without its bending, along x."""
    along_x = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    made = rod_triangles(beam["radius"])
    stretched = TriangleSet(made.corners * np.array([1.0, beam["stations"][-1], 1.0]), made.normals, made.faces)
    return stretched.transform_points(np.zeros(3), along_x)


def _turns_from_y(along: Array) -> Array:
    """Quaternions w x y z that turn y to unit vectors (n, 3)."""
    wxyz = np.column_stack([1.0 + along[:, 1], along[:, 2], np.zeros(len(along)), -along[:, 0]])
    wxyz[wxyz[:, 0] < PARALLEL_AXES] = [0.0, 1.0, 0.0, 0.0]
    return wxyz / np.linalg.norm(wxyz, axis=1, keepdims=True)


def _quaternion_to_y(up: Any) -> list[float]:
    """The quaternion x y z w that turns an upward direction to y."""
    w, x, y, z = _turns_from_y(np.array([up], dtype=float))[0]
    return [float(-x), float(-y), float(-z), float(w)]
