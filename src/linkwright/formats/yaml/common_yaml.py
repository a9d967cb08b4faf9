"""Nodes of a YAML document, limits on them, and a reader of YAML's common part, ten times as fast as of all of it.

Read are blocks of `key: value` and of `- value`, flow lists and maps, unquoted and simply quoted scalars in one line,
literal blocks, comments, anchors and aliases. Everything else, errors included, is left to the reader of all of YAML:
`common_nodes` returns None as soon as it meets something that is not certain, and where it returns nodes, they are the
same (`tests/formats/test_common_yaml.py`). Without it `load` takes 1.8 to 2.3 times as long (CPU time, least of many:
four-bar 4.0 and 8.8 ms, 3-RRR 6.3 and 13.4, Gough-Stewart 14.2 and 26.7, Delta 13.3 and 23.8, HexaM 10.3 and 24.4).
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

from linkwright.dataclass import dataclass

# --- nodes of a YAML document with their lines, limits on them, and the rules for unquoted scalars --------------------

LARGEST = 256 * 1024  # characters; about two thousand bodies
DEEPEST = 24
MOST_VALUES = 40_000  # as written, and again after aliases are unfolded

_INT = re.compile(r"[-+]?[0-9]+")
_FLOAT = re.compile(r"[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?")
_CONSTANTS: dict[str, bool | float | None] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf"), float("inf")),
    "-.inf": float("-inf"),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_LONGEST_INT = 18


class NotRead(Exception):
    """Something that is not read: the arguments of `refuse_one` after the file."""


@dataclass
class Node:
    """A value as it is written.

    Attributes:
        value: a scalar, or a list of nodes; of a map, keys and values in turn.
        line: its line, from 1.
        kind: 'scalar', 'list' or 'map'.
        closed: whether all of it has been read.
    """

    value: Any
    line: int
    kind: str
    closed: bool = True


def value_of_plain_scalar(text: str) -> bool | int | float | str | None:
    """The value of an unquoted scalar by the core rules of YAML 1.2: `yes` is text, `1e-3` is a number.

    >>> tuple(value_of_plain_scalar(text) for text in ("12", "1e-3", "yes", "true", ""))
    (12, 0.001, 'yes', True, None)
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.fullmatch(text):
        return int(text) if len(text) <= _LONGEST_INT else float(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


# --- nodes of the common part of YAML, ten times as fast as a reader of all of it -------------------------------------

_FOREIGN = re.compile(r"[^\x20-\x7e\n\xa1-\u1fff]|^(?:---|\.\.\.)", re.MULTILINE)
_KEY = re.compile(r'(?:([A-Za-z_][A-Za-z0-9_.{}\-]*)|"([^"\\]*)"):(?: +|$)')
_FLOW_SCALAR = re.compile(r"(?:[^ \n\-?:,\[\]{}#&*!|>'\"%@`]|-(?=[^ \n,\[\]{}:#]))[^,\[\]{}:#\n]*")
_QUOTED = re.compile(r"\"([^\"\\\n]*)\"|'([^'\n]*)'(?!')")
_ANCHOR = re.compile(r"&([A-Za-z0-9_\-]+)(?: +|$)")
_ALIAS = re.compile(r"\*([A-Za-z0-9_\-]+) *(?:(?<= )#.*)?")
_COMMENT = re.compile(r" *(?:(?<= )#.*)?")
_INDICATORS = frozenset("?:,[]{}#&*!|>'\"%@`")


class _Uncommon(Exception):
    """Something that is left to the reader of all of YAML."""


def common_nodes(text: str) -> Node | None:
    """The root of a document in the common part of YAML; None for every other text.

    >>> root = common_nodes("a: [1, 2 mm]")
    >>> root.kind, [node.line for node in root.value], root.value[1].value[1].value
    ('map', [1, 1], '2 mm')
    >>> common_nodes("a: [1, 2 mm") is None
    True
    """
    if _FOREIGN.search(text):
        return None
    try:
        return _Reader(text).root()
    except _Uncommon:
        return None


class _Reader:
    """Reads blocks line by line, and flow values in them character by character."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.lines = text.split("\n")
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line) + 1)
        self.at = 0  # the number of the current line, from 0
        self.anchors: dict[str, Node] = {}
        self.count = 0

    def root(self) -> Node:
        indent = self._next()
        if indent != 0 or self.lines[self.at].startswith("-"):
            raise _Uncommon
        found = self._block(0, 0)
        if self._next() is not None:
            raise _Uncommon
        return found

    def _next(self) -> int | None:
        """Go to the next line that is neither empty nor a comment; its indentation, or None at the end."""
        while self.at < len(self.lines):
            line = self.lines[self.at]
            inner = line.lstrip(" ")
            if inner and inner[0] != "#":
                return len(line) - len(inner)
            self.at += 1
        return None

    def _node(self, value: object, line: int, kind: str = "scalar") -> Node:
        self.count += 1
        if self.count > MOST_VALUES:
            raise _Uncommon
        return Node(value, line + 1, kind)

    def _block(self, indent: int, depth: int) -> Node:
        """The block that begins in the current line at the given indentation."""
        if depth > DEEPEST - 3:
            raise _Uncommon
        content = self.lines[self.at][indent:]
        return self._list(indent, depth) if content == "-" or content[:2] == "- " else self._map(indent, depth)

    def _map(self, indent: int, depth: int) -> Node:
        items: list[Node] = []
        found, here = self._node(items, self.at, "map"), indent
        while here == indent:
            match = _KEY.match(self.lines[self.at], indent)
            if match is None:
                raise _Uncommon
            name, quoted = match.groups()
            items.append(self._node(quoted if name is None else value_of_plain_scalar(name), self.at))
            items.append(self._value(match.end(), indent, depth + 1, in_map=True))
            here = self._after(indent)
        return found

    def _list(self, indent: int, depth: int) -> Node:
        items: list[Node] = []
        found, here = self._node(items, self.at, "list"), indent
        while here == indent:
            line = self.lines[self.at]
            inner = line[indent + 1 :].lstrip(" ")
            column = len(line) - len(inner)
            if line[indent] != "-" or (inner and column == indent + 1):
                if line[indent] == "-" or not items:
                    raise _Uncommon
                break  # a list that is indented like the key before it
            if _KEY.match(line, column) or inner[:2] == "- ":
                self.lines[self.at] = " " * column + inner
                items.append(self._block(column, depth + 1))
            else:
                items.append(self._value(column, indent, depth + 1, in_map=False))
            here = self._after(indent)
        return found

    def _after(self, indent: int) -> int:
        """Indentation of the next line; it may not be deeper than that of the block."""
        here = self._next()
        if here is not None and here > indent:
            raise _Uncommon
        return -1 if here is None else here

    def _value(self, column: int, indent: int, depth: int, in_map: bool) -> Node:
        """The value that begins at a column of the current line, which belongs to a block of some indentation."""
        line, number = self.lines[self.at], self.at
        rest = line[column:]
        if rest[:1] == "&":
            return self._read_anchor(column, indent, depth, in_map)
        if not rest or rest[0] == "#":
            return self._read_nested_block(indent, depth, in_map)
        if rest[0] in "[{":
            return self._flow_in_line(column, depth)
        if rest[0] == "*":
            return self._alias(rest)
        if rest in ("|", "|-"):
            return self._literal(rest, indent)
        self.at += 1
        if rest[0] in "\"'":
            match = _QUOTED.match(rest)
            if match is None or not _COMMENT.fullmatch(rest, match.end()):
                raise _Uncommon
            return self._node(match[1] if match[1] is not None else match[2], number)
        text = rest.partition(" #")[0].rstrip(" ")
        if rest[0] in _INDICATORS or text[-1] == ":" or ": " in text or (rest[0] == "-" and rest[1:2] in ("", " ")):
            raise _Uncommon
        return self._node(value_of_plain_scalar(text), number)

    def _read_nested_block(self, indent: int, depth: int, in_map: bool) -> Node:
        """A block below its key."""
        self.at += 1
        here = self._next()
        if here is not None and (here > indent or (in_map and here == indent and self._begins_item(here))):
            return self._block(here, depth)
        raise _Uncommon

    def _begins_item(self, indent: int) -> bool:
        content = self.lines[self.at][indent:]
        return content == "-" or content[:2] == "- "

    def _read_anchor(self, column: int, indent: int, depth: int, in_map: bool) -> Node:
        match, number = _ANCHOR.match(self.lines[self.at], column), self.at
        if match is None or match[1] in self.anchors:
            raise _Uncommon
        if self.lines[self.at][match.end() : match.end() + 1] in ("&", "*"):
            raise _Uncommon
        found = self._value(match.end(), indent, depth, in_map)
        if found.value is None or match[1] in self.anchors:
            raise _Uncommon
        found.line = number + 1
        self.anchors[match[1]] = found
        return found

    def _alias(self, rest: str) -> Node:
        match = _ALIAS.fullmatch(rest)
        if match is None or match[1] not in self.anchors:
            raise _Uncommon
        self.at += 1
        return replace(self.anchors[match[1]], line=self.at)

    def _literal(self, indicator: str, indent: int) -> Node:
        """A text of several lines, `|` or `|-`."""
        number = self.at
        self.at += 1
        first = self.lines[self.at] if self.at < len(self.lines) else ""
        inner = len(first) - len(first.lstrip(" "))
        if not first.strip(" ") or inner <= indent:
            raise _Uncommon
        kept = []
        while self.at < len(self.lines):
            line = self.lines[self.at]
            if line.strip(" ") and len(line) - len(line.lstrip(" ")) < inner:
                break
            kept.append(line[inner:])
            self.at += 1
        if indicator == "|" and self.at == len(self.lines) and kept[-1]:  # the text ends without a new line
            raise _Uncommon
        text = "\n".join(kept).rstrip("\n")
        return self._node(text if indicator == "|-" else text + "\n", number)

    def _flow_in_line(self, column: int, depth: int) -> Node:
        """A flow list or map that begins in the current line; nothing but a comment follows it in its last line."""
        found, end = self._flow(self.starts[self.at] + column, depth)
        stop = self.starts[self.at + 1] - 1
        if not _COMMENT.fullmatch(self.text, end, stop):
            raise _Uncommon
        self.at += 1
        return found

    def _flow(self, at: int, depth: int) -> tuple[Node, int]:
        """The value at a character of the current line, and the character behind it."""
        text = self.text
        if text[at : at + 1] in ("[", "{"):
            if depth > DEEPEST - 3:
                raise _Uncommon
            return self._flow_items(at, depth)
        match = _QUOTED.match(text, at)
        if match is not None:
            return self._node(match[1] if match[1] is not None else match[2], self.at), match.end()
        match = _FLOW_SCALAR.match(text, at)
        if match is None or (text[match.end() : match.end() + 1] == "#" and match[0][-1] != " "):
            raise _Uncommon
        return self._node(value_of_plain_scalar(match[0].rstrip(" ")), self.at), match.end()

    def _flow_items(self, at: int, depth: int) -> tuple[Node, int]:
        text, is_map = self.text, self.text[at] == "{"
        items: list[Node] = []
        end, found = "}" if is_map else "]", self._node(items, self.at, "map" if is_map else "list")
        at = self._skip(at + 1)
        while text[at : at + 1] != end or items:
            if is_map:
                key, at = self._flow(at, DEEPEST)
                if text[at : at + 2] not in (": ", ":\n"):
                    raise _Uncommon
                items.append(key)
                at = self._skip(at + 1)
            value, at = self._flow(at, depth + 1)
            items.append(value)
            at = self._skip(at)
            if text[at : at + 1] == end:
                break
            if text[at : at + 1] != ",":
                raise _Uncommon
            at = self._skip(at + 1)
        return found, at + 1

    def _skip(self, at: int) -> int:
        """The next character that is neither blank nor part of a comment; counts lines."""
        text, size = self.text, len(self.text)
        while at < size:
            if text[at] == "\n":
                self.at += 1
            elif text[at] == "#" and text[at - 1] in " \n":
                at = text.find("\n", at)
                if at < 0:
                    raise _Uncommon
                continue
            elif text[at] != " ":
                return at
            at += 1
        raise _Uncommon
