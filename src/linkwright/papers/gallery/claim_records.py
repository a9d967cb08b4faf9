"""Claims as records: the published statement, the function that computes our numbers, and how they are tried."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggest_name

# --- A claim as a record ----------------------------------------------------------------------------------------------

Values = tuple[float, ...]
Computed = Mapping[str, Callable[[], Any]]
"""Functions that compute our numbers, by the name of the claim."""
PRINTED, REFERENCE = "printed", "reference"
"""A number printed in the paper, or one of its curve or equation that comes from independent computations."""


@dataclass(frozen=True)
class Near:
    """Numbers to meet within an absolute tolerance.

    >>> Near((1.0, 2.0), 0.1).is_met_by((1.05, 2.0)), Near((1.0,), 0.1).is_met_by((1.2,))
    (True, False)
    """

    values: Values
    tolerance: float

    def is_met_by(self, ours: Values) -> bool:
        pairs = zip(ours, self.values, strict=True)
        return len(ours) == len(self.values) and all(abs(x - y) <= self.tolerance for x, y in pairs)

    @property
    def text(self) -> str:
        return short_number_list(self.values)

    @property
    def margin(self) -> str:
        """The tolerance as text."""
        return f"+/- {self.tolerance:.2g}"


@dataclass(frozen=True)
class AtMost:
    """Numbers that stay at or below a bound.

    >>> AtMost(1e-12).is_met_by((3e-13,))
    True
    """

    bound: float
    margin = ""

    def is_met_by(self, ours: Values) -> bool:
        return all(x <= self.bound for x in ours)

    @property
    def text(self) -> str:
        return f"at most {seven_digit_text(self.bound)}"


@dataclass(frozen=True)
class AtLeast:
    """Numbers that stay at or above a bound."""

    bound: float
    margin = ""

    def is_met_by(self, ours: Values) -> bool:
        return all(x >= self.bound for x in ours)

    @property
    def text(self) -> str:
        return f"at least {seven_digit_text(self.bound)}"


@dataclass(frozen=True)
class Between:
    """Numbers of a size: "about 1e-4" is between the bounds written here."""

    low: float
    high: float
    text: str

    def is_met_by(self, ours: Values) -> bool:
        return all(self.low <= x <= self.high for x in ours)

    @property
    def margin(self) -> str:
        """The bounds as text."""
        return f"{seven_digit_text(self.low)} to {seven_digit_text(self.high)}"


Expectation = Near | AtMost | AtLeast | Between


@dataclass(frozen=True)
class Difference:
    """Known reason why a claim does not reproduce, in which {ours} is our value, and what ours must then be."""

    reason: str
    ours: Expectation


@dataclass(frozen=True)
class Claim:
    """One published claim.

    Attributes:
        name: paper, checklist line and a word, for example "saha/S11-torques".
        where: equation, table or figure.
        statement: what is claimed.
        published: the expectation that our numbers are compared with.
        compute: gives ours; no claim depends on another. None when it cannot be computed; then see `because`.
        unit: of the numbers.
        source: `PRINTED` or `REFERENCE`.
        because: the known reason for a difference.
    """

    name: str
    where: str
    statement: str
    published: Expectation | str
    compute: Callable[[], float | Sequence[float] | Any] | None
    unit: str = ""
    source: str = PRINTED
    because: Difference | str | None = None

    @property
    def paper(self) -> str:
        return self.name.partition("/")[0]


PASS, DIFFERS, FAILED = "pass", "differs because", "failed"


@dataclass(frozen=True)
class Verdict:
    """A claim's outcome: `ours` is empty when nothing was computed, `reason` explains why a claim differs or failed."""

    claim: Claim
    ours: Values
    outcome: str
    reason: str = ""
    seconds: float = 0.0

    @property
    def good(self) -> bool:
        """Reproduced, or different for a known reason."""
        return self.outcome != FAILED


def judge_claim(claim: Claim, ours: Values) -> tuple[str, str]:
    """Outcome and reason of a claim whose numbers are known."""
    if not all(math.isfinite(x) for x in ours):
        return FAILED, f"ours is not finite: {short_number_list(ours)}"
    if isinstance(claim.published, str):
        raise ValueError(f"claim '{claim.name}' is computed and needs numbers to be held against")
    if claim.published.is_met_by(ours):
        return PASS, ""
    if isinstance(claim.because, Difference):
        if claim.because.ours.is_met_by(ours):
            return DIFFERS, claim.because.reason.format(ours=short_number_list(ours))
        return FAILED, f"ours is {short_number_list(ours)}; the known difference is {claim.because.ours.text}"
    return (
        FAILED,
        f"ours is {short_number_list(ours)}, expected {claim.published.text} {claim.published.margin}".rstrip(),
    )


def seven_digit_text(value: float) -> str:
    """Seven digits at most.

    >>> seven_digit_text(10.38654795), seven_digit_text(1e-12), seven_digit_text(301.0)
    ('10.38655', '1e-12', '301')
    """
    return f"{value:.7g}"


def short_number_list(values: Sequence[float]) -> str:
    """Some numbers in a row; of many the first six.

    >>> short_number_list((1.0, 2.5))
    '1, 2.5'
    """
    shown = ", ".join(seven_digit_text(float(x)) for x in values[:6])
    return f"{shown}, ... ({len(values)})" if len(values) > 6 else shown


# --- claims chosen by name and tried one by one -----------------------------------------------------------------------


def try_claim(claim: Claim) -> Verdict:
    """Return a claim's verdict; an error of ours is a failure with its message."""
    if claim.compute is None:
        return Verdict(claim, (), DIFFERS, f"not computed: {claim.because}")
    began = time.perf_counter()
    try:
        ours = _flat_values(claim.compute())
        outcome, reason = judge_claim(claim, ours)
    except Exception as error:  # a claim that breaks has failed, the others go on
        ours, outcome, reason = (), FAILED, f"{type(error).__name__}: {error}"
    return Verdict(claim, ours, outcome, reason, time.perf_counter() - began)


def _flat_values(found: object) -> Values:
    return tuple(float(x) for x in np.ravel(np.asarray(found, dtype=float)))


def claim_verdicts(claims: Sequence[Claim]) -> Iterator[Verdict]:
    """The verdicts of some claims, one after the other."""
    return (try_claim(claim) for claim in claims)


def choose_claims(claims: Sequence[Claim], names: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of the named papers, or named themselves; all without names. A name may be cut short.

    Args:
        names: papers ("saha"), checklist lines ("khan/K9") or claims ("khan/K9-steps").
    """
    for name in names:
        if not any(_is_claim_named(claim, name) for claim in claims):
            known = sorted({claim.paper for claim in claims} | {claim.name for claim in claims})
            raise ArgumentError(
                f"'{name}' is not a paper or claim{suggest_name(name, known)}; 'linkwright verify --list' shows them "
                "all"
            )
    return tuple(claim for claim in claims if not names or any(_is_claim_named(claim, name) for name in names))


def _is_claim_named(claim: Claim, name: str) -> bool:
    return claim.name == name or claim.paper == name or claim.name.startswith((f"{name}-", f"{name}/"))
