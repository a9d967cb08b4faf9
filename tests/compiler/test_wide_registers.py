"""Code for processors with AVX-512, generated and inspected on any x86: which parts use 512-bit registers."""

import platform
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from linkwright.compiler import Options, Program, trace
from linkwright.compiler.codegen import llvm
from linkwright.compiler.codegen.module import lane_text, state_text
from linkwright.compiler.codegen.target import SHORT, Target, code_generator, host_target, processor_target
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


def test_other_processors_have_one_target_for_all_parts() -> None:
    features = [(name, True) for name in BASIC] + [(name, False) for name in WIDE]
    assert processor_target("znver3", features, True, 1) == processor_target("znver3", features, False, 1)


def test_the_choice_of_registers_leaves_the_operations() -> None:
    """Texts for both choices differ in the preferred width only, so every rounding is the same."""
    program = trace(lambda x: np.sin(x) @ np.cos(x) / x[0], {"x": 8})
    one, lanes = target_for("sapphirerapids", "state"), target_for("sapphirerapids", "lanes")
    assert state_text(program, one, 400) == state_text(program, lanes, 400)
    assert lane_text(program, one, 8, 400) == lane_text(program, lanes, 8, 400).replace('"256"', '"512"')
