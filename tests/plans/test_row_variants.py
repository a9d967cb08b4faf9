"""The side on which loops are written takes fewest operations, also where only estimates are compared."""

import pytest

import linkwright as lw
from linkwright.compiler import operation_count
from linkwright.functions.loop import multiplier_functions
from linkwright.functions.stages import KKTPlan
from linkwright.functions.store import Kernels
from linkwright.plans import elimination_plans as planning


def operations(stage: KKTPlan) -> int:
    return operation_count(Kernels(stage).program(multiplier_functions.checked_forward_dynamics)).total


@pytest.mark.parametrize("name", ["delta", "gough-stewart", "four-bar"])
def test_estimates_choose_the_side_with_fewest_operations(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dynamics = lw.build(lw.catalog.load(name)).dynamics
    loops = dynamics.kinematics
    chosen = planning.plan_cheapest_side(loops.all_rows, loops.row_variants, dynamics.units)
    monkeypatch.setattr(planning, "_by_estimate", lambda drafts: [drafts])
    best = planning.plan_cheapest_side(loops.all_rows, loops.row_variants, dynamics.units)
    assert operations(chosen) == operations(best)
    assert chosen.setup.closure.flipped == best.setup.closure.flipped and chosen.plan == best.plan


def test_the_other_sides_are_verified_where_no_order_is_good(monkeypatch: pytest.MonkeyPatch) -> None:
    dynamics = lw.build(lw.catalog.load("delta")).dynamics
    loops, seen = dynamics.kinematics, []
    verified = planning.verified_order

    def bad(closer, kernels, *more):
        seen.append(kernels.setup.closure.flipped)
        found = verified(closer, kernels, *more)
        return planning.Verified(found.plan, found.typical, 1.0)

    monkeypatch.setattr(planning, "verified_order", bad)
    planning.plan_cheapest_side(loops.all_rows, loops.row_variants, dynamics.units)
    assert len(set(seen)) == 2
