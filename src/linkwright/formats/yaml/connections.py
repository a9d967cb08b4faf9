"""What joins what, read from the file itself, so that the words and lines are the writer's own."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Any

from linkwright.findings import Finding, Path
from linkwright.formats.yaml.text import Source
from linkwright.mechanism.names import suggestion

_BASES = ("ground", "base", "world", "frame", "fixed", "earth")


def problems(source: Source) -> Iterator[Finding]:
    """Joints at bodies that are not there, and names that stand for two things."""
    data = source.data
    base = _base(data.get("base"))
    bodies = [*_block(data, "bodies"), *_table_links(data)]
    if base in bodies:
        text = f"the body '{base}' has the name of the base, which is there already"
        fix = "leave it out, or call the base otherwise, 'base: frame'"
        yield source.problem("name-taken", text, ("bodies", base), fix)
    for name in _block(data, "loops"):
        if name in _block(data, "joints"):
            first = source.line(("joints", name))
            text, fix = f"'{name}' is the name of a joint too, in line {first}", "keep one, or rename it"
            yield source.problem("name-taken", text, ("loops", name), fix)
    for section in ("joints", "loops"):
        for name, joint in _block(data, section).items():
            yield from _ends(source, (section, name), joint, bodies, base)


def _ends(source: Source, path: Path, joint: Any, bodies: Collection[str], base: str) -> Iterator[Finding]:
    for end in ("parent", "child"):
        named = joint.get(end) if isinstance(joint, dict) else None
        if isinstance(named, str) and named not in bodies and named != base:
            close = f" (the base is called '{base}')" if named.lower() in _BASES else suggestion(named, (*bodies, base))
            text = f"joint '{path[1]}' has the unknown {end} body '{named}'{close}"
            yield source.problem("unknown-name", text, (*path, end), value=named)


def _base(written: Any) -> str:
    name = written.get("name", "ground") if isinstance(written, dict) else written
    return name if isinstance(name, str) else "ground"


def _table_links(data: Any) -> list[str]:
    rows = _block(data, "dh").get("rows")
    named = [row.get("link") if isinstance(row, dict) else None for row in rows] if isinstance(rows, list) else []
    return [name if isinstance(name, str) else f"link{i}" for i, name in enumerate(named, start=1)]


def _block(data: Any, key: str) -> dict[str, Any]:
    found = data.get(key)
    return found if isinstance(found, dict) else {}
