"""Two hundred names that try to be more than names, and mechanisms full of them.

`python -m tests.export.hostile_names` compiles and runs the kits and units of all of them; the suite does so with a
sample, and takes all names through the exporters that need no compiler.
"""

from __future__ import annotations

import dataclasses
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.mechanism.expressions import Formulas

MARK = "LINKWRIGHT_INJECTED"
_RUN = f'__attribute__((constructor)) static void ran(void) {{ __builtin_puts("{MARK}"); }}'
_PYTHON = f'print("{MARK}")'

PAYLOADS = [
    # C: ends of comments, trigraphs and digraphs, continued lines, directives, formats, macros of the kits themselves
    f"*/ {_RUN} /*",
    f"*/{_RUN}//",
    f"**/ {_RUN} /**",
    f"*//**/ {_RUN} /*",
    f"*??/*/ {_RUN} /*",
    f"??*??/ {_RUN}",
    "what???/",
    "??/",
    "*??/",
    "*\\",
    "\\",
    "\\\\",
    "/*",
    "*/",
    "//",
    "/",
    "*",
    f'"; {_RUN} "',
    f"}}; {_RUN} enum {{ x",
    f"); {_RUN} (",
    f"#include </etc/passwd> {_RUN}",
    "#error stop",
    "%:define double int",
    "<:%>:>",
    '_Pragma("GCC error \\"stopped\\"")',
    "%s%n%n%n%s",
    "%d %*d",
    "{}{0}{x!r}",
    "__FILE__",
    "__attribute__",
    "double",
    "int",
    "while",
    "class",
    "this",
    "new",
    "NULL",
    "NAN",
    "M_PI",
    "HUGE_VAL",
    "linux",
    "unix",
    "I",
    "p",
    "q",
    "out",
    "state",
    "lwn_",
    "lwn_real",
    "LWN_NQ",
    "k_real",
    "K_NQ",
    "K_Q_",
    "k_home",
    "main",
    "sin",
    "_",
    "__",
    "_Bool",
    # places in templates
    "@functions@",
    "@joints@",
    "@actuators@",
    "@mechanism@",
    "@enums@",
    "@name@",
    "@home@@home@",
    f"'+{_PYTHON}+'",
    f"', {_PYTHON}, '",
    f'", {_PYTHON}, "',
    "FRAME",
    "NAME",
    # Python
    f'"""\n{_PYTHON}\n"""'.replace("\n", ";"),
    f"'''; {_PYTHON}; '''",
    '"""',
    "'''",
    'x"',
    "x'",
    "x\\",
    '\\"""',
    f"\\N{{SPACE}}{_PYTHON}",
    "\\u0022",
    "\\x22",
    "\\'",
    f"#{_PYTHON}",
    f"${{{_PYTHON}}}",
    "lambda",
    "None",
    "__import__",
    "__import__('os').system('id')",
    # HTML, scripts, SVG
    f"</script><script>alert('{MARK}')</script>",
    f"<script>{MARK}</script>",
    f"<img src=x onerror={MARK}>",
    f"<svg/onload={MARK}>",
    "<!--",
    "-->",
    "<!-- <script>",
    "]]>",
    "<![CDATA[",
    "</style>",
    "</title>",
    "</pre></details>",
    '" onmouseover="x',
    "' onmouseover='x",
    "javascript:alert(1)",
    "&lt;b&gt;",
    "&amp;",
    "&#60;",
    "&",
    "<",
    ">",
    "<a>",
    "<math><mtext>",
    "{{constructor.constructor('x')()}}",
    "`${x}`",
    # XML
    '<!DOCTYPE x [<!ENTITY e SYSTEM "file:///etc/passwd">]>',
    "&e;",
    "<?xml version='1.0'?>",
    '"/><joint name="x',
    "'/><joint name='x",
    "</robot>",
    "a::b",
    "::",
    "__root__",
    "package://x",
    "model://x",
    # YAML and JSON
    "- a",
    "a: b",
    "a #b",
    "&anchor",
    "*alias",
    "!!python/object/apply:os.system",
    "!x",
    "{a: 1}",
    "[1]",
    "|",
    ">-",
    "? x",
    "%YAML 1.1",
    "---",
    "...",
    "yes",
    "no",
    "null",
    "~",
    "1",
    "0x10",
    "1e3",
    ".inf",
    "2001-01-01",
    "=",
    "<<",
    "''",
    '""',
    "__proto__",
    "constructor",
    "toString",
    # shells, CMake, paths
    "$(touch x)",
    "`touch x`",
    "; touch x",
    "| cat",
    "&& x",
    "$HOME",
    "${HOME}",
    "${CMAKE_CURRENT_SOURCE_DIR}",
    "$ENV{HOME}",
    "$<TARGET_FILE:x>",
    "%PATH%",
    "../../x",
    "/etc/passwd",
    "~/x",
    "C:\\x",
    "con",
    "nul",
    "-o x",
    "--help",
    "*.c",
    # spreadsheets, formulas
    "=1+1",
    '=HYPERLINK("http://x")',
    "+1",
    "-1",
    "@SUM(1)",
    "$x$",
    "$\\frac{1}{2}$",
    "\\input{x}",
    "x^2_3",
    # alphabets, looks, lengths
    "αβγ",
    "关节",
    "сос",  # Cyrillic
    "מפרק",
    "مفصل",
    "é",
    "e\u0301",
    "ﬁ",
    "ⅷ",
    "𝓍",
    "🦾",
    "＊／",
    "／＊",
    "ª",
    "x" * 300,
    "*/" * 200,
    "é" * 150,
    "a b",
    "a.b",
    "a[0]",
    "a,b",
    "[bold red]x[/]",
    "[/]",
    "[link=http://x]x[/link]",
]

REFUSED = ["a\nb", "a\rb", "a\tb", "\x1b[31mred", "a\x00b", "a\x7fb", "a\x85b", "a\u2028b", "a\u202eb", "a\u2066b"]
REFUSED += ["a\u200fb", "a\ufeffb", "a\ud800b", "a\u200bb", "a\U000e0041b", "\x07", "a\x9b31mb"]
"""Names with line ends, control characters, marks of direction, and others without a look."""


def hostile_names(n: int = 200) -> list[str]:
    """So many names, all different."""
    names = list(dict.fromkeys(PAYLOADS))
    assert len(names) >= n and all(name.isprintable() for name in names)
    return names


def rename_parts(mech: lw.Mechanism, names: Mapping[str, str]) -> lw.Mechanism:
    """A mechanism with other names of its parts."""

    def changed(x: Any) -> Any:
        if isinstance(x, str):
            return names.get(x, x)
        if isinstance(x, tuple):
            return tuple(map(changed, x))
        if dataclasses.is_dataclass(x):
            return dataclasses.replace(x, **{f.name: changed(getattr(x, f.name)) for f in dataclasses.fields(x)})
        return x

    found = {f.name: changed(getattr(mech, f.name)) for f in dataclasses.fields(mech)}
    return lw.Mechanism(**{**found, "formulas": Formulas()})


def _own_names(mech: lw.Mechanism) -> list[str]:
    parts = (*mech.bodies, *mech.joints, *mech.loops, *mech.actuators, *mech.frames)
    return list(dict.fromkeys([mech.name, mech.base, *(part.name for part in parts)]))


def plain_arm(n: int = 8) -> lw.Mechanism:
    """A planar arm of so many links with actuators and a tool, under harmless names."""
    bodies = tuple(lw.Body(f"link{i}", lw.Inertia.diagonal(1.0, (0.1, 0.0, 0.0), (0.01, 0.01, 0.01))) for i in range(n))
    before = ["ground", *(body.name for body in bodies)]
    joints = tuple(
        lw.Joint(
            f"joint{i}", before[i], body.name, lw.joints.Revolute(), RigidTransform.from_rpy((0.2, 0, 0), (0, 0, 0))
        )
        for i, body in enumerate(bodies)
    )
    actuators = tuple(lw.Actuator(f"motor{i}", joint.name) for i, joint in enumerate(joints))
    tool = lw.Frame("tool", bodies[-1].name, RigidTransform.from_rpy((0.2, 0, 0), (0, 0, 0)))
    return lw.Mechanism("arm", bodies, joints, actuators=actuators, frames=(tool,), platform="tool")


def hostile_mechanisms(mech: lw.Mechanism) -> list[lw.Mechanism]:
    """A mechanism under hostile names, as often as it takes to use every name."""
    own, names = _own_names(mech), hostile_names()
    size, out = len(own), []
    for start in range(0, len(names), size):
        some = (names[start:] + names)[:size]
        out.append(rename_parts(mech, dict(zip(own, some, strict=True))))
    return out


def build_kit(mech: lw.Mechanism) -> Any:
    """The kit of a mechanism, the masses of every third body as inputs."""
    inputs = [f"bodies.{body.name}.mass" for body in mech.bodies[::3]]
    return lw.export.c_kit(lw.build(mech, inputs=inputs), "k")


def run_kit(kit: Any, folder: Path, compiler: str = "gcc") -> str:
    """Compile a kit as strictly as a user may, also its header as C++, run its self-test, return what it prints."""
    kit.write(folder)
    strict = ["-std=c99", "-trigraphs", "-Wall", "-Wextra", "-Wno-trigraphs", "-Wcomment", "-Werror", "-pedantic"]
    sources = [f"{kit.name}.c", f"{kit.name}_selftest.c"]
    done = subprocess.run([compiler, *strict, *sources, "-lm", "-o", "selftest"], cwd=folder, capture_output=True)
    assert done.returncode == 0, done.stderr.decode()[:2000]
    ran = subprocess.run([folder / "selftest"], cwd=folder, capture_output=True, timeout=60)
    assert ran.returncode == 0, ran.stdout.decode()
    return ran.stdout.decode()


def main() -> int:
    """Kits of all names, and units with their binaries; print what went wrong."""
    bad = 0
    mechanisms = hostile_mechanisms(plain_arm()) + hostile_mechanisms(lw.catalog.load("3-rrr"))
    for i, mech in enumerate(mechanisms):
        with tempfile.TemporaryDirectory() as folder:
            try:
                assert MARK not in run_kit(build_kit(mech), Path(folder))
                assert lw.export.fmu(lw.build(mech), binary=True).binary
            except (AssertionError, lw.errors.LinkwrightError) as error:
                bad += 1
                print(f"mechanism {i}: {error}")
    print(f"{len(hostile_names())} names, {bad} mechanisms that failed")
    return bad


if __name__ == "__main__":
    sys.exit(main())
