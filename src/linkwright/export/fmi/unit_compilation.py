"""Compile the sources of a Functional Mock-up Unit for this computer, where a C compiler is at hand."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

# Folder of the binary by operating system and processor, for FMI 2 and FMI 3, and the ending of its name.
_PLATFORMS: dict[tuple[str, str], tuple[str, str, str]] = {
    ("Linux", "x86_64"): ("linux64", "x86_64-linux", ".so"),
    ("Linux", "aarch64"): ("", "aarch64-linux", ".so"),
    ("Darwin", "x86_64"): ("darwin64", "x86_64-darwin", ".dylib"),
    ("Darwin", "arm64"): ("darwin64", "aarch64-darwin", ".dylib"),
    ("Windows", "AMD64"): ("win64", "x86_64-windows", ".dll"),
    ("Windows", "ARM64"): ("", "aarch64-windows", ".dll"),
}

_SECONDS = 600


@dataclass(frozen=True)
class Binary:
    """A compiled unit: its name in the archive and its bytes, or the reason why there is none."""

    name: str = ""
    content: bytes = b""
    reason: str = ""


def compiler_command() -> list[str]:
    """The C compiler to use: $CC, cc, gcc, clang, or that of the package ziglang; [] without one."""
    if given := os.environ.get("CC"):
        return shlex.split(given)
    for name in ("cc", "gcc", "clang"):
        if found := shutil.which(name):
            return [found]
    return [sys.executable, "-m", "ziglang", "cc"] if importlib.util.find_spec("ziglang") else []


def compiled_unit(sources: Mapping[str, bytes], main: str, identifier: str, version: int) -> Binary:
    """Compile `main` among the sources for this computer."""
    where = _PLATFORMS.get((platform.system(), platform.machine()), ("", "", ""))
    folder, ending = where[0] if version == 2 else where[1], where[2]
    if not folder:
        return Binary(reason=f"FMI {version} names no folder for {platform.system()} on {platform.machine()}")
    command = compiler_command()
    if not command:
        return Binary(reason="no C compiler was found; install one (cc, gcc or clang), or the package ziglang")
    with tempfile.TemporaryDirectory(prefix="linkwright-") as work:
        for name, content in sources.items():
            Path(work, name).write_bytes(content)
        made = Path(work, f"{identifier}{ending}")
        flags = ["-std=c99", "-O2", "-shared", *(["-fPIC", "-fvisibility=hidden"] if ending != ".dll" else [])]
        libraries = ["-lm"] if ending == ".so" else []
        whole = [*command, *flags, str(Path(work, main)), *libraries, "-o", str(made)]
        failed = _run_compiler(whole)
        if failed:
            return Binary(reason=failed)
        return Binary(f"binaries/{folder}/{identifier}{ending}", made.read_bytes())


def _run_compiler(command: list[str]) -> str:
    """Run the compiler; the reason why it failed, else ""."""
    try:
        done = subprocess.run(command, check=False, capture_output=True, text=True, timeout=_SECONDS)
    except (OSError, subprocess.TimeoutExpired) as error:
        return f"the C compiler {command[0]} cannot be run ({error}); set CC to another one"
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["no message"])[0]
        return f"the C compiler {command[0]} failed: {last}; set CC to another one"
    return ""


def require_binary(binary: Binary) -> None:
    """Refuse to go on without a binary."""
    if binary.reason:
        raise ArgumentError(f"the unit has no binary: {binary.reason}; or leave binary out for sources alone")
