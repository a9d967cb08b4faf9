"""The four-bar of the page on loops is the same mechanism in every format."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "loops-in-robot-files.md").read_text(encoding="utf-8")
URDF_PLUS, EXTENDED, MJCF, SDF = re.findall(r"```xml\n(.*?)```", PAGE, re.DOTALL)
(PAIRS,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def accelerations(folder, text, name, beside=""):
    """Acceleration of the crank under one effort in both assembly modes, in ascending order."""
    (folder / name).write_text(text, encoding="utf-8")
    if beside:
        (folder / "four-bar.yaml").write_text(beside, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)
        mech = lw.load(folder / name)
    model = lw.build(mech)
    assert model.mobility == 1 and model.na == 1 and len(mech.loops) == 1
    modes = model.assembly_modes([0.7])
    crank = model.v_names.index("A")
    return sorted(model.forward_dynamics(mode.q, np.zeros(model.nv), [0.4])[crank] for mode in modes)


@pytest.mark.parametrize(
    "text, name, beside", [(EXTENDED, "four-bar.urdf", PAIRS), (MJCF, "a.xml", ""), (SDF, "a.sdf", "")]
)
def test_every_format_is_the_same_four_bar(text, name, beside, tmp_path):
    if name.endswith(".xml"):
        pytest.importorskip("mujoco")
    expected = accelerations(tmp_path, URDF_PLUS, "plus.urdf")
    assert len(expected) == 2
    assert accelerations(tmp_path, text, name, beside) == pytest.approx(expected, rel=1e-9)
