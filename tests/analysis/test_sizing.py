"""Sizes of actuators against energy, single motors worked out by hand, and models built with other actuators."""

import dataclasses
import itertools
import json
import re
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy.integrate import trapezoid

import linkwright as lw
from linkwright.analysis import Motor
from linkwright.cli import main

SHEET = """# a small data sheet, speeds in rad/s, torques in N m
name, speed [rad/s], continuous, peak, rotor_inertia
small, 0, 0.16, 0.48, 2.5e-6
small, 300, 0.16, 0.48, 2.5e-6
small, 600, 0.08, 0.16, 2.5e-6
large, 0, 1.3, 3.8, 2.6e-5
large, 500, 1.0, 3.0, 2.6e-5
weak, 400, 0.001, 0.002, 1e-7
"""


@pytest.fixture(scope="module")
def five_bar():
    model = lw.build(lw.catalog.load("five-bar"))
    t = np.linspace(0.0, 1.0, 2001)
    return model, lw.motion(
        model, t, pose=lambda t: [0.1 * np.sin(2 * np.pi * t), 0.42 + 0.03 * np.cos(6 * t), 0, 0, 0, 0]
    )


def test_loads_are_integrals_of_the_motion(five_bar):
    model, run = five_bar
    found = lw.analysis.size(model, run, rest=1.0)
    v = model.actuator_velocities(run.v)
    for i, load in enumerate(found.loads):
        tau, power = run.tau[:, i], run.tau[:, i] * v[:, i]
        assert load.peak == np.abs(tau).max() and load.speed == np.abs(v[:, i]).max() and load.power == power.max()
        assert load.rms == pytest.approx(np.sqrt(trapezoid(tau**2, run.t) / 2.0), rel=1e-12)
        assert load.work - load.regenerated == pytest.approx(trapezoid(power, run.t), abs=1e-12)
    gained = run.energy[-1] - run.energy[0]
    assert sum(e.work - e.regenerated for e in found.loads) == pytest.approx(gained, abs=1e-4)
    twice = lw.analysis.size(model, [run, run])
    assert twice.loads[0].rms == pytest.approx(np.sqrt(2.0) * found.loads[0].rms, rel=1e-12)


def test_shares_of_a_motor_are_worked_out_by_hand(five_bar):
    """One gear, one motor: torque = load / (gear eta) or load eta / gear, plus rotor inertia times its acceleration."""
    model, run = five_bar
    gear, eta, inertia = 8.0, 0.9, 3e-5
    motor = Motor("M", (0.0, 200.0, 400.0), (0.5, 0.4, 0.2), (1.5, 1.0, 0.4), inertia)
    (choice,) = lw.analysis.size(model, run, [motor], gears=[gear], efficiency=eta).choices[:1]
    v, a = model.actuator_velocities(run.v)[:, 0], model.actuator_accelerations(run.a)[:, 0]
    torque = []
    for tau, rate, second in zip(run.tau[:, 0], v, a):
        driving = tau / (gear * eta) if tau * rate >= 0.0 else tau * eta / gear
        torque.append(driving + inertia * gear * second)
    torque = np.array(torque)
    rms, speed = (np.sqrt(trapezoid(x * x, run.t)) for x in (torque, gear * v))
    assert choice.torque == pytest.approx(rms, rel=1e-12)
    assert choice.rms == pytest.approx(rms / np.interp(speed, [0, 200, 400], [0.5, 0.4, 0.2]), rel=1e-12)
    limit = np.interp(gear * np.abs(v), [0, 200, 400], [1.5, 1.0, 0.4])
    assert choice.peak == pytest.approx(np.max(np.abs(torque) / limit), rel=1e-12)
    assert choice.speed == pytest.approx(gear * np.abs(v).max() / 400.0, rel=1e-12)


def test_rotors_of_the_file_are_replaced_by_those_of_the_motors(five_bar):
    model, run = five_bar
    mech = model.mechanism
    geared = tuple(dataclasses.replace(each, gear=10.0, rotor_inertia=2e-5) for each in mech.actuators)
    other = lw.build(dataclasses.replace(mech, actuators=geared))
    again = lw.motion(other, run.t, q_act=model.actuator_positions(run.q))
    motor = Motor("M", 1000.0, 0.5, 1.5, 1e-5)
    pairs = zip(lw.analysis.size(model, run, [motor]).choices, lw.analysis.size(other, again, [motor]).choices)
    for a, b in pairs:
        assert a.gear == b.gear and a.rms == pytest.approx(b.rms, rel=1e-4)
    assert any("rotor inertias" in note for note in lw.analysis.size(other, again, [motor]).notes)


def test_a_data_sheet_ranks_motors_and_gears(five_bar, tmp_path):
    model, run = five_bar
    path = tmp_path / "motors.csv"
    path.write_text(SHEET)
    found = lw.analysis.size(model, run, path, gears=[1.0, 5.0, 20.0])
    assert [motor.name for motor in found.motors] == ["small", "large", "weak"]
    own = [each for each in found.choices if each.actuator == "motor1"]
    assert [each.load for each in own] == sorted(each.load for each in own) and not own[-1].serves
    assert own[-1].motor == "weak" and found.best("motor1") == own[0] and found.best("motor1").serves
    every = [lw.analysis.size(model, run, path, gears=[gear]).choices for gear in (1.0, 5.0, 20.0)]
    least = min(each.load for one in every for each in one if (each.actuator, each.motor) == ("motor1", "small"))
    assert least == next(each.load for each in own if each.motor == "small")
    for name in ("a.npz", "a.json", "a.png", "a.html"):
        {".png": found.plot, ".html": found.report}.get(name[1:], found.save)(tmp_path / name)


def test_sets_of_actuators_have_the_efforts_of_models_built_with_them(five_bar):
    model, run = five_bar
    found = lw.analysis.actuator_sets(model, run)
    assert found.examined == 6
    for each in found.sets:
        other = lw.build(model.mechanism, actuated=list(each.joints))
        tau = other.inverse_dynamics(run.q, run.v, run.a)
        assert each.peak == pytest.approx(np.abs(tau).max(), rel=1e-8)
        power = np.maximum(tau * other.actuator_velocities(run.v), 0.0).sum(axis=1)
        assert each.work == pytest.approx(trapezoid(power, run.t), rel=1e-8, abs=1e-12)
    named = {tuple(sorted(each.joints)) for each in found.sets}
    assert ("theta1", "theta2") in named and named <= set(itertools.combinations(sorted(model.v_names), 2))
    fewer = lw.analysis.actuator_sets(model, run, ["theta1", "theta2"])
    assert len(fewer.sets) == 1 and fewer.sets[0].peak == pytest.approx(np.abs(run.tau).max(), rel=1e-9)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,speed,continuous,peak\nM,1,1,1\n", "column 'rotor_inertia' is missing"),
        (
            "name,speed,continuous,peak,rotor_inertia\nM,100,,1,0\n",
            r"motors\.csv:2: continuous is ''; write a finite number",
        ),
        ("name,speed,continuous,peak,rotor_inertia\nM,100,2,1,0\n", "at most the peak"),
        ("name,speed,continuous,peak,rotor_inertia\nM,0,1,2,0\n", "no speed above zero"),
        ("name,speed,continuous,peak,rotor_inertia\nM,100,1,2,0\nM,50,1,2,0\n", "must ascend"),
        ("name,speed,continuous,peak,rotor_inertia\n", "no rows"),
        ("name;speed;continuous;peak;rotor_inertia\nM;100;1;2;0\n", "separated by ';'; save the file with commas"),
        ("name\tspeed\tcontinuous\nM\t100\t1\n", "separated by tabs"),
        (
            'name,speed,continuous,peak,rotor_inertia\nM,100,"1,5",2,0\n',
            "is '1,5'; write a finite number, with a point",
        ),
        ("maker,volt\nM,100\n", "the column 'name' is missing; it has 'maker', 'volt'"),
    ],
)
def test_motors_that_lack_data_are_refused(tmp_path, text, message):
    path = tmp_path / "motors.csv"
    path.write_text(text)
    with pytest.raises(lw.errors.ArgumentError, match=message):
        lw.analysis.load_motors(path)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"efficiency": 0.0}, "efficiency"),
        ({"efficiency": "good"}, "efficiency is 'good'"),
        ({"gears": "many"}, "gears is 'many'"),
        ({"rest": -1.0}, "rest"),
        ({"motors": [Motor("M", 1.0, 1.0, 1.0)], "gears": []}, "gears"),
        ({"motors": "nowhere.csv"}, "nowhere.csv"),
    ],
)
def test_wrong_arguments_are_refused(five_bar, given, message):
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        lw.analysis.size(*five_bar, **given)
    with pytest.raises(lw.errors.ArgumentError, match="no motion"):
        lw.analysis.size(five_bar[0], [])
    with pytest.raises(lw.errors.ArgumentError, match="unknown velocity 'theta9'"):
        lw.analysis.actuator_sets(*five_bar, ["theta9"])


SLIDER = """
format: 1
name: slider
bodies: {table: {mass: 10}}
base: {name: ground}
joints: {s: {type: prismatic, parent: ground, child: table}}
actuators: {screw: {joint: s, gear: 500}}
"""


@pytest.fixture(scope="module")
def slider(tmp_path_factory):
    """A table on a vertical screw, and the folder of its file, run and data sheet."""
    folder = tmp_path_factory.mktemp("slider")
    (folder / "slider.yaml").write_text(SLIDER)
    (folder / "motors.csv").write_text(SHEET)
    model = lw.build(lw.load(folder / "slider.yaml"))
    run = lw.motion(model, np.linspace(0.0, 1.0, 201), q_act=lambda t: [0.1 * np.sin(2 * np.pi * t)])
    run.save(folder / "run.npz")
    return model, run, folder


def test_sliding_actuators_try_screws_and_the_gear_of_the_file(slider):
    model, run, folder = slider
    found = lw.analysis.size(model, run, folder / "motors.csv")
    tried = [1.0, 500.0, *(2 * np.pi / lead for lead in (2e-3, 5e-3, 10e-3, 20e-3, 40e-3))]
    for each in found.choices:
        alone = [lw.analysis.size(model, run, folder / "motors.csv", gears=[gear]).choices for gear in tried]
        loads = {one.gear: one.load for some in alone for one in some if one.motor == each.motor}
        assert each.load == min(loads.values()) and loads[each.gear] == each.load
    assert found.best("screw") and found.data()["units"]["motors.gear"] == "rad/m"


def test_a_best_gear_at_the_end_of_the_list_is_noted(slider, five_bar):
    model, run, folder = slider
    notes = {
        gears: any(
            "the last that was tried" in note
            for note in lw.analysis.size(model, run, folder / "motors.csv", gears=gears).notes
        )
        for gears in [(1.0, 10.0, 100.0), (500.0,)]
    }
    assert notes == {(1.0, 10.0, 100.0): True, (500.0,): False}
    strong = Motor("direct", 1e4, 1e3, 1e4, 1.0)  # a rotor so heavy that it is best without a gear
    best = lw.analysis.size(*five_bar, [strong])
    assert best.best("motor1").gear == 1.0 and not best.notes


def test_the_verb_takes_leads_of_screws(slider, five_bar, tmp_path):
    def size_by_verb(mechanism, run, gears):
        words = ["size", str(mechanism), "--run", str(run), "--motors", str(slider[2] / "motors.csv"), "--gears", gears]
        return CliRunner().invoke(main, [*words, "--json"])

    file, run = slider[2] / "slider.yaml", slider[2] / "run.npz"
    by_lead, by_ratio = (
        json.loads(size_by_verb(file, run, x).output) for x in ("5 mm, 10 mm", f"{400 * np.pi} {200 * np.pi}")
    )
    gears, same = ([row.pop("gear") for row in data["motors"]] for data in (by_lead, by_ratio))
    assert gears == pytest.approx(same) and len(gears) == 3
    five_bar[1].save(tmp_path / "run.npz")
    refused = size_by_verb("five-bar", tmp_path / "run.npz", "10 mm")
    assert refused.exit_code == 2 and "'motor1' turns" in refused.output
    for wrong in ("3, x", "3 kg", "0 mm"):
        assert "write ratios" in size_by_verb(file, run, wrong).output


def test_the_verb_prints_and_ranks(five_bar, tmp_path):
    _, run = five_bar
    run.save(tmp_path / "run.npz")
    (tmp_path / "motors.csv").write_text(SHEET)
    words = ["size", "five-bar", "--run", str(tmp_path / "run.npz")]
    done = CliRunner().invoke(main, [*words, "--motors", str(tmp_path / "motors.csv"), "--gears", "5, 20", "--json"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.output)
    assert data["loads"][0]["peak_effort"] == pytest.approx(np.abs(run.tau[:, 0]).max(), rel=1e-12)
    sets = CliRunner().invoke(main, [*words, "--sets"])
    assert sets.exit_code == 0 and "theta1, theta2" in sets.output


def test_the_page_on_sizing_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    page = (Path(__file__).parents[2] / "docs" / "howto" / "sizing.md").read_text(encoding="utf-8")
    (sheet,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    Path("motors.csv").write_text(sheet)
    names: dict = {}
    for code in re.findall(r"```python\n(.*?)```", page, re.DOTALL):
        exec(code, names)
    assert names["found"].best("motor1").serves and Path("sizing.png").stat().st_size > 1000


def test_titles_of_a_data_sheet_name_units(tmp_path):
    head = "name,speed [rpm],continuous [N mm],peak,rotor_inertia [g cm^2]"
    (tmp_path / "motors.csv").write_text(f"{head}\nM,3000,500,1.5,20\n")
    (motor,) = lw.analysis.load_motors(tmp_path / "motors.csv")
    assert motor.speed == pytest.approx((100.0 * np.pi,)) and motor.continuous == pytest.approx((0.5,))
    assert motor.peak == (1.5,) and motor.rotor_inertia == pytest.approx(2e-6)
    (tmp_path / "motors.csv").write_text(f"{head.replace('rpm', 'm/s')}\nM,3000,500,1.5,20\n")
    with pytest.raises(
        lw.errors.ArgumentError, match="column 'continuous': the unit 'N mm' is that of a torque, but a force is wanted"
    ):
        lw.analysis.load_motors(tmp_path / "motors.csv")


def test_one_for_all_is_the_least_loaded_that_serves_everywhere(five_bar):
    model, run = five_bar
    sheet = [lw.analysis.Motor(name, 600.0, x, 3.0 * x, 1e-6) for name, x in (("a", 0.02), ("b", 0.5), ("c", 2.0))]
    found = lw.analysis.size(model, run, sheet, gears=[2.0, 5.0, 10.0])
    every = {name: [each for each in found.choices if each.motor == name] for name in "abc"}
    loads = {name: max(each.load for each in some) for name, some in every.items()}
    best = min(loads, key=lambda name: loads[name])
    assert loads[best] <= 1.0 < loads["a"]
    assert found.common == tuple(every[best]) and len(found.common) == model.na
    assert found.data()["common_motor"] == best
    assert lw.analysis.size(model, run, sheet[:1], gears=[2.0]).common == ()


def test_the_verb_of_neglected_inertias(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    model = lw.build(lw.catalog.load("five-bar"))
    run = lw.motion(model, 0.5, pose=lambda t: [0.1 * np.sin(6 * t), 0.42, 0, 0, 0, 0])
    run.save("run.npz")
    line = ["motion", "five-bar", "--run", "run.npz", "--without", "rods: distal1, distal2", "--without", "proximal1"]
    done = CliRunner().invoke(main, [*line, "--faster", "2", "--json", "--report", "page.html"])
    assert done.exit_code == 0, done.output
    bodies = {"rods": ["distal1", "distal2"], "without proximal1": ["proximal1"]}
    found = lw.analysis.neglect_inertia(model, bodies, run.q, 2.0 * run.v, 4.0 * run.a)
    table = json.loads(done.stdout)["differences"]
    assert {row["case"]: row["largest"] for row in table} == pytest.approx(found.largest, rel=1e-9)
    assert np.allclose(found.full, 4.0 * run.tau, rtol=1e-9, atol=1e-12), "without gravity in the plane"
    done = CliRunner().invoke(main, ["motion", "five-bar", "--run", "run.npz", "--without", "distl1"])
    assert done.exit_code == 2 and "not a body" in done.stderr
