"""What the doctor says: frozen records, plain enough to become JSON."""

from __future__ import annotations

import math
from dataclasses import asdict, dataclass
from typing import Any, Literal

from linkwright.solve.idle import Idle

Severity = Literal["error", "warning", "remark"]
Verdict = Literal["exact", "redundant", "insufficient", "wrong", "none", "locked"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "remark")
BAD_FILE, NOT_CLOSED, CHECK_FAILED = 3, 4, 5


@dataclass(frozen=True)
class Finding:
    """One thing worth saying, and what to do about it.

    Attributes:
        kind: a short word for machines, for example "idle" or "assembly".
        text: what was found, with its value.
        fix: the way out, one sentence.
        exit_code: 3, 4 or 5 for an error, as the command line ends; 0 for a warning or a remark.
        warning: of those that are not errors, whether something is probably wrong.
    """

    kind: str
    text: str
    fix: str
    exit_code: int = 0
    warning: bool = False

    @property
    def severity(self) -> Severity:
        """Error, warning or remark; only errors set the exit code."""
        return "error" if self.exit_code else "warning" if self.warning else "remark"

    @property
    def is_problem(self) -> bool:
        return self.exit_code != 0


@dataclass(frozen=True)
class MotorSet:
    """Joint speeds that together drive every motion; conditioning: how much they must move at least when the machine
    moves by one unit; 1 is best, and at 0 some motion is not theirs."""

    joints: tuple[str, ...]
    conditioning: float


@dataclass(frozen=True)
class Actuation:
    """Whether the named motors drive the machine.

    Attributes:
        verdict: exact, redundant, insufficient, wrong (motors that repeat each other), none or locked.
        motors: names of the actuators.
        driven: how many independent motions they drive.
        needed: how many there are, idle and elastic freedoms left out.
        undriven: in words, a motion no motor drives; "" when there is none.
        alternatives: sets of motors that would do, best conditioned first.
        admissible: how many such sets there are among those looked at.
        examined: how many sets were looked at.
        possible: how many sets of that size there are.
    """

    verdict: Verdict
    motors: tuple[str, ...]
    driven: int
    needed: int
    undriven: str = ""
    alternatives: tuple[MotorSet, ...] = ()
    admissible: int = 0
    examined: int = 0
    possible: int = 0


@dataclass(frozen=True)
class Diagnosis:
    """What a mechanism is, what it can do and what is wrong with it.

    Numbers that could not be found because the mechanism does not close are None.

    Attributes:
        speeds: joint speeds of the spanning tree.
        equations: closure equations of loops and couplings.
        gruebler: speeds less equations, the count on paper.
        mobility: speeds less independent equations, along the home pose's own branch.
        redundant: a sentence for every equation that repeats others.
        idle: freedoms that move nothing but a part; `mobility` counts them.
        elastic: freedoms of bending links; `mobility` counts them.
        singularity: distances of the home pose from singularities of type 1, type 2 and of the constraints; 0 is there.
        parts: groups of bodies that share nothing but the base.
        findings: errors first, then warnings, then remarks.
    """

    name: str
    bodies: int = 0
    joints: int = 0
    loops: int = 0
    couplings: int = 0
    speeds: int = 0
    equations: int = 0
    gruebler: int = 0
    mobility: int | None = None
    redundant: tuple[str, ...] = ()
    idle: tuple[Idle, ...] = ()
    elastic: int = 0
    actuation: Actuation | None = None
    singularity: dict[str, float] | None = None
    home: dict[str, tuple[float, ...]] | None = None
    parts: tuple[tuple[str, ...], ...] = ()
    findings: tuple[Finding, ...] = ()

    def count(self, severity: Severity) -> int:
        """How many findings are errors, warnings or remarks."""
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def problems(self) -> tuple[Finding, ...]:
        return tuple(f for f in self.findings if f.is_problem)

    @property
    def exit_code(self) -> int:
        """0 when nothing is wrong, else that of the gravest problem: a bad file, an open loop, a failed check."""
        return min((f.exit_code for f in self.problems), default=0)

    def as_data(self) -> dict[str, Any]:
        """Plain data for JSON, in which numbers that are not finite are None."""
        findings = [asdict(finding) | {"severity": finding.severity} for finding in self.findings]
        counts = {f"{severity}s": self.count(severity) for severity in SEVERITIES}
        return _plain(asdict(self) | {"findings": findings, "counts": counts, "exit_code": self.exit_code})


def by_severity(finding: Finding) -> tuple[int, int]:
    """What findings are sorted by: errors first, the gravest of them first."""
    return SEVERITIES.index(finding.severity), finding.exit_code


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _plain(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(x) for x in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def counted(n: int, thing: str) -> str:
    """A number and its noun.

    >>> counted(1, "freedom"), counted(2, "freedom")
    ('1 freedom', '2 freedoms')
    """
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"
