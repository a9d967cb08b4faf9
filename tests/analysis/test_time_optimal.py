"""Least times along paths against closed formulas, a second solver, and inverse dynamics between the points."""

import dataclasses
import json

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.cli import main
from linkwright.forces import Friction
from linkwright.joints import Prismatic
from linkwright.mechanism import Actuator, Body, Inertia, Joint, Mechanism

SOLVERS = ["toppra", "linprog"]
MASS, FORCE, WAY = 2.0, 5.0, 0.7


def needs(solver):
    if solver == "toppra":
        pytest.importorskip("toppra")


@pytest.fixture(scope="module")
def five_bar():
    return lw.build(lw.catalog.load("five-bar"))


def slider(friction=None, effort=FORCE, speed=None):
    """A mass on a rail: the double integrator."""
    joint = Joint("x", "ground", "cart", Prismatic((1.0, 0.0, 0.0)), friction=friction)
    drive = Actuator("push", "x", effort=effort, speed=speed)
    body = Body("cart", Inertia.diagonal(MASS, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)))
    return lw.build(Mechanism("slider", (body,), (joint,), actuators=(drive,), base="ground"))


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_mass_is_accelerated_half_the_way_and_braked_the_other_half(solver):
    needs(solver)
    found = lw.analysis.time_optimal(slider(), q_act=lambda s: [WAY * s], intervals=100, solver=solver)
    assert found.duration == pytest.approx(2.0 * np.sqrt(WAY * MASS / FORCE), rel=1e-6)
    assert found.largest <= 1.0 + 1e-9 and np.abs(np.abs(found.effort) - FORCE).max() <= 1e-4 * FORCE


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_speed_limit_makes_a_trapezoid(solver):
    needs(solver)
    v = 0.8
    found = lw.analysis.time_optimal(slider(speed=v), q_act=lambda s: [WAY * s], intervals=1000, solver=solver)
    assert found.duration == pytest.approx(WAY / v + v * MASS / FORCE, rel=1e-5)
    assert found.reached["effort of push"] == pytest.approx(2.0 * v * MASS / FORCE / found.duration, abs=0.01)


@pytest.mark.parametrize("solver", SOLVERS)
def test_dry_friction_brakes_and_hinders(solver):
    needs(solver)
    c = 1.5
    model = slider(Friction((0.0,), (c,), 1e-7))
    found = lw.analysis.time_optimal(model, q_act=lambda s: [WAY * s], intervals=400, solver=solver)
    up, down = (FORCE - c) / MASS, (FORCE + c) / MASS
    top = np.sqrt(2.0 * WAY * up * down / (up + down))
    assert found.duration == pytest.approx(top * (1.0 / up + 1.0 / down), rel=2e-3)
    assert found.largest <= 1.0 + 1e-9


@pytest.mark.parametrize("solver", SOLVERS)
def test_viscous_friction_ends_at_the_speed_that_the_force_holds(solver):
    needs(solver)
    d, way = 10.0, 3.0
    model = slider(Friction((d,), (0.0,)))
    found = lw.analysis.time_optimal(model, q_act=lambda s: [way * s], intervals=400, solver=solver)
    # from rest: v = F/d (1 - exp(-d t / m)); braked by F and d v: backward in time v = F/d (exp(d t / m) - 1)
    T = MASS / d

    def gone(t_end):
        first = FORCE / d * (t_end - T * (1.0 - np.exp(-t_end / T)))
        v = FORCE / d * (1.0 - np.exp(-t_end / T))
        back = T * np.log(1.0 + v * d / FORCE)
        return first + FORCE / d * (T * (np.exp(back / T) - 1.0) - back), t_end + back

    low, high = 0.0, 100.0
    for _ in range(80):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if gone(middle)[0] < way else (low, middle)
    assert found.duration == pytest.approx(gone(low)[1], rel=1e-3)


def delta_path():
    model = lw.build(lw.catalog.load("delta"))
    x, y, z = model.frame_pose(model.assemble().q, "platform").position
    angle = np.linspace(0.0, np.pi, 9)
    points = np.stack([x - 0.05 * np.cos(angle), y + 0.02 * np.sin(angle), z - 0.03 + 0.025 * np.sin(angle)], axis=1)
    return model, {"pose": np.concatenate([points, np.zeros((9, 3))], axis=1), "effort": 3.0, "speed": 8.0}


def five_bar_path():
    mech = lw.catalog.load("five-bar")
    rubbed = [
        dataclasses.replace(j, friction=Friction((0.02,), (0.05,))) if j.name.startswith("theta") else j
        for j in mech.joints
    ]
    model = lw.build(dataclasses.replace(mech, joints=tuple(rubbed)))
    curve = lambda s: [0.12 * np.cos(3.0 * s), 0.4 + 0.08 * np.sin(4.0 * s), 0, 0, 0, 0]  # noqa: E731
    return model, {"pose": curve, "effort": [2.0, 1.5], "acceleration": {"motor1": 300.0}}


CASES = {"delta": delta_path, "five-bar": five_bar_path}


@pytest.mark.parametrize("name", CASES)
def test_limits_are_kept_everywhere_and_one_is_always_reached(name):
    pytest.importorskip("toppra")
    model, given = CASES[name]()
    found = lw.analysis.time_optimal(model, **given)
    other = lw.analysis.time_optimal(model, **given, solver="linprog")
    assert found.duration == pytest.approx(other.duration, rel=2e-5), "two solvers"
    t = np.sort(np.random.default_rng(1).uniform(0.0, found.duration, 3000))
    run = lw.motion(model, t, pose=found.reference, reactions=False)
    effort = np.broadcast_to(given["effort"], model.na)
    assert (np.abs(run.tau) <= effort * (1.0 + 1e-3)).all(), "between the points, with 0.1 % for what lies between"
    v = np.abs(model.actuator_velocities(run.v, run.q))
    a = np.abs(model.actuator_accelerations(run.a, run.q, run.v))
    assert v.max() <= given.get("speed", np.inf) * (1.0 + 1e-3)
    shares = [np.abs(run.tau) / effort, v / given.get("speed", np.inf)]
    if "acceleration" in given:
        assert a[:, 0].max() <= 300.0 * (1.0 + 1e-3)
        shares.append(a[:, :1] / 300.0)
    assert np.mean(np.concatenate(shares, axis=1).max(axis=1) >= 0.97) > 0.95, "bang-bang"
    assert found.margin < 0.01 and found.largest <= 1.0 + 1e-9


def test_scaled_limits_scale_the_time(five_bar):
    """Without gravity along the path, efforts grow with the square of the speed."""
    curve = lambda s: [0.1 - 0.2 * s, 0.42 + 0.05 * np.sin(3 * s), 0, 0, 0, 0]  # noqa: E731
    one, four = (
        lw.analysis.time_optimal(five_bar, pose=curve, effort=x, solver="linprog", intervals=60) for x in (1.0, 4.0)
    )
    assert one.duration == pytest.approx(2.0 * four.duration, rel=1e-6)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"pose": lambda s: [0.1 - 0.2 * s, 0.42, 0, 0, 0, 0]}, "nothing limits efforts or accelerations"),
        ({"pose": lambda s: [0.1 * s * s, 0.42, 0, 0, 0, 0], "effort": 1.0}, "stands still at s = 0"),
        ({"pose": lambda s: [2.0 * s, 0.42, 0, 0, 0, 0], "effort": 1.0}, "cannot be followed from s = "),
        ({"q_act": np.zeros((3, 2)), "effort": 1.0}, "rows 0 and 1 of the path are the same point"),
        ({"effort": 1.0}, "neither is given"),
        ({"q_act": [[1.0, 2.0], [1.0, np.nan]], "effort": 1.0}, r"q_act\[1\] holds nan, expected finite numbers"),
        ({"q_act": [[1.0], [2.0]], "effort": 1.0}, r"q_act has shape \(2, 1\), expected rows \(n, 2\)"),
        ({"pose": lambda s: [0.1 * s, 0.42, 0, 0, 0, 0], "effort": {"motor3": 1.0}}, "unknown actuator 'motor3'"),
        ({"pose": lambda s: [0.1 * s, 0.42, 0, 0, 0, 0], "effort": -1.0}, "expected numbers above zero"),
    ],
)
def test_messages(five_bar, given, message):
    with pytest.raises(lw.errors.LinkwrightError, match=message):
        lw.analysis.time_optimal(five_bar, solver="linprog", intervals=10, **given)


def test_a_load_that_cannot_be_held_is_named():
    model = lw.build(lw.catalog.load("delta"))
    x, y, z = model.frame_pose(model.assemble().q, "platform").position
    with pytest.raises(lw.errors.AssemblyError, match=r"needs .* to hold 'delta' at s = "):
        lw.analysis.time_optimal(model, pose=lambda s: [x + 0.01 * s, y, z, 0, 0, 0], effort=1e-3, solver="linprog")


def test_the_verb(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    line = ["time-optimal", "five-bar", "--pose", "x=-0.1..0.1, y=0.4", "--max-effort", "2"]
    line += [
        "--max-acceleration",
        "motor1=400 rad/s^2",
        "--solver",
        "linprog",
        "--intervals",
        "40",
        "--save-run",
        "run.npz",
    ]
    done = CliRunner().invoke(main, [*line, "--json", "--report", "page.html", "--output", "found.csv"])
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    run = lw.open_result("run.npz")
    assert run.t[-1] == pytest.approx(data["duration"]) and np.abs(run.tau).max() <= 2.0 * 1.01
    assert "Least time along a path" in (tmp_path / "page.html").read_text(encoding="utf-8")


def test_a_detour_that_the_mechanism_cannot_make_is_refused(five_bar):
    rows = np.array([[-0.1, 0.35, 0.0, 0, 0, 0], [0.0, 0.35, 0.2, 0, 0, 0], [0.1, 0.35, 0.0, 0, 0, 0]])
    with pytest.raises(lw.errors.ArgumentError, match="vary z,"):
        lw.analysis.time_optimal(five_bar, pose=rows, acceleration=100.0, intervals=20, solver="linprog")


def test_limits_that_are_not_kept_at_last_are_noted(five_bar, monkeypatch):
    from linkwright.analysis.paths import time_optimal as module

    curve = lambda s: [0.12 * np.cos(3.0 * s), 0.4 + 0.08 * np.sin(4.0 * s), 0, 0, 0, 0]  # noqa: E731
    given = {"pose": curve, "acceleration": 100.0, "intervals": 8, "solver": "linprog"}
    kept = lw.analysis.time_optimal(five_bar, **given)
    assert kept.largest <= 1.0 + 1e-9 and not kept.notes and kept.margin > 0.0
    monkeypatch.setattr(module, "_TIGHTENED", 1)
    found = lw.analysis.time_optimal(five_bar, **given)
    assert found.largest > 1.0 + 1e-9 and found.margin == 0.0
    assert f"{100.0 * (found.largest - 1.0):.3g} %" in found.notes[0]
