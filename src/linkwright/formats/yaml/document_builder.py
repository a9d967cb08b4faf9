"""A checked document to a mechanism: sections checked together, and what the mechanism refuses, with lines."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Any

from linkwright.errors import MechanismError
from linkwright.findings import Finding, Path
from linkwright.formats import dh
from linkwright.formats.import_findings import refuse_file
from linkwright.formats.units import Computed, UnitError, quote_short_value, value_in_si
from linkwright.formats.yaml.document import (
    ActuatorDocument,
    CouplingDocument,
    Document,
    MassDocument,
    SolidDocument,
    TableDocument,
)
from linkwright.formats.yaml.part_documents import (
    beam_of_document,
    friction_of_document,
    joint_of_document,
    read_forces,
    resistance_of_document,
    shape_of_document,
)
from linkwright.formats.yaml.yaml_text import SourceDocument
from linkwright.joints import Fixed
from linkwright.joints.joint_registry import KINDS
from linkwright.joints.kind import units_along_parts
from linkwright.mechanism import Actuator, Body, Coupling, Frame, Inertia, Joint, Mechanism
from linkwright.mechanism.flexible_bodies import flexible
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.topology import arrange_spanning_tree, is_tree
from linkwright.mechanism.validation import body_problems, joint_problems

# --- checks of two sections together: names, and units that depend on the joint ---------------------------------------

_BASES = ("ground", "base", "world", "frame", "fixed", "earth")
_ACTUATOR_UNITS = {"rotor_inertia": ("kg m^2", "kg"), "effort": ("N m", "N"), "speed": ("rad/s", "m/s")}


def joint_kinds(data: Any) -> dict[str, Any]:
    """The kind of every joint whose kind is known, also in a file with other errors."""
    named: dict[str, Any] = {}
    for section in ("joints", "loops"):
        for name, joint in _block_of_key(data, section).items():
            named[name] = KINDS.get(str(_block_of_key({"": joint}, "").get("type")))
    rows = _block_of_key(data, "dh").get("rows")
    for i, row in enumerate(rows if isinstance(rows, list) else (), start=1):
        about = row if isinstance(row, dict) else {}
        named[str(about.get("name") or f"q{i}")] = KINDS.get(str(about.get("joint")))
    return {name: kind for name, kind in named.items() if kind is not None}


def _block_of_key(data: Any, key: str) -> dict[str, Any]:
    found = data.get(key) if isinstance(data, dict) else None
    return found if isinstance(found, dict) else {}


def home_row(written: Any, kind: Any) -> tuple[float, ...]:
    """The coordinates of one joint in SI; a `UnitError` says what is wrong."""
    items = written if isinstance(written, list) else [written]
    if len(items) != len(kind.q_parts):
        parts = ", ".join(kind.q_parts) or "nothing"
        raise UnitError(f"{quote_short_value(written)} has {len(items)} values and the joint's coordinates are {parts}")
    return tuple(value_in_si(item, unit) for item, unit in zip(items, units_along_parts(kind.coordinates, "rad", "m")))


def dof_number(written: Any, kind: Any) -> int:
    """Index of the velocity of a joint that an actuator drives; written as a number from 0, or a name like `angle`."""
    if isinstance(written, str):
        if written not in kind.v_parts:
            raise UnitError(f"'{written}' is not a freedom of the joint{suggest_name(written, kind.v_parts)}")
        return int(kind.v_parts.index(written))
    if isinstance(written, bool) or not isinstance(written, int):
        raise UnitError(
            f"{quote_short_value(written)} is not a freedom; write a whole number from 0, or one of {kind.v_parts}"
        )
    return written


def crosscheck_problems(source: SourceDocument) -> Iterator[Finding]:
    """Names of two things or none, home positions and actuator data that do not fit their joints."""
    yield from _connection_problems(source)
    kinds = joint_kinds(source.data)
    for name, written in _block_of_key(source.data, "home").items():
        if name in kinds:
            yield from _problem_of_check(source, ("home", name), lambda w=written, k=kinds[name]: home_row(w, k))
    for name, actuator in _block_of_key(source.data, "actuators").items():
        about = actuator if isinstance(actuator, dict) else {}
        if isinstance(about.get("joint"), str) and about["joint"] in kinds:
            yield from _actuator_problems(source, ("actuators", name), about, kinds[about["joint"]])


def _actuator_problems(source: SourceDocument, path: Path, actuator: dict[str, Any], kind: Any) -> Iterator[Finding]:
    try:
        dof = dof_number(actuator.get("dof", 0), kind)
    except UnitError as error:
        yield source.problem("unknown-freedom", str(error), (*path, "dof"), value=actuator["dof"])
        return
    if not 0 <= dof < len(kind.v_parts):
        return
    turning = kind.velocities[dof].unit == "rad"
    for key, (angular, linear) in _ACTUATOR_UNITS.items():
        if isinstance(actuator.get(key), str | Computed):
            unit = angular if turning else linear
            yield from _problem_of_check(source, (*path, key), lambda k=key, u=unit: value_in_si(actuator[k], u))


def _problem_of_check(source: SourceDocument, path: Path, check: Any) -> Iterator[Finding]:
    try:
        check()
    except UnitError as error:
        yield source.problem("bad-value", str(error), path)


def _connection_problems(source: SourceDocument) -> Iterator[Finding]:
    """Joints at bodies and actuators at joints that are not there, and names of two things."""
    data = source.data
    base = _base_name(data.get("base"))
    bodies = [*_block_of_key(data, "bodies"), *_table_links(data)]
    if base in bodies:
        text = f"the body '{base}' has the name of the base, which is there already"
        fix = "leave it out, or call the base otherwise, 'base: frame'"
        yield source.problem("name-taken", text, ("bodies", base), fix)
    for name in _block_of_key(data, "loops"):
        if name in _block_of_key(data, "joints"):
            first = source.line(("joints", name))
            text, fix = f"'{name}' is the name of a joint too, in line {first}", "keep one, or rename it"
            yield source.problem("name-taken", text, ("loops", name), fix)
    for section in ("joints", "loops"):
        for name, joint in _block_of_key(data, section).items():
            yield from _unknown_end_problems(source, (section, name), joint, bodies, base)
    yield from _unknown_actuated_joints(source)


def _unknown_actuated_joints(source: SourceDocument) -> Iterator[Finding]:
    data = source.data
    names = [*_block_of_key(data, "joints"), *_block_of_key(data, "loops"), *joint_kinds(data)]
    for name, actuator in _block_of_key(data, "actuators").items():
        joint = actuator.get("joint") if isinstance(actuator, dict) else None
        if isinstance(joint, str) and joint not in names:
            text = f"actuator '{name}' drives the unknown joint '{joint}'{suggest_name(joint, dict.fromkeys(names))}"
            yield source.problem("unknown-name", text, ("actuators", name), value=joint)


def _unknown_end_problems(
    source: SourceDocument, path: Path, joint: Any, bodies: Collection[str], base: str
) -> Iterator[Finding]:
    for end in ("parent", "child"):
        named = joint.get(end) if isinstance(joint, dict) else None
        if isinstance(named, str) and named not in bodies and named != base:
            close = (
                f" (the base is called '{base}')" if named.lower() in _BASES else suggest_name(named, (*bodies, base))
            )
            text = f"joint '{path[1]}' has the unknown {end} body '{named}'{close}"
            yield source.problem("unknown-name", text, (*path, end), value=named)


def _base_name(written: Any) -> str:
    name = written.get("name", "ground") if isinstance(written, dict) else written
    return name if isinstance(name, str) else "ground"


def _table_links(data: Any) -> list[str]:
    rows = _block_of_key(data, "dh").get("rows")
    named = [row.get("link") if isinstance(row, dict) else None for row in rows] if isinstance(rows, list) else []
    return [name if isinstance(name, str) else f"link{i}" for i, name in enumerate(named, start=1)]


# --- A checked document to a mechanism --------------------------------------------------------------------------------

_log = logging.getLogger(__name__)


def mechanism_of_document(document: Document, source: SourceDocument) -> Mechanism:
    """The mechanism a document describes."""
    bodies, joints = bodies_and_joints(document)
    loops = tuple(joint_of_document(name, written) for name, written in document.loops.items() if not written.open)
    kinds = joint_kinds(source.data)
    try:
        if not is_tree(joints, document.base.name):
            joints, loops = _cut_into_tree(joints, loops, document.base.name)
        rigid = Mechanism(
            name=document.name,
            bodies=bodies,
            joints=joints,
            loops=loops,
            couplings=tuple(_coupling_of_document(name, written) for name, written in document.couplings.items()),
            forces=tuple(read_forces(document)),
            frames=tuple(Frame(name, written.body, written.at) for name, written in document.frames.items()),
            actuators=tuple(
                _actuator_of_document(name, written, kinds) for name, written in document.actuators.items()
            ),
            platform=document.platform,
            base=document.base.name,
            base_shapes=tuple(map(shape_of_document, document.base.shapes)),
            base_inertia=_inertia_of_document(document.base),
            gravity=document.gravity,
            home=tuple(_home_of_document(name, written, kinds) for name, written in document.home.items()),
            source=document.source,
            license=document.license,
            open_loops=tuple(
                joint_of_document(name, written) for name, written in document.loops.items() if written.open
            ),
        )
        return flexible(
            rigid, {name: beam_of_document(body.beam) for name, body in document.bodies.items() if body.beam}
        )
    except MechanismError as error:
        refuse_file(source.file, [finding_with_line(finding, source) for finding in error.findings])


def _cut_into_tree(
    joints: tuple[Joint, ...], loops: tuple[Joint, ...], base: str
) -> tuple[tuple[Joint, ...], tuple[Joint, ...]]:
    """A drawing whose joints close loops, cut into a tree; the file's own loops stay cut."""
    found = arrange_spanning_tree(joints, base)
    for reason in found.reasons:
        _log.info(reason)
    return found.joints, (*found.loops, *loops)


def bodies_and_joints(document: Document) -> tuple[tuple[Body, ...], tuple[Joint, ...]]:
    """Bodies and joints, those of a DH table first."""
    bodies, joints = parts_of_dh_table(document.dh, document.base.name) if document.dh else ((), ())
    bodies += tuple(_body_of_document(name, written) for name, written in document.bodies.items())
    joints += tuple(joint_of_document(name, written) for name, written in document.joints.items())
    return bodies, joints


def record_problems(document: Document, source: SourceDocument) -> Iterator[Finding]:
    """Problems of single bodies and joints, for a file that cannot become a mechanism yet."""
    bodies, joints = bodies_and_joints(document)
    for body in bodies:
        yield from (finding_with_line(finding, source) for finding in body_problems(body))
    for each in joints:
        yield from (finding_with_line(finding, source) for finding in joint_problems(each))


def finding_with_line(finding: Finding, source: SourceDocument) -> Finding:
    """A mechanism's own finding with the line of the thing it names."""
    section, *rest = finding.path or ("",)
    paths: list[Path] = [finding.path, ("loops", *rest)] if section == "joints" else [finding.path]
    path = next((path for path in paths if path in source.lines), ())
    return replace(finding, path=path, line=source.lines[path] if path else 0)


def _inertia_of_document(written: SolidDocument) -> Inertia:
    return Inertia(written.mass, written.com, written.inertia)


def _body_of_document(name: str, written: MassDocument) -> Body:
    return Body(
        name, _inertia_of_document(written), tuple(map(shape_of_document, written.shapes)), written.gravity_compensation
    )


def _coupling_of_document(name: str, written: CouplingDocument) -> Coupling:
    curves = tuple((joint, tuple(factors)) for joint, factors in written.curves.items())
    return Coupling(name, tuple(written.terms.items()), written.offset, curves)


def parts_of_dh_table(written: TableDocument, base: str) -> tuple[tuple[Body, ...], tuple[Joint, ...]]:
    """Links and joints of a DH table, with what each row gives beyond the table."""
    bodies, joints = dh.chain_of_dh_table(written.convention, map(_dh_row_of_document, written.rows), base)
    return (
        tuple(
            Body(b.name, b.inertia, tuple(map(shape_of_document, row.shapes)), row.gravity_compensation)
            for b, row in zip(bodies, written.rows)
        ),
        tuple(
            Joint(j.name, j.parent, j.child, j.kind, j.at, j.child_at, **resistance_of_document(row))
            for j, row in zip(joints, written.rows)
        ),
    )


def _dh_row_of_document(written: Any) -> dh.Row:
    offset = written.b if written.b is not None else written.d or 0.0
    return dh.Row(
        written.joint,
        written.a,
        offset,
        written.alpha,
        written.theta,
        _inertia_of_document(written),
        written.name,
        written.link,
    )


def _actuator_of_document(name: str, written: ActuatorDocument, kinds: dict[str, Any]) -> Actuator:
    return Actuator(
        name,
        written.joint,
        dof_number(written.dof, kinds.get(written.joint, Fixed)),
        written.gear,
        written.rotor_inertia,
        friction_of_document(written.friction),
        written.effort,
        written.speed,
    )


def _home_of_document(name: str, written: Any, kinds: dict[str, Any]) -> tuple[str, tuple[float, ...]]:
    return name, home_row(written, kinds[name]) if name in kinds else ()
