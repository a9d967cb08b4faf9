"""A mechanism as a Functional Mock-up Unit (FMU) for FMI 2.0 or 3.0, compiled for this computer where possible."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Mapping, Sequence
from importlib import resources
from pathlib import Path

from linkwright import checks
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.export.fmi.description import (
    Described,
    FmuVariable,
    Version,
    build_description,
    equations_header,
    model_description,
    unit_variables,
)
from linkwright.export.fmi.unit_programs import UnitPrograms, unit_programs
from linkwright.files import FileKind, recognize_archive_entry, write_whole
from linkwright.generated_text import c_identifier
from linkwright.model import Model
from linkwright.version import __version__

# --- compile the sources of a Functional Mock-up Unit for this computer, where a C compiler is at hand ----------------

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


# --- A mechanism as a Functional Mock-up Unit (FMU) for FMI 2.0 or 3.0 ------------------------------------------------

UNIT = FileKind(
    "a Functional Mock-up Unit",
    (".fmu",),
    recognize_archive_entry("modelDescription.xml", b'generationTool="linkwright'),
)


@dataclass(frozen=True, eq=False)
class Fmu:
    """Files of a Functional Mock-up Unit, and what is in it.

    Attributes:
        name: identifier of the model.
        version: of FMI, 2 or 3.
        files: content by name in the archive.
        variables: all variables, in the order of their value references.
        binary: name of the compiled library in the archive, "" if there are only sources.
        left_out: reasons by name of what the unit does not have.
    """

    name: str
    version: Version
    files: Mapping[str, bytes]
    variables: tuple[FmuVariable, ...]
    binary: str
    left_out: Mapping[str, str]

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the archive; the file appears complete or not at all."""
        file = checks.require_path("path", path)
        if file.suffix.lower() != ".fmu":
            raise ArgumentError(f"{file}: a Functional Mock-up Unit ends in .fmu; name it {self.name}.fmu")
        write_whole(Path(file), self.archive)

    @property
    def archive(self) -> bytes:
        """The archive; the same bytes for the same files."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
            for name in sorted(self.files, key=lambda x: (x != "modelDescription.xml", x)):
                entry = zipfile.ZipInfo(name, (1980, 1, 1, 0, 0, 0))
                entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o644 << 16
                archive.writestr(entry, self.files[name])
        return out.getvalue()


def fmu(
    model: Model,
    name: str | None = None,
    *,
    version: Version = 3,
    frames: Sequence[str] | None = None,
    reactions: bool = True,
    derivatives: bool = True,
    binary: bool | None = None,
) -> Fmu:
    """A mechanism as a Functional Mock-up Unit with model exchange and co-simulation.

    Efforts of the actuators go in; coordinates, velocities, positions of the actuators, poses, energies and reactions
    come out, and the distances to limits of joints, which are event indicators. Inputs of the model are tunable
    parameters. States are all coordinates and velocities. In model exchange
    open loops are pulled together at the rate of the parameter `closing_rate`, so that what integration leaves decays;
    co-simulation has steps of its own with error control, each projected onto closed loops. C sources are always
    inside.

    Args:
        model: the mechanism; its actuators are the inputs of the unit.
        name: identifier of the unit; from the mechanism's when None.
        version: of FMI, 2 or 3.
        frames: frames or bodies whose poses are put out; the platform and all named frames when None.
        reactions: put the reactions of all joints out, where the loops determine them.
        derivatives: provide directional derivatives of rates and outputs by states, efforts and parameters, exact; most
            of the code is theirs.
        binary: compile the sources for this computer; None does where a C compiler is at hand.

    >>> import linkwright as lw
    >>> unit = lw.export.fmu(lw.build(lw.catalog.load("five-bar")), binary=False)
    >>> sorted(unit.files)[:3]
    ['modelDescription.xml', 'sources/buildDescription.xml', 'sources/core.h']
    >>> [x.name for x in unit.variables if x.role == "effort"]
    ['effort.motor1', 'effort.motor2']
    """
    checks.require_instance("model", model, Model, "a Model; make one with linkwright.build")
    checks.require_integer("version", version, 2, 3)
    if binary is not None:
        checks.require_flag("binary", binary)
    title = model.mechanism.name
    prefix = c_identifier(title if name is None else checks.require_text("name", name))
    chosen = None if frames is None else list(dict.fromkeys(checks.require_texts("frames", frames)))
    wanted = checks.require_flag("reactions", reactions), checks.require_flag("derivatives", derivatives)
    programs = unit_programs(model, chosen, *wanted)
    variables = unit_variables(model, programs)
    token = _content_token(model, programs, variables, version)
    main = f"fmi{version}.c"
    sources = {name: _source_bytes(name) for name in ("core.h", "unit.h", f"fmi{version}.h", main)}
    sources["equations.h"] = equations_header(model, programs, variables, token).encode()
    text = "Loops closed inside. Not in this unit: " + "; ".join(programs.left_out) if programs.left_out else ""
    about = Described(title, prefix, token, (main,), text or "Mechanism with its loops closed inside.", derivatives)
    files = {"modelDescription.xml": model_description(about, variables, version)}
    files |= {f"sources/{name}": content for name, content in sources.items()}
    if version == 3:
        files["sources/buildDescription.xml"] = build_description(about)
    made = Binary(reason="not requested") if binary is False else compiled_unit(sources, main, prefix, version)
    if binary:
        require_binary(made)
    left_out = dict(programs.left_out)
    if made.reason:
        left_out["binary"] = made.reason
    else:
        files[made.name] = made.content
    return Fmu(prefix, version, files, variables, made.name, left_out)


def _source_bytes(name: str) -> bytes:
    return resources.files("linkwright.export.fmi").joinpath("sources", name).read_bytes()


def _content_token(model: Model, programs: UnitPrograms, variables: Sequence[FmuVariable], version: int) -> str:
    """A hash of everything that decides the unit, in the form of a GUID."""
    h = hashlib.blake2b(digest_size=16)
    h.update(repr((__version__, version, model.mechanism.name, variables, programs.independent)).encode())
    for name, program in programs.functions.items():
        h.update(name.encode() + program.digest)
    x = h.hexdigest()
    return f"{{{x[:8]}-{x[8:12]}-{x[12:16]}-{x[16:20]}-{x[20:]}}}"
