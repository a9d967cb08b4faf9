"""The page on loops that close and open does what it says."""

import re
from pathlib import Path

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "variable-topology.md").read_text(encoding="utf-8")


def test_the_leg_of_the_page_lands(tmp_path, monkeypatch, capsys):
    (text,), (code,) = (re.findall(rf"```{kind}\n(.*?)```", PAGE, re.DOTALL) for kind in ("yaml", "python"))
    (tmp_path / "leg.yaml").write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "variable-topology.md", "exec"), {})
    message = capsys.readouterr().out
    assert "loop 'foot' closes: impulse of force" in message and "kinetic energy lost" in message
