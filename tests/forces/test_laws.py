"""Laws of every force element: force and energy, power and loss, columns and parameters; on a channel and in trees."""

from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler.runtime.interpreter import evaluate_rolled
from linkwright.forces import EndStop, Friction, Strut
from linkwright.forces.carried_weight import CarriedWeight
from linkwright.forces.element import merge_forces
from linkwright.forces.friction import DryFriction, ViscousFriction
from linkwright.forces.rotor import Rotor
from linkwright.forces.spring import JointSpring
from linkwright.forces.strain import Strain
from linkwright.functions.tree.rolled_sweeps import can_roll, rolled_tree_dynamics
from linkwright.mechanism import Actuator
from linkwright.mechanism.tree import Tree, spanning_tree, tree_with_open_joints
from linkwright.recursion.force_elements import (
    channel_values,
    element_wrenches,
    lost_power,
    passive_forces,
    stored_energy,
)
from linkwright.recursion.forward_recursion import tree_forward_dynamics
from linkwright.recursion.inverse_recursion import tree_inverse_dynamics
from linkwright.recursion.twist_recursion import motion_of_tree, tree_coordinate_rates
from tests.refactoring.mechanisms import mechanisms

STEP = 1e-5
AT = ("hinge", "hinge", 0, True)
POINTS = ("ground", "arm", (0.0, 0.0, 0.0), (0.0, 0.0, 0.0))
STIFF = np.array([[3.0, 0.5], [0.5, 2.0]])
ELEMENTS = [
    JointSpring(*AT, 40.0, 0.2),
    ViscousFriction(*AT, 0.7),
    DryFriction(*AT, 0.4, 0.05),
    Rotor(*AT, 0.3),
    Strain("beam", "modes", STIFF, 0.1 * STIFF),
    Strut("strut", *POINTS, 80.0, 0.75, 1.5),
    CarriedWeight("arm", 0.7),
    EndStop("lower", "hinge", "lower", 0, 300.0, 20.0, -0.1),
    EndStop("upper", "hinge", "upper", 0, 300.0, 20.0, 0.1),
]
LINEAR = [each for each in ELEMENTS if not isinstance(each, CarriedWeight)]  # its columns are those of its body
MECHANISMS = {name: mech for name, mech in mechanisms() if name.startswith(("tree-", "loop-", "chain-"))}


def title(element) -> str:
    return f"{type(element).__name__} {getattr(element, 'end', '')}".strip()


@pytest.fixture(params=range(3))
def channel(request):
    """A value x of a channel with its rate and acceleration; two numbers each for a beam."""
    rng = np.random.default_rng([7, request.param])
    pairs = rng.uniform(-1.0, 1.0, (3, 2)) + 1.5 * (request.param == 0)
    return lambda element: pairs if isinstance(element, Strain) else pairs[:, 0]


@pytest.mark.parametrize("element", ELEMENTS, ids=title)
def test_power_into_an_element_is_stored_or_lost(element, channel):
    x, x_dot, _ = channel(element)
    ahead, behind = (element.stored_energy(x + h * x_dot) for h in (STEP, -STEP))
    stored = (ahead - behind) / (2.0 * STEP)
    power = np.dot(element.channel_force(x, x_dot), x_dot)
    assert power == pytest.approx(stored + element.lost_power(x, x_dot), rel=1e-8, abs=1e-8)
    assert element.lost_power(x, x_dot) >= 0.0


@pytest.mark.parametrize("element", LINEAR, ids=title)
def test_columns_times_parameters_are_the_force(element, channel):
    x, x_dot, x_ddot = channel(element)
    rows = zip(element.linear_parameters(), element.regressor_columns(x, x_dot), element.inertia_columns(), strict=True)
    found = sum(each.value * (force + inertia * x_ddot) for each, force, inertia in rows)
    assert found == pytest.approx(element.channel_force(x, x_dot) + element.channel_inertia * x_ddot, rel=1e-12)


@pytest.mark.parametrize("element", ELEMENTS, ids=title)
def test_merged_elements_act_as_the_two(element, channel):
    x, x_dot, _ = channel(element)
    other = replace(element, **{number.key: 2.0 * getattr(element, number.key) for number in element.numbers})
    for pair in ((element, element), (element, other)):
        merged = merge_forces(pair)
        force = sum(each.channel_force(x, x_dot) for each in merged)
        assert force == pytest.approx(sum(each.channel_force(x, x_dot) for each in pair), rel=1e-12)
        assert sum(x.channel_inertia for x in merged) == pytest.approx(sum(x.channel_inertia for x in pair))


def _state(tree: Tree, seed: int):
    rng = np.random.default_rng([11, seed])
    q, v = rng.uniform(-0.4, 0.4, tree.nq), rng.uniform(-0.8, 0.8, tree.nv)
    for link in tree.links:
        if link.kind.has_quaternion:
            own = slice(link.coords.stop - 4, link.coords.stop)
            q[own] = q[own] + [1.0, 0.0, 0.0, 0.0]
            q[own] = q[own] / np.linalg.norm(q[own])
    return q, v


@pytest.mark.parametrize("name", [name for name in MECHANISMS if not name.startswith("chain-")])
def test_power_of_all_elements_is_stored_or_lost_in_trees_and_at_open_joints(name):
    tree = tree_with_open_joints(spanning_tree(MECHANISMS[name]))
    still = replace(tree, cut_joints=tuple(replace(cut, forces=_without_rotors(cut)) for cut in tree.cut_joints))
    q, v = _state(still, len(name))
    q_dot = tree_coordinate_rates(still, q, v)
    stored = (stored_energy(still, q + STEP * q_dot) - stored_energy(still, q - STEP * q_dot)) / (2.0 * STEP)
    state = motion_of_tree(still, q, v, np.zeros(still.nv))
    wrenches = (w @ t for given in element_wrenches(still, state) for w, t in zip(given, state.t, strict=False))
    given = v @ passive_forces(still, q, v) - sum(wrenches)
    assert given == pytest.approx(stored + lost_power(still, q, v), rel=1e-7, abs=1e-7)
    assert len(list(channel_values(still, q, v))) >= len(still.cut_joints)


def _without_rotors(cut):
    return tuple(force for force in cut.forces if not isinstance(force, Rotor))


def test_any_element_at_joints_is_rolled():
    """Two slip speeds along one velocity, springs and armature in a long chain, beside links without any."""
    plain = next(mech for name, mech in MECHANISMS.items() if name.startswith("chain-"))
    joints = list(plain.joints)
    joints[0] = replace(joints[0], friction=Friction((0.5,), (0.25,)), armature=(0.1,))
    joints[3] = replace(joints[3], friction=Friction((0.5, 0.1), (0.25, 0.1), 0.2))
    drive = Actuator("drive", joints[0].name, 0, 3.0, 0.01, Friction((0.2,), (0.3,), 0.5))
    stops = tuple(EndStop(f"stop {end}", joints[3].name, end, 0, 50.0, 4.0, 0.01) for end in ("lower", "upper"))
    tree = spanning_tree(replace(plain, joints=tuple(joints), actuators=(drive,), forces=stops))
    assert can_roll(tree) and sum(isinstance(x.element, DryFriction) for x in tree.joint_forces) == 4
    q, v = _state(tree, 1)
    a = np.random.default_rng(3).uniform(-1.0, 1.0, tree.nv)
    force = tree_inverse_dynamics(tree, q, v, a)
    assert evaluate_rolled(rolled_tree_dynamics(tree, forward=False), q, v, a) == pytest.approx(
        force, rel=1e-9, abs=1e-9
    )
    found = evaluate_rolled(rolled_tree_dynamics(tree, forward=True), q, v, force)
    assert found == pytest.approx(tree_forward_dynamics(tree, q, v, force), rel=1e-6, abs=1e-6)


def test_a_stop_pushes_back_into_its_range_and_never_pulls():
    """Against the law written out: nothing inside, and no force of a damper that leaves faster than the spring."""
    stop = EndStop("stop", "hinge", "upper", 0, 200.0, 10.0, 0.3)
    x, x_dot = (each.ravel() for each in np.meshgrid(np.linspace(0.0, 0.6, 13), np.linspace(-30.0, 30.0, 13)))
    force = stop.channel_force(x, x_dot)
    beyond = x > 0.3
    assert not force[~beyond].any()
    assert force[beyond] == pytest.approx(np.fmax(200.0 * (x - 0.3) + 10.0 * x_dot, 0.0)[beyond])
    other = EndStop("stop", "hinge", "lower", 0, 200.0, 10.0, -0.3)
    assert other.channel_force(-x, -x_dot) == pytest.approx(-force)


def test_stops_without_a_bound_are_at_the_limits_of_their_joint():
    mech = lw.catalog.load("four-bar")
    joint, loop = mech.joints[0], mech.loops[0]
    limited = [replace(each, limits=lw.Limits((-0.5,), (0.5,))) for each in (joint, loop)]
    stops = [EndStop(f"{j.name} {end}", j.name, end, 0, 1e3) for j in limited for end in ("lower", "upper")]
    drawn = replace(mech, joints=(limited[0], *mech.joints[1:]), loops=(limited[1],), forces=tuple(stops))
    tree = spanning_tree(drawn)
    placed = [each.element for each in tree.joint_forces] + [x for cut in tree.cut_joints for x in cut.forces]
    bounds = {x.name: x.bound for x in placed if isinstance(x, EndStop)}
    assert bounds == {each.name: {"lower": -0.5, "upper": 0.5}[each.end] for each in stops}
    free = spanning_tree(replace(drawn, joints=mech.joints, loops=mech.loops))
    assert not any(isinstance(x.element, EndStop) for x in free.joint_forces) and not free.cut_joints
    with pytest.raises(lw.errors.ArgumentError, match="'lower' or 'upper'"):
        EndStop("stop", "hinge", "left")
