"""The notebooks run: files are written, cells are executed in order. The docs build also shows what they display."""

import re
import warnings
from pathlib import Path

import pytest

pytest.importorskip("matplotlib")

FOLDER = Path(__file__).parent.parent / "docs" / "notebooks"
PAGES = sorted(FOLDER.glob("*.md"))
CELL = re.compile(r"^```\{code-cell\} python\n(.*?)^```", re.DOTALL | re.MULTILINE)
INDEX = (FOLDER.parent / "index.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_a_notebook_runs(page, tmp_path, monkeypatch):
    import matplotlib.pyplot as plt

    monkeypatch.chdir(tmp_path)
    monkeypatch.setitem(__import__("sys").modules, "ipykernel", warnings)  # figures and pages are values, not windows
    names: dict = {}
    for cell in CELL.findall(page.read_text(encoding="utf-8")):
        if cell.startswith("%%writefile "):
            head, _, text = cell.partition("\n")
            Path(head.split()[1]).write_text(text, encoding="utf-8")
        else:
            exec(compile(cell, page.name, "exec"), names)
    plt.close("all")


def test_every_notebook_is_listed():
    assert sorted(re.findall(r"^notebooks/(\S+)$", INDEX, re.MULTILINE)) == sorted(page.stem for page in PAGES)
