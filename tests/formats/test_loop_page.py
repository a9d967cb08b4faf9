"""Every dialect on the page on loops is the same four-bar, and every coupling the same pair of gears."""

import re
import warnings
from pathlib import Path

import numpy as np
import pytest

import linkwright as lw

PAGE = (Path(__file__).parents[2] / "docs" / "howto" / "loops-in-robot-files.md").read_text(encoding="utf-8")
FILES = re.findall(r"```xml\n(.*?)```", PAGE, re.DOTALL)
(PAIRS,) = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)
ENDINGS = {"<robot": ".urdf", "<mujoco": ".xml", "<sdf": ".sdf"}


def title_of_file(text):
    """The tag that closes the loop or couples the joints."""
    tags = (
        "loop_joint|loop |constraint |drake:ball|connect|weld|gearbox|mimic|coupling|tendon|equality|gazebo|rocker_end"
    )
    return text.split(" ", 1)[0][1:] + " " + (re.findall(tags, text) or ["graph"])[-1].strip()


FOUR_BARS = [pytest.param(text, id=title_of_file(text)) for text in FILES if '"four-bar"' in text]
GEARS = [pytest.param(text, id=title_of_file(text)) for text in FILES if '"gears"' in text]


def read_file_of_page(folder, text):
    ending = ENDINGS[next(start for start in ENDINGS if text.startswith(start))]
    if ending == ".xml":
        pytest.importorskip("mujoco", reason="reading MJCF needs mujoco")
    (folder / f"four-bar{ending}").write_text(text, encoding="utf-8")
    if "coupler_end" in text:
        (folder / "four-bar.yaml").write_text(PAIRS, encoding="utf-8")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.FormatWarning)
        return lw.load(folder / f"four-bar{ending}")


def accelerations_of_four_bar(theta=0.7, effort=0.4):
    """Acceleration of the crank from rest in both assembly modes: effort over the inertia that the crank moves."""
    crank, coupler, rocker, base = 0.2, 0.45, 0.3, 0.5
    found = []
    pin = crank * np.exp(1j * theta)
    away = base - pin
    for sign in (1, -1):
        cosine = (coupler**2 + abs(away) ** 2 - rocker**2) / (2 * coupler * abs(away))
        phi = np.angle(away) + sign * np.arccos(cosine)
        psi = np.angle(pin + coupler * np.exp(1j * phi) - base)
        turns = np.exp(1j * np.array([theta, phi, psi]))
        sides = np.array([coupler * turns[1], -rocker * turns[2]])
        rates = np.linalg.solve([sides.real, sides.imag], [-pin.real, -pin.imag])
        speed = pin + 0.225 * turns[1] * rates[0]
        inertia = 0.004 + 1.0 * 0.1**2 + 0.034 * rates[0] ** 2 + 2.0 * abs(speed) ** 2
        found.append(effort / (inertia + (0.011 + 1.5 * 0.15**2) * rates[1] ** 2))
    return sorted(found)


def test_the_page_has_every_dialect():
    assert len(FOUR_BARS) == 11 and len(GEARS) == 7
    assert all(text.values[0].count("\n") <= 14 for text in (*FOUR_BARS, *GEARS))


@pytest.mark.parametrize("text", FOUR_BARS)
def test_every_dialect_is_the_same_four_bar(text, tmp_path):
    mech = read_file_of_page(tmp_path, text)
    model = lw.build(mech)
    assert model.mobility == 1 and model.na == 1 and len(mech.loops) == 1
    modes = model.assembly_modes([0.7])
    crank = model.v_names.index("A")
    found = sorted(model.forward_dynamics(mode.q, np.zeros(model.nv), [0.4])[crank] for mode in modes)
    assert found == pytest.approx(accelerations_of_four_bar(), rel=1e-5 if "pin" in text else 1e-9)


@pytest.mark.parametrize("text", GEARS)
def test_every_coupling_is_the_same_pair_of_gears(text, tmp_path):
    mech = read_file_of_page(tmp_path, text)
    model = lw.build(mech)
    assert model.mobility == 1 and model.na == 1 and len(mech.couplings) == 1
    a = model.forward_dynamics(model.assemble().q, np.zeros(2), [0.4])
    assert sorted(a) == pytest.approx([-0.2 / 0.275, 0.4 / 0.275])  # 0.2 + 0.3 / 4 kg m^2
