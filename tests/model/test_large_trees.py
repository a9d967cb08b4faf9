"""Large trees with few motors: what is written for them grows with their links, not with pairs of freedoms."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.algebra.transforms import RigidTransform
from linkwright.compiler import operation_count
from linkwright.functions.loop import multiplier_functions
from linkwright.joints import Floating, Prismatic, Revolute, Spherical
from linkwright.kinematics.motions import all_motions
from linkwright.kinematics.undriven_freedoms import find_idle_freedoms
from linkwright.mechanism import Actuator, Body, Inertia, Joint, Mechanism


def floating_tree(links: int, actuated: int, seed: int = 0) -> Mechanism:
    """A trunk that floats, and links of random joints on random ones of the eight before; some are driven."""
    rng = np.random.default_rng(seed)
    bodies = [Body("trunk", Inertia.diagonal(10.0, (0.0, 0.0, 0.1), (0.3, 0.2, 0.1)))]
    joints = [Joint("base", "ground", "trunk", Floating())]
    axes = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
    for i in range(links):
        axis = axes[int(rng.integers(3))]
        kind = (Revolute(axis), Revolute(axis), Revolute(axis), Prismatic(axis), Spherical())[int(rng.integers(5))]
        parent = bodies[int(rng.integers(max(0, len(bodies) - 8), len(bodies)))].name
        mass, com = float(rng.uniform(0.2, 2.0)), tuple(rng.uniform(-0.1, 0.1, 3).tolist())
        moments = tuple((mass * rng.uniform(0.01, 0.015, 3)).tolist())
        bodies.append(Body(f"link{i}", Inertia.diagonal(mass, com, moments)))
        at = RigidTransform(tuple(rng.uniform(-0.2, 0.2, 3).tolist()))
        joints.append(Joint(f"joint{i}", parent, f"link{i}", kind, at=at))
    single = [joint.name for joint in joints if joint.kind.nv == 1]
    driven = single[:: max(1, len(single) // actuated)][:actuated]
    actuators = tuple(Actuator(f"motor{n}", name) for n, name in enumerate(driven))
    return Mechanism(f"tree of {links} links", tuple(bodies), tuple(joints), actuators=actuators)


def test_efforts_of_an_under_driven_tree_are_those_that_make_its_motion():
    model = lw.build(floating_tree(60, 10))
    rng = np.random.default_rng(1)
    q = model.integrate(model.assemble().q, rng.normal(size=model.nv), 0.3)
    v, tau = rng.normal(size=model.nv), rng.normal(size=model.na)
    a = model.forward_dynamics(q, v, tau)
    np.testing.assert_allclose(model.inverse_dynamics(q, v, a, undriven="free"), tau, atol=1e-11)


@pytest.mark.parametrize("actuated", [4, 1000])
def test_operations_of_efforts_grow_with_the_links(actuated):
    counts, speeds = [], []
    for links in (20, 60):
        model = lw.build(floating_tree(links, actuated))
        program = model.dynamics.hybrid.program(multiplier_functions.checked_hybrid_efforts)
        counts.append(operation_count(program).total)
        speeds.append(model.nv)
    assert counts[1] / counts[0] < 1.25 * speeds[1] / speeds[0]


def test_an_idle_spin_of_a_tree_is_found_between_two_hinges_on_one_line():
    """Idle freedoms of a group are looked for among the speeds of its own joints; twists of all bodies decide."""
    z, still = (0.0, 0.0, 1.0), Inertia.diagonal(1.0, (0.0, 0.0, 0.0), (0.1, 0.1, 0.1))
    bodies = tuple(Body(name, still) for name in ("arm", "ring", "hand", "finger"))
    hinge = [("shoulder", "ground", "arm", (1.0, 0.0, 0.0)), ("near", "arm", "ring", z), ("far", "ring", "hand", z)]
    hinge.append(("last", "hand", "finger", (0.0, 1.0, 0.0)))
    joints = tuple(Joint(n, a, b, Revolute(axis), at=RigidTransform((0.0, 0.0, 0.2))) for n, a, b, axis in hinge)
    mech = Mechanism("arm with a ring", bodies, joints, actuators=(Actuator("motor", "shoulder"),))
    (found,) = find_idle_freedoms(all_motions(lw.build(mech).kinematics)).found
    assert (found.bodies, found.joints, found.motion) == (("ring",), ("near", "far"), "spins")
