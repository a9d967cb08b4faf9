"""Open subsystems as Hanzaki cuts them: every loop cut at a spherical joint, a free platform hung on its first ball."""

from __future__ import annotations

from linkwright.algebra.vectors import Mat, Vec
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.loops.closure import Closure, relative_poses
from linkwright.papers.leg_chains import CutStep, Step, TreeStep, require_rigid


@dataclass(frozen=True, eq=False)
class Hanging:
    """Steps to every body, inner bodies first, the loops that stay cut, and the subsystem of every body.

    `reference` holds, for a spherical joint that was cut and now carries the platform, the turn at which its Euler
    parameters are (1, 0, 0, 0); any constant one will do, and the home pose's keeps the half turn far away.
    """

    steps: tuple[Step, ...]
    cuts: tuple[int, ...]
    subsystem: tuple[int, ...]
    reference: dict[str, Mat]

    @property
    def count(self) -> int:
        """Number of subsystems."""
        return 1 + max(self.subsystem)


def find_open_subsystems(closure: Closure, home: Vec) -> Hanging:
    """The subsystems of a mechanism whose loops close at spherical joints; `home` (nq,) gives the reference turns.

    Raises:
        ArgumentError: some loop closes otherwise, or a body floats free; the message names it.
    """
    require_rigid(closure)
    if closure.couplings:
        raise ArgumentError(
            f"coupling '{closure.couplings[0].name}' is not a spherical joint, and Hanzaki cuts only those"
        )
    for loop in closure.loops:
        if not loop.kind.turns_about_point:
            kind = type(loop.kind).__name__.lower()
            raise ArgumentError(f"loop '{loop.name}' closes at a {kind} joint, and Hanzaki cuts spherical joints only")
    if not closure.loops:
        raise ArgumentError("it has no loop to cut")
    return _order_bodies(closure, home)


def _order_bodies(closure: Closure, home: Vec) -> Hanging:
    tree = closure.tree
    reached, used = {-1}, set()
    steps: list[Step] = []
    waiting = list(tree.outward)
    while waiting:
        step = next((s for i in waiting if (s := _step_to_body(closure, i, reached)) is not None), None)
        if step is None:
            names = ", ".join(f"'{tree.links[i].name}'" for i in waiting)
            raise ArgumentError(f"bodies {names} float free and no spherical joint holds them")
        waiting.remove(step.outer)
        reached.add(step.outer)
        steps.append(step)
        if isinstance(step, CutStep):
            used.add(step.loop)
    cuts = tuple(n for n in range(len(closure.loops)) if n not in used)
    met = relative_poses(closure, home)
    reference = {}
    for step in steps:
        if isinstance(step, CutStep):
            Q = met[step.loop].Q
            reference[step.joint] = Q if closure.loops[step.loop].far.link == step.outer else Q.T
    return Hanging(tuple(steps), cuts, _number_subsystems(steps, len(tree.links)), reference)


def _step_to_body(closure: Closure, i: int, reached: set[int]) -> Step | None:
    """Step by which body i hangs on those reached: its own joint or, if it floats, the first spherical joint."""
    link = closure.tree.links[i]
    if not link.kind.floats:
        return TreeStep(link.joint, link.parent, i, i, 1.0) if link.parent in reached else None
    for n, loop in enumerate(closure.loops):
        ends = (loop.near.link, loop.far.link)
        if i in ends:
            inner = ends[0] if ends[1] == i else ends[1]
            return CutStep(loop.name, inner, i, n, 1.0) if inner in reached else None
    return None


def _number_subsystems(steps: list[Step], n: int) -> tuple[int, ...]:
    """Bodies joined without passing the base share a number."""
    number = [0] * n
    count = 0
    for step in steps:
        if step.inner < 0:
            number[step.outer], count = count, count + 1
        else:
            number[step.outer] = number[step.inner]
    return tuple(number)
