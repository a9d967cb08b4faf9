"""Every public function, called wrongly, says which argument, what was found and what was expected."""

import inspect

import numpy as np
import pytest

import linkwright as lw
from tests.model.models import model

ARM, LOOP = "stanford-arm", "four-bar"
SIZES = {"q": "nq", "v": "nv", "a": "nv", "tau": "na", "q_act": "na", "v_act": "na", "a_act": "na", "guess": "nq"}
SIZES |= {"start": "nq", "near": "nq", "q0": "nq", "q1": "nq"}
NAMES = ("frame", "name")
OTHER = {
    "check": lambda m: False,
    "path": lambda m: np.zeros((2, m.na)),
    "fixed": lambda m: {},
    "guesses": lambda m: 4,
    "w_ext": lambda m: None,
    "pose": lambda m: (np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])),
    "twist": lambda m: np.zeros(6),
    "twist_rate": lambda m: np.zeros(6),
    "components": lambda m: None,
    "formulation": lambda m: None,
    "out": lambda m: None,
    "undriven": lambda m: "refuse",
    "length": lambda m: None,
    "inputs": lambda m: False,
    "h": lambda m: 0.1,
    "p": lambda m: None,
    "inertias": lambda m: {},
    "wrenches": lambda m: (),
    "confidence": lambda m: None,
}
FUNCTIONS = [name for name, member in inspect.getmembers(lw.Model, inspect.isfunction) if not name.startswith("_")]


def arguments(m: lw.Model, name: str) -> dict[str, object]:
    """Good arguments for a public function."""
    out: dict[str, object] = {}
    for parameter in list(inspect.signature(getattr(lw.Model, name)).parameters)[1:]:
        if parameter in SIZES:
            out[parameter] = np.zeros(getattr(m, SIZES[parameter]))
        elif parameter == "frame":
            out[parameter] = m.bodies[0]
        elif parameter == "name":
            out[parameter] = "frame_twist" if name == "program" else "bias_forces"
        else:
            out[parameter] = OTHER[parameter](m)
    return out


def arrays(name: str) -> list[str]:
    return [p for p in inspect.signature(getattr(lw.Model, name)).parameters if p in SIZES or p in ("path", "twist")]


CALLS = [(mechanism, name, parameter) for mechanism in (ARM, LOOP) for name in FUNCTIONS for parameter in arrays(name)]
CALLS += [("gough-stewart", "inverse_kinematics", parameter) for parameter in arrays("inverse_kinematics")]
WRONG = {
    "too long": lambda x: np.zeros((*np.shape(x)[:-1], np.shape(x)[-1] + 1)),
    "a number": lambda x: 1.0,
    "text": lambda x: "zero",
    "complex": lambda x: np.asarray(x) + 1j,
    "object": lambda x: np.array([None] * np.size(x)).reshape(np.shape(x)),
    "ragged": lambda x: [[1.0], [1.0, 2.0]],
    "NaN": lambda x: np.full(np.shape(x), np.nan),
    "infinite": lambda x: np.full(np.shape(x), np.inf),
    "masked": lambda x: np.ma.masked_array(x, mask=np.zeros(np.shape(x), dtype=bool)),
}


@pytest.mark.parametrize(("mechanism", "name", "parameter"), CALLS)
def test_wrong_arrays_are_refused_by_name(mechanism: str, name: str, parameter: str) -> None:
    m = model(mechanism)
    if mechanism == ARM and name == "inverse_kinematics":
        pytest.skip("refused for another reason: no platform")
    if name in ("inverse_kinematics",) and m.mechanism.platform is None:
        pytest.skip("refused for another reason: no platform")
    for kind, spoil in WRONG.items():
        if name == "limits_exceeded_along" and kind in ("NaN", "infinite"):
            continue  # what is not finite is looked at row by row
        given = arguments(m, name)
        given[parameter] = spoil(given[parameter])
        try:
            getattr(m, name)(**given)
        except lw.errors.LinkwrightError as caught:
            assert parameter in str(caught), kind
        else:
            pytest.fail(f"{kind}: accepted")


@pytest.mark.parametrize("mechanism", [ARM, LOOP])
@pytest.mark.parametrize(
    "name", [n for n in FUNCTIONS if "frame" in inspect.signature(getattr(lw.Model, n)).parameters]
)
def test_unknown_frames_are_refused_with_a_suggestion(mechanism: str, name: str) -> None:
    m = model(mechanism)
    given = arguments(m, name)
    required = inspect.signature(getattr(lw.Model, name)).parameters["frame"].default is inspect.Parameter.empty
    for wrong in (m.bodies[0] + "x", 3, *((None,) if required else ())):
        given["frame"] = wrong
        with pytest.raises(lw.errors.LinkwrightError, match=r"did you mean|expected a name|say which frame or body"):
            getattr(m, name)(**given)


@pytest.mark.parametrize("wrong", ["nonsense", 7, None])
def test_unknown_functions_have_no_operation_count(wrong: object) -> None:
    with pytest.raises(lw.errors.LinkwrightError):
        model(ARM).operation_count(wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong", [{"nobody": np.zeros(6)}, {"link1": np.zeros(5)}, np.zeros((2, 2)), "pull", {"link1": "x"}]
)
def test_wrong_wrenches_are_refused(wrong: object) -> None:
    m = model(ARM)
    known = {m.bodies[0] if k == "link1" else k: v for k, v in wrong.items()} if isinstance(wrong, dict) else wrong
    with pytest.raises(lw.errors.LinkwrightError, match="w_ext"):
        m.inverse_dynamics(np.zeros(6), np.zeros(6), np.zeros(6), w_ext=known)


@pytest.mark.parametrize("wrong", ["theta1", ["nobody"], [1], ["theta1", "theta1"], 5])
def test_wrong_actuators_are_refused(wrong: object) -> None:
    with pytest.raises(lw.errors.LinkwrightError, match="actuated"):
        lw.build(lw.catalog.load(ARM), actuated=wrong)  # type: ignore[arg-type]


def test_build_wants_a_mechanism() -> None:
    with pytest.raises(lw.errors.LinkwrightError, match="found str"):
        lw.build("robot.yaml")  # type: ignore[arg-type]


def test_too_few_actuators_of_a_tree_are_named() -> None:
    m = lw.build(lw.catalog.load(ARM), actuated=["theta1", "theta2"])
    with pytest.raises(lw.errors.LinkwrightError, match="'b3'"):
        m.inverse_dynamics(np.zeros(6), np.zeros(6), np.zeros(6))
    assert m.generalized_forces(np.zeros(6), np.zeros(6), np.zeros(6)).shape == (6,)
    assert m.forward_dynamics(np.zeros(6), np.zeros(6), np.zeros(2)).shape == (6,)


@pytest.mark.usefixtures("batches_in_lanes")
@pytest.mark.parametrize("name", ["inverse_dynamics", "forward_dynamics", "energy", "mass_matrix"])
def test_bad_rows_of_a_batch_give_nan_rows_and_spoil_no_other(name: str) -> None:
    m = model(ARM)
    rng = np.random.default_rng(0)
    given = {k: rng.normal(size=(5, np.size(x))) for k, x in arguments(m, name).items() if isinstance(x, np.ndarray)}
    good = getattr(m, name)(**given)
    given["q"][2, 1] = np.nan
    out = getattr(m, name)(**given)
    for a, b in zip(np.atleast_1d(good), np.atleast_1d(out), strict=True) if isinstance(good, tuple) else [(good, out)]:
        assert np.isnan(b[2]).all()
        assert np.array_equal(np.delete(a, 2, axis=0), np.delete(b, 2, axis=0))
