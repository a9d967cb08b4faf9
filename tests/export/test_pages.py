"""Code on the how-to pages about exports runs as it stands there."""

import re
from pathlib import Path

import numpy as np
import pytest

HOWTO = Path(__file__).parents[2] / "docs" / "howto"


def blocks(page):
    return re.findall(r"```python\n(.*?)```", (HOWTO / page).read_text(encoding="utf-8"), re.DOTALL)


def test_the_page_of_learners():
    pytest.importorskip("jax", reason="needs the extra jax")
    first, second = blocks("learners.md")
    names = {}
    exec(first, names)
    assert np.isfinite(names["gradients"]).all() and names["gradients"].shape == (1000, 2)
    pytest.importorskip("torch", reason="needs the extra torch")
    exec(second, names)
    assert np.isfinite(names["q"].grad.numpy()).all()


def test_the_page_of_optimal_control():
    pytest.importorskip("casadi", reason="needs the extra casadi")
    pytest.importorskip("control", reason="needs the extra control")
    names = {}
    for block in blocks("optimal-control.md"):
        exec(block, names)
    assert names["poles"].real.max() < 0.0
