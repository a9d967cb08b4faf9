"""The page on Functional Mock-up Units does what it says."""

import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

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
    assert np.isfinite(names["run"]["pose.platform.x"]).all() and names["run"]["time"][-1] == pytest.approx(0.3)
