"""The README's example runs and prints what the README says."""

import contextlib
import io
import re
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
