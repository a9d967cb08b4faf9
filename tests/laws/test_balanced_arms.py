"""Arms balanced by a spring of no free length: weightless in every position, also where the spring's ends coincide."""

import numpy as np
import pytest

import linkwright as lw
from linkwright.joints import Revolute, Spherical, Universal

KINDS = ("revolute", "universal", "spherical")


def balanced_arm(seed: int, kind: str, factor: float = 1.0, damping: float = 0.0) -> lw.Mechanism:
    """A body on a joint whose spring's ends coincide at home; it carries `factor` times the weight."""
    rng = np.random.default_rng(seed)
    gravity = rng.normal(size=3) * 5.0
    up = -gravity / np.linalg.norm(gravity)
    axis = rng.normal(size=3)
    axis /= np.linalg.norm(axis)
    joint = {"revolute": Revolute(tuple(axis)), "universal": Universal((1.0, 0.0, 0.0), (0.0, 1.0, 0.0))}
    mass, arm, stiffness = rng.uniform(0.5, 3.0, size=3)
    reach = np.sqrt(mass * np.linalg.norm(gravity) * arm / stiffness)
    pivot = rng.normal(size=3)
    inertia = lw.Inertia.diagonal(mass, tuple(arm * up), (0.1, 0.12, 0.15))
    return lw.Mechanism(
        "balanced arm",
        bodies=(lw.Body("arm", inertia),),
        joints=(lw.Joint("pivot", "ground", "arm", joint.get(kind, Spherical()), at=lw.RigidTransform.of(pivot)),),
        forces=(
            lw.forces.Strut(
                "spring",
                "ground",
                "arm",
                tuple(pivot + reach * up),
                tuple(reach * up),
                factor * stiffness,
                0.0,
                damping,
            ),
        ),
        gravity=tuple(gravity),
    )


def positions(model: lw.Model, seed: int) -> np.ndarray:
    """The home, in which the ends coincide, positions near it, and any."""
    rng = np.random.default_rng(seed)
    home = model.kinematics.home
    return np.array([model.integrate(home, rng.normal(size=model.nv), h) for h in (0.0, 1e-12, 1e-6, 0.3, 1.0, 2.0)])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("inputs", [(), ("struts.spring.length",)], ids=["number", "input"])
def test_it_is_weightless_everywhere(kind, inputs):
    for seed in range(2):
        model = lw.build(balanced_arm(seed, kind), actuated=[], inputs=list(inputs))
        q = positions(model, seed)
        still = np.zeros((len(q), model.nv))
        assert np.abs(model.generalized_forces(q, still, still)).max() < 1e-12
        assert np.abs(model.forward_dynamics(q[0], still[0], [])).max() < 1e-12
        assert np.ptp(model.energy(q, still)[1]) < 1e-12
        assert np.abs(model.linearize(q[0], still[0], [])[0][model.nv :]).max() < 1e-12


@pytest.mark.parametrize("kind", KINDS)
def test_the_pull_has_a_derivative_where_the_ends_coincide(kind):
    for damping in (0.0, 0.7):
        model = lw.build(balanced_arm(5, kind, 1.7, damping), actuated=[], inputs=["struts.spring.length"])
        home, zero, h = model.kinematics.home, np.zeros(model.nv), 1e-5
        exact = model.inverse_dynamics_derivatives(home, zero, zero)[0]
        sides = [model.integrate(np.tile(home, (model.nv, 1)), s * np.eye(model.nv), h) for s in (1.0, -1.0)]
        ahead, behind = (model.generalized_forces(q, zero, zero) for q in sides)
        assert np.abs(exact - ((ahead - behind) / (2.0 * h)).T).max() < 1e-8
        assert np.abs(exact).max() > 0.1
        moving = np.ones(model.nv)
        everything = (
            model.generalized_forces(home, moving, zero),
            *model.forward_dynamics_derivatives(home, moving, []),
            model.parameter_jacobian("generalized_forces", home, moving, zero, fixed="state"),
            model.parameter_jacobian("energy", home, moving, fixed="state")[1],
        )
        assert all(np.isfinite(x).all() for x in everything)


@pytest.mark.parametrize("kind", KINDS)
def test_columns_of_the_regressor_are_finite_where_the_ends_coincide(kind):
    mech = balanced_arm(7, kind, 1.3, 0.4)
    model = lw.build(
        mech, actuated=["pivot"] if kind == "revolute" else [f"pivot.{x}" for x in mech.joints[0].kind.v_parts]
    )
    home, rates = model.kinematics.home, np.ones(model.nv)
    tau = model.regressor(home, rates, rates) @ model.regressor_parameters.values
    assert np.abs(tau - model.inverse_dynamics(home, rates, rates)).max() < 1e-12
