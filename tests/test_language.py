"""The vocabulary of the field: retired words stay retired, in names, messages, docstrings, pages and the viewer.

The words and what replaces them are listed in CONTRIBUTING.md. A word that is meant literally (the slope of a ramp)
stands in `ALLOWED` with the file that uses it.
"""

from __future__ import annotations

import io
import re
import subprocess
import tokenize
from functools import cache, lru_cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent

# Parts of names, between underscores or capitals.
NAMES = {
    "road",
    "roads",
    "door",
    "doors",
    "doorway",
    "doorways",
    "room",
    "rooms",
    "mend",
    "mends",
    "mended",
    "mending",
    "recipe",
    "recipes",
    "doctor",
    "lean",
    "recut",
    "meeting",
    "meetings",
    "guarded",
    "told",
    "tells",
    "sentence",
    "sentences",
    "slope",
    "slopes",
    "question",
    "questions",
    "asked",
    "machine",
    "machines",
    "motor",
    "motors",
    "places",
    "colour",
    "colours",
    "centre",
    "centres",
    "licence",
    "linearise",
    "stabilised",
    "normalise",
    "optimise",
    "minimise",
    "neighbour",
    "behaviour",
}

# Phrases in strings, docstrings, comments and pages.
PHRASES = [
    r"\broads?\b",
    r"\b(front |second )?doors?\b|\bdoorways?\b",
    r"\brooms?\b",
    r"\b(is|are) told\b|\btold in\b|\btells\b",
    r"\bis no (?!longer|more|less|faster|slower|worse|better|need|way|other|smaller|larger|reason|such|matter)\w+",
    r"\bnot to be trusted\b",
    r"\bmend(s|ed|ing)?\b",
    r"\brecipes?\b",
    r"\bthe doctor\b|\bmobility doctor\b",
    r"\bleg roots\b",
    r"\bindependent speeds?\b|\bgeneralized speeds?\b",
    r"\bball joints?\b|\bfree joints?\b",
    r"\brecut\b",
    r"\blean tree\b",
    r"\b\w*(colour|centre|licence|metre|neighbour|behaviour)\w*\b",
    r"\b\w+(linear|stabil|normal|optim|minim|special|organ|recogn)is(e|ed|es|ing|ation)\b|\blinearis\w+|\bstabilis\w+|\bnormalis\w+|\boptimis(e|ed|ing)\b",
]

ALLOWED: dict[str, tuple[str, ...]] = {
    # file: words that are meant literally there; "" allows all
    "tests/test_language.py": ("",),
    "CONTRIBUTING.md": ("",),  # lists them
    # motors of a data sheet, as apart from the actuators of a mechanism
    "src/linkwright/analysis/__init__.py": ("motor", "motors", "load_motors", "motorchoice"),
    "src/linkwright/analysis/sizing/motors.py": ("motor", "motors", "load_motors", "_motor"),
    "src/linkwright/analysis/sizing/size.py": ("motor", "motors", "load_motors", "motorchoice"),
    "src/linkwright/cli/time_optimal.py": ("motor", "motors"),
    # motors of a transmission, as apart from the joints that they move
    "src/linkwright/export/transmissions/array_module.py": ("motors", "motor_table"),
    "src/linkwright/export/transmissions/c_files.py": ("motors", "motor_table"),
    "src/linkwright/export/transmissions/pack.py": ("motors", "motor_table", "motor_limits"),
    "src/linkwright/export/transmissions/pack_programs.py": ("motor_table", "_fit_motors"),
    "src/linkwright/export/transmissions/ranges.py": ("motors", "motor_limits"),
    "src/linkwright/export/transmissions/transmission_page.py": ("motors", "motor_limits"),
    "tests/export/test_transmission.py": ("",),
    "tests/formats/test_table_units.py": ("load_motors",),
    "tests/hostile/analyses.py": ("motor", "motors", "load_motors"),
    "tests/study_laws.py": ("motor", "motors"),
    "tests/analysis/test_sizing.py": ("",),
    "src/linkwright/cli/call_timing.py": ("machine",),  # platform.machine of Python
    "src/linkwright/export/fmi/unit.py": ("machine",),  # platform.machine of Python
    "tests/compiler/test_wide_registers.py": ("machine",),  # platform.machine of Python
    "src/linkwright/compiler/codegen/target.py": ("create_target_machine",),  # of LLVM
    "src/linkwright/compiler/native/wasm_drivers.py": ("create_target_machine",),
}

SUFFIXES = {".py", ".md", ".ts", ".css", ".yaml", ".yml"}
SKIPPED = ("viewer/bundle/", "tests/data/", "package-lock.json")


@lru_cache
def files() -> tuple[Path, ...]:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split(
        "\n"
    )
    chosen = (ROOT / name for name in listed if Path(name).suffix in SUFFIXES and not any(s in name for s in SKIPPED))
    return tuple(path for path in chosen if path.exists())


def parts(name: str) -> set[str]:
    """The words of a name: `LoopEngine` has loop and engine, `door_writer` door and writer."""
    return {word.lower() for word in re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)}


@cache
def is_retired(name: str) -> bool:
    return bool(parts(name) & NAMES)


def found_names(text: str) -> set[tuple[int, str]]:
    if not any(map(is_retired, set(re.findall(r"\w+", text)))):
        return set()  # not even in a comment: finding the names of a file takes longer
    tokens = tokenize.generate_tokens(io.StringIO(text).readline)
    return {(t.start[0], t.string) for t in tokens if t.type == tokenize.NAME and is_retired(t.string)}


def found_phrases(text: str) -> set[tuple[int, str]]:
    out = set()
    for phrase in PHRASES:
        for match in re.finditer(phrase, text, re.IGNORECASE):
            out.add((text.count("\n", 0, match.start()) + 1, match.group(0)))
    return out


def complaints(path: Path) -> list[str]:
    text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
    found = found_phrases(text) | (found_names(text) if path.suffix == ".py" else set())
    allowed = ALLOWED.get(name, ())
    return [f"{name}:{line}: {word}" for line, word in sorted(found) if not ("" in allowed or word.lower() in allowed)]


@pytest.mark.parametrize("package", sorted({path.relative_to(ROOT).parts[0] for path in files()}))
def test_no_retired_word_returns(package):
    found = [c for path in files() if path.relative_to(ROOT).parts[0] == package for c in complaints(path)]
    assert not found, f"{len(found)} retired words (CONTRIBUTING.md lists what replaces them):\n" + "\n".join(
        found[:60]
    )


def test_the_test_sees_them():
    assert {word for _, word in found_names("def mend_doors(recipe): pass\nLeanTree = 1")} == {
        "mend_doors",
        "recipe",
        "LeanTree",
    }
    assert {word for _, word in found_phrases("'x' is no frame; told in words")} == {"is no frame", "told in"}
