"""Many runs: lanes whose runs are over take the next of a queue. In the compiler's subset of Python."""

from __future__ import annotations

from linkwright.compiler.native import lane_view
from linkwright.simulation.drivers.driver_records import DONE, EXHAUSTED, GOING, IDLE, Driver, Step
from linkwright.simulation.drivers.output_rows import write_waiting_rows


def end_lane_run(status: int, one: Step) -> None:
    """End the run of a lane, or stop a single run with a status."""
    one.status = status
    one.size = 0.0
    one.to = one.t
    one.accepted = 0.0
    one.fresh = 0.0


def free_lanes(d: Driver) -> None:
    """Free the lanes whose runs are over."""
    q = d.queue
    for k in range(d.lanes):
        one = lane_view(d.step, k)
        if one.run >= 0:
            if one.status == GOING and one.t >= d.settings.t_end:
                end_lane_run(DONE, one)
            if one.status != GOING:
                if one.status == EXHAUSTED:
                    queue_last_row(k, one, d)
                if one.waiting > 0.0:
                    write_waiting_rows(d)
                note_run_end(k, one, d)
                one.run = -1
                one.status = IDLE
                one.size = 0.0
                one.accepted = 0.0
                q.busy -= 1
                q.finished += 1


def queue_last_row(k: int, one: Step, d: Driver) -> None:
    """The state that the run of a lane has reached waits as its last row."""
    state = d.output.state
    y = d.y
    if one.waiting > 0.0:
        write_waiting_rows(d)
    for i in range(d.shape.stride):
        state[i, k] = y[i, k]
    one.waiting = 1.0
    one.last = 1.0
    one.t_row = one.t
    one.t_shown = d.settings.origin + one.t


def note_run_end(k: int, one: Step, d: Driver) -> None:
    """Note how the run of a lane ended, or how far it is."""
    counts = lane_view(d.counts, k)
    run = d.queue.runs[one.run]
    run.status = one.status
    run.end = one.t
    run.steps = int(counts.steps)
    run.rejected = int(counts.rejected)
    run.evaluations = int(counts.evaluations)
    run.projections = int(counts.projections)


def give_next_runs(d: Driver) -> None:
    """Give the next runs of the queue to the lanes that are free."""
    q = d.queue
    for k in range(d.lanes):
        one = lane_view(d.step, k)
        if one.run < 0 and q.next < q.last:
            begin_lane_run(q.next, k, one, d)
            q.next += 1
            q.busy += 1


def begin_lane_run(run: int, k: int, one: Step, d: Driver) -> None:
    """Begin a run in a lane."""
    q = d.queue
    counts = lane_view(d.counts, k)
    y = d.y
    y_new = d.y_new
    tau = d.mechanics.tau
    given = d.mechanics.given
    na = d.shape.na
    size = d.shape.nq + d.shape.nv
    for i in range(d.shape.stride):
        y[i, k] = 0.0
        if i < size:
            y[i, k] = q.starts[run * size + i]
        y_new[i, k] = y[i, k]
    for i in range(na):
        tau[i, k] = q.taus[run * na + i]
    for i in range(q.n_given):
        given[i, k] = q.givens[run * q.n_given + i]
    counts.steps = 0.0
    counts.rejected = 0.0
    counts.evaluations = 0.0
    counts.projections = 0.0
    one.run = run
    one.status = GOING
    one.next_due = 0
    one.written = 0
    one.number = 0.0
    one.refused = 0.0
    one.doubts = 0.0
    one.t = d.settings.t_start
    one.h = d.method.h
    one.size = 0.0
    one.waiting = 0.0
    one.last = 0.0
    one.fresh = 1.0
