"""Xacro files to URDF text by the package xacrodoc, which evaluates the file's expressions: an extra to opt in to."""

from __future__ import annotations

from pathlib import Path

from linkwright.formats.import_findings import refuse_one


def urdf_text(path: Path) -> str:
    """The URDF that a xacro file expands to, with the default values of its arguments."""
    try:
        from xacrodoc import XacroDoc
    except ImportError:
        fix = "install it with pip install 'linkwright[xacro]'; it evaluates expressions of the file"
        refuse_one(str(path), "missing-package", "reading xacro needs the package xacrodoc", fix)
    try:
        return str(XacroDoc.from_file(str(path), resolve_packages=False).to_urdf_string())
    except Exception as error:
        reason = " ".join(str(error).split())[:300] or type(error).__name__
        refuse_one(str(path), "bad-expression", f"xacro does not accept the file: {reason}", "try it with xacro first")
