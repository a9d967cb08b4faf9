"""Everything wrong with a file, told at once: each problem with its line, its place, the value, the way out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NoReturn

from linkwright.errors import FormatError

Path = tuple[str | int, ...]
_SHOWN = 40


@dataclass(frozen=True)
class Problem:
    """One thing wrong with a file; `path` leads to it from the top, `line` counts from 1 (0: the file as a whole)."""

    text: str
    path: Path = ()
    line: int = 0


def dotted(path: Path) -> str:
    """A path as people write it.

    >>> dotted(("joints", "theta1", "axis", 2))
    'joints.theta1.axis[2]'
    """
    words = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(words).removeprefix(".")


def sentence(file: str, problem: Problem) -> str:
    """One problem as one line.

    >>> sentence("arm.yaml", Problem("a mass is wanted", ("bodies", "link1", "mass"), 7))
    'arm.yaml:7: bodies.link1.mass: a mass is wanted'
    """
    where = f"{file}:{problem.line}" if problem.line else file
    place = dotted(problem.path)
    return f"{where}: {place}: {problem.text}" if place else f"{where}: {problem.text}"


def refuse(file: str, problems: Iterable[Problem]) -> NoReturn:
    """Raise one `FormatError` that lists all problems in the order of the file."""
    found = tuple(sorted(dict.fromkeys(problems), key=lambda problem: problem.line))
    lines = [sentence(file, problem) for problem in found[:_SHOWN]]
    if len(found) > _SHOWN:
        lines.append(f"{file}: and {len(found) - _SHOWN} more")
    if len(lines) > 1:
        lines = [f"{file}: {len(found)} problems", *("  " + line for line in lines)]
    raise FormatError("\n".join(lines), file=file, problems=found)
