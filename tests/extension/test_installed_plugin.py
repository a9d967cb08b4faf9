"""A package that brings a joint and a force element, installed by pip into an environment of its own."""

import os
import subprocess
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

from tests.extension.pages import code_block

SOURCE = Path(__file__).parents[2] / "src"
ENTRY_POINTS = "[linkwright.joints]\nmine = sliding_trays.joints\n[linkwright.forces]\nmine = sliding_trays.forces\n"
FILE = """
format: 1
name: tray
bodies:
  tray: {mass: 2 kg, com: [5 cm, 2 cm, 1 cm], inertia: [0.02, 0.03, 0.04]}
joints:
  slide: {type: curvedslide, parent: ground, child: tray, radius: 0.3 m}
forces:
  wind: {type: hardening, joint: slide, stiffness: 3 N m/rad, hardening: 2 N m/rad^3, loss: 0.5 N m s/rad^3}
"""
SCRIPT = """
import linkwright as lw
from linkwright.functions.memo import source_stamp
mech = lw.load("tray.yaml")
model = lw.build(mech)
wind, tau = mech.forces[0], model.inverse_dynamics([0.4], [0.0], [0.0]) - lw.build(
    lw.Mechanism("bare", mech.bodies, mech.joints)).inverse_dynamics([0.4], [0.0], [0.0])
print(type(mech.joints[0].kind).__module__, type(wind).__module__, round(float(tau[0]), 9))
print(model.body_poses([0.4])[0][0].round(9).tolist())
print(source_stamp(), model.kernels.setup.identity)
"""


def write_wheel(folder):
    """A wheel as a build tool writes it: modules, and what says which entry points they are."""
    path, info = folder / "sliding_trays-1.0-py3-none-any.whl", "sliding_trays-1.0.dist-info"
    parts = {
        "sliding_trays/__init__.py": "",
        "sliding_trays/joints.py": code_block("write-your-own-joint.md"),
        "sliding_trays/forces.py": code_block("write-your-own-force.md"),
        f"{info}/METADATA": "Metadata-Version: 2.1\nName: sliding-trays\nVersion: 1.0\n",
        f"{info}/WHEEL": "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n",
        f"{info}/entry_points.txt": ENTRY_POINTS,
    }
    record = "".join(f"{name},,\n" for name in (*parts, f"{info}/RECORD"))
    with zipfile.ZipFile(path, "w") as wheel:
        for name, text in (*parts.items(), (f"{info}/RECORD", record)):
            wheel.writestr(name, text)
    return path


@pytest.fixture(scope="module")
def environment(tmp_path_factory):
    """A Python with the plug-in; numpy and the like are those of this one."""
    folder = tmp_path_factory.mktemp("installed")
    venv.create(folder / "env", with_pip=True)
    python = folder / "env" / ("Scripts" if os.name == "nt" else "bin") / "python"
    install = [python, "-m", "pip", "install", "--no-index", "--no-deps", "--quiet", write_wheel(folder)]
    subprocess.run(list(map(str, install)), check=True, capture_output=True)
    site = Path(sysconfig.get_path("purelib", vars={"base": str(folder / "env")}))
    (site / "known.pth").write_text(f"{SOURCE}\n{sysconfig.get_path('purelib')}\n", encoding="utf-8")
    (folder / "tray.yaml").write_text(FILE, encoding="utf-8")
    return python, folder, site / "sliding_trays"


def answer(environment):
    python, folder, _ = environment
    clean = {key: x for key, x in os.environ.items() if key != "PYTHONPATH"}
    done = subprocess.run(
        [str(python), "-c", SCRIPT], cwd=folder, env=clean, capture_output=True, text=True, check=True
    )
    return done.stdout.splitlines()


def test_it_is_found_and_an_edited_plug_in_is_not_served_from_the_cache(environment):
    """A radius that is read as twice as large, and a force that is twice as large, after the first results are kept."""
    modules, pose, stamps = answer(environment)
    assert modules.split() == ["sliding_trays.joints", "sliding_trays.forces", str(round(3.0 * 0.4 + 2.0 * 0.4**3, 9))]
    package = environment[2]
    edits = {
        "joints": ("self.radius * np", "2.0 * self.radius * np"),
        "forces": ("hardening * x * x * x +", "hardening * x * x * x * 2.0 +"),
    }
    for name, (old, new) in edits.items():
        text = (package / f"{name}.py").read_text(encoding="utf-8")
        assert old in text
        (package / f"{name}.py").write_text(text.replace(old, new), encoding="utf-8")
    again, moved, others = answer(environment)
    assert again.split()[2] == str(round(3.0 * 0.4 + 4.0 * 0.4**3, 9))
    (x, y, _), (x_2, y_2, _) = (map(float, each.strip("[]").split(",")) for each in (pose, moved))
    assert (x_2, y_2) == pytest.approx((2.0 * x, 2.0 * y), abs=1e-8)
    assert all(own != other for own, other in zip(stamps.split(), others.split(), strict=True))
