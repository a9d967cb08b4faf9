"""Self-test of a kit: stored states with the model's own results, and a main that prints the worst errors."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from linkwright.algebra import rotations
from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError, MotionWarning, withheld_warnings
from linkwright.export.c.c_expressions import FLOAT, Real
from linkwright.export.c.kit_programs import KitPrograms
from linkwright.functions.loop.target_functions import actuator_unit
from linkwright.model import Model
from linkwright.model.model_construction import build
from linkwright.model.submechanism import Submechanism

_SAMPLES = 6

# How far states are from the home, and starts of inverse kinematics from them, rad or lengths of the mechanism: Newton
# steps of a tree reach everything, those of loops what is near.
_FAR, _LOOPS, _START = 0.3, 0.02, 1e-3

# Newton steps towards states that the model's own kinematics do not have, and the largest error after them.
_STEPS, _SOLVED = 12, 1e-11

# Half the angle by which a pose is turned about an axis that the mechanism does not turn about.
_TURNED = 0.2

# How far a pose out of reach is away, in lengths of the mechanism, and by which margin a leg does not reach it.
_AWAY, _CLEARLY = 10.0, 0.01


@dataclass(frozen=True, eq=False)
class Vectors:
    """Stored states: given actuator states and a start of inverse kinematics (n, 4 na), results by name, (n, ...).

    `far`: a pose (7,) that some leg does not reach, and the number of the first such leg; None without one.
    """

    given: np.ndarray
    results: dict[str, np.ndarray]
    far: tuple[np.ndarray, int] | None = None


def kit_test_vectors(model: Model, sub: Submechanism | None, programs: KitPrograms) -> Vectors:
    """States near the home, with the results of the model's functions, which share no code with the kit's wrappers."""
    rng, home = np.random.default_rng(20240229), model.assemble().q
    driving = _determined_model(model, programs)
    solve = driving.forward_kinematics
    if programs.held or None in programs.coordinates:
        solve = partial(_iterated_states, model, programs)
    scales = model.scales
    setup = model.setup
    unit = np.array([actuator_unit(setup, i, scales.length, scales.speeds.tolist()) for i in programs.used])
    size = (_LOOPS if model.has_loops else _FAR) * unit
    free = driving.actuator_positions(home) + size * rng.uniform(-1.0, 1.0, (_SAMPLES, driving.na))
    q, v, a = solve(free, *rng.uniform(-1.0, 1.0, (2, _SAMPLES, driving.na)), near=home)
    start, _, _ = solve(free + _START * unit * rng.uniform(-1.0, 1.0, free.shape), near=home)
    if not np.isfinite(np.concatenate([q, v, a], axis=1)).all():
        raise MechanismError(f"states near the home of '{model.mechanism.name}' are not reached: move its home")
    x, rate = model.actuator_positions(q), model.actuator_velocities(v, q)
    acceleration, names = model.actuator_accelerations(a, q, v), programs.others
    out: dict[str, np.ndarray] = {"forward_kinematics": np.concatenate([q, v, a], axis=1)}
    if programs.components:
        out["inverse_kinematics"] = x if programs.held else q  # the spin of idle parts depends on the way
    if programs.frame is not None:
        out["pose"] = np.concatenate(model.frame_pose(q, programs.frame), axis=1)
        out["actuator_jacobian"] = np.zeros((len(q), 6, model.na))
        out["actuator_jacobian"][..., list(programs.used)] = driving.actuator_jacobian(q, programs.frame)
    still = np.zeros(model.nv)
    tau = _efforts_of_motion(model, q, v, a)
    out |= {"gravity": _efforts_of_motion(model, q, still, still), "inverse_dynamics": tau}
    if "bias" in names:
        _, _, drift = solve(x, rate, near=q)
        out["bias"] = _efforts_of_motion(model, q, v, drift)
    if "mass_matrix" in names:
        out["mass_matrix"] = _inertia_at_actuators(model, solve, x, q)
    if "joint_reactions" in names:
        found = model.joint_reactions(q, v, _complete_accelerations(model, programs, q, v, a), tau)
        out["joint_reactions"] = np.stack([found[joint] for joint in programs.joints], axis=1)
    if sub is not None:
        out |= {
            "output_kinematics": x if programs.held else q,
            "output_jacobian": sub.jacobian(q),
            "input_jacobian": sub.inverse_jacobian(q),
        }
        out |= {"output_mass_matrix": sub.inertia(q), "output_bias": sub.bias(q, v)}
    given = [x, rate, acceleration, model.actuator_positions(start)]
    far = _unreachable_pose(model, programs, home, out["pose"][0]) if "inverse" in programs.legs else None
    return Vectors(np.concatenate(given, axis=1), {n: _flatten_rows(y) for n, y in out.items()}, far)


def _unreachable_pose(
    model: Model, programs: KitPrograms, home: np.ndarray, pose: np.ndarray
) -> tuple[np.ndarray, int] | None:
    """A pose far away, and the first leg that does not reach it; None where all do, as prismatic legs."""
    moved = pose.copy()
    moved[[i - 3 for i in programs.components if i >= 3]] += _AWAY * model.scales.length
    p = [model.parameters.values] if len(model.parameters) else []
    _, measures = evaluate(programs.others["inverse_positions"], home, moved, *p)
    out_of_reach = np.flatnonzero(measures[1:] < -_CLEARLY)
    return (moved, int(out_of_reach[0])) if len(out_of_reach) else None


def _determined_model(model: Model, programs: KitPrograms) -> Model:
    """The model; where its actuators are redundant, that with only those which determine the others."""
    if len(programs.used) == model.na:
        return model
    names = [model.actuated[i] for i in programs.used]
    return build(model.mechanism, names, inputs=model.parameters.names)


def _inertia_at_actuators(model: Model, solve: Callable[..., Any], x: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Inertia that the actuators feel, (n, na, na): efforts at rest of unit accelerations, less those without."""
    still = np.zeros((len(q), model.nv))
    held = _efforts_of_motion(model, q, still, still)
    columns = []
    for unit in np.eye(model.na):
        _, _, a = solve(x, np.zeros_like(x), np.broadcast_to(unit, x.shape), near=q)
        columns.append(_efforts_of_motion(model, q, still, a) - held)
    return np.stack(columns, axis=-1)


def _efforts_of_motion(model: Model, q: np.ndarray, v: np.ndarray, a: np.ndarray) -> np.ndarray:
    """Efforts of a motion; accelerations of idle freedoms follow from the dynamics, whatever `a` says there."""
    with withheld_warnings(MotionWarning):
        return model.inverse_dynamics(q, v, a)


def _complete_accelerations(
    model: Model, programs: KitPrograms, q: np.ndarray, v: np.ndarray, a: np.ndarray
) -> np.ndarray:
    """Accelerations with those of idle freedoms as forward dynamics has them."""
    return model.forward_dynamics(q, v, _efforts_of_motion(model, q, v, a)) if programs.held else a


def _iterated_states(
    model: Model,
    programs: KitPrograms,
    target: np.ndarray,
    rate: np.ndarray | None = None,
    acceleration: np.ndarray | None = None,
    near: np.ndarray | None = None,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """States with idle freedoms held, and with actuators at joints that close loops, which the model's own kinematics
    do not have: by many Newton steps, and their rates. Closure and actuators are checked with the model's functions."""
    p = [model.parameters.values] if len(model.parameters) else []
    q = np.broadcast_to(near, (len(target), model.nq))  # type: ignore[arg-type]
    for _ in range(_STEPS):
        q, _ = evaluate(programs.forward_step, q, target, *p)
    zero = np.zeros_like(target)
    rate, acceleration = (zero if x is None else x for x in (rate, acceleration))
    both = evaluate(programs.forward_rates, q, rate, acceleration, *p)
    off = model.actuator_positions(q) - target
    gap = max(np.abs(model.closure_residual(q)).max(initial=0.0), np.abs(np.sin(0.5 * off)).max())
    if not gap < _SOLVED:
        return np.full_like(q, np.nan), *np.full((2, len(target), model.nv), np.nan)
    return q, both[:, 0], both[:, 1]


def _flatten_rows(x: np.ndarray) -> np.ndarray:
    return x.reshape(len(x), -1)


def self_test(model: Model, sub: Submechanism | None, name: str, programs: KitPrograms, real: Real) -> str:
    """The C file of a program that checks the kit and exits with 0 when all functions agree."""
    stored = kit_test_vectors(model, sub, programs)
    results = {n: x for n, x in stored.results.items() if n.endswith("kinematics") or n in programs.others}
    p = f", &{name}_nominal" if len(model.parameters) else ""
    tolerance = 2e-3 if real.type == FLOAT.type else 1e-9
    lines = [f"/* Self-test of {name}: stored states of the library against this code. */", f'#include "{name}.h"', ""]
    lines += [
        "#include <stdio.h>",
        "",
        f"#define STATES {_SAMPLES}",
        "",
        _state_array("given", stored.given, name, real),
    ]
    lines += [_state_array(f"expected_{n}", x, name, real) for n, x in results.items()]
    lines += [_COMPARE.replace("NAME", name), "int main(void)", "{"]
    lines += [f"    {name}_real worst[{len(results)}] = {{0}}, out[{max(x.shape[1] for x in results.values())}];"]
    lines += [f"    {name}_state state;", "    int s, i, bad = 0;", "    (void)i;", "    (void)out;"]
    lines += ["    for (s = 0; s < STATES; ++s) {", f"        {name}_home(&state);"]
    for k, n in enumerate(results):
        lines += _case_lines(name, n, k, model, programs, p)
    lines += [
        "    }",
        *_unreached_lines(name, stored.far, real, p),
        *_refused_lines(name, model, stored, programs, real, p),
    ]
    for k, n in enumerate(results):
        lines += [f'    printf("%-20s worst relative error %.2e\\n", "{n}", (double)worst[{k}]);']
        lines += [f"    bad |= !(worst[{k}] <= {real.number(tolerance)});"]
    lines += ['    printf("%s\\n", bad ? "FAILED" : "passed");', "    return bad;", "}", ""]
    return "\n".join(lines)


def _case_lines(name: str, function: str, k: int, model: Model, programs: KitPrograms, p: str) -> list[str]:
    """Lines that call one function on a stored state and note its error."""
    na, upper = model.na, name.upper()
    compare = f"        worst[{k}] = compared(worst[{k}], out, expected_{function}[s], N_{function});"
    size = f"(int)(sizeof expected_{function}[0] / sizeof expected_{function}[0][0])"
    compare = compare.replace(f"N_{function}", size)
    if function == "forward_kinematics":
        call = f"{name}_forward_kinematics(&state, given[s], given[s] + {na}, given[s] + {2 * na}{p})"
        parts = (("q", 0, "NQ"), ("v", model.nq, "NV"), ("a", model.nq + model.nv, "NV"))
        copies = [
            f"        for (i = 0; i < {upper}_{n}; ++i) {{\n            out[{start} + i] = state.{x}[i];\n        }}"
            for x, start, n in parts
        ]
        return [f"        bad |= {call} != {upper}_OK;", *copies, compare]
    if function in ("inverse_kinematics", "output_kinematics"):
        read = f"bad |= {name}_pose(&state, goal{p}) != {upper}_OK;"
        if function == "output_kinematics":
            read = f"{name}_outputs(&state, goal, goal + {upper}_N_OUTPUTS, goal + 2 * {upper}_N_OUTPUTS);"
        size_of = "7" if function == "inverse_kinematics" else f"3 * {upper}_N_OUTPUTS"
        inner = [
            "        {",
            f"            {name}_real goal[{size_of}];",
            f"            {name}_state other;",
            f"            {name}_home(&other);",
            f"            bad |= {name}_forward_kinematics(&other, given[s] + {3 * na}, 0, 0{p}) != {upper}_OK;",
            f"            {read}",
            f"            bad |= {name}_{function}(&other, goal, 0, 0{p}) != {upper}_OK;",
            *_read_state(name, programs, p),
            "        }",
        ]
        return [*inner, compare]
    tau = "expected_inverse_dynamics[s], " if function == "joint_reactions" else ""
    return [f"        bad |= {name}_{function}(&state, {tau}out{p}) != {upper}_OK;", compare]


def _read_state(name: str, programs: KitPrograms, p: str) -> list[str]:
    """Lines that read the coordinates of a state, or its actuators where idle parts spin."""
    upper = name.upper()
    if programs.held:
        given = p if None in programs.coordinates else ""
        return [f"            {name}_actuators(&other, out, out + {upper}_NA, out + 2 * {upper}_NA{given});"]
    return [f"            for (i = 0; i < {upper}_NQ; ++i) {{", "                out[i] = other.q[i];", "            }"]


def _unreached_lines(name: str, far: tuple[np.ndarray, int] | None, real: Real, p: str) -> list[str]:
    """Lines that check the status of a pose out of reach."""
    if far is None:
        return []
    pose, leg = ", ".join(real.number(x) for x in far[0].tolist()), f"{name.upper()}_OUT_OF_REACH + {far[1]}"
    return [
        "    {",
        f"        const {name}_real far_away[7] = {{{pose}}};",
        f"        {name}_home(&state);",
        f"        bad |= {name}_inverse_kinematics(&state, far_away, 0, 0{p}) != {leg};",
        "    }",
    ]


def _refused_lines(name: str, model: Model, stored: Vectors, programs: KitPrograms, real: Real, p: str) -> list[str]:
    """Lines that check the status of a pose without a unit quaternion, and of components that do not count."""
    if not programs.components:
        return []
    pose, still = stored.results["pose"][0], np.zeros(6)
    cases = [(np.r_[pose[:3], size * pose[3:]], still, "NOT_A_POSE") for size in (2.0, 0.0)]
    for i in (i for i in range(6) if i not in programs.components):
        moved, unit = pose.copy(), np.eye(6)[i]
        moved[:3] += model.scales.length * unit[3:]
        if i < 3:
            moved[3:] = rotations.quaternion_product(np.r_[np.cos(_TURNED), np.sin(_TURNED) * unit[:3]], pose[3:])
        cases += [(moved, still, "POSE_NOT_MET"), (pose, unit, "TWIST_NOT_MET")]
    numbers = (", ".join(real.number(x) for x in np.concatenate(case[:2]).tolist()) for case in cases)
    call = f"{name}_inverse_kinematics(&state, asked[i], asked[i] + 7, 0{p})"
    return [
        "    {",
        f"        const {name}_real asked[{len(cases)}][13] = {{",
        *(f"            {{{row}}}," for row in numbers),
        "        };",
        f"        const int expected[{len(cases)}] = {{{', '.join(f'{name.upper()}_{case[2]}' for case in cases)}}};",
        f"        {name}_home(&state);",
        f"        bad |= {name}_forward_kinematics(&state, given[0], 0, 0{p}) != {name.upper()}_OK;",
        f"        for (i = 0; i < {len(cases)}; ++i) {{",
        f"            bad |= {call} != expected[i];",
        "        }",
        "    }",
    ]


def _state_array(title: str, rows: np.ndarray, name: str, real: Real) -> str:
    body = ",\n".join("    {" + ", ".join(real.number(x) for x in row) + "}" for row in rows.tolist())
    return f"static const {name}_real {title}[STATES][{rows.shape[1]}] = {{\n{body}\n}};\n"


_COMPARE = """/* the largest error so far, relative to the largest number of a result, at least 1 */
static NAME_real compared(NAME_real worst, const NAME_real *found, const NAME_real *expected, int n)
{
    NAME_real scale = 1;
    int i;
    for (i = 0; i < n; ++i) {
        const NAME_real size = expected[i] < 0 ? -expected[i] : expected[i];
        scale = size > scale ? size : scale;
    }
    for (i = 0; i < n; ++i) {
        const NAME_real off = (found[i] < expected[i] ? expected[i] - found[i] : found[i] - expected[i]) / scale;
        worst = off <= worst ? worst : off;
    }
    return worst;
}
"""
