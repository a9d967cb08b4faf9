"""The example scripts run as they are and print what they say they print."""

import ast
import runpy
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from textwrap import dedent

import pytest

SCRIPTS = sorted((Path(__file__).parent.parent / "examples").glob("*.py"))


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.stem)
def test_a_script_prints_what_it_says(script, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = script.read_text(encoding="utf-8")
    if "\nimport casadi\n" in text:
        pytest.importorskip("casadi", reason="needs the extra casadi")
    promised = (ast.get_docstring(ast.parse(text)) or "").partition("Prints:\n")[2]
    with redirect_stdout(StringIO()) as out:
        runpy.run_path(str(script), run_name="__main__")
    assert out.getvalue().strip() == dedent(promised).strip()
    assert len(text.splitlines()) < 60
