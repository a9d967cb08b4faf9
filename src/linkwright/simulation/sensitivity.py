"""Derivatives of the end of a run by inputs and by the start: the variational equation, stepped with the motion.

A state with k directions is a state of 1 + k parts: coordinates q and their derivatives, then velocities and theirs.
The same drivers step it with compiled functions of all parts; what needs the motion alone (gaps, energies, efforts of a
law) reads the first part. Step sizes are those of the motion. Projections take their derivatives along, so that these
stay on the loops (theory 8.17).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from linkwright import checks
from linkwright.checks import require_texts
from linkwright.compiler import (
    Kernel,
    Options,
    Program,
    cached_kernel,
    evaluate,
    inline_program,
    jacobian,
    tangent,
    trace,
)
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, LinkwrightError, SingularityError
from linkwright.formulations.multipliers import Multipliers
from linkwright.functions.design_inputs import Divided, in_parts
from linkwright.functions.loop import closure_functions
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.query import real_array
from linkwright.mechanism.names import suggest_name
from linkwright.model import Model
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import NO_EFFECT
from linkwright.recursion.twist_recursion import normalize_quaternions
from linkwright.results.recording import Recording
from linkwright.results.series import Sensitivity
from linkwright.simulation.drivers.driver_records import DONE
from linkwright.simulation.problem.acceleration_fallback import dense_projection
from linkwright.simulation.problem.callbacks import Callback
from linkwright.simulation.problem.problem import Function, Problem
from linkwright.simulation.problem.run_efforts import RunActuation
from linkwright.simulation.running.metadata import RunSpec
from linkwright.simulation.running.row_layout import row_layout
from linkwright.simulation.running.run import phase_runner
from linkwright.simulation.running.run_output import output_times
from linkwright.simulation.running.run_spec import Start
from linkwright.simulation.running.run_workspace import RunWorkspace

Array = np.ndarray
Closing = Callable[[Array, Array, Array, Array], tuple[Array, Array]]
"""From q, v and directions of both, a row each, to those that keep the loops closed."""


def dense_dynamics(model: Model, p_dot: Array) -> Callback:
    """Accelerations of a motion, and their derivatives along its directions; p_dot (k, n_p) is that of the inputs."""
    copies, tree, inputs = 1 + len(p_dot), model.setup.simplified, model.setup.inputs
    values = () if inputs is None else (inputs.values,)

    def called(q: Array, v: Array, tau: Array) -> tuple[Array]:
        Q, V, T = (x.reshape(copies, -1) for x in (q, v, tau))
        here = normalize_quaternions(tree, Q[0]), V[0], T[0]
        solve, right = _factor_kkt_equations(model, *here)
        z, code = solve(right), model.nominal_cache.get("defect along", lambda: _defect_along(model))
        out = [z[: model.nv]]
        for q_dot, v_dot, tau_dot, d in zip(Q[1:], V[1:], T[1:], p_dot, strict=True):
            dots = (q_dot, v_dot, tau_dot, *((d,) if values else ()))
            out.append(solve(-code(*here, z, *values, *map(np.ascontiguousarray, dots)))[: model.nv])
        return (np.concatenate(out),)

    sizes = [n * copies for n in (model.nq, model.nv, model.na)]
    return Callback(called, sizes, [model.nv * copies])


def _factor_kkt_equations(model: Model, q: Array, v: Array, tau: Array) -> tuple[Callable[[Array], Array], Array]:
    """The solution z = (a, lam) of M a - J^T lam = r_1, J a = r_2 for any right side, and the one of the motion."""
    kernels, nv, rank = model.kernels, model.nv, model.closure_rank.rank
    M, J = (kernels.function(x)(q) for x in (tree_functions.mass_matrix, closure_functions.closure_jacobian))
    L = np.linalg.cholesky(M)
    found = decompose_scaled(np.linalg.solve(L, J.T).T)
    if not found.distance(rank) > NO_EFFECT:
        raise SingularityError(
            f"the loops of '{model.mechanism.name}' lose an equation here, and derivatives are not determined", q=q
        )
    U, s, Vt = found.U[:, :rank], found.s[:rank], found.Vt[:rank]

    def solve(r: Array) -> Array:
        free = np.linalg.solve(L, r[:nv])
        y = (U.T @ r[nv:] - s * (Vt @ free)) / s
        return np.concatenate([np.linalg.solve(L.T, free + Vt.T @ y), U @ (y / s)])

    return solve, kernels.function(closure_functions.kkt_right_side)(q, v, tau)


def _defect_along(model: Model) -> Kernel:
    """Directional derivative of M a - J^T lam - r_1, J a - r_2 by q, v, tau and p, at fixed a and lam."""
    names = tree_functions.mass_matrix, closure_functions.closure_jacobian, closure_functions.kkt_right_side
    M, J, r = (model.kernels.input_program(name) for name in names)
    rows, nv = J.outputs[0].shape[0], model.nv
    sizes: dict[str, Any] = {"q": model.nq, "v": nv, "tau": model.na, "z": nv + rows}
    inputs = model.setup.inputs
    sizes |= {} if inputs is None else {"p": len(inputs.values)}

    def defect(q: Any, v: Any, tau: Any, z: Any, **p: Any) -> Any:
        a, lam, given = z[:nv], z[nv:], tuple(p.values())
        jacobian, right = inline_program(J, q, *given), inline_program(r, q, v, tau, *given)
        upper = inline_program(M, q, *given) @ a - jacobian.T @ lam
        return np.concatenate([upper - right[:nv], jacobian @ a - right[nv:]])

    program = tangent(trace(defect, sizes), [name for name in sizes if name != "z"])
    return cached_kernel(b"defect along" + program.digest, lambda: program)


def dense_closing(model: Model, copies: int, closing: Closing) -> Callback:
    """Projection of a motion and its directions onto closed loops, with full pivoting."""

    def called(q: Array, v: Array) -> tuple[Array, Array]:
        Q, V = q.reshape(copies, -1), v.reshape(copies, -1)
        v_closed, q_closed = dense_projection(model, Q[0], V[0])
        dq, dv = closing(q_closed, v_closed, Q[1:], V[1:])
        return np.concatenate([v_closed, dv.ravel()]), np.concatenate([q_closed, dq.ravel()])

    sizes = [model.nq * copies, model.nv * copies]
    return Callback(called, sizes, sizes[::-1])


Objective = Callable[[Any, Any, Any], Any]

# Directions that one program follows: as many as keep it below so many operations of the motion's own, at most _MOST.
_OPERATIONS = 4000
_MOST = 4


@dataclass(frozen=True, eq=False)
class Directions:
    """Directions of inputs (n_p, k), and displacements and changes of velocity that go with them, (nv, k) each."""

    names: tuple[str, ...]
    p: Array
    q: Array
    v: Array

    def some(self, first: int, n: int) -> Directions:
        """So many of them, filled up with zeros."""
        part = slice(first, first + n)

        def filled(x: Array) -> Array:
            return np.pad(x[:, part], ((0, 0), (0, n - x[:, part].shape[1])))

        return Directions(self.names[part], filled(self.p), filled(self.q), filled(self.v))


def state_sensitivity(
    spec: RunSpec[Start],
    t_end: float,
    parameters: Sequence[str] | None = None,
    initial: bool = False,
    objective: Objective | None = None,
    start: tuple[Any, Any] | None = None,
) -> Sensitivity:
    """Derivatives of the state at t_end; see `Result.sensitivity`."""
    spec = _with_all_velocities(spec)
    problem = spec.problem
    _require_differentiable(spec)
    checks.require_flag("initial", initial)
    directions = _start_directions(problem.model, spec, parameters, initial, start)
    n = min(max(len(directions.names), 1), _directions_per_block(problem))
    codes, effort = _variational_codes(problem, n), _law_code(problem, spec.actuation.law, n)
    ends = [
        _end_state(spec, t_end, codes, effort, directions.some(first, n), n)
        for first in range(0, len(directions.names), n)
    ]
    q, v = ends[0][0][:, 0], ends[0][1][:, 0]
    k = len(directions.names)
    dq, dv = (np.concatenate([end[i][:, 1:] for end in ends], axis=1)[:, :k] for i in (0, 1))
    E = _tangent_map(problem.model, q)
    moved = replace(directions, q=decompose_scaled(E).inverse() @ dq, v=dv)
    moved = close_directions(problem.model, q, v, moved) if problem.watched is not None else moved
    value, by_q, by_v = _objective_gradient(problem.model, objective, t_end, q, v)
    dq = E @ moved.q
    return Sensitivity(moved.names, t_end, moved.q, moved.v, dq, value, by_q @ dq + by_v @ moved.v)


def _with_all_velocities(spec: RunSpec[Start]) -> RunSpec[Start]:
    """The beginning of the same motion with all velocities in the state: a run of independent ones has the same."""
    if spec.problem.independent is None:
        return spec
    return replace(spec, formulation=Multipliers())


def _require_differentiable(spec: RunSpec[Start]) -> None:
    actuation = spec.actuation
    if not spec.method.is_explicit:
        raise ArgumentError(
            f"sensitivity steps derivatives with an explicit method, and {type(spec.method).__name__} is implicit; "
            "simulate with DOP853, with steps that the stiffest spring allows"
        )
    if actuation.states:
        raise ArgumentError("sensitivity does not follow the states of a controller; take a law without states")
    if actuation.loads.wrenches:
        raise ArgumentError(
            "sensitivity does not follow wrenches on bodies; leave wrench out of simulate, or vary the run itself"
        )
    if not all(force.is_smooth for force in spec.model.mechanism.forces):
        raise ArgumentError(
            "sensitivity does not follow end stops, where derivatives jump; leave stops out of simulate, or vary the "
            "run itself"
        )
    if actuation.sampled is not None or isinstance(actuation.code, Callback):
        raise ArgumentError(
            "sensitivity needs the derivative of the efforts, and a Python function has none; write it as an effort "
            "law with tau(t, q, v) of arithmetic, such as those of lw.control, or give numbers"
        )


def _start_directions(
    model: Model, spec: RunSpec[Start], parameters: Sequence[str] | None, initial: bool, start: Any
) -> Directions:
    """The directions asked for, at the start of the run, with the loops closed."""
    known, nv = model.parameters.names, model.nv
    chosen = known if parameters is None else require_texts("parameters", parameters, "['crank']")
    if len(set(chosen)) < len(chosen):
        raise ArgumentError(f"parameters is {list(chosen)}, and an input is named twice; name each once")
    for name in chosen:
        if name not in known:
            raise ArgumentError(
                f"'{name}' is not an input of the model{suggest_name(str(name), known)}; list it in inputs of build",
                name=name,
            )
    if not chosen and not initial:
        raise ArgumentError("the model has no inputs; name some in build(mech, inputs=[...]), or pass initial=True")
    p = np.eye(len(known))[:, [known.index(name) for name in chosen]]
    zero = np.zeros((nv, len(chosen)))
    found = Directions(chosen, p, *((zero, zero) if start is None else _checked_start(start, zero.shape)))
    if initial:
        more = tuple(f"{what}0.{name}" for what in "qv" for name in model.v_names)
        one, none = np.eye(nv), np.zeros((nv, nv))
        q, v = np.hstack([found.q, one, none]), np.hstack([found.v, none, one])
        found = Directions((*chosen, *more), np.pad(p, ((0, 0), (0, 2 * nv))), q, v)
    return close_directions(model, spec.start.q, spec.start.v, found) if model.has_loops else found


def _checked_start(start: Any, shape: tuple[int, ...]) -> list[Array]:
    """Displacements and changes of velocity of the start, checked."""
    if not isinstance(start, Sequence) or isinstance(start, str) or len(start) != 2:
        raise ArgumentError(f"start is {start!r:.60}, expected a pair of arrays {shape}: displacements, velocities")
    given = [real_array(f"start[{i}]", x) for i, x in enumerate(start)]
    for i, x in enumerate(given):
        if x.shape != shape:
            raise ArgumentError(
                f"start[{i}] has the shape {x.shape}, expected {shape}: a row per velocity, a column per input"
            )
        if not np.isfinite(x).all():
            raise ArgumentError(f"start[{i}] holds {x[~np.isfinite(x)][0]}, expected finite numbers")
    return given


def close_directions(model: Model, q: Array, v: Array, d: Directions) -> Directions:
    """The directions brought onto closed loops by the least change, as `simulate` does with a start (theory 8.17)."""
    scale, code = model.scales, model.nominal_cache.get("closing", lambda: _closure_tangent(model))
    J = model.loop_kernels.function(closure_functions.closure_jacobian)(q)
    inverse = decompose_scaled(J, scale.rows, scale.speeds).inverse(share=NO_EFFECT)
    inputs, E = model.setup.inputs, _tangent_map(model, q)
    given = () if inputs is None else (inputs.values,)

    def opening(dq: Array, dv: Array, part: int) -> Array:
        """How fast gaps, or their rates, open along every direction, (rows, k)."""
        dots = ((E @ dq).T, dv.T, *((d.p.T,) if given else ()))
        return code(q, v, *given, *map(np.ascontiguousarray, dots))[part].T

    dq = d.q - inverse @ opening(d.q, d.v, 0)
    return replace(d, q=dq, v=d.v - inverse @ opening(dq, d.v, 1))


def _close_direction_rows(model: Model, d: Directions, q: Array, v: Array, dq: Array, dv: Array) -> tuple[Array, Array]:
    """Directions of coordinates (k, nq) and velocities (k, nv) brought onto closed loops."""
    E = _tangent_map(model, q)
    found = close_directions(model, q, v, replace(d, q=decompose_scaled(E).inverse() @ dq.T, v=dv.T))
    return (E @ found.q).T, found.v.T


def _closure_tangent(model: Model) -> Kernel:
    """Directional derivative of gaps and gap rates by q, v and p."""
    kernels = model.loop_kernels
    gap, J = (
        kernels.input_program(x) for x in (closure_functions.closure_residual, closure_functions.closure_jacobian)
    )
    sizes = {"q": model.nq, "v": model.nv} | ({} if len(J.inputs) == 1 else {"p": J.inputs[1].shape})

    def both(q: Any, v: Any, **p: Any) -> tuple[Any, Any]:
        return inline_program(gap, q, *p.values()), inline_program(J, q, *p.values()) @ v

    program = tangent(trace(both, sizes))
    return cached_kernel(b"closing" + program.digest, lambda: program)


def _tangent_map(model: Model, q: Array) -> Array:
    """Displacements to changes of the coordinates, (nq, nv)."""
    return model.kernels.function(closure_functions.coordinate_rates)(q, np.eye(model.nv)).T


def _directions_per_block(problem: Problem) -> int:
    return min(_MOST, max(1, _OPERATIONS // max(1, problem.programs["dynamics"].n_operations)))


def _variational_codes(problem: Problem, n: int) -> dict[str, Kernel | Divided]:
    """Machine code of all functions for n directions; kept for all values of the inputs."""
    key = ("variational", problem.description, *problem.identity, n)
    return problem.model.nominal_cache.get(key, lambda: _make_variational_codes(problem, n))


def _make_variational_codes(problem: Problem, n: int) -> dict[str, Kernel | Divided]:
    early = (*problem.fixed_inputs, "p_dot")
    out: dict[str, Kernel | Divided] = {}
    for name, (kernels, definition) in problem.sources.items():
        program = _with_directions(problem.model, kernels.input_program(definition), n)
        out[name] = in_parts(b"variational", program, early, Options(pivot_checked=definition.pivot_checked))
    return out


def _law_code(problem: Problem, law: Any, n: int) -> Kernel | None:
    """Machine code of an effort law for n directions."""
    if law is None:
        return None
    program = _law_with_directions(problem.model, law, n)
    return cached_kernel(b"variational" + program.digest, lambda: program)


def _with_directions(model: Model, program: Program, n: int) -> Program:
    """A function of q, v, perhaps tau, constants and p, with n directions of each behind it; powers have none."""
    state = [port for port in program.inputs if port.name in ("q", "v", "tau")]
    more = [port for port in program.inputs if port.name not in ("q", "v", "tau")]
    moving = [port.name for port in state] + ["p"] * any(port.name == "p" for port in more)
    along = tangent(program, moving)
    has_p = "p" in moving

    def function(**x: Any) -> Any:
        parts = [x[port.name].reshape(1 + n, port.size) for port in state]
        fixed = [x[port.name] for port in more]
        found = _list_of_results(inline_program(program, *(part[0] for part in parts), *fixed))
        rows = [[result] for result in found]
        for j in range(1, n + 1):
            dots = [part[j] for part in parts] + ([x["p_dot"][j - 1]] if has_p else [])
            for row, result in zip(
                rows, _list_of_results(inline_program(along, *(part[0] for part in parts), *fixed, *dots))
            ):
                row.append(result)
        powers = program.signature.outputs[-1].size == 2 and len(found) == 2 and len(state) == 3
        joined = [np.concatenate(row) for row in rows]
        return (joined[0], found[1]) if powers else joined[0] if len(joined) == 1 else tuple(joined)

    sizes: dict[str, Any] = {port.name: (1 + n) * port.size for port in state}
    sizes |= {port.name: port.shape for port in more}
    return trace(function, sizes | ({"p_dot": (n, _size_of_inputs(more))} if has_p else {}))


def _size_of_inputs(ports: Sequence[Any]) -> int:
    return next(port.size for port in ports if port.name == "p")


def _list_of_results(found: Any) -> list[Any]:
    return list(found) if isinstance(found, tuple) else [found]


def _law_with_directions(model: Model, law: Any, n: int) -> Program:
    program = trace(lambda t, q, v: np.asarray(law.tau(t[0], q, v)), {"t": 1, "q": model.nq, "v": model.nv})
    along = tangent(program, ["q", "v"])

    def efforts(t: Any, q: Any, v: Any) -> Any:
        Q, V = q.reshape(1 + n, model.nq), v.reshape(1 + n, model.nv)
        tau = inline_program(program, t, Q[0], V[0])
        return np.concatenate([tau, *(inline_program(along, t, Q[0], V[0], Q[j], V[j]) for j in range(1, n + 1))])

    return trace(efforts, {"t": 1, "q": (1 + n) * model.nq, "v": (1 + n) * model.nv})


def _end_state(
    spec: RunSpec[Start], t_end: float, codes: dict[str, Kernel | Divided], effort: Kernel | None, d: Directions, n: int
) -> tuple[Array, Array]:
    """State and derivatives at the end, (nq, 1 + n) and (nv, 1 + n)."""
    problem, model = spec.problem, spec.problem.model
    given = problem.fixed_inputs | {"p_dot": np.ascontiguousarray(d.p.T)}
    functions: dict[str, Function] = {
        name: problem.functions[name] for name in ("gaps", "monitor") if name in problem.functions
    }
    functions |= {name: code.bind_inputs(given) if isinstance(code, Divided) else code for name, code in codes.items()}
    if "second" in problem.functions:  # closed loops by multipliers, whose elimination may give up at regular states
        functions["fallback"] = dense_dynamics(model, d.p.T)
        functions["project_again"] = dense_closing(model, 1 + n, partial(_close_direction_rows, model, d))
    nq, nv, copies = model.nq, model.nv, 1 + n
    checked = tuple(i if i < nq else nq * copies + i - nq for i in problem.checked)
    whole = replace(
        problem, functions=functions, ns=nv * copies, checked=checked, copies=copies, watched=None, sources={}
    )
    tau = np.concatenate([spec.actuation.start, np.zeros(n * model.na)])
    times = output_times(2, spec.times.origin, t_end)
    alone = RunSpec(model, spec.start, RunActuation(tau, effort), times, spec.method, stop_at=())
    columns = tuple((str(i), "", "") for i in range(1, row_layout(whole).width))
    recording, workspace = Recording(None, columns, 4), RunWorkspace(whole, spec.method)
    q = np.concatenate([spec.start.q, (_tangent_map(model, spec.start.q) @ d.q).T.ravel()])
    v = np.concatenate([spec.start.v, d.v.T.ravel()])
    workspace.begin_run((q, v), 0.0, alone.actuation, times.origin)
    runner = phase_runner(alone, workspace, recording, ())
    runner.to(times.duration)
    if runner.status != DONE:
        raise LinkwrightError(
            f"derivatives cannot be followed beyond t = {runner.now:.9g} s: accelerations are ill-conditioned there, "
            "as at a singular position; end the run before it"
        )
    row = recording.table[1]
    end = row[1 : 1 + nq * copies].reshape(copies, nq), row[1 + nq * copies :][: nv * copies].reshape(copies, nv)
    return end[0].T, end[1].T


def _objective_gradient(
    model: Model, objective: Objective | None, t: float, q: Array, v: Array
) -> tuple[float, Array, Array]:
    """An objective at the end, and its derivatives by q and v."""
    if objective is None:
        return float("nan"), np.full(model.nq, np.nan), np.full(model.nv, np.nan)
    if not callable(objective):
        raise ArgumentError(f"objective is {objective!r:.60}, expected a function of t, q (nq,) and v (nv,)")

    def one(q: Any, v: Any) -> Any:
        found = np.asarray(objective(t, q, v))
        if found.size != 1:
            raise ArgumentError(f"it returns an array of shape {found.shape}, expected one number")
        return found.reshape(1)

    try:
        program = trace(one, {"q": model.nq, "v": model.nv})
    except Exception as error:
        raise ArgumentError(
            f"the objective cannot be differentiated: {error}; write it as a function of t, q and v that returns one "
            "number, for any kind of number: arithmetic, numpy functions of arrays, no branches on values"
        ) from error
    d = evaluate(jacobian(program, ["q", "v"]), q, v)
    return float(evaluate(program, q, v)[0]), d["d_out_d_q"][0], d["d_out_d_v"][0]
