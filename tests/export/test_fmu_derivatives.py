"""Derivatives and event indicators of Functional Mock-up Units, against differences and the model, through fmpy."""

import ctypes
import shutil
from dataclasses import replace

import numpy as np
import pytest

import linkwright as lw
from linkwright.export import fmu

fmpy = pytest.importorskip("fmpy", reason="fmpy is not installed")
validate_fmu = pytest.importorskip("fmpy.validation").validate_fmu
fmi2, fmi3 = pytest.importorskip("fmpy.fmi2"), pytest.importorskip("fmpy.fmi3")
pytestmark = pytest.mark.skipif(shutil.which("cc") is None, reason="no C compiler is installed")

H = 1e-5


def limited():
    """A five-bar with limits of a position and a velocity, one of its lengths an input."""
    mech = lw.catalog.load("five-bar")
    limits = {"theta1": lw.Limits(lower=(-3.0,), upper=(3.0,), speed=(20.0,))}
    joints = tuple(replace(j, limits=limits.get(j.name, j.limits)) for j in mech.joints)
    return lw.build(replace(mech, joints=joints), inputs=["proximal"])


class Unit:
    """An instance for model exchange in FMI 2 or 3, with one set of names."""

    def __init__(self, path, version):
        self.description, self.folder = fmpy.read_model_description(path), fmpy.extract(path)
        kind = fmi2.FMU2Model if version == 2 else fmi3.FMU3Model
        token = self.description.guid if version == 2 else self.description.instantiationToken
        interface = self.description.modelExchange
        self.version = version
        self.unit = kind(
            guid=token, unzipDirectory=self.folder, modelIdentifier=interface.modelIdentifier, instanceName="one"
        )
        self.unit.instantiate()
        if version == 2:
            self.unit.setupExperiment(startTime=0.0)
        self.unit.enterInitializationMode()
        self.get = self.unit.getReal if version == 2 else self.unit.getFloat64
        self.set = self.unit.setReal if version == 2 else self.unit.setFloat64

    def run(self):
        self.unit.exitInitializationMode()
        self.unit.enterContinuousTimeMode()

    def set_states(self, x):
        given = (ctypes.c_double * len(x))(*x)
        self.unit.setContinuousStates(given, len(x))

    def indicators(self, n):
        found = (ctypes.c_double * n)()
        self.unit.getEventIndicators(found, n)
        return list(found)

    def close(self):
        self.unit.terminate()
        self.unit.freeInstance()
        shutil.rmtree(self.folder, ignore_errors=True)


@pytest.fixture(scope="module", params=[2, 3])
def opened(request, tmp_path_factory):
    model = limited()
    unit, path = fmu(model, version=request.param), tmp_path_factory.mktemp("unit") / "unit.fmu"
    unit.write(path)
    return model, unit, str(path), request.param


@pytest.fixture
def instance(opened):
    one = Unit(opened[2], opened[3])
    yield one
    one.close()


def references(unit, *roles):
    return [x.reference for x in unit.variables if x.role in roles]


def moving(model):
    """A state that moves, with its loops closed."""
    q = model.assemble().q
    v = model.forward_kinematics(model.actuator_positions(q), np.array([0.7, -0.4]), near=q)[1]
    return np.concatenate([q, v])


def differences(set_value, values, read):
    """Derivatives of what is read by values, one column for each, by central differences of order four."""
    columns = []
    for k in range(len(values)):
        found = []
        for share in (-2.0, -1.0, 1.0, 2.0):
            other = np.array(values, dtype=float)
            other[k] += share * H
            set_value(other)
            found.append(np.array(read()))
        set_value(np.array(values, dtype=float))
        far, near = found[3] - found[0], found[2] - found[1]
        columns.append((8.0 * near - far) / (12.0 * H))
    return np.array(columns).T


def test_fmpy_accepts_the_unit_and_what_it_announces(opened):
    _, unit, path, version = opened
    assert validate_fmu(path) == []
    found = fmpy.read_model_description(path)
    promise = b'providesDirectionalDerivative="true"' if version == 2 else b'providesDirectionalDerivatives="true"'
    assert unit.files["modelDescription.xml"].count(promise) == 2  # model exchange and co-simulation
    assert found.numberOfEventIndicators == len(references(unit, "limit")) == 3


def test_derivatives_by_states_and_efforts_are_those_of_differences(opened, instance):
    model, unit, _, version = opened
    states, efforts = references(unit, "state"), references(unit, "effort")
    unknown = references(unit, "state", "rate", "result", "reaction", "limit")
    instance.run()
    x, tau = moving(model), [0.3, -0.2]
    instance.set_states(x)
    instance.set(efforts, tau)
    J = np.array([instance.unit.getDirectionalDerivative(unknown, [k], [1.0]) for k in (*states, *efforts)]).T
    by_states = differences(instance.set_states, x, lambda: instance.get(unknown))
    by_efforts = differences(lambda given: instance.set(efforts, given), tau, lambda: instance.get(unknown))
    expected = np.concatenate([by_states, by_efforts], axis=1)
    assert np.abs(J - expected).max() < 1e-8 * max(1.0, np.abs(expected).max())
    seed = np.random.default_rng(0).normal(size=J.shape[1])
    along = instance.unit.getDirectionalDerivative(unknown, [*states, *efforts], seed.tolist())
    assert np.abs(along - J @ seed).max() < 1e-12 * np.abs(J).max()
    if version == 3:
        weights = np.random.default_rng(1).normal(size=len(unknown))
        back = instance.unit.getAdjointDerivative(unknown, [*states, *efforts], weights.tolist(), J.shape[1])
        assert np.abs(back - weights @ J).max() < 1e-11 * np.abs(J).max()


def test_derivatives_by_parameters_close_the_loops_again(opened, instance):
    model, unit, _, _ = opened
    (parameter,) = references(unit, "parameter")
    unknown = references(unit, "state", "rate", "result", "limit")
    instance.run()
    instance.set_states(moving(model))
    instance.unit.enterEventMode()
    value = model.parameters.values
    found = instance.unit.getDirectionalDerivative(unknown, [parameter], [1.0])
    expected = differences(lambda p: instance.set([parameter], p), value, lambda: instance.get(unknown))[:, 0]
    assert np.abs(found - expected).max() < 1e-7 * max(1.0, np.abs(expected).max())


def test_derivatives_of_the_initialization_are_of_closed_starts(opened, instance):
    model, unit, _, _ = opened
    exact = [x for x in unit.variables if x.role == "state" and not x.guess]
    known = [x.reference for x in exact] + references(unit, "parameter")
    unknown = references(unit, "state", "rate", "result")
    start = np.array([x.start for x in exact] + [model.parameters.values[0]]) + 0.01
    instance.set(known, start)
    J = np.array([instance.unit.getDirectionalDerivative(unknown, [k], [1.0]) for k in known]).T
    expected = differences(lambda given: instance.set(known, given), start, lambda: instance.get(unknown))
    assert np.abs(J - expected).max() < 1e-7 * max(1.0, np.abs(expected).max())


def test_event_indicators_are_the_distances_to_limits(opened, instance):
    model, unit, _, _ = opened
    instance.run()
    x = moving(model)
    instance.set_states(x)
    i = model.q_names.index("theta1")
    rate = x[model.nq + i]
    names = [f"limit.theta1.{end}" for end in ("lower", "upper", "speed")]
    assert [v.name for v in unit.variables if v.role == "limit"] == names
    assert instance.indicators(3) == pytest.approx([x[i] + 3.0, 3.0 - x[i], 20.0 - rate**2 / 20.0], abs=1e-12)
    assert instance.get(references(unit, "limit")) == instance.indicators(3)


def test_fmpy_finds_the_instants_at_which_limits_are_reached(opened):
    """Instants of the importer's events are those of `simulate`."""
    model, unit, path, _ = opened
    names = [x.name for x in unit.variables if x.role == "effort"]
    efforts = np.array([(0.0, 2.0, 0.0), (0.5, 2.0, 0.0)], dtype=[("time", float), *((name, float) for name in names)])
    run = lw.simulate(model, model.assemble().q, t_end=0.5, effort=[2.0, 0.0], check=False, stop_at=())
    expected = [e.t for e in run.events if e.kind == "limit"]
    assert expected
    found = fmpy.simulate_fmu(
        path, fmi_type="ModelExchange", stop_time=0.5, input=efforts, relative_tolerance=1e-9, record_events=True
    )
    seen = np.unique(found["time"][:-1][np.diff(found["time"]) == 0.0])
    for t in expected:
        assert np.abs(seen - t).min() < 1e-4


def test_a_tree_with_quaternions_has_derivatives_too(tmp_path):
    mech = lw.Mechanism(
        "top",
        bodies=(lw.Body("top", lw.Inertia(1.2, (0, 0, 0.1), ((0.02, 0, 0), (0, 0.03, 0), (0, 0, 0.01)))),),
        joints=(lw.Joint("tip", "ground", "top", lw.joints.Spherical()),),
    )
    unit, path = fmu(lw.build(mech)), tmp_path / "top.fmu"
    unit.write(path)
    assert validate_fmu(str(path)) == []
    one = Unit(str(path), 3)
    try:
        states, unknown = references(unit, "state"), references(unit, "rate", "result", "reaction")
        one.run()
        x = np.array([0.8, 0.36, -0.48, 0.0, 0.5, -0.2, 3.0])
        one.set_states(x)
        J = np.array([one.unit.getDirectionalDerivative(unknown, [k], [1.0]) for k in states]).T
        expected = differences(one.set_states, x, lambda: one.get(unknown))
        assert np.abs(J - expected).max() < 1e-8 * np.abs(expected).max()
    finally:
        one.close()
