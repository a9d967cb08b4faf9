"""Loops and motors of Extended URDF: a small YAML file beside the URDF names pairs of frames that stay together."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from linkwright.errors import LinkwrightError
from linkwright.findings import Finding
from linkwright.formats.findings import Imported, refuse
from linkwright.formats.units import shown
from linkwright.formats.urdf.closing import motor
from linkwright.formats.yaml.text import Source, read
from linkwright.mechanism import Actuator, Fixed, Joint, JointType, Mechanism, Spherical
from linkwright.mechanism.joints import nq
from linkwright.mechanism.names import suggestion

KEYS = ("closed_loop", "type", "name_mot")
_LISTS = re.compile(r"closed_?loops?|loop_?closures?|loop_?joints?|closures?|loops", re.IGNORECASE)
CLOSES = re.compile(r"loop|constraint|closure|gear|coupling|ratio|mimic")
_LOOKED_AT, _LARGEST = 200, 1_000_000  # files, and bytes of each
_KINDS: dict[str, JointType] = {"3d": Spherical(), "6d": Fixed()}


def is_sidecar(data: Any) -> bool:
    """Whether a YAML document lists loops of a URDF file rather than describing a mechanism."""
    return isinstance(data, dict) and "format" not in data and bool({"closed_loop", "name_mot"} & data.keys())


def closed(imported: Imported, text: str, file: str) -> Imported:
    """The mechanism with the loops and motors that a sidecar file names."""
    source = read(text, file)
    if not is_sidecar(source.data):
        return imported
    mech, work = imported.mechanism, _Sidecar(source, imported.mechanism)
    loops, motors = tuple(work.loops()), tuple(work.motors())
    if work.problems:
        refuse(file, work.problems)
    text = f"loops and motors read from {file}: {len(loops)} loops, {len(motors)} motors"
    notes = [Finding("sidecar", text, severity="remark")]
    for key in (str(key) for key in source.data if key not in KEYS):
        text = f"'{key}' in {file} is not used"
        notes.append(Finding("unknown-key", text, "", "warning" if CLOSES.search(key) else "remark", key))
    whole = replace(mech, loops=(*mech.loops, *loops), actuators=motors or mech.actuators)
    return Imported(whole, (*imported.notes, *notes))


def others(imported: Imported, folder: Path, read_already: Path) -> Iterator[Finding]:
    """Files beside a URDF that list loops of this robot under a name that is not read."""
    mech = imported.mechanism
    names = {*mech.names, mech.base, *(joint.name for joint in mech.joints)}
    beside = sorted(path for path in folder.iterdir() if path.suffix.lower() in (".yaml", ".yml", ".json"))
    for path in (path for path in beside[:_LOOKED_AT] if path != read_already):
        if _mentions(path, names):
            text = f"'{path.name}' lists closed loops of this robot and is not read"
            yield Finding("sidecar-not-read", text, f"name it '{read_already.name}'", subject=path.name)


def _mentions(path: Path, names: set[str]) -> bool:
    """Whether a file is a list of loops that speaks of some of the names."""
    try:
        if not path.is_file() or path.stat().st_size > _LARGEST:
            return False
        text = path.read_text(encoding="utf-8")
        data = read(text, path.name).data if _LISTS.search(text) else None
    except (OSError, ValueError, LinkwrightError):
        return False
    if not isinstance(data, dict) or "format" in data:
        return False
    listed = [value for key, value in data.items() if _LISTS.fullmatch(str(key))]
    return len(names.intersection(_texts(listed))) >= 2


def _texts(value: Any) -> Iterator[str]:
    """Every text in nested lists and dictionaries."""
    if isinstance(value, str):
        yield value
    for part in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from _texts(part)


class _Sidecar:
    def __init__(self, source: Source, mech: Mechanism) -> None:
        self.source, self.data, self.mech = source, source.data, mech
        self.problems: list[Finding] = []

    def problem(self, code: str, message: str, fix: str, *path: str | int) -> None:
        self.problems.append(self.source.problem(code, message, path, fix))

    def loops(self) -> Iterator[Joint]:
        pairs, kinds = self.listed("closed_loop"), self.listed("type")
        if len(kinds) != len(pairs):
            text = f"there are {len(pairs)} closed loops and {len(kinds)} types"
            self.problem("wrong-count", text, "give each loop its type", "type")
            return
        for i, (pair, kind) in enumerate(zip(pairs, kinds)):
            named = isinstance(pair, list) and len(pair) == 2 and all(isinstance(end, str) for end in pair)
            if not named or str(kind).lower() not in _KINDS:
                text = f"{shown(pair)} of type {shown(kind)} is no loop"
                self.problem("bad-value", text, "write two frames, and 3d or 6d", "closed_loop", i)
                continue
            ends = [self.link(name, i) for name in pair]
            yield Joint(f"{pair[0]}-{pair[1]}", ends[0], ends[1], _KINDS[str(kind).lower()])

    def link(self, name: str, i: int) -> str:
        """The link that a frame's name stands for: a link, or the child of a joint, whose frame is the joint's."""
        links = {*self.mech.names, self.mech.base}
        children = {joint.name: joint.child for joint in self.mech.joints}
        if name not in links and name not in children:
            text = f"'{name}' is no link or joint of the robot{suggestion(name, links | {*children})}"
            self.problem("unknown-name", text, "", "closed_loop", i)
        return name if name in links else children.get(name, name)

    def motors(self) -> Iterator[Actuator]:
        joints = {joint.name: joint for joint in self.mech.joints}
        movers = {name: nq(joint.kind) for name, joint in joints.items()}
        for i, name in enumerate(self.listed("name_mot")):
            if movers.get(name) != 1:
                text = f"{shown(name)} is no joint with one coordinate{suggestion(str(name), movers)}"
                self.problem("not-one-coordinate", text, "", "name_mot", i)
                continue
            yield motor(joints[name])

    def listed(self, key: str) -> list[Any]:
        written = self.data.get(key, [])
        if not isinstance(written, list):
            self.problem("wrong-type", f"{shown(written)} is no list", f"write {key}: [...]", key)
            return []
        return written
