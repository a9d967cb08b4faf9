"""SDF text to one flat list of links, frames and joints with their poses and inertias."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from dataclasses import field
from functools import reduce
from pathlib import Path
from typing import Any

import numpy as np

from linkwright.algebra.transforms import IDENTITY, RigidTransform
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.formats.assets import FOLDER_FIX, Assets, limited_text
from linkwright.formats.import_findings import refuse_one
from linkwright.formats.meshes import is_closed_surface, load_mesh, solid_inertia
from linkwright.formats.written_inertia import possible_tensor
from linkwright.formats.xml import LARGEST, Element, Findings, parse_xml
from linkwright.mechanism import Box, Capsule, Cylinder, Ellipsoid, Inertia, Mesh, Sphere

# --- SDF text to one flat list of links, frames and joints ------------------------------------------------------------

WORLD = "world"
MODEL = "__model__"
MOST_INCLUDES = 256
_LEADING = re.compile(r"[-+\d.eE\s]*[\d.](?=\S)")  # numbers with something else after them
DEEPEST = 8


@dataclass
class Placed:
    """A link, frame, joint or model: its element, its own pose and what that is relative to (names in full)."""

    element: Element
    pose: RigidTransform
    relative_to: str
    attached_to: str = ""
    model: str = ""  # of a joint the frame of the model it is in, of a merged model its first link


@dataclass
class Scene:
    """Everything of a file under its full name, `model::part` for nested models."""

    name: str
    gravity: Element | None = None
    links: dict[str, Placed] = field(default_factory=dict)
    joints: dict[str, Placed] = field(default_factory=dict)
    frames: dict[str, Placed] = field(default_factory=dict)
    static: set[str] = field(default_factory=set)
    constraints: list[tuple[str, Element]] = field(default_factory=list)
    roots: list[Element] = field(default_factory=list)  # outermost elements that are read, one for each file


def text_of_child(element: Element | None, tag: str, default: str = "") -> str:
    """The text of a child."""
    child = None if element is None else element.first(tag)
    return default if child is None else child.text.strip()


def numbers_of_child(
    element: Element | None, tag: str, owner: str, found: Findings, default: tuple[float, ...]
) -> tuple[float, ...]:
    """Numbers in the text of a child; the default when it is missing."""
    child = None if element is None else element.first(tag)
    if child is None or not child.text.strip():
        return default
    text = child.text.strip()
    started = _LEADING.match(text)
    rest = "" if started is None else text[started.end() :]
    if started is not None and len(started[0].split()) == len(default) and not any(map(str.isalnum, rest)):
        about = f"{owner}: '{rest[:20]}' after the number in <{tag}> is left out"
        fix = f"write <{tag}>{started[0]}</{tag}>"
        found.note(about, "warning", "bad-value", tag, text[:40], fix, child.line)
        text = started[0]
    return found.numbers(Element(child.tag, {"text": text}, child.line), "text", owner, default)


def bound_of_child(element: Element | None, tag: str, owner: str, found: Findings, default: float) -> float:
    """A number in the text of a child that may be infinite: a bound that is none."""
    if (text := text_of_child(element, tag).lower()).lstrip("+-") in ("inf", "infinity"):
        return -math.inf if text.startswith("-") else math.inf
    return numbers_of_child(element, tag, owner, found, (default,))[0]


def pose_of(element: Element | None, owner: str, found: Findings) -> tuple[RigidTransform, str]:
    """The <pose> of an element and what it is relative to."""
    pose = None if element is None else element.first("pose")
    if element is None or pose is None:
        return IDENTITY, ""
    relative_to = pose.attributes.get("relative_to") or pose.attributes.get("frame", "")  # its name up to SDF 1.6
    if pose.attributes.get("rotation_format") == "quat_xyzw":
        x, y, z, qx, qy, qz, qw = numbers_of_child(element, "pose", owner, found, (0.0,) * 6 + (1.0,))
        return RigidTransform.from_quaternion((x, y, z), (qw, qx, qy, qz)), relative_to
    x, y, z, roll, pitch, yaw = numbers_of_child(element, "pose", owner, found, (0.0,) * 6)
    if pose.attributes.get("degrees") == "true":
        roll, pitch, yaw = (angle * 3.141592653589793 / 180.0 for angle in (roll, pitch, yaw))
    return RigidTransform.from_rpy((x, y, z), (roll, pitch, yaw)), relative_to


@dataclass
class _Work:
    file: str
    assets: Assets
    found: Findings
    scene: Scene
    included: int = 0
    files: set[Path] = field(default_factory=set)


def read_scene(text: str, file: str, assets: Assets, found: Findings) -> Scene:
    """All models of a file in one scene; the frame of the scene is the world."""
    root = parse_xml(text, file)
    if root.tag != "sdf":
        refuse_one(file, "unknown-format", f"the outermost element is <{root.tag}>", "an SDF file has <sdf>", root.line)
    _place_old_axes(root)
    world = root.first(WORLD)
    models = [*(root.children if world is None else world.children)]
    tops = [each for each in models if each.tag in ("model", "include")]
    if not tops:
        refuse_one(file, "no-bodies", "there is no <model>, so nothing moves", "add one", root.line)
    for other in (each for each in root.children if each.tag in ("model", "include", WORLD) and world is not None):
        if other is not world:
            name = other.attributes.get("name", "")
            text, fix = f"<{other.tag}> '{name}' beside the first world dropped", "put it into a file of its own"
            found.note(text, "error", "dropped-tag", name, fix=fix, line=other.line)
    made = Scene(tops[0].attributes.get("name", "") or "model")
    made.gravity = None if world is None else world.first("gravity")
    made.roots.append(root)
    work = _Work(file, assets, found, made)
    parts = () if world is None else [part for part in world.children if part.tag in ("joint", "frame")]
    alone = len(tops) == 1 and not parts
    for top in tops:
        if top.attributes.get("merge") == "true":
            _merge_included(top, "", MODEL, work, 0)
        else:
            _read_model(top, "" if alone else _nested_model_prefix(top, work), "", MODEL, work, 0)
    for part in parts:
        _read_model_part(part, "", MODEL, work)
    return made


def _place_old_axes(root: Element) -> None:
    """State the frame of axes in files up to SDF 1.4, where it is the model's; since 1.5 it is the joint's."""
    if _sdf_version(root) >= (1, 5):
        return
    for joint in _all_below(root, "joint"):
        for axis in (*joint.all("axis"), *joint.all("axis2")):
            if axis.first("use_parent_model_frame") is None:
                axis.children.append(Element("use_parent_model_frame", {}, axis.line, [], "true"))


def _sdf_version(root: Element) -> tuple[int, ...]:
    """The version of SDF; the newest where the file gives none."""
    parts = root.attributes.get("version", "").strip().split(".")
    return tuple(map(int, parts)) if all(part.isdecimal() for part in parts) else (1, 12)


def _all_below(element: Element, tag: str) -> Iterator[Element]:
    yield from element.all(tag)
    for child in element.children:
        yield from _all_below(child, tag)


def _read_model(element: Element, prefix: str, above: str, around: str, work: _Work, depth: int) -> None:
    """One model under a prefix; `above` is the prefix of the model it is in, `around` the name of that one's frame."""
    inside = _included_model(element, work) if element.tag == "include" else element
    _place_model_frame(element, inside, f"{prefix}{MODEL}", prefix, _full_name("", above, around, element), work)
    if "true" in (text_of_child(inside, "static"), text_of_child(element, "static")):
        work.scene.static.add(prefix)
    _read_content(inside, prefix, MODEL, work, depth)


def _merge_included(include: Element, prefix: str, around: str, work: _Work, depth: int) -> None:
    """The content of an included model as content of the model that includes it; its frame has a name of its own."""
    inside = _included_model(include, work)
    own = f"_merged__{text_of_child(include, 'name') or inside.attributes.get('name', '')}__{MODEL}"
    _place_model_frame(include, inside, f"{prefix}{own}", prefix, _full_name("", prefix, around, include), work)
    first = inside.first("link")
    work.scene.frames[f"{prefix}{own}"].model = "" if first is None else f"{prefix}{first.attributes.get('name', '')}"
    _read_content(inside, prefix, own, work, depth)


def _place_model_frame(
    element: Element, inside: Element, name: str, prefix: str, relative_to: str, work: _Work
) -> None:
    """The frame of a model, where the element that includes it or the model itself places it."""
    pose, _ = pose_of(element if element.first("pose") is not None else inside, f"model '{name}'", work.found)
    placement = element.attributes.get("placement_frame") or text_of_child(element, "placement_frame")
    placement = placement or inside.attributes.get("placement_frame", "")
    placement = "" if placement == MODEL else placement
    work.scene.frames[name] = Placed(element, pose, relative_to, f"{prefix}{placement}" if placement else "")


def _read_content(inside: Element, prefix: str, own: str, work: _Work, depth: int) -> None:
    """The parts of a model whose frame is `own`."""
    if depth > DEEPEST:
        refuse_one(work.file, "too-large", f"models are nested more than {DEEPEST} deep", "flatten them", inside.line)
    for part in inside.children:
        if part.tag == "include" and part.attributes.get("merge") == "true":
            _merge_included(part, prefix, own, work, depth + 1)
        elif part.tag in ("model", "include"):
            _read_model(part, f"{prefix}{_nested_model_prefix(part, work)}", prefix, own, work, depth + 1)
        else:
            _read_model_part(part, prefix, own, work)


def _nested_model_prefix(part: Element, work: _Work) -> str:
    """The prefix of a nested model: its name, or the one that the file it comes from gives it."""
    name = text_of_child(part, "name") or part.attributes.get("name", "")
    if not name and part.tag == "include":
        name = _included_model(part, work).attributes.get("name", "")
    return f"{name}::"


def _read_model_part(part: Element, prefix: str, own: str, work: _Work) -> None:
    """A link, frame, joint or constraint of a model whose frame is `own`."""
    name = f"{prefix}{part.attributes.get('name', '')}"
    owner, scene = f"{part.tag} '{name}'", work.scene
    pose, relative = pose_of(part, owner, work.found)
    kinds = {"link": scene.links, "frame": scene.frames, "joint": scene.joints}
    if part.tag in kinds and (not part.attributes.get("name") or name in kinds[part.tag]):
        work.found.problem(f"{owner}: a part of the model needs a name of its own", part, "name-taken")
    elif part.tag in kinds and any(name in known for known in kinds.values()):
        text = f"{owner} has the name of another part of the model; as a frame the name means the link, then the frame"
        work.found.note(text, "warning", "name-taken", name, fix="give each its own name", line=part.line)

    def full(written: str) -> str:
        return _name_in_scope(written, prefix, own)

    if part.tag == "link":
        scene.links[name] = Placed(part, pose, full(relative))
    elif part.tag == "frame":
        attached = part.attributes.get("attached_to", "")
        scene.frames[name] = Placed(part, pose, full(relative or attached), full(attached))
    elif part.tag == "joint":
        scene.joints[name] = Placed(part, pose, full(relative or text_of_child(part, "child")), prefix, own)
    elif part.tag.startswith("drake:") and ("constraint" in part.tag or "spring" in part.tag):
        scene.constraints.append((prefix, part))


def _full_name(name: str, prefix: str, own: str, placed: Element) -> str:
    """What a model is placed relative to: what its <pose> names, else the frame of the model it is in."""
    pose = placed.first("pose")
    written = "" if pose is None else pose.attributes.get("relative_to") or pose.attributes.get("frame", "")
    return _name_in_scope(written or name, prefix, own)


def _name_in_scope(name: str, prefix: str, own: str) -> str:
    """A name as written inside a model, in full; the model itself is its frame `own`."""
    if name == WORLD:
        return WORLD
    return f"{prefix}{own if name in ('', MODEL) else name}"


def _included_model(include: Element, work: _Work) -> Element:
    """The model of another file below the folder."""
    uri = text_of_child(include, "uri")
    work.included += 1
    path = _model_file(uri, work.assets)
    if path is None or work.included > MOST_INCLUDES:
        why = "is not a file below the model's folder" if path is None else f"is one of more than {MOST_INCLUDES}"
        fix = f"put it there, or {FOLDER_FIX}"
        refuse_one(work.file, "bad-include", f"<include> of '{uri}' {why}", fix, include.line)
    text = limited_text(path, LARGEST)
    if text is None:
        refuse_one(work.file, "too-large", f"'{path.name}' is longer than {LARGEST} bytes", "", include.line)
    root = parse_xml(text, path.name)
    _place_old_axes(root)
    _place_mesh_names(root, path.parent)
    work.scene.roots += [] if path in work.files else [root]
    work.files.add(path)
    model = root.first("model")
    if model is None and any(root.first(tag) is not None for tag in ("light", "actor")):
        return Element("model", {"name": root.attributes.get("name", "")}, root.line)  # it shines or walks by itself
    if model is None:
        refuse_one(work.file, "no-bodies", f"'{path.name}' has no <model>", "add one", include.line)
    return model


def _place_mesh_names(root: Element, folder: Path) -> None:
    """Name the meshes of an included file by whole paths: names without a scheme are relative to that file."""
    for uri in (uri for mesh in _all_below(root, "mesh") for uri in mesh.all("uri")):
        name = uri.text.strip()
        if name and "://" not in name and not Path(name).is_absolute():
            uri.text = str(folder / name)


def _model_file(uri: str, assets: Assets) -> Path | None:
    """The file of a URI, which names a file or the folder of a model; packages and paths above are left out."""
    named = uri if "://" in uri else f"model://{uri}"
    last = named.rstrip("/").rsplit("/", 1)[-1]
    endings = ("", "/model.sdf", ".sdf", f"/{last}.sdf")
    tried = (assets.find(named.rstrip("/") + each, named=True) for each in endings)
    return next((path for path in tried if path is not None), None)


class Poses:
    """Poses of everything in the world, computed when needed; circles are refused."""

    def __init__(self, scene: Scene, file: str) -> None:
        self.scene, self.file = scene, file
        self.known: dict[str, RigidTransform] = {WORLD: IDENTITY, MODEL: IDENTITY}
        self.pending: list[str] = []

    def __call__(self, name: str) -> RigidTransform:
        """The pose of a link, frame, joint or model by its full name."""
        if name in self.known and name != MODEL:
            return self.known[name]
        placed = self.find_placed(name)
        if placed is None:
            return self.unknown(name)
        if name in self.pending:
            refuse_one(self.file, "contradiction", f"poses go in a circle: {', '.join(self.pending)}", "break it")
        self.pending.append(name)
        base = IDENTITY if placed.relative_to == name else self(placed.relative_to)
        pose = base @ placed.pose
        if placed.element.tag != "frame" and name.endswith(MODEL) and placed.attached_to:  # placed by its own frame
            pose = pose @ self.inside(placed.attached_to, name).inverse
        self.pending.pop()
        self.known[name] = pose
        return pose

    def inside(self, name: str, model: str) -> RigidTransform:
        """A frame of a model seen from the model, before the model is placed."""
        placed = self.find_placed(name)
        if placed is None:
            return self.unknown(name)
        before = IDENTITY if placed.relative_to == model else self.inside(placed.relative_to, model)
        return before @ placed.pose

    def find_placed(self, name: str) -> Placed | None:
        scene = self.scene
        return scene.links.get(name) or scene.frames.get(name) or scene.joints.get(name) or self.find_nested(name)

    def find_nested(self, name: str) -> Placed | None:
        """A nested model named as a frame."""
        return self.scene.frames.get(f"{name}::{MODEL}")

    def unknown(self, name: str) -> RigidTransform:
        if name == MODEL or name.endswith(MODEL):
            return IDENTITY
        refuse_one(self.file, "unknown-name", f"'{name}' is not a link, frame or joint of the model", "check the name")

    def link(self, name: str) -> str:
        """The link that a frame is fixed to; the world for those fixed to it."""
        for _ in range(64):
            if name == WORLD or name in self.scene.links:
                return name
            if f"{name}::{MODEL}" in self.scene.frames:
                name = f"{name}::{MODEL}"
            if name in self.scene.joints:  # the frame of a joint moves with its child
                joint = self.scene.joints[name]
                name = _name_in_scope(text_of_child(joint.element, "child"), joint.attached_to, joint.model)
                continue
            placed = self.scene.frames.get(name)
            if placed is None or (name.endswith(MODEL) and placed.element.tag != "frame" and not placed.model):
                break
            name = placed.model or placed.attached_to or placed.relative_to
        if name.endswith(MODEL):
            prefix = name.removesuffix(MODEL)
            return next((link for link in self.scene.links if link.startswith(prefix)), WORLD)
        refuse_one(self.file, "unknown-name", f"'{name}' is not a link or frame of the model", "check the name")


# --- inertia of SDF links ---------------------------------------------------------------------------------------------

WATER = 1000.0  # kg/m^3, SDF's density of everything
_ONE = Inertia.diagonal(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))


@dataclass(frozen=True)
class Masses:
    """Reads the inertia of links; `solid` reads a geometry."""

    assets: Assets
    found: Findings
    solid: Callable[[Element, str], Any]

    def of(self, link: Element, owner: str) -> Inertia:
        """The inertia of a link; one without <inertial> has 1 kg and 1 kg m^2."""
        inertial = link.first("inertial")
        if inertial is None:
            self.found.note(f"{owner}: no <inertial>; SDF's 1 kg and 1 kg m^2 assumed", code="assumed", subject=owner)
            return _ONE
        if inertial.attributes.get("auto", "false") in ("true", "1"):
            return self.automatic(link, inertial, owner)
        return self.read_inertia(inertial, owner)

    def read_inertia(self, inertial: Element, owner: str) -> Inertia:
        pose, _ = pose_of(inertial, owner, self.found)
        moments = inertial.first("inertia")
        e = {
            key: numbers_of_child(moments, f"i{key}", owner, self.found, (float(key[0] == key[1]),))[0]
            for key in ("xx", "yy", "zz", "xy", "xz", "yz")
        }
        rows = [[e["xx"], e["xy"], e["xz"]], [e["xy"], e["yy"], e["yz"]], [e["xz"], e["yz"], e["zz"]]]
        turned: Any = pose.R @ rows @ pose.R.T
        texts = (text_of_child(moments, f"i{key}") for key in e)
        tensor = possible_tensor((turned + turned.T) / 2.0, texts, owner, self.found)
        return Inertia(numbers_of_child(inertial, "mass", owner, self.found, (1.0,))[0], pose.xyz, tensor)

    def automatic(self, link: Element, inertial: Element, owner: str) -> Inertia:
        """The sum over collision shapes; a mass that is written too scales it."""
        (density,) = numbers_of_child(inertial, "density", owner, self.found, (WATER,))
        parts = [part for each in link.all("collision") if (part := self.part(each, density, owner)) is not None]
        if not parts:
            text = f"{owner}: nothing to compute its inertia from; SDF's 1 kg and 1 kg m^2 assumed"
            self.found.note(text, "warning", "dropped-mass", owner, fix="write <mass> and <inertia>")
            return _ONE
        whole = reduce(sum_of_inertias, parts)
        if inertial.first("mass") is None or not whole.mass:
            return whole
        (mass,) = numbers_of_child(inertial, "mass", owner, self.found, (1.0,))
        tensor: Any = np.array(whole.tensor) * (mass / whole.mass)
        return Inertia(mass, whole.com, tensor)

    def part(self, collision: Element, density: float, owner: str) -> Inertia | None:
        geometry = collision.first("geometry")
        if geometry is None or not geometry.children:
            return None
        (density,) = numbers_of_child(collision, "density", owner, self.found, (density,))
        try:
            found = solid_of(self.solid(geometry.children[0], owner), density, self.assets)
        except LinkwrightError as error:
            if any(each.code in ("no-file", "missing-package") for each in getattr(error, "findings", ())):
                text, fix = f"{owner}: its mass comes from a mesh that is not opened: {error}", FOLDER_FIX
                self.found.problem(text, collision, "lost-mass", fix)
                return None
            self.found.note(f"{owner}: {error}", "warning", "dropped-mass", owner, fix="write <mass> and <inertia>")
            return None
        return None if found is None else inertia_at_pose(found, pose_of(collision, owner, self.found)[0])


def solid_of(solid: Any, density: float, assets: Assets) -> Inertia | None:
    """Inertia of a homogeneous solid about its own frame; None where the shape is not known."""
    match solid:
        case Box((x, y, z)):
            m = density * x * y * z
            moments = (m * (y * y + z * z) / 12.0, m * (x * x + z * z) / 12.0, m * (x * x + y * y) / 12.0)
        case Sphere(radius):
            m = density * 4.0 / 3.0 * math.pi * radius**3
            moments = (0.4 * m * radius**2,) * 3
        case Ellipsoid((x, y, z)):
            m = density * 4.0 / 3.0 * math.pi * x * y * z
            moments = (0.2 * m * (y * y + z * z), 0.2 * m * (x * x + z * z), 0.2 * m * (x * x + y * y))
        case Capsule(radius, (_, _, low), (_, _, high)):
            length = high - low
            rod, balls = density * math.pi * radius**2 * length, density * 4.0 / 3.0 * math.pi * radius**3
            m = rod + balls
            turned = length**2 / 4.0 + 3.0 * length * radius / 8.0  # half spheres at both ends of the rod
            across = rod * (3.0 * radius**2 + length**2) / 12.0 + balls * (0.4 * radius**2 + turned)
            moments = (across, across, 0.5 * rod * radius**2 + 0.4 * balls * radius**2)
        case Cylinder(radius, length):
            m = density * math.pi * radius**2 * length
            across = m * (3.0 * radius**2 + length**2) / 12.0
            moments = (across, across, 0.5 * m * radius**2)
        case Mesh(file, scale):
            path = assets.find(file)
            surface = load_mesh(Mesh(file if path is None else str(path), scale))
            if not is_closed_surface(surface):
                raise LinkwrightError(f"the mesh '{file}' is not closed, so that it has no volume")
            return solid_inertia(surface, density)
        case _:
            return None
    return Inertia.diagonal(m, (0.0, 0.0, 0.0), moments)


def inertia_at_pose(inertia: Inertia, pose: RigidTransform) -> Inertia:
    """The inertia of a solid that stands at a pose."""
    tensor = pose.R @ np.array(inertia.tensor) @ pose.R.T
    com = pose.r + pose.R @ np.array(inertia.com)
    return Inertia(inertia.mass, tuple(com.tolist()), (tensor + tensor.T) / 2.0)


def sum_of_inertias(a: Inertia, b: Inertia) -> Inertia:
    """The inertia of two bodies fixed to each other."""
    mass = a.mass + b.mass
    com = (a.mass * np.array(a.com) + b.mass * np.array(b.com)) / mass if mass else np.zeros(3)
    tensor: Any = np.zeros((3, 3))
    for each in (a, b):
        d = np.array(each.com) - com
        tensor += np.array(each.tensor) + each.mass * (d @ d * np.eye(3) - np.outer(d, d))
    return Inertia(mass, tuple(com.tolist()), tensor)
