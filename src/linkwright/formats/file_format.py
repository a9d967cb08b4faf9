"""What a format of mechanism files is: its name, the endings of its files, its reader and its writer."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field
from pathlib import Path

from linkwright.dataclass import dataclass
from linkwright.formats.import_findings import Imported
from linkwright.formats.written_files import Written


@dataclass(frozen=True)
class SourceFile:
    """What a reader gets.

    Attributes:
        text: of the file.
        path: of the file, for messages and for files beside it.
        folders: further folders in which the file may name files.
        parameters: values that replace those of the file, for formats that have parameters.
        arguments: values of the file's arguments, for formats that have arguments.
    """

    text: str
    path: Path
    folders: tuple[Path, ...] = ()
    parameters: Mapping[str, object] = field(default_factory=dict)
    arguments: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class FileFormat:
    """A format of mechanism files.

    Attributes:
        name: in messages, as "URDF".
        suffixes: endings of file names, as ".urdf".
        read: gives the mechanism of a file and what was dropped, assumed or doubted; None for a format that is only
            written. It refuses a bad file by a `FormatError`.
        write: gives the text of a mechanism for a file of that path, and what the format cannot say; None for a format
            that is only read.
        recognize: for a suffix that another format has: True for the texts of this one. Files of that suffix are
            written in the other format.
        beginning: how a file begins, for the message about an empty one.
        has_parameters: files have parameters whose values can be given.
        has_arguments: files have arguments, texts that are put in when they are expanded.
        has_dialects: `write` takes the name of a dialect as third argument.
        is_replaceable: True for a path beside a written file whose file may be replaced; other files beside it stay.
    """

    name: str
    suffixes: tuple[str, ...]
    read: Callable[[SourceFile], Imported] | None = None
    write: Callable[..., Written] | None = None
    recognize: Callable[[str], bool] | None = None
    beginning: str = ""
    has_parameters: bool = False
    has_arguments: bool = False
    has_dialects: bool = False
    is_replaceable: Callable[[Path], bool] | None = None
