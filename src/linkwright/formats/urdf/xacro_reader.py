"""What a xacro file expands to, and for every reason why it does not the way out."""

from __future__ import annotations

import re
from importlib.util import find_spec

from linkwright.errors import installation_hint
from linkwright.formats.assets import Assets
from linkwright.formats.file_format import SourceFile
from linkwright.formats.import_findings import refuse_one
from linkwright.formats.urdf.xacro_expansion import NotExpanded, expand_xacro_file

_ROOT = re.compile(r"<\s*([A-Za-z][\w:.-]*)")
_COMMENTS = re.compile(r"<!--.*?-->", re.DOTALL)
_FOLDER = "with load(..., folders=[...]), or with --folder on the command line"


def is_sdf_text(text: str) -> bool:
    """Return True if the outermost element of a text is <sdf>.

    >>> is_sdf_text('<?xml version="1.0"?><!-- <robot> --><sdf version="1.9"/>')
    True
    """
    root = _ROOT.search(_COMMENTS.sub("", text))
    return root is not None and root[1] == "sdf"


def expanded_text(source: SourceFile) -> str:
    """The URDF or SDF that a xacro file expands to, with its arguments."""
    if find_spec("xacro") is None:
        fix = f"{installation_hint('xacro')}; it is an extra because it evaluates expressions that the file holds"
        refuse_one(str(source.path), "missing-package", "reading xacro needs the package xacro", fix)
    assets = Assets(source.path.parent, source.folders)
    try:
        return expand_xacro_file(source.path, source.arguments, source.folders, assets.packages())
    except NotExpanded as stop:
        refuse_one(str(source.path), *_refusal(stop.code, stop.subject))


def _refusal(code: str, subject: str) -> tuple[str, str, str]:
    """Code, message and way out of a file that is not expanded."""
    match code:
        case "no-package":
            text = f"xacro: the package '{subject}' is not found"
            return "bad-include", text, f"name a folder that has it, at any depth, {_FOLDER}"
        case "outside":
            text = f"xacro: the file names '{subject}', which is not below the model's folder, and is not opened"
            return "bad-include", text, f"if you trust it, name its folder {_FOLDER}"
        case "no-file":
            return "bad-include", f"xacro: the file '{subject}' is not there", "copy it there, or correct its name"
        case "no-argument":
            fix = f"give it with load(..., xacro_args={{'{subject}': ...}}), or with --xacro-arg {subject}=..."
            return "missing-key", f"xacro: the argument '{subject}' has no value", fix
        case "too-large":
            return code, f"xacro: {subject}", "is it a robot?"
    return "bad-expression", f"xacro does not accept the file: {subject}", "try it with xacro first"
