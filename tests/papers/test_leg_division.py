"""Leg by leg: the parts together are the whole, bit for bit, and parts of one stage do not need each other."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import linkwright as lw
from benchmarks.legs import count, count_table
from linkwright import catalog
from linkwright.compiler import compile_program, evaluate, operation_count
from linkwright.dynamics.methods import row_coefficients
from linkwright.errors import ArgumentError
from linkwright.functions.setup import setup
from linkwright.papers import leg_division as parallel
from linkwright.papers.leg_division import CENTER, float_platform, legs_of_mechanism, slice_program
from tests.compiler.random_programs import BINARY, UNARY, random_computation
from tests.loops.mechanisms import Mechanics

NAMES = ("delta", "3-rps")
FUNCTIONS = ("forward_dynamics", "inverse_dynamics")


def closed_states(model, n, width):
    q = Mechanics(setup(model.mechanism, None)).samples[:n]
    rng = np.random.default_rng(7)
    return q, rng.normal(size=(n, model.nv)), rng.normal(size=(n, width))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", NAMES)
def test_the_parts_give_the_bits_of_the_whole(name, function):
    model = lw.build(catalog.load(name))
    program = model.program(function)
    parts = parallel.leg_by_leg(model, function)
    x = closed_states(model, 40, model.na if function == "forward_dynamics" else model.nv)
    expected = compile_program(program)(*x)
    assert np.array_equal(parts(*x), expected, equal_nan=True)
    with ThreadPoolExecutor(2) as pool:
        assert np.array_equal(parts(*x, run=pool.map), expected, equal_nan=True)
    assert np.array_equal(parts(*(a[3] for a in x)), expected[3], equal_nan=True)
    good = np.isfinite(expected).all(axis=1)
    assert good.sum() > 30
    assert expected[good] == pytest.approx(getattr(model, function)(*(a[good] for a in x)), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "function"),
    [
        ("hexaglide", "rao_inverse"),
        ("hexaglide", "rao_forward"),
        ("3-rps", "khan_inverse"),
        ("gough-stewart", "spring_forward_dynamics"),
        ("3-rps", "spring_energy"),
        ("3-rps", "forward_dynamics_derivatives"),
    ],
)
def test_any_traced_function_is_cut_by_its_legs(name, function):
    """Functions of the papers, with their second result, and of virtual springs, with their two further inputs."""
    model = lw.build(catalog.load(name))
    program = model.program(function)
    cut = parallel.leg_slices(model.mechanism, program)
    rng = np.random.default_rng(5)
    q = Mechanics(setup(model.mechanism, None)).samples[:6]
    x = [q if port.name == "q" else rng.uniform(0.5, 1.0, size=(6, *port.shape)) for port in program.inputs]
    expected = evaluate(cut.whole, *x)
    found = parallel._run_stages(cut, x, lambda part, inputs: evaluate(part.program, *inputs), map)
    assert type(found) is type(expected)
    as_tuple = [found, expected] if isinstance(expected, tuple) else [(found,), (expected,)]
    for a, b in zip(*as_tuple, strict=True):
        assert np.array_equal(a, b, equal_nan=True)
    assert cut.independent > 0.1 * operation_count(program).total


def test_springs_leg_by_leg_are_virtual_springs():
    """Stiffness and damping reach the legs: the parts equal the formulation itself."""
    model = lw.build(catalog.load("3-rps"))
    springs = lw.VirtualSprings(1e5, 30.0)
    q, v, tau = (x[0] for x in closed_states(model, 1, model.na))
    stiffness, damping = row_coefficients(model.kinematics, springs)
    found = parallel.leg_by_leg(model, "spring_forward_dynamics")(q, v, tau, stiffness, damping)
    assert found == pytest.approx(model.forward_dynamics(q, v, tau, formulation=springs), rel=1e-12)
    assert found != pytest.approx(
        parallel.leg_by_leg(model, "spring_forward_dynamics")(q, v, tau, stiffness, 2 * damping)
    )


def test_processes_give_the_same_bits():
    model = lw.build(catalog.load("3-rps"))
    program = model.program("inverse_dynamics")
    x = closed_states(model, 8, model.nv)
    work = parallel.LegProcesses(parallel.leg_slices(model.mechanism, program), workers=2)
    try:
        assert np.array_equal(work(*x), compile_program(program)(*x), equal_nan=True)
    finally:
        work.close()


@pytest.mark.parametrize("name", NAMES)
def test_every_operation_is_counted_once_and_most_are_independent(name):
    model = lw.build(catalog.load(name))
    for function in FUNCTIONS:
        program = model.program(function)
        cut = parallel.leg_slices(model.mechanism, program)
        total = operation_count(program).total
        assert sum(cut.counts.values()) == total
        assert cut.independent > 0.5 * total
        assert cut.longest < total
        assert len(cut.first) == len(legs_of_mechanism(model.mechanism).bodies)


def check_stages(cut):
    """A part takes live values of its own leg's first part and of earlier stages only."""
    ports = {port.name for port in cut.whole.inputs}
    assert all(set(part.needs) == ports for part in cut.first)
    firsts = {part.name for part in cut.first}
    assert all(set(part.needs) <= ports | firsts for part in cut.central)
    assert all(set(part.needs) <= ports | firsts | {"center"} for part in cut.second)
    given = [e for part in (*cut.first, *cut.central, *cut.second) for e in part.gives]
    assert sorted(given) == list(range(cut.whole.n_outputs))


def run_in_python(cut, x):
    return parallel._run_stages(cut, [x], lambda part, inputs: evaluate(part.program, *inputs), map)


@given(st.integers(0, 2**32 - 1))
def test_any_program_can_be_cut_by_any_owners(seed):
    rng = np.random.default_rng(seed)
    program = random_computation(rng, [*UNARY, *BINARY, "select"], 40).program()
    owners = rng.integers(CENTER, 3, program.n_inputs).tolist()
    cut = slice_program(program, owners, rng.integers(CENTER, 3, program.n_outputs).tolist(), 3)
    check_stages(cut)
    assert sum(cut.counts.values()) == operation_count(program).total
    x = rng.normal(size=(4, program.n_inputs))
    assert np.array_equal(run_in_python(cut, x), evaluate(cut.whole, x), equal_nan=True)


def test_a_leg_that_changes_does_not_change_the_others_first_parts():
    """Independence itself: inputs of leg 1 do not reach the first part of leg 2."""
    model = lw.build(catalog.load("gough-stewart"))
    cut = parallel.leg_slices(model.mechanism, model.program("forward_dynamics"))
    x = [a[:5] for a in closed_states(model, 5, model.na)]
    mine = [i for i, n in enumerate(model.v_names) if n.startswith(("hooke1", "rho1"))]
    other = [np.array(a) for a in x]
    other[1][:, mine] += 1.0
    first, second = cut.first[:2]
    assert not np.array_equal(evaluate(first.program, *x)[0], evaluate(first.program, *other)[0])
    for a, b in zip(evaluate(second.program, *x), evaluate(second.program, *other), strict=True):
        assert np.array_equal(a, b)


def test_a_platform_that_hangs_on_a_leg_is_refused_until_it_floats():
    model = lw.build(catalog.load("five-bar"))
    with pytest.raises(ArgumentError, match=r"no floating platform.*floated\(model\)"):
        parallel.leg_by_leg(model)
    floating = lw.build(float_platform(model))
    assert floating.mobility == model.mobility
    q = floating.assemble().q
    assert len(legs_of_mechanism(floating.mechanism).bodies) == 2
    tau = floating.inverse_dynamics(q, np.zeros(floating.nv), np.zeros(floating.nv))
    q0 = model.assemble().q
    assert tau == pytest.approx(model.inverse_dynamics(q0, np.zeros(model.nv), np.zeros(model.nv)), abs=1e-9)


def test_a_serial_arm_has_no_legs():
    with pytest.raises(ArgumentError, match="no floating platform"):
        parallel.leg_by_leg(lw.build(catalog.load("stanford-arm")))


def test_the_table_of_the_page_is_what_the_command_counts():
    model = lw.build(catalog.load("gough-stewart"))
    program = model.program("forward_dynamics")
    row = count(
        "gough-stewart",
        "forward_dynamics",
        parallel.leg_slices(model.mechanism, program),
        operation_count(program).total,
    )
    page = (Path(__file__).parents[2] / "docs" / "leg_by_leg.md").read_text(encoding="utf-8")
    assert count_table([row]).splitlines()[-1] in page
