"""Processor for which code is generated, and the options of a caller."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from linkwright.compiler.codegen import llvm
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

SHORT = 700
"""Operations up to which a program waits for its own chains of operations more than for registers."""

_AVX512 = ("avx512", "avx10", "evex512")


@dataclass(frozen=True)
class Options:
    """Options of the compiler.

    Attributes:
        lanes: states worked on at once in batch code; None takes the measured best of the processor.
        generic: plain instructions every processor of this kind has: no AVX, no fused multiply-add.
        chunk: operations per function; longer programs pass their live values in a work array.
        level: effort of the code generator, 0 to 3.
        pivot_checked: the program flags a result with a small pivot by NaN in its first number; such states are
            handed to the kernel's `repair`.
    """

    lanes: int | None = None
    generic: bool = False
    chunk: int = 400
    level: int = 2
    pivot_checked: bool = False

    def __post_init__(self) -> None:
        if self.lanes not in (None, 2, 4, 8, 16):
            raise ArgumentError(f"lanes is {self.lanes}, expected 2, 4, 8, 16 or None")
        if self.chunk < 1 or self.level not in (0, 1, 2, 3):
            raise ArgumentError(f"chunk {self.chunk} and level {self.level}: expected at least 1, and 0 to 3")


@dataclass(frozen=True)
class Target:
    """One processor as the code generator sees it."""

    cpu: str
    features: str
    fma: bool
    registers: int
    """Doubles in one vector register."""
    level: int

    def description(self) -> str:
        """Everything about the processor and the code generator that decides the bytes of the object code."""
        version = ".".join(map(str, llvm.llvm_version_info))
        return f"{llvm.get_default_triple()}|{self.cpu}|{self.features}|O{self.level}|llvm {version}"


@lru_cache
def host_target(options: Options, lanes: bool = True) -> Target:
    """The processor code will run on, as far as the options let it be used, for one state or for lanes of states."""
    if options.generic:
        return Target("generic" if _is_arm() else "x86-64", "", _is_arm(), 2, options.level)
    return processor_target(llvm.get_host_cpu_name(), _host_features(), lanes, options.level)


def processor_target(cpu: str, found: Iterable[tuple[str, bool]], lanes: bool, level: int) -> Target:
    """A processor with these features, present or not.

    Code of one state does without AVX-512: the few angles and blocks that would fill 512-bit registers slow down all
    the rest. Measured on Emerald Rapids: 0.225 us with, 0.112 us without for inverse dynamics of a UR5 (0.170 and
    0.113 of a 3-RRR, 0.290 and 0.269 of a Gough-Stewart platform). The operations, and so the bits, are the same.
    """
    found = tuple((name, present and (lanes or not name.startswith(_AVX512))) for name, present in found)
    enabled = {name for name, present in found if present}
    registers = next((n for name, n in (("avx512f", 8), ("avx", 4)) if name in enabled), 2)
    features = ",".join(("+" if present else "-") + name for name, present in found)
    return Target(cpu, features, _is_arm() or "fma" in enabled, registers, level)


def lanes_for(options: Options, target: Target, n_operations: int) -> int:
    """States worked on at once.

    Measured on AVX2 (decision 0101): short programs wait for their own chains of operations and gain from two registers
    per value; long ones spill, and do best with one. Results do not depend on it.
    """
    if options.lanes:
        return options.lanes
    return max(4, 2 * target.registers if n_operations <= SHORT and target.registers <= 4 else target.registers)


def widest_register(target: Target, n_operations: int) -> int:
    """Bits of the widest registers that lanes of a program should fill.

    Measured with AVX-512 (Emerald Rapids, eight lanes): short programs are as fast or faster in two registers of 256
    bits than in one of 512 (3-RRR 0.033 us a row instead of 0.043, UR5 equal), long ones slower (Gough-Stewart 0.105
    instead of 0.084). Results do not depend on it.
    """
    return 256 if target.registers == 8 and n_operations <= SHORT else 512


@lru_cache
def _host_features() -> tuple[tuple[str, bool], ...]:
    _initialize_llvm()
    return tuple(sorted(llvm.get_host_cpu_features().items()))


def _is_arm() -> bool:
    return llvm.get_default_triple().startswith(("aarch64", "arm64"))


@lru_cache
def _initialize_llvm() -> None:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()


@lru_cache
def code_generator(target: Target) -> Any:
    """The code generator of a target."""
    _initialize_llvm()
    found = llvm.Target.from_default_triple()
    return found.create_target_machine(
        cpu=target.cpu, features=target.features, opt=target.level, reloc="pic", codemodel="default", jit=True
    )
