"""The public closure Jacobian is the derivative of the closure residual at every configuration, closed or not."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import evaluate
from linkwright.functions import setup
from linkwright.functions.loop import closure_functions
from linkwright.joints import Cylindrical, Distance, Fixed, Planar, Prismatic, Revolute, Screw, Spherical, Universal
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Body, Joint
from linkwright.plans.scales import random_coordinates
from tests.functions.complex_step import STEP, ask
from tests.loops.mechanisms import Mechanics
from tests.sampling import sample
from tests.strategies import random_kind, random_pose

KINDS = (Cylindrical, Fixed, Planar, Prismatic, Revolute, Screw, Spherical, Universal)
CLOSED = tuple(name for name in lw.catalog.names() if (mech := lw.catalog.load(name)).loops or mech.couplings)


def by_complex_steps(made: Mechanics, q: np.ndarray) -> np.ndarray:
    """Derivative of the residual along every velocity, one imaginary step each, (rows, nv)."""
    rates = [ask(made.setup, "coordinate_rates", q, e) for e in np.eye(made.setup.tree.nv)]
    return np.array([ask(made.setup, "closure_residual", q + 1j * STEP * rate).imag / STEP for rate in rates]).T


def open_configurations(made: Mechanics, n: int, seed: int) -> np.ndarray:
    """Random coordinates with unit quaternions, far from closing the loops."""
    q = random_coordinates(made.setup.mech, n, np.random.default_rng(seed))
    for link in made.setup.tree.links:
        if link.coords.stop - link.coords.start > link.dofs.stop - link.dofs.start:
            turn = slice(link.coords.stop - 4, link.coords.stop)
            q[:, turn] /= np.linalg.norm(q[:, turn], axis=1, keepdims=True)
    return q


@pytest.mark.parametrize("name", sample(CLOSED, 8))
def test_the_closure_jacobian_is_the_derivative_of_the_residual_at_open_configurations(name):
    model = lw.build(lw.catalog.load(name))
    made = Mechanics.of(model)
    q = open_configurations(made, 3, 1)
    assert np.abs(model.closure_residual(q)).max() > 1e-2
    for one, found in zip(q, model.closure_jacobian(q)):
        expected = by_complex_steps(made, one)
        assert found == pytest.approx(expected, rel=1e-12, abs=1e-12 * np.abs(expected).max(initial=1.0))


@pytest.mark.parametrize("kind", [*KINDS, Distance])
@pytest.mark.parametrize("seed", sample(range(4), 2))
def test_every_kind_of_cut_joint_has_the_derivative_of_its_residual(kind, seed):
    """Two random arms joined by a cut joint; the cheap Jacobian inside the kernels differs away from closure."""
    rng = np.random.default_rng([seed, (*KINDS, Distance).index(kind)])
    arms = [random_kind(rng, KINDS[i]) for i in rng.integers(len(KINDS), size=4)]
    at = [random_pose(rng) for _ in range(10)]
    cut = Distance(float(rng.uniform(0.5, 2.0))) if kind is Distance else random_kind(rng, kind)
    joints = (
        Joint("a1", "ground", "upper1", arms[0], at[0], at[1]),
        Joint("a2", "upper1", "lower1", arms[1], at[2], at[3]),
        Joint("b1", "ground", "upper2", arms[2], at[4], at[5]),
        Joint("b2", "upper2", "lower2", arms[3], at[6], at[7]),
    )
    bodies = tuple(Body(name) for name in ("upper1", "lower1", "upper2", "lower2"))
    loop = Joint("cut", "lower1", "lower2", cut, at[8], at[9])
    made = Mechanics(setup(Mechanism("open", bodies, joints, (loop,)), ()))
    for q in open_configurations(made, 4, seed):
        expected = by_complex_steps(made, q)
        found = evaluate(made.all_rows.program(closure_functions.exact_closure_jacobian), q)
        assert found == pytest.approx(expected, rel=1e-11, abs=1e-12 * np.abs(expected).max(initial=1.0))
