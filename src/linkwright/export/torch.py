"""Functions of a model as PyTorch functions: batched, differentiated by compiled derivatives."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from linkwright.export.export_files import import_extra
from linkwright.export.exported_functions import (
    ExportedArguments,
    OneProgram,
    SolvedKinematics,
    Source,
    function_to_export,
)
from linkwright.export.flat_program import Flat, flatten_program
from linkwright.model.wrench import Wrench


def torch_function(
    source: Source,
    function: str | None = None,
    *,
    frame: str | None = None,
    wrenches: Sequence[str | Wrench] = (),
) -> Callable[..., Any]:
    """A named function of a model or submechanism, or a program, as a PyTorch function of tensors.

    Machine code computes values and derivatives on the CPU, in double precision; tensors of other devices are brought
    there and back. Leading batch axes broadcast. Backward and forward mode, `torch.func` transforms and derivatives of
    derivatives work; the code of each derivative is compiled when it is first needed. Of a model with inputs the last
    argument is p, at the model's values when left out. A state that the function cannot compute gives NaN.

    "forward_kinematics" takes q_act, v_act, a_act and near and returns q, v, a; "inverse_kinematics" takes the pose
    (..., 7) x y z w x y z, twist, twist_rate and near; they have exact first derivatives, by the closure equations. Of
    a submechanism "from_inputs", "from_outputs", "jacobian" and "inverse_jacobian" take positions of one side.

    Args:
        source: a Model, a Submechanism or a Program.
        function: its name, as `Model.program` takes it.
        frame: of functions that depend on a frame or body.
        wrenches: bodies and frames that external wrenches act on (names, or `Wrench` records for other points and world
            axes): each is an argument w_NAME (6,), moment and force, zero when left out.
    """
    torch = import_extra("torch", "torch")
    found = function_to_export(source, function, frame, wrenches)
    if isinstance(found, OneProgram):
        return _make_torch_function(torch, found)
    return _make_torch_kinematics(torch, found)


def _make_torch_function(torch: Any, found: OneProgram) -> Callable[..., Any]:
    run, arguments, signature = _torch_evaluation(torch, found), ExportedArguments.of(found), found.program.signature

    def call(*arrays: Any, **named: Any) -> Any:
        made = run(*_torch_tensors(torch, arguments.bind_arguments(arrays, named)))
        return signature.pack({port.name: x for port, x in zip(signature.outputs, made, strict=True)})

    return arguments.naming(call)


def _make_torch_kinematics(torch: Any, found: SolvedKinematics) -> Callable[..., Any]:
    correct = _torch_evaluation(torch, OneProgram(f"{found.name} correction", found.correction))
    follow = _torch_evaluation(torch, found.rates if found.after is None else found.after)
    closing, arguments = _closing_function(torch, found), ExportedArguments.of(found)

    def closed(target: Any, near: Any, *p: Any) -> Any:
        lead = torch.broadcast_shapes(*(x.shape[:-1] for x in (target, near, *p)))
        given = [x.expand(*lead, x.shape[-1]) for x in (target, near, *p)]
        q = closing(*(x.detach() for x in given))
        return correct(q, target, *p)[0]  # a last Newton step, for the derivatives

    def from_all(*arrays: Any, **named: Any) -> Any:
        target, rate, acceleration, near, *p = _torch_tensors(torch, arguments.bind_arguments(arrays, named))
        q = closed(target, near, *p)
        (motion,) = follow(q, rate, acceleration, *p)
        return q.expand(*motion.shape[:-2], q.shape[-1]), motion[..., 0, :], motion[..., 1, :]

    def from_positions(*arrays: Any, **named: Any) -> Any:
        target, near, *p = _torch_tensors(torch, arguments.bind_arguments(arrays, named))
        return follow(closed(target, near, *p), *p)[0]

    return arguments.naming(from_all if found.after is None else from_positions)


def _torch_tensors(torch: Any, given: Sequence[Any]) -> list[Any]:
    """Tensors of doubles on one device: that of the first tensor among them."""
    device = next((x.device for x in given if isinstance(x, torch.Tensor)), None)
    return [torch.as_tensor(x, dtype=torch.float64, device=device) for x in given]


def _torch_evaluation(torch: Any, found: OneProgram) -> Callable[..., tuple[Any, ...]]:
    """A function of tensors with leading axes, which returns a tuple of the program's outputs."""
    program = found.program
    operation = _Operation(torch, Flat(flatten_program(program), found.name, found.checked))

    def run(*tensors: Any) -> tuple[Any, ...]:
        pairs = list(zip(program.inputs, tensors, strict=True))
        lead = torch.broadcast_shapes(*(port.leading_axes(tuple(x.shape)) for port, x in pairs))
        flat = [x.expand(*lead, *port.shape).reshape(*lead, port.size) for port, x in pairs]
        y = operation(torch.cat(flat, dim=-1))
        parts = y.split([port.size for port in program.outputs], dim=-1)
        return tuple(part.reshape(*lead, *port.shape) for part, port in zip(parts, program.outputs, strict=True))

    return run


class _Operation:
    """Machine code of a program of one vector; derivatives are operations of the same kind, made when needed."""

    def __init__(self, torch: Any, code: Flat) -> None:
        self.torch, self.code = torch, code
        self.made: dict[str, _Operation] = {}
        self.apply = _differentiable_operation(torch, self)

    def __call__(self, x: Any) -> Any:
        return self.apply(x)

    def derivative(self, way: str) -> _Operation:
        if way not in self.made:
            self.made[way] = _Operation(self.torch, getattr(self.code, way))
        return self.made[way]


def _differentiable_operation(torch: Any, operation: _Operation) -> Callable[[Any], Any]:
    class Function(torch.autograd.Function):
        @staticmethod
        def forward(x: Any) -> Any:
            return _compute_on_cpu(torch, operation.code.rows, x)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.save_for_backward(*inputs)
            ctx.save_for_forward(*inputs)

        @staticmethod
        def backward(ctx: Any, bar: Any) -> Any:
            return operation.derivative("pull")(torch.cat([*ctx.saved_tensors, bar], dim=-1))

        @staticmethod
        def jvp(ctx: Any, dot: Any) -> Any:
            return operation.derivative("push")(torch.cat([*ctx.saved_tensors, dot], dim=-1))

        @staticmethod
        def vmap(info: Any, in_dims: Any, x: Any) -> tuple[Any, int]:
            return Function.apply(x.movedim(in_dims[0], 0)), 0

    return Function.apply


def _closing_function(torch: Any, found: SolvedKinematics) -> Callable[..., Any]:
    """Closed coordinates by the model's own kinematics, from tensors with equal leading axes; not differentiated."""

    class Closing(torch.autograd.Function):
        @staticmethod
        def forward(*given: Any) -> Any:
            return _compute_on_cpu(torch, found.closed_coordinates, *given)

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.mark_non_differentiable(output)

        @staticmethod
        def backward(ctx: Any, bar: Any) -> Any:
            return (None,) * len(ctx.needs_input_grad)

        @staticmethod
        def vmap(info: Any, in_dims: Any, *given: Any) -> tuple[Any, int]:
            rows = [
                x.expand(info.batch_size, *x.shape) if dim is None else x.movedim(dim, 0)
                for x, dim in zip(given, in_dims, strict=True)
            ]
            return Closing.apply(*rows), 0

    return Closing.apply


def _compute_on_cpu(torch: Any, function: Callable[..., np.ndarray], *tensors: Any) -> Any:
    """A function of arrays applied to tensors, on the CPU."""
    made = function(*(x.detach().cpu().numpy() for x in tensors))
    return torch.from_numpy(np.ascontiguousarray(made)).to(tensors[0].device)
