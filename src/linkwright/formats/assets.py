"""Files that a model may name: below its own folder, in the packages it belongs to, and in folders the user allows."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from linkwright.dataclass import dataclass

_PACKAGE_SCHEMES = ("package", "model", "pkg")


def file_below_folder(folder: Path, path: Path) -> Path | None:
    """The real path of a regular file below a folder; None for anything else.

    >>> file_below_folder(Path("."), Path("../elsewhere.xml")) is None
    True
    """
    try:
        real = path.resolve(strict=True)
        return real if real.is_relative_to(folder.resolve()) and real.is_file() else None
    except (OSError, ValueError, RuntimeError):
        return None


def limited_text(path: Path, most: int) -> str | None:
    """The text of a file of at most so many bytes; None for a larger one."""
    return path.read_text(encoding="utf-8-sig", errors="replace") if path.stat().st_size <= most else None


@dataclass(frozen=True)
class Assets:
    """Where the files of a model are looked for.

    Attributes:
        folder: the model's own; without one a model of text names no files.
        allowed: further folders, each with packages or with files.
    """

    folder: Path | None = None
    allowed: tuple[Path, ...] = ()

    def find(self, uri: str, beside: Path | None = None, named: bool = False) -> Path | None:
        """The real path of a file that a model names, None if there is none that it may name.

        Args:
            uri: a path, `package://NAME/...`, `model://NAME/...` or `file://...`.
            beside: the folder of the file that names it, where that is another one.
            named: only in folders called NAME. Otherwise a file of a package that is not found may also be below the
                model's folder under the rest of its path, as `meshes/arm.stl` is where only the model was copied.
        """
        if self.folder is None and not self.allowed:
            return None
        scheme, found, rest = uri.partition("://")
        if not found:
            return self._first(self._plain(uri, beside))
        rest = unquote(rest)
        if scheme == "file":
            return self._first(self._plain(rest, beside))
        if scheme not in _PACKAGE_SCHEMES:
            return None
        name, _, inside = rest.partition("/")
        for root in self._packages(name):
            if (path := file_below_folder(root, root / inside)) is not None:
                return path
        parts = [part for part in rest.split("/") if part not in ("", ".", "..")]
        if named and ".." in rest.split("/"):
            return None
        shortest = 1 if named else len(parts)
        own = ((root, root / Path(*parts[1:])) for root in self._roots() if root.resolve().name == name)
        short = ((root, root / Path(*parts[k:])) for root in self._roots() for k in range(shortest))
        return self._first(own) or self._first(short)

    def _first(self, tried: Iterator[tuple[Path, Path]]) -> Path | None:
        return next((path for root, name in tried if (path := file_below_folder(root, name)) is not None), None)

    def _roots(self) -> tuple[Path, ...]:
        return (*((self.folder,) if self.folder is not None else ()), *self.allowed)

    def _plain(self, name: str, beside: Path | None) -> Iterator[tuple[Path, Path]]:
        """A path below each root, looked for beside the file that names it and in the root."""
        name = str(PurePosixPath(name.replace("\\", "/")))
        for root in self._roots():
            if beside is not None:
                yield root, beside / name
            if self.folder is not None:
                yield root, self.folder / name
            yield root, root / name

    def _packages(self, name: str) -> Iterator[Path]:
        """Folders of a package: around the model (with its package.xml), allowed, or on ROS's paths."""
        if not name or name in (".", ".."):
            return
        around = () if self.folder is None else (self.folder.resolve(), *self.folder.resolve().parents)
        for place in around:
            if (place / "package.xml").is_file() and (place.name == name or _is_called(place / "package.xml", name)):
                yield place
        ros = [Path(part) for part in os.environ.get("ROS_PACKAGE_PATH", "").split(os.pathsep) if part]
        ros += [Path(part, "share") for part in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if part]
        for place in (*self.allowed, *ros):
            if (place / name).is_dir():
                yield place / name
            if place.name == name:
                yield place


def _is_called(description: Path, name: str) -> bool:
    try:
        with description.open("rb") as stream:
            return f"<name>{name}</name>".encode() in stream.read(65_536)
    except OSError:
        return False
