"""A function of a mechanism cut into parts that need not wait for each other, run leg by leg.

Knows no mechanics. An operation belongs to the leg whose inputs it needs; to the center when it needs those of several
legs; to a leg again when, of those, only that leg's results need it. What needs no leg's input is common: each part
that uses it does it for itself, which costs operations and saves waiting.

This is Khan's scheme of chain nodes with a central sum, and Rao's of a platform and its legs, applied to any traced
function of a mechanism of legs and platform. Measured times: docs/leg_by_leg.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from dataclasses import replace
from multiprocessing import get_context
from typing import Any, Literal

import numpy as np

from linkwright.checks import require_instance
from linkwright.compiler import Kernel, Op, Options, Port, Program, cached_kernel, operation_count
from linkwright.compiler.codegen.target import host_target
from linkwright.compiler.passes.schedule import fuse_products
from linkwright.dataclass import dataclass
from linkwright.dynamics.methods import row_owners
from linkwright.errors import ArgumentError
from linkwright.functions import part_names
from linkwright.joints import Floating
from linkwright.loops.closure import closure_of
from linkwright.mechanism import Joint, Mechanism
from linkwright.mechanism.tree import coordinate_slices, spanning_tree
from linkwright.model import Model
from linkwright.worker_processes import interrupts_for_parent

# --- A program cut into parts that need not wait for each other -------------------------------------------------------

CENTER = -1
Stage = Literal["first", "central", "second", "common"]
Owner = tuple[Stage, int]
_COMMON: Owner = ("common", CENTER)
_CENTRAL: Owner = ("central", CENTER)


@dataclass(frozen=True, eq=False)
class SlicedProgram:
    """One program of a cut.

    Attributes:
        name: "leg 1", "center", "leg 1 again" and so on.
        program: what to run; outputs are `out`, elements of the whole result, `live`, what other parts need, and
            `unmerged`, which nobody reads; each may be missing.
        needs: names of its inputs: ports of the whole program, and parts whose live values it takes.
        gives: which elements of the whole result `out` holds.
    """

    name: str
    program: Program
    needs: tuple[str, ...]
    gives: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class Slices:
    """The whole program, its parts, and where every operation went.

    Attributes:
        whole: the program that was cut.
        first, central, second: the parts in the order of their stages (at most one is central); parts of one stage
            need not wait for each other.
        counts: operations of the whole by owner, each counted once: ("first", leg), ("second", leg), ("central", -1),
            ("common", -1).
    """

    whole: Program
    first: tuple[SlicedProgram, ...]
    central: tuple[SlicedProgram, ...]
    second: tuple[SlicedProgram, ...]
    counts: dict[Owner, int]

    @property
    def independent(self) -> int:
        """Operations that belong to one leg."""
        return sum(n for (stage, _), n in self.counts.items() if stage in ("first", "second"))

    @property
    def longest(self) -> int:
        """Operations on the longest way: slowest leg, center, slowest leg; what a core per leg cannot shorten."""
        stages = (self.first, self.central, self.second)
        return sum(max((operation_count(p.program).total for p in parts), default=0) for parts in stages)


def slice_program(program: Program, inputs: Sequence[int], results: Sequence[int], legs: int) -> Slices:
    """Cut a program.

    Args:
        program: the whole.
        inputs: the leg of every input element, or CENTER.
        results: the leg of every result element, or CENTER.
        legs: how many legs there are.

    Multiply-adds are fused before the cut, so that the parts round as the whole does.
    """
    counts = _count_by_owner(program, _owners_of_operations(program, inputs, results))
    program = fuse_products(program) if host_target(Options()).fma else program
    owners = _owners_of_operations(program, inputs, results)
    at = [*([_COMMON] * program.first_operation), *owners]
    kept = {i: sorted(k for k, p in enumerate(owners) if p == ("first", i)) for i in range(legs)}
    again = {i: sorted(k for k, p in enumerate(owners) if p == ("second", i)) for i in range(legs)}
    central = sorted(k for k, p in enumerate(owners) if p == _CENTRAL)
    writer = _Cutter(program, at, _crossing_values(program, at))
    first = [writer.part(f"leg {i + 1}", ("first", i), kept[i]) for i in range(legs)]
    second = [writer.part(f"leg {i + 1} again", ("second", i), again[i]) for i in range(legs)]
    middle = writer.part("center", _CENTRAL, central)
    return Slices(program, _present_parts(first), _present_parts([middle]), _present_parts(second), counts)


def _present_parts(parts: Sequence[SlicedProgram | None]) -> tuple[SlicedProgram, ...]:
    return tuple(part for part in parts if part is not None)


def _owners_of_operations(program: Program, inputs: Sequence[int], results: Sequence[int]) -> list[Owner]:
    """Part of every operation: forward by the legs it needs, backward by those that need it."""
    needed = _needed_legs(program, inputs)
    consumers: list[set[Owner]] = [set() for _ in range(program.first_operation + program.n_operations)]
    for value, leg in zip(program.results.tolist(), results, strict=True):
        consumers[value].add(_CENTRAL if leg == CENTER else ("second", leg))
    owners: list[Owner] = [_COMMON] * program.n_operations
    for k in reversed(range(program.n_operations)):
        value = program.first_operation + k
        owners[k] = _owner_of_operation(needed[value], consumers[value])
        for i in program.operations[k][1]:
            consumers[i].add(owners[k])
    return owners


def _needed_legs(program: Program, inputs: Sequence[int]) -> list[frozenset[int]]:
    needed = [frozenset() if leg == CENTER else frozenset({leg}) for leg in inputs]
    needed += [frozenset()] * len(program.constants)
    for _, args in program.operations:
        needed.append(frozenset().union(*(needed[i] for i in args)))
    return needed


def _owner_of_operation(needed: frozenset[int], consumers: set[Owner]) -> Owner:
    users = {leg for stage, leg in consumers if stage in ("first", "second")}
    alone = len(users) == 1 and not consumers & {_CENTRAL, _COMMON}
    if len(needed) == 1:
        return "first", next(iter(needed))
    if not needed:
        return ("first", users.pop()) if alone else _COMMON
    return ("second", users.pop()) if alone else _CENTRAL


def _crossing_values(program: Program, at: Sequence[Owner]) -> set[int]:
    """Values that some other part needs."""
    out = set()
    for k, (_, args) in enumerate(program.operations):
        here = at[program.first_operation + k]
        out |= {i for i in args if at[i] != _COMMON and at[i] != here}
    return out


def _count_by_owner(program: Program, owners: Sequence[Owner]) -> dict[Owner, int]:
    """Operations by owner, in the units of `operation_count`."""
    found = {}
    for owner in sorted(set(owners)):
        mask = np.array([p == owner for p in owners])
        found[owner] = operation_count(replace(program, opcodes=program.opcodes[mask], args=program.args[mask])).total
    return found


@dataclass(frozen=True, eq=False)
class _Cutter:
    """Writes parts: `at` is the owner of every value, `crossing` the values other parts take."""

    whole: Program
    at: Sequence[Owner]
    crossing: set[int]

    def part(self, name: str, owner: Owner, own: list[int]) -> SlicedProgram | None:
        """The part of an owner, with the common operations it needs; None when it has nothing to give."""
        first = self.whole.first_operation
        live = [first + k for k in own if first + k in self.crossing]
        gives = [e for e, v in enumerate(self.whole.results.tolist()) if self._given_by(v) == owner]
        wanted = live + [int(self.whole.results[e]) for e in gives]
        if not wanted:
            return None
        operations, taken = self._gather_operations(owner, wanted)
        sources = sorted({self._name(self.at[v]) for v in taken})
        ports = {name: [v for v in self._live(name) if self._name(self.at[v]) == name] for name in sources}
        number = self._numbers(ports, operations)
        unmerged = self._unmerged_products(operations, wanted)
        outputs = [Port("out", (len(gives),))] * bool(gives) + [Port("live", (len(live),))] * bool(live)
        outputs += [Port("unmerged", (len(unmerged),))] * bool(unmerged)
        picked = [int(self.whole.results[e]) for e in gives] + live + unmerged
        args = [[number.get(i, -1) for i in self.whole.args[v - first].tolist()] for v in operations]
        program = replace(
            self.whole,
            inputs=(*self.whole.inputs, *(Port(name, (len(values),)) for name, values in ports.items())),
            opcodes=self.whole.opcodes[[v - first for v in operations]],
            args=np.array(args, dtype=np.int32).reshape(-1, 3),
            outputs=tuple(outputs),
            results=np.array([number[v] for v in picked]),
            form="tuple",
        )
        needs = (*(port.name for port in self.whole.inputs), *ports)
        return SlicedProgram(name, program, needs, tuple(gives))

    def _given_by(self, value: int) -> Owner:
        owner = self.at[value]
        return _CENTRAL if owner == _COMMON else owner

    def _gather_operations(self, owner: Owner, wanted: list[int]) -> tuple[list[int], set[int]]:
        """Operations a part runs, in order, and values it takes from other parts."""
        run: set[int] = set()
        taken: set[int] = set()
        front = list(wanted)
        while front:
            v = front.pop()
            if v < self.whole.first_operation or v in run or v in taken:
                continue
            if self.at[v] in (owner, _COMMON):
                run.add(v)
                front += self.whole.operations[v - self.whole.first_operation][1]
            else:
                taken.add(v)
        return sorted(run), taken

    def _unmerged_products(self, operations: list[int], wanted: list[int]) -> list[int]:
        """Common products used once here and again elsewhere: given out, so that this part merges none into a sum."""
        first = self.whole.first_operation
        uses = Counter(i for v in operations for i in self.whole.operations[v - first][1])
        uses.update(wanted)
        common = [v for v in operations if self.at[v] == _COMMON and self.whole.opcodes[v - first] == Op.MUL]
        return [v for v in common if uses[v] == 1]

    def _name(self, owner: Owner) -> str:
        stage, leg = owner
        return "center" if stage == "central" else f"leg {leg + 1}"

    def _live(self, name: str) -> list[int]:
        """Live values of a part in the order in which it gives them."""
        return sorted(v for v in self.crossing if self._name(self.at[v]) == name)

    def _numbers(self, ports: dict[str, list[int]], operations: list[int]) -> dict[int, int]:
        """Value numbers in the part: whole inputs, live inputs, constants, operations."""
        n = self.whole.n_inputs
        number = {v: v for v in range(n)}
        for values in ports.values():
            for v in values:
                number[v] = n
                n += 1
        for i in range(len(self.whole.constants)):
            number[self.whole.n_inputs + i] = n + i
        n += len(self.whole.constants)
        return number | {v: n + k for k, v in enumerate(operations)}


# --- A function of a mechanism run leg by leg -------------------------------------------------------------------------


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
    return cached_kernel(b"leg by leg " + program.digest, lambda: program)


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
