"""Derivatives by the inputs agree with complex steps; `python -m tests.laws.gradients` does it for every mechanism."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import linkwright as lw
from linkwright.formats import from_yaml
from linkwright.gradients.measure_gradients import FIELDS
from tests.laws.gradients import EXPLICIT, PROMISED, chosen_inputs, state, worst

# Two springs and a damper, a rotor behind a gear, a sliding and a spherical joint, and an idle spin.
ROD = """
format: 1
name: rod
parameters: {crank: 0.3 m, rod: 0.9 m, stiffness: 40 N m/rad}
gravity: [0, 0, -9.81]
bodies:
  arm: {mass: 1, com: [= crank / 2, 0.01, 0.02], inertia: [0.01, 0.02, 0.03]}
  link: {mass: 0.5, com: [= rod / 2, 0, 0], inertia: [0.01, 0.04, 0.04]}
  block: {mass: 2, com: [0, 0, 0.05], inertia: [0.01, 0.01, 0.01]}
joints:
  turn: {type: revolute, parent: ground, child: arm, axis: [0, 0.1, 1], spring: {stiffness: = stiffness, rest: 0.2}}
  ball: {type: spherical, parent: arm, child: link, at: [= crank, 0, 0]}
  slide: {type: prismatic, parent: ground, child: block, at: [0, 0.1, 0.2], axis: [1, 0, 0], friction: {viscous: 3.0}}
loops:
  wrist: {type: spherical, parent: link, child: block, at: [= rod, 0, 0]}
actuators:
  motor: {joint: turn, gear: 5, rotor_inertia: 1.0e-3}
home: {turn: 0.7, slide: 1.0}
"""


DYNAMICS = ["inverse_dynamics", "forward_dynamics"]
REST = ["frame_pose", "joint_reactions", "actuator_jacobian"]


@pytest.mark.parametrize("name", ["four-bar", "stanford-arm", "four-bar-flexible"])
def test_gradients_of_some_functions(name: str) -> None:
    mech, rng = lw.catalog.load(name), np.random.default_rng(4)
    model = lw.build(mech, inputs=chosen_inputs(mech, 5, rng))
    drawn = [str(x) for x in rng.permutation(sorted(EXPLICIT))]
    for fixed, functions in (("actuators", [*DYNAMICS, *REST, *drawn[:2]]), ("state", [*DYNAMICS, drawn[2]])):
        found = worst(model, rng, fixed, functions)
        assert max(found.values(), default=0.0) < PROMISED, found


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("five-bar", ["joints.psi2.at.x", "joints.theta2.at.x", "bodies.proximal1.mass"]),
        ("stanford-arm", ["joints.theta2.child_at.y"]),
        ("3-rps", ["joints.ball1.child_at.x", "joints.ball2.child_at.y"]),
    ],
)
def test_singularity_measures_agree_with_differences_of_high_order(name: str, inputs: list[str]) -> None:
    model, rng = lw.build(lw.catalog.load(name), inputs=inputs), np.random.default_rng(7)
    q = state(model, rng)["q"]  # where no bound of a measure is met within a step
    found: Any = model.parameter_jacobian("singularity", q)
    for i, nominal in enumerate(model.parameters.nominal):
        size = abs(nominal)

        def measures(step: float, i: int = i) -> np.ndarray:
            other = model.with_parameters(model.parameters.nominal + step * np.eye(len(inputs))[i])
            there = (
                q
                if not model.kinematics.has_closure
                else other.forward_kinematics(model.actuator_positions(q), near=q)[0]
            )
            return np.array([getattr(other.singularity(there), field) for field in FIELDS])

        def quotient(h: float, measures: Any = measures) -> np.ndarray:
            return (measures(h) - measures(-h)) / (2.0 * h)

        h = 2e-3 * size
        wanted = (quotient(h) - 20.0 * quotient(h / 2.0) + 64.0 * quotient(h / 4.0)) / 45.0
        exact = np.array([getattr(found, field)[i] for field in FIELDS])
        known = np.isfinite(wanted)
        assert np.abs((exact - wanted) * size)[known].max() < PROMISED * max(1.0, np.abs(wanted * size)[known].max())


def test_gradients_with_an_idle_spin_springs_and_rotors() -> None:
    inputs = [
        "crank",
        "rod",
        "stiffness",
        "joints.slide.friction.viscous",
        "actuators.motor.gear",
        "joints.turn.axis.y",
    ]
    model = lw.build(from_yaml(ROD), inputs=inputs)
    assert model.mobility > model.na
    for fixed in ("actuators", "state"):
        found = worst(model, np.random.default_rng(6), fixed, DYNAMICS)
        assert max(found.values()) < PROMISED, found


def test_an_empty_batch_has_no_rows():
    model = lw.build(lw.catalog.load("four-bar"), inputs=["crank", "mass"])
    q, v = np.zeros((0, model.nq)), np.zeros((0, model.nv))
    assert model.assembly_sensitivity(q).shape == (0, model.nv, 2)
    for fixed in ("actuators", "state"):
        assert model.parameter_jacobian("inverse_dynamics", q, v, v, fixed=fixed).shape == (0, model.na, 2)


LAWS = [*DYNAMICS, *REST, "actuator_positions", "actuator_velocities", "actuator_accelerations"]


@pytest.mark.parametrize(
    ("actuated", "sharing"),
    [
        (("theta", "phi"), None),
        (("phi", "B"), lw.Preload((0.4, -0.7))),
    ],
    ids=["redundant", "redundant and at a cut joint"],
)
def test_actuators_at_cut_joints_and_redundant_ones(actuated: Any, sharing: Any) -> None:
    model = lw.build(
        lw.catalog.load("four-bar"), actuated, sharing=sharing, inputs=["crank", "base", "mass", "gravity.y"]
    )
    for fixed in ("actuators", "state"):
        found = worst(model, np.random.default_rng(3), fixed, LAWS if fixed == "actuators" else DYNAMICS)
        assert max(found.values()) < PROMISED and len(found) >= 2, (fixed, found)


def test_least_peak_is_refused_with_the_reason() -> None:
    model = lw.build(lw.catalog.load("four-bar"), actuated=("theta", "phi"), sharing=lw.LeastPeak(), inputs=["crank"])
    q = model.assemble().q
    with pytest.raises(lw.errors.LinkwrightError, match=r"LeastPeak\(\), whose efforts have kinks.*LeastNorm"):
        model.parameter_jacobian("inverse_dynamics", q, np.zeros(3), np.zeros(3))


@pytest.mark.parametrize(
    ("name", "inputs"),
    [
        ("five-bar", ["base", "proximal", "distal", "distal_mass"]),
        ("stanford-arm", ["joints.theta2.child_at.y", "joints.b3.at.y"]),
    ],
)
def test_gradients_at_a_fixed_pose(name: str, inputs: list[str]) -> None:
    """Against complex steps, and against differences of inverse kinematics solved again."""
    model = lw.build(lw.catalog.load(name), inputs=inputs)
    found = worst(model, np.random.default_rng(5), "pose", LAWS)
    assert max(found.values()) < PROMISED and len(found) >= 6, found


def test_a_fixed_pose_is_that_of_inverse_kinematics_solved_again() -> None:
    model = lw.build(lw.catalog.load("five-bar"), inputs=["base", "proximal", "distal", "distal_mass"])
    frame, free = "platform", ["x", "y"]
    q, v, a = model.forward_kinematics([2.1, 0.9], [0.3, -0.8], [1.1, 0.4])
    given = model.frame_pose(q, frame), model.frame_twist(q, v, frame), model.frame_acceleration(q, v, a, frame)

    def solved(p: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        state = model.inverse_kinematics(*given, near=q, components=free, p=p)
        return model.actuator_positions(state[0], p=p), model.inverse_dynamics(*state, p=p)

    positions: Any = model.parameter_jacobian("actuator_positions", q, fixed="pose")
    efforts: Any = model.parameter_jacobian("inverse_dynamics", q, v, a, fixed=lw.types.FixedPose(frame, free))
    nominal = model.parameters.nominal
    for i, h in enumerate(1e-4 * nominal):
        step = h * np.eye(len(nominal))[i]
        ends = [solved(nominal + k * step) for k in (-2, -1, 1, 2)]
        for part, exact in ((0, positions), (1, efforts)):
            wanted = np.dot(np.array([1.0, -8.0, 8.0, -1.0]) / (12.0 * h), [end[part] for end in ends])
            assert np.abs(exact[:, i] - wanted).max() < 1e-7 * max(1.0, np.abs(wanted).max())
    dq = model.assembly_sensitivity(q, fixed="pose")
    assert np.abs(model.frame_jacobian(q, frame)[3:5] @ dq).max() > 0.1, "the tree alone would move"
    assert not np.allclose(positions, model.parameter_jacobian("actuator_positions", q))


def test_what_a_fixed_pose_cannot_hold_says_so() -> None:
    model = lw.build(lw.catalog.load("3-rps"), inputs=["joints.ball1.child_at.x"])
    q = model.assemble().q
    with pytest.raises(lw.errors.LinkwrightError, match=r"moves in rx, ry, .* with 3 freedoms.*FixedPose\(components"):
        model.assembly_sensitivity(q, fixed="pose")
    assert np.isfinite(model.assembly_sensitivity(q, fixed=lw.types.FixedPose(components=["z", "rx", "ry"]))).all()
    with pytest.raises(lw.errors.LinkwrightError, match="leaves 1 of 3 freedoms"):
        model.assembly_sensitivity(q, fixed=lw.types.FixedPose(components=["z", "rx"]))
    with pytest.raises(
        lw.errors.LinkwrightError, match=r"rx, x, y, z of 'platform' asks for 4 .* 3 driven freedoms; name 3"
    ):
        model.assembly_sensitivity(q, fixed=lw.types.FixedPose(components=["x", "y", "z", "rx"]))
    with pytest.raises(lw.errors.LinkwrightError, match="fixed is 'platform', expected one of"):
        model.assembly_sensitivity(q, fixed="platform")  # type: ignore[arg-type]
