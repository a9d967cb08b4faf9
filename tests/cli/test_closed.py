"""The command line on mechanisms with loops and couplings: closed motions, open ones refused, singular samples."""

import json
import math
import sys
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright import joints
from linkwright.cli import main
from linkwright.cli.printed_tables import sparkline
from linkwright.formats import read
from linkwright.readable_text import number_text

GEARS = """format: 1
name: gears
bodies: {a: {mass: 1, com: [0.5, 0, 0]}, b: {mass: 2, com: [0.25, 0, 0]}}
joints:
  first: {type: revolute, parent: ground, child: a, axis: y}
  second: {type: revolute, parent: ground, child: b, axis: y}
couplings: {pair: {terms: {first: 1, second: -2}}}
actuators: {motor: {joint: first}}
"""


@pytest.fixture(autouse=True)
def here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    return tmp_path


def run(*args):
    return CliRunner().invoke(main, [str(each) for each in args])


def catalog_text(name):
    return (Path(lw.catalog.__file__).parent / "data" / f"{name}.yaml").read_text(encoding="utf-8")


MOTIONS = [
    ("four-bar", "motor=2"),
    ("four-bar", "theta=-500 deg"),
    ("slider-crank", "270 deg"),
    ("five-bar", "motor1=130 deg, theta2=55 deg"),
    ("delta", "motor2=45 deg"),
    ("gough-stewart", None),
]


@pytest.mark.parametrize(("name", "end"), MOTIONS)
def test_a_motion_of_the_actuators_keeps_every_loop_closed(name, end):
    model = lw.build(lw.catalog.load(name))
    home = model.assemble().q
    first = home[model.q_names.index("rho1")] if end is None else None
    end = end or f"rho1={first + 0.05:.3f} m"
    done = run("motion", name, "--at", end, "--samples", "41", "--duration", "10 s", "--save-run", "m.npz")
    assert done.exit_code == 0, done.output + done.stderr
    found = lw.open_result("m.npz")
    t, q, v, a, tau = found.t[:, None], found.q, found.v, found.a, found.tau
    J = model.closure_jacobian(q)
    assert np.abs(model.closure_residual(q)).max() < 1e-9
    assert np.abs(J @ v[..., None]).max() < 1e-9
    assert tau == pytest.approx(model.inverse_dynamics(q, v, a), rel=1e-12, abs=1e-12)
    if len(model.q_names) == model.nv:  # no quaternions: rates are differences
        assert np.diff(q, axis=0) == pytest.approx(0.5 * np.diff(t, axis=0) * (v[1:] + v[:-1]), abs=3e-2)
        assert np.diff(v, axis=0) == pytest.approx(0.5 * np.diff(t, axis=0) * (a[1:] + a[:-1]), abs=0.2)


def test_the_four_bars_torque_at_the_end_is_the_librarys():
    run("motion", "four-bar", "--at", "theta=2", "--samples", "3", "--save-run", "m.npz")
    model = lw.build(lw.catalog.load("four-bar"))
    expected = model.inverse_dynamics(*model.forward_kinematics([2.0]))
    assert lw.open_result("m.npz").tau[-1] == pytest.approx(expected.tolist(), rel=1e-9)
    assert expected[0] == pytest.approx(-2.91208, abs=1e-5)


def test_actuators_not_named_stay_at_home_and_ranges_have_a_start():
    model = lw.build(lw.catalog.load("five-bar"))
    home = model.assemble().q
    run("motion", "five-bar", "--at", "motor1=2.2..2.4", "--samples", "5", "--save-run", "m.npz")
    q = lw.open_result("m.npz").q
    one, two = (model.q_names.index(name) for name in ("theta1", "theta2"))
    assert (q[0, one], q[-1, one]) == pytest.approx((2.2, 2.4))
    assert q[:, two] == pytest.approx(home[two])


def test_a_closed_motion_written_is_a_motion_read():
    first = run("motion", "four-bar", "--at", "motor=60 deg", "--save-run", "a.csv")
    again = run("motion", "four-bar", "--run", "a.csv", "--save-run", "b.csv")
    assert first.exit_code == again.exit_code == 0, again.stderr
    assert np.array_equal(lw.open_result("a.csv").tau, lw.open_result("b.csv").tau)


def test_an_open_motion_is_refused_with_gap_and_tolerance():
    names = ("theta", "alpha_rel", "phi")
    Path("m.csv").write_text("t," + ",".join(f"{x}.{n}" for x in "qva" for n in names) + "\n0,2,0,0" + ",0" * 6 + "\n")
    done = run("motion", "four-bar", "--coordinates", "m.csv")
    assert done.exit_code == 4
    q = [2.0, 0.0, 0.0]
    gap = np.abs(lw.build(lw.catalog.load("four-bar")).closure_residual(q)).max()
    assert f"the largest closure residual is {gap:.1e} m, in sample 1 of 1, and the tolerance is 1e-06 m" in done.stderr


def test_couplings_move_along():
    Path("gears.yaml").write_text(GEARS)
    done = run("motion", "gears.yaml", "--at", "motor=60 deg", "--samples", "5", "--save-run", "m.npz")
    assert done.exit_code == 0, done.stderr
    found = lw.open_result("m.npz")
    q, v, a = found.q, found.v, found.a
    for x in (q, v, a):
        assert x[:, 0] == pytest.approx(2.0 * x[:, 1])
    forces = lw.build(read("gears.yaml").mechanism).generalized_forces(q, v, a)
    assert found.tau[:, 0] == pytest.approx(forces[:, 0] + 0.5 * forces[:, 1]), "virtual work"


WRONG = [
    (("motion", "four-bar", "--at", "phi=1"), 2, "unknown actuator 'phi'"),
    (("motion", "four-bar", "--at", "motor=1, theta=2"), 2, "'motor' and 'theta' are the same coordinate, given twice"),
    (("motion", "four-bar", "--at", "1, 2"), 2, "has 2 values and needs 1: theta"),
    (("motion", "four-bar", "--at", "motor=1 m"), 2, "motor: '1 m' is a length"),
    (("motion", "four-bar"), 2, "give one of --at, --poses"),
    (("motion", "slider.yaml", "--at", "stroke=1 m"), 4, "cannot be followed from t = 0.255 s"),
    (("motion", "slider.yaml", "--at", "1..0.35 m"), 4, "t = 0 s"),
    (("motion", "cut.yaml", "--at", "1"), 2, "actuator 'motor' drives 'crank_pin', which is not a coordinate"),
    (("motion", "idle.yaml", "--at", "1"), 2, "names no actuators"),
]


@pytest.mark.parametrize(("args", "code", "expected"), WRONG, ids=[" ".join(args) for args, _, _ in WRONG])
def test_mistakes_give_a_message_and_their_exit_code(args, code, expected):
    text = catalog_text("slider-crank")
    Path("slider.yaml").write_text(text.replace("{joint: crank_angle}", "{joint: stroke}"))
    Path("cut.yaml").write_text(text.replace("{joint: crank_angle}", "{joint: crank_pin}"))
    Path("idle.yaml").write_text(text.replace("actuators:\n  motor: {joint: crank_angle}\n", ""))
    done = run(*args)
    assert done.exit_code == code, done.output + done.stderr
    assert expected in done.stderr
    assert "Traceback" not in done.output + done.stderr


def singular_motion():
    """A slider-crank pushed by its slider: at the dead center no force turns the crank."""
    Path("slider.yaml").write_text(catalog_text("slider-crank").replace("{joint: crank_angle}", "{joint: stroke}"))
    rows = ["t," + ",".join(f"{x}.{n}" for x in "qva" for n in ("crank_angle", "stroke", "rod_angle"))]
    for t, turn in enumerate((0.5, 0.0, 0.25)):
        rod = -math.asin(math.sin(turn) / 3.0)
        q = (turn, 0.1 * math.cos(turn) + 0.3 * math.cos(rod), rod)
        rows.append(",".join(map(repr, (float(t), *q, *(0.0,) * 6))))
    Path("m.csv").write_text("\n".join(rows) + "\n")


def test_singular_samples_are_counted_and_shown_as_nan():
    singular_motion()
    done = run("motion", "slider.yaml", "--coordinates", "m.csv")
    assert done.exit_code == 0, done.output + done.stderr
    assert "1 of 3 samples have no efforts (singular configurations)" in done.output
    assert "nan" in done.output


def test_singular_samples_are_null_in_json():
    singular_motion()
    shown = run("motion", "slider.yaml", "--coordinates", "m.csv", "--json").stdout
    assert "NaN" not in shown
    data = json.loads(shown)
    assert data["samples_without_efforts"] == 1


def test_numbers_that_do_not_exist_are_not_shown_as_zero():
    assert number_text(math.nan) == number_text(math.nan, among=3.0) == "nan"
    assert number_text(-math.inf) == "-inf"
    assert sparkline([math.nan, 1.0, math.inf, 2.0], bars="_@") == " _ @"
    assert sparkline([math.nan] * 3, bars="_@") == "   "
    assert sparkline([5.0, math.nan], bars="_@") == "_ "


def test_the_demo_does_not_agree_with_missing_numbers():
    assert sys.modules["linkwright.cli.demo"].worst_difference([0.0, 5.0], [[math.nan] * 6] * 2) == math.inf


@pytest.mark.parametrize("name", ["four-bar", "delta", "bricard"])
def test_info_says_mobility_and_redundancy(name):
    model = lw.build(lw.catalog.load(name))
    spare = len(model.redundant_equations)
    assert f"mobility: {model.mobility}; redundant closure equations: {spare}" in run("info", name).output
    data = json.loads(run("info", name, "--json").stdout)
    assert (data["mobility"], data["redundant_equations"]) == (model.mobility, spare)


def test_info_of_trees_and_couplings():
    Path("gears.yaml").write_text(GEARS)
    assert json.loads(run("info", "stanford-arm", "--json").stdout)["mobility"] == 6
    shown = run("info", "gears.yaml").output
    assert "mobility: 1; redundant closure equations: 0" in shown
    assert "1 first + -2 second" in shown


def test_a_mechanism_that_cannot_be_assembled_is_described_and_not_moved():
    far = catalog_text("four-bar").replace("base: 3 m", "base: 30 m")
    Path("far.yaml").write_text(far)
    done = run("info", "far.yaml")
    assert done.exit_code == 0, done.stderr
    assert "mobility: unknown, because" in done.output
    data = json.loads(run("info", "far.yaml", "--json").stdout)
    assert data["mobility"] is None
    assert "clos" in data["mobility_unknown"]
    assert run("motion", "far.yaml", "--at", "motor=1").exit_code == 4


def test_the_joints_page_that_is_pointed_to_exists():
    page = Path(__file__).parents[2] / "docs" / "theory" / "2-joints-and-poses.md"
    assert page.is_file()
    assert f"docs/theory/{page.name}" in (joints.__doc__ or "")
