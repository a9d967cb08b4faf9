"""The papers' claims: all lines of the checklists are covered, a sample is computed, and wrong numbers are noticed.

All of them are computed by `linkwright verify`.
"""

import re
from dataclasses import replace

import pytest

from linkwright.errors import ArgumentError
from linkwright.joints import Modes, Section
from linkwright.model import Model, build
from linkwright.papers.gallery.claim_records import (
    DIFFERS,
    FAILED,
    PASS,
    AtLeast,
    AtMost,
    Between,
    Claim,
    Difference,
    Near,
    choose_claims,
    judge_claim,
    try_claim,
)
from linkwright.papers.gallery.collection import CLAIMS, PAPERS
from linkwright.papers.hanzaki import hanzaki_claims as hanzaki
from linkwright.papers.khan import khan_claims as khan
from linkwright.papers.saha import saha_claims as saha
from linkwright.papers.wang import mechanism_claims as wang_mechanisms

NAMED = {claim.name: claim for claim in CLAIMS}
CHECKLISTS = {"saha": ("S", 13), "khan": ("K", 11), "wang": ("W", 7), "hanzaki": ("H", 4), "rao": ("R", 7)}
SAMPLE = {
    "saha/S1-positions": PASS,
    "saha/S6-printed": DIFFERS,
    "saha/S6-corrected": PASS,
    "saha/S9-articulated": PASS,
    "saha/S10-table2": DIFFERS,
    "saha/S11-torques": PASS,
    "saha/S11-fall": PASS,
    "saha/S12-turn": DIFFERS,
    "saha/S13-kalman": PASS,
    "khan/K4-K": PASS,
    "khan/K9-table": PASS,
    "khan/K10-friction": PASS,
    "khan/K9-start": PASS,
    "khan/K9-steps-1e-3": DIFFERS,
    "khan/K9-fixed-0.01": PASS,
    "wang/W1-equations": PASS,
    "wang/W2-printed": DIFFERS,
    "wang/W3-error": DIFFERS,
    "wang/W3-motion": PASS,
    "wang/W4-data": PASS,
    "wang/W6-speed-up": DIFFERS,
    "hanzaki/H1-solids": PASS,
    "hanzaki/H4-other-code": PASS,
    "hanzaki/H2-singularity": DIFFERS,
    "rao/R1-reach": DIFFERS,
    "rao/R1-reach-corrected": PASS,
    "iftomm/governor": PASS,
    "iftomm/governor-momentum": PASS,
    "dietmaier/poses": PASS,
    "alias/solutions": PASS,
}


@pytest.mark.parametrize("name", SAMPLE)
def test_a_claim_comes_out_as_it_should(name):
    verdict = try_claim(NAMED[name])
    assert verdict.outcome == SAMPLE[name], verdict.reason
    assert verdict.good


@pytest.mark.parametrize("paper", CHECKLISTS)
def test_every_line_of_the_checklist_has_a_claim(paper):
    letter, count = CHECKLISTS[paper]
    found = {int(m[1]) for name in NAMED if (m := re.match(rf"{paper}/{letter}(\d+)-", name))}
    assert found == set(range(1, count + 1))


def test_names_are_unique_and_belong_to_a_paper():
    assert len(NAMED) == len(CLAIMS)
    assert {claim.paper for claim in CLAIMS} == set(PAPERS)


@pytest.mark.parametrize("claim", CLAIMS, ids=lambda claim: claim.name)
def test_what_is_not_computed_has_a_reason_and_what_is_computed_has_numbers(claim):
    assert claim.where and claim.statement
    if claim.compute is None:
        assert isinstance(claim.because, str) and isinstance(claim.published, str)
    else:
        assert not isinstance(claim.published, str)
        assert claim.because is None or isinstance(claim.because, Difference)


@pytest.mark.parametrize("claim", [c for c in CLAIMS if isinstance(c.because, Difference)], ids=lambda c: c.name)
def test_a_known_difference_is_one_message_with_a_number_that_misses_the_published_one(claim):
    assert "{ours}" in claim.because.reason and ". " not in claim.because.reason
    if isinstance(claim.because.ours, Near):
        assert not claim.published.is_met_by(claim.because.ours.values)


def known(published, ours, because=None):
    return Claim("saha/test", "nowhere", "a number", published, lambda: ours, because=because)


@pytest.mark.parametrize(
    ("expected", "right", "wrong"),
    [
        (Near((1.0, 2.0), 0.1), (1.05, 1.95), (1.0, 2.2)),
        (AtMost(1.0), (0.5, 1.0), (0.5, 1.1)),
        (AtLeast(1.0), (1.0, 2.0), (0.9, 2.0)),
        (Between(1.0, 2.0, "about 1.5"), (1.0, 2.0), (1.5, 2.1)),
    ],
)
def test_numbers_are_held_against_what_is_expected(expected, right, wrong):
    assert try_claim(known(expected, right)).outcome == PASS
    verdict = try_claim(known(expected, wrong))
    assert verdict.outcome == FAILED and not verdict.good
    assert verdict.reason.startswith("ours is ") and expected.text in verdict.reason


def test_too_few_numbers_fail():
    assert try_claim(known(Near((1.0, 2.0), 0.1), (1.0,))).outcome == FAILED


def test_a_known_difference_does_not_hide_another_one():
    because = Difference("the print has a slip: ours is {ours}", Near((3.0,), 0.1))
    published = Near((1.0,), 0.1)
    assert try_claim(known(published, 3.05, because)).reason == "the print has a slip: ours is 3.05"
    assert try_claim(known(published, 3.05, because)).outcome == DIFFERS
    assert try_claim(known(published, 5.0, because)).outcome == FAILED
    assert try_claim(known(published, 1.0, because)).outcome == PASS


def test_nan_and_errors_fail_with_a_message():
    assert judge_claim(known(AtMost(1.0), 0.0), (float("nan"),)) == (FAILED, "ours is not finite: nan")
    broken = replace(known(AtMost(1.0), 0.0), compute=lambda: 1 / 0)
    assert try_claim(broken).outcome == FAILED
    assert try_claim(broken).reason == "ZeroDivisionError: division by zero"


def test_a_slip_in_a_published_number_is_noticed():
    claim = NAMED["saha/S11-torques"]
    spoilt = replace(claim, published=Near((4.34583, 1.55998, 0.32373), claim.published.tolerance))
    assert try_claim(spoilt).outcome == FAILED


def heavier(mech):
    """A mechanism whose masses, inertias and beams are 2 % off."""
    bodies = []
    for body in mech.bodies:
        tensor = tuple(tuple(1.02 * x for x in row) for row in body.inertia.tensor)
        bodies.append(replace(body, inertia=replace(body.inertia, mass=1.02 * body.inertia.mass, tensor=tensor)))
    joints = []
    for joint in mech.joints:
        if isinstance(joint.kind, Modes | Section):
            beam = replace(joint.kind.beam, density=1.02 * joint.kind.beam.density)
            joint = replace(joint, kind=replace(joint.kind, beam=beam))
        joints.append(joint)
    return replace(mech, bodies=tuple(bodies), joints=tuple(joints))


@pytest.mark.parametrize(
    ("name", "module", "source"),
    [
        ("khan/K9-table", khan, "catalog"),
        ("hanzaki/H1-solids", hanzaki, "weightless_rps"),
        ("wang/W4-data", wang_mechanisms, "catalog_model"),
    ],
)
def test_claims_about_data_look_at_the_model_that_is_computed_with(monkeypatch, name, module, source):
    """The printed data of these claims are compared with our mechanisms, so that a wrong mechanism fails."""
    right = getattr(module, source)

    class Changed:
        load = staticmethod(lambda file: heavier(right.load(file)))

        def __call__(self, *names):
            return build(heavier(right(*names).mechanism))

    monkeypatch.setattr(module, source, Changed())
    assert try_claim(NAMED[name]).outcome == FAILED


def test_the_filter_of_the_kalman_claim_is_no_copy_of_the_elimination(monkeypatch):
    """Other pivots than those of the covariance recursion are noticed."""
    right = Model.udu
    monkeypatch.setattr(Model, "udu", lambda self, q: (right(self, q)[0], right(self, q)[1] * (1.0 + 1e-9)))
    saha.catalog_model.cache_clear()  # a model keeps the functions it has used
    assert try_claim(NAMED["saha/S13-kalman"]).outcome == FAILED
    saha.catalog_model.cache_clear()


def test_claims_are_chosen_by_paper_line_or_name():
    assert {c.paper for c in choose_claims(CLAIMS, ["rao", "khan"])} == {"rao", "khan"}
    assert all(c.name.startswith("khan/K9-") for c in choose_claims(CLAIMS, ["khan/K9"]))
    assert [c.name for c in choose_claims(CLAIMS, ["saha/S13-kalman"])] == ["saha/S13-kalman"]
    assert choose_claims(CLAIMS, []) == CLAIMS
    with pytest.raises(ArgumentError, match=r"'sahha' is not a paper or claim \(did you mean 'saha'\?\)"):
        choose_claims(CLAIMS, ["sahha"])
