"""Loops and actuators of Extended URDF: a small YAML file beside the URDF names pairs of frames that stay together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from linkwright.errors import LinkwrightError
from linkwright.findings import Finding
from linkwright.formats.import_findings import Imported, refuse_file
from linkwright.formats.units import quote_short_value
from linkwright.formats.urdf.urdf_loops import Dialectal, actuator_at, settle_loops
from linkwright.formats.yaml.yaml_text import SourceDocument, read_yaml_text
from linkwright.joints import Fixed, JointKind, Spherical, Universal
from linkwright.joints.kind import X, Y, Z
from linkwright.mechanism import Actuator, Joint, Mechanism
from linkwright.mechanism.names import list_of_names, suggest_name

KEYS = ("closed_loop", "type", "name_mot", "name", "joint_name", "joint_type", "name_spherical", "name_free")
_LISTS = re.compile(r"closed_?loops?|loop_?closures?|loop_?joints?|closures?|loops", re.IGNORECASE)
CLOSES = re.compile(r"loop|constraint|closure|gear|coupling|ratio|mimic")
_LOOKED_AT, _LARGEST = 200, 1_000_000  # files, and bytes of each
_KINDS: dict[str, JointKind] = {"3d": Spherical(), "6d": Fixed()}
_AXES = {"X": X, "Y": Y, "Z": Z}


def sidecar_candidates(path: Path) -> list[Path]:
    """Files in which the loops of a URDF file may be listed: one of its own name, or `robot.yaml`."""
    names = dict.fromkeys(f"{stem}{ending}" for stem in (path.stem, "robot") for ending in (".yaml", ".yml"))
    return [path.with_name(name) for name in names]


def is_sidecar(data: Any) -> bool:
    """Return True if a YAML document lists loops of a URDF file rather than describing a mechanism."""
    keys = {"closed_loop", "name_mot", "joint_name", "name_spherical"}
    return isinstance(data, dict) and "format" not in data and bool(keys & data.keys())


def is_sidecar_text(text: str, file: str) -> bool:
    """Return True if a text is a sidecar, and not another YAML file."""
    try:
        return is_sidecar(read_yaml_text(text, file).data)
    except LinkwrightError:
        return False


def close_with_sidecar(imported: Imported, text: str, file: str) -> Imported:
    """The mechanism with the loops and actuators that a sidecar file names."""
    source = read_yaml_text(text, file)
    if not is_sidecar(source.data):
        return imported
    replaced = _Sidecar(source, imported.mechanism)
    mech = replace(imported.mechanism, joints=tuple(replaced.joints()))
    work = _Sidecar(source, mech)
    work.problems += replaced.problems
    loops, actuators = tuple(work.loops()), tuple(work.actuators())
    repeated: list[Finding] = []
    if not work.problems:
        both = [Dialectal(loop, "the robot's file") for loop in mech.loops] + [Dialectal(loop, file) for loop in loops]
        whole = settle_loops(both, [*mech.joints], work.problems, repeated)
    if work.problems:
        refuse_file(file, work.problems)
    text = f"loops and actuators read from {file}: {len(loops)} loops, {len(actuators)} actuators"
    notes = [*replaced.notes, Finding("sidecar", text, severity="remark")]
    for key in (str(key) for key in source.data if key not in KEYS):
        text = f"'{key}' in {file} is not used"
        notes.append(Finding("unknown-key", text, "", "warning" if CLOSES.search(key) else "remark", key))
    kinds = [joint.name for old, joint in zip(imported.mechanism.joints, mech.joints) if old != joint]
    if kinds:
        text = f"the type of {list_of_names('joint', 'joints', kinds)} is the one that {file} gives"
        notes.append(Finding("sidecar", text, severity="remark", subject=kinds[0], value=len(kinds)))
    made = replace(mech, loops=tuple(whole), actuators=actuators or mech.actuators)
    return Imported(made, (*imported.notes, *notes, *repeated))


def unread_sidecars(imported: Imported, folder: Path, read_already: list[Path]) -> Iterator[Finding]:
    """Files beside a URDF that list loops of this robot under a name that is not read."""
    mech = imported.mechanism
    names = {*mech.names, mech.base, *(joint.name for joint in mech.joints)}
    beside = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".yaml", ".yml", ".json"))
    for path in (path for path in beside[:_LOOKED_AT] if path not in read_already):
        if _is_loop_list_of_robot(path, names):
            text = f"'{path.name}' lists closed loops of this robot and is not read"
            yield Finding("sidecar-not-read", text, f"name it '{read_already[0].name}'", subject=path.name)


def _is_loop_list_of_robot(path: Path, names: set[str]) -> bool:
    """Return True if a file is a list of loops that has some of the names."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return False
        text = path.read_text(encoding="utf-8")
        data = read_yaml_text(text, path.name).data if _LISTS.search(text) else None
    except (OSError, ValueError, LinkwrightError):
        return False
    if not isinstance(data, dict) or "format" in data:
        return False
    listed = [value for key, value in data.items() if _LISTS.fullmatch(str(key))]
    return len(names.intersection(_nested_texts(listed))) >= 2


def _nested_texts(value: Any) -> Iterator[str]:
    """Every text in nested lists and dictionaries."""
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _nested_texts(part)


class _Sidecar:
    def __init__(self, source: SourceDocument, mech: Mechanism) -> None:
        self.source, self.data, self.mech = source, source.data, mech
        self.problems: list[Finding] = []
        self.notes: list[Finding] = []

    def problem(self, code: str, message: str, fix: str, *path: str | int) -> None:
        self.problems.append(self.source.problem(code, message, path, fix))

    def loops(self) -> Iterator[Joint]:
        pairs, kinds = self.require_list("closed_loop"), self.require_list("type")
        if len(kinds) != len(pairs):
            text = f"there are {len(pairs)} closed loops and {len(kinds)} types"
            self.problem("wrong-count", text, "give each loop its type", "type")
            return
        for i, (pair, kind) in enumerate(zip(pairs, kinds)):
            named = isinstance(pair, list) and len(pair) == 2 and all(isinstance(end, str) for end in pair)
            if not named or str(kind).lower() not in _KINDS:
                text = f"{quote_short_value(pair)} of type {quote_short_value(kind)} is not a valid loop"
                self.problem("bad-value", text, "write two frames, and 3d or 6d", "closed_loop", i)
                continue
            ends = [self.link(name, i) for name in pair]
            yield Joint(self.name(i, pair), ends[0], ends[1], _KINDS[str(kind).lower()])

    def name(self, i: int, pair: list[str]) -> str:
        """The name of a loop: one of `name`, else those of its two frames."""
        names = self.data.get("name")
        given = names[i] if isinstance(names, list) and i < len(names) else None
        return given if isinstance(given, str) and given else f"{pair[0]}-{pair[1]}"

    def joints(self) -> Iterator[Joint]:
        """The tree's joints, with the types that the sidecar gives some of them."""
        names, types = self.require_list("joint_name"), self.require_list("joint_type")
        if len(names) != len(types):
            text = f"there are {len(names)} joint names and {len(types)} types"
            self.problem("bad-value", text, "give each joint its type", "joint_type")
        wanted = {str(name): str(kind).upper() for name, kind in zip(names, types)}
        wanted = {**{joint.name: "SPHERICAL" for joint in self.chosen("name_spherical")}, **wanted}
        known = [joint.name for joint in self.mech.joints]
        for name in (str(name) for name in names if name not in known):
            text = (
                f"joint_name {quote_short_value(name)} is not a joint{suggest_name(name, known)}; its type is dropped"
            )
            self.notes.append(Finding("unknown-name", text, "", "warning", name))
        for joint in self.mech.joints:
            kind = self.kind(wanted[joint.name], joint.name) if joint.name in wanted else None
            yield (
                joint if kind is None else Joint(joint.name, joint.parent, joint.child, kind, joint.at, joint.child_at)
            )

    def kind(self, written: str, name: str) -> JointKind | None:
        """SPHERICAL, FIXED, or UJOINT and two axes."""
        first, second = written[-2:-1], written[-1:]
        if written == "SPHERICAL":
            return Spherical()
        if written == "FIXED":
            return Fixed()
        if written.startswith("UJOINT") and first in _AXES and second in _AXES and first != second:
            return Universal(_AXES[first], _AXES[second])
        text = f"'{written}' of joint '{name}' is not a known type"
        self.problem("bad-value", text, "write SPHERICAL, FIXED or UJOINT_XY", "joint_type")
        return None

    def chosen(self, key: str) -> list[Joint]:
        """Joints that a key lists, or whose names contain its text."""
        written = self.data.get(key, [])
        if isinstance(written, str):
            return [joint for joint in self.mech.joints if written in joint.name and joint.kind.nq]
        names = self.require_list(key)
        return [joint for joint in self.mech.joints if joint.name in names]

    def link(self, name: str, i: int) -> str:
        """The link that a frame's name means: a link, or the child of a joint, whose frame is the joint's."""
        links = {*self.mech.names, self.mech.base}
        children = {joint.name: joint.child for joint in self.mech.joints}
        if name not in links and name not in children:
            text = f"'{name}' is not a link or joint of the robot{suggest_name(name, links | {*children})}"
            self.problem("unknown-name", text, "", "closed_loop", i)
        return name if name in links else children.get(name, name)

    def actuators(self) -> Iterator[Actuator]:
        joints = {joint.name: joint for joint in self.mech.joints}
        movers = {name: joint.kind.nq for name, joint in joints.items()}
        there = {actuator.joint: actuator for actuator in self.mech.actuators}  # with gear and rotor, by <transmission>
        if isinstance(self.data.get("name_mot"), str):
            named = [joint for joint in self.chosen("name_mot") if joint.kind.nq == 1]
            yield from (there.get(joint.name) or actuator_at(joint) for joint in named)
            return
        for i, name in enumerate(self.require_list("name_mot")):
            if movers.get(name) != 1:
                known = [joint for joint, size in movers.items() if size == 1]
                text = f"{quote_short_value(name)} is not a joint with one coordinate{suggest_name(str(name), known)}"
                self.problem("not-one-coordinate", text, "", "name_mot", i)
                continue
            yield there.get(name) or actuator_at(joints[name])

    def require_list(self, key: str) -> list[Any]:
        written = self.data.get(key, [])
        if not isinstance(written, list):
            self.problem("wrong-type", f"{quote_short_value(written)} is not a list", f"write {key}: [...]", key)
            return []
        return written
