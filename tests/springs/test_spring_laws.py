"""Laws of virtual springs: energy, momentum, the limit of great stiffness, run-time coefficients, errors in message."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.compiler import operation_count
from linkwright.dynamics.methods import row_coefficients, spring_kernels
from linkwright.errors import ArgumentError
from linkwright.functions.loop import closure_functions, spring_functions
from linkwright.functions.tree import tree_functions
from linkwright.joints import (
    Cylindrical,
    Distance,
    Fixed,
    Floating,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from linkwright.mechanism import Body, Coupling, Inertia, Joint, Mechanism
from tests.loops.mechanisms import Mechanics

KINDS = [
    Fixed(),
    Revolute((0.6, 0.0, 0.8)),
    Prismatic((0.0, 1.0, 0.0)),
    Screw((0.0, 0.0, 1.0), 0.3),
    Cylindrical((1.0, 0.0, 0.0)),
    Universal(),
    Spherical(),
    Planar((0.0, 0.6, 0.8)),
    Distance(0.3),
]


def two_free_bodies(kind):
    """Two free bodies in weightlessness, joined by a cut joint of one kind."""
    bodies = [Body(n, Inertia.diagonal(m, (0.1, 0.2, -0.1), (0.3, 0.4, 0.5))) for n, m in (("a", 2.0), ("b", 3.0))]
    joints = [Joint(f"free_{b.name}", "ground", b.name, Floating()) for b in bodies]
    at, child_at = (
        RigidTransform.from_rpy((0.3, 0.1, -0.2), (0.4, -0.3, 0.2)),
        RigidTransform.from_rpy((-0.2, 0.2, 0.1), (0.1, 0.5, -0.4)),
    )
    loop = Joint("cut", "a", "b", kind, at, child_at)
    return lw.build(Mechanism("pair", tuple(bodies), tuple(joints), (loop,), gravity=(0.0, 0.0, 0.0)), [])


def disturbed(model, rng, size, start=None):
    """A closed configuration (or `start`) pushed off the closure by about `size`, and random velocities."""
    q = (model.assemble().q if start is None else start) + size * rng.normal(size=model.nq)
    return model.kernels.function(closure_functions.advanced)(q, np.zeros(model.nv)), rng.normal(size=model.nv)


def energy_rate(model, q, v, a, springs, h=1e-5):
    """Rate of kinetic, gravity and spring energy along a motion, by a fourth-order difference."""
    move = model.kernels.function(closure_functions.advanced)

    def total(s):
        along = move(move(q, 0.5 * s * v), 0.5 * s * (v + s * a))
        return sum(model.energy(along, v + s * a, formulation=springs))

    return (8.0 * (total(h) - total(-h)) - (total(2 * h) - total(-2 * h))) / (12.0 * h)


NEAR = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.5, -0.2, 0.1, 0.9, 0.3, 0.2, -0.1])


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_springs_keep_energy_and_momentum_and_dampers_take_energy(kind):
    """Whatever the joint and however wide it stands open."""
    model, rng, springs = two_free_bodies(kind), np.random.default_rng(3), lw.VirtualSprings(500.0)
    q, v = disturbed(model, rng, 0.05, NEAR)
    a = model.forward_dynamics(q, v, [], formulation=springs)
    T, V = model.energy(q, v, formulation=springs)
    assert V > 0.1
    assert abs(energy_rate(model, q, v, a, springs)) < 1e-6 * (T + V)
    force = model.generalized_forces(q, v, a)  # of each body: moment and force at its origin, body axes
    poses = model.kernels.function(tree_functions.body_poses)(q)
    turns, moments = poses[:, 3:].reshape(2, 3, 3), force.reshape(2, 2, 3)
    pushes = (turns @ moments[:, 1, :, None])[:, :, 0]
    spins = (turns @ moments[:, 0, :, None])[:, :, 0] + np.cross(poses[:, :3], pushes)
    assert np.abs(pushes.sum(axis=0)).max() < 1e-10 * np.abs(force).max()
    assert np.abs(spins.sum(axis=0)).max() < 1e-10 * np.abs(force).max()
    damped = lw.VirtualSprings(500.0, 20.0)
    a = model.forward_dynamics(q, v, [], formulation=damped)
    assert energy_rate(model, q, v, a, damped) < -0.1


@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "gough-stewart"])
def test_stiff_springs_tend_to_multipliers(name):
    """Where the springs carry the multipliers, accelerations differ from the exact ones by about 1/k."""
    model, rng = lw.build(lw.catalog.load(name)), np.random.default_rng(5)
    q = model.assemble().q
    R = model.independent_map(q)
    v, tau = R @ rng.normal(size=R.shape[1]), rng.normal(size=model.na)
    a = model.forward_dynamics(q, v, tau)
    J = model.closure_jacobian(q)
    rest = model.generalized_forces(q, v, a) - model.kernels.function(closure_functions.effort_matrix)(q) @ tau
    lam = np.linalg.lstsq(J.T, rest, rcond=1e-9)[0]
    errors = []
    for k in (1e6, 1e7):
        springs = lw.VirtualSprings(k)
        stiffness, _ = row_coefficients(model.kinematics, springs)
        open_q = model.kernels.function(closure_functions.advanced)(
            q, -np.linalg.lstsq(J, lam / stiffness, rcond=1e-9)[0]
        )
        errors.append(np.abs(model.forward_dynamics(open_q, v, tau, formulation=springs) - a).max())
    assert errors[1] < 2e-3 * max(1.0, np.abs(a).max())
    assert errors[0] == pytest.approx(10.0 * errors[1], rel=0.05)


def test_some_loops_on_springs_and_the_others_by_multipliers():
    """The loops that are left stay closed exactly; the sprung one tends to the exact solution."""
    model, rng = lw.build(lw.catalog.load("3-rrr")), np.random.default_rng(6)
    q = model.assemble().q
    v = model.independent_map(q) @ rng.normal(size=3)
    a = model.forward_dynamics(q, v, np.ones(3))
    names = [loop.name for loop in model.mechanism.loops]
    springs = lw.VirtualSprings(1e6, at=(names[0],))
    kernels = spring_kernels(model.kinematics, springs)
    owner = [loop for loop in model.mechanism.loops for _ in range(5)]
    left = [i for i, loop in enumerate(owner) if loop.name != names[0]]
    found = model.forward_dynamics(q, v, np.ones(3), formulation=springs)
    bias = model.kernels.function(closure_functions.bias)(q, v)
    assert np.abs((model.closure_jacobian(q) @ found + bias)[left]).max() < 1e-10
    assert len(kernels.stage.rows) == 5
    J = model.closure_jacobian(q)
    rest = model.generalized_forces(q, v, a) - model.kernels.function(closure_functions.effort_matrix)(q) @ np.ones(3)
    lam = np.linalg.lstsq(J.T, rest, rcond=1e-9)[0]
    wanted = np.where(np.isin(np.arange(len(owner)), left), 0.0, -lam / 1e6)
    open_q = q + np.linalg.lstsq(J, wanted, rcond=1e-9)[0]
    assert np.abs(model.forward_dynamics(open_q, v, np.ones(3), formulation=springs) - a).max() < 1e-3


def test_the_spring_form_recovers_its_own_efforts():
    """forward(inverse) = identity with the spring forces eliminated, at any open configuration."""
    rng = np.random.default_rng(7)
    for name in ("four-bar", "3-rrr"):
        model, springs = lw.build(lw.catalog.load(name)), lw.VirtualSprings(1e5)
        q, v = disturbed(model, rng, 1e-3)
        tau = rng.normal(size=model.na)
        a = model.forward_dynamics(q, v, tau, formulation=springs)
        np.testing.assert_allclose(model.inverse_dynamics(q, v, a, formulation=springs), tau, rtol=1e-7, atol=1e-7)


def test_a_coupling_may_be_a_spring():
    bodies = tuple(Body(n, Inertia.diagonal(1.0, (0.0, 0.0, 0.0), (1.0, 1.0, 1.0))) for n in ("wheel", "pinion"))
    joints = tuple(Joint(b.name, "ground", b.name, Revolute()) for b in bodies)
    gear = Coupling("gear", (("wheel", 1.0), ("pinion", -2.0)), 0.1)
    model = lw.build(Mechanism("gears", bodies, joints, couplings=(gear,)), ["wheel"])
    a = model.forward_dynamics([0.5, 0.1], [0.0, 0.0], [0.0], formulation=lw.VirtualSprings(10.0, arm=2.0))
    gap = 0.5 - 0.2 - 0.1
    np.testing.assert_allclose(a, [-40.0 * gap, 80.0 * gap], rtol=1e-12)


def test_other_stiffness_needs_no_other_code():
    model = lw.build(lw.catalog.load("four-bar"))
    sampled = Mechanics.of(model)
    kernels = [spring_kernels(sampled.kinematics, lw.VirtualSprings(k, b)) for k, b in ((1e4, 0.0), (1e8, 7.0))]
    assert kernels[0] is kernels[1]
    assert kernels[0].code(spring_functions.spring_forward_dynamics) is kernels[1].code(
        spring_functions.spring_forward_dynamics
    )


@pytest.mark.parametrize("name", ["four-bar", "3-rrr", "gough-stewart"])
def test_springs_cost_fewer_operations_than_multipliers(name):
    model = lw.build(lw.catalog.load(name))
    program = spring_kernels(model.kinematics, lw.VirtualSprings(1.0)).program(spring_functions.spring_forward_dynamics)
    assert operation_count(program).total < model.operation_count("forward_dynamics").total


def test_the_inertia_falls_into_blocks():
    """Platform and legs of the Gough-Stewart mechanism: a block of six and six blocks of three, nothing between."""
    model = lw.build(lw.catalog.load("gough-stewart"))
    pattern = model.kernels.pattern(tree_functions.mass_matrix)
    legs = [[6 + 2 * i, 7 + 2 * i, 18 + i] for i in range(6)]
    allowed = np.zeros_like(pattern)
    for block in (list(range(6)), *legs):
        allowed[np.ix_(block, block)] = True
    assert not np.any(pattern & ~allowed)


@pytest.mark.parametrize(
    ("springs", "message"),
    [
        (lambda: lw.VirtualSprings(-1.0), "must be finite and not negative"),
        (lambda: lw.VirtualSprings(0.0), "must be above zero"),
        (lambda: lw.VirtualSprings(1e6, float("nan")), "must be finite"),
        (lambda: lw.VirtualSprings("stiff"), "stiffness is .stiff., expected numbers"),
        (lambda: lw.VirtualSprings(1e6, at=("C",)), "not a cut joint"),
        (lambda: lw.VirtualSprings(1e6, at="B"), "at is .B., expected a list of names"),
        (lambda: lw.VirtualSprings((1e6, 1e5)), "2 values for 1 cut joints"),
        (lambda: lw.VirtualSprings(1e6, arm=0.0), "length above zero"),
    ],
)
def test_bad_springs_are_refused_with_a_message(springs, message):
    model = lw.build(lw.catalog.load("four-bar"))
    with pytest.raises(ArgumentError, match=message):
        model.forward_dynamics(model.assemble().q, np.zeros(3), [0.0], formulation=springs())
