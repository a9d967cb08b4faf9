"""The formats that are read and written: own ones and registered ones, found by the ending of a file's name."""

from __future__ import annotations

from linkwright import checks
from linkwright.errors import ArgumentError
from linkwright.formats.file_format import FileFormat
from linkwright.formats.own_formats import OWN_FORMATS
from linkwright.plugins import FORMATS, load_plugins

_REGISTERED: dict[str, FileFormat] = {}


def register_format(file_format: FileFormat) -> FileFormat:
    """Add a format, so that `lw.load`, `lw.save` and the command line read and write its files.

    It replaces a registered format of the same name. An installed package names the module that does
    this as an entry point of the group `linkwright.formats`.
    """
    checks.require_instance("file_format", file_format, FileFormat, "a lw.formats.FileFormat")
    name = file_format.name
    if not file_format.suffixes or any(each != each.lower() or each[:1] != "." for each in file_format.suffixes):
        text = f"format '{name}' has the suffixes {file_format.suffixes}; write them as ('.abc',) in lower case"
        raise ArgumentError(text, name="file_format")
    if file_format.read is None and file_format.write is None:
        raise ArgumentError(f"format '{name}' neither reads nor writes; give read or write", name="file_format")
    if any(name == own.name for own in OWN_FORMATS):
        raise ArgumentError(f"'{name}' is a format of the library; name yours otherwise", name="file_format")
    for other in (*OWN_FORMATS, *_REGISTERED.values()):
        shared = [each for each in file_format.suffixes if each in other.suffixes]
        if other.name != name and shared and file_format.recognize is None and other.recognize is None:
            text = f"'{shared[0]}' is a suffix of {other.name} too; tell the texts of '{name}' apart by recognize"
            raise ArgumentError(text, name="file_format")
    _REGISTERED[name] = file_format
    return file_format


def file_formats() -> tuple[FileFormat, ...]:
    """All formats, those of installed packages included."""
    load_plugins(FORMATS)
    return (*OWN_FORMATS, *_REGISTERED.values())


def format_of_text(suffix: str, text: str) -> FileFormat | None:
    """The format that reads a file: one that recognizes its text, or the one that its suffix belongs to."""
    readers = [each for each in file_formats() if suffix in each.suffixes and each.read is not None]
    recognized = [each for each in readers if each.recognize is not None and each.recognize(text)]
    return next(iter((*recognized, *(each for each in readers if each.recognize is None))), None)


def beginning_of_files(suffix: str) -> str:
    """How a file of a suffix begins, for the message about an empty one."""
    found = (each.beginning for each in file_formats() if suffix in each.suffixes and each.beginning)
    return next(found, "write a model into it")


def format_to_write(suffix: str) -> FileFormat | None:
    """The format that a file of a suffix is written in: the one that the suffix belongs to."""
    writers = [each for each in file_formats() if suffix in each.suffixes and each.write is not None]
    return min(writers, key=lambda each: each.recognize is not None, default=None)


def readable_suffixes() -> tuple[str, ...]:
    """Endings of the names of files that are read."""
    return tuple(dict.fromkeys(suffix for each in file_formats() if each.read for suffix in each.suffixes))


def writable_suffixes() -> tuple[str, ...]:
    """Endings of the names of files that are written."""
    return tuple(dict.fromkeys(suffix for each in file_formats() if each.write for suffix in each.suffixes))
