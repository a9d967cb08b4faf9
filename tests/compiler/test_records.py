"""Records of the compiler's subset: Python and machine code read and write the same memory, one lane or several."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from linkwright.compiler.native import (
    Floats,
    FunctionPointer,
    IntRow,
    Ints,
    Many,
    Record,
    Records,
    Row,
    Rows,
    choose_by_lane,
    fill_lanes,
    has_function,
    is_any_lane_true,
    lane_view,
    native_function,
)
from linkwright.compiler.native.native_functions import _native_code_key
from linkwright.compiler.native.native_records import layout_description, record_layout
from linkwright.compiler.native.native_text import module_text
from linkwright.errors import CompilerError


class Step(Record):
    t: Row
    h: Row
    number: IntRow


class Count(Record):
    steps: int
    end: float


class Limits(Record):
    low: float
    high: float
    table: Floats


class Walk(Record):
    budget: int
    limits: Limits
    step: Step
    y: Rows
    which: Ints
    counts: Many[Count]
    shown: FunctionPointer
    other: FunctionPointer


def walked(w: Walk) -> float:
    """One number per lane is advanced, and counted for the lanes that moved."""
    s = w.step
    y = w.y
    while w.budget > 0:
        w.budget -= 1
        s.t = s.t + s.h
        y[0] = choose_by_lane(s.t > w.limits.low, y[0] + s.t * w.limits.table[1], y[0])
        rest = y[1:]
        rest[0] = y[0] - fill_lanes(w.limits.high)
        for k in range(w.lanes):
            stepped(lane_view(s, k), k, w)
    if w.lanes > 1 and is_any_lane_true(s.t > 0.0):
        return y[0, 1]
    if has_function(w.other):
        w.other(y)
    if has_function(w.shown):
        return float(w.shown(y[1:], w.limits.table))
    return y[0, 0]


def stepped(one: Step, k: int, w: Walk) -> None:
    count = w.counts[w.which[k]]
    if one.t > w.limits.low:
        one.number += 1
        count.steps += 1
        count.end = max(count.end, one.t)
    one.h = one.h * 0.5


def doubled(y, table):
    table[0] = 2.0 * y[0]
    return 1


_KEPT = ctypes.CFUNCTYPE(ctypes.c_int32, ctypes.c_void_p)(
    lambda table: doubled(*(np.ctypeslib.as_array((ctypes.c_double * 2).from_address(p)) for p in _pointers(table)))
)


def _pointers(table):
    return (ctypes.c_void_p * 2).from_address(table)


def made(lanes, numbers):
    walk = Walk(lanes, {"y": 2, "which": 4})
    walk.budget, walk.limits.low, walk.limits.high = 3, numbers[0], numbers[1]
    walk.limits.table = np.array([0.5, numbers[2]])
    walk.step.h, walk.counts = numbers[3], Records(Count, 4)
    walk.which[:] = [2, 1, 3, 0]
    walk.shown = FunctionPointer(ctypes.cast(_KEPT, ctypes.c_void_p).value, doubled)
    return walk


def contents(walk):
    s, count = walk.step, walk.counts
    return (
        walk.budget, np.array([s.t, s.h]).tolist(), np.array(s.number).tolist(), walk.y.flat.tolist(),
        count.column("steps").tolist(), count.column("end").tolist(), walk.limits.table.tolist(),
    )  # fmt: skip


@settings(max_examples=40, deadline=None)
@given(st.lists(st.floats(-5, 5), min_size=4, max_size=4))
@pytest.mark.parametrize("lanes", [1, 2, 4])
def test_native_code_and_python_leave_the_same_record(lanes, numbers):
    ours, theirs = made(lanes, numbers), made(lanes, numbers)
    compiled = native_function(walked, lanes)
    assert compiled(ours) == compiled.python(theirs)
    assert contents(ours) == contents(theirs)


@given(st.lists(st.floats(-5, 5), min_size=4, max_size=4))
@settings(max_examples=20, deadline=None)
def test_every_lane_does_what_one_lane_does(numbers):
    one, four = made(1, numbers), made(4, numbers)
    one.shown = four.shown = None
    native_function(walked, 1)(one), native_function(walked, 4)(four)
    assert four.y.array.tolist() == [[x] * 4 for x in one.y.flat.tolist()]
    assert four.step.number.tolist() == [one.step.number] * 4


def test_a_copy_has_its_own_numbers_and_shares_what_lies_elsewhere():
    first = made(2, [0.0, 1.0, 2.0, 3.0])
    again = first.copy()
    native_function(walked, 2)(again)
    assert first.budget == 3 and not first.y.flat.any() and again.y.flat.any() and first.step.t.tolist() == [0.0, 0.0]
    assert again.limits.table is first.limits.table and again.counts is first.counts
    again.budget = 3
    assert native_function(walked, 2).python(again.copy()) == native_function(walked, 2)(again)


def weigh_entries(w: Walk) -> float:
    total = 0.0
    for i in range(w.budget):
        total += w.limits.table[i] * w.y[i]
        w.y[i] = total
    return total


def spend_budget(w: Walk) -> None:
    w.budget -= 1


def test_code_for_known_numbers_has_the_bits_of_code_that_reads_them():
    known, read = made(1, [0.0, 1.0, 2.0, 3.0]), made(1, [0.0, 1.0, 2.0, 3.0])
    known.budget = read.budget = 2
    known.y[0] = read.y[0] = 0.1
    fixed = ((Walk, "budget", 2),)
    assert native_function(weigh_entries, 1, fixed)(known) == native_function(weigh_entries)(read) != 0.0
    assert known.y.flat.tolist() == read.y.flat.tolist()
    known.budget = 0
    assert native_function(weigh_entries, 1, fixed)(known) != native_function(weigh_entries)(known) == 0.0
    with pytest.raises(CompilerError, match="outside the subset"):
        native_function(spend_budget, 1, fixed)


def test_rows_widen_a_record_and_the_layout_enters_the_key(monkeypatch):
    assert record_layout(Step, 1) == ({"t": 0, "h": 1, "number": 2}, 3) and record_layout(Step, 4)[1] == 12
    assert record_layout(Walk, 4)[0]["y"] == 1 + 3 + 12
    from linkwright.compiler.codegen.target import Options, host_target

    before = _native_code_key(walked, host_target(Options()), 1)
    assert "Step 3" in layout_description(Walk, 1)

    class Other(Record):
        budget: int

    monkeypatch.setitem(walked.__globals__, "Walk", Other)
    assert _native_code_key(walked, host_target(Options()), 1) != before


def unknown_field(w: Walk) -> int:
    return w.budgets


def row_of_whole_numbers(w: Walk) -> int:
    return w.step.number


def lane_of_mixed(w: Walk) -> int:
    one = lane_view(w, 0)
    return one.budget


@pytest.mark.parametrize(
    ("function", "because"),
    [(unknown_field, "not a field of Walk"), (row_of_whole_numbers, "lane"), (lane_of_mixed, "not made of rows alone")],
)
def test_what_a_record_does_not_have_is_refused(function, because):
    with pytest.raises(CompilerError, match=because):
        module_text(function, 4)


def test_arrays_of_other_types_and_parts_of_a_record_cannot_be_put_in():
    walk = made(1, [0.0] * 4)
    with pytest.raises(CompilerError, match="float64"):
        walk.limits.table = np.zeros(2, dtype=np.float32)
    with pytest.raises(CompilerError, match="part of the record"):
        walk.y = np.zeros(2)
    with pytest.raises(CompilerError, match="not a field"):
        Walk(1, {"limits.tables": 3})
