"""The quick reader of common YAML gives the nodes of the complete reader, or none."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

import linkwright as lw
from linkwright.formats import to_yaml
from linkwright.formats.yaml.common_yaml import Node, NotRead, common_nodes
from linkwright.formats.yaml.complete_yaml import complete_nodes

ROOT = Path(__file__).parents[2]
FILES = sorted((ROOT / "src" / "linkwright" / "catalog" / "data").glob("*.yaml"))

COMMON = [
    "1",
    "-2.5",
    "1e-3",
    "true",
    "yes",
    "= a * (b + 1)",
    "2 mm",
    "-x",
    '"q:#,["',
    "'s'",
    '"two words"',
    "x - y",
    "°",
]
UNCOMMON = [
    ".5",
    "-.inf",
    "null",
    "~",
    "+",
    "a#b",
    "http://x",
    "a:b",
    "12:",
    "%a",
    "@b",
    "!t",
    "?",
    "-",
    "--",
    "'it''s'",
]
UNCOMMON += [
    '"\\n"',
    ":",
    "[",
    "}",
    "one, two",
    "x: y",
    "{i}",
    "a ? b",
    "'a' b",
    '"a" b',
    "end:",
    "a #b",
    "a  # b",
    '"a"# b',
    "two\n  lines",
]


def shown(node: Node) -> Any:
    """A node and all below it."""
    inner = node.value if node.kind == "scalar" else [shown(each) for each in node.value]
    return node.kind, node.line, type(inner).__name__, repr(inner)


def agrees(text: str) -> bool:
    """Compare the two readers; True if the quick one reads the text."""
    found = common_nodes(text)
    if found is None:
        return False
    try:
        expected = complete_nodes(text)
    except NotRead as stop:
        pytest.fail(f"only the complete reader refuses {text!r}: {stop.args}")
    assert shown(found) == shown(expected), text
    return True


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_catalog_files_as_they_are_and_written_again(path: Path) -> None:
    assert agrees(path.read_text(encoding="utf-8"))
    assert agrees(to_yaml(lw.catalog.load(path.stem)))


def scalar(rng: random.Random) -> str:
    return rng.choice(COMMON if rng.random() < 0.95 else UNCOMMON)


def document(rng: random.Random, indent: int = 0, depth: int = 0) -> list[str]:
    """Lines of a random block of YAML."""
    pad, lines = " " * indent, []
    as_list = depth > 0 and rng.random() < 0.3
    for i in range(rng.randint(1, 4)):
        head = "-" if as_list else rng.choice((f"k{i}", f'"q {i}"', f"leg{{{i}}}", "true", f"a-{i}.b")) + ":"
        note = rng.choice((*[""] * 9, "  # note", " #", "# no note"))
        inner = indent + rng.randint(1, 4)
        match rng.choice((0, 1, 2, 3, 4, *([] if depth > 3 else (5, 6, 7, 8, 9, 10)))):
            case 0 | 1:
                lines.append(f"{pad}{head} {scalar(rng)}{note}")
            case 2 | 3:
                lines += f"{pad}{head} {flow(rng)}{note}".split("\n")
            case 4:
                lines += [f"{pad}{head} {rng.choice(('|', *['|-'] * 6, '|+', '>'))}"]
                lines += [
                    " " * inner + rng.choice(("text", "  more: 1", "# text", "")) for _ in range(rng.randint(1, 3))
                ]
            case 5 if rng.random() < 0.3:
                marked = rng.choice(("&n", "&m", "*n", "*m", "*n ")) + " " + rng.choice(("", "1", "[a]", "*n"))
                lines.append(f"{pad}{head} {marked}{note}")
            case 6 if as_list:
                block = document(rng, indent + 2, depth + 1)
                lines += [f"{pad}- {block[0].strip()}", *block[1:]]
            case 7:
                lines += [f"{pad}{head} &{rng.choice('nmo')}{note}", *document(rng, inner, depth + 1)]
            case _:
                lines += [f"{pad}{head}{note}", *document(rng, rng.choice((*[inner] * 9, indent)), depth + 1)]
        if rng.random() < 0.1:
            lines.append(rng.choice(("", "  ", "# note", "      # note")))
    return lines


def flow(rng: random.Random, depth: int = 0) -> str:
    """A random value in flow style, perhaps of several lines."""
    kind, comma = rng.random(), rng.choice((", ", ", ", ",", ",\n    ", ",  # note\n  "))
    if depth > 3 or kind < 0.5:
        return scalar(rng)
    items = [flow(rng, depth + 1) for _ in range(rng.randint(0, 3))]
    if kind < 0.8:
        return f"[{comma.join(items)}]"
    return "{" + comma.join(f"k{i}: {x}" for i, x in enumerate(items)) + rng.choice(("", "", "", " ", ",")) + "}"


@pytest.mark.parametrize("seed", range(4))
def test_random_documents_and_damaged_ones(seed: int) -> None:
    rng, read = random.Random(seed), 0
    for _ in range(400):
        text = "\n".join(document(rng))
        if rng.random() < 0.3:
            text = damaged(rng, text)
        read += agrees(text)
    assert read > 40


def damaged(rng: random.Random, text: str) -> str:
    """The text with a character more, or with another one."""
    at = rng.randrange(len(text) + 1)
    return text[:at] + rng.choice(" \n\t:-#[]{},&*\"'|x1") + text[at + rng.randint(0, 1) :]


def test_damaged_files() -> None:
    rng, read = random.Random(1), 0
    files = [path.read_text(encoding="utf-8") for path in FILES]
    for _ in range(150):
        lines = rng.choice(files).split("\n")
        first = rng.randrange(len(lines))
        read += agrees(damaged(rng, "\n".join(lines[first : first + 12])))
    assert read > 10
