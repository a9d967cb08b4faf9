"""Derivatives of every function by the inputs against complex steps; `python -m tests.laws.gradients` does it for all.

python -m tests.laws.gradients [--inputs 12] [--seed 0] [--fixed pose] [mechanism ...]
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np

import linkwright as lw
from linkwright.dynamics.independent_velocities import complete_independent_motion
from linkwright.errors import ArgumentError, LinkwrightError, LinkwrightWarning
from linkwright.functions.loop import closure_functions, minimal_functions
from linkwright.functions.tree import tree_functions
from linkwright.gradients.fixed_quantities import opening_inputs
from linkwright.model.gradients import held_quantities
from tests.laws.complex_inputs import Moved, derivatives
from tests.laws.test_inputs import AXES, variable

PROMISED = 1e-9
FIXED = ("actuators", "pose", "state")
SOLVED = ("inverse_dynamics", "forward_dynamics", "joint_reactions", "actuator_jacobian")

EXPLICIT = {
    "generalized_forces": (tree_functions.generalized_forces, "qva"),
    "mass_matrix": (tree_functions.mass_matrix, "q"),
    "bias_forces": (tree_functions.bias_forces, "qv"),
    "gravity_forces": (tree_functions.gravity_forces, "q"),
    "udu": (tree_functions.udu, "q"),
    "energy": (tree_functions.energies, "qv"),
    "momentum": (tree_functions.momentum, "qv"),
    "center_of_mass": (tree_functions.center_of_mass, "q"),
    "frame_twist": (tree_functions.frame_twist, "qv"),
    "frame_acceleration": (tree_functions.frame_twist_rate, "qva"),
    "frame_jacobian": (tree_functions.frame_jacobian, "q"),
    "frame_jacobian_rate": (tree_functions.frame_jacobian_rate, "qv"),
    "convective_matrix": (tree_functions.convective_matrix, "qv"),
    "closure_residual": (closure_functions.closure_residual, "q"),
    "closure_jacobian": (closure_functions.exact_closure_jacobian, "q"),
    "actuator_positions": (minimal_functions.actuator_positions, "q"),
    "actuator_velocities": (minimal_functions.actuator_velocities, "qv"),
    "actuator_accelerations": (minimal_functions.actuator_accelerations, "qva"),
}
REVERSED = {"actuator_velocities": "vq", "actuator_accelerations": "aqv"}
"""Functions that take their arrays in another order."""


def sizes(mech: lw.Mechanism) -> list[str]:
    """Paths of lengths, masses and stiffnesses that are not zero, so that planar loops stay planar."""
    turning = {*AXES, "roll", "pitch", "yaw"}
    return [path for path in variable(mech) if mech.numbers[path].value and not set(path.split(".")) & turning]


def chosen_inputs(mech: lw.Mechanism, count: int, rng: np.random.Generator) -> list[str]:
    """Parameters of the file, and some numbers by their paths."""
    named = [each.name for each in mech.parameters if not each.structural]
    named = [str(x) for x in rng.permutation(named)[: count // 2]]
    follow = {use for each in mech.parameters if each.name in named for use in each.uses}
    apart = [path for path in sizes(mech) if path not in follow]
    return named + [str(x) for x in rng.permutation(apart)[: count - len(named)]]


def state(model: lw.Model, rng: np.random.Generator) -> dict[str, Any]:
    """A closed state near home, off special positions, with efforts."""
    loops = model.kinematics
    if loops.has_closure:
        q = loops.branch_samples[int(rng.integers(1, len(loops.branch_samples)))]
        q = model.assemble(guess=q).q
    else:
        q = rng.uniform(-1.0, 1.0, model.nq)
    v, a = complete_independent_motion(loops, q, *rng.uniform(-1.0, 1.0, (2, model.mobility)))
    return {"q": q, "v": v, "a": a, "tau": rng.uniform(-1.0, 1.0, model.na)}


def cases(model: lw.Model, x: dict[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Arguments of every function that the model has."""
    out: dict[str, tuple[Any, ...]] = {
        "inverse_dynamics": (x["q"], x["v"], x["a"]),
        "forward_dynamics": (x["q"], x["v"], x["tau"]),
        "frame_pose": (x["q"], model.bodies[-1]),
        "body_poses": (x["q"],),
        "joint_reactions": (x["q"], x["v"], x["a"]),
    }
    if model.na >= model.mobility:
        out["actuator_jacobian"] = (x["q"], model.bodies[-1])
    for name, (definition, letters) in EXPLICIT.items():
        if definition.of_loops and not model.kinematics.has_closure:
            continue
        frame = (model.bodies[-1],) if definition.frame else ()
        out[name] = (*(x[letter] for letter in REVERSED.get(name, letters)), *frame)
    return out


def wanted(moved: Moved, name: str) -> np.ndarray:
    """The results of a function after a complex step, one flat vector."""
    if name == "inverse_dynamics":
        return moved.efforts()
    if name == "forward_dynamics":
        return moved.accelerations()
    if name == "joint_reactions":
        return np.ravel(moved.reactions())
    if name == "actuator_jacobian":
        J = moved.ask(tree_functions.frame_jacobian, moved.q, frame=moved.model.bodies[-1])[0]
        driving = Moved(moved.model, moved.x, moved.index)
        if not moved.model.kinematics.has_closure:
            return np.linalg.solve(driving.rows(moved.q).T, J.T).T.ravel()
        R = np.linalg.solve(driving.matrix(moved.q), np.eye(moved.model.nv)[:, len(moved.kept) :])
        G = moved.B(moved.q).T @ R[:, : len(driving.given)]  # least norm where actuators, all angles, repeat each other
        return (J @ R[:, : len(driving.given)] @ np.linalg.solve(G.T @ G, G.T)).ravel()
    if name == "frame_pose":
        return moved.pose(moved.model.bodies[-1])
    if name == "body_poses":
        return moved.body_poses()
    definition, letters = EXPLICIT[name]
    arrays = [getattr(moved, letter) for letter in letters]
    frame = moved.model.bodies[-1] if definition.frame else None
    return np.concatenate([np.ravel(part) for part in moved.ask(definition, *arrays, frame=frame)])


def worst(
    model: lw.Model, rng: np.random.Generator, fixed: Any, functions: Sequence[str] | None = None
) -> dict[str, float]:
    """Largest error of each function's derivatives relative to the largest of them; None: of every function."""
    x, out = state(model, rng), {}
    follow = fixed != "state"
    moved = [Moved(model, x, i, fixed) for i in range(len(model.parameters))]
    opening = opening_inputs(model.kinematics) if follow else ()
    good = [i for i in range(len(moved)) if i not in opening]
    for name, arguments in cases(model, x).items():
        if functions is not None and name not in functions:
            continue
        if not follow and name in SOLVED and other_side(model, name):
            continue
        options: dict[str, str] = {"undriven": "free"} if name == "inverse_dynamics" else {}
        if name == "joint_reactions" and model.mobility > model.na:
            continue  # links that bend: refused without efforts
        try:
            J: Any = model.parameter_jacobian(name, *arguments, fixed=fixed, **options)
        except ArgumentError as error:
            if "flexible" in str(error):
                continue
            raise
        rows = len(moved)
        joints, J = (list(J), tuple(J.values())) if isinstance(J, dict) else ([], J)
        parts = J if isinstance(J, tuple) else (J,)
        if name == "energy":
            parts = (np.stack(parts),)
        flat = np.concatenate([part.reshape(-1, rows) for part in parts])
        expected = np.array([derivatives(wanted(moved[i], name)) for i in good]).T
        size = np.abs(expected).max(initial=0.0)
        value = np.abs(wanted(moved[0], name).real).max(initial=0.0)
        scale = 1.0 if name == "closure_residual" else max(size, value * 1e-3, 1e-12)  # loops stay closed
        out[name] = float(np.abs(flat[:, good] - expected).max(initial=0.0) / scale)
        w = rng.uniform(-1.0, 1.0, len(flat))
        gradient: Any = model.parameter_jacobian(
            name, *arguments, fixed=fixed, weights=weights(name, joints, parts, w), **options
        )
        both = np.abs(gradient[good] - w @ flat[:, good]).max(initial=0.0) / (scale * max(1.0, np.abs(w).sum()))
        out[name] = max(out[name], float(both))
        if opening:
            assert np.isnan(flat[:, list(opening)]).all(), (model, name)
    return out


def other_side(model: lw.Model, name: str) -> bool:
    """Whether loops are not written as in the complex steps: at fixed q they open, and then it matters."""
    closed = model.kinematics.has_closure
    return closed and (
        name == "actuator_jacobian" or any(x.flipped for x in model.kinematics.division.setup.closure.loops)
    )


def weights(name: str, joints: list[str], parts: tuple[np.ndarray, ...], w: np.ndarray) -> Any:
    """A vector of weights in the form of a function's results."""
    if name == "energy":
        return tuple(w)
    out = []
    for part in parts:
        size = int(np.prod(part.shape[:-1]))
        out.append(w[:size].reshape(part.shape[:-1]))
        w = w[size:]
    if joints:
        return dict(zip(joints, out, strict=True))
    return tuple(out) if len(out) > 1 else out[0]


def holds_a_pose(model: lw.Model) -> bool:
    """Whether the mechanism has an output whose pose determines it, without components named."""
    try:
        held_quantities(model, "pose")
    except LinkwrightError:
        return False
    return True


def errors_of(mech: lw.Mechanism, count: int, seed: int, fixed: Any) -> dict[str, float]:
    """Largest error of each function's derivatives for one mechanism with some inputs drawn by a seed."""
    rng = np.random.default_rng(seed)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", LinkwrightWarning)
        try:
            model = lw.build(mech, inputs=chosen_inputs(mech, count, rng))
            return worst(model, rng, fixed) if fixed != "pose" or holds_a_pose(model) else {}
        except LinkwrightError as error:
            return {f"{type(error).__name__}: {error}": np.inf}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--inputs", type=int, default=12)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--fixed", choices=FIXED, action="append", help="what is held; all three by default")
    parser.add_argument("mechanisms", nargs="*")
    given = parser.parse_args()
    most: dict[str, tuple[float, str]] = {}
    for name in given.mechanisms or lw.catalog.names():
        for fixed in given.fixed or FIXED:
            found = errors_of(lw.catalog.load(name), given.inputs, given.seed, fixed)
            print(f"{name} at fixed {fixed}, {len(found)} functions", flush=True)
            for function, error in sorted(found.items(), key=lambda each: -each[1]):
                most[function] = max(most.get(function, (0.0, "")), (error, f"{name} at fixed {fixed}"))
                print(f"    {error:.1e} {function}{'' if error < PROMISED else '  BEYOND'}", flush=True)
    print("worst of each function:")
    for function, (error, where) in sorted(most.items()):
        print(f"    {error:.1e} {function:24} {where}")
    beyond = sum(not error < PROMISED for error, _ in most.values())
    print(f"{beyond} functions beyond {PROMISED:.0e}")


if __name__ == "__main__":
    main()
