"""Text that is no YAML: what an engineer can do about it, in the line where it begins."""

from __future__ import annotations

from typing import Any

from ruamel.yaml.error import MarkedYAMLError, YAMLError

from linkwright.findings import Finding

_BRACKETS = {"while parsing a flow mapping": "{", "while parsing a flow sequence": "["}


def syntax_problem(error: YAMLError) -> Finding:
    """What the YAML reader stumbled over, with its line."""
    if not isinstance(error, MarkedYAMLError):
        return Finding("not-text", "the file has characters that are not text", "save it as plain UTF-8 text")
    message, fix, line = _described(error, str(error.context or ""), str(error.problem or ""))
    return Finding("bad-syntax", f"this is not valid YAML: {message}", fix, line=line)


def _described(error: MarkedYAMLError, context: str, problem: str) -> tuple[str, str, int]:
    here = _line(error.problem_mark or error.context_mark)
    began = _line(error.context_mark) or here
    if "'\\t'" in problem:
        return "a tab stands at the beginning of the line", "indent with spaces", here
    if "cannot start any token" in problem:
        return problem.removeprefix("found "), "put the text in quotes", here
    if context in _BRACKETS and "but got '{'" in problem:
        return 'a name with {i} in it goes in quotes here, for example "leg{i}"', "", here
    if context in _BRACKETS:
        return f"the '{_BRACKETS[context]}' of line {began} is not closed, or a ',' is missing after it", "", began
    if "quoted scalar" in context:
        return f"the quote that begins in line {began} does not end", "", began
    if "could not find expected ':'" in problem:
        return "the line is no 'key: value'", "write a colon and a space after the key", began
    if "block" in context:
        return f"the line does not line up with line {began}, where its block begins", "indent both alike", here
    if "mapping values are not allowed" in problem:
        return "a second ':' stands here", "start a new line, indent it alike, or put the text in quotes", here
    words = " ".join(part for part in (context, problem) if part)
    return words, "check brackets, quotes, colons and indentation", here


def _line(mark: Any) -> int:
    return mark.line + 1 if mark else 0
