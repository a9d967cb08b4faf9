"""The README's example runs and prints what the README says."""

import contextlib
import io
import re
import runpy
from pathlib import Path

README = (Path(__file__).parent.parent / "README.md").read_text(encoding="utf-8")


def test_the_example_prints_what_the_readme_shows():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    (shown,) = re.findall(r"```text\n(.*?)```", README, re.DOTALL)
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), {})
    assert printed.getvalue() == shown


def test_the_example_stays_short():
    (code,) = re.findall(r"```python\n(.*?)```", README, re.DOTALL)
    assert sum(bool(line.strip()) for line in code.splitlines()) <= 15


def test_the_moving_picture_is_small_plain_and_from_its_command():
    folder = Path(__file__).parent.parent / "docs" / "images"
    text = (folder / "moving.svg").read_text(encoding="utf-8")
    made = runpy.run_path(str(folder / "moving_picture.py"))["picture"]()
    assert len(text) < 60_000 and "<script" not in text and "<animate" in text
    names = re.compile(r"<(\w+)")
    assert names.findall(text) == names.findall(made)  # the same drawing; last digits may differ between processors
