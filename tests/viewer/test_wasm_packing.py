"""Modules that are packed for pages come out again as they were."""

import base64
import zlib

import numpy as np

from linkwright.compiler.codegen.wasm import encode_programs
from linkwright.compiler.codegen.wasm_packing import pack_module
from linkwright.viewer.page_drivers import driver_binary
from tests.compiler.random_programs import RATIONAL, random_computation
from tests.compiler.wasm_node import needs_node, run_node
from tests.viewer.mechanisms import model
from tests.viewer.test_bundle import BUNDLE


def modules_again(binaries):
    """Modules packed here and unpacked by the bundle."""
    packed = [base64.b64encode(pack_module(each)).decode() for each in binaries]
    answers = run_node("viewer/unpack_node.mjs", {"bundle": str(BUNDLE / "engine.js"), "packed": packed})
    assert all(is_valid for is_valid, _ in answers)
    return [base64.b64decode(text) for _, text in answers]


def modules_of_programs():
    rng = np.random.default_rng(0)
    names = [*RATIONAL, "sqrt", "sin", "cos"]
    random = [random_computation(rng, names, int(rng.integers(1, 90))).program() for _ in range(8)]
    long = model("3-rrr").program("forward_dynamics")
    return [encode_programs({"f": each}, chunk=30).binary for each in random] + [encode_programs({"f": long}).binary]


@needs_node
def test_modules_of_programs_come_out_byte_by_byte():
    given = modules_of_programs()
    assert modules_again(given) == given


@needs_node
def test_drivers_come_out_with_short_numbers():
    (found,) = modules_again([driver_binary()])
    assert pack_module(found) == pack_module(driver_binary())
    assert len(found) <= len(driver_binary())


def test_packed_modules_of_programs_deflate_to_four_fifths():
    binary = modules_of_programs()[-1]
    assert len(zlib.compress(pack_module(binary), 9)) < 0.8 * len(zlib.compress(binary, 9))
