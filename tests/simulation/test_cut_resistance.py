"""Springs, friction and rotors at cut joints in time: energy is accounted for, and nothing depends on the cut."""

from dataclasses import replace
from functools import cache

import numpy as np
import pytest

import linkwright as lw
from linkwright.forces import Friction, Spring
from linkwright.functions.stepping.limit_functions import joint_values
from linkwright.mechanism import Actuator, Joint, Mechanism
from linkwright.mechanism.topology import arrange_spanning_tree
from linkwright.model import Model

FORMULATIONS = (
    lw.Multipliers(),
    lw.Multipliers(lw.Baumgarte(20.0)),
    lw.Minimal(),
    lw.Minimal(displacement=True),
    lw.VirtualSprings(1e6),
)


def resisting(joint: Joint, number: int) -> Joint:
    spring, friction = Spring((0.5 + 0.1 * number,), (0.3,)), Friction((0.02,), (0.01,), slip=0.1)
    return replace(joint, spring=spring, friction=friction, armature=(0.003 * (1 + number),))


@cache
def four_bar(cut: str = "B") -> Mechanism:
    """The catalog's four-bar with everything passive at every joint, cut at a joint of choice."""
    mech = lw.catalog.load("four-bar")
    joints = tuple(resisting(joint, n) for n, joint in enumerate((*mech.joints, *mech.loops)))
    rubbing = Friction((0.01,), (0.02,), slip=0.2)
    actuators = [Actuator(f"m-{j.name}", j.name, 0, 3.0, 1e-3, rubbing) for j in joints]
    drawn = arrange_spanning_tree(joints, mech.base, (cut,))
    home = tuple((name, value) for name, value in mech.home if name in {j.name for j in joints})
    return replace(mech, joints=drawn.joints, loops=drawn.loops, actuators=tuple(actuators), home=home)


@cache
def cut_model(cut: str = "B") -> Model:
    return lw.build(four_bar(cut), actuated=["m-theta"])


def start(made: Model) -> tuple[np.ndarray, np.ndarray]:
    """The home of the four-bar cut at B, whatever is cut, with the crank at 2 rad/s."""
    home = cut_model().assemble().q
    (turned,) = joint_values(cut_model().setup, home)["B"]
    values = dict(zip(("theta", "alpha_rel", "phi", "B"), (*home, turned)))
    q = np.array([values[joint.name] for joint in made.mechanism.joints])
    R = made.independent_map(q)
    return q, 2.0 * R[:, 0] / R[0, 0]


def joint_of(made: Model, name: str) -> Joint:
    return next(joint for joint in made.mechanism.joints if joint.name == name)


@pytest.mark.parametrize("formulation", FORMULATIONS, ids=str)
def test_energy_is_accounted_for(formulation):
    q, v = start(cut_model())
    run = lw.simulate(cut_model(), q, v, 0.5, effort=[0.4], formulation=formulation)
    exact = lw.simulate(cut_model(), q, v, 0.5, effort=[0.4])
    assert run.meta["energy_balance"]["relative"] < 1e-8
    assert run.q[-1] == pytest.approx(exact.q[-1], abs=2e-5 if isinstance(formulation, lw.VirtualSprings) else 1e-7)
    assert exact.meta["agreement"]["relative"] < 1e-12


def test_motion_does_not_depend_on_the_cut():
    ends = []
    for cut in ("B", "phi"):
        made = cut_model(cut)
        q, v = start(made)
        run = lw.simulate(made, q, v, 0.5, effort=[0.4])
        ends.append(run.q[-1][:2])
    assert [joint.name for joint in four_bar("phi").joints] == ["theta", "alpha_rel", "B"]
    assert ends[0] == pytest.approx(ends[1], abs=1e-7)


def test_derivatives_hold_what_acts_at_cut_joints():
    made = cut_model()
    q, v = start(made)
    h, tau = 1e-5, np.array([0.4])
    dq, dv, _ = made.forward_dynamics_derivatives(q, v, tau)

    def acceleration(shift: float, push: float) -> np.ndarray:
        moved = made.forward_kinematics(np.array([q[0] + shift]), near=q)[0] if shift else q
        return made.forward_dynamics(moved, made.independent_map(moved) @ [2.0 + push], tau)

    along = (acceleration(h, 0.0) - acceleration(-h, 0.0)) / (2.0 * h)
    faster = (acceleration(0.0, h) - acceleration(0.0, -h)) / (2.0 * h)
    assert dq[:, 0] == pytest.approx(along, rel=1e-6, abs=1e-6)
    assert dv[:, 0] == pytest.approx(faster, rel=1e-6, abs=1e-6)


def test_ensembles_vary_what_stands_at_cut_joints():
    made = cut_model()
    q, v = start(made)
    stiffness, viscous = np.array([0.2, 1.5]), np.array([0.05, 0.0])
    many = lw.simulate_many(
        made, q, v, 0.3, parameters={"B.stiffness": stiffness, "B.viscous": viscous, "phi.coulomb": [0.3, 0.01]}
    )
    for run in range(2):
        values = (stiffness[run], viscous[run])
        (cut,) = made.mechanism.loops
        other = replace(cut.friction, viscous=(float(values[1]),))
        loop = replace(cut, spring=replace(cut.spring, stiffness=(float(values[0]),)), friction=other)
        phi = joint_of(made, "phi")
        drier = replace(phi, friction=replace(phi.friction, coulomb=((0.3, 0.01)[run],)))
        joints = tuple(drier if j is phi else j for j in made.mechanism.joints)
        alone = lw.build(replace(made.mechanism, joints=joints, loops=(loop,)), actuated=["m-theta"])
        assert many.q[run, -1] == pytest.approx(lw.simulate(alone, q, v, 0.3).q[-1], abs=1e-7)
