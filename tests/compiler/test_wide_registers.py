"""Code for processors with AVX-512, generated and inspected on any x86: which parts use 512-bit registers."""

import platform
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from linkwright.compiler import Options, Program, compile_program, trace
from linkwright.compiler.codegen import llvm
from linkwright.compiler.codegen.module import lane_text, state_text
from linkwright.compiler.codegen.target import (
    SHORT,
    RegisterUse,
    Target,
    code_generator,
    host_target,
    lanes_for,
    processor_target,
    widest_register,
)
from linkwright.compiler.runtime.code import EFFORTS

pytestmark = pytest.mark.skipif(
    platform.machine().lower() not in ("x86_64", "amd64"), reason="the code generator of this processor is not for x86"
)
BASIC = ("avx", "avx2", "fma", "sse4.2")
WIDE = ("avx512bw", "avx512cd", "avx512dq", "avx512f", "avx512vl")


def assembly(text: str, target: Target) -> str:
    return str(code_generator(target).emit_assembly(llvm.parse_assembly(text)))


@pytest.fixture(scope="module", params=["sapphirerapids", "znver4"])
def cpu(request: pytest.FixtureRequest) -> str:
    host_target(Options())
    return str(request.param)


def target_for(cpu: str, part: str) -> Target:
    features = [(name, True) for name in (*BASIC, *WIDE)]
    return processor_target(cpu, features, part == "lanes", EFFORTS[part])


def rotated(x: Any, turns: int) -> Any:
    """Sines and cosines of eight angles, mixed by rotations in a row."""
    s, c = np.sin(x), np.cos(x)
    u, v = s, c
    for k in range(turns):
        a, b = np.roll(s, k + 1), np.roll(c, k + 1)
        u, v = b * u - a * v, a * u + b * v
    return np.concatenate([u, v])


@pytest.fixture(scope="module")
def programs() -> dict[str, Program]:
    """A short program and a long one, both of eight angles."""
    return {name: trace(lambda x, n=n: rotated(x, n), {"x": 8}) for name, n in (("short", 3), ("long", 20))}


@pytest.mark.parametrize("part", ["draft", "state"])
def test_one_state_uses_no_512_bit_registers(cpu: str, part: str, programs: dict[str, Program]) -> None:
    for program in programs.values():
        target = target_for(cpu, part)
        assert target.fma and target.registers == 4
        found = assembly(state_text(program, target, 400), target)
        assert "zmm" not in found and "vfmadd" in found and "ymm" in found


def test_with_the_features_one_state_would_use_them(programs: dict[str, Program]) -> None:
    """The inspection can fail: code of one state for the features of lanes has 512-bit registers."""
    target = replace(target_for("sapphirerapids", "lanes"), level=1)
    host_target(Options())
    assert "zmm" in assembly(state_text(programs["short"], target, 400), target)


def test_lanes_of_long_programs_fill_512_bits_and_short_ones_256(programs: dict[str, Program]) -> None:
    host_target(Options())
    target = target_for("sapphirerapids", "lanes")
    assert programs["short"].n_operations <= SHORT < programs["long"].n_operations
    short, long = (assembly(lane_text(programs[name], target, 8, 400), target) for name in ("short", "long"))
    assert "zmm" not in short
    assert long.count("zmm") > 1000


def test_a_measured_processor_fills_registers_as_measured() -> None:
    """Zen 5: AVX-512 in code of one state, two registers of 512 bits a value in batches of short programs."""
    features = [(name, True) for name in (*BASIC, *WIDE)]
    one, lanes = (processor_target("znver5", features, of_lanes, 1) for of_lanes in (False, True))
    assert one == lanes and one.registers == 8
    assert [(widest_register(lanes, n), lanes_for(Options(), lanes, n)) for n in (SHORT, SHORT + 1)] == [
        (512, 16),
        (512, 8),
    ]


@pytest.mark.parametrize("turns", [3, 20])
def test_register_use_leaves_the_bits(turns: int) -> None:
    """On any processor, whatever the registers: one state, and rows of batches in every number of lanes."""
    program = trace(lambda x: rotated(x, turns), {"x": 8})
    x = np.random.default_rng(0).uniform(-3.0, 3.0, (19, 8))
    uses = [RegisterUse(wide, (bits, n), (bits, n)) for wide, bits, n in ((True, 512, 16), (False, 256, 4))]
    found = []
    for use in uses:
        kernel = compile_program(program, Options(lanes=use.short[1], registers=use))
        found += [kernel(x), np.array([kernel(row) for row in x])]
    assert all(np.array_equal(each, found[0]) for each in found)


def test_other_processors_have_one_target_for_all_parts() -> None:
    features = [(name, True) for name in BASIC] + [(name, False) for name in WIDE]
    assert processor_target("znver3", features, True, 1) == processor_target("znver3", features, False, 1)


def test_the_choice_of_registers_leaves_the_operations() -> None:
    """Texts for both choices differ in the preferred width only, so every rounding is the same."""
    program = trace(lambda x: np.sin(x) @ np.cos(x) / x[0], {"x": 8})
    one, lanes = target_for("sapphirerapids", "state"), target_for("sapphirerapids", "lanes")
    assert state_text(program, one, 400) == state_text(program, lanes, 400)
    full = replace(lanes, use=RegisterUse(True, (512, 8), (512, 8)))
    assert lane_text(program, full, 8, 400) == lane_text(program, lanes, 8, 400).replace('"256"', '"512"')
