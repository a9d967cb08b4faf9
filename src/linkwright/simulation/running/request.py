"""What a run computes, as JSON data: a run is resumed only by a call that requests the same."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from linkwright.compiler import Kernel
from linkwright.compiler.codegen.target import Options, host_target
from linkwright.model import Model
from linkwright.simulation.events.root_functions import Crossing
from linkwright.simulation.methods.methods import Method
from linkwright.simulation.problem.efforts import Actuation
from linkwright.simulation.running.metadata import RunStart, model_provenance
from linkwright.simulation.running.times import Times
from linkwright.simulation.switching.switches import Switch, titled


def run_request(
    begin: RunStart, times: Times, crossings: Sequence[Crossing], switches: Sequence[Switch], stops: Sequence[str]
) -> dict[str, Any]:
    """Request of one run. Functions of the caller are known by their names only."""
    events = [[each.name, each.direction, each.stop] for each in crossings]
    return {
        **computing(begin.problem.model, begin.method, times),
        "formulation": begin.problem.description,
        "effort": effort_identity(begin.actuation),
        **({"wrench": wrench_identity(begin.actuation)} if begin.actuation.loads.wrenches else {}),
        "start": digest(begin.start.q, begin.start.v),
        "events": [*events, *(_switch(each) for each in switches)],
        "stop_at": sorted(stops),
    }


def computing(model: Model, method: Method, times: Times) -> dict[str, Any]:
    """The part that one run and many have in common."""
    known = model_provenance(model)
    inputs = model.kernels.setup.inputs
    return {
        "version of linkwright": known["linkwright"],
        "kind of processor": digest(host_target(Options()).features),
        "mechanism": known["mechanism"]["hash"],
        "set of actuators": list(model.actuated),
        "set of parameters": [] if inputs is None else [list(model.parameters.names), digest(inputs.values)],
        "method": repr(method),
        "span": [times.origin, times.end],
        "set of times": digest(times.since_start, times.shown),
    }


def effort_identity(actuation: Actuation) -> list[str]:
    """Description of the efforts, and a digest of the law's code where there is one."""
    code = actuation.code
    key = code.addresses.key if isinstance(code, Kernel) else None
    shown = actuation.description if key is None else type(actuation.law).__name__
    if actuation.sampled is not None:
        shown = f"sampled every {actuation.period!r} s"
    return [shown, digest(actuation.start) if key is None else digest(key)]


def wrench_identity(actuation: Actuation) -> list[str]:
    """Where wrenches act, and a digest of their laws' code where there is one."""
    key = actuation.wrench.addresses.key if isinstance(actuation.wrench, Kernel) else None
    return [repr(actuation.loads.sites), "" if key is None else digest(key)]


def digest(*parts: Any) -> str:
    """Hash of arrays, texts or bytes."""
    h = hashlib.blake2b(digest_size=12)
    for each in parts:
        data = each.encode() if isinstance(each, str) else each
        data = np.ascontiguousarray(data, dtype="<f8").tobytes() if isinstance(data, np.ndarray) else data
        h.update(len(data).to_bytes(8, "little") + data)
    return h.hexdigest()


def _switch(switch: Switch) -> list[Any]:
    settings = {name: x for name, x in vars(switch).items() if not callable(x)}
    return [titled(switch), {name: list(x) if isinstance(x, tuple) else x for name, x in settings.items()}]
