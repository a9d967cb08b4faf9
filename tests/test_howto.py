"""The how-to pages do what they say."""

import re
from pathlib import Path

import linkwright as lw
from linkwright.compiler import c_source

PAGE = (Path(__file__).parent.parent / "docs" / "howto" / "mechanism-files.md").read_text(encoding="utf-8")


def test_the_four_bar_of_the_page_loads_closes_and_exports(tmp_path):
    (text,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "four-bar.yaml"
    path.write_text(text, encoding="utf-8")
    machine = lw.build(lw.load(path))
    closed = machine.assemble(fixed={"A": 1.0})
    assert machine.mobility == 1 and len(machine.redundant_equations) == 3
    assert closed.residual < 1e-12 and closed.q[0] == 1.0
    code = c_source(machine.program("inverse_dynamics"), "four_bar_efforts")
    assert "FOUR_BAR_EFFORTS_SELFTEST" in code
