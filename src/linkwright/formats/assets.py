"""Files that a model may name: below its own folder, in the packages it belongs to, and in folders the user allows."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from functools import lru_cache
from pathlib import Path, PurePosixPath
from urllib.parse import unquote

from linkwright.dataclass import dataclass

FOLDER_FIX = "name the folder it is in with load(..., folders=[...]), or with --folder on the command line"
_PACKAGE_SCHEMES = ("package", "model", "pkg")
_DESCRIPTIONS = (
    "package.xml",
    "model.config",
    "manifest.xml",
)  # of ROS, of Gazebo, of older ROS
_DEEPEST, _MOST_FOLDERS = 6, 20_000  # below an allowed folder, in the search for packages
_NAME = re.compile(rb"<name>\s*([\w.\- ]+?)\s*</name>")
# Variables of ROS and of Gazebo that list folders with packages or models.
_PATHS = ("ROS_PACKAGE_PATH", "GAZEBO_MODEL_PATH", "GZ_SIM_RESOURCE_PATH", "IGN_GAZEBO_RESOURCE_PATH", "SDF_PATH")


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
        name, _, inside = rest.lstrip("/").partition("/")  # some write package:///NAME
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
        """Folders of a package: around the model, allowed, on ROS's and Gazebo's paths, or below an allowed folder."""
        if not name or name in (".", ".."):
            return
        for place, names in self._around():
            if name in names:
                yield place
        for place in (*self.allowed, *_folders_of_environment()):
            if (place / name).is_dir():
                yield place / name
            if place.name == name:
                yield place
        for folder in self.allowed:
            if name in (below := _packages_below(folder.resolve())):
                yield below[name]

    def _around(self) -> Iterator[tuple[Path, set[str]]]:
        """The packages that the model's folder is in, with their names, the innermost first."""
        around = () if self.folder is None else (self.folder.resolve(), *self.folder.resolve().parents)
        for place in around:
            if (place / "package.xml").is_file():
                yield place, _package_names(place / "package.xml")

    def packages(self) -> dict[str, Path]:
        """Every package that the model may name, by its names."""
        found: dict[str, Path] = {}
        for place, names in self._around():
            found |= {name: place for name in names if name not in found}
        for folder in self.allowed:
            found = {folder.resolve().name: folder, **_packages_below(folder.resolve()), **found}
        for folder in _folders_of_environment():
            found = {**_packages_below(folder.resolve(), deepest=1), **found}
        return found


def _folders_of_environment() -> Iterator[Path]:
    """Folders that the variables of ROS and Gazebo list."""
    for variable in _PATHS:
        yield from (Path(part) for part in os.environ.get(variable, "").split(os.pathsep) if part)
    yield from (Path(part, "share") for part in os.environ.get("AMENT_PREFIX_PATH", "").split(os.pathsep) if part)


@lru_cache(maxsize=64)
def _packages_below(folder: Path, deepest: int = _DEEPEST) -> dict[str, Path]:
    """Folders with a description of a package or model, by their names, those least deep first."""
    found: dict[str, Path] = {}
    level, seen = [folder], 0
    for _ in range(deepest + 1):
        below: list[Path] = []
        for place in level:
            with suppress(OSError):
                entries = sorted(os.scandir(place), key=lambda entry: entry.name)
                for description in (entry.path for entry in entries if entry.name in _DESCRIPTIONS):
                    for name in sorted(_package_names(Path(description))):
                        found.setdefault(name, place)
                inner = (entry for entry in entries if entry.is_dir(follow_symlinks=False))
                below += [Path(entry.path) for entry in inner if not entry.name.startswith(".")]
        seen += len(level)
        level = below[: max(0, _MOST_FOLDERS - seen)]
    return found


def _package_names(description: Path) -> set[str]:
    """The names of a package: its folder's, and the one in its package.xml."""
    names = {description.parent.name}
    with suppress(OSError):
        if description.name == "package.xml" and description.is_file():
            with description.open("rb") as stream:
                written = _NAME.search(stream.read(65_536))
            names |= {written[1].decode("utf-8", "replace")} if written else set()
    return names
