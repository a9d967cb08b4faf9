"""Tables 1 and 2 of Saha 1999 with our rows: the committed page is regenerated and its promises are kept."""

from itertools import pairwise

import pytest

from benchmarks import operation_counts as oc
from tests.papers.arms import case

PUBLISHED = case("saha_opcounts")
LARGEST_TRACED = 10


@pytest.fixture(scope="module")
def counts():
    """Traced up to 10 joints, by their exact formulas beyond; a count off its formula raises."""
    return oc.extend_counts(oc.measure_costs(range(3, LARGEST_TRACED + 1)))


def test_the_committed_page_is_what_the_tracer_counts(counts):
    committed = oc.PAGE.read_text(encoding="utf-8")
    assert oc.page(counts) == committed, "regenerate with: python -m benchmarks.operation_counts"


def test_inverse_dynamics_of_six_joints_costs_less_than_every_row_of_table_1(counts):
    ours = counts[oc.INVERSE, True][6]
    k = PUBLISHED["n"].index(6)
    for name, row in PUBLISHED["inverse"].items():
        assert row["M"][k] > ours.M and row["A"][k] > ours.A, name


def test_forward_dynamics_of_six_joints_costs_less_than_the_papers_own(counts):
    """By composite bodies, the cheaper method at six joints; bias included."""
    ours, sweeps = counts[oc.COMPOSITE, True][6], counts[oc.SWEEPS, True][6]
    paper = PUBLISHED["forward"]["Proposed (RFDSIM)"]
    k = PUBLISHED["n"].index(6)
    assert paper["M"][k] > ours.M and paper["A"][k] > ours.A
    assert ours.total < sweeps.total


@pytest.mark.parametrize("method", [oc.INVERSE, oc.SWEEPS])
@pytest.mark.parametrize("grouping", [True, False])
def test_every_further_joint_costs_the_same(method, grouping):
    costs = [oc.cost_of_call(method, n, grouping) for n in range(3, 9)]
    steps = {(b.M - a.M, b.A - a.A, b.trig - a.trig) for a, b in pairwise(costs)}
    assert len(steps) == 1


def test_only_the_sines_and_cosines_of_the_joints_are_left_out(counts):
    assert all(c.trig == 2 * n for n, c in counts[oc.INVERSE, True].items())


def test_grouping_never_costs(counts):
    for method in oc.METHODS:
        grouped, plain = counts[method, True], counts[method, False]
        assert all(grouped[n].M <= plain[n].M and grouped[n].A <= plain[n].A for n in grouped)


def test_the_sweeps_overtake_composite_bodies(counts):
    n = oc.first_cheaper(counts, True, "total")
    assert n is not None and n <= 12
    assert counts[oc.SWEEPS, True][n - 1].total >= counts[oc.COMPOSITE, True][n - 1].total


@pytest.mark.parametrize("table", ["inverse", "forward"])
def test_the_papers_formulas_give_the_papers_numbers(table):
    kind = {"inverse": "inverse (linear: c1 n + c0)", "forward": "forward (cubic: c3,c2,c1,c0)"}[table]
    for name, row in PUBLISHED["formulas"][kind].items():
        for part in "MA":
            formula = [oc.Fraction(c) for c in reversed(row[part])]
            assert [oc.polynomial_value(formula, n) for n in PUBLISHED["n"]] == PUBLISHED[table][name][part]


def test_a_count_off_the_line_is_noticed():
    with pytest.raises(ValueError, match="degree 1"):
        oc.interpolating_polynomial({3: 10, 4: 20, 5: 30, 6: 41}, 1)
