"""Claims chosen by name and tried one by one."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

import numpy as np

from linkwright.errors import ArgumentError
from linkwright.gallery.records import DIFFERS, FAILED, Claim, Values, Verdict, judged
from linkwright.mechanism.names import suggestion


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


def chosen(claims: Sequence[Claim], words: Sequence[str]) -> tuple[Claim, ...]:
    """The claims of the named papers, or named themselves; all without words. A name may be cut short.

    Args:
        words: papers ("saha"), checklist lines ("khan/K9") or claims ("khan/K9-steps").
    """
    for word in words:
        if not any(_named(claim, word) for claim in claims):
            known = sorted({claim.paper for claim in claims} | {claim.name for claim in claims})
            raise ArgumentError(
                f"'{word}' is not a paper or claim{suggestion(word, known)}; 'linkwright verify --list' shows them all"
            )
    return tuple(claim for claim in claims if not words or any(_named(claim, word) for word in words))


def _named(claim: Claim, word: str) -> bool:
    return claim.name == word or claim.paper == word or claim.name.startswith((f"{word}-", f"{word}/"))
