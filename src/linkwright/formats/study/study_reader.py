"""A file that describes a piece of work, read as a YAML block and checked against its declared form."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from linkwright import checks
from linkwright.formats.import_findings import refuse_file, refuse_one
from linkwright.formats.mechanism_files import read_text
from linkwright.formats.yaml.messages import problems_of_validation
from linkwright.formats.yaml.yaml_text import SourceDocument, read_yaml_text

Form = TypeVar("Form", bound=BaseModel)


def read_file_text(path: Any) -> tuple[str, str]:
    """The text of a file, and its name for messages."""
    return read_text(checks.require_path("path", path)), str(path)


def read_validated_block(text: str, file: str, form: type[Form], what: str) -> tuple[Form, SourceDocument]:
    """The block that a text holds, as a record; `what` names it in messages, with its article."""
    source = read_yaml_text(text, file)
    if not isinstance(source.data, dict):
        refuse_one(file, "wrong-type", f"{what} is a block of 'key: value' lines", "begin it with 'format: 1'", 1)
    try:
        return form.model_validate(source.data), source
    except ValidationError as error:
        refuse_file(file, problems_of_validation(error, source, form))
