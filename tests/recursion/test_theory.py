"""Every equation a docstring cites as "theory x.y" stands, numbered, in docs/theory; and no number stands twice."""

import re
from collections import Counter
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
CITED = re.compile(r"theory\s+(\d+)\.(\d+)(?:-(\d+)\.(\d+))?")
TAG = re.compile(r"\\tag\{(\d+\.\d+)\}")


def cited(text: str) -> set[str]:
    """The numbers a text cites, ranges written out."""
    found = set()
    for chapter, first, last_chapter, last in CITED.findall(text):
        assert last_chapter in ("", chapter), f"theory {chapter}.{first}-{last_chapter}.{last} spans two chapters"
        found |= {f"{chapter}.{k}" for k in range(int(first), int(last or first) + 1)}
    return found


def tagged() -> Counter[str]:
    pages = (ROOT / "docs" / "theory").glob("*.md")
    return Counter(number for page in pages for number in TAG.findall(page.read_text(encoding="utf-8")))


SOURCES = [p for p in sorted((ROOT / "src").rglob("*.py")) if CITED.search(p.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("path", SOURCES, ids=[p.name for p in SOURCES])
def test_cited_equations_exist(path):
    assert cited(path.read_text(encoding="utf-8")) - set(tagged()) == set()


def test_equations_are_numbered_once_and_without_gaps():
    numbers = tagged()
    assert [number for number, count in numbers.items() if count > 1] == []
    for chapter in {number.split(".")[0] for number in numbers}:
        of_chapter = sorted(int(n.split(".")[1]) for n in numbers if n.split(".")[0] == chapter)
        assert of_chapter == list(range(1, len(of_chapter) + 1)), f"chapter {chapter} has gaps"


def test_every_page_names_code_that_exists():
    for page in sorted((ROOT / "docs" / "theory").glob("[0-9]*.md")):
        named = re.findall(r"`((?:\w+/)+\w+\.py)`", page.read_text(encoding="utf-8"))
        assert named, f"{page.name} names no code"
        assert [name for name in named if not (ROOT / "src" / "linkwright" / name).exists()] == []


def test_the_reader_of_citations_reads():
    assert cited("(theory 3.4-3.6) and (theory 2.10)") == {"3.4", "3.5", "3.6", "2.10"}
