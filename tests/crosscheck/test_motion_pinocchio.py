"""Motions in time against Pinocchio stepped by a method of order four: the difference is that method's own error."""

import pytest

import linkwright as lw

pytest.importorskip("pinocchio")

from benchmarks.sim_pinocchio import course
from benchmarks.sim_problems import four_bar, three_rrr
from benchmarks.sim_rows import deviation


@pytest.mark.parametrize(
    ("motion", "h", "near"),
    [(four_bar, 2e-3, 2e-6), (three_rrr, 1e-3, 2e-4)],
    ids=lambda x: getattr(x, "__name__", None),
)
def test_halving_the_peers_step_brings_it_nearer_to_us_by_its_order(motion, h, near):
    ours = motion()
    theirs, own = course(ours), ours.observed(ours.run(lw.DOP853(rtol=1e-11)))
    coarse, fine = (deviation(theirs.observed(theirs.steps(step)), own) for step in (h, 0.5 * h))
    assert coarse < near and 10.0 < coarse / fine < 22.0
