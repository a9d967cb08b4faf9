"""Random closed states for the papers' formulations, the general engine's results, and loaded mechanisms."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from linkwright.forces import Friction, Spring
from linkwright.functions import function_registry, setup
from linkwright.functions.loop import multiplier_functions
from linkwright.functions.tree import tree_functions
from linkwright.joints import Prismatic, Revolute, Universal
from linkwright.mechanism import Mechanism
from tests.loops.cases import ask, efforts
from tests.loops.mechanisms import Mechanics, closed_states, mechanics

STATES = 4


@cache
def engine_states(name: str) -> tuple[np.ndarray, ...]:
    """q, v, tau and the general engine's accelerations and, from those, efforts."""
    made = mechanics(name)
    q, v, tau = (np.array(x) for x in zip(*closed_states(name, STATES, seed=5)))
    a = ask(made.kernels, "loop_forward_dynamics", q, v, tau)[0]
    return q, v, tau, a, efforts(made, q, v, a)


def effort_scale(name: str) -> float:
    """The largest force along any joint in those states: what round-off in efforts is measured by."""
    q, v, _, a, tau = engine_states(name)
    return max(np.abs(ask(mechanics(name).all_rows, "generalized_forces", q, v, a)).max(), np.abs(tau).max())


def assert_paper_equals_engine(name: str, formulation: str, frame: str | None = None) -> None:
    """Forward and inverse dynamics of a formulation are the general engine's to 1e-10."""
    q, v, tau, a, efforts = engine_states(name)
    kernels = mechanics(name).all_rows
    accelerations = evaluated_paper(kernels, f"{formulation}_forward", frame, q, v, tau)
    assert np.abs(accelerations - a).max() < 1e-10 * np.abs(a).max()
    assert np.abs(
        evaluated_paper(kernels, f"{formulation}_inverse", frame, q, v, a) - efforts
    ).max() < 1e-10 * effort_scale(name)


def evaluated_paper(kernels, name: str, frame: str | None, *state: np.ndarray) -> np.ndarray:
    """The result of a formulation's traced program, without its measure of trust."""
    from linkwright.compiler import evaluate

    return evaluate(
        kernels.program(function_registry.definition_of_name(name), frame=frame, wrench=len(state) > 3), *state
    )[0]


def burdened(mech: Mechanism, rotor: float = 0.3) -> Mechanism:
    """The mechanism with springs and friction at every joint of one or two speeds, rotors, half its weight carried."""
    joints = []
    for n, joint in enumerate(mech.joints):
        if isinstance(joint.kind, Revolute | Prismatic | Universal):
            size = len(joint.kind.v_parts)
            spring = Spring((3.0 + n,) * size, (0.1,) * size)
            joint = replace(joint, spring=spring, friction=Friction((0.5,) * size, (0.2 + 0.1 * n,) * size))
        joints.append(joint)
    actuators = tuple(replace(x, rotor_inertia=rotor, gear=2.0) for x in mech.actuators)
    bodies = tuple(replace(body, gravity_compensation=(n % 3) / 2.0) for n, body in enumerate(mech.bodies))
    return replace(mech, bodies=bodies, joints=tuple(joints), actuators=actuators)


@cache
def burdened_mechanics(name: str) -> Mechanics:
    return Mechanics(setup(burdened(mechanics(name).setup.mech), None))


def assert_burdens_are_carried(name: str, formulation: str) -> None:
    """Springs, friction, rotors and outer wrenches on every body count as they do in the general engine."""
    made = burdened_mechanics(name)
    q, v, tau = (np.array(x) for x in zip(*closed_states(name, 2, seed=6)))
    rng = np.random.default_rng(0)
    w_ext = rng.normal(size=(len(q), len(made.setup.tree.links), 6))
    from linkwright.compiler import evaluate

    a = evaluate(made.kernels.program(multiplier_functions.loop_forward_dynamics, wrench=True), q, v, tau, w_ext)[0]
    assert (
        np.abs(evaluated_paper(made.all_rows, f"{formulation}_forward", None, q, v, tau, w_ext) - a).max()
        < 1e-10 * np.abs(a).max()
    )
    efforts = evaluated_paper(made.all_rows, f"{formulation}_inverse", None, q, v, a, w_ext)
    force = np.abs(
        evaluate(made.all_rows.program(tree_functions.generalized_forces, wrench=True), q, v, a, w_ext)
    ).max()
    assert np.abs(efforts - tau).max() < 1e-9 * max(force, 1.0)
