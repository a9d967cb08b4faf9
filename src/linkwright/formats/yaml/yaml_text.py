"""YAML text to plain data that remembers its lines; refuses what could run code or exhaust memory."""

from __future__ import annotations

from dataclasses import field
from typing import Any

from linkwright.checks import require_text
from linkwright.dataclass import dataclass
from linkwright.findings import Finding, Path, dotted_path
from linkwright.formats.import_findings import refuse_file, refuse_one
from linkwright.formats.yaml.common_yaml import DEEPEST, LARGEST, MOST_VALUES, Node, NotRead, common_nodes


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


def read_yaml_text(text: str, file: str) -> SourceDocument:
    """Read one YAML document; a `FormatError` says what is wrong and where.

    >>> read_yaml_text("a: [1, 2 mm]", "x.yaml").data
    {'a': [1, '2 mm']}
    """
    require_text("text", text, "the text of a file")
    if len(text) > LARGEST:
        message = f"the file has {len(text)} characters and at most {LARGEST} are read"
        refuse_one(file, "too-large", message, "split the mechanism")
    source = _Writer(file)
    try:
        data = source.plain(common_nodes(text) or _all_nodes(text), ())
    except NotRead as stop:
        refuse_one(file, *stop.args)
    if source.problems:
        refuse_file(file, source.problems)
    return SourceDocument(file, data, source.lines)


def _all_nodes(text: str) -> Node:
    from linkwright.formats.yaml.complete_yaml import (
        complete_nodes,  # imports a reader of all of YAML, which few files need
    )

    return complete_nodes(text)


@dataclass
class _Writer:
    """Writes nodes out as plain data, aliases included, keeping lines and counting values."""

    file: str
    lines: dict[Path, int] = field(default_factory=dict)
    problems: list[Finding] = field(default_factory=list)
    count: int = 0

    def plain(self, node: Node, path: Path) -> Any:
        self.count += 1
        if self.count > MOST_VALUES:
            raise NotRead(
                "too-large", f"aliases (*) unfold to more than {MOST_VALUES} values", "write fewer of them", node.line
            )
        if len(path) > DEEPEST:
            raise NotRead("too-large", f"aliases (*) nest more than {DEEPEST} deep", "write the values out", node.line)
        self.lines.setdefault(path, node.line)
        if node.kind == "scalar":
            return node.value
        if node.kind == "list":
            return [self.plain(item, (*path, i)) for i, item in enumerate(node.value)]
        return self._mapping(node, path)

    def _mapping(self, node: Node, path: Path) -> dict[str, Any]:
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
                where = f"in '{dotted_path(path)}'" if path else "at the top"
                text, fix = f"'{name}' is given twice {where}, first in line {first}", "keep one, or rename it"
                self.problems.append(Finding("name-taken", text, fix, subject=name, path=path, line=key.line))
            else:
                self.lines[(*path, name)] = key.line
                data[name] = self.plain(value, (*path, name))
        return data
