"""Mechanisms with loops that are wrong, singular or unusual: each is answered, or refused with a message that helps."""

from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.dynamics.efforts import LeastNorm, LeastPeak, Preload
from linkwright.errors import ArgumentError, AssemblyError, BatchWarning, MechanismError, SingularityError
from linkwright.forces import Friction
from linkwright.functions.loop import closure_functions
from linkwright.joints import (
    Cylindrical,
    Distance,
    Fixed,
    Floating,
    Planar,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from linkwright.mechanism import Actuator, Body, Coupling, Inertia, Joint, Mechanism
from linkwright.plans.closed_samples import approach_closure

ROD = Inertia.diagonal(1.0, (0.5, 0.0, 0.0), (0.01, 0.1, 0.1))
LUMP = Inertia.diagonal(1.0, (0.1, 0.2, 0.3), (0.1, 0.12, 0.15))
KINDS = (
    Fixed(),
    Revolute(),
    Prismatic(),
    Screw(pitch=0.1),
    Cylindrical(),
    Universal(),
    Spherical(),
    Planar(),
    Floating(),
)


def at(*xyz: float) -> RigidTransform:
    return RigidTransform.of(xyz)


def four_bar(a=1.0, b=4.0, c=2.5, d=3.0, inertia=ROD) -> Mechanism:
    """Crank a, coupler b, rocker c on a base d, all joints revolute about z: a planar loop drawn in space."""
    joints = (
        Joint("A", "ground", "crank", Revolute()),
        Joint("B", "crank", "coupler", Revolute(), at(a, 0.0, 0.0)),
        Joint("D", "ground", "rocker", Revolute(), at(d, 0.0, 0.0)),
    )
    loop = Joint("C", "coupler", "rocker", Revolute(), at(b, 0.0, 0.0), at(c, 0.0, 0.0))
    bodies = tuple(Body(name, inertia) for name in ("crank", "coupler", "rocker"))
    return Mechanism("linkage", bodies, joints, (loop,), actuators=(Actuator("A", "A"),), gravity=(0.0, -9.81, 0.0))


@lru_cache
def built(mech: Mechanism, actuated: tuple[str, ...] | None = None, sharing=None) -> lw.Model:
    return lw.build(mech, actuated, sharing=sharing)


def at_rest(model: lw.Model, q=None) -> tuple[np.ndarray, np.ndarray]:
    return (model.assemble().q if q is None else np.array(q)), np.zeros(model.nv)


def falling(model: lw.Model, q=None) -> np.ndarray:
    q, v = at_rest(model, q)
    return model.forward_dynamics(q, v, np.zeros(model.na))


def truss() -> Mechanism:
    """Two bars pinned to the ground and to each other."""
    mech = four_bar()
    top = Joint("C", "ground", "coupler", Revolute(), at(3.0, 0.0, 0.0), at(2.5, 0.0, 0.0))
    return replace(mech, bodies=mech.bodies[:2], joints=mech.joints[:2], loops=(top,))


def held(kind) -> Mechanism:
    """A free plate held to a turning arm by a loop joint of some kind."""
    place = at(0.5, 0.1, 0.2)
    free = Joint("free", "ground", "plate", Floating(), place)
    joints = (Joint("turn", "ground", "arm", Revolute()), free)
    bodies = (Body("arm", LUMP), Body("plate", LUMP))
    grip = Joint("grip", "arm", "plate", kind, place)
    return Mechanism("held", bodies, joints, (grip,), actuators=(Actuator("turn", "turn"),))


def geared(*couplings: Coupling) -> Mechanism:
    joints = tuple(Joint(n, "ground", n.lower(), Revolute(), at(x, 0.0, 0.0)) for n, x in (("A", 0.0), ("B", 1.0)))
    bodies = (Body("a", LUMP), Body("b", LUMP))
    return Mechanism("gears", bodies, joints, couplings=couplings, actuators=(Actuator("A", "A"),), gravity=(0, 0, 0))


MESH = Coupling("mesh", (("A", 1.0), ("B", 2.0)))


# --- loops that cannot close -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("ask", [lambda m: m.assemble(), lambda m: m.mobility, lambda m: falling(m, np.zeros(3))])
def test_a_loop_that_cannot_close_reports_its_gap(ask):
    with pytest.raises(AssemblyError, match=r"loop 'C' .* closure residual of 2\d(\.\d)? .* check the lengths"):
        ask(built(four_bar(d=30.0)))


def test_a_rod_that_is_too_long_does_not_close():
    with pytest.raises(AssemblyError, match=r"loop 'rod' .* does not close: the best of 1025 starts leaves"):
        built(with_rod(40.0)).assemble()


def test_couplings_that_contradict_each_other_do_not_close():
    other = replace(MESH, name="other", offset=1.0)
    with pytest.raises(AssemblyError, match=r"does not close: .* leaves a closure residual of 0\.5"):
        built(geared(MESH, other)).assemble()


def test_held_coordinates_out_of_reach_say_so():
    with pytest.raises(AssemblyError, match=r"gap .* held values may be out of reach"):
        built(four_bar()).assemble(fixed={"A": 0.1, "D": 3.0})


def test_an_unknown_held_coordinate_is_named():
    with pytest.raises(ArgumentError, match="unknown coordinate 'Q'"):
        built(four_bar()).assemble(fixed={"Q": 1.0})


# --- actuators -------------------------------------------------------------------------------------------------------


def test_too_few_actuators_say_which_motion_is_left():
    model = lw.build(lw.catalog.load("five-bar"), ["motor1"])
    q, v = at_rest(model)
    with pytest.raises(ArgumentError, match=r"has 2 degrees of freedom and they drive 1.*'theta2'.*still move"):
        model.inverse_dynamics(q, v, v)


def test_an_unknown_actuator_is_named():
    with pytest.raises(ArgumentError, match="names 'Q', which is not an actuator or joint velocity"):
        lw.build(four_bar(), ["Q"])


@pytest.mark.parametrize("ask", ["inverse_dynamics", "forward_kinematics", "assembly_modes"])
def test_no_actuators_at_all_are_requested(ask):
    model = built(replace(four_bar(), actuators=()))
    q, v = at_rest(model)
    given = (q, v, v) if ask == "inverse_dynamics" else (np.zeros(0),)
    with pytest.raises(ArgumentError, match="names no actuators"):
        getattr(model, ask)(*given)
    assert falling(model) == pytest.approx(falling(built(four_bar())))


@pytest.mark.parametrize("sharing", [LeastNorm(), LeastPeak(), Preload((2.0, -3.0))])
def test_redundant_actuators_share_the_work_and_reproduce_the_motion(sharing):
    model = built(four_bar(), ("A", "D"), sharing)
    q, v = at_rest(model)
    a = model.forward_dynamics(q, v, [1.0, 0.5])
    tau = model.inverse_dynamics(q, v, a)
    assert model.forward_dynamics(q, v, tau) == pytest.approx(a, abs=1e-11)
    plain = built(four_bar(), ("A", "D"), LeastNorm()).inverse_dynamics(q, v, a)
    match sharing:
        case LeastPeak():
            assert np.abs(tau).max() <= np.abs(plain).max()
        case Preload():
            wanted = np.array([2.0, -3.0])
            others = [tau + s * (tau - plain) for s in (-1.0, -0.3, 0.3)]  # along the only way that moves nothing
            assert np.linalg.norm(tau - plain) > 0.1
            assert all(np.linalg.norm(tau - wanted) < np.linalg.norm(other - wanted) for other in others)
        case LeastNorm():
            assert np.linalg.norm(tau) <= np.linalg.norm([1.0, 0.5])


@pytest.mark.parametrize("wanted", [(1.0,), (1.0, 2.0, 3.0), (1.0, float("nan"))])
def test_a_preload_of_the_wrong_size_is_refused(wanted):
    with pytest.raises(
        ArgumentError,
        match=r"expected 2 finite efforts, one per actuator: A, D|wanted holds nan, expected finite numbers",
    ):
        built(four_bar(), ("A", "D"), Preload(wanted))


def test_a_preload_is_the_quadratic_program_it_says_and_changes_continuously():
    """min |tau - wanted| with G tau = f, solved apart by its own optimality conditions, once round the crank.

    A preload whose direction came from a null-space vector changes sign on the way; halving the step must halve the
    largest change between neighbors.
    """
    model, wanted = built(four_bar(), ("A", "D"), Preload((4.0, -3.0))), np.array([4.0, -3.0])
    plain = built(four_bar(), ("A",))
    start, turns = plain.assemble().q, []
    for n in (400, 800):
        turned = np.linspace(0.0, 2 * np.pi, n)[:, None] + start[0]
        q, v, a = plain.forward_kinematics(turned, np.full((n, 1), 2.0), np.full((n, 1), 1.0), near=start)
        tau = model.inverse_dynamics(q, v, a)
        turns.append(np.abs(np.diff(tau, axis=0)).max())
        for k in range(0, n, 40):
            R = plain.independent_map(q[k])
            G, f = (
                R.T @ np.eye(model.nv)[:, [0, model.v_names.index("D")]],
                R.T @ plain.generalized_forces(q[k], v[k], a[k]),
            )
            kkt = np.block([[np.eye(2), G.T], [G, np.zeros((1, 1))]])
            assert tau[k] == pytest.approx(np.linalg.solve(kkt, np.append(wanted, f))[:2], abs=1e-9)
            assert np.array_equal(tau[k], model.inverse_dynamics(q[k], v[k], a[k]))
    assert turns[1] == pytest.approx(0.5 * turns[0], rel=0.1)


def test_a_cut_joint_can_be_actuated():
    model = built(four_bar(), ("C",))
    q, v = at_rest(model)
    a = model.forward_dynamics(q, v, [0.7])
    assert model.inverse_dynamics(q, v, a) == pytest.approx([0.7], abs=1e-12)
    x = model.actuator_positions(q)
    turned, v, a = model.forward_kinematics(x + 0.2, [0.5], [-1.0], near=q)
    assert model.actuator_positions(turned) == pytest.approx(x + 0.2, abs=1e-12)
    assert model.actuator_velocities(v, turned) == pytest.approx([0.5], abs=1e-12)
    assert model.actuator_accelerations(a, turned, v) == pytest.approx([-1.0], abs=1e-11)
    assert any(np.allclose(mode.q, turned) for mode in model.assembly_modes(x + 0.2))


# --- freedoms --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("actuated", [(), ("A",)])
def test_a_locked_structure_stands_still(actuated):
    model = built(truss(), actuated)
    q, v = at_rest(model)
    assert model.mobility == 0
    assert falling(model) == pytest.approx(np.zeros(2), abs=1e-12)
    assert model.independent_map(q).shape == (2, 0)
    assert model.linearize(q, v, np.zeros(model.na))[0].shape == (0, 0)
    carried = model.joint_reactions(q, v, v, np.zeros(model.na))
    assert all(np.all(np.isfinite(w)) for w in carried.values())


def test_two_gear_ratios_at_once_lock_the_gears():
    assert built(geared(MESH, Coupling("other", (("A", 1.0), ("B", 3.0))))).mobility == 0


def test_too_many_freedoms_are_reported_when_efforts_are_requested():
    model = built(held(Spherical()))
    q, v = at_rest(model)
    assert model.mobility == 4
    with pytest.raises(ArgumentError, match="has 4 degrees of freedom and they drive 1"):
        model.inverse_dynamics(q, v, v)


def test_joints_on_the_same_axis_leave_the_crank_idle():
    """A crank without length: it turns alone, and the rest is a locked triangle."""
    model = built(four_bar(a=0.0))
    a = falling(model)
    assert model.mobility == 1
    assert a[:2].sum() == pytest.approx(0.0, abs=1e-12)
    assert a[2] == pytest.approx(0.0, abs=1e-12)


def test_a_loop_joint_drawn_twice_changes_nothing():
    mech = four_bar()
    twice = built(replace(mech, loops=(*mech.loops, replace(mech.loops[0], name="again"))))
    q = twice.assemble().q
    assert twice.mobility == 1
    assert falling(twice, q) == pytest.approx(falling(built(mech), q), rel=1e-10)


# --- singular positions ----------------------------------------------------------------------------------------------


def test_a_start_at_a_singularity_is_reported_with_its_kind():
    """A parallelogram lying flat can go on as a parallelogram or cross over."""
    model, flat = built(four_bar(1.0, 3.0, 1.0, 3.0)), np.zeros(3)
    assert model.singularity(flat).kind == "constraint"
    for ask in (lambda: falling(model, flat), lambda: model.inverse_dynamics(flat, flat, flat)):
        with pytest.raises(SingularityError, match=r"stands at a (constraint )?singularity") as caught:
            ask()
        assert caught.value.data["kind"] == "constraint"
    with pytest.raises(SingularityError, match="constraint singularity"):
        model.joint_reactions(flat, flat, flat, [0.0])


@pytest.mark.usefixtures("batches_in_lanes")
def test_in_a_batch_a_singular_state_is_a_row_of_nan():
    model = built(four_bar(1.0, 3.0, 1.0, 3.0))
    good = model.assemble(fixed={"A": 0.5}).q
    with pytest.warns(BatchWarning, match="some rows of the batch"):
        a = model.forward_dynamics(np.array([np.zeros(3), good]), np.zeros(3), np.zeros(1))
    assert np.all(np.isnan(a[0])) and np.all(np.isfinite(a[1]))


def test_following_a_path_refuses_to_cross_a_singularity():
    model = built(four_bar(1.0, 3.0, 1.0, 3.0))
    with pytest.raises(AssemblyError, match=r"singularity lies between|meets a singularity"):
        model.follow([[0.2], [-0.3]], model.assemble(fixed={"A": 0.5}).q)


def test_following_a_path_out_of_reach_is_refused():
    model = built(four_bar(), ("D",))
    with pytest.raises(AssemblyError, match="out of reach, or the path meets a singularity"):
        model.follow(np.linspace(1.2, -1.5, 20)[:, None], built(four_bar()).assemble().q)


def test_a_four_bar_has_two_assembly_modes_with_their_own_branches():
    modes = built(four_bar()).assembly_modes([1.0])
    assert len({mode.branch for mode in modes}) == len(modes) == 2


# --- masses ----------------------------------------------------------------------------------------------------------


def test_massless_passive_bodies_are_carried_along():
    mech = four_bar()
    light = replace(mech, bodies=(mech.bodies[0], Body("coupler"), Body("rocker")))
    a = falling(built(light))
    alone = -9.81 * 0.5 * np.cos(built(light).assemble().q[0]) / (0.1 + 0.25)
    assert a[0] == pytest.approx(alone, rel=1e-10)


def test_accelerations_without_mass_are_refused_and_efforts_are_zero():
    model = built(four_bar(inertia=Inertia()))
    with pytest.raises(MechanismError, match="can move without moving any mass: joints 'A', 'B', 'D' do; give"):
        falling(model)
    assert np.abs(model.inverse_dynamics(model.assemble().q, np.zeros(3), np.zeros(3))).max() < 1e-280


def test_a_needle_that_spins_between_ball_joints_is_named():
    needle = Body("rod", Inertia.diagonal(1.0, (0.5, 0.0, 0.0), (0.0, 0.1, 0.1)))
    joints = (
        Joint("A", "ground", "arm", Revolute()),
        Joint("S", "arm", "rod", Spherical(), at(0.5, 0.0, 0.0)),
    )
    end = Joint("E", "ground", "rod", Spherical(), at(0.7, 0.4, 0.6), at(0.8, 0.0, 0.0))
    with pytest.raises(MechanismError, match=r"without moving any mass: joints 'S\.wx'"):
        falling(built(Mechanism("spinner", (Body("arm", LUMP), needle), joints, (end,))))


# --- every kind of loop ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: type(kind).__name__)
def test_a_loop_joint_of_any_kind_acts_as_the_same_joint_in_a_tree(kind):
    mech = held(kind)
    tree = replace(mech, joints=(mech.joints[0], mech.loops[0]), loops=())
    closed, opened = built(mech), built(tree)
    neutral = np.concatenate([np.zeros(1), {4: [1, 0, 0, 0], 7: [0, 0, 0, 1, 0, 0, 0]}.get(opened.nq - 1, [])])
    q = neutral if len(neutral) == opened.nq else np.zeros(opened.nq)
    v = np.zeros(opened.nv)
    assert closed.mobility == opened.nv
    start = closed.assemble(np.array([0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])).q
    assert falling(closed, start)[0] == pytest.approx(opened.forward_dynamics(q, v, np.zeros(1))[0], abs=1e-10)


def with_rod(length: float) -> Mechanism:
    mech = four_bar()
    rod = Joint("rod", "crank", "rocker", Distance(length), at(1.0, 0.0, 0.0), at(2.5, 0.0, 0.0))
    return replace(mech, bodies=mech.bodies[::2], joints=mech.joints[::2], loops=(rod,))


def test_a_distance_rod_is_a_massless_coupler():
    mech = four_bar()
    light = built(replace(mech, bodies=(mech.bodies[0], Body("coupler"), mech.bodies[2])))
    q = light.assemble().q
    assert falling(built(with_rod(4.0)), q[[0, 2]]) == pytest.approx(falling(light, q)[[0, 2]], rel=1e-10)


def test_a_gear_pair_turns_by_its_ratio_and_adds_up_its_inertias():
    model = built(geared(MESH))
    a = model.forward_dynamics(np.zeros(2), np.zeros(2), [1.0])
    about_z = 0.15 + 0.1**2 + 0.2**2
    assert a == pytest.approx([1.0 / (about_z * 1.25), -0.5 / (about_z * 1.25)])
    assert model.inverse_dynamics(np.zeros(2), np.zeros(2), a) == pytest.approx([1.0])


def test_planar_loops_drawn_in_space_say_what_repeats():
    model = built(four_bar())
    assert model.mobility == 1
    assert len(model.redundant_equations) == 3
    assert {(each.code, each.loop) for each in model.redundant_equations} == {("redundant-equation", "C")}


def test_bricards_mechanism_reports_its_redundant_equation():
    model = lw.build(lw.catalog.load("bricard"))
    (found,) = model.redundant_equations
    assert found.loop in {loop.name for loop in model.mechanism.loops}
    assert f"that {found.equation} follows from the other equations" in str(found)
    assert model.mobility == 1


# --- forces and poses ------------------------------------------------------------------------------------------------


def test_friction_takes_energy_and_efforts_make_up_for_it():
    mech = four_bar()
    rubbing = replace(mech.joints[0], friction=Friction((0.5,)))
    slow = built(replace(mech, joints=(rubbing, *mech.joints[1:])))
    q = slow.assemble().q
    v = slow.independent_map(q) @ [1.0]
    a = slow.forward_dynamics(q, v, [1.0])
    assert a == pytest.approx(built(mech).forward_dynamics(q, v, [1.0 - 0.5 * v[0]]), rel=1e-10)
    assert slow.inverse_dynamics(q, v, a) == pytest.approx([1.0], abs=1e-11)


def test_an_external_wrench_reaches_the_actuator_through_the_loop():
    model, push = built(four_bar()), {"rocker": [0.0, 0.0, 1.0, 0.0, 0.0, 0.0]}
    q, v = at_rest(model)
    a = model.forward_dynamics(q, v, [0.3], w_ext=push)
    assert model.inverse_dynamics(q, v, a, w_ext=push) == pytest.approx([0.3], abs=1e-11)
    gain = model.independent_map(q)[2, 0]
    assert a == pytest.approx(model.forward_dynamics(q, v, [0.3 + gain]), rel=1e-10)


def test_a_wrench_on_an_unknown_body_is_named():
    model = built(four_bar())
    with pytest.raises(ArgumentError, match="did you mean 'rocker'"):
        model.forward_dynamics(*at_rest(model), [0.0], w_ext={"rokcer": np.zeros(6)})


def test_inverse_kinematics_takes_the_freedoms_it_is_given():
    model = lw.build(lw.catalog.load("3-rps"))
    frame = model.mechanism.platform
    xyz, wxyz = model.frame_pose(model.assemble().q, frame)
    q, _, _ = model.inverse_kinematics((xyz + [0.0, 0.0, 0.02], wxyz), components=["z", "rx", "ry"])
    assert model.frame_pose(q, frame)[0][2] == pytest.approx(xyz[2] + 0.02)
    with pytest.raises(AssemblyError, match="cannot reach the pose"):
        model.inverse_kinematics((xyz + [0.1, 0.0, 0.0], wxyz))
    with pytest.raises(ArgumentError, match="unknown component 'zz'"):
        model.inverse_kinematics((xyz, wxyz), components=["zz"])


def test_inverse_kinematics_needs_a_platform():
    with pytest.raises(MechanismError, match="names no platform"):
        built(four_bar()).inverse_kinematics((np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])))


def test_shared_efforts_at_a_singularity_are_refused_with_a_message():
    model, flat = built(four_bar(1.0, 3.0, 1.0, 3.0), ("A", "D")), np.zeros(3)
    with pytest.raises(SingularityError, match="move it off this position"):
        model.inverse_dynamics(flat, flat, flat)


def test_origins_that_meet_with_orientations_that_cannot_are_named():
    """A planar four-bar closed by a fixed joint with frames tilted out of the plane: a 3D closure written as 6D."""
    mech = four_bar()
    (loop,) = mech.loops
    tilted = RigidTransform.from_quaternion(loop.child_at.xyz, (np.cos(0.2), np.sin(0.2), 0.0, 0.0))
    stiff = replace(mech, loops=(replace(loop, kind=Fixed(), child_at=tilted),))
    with pytest.raises(AssemblyError, match=r"origins of the two frames can meet, their orientations cannot"):
        built(stiff).assemble()


def test_a_residual_shrunk_in_steps_ends_at_a_closed_configuration():
    model = built(four_bar())
    kernels, closed = model.kernels, model.assemble().q
    found = approach_closure(kernels, closed + np.array([0.4, -0.5, 0.6]))
    assert found is not None
    assert np.abs(kernels.function(closure_functions.closure_residual)(found)).max() < 1e-11


def test_a_pose_out_of_reach_of_every_leg_has_no_working_modes():
    model = lw.build(lw.catalog.load("five-bar"))
    assert model.working_modes([np.array([0.0, 100.0, 200.0]), np.array([0.352, 0.0, 0.0, 0.936])]) == []
