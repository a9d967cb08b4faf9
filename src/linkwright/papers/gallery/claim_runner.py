"""Claims chosen by name and tried one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggest_name
from linkwright.papers.gallery.claim_records import DIFFERS, FAILED, Claim, Values, Verdict, judge_claim


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
