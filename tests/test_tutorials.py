"""The tutorial pages do what they say: files are written, commands and code are run, printed text is compared."""

import re
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path

import pytest
from click.testing import CliRunner

from linkwright.cli import main

DOCS = Path(__file__).parent.parent / "docs"
TUTORIALS = sorted((DOCS / "tutorial").glob("*.md"))
PAGES = [*TUTORIALS, DOCS / "faq.md", DOCS / "install.md"]
BLOCK = re.compile(r"^```(\w+)\n(.*?)^```", re.DOTALL | re.MULTILINE)


def run_commands(text):
    for line in text.splitlines():
        arguments = re.findall(r'"[^"]*"|\S+', line.removeprefix("$ linkwright "))
        done = CliRunner().invoke(main, [argument.strip('"') for argument in arguments])
        assert done.exit_code == 0, f"{line}\n{done.output}"


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_page_does_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names, printed = {}, ""
    for language, text in BLOCK.findall(page.read_text(encoding="utf-8")):
        match language:
            case "yaml":
                Path(text.splitlines()[0].removeprefix("# ")).write_text(text, encoding="utf-8")
            case "console":
                run_commands(text)
            case "python":
                with redirect_stdout(StringIO()) as out:
                    exec(compile(text, page.name, "exec"), names)
                printed = out.getvalue()
            case "text":
                assert printed == text
            case _:
                raise AssertionError(f"{page.name} has a block in '{language}'")


def test_own_mechanisms_fit_on_a_page():
    """The promise to a new user: from a blank file to a simulated result in under 60 lines."""
    for page in TUTORIALS[:2]:
        blocks = [
            text for language, text in BLOCK.findall(page.read_text(encoding="utf-8")) if language in ("yaml", "python")
        ]
        assert sum(len(text.splitlines()) for text in blocks) < 60
