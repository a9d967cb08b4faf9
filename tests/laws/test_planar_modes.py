"""Assembly modes of some random 3-RRR manipulators; `python -m tests.laws.planar_modes 200` compares many."""

import numpy as np
import pytest

import linkwright as lw
from tests.laws.planar_modes import compared, random_case


def test_assembly_modes_of_the_3_rrr_are_the_roots_of_its_polynomial():
    model, rng = lw.build(lw.catalog.load("3-rrr"), inputs="all"), np.random.default_rng(3)
    found = [compared(model, rng) for _ in range(5)]
    assert all(ours == theirs and off < 1e-6 for ours, theirs, off in found), found


def test_with_a_confidence_few_starts_are_followed_by_more():
    """Rounds of six starts alone miss modes; with a confidence of 0.999 those of the polynomial are found."""
    model, rng = lw.build(lw.catalog.load("3-rrr"), inputs="all"), np.random.default_rng(4)
    few, sure, all_ = [], [], []
    for _ in range(4):
        p, angles, expected = random_case(rng)
        at = model.with_parameters(p)
        few.append(len(at.assembly_modes(angles, 6)))
        sure.append(len(at.assembly_modes(angles, 6, confidence=0.999)))
        all_.append(len(expected))
    assert sure == all_ and sum(few) < sum(all_)
    with pytest.raises(lw.errors.ArgumentError, match="expected a number between 0 and 1"):
        model.assembly_modes(np.zeros(3), confidence=1.0)
