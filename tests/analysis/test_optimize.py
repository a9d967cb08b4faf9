"""Optimization of dimensions: gradients by differences, optima against closed formulas and exhaustive search."""

import json
import re
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner

import linkwright as lw
from linkwright.analysis import JacobianMeasure, PeakEffort, WeightedSum, optimize, pareto
from linkwright.cli import main

NAMES = ["base", "proximal", "distal"]
BOUNDS = {"proximal": (0.2, 0.45), "distal": (0.3, 0.5)}


@pytest.fixture(scope="module")
def model():
    return lw.build(lw.catalog.load("five-bar"), inputs=NAMES)


def disk(radius, count=12):
    angle = np.linspace(0.0, 2.0 * np.pi, count, endpoint=False)
    points = np.column_stack([radius * np.cos(angle), 0.4 + radius * np.sin(angle), 0.0 * angle])
    return lw.Pose(points, np.tile([1.0, 0.0, 0.0, 0.0], (count, 1)))


def jacobian(p, x, y):
    """Tip velocity per crank rate of a five-bar with outer elbows, by u_i . v = (u_i . e_i) rate_i."""
    base, proximal, distal = p
    rows, levers = [], []
    for side in (-1.0, 1.0):
        dx, dy = x - side * base, y
        r = np.hypot(dx, dy)
        bend = np.arccos((proximal**2 + r**2 - distal**2) / (2.0 * proximal * r))
        angle = np.arctan2(dy, dx) - side * bend
        elbow = proximal * np.array([np.cos(angle), np.sin(angle)])
        u = (np.array([dx, dy]) - elbow) / distal
        rows.append(u)
        levers.append(u @ np.array([-elbow[1], elbow[0]]))
    return np.linalg.solve(np.array(rows), np.diag(levers))


def worst_condition(p, poses):
    return max(np.linalg.cond(jacobian(p, x, y)) for x, y, _ in poses.position)


def test_the_exact_value_is_the_worst_of_the_closed_formula(model):
    poses, p = disk(0.08), model.parameters.values
    found = JacobianMeasure(model, poses, components=("x", "y"))(p)
    assert found.exact == pytest.approx(worst_condition(p, poses), rel=1e-9)
    assert found.exact <= found.value <= found.exact * np.exp(np.log(12) / 200.0)


@pytest.mark.parametrize("of", ["condition", "gain", "reduction"])
@pytest.mark.parametrize("combine", ["worst", "mean"])
def test_gradients_are_differences_of_designs_solved_again(model, of, combine):
    measure, p, h = JacobianMeasure(model, disk(0.08), of, combine, ("x", "y")), model.parameters.values, 1e-5
    differences = [
        (
            8 * (measure(p + h * e).value - measure(p - h * e).value)
            - measure(p + 2 * h * e).value
            + measure(p - 2 * h * e).value
        )
        / (12 * h)
        for e in np.eye(3)
    ]
    assert measure(p).gradient == pytest.approx(differences, rel=1e-6)


def test_gradients_of_peak_efforts(model):
    poses = disk(0.05, 9)
    chance = np.random.default_rng(1)
    twists, rates = np.zeros((9, 6)), np.zeros((9, 6))
    twists[:, 3:5], rates[:, 3:5] = chance.normal(size=(9, 2)), 5.0 * chance.normal(size=(9, 2))
    measure, p, h = PeakEffort(model, poses, twists, rates, ("x", "y")), model.parameters.values, 1e-5
    differences = [(measure(p + h * e).value - measure(p - h * e).value) / (2 * h) for e in np.eye(3)]
    assert measure(p).gradient == pytest.approx(differences, rel=1e-5)


def test_parts_are_the_values_at_the_poses(model):
    poses, p, h = disk(0.08), model.parameters.values, 1e-6
    measure = JacobianMeasure(model, poses, components=("x", "y"))
    found = measure(p)
    assert found.parts == pytest.approx([np.linalg.cond(jacobian(p, x, y)) for x, y, _ in poses.position], rel=1e-9)
    assert found.parts.max() == found.exact
    changes = [(measure(p + h * e).parts - measure(p - h * e).parts) / (2 * h) for e in np.eye(3)]
    assert found.part_gradients == pytest.approx(np.transpose(changes), rel=1e-5, abs=1e-6)


def test_many_poses_are_grouped(model, monkeypatch):
    measure, p = JacobianMeasure(model, disk(0.08, 24), components=("x", "y")), model.parameters.values
    every = measure(p)
    monkeypatch.setattr("linkwright.analysis.optimization.measures._MOST_PARTS", 6)
    found = measure(p)
    largest = every.parts.reshape(6, 4).max(axis=1)
    assert np.all(found.parts >= largest) and np.all(found.parts <= largest * np.exp(np.log(4) / 200.0))
    assert found.exact == every.exact


def test_designs_of_a_search_are_those_from_home(model):
    """Solved from the design before, a design has the value that it has by itself; with and without its gradient."""
    measure, rng = JacobianMeasure(model, disk(0.08), components=("x", "y")), np.random.default_rng(2)
    along, p = measure.following(), model.parameters.values
    for _ in range(20):
        p = model.parameters.values * (1.0 + rng.uniform(-0.15, 0.15, 3))
        alone = measure(p)
        for found in (along(p), along(p, gradient=False)):
            assert (np.isnan(found.exact) and np.isnan(alone.exact)) or found.exact == pytest.approx(
                alone.exact, rel=1e-9
            )


def test_designs_that_do_not_reach_are_left_and_found_again(model):
    along, p = JacobianMeasure(model, disk(0.08), components=("x", "y")).following(), model.parameters.values
    first = along(p)
    far = along(p * np.array([1.0, 0.2, 0.2]))
    assert far.reached < 1.0 and np.isnan(far.value) and far.parts is None
    assert along(p).exact == pytest.approx(first.exact, rel=1e-12)


def test_a_limit_is_used_to_the_last_digit(model):
    """The smallest robot stands at its limit: no smoothing keeps it away."""
    size, over = (
        WeightedSum(model, {"proximal": 1.0, "distal": 1.0}),
        JacobianMeasure(model, disk(0.08), components=("x", "y")),
    )
    found = optimize(model, size, BOUNDS, constraints=[(over, 1.8)], starts=1)
    assert found.constraints[0] == pytest.approx(1.8, rel=1e-7)
    assert over(found.p).exact == pytest.approx(found.constraints[0], rel=1e-9)


def test_no_design_of_a_grid_is_better(model):
    poses = disk(0.08)
    found = optimize(model, JacobianMeasure(model, poses, components=("x", "y")), BOUNDS, starts=2)
    base = model.parameters.by_name["base"]
    grid = [(a, b) for a in np.linspace(0.2, 0.45, 26) for b in np.linspace(0.3, 0.5, 21)]
    with np.errstate(invalid="ignore"):
        best = min(worst_condition((base, a, b), poses) for a, b in grid)
    assert found.value <= best * 1.001
    assert found.value == pytest.approx(worst_condition(found.p, poses), rel=1e-9)
    assert found.mechanism.value("proximal") == pytest.approx(found.values["proximal"])


def test_limits_hold(model):
    poses = disk(0.08)
    size = WeightedSum(model, {"proximal": 1.0, "distal": 1.0})
    found = optimize(
        model, size, BOUNDS, constraints=[(JacobianMeasure(model, poses, components=("x", "y")), 1.8)], starts=2
    )
    assert found.starts[0].kept
    assert worst_condition(found.p, poses) <= 1.8 * (1.0 + 1e-6)
    assert found.value < sum(model.parameters.values[1:])


def test_designs_of_a_front_do_not_beat_each_other(model):
    size = WeightedSum(model, {"proximal": 1.0, "distal": 1.0})
    front = pareto(model, (size, JacobianMeasure(model, disk(0.08), components=("x", "y"))), BOUNDS, count=4, starts=1)
    pairs = sorted((float(each.constraints[-1]), each.value) for each in front.optima)
    assert len(pairs) >= 3
    assert all(a[0] < b[0] and a[1] > b[1] for a, b in pairwise(pairs))


def test_designs_that_do_not_reach_are_left(model):
    found = optimize(model, JacobianMeasure(model, disk(0.1), components=("x", "y")), {"distal": (0.05, 0.5)}, starts=3)
    assert found.infeasible > 0 and np.isfinite(found.value)
    with pytest.raises(lw.errors.AssemblyError, match="widen the bounds"):
        optimize(model, JacobianMeasure(model, disk(0.1), components=("x", "y")), {"distal": (0.01, 0.05)}, starts=1)


@pytest.mark.parametrize(
    ("change", "part"),
    [
        ({"bounds": {}}, "bounds"),
        ({"bounds": {"distal": (0.5, 0.3)}}, "low < high"),
        ({"bounds": {"distl": (0.3, 0.5)}}, "did you mean 'distal'"),
        ({"bounds": {"distal": 0.5}}, "two numbers"),
        ({"starts": 0}, "starts"),
    ],
)
def test_bad_arguments(model, change, part):
    objective = WeightedSum(model, {"distal": 1.0})
    with pytest.raises(lw.errors.ArgumentError, match=part):
        optimize(**{"model": model, "objective": objective, "bounds": BOUNDS, **change})


def test_bad_measures(model):
    with pytest.raises(lw.errors.ArgumentError, match="of is"):
        JacobianMeasure(model, disk(0.1), "stiffness")
    with pytest.raises(lw.errors.ArgumentError, match="inputs"):
        JacobianMeasure(lw.build(lw.catalog.load("five-bar")), disk(0.1))


def test_limits_that_no_design_keeps_are_warned_of(model):
    condition = JacobianMeasure(model, disk(0.08), components=("x", "y"))
    with pytest.warns(lw.errors.ParameterWarning, match="keeps all constraints"):
        found = optimize(model, WeightedSum(model, {"distal": 1.0}), BOUNDS, constraints=[(condition, 1.0)], starts=1)
    assert np.isfinite(found.constraints).all() and found.notes and not found.starts[0].kept


def test_the_orthoglide_of_chablat_and_wenger_is_found():
    """D. Chablat, P. Wenger, IEEE Trans. Robotics and Automation 19 (2003) 403-410: the smallest Orthoglide whose
    velocity transmission factors are between 1/2 and 2 in a cube of 200 mm. At the two corners on the diagonal these
    limits give the closed form L (1 / sqrt 6 + 1 / sqrt 18) = 200 mm: legs of 310.58 mm, and a cube from 73.21 mm on
    one side of the isotropic point to 126.79 mm on the other.
    """
    side, shift = 0.2, [f"frames.platform.at.{axis}" for axis in "xyz"]
    robot = lw.build(lw.catalog.load("orthoglide"), inputs=["leg", *shift])
    edge = np.array([-side / 2, side / 2])
    points = np.stack(np.meshgrid(edge, edge, edge, indexing="ij"), axis=-1).reshape(-1, 3)
    cube = lw.Pose(points, np.tile([1.0, 0.0, 0.0, 0.0], (8, 1)))
    limits = [(JacobianMeasure(robot, cube, of), 2.0) for of in ("gain", "reduction")]
    bounds = {"leg": (0.25, 0.6), **dict.fromkeys(shift, (-0.08, 0.08))}
    found = optimize(robot, WeightedSum(robot, {"leg": 1.0}), bounds, constraints=limits, starts=1)
    leg, *moved = found.variables
    assert leg == pytest.approx(side / (1.0 / np.sqrt(6.0) + 1.0 / np.sqrt(18.0)), rel=1e-6)
    near = np.sort(np.abs([[side / 2 - x, side / 2 + x] for x in moved]), axis=1)
    assert np.allclose(near, [0.07321, 0.12679], atol=5e-6)


def page_code(page):
    text = (Path(__file__).parents[2] / "docs" / "howto" / f"{page}.md").read_text(encoding="utf-8")
    return re.findall(r"```python\n(.*?)```", text, re.DOTALL)


def test_the_largest_disk_and_the_smallest_robot_are_one_design():
    """By scale: the largest disk of a five-bar of 1 m is that of the smallest five-bar with a disk of given size."""
    names: dict = {"lw": lw, "np": np}
    exec(page_code("optimize")[-1], names)
    robot, found, bounds = names["robot"], names["found"], names["bounds"]
    assert found.constraints == pytest.approx([2.0, 1.0], rel=1e-6)
    assert set(robot.parameters["rod"].uses) > {"joints.tip.at.x", "joints.tip.child_at.x"}
    wide = {name: (0.1 * low, 10.0 * high) for name, (low, high) in bounds.items() if name != "radius"}
    wide["base"] = (0.02 * 0.08 / found.values["radius"], 1.0)  # the same share of the disk; the radius stays at 80 mm
    least = optimize(robot, names["length"], wide, constraints=[(names["condition"], 2.0)], starts=1)
    assert least.value * found.values["radius"] == pytest.approx(0.08, rel=1e-6)


STUDY = """
format: 1
mechanism: five-bar
optimize:
  vary: {proximal: [200 mm, 450 mm], distal: [300 mm, 500 mm]}
  minimize: {measure: sum, weights: {proximal: 1, distal: 1}}
  constraints: [{measure: condition, at_most: 2.5}]
  starts: 2
at: {x: [-0.08, 0, 0.08], y: {from: 320 mm, to: 480 mm, count: 3}}
"""


def test_a_study_and_options_give_the_same_design(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("study.yaml").write_text(STUDY, encoding="utf-8")
    done = CliRunner().invoke(
        main, ["optimize", "study.yaml", "--json", "--save-mechanism", "best.yaml", "--report", "a.html"]
    )
    assert done.exit_code == 0, done.output
    data = json.loads(done.stdout)
    line = ["optimize", "five-bar", "--vary", "proximal=200 mm..450 mm, distal=300 mm..500 mm", "--starts", "2"]
    line += [
        "--pose",
        "x=-0.08..0.08:3, y=320 mm..480 mm:3",
        "--minimize",
        "proximal + distal",
        "--at-most",
        "condition=2.5",
    ]
    other = json.loads(CliRunner().invoke(main, [*line, "--json"]).stdout)
    assert data["objective"] == other["objective"] and data["constraints"][0] <= 2.5 * (1.0 + 1e-6)
    best = lw.load("best.yaml")
    assert best.value("proximal") + best.value("distal") == pytest.approx(data["objective"], rel=1e-12)


@pytest.mark.parametrize(
    "option", ["--starts 8", "--seed 0", "--minimize condition", "--vary a=1..2", "--at-most gain=1"]
)
def test_options_of_the_search_are_refused_beside_a_study(tmp_path, option):
    path = tmp_path / "study.yaml"
    path.write_text(STUDY, encoding="utf-8")
    done = CliRunner().invoke(main, ["optimize", str(path), *option.split()])
    assert done.exit_code == 2 and f"{option.split()[0]} is for mechanisms" in done.output


@pytest.mark.parametrize(
    ("option", "message"),
    [
        (["--vary", "proximal=0.2"], "--vary: '0.2' is not a range"),
        (["--vary", "proximal=0.2..0.3:4"], "--vary: '0.2..0.3:4' is not a range"),
        (["--vary", "proximal=0.2..0.3", "--pose", "x=0..1"], "--pose: x needs a value or a range with a count"),
        (["--vary", "proximal=0.2..0.3", "--pose", "x=0..1:many"], "--pose: 'many' is not a number of values"),
        (["--vary", "proximal=0.2..0.3", "--pose", "x"], "--pose: x needs a value or a range with a count"),
    ],
)
def test_spans_that_are_none_are_refused(option, message):
    done = CliRunner().invoke(main, ["optimize", "five-bar", *option])
    assert done.exit_code == 2 and message in " ".join(done.output.split())


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"proximal: [200": "proximl: [200"}, "has no parameter 'proximl' (did you mean 'proximal'?)"),
        ({"measure: sum, weights: {proximal: 1, distal: 1}": "measure: sum"}, "needs weights"),
        ({"measure: condition": "measure: conditions"}, "conditions"),
        ({"[300 mm, 500 mm]": "[500 mm, 300 mm]"}, "give low < high"),
        ({"[300 mm, 500 mm]": "[300 mm, 5 kg]"}, "distal"),
    ],
)
def test_bad_studies_are_refused(tmp_path, change, message):
    text = STUDY
    for old, new in change.items():
        assert old in text
        text = text.replace(old, new)
    path = tmp_path / "study.yaml"
    path.write_text(text, encoding="utf-8")
    done = CliRunner().invoke(main, ["optimize", str(path)])
    assert done.exit_code in (2, 3) and message in done.output


def test_a_design_that_does_not_reach_is_recognized_by_few_poses(model, monkeypatch):
    rows = []
    plain = type(model).inverse_kinematics

    def counted(self, pose, *more, **named):
        rows.append(len(pose[0]))
        return plain(self, pose, *more, **named)

    monkeypatch.setattr(type(model), "inverse_kinematics", counted)
    short = model.parameters.array(proximal=0.2, distal=0.15)
    measure = JacobianMeasure(model, disk(0.08, 48), components=("x", "y"))
    assert not measure.reaches(short) and sum(rows) <= 8
    assert np.isnan(measure(short).value)
    assert measure.reaches(model.parameters.values) and np.isfinite(measure(model.parameters.values).value)
