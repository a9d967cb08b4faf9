"""Processor for which code is generated, and the options of a caller."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from linkwright.compiler.codegen import llvm
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError

SHORT = 700
"""Operations up to which a program waits for its own chains of operations more than for registers."""

_AVX512 = ("avx512", "avx10", "evex512")


@dataclass(frozen=True)
class RegisterUse:
    """How generated code fills the vector registers of a kind of processor; results do not depend on it.

    Attributes:
        in_state: code of one state, and drivers of single runs, use AVX-512 where the processor has it.
        short: for batches of programs of up to `SHORT` operations, bits of a register and states side by side.
        long: the same for longer programs.
    """

    in_state: bool
    short: tuple[int, int]
    long: tuple[int, int]

    def for_batches(self, n_operations: int) -> tuple[int, int]:
        """Bits of a register and states side by side in batch code of a program."""
        return self.short if n_operations <= SHORT else self.long


_MEASURED = {
    "znver5": RegisterUse(in_state=True, short=(512, 16), long=(512, 8)),
    "rocketlake": RegisterUse(in_state=False, short=(512, 16), long=(512, 8)),
}
_BY_REGISTER = {
    2: RegisterUse(in_state=True, short=(128, 4), long=(128, 4)),
    4: RegisterUse(in_state=True, short=(256, 8), long=(256, 4)),
    8: RegisterUse(in_state=False, short=(256, 8), long=(512, 8)),
}
"""By measured cost, for kinds of processor and, for others, by the doubles in a register. `python -m
benchmarks.register_use` measures a computer: one line in `_MEASURED` is all that its result needs.

Registers of 512 bits were measured on three processors, and they disagree (us a state, one core). On Emerald Rapids the
few angles and blocks that fill them in code of one state slow down all the rest (inverse dynamics of a UR5 0.225 with,
0.112 without; 3-RRR 0.170, 0.113), and batches of short programs prefer two registers of 256 bits (3-RRR 0.033 instead
of 0.043). On Zen 5 one state is as fast or up to 4 % faster with AVX-512, single runs 6 to 14 %, and batches of short
programs like two registers of 512 bits (forward dynamics of a UR5 0.0125 instead of 0.0210, 3-RRR 0.0210 instead of
0.0295). Batches of long programs spill, and do best with one register, the widest, on both (Gough-Stewart 0.053; with
two 0.070, with 256 bits 0.077). AVX2: decision 0101.
"""


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
        registers: how vector registers are filled; None takes the measured best of the processor.
    """

    lanes: int | None = None
    generic: bool = False
    chunk: int = 400
    level: int = 2
    pivot_checked: bool = False
    registers: RegisterUse | None = None

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
    use: RegisterUse

    def description(self) -> str:
        """Everything about the processor and the code generator that decides the bytes of the object code."""
        version = ".".join(map(str, llvm.llvm_version_info))
        return f"{llvm.get_default_triple()}|{self.cpu}|{self.features}|O{self.level}|llvm {version}"


@lru_cache
def host_target(options: Options, lanes: bool = True) -> Target:
    """The processor code will run on, as far as the options let it be used, for one state or for lanes of states."""
    if options.generic:
        return Target("generic" if _is_arm() else "x86-64", "", _is_arm(), 2, options.level, _BY_REGISTER[2])
    return processor_target(llvm.get_host_cpu_name(), _host_features(), lanes, options.level, options.registers)


def processor_target(
    cpu: str, found: Iterable[tuple[str, bool]], lanes: bool, level: int, use: RegisterUse | None = None
) -> Target:
    """A processor with these features, present or not, for one state or for lanes of states.

    Without AVX-512 the operations, and so the bits, are the same.
    """
    features = dict(found)
    use = use or _MEASURED.get(cpu) or _BY_REGISTER[_count_doubles(features)]
    if not (lanes or use.in_state):
        features = {name: present and not name.startswith(_AVX512) for name, present in features.items()}
    text = ",".join(("+" if present else "-") + name for name, present in features.items())
    return Target(cpu, text, _is_arm() or features.get("fma", False), _count_doubles(features), level, use)


def _count_doubles(features: Mapping[str, bool]) -> int:
    """Doubles in one vector register."""
    return next((n for name, n in (("avx512f", 8), ("avx", 4)) if features.get(name)), 2)


def lanes_for(options: Options, target: Target, n_operations: int) -> int:
    """States worked on at once in batch code of a program; results do not depend on it."""
    return options.lanes or target.use.for_batches(n_operations)[1]


def widest_register(target: Target, n_operations: int) -> int:
    """Bits of the widest registers that lanes of a program should fill; results do not depend on it."""
    return target.use.for_batches(n_operations)[0]


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
