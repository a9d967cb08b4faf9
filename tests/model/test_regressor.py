"""The regressor: tau = Y theta on every mechanism of the catalog, on random ones, and against finite parameters."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright import joints as kinds
from linkwright.dynamics.independent_velocities import complete_independent_motion
from linkwright.errors import ArgumentError, BatchWarning, SingularityError
from linkwright.forces import Friction
from linkwright.mechanism import Actuator, Mechanism
from tests.loops.random_drawings import random_case
from tests.loops.random_mechanisms import by_names, interpreted, loaded

pytestmark = pytest.mark.filterwarnings("ignore::linkwright.errors.MotionWarning")
PROMISED = 1e-10


def resisted(mech: Mechanism, seed: int = 5) -> Mechanism:
    """The mechanism with friction at all joints, armatures, and rotors of the actuators."""
    rng = np.random.default_rng(seed)

    def rubbing(joint):
        n = joint.kind.nv
        if isinstance(joint.kind, kinds.Modes | kinds.Section) or not n:
            return joint
        friction = Friction(tuple(rng.uniform(0.1, 1.0, n)), tuple(rng.uniform(0.1, 1.0, n)), 1e-2)
        return replace(joint, friction=friction, armature=tuple(rng.uniform(0.01, 0.1, n)))

    def driving(actuator: Actuator) -> Actuator:
        return replace(actuator, gear=7.0, rotor_inertia=1e-3, friction=Friction((0.3,), (0.2,)))

    joints, loops = (tuple(map(rubbing, x)) for x in (mech.joints, mech.loops))
    return replace(mech, joints=joints, loops=loops, actuators=tuple(map(driving, mech.actuators)))


def states(model: lw.Model, n: int = 4, seed: int = 0) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Closed coordinates with velocities and accelerations that keep them closed."""
    rng, k = np.random.default_rng(seed), model.mobility
    start = model.assemble().q
    q = np.array([model.project(model.integrate(start, 0.1 * rng.normal(size=model.nv), 1.0), np.zeros(model.nv))[0]
                  for _ in range(n)])  # fmt: skip
    v, a = complete_independent_motion(model.kinematics, q, rng.normal(size=(n, k)), rng.normal(size=(n, k)))
    return q, v, a


def difference(found: np.ndarray, wanted: np.ndarray) -> float:
    return float(np.abs(found - wanted).max(initial=0.0) / max(1.0, np.abs(wanted).max(initial=0.0)))


def law(name: str) -> float:
    """Largest difference of Y theta and the efforts of a mechanism of the catalog, with friction and rotors."""
    model = lw.build(resisted(lw.catalog.load(name)))
    free = {"undriven": "free"} if "flexible" in name else {}
    q, v, a = states(model)
    Y = model.regressor(q, v, a, **free)
    assert Y.shape == (len(q), model.na, len(model.regressor_parameters))
    return difference(Y @ model.regressor_parameters.values, model.inverse_dynamics(q, v, a, **free))


# `python -m benchmarks.identification law` does it for the whole catalog, by compiled code.
@pytest.mark.parametrize("name", ["puma-560", "five-bar", "bricard", "four-bar-flexible", "3-rrr", "hexaglide"])
def test_regressor_times_parameters_are_the_efforts(name: str) -> None:
    with interpreted():
        assert law(name) < PROMISED


def test_one_state_has_the_bits_of_its_row() -> None:
    model = lw.build(lw.catalog.load("five-bar"))
    q, v, a = states(model)
    Y = model.regressor(q, v, a)
    assert np.array_equal(model.regressor(q[1], v[1], a[1]), Y[1])


@pytest.mark.parametrize("seed", range(1, 13))
def test_random_mechanisms_with_every_passive_element(seed: int) -> None:
    case = random_case(seed)
    equations = case.equations
    rng = np.random.default_rng([seed, 11])
    wanted = equations.particular() + equations.N @ rng.normal(size=equations.mobility)

    def joints(values: np.ndarray) -> np.ndarray:
        parts = {name: values[part] for name, part in equations.system.slices.items()}
        return by_names(model.v_names, case, parts, True)

    with interpreted(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = lw.build(loaded(case.drawing, by_text=False))
        q = by_names(model.q_names, case, case.coordinates, False)
        v, a = joints(equations.velocities), joints(equations.accelerations(wanted))
        tau = model.inverse_dynamics(q, v, a, undriven="free")
        Y = model.regressor(q, v, a, undriven="free")
    assert difference(Y @ model.regressor_parameters.values, tau) < 1e-9


def test_columns_are_those_of_the_inertia_of_each_body() -> None:
    model = lw.build(lw.catalog.load("five-bar"))
    q, v, a = states(model)
    theta, Y = model.regressor_parameters, model.regressor(q, v, a)
    tensor = ((3.0, 0.1, 0.2), (0.1, 4.0, 0.3), (0.2, 0.3, 5.0))
    heavier = model.with_inertias({"distal1": lw.Inertia(2.0, (0.1, 0.2, 0.3), tensor)})
    assert heavier.regressor_parameters["distal1.mz"].value == pytest.approx(0.6)
    assert heavier.regressor_parameters["distal1.Ixy"].value == pytest.approx(0.1 - 2.0 * 0.1 * 0.2)
    assert heavier.regressor_parameters.names == theta.names
    assert difference(Y @ heavier.regressor_parameters.values, heavier.inverse_dynamics(q, v, a)) < PROMISED


@pytest.mark.parametrize("sharing", [lw.LeastNorm(), lw.Preload((1.0, 2.0, 3.0)), lw.LeastPeak()])
def test_more_actuators_than_freedoms_share_by_least_norm(sharing) -> None:
    mech = lw.catalog.load("five-bar")
    model = lw.build(mech, actuated=("theta1", "theta2", "psi1"), sharing=sharing)
    q, v, a = states(model)
    theta, Y, tau = model.regressor_parameters, model.regressor(q, v, a), model.inverse_dynamics(q, v, a)
    P = Y[..., [each.kind == "offset" for each in theta]]
    assert np.allclose(P @ P, P, atol=1e-12)
    assert np.allclose(np.trace(P, axis1=1, axis2=2), 2.0)
    assert difference(Y @ theta.values, (P @ tau[..., None])[..., 0]) < PROMISED


def test_inputs_of_a_model_stay_inputs_of_its_regressor() -> None:
    mech = lw.catalog.load("five-bar")
    model = lw.build(mech, inputs=["proximal", "distal_mass"])
    p = model.parameters.array(proximal=[0.3, 0.33], distal_mass=[0.2, 0.4])
    for row in p:
        other = model.with_parameters(row)
        q, v, a = states(other, n=2)
        theta = other.regressor_parameters.values
        assert difference(other.regressor(q, v, a) @ theta, other.inverse_dynamics(q, v, a)) < PROMISED
        assert np.array_equal(model.regressor(q, v, a, p=row), other.regressor(q, v, a))


@pytest.mark.usefixtures("batches_in_lanes")
def test_rows_that_have_no_efforts_are_nan_and_diagnosed() -> None:
    model = lw.build(lw.catalog.load("five-bar"))
    q, v, a = states(model, n=3)
    v[1] = np.nan
    Y = model.regressor(q, v, a)
    assert np.isnan(Y[1]).all()
    assert np.isfinite(Y[[0, 2]]).all()
    assert [(row.row, row.code) for row in model.diagnose("regressor", q, v, a)] == [(1, "not-finite")]
    with pytest.raises(ArgumentError, match="finite"):
        model.regressor(q[1], v[1], a[1])


def test_a_singular_state_is_refused_as_by_inverse_dynamics() -> None:
    model = lw.build(lw.catalog.load("five-bar"))
    first, second = np.arccos(0.4), np.arccos(-0.4)  # the distal links lie on each other
    q = np.array([first, second, 0.5 * np.pi - first, 0.5 * np.pi - second])
    for function in (model.inverse_dynamics, model.regressor):
        with pytest.raises(SingularityError, match="cannot hold"):
            function(q, np.zeros(model.nv), np.zeros(model.nv))
    with pytest.warns(BatchWarning):
        Y = model.regressor([q, model.assemble().q], np.zeros(model.nv), np.zeros(model.nv))
    assert np.isnan(Y[0]).all()
    assert np.isfinite(Y[1]).all()


def test_motions_without_an_actuator_are_refused() -> None:
    model = lw.build(lw.catalog.load("puma-560"), actuated=("theta1",))
    rest = np.zeros(6)
    with pytest.raises(ArgumentError, match="no actuator drives"):
        model.regressor(rest, rest, rest)
    assert model.regressor(rest, rest, rest, undriven="free").shape == (1, len(model.regressor_parameters))


def test_names_are_unique_and_unknown_ones_are_refused() -> None:
    theta = lw.build(resisted(lw.catalog.load("3-rrr"))).regressor_parameters
    assert len(set(theta.names)) == len(theta)
    with pytest.raises(ArgumentError, match="not a parameter of the regressor"):
        theta.index("proximal1.mass")
