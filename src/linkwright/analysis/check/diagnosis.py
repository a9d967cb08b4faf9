"""Results of a check of a mechanism: frozen records, plain enough to become JSON."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any, Literal

from linkwright.checks import require_text
from linkwright.dataclass import dataclass
from linkwright.errors import Exit, LinkwrightError
from linkwright.findings import SEVERITIES, Finding, Severity
from linkwright.kinematics.undriven_freedoms import IdleFreedom
from linkwright.plans.rank import RedundantEquation

Verdict = Literal["exact", "redundant", "insufficient", "wrong", "none", "locked"]


@dataclass(frozen=True)
class ActuatorSet:
    """Joint velocities that together drive every motion; conditioning: how much they must move at least when the
    mechanism moves by one unit; 1 is best, and at 0 some motion is not theirs."""

    joints: tuple[str, ...]
    conditioning: float


@dataclass(frozen=True)
class Actuation:
    """Verdict on the named actuators.

    Attributes:
        verdict: exact, redundant, insufficient, wrong (actuators that repeat each other), none or locked.
        actuators: names of the actuators.
        driven: how many independent motions they drive.
        needed: how many there are, idle and elastic freedoms left out.
        undriven: description of a motion no actuator drives; "" when there is none.
        alternatives: sets of actuators that would do, best conditioned first.
        admissible: how many such sets there are among those looked at.
        examined: how many sets were looked at.
        possible: how many sets of that size there are.
    """

    verdict: Verdict
    actuators: tuple[str, ...]
    driven: int
    needed: int
    undriven: str = ""
    alternatives: tuple[ActuatorSet, ...] = ()
    admissible: int = 0
    examined: int = 0
    possible: int = 0


@dataclass(frozen=True)
class Diagnosis:
    """Counts, freedoms, actuation and findings of a mechanism.

    Numbers that could not be found because the mechanism does not close are None.

    Attributes:
        velocities: joint velocities of the spanning tree.
        equations: closure equations of loops and couplings.
        gruebler: velocities less equations, the count on paper.
        mobility: velocities less independent equations, along the home pose's own branch.
        redundant: the closure equations that follow from others.
        idle: freedoms that move nothing but a part; `mobility` counts them.
        elastic: freedoms of bending links; `mobility` counts them.
        singularity: distances of the home pose from singularities of type 1, type 2 and of the constraints; 0 is there.
        parts: groups of bodies that share nothing but the base.
        findings: errors first, then warnings, then remarks.
        stopped: the kind of error that ended the examination early: an unreadable file, loops that do not close.
    """

    name: str
    bodies: int = 0
    joints: int = 0
    loops: int = 0
    couplings: int = 0
    velocities: int = 0
    equations: int = 0
    gruebler: int = 0
    mobility: int | None = None
    redundant: tuple[RedundantEquation, ...] = ()
    idle: tuple[IdleFreedom, ...] = ()
    elastic: int = 0
    actuation: Actuation | None = None
    singularity: dict[str, float] | None = None
    home: dict[str, tuple[float, ...]] | None = None
    parts: tuple[tuple[str, ...], ...] = ()
    findings: tuple[Finding, ...] = ()
    stopped: type[LinkwrightError] | None = None

    def count(self, severity: Severity) -> int:
        """Number of findings that are errors, warnings or remarks."""
        require_text("severity", severity)
        return sum(finding.severity == severity for finding in self.findings)

    @property
    def problems(self) -> tuple[Finding, ...]:
        """The findings that are errors."""
        return tuple(f for f in self.findings if f.severity == "error")

    @property
    def exit_code(self) -> Exit:
        """Exit code: 0 when nothing is wrong, else that of a bad file, an open loop or a failed check."""
        if self.stopped is not None:
            return self.stopped.exit_code
        return Exit.CHECK_FAILED if self.problems else Exit.DONE

    def as_data(self) -> dict[str, Any]:
        """Plain data for JSON, in which numbers that are not finite are None."""
        counts = {f"{severity}s": self.count(severity) for severity in SEVERITIES}
        data = asdict(self)
        del data["stopped"]
        return _as_json_value(data | {"counts": counts, "exit_code": int(self.exit_code)})


def sorted_findings(findings: Iterable[Finding]) -> tuple[Finding, ...]:
    """Findings with errors first, then warnings, then remarks."""
    return tuple(sorted(findings, key=lambda finding: SEVERITIES.index(finding.severity)))


def _as_json_value(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _as_json_value(x) for key, x in value.items()}
    if isinstance(value, list | tuple):
        return [_as_json_value(x) for x in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
