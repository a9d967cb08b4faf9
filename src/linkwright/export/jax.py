"""Functions of a model as pure JAX functions: jitted, batched, differentiated both ways."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, Literal

import numpy as np

from linkwright import checks
from linkwright.compiler.trace.operations import Dialect, operation_arity, operator_dialect
from linkwright.errors import ArgumentError
from linkwright.export.export_files import import_extra
from linkwright.export.exported_functions import (
    ExportedArguments,
    OneProgram,
    SolvedKinematics,
    Source,
    function_to_export,
)
from linkwright.export.flat_program import Flat, flatten_program
from linkwright.export.operation_levels import Apart, LoopedRows
from linkwright.model.wrench import Wrench

Method = Literal["xla", "kernel"]

# Tables of so few rows are written out instead of looped over.
_FEW = 4

# Largest error of the equations that is accepted, in units of the mechanism's size.
_TOLERANCE = 1e-10


def jax_function(
    source: Source,
    function: str | None = None,
    *,
    frame: str | None = None,
    wrenches: Sequence[str | Wrench] = (),
    method: Method = "xla",
    newton_steps: int = 10,
) -> Callable[..., Any]:
    """A named function of a model or submechanism, or a program, as a JAX function of float64 arrays.

    It can be jitted, mapped and differentiated forward and backward, again and again; derivatives are those of
    linkwright's programs. Arrays may have leading batch axes, which broadcast. Of a model with inputs the last argument
    is p, at the model's values when left out. A state that the function cannot compute gives NaN.

    "forward_kinematics" takes q_act, v_act, a_act and near and returns q, v, a; "inverse_kinematics" takes the pose
    (..., 7) x y z w x y z, twist, twist_rate and near; loops are closed by Newton steps from `near`, the home when left
    out, and differentiated by the closure equations, not through the steps. Of a submechanism "from_inputs",
    "from_outputs", "jacobian" and "inverse_jacobian" take positions of one side.

    Args:
        source: a Model, a Submechanism or a Program.
        function: its name, as `Model.program` takes it.
        frame: of functions that depend on a frame or body.
        wrenches: bodies and frames that external wrenches act on (names, or `Wrench` records for other points and world
            axes): each is an argument w_NAME (6,), moment and force, zero when left out.
        method: "xla" is arithmetic of JAX, for any device: a loop over rows of operations, which compiles in about a
            second however long the program is. "kernel" calls linkwright's machine code, on the CPU only.
        newton_steps: of kinematics from `near`; with "kernel" they are those of the model.

    >>> import linkwright as lw
    >>> arm = lw.build(lw.catalog.load("three-link-arm"))
    >>> f = lw.export.jax_function(arm, "mass_matrix")  # doctest: +SKIP
    >>> jax.jacfwd(f)(np.zeros(3)).shape  # doctest: +SKIP
    (3, 3, 3)
    """
    checks.require_choice("method", method, ("xla", "kernel"))
    checks.require_integer("newton_steps", newton_steps, 1, 1000)
    jax = import_extra("jax", "jax")
    found = function_to_export(source, function, frame, wrenches)
    if isinstance(found, OneProgram):
        return _make_jax_function(jax, found, method)
    return _Solver(jax, found, method, newton_steps).function()


def _make_jax_function(jax: Any, found: OneProgram, method: Method) -> Callable[..., Any]:
    """The function with names, defaults and checks of arguments."""
    signature, arguments = found.program.signature, ExportedArguments.of(found)
    run = _jax_evaluation(jax, found, method)

    def call(*arrays: Any, **named: Any) -> Any:
        made = run(*_jax_arrays(jax, arguments.bind_arguments(arrays, named)))
        return signature.pack({port.name: x for port, x in zip(signature.outputs, made, strict=True)})

    return arguments.naming(call)


def _jax_arrays(jax: Any, given: Sequence[Any]) -> list[Any]:
    if not jax.config.jax_enable_x64:
        raise ArgumentError(
            "JAX computes with 32 bits here, and these functions need 64: call "
            "jax.config.update('jax_enable_x64', True) before anything else"
        )
    return [jax.numpy.asarray(x, dtype="float64") for x in given]


def _jax_evaluation(jax: Any, found: OneProgram, method: Method) -> Callable[..., tuple[Any, ...]]:
    """A function of arrays with leading axes, which returns a tuple of the program's outputs."""
    jnp, program = jax.numpy, found.program
    code, bind = Flat(flatten_program(program), found.name, found.checked), _jax_primitives(method).bind

    def run(*arrays: Any) -> tuple[Any, ...]:
        pairs = list(zip(program.inputs, arrays, strict=True))
        lead = jnp.broadcast_shapes(*(port.leading_axes(x.shape) for port, x in pairs))
        flat = [jnp.broadcast_to(x, (*lead, *port.shape)).reshape((*lead, port.size)) for port, x in pairs]
        x = jnp.concatenate(flat, axis=-1) if flat else jnp.zeros((*lead, 0))
        y = jnp.moveaxis(bind(jnp.moveaxis(x, -1, 0), code=code), 0, -1)
        if found.checked:
            y = jnp.where(jnp.isnan(y[..., :1]), jnp.nan, y)
        ends = np.cumsum([port.size for port in program.outputs])[:-1]
        parts = jnp.split(y, ends, axis=-1)
        return tuple(part.reshape((*lead, *port.shape)) for part, port in zip(parts, program.outputs, strict=True))

    return run


@lru_cache
def _jax_primitives(method: Method) -> Any:
    """JAX's operation for programs of one vector: y (m, ...) of the parts of x (n, ...), batches behind.

    Derivatives are the same operation with other programs: tangents by `Flat.push`, transposed by `Flat.pull`.
    """
    import jax
    from jax.extend.core import Primitive
    from jax.interpreters import ad, batching, mlir

    jnp, operation = jax.numpy, Primitive(f"linkwright_{method}")
    run = _by_rows if method == "xla" else _by_kernel

    def evaluated(*parts: Any, code: Flat) -> Any:
        return run(jax, code, jnp.concatenate(parts))

    def shape(*parts: Any, code: Flat) -> Any:
        return parts[0].update(shape=(code.size, *parts[0].shape[1:]))

    def batched(parts: Any, axes: Any, *, code: Flat) -> tuple[Any, int]:
        size = next(x.shape[axis] for x, axis in zip(parts, axes, strict=True) if axis is not None)
        behind = [
            jnp.broadcast_to(x[..., None], (*x.shape, size)) if axis is None else jnp.moveaxis(x, axis, -1)
            for x, axis in zip(parts, axes, strict=True)
        ]
        return operation.bind(*behind, code=code), behind[0].ndim - 1

    def pushed(parts: Any, dots: Any, *, code: Flat) -> tuple[Any, Any]:
        y = operation.bind(*parts, code=code)
        if code.of is not None and isinstance(dots[0], ad.Zero):  # a derivative is linear in its second part
            return y, operation.bind(parts[0], ad.instantiate_zeros(dots[1]), code=code)
        both = [jnp.concatenate(x) for x in (parts, [ad.instantiate_zeros(dot) for dot in dots])]
        return y, operation.bind(*both, code=code.push)

    def pulled(bar: Any, x: Any, dot: Any, *, code: Flat) -> tuple[None, Any]:
        if isinstance(bar, ad.Zero):
            return None, ad.Zero(dot.aval)
        return None, operation.bind(x, bar, code=code.transposed_map)

    operation.def_impl(jax.jit(evaluated, static_argnames="code"))
    operation.def_abstract_eval(shape)
    mlir.register_lowering(operation, mlir.lower_fun(evaluated, multiple_results=False))
    batching.primitive_batchers[operation] = batched
    ad.primitive_jvps[operation] = pushed
    ad.primitive_transposes[operation] = pulled
    return operation


def _by_kernel(jax: Any, code: Flat, x: Any) -> Any:
    """Machine code, called from the CPU."""
    made = jax.ShapeDtypeStruct((*x.shape[1:], code.size), "float64")
    y = jax.pure_callback(lambda x: code.rows(np.asarray(x)), made, jax.numpy.moveaxis(x, 0, -1))
    return jax.numpy.moveaxis(y, -1, 0)


def _by_rows(jax: Any, code: Flat, x: Any) -> Any:
    """A loop over rows of operations."""
    found, rules, jnp, lead = code.levels, _jax_dialect(jax).spellings(code.program.tables), jax.numpy, x.shape[1:]
    constants = jnp.broadcast_to(found.constants.reshape(-1, *(1,) * len(lead)), (len(found.constants), *lead))
    unfilled = jnp.zeros((found.size - len(x) - len(constants), *lead))
    slots = jnp.concatenate([x, constants, unfilled])
    for step in found.steps:
        if isinstance(step, Apart):
            made = rules[step.op](*(_read_slots(slots, own) for own in step.args))
            slots = jax.lax.dynamic_update_slice_in_dim(slots, made, step.start, 0)
        else:
            slots = _run_looped_rows(jax, rules, slots, step)
    return _read_slots(slots, found.results)


def _read_slots(slots: Any, indices: Any) -> Any:
    return slots.at[indices].get(mode="promise_in_bounds")


def _run_looped_rows(jax: Any, rules: dict[int, Callable[..., Any]], slots: Any, rows: LoopedRows) -> Any:
    jnp, lead, n = jax.numpy, (1,) * (slots.ndim - 1), len(rows.factors)
    kinds = [int(op) for op in np.unique(rows.ops) if op]
    sums = rows.factors.shape[2]
    reads = np.concatenate([rows.factors.reshape(n, -1), rows.others.reshape(n, -1)], axis=1)
    tables = reads, rows.signs, rows.ops, rows.start + rows.width * np.arange(n, dtype=np.int32)

    def step(slots: Any, row: Any) -> tuple[Any, None]:
        read, signs, ops, start = row
        values = _read_slots(slots, read)
        a, b, c = (values[i * sums : (i + 1) * sums] for i in range(3))
        signs = signs.reshape((2, sums, *lead))
        made = signs[0] * (a * b) + signs[1] * c
        if kinds:
            made = jnp.concatenate([made, _select_results(jax, rules, kinds, ops, values[3 * sums :])])
        return jax.lax.dynamic_update_slice_in_dim(slots, made, start, 0), None

    if n <= _FEW:
        for k in range(n):
            slots, _ = step(slots, tuple(table[k] for table in tables))
        return slots
    return jax.lax.scan(step, slots, tuple(jnp.asarray(table) for table in tables))[0]


def _select_results(jax: Any, rules: dict[int, Callable[..., Any]], kinds: list[int], ops: Any, values: Any) -> Any:
    """Results of operations of several kinds, side by side."""
    jnp, n = jax.numpy, len(values) // 3
    x = [values[i * n : (i + 1) * n] for i in range(3)]
    ops = jnp.asarray(ops).reshape((n, *(1,) * (values.ndim - 1)))
    out = jnp.zeros_like(x[0])
    for kind in kinds:
        out = jnp.where(ops == kind, rules[kind](*x[: operation_arity(kind)]), out)
    return out


def _jax_dialect(jax: Any) -> Dialect:
    jnp = jax.numpy
    others = {"atan2": jnp.arctan2, "min": jnp.minimum, "max": jnp.maximum}
    return operator_dialect(
        lambda name: getattr(jnp, name),
        others | {"select": lambda c, a, b: jnp.where(c > 0, a, b)},
        lambda _, table: (
            lambda x: jnp.where(jnp.isnan(x), 0.0, jnp.searchsorted(table, x, side="right").astype("float64"))
        ),
        lambda _, table: lambda x: jnp.asarray(table)[x.astype("int64")],
    )


class _Solver:
    """Kinematics in JAX: coordinates by Newton steps, their derivatives by the equations that they solve."""

    def __init__(self, jax: Any, found: SolvedKinematics, method: Method, steps: int) -> None:
        self.jax, self.found, self.method, self.steps = jax, found, method, steps
        self.step = _jax_evaluation(jax, OneProgram(f"{found.name} step", found.step), method)
        self.correct = _jax_evaluation(jax, OneProgram(f"{found.name} correction", found.correction), method)
        self.closed = jax.custom_jvp(self._by_model if method == "kernel" else self._by_steps)
        self.closed.defjvp(self._jvp)

    def _by_steps(self, target: Any, near: Any, *p: Any) -> Any:
        """Coordinates after a fixed number of Newton steps from `near`.

        NaN where the last residual is above the tolerance, or where a determinant changed its sign on the way: then the
        solution lies on another branch than `near`.
        """
        jnp = self.jax.numpy
        lead = jnp.broadcast_shapes(*(x.shape[:-1] for x in (target, near, *p)))
        q, first = self.step(jnp.broadcast_to(near, (*lead, near.shape[-1])), target, *p)
        q = self.jax.lax.fori_loop(1, self.steps, lambda _, q: self.step(q, target, *p)[0], q)
        _, last = self.step(q, target, *p)
        good = jnp.isfinite(last).all(axis=-1) & (last[..., 1] <= _TOLERANCE)
        good = good & (first[..., 3:] * last[..., 3:] > 0.0).all(axis=-1)
        return jnp.where(good[..., None], q, jnp.nan)

    def _by_model(self, target: Any, near: Any, *p: Any) -> Any:
        """Coordinates from the compiled model, by a call back from JAX to the host."""
        lead = self.jax.numpy.broadcast_shapes(*(x.shape[:-1] for x in (target, near, *p)))
        shape = self.jax.ShapeDtypeStruct((*lead, self.found.model.nq), "float64")
        return self.jax.pure_callback(self._host, shape, target, near, *p, vmap_method="expand_dims")

    def _host(self, *arrays: Any) -> np.ndarray:
        return self.found.closed_coordinates(*map(np.asarray, arrays))

    def _jvp(self, given: Any, dots: Any) -> tuple[Any, Any]:
        """Coordinates and their derivatives along directions of target and p, by the equations that they solve."""
        (target, near, *p), (dot, _, *p_dot) = given, dots
        q = self.closed(target, near, *p)
        _, (q_dot,) = self.jax.jvp(lambda x, *p: self.correct(q, x, *p), (target, *p), (dot, *p_dot))
        return q, q_dot

    def function(self) -> Callable[..., Any]:
        """The function of the target, of rates where it returns velocities, of `near` and p."""
        found, arguments, jnp = self.found, ExportedArguments.of(self.found), self.jax.numpy
        follow = _jax_evaluation(self.jax, found.rates if found.after is None else found.after, self.method)

        def from_all(*arrays: Any, **named: Any) -> Any:
            target, rate, acceleration, near, *p = _jax_arrays(self.jax, arguments.bind_arguments(arrays, named))
            q = self.closed(target, near, *p)
            (motion,) = follow(q, rate, acceleration, *p)
            return jnp.broadcast_to(q, (*motion.shape[:-2], q.shape[-1])), motion[..., 0, :], motion[..., 1, :]

        def from_positions(*arrays: Any, **named: Any) -> Any:
            target, near, *p = _jax_arrays(self.jax, arguments.bind_arguments(arrays, named))
            return follow(self.closed(target, near, *p), *p)[0]

        return arguments.naming(from_all if found.after is None else from_positions)


def jax_artifact(
    source: Source,
    function: str | None = None,
    *,
    frame: str | None = None,
    wrenches: Sequence[str | Wrench] = (),
) -> bytes:
    """A function with one batch axis as bytes that `jax.export.deserialize` reads, with its derivatives backward.

    Arguments are all given, each (batch, ...); linkwright is not needed to call it. For CPUs and CUDA.
    """
    jax = import_extra("jax", "jax")
    import_extra("flatbuffers", "jax")
    with jax.enable_x64(True):
        call = jax_function(source, function, frame=frame, wrenches=wrenches)
        (batch,) = jax.export.symbolic_shape("batch")
        ports = ExportedArguments.of(function_to_export(source, function, frame, wrenches)).ports
        given = [jax.ShapeDtypeStruct((batch, *port.shape), "float64") for port in ports]
        made = jax.export.export(jax.jit(call), platforms=["cpu", "cuda"])(*given)
        return bytes(made.serialize(vjp_order=1))
