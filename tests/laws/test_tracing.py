"""The same lines on floats, traced and interpreted, and in a longer precision give the same numbers."""

import numpy as np
from hypothesis import given

from linkwright.compiler import evaluate, trace
from linkwright.mechanism.alignment import align_link_frames
from linkwright.mechanism.tree import group_inertial_parameters
from linkwright.recursion.energy import kinetic_energy, potential_energy, tree_momentum
from linkwright.recursion.forward_recursion import articulated_udu, composite_forward_dynamics, tree_forward_dynamics
from linkwright.recursion.inertia import tree_convective_matrix, tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_bias_forces, tree_gravity_forces, tree_inverse_dynamics
from tests.strategies import a_share, error, samples

TOLERANCE = 1e-12

STATIC = {
    "gravity": tree_gravity_forces,
    "inertia": tree_mass_matrix,
    "factors": articulated_udu,
    "potential": potential_energy,
}
MOVING = {
    "bias": tree_bias_forces,
    "convective": tree_convective_matrix,
    "kinetic": kinetic_energy,
    "momentum": tree_momentum,
}
DRIVEN = {
    "inverse": tree_inverse_dynamics,
    "forward": tree_forward_dynamics,
    "composite": composite_forward_dynamics,
}


def cases(s):
    """Every function with the tree bound and the arrays it takes."""
    arrays = {"q": s.q, "v": s.v, "x": s.a}
    for names, functions in (("q", STATIC), ("qv", MOVING), ("qvx", DRIVEN)):
        for function in functions.values():
            yield function, {name: arrays[name] for name in names}


def bound(function, tree):
    return lambda **arrays: function(tree, *arrays.values())


def assert_close(actual, expected, tolerance):
    pairs = zip(actual, expected, strict=True) if isinstance(expected, tuple) else [(actual, expected)]
    for x, y in pairs:
        assert error(x, y) < tolerance


@a_share(5)
@given(samples(max_bodies=5))
def test_traced_and_interpreted_is_the_float_run(s):
    for function, arrays in cases(s):
        program = trace(bound(function, s.tree), {name: x.shape for name, x in arrays.items()})
        assert_close(evaluate(program, **arrays), function(s.tree, *arrays.values()), TOLERANCE * s.condition)


@a_share(5)
@given(samples(max_bodies=5))
def test_a_longer_precision_confirms_the_floats(s):
    """Up to the constants of the program, which are doubles: a mass matrix that does not move is folded into them.

    Where long doubles are no longer than doubles this only repeats the run.
    """
    for function, arrays in cases(s):
        long = {name: x.astype(np.longdouble) for name, x in arrays.items()}
        direct = function(s.tree, *long.values())
        assert_close(direct, function(s.tree, *arrays.values()), TOLERANCE * s.condition)
        program = trace(bound(function, s.tree), {name: x.shape for name, x in arrays.items()})
        interpreted = evaluate(program, **long, dtype=np.longdouble)
        finer = (1e3 * float(np.finfo(np.longdouble).eps) + 32.0 * float(np.finfo(float).eps)) * s.condition
        assert_close(interpreted, direct, finer)


@a_share(5)
@given(samples(max_bodies=5))
def test_a_batch_is_its_states(s):
    tree = group_inertial_parameters(align_link_frames(s.tree))
    program = trace(bound(tree_inverse_dynamics, tree), {"q": s.q.shape, "v": s.v.shape, "a": s.a.shape})
    v = s.rng.normal(size=(3, s.tree.nv))
    together = evaluate(program, q=s.q, v=v, a=s.a)
    assert np.array_equal(together, [evaluate(program, q=s.q, v=row, a=s.a) for row in v])
