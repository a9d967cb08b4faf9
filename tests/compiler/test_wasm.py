"""Programs as WebAssembly have the bits of the host's machine code without fused multiplication."""

import json
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import Op, Options, compile_program, divide_program, entry, interval, select, trace
from linkwright.compiler.codegen.wasm import MOST_OPERATIONS, WasmFunction, encode_programs
from linkwright.compiler.passes.schedule import fuse_products
from linkwright.viewer.page_mechanism import model_of_page
from tests.compiler.random_programs import RATIONAL, random_computation
from tests.compiler.trees import pendulum_tree
from tests.compiler.wasm_catalog import compare, public_programs
from tests.compiler.wasm_node import call_programs, needs_node

PLAIN = Options(generic=True)


def compiled(program, **inputs):
    """All outputs of the host's code without fused multiplication, by port."""
    program = replace(program, form="dict")
    return compile_program(program, PLAIN)(*(inputs[port.name] for port in program.inputs))


def same_bits(found, expected):
    return all(np.array_equal(found[name], x, equal_nan=True) for name, x in expected.items())


@needs_node
@pytest.mark.parametrize("chunk", [1, 7, 400])
def test_random_programs_have_the_bits_of_the_host(chunk):
    rng = np.random.default_rng(3)
    names = [*RATIONAL, "sqrt", "sin", "cos"]
    programs = {str(k): random_computation(rng, names, int(rng.integers(1, 60))).program() for k in range(12)}
    states = {
        name: {"x": rng.normal(size=(5, program.n_inputs)) * 10.0 ** rng.integers(-3, 4)}
        for name, program in programs.items()
    }
    found = call_programs(encode_programs(programs, chunk=chunk), states)
    for name, program in programs.items():
        assert same_bits(found[name], compiled(program, **states[name])), name


@needs_node
def test_fused_programs_are_rounded_twice_as_on_plain_hosts():
    def sums(x):
        return np.array([x[0] * x[1] + x[2], x[1] * x[3] - x[2], x[2] - x[0] * x[3]])

    program = fuse_products(trace(sums, {"x": 4}))
    assert {Op.FMA, Op.FMS, Op.FNMA} == set(program.opcodes.tolist())
    x = np.random.default_rng(0).normal(size=(9, 4))
    assert same_bits(call_programs(encode_programs({"f": program}), {"f": {"x": x}})["f"], compiled(program, x=x))


@needs_node
def test_sines_of_all_angles():
    angles = np.concatenate(
        [
            np.linspace(-1e5, 1e5, 4001),
            np.pi / 4 * np.arange(-99.0, 99.0),
            np.pi / 2 * np.arange(-60_000.0, 60_000.0, 997.0),
            [0.0, -0.0, 1e-300, -1e-300, 1e-8, 1e5, -1e5, 100000.1, 1e17, -3e8, np.nan, np.inf, -np.inf],
        ]
    )
    program = trace(lambda x: np.array([np.sin(x[0]), np.cos(x[0])]), {"x": 1})
    found = call_programs(encode_programs({"f": program}), {"f": {"x": angles[:, None]}})["f"]["out"]
    expected = compiled(program, x=angles[:, None])["out"]
    small = np.abs(angles) <= 1e5
    assert np.array_equal(found[small].view(np.int64), expected[small].view(np.int64))
    assert np.allclose(found, expected, rtol=0.0, atol=1e-15, equal_nan=True)  # large ones are the engine's


@needs_node
@pytest.mark.parametrize("name", ["exp", "log", "tanh"])
def test_functions_of_the_engine(name):
    program = trace(lambda x: getattr(np, name)(x), {"x": ()})
    x = np.abs(np.random.default_rng(1).normal(size=50)) + 0.01
    found = call_programs(encode_programs({"f": program}), {"f": {"x": x[:, None]}})["f"]["out"]
    assert np.allclose(found, getattr(np, name)(x), rtol=1e-15, atol=0.0)


@needs_node
def test_arctangents_of_all_quadrants():
    program = trace(lambda y, x: np.arctan2(y, x), {"y": (), "x": ()})
    y, x = np.random.default_rng(1).normal(size=(2, 50, 1))
    found = call_programs(encode_programs({"f": program}), {"f": {"y": y, "x": x}})["f"]["out"]
    assert np.allclose(found, np.arctan2(y, x)[:, 0], rtol=1e-15, atol=0.0)


@needs_node
def test_outputs_that_are_inputs_constants_or_the_same_number():
    def function(x, y):
        s = np.sin(y) + x[0]
        return {"a": np.array([x[1], s, 3.0, s]), "b": np.array([y, s * s, 0.0 * x[0] + 3.0])}

    program = trace(function, {"x": 2, "y": ()})
    x, y = np.array([[1.0, 2.0]]), np.array([[0.5]])
    found = call_programs(encode_programs({"f": program}), {"f": {"x": x, "y": y}})["f"]
    assert same_bits(found, compiled(program, x=x, y=y[:, 0]))


@needs_node
@pytest.mark.parametrize("n", [1, 2, 23])
def test_rolled_programs(n):
    rolled = pendulum_tree(n, seed=n)
    rng = np.random.default_rng(n)
    size = rolled.inputs[0].size
    states = {"q": rng.normal(size=(4, size)), "v": rng.normal(size=(4, size)), "g": np.full((4, 1), 9.81)}
    module = encode_programs({"torques": rolled})
    found = call_programs(module, {"torques": states})["torques"]
    expected = compile_program(rolled, PLAIN)(states["q"], states["v"], states["g"])
    assert np.array_equal(next(iter(found.values())), expected)


@needs_node
def test_drivers_learn_of_bad_inputs_and_flagged_results():
    program = trace(lambda x, y: np.array([x[0] / y[0], x[1]]), {"x": 2, "y": 1})
    states = {
        "x": np.array([[1.0, 2.0], [np.inf, 1.0], [1.0, np.nan], [0.0, 1.0]]),
        "y": np.array([[1.0], [1.0], [1.0], [0.0]]),
    }
    for flagged, expected in ((False, [1, 0, 0, 1]), (True, [1, 0, 0, 0])):
        module = encode_programs({"f": WasmFunction(program, flagged)})
        results, statuses = call_programs(module, {"f": states}, through_table=True)["f"]
        assert statuses == expected
        assert results["out"][0].tolist() == [1.0, 2.0]


@needs_node
@pytest.mark.parametrize("through_table", [False, True])
def test_what_is_given_follows_from_parameters(through_table):
    whole = trace(lambda x, p: x * np.sin(p[0] * p[1]) + p[0], {"x": 3, "p": 2})
    first, rest = divide_program(whole, ["p"])
    x, p = np.random.default_rng(2).normal(size=(6, 3)), np.array([0.3, 1.7])
    given = compile_program(first, PLAIN)(p)
    expected = compiled(whole, x=x, p=np.tile(p, (6, 1)))
    module = encode_programs({"f": WasmFunction(rest, first=first, start={"given": given})})
    states = {"f": {"x": x}}
    if through_table:
        assert same_bits(call_programs(module, states, through_table)["f"][0], expected)
        return
    assert same_bits(call_programs(module, states)["f"], expected)  # the place holds them from the start
    other = np.array([-0.8, 0.4])
    found = call_programs(module, {"f.given": {"p": other[None]}} | states)
    assert same_bits(found["f"], compiled(whole, x=x, p=np.tile(other, (6, 1))))


def test_equal_inputs_share_their_place_and_nothing_else_does():
    programs = {
        "f": trace(lambda q, v: q + v, {"q": 3, "v": 3}),
        "g": trace(lambda q: 2.0 * q, {"q": 3}),
        "h": trace(lambda q: 2.0 * q, {"q": 4}),
    }
    layout = json.loads(encode_programs(programs).layout_text)
    inputs = {name: ports["inputs"]["q"] for name, ports in layout["programs"].items()}
    assert inputs["f"] == inputs["g"] != inputs["h"]
    ports = [port for sides in layout["programs"].values() for side in sides.values() for port in side.values()]
    spans = sorted({(address, address + 8 * int(np.prod(shape))) for address, shape in ports})
    assert all(end <= begin for (_, end), (begin, _) in pairwise(spans))
    assert spans[-1][1] <= layout["end"] <= 65536 * layout["pages"]


def test_programs_that_are_too_long_are_left_out_with_the_reason():
    def product(n):
        return trace(lambda x: np.cumprod(np.repeat(x + 1.0, n)), {"x": 1})

    short, long = product(5), product(50)
    module = encode_programs({"short": short, "long": long, "other": short}, most_operations=40)
    assert list(module.layout["programs"]) == ["short", "other"]
    (finding,) = module.refused
    assert (finding.code, finding.subject, finding.value) == ("program-too-long", "long", long.n_operations)
    assert encode_programs({"long": long}).refused == () and long.n_operations < MOST_OPERATIONS


@needs_node
def test_choices_take_the_second_where_the_condition_is_not_a_number():
    program = trace(lambda c, a, b: select(c, a, b), {"c": (), "a": (), "b": ()})
    c = np.array([1.0, 0.0, -1.0, np.nan])[:, None]
    states = {"c": c, "a": np.ones((4, 1)), "b": np.zeros((4, 1))}
    assert call_programs(encode_programs({"f": program}), {"f": states})["f"]["out"].tolist() == [1.0, 0.0, 0.0, 0.0]


@needs_node
def test_look_ups_in_tables():
    breaks, values = np.sort(np.random.default_rng(5).normal(size=37)), np.random.default_rng(6).normal(size=38)
    program = trace(lambda x: np.array([entry(interval(x, breaks), values), interval(x, [0.0, 1.0])]), {"x": ()})
    x = np.concatenate([breaks, np.linspace(-4.0, 4.0, 50), [-1e300, 1e300]])[:, None]
    found = call_programs(encode_programs({"f": program}), {"f": {"x": x}})["f"]
    assert same_bits(found, compiled(program, x=x[:, 0]))


@needs_node
@pytest.mark.parametrize("name", ["four-bar", "three-link-arm"])
def test_public_functions_have_the_bits_of_the_host(name):
    """A sample of `python -m tests.compiler.wasm_catalog`, which compares the catalog."""
    model = model_of_page(lw.build(lw.catalog.load(name)))
    found = list(compare(public_programs(model), model))
    assert len(found) > 25
    assert [each.name for each in found if not each.same_bits] == []
