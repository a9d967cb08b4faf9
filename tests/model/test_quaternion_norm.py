"""A quaternion stands for its direction: small errors of its norm change nothing, large ones are refused.

The functions are found by looking at `Model`, so a new one is held to the law as well.
"""

import inspect
from functools import lru_cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, BatchWarning, MechanismError
from linkwright.joints import Floating, Prismatic, Revolute, Spherical, Universal
from linkwright.model.programs import actuator_coordinates
from tests.strategies import quaternion_slices, random_mechanism, random_state

TREES = {
    "tree0": ([-1, 0, 1, 0], [Floating, Spherical, Revolute, Universal]),
    "tree1": ([-1, 0, 1], [Spherical, Prismatic, Spherical]),
}
LOOPS = ("3-rps", "gough-stewart")
MECHANISMS = ("tree0", "tree1", "3-rps")
SIZES = {"v": "nv", "a": "nv", "tau": "na"}
COORDINATES = ("q", "guess", "start", "near")


@lru_cache
def model(name: str) -> lw.Model:
    if name in LOOPS:
        return lw.build(lw.catalog.load(name))
    parents, kinds = TREES[name]
    rng = np.random.default_rng(int(name[-1]))
    return lw.build(random_mechanism(rng, parents, kinds, [False] * len(kinds), passive=False))


@lru_cache
def states(name: str) -> np.ndarray:
    """Three rows of closed coordinates with unit quaternions."""
    m = model(name)
    if name in TREES:
        rng = np.random.default_rng(5)
        return np.array([random_state(m.kernels.setup.tree, rng)[0] for _ in range(3)])
    rng = np.random.default_rng(6)
    return m.forward_kinematics(positions(m) + 0.02 * rng.uniform(-1, 1, size=(3, m.na)))[0]


def positions(m: lw.Model) -> np.ndarray:
    return m.assemble().q[actuator_coordinates(m)[0]]


def functions() -> list[str]:
    """Public functions of coordinates."""
    known = inspect.getmembers(lw.Model, inspect.isfunction)
    public = [(name, inspect.signature(member).parameters) for name, member in known if not name.startswith("_")]
    return [name for name, taken in public if set(taken) & set(COORDINATES) and name != "inverse_kinematics"]


def called(m: lw.Model, name: str, q: np.ndarray, batch: bool) -> object:
    rng, given = np.random.default_rng(3), {}
    lead = q.shape[:-1]
    for parameter in list(inspect.signature(getattr(lw.Model, name)).parameters)[1:]:
        if parameter in COORDINATES:
            given[parameter] = q
        elif parameter in SIZES:
            given[parameter] = rng.normal(size=(3, getattr(m, SIZES[parameter])))[: len(q) if batch else 1]
            given[parameter] = given[parameter].reshape(*lead, -1)
        elif parameter == "frame":
            given[parameter] = m.bodies[-1]
        elif parameter == "h":
            given[parameter] = 0.1
        elif parameter == "q_act":
            given[parameter] = positions(m)
        elif parameter == "path":
            given[parameter] = positions(m)[None, :]
    function = getattr(m, name)
    return function(*given.values()) if next(iter(given)) == "q" else function(**given)


def numbers(answer: object) -> list[np.ndarray]:
    """Everything a result holds, as arrays."""
    if isinstance(answer, dict):
        return [x for value in answer.values() for x in numbers(value)]
    if isinstance(answer, tuple | list):
        return [x for value in answer for x in numbers(value)]
    if hasattr(answer, "__dataclass_fields__"):
        return [x for field in answer.__dataclass_fields__ for x in numbers(getattr(answer, field))]
    return [np.asarray(answer, dtype=float)] if isinstance(answer, np.ndarray | float | np.number) else []


def scaled(m: lw.Model, q: np.ndarray, factor: float) -> np.ndarray:
    out = np.array(q)
    for part in quaternion_slices(m.kernels.setup.tree):
        out[..., part] *= factor
    return out


# Actuators of the trees here turn quaternions, so their positions are no coordinates.
BY_POSITION = ("follow", "forward_kinematics", "actuator_positions")
CASES = [
    (mechanism, name)
    for mechanism in MECHANISMS
    for name in functions()
    if mechanism in LOOPS or name not in BY_POSITION
]
ONE_STATE = ("assemble", "follow", "forward_kinematics", "limits_exceeded")


@pytest.mark.parametrize(("mechanism", "name"), CASES)
def test_the_length_of_a_quaternion_changes_no_answer(mechanism: str, name: str) -> None:
    m, q = model(mechanism), states(mechanism)
    for batch in (False, True):
        if batch and name in ONE_STATE:
            continue
        given = q if batch else q[0]
        expected = called(m, name, given, batch)
        for factor in (1 + 1e-9, 1 - 1e-6, 1 + 1e-4, 1 - 9e-4):
            found = called(m, name, scaled(m, given, factor), batch)
            for x, y in zip(numbers(found), numbers(expected), strict=True):
                there = ~np.isnan(y)  # measures that a mechanism does not have are NaN
                assert np.array_equal(there, ~np.isnan(x))
                assert np.abs(x - y)[there].max(initial=0.0) <= 1e-10 * np.abs(y)[there].max(initial=1.0)


@pytest.mark.parametrize(("mechanism", "name"), CASES)
def test_what_is_no_rotation_is_refused(mechanism: str, name: str) -> None:
    m, q = model(mechanism), states(mechanism)
    joints = [link.joint for link in m.kernels.setup.tree.links if isinstance(link.kind, Spherical | Floating)]
    for factor in (0.0, 0.99, 1.01, 2.0):
        for _ in range(2):  # the second call no longer passes through the method
            with pytest.raises(ArgumentError, match=rf"joint '{joints[0]}'.*has norm {factor:.6g}, expected 1"):
                called(m, name, scaled(m, q[0], factor), False)
        if name in ONE_STATE or (mechanism in TREES and name in ("independent_map", "closure_residual")):
            continue
        rows = np.concatenate([q[:1], scaled(m, q[1:2], factor), q[2:]])
        for x, y in zip(numbers(called(m, name, rows, True)), numbers(called(m, name, q, True)), strict=True):
            missing = name == "singularity" and np.isnan(y).all()  # a measure that the mechanism does not have
            if x.size and not missing:
                assert np.isnan(x[1]).all() and not np.isnan(x[[0, 2]]).any()
                assert np.abs(x[[0, 2]] - y[[0, 2]]).max() <= 1e-12 * np.abs(y).max()


@pytest.mark.usefixtures("batches_in_lanes")
@pytest.mark.parametrize("mechanism", ["tree0", "gough-stewart"])
@pytest.mark.parametrize("rows", [1, 7, 8, 9, 64, 1000, 40_000])
def test_batches_of_every_size_find_the_row(mechanism: str, rows: int) -> None:
    m = model(mechanism)
    q = np.repeat(states(mechanism)[:1], rows, axis=0)
    v, tau = np.zeros((rows, m.nv)), np.zeros((rows, m.na))
    bad = rows // 2
    q[bad] = scaled(m, q[bad], 2.0)
    found = np.isnan(m.forward_dynamics(q, v, tau))
    assert found[bad].all() and not np.delete(found, bad, axis=0).any()


@pytest.mark.parametrize("mechanism", ["tree0", "gough-stewart"])
def test_runs_begin_with_the_nearest_unit_quaternion(mechanism: str) -> None:
    m, q = model(mechanism), states(mechanism)[0]
    ends = [lw.simulate(m, scaled(m, q, f), t_end=0.05, check=False).q[-1] for f in (1.0, 1 + 1e-6, 1 + 9e-4)]
    assert np.abs(ends[1] - ends[0]).max() < 1e-9 and np.abs(ends[2] - ends[0]).max() < 1e-9
    for factor in (0.0, 1.01, 2.0):
        with pytest.raises(ArgumentError, match="has norm"):
            lw.simulate(m, scaled(m, q, factor), t_end=0.01)


def test_a_pose_is_held_to_the_same_rule() -> None:
    m = model("gough-stewart")
    xyz, wxyz = m.frame_pose(states("gough-stewart"), m.mechanism.platform)
    near = states("gough-stewart")[0]
    expected = m.inverse_kinematics((xyz, wxyz), near=near)
    found = m.inverse_kinematics((xyz, wxyz * (1 - 9e-4)), near=near)
    assert max(np.abs(x - y).max() for x, y in zip(found, expected, strict=True)) < 1e-9
    with pytest.raises(ArgumentError, match="has norm 2, expected 1"):
        m.inverse_kinematics((xyz[0], 2 * wxyz[0]), near=near)
    wxyz[1] *= 1.1
    with pytest.warns(BatchWarning, match="quaternion-norm") as found:
        rows = m.inverse_kinematics((xyz, wxyz), near=near)[0]
    assert np.isnan(rows[1]).all() and np.isfinite(rows[[0, 2]]).all()
    value = found[0].message.finding.value
    assert value["first"] == [1] and "the quaternion of the pose has norm 1.1" in value["reason"]


def test_a_home_pose_needs_a_unit_quaternion() -> None:
    mech = lw.catalog.load("gough-stewart")
    home = tuple((name, (*x[:3], 1.0, 0.5, 0.0, 0.0) if len(x) == 7 else x) for name, x in mech.home)
    assert home != mech.home
    with pytest.raises(MechanismError, match=r"quaternion of norm 1\.11803"):
        type(mech)(**{**vars(mech), "home": home})
