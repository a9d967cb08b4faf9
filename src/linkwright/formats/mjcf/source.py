"""MJCF text made safe before MuJoCo sees it: includes put in, only listed elements and attributes kept.

MuJoCo opens every file that a model names, and some elements run code. So only elements and attributes on a list go on,
and meshes get new names under which MuJoCo finds the bytes that are handed to it.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from pathlib import Path, PurePosixPath
from typing import NoReturn

from linkwright.dataclass import dataclass
from linkwright.formats.assets import Assets, limited_text
from linkwright.formats.import_findings import refuse_one
from linkwright.formats.xml import LARGEST, Element, Findings, parse_xml

# --- elements and attributes of MJCF that MuJoCo is shown: what is not listed here it never sees ----------------------

_DRIVES = "general motor position velocity intvelocity orientation pid damper cylinder muscle adhesion dcmotor"
_CARRIES = "body frame geom site joint freejoint inertial replicate"
_TURNED = "pos quat axisangle euler xyaxes zaxis"

# Elements by the element they are in.
ELEMENTS = {
    "mujoco": "compiler option default asset worldbody equality tendon actuator keyframe",
    "option": "flag",
    "compiler": "",
    "default": f"default mesh material joint geom site equality tendon {_DRIVES}",
    "asset": "mesh hfield material",
    "worldbody": _CARRIES,
    "body": _CARRIES,
    "frame": _CARRIES,
    "replicate": _CARRIES,
    "equality": "connect weld joint tendon",
    "tendon": "spatial fixed",
    "spatial": "site geom pulley",
    "fixed": "joint",
    "actuator": _DRIVES,
    "keyframe": "key",
}

_TENDON = (
    "name class range limited stiffness damping springlength springyield armature frictionloss actuatorfrclimited"
    " actuatorfrcrange group"
)
# What an actuator drives and how strongly, also where a plugin is its law.
DRIVEN = (
    "name class group joint jointinparent tendon site refsite body cranksite slidersite cranklength gear armature"
    " damping forcelimited forcerange ctrllimited ctrlrange"
)
_LAW = (
    "actlimited actrange actdim gaintype gainprm biastype biasprm dyntype dynprm inheritrange kp kv ki dampratio"
    " timeconst area diameter bias force fpmax fvmax lmax lmin range scale vmax gain motorconst resistance nominal"
    " saturation inductance cogging controller thermal lugre input delay nsample interp lengthrange tausmooth imax"
    " slewmax posrange velrange ffrange"
)
# Attributes by element, wherever it is.
ATTRIBUTES = {
    "mujoco": "model",
    "compiler": "alignfree angle autolimits balanceinertia boundinertia boundmass coordinate eulerseq fusestatic"
    " inertiafromgeom inertiagrouprange settotalmass",
    "option": "gravity density viscosity wind actuatorgroupdisable",
    "flag": "gravity equality spring damper passive frictionloss constraint actuation",
    "default": "class",
    "mesh": "name class file scale inertia maxhullvert refpos refquat vertex face builtin params",
    "hfield": "name size",
    "material": "name class rgba",
    "body": f"name childclass mocap gravcomp {_TURNED}",
    "worldbody": "",
    "frame": f"name childclass {_TURNED}",
    "replicate": "count offset euler sep",
    "inertial": f"mass diaginertia fullinertia {_TURNED}",
    "joint": "name class type pos axis range limited ref springref springyield springdamper stiffness damping armature"
    " frictionloss margin group actuatorfrclimited actuatorfrcrange actuatorgravcomp joint coef joint1 joint2 polycoef"
    " active",
    "freejoint": "name group align",
    "geom": f"name class type size fromto mass density mesh hfield fitscale shellinertia rgba material group contype"
    f" conaffinity geom sidesite {_TURNED}",
    "site": f"name class type size fromto rgba material group site {_TURNED}",
    "equality": "active",
    "connect": "name class active anchor body1 body2 site1 site2",
    "weld": "name class active anchor body1 body2 site1 site2 relpose",
    "tendon": f"{_TENDON} tendon1 tendon2 polycoef active",
    "spatial": _TENDON,
    "fixed": _TENDON,
    "pulley": "divisor",
    "key": "name qpos",
    **dict.fromkeys(_DRIVES.split(), f"{DRIVEN} {_LAW}"),
}

# Attributes whose loss changes no equation: what is drawn, touched, solved softly, or a setting of the program.
HARMLESS = (
    "solimp solref solimplimit solreflimit solimpfriction solreffriction solmix margin gap friction condim priority"
    " user material texture texrepeat texuniform specular shininess reflectance emission metallic roughness castshadow"
    " fluidshape fluidcoef surfacevel adhesion mesh width torquescale time qvel act ctrl mpos mquat actearly rgba"
    " normal texcoord smoothnormal content_type sleep simple fuse meshdir texturedir assetdir strippath discardvisual"
    " convexhull usethread fitaabb saveinertial savecompiled savecanonical exactmeshinertia conflict passthrough"
    " nrow ncol elevation"
    " timestep apirate impratio integrator cone jacobian solver iterations tolerance ls_iterations ls_tolerance"
    " noslip_iterations noslip_tolerance mpr_iterations mpr_tolerance ccd_iterations ccd_tolerance sdf_iterations"
    " sdf_initpoints o_margin o_solref o_solimp o_friction magnetic sleep_tolerance"
    " contact limit clampctrl warmstart filterparent refsafe sensor midphase nativeccd eulerdamp autoreset"
    " override energy fwdinv invdiscrete multiccd island diagexact ipc speculative collision plugin instance"
)


# --- MJCF text made safe before MuJoCo sees it ------------------------------------------------------------------------

MOST_INCLUDES = 64
MOST_COPIES = 10_000
MOST_BODIES = 2000  # MuJoCo compiles 1300 bodies in 0.2 s, 6000 in 5 s: its time grows with their square
MOST_SAMPLES = 10_000  # in an actuator's history
# Elements whose loss changes no equation: what is drawn, measured, touched, or a setting of the program.
_HARMLESS = (
    "visual statistic size custom sensor contact texture layer skin camera light pair exclude numeric text tuple"
    " extension"
)
_MEANING = {
    "plugin": "it is code of MuJoCo's plugins, whose forces are dropped",
    "deformable": "it is a deformable body, and only rigid ones are read",
    "flexcomp": "it makes a deformable body of many points, and only rigid bodies are read",
    "composite": "it makes many bodies, write them out",
    "attach": "put the other model's content here",
    "model": "put the other model's content here",
}


@dataclass(frozen=True)
class MeshFile:
    """The file of a mesh as the model names it, and its real path if it may be opened."""

    written: str
    path: Path | None


@dataclass
class ModelSource:
    """A model that names no file, and the files its meshes came from by their new names."""

    root: Element
    meshes: dict[str, MeshFile]


@dataclass
class _Reading:
    file: str
    assets: Assets
    found: Findings
    seen: list[Path] = field(default_factory=list)
    meshes: dict[str, tuple[str, Path | None]] = field(default_factory=dict)
    characters: int = 0
    dropped: dict[str, list[int]] = field(default_factory=dict)
    unknown: dict[tuple[str, str], list[int]] = field(default_factory=dict)


def source_elements(text: str, file: str, assets: Assets, found: Findings) -> ModelSource:
    """The elements of a model that are handed to MuJoCo."""
    root = parse_xml(text, file)
    if root.tag != "mujoco":
        text, fix = f"the outermost element is <{root.tag}>", "an MJCF file has <mujoco>"
        refuse_one(file, "unknown-format", text, fix, root.line)
    work = _Reading(file, assets, found, characters=len(text))
    root = _resolve_includes(root, work, assets.folder)
    _require_bounded_size(root, file)
    settings = _mesh_folder_settings(root)
    root = _strip_unread_parts(root, "", work)
    meshes = _locate_mesh_files(settings, work)
    _note_stripped_parts(work)
    return ModelSource(root, meshes)


def _resolve_includes(element: Element, work: _Reading, folder: Path | None) -> Element:
    """The element with the content of included files in place of each <include>."""
    children: list[Element] = []
    for child in element.children:
        if child.tag.lower() == "include":
            children += _included_content(child, work, folder)
        else:
            children.append(_resolve_includes(child, work, folder))
    attributes = dict(element.attributes)
    if element.tag == "hfield":
        attributes.setdefault("name", PurePosixPath(attributes.pop("file", "")).stem)
    if element.tag == "mesh" and "file" in attributes:
        _rename_mesh_file(attributes, work, folder)
    return Element(element.tag, attributes, element.line, children, element.text)


def _rename_mesh_file(attributes: dict[str, str], work: _Reading, folder: Path | None) -> None:
    """A new name for a mesh's file without folders."""
    written = PurePosixPath(attributes["file"])
    attributes.setdefault("name", written.stem)
    key = f"{len(work.meshes)}{written.suffix.lower()}"
    work.meshes[key] = (attributes["file"], folder)
    attributes["file"] = key


def _included_content(include: Element, work: _Reading, folder: Path | None) -> list[Element]:
    name = include.attributes.get("file", "")

    def refused(why: str, fix: str) -> NoReturn:
        refuse_one(work.file, "bad-include", f"<include file='{name}'> {why}", fix, include.line)

    if work.assets.folder is None:
        refused("needs a folder", "load the file by its path")
    path = work.assets.find(name) or work.assets.find(name, folder)
    if path is None:
        refused("is not a file below the model's folder", "put it there")
    if path in work.seen:
        refused("is included twice", "take it out")
    if len(work.seen) >= MOST_INCLUDES:
        refused(f"is one of more than {MOST_INCLUDES} files", "put them together")
    work.seen.append(path)
    text = limited_text(path, LARGEST)
    work.characters += LARGEST + 1 if text is None else len(text)
    if text is None or work.characters > LARGEST:
        refused(f"makes the model longer than {LARGEST} characters", "is it a robot?")
    return _resolve_includes(parse_xml(text, path.name), work, path.parent).children


def _require_bounded_size(root: Element, file: str) -> None:
    """No more bodies, no more copies by <replicate> and no longer histories than a robot can need."""

    def counted(element: Element, one: Callable[[Element], bool]) -> int:
        times = element.attributes.get("count", "1") if element.tag == "replicate" else "1"
        count = int(times) if times.strip().isdigit() and len(times) < 7 else MOST_COPIES + 1
        return count * (one(element) + sum(counted(child, one) for child in element.children))

    for element in _all_elements(root):
        if element.tag == "replicate" and counted(element, lambda _: True) > MOST_COPIES:
            text = f"<replicate> makes more than {MOST_COPIES} elements"
            refuse_one(file, "too-large", text, "write fewer", element.line)
        for name in ("nsample", "actdim"):
            size = element.attributes.get(name, "0").strip()
            if len(size) > 6 or (size.isdigit() and int(size) > MOST_SAMPLES):
                text = f'{name}="{size[:20]}" in <{element.tag}> is above {MOST_SAMPLES}'
                refuse_one(file, "too-large", text, "write fewer", element.line)
    if counted(root, lambda element: element.tag == "body") > MOST_BODIES:
        refuse_one(file, "too-large", f"the model has more than {MOST_BODIES} bodies", "is it a robot?", root.line)


def _all_elements(element: Element) -> list[Element]:
    found, stack = [], [element]
    while stack:
        found.append(stack.pop())
        stack.extend(reversed(found[-1].children))
    return found


def _mesh_folder_settings(root: Element) -> dict[str, str]:
    """Settings of <compiler> about the folder of meshes."""
    settings: dict[str, str] = {}
    for compiler in root.all("compiler"):
        settings |= compiler.attributes
    return settings


def _strip_unread_parts(element: Element, within: str, work: _Reading) -> Element:
    """The element without children and attributes that MuJoCo is not shown."""
    known = ELEMENTS.get(element.tag, "").split()
    children = []
    for child in element.children:
        if element.tag == "actuator" and child.tag == "plugin":
            children.append(_actuator_of_plugin(child, work))
        elif child.tag in known:
            children.append(_strip_unread_parts(child, element.tag, work))
        elif (element.tag, child.tag) != ("default", "extension"):
            work.dropped.setdefault(child.tag, []).append(child.line)
    shown = ATTRIBUTES.get(element.tag, "").split()
    if element.tag == "mesh" and within != "asset":
        shown.remove("file")
    for name in element.attributes.keys() - {*shown, *HARMLESS.split()}:
        work.unknown.setdefault((element.tag, name), []).append(element.line)
    return Element(element.tag, {k: v for k, v in element.attributes.items() if k in shown}, element.line, children)


def _actuator_of_plugin(plugin: Element, work: _Reading) -> Element:
    """An actuator whose law is a plugin: what it drives is read, its law is not."""
    work.dropped.setdefault("plugin of an actuator", []).append(plugin.line)
    kept = {name: value for name, value in plugin.attributes.items() if name in DRIVEN.split()}
    return Element("general", kept, plugin.line)


def _locate_mesh_files(settings: dict[str, str], work: _Reading) -> dict[str, MeshFile]:
    """The file of each mesh, looked for beside the file that names it and in the folder of <compiler>."""
    base, files = settings.get("meshdir", settings.get("assetdir", "")), dict[str, MeshFile]()
    for key, (written, folder) in work.meshes.items():
        name = PurePosixPath(written).name if settings.get("strippath") == "true" else written
        placed, find = f"{base}/{name}" if base else name, work.assets.find
        files[key] = MeshFile(placed, find(placed) or find(placed, folder) or find(name))
    return files


def _note_stripped_parts(work: _Reading) -> None:
    """One finding for each tag and attribute that was taken out."""
    for tag, lines in work.dropped.items():
        count, times = len(lines), f"{len(lines)} times " if len(lines) > 1 else ""
        if tag in _HARMLESS.split():
            work.found.note(f"<{tag}> {times}dropped", code="dropped-tag", subject=tag, value=count)
        elif tag == "plugin of an actuator":
            text = f"the law of {count} actuators is a plugin and is dropped; efforts are inputs here"
            work.found.note(text, code="actuator-law", subject="plugin", value=count)
        else:
            why = _MEANING.get(tag, "it is not known, and the model may be another one without it")
            work.found.note(f"<{tag}> {times}dropped", "error", "unknown-tag", tag, count, why, lines[0])
    for (tag, name), lines in work.unknown.items():
        text = f"{name}=... in <{tag}> dropped; it is not known" + (f" ({len(lines)} times)" if len(lines) > 1 else "")
        work.found.note(text, "warning", "unknown-attribute", tag, name, "correct its name", lines[0])
