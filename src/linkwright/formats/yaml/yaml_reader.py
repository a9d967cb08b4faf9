"""YAML text to a mechanism, every problem reported at once."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from itertools import islice
from typing import Any

from pydantic import ValidationError

from linkwright.findings import Finding
from linkwright.formats.import_findings import refuse_file, refuse_one
from linkwright.formats.units import UnitError
from linkwright.formats.yaml import document_builder, messages
from linkwright.formats.yaml.document import document_type
from linkwright.formats.yaml.expansion import MOST_PROBLEMS, expand_source, own_values
from linkwright.formats.yaml.number_formulas import with_formulas
from linkwright.formats.yaml.yaml_text import SourceDocument, read_yaml_text
from linkwright.mechanism import Mechanism
from linkwright.mechanism.parameters import DoubtfulLength, doubtful_length, warn_of_lengths


def from_yaml(text: str, file: str = "text", parameters: Mapping[str, Any] | None = None) -> Mechanism:
    """The mechanism a native YAML text describes; `file` is the name used in messages.

    `parameters` replace values in the file's own `parameters` section.

    >>> from_yaml('''
    ... format: 1
    ... name: pendulum
    ... bodies:
    ...   rod: {mass: 2 kg, com: [0, 0, -300 mm]}
    ... joints:
    ...   swing: {type: revolute, parent: ground, child: rod, axis: y}
    ... ''').bodies[0].inertia.com
    (0.0, 0.0, -0.3)
    """
    source = read_yaml_text(text, file)
    if source.data is None:
        refuse_one(file, "empty-file", "the file is empty", "begin it with 'format: 1'")
    if not isinstance(source.data, dict):
        refuse_one(file, "wrong-type", "a file is a block of 'key: value' lines", "begin it with 'format: 1'", 1)
    plain, written = expand_source(source, parameters), source
    source = plain.source
    found = list(islice(document_builder.crosscheck_problems(source), MOST_PROBLEMS))
    try:
        document = document_type().model_validate(source.data)
    except ValidationError as error:
        seen = {finding.path for finding in found}
        found += [
            finding
            for finding in messages.problems_of_validation(error, source, document_type())
            if finding.path not in seen
        ]
        refuse_file(file, found + _further_problems(source, found))
    if found:
        refuse_file(file, found)
    mech = with_formulas(document_builder.mechanism_of_document(document, source), plain)
    if parameters:
        warn_of_lengths(mech.name, _doubtful_given_lengths(mech, own_values(written), parameters))
    return mech


def _doubtful_given_lengths(
    mech: Mechanism, own: Mapping[str, float], given: Mapping[str, Any]
) -> list[DoubtfulLength]:
    """Given lengths that `Model.with_parameters` would warn of too."""
    lengths = [each for each in mech.parameters if each.unit == "m" and each.name in given and own.get(each.name)]
    doubtful = [each for each in lengths if doubtful_length(each.value, own[each.name])]
    return [DoubtfulLength(each.name, each.value, own[each.name]) for each in doubtful]


def _further_problems(source: SourceDocument, found: list[Finding]) -> list[Finding]:
    """Problems of the bodies and joints that could be read although others could not."""
    data: dict[str, Any] = {"format": 1, "name": "x"}
    bad = {problem.path[:2] for problem in found}
    for section in ("bodies", "joints"):
        block = source.data.get(section)
        if isinstance(block, dict):
            data[section] = {k: copy.deepcopy(v) for k, v in block.items() if (section, k) not in bad}
    try:
        return list(document_builder.record_problems(document_type().model_validate(data), source))
    except (ValidationError, UnitError):
        return []
