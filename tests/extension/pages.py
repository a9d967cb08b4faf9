"""Code blocks of the pages that show how to extend the library."""

import importlib.util
import re
import sys
from pathlib import Path

PAGES = Path(__file__).parents[2] / "docs/howto"


def code_block(page):
    """The first Python block of a page."""
    return re.search(r"```python\n(.*?)```", (PAGES / page).read_text(encoding="utf-8"), re.DOTALL)[1]


def names_of_section(page, heading, before=None):
    """What the Python blocks under a heading of a page define, and those under one that a reader has read before."""
    text = (PAGES / page).read_text(encoding="utf-8")
    names = {"__name__": "page"}
    for each in filter(None, (before, heading)):
        section = text.partition(f"\n## {each}\n")[2].partition("\n## ")[0]
        for block in re.findall(r"```python\n(.*?)```", section, re.DOTALL):
            exec(block, names)
    return names


def imported_block(page, folder):
    """The block as a module of its own."""
    name = page.removesuffix(".md").replace("-", "_")
    path = Path(folder) / f"{name}.py"
    path.write_text(code_block(page), encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    sys.modules[name] = module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
