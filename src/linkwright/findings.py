"""Findings: errors, warnings and remarks about a mechanism, a file or a call, as records.

Programs read the fields, people read `str(finding)`; nothing parses a message. The codes are listed in
docs/reference/findings.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any, Literal

from linkwright.dataclass import dataclass

Severity = Literal["error", "warning", "remark"]
Path = tuple[str | int, ...]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "remark")


@dataclass(frozen=True)
class Finding:
    """One thing found, and what to do about it.

    Attributes:
        code: a short kebab-case name of the kind of finding, for example "negative-mass".
        message: what was found: the thing and the value.
        fix: the way out, a clause without its first capital and its last point; "" when the message holds it.
        severity: "error" when it stops or changes the mechanism, "warning" when something is probably wrong, "remark"
            when it is only worth knowing.
        subject: the name of the thing.
        value: the value found, plain enough for JSON.
        path: its location in the mechanism or in the file, for example ("joints", "elbow", "axis").
        file: the file it is in, if any.
        line: its line there, from 1; 0 for the file as a whole.
    """

    code: str
    message: str
    fix: str = ""
    severity: Severity = "error"
    subject: str = ""
    value: Any = field(default=None, hash=False)
    path: Path = ()
    file: str = ""
    line: int = 0

    @property
    def matters(self) -> bool:
        """True if results may differ because of it."""
        return self.severity != "remark"

    def __str__(self) -> str:
        """The message with its fix, after the location in the file if there is one.

        >>> path = ("bodies", "rod", "mass")
        >>> str(Finding("negative-mass", "it is -1 kg", "write a positive one", path=path, file="a.yaml", line=7))
        'a.yaml:7: bodies.rod.mass: it is -1 kg; write a positive one'
        """
        text = f"{self.message}; {self.fix}" if self.fix else self.message
        if not self.file:
            return printable_text(text)
        where = f"{self.file}:{self.line}" if self.line else self.file
        return printable_text(": ".join([where, *filter(None, [dotted_path(self.path)]), text]))


_MOST, _FEW, _NAMED = 12, 2, 4  # lines, findings of one kind that are lines of their own, names in a line


def merge_similar_findings(found: Sequence[Finding]) -> tuple[Finding, ...]:
    """The findings with one for many of a kind, which counts them, and at most 12 in all: what is printed.

    >>> many = [Finding("far-away", f"joint '{name}' is far away", subject=name) for name in "abcdefg"]
    >>> print(*merge_similar_findings(many))
    joint 'a' is far away (and 6 more like this: 'b', 'c', 'd', 'e', ...)
    """
    kinds: dict[tuple[str, str], list[Finding]] = {}
    for each in found:
        kinds.setdefault((each.severity, each.code), []).append(each)
    few = _FEW if sum(min(len(group), _FEW) for group in kinds.values()) <= _MOST else 1
    lines = [each for group in kinds.values() for each in (group if len(group) <= few else [_merge_kind(group)])]
    lines.sort(key=lambda each: SEVERITIES.index(each.severity))
    if len(lines) <= _MOST:
        return tuple(lines)
    text = f"and {len(lines) - _MOST + 1} more kinds of findings"
    more = Finding("more-findings", text, "linkwright info lists all", lines[_MOST - 1].severity)
    return (*lines[: _MOST - 1], more)


def _merge_kind(group: list[Finding]) -> Finding:
    first, rest = group[0], list(dict.fromkeys(each.subject for each in group[1:] if each.subject))
    names = ", ".join(f"'{name}'" for name in rest[:_NAMED]) + (", ..." if len(rest) > _NAMED else "")
    text = f"{first.message} (and {len(group) - 1} more like this{': ' if names else ''}{names})"
    return replace(first, message=text)


def printable_text(text: str) -> str:
    """A text with control characters written out, so that a name in a file cannot steer a terminal.

    >>> printable_text("rod\x1b[31m")
    'rod\\\\x1b[31m'
    """
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in "\n\t" else c.encode("unicode_escape").decode() for c in text)


def dotted_path(path: Path) -> str:
    """A path as text.

    >>> dotted_path(("joints", "theta1", "axis", 2))
    'joints.theta1.axis[2]'
    """
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in path]
    return "".join(parts).removeprefix(".")
