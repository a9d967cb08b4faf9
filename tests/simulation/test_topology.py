"""Runs whose loops close and open, against closed forms."""

import numpy as np
import pytest
from pytest import approx

import linkwright as lw
from linkwright.errors import ArgumentError, FormatError
from linkwright.formats.study import from_study_text, to_study_text
from linkwright.formats.yaml import from_yaml
from linkwright.simulation.running.run_output import Pace
from linkwright.simulation.switching import phases
from linkwright.simulation.switching.switch_events import push_kernel, push_program
from linkwright.simulation.switching.switches import require_switches
from linkwright.viewer.runs import shown_run
from tests.formats.test_open_loops import LEG
from tests.simulation.mechanisms import catalog_model
from tests.simulation.switched_mechanisms import UP, X, ball, hand, hopper, rimless_wheel, sliders

MASS, INERTIA, LENGTH, ALPHA, INCLINE, G = 1.3, 0.25, 0.9, np.pi / 8, 0.15, 9.81


@pytest.fixture(scope="module")
def wheel():
    return lw.build(rimless_wheel(MASS, INERTIA, LENGTH, ALPHA, INCLINE, 3), actuated=[])


def topologies(model):
    """Models with other loops closed that runs of a model have built."""
    return model.cache.get(("recent", "topologies"), dict)


def rolling(wheel, speed, t_end):
    """A run that begins right after foot 0 has landed, with the angular speed given."""
    q = [-LENGTH * np.sin(ALPHA), LENGTH * np.cos(ALPHA), ALPHA]
    v = [speed * LENGTH * np.cos(ALPHA), speed * LENGTH * np.sin(ALPHA), -speed]
    switches = [lw.events.Close(f"foot{k}", normal=UP) for k in (1, 2)] + [
        lw.events.Open(f"foot{k}", normal=UP) for k in range(3)
    ]
    return lw.simulate(wheel, q, v, t_end=t_end, events=switches, method=lw.DOP853(rtol=1e-11))


def jumps(run):
    """Indices of the rows before a jump."""
    return np.flatnonzero(np.diff(run.t) == 0.0)


def test_a_rimless_wheel_keeps_the_speed_of_mcgeer(wheel):
    """T. McGeer, Passive dynamic walking, Int. J. Robotics Research 9 (1990): the loss at a footfall and the steady
    speed of a wheel without rim on an incline, for any inertia."""
    about_foot = INERTIA + MASS * LENGTH**2
    ratio = (INERTIA + MASS * LENGTH**2 * np.cos(2 * ALPHA)) / about_foot
    gain = 4 * MASS * G * LENGTH * np.sin(ALPHA) * np.sin(INCLINE) / about_foot
    steady = ratio * np.sqrt(gain / (1 - ratio**2))
    run = rolling(wheel, steady, 1.2)
    rows = jumps(run)
    assert [e.name for e in run.events if e.kind == "closed"] == ["foot1", "foot2"]
    assert [e.name for e in run.events if e.kind == "opened"] == ["foot0", "foot1"]
    assert run.v[rows + 1, 2] == approx(-steady, rel=1e-10)
    assert run.v[rows + 1, 2] / run.v[rows, 2] == approx(ratio, rel=1e-10)
    assert np.diff(run.t[rows]) == approx(run.t[rows[0]], rel=1e-9)  # one period from footfall to footfall
    assert run.q[rows, 0] == approx(LENGTH * np.sin(ALPHA) * np.array([1, 3]), abs=1e-9)
    assert run.meta["energy_balance"]["relative"] < 1e-9 and run.meta["closure"] < 1e-12
    assert run.meta["agreement"]["relative"] < 1e-9
    assert [phase["closed"] for phase in run.meta["phases"]] == [["foot0"], ["foot1"], ["foot2"]]
    faster = rolling(wheel, 1.1 * steady, 1.1)
    after = faster.v[jumps(faster) + 1, 2] ** 2 - steady**2
    assert after[1] / after[0] == approx(ratio**2, rel=1e-8)
    assert len(topologies(wheel)) == 4  # two feet alone, two pairs; the second run built no new model


@pytest.fixture(scope="module")
def falling():
    return lw.build(ball(0.1))


def test_a_ball_bounces_in_a_geometric_series_and_comes_to_rest(falling):
    model, e, height = falling, 0.6, 0.5
    switches = [lw.events.Close("floor", restitution=e, settle=0.01), lw.events.Open("floor")]
    run = lw.simulate(model, [0.1 + height], t_end=2.0, events=switches)
    bounces = [event.t for event in run.events if event.kind == "bounced"]
    speed = np.sqrt(2 * G * height)
    times = speed / G + np.concatenate([[0.0], np.cumsum(2 * speed / G * e ** np.arange(1, 40))])
    many = int(np.sum(speed * e ** np.arange(1, 40) > 0.01))
    assert bounces == approx(times[:many], abs=1e-9)
    rest = [event for event in run.events if event.kind == "closed"]
    assert [event.t for event in rest] == approx([times[many]], abs=1e-9)
    assert run.q[-1] == approx([0.1], abs=1e-12) and run.v[-1] == approx([0.0], abs=1e-12)
    assert run["losses"][-1] == approx(0.7 * G * height, rel=1e-10)
    assert len(topologies(model)) == 1


def test_switches_without_end_are_refused(monkeypatch, falling):
    monkeypatch.setattr(phases, "MOST_SWITCHES", 3)
    run = lw.simulate(falling, [0.15], t_end=2.0, events=[lw.events.Close("floor", restitution=1.0)])
    assert run.meta["ended"]["kind"] == "refused" and "3 times in the run" in run.meta["ended"]["text"]
    assert [e.kind for e in run.events] == ["bounced"] * 3 + ["refused", "end"]


def test_a_row_of_balls_hands_the_speed_on():
    row = lw.build(sliders((1.0, 1.0, 1.0), (0.0, 0.3, 0.45), 0.1))
    switches = [lw.events.Close(name, restitution=1.0) for name in ("hit0", "hit1")]
    run = lw.simulate(row, [0.0, 0.0, 0.0], [1.0, 0.0, 0.0], t_end=0.5, events=switches)
    assert [(e.kind, e.name) for e in run.events] == [("bounced", "hit0"), ("bounced", "hit1")]
    assert [e.t for e in run.events] == approx([0.2, 0.25], abs=1e-12)
    assert run.v[-1] == approx([0.0, 0.0, 1.0], abs=1e-12)
    assert run["losses"][-1] == approx(0.0, abs=1e-13)


def test_a_hand_catches_an_object_with_both_fingers_at_once():
    masses = (1.0, 4.0)
    model = lw.build(hand(masses, 0.5))
    q, v = [-0.4, 0.4, 0.0, -0.02, 0.0], [1.0, -1.0, 0.0, 0.0, 0.0]
    switches = [
        lw.events.Close("left grip", normal=X, anchor=True),
        lw.events.Close("right grip", normal=(-1, 0, 0), anchor=True),
    ]
    run = lw.simulate(model, q, v, t_end=0.6, events=switches)
    assert [(e.kind, e.name) for e in run.events] == [("closed", "left grip"), ("closed", "right grip")]
    assert [e.t for e in run.events] == approx([0.25, 0.25], abs=1e-9)
    together = (masses[0] - masses[1]) / (sum(masses) + 0.5)
    assert run.v[-1] == approx([together, together, together, 0.0, 0.0], abs=1e-11)
    pushes = {each["loop"]: each["impulse"][3] for each in run.meta["impulses"]}
    assert pushes["left grip"] == approx(masses[0] * (1.0 - together), abs=1e-11)
    assert pushes["right grip"] == approx(-masses[1] * (1.0 + together), abs=1e-11)


def test_a_four_bar_cut_for_a_nanosecond_moves_as_if_it_were_whole():
    four_bar = catalog_model("four-bar")
    loop = four_bar.mechanism.loops[0].name
    q = four_bar.assemble().q
    cut = [
        lw.events.Open(loop, when=lambda t, q, v: 0.2 - t),
        lw.events.Close(loop, when=lambda t, q, v: 0.2 + 1e-9 - t),
    ]
    method = lw.DOP853(rtol=1e-11)
    whole = lw.simulate(four_bar, q, t_end=0.5, method=method)
    again = lw.simulate(four_bar, q, t_end=0.5, method=method, events=cut)
    assert [e.kind for e in again.events if e.kind in ("opened", "closed")] == ["opened", "closed"]
    assert again.q[-1] == approx(whole.q[-1], abs=1e-8)
    assert 0.0 <= again.meta["impulses"][0]["lost"] < 1e-14
    assert again.energy[-1] == approx(whole.energy[-1], abs=1e-9)


def test_a_hopper_loses_its_foots_energy_at_every_landing_and_nothing_between():
    top, foot = 2.0, 0.1
    model = lw.build(hopper(top, foot, 800.0), actuated=[])
    switches = [lw.events.Close("floor", normal=UP), lw.events.Open("floor", normal=UP)]
    run = lw.simulate(model, [1.0, 0.5], t_end=1.5, events=switches, method=lw.DOP853(rtol=1e-11))
    assert [e.kind for e in run.events] == ["closed", "opened"] * 2
    rows = jumps(run)
    landings, leaving = rows[::2], rows[1::2]
    speeds = run.v[landings, 0] - run.v[landings, 1]
    assert [hit["lost"] for hit in run.meta["impulses"]] == approx(0.5 * foot * speeds**2, rel=1e-9)
    assert [hit["impulse"][5] for hit in run.meta["impulses"]] == approx(-foot * speeds, rel=1e-9)
    assert run.v[landings + 1, 0] == approx(run.v[landings, 0], abs=1e-12)  # the spring passes no impulse on
    assert 800.0 * (run.q[leaving, 1] - 0.5) == approx(foot * G, rel=1e-6)  # it leaves when the spring lifts the foot
    assert run.meta["energy_balance"]["relative"] < 1e-9
    assert len(topologies(model)) == 1


@pytest.mark.parametrize(
    "switch", [lw.events.Open("floor", normal=X), lw.events.Close("floor", normal=X, restitution=0.5)]
)
def test_a_loop_cannot_push_where_its_joint_is_free(switch):
    model = lw.build(hopper(2.0, 0.1, 800.0), actuated=[])
    with pytest.raises(
        ArgumentError, match=r"'floor'\) has the normal \(1.0, .* a planar joint is free; turn the normal"
    ):
        lw.simulate(model, [1.0, 0.5], t_end=0.1, events=[switch])


@pytest.fixture(scope="module")
def leg():
    return lw.build(from_yaml(LEG))


def landing(leg, **options):
    """A leg that falls on its foot with bent knee, its motors holding it with springs."""
    hold = lw.control.PD(leg, lw.control.Steady([-0.3, 0.6], [0.0, 0.0]), [150.0, 150.0], [5.0, 5.0])
    q = [2 * 0.4 * np.cos(0.3) + 0.1, -0.3, 0.6]
    switches = [lw.events.Close("foot", normal=UP), lw.events.Open("foot", normal=UP)]
    return lw.simulate(leg, q, t_end=0.3, effort=hold, events=switches, **options)


def test_a_leg_lands_and_both_formulations_agree(leg, tmp_path):
    run = landing(leg, output=lw.Output(path=tmp_path / "landing.npz"))
    first = next(e for e in run.events if e.kind == "closed")
    assert first.t == approx(np.sqrt(2 * 0.1 / G), abs=1e-6)
    row = jumps(run)[0]
    foot = [-0.4 * (np.sin(run.q[row, 1]) + np.sin(run.q[row, 1] + run.q[row, 2])), run.q[row, 0]]
    assert foot[0] == approx(0.0, abs=1e-6)
    T, _ = leg.energy(run.q[row], run.v[row])
    T_after, _ = leg.energy(run.q[row + 1], run.v[row + 1])
    assert run.meta["impulses"][0]["lost"] == approx(T - T_after, abs=1e-9)
    assert run.meta["energy_balance"]["relative"] < 1e-7
    other = landing(leg, formulation=lw.Minimal())
    assert other.q[-1] == approx(run.q[-1], abs=1e-6)
    reopened = lw.open_result(tmp_path / "landing.npz")
    assert reopened.meta["impulses"] == run.meta["impulses"] and reopened.events == run.events
    assert np.array_equal(reopened.t, run.t)
    page = shown_run(reopened)
    assert page.motion.reactions == {} and "loops closed or opened" in page.notes[-1]


def test_an_anchored_foot_let_go_under_load_meets_the_ground_again(leg):
    hold = lw.control.PD(leg, lw.control.Steady([-0.25, 0.6], [0.0, 0.0]), [150.0, 150.0], [5.0, 5.0])
    switches = [lw.events.Close("foot", normal=UP, anchor=True), lw.events.Open("foot", when=lambda t, q, v: 0.25 - t)]
    run = lw.simulate(leg, [0.9, -0.25, 0.6], t_end=0.3, effort=hold, events=switches)
    assert [e.kind for e in run.events] == ["closed", "opened", "closed"]
    heights = run.q[:, 0] - 0.4 * (np.cos(run.q[:, 1]) + np.cos(run.q[:, 1] + run.q[:, 2]))
    assert heights.min() > -1e-11


def test_a_study_says_the_same(leg):
    """A landing, and letting go at a time; written, read and run."""
    text = """\
format: 1
mechanism: leg.yaml
start: {q: [0.9, -0.3, 0.6]}
effort: {law: pd, reference: {move: steady, start: [-0.3, 0.6], rate: [0, 0]}, stiffness: [150, 150], damping: [5, 5]}
switches:
  - {close: foot, normal: z}
  - {open: foot, at: 250 ms}
t_end: 0.3
"""
    study = from_study_text(text)
    assert from_study_text(to_study_text(study)) == study
    run = lw.run_study(study, leg.mechanism)
    hold = lw.control.PD(leg, lw.control.Steady([-0.3, 0.6], [0.0, 0.0]), [150.0, 150.0], [5.0, 5.0])
    same = [lw.events.Close("foot", normal=UP), lw.events.Open("foot", when=lambda t, q, v: 0.25 - t)]
    by_hand = lw.simulate(leg, [0.9, -0.3, 0.6], t_end=0.3, effort=hold, events=same)
    kinds = ["closed", "opened", "closed"]  # it stands on the foot, which meets the ground again at once
    assert [e.kind for e in run.events] == kinds and run.events[1].t == approx(0.25, abs=1e-12)
    assert run.events[2].t == approx(0.25, abs=1e-6)
    assert np.array_equal(run.q, by_hand.q)
    for bad, message in (
        ("- {open: foot, close: foot}", "write one of them"),
        ("- {open: foot, anchor: true}", "belong to"),
    ):
        with pytest.raises(FormatError, match=message):
            from_study_text(text.replace("- {close: foot, normal: z}", bad))


def test_a_push_is_the_reaction_along_the_normal(leg):
    closed = lw.build(from_yaml(LEG.replace("open: true", "open: false")))
    q = closed.assemble([0.7, -0.5, 1.0]).q
    v = closed.independent_map(q) @ [0.7]
    tau = np.array([3.0, -2.0])
    w = closed.joint_reactions(q, v, closed.forward_dynamics(q, v, tau), tau)["foot"]
    R = closed.body_poses(q).rotation[2]
    for normal in (UP, X):
        found = push_kernel(push_program(closed, "foot", normal))(q, v, tau)
        assert found == approx([(R @ w[3:]) @ normal], rel=1e-9)


def test_a_foot_that_misses_its_place_ends_the_run_with_the_gap(leg):
    run = lw.simulate(leg, [1.0, -0.3, 0.5], t_end=1.0, events=[lw.events.Close("foot", normal=UP)])
    assert run.meta["ended"]["kind"] == "refused" and not run.meta["complete"]
    assert "loop 'foot' cannot close here: its sides are" in run.meta["ended"]["text"]
    assert len(run.t) > 2 and np.isfinite(run.q).all()


@pytest.mark.parametrize(
    "switches, options, message",
    [
        ([lw.events.Close("toe", normal=UP)], {}, "names a loop that 'leg' does not have"),
        ([lw.events.Close("foot")], {}, "has no instant"),
        ([lw.events.Close("foot", normal=(0, 0, -1))], {}, "past its closing at the start"),
        ([lw.events.Close("foot", normal=UP)] * 2, {}, "given twice"),
        (["foot"], {}, "events holds .foot., expected Crossing"),
        ([lw.events.Close("foot", normal=UP)], {"output": lw.Output(pace=Pace())}, "leave pace or the events out"),
        ([lw.events.Close("foot", normal=UP)], {"formulation": lw.VirtualSprings(1e6, 0.0)}, "take Multipliers"),
    ],
)
def test_switches_that_do_not_fit_are_refused(leg, switches, options, message):
    with pytest.raises(ArgumentError, match=message):
        lw.simulate(leg, [1.0, -0.3, 0.6], events=switches, **options)


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: lw.events.Close("foot", restitution=1.5), "expected 0 to 1"),
        (lambda: lw.events.Close("foot", restitution="half"), "has the restitution 'half', expected 0 to 1"),
        (lambda: lw.events.Close("foot", tolerance=None), "tolerance = None, expected a positive number"),
        (lambda: lw.events.Close("foot", normal=(0, 0)), "expected a direction"),
        (lambda: lw.events.Close("foot", when=3), "expected a function"),
        (lambda: lw.events.Open("foot", direction=2), "expected -1, 0 or 1"),
        (lambda: lw.events.Close("foot", settle=0.0), "expected a positive number"),
        (lambda: lw.events.Open(3), "expected the name of a loop"),
    ],
)
def test_switches_are_checked_as_they_are_made(make, message):
    with pytest.raises(ArgumentError, match=message):
        make()


def test_a_driven_loop_does_not_open():
    four_bar = catalog_model("four-bar")
    loop = four_bar.mechanism.loops[0].name
    driven = lw.build(four_bar.mechanism, actuated=[loop])
    with pytest.raises(ArgumentError, match="is driven"):
        require_switches(driven, [lw.events.Open(loop, when=lambda t, q, v: 0.1 - t)])
