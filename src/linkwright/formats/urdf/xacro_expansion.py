"""xacro files to URDF text, in a process of its own that has limits and opens files of known folders only.

A xacro file holds expressions in Python, and includes files by name. So the package xacro works in a process with
limits of time and memory in which an audit hook refuses every file outside the folders it was given, every file that
would be written, and other programs. This file runs as a script there and imports nothing of the library.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout, suppress
from pathlib import Path
from typing import Any

MOST_SECONDS = 60  # of CPU
MOST_MEMORY = 4 * 1024**3  # bytes
LONGEST = 8 * 1024 * 1024  # characters of URDF
_NO_WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND
_FORBIDDEN = (
    *("subprocess.", "os.system", "os.exec", "os.fork", "os.posix_spawn", "os.spawn", "socket.", "ctypes."),
    *("os.remove", "os.rename", "os.rmdir", "os.mkdir", "os.link", "os.symlink", "os.chmod", "shutil."),
)


class NotExpanded(Exception):
    """Why a xacro file cannot be expanded: a code, and what it is about."""

    def __init__(self, code: str, subject: str) -> None:
        super().__init__(subject)
        self.code, self.subject = code, subject


def expand_xacro_file(
    path: Path, arguments: Mapping[str, str], folders: Sequence[Path], packages: Mapping[str, Path]
) -> str:
    """The URDF that a xacro file expands to.

    Args:
        path: of the file.
        arguments: values of its <xacro:arg>.
        folders: below which files may be included.
        packages: the folders of packages that `$(find NAME)` may name; files below them may be included too.
    """
    given = {"path": str(path.resolve()), "arguments": dict(arguments)}
    given |= {"packages": {name: str(folder.resolve()) for name, folder in packages.items()}}
    given |= {"folders": [str(folder.resolve()) for folder in (*folders, *packages.values())]}
    try:
        done = subprocess.run(
            [sys.executable, "-I", __file__],
            input=json.dumps(given).encode(),
            capture_output=True,
            timeout=3.0 * MOST_SECONDS,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise NotExpanded("too-large", f"expanding takes more than {MOST_SECONDS} s") from None
    try:
        found = json.loads(done.stdout)
    except ValueError:
        limits = f"expanding needs more than {MOST_SECONDS} s or {MOST_MEMORY} bytes (code {done.returncode})"
        raise NotExpanded("too-large", limits) from None
    if "code" in found:
        raise NotExpanded(found["code"], found["subject"])
    return str(found["text"])


# --- in the process of its own ----------------------------------------------------------------------------------------


class _OutsideError(Exception):
    """A file outside the folders was named."""


class _NoPackageError(Exception):
    """A package that is not known was named."""


def _expand(given: dict[str, Any]) -> dict[str, str]:
    import xacro
    from xacro import substitution_args

    packages = given["packages"]

    def find_package(name: str) -> str:
        if name not in packages:
            raise _NoPackageError(name)
        return str(packages[name])

    substitution_args._eval_find = find_package
    substitution_args._eval_dict["find"] = find_package
    join_to_folder = xacro.abs_filename_spec
    xacro.abs_filename_spec = lambda name: _installed_path(join_to_folder(_without_scheme(name, packages)), packages)
    _allow_files_below([*given["folders"], str(Path(given["path"]).parent), *_folders_of_python()])
    try:
        with redirect_stdout(sys.stderr):
            document = xacro.process_file(given["path"], mappings=given["arguments"])
        text = str(document.toprettyxml(indent=" "))
        if len(text) > LONGEST:
            return {"code": "too-large", "subject": f"it expands to more than {LONGEST} characters"}
        return {"text": text}
    except RecursionError:
        return {"code": "too-large", "subject": "macros or includes go in a circle"}
    except Exception as error:
        return _reason(error)


def _without_scheme(name: str, packages: dict[str, str]) -> str:
    """A name of an included file without package:// or file://."""
    scheme, found, rest = name.partition("://")
    if scheme == "package" and found:
        package, _, inside = rest.lstrip("/").partition("/")
        if package not in packages:
            raise _NoPackageError(package)
        return os.path.join(packages[package], inside)
    return rest if scheme == "file" and found else name


def _installed_path(name: str, packages: dict[str, str]) -> str:
    """A file of a package where it is in the sources: an installed package has folders nearer to its top."""
    if os.path.exists(name):
        return name
    for folder in packages.values():
        inside = os.path.relpath(name, folder)
        if not inside.startswith(os.pardir):
            ending = os.path.join(os.sep, inside)
            found = [str(path) for path in Path(folder).rglob(os.path.basename(name)) if str(path).endswith(ending)]
            return found[0] if len(found) == 1 else name
    return name


def _reason(error: BaseException | None) -> dict[str, str]:
    """The first cause that is ours, else the text of the error."""
    text = " ".join(str(error).split())[:300] or type(error).__name__
    while error is not None:
        if isinstance(error, _OutsideError | _NoPackageError):
            code = "outside" if isinstance(error, _OutsideError) else "no-package"
            return {"code": code, "subject": str(error)}
        if isinstance(error, FileNotFoundError) and error.filename:
            return {"code": "no-file", "subject": str(error.filename)}
        error = getattr(error, "exc", None) or error.__cause__ or error.__context__
    marker = "Undefined substitution argument "
    if marker in text:
        return {"code": "no-argument", "subject": text.split(marker, 1)[1].split()[0]}
    return {"code": "bad-expression", "subject": text}


def _folders_of_python() -> list[str]:
    """Where Python finds its own modules."""
    return [os.path.realpath(place) for place in {sys.prefix, sys.base_prefix, *sys.path} if place]


def _allow_files_below(folders: list[str]) -> None:
    """Refuse other files, every file that would be written, and other programs, from now on."""
    allowed = [os.path.join(os.path.realpath(folder), "") for folder in folders]

    def check_event(event: str, arguments: tuple[Any, ...]) -> None:
        if event == "open":
            name, mode, flags = arguments
            if isinstance(name, int):
                return
            real = os.path.realpath(os.fsdecode(name))
            if (mode and set(mode) & set("wxa+")) or (isinstance(flags, int) and flags & _NO_WRITING):
                raise _OutsideError(real)
            if not any(real.startswith(folder) for folder in allowed):
                raise _OutsideError(real)
        elif event.startswith(_FORBIDDEN):
            raise _OutsideError(event)

    sys.addaudithook(check_event)


def _limit_process_resources() -> None:
    """Bound the time and memory of this process, where the system can."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS + 1))
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


def _main() -> None:
    _limit_process_resources()
    sys.dont_write_bytecode = True
    found = _expand(json.loads(sys.stdin.buffer.read()))
    sys.stdout.buffer.write(json.dumps(found).encode())


if __name__ == "__main__":
    _main()
