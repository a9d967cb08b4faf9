"""Springs, friction, rotors, gears and struts act in the same way at joints of the tree and at cut joints."""

from dataclasses import replace
from functools import cache
from itertools import product

import numpy as np
import pytest

from linkwright import catalog
from linkwright.forces import Friction
from linkwright.functions import setup
from linkwright.functions.loop import minimal_functions, multiplier_functions
from linkwright.joints import Cylindrical, Floating, Planar, Prismatic, Revolute, Screw, Spherical, Universal
from linkwright.mechanism import Mechanism
from tests.loops import worlds
from tests.loops.diamonds import Drawing, diamond
from tests.loops.mechanisms import Mechanics
from tests.sampling import sample

KINDS = (Revolute, Prismatic, Screw, Cylindrical, Universal, Spherical, Planar, Floating)
LOWER = ((Spherical, Cylindrical), (Planar, Universal), (Spherical, Universal))
PAIRS = [pair for pair in product(KINDS, KINDS) if pair != (Floating, Floating)]


@cache
def drawings(upper: tuple[type, type], seed: int = 0) -> tuple[Drawing, Drawing]:
    number = PAIRS.index(upper)
    return diamond(np.random.default_rng(1000 * seed + number), LOWER[number % len(LOWER)], upper)


def same(one: np.ndarray, other: np.ndarray, tolerance: float = 1e-9) -> bool:
    one, other = np.asarray(one), np.asarray(other)
    return bool(np.abs(one - other).max(initial=0.0) < tolerance * max(1.0, float(np.abs(one).max(initial=0.0))))


@pytest.mark.parametrize("upper", sample(PAIRS, 24), ids=lambda pair: "-".join(kind.__name__ for kind in pair))
def test_results_do_not_depend_on_which_joint_is_cut(upper):
    one, other = drawings(upper)
    assert same(one.twists(one.v), other.twists(other.v))
    assert same(one.twist_rates(one.a), other.twist_rates(other.a))
    assert same(one.ask("energy", one.q, one.v), other.ask("energy", other.q, other.v))
    (tau, lam), (tau2, lam2) = one.efforts_and_multipliers(), other.efforts_and_multipliers()
    assert same(tau, tau2)
    a, a2 = one.accelerations(tau), other.accelerations(tau)
    assert same(one.twist_rates(a), one.twist_rates(one.a), 1e-8)
    assert same(other.twist_rates(a2), one.twist_rates(one.a), 1e-8)
    for joint, w in one.reactions(tau, lam).items():
        assert same(w, other.reactions(tau2, lam2)[joint], 1e-8), joint
    (_, powers), (_, powers2) = (x.ask("state_rates", x.q, x.v, tau) for x in (one, other))
    assert same(powers, powers2)


@pytest.mark.parametrize("upper", sample(PAIRS, 24), ids=lambda pair: "-".join(kind.__name__ for kind in pair))
def test_virtual_power_agrees_with_wrenches_on_bodies(upper):
    for drawn in drawings(upper):
        one, other = (
            drawn.ask(name, drawn.q, drawn.v, drawn.a) for name in ("generalized_forces", "virtual_power_forces")
        )
        assert same(drawn.allowed.T @ one, drawn.allowed.T @ other)


@pytest.mark.parametrize("upper", PAIRS[::5], ids=lambda pair: "-".join(kind.__name__ for kind in pair))
def test_inertia_bias_and_convective_matrix_hold_the_rotors_of_cut_joints(upper):
    drawn, _ = drawings(upper)
    still = np.zeros(len(drawn.v))
    M, h = drawn.ask("mass_matrix", drawn.q), drawn.ask("bias_forces", drawn.q, drawn.v)
    assert same(M @ drawn.a + h, drawn.ask("generalized_forces", drawn.q, drawn.v, drawn.a))
    assert same(M, M.T)
    U, D = drawn.ask("udu", drawn.q)
    assert same(U @ np.diag(D) @ U.T, M)
    T, _ = drawn.ask("energy", drawn.q, drawn.v)
    assert pytest.approx(0.5 * drawn.v @ M @ drawn.v) == T
    fast, slow = (drawn.ask("bias_forces", drawn.q, s * drawn.v) for s in (1.0, -1.0))
    even = 0.5 * (fast + slow) - drawn.ask("bias_forces", drawn.q, still)
    C = drawn.ask("convective_matrix", drawn.q, drawn.v)
    damped = any(x.element.damping for x in drawn.made.tree.point_forces)
    assert damped or same(drawn.allowed.T @ (C @ drawn.v), drawn.allowed.T @ even)


def test_friction_at_the_cut_joints_of_a_3_rrr_shows_in_its_efforts():
    """Viscous friction 1 N m s/rad at the three cut joints; figures by hand from the joints' relative speeds."""
    mech = catalog.load("3-rrr")
    rubbing = replace(mech, loops=tuple(replace(joint, friction=Friction((1.0,))) for joint in mech.loops))
    plain, made = (mechanics_of(x) for x in (mech, rubbing))
    q = plain.home
    R = plain.minimal.function(minimal_functions.independent_map)(q)
    v = R @ [0.5, -0.3, 0.4]
    turning = relative_speeds(mech, worlds.bodies(mech, q, v))
    rows = np.array([relative_speeds(mech, worlds.bodies(mech, q, column)) for column in R.T])
    change = efforts(made, q, v) - efforts(plain, q, v)
    assert change == pytest.approx(rows @ turning, abs=1e-12)
    assert change == pytest.approx([0.107, 0.241, 0.198], abs=5e-4)


def mechanics_of(mech: Mechanism) -> Mechanics:
    return Mechanics(setup(mech, None))


def relative_speeds(mech: Mechanism, world) -> np.ndarray:
    """Speeds of the cut joints of a planar mechanism, from its bodies' angular velocities."""
    return np.array([world[joint.child].omega[2] - world[joint.parent].omega[2] for joint in mech.loops])


def efforts(made: Mechanics, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    return made.actuated.function(multiplier_functions.checked_efforts)(q, v, np.zeros(len(v)))


@pytest.mark.parametrize("name", ["generalized_forces", "virtual_power_forces"])
def test_friction_of_actuators_and_of_joints_adds_up(name):
    """Each has a slip speed of its own, at joints of the tree and at cut joints."""
    drawn, _ = drawings((Cylindrical, Universal))
    mech = drawn.made.mech
    joints, loops = ([replace(j, friction=None) for j in group] for group in (mech.joints, mech.loops))
    without = replace(mech, joints=tuple(joints), loops=tuple(loops))
    actuators = tuple(replace(a, friction=Friction((0.3,), (0.7,), slip=0.04)) for a in mech.actuators)
    quiet = tuple(replace(a, friction=None) for a in mech.actuators)
    both, own, driven, none = (
        replace(drawn, made=setup(replace(m, actuators=a), drawn.made.actuated)).ask(name, drawn.q, drawn.v, drawn.a)
        for m, a in ((mech, actuators), (mech, quiet), (without, actuators), (without, quiet))
    )
    assert not same(driven, none, 1e-3) and not same(own, none, 1e-3)
    assert same(both - none, (own - none) + (driven - none))
