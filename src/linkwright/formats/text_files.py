"""Texts of mechanism and study files, or an error that says why there is none."""

from __future__ import annotations

import stat
from pathlib import Path

from linkwright.formats.import_findings import refuse_one

LARGEST = 32 * 1024 * 1024  # bytes; each reader has its own, smaller limit
_OF_ARCHIVES = "show a run with linkwright report, and read it with lw.open_result"


def read_text(path: Path, beginning: str = "write a model into it") -> str:
    """Return the text of a file, or raise an error that says why there is none; `beginning` says how one begins."""
    try:
        if path.is_dir():
            refuse_one(str(path), "no-file", "this is a folder", "name a file in it")
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            refuse_one(str(path), "no-file", "this is not a regular file but a device or a pipe", "name a file")
        if status.st_size > LARGEST:
            refuse_one(str(path), "too-large", f"the file is larger than {LARGEST} bytes", "is it a mechanism?")
        content = path.read_bytes()
    except FileNotFoundError:
        refuse_one(str(path), "no-file", "there is no such file", "check the name and the folder")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        refuse_one(str(path), "no-file", f"the file cannot be opened ({reason})")
    return _decode_text_file(content, path, beginning)


def _decode_text_file(content: bytes, path: Path, beginning: str) -> str:
    if not content.strip():
        refuse_one(str(path), "empty-file", "the file is empty", beginning)
    if content.startswith(b"PK"):
        refuse_one(str(path), "not-text", "this is an archive, such as a saved run, not a mechanism", _OF_ARCHIVES)
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError:  # XML of older tools; one byte is one character, as in their comments
        text = content.decode("latin-1") if content.lstrip().startswith(b"<") else "\0"
    if "\0" in text:
        refuse_one(str(path), "not-text", "this is not a text file in UTF-8", "save it as UTF-8 text")
    return text
