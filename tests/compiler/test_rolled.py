"""The rolled form computes what its steps say, item by item, in every way of running it."""

from dataclasses import replace

import numpy as np
import pytest

from linkwright.compiler import (
    Options,
    RolledSweep,
    cached_kernel,
    compile_program,
    evaluate_rolled,
    operation_count,
    trace,
)
from linkwright.compiler.codegen.module import fields_to_clear, lane_text
from linkwright.compiler.codegen.target import host_target
from linkwright.errors import ArgumentError, CompilerError
from tests.compiler.chains import chain, torques
from tests.compiler.trees import pendulum_tree


def states(rolled, *batch, seed=0):
    rng = np.random.default_rng(seed)
    n = rolled.inputs[0].size
    return rng.normal(size=(*batch, n)), rng.normal(size=(*batch, n)), np.array([9.81])


def by_hand(rolled, q, v, g):
    """The same tree in plain Python."""
    n = rolled.n_items
    pose, rate, load = np.zeros((n + 1, 3)), np.zeros(n + 1), np.zeros((n + 1, 2))
    pose[0] = rolled.root["pose"]
    force = np.zeros(len(q))
    for i in range(n):
        p, s, (length, mass) = rolled.parent[i] + 1, rolled.offsets["q"][i], rolled.params[i]
        if rolled.kind[i] == 0:
            angle = pose[p, 2] + q[s]
            pose[i + 1] = pose[p, 0] + length * np.cos(angle), pose[p, 1] + length * np.sin(angle), angle
            rate[i + 1] = rate[p] + v[s]
            load[i + 1] = mass, 0.1 * mass * rate[i + 1] ** 2
        else:
            reach = length + q[s]
            pose[i + 1] = pose[p, 0] + reach * q[s + 1], pose[p, 1] + reach, pose[p, 2]
            rate[i + 1] = rate[p] * 0.5 + v[s] * v[s + 1]
            load[i + 1] = mass, q[s + 1]
    for i in reversed(range(n)):
        p, s = rolled.parent[i] + 1, rolled.offsets["q"][i]
        if rolled.kind[i] == 0:
            force[s] = g[0] * load[i + 1, 0] * (pose[i + 1, 0] - pose[p, 0]) + load[i + 1, 1]
            load[p] += 0.9 * load[i + 1]
        else:
            force[s : s + 2] = load[i + 1, 0] * g[0], load[i + 1, 1]
            load[p] += load[i + 1]
    return force


@pytest.mark.parametrize("n", [1, 2, 17, 60])
def test_interpreted_and_compiled_equal_the_same_thing_by_hand(n):
    rolled = pendulum_tree(n, seed=n)
    q, v, g = states(rolled)
    expected = by_hand(rolled, q, v, g)
    np.testing.assert_allclose(evaluate_rolled(rolled, q, v, g), expected, rtol=1e-12, atol=1e-13)
    np.testing.assert_allclose(compile_program(rolled)(q, v, g), expected, rtol=1e-12, atol=1e-13)


@pytest.mark.parametrize("options", [Options(), Options(lanes=8), Options(generic=True), Options(lanes=2)], ids=str)
@pytest.mark.parametrize("n", [5, 90])
def test_same_bits_alone_and_in_any_lane(n, options):
    rolled = pendulum_tree(n, seed=3)
    kernel = compile_program(rolled, options)
    q, v, g = states(rolled, 19)
    q[4, -1] = np.nan
    batch = kernel(q, v, g)
    assert np.isnan(batch[4]).all() and np.isfinite(np.delete(batch, 4, axis=0)).all()
    for i in (0, 3, 5, 18):
        assert batch[i].tobytes() == kernel(q[i], v[i], g).tobytes()
    np.testing.assert_allclose(
        np.delete(batch, 4, 0), np.delete(evaluate_rolled(rolled, q, v, g), 4, 0), rtol=1e-11, atol=1e-13
    )


def test_many_items_use_the_heap_and_threads():
    rolled = pendulum_tree(1500, seed=1)
    kernel = compile_program(rolled)
    q, v, g = states(rolled, 9)
    np.testing.assert_allclose(
        kernel(q, v, g, threads=2), [by_hand(rolled, *x, g) for x in zip(q, v, strict=True)], rtol=1e-9
    )


def test_an_inward_first_sweep_finds_clear_fields():
    rolled = pendulum_tree(6, chain=True)
    add = trace(lambda q: {"parent_load": np.array([q[0], 1.0])}, {"q": 1})
    read = trace(lambda load: {"force": load[:1] + load[1:]}, {"load": 2})
    rolled = replace(rolled, sweeps=(RolledSweep((add,), inward=True), RolledSweep((read,))))
    q, v, g = states(rolled)
    expected = [*(q[1:] + 1.0), 0.0]
    np.testing.assert_allclose(compile_program(rolled)(q, v, g), expected)
    np.testing.assert_allclose(evaluate_rolled(rolled, q, v, g), expected)


def test_empty_trees_and_bad_values():
    empty = pendulum_tree(0)
    assert compile_program(empty)(np.zeros(0), np.zeros(0), np.ones(1)).shape == (0,)
    rolled = pendulum_tree(4)
    q, v, g = states(rolled)
    with pytest.raises(ArgumentError, match="q"):
        compile_program(rolled)(q * np.nan, v, g)


def test_the_cache_keeps_the_tables(tmp_path, monkeypatch):
    monkeypatch.setenv("LINKWRIGHT_CACHE", str(tmp_path / "cache"))
    rolled = pendulum_tree(7)
    q, v, g = states(rolled)
    first = cached_kernel(rolled.digest, lambda: rolled)(q, v, g)
    again = cached_kernel(rolled.digest, pytest.fail)
    assert first.tobytes() == again(q, v, g).tobytes() and again.count == operation_count(rolled)


def test_code_does_not_grow_with_the_tree():
    target = host_target(Options())
    short, long = (len(lane_text(pendulum_tree(n, chain=True), target, 4, 400)) for n in (100, 400))
    assert abs(long - short) < 100


@pytest.mark.parametrize(
    "change, message",
    [
        ({"parent": np.array([0, 1, 2])}, "parent comes before"),
        ({"kind": np.array([0, 0, 5])}, "kinds run to 5"),
        ({"params": np.zeros((2, 2))}, "one row for each"),
        ({"params": np.zeros((3, 3))}, "param"),
        ({"fields": {"pose": 3, "rate": 1, "load": 4}}, "load"),
        ({"fields": {"pose": 3, "rate": 1, "load": 2, "q": 1}}, "different names"),
    ],
)
def test_wrong_records_are_refused(change, message):
    with pytest.raises(CompilerError, match=message):
        replace(pendulum_tree(3, chain=True), **change)


def test_digests_tell_trees_apart():
    assert pendulum_tree(5).digest == pendulum_tree(5).digest != pendulum_tree(5, seed=1).digest


@pytest.mark.parametrize("n", [1, 7, 40])
def test_rolled_forward_dynamics_undoes_inverse_dynamics(n):
    rolled = chain(n)
    q, v, a = np.random.default_rng(n).normal(size=(3, n))
    tau = torques(rolled.params, q, v, a)
    np.testing.assert_allclose(compile_program(rolled)(q, v, tau), a, rtol=1e-7, atol=1e-7)
    np.testing.assert_allclose(evaluate_rolled(rolled, q, v, tau), a, rtol=1e-7, atol=1e-7)


def test_only_exposed_fields_are_cleared():
    assert fields_to_clear(chain(3)) == set()
    tree = pendulum_tree(5, chain=True)
    assert fields_to_clear(tree) == set()
    assert fields_to_clear(replace(tree, sweeps=tree.sweeps[1:])) == {"load", "pose"}
    assert fields_to_clear(replace(tree, sweeps=tree.sweeps[::-1])) == {"load", "pose"}
