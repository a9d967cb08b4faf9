"""A function of a mechanism run leg by leg: the legs' parts at once, the center, the legs' second parts at once.

This is Khan's scheme of chain nodes with a central sum, and Rao's of a platform and its legs, applied to any traced
function of a mechanism of legs and platform. Measured times: docs/leg_by_leg.md.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any

import numpy as np

from linkwright.checks import require_instance
from linkwright.compiler import Kernel, Program, compiled
from linkwright.dataclass import dataclass
from linkwright.dynamics.methods import row_owners
from linkwright.errors import ArgumentError
from linkwright.functions import part_names
from linkwright.joints import Floating
from linkwright.loops.closure import closure_of
from linkwright.mechanism import Joint, Mechanism
from linkwright.mechanism.tree import coordinate_slices, spanning_tree
from linkwright.model import Model
from linkwright.papers.leg_division.slices import CENTER, SlicedProgram, Slices, slice_program
from linkwright.worker_processes import interrupts_for_parent


@dataclass(frozen=True)
class Legs:
    """A platform and the groups of bodies that are left when it is taken away."""

    platform: str
    bodies: tuple[tuple[str, ...], ...]


def legs_of_mechanism(mech: Mechanism) -> Legs:
    """The legs of a mechanism whose platform floats; refused when there are fewer than two.

    >>> from linkwright import catalog
    >>> len(legs_of_mechanism(catalog.load("gough-stewart")).bodies)
    6
    """
    platform = _floating_platform(mech)
    part = {name: name for name in mech.names if name != platform}
    for joint in (*mech.joints, *mech.loops):
        a, b = joint.parent, joint.child
        if a in part and b in part and part[a] != part[b]:
            old, new = part[b], part[a]
            part = {name: new if p == old else p for name, p in part.items()}
    groups = tuple(tuple(n for n in part if part[n] == p) for p in dict.fromkeys(part.values()))
    if len(groups) < 2:
        raise ArgumentError(f"mechanism '{mech.name}' has {len(groups)} legs; leg by leg takes two or more")
    return Legs(platform, groups)


def _floating_platform(mech: Mechanism) -> str:
    """The body of the platform frame; it must hang on the base by a floating joint."""
    body = {frame.name: frame.body for frame in mech.frames}.get(mech.platform or "")
    carrier = next((j for j in mech.joints if j.child == body), None)
    if carrier is None or carrier.parent != mech.base or not carrier.kind.floats:
        raise ArgumentError(
            f"mechanism '{mech.name}' has no floating platform, so its legs wait for the one that carries it; take "
            "floated(model) instead"
        )
    return str(body)


def float_platform(model: Model) -> Mechanism:
    """The mechanism with its platform joined to the base by a floating joint and the joint that carried it as a loop.

    Velocities and coordinates of the result are others than those of the model; motions and efforts are the same.

    >>> import linkwright as lw
    >>> len(legs_of_mechanism(float_platform(lw.build(lw.catalog.load("five-bar")))).bodies)
    2
    """
    mech = model.mechanism
    body = {frame.name: frame.body for frame in mech.frames}.get(mech.platform or "")
    carrier = next((j for j in mech.joints if j.child == body), None)
    if carrier is None:
        raise ArgumentError(
            f"mechanism '{mech.name}' names no platform that moves; add `platform: <frame>` to the file"
        )
    if carrier.kind.floats and carrier.parent == mech.base:
        return mech
    q = model.assemble().q
    xyz, wxyz = model.frame_pose(q, str(body))
    floating = Joint(f"{body} pose", mech.base, str(body), Floating())
    joints = tuple(j for j in mech.joints if j is not carrier)
    slices = coordinate_slices(mech.joints)
    home = tuple((j.name, tuple(map(float, q[slices[j.name][0]]))) for j in joints)
    pose = (floating.name, tuple(map(float, (*xyz, *wxyz))))
    return replace(mech, joints=(*joints, floating), loops=(*mech.loops, carrier), home=(*home, pose))


def input_legs(mech: Mechanism, program: Program, found: Legs) -> list[int]:
    """The leg of every input element of a program; what is not listed by joint, actuator or closure row is central."""
    by_port = _by_port(mech, found)
    return [leg for port in program.inputs for leg in _labels_or_center(by_port.get(port.name, []), port.size)]


def _labels_or_center(labels: list[int], size: int) -> list[int]:
    return labels if len(labels) == size else [CENTER] * size


def result_legs(mech: Mechanism, program: Program, found: Legs) -> list[int]:
    """The leg of every result element: accelerations by joint, efforts by actuator, anything else to the center."""
    efforts = "a" in {port.name for port in program.inputs}
    labels = _by_port(mech, found)["tau" if efforts else "a"]
    main = _labels_or_center(labels, program.outputs[0].size)
    return main + [CENTER] * (program.n_outputs - len(main))


def _by_port(mech: Mechanism, found: Legs) -> dict[str, list[int]]:
    leg = {name: i for i, group in enumerate(found.bodies) for name in group}
    joint_leg = {j.name: leg.get(j.child, leg.get(j.parent, CENTER)) for j in (*mech.joints, *mech.loops)}
    q = [joint_leg[j.name] for j in mech.joints for _ in j.kind.q_parts]
    v = [joint_leg[j.name] for j in mech.joints for _ in j.kind.v_parts]
    assert len(v) == len(part_names(mech.joints, speeds=True))
    rows = [joint_leg.get(name, CENTER) for name in row_owners(closure_of(mech, spanning_tree(mech)))]
    efforts = [joint_leg[a.joint] for a in mech.actuators]
    return {"q": q, "v": v, "a": v, "tau": efforts, "stiffness": rows, "damping": rows}


Array = np.ndarray
Mapping = Callable[..., Iterable[Any]]


def leg_slices(mech: Mechanism, program: Program) -> Slices:
    """A traced function of a mechanism, cut by its legs.

    >>> import linkwright as lw
    >>> robot = lw.catalog.load("gough-stewart")
    >>> cut = leg_slices(robot, lw.build(robot).program("forward_dynamics"))
    >>> len(cut.first), len(cut.second)
    (6, 6)
    """
    found = legs_of_mechanism(mech)
    return slice_program(
        program, input_legs(mech, program, found), result_legs(mech, program, found), len(found.bodies)
    )


class PerLegFunction:
    """A function of a mechanism as separately compiled parts; results equal those of the whole to round-off.

    States so near a singularity that the whole flags them by NaN are flagged here too, and not repaired.
    """

    def __init__(self, cut: Slices) -> None:
        self.cut = require_instance("cut", cut, Slices, "the parts that `leg_slices` makes")
        self._kernels = {part.name: _leg_kernel(part.program) for part in (*cut.first, *cut.central, *cut.second)}

    def __call__(self, *arrays: Any, run: Mapping = map) -> Any:
        """The whole result for one state or a batch of states, in the form the whole program has: an array or several.

        Args:
            arrays: inputs of the whole in order, (..., n).
            run: how the parts of a stage are run: `map` one after another, an executor's `map` on threads.
        """
        return _run_stages(self.cut, arrays, lambda part, given: self._kernels[part.name](*given), run)


def _leg_kernel(program: Program) -> Kernel:
    return compiled(b"leg by leg " + program.digest, lambda: program)


def _run_stages(cut: Slices, arrays: Sequence[Any], work: Callable[..., Any], run: Mapping) -> Any:
    """Run the three stages and put the results together."""
    given = {port.name: np.asarray(x, dtype=float) for port, x in zip(cut.whole.inputs, arrays, strict=True)}
    lead = np.broadcast_shapes(
        *(x.shape[: x.ndim - len(port.shape)] for port, x in zip(cut.whole.inputs, given.values(), strict=True))
    )
    out = np.empty((*lead, cut.whole.n_outputs))
    for stage in (cut.first, cut.central, cut.second):
        if not stage:
            continue
        inputs = [[given[name] for name in part.needs] for part in stage]
        for part, results in zip(stage, run(work, stage, inputs) if len(stage) > 1 else map(work, stage, inputs)):
            _store_part_results(part, results, out, given)
    ends = np.cumsum([port.size for port in cut.whole.outputs])
    parts = zip(cut.whole.outputs, np.split(out, ends[:-1], axis=-1), strict=True)
    return cut.whole.signature.pack({port.name: part.reshape((*lead, *port.shape)) for port, part in parts})


def _store_part_results(part: SlicedProgram, results: Any, out: Array, given: dict[str, Array]) -> None:
    for port, array in zip(part.program.outputs, results, strict=True):
        if port.name == "live":
            given[part.name] = array
        elif port.name == "out":
            out[..., list(part.gives)] = array


def leg_by_leg(model: Model, function: str = "forward_dynamics") -> PerLegFunction:
    """A named function of a model of legs and platform, cut and compiled: any that `model.program` traces.

    What a paper's formulation gives beside its result (how near it is to the formulation's own singularity) and what
    virtual springs take beside the state (stiffness and damping of every closure equation) belong to their legs too.
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    return PerLegFunction(leg_slices(model.mechanism, model.program(function)))


class LegProcesses:
    """The same on processes: each has all parts compiled, and arrays travel by pickle."""

    def __init__(self, cut: Slices, workers: int) -> None:
        self.cut = cut
        programs = {part.name: part.program for part in (*cut.first, *cut.central, *cut.second)}
        fresh = get_context("spawn")  # a fork of a process with threads may hang
        self._pool: Executor = ProcessPoolExecutor(workers, fresh, initializer=_prepare_kernels, initargs=(programs,))

    def __call__(self, *arrays: Any) -> Any:
        return _run_stages(self.cut, arrays, lambda part, given: _run_part(part.name, part.program, given), self._run)

    def _run(self, _: Any, stage: Sequence[SlicedProgram], inputs: Sequence[Any]) -> Iterable[Any]:
        with interrupts_for_parent():  # it may start a process
            return self._pool.map(_run_part, [p.name for p in stage], [None] * len(stage), inputs)

    def close(self) -> None:
        """End the processes."""
        self._pool.shutdown()


_PREPARED: dict[str, Kernel] = {}


def _prepare_kernels(programs: dict[str, Program]) -> None:
    _PREPARED.update({name: _leg_kernel(program) for name, program in programs.items()})


def _run_part(name: str, program: Program | None, given: Sequence[Array]) -> Any:
    kernel = _PREPARED[name] if program is None else _leg_kernel(program)
    return kernel(*given)
