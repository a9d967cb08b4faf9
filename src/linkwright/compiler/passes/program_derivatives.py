"""Programs in, programs out: derivatives, forward and reverse, and division by the inputs needed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

import numpy as np

from linkwright.compiler.trace.operations import FIRST_TABLE, OPERATIONS
from linkwright.compiler.trace.program import GIVEN, Form, Port, Program
from linkwright.compiler.trace.recorder import Recorder, Scalar
from linkwright.compiler.trace.tracing import program_of
from linkwright.errors import ArgumentError

# --- derivatives of programs, forward and reverse: program in, program out --------------------------------------------

_Tangent = dict[int, Scalar]
"""Direction number to derivative; directions with derivative zero are absent."""


def jacobian(
    program: Program, wrt: Sequence[str], of: Sequence[str] | None = None, with_values: bool = False
) -> Program:
    """The program of exact first derivatives, sparse: only what is not structurally zero is computed.

    Args:
        program: what to differentiate.
        wrt: names of inputs.
        of: names of outputs; all of them when None.
        with_values: return the outputs themselves too, in front.

    Returns:
        A program with the same inputs. Output `d_<out>_d_<in>` has shape (*out.shape, *in.shape). The result is a dict,
        or a bare array when there is only one.

    >>> from linkwright.compiler.runtime.interpreter import evaluate
    >>> from linkwright.compiler.trace.tracing import trace
    >>> evaluate(jacobian(trace(lambda x: x * x, {"x": 2}), ["x"]), [1.0, 2.0]).tolist()
    [[2.0, 0.0], [0.0, 4.0]]
    """
    rec = Recorder()
    scalars = [rec.input() for _ in range(program.n_inputs)]
    spans = _element_numbers(program.inputs, wrt, "input")
    seeds: list[_Tangent] = [{} for _ in scalars]
    for span in spans.values():
        for k in span:
            seeds[k] = {k: rec.one}
    values, tangents = _propagate_tangents(program, rec, scalars, seeds)
    ports, results = [], []
    chosen = _element_numbers(program.outputs, of if of is not None else [p.name for p in program.outputs], "output")
    shapes = {port.name: port.shape for port in program.inputs}
    out_shapes = {port.name: port.shape for port in program.outputs}
    for out, rows in chosen.items() if with_values else ():
        ports.append(Port(out, out_shapes[out]))
        results += [values[program.results[k]] for k in rows]
    for out, rows in chosen.items():
        for name, columns in spans.items():
            ports.append(Port(f"d_{out}_d_{name}", (*out_shapes[out], *shapes[name])))
            results += [tangents[program.results[k]].get(c, rec.zero) for k in rows for c in columns]
    return program_of(program.inputs, scalars, tuple(ports), results, "array" if len(ports) == 1 else "dict")


def tangent(program: Program, wrt: Sequence[str] | None = None) -> Program:
    """The directional derivative: for every input x in `wrt` a second input `x_dot`, for every output y a `y_dot`.

    >>> from linkwright.compiler.runtime.interpreter import evaluate
    >>> from linkwright.compiler.trace.tracing import trace
    >>> evaluate(tangent(trace(lambda x: x * x, {"x": 2})), [1.0, 2.0], [1.0, 1.0]).tolist()
    [2.0, 4.0]
    """
    rec = Recorder()
    wrt = [port.name for port in program.inputs] if wrt is None else wrt
    spans = _element_numbers(program.inputs, wrt, "input")
    scalars = [rec.input() for _ in range(program.n_inputs)]
    seeds: list[_Tangent] = [{} for _ in scalars]
    added = []
    shapes = {port.name: port.shape for port in program.inputs}
    for span in spans.values():
        for k in span:
            added.append(rec.input())
            seeds[k] = {0: added[-1]}
    _, tangents = _propagate_tangents(program, rec, scalars, seeds)
    inputs = (*program.inputs, *(Port(f"{name}_dot", shapes[name]) for name in spans))
    outputs = tuple(Port(f"{port.name}_dot", port.shape) for port in program.outputs)
    results = [tangents[k].get(0, rec.zero) for k in program.results]
    return program_of(inputs, [*scalars, *added], outputs, results, program.form)


def adjoint(program: Program, wrt: Sequence[str] | None = None, of: Sequence[str] | None = None) -> Program:
    """The derivatives of a weighted sum of outputs, by one sweep from the outputs back: J^T y_bar.

    For every output y in `of` (None: all) the program takes a further input `y_bar` with its weights; for every input x
    in `wrt` (None: all) it returns an output `x_bar`. At most about four times the operations of the program itself,
    whatever the number of inputs.

    >>> from linkwright.compiler.runtime.interpreter import evaluate
    >>> from linkwright.compiler.trace.tracing import trace
    >>> evaluate(adjoint(trace(lambda x: x * x, {"x": 2})), [1.0, 2.0], [1.0, 10.0]).tolist()
    [2.0, 40.0]
    """
    rec = Recorder()
    scalars = [rec.input() for _ in range(program.n_inputs)]
    wanted = _element_numbers(program.inputs, [p.name for p in program.inputs] if wrt is None else wrt, "input")
    seeded = _element_numbers(program.outputs, [p.name for p in program.outputs] if of is None else of, "output")
    weights = {k: rec.input() for span in seeded.values() for k in span}
    seeds = [(int(program.results[k]), weight) for k, weight in weights.items()]
    bars = _pulled_back(program, rec, scalars, seeds)
    by_name = {port.name: port.shape for port in (*program.inputs, *program.outputs)}
    inputs = (*program.inputs, *(Port(f"{name}_bar", by_name[name]) for name in seeded))
    outputs = tuple(Port(f"{name}_bar", by_name[name]) for name in wanted)
    results = [bars[k] for span in wanted.values() for k in span]
    form: Form = "array" if len(outputs) == 1 else "dict"
    return program_of(inputs, [*scalars, *weights.values()], outputs, results, form)


def _pulled_back(
    program: Program, rec: Recorder, scalars: Sequence[Scalar], seeds: Sequence[tuple[int, Scalar]]
) -> list[Scalar]:
    """The derivative of the sum of seed times value by every value, the inputs' in front."""
    rules = rec.replay(program.tables)
    values = [*scalars, *(rec.constant(c) for c in program.constants.tolist())]
    for op, args in program.operations:
        values.append(rules[op](*[values[i] for i in args]))
    bars = [rec.zero] * len(values)
    for k, weight in seeds:
        bars[k] = rec.add(bars[k], weight)
    for k, (op, args) in reversed(list(enumerate(program.operations, program.first_operation))):
        y, y_bar = values[k], bars[k]
        if y_bar is rec.zero or y.value is not None:
            continue
        for i, partial in zip(args, _partial_derivatives(rec, op, [values[i] for i in args], y), strict=True):
            bars[i] = rec.add(bars[i], rec.mul(partial, y_bar))
    return bars


def _element_numbers(ports: Sequence[Port], names: Sequence[str], what: str) -> dict[str, range]:
    """Element numbers of the named ports, in the order named."""
    starts = np.cumsum([0, *(port.size for port in ports)]).tolist()
    known = {port.name: range(a, a + port.size) for port, a in zip(ports, starts, strict=False)}
    for name in names:
        if name not in known:
            raise ArgumentError(f"the program has no {what} '{name}'; it has {sorted(known)}")
    return {name: known[name] for name in names}


def _propagate_tangents(
    program: Program, rec: Recorder, scalars: Sequence[Scalar], seeds: Sequence[_Tangent]
) -> tuple[list[Scalar], list[_Tangent]]:
    """Every value again on a new recorder, each with its derivatives in all directions."""
    rules = rec.replay(program.tables)
    values = [*scalars, *(rec.constant(c) for c in program.constants.tolist())]
    tangents: list[_Tangent] = [*seeds, *({} for _ in program.constants)]
    for op, args in program.operations:
        x = [values[i] for i in args]
        y = rules[op](*x)
        values.append(y)
        tangents.append(_apply_chain_rule(rec, op, x, y, [tangents[i] for i in args]))
    return values, tangents


def _apply_chain_rule(rec: Recorder, op: int, x: Sequence[Scalar], y: Scalar, inner: Sequence[_Tangent]) -> _Tangent:
    if not any(inner) or y.value is not None:
        return {}
    out: _Tangent = {}
    for partial, tangents in zip(_partial_derivatives(rec, op, x, y), inner, strict=True):
        for direction, dx in tangents.items():
            term = rec.mul(partial, dx)
            out[direction] = rec.add(out[direction], term) if direction in out else term
    return {direction: d for direction, d in out.items() if d is not rec.zero}


def _partial_derivatives(rec: Recorder, op: int, x: Sequence[Scalar], y: Scalar) -> tuple[Scalar, ...]:
    """dy/dx_k for every argument of y = op(x), written with the recording rules so that they simplify."""
    return (rec.zero,) if op >= FIRST_TABLE else OPERATIONS[op].partials(rec, x, y)


# --- A program divided in two -----------------------------------------------------------------------------------------


def divide_program(
    program: Program, early: Collection[str], name: str = GIVEN, pass_on: bool = False
) -> tuple[Program, Program]:
    """The part of a program that needs the `early` inputs only, and the program that takes its results instead.

    The first returns an array; the second takes that array as its last input `name`, in place of the early ones.
    Together they do the operations of the whole program. `pass_on` puts the early inputs themselves in front of that
    array, needed or not.

    >>> from linkwright.compiler.trace.tracing import trace
    >>> whole = trace(lambda x, p: x * (p[0] * p[1] + 1.0), {"x": 3, "p": 2})
    >>> [part.n_operations for part in divide_program(whole, ["p"])]
    [2, 3]
    """
    first = np.concatenate([np.full(port.size, port.name in early) for port in program.inputs] + [np.zeros(0, bool)])
    known = _find_early_values(program, first)
    handed = _handed_over(program, known)
    if pass_on:
        handed = np.union1d(np.flatnonzero(first), handed)
    return _early_part(program, early, known, handed), _late_part(program, early, known, handed, name)


def _find_early_values(program: Program, first: np.ndarray) -> np.ndarray:
    """Flags of the values that can be computed early: constants too."""
    known = [*first.tolist(), *[True] * len(program.constants)]
    for _, args in program.operations:
        known.append(all(known[x] for x in args))
    return np.array(known, dtype=bool)


def _handed_over(program: Program, known: np.ndarray) -> np.ndarray:
    """Numbers of the early values that late ones or results need, constants left out."""
    late = ~known[program.first_operation :]
    wanted = np.unique(np.concatenate([program.args[late].ravel(), program.results]))
    constant = (wanted >= program.n_inputs) & (wanted < program.first_operation)
    return wanted[(wanted >= 0) & ~constant & known[wanted]]


def _early_part(program: Program, early: Collection[str], known: np.ndarray, handed: np.ndarray) -> Program:
    ports = tuple(port for port in program.inputs if port.name in early)
    kept = known.copy()
    kept[: program.n_inputs] = np.repeat([p.name in early for p in program.inputs], [p.size for p in program.inputs])
    cut = _rebuild_program(program, kept, np.zeros(0, dtype=int), ports)
    return replace(cut[0], outputs=(Port("out", (len(handed),)),), results=cut[1][handed], form="array")


def _late_part(program: Program, early: Collection[str], known: np.ndarray, handed: np.ndarray, name: str) -> Program:
    ports = tuple(port for port in program.inputs if port.name not in early)
    kept = ~known
    kept[program.n_inputs : program.first_operation] = True
    cut, number = _rebuild_program(program, kept, handed, (*ports, Port(name, (len(handed),))))
    return replace(cut, outputs=program.outputs, results=number[program.results], form=program.form)


def _rebuild_program(
    program: Program, kept: np.ndarray, handed: np.ndarray, ports: tuple[Port, ...]
) -> tuple[Program, np.ndarray]:
    """The kept inputs, then the values handed over, then constants and the kept operations; and the new numbers."""
    values = np.flatnonzero(kept)
    inputs = values[values < program.n_inputs]
    order = np.concatenate([inputs, handed, values[values >= program.n_inputs]])
    number = np.full(len(kept), -1)
    number[order] = np.arange(len(order))
    chosen = kept[program.first_operation :]
    args = program.args[chosen]
    args = np.where(args >= 0, number[args], -1)
    return replace(program, inputs=ports, opcodes=program.opcodes[chosen], args=args), number
