"""Functions of the subset as WebAssembly, and records as images for its memory."""

from __future__ import annotations

import base64
from math import exp, log

import numpy as np
import pytest

from linkwright.compiler import trace
from linkwright.compiler.codegen.wasm import CONSTANTS_END, STACK_TOP, encode_programs
from linkwright.compiler.native import Floats, FunctionPointer, Ints, Many, Record, Records
from linkwright.compiler.native.native_functions import native_function
from linkwright.compiler.native.wasm_drivers import driver_module
from linkwright.errors import CompilerError
from tests.compiler.wasm_node import needs_node, run_node, unpacked

WEIGHTS = np.array([0.5, 1.5, -2.0])


class Inner(Record):
    scale: float
    values: Floats
    shown: FunctionPointer


class Outer(Record):
    number: int
    inner: Inner
    shared: Floats
    which: Ints
    missing: FunctionPointer
    out: Floats


def weigh(n: int, x: Floats) -> float:
    total = 0.0
    for i in range(n):
        total += WEIGHTS[i] * x[i]
    return total


def run_outer(o: Outer) -> int:
    out = o.out
    values = o.inner.values
    which = o.which
    o.inner.shown(values, out)
    out[2] = weigh(3, values) * o.inner.scale + exp(-values[0]) + log(1.0 + values[which[1]])
    out[3] = o.shared[0]
    o.number += 1
    return o.number + int(out[2])


def count_up(o: Outer) -> int:
    o.number += 10
    return o.number


def filled_outer():
    o = Outer(sizes={"inner.values": 3, "out": 4})
    o.number, o.inner.scale = 3, 2.5
    o.inner.values[:] = [0.3, 1.25, 7.0]
    o.shared, o.which = np.array([42.0]), np.array([2, 1])
    return o


def squares(x):
    return np.array([x[0] * x[1], x[2] * x[2]])


def write_squares(x, out):
    out[:2] = squares(x)
    return 1


@needs_node
def test_drivers_do_on_an_image_of_a_record_what_they_do_here():
    module = encode_programs({"squares": trace(squares, {"x": 3})})
    base = module.layout["end"] + 64
    o = filled_outer()
    image = o.image(base, {"inner.shown": (1, 0)})
    job = {
        "stack": STACK_TOP,
        "base": base,
        "binary": packed_bytes(module.binary),
        "drivers": packed_bytes(driver_module((run_outer, count_up), STACK_TOP)),
        "image": packed_bytes(image.content),
        "table": ["squares.at"],
        "calls": ["run_outer", "count_up", "run_outer"],
        "out": [image.addresses["out"], 4],
    }
    answer = run_node("compiler/wasm_drivers_node.mjs", job)
    x = o.inner.values
    o.inner.shown = FunctionPointer(0, write_squares)
    expected = [run_outer(o), count_up(o), run_outer(o)]
    assert answer["results"] == expected
    assert np.allclose(unpacked(answer["out"]), o.out, rtol=1e-15, atol=0.0)
    assert WEIGHTS @ x == weigh(3, x)


def packed_bytes(content):
    return base64.b64encode(content).decode()


def test_constants_of_drivers_fit_below_the_programs():
    assert WEIGHTS.nbytes <= CONSTANTS_END - STACK_TOP
    assert driver_module((run_outer,), STACK_TOP) == driver_module((run_outer,), STACK_TOP)


def test_an_image_knows_where_everything_lies():
    o = filled_outer()
    o.inner.shown = FunctionPointer(1234, lambda: 0)
    image = o.image(4096, {"missing": (7, 96)})
    words = np.frombuffer(image.content, dtype=np.int64)
    at = {path: (address - 4096) // 8 for path, address in image.addresses.items()}
    assert words[at["number"]] == 3
    assert words.view(float)[at["inner.values"] :][:3].tolist() == [0.3, 1.25, 7.0]
    assert words.view(float)[at["shared"]] == 42.0
    assert words[at["which"] :][:2].tolist() == [2, 1]
    assert words[at["missing"] :][:2].tolist() == [7, 96]
    assert words[at["inner.shown"] :][:2].tolist() == [0, 0]  # a function of this process is not one there


def test_functions_that_a_record_does_not_have_are_refused():
    with pytest.raises(CompilerError, match=r"inner\.nothing"):
        filled_outer().image(0, {"inner.nothing": (1, 0)})


def test_lists_of_records_have_no_image():
    class Listing(Record):
        parts: Many[Inner]

    x = Listing()
    x.parts = Records(Inner, 2)
    with pytest.raises(CompilerError, match="'parts' of Listing lists records"):
        x.image(0, {})


def test_both_targets_read_one_text():
    assert native_function(weigh)(3, np.array([1.0, 2.0, 3.0])) == -2.5
