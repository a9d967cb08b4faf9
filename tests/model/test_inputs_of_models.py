"""Models with inputs: functions at any values are those of a model built anew at these values."""

from __future__ import annotations

import pickle
import re
import warnings
from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import compile_program, trace
from linkwright.dynamics.fallback import forward_kernel
from linkwright.dynamics.independent_velocities import complete_independent_motion
from linkwright.errors import ArgumentError, AssemblyError, FormatWarning, MechanismError, ParameterWarning
from linkwright.formats import from_yaml
from linkwright.functions.loop import multiplier_functions
from linkwright.mechanism.parameterized_mechanism import parameterize_mechanism
from tests.laws.test_inputs import AXES, near, variable

# Random values make inertias that no real body has, which equations can use.
pytestmark = pytest.mark.filterwarnings("ignore::linkwright.errors.ParameterWarning")

TOLERANCE = 1e-11

FOUR_BAR = ["joints.B.at.x", "bodies.crank.mass", "gravity.y"]

SLIDER = """
format: 1
name: slider
parameters: {crank: 0.1 m, rod: 0.3 m, heavy: 2 kg, idle: 1 m}
gravity: [0, -9.81, 0]
bodies:
  arm: {mass: 1, com: [= crank / 2, 0, 0], inertia: [0.01, 0.01, 0.01]}
  coupler: {mass: 0.5, com: [= rod / 2, 0, 0], inertia: [0.01, 0.01, 0.01]}
  block: {mass: = heavy, inertia: [0.01, 0.01, 0.01]}
joints:
  turn: {type: revolute, parent: ground, child: arm, axis: [0, 0, 1]}
  pin: {type: revolute, parent: arm, child: coupler, at: [= crank, 0, 0], axis: [0, 0, 1]}
  slide: {type: prismatic, parent: ground, child: block, axis: [1, 0, 0]}
loops:
  wrist: {type: revolute, parent: coupler, child: block, at: [= rod, 0, 0], axis: [0, 0, 1]}
actuators: [turn]
home: {turn: 1.0, pin: -1.5, slide: 0.3}
"""


def calls(model: lw.Model, q: np.ndarray, rng: np.random.Generator) -> dict[str, tuple[Any, ...]]:
    """Arguments of the functions that are compared, at a state that keeps the loops closed."""
    v, a = complete_independent_motion(model.kinematics, q, *rng.uniform(-1.0, 1.0, (2, model.mobility)))
    found: dict[str, tuple[Any, ...]] = {
        "forward_dynamics": (q, v, rng.uniform(-1.0, 1.0, model.na)),
        "inverse_dynamics": (q, v, a),
        "generalized_forces": (q, v, a),
        "mass_matrix": (q,),
        "bias_forces": (q, v),
        "momentum": (q, v),
        "body_poses": (q,),
        "frame_twist": (q, v, model.bodies[-1]),
        "independent_map": (q,),
    }
    if model.kinematics.has_closure:
        found |= {"closure_jacobian": (q,), "closure_residual": (q,), "minimal_inertia": (q,)}
    return found


def sizes(mech: lw.Mechanism) -> list[str]:
    """Paths of lengths, masses and stiffnesses that are not zero, so that planar loops stay planar."""
    turning = {*AXES, "roll", "pitch", "yaw"}
    return [path for path in variable(mech) if mech.numbers[path].value and not set(path.split(".")) & turning]


def compare(mech: lw.Mechanism, inputs: list[str], values: np.ndarray, rng: np.random.Generator) -> None:
    model = lw.build(mech, inputs=inputs)
    other = model.with_parameters(values)
    anew = lw.build(other.mechanism)
    q = other.assemble().q
    assert np.abs(anew.closure_residual(q)).max(initial=0.0) < 1e-12 if anew.kinematics.has_closure else True
    both = np.stack([values, model.parameters.nominal, values])

    def result(of: lw.Model, name: str, *arguments: np.ndarray, **p: np.ndarray) -> np.ndarray:
        found = getattr(of, name)(*arguments, **p)
        return found if isinstance(found, np.ndarray) else np.concatenate(found, axis=-1)

    for name, arguments in calls(anew, q, rng).items():
        wanted = result(anew, name, *arguments)
        found = result(other, name, *arguments)
        assert np.abs(found - wanted).max() <= TOLERANCE * max(1.0, np.abs(wanted).max()), (mech.name, name, inputs)
        assert np.array_equal(result(model, name, *arguments, p=values), found), (mech.name, name)
        rows = result(model, name, *arguments, p=both)
        nominal = result(model, name, *arguments)
        for row, one in zip(rows, (found, nominal, found), strict=True):
            assert np.array_equal(row, one), (mech.name, name, "batches are the single calls bit for bit")


@pytest.mark.parametrize("name", ["four-bar", "five-bar", "slider-crank", "stanford-arm"])
def test_functions_are_those_of_the_model_built_anew(name: str) -> None:
    mech, rng = lw.catalog.load(name), np.random.default_rng(3)
    inputs = [str(path) for path in rng.permutation(sizes(mech))[:6]]
    compare(mech, inputs, np.array(near(parameterize_mechanism(mech, inputs), rng)), rng)


def test_parameters_of_a_file() -> None:
    mech = from_yaml(SLIDER)
    compare(mech, ["crank", "rod", "heavy"], np.array([0.12, 0.35, 1.5]), np.random.default_rng(5))
    with pytest.warns(FormatWarning, match="follows from the inputs idle"):
        model = lw.build(mech, inputs="all")
    assert model.parameters.names == ("crank", "rod", "heavy", "idle")
    assert model.parameters.units[0] == "m"
    assert "joints.pin.at.x" in model.parameters["crank"].uses
    p = model.parameters.array(crank=np.linspace(0.05, 0.1, 4))
    assert p.shape == (4, 4)
    assert np.array_equal(p[2], [p[2, 0], 0.3, 2.0, 1.0])


def test_inputs_that_only_drawings_depend_on_are_named() -> None:
    with pytest.warns(FormatWarning, match=r"follows from the inputs bodies\.crank\.shapes\.0\.capsule\.radius"):
        lw.build(lw.catalog.load("four-bar"), inputs=["bodies.crank.mass", "bodies.crank.shapes.0.capsule.radius"])


def test_repeated_functions_of_a_model_at_other_values() -> None:
    model = lw.build(lw.catalog.load("four-bar"), inputs=FOUR_BAR)
    other = model.with_parameters({"joints.B.at.x": 4.2})
    again = other.with_parameters({"bodies.crank.mass": 1.5})
    assert np.array_equal(again.parameters.values, [4.2, 1.5, -9.8])
    assert again.mechanism.numbers["joints.B.at.x"].value == 4.2
    assert np.array_equal(model.parameters.values, model.parameters.nominal)
    q = again.assemble().q
    copy = pickle.loads(pickle.dumps(again))
    v = np.zeros(model.nv)
    wanted = again.forward_dynamics(q, v, [1.0])
    assert np.array_equal(again.forward_dynamics(q, v, [1.0]), wanted)
    assert np.array_equal(again.forward_dynamics(q, v, [1.0], out=np.empty(model.nv)), wanted)
    assert np.array_equal(copy.forward_dynamics(q, v, [1.0]), wanted)
    anew = lw.build(again.mechanism)
    measures = [x.singularity(q) for x in (again, anew)]
    for name in ("type2", "constraint", "condition", "length"):
        assert getattr(measures[0], name) == pytest.approx(getattr(measures[1], name), rel=TOLERANCE)
    pairs = zip(again.forward_kinematics(q[:1]), anew.forward_kinematics(q[:1], near=q), strict=True)
    assert all(np.allclose(x, y, rtol=0, atol=1e-11) for x, y in pairs)
    for x, y in zip(again.linearize(q, v, [1.0]), anew.linearize(q, v, [1.0]), strict=True):
        assert np.abs(x - y).max() <= TOLERANCE * np.abs(y).max()


def test_flagged_states_are_solved_at_their_own_values() -> None:
    model = lw.build(lw.catalog.load("four-bar"), inputs=["bodies.crank.mass"])
    heavy = model.with_parameters({"bodies.crank.mass": 3.0})
    q, v, tau = heavy.assemble().q, np.zeros(model.nv), np.array([1.0])
    wanted = lw.build(heavy.mechanism).forward_dynamics(q, v, tau)
    kernel: Any = forward_kernel(model.dynamics, False)
    fallback = kernel.rest._body.fallback
    prepared = heavy.dynamics.kernels.code(multiplier_functions.checked_forward_dynamics).early_results
    assert np.abs(fallback.repair(q, v, tau, prepared, alone=True) - wanted).max() < 1e-11
    second = fallback.second().call(q, v, tau, prepared)
    assert np.abs(second - wanted).max() < 1e-11 or np.isnan(second[0])


def test_inertias_among_the_inputs() -> None:
    mech = lw.catalog.load("four-bar")
    model = lw.build(mech, inputs=["bodies.crank.mass"])
    inertia = next(body for body in mech.bodies if body.name == "crank").inertia
    heavier = model.with_inertias({"crank": type(inertia)(2.0, inertia.com, inertia.tensor)})
    assert heavier.parameters.values.tolist() == [2.0]
    assert heavier.kernels.cache is model.kernels.cache


@pytest.mark.parametrize("name", ["four-bar", "stanford-arm"])
def test_derivatives_and_reactions_of_every_row_at_its_own_values(name: str) -> None:
    mech, rng = lw.catalog.load(name), np.random.default_rng(3)
    m = lw.build(mech, inputs=[str(path) for path in rng.permutation(sizes(mech))[:4]])
    p = m.parameters.nominal * rng.uniform(0.97, 1.03, (3, len(m.parameters)))
    q, v = m.project(np.tile(m.assemble().q, (3, 1)), rng.normal(size=(3, m.nv)), p=p)
    ind = list(m.kinematics.independent)
    a = np.array(
        [
            complete_independent_motion(m.with_parameters(p[i]).kinematics, q[i], v[i][ind], v[i][ind])[1]
            for i in range(3)
        ]
    )
    tau = m.inverse_dynamics(q, v, a, p=p)
    given = {
        "linearize": (q, v, tau),
        "forward_dynamics_derivatives": (q, v, tau),
        "inverse_dynamics_derivatives": (q, v, a),
        "joint_reactions": (q, v, a, tau),
    }
    for function, arguments in given.items():
        found = _parts(getattr(m, function)(*arguments, p=p))
        for row in range(3):
            one = m.with_parameters(p[row])
            state = [x[row] for x in arguments]
            for x, y in zip(found, _parts(getattr(one, function)(*state)), strict=True):
                assert np.array_equal(x[row], y), function
            for x, y in zip(found, _parts(getattr(lw.build(one.mechanism), function)(*state)), strict=True):
                assert np.abs(x[row] - y).max() <= TOLERANCE * max(1.0, np.abs(y).max()), function


def _parts(result: Any) -> list[np.ndarray]:
    return list(result.values()) if isinstance(result, dict) else list(result)


def test_bad_input() -> None:
    model = lw.build(lw.catalog.load("four-bar"), inputs=FOUR_BAR)
    q, v = model.assemble().q, np.zeros(model.nv)
    with pytest.raises(ArgumentError, match=r"not an input of the model.*did you mean"):
        model.with_parameters({"bodies.crank.mas": 1.0})
    with pytest.raises(ArgumentError, match=r"list it: build\(mech, inputs="):
        model.with_parameters({"joints.B.at.y": 0.1})
    with pytest.raises(ArgumentError, match=r"expected \(\.\.\., 3\)"):
        model.mass_matrix(q, p=[1.0])
    with pytest.raises(ArgumentError, match="is nan"):
        model.mass_matrix(q, p=[np.nan, 1.0, 1.0])
    with pytest.raises(ArgumentError, match="one set of parameters"):
        model.assembly_modes([1.0], p=model.parameters.array({"gravity.y": [1.0, 2.0]}))
    with pytest.raises(ArgumentError, match="has no inputs"):
        lw.build(model.mechanism).forward_dynamics(q, v, [1.0], p=[1.0])
    with pytest.raises(ArgumentError, match="is not a parameter"):
        lw.build(model.mechanism, inputs=["handle"])
    for value in (None, "0.1", [None, 1.0], 1j):
        with pytest.raises(ArgumentError, match=r"'gravity\.y' is given as.*give a number"):
            model.parameters.array({"gravity.y": value})
    with pytest.raises(ArgumentError, match=r"p is \[None, 1.0, 1.0\], expected an array"):
        model.mass_matrix(q, p=[None, 1.0, 1.0])
    far = model.with_parameters({"joints.B.at.x": 40.0})
    with pytest.raises(AssemblyError, match=r"does not close at joints\.B\.at\.x = 40"):
        far.assemble()


def test_inertias_that_no_real_body_has_are_warned_of_when_used() -> None:
    names = [f"bodies.rocker.inertia.{part}" for part in ("xx", "yy", "zz")]
    model = lw.build(lw.catalog.load("four-bar"), inputs=["bodies.crank.mass", *names])
    q = model.assemble().q
    impossible = model.with_parameters({names[0]: 0.1, names[1]: 0.1, names[2]: 0.5})
    with pytest.warns(ParameterWarning, match=r"'rocker' has a mass or an inertia") as found:
        impossible.mass_matrix(q)
    assert re.search(r"0\.1, 0\.1, 0\.5.*largest exceeds the sum", found[0].message.finding.message)
    with pytest.warns(ParameterWarning, match="negative-mass") as found:
        model.mass_matrix(q, p=model.parameters.array({"bodies.crank.mass": -2.0}))
    assert found[0].message.finding.value == -2.0
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.with_parameters({names[0]: 0.1, names[1]: 0.45, names[2]: 0.5}).mass_matrix(q)


@pytest.mark.parametrize("name", ["four-bar", "gough-stewart", "delta"])
def test_compiled_margins_are_negative_where_an_inertia_is_impossible(name: str) -> None:
    mech = lw.catalog.load(name)
    paths = [path for path in mech.numbers if path.endswith((".mass", ".inertia.xx", ".inertia.zz", ".inertia.xy"))]
    source = parameterize_mechanism(mech, paths)
    margins = compile_program(trace(lambda p: np.array(source.margins(list(p))), {"p": len(paths)}))
    rng, verdicts = np.random.default_rng(1), set()
    for spread in (0.0, 0.01, 0.5, 2.0) * 8:
        p = np.array(source.nominal) * (1.0 + spread * rng.uniform(-1.0, 1.0, len(paths)))
        np.testing.assert_allclose(margins(p), source.margins(p.tolist()), rtol=1e-12, atol=1e-15)
        verdicts.add(bool(source.doubts(p.tolist())))
        assert (margins(p).min() < 0.0) == bool(source.doubts(p.tolist()))
    assert verdicts == {False, True}


@pytest.mark.parametrize(("expression", "arm"), [("r", 0.7), ("2 * r - 0.5", 0.9), ("1 - r", 0.3)])
def test_equal_numbers_of_other_expressions_are_other_code(expression: str, arm: float) -> None:
    written = f"""
format: 1
name: pendulum
parameters: {{r: 0.5}}
bodies:
  arm: {{mass: 1, com: [= {expression}, 0, 0], inertia: [0.1, 0.1, 0.1]}}
joints:
  pivot: {{type: revolute, parent: ground, child: arm, axis: y}}
"""
    model = lw.build(from_yaml(written), inputs="all").with_parameters(r=0.7)
    np.testing.assert_allclose(model.mass_matrix([0.0]), [[0.1 + arm**2]], rtol=1e-14)


def test_a_mass_that_is_the_root_of_a_negative_number_is_warned_of() -> None:
    written = """
format: 1
name: pendulum
parameters: {load: 4}
bodies:
  arm: {mass: = sqrt(load), com: [0.5, 0, 0], inertia: [0.1, 0.1, 0.1]}
joints:
  pivot: {type: revolute, parent: ground, child: arm, axis: y}
"""
    model = lw.build(from_yaml(written), inputs="all")
    lifted = model.with_parameters(load=-1.0)
    with pytest.warns(ParameterWarning, match="not-finite") as found:
        lifted.frame_pose([0.1], "arm")
    assert "sqrt(load) has no value at load = -1" in found[0].message.finding.message
    with pytest.raises(ArgumentError, match="is not a finite number"):
        lifted.mass_matrix([0.1])
    with pytest.raises(MechanismError, match=r"sqrt\(load\) has no value at load = -1"):
        _ = lifted.mechanism


@pytest.mark.usefixtures("batches_in_lanes")
def test_rows_that_are_no_mechanism_are_rows_of_nan() -> None:
    model = lw.build(lw.catalog.load("four-bar"), inputs=FOUR_BAR)
    q = model.assemble().q
    found = model.mass_matrix(q, p=model.parameters.array({"bodies.crank.mass": [1.0, np.nan]}))
    assert np.all(np.isfinite(found[0]))
    assert np.all(np.isnan(found[1]))


def test_lengths_that_look_wrong_are_warned_of() -> None:
    model = lw.build(lw.catalog.load("four-bar"), inputs=["crank", "joints.theta.at.x", "joints.phi.at.x"])
    for value in (-1.0, 0.0, 1000.0, 1e-3):
        with pytest.warns(ParameterWarning, match=r"doubtful lengths.*crank = \S+ m \(1 m in the file\)") as found:
            model.with_parameters(crank=value)
        assert found[0].message.finding.value == {"crank": value}
    with pytest.warns(ParameterWarning, match=r"joints\.phi\.at\.x = 3000 m \(3 m in the file\)"):
        model.with_parameters({"joints.phi.at.x": 3000.0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # a point may lie on the other side, and a zero has no size
        model.with_parameters({"joints.phi.at.x": -3.0, "joints.theta.at.x": 0.1, "crank": 1.2})
        model.with_parameters({"joints.phi.at.x": 0.0})


def test_inputs_that_follow_from_each_other_are_named() -> None:
    mech = lw.catalog.load("four-bar")
    with pytest.warns(ParameterWarning, match=r"overlap: joints\.alpha_rel\.at\.x follows from 'crank'"):
        lw.build(mech, inputs=["crank", "joints.alpha_rel.at.x"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        lw.build(mech, inputs=["crank", "mass", "joints.theta.at.y"])


@pytest.mark.parametrize("function", ["singularity", "inverse_dynamics", "forward_kinematics"])
def test_diagnosis_of_parameters_that_are_not_finite(function: str) -> None:
    model = lw.build(lw.catalog.load("four-bar"), inputs=["crank", "mass"])
    q, v = model.assemble().q, np.zeros(model.nv)
    given: Any = {"singularity": (q,), "inverse_dynamics": (q, v, v), "forward_kinematics": (q[:1],)}[function]
    p = model.parameters.array(crank=[1.0, np.nan])
    (one,) = model.diagnose(function, *given, p=p[1])
    (row,) = model.diagnose(function, *given, p=p)
    assert (one.row, one.code, row.row, row.code) == ((), "bad-parameters", 1, "bad-parameters")
    assert "crank" in one.reason and "crank" in row.reason
    with pytest.raises(ArgumentError, match=f"{function} takes"):
        model.diagnose(function)


def test_states_of_another_design_are_warned_of_once_a_call() -> None:
    model = lw.build(lw.catalog.load("four-bar"), inputs=["crank", "mass"])
    q, v = model.assemble().q, np.zeros(model.nv)
    p = model.parameters.array(crank=np.linspace(1.0, 1.1, 5))
    with pytest.warns(ParameterWarning, match=r"inverse_dynamics of 'four-bar'.*'B' open, as") as found:
        model.inverse_dynamics(q, v, v, p=p)
    value = found[0].message.finding.value
    assert 0.0 < value.pop("gap") < 1.0
    assert value == {"unit": "m", "row": [4], "open": 4, "looked_at": 5}
    for function, given in (("singularity", (q,)), ("forward_dynamics", (q, v, [1.0])), ("independent_map", (q,))):
        with pytest.warns(ParameterWarning, match=rf"{function} of 'four-bar': at these parameters q leaves loop 'B'"):
            getattr(model, function)(*given, p=p[3])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        state = model.forward_kinematics(q[:1], p=p)
        assert np.isfinite(model.inverse_dynamics(*state, p=p)).all()
        model.inverse_dynamics(q, v, v, p=model.parameters.array(mass=[1.0, 2.0]))


def test_first_models_at_other_values_warn_of_states_of_another_design():
    model = lw.build(lw.catalog.load("four-bar"), inputs=["joints.B.at.x"])
    q, still = model.assemble().q, np.zeros(model.nv)
    for _ in range(2):
        other = model.with_parameters({"joints.B.at.x": 4.1})
        with pytest.warns(lw.errors.ParameterWarning, match="open, as coordinates of another design") as found:
            other.inverse_dynamics(q, still, still)
        assert found[0].message.finding.value == {"gap": pytest.approx(0.1), "unit": "m"}
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            other.inverse_dynamics(q, still, still)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for length in np.linspace(4.0, 4.2, 20):
            other = model.with_parameters({"joints.B.at.x": length})
            other.inverse_dynamics(other.assemble().q, still, still)
        model.with_parameters({"joints.B.at.x": 4.1}).inverse_dynamics(q, still, still)  # no longer looked at


def test_a_model_that_is_no_mechanism_is_shown_by_its_name_and_warnings_name_the_callers_line() -> None:
    model = lw.build(lw.catalog.load("five-bar"), inputs=["proximal_mass"])
    home = model.assemble().q
    other = model.with_parameters(proximal_mass=-1.0)
    assert repr(other) == repr(model)
    with pytest.warns(ParameterWarning, match="negative-mass") as found:
        other.mass_matrix(home)
    assert {each.filename for each in found} == {__file__}


def test_messages_about_leading_axes_name_arguments_of_the_call() -> None:
    model = lw.build(lw.catalog.load("five-bar"), inputs=["proximal_mass"]).with_parameters(proximal_mass=0.3)
    q, v = model.assemble().q, np.zeros(model.nv)
    rows = [np.tile(x, (n, 1)) for x, n in ((q, 3), (v, 2), (v, 3))]
    with pytest.raises(ArgumentError, match=r"together: \{'q': \(3, 4\), 'v': \(2, 4\), 'a': \(3, 4\)\}$"):
        model.inverse_dynamics(*rows)
