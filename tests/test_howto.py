"""The how-to pages do what they say."""

import re
from pathlib import Path

import pytest

import linkwright as lw
from linkwright.compiler import c_source

PAGE = (Path(__file__).parent.parent / "docs" / "howto" / "mechanism-files.md").read_text(encoding="utf-8")


def test_the_four_bar_of_the_page_loads_closes_and_exports(tmp_path):
    text, _ = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "four-bar.yaml"
    path.write_text(text, encoding="utf-8")
    machine = lw.build(lw.load(path))
    closed = machine.assemble(fixed={"A": 1.0})
    assert machine.mobility == 1 and len(machine.redundant_equations) == 3
    assert closed.residual < 1e-12 and closed.q[0] == 1.0
    code = c_source(machine.program("inverse_dynamics"), "four_bar_efforts")
    assert "FOUR_BAR_EFFORTS_SELFTEST" in code


def test_the_three_legs_of_the_page_have_three_freedoms(tmp_path):
    _, text = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
    path = tmp_path / "my-3-rpr.yaml"
    path.write_text(text, encoding="utf-8")
    machine = lw.build(lw.load(path, {"plate": "200 mm"}))
    assert machine.mobility == len(machine.actuated) == 3
    assert machine.assemble().residual < 1e-12
    assert machine.mechanism.loops[0].child_at.xyz[0] == pytest.approx(0.1, rel=1e-12)


CATALOG = (Path(__file__).parent.parent / "docs" / "howto" / "catalog.md").read_text(encoding="utf-8")


def test_the_page_of_the_catalog_names_every_machine():
    listed = {
        row[0]: tuple(map(int, row[1:])) for row in re.findall(r"^\| `(.+?)` \|.*\| (\d) \| (\d) \|", CATALOG, re.M)
    }
    about = lw.catalog.summaries()
    assert listed == {name: (one.mobility, one.motors) for name, one in about.items()}
