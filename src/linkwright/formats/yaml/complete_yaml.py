"""Nodes of any YAML document; refuses what could run code or exhaust memory, and describes errors of syntax."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import MarkedYAMLError, YAMLError

from linkwright.formats.yaml.common_yaml import DEEPEST, MOST_VALUES, Node, NotRead, value_of_plain_scalar

_SURROGATE = re.compile("[\ud800-\udfff]")
_BRACKETS = {"while parsing a flow mapping": "{", "while parsing a flow sequence": "["}


def complete_nodes(text: str) -> Node:
    """The root of a YAML document.

    >>> complete_nodes("a: [1, 2 mm]").value[1].value[1].value
    '2 mm'
    """
    try:
        return _compose_nodes(YAML(typ="safe", pure=True).parse(text))
    except YAMLError as error:
        raise _syntax_problem(error) from None
    except (ValueError, OverflowError) as error:  # of the YAML reader: characters beyond Unicode
        message = f"the file has characters that are not text ({error})"
        raise NotRead("not-text", message, "write plain UTF-8 text") from None


def _compose_nodes(events: Iterator[Any]) -> Node:
    """Events to nodes with one stack, so that depth is counted and never recursed into."""
    anchors: dict[str, Node] = {}
    stack: list[Node] = [Node([], 1, "list")]
    documents = values = 0
    for event in events:
        name, line = type(event).__name__, event.start_mark.line + 1
        if name == "DocumentStartEvent":
            documents += 1
            if documents > 1:
                raise NotRead("not-read", "a second document starts here ('---')", "keep one mechanism per file", line)
        elif name in ("SequenceEndEvent", "MappingEndEvent"):
            stack.pop().closed = True
        elif name == "AliasEvent":
            stack[-1].value.append(_node_of_anchor(anchors, event.anchor, line))
        elif name in ("ScalarEvent", "SequenceStartEvent", "MappingStartEvent"):
            node = _node_of_event(event, name, line)
            stack[-1].value.append(node)
            values += 1
            if values > MOST_VALUES:
                raise NotRead(
                    "too-large", f"the file holds more than {MOST_VALUES} values", "split the mechanism", line
                )
            if event.anchor:
                anchors[event.anchor] = node
            if node.kind != "scalar":
                stack.append(node)
            if len(stack) > DEEPEST:
                raise NotRead(
                    "too-large", f"values are nested more than {DEEPEST - 1} deep", "no mechanism needs that", line
                )
    return stack[0].value[0] if stack[0].value else Node(None, 1, "scalar")


def _node_of_anchor(anchors: dict[str, Node], anchor: str, line: int) -> Node:
    if anchor not in anchors:
        raise NotRead(
            "bad-alias", f"'*{anchor}' refers to nothing", f"write '&{anchor}' before it, or quote the text", line
        )
    node = anchors[anchor]
    if not node.closed:
        raise NotRead("bad-alias", f"'*{anchor}' refers to itself", "write the value out", line)
    return Node(node.value, line, node.kind)


def _node_of_event(event: Any, name: str, line: int) -> Node:
    if event.tag not in (None, "!"):
        tag = re.sub(r"^tag:yaml\.org,2002:", "!!", str(event.tag))
        raise NotRead("not-read", f"the tag '{tag}' is not read", "leave it out and write plain values", line)
    if name == "ScalarEvent":
        quoted = event.style not in (None, "")
        if _SURROGATE.search(event.value):
            raise NotRead("not-text", "half of a character is written here", "write it whole, as \\U0001F600", line)
        return Node(event.value if quoted else value_of_plain_scalar(event.value), line, "scalar")
    return Node([], line, "list" if name == "SequenceStartEvent" else "map", closed=False)


def _syntax_problem(error: YAMLError) -> NotRead:
    """The syntax error that the YAML reader found, with its line."""
    if not isinstance(error, MarkedYAMLError):
        return NotRead("not-text", "the file has characters that are not text", "save it as plain UTF-8 text")
    message, fix, line = _describe_syntax_error(error, str(error.context or ""), str(error.problem or ""))
    return NotRead("bad-syntax", f"this is not valid YAML: {message}", fix, line)


def _describe_syntax_error(error: MarkedYAMLError, context: str, problem: str) -> tuple[str, str, int]:
    here = _line_of_mark(error.problem_mark or error.context_mark)
    began = _line_of_mark(error.context_mark) or here
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


def _line_of_mark(mark: Any) -> int:
    return mark.line + 1 if mark else 0
