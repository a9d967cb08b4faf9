"""A transmission as one file of Python for PyTorch or JAX, which needs neither linkwright nor anything else."""

from __future__ import annotations

from importlib import resources
from typing import Literal

import numpy as np

from linkwright.compiler import Program
from linkwright.compiler.trace.operations import OPERATIONS, operation_arity, text_dialect
from linkwright.errors import MechanismError
from linkwright.export.operation_levels import Apart, LoopedRows, schedule_levels
from linkwright.export.transmissions.chebyshev import ChebyshevSum, ChebyshevTable
from linkwright.export.transmissions.pack_programs import TransmissionPack
from linkwright.export.transmissions.ranges import named_box
from linkwright.generated_text import fill_template, python_docstring
from linkwright.version import __version__

Library = Literal["torch", "jax"]

_HEADS = {
    "torch": """import torch

_stack, _einsum, _where = torch.stack, torch.einsum, torch.where
_sqrt, _sin, _cos, _atan2, _exp, _log, _tanh, _abs = (
    torch.sqrt, torch.sin, torch.cos, torch.atan2, torch.exp, torch.log, torch.tanh, torch.abs
)  # fmt: skip


def _array(x, like=None):
    if like is None:
        return x if isinstance(x, torch.Tensor) else torch.as_tensor(x, dtype=torch.float64)
    return torch.as_tensor(x, dtype=like.dtype, device=like.device)


def _full(x, like):
    return x if isinstance(x, torch.Tensor) else torch.full_like(like, x)


def _min(a, b):
    return torch.minimum(_array(a, b if isinstance(a, float) else a), _array(b, a if isinstance(b, float) else b))


def _max(a, b):
    return torch.maximum(_array(a, b if isinstance(a, float) else a), _array(b, a if isinstance(b, float) else b))
""",
    "jax": '''import jax
import jax.numpy as jnp
import numpy as np

_stack, _einsum = jnp.stack, jnp.einsum
_KINDS = {
    "sqrt": jnp.sqrt, "sin": jnp.sin, "cos": jnp.cos, "atan2": jnp.arctan2, "exp": jnp.exp, "log": jnp.log,
    "tanh": jnp.tanh, "abs": jnp.abs, "min": jnp.minimum, "max": jnp.maximum, "recip": lambda a: 1.0 / a,
    "select": lambda c, a, b: jnp.where(c > 0.0, a, b),
}  # fmt: skip


def _array(x, like=None):
    return jnp.asarray(x) if like is None else jnp.asarray(x, dtype=like.dtype)


def _run(program, given, shape):
    """Values in the slots of one array; rows of operations are looped over, so that they are compiled once."""
    constants, steps, results, size = program
    lead = jnp.broadcast_shapes(*(x.shape[:-1] for x in given))
    inputs = jnp.concatenate([jnp.broadcast_to(x, (*lead, x.shape[-1])) for x in given], axis=-1)
    inputs = jnp.moveaxis(inputs, -1, 0)
    fixed = jnp.asarray(constants, dtype=inputs.dtype).reshape(-1, *(1,) * len(lead))
    fixed = jnp.broadcast_to(fixed, (len(constants), *lead))
    rest = jnp.zeros((size - len(inputs) - len(constants), *lead), dtype=inputs.dtype)
    slots = jnp.concatenate([inputs, fixed, rest])
    for kind, start, *tables in steps:
        if kind != "rows":
            made = _KINDS[kind](*(slots[np.array(each)] for each in tables))
            slots = jax.lax.dynamic_update_slice_in_dim(slots, made, start, 0)
        else:
            slots = _loop(slots, start, *tables)
    return jnp.moveaxis(slots[np.array(results)], 0, -1).reshape(*lead, *shape)


def _loop(slots, start, factors, signs, others, kinds, numbers):
    n, sums, lead = len(factors), len(signs[0][0]), (1,) * (slots.ndim - 1)
    reads = np.concatenate([np.array(x).reshape(n, -1) for x in (factors, others)], axis=1).astype(np.int32)
    signs, numbers = np.array(signs).astype(slots.dtype), np.array(numbers, dtype=np.int32).reshape(n, -1)
    width = sums + numbers.shape[1]
    starts = start + width * np.arange(n, dtype=np.int32)

    def step(slots, row):
        read, sign, number, at = row
        x = slots[read]
        a, b, c = (x[i * sums : (i + 1) * sums] for i in range(3))
        sign = sign.reshape(2, sums, *lead)
        made = sign[0] * (a * b) + sign[1] * c
        if kinds:
            y = [x[3 * sums + i * (width - sums) : 3 * sums + (i + 1) * (width - sums)] for i in range(3)]
            other = jnp.zeros_like(y[0])
            for k, (kind, arity) in enumerate(kinds):
                chosen = number.reshape(-1, *lead) == k + 1
                safe = [jnp.where(chosen, each, 1.0) for each in y[:arity]]  # so that no derivative is 0 / 0
                other = jnp.where(chosen, _KINDS[kind](*safe), other)
            made = jnp.concatenate([made, other])
        return jax.lax.dynamic_update_slice_in_dim(slots, made, at, 0), None

    rows = tuple(jnp.asarray(x) for x in (reads, signs, numbers, starts))
    return jax.lax.scan(step, slots, rows)[0]
''',
}
_CLOSING = {
    "torch": '''
def from_@side@(@x@):
    """All coordinates (..., nq) of @one@ positions (..., n)."""
    @x@ = _array(@x@)
    q = _start(_START_BY_@SIDE@, @x@)
    for _ in range(@steps@):
        q = _correct_by_@side@(q, @x@)
    return q
''',
    "jax": '''
@jax.custom_jvp
def _close_by_@side@(@x@):
    q = _start(_START_BY_@SIDE@, @x@)
    return jax.lax.scan(lambda q, _: (_correct_by_@side@(q, @x@), None), q, None, length=@steps@)[0]


@_close_by_@side@.defjvp
def _(given, dots):
    q = _close_by_@side@(*given)
    return q, jax.jvp(lambda x: _correct_by_@side@(q, x), given, dots)[1]


def from_@side@(@x@):
    """All coordinates (..., nq) of @one@ positions (..., n)."""
    return _close_by_@side@(_array(@x@))
''',
}
_NOTES = {
    "torch": "Tensors may be on any device and of either precision; numbers and lists become doubles.",
    "jax": "Functions are pure: jit, vmap and grad them. Set jax.config.update('jax_enable_x64', True) for doubles.",
}


def array_module(pack: TransmissionPack, library: Library) -> str:
    """The text of the file."""
    motors, joints = pack.motor_table, pack.joint_table
    for table in (motors, joints):
        if isinstance(table, str):
            raise MechanismError(table)
    assert isinstance(motors, ChebyshevTable) and isinstance(joints, ChebyshevTable)
    others, n = pack.kit.others, pack.size
    programs = {
        "_correct_by_joints": (pack.correction("joints"), "A Newton step of all coordinates towards the joints."),
        "_correct_by_motors": (pack.correction("motors"), "A Newton step of all coordinates towards the motors."),
        "motor_rates": (others["input_jacobian"], "K (..., n, n) with motor rates = K joint rates."),
        "joint_rates": (others["output_jacobian"], "J (..., n, n) with joint rates = J motor rates."),
        "joint_inertia": (others["output_mass_matrix"], "Inertia felt at the joints, links included, (..., n, n)."),
        "motor_inertia": (others["mass_matrix"], "The same felt at the motors, (..., n, n)."),
    }
    if isinstance(pack.reflected_inertia, Program):
        text = "Inertia felt at the joints of motors and rods, without the links that the joints carry, (..., n, n)."
        programs["reflected_inertia"] = (pack.reflected_inertia, text)
    unit_parts = programs["motor_rates"][0].signature.units
    tables = {
        "_MOTOR_TABLE": motors.polynomial,
        "_JOINT_TABLE": joints.polynomial,
        "_START_BY_JOINTS": pack.start_table("joints"),
        "_START_BY_MOTORS": pack.start_table("motors"),
    }
    template = resources.files(__package__ or "").joinpath("arrays.template.txt").read_text(encoding="utf-8")
    parts = {
        "version": __version__,
        "mechanism": python_docstring(pack.sub.driven.mechanism.name),
        "note": _NOTES[library],
        "head": _HEADS[library],
        "motors": repr(pack.sub.inputs),
        "joints": repr(pack.sub.outputs),
        "ranges": python_docstring(named_box(pack.sub.outputs, pack.ranges.joints)),
        "motor_bound": f"{motors.bound.max():.1e}",
        "joint_bound": f"{joints.bound.max():.1e}",
        "motor_index": repr(pack.coordinates("motors")),
        "joint_index": repr(pack.coordinates("joints")),
        "closing": "\n".join(_closing_text(pack, library, side) for side in ("joints", "motors")).strip(),
        "tables": "\n".join(f"{name} = {_table_text(table)}" for name, table in tables.items()),
        "programs": "\n\n".join(_WRITERS[library](program, name, text) for name, (program, text) in programs.items()),
        "size": str(n),
        "units": repr([(unit.start, unit.start + unit.size) for _, unit in unit_parts]),
    }
    return fill_template(template, parts)


def _closing_text(pack: TransmissionPack, library: Library, side: str) -> str:
    parts = {
        "steps": str(pack.newton_steps(side)),
        "side": side,
        "SIDE": side.upper(),
        "one": side[:-1],
        "x": "x" if side == "joints" else "y",
    }
    text = _CLOSING[library]
    for name, part in parts.items():
        text = text.replace(f"@{name}@", part)
    return text


def _table_text(table: ChebyshevSum) -> str:
    digits = [np.asarray(x).tolist() for x in (table.center, table.matrix, table.half, table.coefficients)]
    return f"({', '.join(map(repr, digits))})"


def array_function(program: Program, name: str, comment: str) -> str:
    """A program as a function of arrays (..., n), whose one result is (..., *shape).

    >>> from linkwright.compiler import trace
    >>> print(array_function(trace(lambda q: 2.0 * q[:1], {"q": 2}), "first", "Twice the first.").splitlines()[-1])
        return _stack([_full(v, like) for v in [t0]], -1)
    """
    if program.tables:
        raise MechanismError("functions with look-up tables have no form for arrays")
    (output,) = program.outputs
    values = [f"{port.name}[..., {k}]" for port in program.inputs for k in range(port.size)]
    values += [f"({c!r})" if c < 0 else repr(c) for c in program.constants.tolist()]
    spellings = text_dialect("_{}".format, {"select": "_where({0} > 0.0, {1}, {2})"}).spellings()
    lines = [f"def {name}({', '.join(port.name for port in program.inputs)}):", f'    """{comment}"""']
    first = program.inputs[0].name
    lines.append(f"    like = {' + 0.0 * '.join(f'{port.name}[..., 0]' for port in program.inputs)}")
    for k, (op, args) in enumerate(program.operations):
        lines.append(f"    t{k} = {spellings[op](*(values[i] for i in args))}")
        values.append(f"t{k}")
    listed = ", ".join(values[k] for k in program.results.tolist())
    shape = "" if len(output.shape) == 1 else f".reshape(*{first}.shape[:-1], {', '.join(map(str, output.shape))})"
    return "\n".join([*lines, f"    return _stack([_full(v, like) for v in [{listed}]], -1){shape}", ""])


def looped_function(program: Program, name: str, comment: str) -> str:
    """The same by tables of rows, which a library that compiles long texts slowly loops over."""
    found = schedule_levels(program)
    steps = ",\n    ".join(repr(_step_tables(step)) for step in found.steps)
    (output,) = program.outputs
    arguments = ", ".join(port.name for port in program.inputs)
    return (
        f"_TABLES{name} = ({found.constants.tolist()!r}, [\n    {steps}\n], "
        f"{found.results.tolist()!r}, {found.size})\n\n\n"
        f"def {name}({arguments}):\n"
        f'    """{comment}"""\n    return _run(_TABLES{name}, ({arguments},), {output.shape!r})\n'
    )


def _step_tables(step: Apart | LoopedRows) -> tuple[object, ...]:
    if isinstance(step, Apart):
        return (OPERATIONS[step.op].name, step.start, *step.args.tolist())
    kinds = [int(op) for op in np.unique(step.ops) if op]
    numbers = np.zeros_like(step.ops)
    for k, op in enumerate(kinds):
        numbers[step.ops == op] = k + 1
    named = [(OPERATIONS[op].name, operation_arity(op)) for op in kinds]
    tables = (step.factors, step.signs, step.others)
    return ("rows", step.start, *(x.tolist() for x in tables), named, numbers.tolist())


_WRITERS = {"torch": array_function, "jax": looped_function}
