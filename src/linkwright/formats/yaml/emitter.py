"""Plain data to YAML text: blocks outside, flow inside, floats that read back to the same bits."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

_PLAIN = re.compile(r"-?[A-Za-z_][A-Za-z0-9_.\-]*")
_MEANS_SOMETHING_ELSE = re.compile(r"(?i:true|false|null|yes|no|on|off|y|n)")
_WIDTH = 100


def block_lines(data: dict[str, Any], indent: int = 0) -> Iterator[str]:
    """Lines of a mapping; what fits in one line is written in one.

    >>> print("\\n".join(block_lines({"a": {"b": [1.0, 2.0]}, "c": "yes"})))
    a:
      b: [1.0, 2.0]
    c: "yes"
    """
    pad = " " * indent
    for key, value in data.items():
        head = f"{pad}{quote_text(key)}:"
        if isinstance(value, str) and "\n" in value and _fit_for_literal(value):
            yield f"{head} |-"
            yield from (f"{pad}  {line}" if line else "" for line in value.split("\n"))
        elif not isinstance(value, dict) or not value or (indent and len(flow_text(value)) + len(head) < _WIDTH):
            yield f"{head} {flow_text(value)}"
        else:
            yield head
            yield from block_lines(value, indent + 2)


def flow_text(value: Any) -> str:
    """A value in one line.

    >>> flow_text({"mass": 0.1, "com": [0.0, 1e-7, 2.0]})
    '{mass: 0.1, com: [0.0, 1.0e-07, 2.0]}'
    """
    if isinstance(value, dict):
        return "{" + ", ".join(f"{quote_text(k)}: {flow_text(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(flow_text, value)) + "]"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quote_text(value)
    return _yaml_number(value)


def _yaml_number(value: float | int) -> str:
    text = repr(value)
    if text in ("inf", "-inf"):
        return text.replace("inf", ".inf")
    return re.sub(r"^(-?\d+)e", r"\1.0e", text)


def quote_text(text: str) -> str:
    """A text, quoted when YAML would read it as something else."""
    if _PLAIN.fullmatch(text) and not _MEANS_SOMETHING_ELSE.fullmatch(text):
        return text
    return '"' + "".join(map(_escape_character, text)) + '"'


def _escape_character(character: str) -> str:
    if character in '"\\':
        return "\\" + character
    if character.isprintable():
        return character
    code = ord(character)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _fit_for_literal(text: str) -> bool:
    """Return True if a text of several lines survives a `|-` block."""
    lines = text.split("\n")
    printable = all(line.isprintable() and line.strip() == line for line in lines)
    return printable and bool(lines[0]) and bool(lines[-1])
