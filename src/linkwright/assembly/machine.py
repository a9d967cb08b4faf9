"""A mechanism with its values looked at: closed configurations, independent equations, elimination orders."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.assembly.mass import require_mass
from linkwright.assembly.memory import read_partition, read_plan, read_rank, read_square, remembered, written
from linkwright.assembly.planning import Side, cheapest, cheapest_efforts, partition, partition_sizes, with_plans
from linkwright.assembly.rank import Rank, independent_rows
from linkwright.assembly.samples import CLOSED, close_all, home, random_closed, right_way_round, unplaced, walk
from linkwright.assembly.scales import Scales, scales
from linkwright.compiler import evaluate
from linkwright.errors import ArgumentError, AssemblyError, MechanismError
from linkwright.formulations.minimal import Partition
from linkwright.kernels.kernels import Kernels
from linkwright.kernels.setup import Setup, Units, part_names
from linkwright.loops.closure import Closure, closure_of
from linkwright.loops.equations import equations

_STARTS = 256
_COPIES, _STEPS = 64, 6
_CONDITION = 1e-6


class Machine:
    """Kernels of a mechanism with loops; what needs values is found when first asked for, always in the same way."""

    def __init__(self, setup: Setup, like: Kernels | None = None) -> None:
        self.open = Kernels(setup, like)

    @property
    def setup(self) -> Setup:
        return self.open.setup

    @cached_property
    def scales(self) -> Scales:
        return scales(self.setup.mech, self.setup.closure)

    @cached_property
    def home(self) -> np.ndarray:
        """A closed configuration: the file's home pose if it closes, else the nearest, else one from random starts.

        A platform that floats stays where the file says, if it can be held there.
        """
        start = home(self.open)[None, :]
        for free in (unplaced(self.open), None):
            near = close_all(self.open, start, free)
            if near.gap[0] < CLOSED and right_way_round(self.open, near.q)[0]:
                return near.q[0]
        found = random_closed(self.open, _STARTS, np.random.default_rng(0))
        if not len(found):
            raise AssemblyError(self._cannot_close())
        return found[np.argmin(np.linalg.norm(found - start, axis=1))]

    def _cannot_close(self) -> str:
        best = close_all(self.open, np.concatenate([home(self.open)[None, :]]))
        gaps = np.abs(self.open.function("closure_residual")(best.q[0]))
        loop = self.loop_of_row(int(np.argmax(gaps)))
        return (
            f"loop '{loop}' of mechanism '{self.setup.mech.name}' does not close: gap {gaps.max():.1e} from the home "
            f"pose, and none of {_STARTS} random starts closed; check the lengths and joint frames of this loop"
        )

    def loop_of_row(self, row: int) -> str:
        """Name of the loop or coupling a closure row belongs to."""
        names = [loop.name for loop in self.setup.closure.loops for _ in equations(loop)]
        names += [c.name for c in self.setup.closure.couplings]
        return names[row]

    @cached_property
    def branch_samples(self) -> np.ndarray:
        """Closed configurations on the home pose's own branch."""
        rng = np.random.default_rng(2)
        return np.concatenate([self.home[None, :], walk(self.open, self.home, _COPIES, _STEPS, rng)])

    @cached_property
    def samples(self) -> np.ndarray:
        """Closed configurations: first of the home pose's branch, in mixed order, then of any."""
        rng = np.random.default_rng(3)
        own = self.branch_samples[rng.permutation(len(self.branch_samples))]
        return np.concatenate([own, random_closed(self.open, 2 * _STARTS, rng)])

    @cached_property
    def rank(self) -> Rank:
        """Independent closure equations along the home pose's branch."""
        return remembered(self.setup, "rank", self._found_rank, read_rank)

    def _found_rank(self) -> Rank:
        return independent_rows(self._scaled_jacobian(self.open, self.branch_samples))

    def _scaled_jacobian(self, kernels: Kernels, q: np.ndarray) -> np.ndarray:
        """Closure Jacobians (n, rows, nv) of the rows that some kernels keep, in units of the machine's size."""
        J = evaluate(kernels.program("closure_jacobian"), q)
        return J / kernels.setup.closure.select(self.scales.rows)[:, None] * self.scales.speeds

    def _sides(self, setup: Setup) -> tuple[Side, ...]:
        """A setup with its loops written on the parents' sides and on the children's.

        Equations that repeat others on one side may be needed on the other, so that each has rows of its own.
        """
        loops, sides = len(setup.mech.loops), []
        for flipped in dict.fromkeys([(False,) * loops, (True,) * loops]):
            written_there = replace(setup, closure=closure_of(setup.mech, setup.lean, flipped))
            if self.rank.redundant:
                every = self._scaled_jacobian(Kernels(written_there), self.branch_samples)
                kept = independent_rows(every).kept
                written_there = replace(setup, closure=replace(written_there.closure, kept=kept))
            sides.append(Side(written_there, self._regular_samples(Kernels(written_there))))
        return tuple(sides)

    @cached_property
    def redundancy(self) -> tuple[str, ...]:
        """A sentence for every closure equation that repeats the others."""
        words = [(loop.name, eq.words) for loop in self.setup.closure.loops for eq in equations(loop)]
        words += [(c.name, "the coupled joints keep their ratio") for c in self.setup.closure.couplings]
        return tuple(
            f"loop '{words[row][0]}': that {words[row][1]} follows from the other equations; the force it carries "
            "cannot be told from the motion"
            for row in self.rank.redundant
        )

    @cached_property
    def mobility(self) -> int:
        """Degrees of freedom: speeds less independent closure equations."""
        return self.setup.tree.nv - self.rank.rank

    @cached_property
    def kernels(self) -> Kernels:
        """Kernels with redundant rows left out and the elimination planned."""
        rows = self.rank.kept if self.rank.redundant else None
        setup = replace(self.setup, closure=replace(self.setup.closure, kept=rows))
        chosen = remembered(setup, "elimination", lambda: self._planned(setup), _read_elimination)
        plans = replace(
            setup.plans,
            kkt=read_plan(chosen["plan"]),
            typical=tuple(chosen["typical"]),
            leg_sizes=tuple(chosen["legs"]),
            units=self._units(tuple(chosen["masses"])),
        )
        return Kernels(replace(setup, closure=_closure(setup, chosen), plans=plans))

    def _units(self, masses: tuple[float, ...]) -> Units:
        return Units(self.scales.length, tuple(self.scales.speeds.tolist()), tuple(self.scales.rows.tolist()), masses)

    def _planned(self, setup: Setup) -> dict[str, Any]:
        """Sides, order and typical pivots of the cheapest elimination."""
        require_mass(self)
        found = cheapest(self.open, self._sides(setup))
        inertia = evaluate(self.open.program("tree_inertia"), self.samples)
        masses = np.sqrt(np.median(np.abs(np.diagonal(inertia, axis1=1, axis2=2)), axis=0)).tolist()
        sizes = {"typical": list(found.plans.typical), "legs": list(found.plans.leg_sizes), "masses": masses}
        return _written_closure(found) | {"plan": written(found.plans.kkt)} | sizes

    def _regular_samples(self, kernels: Kernels) -> np.ndarray:
        """Samples in which the rows some kernels keep are independent; others lie on branches with more freedom."""
        J = self._scaled_jacobian(self.open if kernels.setup.closure.kept is None else kernels, self.samples)
        if J.shape[1] == 0:
            return self.samples
        values = np.linalg.svd(J, compute_uv=False)
        return self.samples[values[:, -1] > _CONDITION * values[:, 0]]

    @cached_property
    def minimal(self) -> Kernels:
        """The same kernels with independent speeds chosen: the actuators when they qualify."""
        return self._divided(remembered(self.kernels.setup, "partition", self._partitioned, read_partition))

    def minimal_on(self, speeds: tuple[int, ...]) -> Kernels:
        """The same kernels with the given speeds as the independent ones."""
        setup = self.kernels.setup
        regular = self._regular_samples(self.kernels)
        if not self._qualifies(speeds, regular):
            names = part_names(setup.mech.joints, speeds=True)
            raise ArgumentError(
                f"the speeds {[names[i] for i in speeds]} do not determine the motion of '{setup.mech.name}', with "
                f"{self.mobility} degrees of freedom; name so many that no two depend on each other"
            )
        part = remembered(
            setup, f"partition {speeds}", lambda: partition(self.kernels, regular, speeds), read_partition
        )
        return self._divided(part)

    def _divided(self, part: Partition) -> Kernels:
        """The same kernels with a partition of the speeds, and the pivots to watch there."""
        setup = with_plans(self.kernels.setup, partition=part)

        def made() -> list[float]:
            return list(partition_sizes(Kernels(setup), self._regular_samples(self.kernels)))

        sizes = remembered(setup, "sizes of the partition", made, lambda x: [float(t) for t in x])
        return Kernels(with_plans(setup, partition_sizes=tuple(sizes)))

    def _partitioned(self) -> Partition:
        planned = self.kernels
        regular = self._regular_samples(planned)
        driven = tuple(d.speed for d in planned.setup.drives if d.speed is not None)
        wanted = driven if self._qualifies(driven, regular) else None
        return partition(planned, regular, wanted)

    def _qualifies(self, driven: tuple[int, ...], samples: np.ndarray) -> bool:
        """Whether the driven speeds determine all others in most configurations."""
        if len(driven) != self.mobility:
            return False
        J = evaluate(self.kernels.program("closure_jacobian"), samples) * self.scales.speeds
        dependent = [i for i in range(self.setup.tree.nv) if i not in driven]
        if not dependent:
            return True
        values = np.linalg.svd(J[:, :, dependent], compute_uv=False)
        return bool(np.median(values[:, -1] / values[:, 0]) > _CONDITION)

    @cached_property
    def actuated(self) -> Kernels:
        """The same kernels with the order for exact efforts."""
        planned = self.kernels
        na = len(planned.setup.drives)
        if na != self.mobility:
            raise MechanismError(
                f"mechanism '{self.setup.mech.name}' has {self.mobility} degrees of freedom and {na} actuators"
            )
        chosen = remembered(planned.setup, "efforts", self._planned_efforts, _read_efforts)
        setup = replace(planned.setup, closure=_closure(planned.setup, chosen))
        return Kernels(with_plans(setup, efforts=read_square(chosen["plan"]), effort_sizes=tuple(chosen["sizes"])))

    def _planned_efforts(self) -> dict[str, Any]:
        found = cheapest_efforts(self._sides(self.kernels.setup))
        sizes = list(found.plans.effort_sizes)
        return _written_closure(found) | {"plan": written(found.plans.efforts), "sizes": sizes}


def _written_closure(setup: Setup) -> dict[str, Any]:
    """The sides on which the loops are written and the rows kept there, as JSON values."""
    return {"flipped": [loop.flipped for loop in setup.closure.loops], "kept": setup.closure.kept}


def _read_closure(x: Any) -> dict[str, Any]:
    kept = None if x["kept"] is None else [int(row) for row in x["kept"]]
    return {"flipped": [bool(f) for f in x["flipped"]], "kept": kept}


def _closure(setup: Setup, chosen: dict[str, Any]) -> Closure:
    kept = None if chosen["kept"] is None else tuple(chosen["kept"])
    return replace(closure_of(setup.mech, setup.lean, tuple(chosen["flipped"])), kept=kept)


def _read_efforts(x: Any) -> dict[str, Any]:
    read_square(x["plan"])
    return _read_closure(x) | {"plan": x["plan"], "sizes": [float(t) for t in x["sizes"]]}


def _read_elimination(x: Any) -> dict[str, Any]:
    read_plan(x["plan"])
    sizes = {name: [float(t) for t in x[name]] for name in ("typical", "legs", "masses")}
    return _read_closure(x) | {"plan": x["plan"]} | sizes
