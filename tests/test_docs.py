"""The documentation can be entered: tasks name what exists, every page is in the navigation, every figure is shown."""

import re
import runpy
import tomllib
from pathlib import Path

import click
import pytest

import linkwright as lw
from linkwright.cli import main

ROOT = Path(__file__).parent.parent
DOCS = ROOT / "docs"
INDEX = (DOCS / "index.md").read_text(encoding="utf-8")
TASKS = [
    [cell.strip() for cell in row.strip("|").split("|")]
    for row in re.findall(r"^\|.*\|$", INDEX, re.MULTILINE)
    if not row.startswith(("|---", "| you want to"))
]


def names_in(cell):
    return re.findall(r"`(.+?)`", cell)


def find_object(name):
    first, *rest = name.split(".")
    found = {"lw": lw, "model": lw.Model}[first]
    for part in rest:
        found = getattr(found, part)
    return found


def find_verb(words):
    """The command that `export c` or `id --compare` names; its options exist."""
    command = main
    for word in words.split():
        if word.startswith("--"):
            assert any(word in param.opts for param in command.params), words
        else:
            command = command.get_command(click.Context(command), word)
            assert command is not None, words
    return command


def test_there_are_about_forty_tasks():
    assert 40 <= len(TASKS) <= 60 and all(len(row) == 4 for row in TASKS)


@pytest.mark.parametrize("row", TASKS, ids=[row[0] for row in TASKS])
def test_a_task_names_a_function_a_verb_and_a_page_that_exist(row):
    _, functions, verbs, page = row
    assert all(callable(find_object(name)) for name in names_in(functions))
    assert all(find_verb(words) for words in names_in(verbs))
    assert re.fullmatch(r"\[.+\]\(.+\.md\)", page)


def navigation():
    trees = re.findall(r"```\{toctree\}\n(.*?)```", INDEX, re.DOTALL)
    entries = [line for tree in trees for line in tree.splitlines() if line and not line.startswith(":")]
    return [
        path.relative_to(DOCS).with_suffix("").as_posix()
        for entry in entries
        for path in sorted(DOCS.glob(f"{entry}.md"))
    ]


def test_every_page_is_in_the_navigation_once_and_decisions_are_not():
    pages = [path.relative_to(DOCS).with_suffix("").as_posix() for path in DOCS.rglob("*.md")]
    expected = [
        page for page in pages if page != "index" and page.split("/")[0] not in ("decisions", "_build", "node_modules")
    ]
    assert sorted(navigation()) == sorted(expected)


def test_every_how_to_page_serves_a_task():
    by_task = {Path(row[3].split("(")[1].rstrip(")")).stem for row in TASKS}
    others = {"command-line", "speed", "cite"}  # these serve all tasks
    pages = {path.stem for path in (DOCS / "howto").glob("*.md") if not path.stem.startswith("coming-from-")}
    assert pages == (by_task | others) & pages


def test_every_figure_is_shown_on_a_page():
    text = "".join(path.read_text(encoding="utf-8") for path in [ROOT / "README.md", *DOCS.rglob("*.md")])
    figures = [path.name for path in (DOCS / "images").iterdir() if path.suffix in (".svg", ".png")]
    assert [name for name in figures if f"images/{name})" not in text] == []


PAGES = runpy.run_path(str(DOCS / "pages.py"))
SHOWN = re.compile(r"^\[!\[[^\]]+\]\(\.\./images/pages/([\w-]+)\.png\)\]\(\.\./gallery\.md\)$", re.MULTILINE)
# These are about tools, commands or files, and not about a mechanism.
WITHOUT = {"catalog", "cite", "command-line", "extend", "safety-and-limits", "speed"}


def test_every_how_to_shows_a_page_that_computes():
    pages = {path.stem: SHOWN.findall(path.read_text(encoding="utf-8")) for path in (DOCS / "howto").glob("*.md")}
    without = {name for name, shown in pages.items() if not shown}
    assert without == WITHOUT | {name for name in pages if name.startswith(("coming-from", "write-your-own"))}
    assert {name for shown in pages.values() for name in shown} <= set(PAGES["PAGES"])
    assert all(name in pages[each.page] for name, each in PAGES["HOWTOS"].items())


def test_every_page_that_computes_has_a_small_picture_in_the_gallery():
    gallery = (DOCS / "gallery.md").read_text(encoding="utf-8")
    pictures = {path.stem: path.stat().st_size for path in (DOCS / "images" / "pages").iterdir()}
    assert set(pictures) == set(PAGES["PAGES"]) == set(re.findall(r"\(images/pages/([\w-]+)\.png\)", gallery))
    assert max(pictures.values()) < 40_000 and sum(pictures.values()) < 800_000


@pytest.mark.parametrize("name", ["springs-and-beams", "humanoid-ankle"])
def test_the_code_of_a_how_to_gives_its_page(name, tmp_path):
    PAGES["write_pages"](tmp_path, [name])
    assert '"engine":{' in (tmp_path / f"{name}.html").read_text(encoding="utf-8")


def test_a_page_has_one_title():
    for page in DOCS.rglob("*.md"):
        text = re.sub(r"^```.*?^```", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)
        assert len(re.findall(r"^# ", text, re.MULTILINE)) <= 1, page


def test_the_page_of_the_command_line_groups_verbs_as_the_help_does():
    page = (DOCS / "howto" / "command-line.md").read_text(encoding="utf-8")
    parts = re.split(r"^\| \*\*(.+?)\*\* \| \|$", page.partition("## One option")[0], flags=re.MULTILINE)
    listed = {
        title: names_in(" ".join(re.findall(r"^\| (`.*?) \|", rows, re.MULTILINE)))
        for title, rows in zip(parts[1::2], parts[2::2])
    }
    for title, verbs in main.groups.items():
        assert {name.split()[0] for name in listed[title.lower()]} == set(verbs), title


def test_the_install_page_names_every_extra():
    page = (DOCS / "install.md").read_text(encoding="utf-8")
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    listed = set(re.findall(r"^\| `(\w+)` \|", page, re.MULTILINE))
    assert listed == set(extras) - {"bench", "test", "docs", "dev"}
