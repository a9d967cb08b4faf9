"""Claims chosen by name and tried one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.mechanism.names import suggestion
from linkwright.papers.gallery.records import DIFFERS, FAILED, Claim, Values, Verdict, judged


def tried(claim: Claim) -> Verdict:
    """Return a claim's verdict; an error of ours is a failure with its message."""
    if claim.compute is None:
        return Verdict(claim, (), DIFFERS, f"not computed: {claim.because}")
    began = time.perf_counter()
    try:
        ours = _flat(claim.compute())
        outcome, reason = judged(claim, ours)
    except Exception as error:  # a claim that breaks has failed, the others go on
        ours, outcome, reason = (), FAILED, f"{type(error).__name__}: {error}"
    return Verdict(claim, ours, outcome, reason, time.perf_counter() - began)


def _flat(found: object) -> Values:
    return tuple(float(x) for x in np.ravel(np.asarray(found, dtype=float)))


def verdicts(claims: Sequence[Claim]) -> Iterator[Verdict]:
    """The verdicts of some claims, one after the other."""
    return (tried(claim) for claim in claims)


def chosen(claims: Sequence[Claim], names: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of the named papers, or named themselves; all without names. A name may be cut short.

    Args:
        names: papers ("saha"), checklist lines ("khan/K9") or claims ("khan/K9-steps").
    """
    for name in names:
        if not any(_named(claim, name) for claim in claims):
            known = sorted({claim.paper for claim in claims} | {claim.name for claim in claims})
            raise ArgumentError(
                f"'{name}' is not a paper or claim{suggestion(name, known)}; 'linkwright verify --list' shows them all"
            )
    return tuple(claim for claim in claims if not names or any(_named(claim, name) for name in names))


def _named(claim: Claim, name: str) -> bool:
    return claim.name == name or claim.paper == name or claim.name.startswith((f"{name}-", f"{name}/"))
