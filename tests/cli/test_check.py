"""`linkwright check` on files and names: messages, JSON and exit codes."""

import json
import re
from dataclasses import replace
from pathlib import Path

import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.formats import read
from tests.analysis import mechanisms as m

CATALOG = Path(lw.catalog.__file__).parent / "data"


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


def run(*args):
    return CliRunner().invoke(main, [str(each) for each in args])


def test_a_sound_mechanism_ends_with_zero():
    done = run("check", "four-bar")
    assert done.exit_code == 0, done.output
    assert "Gruebler's count: 3 velocities - 5 equations = -2; mobility: 1, 3 of the equations redundant" in done.output
    assert "actuators: motor: they drive it exactly (1 of 1 freedom driven)" in done.output
    assert "Nothing is wrong (0 errors, 0 warnings, " in done.output.splitlines()[-1]


def test_a_length_that_is_set_below_zero_is_a_warning():
    done = run("check", "five-bar", "--set", "proximal=-0.3")
    assert "--set: proximal = -0.3 m (0.25 m in the file)" in " ".join(done.output.split())
    assert "2 warnings" in done.output.splitlines()[-1]  # and home is open by more than a link
    assert "--set:" not in run("check", "five-bar", "--set", "proximal=0.31").output


def test_json_holds_what_is_printed():
    done = run("check", "five-bar", "--json")
    data = json.loads(done.stdout)
    assert done.exit_code == data["exit_code"] == 0
    assert (data["bodies"], data["joints"], data["loops"], data["gruebler"], data["mobility"]) == (4, 5, 1, -1, 2)
    assert data["actuation"]["verdict"] == "exact"
    assert len(data["actuation"]["alternatives"]) == data["actuation"]["admissible"] == 10


def saved(mech, name):
    lw.save(mech, name)
    assert read(name).mechanism.name == mech.name
    return name


def test_idle_spins_are_remarks():
    done = run("check", saved(m.rssr(), "rssr.yaml"))
    assert done.exit_code == 0
    assert "Remarks\n- body 'rod' spins between joints 'near', 'far' and moves nothing else (idle: " in done.output
    assert "no actuator drives 1 idle freedom: inverse dynamics takes no effort there" in " ".join(done.output.split())
    assert "Nothing is wrong (0 errors, 0 warnings, 2 remarks)." in done.output


def test_open_loops_end_with_four_and_report_the_residual():
    text = (CATALOG / "four-bar.yaml").read_text(encoding="utf-8")
    Path("far.yaml").write_text(text.replace("base: 3 m", "base: 30 m"))
    done = run("check", "far.yaml")
    assert done.exit_code == 4
    assert "mobility: unknown" in done.output
    assert "loop 'B' does not close: the best of 257 starts leaves a closure" in " ".join(done.output.split())


HEAD = "format: 1\nname: x\n"
ONE = HEAD + "bodies: {a: {mass: 1}}\njoints: {j: {type: revolute, parent: ground, child: a}}\n"
BAD = {
    "empty": "",
    "no yaml": "{[",
    "loose bodies": HEAD + "bodies: {a: {mass: 1}, b: {mass: 1}}\njoints: {j: {type: revolute, parent: a, child: b}}\n",
    "negative mass": ONE.replace("mass: 1", "mass: -1"),
    "unknown body": ONE.replace("ground", "earth"),
}


@pytest.mark.parametrize("name", BAD)
def test_files_that_are_no_mechanism_end_with_three(name):
    Path("bad.yaml").write_text(BAD[name])
    done = run("check", "bad.yaml")
    assert done.exit_code == 3, done.output + done.stderr
    assert "Errors\n- " in done.output and "Traceback" not in done.output + done.stderr
    data = json.loads(run("check", "bad.yaml", "--json").stdout)
    assert data["exit_code"] == 3 and data["mobility"] is None
    assert all(f["file"] == "bad.yaml" and f["message"] for f in data["findings"])


def test_warnings_of_a_kind_are_one_line_and_all_are_counted():
    mech = m.five_bar("j1")
    light = replace(mech.bodies[1], inertia=replace(mech.bodies[1].inertia, mass=1e-9))
    tips = tuple(replace(light, name=f"tip{i}") for i in range(30))
    joints = tuple(
        replace(mech.joints[0], name=f"t{i}", parent=mech.bodies[0].name, child=f"tip{i}") for i in range(30)
    )
    name = saved(replace(mech, bodies=(*mech.bodies, *tips), joints=(*mech.joints, *joints)), "tips.yaml")
    done = run("check", name)
    assert done.output.count("placeholder") == 1 and "and 29 more like this" in done.output
    data = json.loads(run("check", name, "--json").stdout)
    assert f"{data['counts']['warnings']} warnings" in done.output and data["counts"]["warnings"] >= 30


@pytest.mark.parametrize("args", [("check", "no-such-mechanism"), ("check", "missing.yaml")])
def test_names_that_lead_nowhere_end_with_three(args):
    done = run(*args)
    assert done.exit_code == 3
    assert "Traceback" not in done.output + done.stderr


def test_no_actuators_is_a_remark_with_a_proposal():
    done = run("check", saved(replace(m.five_bar("j1"), actuators=()), "idle.yaml"))
    assert done.exit_code == 0
    assert "no actuators are named; the mechanism has 2 freedoms to drive" in done.output
    assert (
        "Name the driven joints under 'actuators' (in URDF give each a <transmission>), for example joints 'j"
        in done.output
    )


def test_mistakes_in_a_file_are_reported_with_their_lines(tmp_path):
    file = tmp_path / "broken.yaml"
    file.write_text(
        "format: 1\nname: x\nbodies:\n  a: {mas: 1}\njoints:\n  j: {type: hinge, parent: ground, child: a}\n"
    )
    result = CliRunner().invoke(main, ["check", str(file)])
    assert result.exit_code == 3
    assert f"- {file}:4: bodies.a.mas: unknown key 'mas' (did you mean 'mass'?)." in result.output
    assert f"- {file}:6: joints.j: unknown kind of joint 'hinge' (did you mean 'revolute'?)." in result.output
    assert result.output.endswith("\n2 errors, 0 warnings, 0 remarks.\n")


def test_slips_are_warnings_of_check_and_elsewhere(tmp_path):
    file = tmp_path / "large.yaml"
    file.write_text(
        "format: 1\nname: x\nbodies:\n  a: {mass: 1, com: [300, 0, 0]}\n"
        "joints:\n  j: {type: revolute, parent: ground, child: a, axis: y}\n"
    )
    checked = CliRunner().invoke(main, ["check", str(file)])
    assert checked.exit_code == 0
    assert "- the mechanism is 300 m large.\n  Were millimeters meant? Bare numbers are meters." in checked.output
    other = CliRunner().invoke(main, ["explain", str(file)])
    assert "Warning: the mechanism is 300 m large; were millimeters meant?" in other.stderr


def test_actuators_that_cannot_be_understood_are_reported_once(tmp_path):
    text = (CATALOG / "five-bar.yaml").read_text(encoding="utf-8")
    file = tmp_path / "twice.yaml"
    file.write_text(
        re.sub(r"(?ms)^actuators:\n.*?(?=^\S|\Z)", "actuators: {a: {joint: theta1}, b: {joint: theta1}}\n", text)
    )
    done = run("check", file)
    assert done.exit_code == 5
    assert "the same speed twice" in done.output and "Name each driven joint once under 'actuators'." in done.output
    assert "no actuators are named" not in done.output


def four_bar(**changes):
    """The four-bar of the catalog with changed records, as a file."""
    return saved(replace(lw.catalog.load("four-bar"), **changes), "changed.yaml")


def heavier(**changes):
    mech = lw.catalog.load("four-bar")
    first = mech.bodies[0]
    return four_bar(bodies=(replace(first, inertia=replace(first.inertia, **changes)), *mech.bodies[1:]))


IMPOSSIBLE = ((0.1, 0.0, 0.0), (0.0, 0.2, 0.0), (0.0, 0.0, 9.0))


def with_a_locked_actuator():
    """A rigid frame of three rods stands beside a slider that moves; a motor sits at one of its corners."""
    joints = "A: {type: revolute, parent: ground, child: a}, B: {type: revolute, parent: a, child: b, at: [1, 0, 0]}"
    Path("locked.yaml").write_text(
        "format: 1\nname: locked\n"
        "bodies: {a: {mass: 1, inertia: [1, 1, 1]}, b: {mass: 1, inertia: [1, 1, 1]}, s: {mass: 1}}\n"
        f"joints: {{{joints}, S: {{type: prismatic, parent: ground, child: s}}}}\n"
        "loops: {C: {type: revolute, parent: b, child: ground, at: [1, 0, 0], child_at: [0.3, 1.2, 0]}}\n"
        "actuators: [A, S]\nhome: {A: 1.2, B: 1.5}\n"
    )
    return "locked.yaml"


def dropped_loop(tag):
    Path("loop.urdf").write_text(
        '<robot name="r"><link name="a"/><link name="b"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1"/>'
        '</inertial></link><joint name="j" type="continuous"><parent link="a"/><child link="b"/></joint>'
        f'<transmission name="t"><joint name="j"/></transmission><{tag}/></robot>'
    )
    return "loop.urdf"


BROKEN = {
    "impossible inertia": (lambda: heavier(tensor=IMPOSSIBLE), "warning", 0),
    "mass center 2 km away": (lambda: heavier(com=(2000.0, 0.0, 0.0)), "warning", 0),
    "actuator on a locked joint": (with_a_locked_actuator, "warning", 0),
    "dropped constraint": (lambda: dropped_loop("constraint"), "error", 5),
    "dropped loop": (lambda: dropped_loop("loop_joint"), "error", 5),
    "dropped ball constraint": (lambda: dropped_loop("drake:ball_constraint"), "error", 5),
    "unknown tag": (lambda: dropped_loop("whatever"), "warning", 0),
    "no actuators": (lambda: four_bar(actuators=()), "remark", 0),
    "nothing": (lambda: "four-bar", None, 0),
}


@pytest.mark.parametrize("name", BROKEN)
def test_the_last_line_counts_the_records_and_errors_alone_set_the_exit_code(name):
    make, severity, code = BROKEN[name]
    file = make()
    done, data = run("check", file), json.loads(run("check", file, "--json").stdout)
    severities = [finding["severity"] for finding in data["findings"]]
    counts = {each: severities.count(each) for each in ("error", "warning", "remark")}
    assert data["counts"] == {f"{each}s": n for each, n in counts.items()}
    counted = ", ".join(f"{n} {each}{'s' * (n != 1)}" for each, n in counts.items())
    clean = not counts["error"] and not counts["warning"]
    assert done.output.splitlines()[-1] == (f"Nothing is wrong ({counted})." if clean else f"{counted}.")
    assert done.exit_code == data["exit_code"] == code
    assert bool(counts["error"]) == bool(code)
    assert severity is None or counts[severity] > 0
    assert clean == (severity not in ("error", "warning"))


def test_every_command_warns_of_a_dropped_loop():
    file = dropped_loop("constraint")
    for args in (
        ("explain", file),
        ("motion", file, "--at", "1"),
        ("fk", file),
        ("selftest", file),
        ("simulate", file, "--duration", "0.01 s"),
    ):
        assert (
            "Warning: <constraint> dropped, it has no <parent> and <child>; write it as a <loop>" in run(*args).stderr
        ), args
