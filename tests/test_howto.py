"""The how-to pages do what they say."""

import re
import shlex
import warnings
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.errors import Exit
from linkwright.export import c_source
from linkwright.formats import from_yaml

PAGE = (Path(__file__).parent.parent / "docs" / "howto" / "mechanism-files.md").read_text(encoding="utf-8")
YAML_BLOCKS = re.findall(r"```yaml\n(.*?)```", PAGE, re.DOTALL)


def test_the_four_bar_of_the_page_loads_closes_and_exports(tmp_path):
    text = YAML_BLOCKS[0]
    path = tmp_path / "four-bar.yaml"
    path.write_text(text, encoding="utf-8")
    model = lw.build(lw.load(path))
    closed = model.assemble(fixed={"A": 1.0})
    assert model.mobility == 1 and len(model.redundant_equations) == 3
    assert closed.residual < 1e-12 and closed.q[0] == 1.0
    code = c_source(model.program("inverse_dynamics"), "four_bar_efforts")
    assert "FOUR_BAR_EFFORTS_SELFTEST" in code


def test_the_press_of_the_page_has_what_the_page_says():
    mech = from_yaml(YAML_BLOCKS[1])
    joints = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    assert joints["O"].friction.coulomb == (0.1,) and joints["O"].friction.slip == 1e-3
    assert joints["S"].spring.stiffness == (2000.0,) and joints["S"].limits.lower == (0.13,)
    model = lw.build(mech)
    q = model.assemble(fixed={"O": 1.0}).q
    (slide,) = q[[model.q_names.index("S")]]
    inside = (0.2**2 - (0.06 * np.sin(1.0)) ** 2) ** 0.5
    assert slide == pytest.approx(0.06 * np.cos(1.0) + inside, rel=1e-9)
    rest = model.inverse_dynamics(q, np.zeros(model.nv), np.zeros(model.nv))
    lever = -0.06 * np.sin(1.0) * (1 + 0.06 * np.cos(1.0) / inside)  # d slide / d crank
    assert rest[0] == pytest.approx(2000.0 * (slide - 0.2) * lever, rel=1e-9)


def test_the_strut_of_the_page_is_read():
    (strut,) = re.findall(r"`(struts: .*?)`", PAGE, re.DOTALL)
    (read,) = from_yaml(YAML_BLOCKS[1] + strut.replace("\n", " ")).forces
    assert (read.stiffness, read.length, read.damping) == (500.0, 0.1, 2.0)


def test_the_three_legs_of_the_page_have_three_freedoms(tmp_path):
    text = YAML_BLOCKS[2]
    path = tmp_path / "my-3-rpr.yaml"
    path.write_text(text, encoding="utf-8")
    model = lw.build(lw.load(path, {"plate": "200 mm"}))
    assert model.mobility == len(model.actuated) == 3
    assert model.assemble().residual < 1e-12
    assert model.mechanism.loops[0].child_at.xyz[0] == pytest.approx(0.1, rel=1e-12)


def test_numbers_of_the_three_legs_change_as_the_page_says(tmp_path):
    path = tmp_path / "my-3-rpr.yaml"
    path.write_text(YAML_BLOCKS[2], encoding="utf-8")
    mech = lw.load(path)
    assert [(p.name, p.unit, len(p.uses)) for p in mech.parameters] == [
        ("base", "m", 6),
        ("plate", "m", 6),
        ("turn", "rad", 6),
    ]
    assert mech.value("joints.rho1.limits.upper") == 0.59
    wider = mech.with_values({"base": 0.6, "bodies.platform.mass": 3.0})
    lw.save(wider, tmp_path / "wider.yaml")
    assert 'base: "0.6 m"' in (tmp_path / "wider.yaml").read_text(encoding="utf-8")
    assert lw.load(tmp_path / "wider.yaml") == wider


CATALOG = (Path(__file__).parent.parent / "docs" / "howto" / "catalog.md").read_text(encoding="utf-8")


def test_the_page_of_the_catalog_names_every_mechanism():
    listed = {
        row[0]: tuple(map(int, row[1:])) for row in re.findall(r"^\| `(.+?)` \|.*\| (\d) \| (\d) \|", CATALOG, re.M)
    }
    about = lw.catalog.summaries()
    assert listed == {name: (one.mobility, one.actuators) for name, one in about.items()}


HOWTO = Path(__file__).parent.parent / "docs" / "howto"
CODE = ("accuracy", "catalog", "check")


@pytest.mark.parametrize("page", CODE)
def test_the_code_of_a_page_runs(page, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    names: dict = {}
    with warnings.catch_warnings():
        for code in re.findall(r"```python\n(.*?)```", (HOWTO / f"{page}.md").read_text(encoding="utf-8"), re.DOTALL):
            exec(compile(code, f"{page}.md", "exec"), names)


def commands(page):
    text = (HOWTO / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"^linkwright ((?:check|explain) .*?)(?: +#.*)?$", text, re.MULTILINE)


@pytest.mark.parametrize("page", ["check", "explain"])
def test_the_commands_of_a_page_work(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("my-robot.yaml").write_text(YAML_BLOCKS[0], encoding="utf-8")
    lw.save(lw.catalog.load("stanford-arm"), "my-robot.urdf")
    assert commands(page)
    for line in commands(page):
        done = CliRunner().invoke(main, shlex.split(line))
        assert done.exit_code == 0, f"{line}\n{done.output}"


def test_the_page_of_the_command_line_names_every_verb_and_code():
    page = (HOWTO / "command-line.md").read_text(encoding="utf-8")
    listed = {
        verb for row in re.findall(r"^\| (`.*?) \|", page, re.MULTILINE) for verb in re.findall(r"`([a-z][\w-]*)`", row)
    }
    assert listed == set(main.commands)
    (exits,) = re.findall(r"Exit codes: (.*?)\.\n", page)
    assert re.findall(r"(?:^|, )(\d+) ", exits) == [str(int(code)) for code in Exit]


def test_every_verb_with_a_mechanism_takes_its_parameters():
    verbs = [*main.commands.values(), *main.commands["export"].commands.values()]
    named = [verb for verb in verbs if any(param.name == "name_or_file" for param in verb.params)]
    assert len(named) >= 11
    assert all(any("--set" in param.opts for param in verb.params) for verb in named)


def test_the_page_on_changing_the_design_runs():
    page = (Path(__file__).parent.parent / "docs" / "howto" / "change-the-design.md").read_text(encoding="utf-8")
    first, *others = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    found: dict = {}
    exec(first, found)
    longer = lw.build(found["longer"].mechanism)
    assert np.allclose(found["a"], longer.forward_dynamics(found["q"], found["v"], [1.0]), rtol=0, atol=1e-11)
    for block in others:
        exec(block, found)
    assert found["M"].shape == (1000, 3, 3) and found["J_p"].shape == (5, 3, 6, 2)


def test_the_page_on_kinematics_runs(capsys):
    page = (Path(__file__).parent.parent / "docs" / "howto" / "kinematics.md").read_text(encoding="utf-8")
    found: dict = {}
    for block in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(block, found)
    assert capsys.readouterr().out == "2 out-of-reach\n"
    assert np.isfinite(found["q"]).all() and found["q"].shape == (2, 4)
