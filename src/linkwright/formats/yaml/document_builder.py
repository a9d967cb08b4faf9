"""A checked document to a mechanism; what the mechanism itself refuses is reported with its line too."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from linkwright.errors import MechanismError
from linkwright.findings import Finding, Path
from linkwright.formats import dh
from linkwright.formats.import_findings import refuse_file
from linkwright.formats.yaml.beam_documents import beam_of_document
from linkwright.formats.yaml.crosscheck import dof_number, home_row, joint_kinds
from linkwright.formats.yaml.document import (
    ActuatorDocument,
    CouplingDocument,
    Document,
    MassDocument,
    SolidDocument,
    TableDocument,
)
from linkwright.formats.yaml.forces import read_forces
from linkwright.formats.yaml.joint_documents import friction_of_document, joint_of_document, resistance_of_document
from linkwright.formats.yaml.shape_documents import shape_of_document
from linkwright.formats.yaml.yaml_text import SourceDocument
from linkwright.joints import Fixed
from linkwright.mechanism import Actuator, Body, Coupling, Frame, Inertia, Joint, Mechanism
from linkwright.mechanism.flexible_bodies import flexible
from linkwright.mechanism.topology import arrange_spanning_tree, is_tree
from linkwright.mechanism.validation import body_problems, joint_problems

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
