"""YAML text to plain data that remembers its lines; refuses what could run code or exhaust memory."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from linkwright.findings import Finding, Path, dotted
from linkwright.formats.findings import refuse, refuse_one

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
_SURROGATE = re.compile("[\ud800-\udfff]")
_LONGEST_INT = 18
_BRACKETS = {"while parsing a flow mapping": "{", "while parsing a flow sequence": "["}


@dataclass(frozen=True)
class SourceDocument:
    """A document: plain dicts, lists, texts and numbers, and the line of every path in it."""

    file: str
    data: Any
    lines: dict[Path, int]

    def line(self, path: Path) -> int:
        """The line of a path, or of the nearest thing above it that was written."""
        while path and path not in self.lines:
            path = path[:-1]
        return self.lines.get(path, 1)

    def problem(self, code: str, message: str, path: Path, fix: str = "", value: Any = None) -> Finding:
        """Something wrong at a path, with its line."""
        subject = str(path[:2][-1]) if path else ""
        return Finding(code, message, fix, subject=subject, value=value, path=path, line=self.line(path))


@dataclass
class _Node:
    value: Any  # a scalar, a list of nodes, or a list of (key, line, node)
    line: int
    kind: str  # 'scalar', 'list' or 'map'
    closed: bool = True


class _Refused(Exception):
    """A refusal: the arguments of `refuse_one` after the file."""


def read(text: str, file: str) -> SourceDocument:
    """Read one YAML document; a `FormatError` says what is wrong and where.

    >>> read("a: [1, 2 mm]", "x.yaml").data
    {'a': [1, '2 mm']}
    """
    if len(text) > LARGEST:
        message = f"the file has {len(text)} characters and at most {LARGEST} are read"
        refuse_one(file, "too-large", message, "split the mechanism")
    try:
        root = _compose(YAML(typ="safe", pure=True).parse(text))
        source = _Writer(file)
        data = source.plain(root, ())
    except _Refused as stop:
        refuse_one(file, *stop.args)
    except YAMLError as error:
        refuse(file, [_syntax_problem(error)])
    except (ValueError, OverflowError) as error:  # of the YAML reader: characters beyond Unicode
        refuse_one(file, "not-text", f"the file has characters that are not text ({error})", "write plain UTF-8 text")
    if source.problems:
        refuse(file, source.problems)
    return SourceDocument(file, data, source.lines)


def _compose(events: Iterator[Any]) -> _Node:
    """Events to nodes with one stack, so that depth is counted and never recursed into."""
    anchors: dict[str, _Node] = {}
    stack: list[_Node] = [_Node([], 1, "list")]
    documents = values = 0
    for event in events:
        name, line = type(event).__name__, event.start_mark.line + 1
        if name == "DocumentStartEvent":
            documents += 1
            if documents > 1:
                raise _Refused("not-read", "a second document starts here ('---')", "keep one mechanism per file", line)
        elif name in ("SequenceEndEvent", "MappingEndEvent"):
            stack.pop().closed = True
        elif name == "AliasEvent":
            stack[-1].value.append(_anchored(anchors, event.anchor, line))
        elif name in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent"):
            node = _node(event, name, line)
            stack[-1].value.append(node)
            values += 1
            if values > MOST_VALUES:
                raise _Refused(
                    "too-large", f"the file holds more than {MOST_VALUES} values", "split the mechanism", line
                )
            if event.anchor:
                anchors[event.anchor] = node
            if node.kind != "scalar":
                stack.append(node)
            if len(stack) > DEEPEST:
                raise _Refused(
                    "too-large", f"values are nested more than {DEEPEST - 1} deep", "no mechanism needs that", line
                )
    return stack[0].value[0] if stack[0].value else _Node(None, 1, "scalar")


def _anchored(anchors: dict[str, _Node], anchor: str, line: int) -> _Node:
    if anchor not in anchors:
        raise _Refused(
            "bad-alias", f"'*{anchor}' refers to nothing", f"write '&{anchor}' before it, or quote the text", line
        )
    node = anchors[anchor]
    if not node.closed:
        raise _Refused("bad-alias", f"'*{anchor}' refers to itself", "write the value out", line)
    return _Node(node.value, line, node.kind)


def _node(event: Any, name: str, line: int) -> _Node:
    if event.tag not in (None, "!"):
        tag = re.sub(r"^tag:yaml\.org,2002:", "!!", str(event.tag))
        raise _Refused("not-read", f"the tag '{tag}' is not read", "leave it out and write plain values", line)
    if name == "ScalarEvent":
        quoted = event.style not in (None, "")
        if _SURROGATE.search(event.value):
            raise _Refused("not-text", "half of a character is written here", "write it whole, as \\U0001F600", line)
        return _Node(event.value if quoted else plain(event.value), line, "scalar")
    return _Node([], line, "list" if name == "SequenceStartEvent" else "map", closed=False)


@dataclass
class _Writer:
    """Writes nodes out as plain data, aliases included, keeping lines and counting values."""

    file: str
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Finding] = field(default_factory=list)
    count: int = 0

    def plain(self, node: _Node, path: Path) -> Any:
        self.count += 1
        if self.count > MOST_VALUES:
            raise _Refused(
                "too-large", f"aliases (*) unfold to more than {MOST_VALUES} values", "write fewer of them", node.line
            )
        if len(path) > DEEPEST:
            raise _Refused("too-large", f"aliases (*) nest more than {DEEPEST} deep", "write the values out", node.line)
        self.lines.setdefault(path, node.line)
        if node.kind == "scalar":
            return node.value
        if node.kind == "list":
            return [self.plain(item, (*path, i)) for i, item in enumerate(node.value)]
        return self._mapping(node, path)

    def _mapping(self, node: _Node, path: Path) -> dict[str, Any]:
        data: dict[str, Any] = {}
        for key, value in zip(node.value[::2], node.value[1::2]):
            name = key.value
            if key.kind != "scalar" or not isinstance(name, str):
                seen = f"'{name}'" if key.kind == "scalar" else f"a {key.kind}"
                comma = key.kind == "scalar" and value.value is None and value.kind == "scalar"
                way_out = "names are texts, put it in quotes" + comma * "; decimals are written with a point, 0.12"
                self.problems.append(Finding("no-name", f"{seen} is not a name", way_out, path=path, line=key.line))
            elif name in data:
                first = self.lines[(*path, name)]
                where = f"in '{dotted(path)}'" if path else "at the top"
                text, fix = f"'{name}' is given twice {where}, first in line {first}", "keep one, or rename it"
                self.problems.append(Finding("name-taken", text, fix, subject=name, path=path, line=key.line))
            else:
                self.lines[(*path, name)] = key.line
                data[name] = self.plain(value, (*path, name))
        return data


def plain(text: str) -> bool | int | float | str | None:
    """The value of an unquoted scalar by the core rules of YAML 1.2: `yes` is text, `1e-3` is a number.

    >>> plain("12"), plain("1e-3"), plain("yes"), plain("true"), plain("")
    (12, 0.001, 'yes', True, None)
    """
    if text in _CONSTANTS:
        return _CONSTANTS[text]
    if _INT.fullmatch(text):
        return int(text) if len(text) <= _LONGEST_INT else float(text)
    if _FLOAT.fullmatch(text):
        return float(text)
    return text


def _syntax_problem(error: YAMLError) -> Finding:
    """The syntax error that the YAML reader found, with its line."""
    if not isinstance(error, MarkedYAMLError):
        return Finding("not-text", "the file has characters that are not text", "save it as plain UTF-8 text")
    message, fix, line = _described(error, str(error.context or ""), str(error.problem or ""))
    return Finding("bad-syntax", f"this is not valid YAML: {message}", fix, line=line)


def _described(error: MarkedYAMLError, context: str, problem: str) -> tuple[str, str, int]:
    here = _line(error.problem_mark or error.context_mark)
    began = _line(error.context_mark) or here
    if "'\\t'" in problem:
        return "the line begins with a tab", "indent with spaces", here
    if "cannot start any token" in problem:
        return problem.removeprefix("found "), "put the text in quotes", here
    if context in _BRACKETS and "but got '{'" in problem:
        return 'a name with {i} in it goes in quotes here, for example "leg{i}"', "", here
    if context in _BRACKETS:
        return f"the '{_BRACKETS[context]}' of line {began} is not closed, or a ',' is missing after it", "", began
    if "quoted scalar" in context:
        return f"the quote that begins in line {began} does not end", "", began
    if "could not find expected ':'" in problem:
        return "the line is not 'key: value'", "write a colon and a space after the key", began
    if "block" in context:
        return f"the line does not line up with line {began}, where its block begins", "indent both alike", here
    if "mapping values are not allowed" in problem:
        return "there is a second ':' here", "start a new line, indent it alike, or put the text in quotes", here
    message = " ".join(part for part in (context, problem) if part)
    return message, "check brackets, quotes, colons and indentation", here


def _line(mark: Any) -> int:
    return mark.line + 1 if mark else 0
