"""The page on Functional Mock-up Units does what it says."""

import os
import re
import shutil
from pathlib import Path

import pytest

import linkwright as lw

pytest.importorskip("fmpy", reason="fmpy is not installed")
PAGE = (Path(__file__).parent.parent / "docs" / "howto" / "fmu.md").read_text(encoding="utf-8")


@pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")
def test_the_example_of_the_page_runs(tmp_path):
    folder, names = Path.cwd(), {}
    os.chdir(tmp_path)
    try:
        for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
            exec(compile(code, "fmu.md", "exec"), names)
    finally:
        os.chdir(folder)
    there = names["run"]
    model = lw.build(lw.catalog.load("five-bar"))
    here = lw.simulate(model, model.assemble().q, t_end=0.3, effort={"motor1": 0.4, "motor2": -0.3})
    assert there["time"][-1] == pytest.approx(0.3)
    assert there["q.theta1"][-1] == pytest.approx(here["theta1"][-1], abs=1e-6)
    assert abs(there["q.theta1"][-1] - there["q.theta1"][0]) > 1e-3
