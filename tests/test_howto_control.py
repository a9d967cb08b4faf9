"""The page on driving a mechanism does what it says."""

import re
from pathlib import Path

import numpy as np

PAGE = (Path(__file__).parent.parent / "docs" / "howto" / "control.md").read_text(encoding="utf-8")


def test_the_code_of_the_page_runs_and_follows_its_reference():
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL):
        exec(code, names)
    assert names["error"] < 1e-8
    assert np.abs(names["moved"] - [0.01, 0.0, 0.0]).max() < 1e-7
    tau = names["held"].tau
    assert np.abs(tau).max() == 30.0
    assert np.abs(names["run"].tau).max() > 30.0
