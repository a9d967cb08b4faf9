"""The same lines on floats, traced and interpreted, and in a longer precision give the same numbers."""

import numpy as np
from hypothesis import given

from linkwright.compiler import evaluate, trace
from linkwright.mechanism.alignment import aligned
from linkwright.mechanism.grouping import grouped
from linkwright.recursion.convective import convective_matrix
from linkwright.recursion.energy import kinetic_energy, momentum, potential_energy
from linkwright.recursion.forward import articulated_udu, forward_dynamics, forward_dynamics_composite
from linkwright.recursion.inertia import mass_matrix
from linkwright.recursion.inverse import bias_forces, gravity_forces, inverse_dynamics
from tests.strategies import a_share, error, samples

TOLERANCE = 1e-12

STATIC = {
    "gravity": gravity_forces,
    "inertia": mass_matrix,
    "factors": articulated_udu,
    "potential": potential_energy,
}
MOVING = {
    "bias": bias_forces,
    "convective": convective_matrix,
    "kinetic": kinetic_energy,
    "momentum": momentum,
}
DRIVEN = {
    "inverse": inverse_dynamics,
    "forward": forward_dynamics,
    "composite": forward_dynamics_composite,
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
    tree = grouped(aligned(s.tree))
    program = trace(bound(inverse_dynamics, tree), {"q": s.q.shape, "v": s.v.shape, "a": s.a.shape})
    v = s.rng.normal(size=(3, s.tree.nv))
    together = evaluate(program, q=s.q, v=v, a=s.a)
    assert np.array_equal(together, [evaluate(program, q=s.q, v=row, a=s.a) for row in v])
