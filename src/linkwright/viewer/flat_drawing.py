"""A scene drawn flat, without a browser, as an SVG picture: outlines of its solids from the far ones to the near.

Rods and balls are their silhouettes with a light stripe, boxes their visible faces, meshes the hull of what is seen of
them. Solids are drawn in the order of their middles, so that long ones that cross may lie in the wrong order.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.algebra.transforms import frame_with_z
from linkwright.dataclass import dataclass
from linkwright.generated_text import html_text
from linkwright.numerics.tolerances import LEAST_SIZE, LIMIT_SLACK, PARALLEL_AXES
from linkwright.viewer.shown_motion import unpack_array
from linkwright.viewer.solids import convex_hull
from linkwright.viewer.triangles import polygon_area

# --- A scene drawn flat, without a browser ----------------------------------------------------------------------------

Array = np.ndarray
Data = dict[str, Any]
ROD_COLORS = {"rod": "#aa3377", "strut": "#b0a030", "spring": "#b0a030", "piston": "#888888", "tube": "#99a3ad"}
THIN = {"rod": 0.6, "strut": 0.3, "spring": 1.5, "piston": 0.35, "tube": 0.65}
_PATHS = ("#ee6677", "#4477aa", "#228833", "#b0a030", "#aa3377", "#46aed0")
_TURNS = 9  # of a spring
MANY = 900  # solids, of which only rods are drawn, as lines
_CIRCLE = np.stack([np.cos(np.linspace(0, 2 * np.pi, 24, False)), np.sin(np.linspace(0, 2 * np.pi, 24, False))], axis=1)


@dataclass(frozen=True, eq=False)
class Patch:
    """A polygon or, with a width, a line: points (k, 2) right and up [m], depth towards the viewer [m], color."""

    points: Array
    depth: float
    color: str
    width: float = 0.0
    opacity: float = 1.0


@dataclass(frozen=True, eq=False)
class Camera:
    """Axes of the picture in the world: right, up and towards the viewer, (3, 3) by rows."""

    axes: Array

    def project_points(self, points: Array) -> Array:
        """Right, up and depth of points (..., 3)."""
        return points @ self.axes.T


def opening_camera(scene: Data) -> Camera:
    """The view that a page opens with: along the normal of a planar mechanism, else from the front, right and above."""
    up = np.array(scene["up"], dtype=float)
    if scene["normal"] is not None:
        towards = np.array(scene["normal"], dtype=float)
        if abs(towards @ up) > 0.99:
            up = np.array([0.0, 1.0, 0.0] if abs(towards[1]) < 0.9 else [0.0, 0.0, 1.0])
    else:
        guess = np.array([0.0, -1.0, 0.0] if abs(up[1]) < 0.9 else [0.0, 0.0, 1.0])
        front = guess - (guess @ up) * up
        front /= np.linalg.norm(front)
        towards = 0.78 * front - 0.45 * np.cross(front, up) + 0.42 * up
        towards /= np.linalg.norm(towards)
    right = np.cross(up, towards)
    right /= np.linalg.norm(right)
    return Camera(np.stack([right, np.cross(towards, right), towards]))


def scene_patches(scene: Data, poses: Array, view: Camera) -> list[Patch]:
    """Everything that is drawn of a scene at poses of its bodies (n_bodies, 7), the farthest first."""
    poses = np.asarray(poses, dtype=float)
    bodies = [(pose[:3], rotations.rotation_matrix(pose[3:])) for pose in poses]
    bodies.append((np.zeros(3), np.eye(3)))  # the base has the number -1
    solids = scene["solids"]
    found = []
    if len(solids) > MANY:
        rods = [s for s in solids if s["kind"] == "cylinder" and s["layer"] == "body"]
        found = [_line_patch(s, bodies, view) for s in rods]
        solids = [s for s in solids if s["kind"] not in ("cylinder", "ball") and s["layer"] == "body"]
    found += [p for solid in solids for p in _solid_patches(scene, solid, bodies, view)]
    found += [p for rod in scene["rods"] for p in _rod_patches(rod, scene["unit"], bodies, view)]
    found += [p for beam in scene["beams"] for p in _beam_patches(beam, bodies, view)]
    return sorted(found, key=lambda p: p.depth)


def _line_patch(solid: Data, bodies: list[tuple[Array, Array]], view: Camera) -> Patch:
    """A rod of a very big scene as a thick line."""
    r, R = _solid_center_and_axes(solid, bodies)
    half = 0.5 * solid["size"][2] * R[:, 2]
    ends = view.project_points(np.stack([r - half, r + half]))
    return Patch(ends[:, :2], float(ends[:, 2].mean()), solid["color"][:7], 2.0 * solid["size"][0])


def path_lines(scene: Data, tracks: Array, view: Camera) -> list[Patch]:
    """Paths of the scene's points over all poses (n, n_bodies, 7)."""
    lines = []
    for i, path in enumerate(scene["paths"]):
        if path["body"] >= 0 and len(tracks) > 1:
            r, wxyz = tracks[:, path["body"], :3], tracks[:, path["body"], 3:]
            R = np.moveaxis(rotations.rotation_matrix(wxyz.T), -1, 0)
            points = view.project_points(r + R @ np.array(path["xyz"], dtype=float))
            points = points[np.isfinite(points).all(axis=1)]
            lines.append(Patch(points[:, :2], np.inf, _PATHS[i % len(_PATHS)], 0.3 * scene["unit"]))
    return lines


def _solid_center_and_axes(solid: Data, bodies: list[tuple[Array, Array]]) -> tuple[Array, Array]:
    """Center and axes of a solid in the world."""
    r, R = bodies[solid["body"]]
    at = np.array(solid["at"], dtype=float)
    return r + R @ at[:3], R @ rotations.rotation_matrix(at[3:])


def _solid_patches(scene: Data, solid: Data, bodies: list[tuple[Array, Array]], view: Camera) -> Iterator[Patch]:
    r, R = _solid_center_and_axes(solid, bodies)
    size, color, center = np.array(solid["size"]), solid["color"][:7], view.project_points(r)
    opacity = int(solid["color"][7:], 16) / 255 if len(solid["color"]) > 7 else 1.0
    match solid["kind"]:
        case "ball" if np.ptp(size) == 0.0:
            yield from _ball_patches(center, float(size[0]), color, opacity)
        case "ball":
            yield Patch(
                _silhouette_of_points(view.project_points(r + _sphere_points() * size @ R.T)),
                center[2],
                color,
                0.0,
                opacity,
            )
        case "cylinder":
            half = 0.5 * size[2] * R[:, 2]
            yield from _tube_patches(r - half, r + half, float(size[0]), color, view, opacity)
        case "box":
            yield from _box_patches(r, R, size, color, view, opacity)
        case "plate":
            yield from _plate_patches(r, R, np.array(solid["corners"]), float(size[0]), color, view, opacity)
        case "mesh":
            corners = _mesh_corners(scene["meshes"][solid["surface"]])
            yield Patch(_silhouette_of_points(view.project_points(r + corners @ R.T)), center[2], color, 0.0, opacity)
        case "spiral":
            angle = np.linspace(0.0, 6.0 * np.pi, 90)
            flat = np.linspace(0.3, 1.0, 90)[:, None] * np.stack([np.cos(angle), np.sin(angle), 0 * angle], axis=1)
            yield Patch(view.project_points(r + flat * size @ R.T)[:, :2], center[2], color, 0.14 * float(size[0]))


def _ball_patches(center: Array, radius: float, color: str, opacity: float) -> Iterator[Patch]:
    yield Patch(center[:2] + radius * _CIRCLE, center[2], color, 0.0, opacity)
    light = center[:2] + radius * np.array([-0.3, 0.35])
    yield Patch(
        light + 0.35 * radius * _CIRCLE, np.nextafter(center[2], np.inf), lighten_color(color, 0.3), 0.0, opacity
    )


def _tube_patches(a: Array, b: Array, radius: float, color: str, view: Camera, opacity: float = 1.0) -> Iterator[Patch]:
    """Silhouette of a cylinder and a stripe of light along it."""
    axis = b - a
    length = float(np.linalg.norm(axis))
    frame = frame_with_z(axis / length) if length > 0.0 else np.eye(3)
    ring = radius * _CIRCLE @ frame[:, :2].T
    points = view.project_points(np.concatenate([a + ring, b + ring]))
    depth = float(view.project_points(0.5 * (a + b))[2])
    yield Patch(_silhouette_of_points(points), depth, color, 0.0, opacity)
    ends = view.project_points(np.stack([a, b]))[:, :2]
    along = ends[1] - ends[0]
    if np.linalg.norm(along) > radius:
        across = np.array([-along[1], along[0]]) / np.linalg.norm(along)
        stripe = ends + 0.35 * radius * (across if across[1] > 0 else -across)
        yield Patch(stripe, float(np.nextafter(depth, np.inf)), lighten_color(color, 0.3), 0.35 * radius, opacity)


_FACES = ((0, 1, 3, 2), (4, 6, 7, 5), (0, 4, 5, 1), (2, 3, 7, 6), (0, 2, 6, 4), (1, 5, 7, 3))


def _box_patches(r: Array, R: Array, size: Array, color: str, view: Camera, opacity: float) -> Iterator[Patch]:
    signs = np.array([[x, y, z] for x in (-0.5, 0.5) for y in (-0.5, 0.5) for z in (-0.5, 0.5)])
    corners = view.project_points(r + (signs * size) @ R.T)
    depth = float(view.project_points(r)[2])
    for face in _FACES:
        yield from _face_patches(corners[list(face)], depth, color, opacity)


def _face_patches(corners: Array, depth: float, color: str, opacity: float) -> Iterator[Patch]:
    """A face that looks at the viewer, the brighter the more it does."""
    n = np.cross(corners[1] - corners[0], corners[2] - corners[1])
    size = float(np.linalg.norm(n))
    if size > 0.0 and n[2] > PARALLEL_AXES * size:
        light = 0.5 * n[2] / size + 0.5 * max(0.0, n[1] / size)
        yield Patch(corners[:, :2], depth, lighten_color(color, 0.35 * (light - 0.5)), 0.0, opacity)


def _plate_patches(
    r: Array, R: Array, corners: Array, thick: float, color: str, view: Camera, opacity: float
) -> Iterator[Patch]:
    half = 0.5 * thick * R[:, 2]
    flat = r + corners @ R.T
    low, high = view.project_points(flat - half), view.project_points(flat + half)
    if polygon_area(corners[:, :2]) < 0.0:
        low, high = low[::-1], high[::-1]
    depth = float(view.project_points(r)[2])
    for i in range(len(low)):
        j = (i + 1) % len(low)
        yield from _face_patches(np.stack([low[i], low[j], high[j], high[i]]), depth, color, opacity)
    yield from _face_patches(high, float(np.nextafter(depth, np.inf)), color, opacity)
    yield from _face_patches(low[::-1], float(np.nextafter(depth, np.inf)), color, opacity)


def _rod_patches(rod: Data, unit: float, bodies: list[tuple[Array, Array]], view: Camera) -> Iterator[Patch]:
    (ra, Ra), (rb, Rb) = bodies[rod["a"]], bodies[rod["b"]]
    a, b = ra + Ra @ np.array(rod["from"]), rb + Rb @ np.array(rod["to"])
    radius, color = THIN[rod["kind"]] * unit, ROD_COLORS[rod["kind"]]
    if rod["kind"] == "spring":
        yield from _coil_patches(a, b, radius, color, view)
    else:
        yield from _tube_patches(a, b, radius, color, view)


def _coil_patches(a: Array, b: Array, radius: float, color: str, view: Camera) -> Iterator[Patch]:
    share = np.linspace(0.0, 1.0, 16 * _TURNS + 1)
    length = float(np.linalg.norm(b - a))
    frame = frame_with_z((b - a) / length) if length > 0.0 else np.eye(3)
    out = radius * np.minimum(1.0, 12.0 * np.minimum(share, 1.0 - share))
    angle = 2.0 * np.pi * _TURNS * share
    coil = a + share[:, None] * (b - a)
    coil = coil + (out * np.cos(angle))[:, None] * frame[:, 0] + (out * np.sin(angle))[:, None] * frame[:, 1]
    yield Patch(view.project_points(coil)[:, :2], float(view.project_points(0.5 * (a + b))[2]), color, 0.3 * radius)


def _beam_patches(beam: Data, bodies: list[tuple[Array, Array]], view: Camera) -> Iterator[Patch]:
    """A flexible link, drawn straight."""
    r, R = bodies[beam["body"]]
    yield from _tube_patches(r, r + R[:, 0] * beam["stations"][-1], beam["radius"], beam["color"], view)


def _silhouette_of_points(points: Array) -> Array:
    flat = points[:, :2]
    flat = flat if len(flat) <= 100 else flat[_outer_points(flat)]
    return flat[convex_hull(flat)]


def _outer_points(flat: Array) -> Array:
    """Indices of the farthest points in many directions, among which the hull is looked for."""
    angle = np.linspace(0.0, 2.0 * np.pi, 48, endpoint=False)
    return np.unique(np.argmax(flat @ np.stack([np.cos(angle), np.sin(angle)]), axis=0))


def _mesh_corners(surface: Data) -> Array:
    """Corners of a mesh, (n, 3), [m]."""
    return np.array(surface["low"]) + unpack_array(surface["corners"]).reshape(-1, 3) * np.array(surface["step"])


def _sphere_points() -> Array:
    k = np.arange(60)
    z = 1.0 - (2 * k + 1) / 60
    angle = k * np.pi * (3.0 - np.sqrt(5.0))
    return np.stack([np.sqrt(1 - z * z) * np.cos(angle), np.sqrt(1 - z * z) * np.sin(angle), z], axis=1)


def lighten_color(color: str, by: float) -> str:
    """A color nearer to white, or for a negative amount to black.

    >>> lighten_color("#808080", 0.5), lighten_color("#808080", -0.5)
    ('#c0c0c0', '#404040')
    """
    parts = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return "#" + "".join(f"{round(x + by * (255 - x) if by > 0 else x * (1 + by)):02x}" for x in parts)


@dataclass(frozen=True, eq=False)
class PictureFrame:
    """Scale and offset that bring patches into a picture: pixel = scale (x, -y) + offset."""

    width: int
    height: int
    scale: float
    offset: Array

    def pixels(self, points: Array) -> Array:
        """Pixels right and down of points (k, 2) right and up [m]."""
        return self.scale * points * np.array([1.0, -1.0]) + self.offset


def picture_frame(parts: list[Patch], width: int, height: int, margin: float = 0.06) -> PictureFrame:
    """A picture that holds all patches."""
    points = np.concatenate([p.points for p in parts if len(p.points)]) if parts else np.zeros((1, 2))
    points = points[np.isfinite(points).all(axis=1)]
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (np.zeros(2), np.ones(2))
    space = np.array([width, height]) * (1.0 - 2.0 * margin)
    scale = float(np.min(space / np.maximum(high - low, LEAST_SIZE)))
    middle = 0.5 * (low + high) * np.array([1.0, -1.0])
    return PictureFrame(width, height, scale, np.array([width, height]) / 2.0 - scale * middle)


def enlarge_picture(frame: PictureFrame, times: int) -> PictureFrame:
    """The same picture with more pixels."""
    return replace(
        frame,
        width=times * frame.width,
        height=times * frame.height,
        scale=times * frame.scale,
        offset=times * frame.offset,
    )


# --- A scene as an SVG picture ----------------------------------------------------------------------------------------

WIDTH, HEIGHT = 900, 600


def still_svg(
    scene: dict[str, Any], tracks: Array, title: str, row: int = 0, size: tuple[int, int] = (WIDTH, HEIGHT)
) -> str:
    """A picture of a scene at one row of its poses (n, n_bodies, 7), with the paths of all rows."""
    view = opening_camera(scene)
    good = tracks[np.isfinite(tracks).all(axis=(1, 2))]
    shown = tracks[row] if np.isfinite(tracks[row]).all() else good[0] if len(good) else tracks[row]
    lines = path_lines(scene, good, view)
    parts = scene_patches(scene, shown, view)
    frame = picture_frame([*parts, *lines], *size)
    return svg_text([*lines, *parts], frame, title, scene, view)


def svg_text(parts: list[Patch], frame: PictureFrame, title: str, scene: dict[str, Any], view: Camera) -> str:
    """Patches as an SVG text, with a scale bar."""
    w, h = frame.width, frame.height
    body = "".join(_patch_element(part, frame) for part in parts if np.isfinite(part.points).all())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{w}" height="{h}" viewBox="0 0 {w} {h}" role="img" '
        f'aria-label="{html_text(title)}"><title>{html_text(title)}</title>'
        f'<rect width="{w}" height="{h}" fill="#ffffff"/><g stroke-linejoin="round" stroke-linecap="round" '
        f'stroke-width="0.8">{body}</g>{scale_bar(frame)}</svg>'
    )


def _patch_element(part: Patch, frame: PictureFrame) -> str:
    way = path_text(frame.pixels(part.points))
    faint = f' opacity="{part.opacity:.2f}"' if part.opacity < 1.0 else ""
    if part.width:
        width = max(frame.scale * part.width, 0.8)
        return f'<path d="{way}" fill="none" stroke="{part.color}" stroke-width="{width:.1f}"{faint}/>'
    return f'<path d="{way}z" fill="{part.color}" stroke="{lighten_color(part.color, -0.25)}"{faint}/>'


def path_text(points: Array) -> str:
    """Points (k, 2) as a path of SVG, in tenths of a pixel and relative to each other, which is short.

    >>> path_text(np.array([[10.0, 20.0], [10.52, 19.0], [10.5, 19.01], [8.0, 19.0]]))
    'M10 20l.5-1-2.5 0'
    """
    tenths = np.round(10.0 * points).astype(int)
    steps = [step for step in np.diff(tenths, axis=0).tolist() if any(step)]
    numbers = [_tenths_text(x) for step in steps for x in step]
    first, second = (_tenths_text(x) for x in tenths[0].tolist())
    line = "".join(x if i == 0 or x[0] == "-" else f" {x}" for i, x in enumerate(numbers))
    return f"M{first} {second}l{line or '0 0'}"


def _tenths_text(tenths: int) -> str:
    """Tenths as a number without needless zeros."""
    whole, rest = divmod(abs(tenths), 10)
    text = f"{whole or ''}.{rest}" if rest else f"{whole}"
    return f"-{text}" if tenths < 0 else text


def scale_bar(frame: PictureFrame) -> str:
    """A bar of a round length in the lower right corner, with its length."""
    size = round_length(0.14 * frame.width / frame.scale)
    long = size * frame.scale
    x, y = frame.width - 14 - long, frame.height - 14
    text = f"{1000 * size:.4g} mm" if size < 0.0999 else f"{size:.4g} m"
    return (
        f'<path d="M{x:.1f} {y - 5}v5h{long:.1f}v-5" fill="none" stroke="#5b6470" stroke-width="1.5"/>'
        f'<text x="{x + 0.5 * long:.1f}" y="{y - 8}" font-family="sans-serif" font-size="12" fill="#5b6470" '
        f'text-anchor="middle">{text}</text>'
    )


def round_length(x: float) -> float:
    """The largest of 1, 2 and 5 times a power of ten that is not above x.

    >>> round_length(0.3), round_length(0.051)
    (0.2, 0.05)
    """
    power = 10.0 ** np.floor(np.log10(x))
    return float(f"{max(k for k in (1, 2, 5) if k * power <= x * (1 + LIMIT_SLACK)) * power:.12g}")
