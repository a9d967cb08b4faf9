"""Many loops: sparse steps equal dense ones, loops that share nothing move as they do alone, structure is exact."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import evaluate
from linkwright.functions.loop import closure_functions
from linkwright.functions.store import Scattered
from linkwright.functions.tree import tree_functions
from linkwright.papers.gallery.four_bar_chain import chain_acceleration, four_bar_chain, parallel_state
from linkwright.plans.closure_newton import CLOSED, SparseRows, loop_groups, recombine_loop_groups, right_way_round
from linkwright.plans.rank import blocks_of_pattern, extreme_values
from tests.loops.many_loops import biped, separate
from tests.loops.mechanisms import Mechanics

SEPARATE = 12


@cache
def model(kind, n=0):
    return lw.build({"separate": lambda: separate(n), "chain": lambda: four_bar_chain(n), "biped": biped}[kind]())


@pytest.mark.parametrize("seed", range(5))
def test_sparse_steps_are_the_dense_ones(seed):
    rng = np.random.default_rng(seed)
    m, n = 12, 20
    pattern = rng.random((m, n)) < 0.2
    pattern[5] = False
    J = rng.normal(size=(7, m, n)) * pattern
    rows = SparseRows.of(pattern)
    entries, damping, b = J[:, rows.rows, rows.columns], rng.uniform(1e-3, 0.1, (7, m)), rng.normal(size=(7, m))
    dense = J @ J.transpose(0, 2, 1) + damping[:, :, None] * np.eye(m)
    assert rows.solve(entries, damping, b) == pytest.approx(np.linalg.solve(dense, b[:, :, None])[:, :, 0], rel=1e-9)
    dv = rng.normal(size=(7, n))
    projected = dv - (np.linalg.pinv(J) @ (J @ dv[:, :, None]))[:, :, 0]
    assert rows.tangent(entries, dv) == pytest.approx(projected, abs=1e-9)


def test_blocks_share_no_row_and_no_column():
    pattern = np.zeros((5, 7), dtype=bool)
    pattern[0, [1, 4]] = pattern[2, [4, 6]] = pattern[1, 0] = pattern[4, [2, 3]] = True
    found = [(block.rows.tolist(), block.columns.tolist()) for block in blocks_of_pattern(pattern)]
    assert found == [([0, 2], [1, 4, 6]), ([1], [0]), ([4], [2, 3])]
    J = np.random.default_rng(0).normal(size=(6, 5, 7)) * pattern
    values = np.linalg.svd(J, compute_uv=False)
    least, most = extreme_values(J)
    assert least == pytest.approx(values[:, -1], abs=1e-14) and most == pytest.approx(values[:, 0])


@pytest.mark.parametrize("kind", ["separate", "biped"])
def test_scattered_functions_are_the_whole_ones(kind):
    kernels = Mechanics.of(model(kind, SEPARATE)).kinematics.all_rows
    q = np.repeat(model(kind, SEPARATE).assemble().q[None, :], 3, axis=0)
    for definition in (
        closure_functions.closure_jacobian,
        closure_functions.kkt_matrix,
        tree_functions.mass_matrix,
        tree_functions.body_poses,
    ):
        function, whole = kernels.function(definition), evaluate(kernels.program(definition), q)
        assert isinstance(function, Scattered)
        assert function(q) == pytest.approx(whole, abs=1e-12) and np.array_equal(function(q)[0], function(q[0]))
        assert kernels.values(definition, q) == pytest.approx(whole, abs=1e-15)
        out = np.empty_like(whole)
        assert function(q, out=out) is out and np.array_equal(out, function(q))
    bad = np.array(q)
    bad[1] = np.nan
    assert np.isnan(kernels.function(closure_functions.kkt_matrix)(bad)[1]).all()


def test_loops_that_share_nothing_move_as_they_do_alone():
    whole, n = model("separate", SEPARATE), SEPARATE
    c, rng = whole.assemble(), np.random.default_rng(1)
    assert whole.mobility == n and c.residual < 1e-12
    assert len(loop_groups(Mechanics.of(whole).kinematics.all_rows)) == n
    J = whole.closure_jacobian(c.q)
    v = np.linalg.svd(J)[2][-n:].T @ rng.normal(size=n)
    a = whole.forward_dynamics(c.q, v, np.zeros(0))
    for i in (0, n - 1):
        mech = whole.mechanism
        names = [f"{part}{i}" for part in ("crank", "coupler", "rocker")]
        alone = lw.build(
            replace(
                mech,
                bodies=tuple(b for b in mech.bodies if b.name in names),
                joints=tuple(j for j in mech.joints if j.child in names),
                loops=tuple(j for j in mech.loops if j.child in names),
                home=tuple(h for h in mech.home if h[0] in (f"a{i}", f"b{i}", f"c{i}")),
            )
        )
        part = slice(3 * i, 3 * i + 3)
        assert a[part] == pytest.approx(alone.forward_dynamics(c.q[part], v[part], np.zeros(0)), rel=1e-9)


def test_groups_of_loops_are_assembled_apart():
    """From starts that close some loops each, and never all: every group takes a start that closes it."""
    kernels = Mechanics.of(model("separate", SEPARATE)).kinematics.all_rows
    q = np.repeat(model("separate", SEPARATE).assemble().q[None, :], SEPARATE, axis=0)
    for i in range(SEPARATE):
        q[i, 3 * i] += 0.1  # start i leaves loop i open
    mixed = recombine_loop_groups(kernels, q)
    assert len(mixed) and right_way_round(kernels, mixed).all()
    assert np.abs(kernels.function(closure_functions.closure_residual)(mixed)).max() < CLOSED


def test_a_long_chain_moves_as_its_one_freedom():
    n = 20
    for angle in (0.3, 1.0, 2.0):
        q, v = parallel_state(n, angle, -1.5)
        a = model("chain", n).forward_dynamics(q, v, np.zeros(0))
        assert a[: n + 1] == pytest.approx(np.full(n + 1, chain_acceleration(n, angle)), rel=1e-8)
    assert model("chain", n).mobility == 1


def test_what_carries_both_sides_of_a_loop_is_no_part_of_it():
    """The loops of a biped do not depend on its base, hips and arms; its dynamics equal a dense solution."""
    robot = model("biped")
    kernels = Mechanics.of(robot).kinematics.all_rows
    pattern = kernels.pattern(closure_functions.closure_jacobian)
    moved = {robot.v_names[i] for i in np.flatnonzero(pattern.any(axis=0))}
    assert not any(name.startswith(("base", "head")) or "arm" in name or "hip_roll" in name for name in moved)
    assert robot.nv == 54 and robot.mobility == 36
    assert len(loop_groups(kernels)) == 4  # of each leg: the rod to the heel, and the two rods to the foot
    rng = np.random.default_rng(2)
    q = robot.assemble().q
    J, M = robot.closure_jacobian(q), robot.mass_matrix(q)
    v = np.linalg.svd(J)[2][len(J) :].T @ rng.normal(size=robot.mobility)
    tau = rng.normal(size=robot.na)
    h = robot.bias_forces(q, v)
    B = kernels.function(closure_functions.effort_matrix)(q)
    c = kernels.function(closure_functions.bias)(q, v)
    K = np.block([[M, J.T], [J, np.zeros((len(J), len(J)))]])
    a = np.linalg.solve(K, np.concatenate([B @ tau - h, -c]))[: robot.nv]
    assert robot.forward_dynamics(q, v, tau) == pytest.approx(a, rel=1e-8, abs=1e-8)
