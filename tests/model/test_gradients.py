"""Derivatives by parameters at the model: shapes, batches, weights, what is held, and bad input."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.compiler import Fallback
from linkwright.errors import ArgumentError, ParameterWarning
from linkwright.functions.fallback_chain import FallbackChain
from linkwright.gradients.fixed_quantities import FixedQuantities
from linkwright.gradients.parameter_gradients import DenseGradient, Query, gradient_kernel

INPUTS = ["joints.B.at.x", "bodies.crank.mass", "joints.alpha_rel.at.x", "gravity.y"]


def jacobian(model: lw.Model, function: str, *given: Any, **named: Any) -> Any:
    return model.parameter_jacobian(function, *given, **named)


@pytest.fixture(scope="module")
def model() -> lw.Model:
    return lw.build(lw.catalog.load("four-bar"), inputs=INPUTS)


@pytest.fixture(scope="module")
def state(model: lw.Model) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    return model.forward_kinematics(model.assemble().q[:1] + 0.3, [0.7], [-0.4])


def test_actuators_are_held_and_loops_closed(model: lw.Model, state: tuple[np.ndarray, ...]) -> None:
    q, v, a = state
    J, dq = jacobian(model, "inverse_dynamics", q, v, a), model.assembly_sensitivity(q)
    assert J.shape == (1, 4) and dq.shape == (3, 4)
    assert not dq[0].any(), "the actuator stays"
    for i, h in enumerate([1e-5, 1e-3, 1e-5, 1e-2]):
        ends = []
        for sign in (1.0, -1.0):
            p = model.parameters.nominal + sign * h * np.eye(4)[i]
            moved = model.forward_kinematics(q[:1], v[:1], a[:1], near=q, p=p)
            ends.append((moved[0], model.inverse_dynamics(*moved, p=p)))
        assert np.allclose((ends[0][0] - ends[1][0]) / (2 * h), dq[:, i], rtol=1e-6, atol=1e-8)
        assert np.allclose((ends[0][1] - ends[1][1]) / (2 * h), J[:, i], rtol=1e-6, atol=1e-8)


@pytest.mark.usefixtures("batches_in_lanes")
def test_shapes_batches_and_weights(model: lw.Model, state: tuple[np.ndarray, ...]) -> None:
    q, v, a = state
    p = model.parameters.array({"gravity.y": [-9.8, -5.0, 0.0]})
    J = jacobian(model, "inverse_dynamics", q, v, a, p=p)
    assert J.shape == (3, 1, 4)
    for row, values in zip(J, p, strict=True):
        assert np.array_equal(row, jacobian(model, "inverse_dynamics", q, v, a, p=values))
        assert np.array_equal(row, jacobian(model.with_parameters(values), "inverse_dynamics", q, v, a))
    g = jacobian(model, "inverse_dynamics", q, v, a, p=p, weights=[2.0])
    assert np.allclose(g, 2.0 * J[:, 0], rtol=1e-13, atol=1e-13)
    rows = np.stack([q, q, q])
    T, V = jacobian(model, "energy", rows, v)
    assert T.shape == V.shape == (3, 4)
    both = jacobian(model, "energy", rows, v, weights=(1.0, np.array([0.0, 1.0, 2.0])))
    assert np.allclose(both, T + np.array([[0.0], [1.0], [2.0]]) * V, rtol=1e-13, atol=1e-13)
    M = jacobian(model, "mass_matrix", q)
    assert M.shape == (3, 3, 4)
    w = np.arange(9.0).reshape(3, 3)
    found = jacobian(model, "mass_matrix", q, weights=w)
    assert np.allclose(found, np.einsum("ij,ijk->k", w, M), rtol=1e-12, atol=1e-12)
    assert jacobian(model, "frame_pose", q, "coupler").shape == (6, 4)
    assert jacobian(model, "frame_pose", q=q, frame="coupler", fixed="state").shape == (6, 4)
    w_ext = {"coupler": [0.0, 0.0, 0.0, 1.0, 2.0, 0.0]}
    pushed = jacobian(model, "inverse_dynamics", q, v, a, w_ext)
    assert not np.allclose(pushed, jacobian(model, "inverse_dynamics", q, v, a))


def test_trees_have_nothing_to_close() -> None:
    model = lw.build(lw.catalog.load("three-link-arm"), inputs=["joints.theta2.at.x", "bodies.link1.mass"])
    q, v, a = np.array([[0.1, 0.2, 0.3], [0.3, 0.2, 0.1], [0.0, 1.0, 0.5]])
    held = jacobian(model, "inverse_dynamics", q, v, a)
    assert np.array_equal(held, jacobian(model, "inverse_dynamics", q, v, a, fixed="state"))
    assert not model.assembly_sensitivity(q).any()


def test_inputs_that_alone_open_a_loop_are_named() -> None:
    model = lw.build(lw.catalog.load("bennett"), inputs=["joints.theta2.at.x", "bodies.rod1.mass"])
    q = model.assemble().q
    with pytest.warns(ParameterWarning, match=r"cannot stay closed when joints\.theta2\.at\.x"):
        dq = model.assembly_sensitivity(q)
    assert np.isnan(dq[:, 0]).all() and not dq[:, 1].any()
    assert np.isfinite(jacobian(model, "center_of_mass", q, fixed="state")).all()


def test_bad_input(model: lw.Model, state: tuple[np.ndarray, ...]) -> None:
    q, v, a = state
    with pytest.raises(ArgumentError, match=r"not a function with derivatives.*did you mean"):
        jacobian(model, "inverse_dynamic", q, v, a)
    with pytest.raises(ArgumentError, match="fixed is 'loops'"):
        jacobian(model, "inverse_dynamics", q, v, a, fixed="loops")
    with pytest.raises(ArgumentError, match="has no inputs"):
        jacobian(lw.build(model.mechanism), "inverse_dynamics", q, v, a)
    with pytest.raises(ArgumentError, match="cannot be had with formulation"):
        jacobian(model, "inverse_dynamics", q, v, a, formulation=lw.Minimal())
    with pytest.raises(ArgumentError, match=r"expected \(\.\.\., 3, 3\)"):
        jacobian(model, "mass_matrix", q, weights=[1.0])
    with pytest.raises(ArgumentError, match="no argument 'qdot'"):
        jacobian(model, "energy", q, qdot=v)
    for name, given, named, message in (
        ("inverse_dynamics", (q, v), {}, "and a is missing"),
        ("inverse_dynamics", (q, v), {"weights": [1.0]}, "and a is missing"),
        ("frame_pose", (q,), {}, "and frame is missing"),
        ("singularity", (), {}, "and q is missing"),
        ("singularity", (q,), {"component": ["x"]}, "no argument 'component'.*did you mean 'components'"),
        ("energy", (q, v, a), {}, "take q, v, and 3 arguments are given"),
        ("inverse_dynamics", (q, v * np.nan, a), {}, r"v\[0\] is nan, expected a finite number"),
        ("singularity", (q + np.inf,), {}, r"q\[0\] is inf, expected a finite number"),
        ("energy", (q, v), {"weights": 3.0}, "2 results, and weights is 3.0"),
        ("udu", (q,), {"weights": 1.0}, "2 results, and weights is 1.0"),
        ("joint_reactions", (q, v, a), {"weights": [1.0]}, "expected a dictionary"),
        ("joint_reactions", (q, v, a), {"weights": {"thet": np.ones(6)}}, "unknown joint 'thet'"),
    ):
        with pytest.raises(ArgumentError, match=message):
            jacobian(model, name, *given, **named)


@pytest.mark.usefixtures("batches_in_lanes")
def test_rows_with_nan_are_rows_of_nan(model: lw.Model, state: tuple[np.ndarray, ...]) -> None:
    q, v, a = (np.stack([x, x]) for x in state)
    v[1] = np.nan
    found = np.asarray(jacobian(model, "inverse_dynamics", q, v, a))
    assert np.isfinite(found[0]).all() and np.isnan(found[1]).all()


@pytest.mark.parametrize("mode", ["forward", "reverse"])
def test_dense_fallback_agrees_at_other_values(model: lw.Model, state: tuple[np.ndarray, ...], mode: Any) -> None:
    q, v, a = state
    p = model.parameters.array({"gravity.y": -5.0, "bodies.crank.mass": 2.0})
    at = model.with_parameters(p)
    for name, given in {
        "inverse_dynamics": (q, v, a),
        "forward_dynamics": (q, v, np.array([0.3])),
        "energy": (q, v),
    }.items():
        query = Query(name, FixedQuantities(), ("q", "v", "tau" if name[0] == "f" else "a")[: len(given)])
        kernel = gradient_kernel(at.dynamics, query, mode)
        size = len(p) if mode == "forward" else kernel.rest.signature.inputs[-2].shape[0]
        along = np.linspace(1.0, 2.0, size)
        wanted = kernel(*given, along)
        found = DenseGradient(query, mode)(at.dynamics, *given, along, alone=True)
        assert np.abs(found - wanted).max() <= 1e-11 * max(1.0, np.abs(wanted).max())


class Counted:
    """An owner of a repair that counts how often it is built at other values."""

    def __init__(self, values: np.ndarray, built: list[float]) -> None:
        self.values, self.built = values, built

    def at(self, values: np.ndarray) -> Counted:
        self.built.append(float(values[0]))
        return Counted(values, self.built)


def test_rows_of_one_set_are_repaired_by_one_mechanism(model: lw.Model, state: tuple[np.ndarray, ...]) -> None:
    q, v, a = state
    built: list[float] = []
    repair = FallbackChain(Counted(np.zeros(1), built), lambda owner, *_, alone: np.full(1, owner.values[0]))
    kernel = gradient_kernel(model.dynamics, Query("inverse_dynamics", FixedQuantities(), ("q", "v", "a")), "reverse")
    fallback = kernel._fallback_of_rest(Fallback(repair))
    prepared = [np.full(len(model.parameters) + 3, x) for x in (1.0, 1.0, 2.0, 2.0, 1.0)]
    assert [fallback.repair(q, v, a, x, alone=True)[0] for x in prepared] == [1.0, 1.0, 2.0, 2.0, 1.0]
    assert built == [1.0, 2.0, 1.0]
