"""Attempts of a demanding user: results or messages, never a raw error, never a wrong number."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.errors import ArgumentError, MechanismError
from linkwright.formats import from_yaml
from linkwright.mechanism import Inertia
from tests.model.models import model

FOUR_BAR = model("four-bar")
HOME = FOUR_BAR.assemble().q
TREE = model("stanford-arm")
REDUNDANT = lw.build(lw.catalog.load("four-bar"), actuated=["theta", "phi"])
STEWART = model("gough-stewart")
POSE = (np.array([-1.5, 0.1, 1.5]), np.array([1.0, 0.0, 0.0, 0.0]))

REFUSED = {
    "rates that open the loop": lambda: REDUNDANT.forward_kinematics(HOME[[0, 2]], [1.0, 1.0], near=HOME),
    "one part of a quaternion": lambda: STEWART.assemble(fixed={"pose.qw": 0.9}),
    "a sharing that is none": lambda: lw.build(FOUR_BAR.mechanism, sharing="equal"),
    "leading axes that do not fit": lambda: FOUR_BAR.forward_kinematics(np.ones((3, 1)), np.zeros((4, 1))),
    "poses that do not fit": lambda: STEWART.inverse_kinematics((np.zeros((3, 3)), np.tile(POSE[1], (2, 1)))),
    "states that do not fit": lambda: FOUR_BAR.linearize(np.zeros((3, 3)), np.zeros((2, 3)), np.zeros(1)),
    "wrenches that do not fit": lambda: FOUR_BAR.inverse_dynamics(
        HOME, np.zeros(3), np.zeros(3), {"crank": np.zeros((4, 6)), "coupler": np.zeros((3, 6))}
    ),
    "a negative number of guesses": lambda: FOUR_BAR.assembly_modes([1.5], guesses=-3),
    "guesses in words": lambda: FOUR_BAR.assemble(guesses="x"),
    "inertias that are a number": lambda: TREE.with_inertias(5),
    "an inertia that is nothing": lambda: TREE.with_inertias({"link1": None}),
    "the operations of a frame": lambda: TREE.operation_count("frame_pose"),
    "the independent map of a tree": lambda: TREE.operation_count("independent_map"),
    "a target light-years away": lambda: FOUR_BAR.forward_kinematics([1e11], near=HOME),
    "a path light-years away": lambda: FOUR_BAR.follow(np.full((2, 1), 1e7), HOME),
    "a path that is a number": lambda: lw.load(5),
    "a path that is nothing": lambda: lw.load(None),
    "saving a number": lambda: lw.save(5, "machine.yaml"),
    "saving to a number": lambda: lw.save(TREE.mechanism, 5),
    "a catalog name that is a number": lambda: lw.catalog.load(5),
    "an out of the wrong shape": lambda: TREE.inverse_dynamics(*np.zeros((3, 6)), out=np.zeros(5)),
    "a formulation that is none": lambda: FOUR_BAR.forward_dynamics(HOME, np.zeros(3), [1.0], formulation="fast"),
}


@pytest.mark.parametrize("call", REFUSED.values(), ids=list(REFUSED))
def test_mistakes_get_a_message(call):
    with pytest.raises(lw.errors.LinkwrightError, match=r"\w+ \w+"):
        call()


@pytest.mark.usefixtures("batches_in_lanes")
@pytest.mark.parametrize("m", [FOUR_BAR, TREE, REDUNDANT], ids=["loop", "tree", "redundant"])
def test_bad_rows_stay_in_their_rows(m):
    q = np.vstack([m.assemble().q, np.full(m.nq, np.nan)])
    zero = np.zeros((2, m.nv))
    answers = [m.inverse_dynamics(q, zero, zero), *m.joint_reactions(q, zero, zero).values()]
    for answer in answers:
        assert np.isfinite(answer[0]).all() and np.isnan(answer[1]).all()


@pytest.mark.usefixtures("batches_in_lanes")
def test_bad_rows_of_positions_stay_in_their_rows():
    with pytest.warns(lw.errors.BatchWarning, match="not-finite"):
        q, v, a = FOUR_BAR.forward_kinematics([[np.nan], [1.5]], near=HOME)
    assert np.isnan(q[0]).all() and np.isfinite([q[1], v[1], a[1]]).all()
    with pytest.warns(lw.errors.BatchWarning, match="not-finite"):
        q, v, a = STEWART.inverse_kinematics((np.vstack([POSE[0], POSE[0] * np.nan]), POSE[1]))
    assert np.isfinite([*q[0], *v[0], *a[0]]).all() and np.isnan(q[1]).all()


@pytest.mark.usefixtures("batches_in_lanes")
def test_empty_batches_give_empty_answers():
    assert FOUR_BAR.forward_kinematics(np.zeros((0, 1)), near=HOME)[0].shape == (0, 3)
    assert STEWART.inverse_kinematics((np.zeros((0, 3)), POSE[1]))[1].shape == (0, 24)


@pytest.mark.parametrize("m", [FOUR_BAR, TREE, REDUNDANT], ids=["loop", "tree", "redundant"])
def test_out_takes_the_result_from_the_first_call_on(m):
    fresh = lw.build(m.mechanism, actuated=m.actuated)
    state = (m.assemble().q, np.zeros(m.nv), np.zeros(m.nv))
    out = np.empty(m.na)
    for _ in range(2):
        assert fresh.inverse_dynamics(*state, out=out) is out
        assert np.array_equal(out, m.inverse_dynamics(*state))


def test_held_coordinates_are_held():
    found = FOUR_BAR.assemble(fixed={"theta": 1.1}).q
    assert found[0] == 1.1


def test_new_masses_are_checked():
    with pytest.raises(lw.errors.LinkwrightError, match="negative mass"):
        TREE.with_inertias({"link1": Inertia(-1.0)})


@pytest.mark.parametrize("body", ["{}", "{mass: 1 kg}"])
def test_a_joint_that_moves_no_mass_is_named(body):
    arm = lw.build(
        from_yaml(f"""
format: 1
name: arm
bodies: {{upper: {{mass: 1, com: [0.1, 0, 0]}}, tip: {body}}}
joints:
  shoulder: {{type: revolute, parent: ground, child: upper}}
  elbow: {{type: revolute, parent: upper, child: tip, at: [1, 0, 0]}}
""")
    )
    with pytest.raises(MechanismError, match=r"joint 'elbow' can move without moving any mass.*; give 'tip' or what"):
        arm.forward_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 0.0])
    assert arm.inverse_dynamics([0.0, 0.0], [0.0, 0.0], [0.0, 1.0])[1] == 0.0


def test_open_loops_are_refused_when_requested():
    """`check=True` looks whether the coordinates close the loops; the fast path does not."""
    q, still = FOUR_BAR.assemble().q, np.zeros(FOUR_BAR.nv)
    tau = FOUR_BAR.inverse_dynamics(q, still, still)
    assert np.array_equal(FOUR_BAR.inverse_dynamics(q, still, still, check=True), tau)
    assert np.array_equal(
        FOUR_BAR.joint_reactions(q, still, still, check=True)["B"], FOUR_BAR.joint_reactions(q, still, still)["B"]
    )
    off = np.stack([q, q + [1e-3, 0.0, 0.0]])
    both = np.stack([still, still])
    with pytest.raises(
        ArgumentError, match=r"q \(row 1\) leaves loop 'B' of 'four-bar' open by .*, more than 1e-09; close"
    ):
        FOUR_BAR.forward_dynamics(off, both, np.stack([tau, tau]), check=True)
    assert np.isfinite(FOUR_BAR.forward_dynamics(off, both, np.stack([tau, tau]))).all()
    assert TREE.inverse_dynamics(TREE.assemble().q, *np.zeros((2, TREE.nv)), check=True).shape == (TREE.na,)


@pytest.mark.parametrize("size", [1e-9, 1e-3, 1.0, 1e6])
def test_closure_is_judged_by_the_size_of_the_mechanism(size):
    """A crank turned by 0.01 rad opens the loop as visibly at a nanometer as at a kilometer; rounding does nowhere."""
    model = lw.build(
        from_yaml(f"""
format: 1
name: linkage
base: ground
bodies:
  crank: {{mass: 1, com: [{0.5 * size}, 0, 0]}}
  coupler: {{mass: 1, com: [{1.5 * size}, 0, 0]}}
  rocker: {{mass: 1, com: [{1.2 * size}, 0, 0]}}
joints:
  A: {{type: revolute, parent: ground, child: crank}}
  B: {{type: revolute, parent: crank, child: coupler, at: [{size}, 0, 0]}}
  D: {{type: revolute, parent: ground, child: rocker, at: [{2.5 * size}, 0, 0]}}
loops:
  C: {{type: revolute, parent: coupler, child: rocker, at: [{3 * size}, 0, 0], child_at: [{2.4 * size}, 0, 0]}}
actuators: {{actuator: {{joint: A}}}}
""")
    )
    q, still = model.assemble().q, np.zeros(3)
    model.forward_dynamics(q, still, [0.0], check=True)
    with pytest.raises(ArgumentError, match=r"leaves loop 'C' .* open by .* m, 0\.0.* of its size"):
        model.forward_dynamics(q + [0.01, 0.0, 0.0], still, [0.0], check=True)


@pytest.mark.parametrize(
    ("method", "arguments"),
    [
        ("forward_dynamics", ("v", "tau")),
        ("inverse_dynamics", ("v", "v")),
        ("mass_matrix", ()),
        ("forward_dynamics_derivatives", ("v", "tau")),
    ],
)
def test_a_bound_method_kept_from_before_the_first_call_runs_the_compiled_code(method, arguments):
    """`f = model.forward_dynamics` calls what took the method's place, and has its messages."""
    arm = lw.build(TREE.mechanism)
    kept = getattr(arm, method)
    zeros = {"v": np.zeros(arm.nv), "tau": np.zeros(arm.na)}
    given = [np.full(arm.nq, 0.3), *(zeros[each] for each in arguments)]
    first, *_, last = [kept(*given) for _ in range(20)]
    assert np.array_equal(np.hstack(first), np.hstack(last))
    assert getattr(arm, method) is arm.fast_calls[method]
    with pytest.raises(ArgumentError, match="nothing"):
        kept("nothing", *given[1:])
