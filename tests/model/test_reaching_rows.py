"""Forward and inverse kinematics over the workspace: same assembly mode, type 1 passed, each row by itself."""

import re
import warnings

import numpy as np
import pytest

import linkwright as lw
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.forward_kinematics import ClosedRows, by_rows
from linkwright.kinematics.query import BatchRows
from linkwright.kinematics.target_plans import locate_driven_coordinates
from tests.loops.mechanisms import Mechanics
from tests.model.models import model

NAMES = ("five-bar", "3-rrr", "gough-stewart", "delta")
FREE = {"five-bar": ("x", "y"), "3-rrr": ("x", "y", "rz"), "gough-stewart": None, "delta": ("x", "y", "z")}


def numbers_of(given) -> tuple:
    """How many rows failed of how many, and the first of them, as the one warning's record has them."""
    assert len(given) == 1
    value = given[0].message.finding.value
    return value["failed"], value["rows"], value["first"]


def workspace(m: lw.Model, n: int, seed: int, wide: float = 1.0) -> np.ndarray:
    """Closed configurations across the workspace, each reached from home by a random walk of the actuators."""
    rng, found, home = np.random.default_rng(seed), [], m.assemble().q
    unit = m.kinematics.scales.speeds[[d.speed for d in m.dynamics.setup.drives]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.BatchWarning)
        while len(found) < n:
            targets = m.actuator_positions(home) + wide * unit * rng.uniform(-1.0, 1.0, (4 * n, m.na))
            q = m.forward_kinematics(targets, near=home)[0]
            found += list(q[np.isfinite(q).all(axis=1)])
    return np.array(found[:n])


def out_of_reach(m: lw.Model) -> np.ndarray:
    """Actuator positions that cannot be had from home."""
    rng, home = np.random.default_rng(7), m.assemble().q
    unit = m.kinematics.scales.speeds[[d.speed for d in m.dynamics.setup.drives]]
    for _ in range(200):
        target = home[locate_driven_coordinates(m.kinematics).indices] + 3.0 * unit * rng.uniform(-1.0, 1.0, m.na)
        try:
            m.forward_kinematics(target, near=home)
        except lw.errors.LinkwrightError:
            return target
    return (
        home[locate_driven_coordinates(m.kinematics).indices] + 1e4 * unit
    )  # this mechanism reaches everything within some turns


@pytest.mark.parametrize("name", NAMES)
def test_actuator_positions_of_a_closed_configuration_give_it_back_from_a_neighbor(name):
    m, at = model(name), locate_driven_coordinates(model(name).kinematics).indices
    q = workspace(m, 40, 0, 0.3 if name == "gough-stewart" else 1.0)
    rng = np.random.default_rng(1)
    unit = m.kinematics.scales.speeds[[d.speed for d in m.dynamics.setup.drives]]
    for one in q:
        margin = m.singularity(one).type2
        if margin < 1e-3:
            continue
        # where two modes meet, the measure falls with the square root of the way that is left (about margin^2 / 2 here)
        step = min(0.02, 0.2 * margin**2) * unit * rng.uniform(-1.0, 1.0, m.na)
        neighbor = m.forward_kinematics(one[at] + step, near=one)[0]
        assert np.abs(m.forward_kinematics(one[at], near=neighbor)[0] - one).max() < 1e-9
        assert np.abs(m.follow(one[at][None], neighbor)[0] - one).max() < 1e-9


@pytest.mark.parametrize(("name", "wide"), [("five-bar", 1.2), ("3-rrr", 1.2), ("gough-stewart", 0.3), ("delta", 1.0)])
def test_what_is_reached_is_what_thousands_of_small_steps_reach(name, wide):
    """Positions near a singularity are reached too, and none is reached by a jump to another assembly mode."""
    m, at = model(name), locate_driven_coordinates(model(name).kinematics).indices
    made, home, rng = Mechanics.of(m), m.assemble().q, np.random.default_rng(0)
    unit = made.scales.speeds[[d.speed for d in made.setup.drives]]
    targets = home[at] + wide * unit * rng.uniform(-1.0, 1.0, (60, m.na))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.BatchWarning)
        q = m.forward_kinematics(targets, near=home)[0]
    closing = made.minimal.function(closure_functions.closing)
    dependent = list(made.partition.dependent)
    sense = np.sign(np.linalg.det(closing(home)[1][:, dependent]))
    x, alive = np.tile(home, (60, 1)), np.ones(60, dtype=bool)
    for s in np.linspace(0.0, 1.0, 2001)[1:]:
        old = x.copy()
        x[:, at] = home[at] + (targets - home[at]) * s
        for _ in range(5):
            gap, J = closing(x)
            dv = np.zeros((60, m.nv))
            dv[:, dependent] = -np.linalg.solve(J[:, :, dependent], gap[..., None])[..., 0]
            x = made.minimal.function(closure_functions.advanced)(x, dv)
        near = (np.abs(gap).max(axis=1) < 1e-10) & (np.abs(x - old).max(axis=1) < 0.3)
        alive &= near & (np.sign(np.linalg.det(J[:, :, dependent])) == sense)
        x[~alive] = home
    assert np.array_equal(np.isfinite(q).all(axis=1), alive)
    assert np.abs(q[alive] - x[alive]).max() < 1e-9
    assert alive.any()


@pytest.mark.parametrize("name", NAMES)
def test_one_row_out_of_reach_is_nan_and_leaves_the_bits_of_the_others(name):
    m, at = model(name), locate_driven_coordinates(model(name).kinematics).indices
    q = workspace(m, 9, 2, 0.3 if name == "gough-stewart" else 0.6)
    targets, far = q[:, at], q[:, at].copy()
    home = m.assemble().q
    far[4] = out_of_reach(m)
    good = [row for row in range(9) if row != 4]
    expected = m.forward_kinematics(targets[good], np.ones((8, m.na)), near=home)
    with pytest.warns(lw.errors.BatchWarning, match=rf"forward_kinematics of '{name}': some rows .*") as given:
        found = m.forward_kinematics(far, np.ones((9, m.na)), near=home)
    assert numbers_of(given) == (1, 9, [4])
    for x, y in zip(found, expected):
        assert np.isnan(x[4]).all() and np.array_equal(x[good], y)
    with pytest.raises(lw.errors.LinkwrightError, match=f"forward_kinematics of '{name}'"):
        m.forward_kinematics(far[4], near=home)


@pytest.mark.parametrize("name", NAMES)
def test_one_pose_out_of_reach_is_nan_and_leaves_the_bits_of_the_others(name):
    m = model(name)
    q = workspace(m, 9, 3, 0.2 if name == "gough-stewart" else 0.4)
    xyz, wxyz = (np.array(x) for x in m.frame_pose(q, m.mechanism.platform))
    home, free = m.assemble().q, FREE[name]
    twist = np.zeros(6)
    good = [row for row in range(9) if row != 5]
    expected = m.inverse_kinematics((xyz[good], wxyz[good]), twist, near=home, components=free)
    xyz[5, 0] += 1e4  # legs that slide reach 50 m
    with pytest.warns(lw.errors.BatchWarning, match=rf"inverse_kinematics of '{name}': some rows .*") as given:
        found = m.inverse_kinematics((xyz, wxyz), twist, near=home, components=free)
    assert numbers_of(given) == (1, 9, [5])
    assert re.search(r"origin \(\d", given[0].message.finding.value["reason"])
    for x, y in zip(found, expected):
        assert np.isnan(x[5]).all() and np.array_equal(x[good], y)
    assert np.isfinite(expected[0]).all()


def test_rows_of_a_grid_are_named_by_their_indices():
    m = model("five-bar")
    home, at = m.assemble().q, locate_driven_coordinates(m.kinematics).indices
    targets = np.tile(home[at], (3, 2, 1))
    targets[2, 1] = out_of_reach(m)
    with pytest.warns(lw.errors.BatchWarning, match="some rows of the batch") as given:
        q, _, _ = m.forward_kinematics(targets, near=home)
    assert numbers_of(given) == (1, 6, [(2, 1)])
    assert q.shape == (3, 2, m.nq) and np.isnan(q[2, 1]).all() and np.isfinite(q).sum() == 5 * m.nq


def test_velocities_that_one_row_cannot_have_are_nan_there_only():
    """Two actuators on one freedom: rates that disagree cannot be had with the loop closed."""
    m = lw.build(lw.catalog.load("four-bar"), actuated=("theta", "phi"))
    home = m.assemble().q
    q_act = np.tile(home[[m.q_names.index(name) for name in ("theta", "phi")]], (3, 1))
    plain, both = lw.build(lw.catalog.load("four-bar")), [m.v_names.index(name) for name in ("theta", "phi")]
    _, v, a = plain.forward_kinematics(q_act[:, :1], np.array([[1.0], [1.0], [2.0]]), near=home)
    v_act, a_act = v[:, both], a[:, both]
    v_act[1, 1] += 1.0
    with pytest.warns(lw.errors.BatchWarning, match="no-rates") as given:
        q, v, a = m.forward_kinematics(q_act, v_act, a_act, near=home)
    assert numbers_of(given) == (1, 3, [1])
    assert "the given velocities cannot be had" in given[0].message.finding.value["reason"]
    assert np.isfinite(q).all() and np.isnan(v[1]).all() and np.isfinite([v[0], v[2], a[0], a[2]]).all()
    with pytest.raises(lw.errors.LinkwrightError, match="the given velocities cannot be had"):
        m.forward_kinematics(q_act[1], v_act[1], near=home)


def elbow(m: lw.Model, q: np.ndarray, leg: int) -> float:
    """Sine of the angle between a leg's two links: zero where the leg is stretched or folded."""
    names = {"five-bar": ("proximal{}", "distal{}"), "3-rrr": ("link{}", "link{}")}[m.mechanism.name]
    numbers = (leg, leg) if m.mechanism.name == "five-bar" else (leg, leg + 3)
    (x1, y1), (x2, y2) = (m.frame_pose(q, name.format(number)).rotation[:2, 0] for name, number in zip(names, numbers))
    return float(x1 * y2 - y1 * x2)


@pytest.mark.parametrize(("name", "legs"), [("five-bar", (1, 2)), ("3-rrr", (1, 2, 3))])
def test_a_leg_that_stretches_or_folds_on_the_way_is_passed(name, legs):
    """Each leg in turn: a closed configuration with that leg straight, approached and left by its own actuator."""
    m, at = model(name), locate_driven_coordinates(model(name).kinematics).indices
    for leg in legs:
        q0, q1 = straight(m, leg)
        path = q0[at] + np.linspace(0.0, 1.0, 21)[:, None] * (q1[at] - q0[at])
        followed = m.follow(path, q0)
        assert elbow(m, followed[0], leg) * elbow(m, followed[-1], leg) < 0.0
        assert np.abs(followed[-1] - q1).max() < 1e-9
        assert np.abs(m.forward_kinematics(path, near=q0)[0] - followed).max() < 1e-9


def straight(m: lw.Model, leg: int) -> tuple[np.ndarray, np.ndarray]:
    """Two neighbors on either side of a configuration with one leg straight, found by bisection along a motion."""
    at, rng = locate_driven_coordinates(m.kinematics).indices, np.random.default_rng(leg)
    home = m.assemble().q
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", lw.errors.BatchWarning)
        while True:
            target = home[at] + rng.uniform(-1.5, 1.5, m.na)
            path = home[at] + np.linspace(0.0, 1.0, 41)[:, None] * (target - home[at])
            q = m.forward_kinematics(path, near=home)[0]
            q = q[np.isfinite(q).all(axis=1)]
            sines = np.array([elbow(m, one, leg) for one in q])
            for k in np.flatnonzero(sines[1:] * sines[:-1] < 0.0):
                if min(m.singularity(q[k + i]).type2 for i in (0, 1)) > 0.02:
                    return q[k], q[k + 1]


def test_the_last_failed_row_of_several_designs_is_solved_at_its_own_values():
    m = lw.build(lw.catalog.load("five-bar"), inputs=["base", "proximal", "distal"])
    p = m.parameters.nominal * np.array([[1.0, 1.0, 1.0], [1.05, 0.98, 1.02]])
    rows = BatchRows((1,), m.assemble().q, np.zeros((1, 2)), p[1], m.parameters.nominal)
    met = []

    def solve(loops, start, target):
        met.append((loops.setup.inputs.values, start))
        return ClosedRows(start[None], np.zeros(1, dtype=np.int8), np.ones(1))

    by_rows(m.kinematics.at(p[:, None]), rows, solve)
    ((values, start),) = met
    assert np.array_equal(values, p[1])
    assert np.abs(m.closure_residual(start, p=p[1])).max() < 1e-12


def test_rows_of_nan_are_counted_and_a_quaternion_that_is_not_unit_has_its_own_code():
    m = model("gough-stewart")
    home, frame = m.assemble().q, m.mechanism.platform
    xyz, wxyz = (np.tile(x, (6, 1)) for x in m.frame_pose(home, frame))
    xyz[1, 2], wxyz[2, 1], xyz[4] = np.nan, np.inf, [3e4, 0.0, 0.0]
    wxyz[3] *= 1.3
    with pytest.warns(lw.errors.BatchWarning, match=r"\(not-finite, quaternion-norm, too-far\)") as given:
        q, _, _ = m.inverse_kinematics((xyz, wxyz))
    assert numbers_of(given) == (4, 6, [1, 2, 3, 4])
    assert np.array_equal(np.isnan(q).all(axis=1), [False, True, True, True, True, False])
    found = m.diagnose("inverse_kinematics", (xyz, wxyz))
    codes = ["not-finite", "not-finite", "quaternion-norm", "too-far"]
    assert [(x.row, x.code) for x in found] == list(zip([1, 2, 3, 4], codes, strict=True))
    assert "norm 1.3" in found[2].reason and "3e+04 m from the start" in found[3].reason
    near = np.tile(home, (2, 1))
    near[1, 0] = np.nan
    (row,) = m.diagnose("inverse_kinematics", (xyz[0], wxyz[0]), near=near)
    assert (row.row, row.code) == (1, "not-finite") and "near" in row.reason
    states = np.tile(home, (2, 1))
    states[1, m.q_names.index(next(name for name in m.q_names if name.endswith(".qw")))] = 3.0
    (row,) = m.diagnose("inverse_dynamics", states, np.zeros(m.nv), np.zeros(m.nv))
    assert (row.row, row.code) == (1, "quaternion-norm")


def test_reasons_name_actuators_with_units_and_the_design():
    m = lw.build(lw.catalog.load("five-bar"), inputs=["base", "proximal", "distal"])
    with pytest.raises(lw.errors.LinkwrightError, match=r"'motor1' would go from 2\.28231 to 9000 rad"):
        m.forward_kinematics([9e3, 0.0])
    p = m.parameters.array(base=3.0)
    with pytest.raises(lw.errors.LinkwrightError, match=r"to base = 3 \(nominal 0\.1\).*design"):
        m.forward_kinematics([0.5, 2.5], p=p)
    home = m.frame_pose(m.assemble().q, "platform")
    with pytest.raises(
        lw.errors.LinkwrightError, match=r"the design is another than the file's, base = 3 \(nominal 0\.1\)"
    ):
        m.inverse_kinematics(home, components=["x", "y"], p=p)
    with pytest.raises(lw.errors.LinkwrightError, match=r"3-rrr.*components=\['rz', 'x', 'y'\]"):
        model("3-rrr").inverse_kinematics(([0.1, 0.1, 0.3], [1.0, 0.0, 0.0, 0.0]))
    for free in (["x", "x"], ["x", "y", "y"]):
        with pytest.raises(lw.errors.LinkwrightError, match="a component is named twice"):
            m.inverse_kinematics(home, components=free)


@pytest.mark.parametrize("given", [np.zeros((0, 2)), np.zeros((3, 0, 2))])
def test_no_rows_one_after_the_other_are_no_rows(given):
    found = model("five-bar").forward_kinematics(given, near="previous")
    assert [x.shape for x in found] == [(*given.shape[:-1], 4)] * 3
