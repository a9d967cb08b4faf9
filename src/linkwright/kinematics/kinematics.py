"""Kinematics of a mechanism: closed configurations, independent equations and velocities; needs no masses."""

from __future__ import annotations

from dataclasses import field, replace
from typing import Any

import numpy as np

from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, AssemblyError, FormatWarning, warn_caller
from linkwright.findings import Finding
from linkwright.formulations.minimal_equations import Partition
from linkwright.functions.definition import Definition
from linkwright.functions.loop import closure_functions
from linkwright.functions.memo import Cache, memo
from linkwright.functions.setup import Setup
from linkwright.functions.stages import VelocityPartitionPlan
from linkwright.functions.store import Kernels
from linkwright.kinematics.closure_diagnosis import find_open_groups
from linkwright.loops.closure import closure_of
from linkwright.loops.cut_joints import equations_of_cut_joint
from linkwright.mechanism.names import list_of_names
from linkwright.mechanism.tree import part_names
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import CLOSED, NAMED_SHARE, REGULAR_STATE
from linkwright.plans.closed_samples import (
    approach_closure,
    close_with_driven_home,
    closed_rows,
    directed_walk_samples,
    home_coordinates,
    random_closed,
    random_walk_samples,
    sample_share,
    velocities_without_home_pose,
)
from linkwright.plans.closure_newton import close_all, right_way_round, row_names
from linkwright.plans.elimination_plans import PlannedRows, Side, cheapest_partition
from linkwright.plans.near_redundancy import (
    Released,
    Tilt,
    near_redundancy_finding,
    nearly_closed,
    released_kernels,
    repeated_but_for_tilt,
    tilt_finding,
)
from linkwright.plans.rank import Rank, RedundantEquation, extreme_values, independent_columns, independent_rows
from linkwright.plans.scales import Scales, random_coordinates, scales_of_mechanism

_STARTS = 256
_NEARLY_CLOSED_STARTS = 4
_STARTS_FROM_FAR = (256, 768)  # random starts, more of them where the first close nothing
_COPIES, _STEPS = 64, 6
_JOURNEYS, _STRIDES = 12, 20
_FEWEST = 4


@dataclass(frozen=True, eq=False)
class Assembled:
    """A closed home, and the closure equations that are left out because they repeat others but for rounding.

    `tilt` is that of an axis for which they are left out, or, where none are, of one that locks a loop.
    """

    q: np.ndarray
    released: tuple[Released, ...] = ()
    tilt: Tilt | None = None


@dataclass(frozen=True, eq=False)
class Kinematics:
    """Everything that the geometry of a mechanism decides; each attribute is found when first needed, always alike.

    Attributes:
        as_drawn: kernels of the spanning tree with all closure equations, as the file draws them.
        cache: what else was found out about the mechanism.
        nominal: the kinematics at the nominal values of the mechanism's inputs, where these are others; rank, plans and
            independent velocities are those found there.
        quiet: give no warning of loops that close only nearly; who asks shows the finding.

    A tree is the case of no loops: every velocity is independent, and its home pose needs no closing.
    """

    as_drawn: Kernels[Setup]
    cache: Cache = field(default_factory=Cache)
    nominal: Kinematics | None = None
    quiet: bool = False

    def at(self, values: np.ndarray) -> Kinematics:
        """The kinematics at other values of the mechanism's inputs; nothing is planned or compiled again."""
        return Kinematics(self.as_drawn.at(values), Cache(), self.nominal or self)

    @property
    def identity(self) -> str:
        """A hash of everything that decides what is found."""
        return self.as_drawn.setup.identity

    @property
    def has_closure(self) -> bool:
        """True if the mechanism has loops or couplings."""
        return bool(self.as_drawn.setup.mech.loops or self.as_drawn.setup.mech.couplings)

    @property
    def setup(self) -> Setup:
        """The mechanism made ready for tracing, with all closure equations."""
        return self.all_rows.setup

    @memo(attribute=True)
    def all_rows(self) -> Kernels[Setup]:
        """Kernels of the spanning tree with all closure equations but those that are released."""
        if not self.released:
            return self.as_drawn
        if self.nominal is None:
            return released_kernels(self.as_drawn, self.released)
        return self.nominal.all_rows.at(self.as_drawn.setup.inputs.values)  # type: ignore[union-attr]

    def compute_at(self, definition: Definition, *state: Any, frame: str | None = None) -> Any:
        """The result of a compiled function with all closure equations; one more array than it takes is w_ext."""
        return self.all_rows.function(definition, len(state) > len(definition.inputs), frame)(*state)

    @memo(attribute=True)
    def released(self) -> tuple[Released, ...]:
        """Closure equations that repeat others and disagree with them by little; they are left out."""
        if self.nominal is not None:
            return self.nominal.released
        if not self.has_closure or isinstance(self._closed_home_or_failure, AssemblyError):
            return ()
        released = self._closed_home_or_failure.released
        if released:
            self._warn(
                near_redundancy_finding(self.as_drawn.setup.mech.name, released, self._closed_home_or_failure.tilt)
            )
        return released

    @property
    def doubts(self) -> tuple[Finding, ...]:
        """What rounded lengths and tilted axes do to the loops: equations that are left out, and loops that lock."""
        if not self.has_closure or isinstance(self._closed_home_or_failure, AssemblyError):
            return ()
        name, found = self.as_drawn.setup.mech.name, self._closed_home_or_failure
        if found.released:
            return (near_redundancy_finding(name, found.released, found.tilt),)
        return () if found.tilt is None else (tilt_finding(name, self.mobility, found.tilt),)

    def _warn(self, found: Finding) -> None:
        if not self.quiet:
            warn_caller(str(found), FormatWarning, found)

    @memo(attribute=True, valid_at="all")
    def scales(self) -> Scales:
        """Typical sizes of the mechanism's velocities and closure equations."""
        return scales_of_mechanism(self.setup.mech, self.setup.closure)

    @memo(attribute=True)
    def home(self) -> np.ndarray:
        """A closed configuration: the file's home pose if it closes, else the nearest, else one from random starts.

        Driven joints, and a platform that floats, stay where the file says, if the loops can close with them there.
        """
        if not self.has_closure:
            return home_coordinates(self.as_drawn) if self.nominal is None else self.nominal.home
        if isinstance(self._closed_home_or_failure, AssemblyError):
            raise self._closed_home_or_failure.with_traceback(None)
        return self._closed_home_or_failure.q

    @memo(attribute=True)
    def _closed_home_or_failure(self) -> Assembled | AssemblyError:
        """The closed home of a mechanism with loops, or why there is none."""
        drawn = self.as_drawn.setup
        drawn.require_one_p()
        try:
            if self.nominal is not None:
                return self._closed_home(self.all_rows, self.nominal.home[None, :])
            return self._first_home()
        except AssemblyError as error:
            return error

    @memo(on_disk="home")
    def _first_home(self) -> Assembled:
        """A closed home near the file's, with what rounded numbers do to its equations."""
        start = home_coordinates(self.as_drawn)[None, :]
        kept = close_with_driven_home(self.as_drawn, start[0])
        found = self._closed_home(self.as_drawn, start) if kept is None else Assembled(kept)
        if found.released:
            return found
        released, tilt = repeated_but_for_tilt(self.as_drawn, found.q)
        if not released:
            return Assembled(found.q, (), tilt)
        others = released_kernels(self.as_drawn, released)
        kept = close_with_driven_home(others, start[0])
        return Assembled(self._closed_home(others, start).q if kept is None else kept, released, tilt)

    def _closed_home(self, kernels: Kernels[Setup], start: np.ndarray) -> Assembled:
        for free in (velocities_without_home_pose(kernels), None):
            near = close_all(kernels, start, free)
            if near.gap[0] < CLOSED and right_way_round(kernels, near.q)[0]:
                return Assembled(near.q[0])
        nearly = nearly_closed(kernels, start[0])
        if nearly is not None:
            return Assembled(*nearly)
        approached = approach_closure(kernels, start[0])
        if approached is not None:
            return Assembled(approached)
        rng, tried, gaps = np.random.default_rng(0), [near.q], [near.gap]
        for count in _STARTS_FROM_FAR:
            closed = close_all(kernels, random_coordinates(kernels.setup.mech, count, rng))
            tried, gaps = [*tried, closed.q], [*gaps, closed.gap]
            found = closed_rows(kernels, np.concatenate(tried))
            if len(found):
                return Assembled(found[np.argmin(np.linalg.norm(found - start, axis=1))])
        q = np.concatenate(tried)
        for i in np.argsort(np.concatenate(gaps))[:_NEARLY_CLOSED_STARTS]:
            if (nearly := nearly_closed(kernels, q[i])) is not None:
                return Assembled(*nearly)
        raise AssemblyError(self._cannot_close(q))

    def _cannot_close(self, tried: np.ndarray) -> str:
        found, name = find_open_groups(self.as_drawn, tried), self.as_drawn.setup.mech.name
        if not found:
            return (
                f"mechanism '{name}' closes only with the axis of a cut joint upside down{self._where()}; turn that "
                "axis round on one side, its 'at' or its 'child_at', by 180 degrees"
            )
        more = f"; {len(found) - 1} more groups of loops stay open" if len(found) > 1 else ""
        return (
            f"loop '{found[0].loop}' of mechanism '{name}' does not close{self._where()}: {found[0].description}"
            f"{more}; {found[0].way_out or 'check the lengths and joint frames of this loop'}"
        )

    def _where(self) -> str:
        inputs = self.as_drawn.setup.inputs
        if inputs is None or inputs.given is None:
            return ""
        values = (f"{name} = {x:.6g}" for name, x in zip(inputs.source.names, inputs.values.tolist(), strict=True))
        return f" at {', '.join(values)}"

    def loop_of_row(self, row: int) -> str:
        """Name of the loop or coupling a closure row belongs to."""
        return row_names(self.setup.closure)[row]

    @memo(attribute=True, valid_at="all")
    def branch_samples(self) -> np.ndarray:
        """Closed configurations on the home pose's own branch, (n, nq)."""
        rng, copies = np.random.default_rng(2), self._count(_COPIES)
        return np.concatenate([self.home[None, :], random_walk_samples(self.all_rows, self.home, copies, _STEPS, rng)])

    @memo(attribute=True, valid_at="all")
    def samples(self) -> np.ndarray:
        """Closed configurations, (n, nq): first of the home pose's branch, in mixed order, then of any."""
        rng = np.random.default_rng(3)
        own = self.branch_samples[rng.permutation(len(self.branch_samples))]
        return np.concatenate([own, random_closed(self.all_rows, self._count(2 * _STARTS), rng)])

    def _count(self, usual: int) -> int:
        """Number of samples: the usual one, or less where velocities are many."""
        return max(min(usual, _FEWEST), round(usual * sample_share(self.all_rows)))

    @memo(attribute=True, valid_at="all")
    def far_samples(self) -> np.ndarray:
        """Closed configurations (n, nq) far along the home pose's branch, where pivots steady near home may vanish."""
        return directed_walk_samples(
            self.all_rows, self.home, self._count(_JOURNEYS), _STRIDES, np.random.default_rng(4)
        )

    @memo(attribute=True, valid_at="all")
    def rank(self) -> Rank:
        """Independent closure equations along the home pose's branch."""
        if not self.has_closure:
            return Rank((), ())
        released, found = self.released, self._find_rank()  # what is released is warned of, the rank remembered or not
        if (
            not isinstance(self._closed_home_or_failure, AssemblyError)
            and self._closed_home_or_failure.tilt
            and not released
        ):
            self._warn(
                tilt_finding(self.setup.mech.name, self.setup.tree.nv - found.rank, self._closed_home_or_failure.tilt)
            )
        return found

    @memo(on_disk="rank")
    def _find_rank(self) -> Rank:
        return independent_rows(self.scaled_jacobian(self.all_rows, self.branch_samples))

    def scaled_jacobian(self, kernels: Kernels, q: np.ndarray) -> np.ndarray:
        """Closure Jacobians (n, rows, nv) of the rows that some kernels keep, in units of the mechanism's size."""
        J = kernels.values(closure_functions.closure_jacobian, q)
        return J / kernels.setup.closure.select(self.scales.rows)[:, None] * self.scales.speeds

    @memo(attribute=True, valid_at="all")
    def redundancy(self) -> tuple[RedundantEquation, ...]:
        """The closure equations that follow from the others."""
        rows = [(loop.name, eq.description) for loop in self.setup.closure.loops for eq in equations_of_cut_joint(loop)]
        couplings = [(c.name, "the coupled joints keep their ratio") for c in self.setup.closure.couplings]
        return tuple(
            RedundantEquation(
                "redundant-equation" if row < len(rows) else "redundant-coupling",
                name,
                text,
                f"loop '{name}': that {text} follows from the other equations; the force it carries cannot be "
                "found from the motion",
            )
            for row in self.rank.redundant
            for name, text in [(rows + couplings)[row]]
        )

    @memo(attribute=True, valid_at="all")
    def mobility(self) -> int:
        """Degrees of freedom: velocities less independent closure equations."""
        return self.setup.tree.nv - self.rank.rank

    @memo(attribute=True, valid_at="all")
    def independent_rows(self) -> Setup:
        """The setup with redundant closure equations left out, loops written as the file draws them."""
        rows = self.rank.kept if self.rank.redundant else None
        return replace(self.setup, closure=replace(self.setup.closure, kept=rows))

    @memo(attribute=True, valid_at="all")
    def kept_kernels(self) -> Kernels[Setup]:
        """Kernels with redundant closure equations left out."""
        return Kernels(self.independent_rows) if self.rank.redundant else self.all_rows

    @memo(attribute=True, valid_at="all")
    def _kept_samples(self) -> np.ndarray:
        """Samples in which the kept equations are independent."""
        found = self.regular_samples(self.kept_kernels)
        if not len(found):
            raise AssemblyError(self._shaky())
        return found

    def _shaky(self) -> str:
        """Which loops are nearly dependent everywhere, and the motion that they allow to first order."""
        x = decompose_scaled(self.scaled_jacobian(self.kept_kernels, self.home[None, :])[0])
        rows, speeds = np.array(self.rank.kept), part_names(self.setup.mech.joints, speeds=True)
        loops = dict.fromkeys(self.loop_of_row(int(rows[i])) for i in np.flatnonzero(np.abs(x.U[:, -1]) > NAMED_SHARE))
        moving = [speeds[i] for i in np.flatnonzero(np.abs(x.Vt[-1]) > NAMED_SHARE)]
        which, name = list_of_names("loop", "loops", list(loops)), self.setup.mech.name
        return (
            f"mechanism '{name}': in all {len(self.samples)} configurations tried the closure equations of {which} are "
            f"nearly dependent (smallest singular value {x.distance(len(x.s)):.1e} of the largest): "
            f"{list_of_names('joint', 'joints', moving)} can begin to move and not go on, so that its freedoms "
            "cannot be "
            "counted; change a length or an axis of this loop, give one of its joints more freedom, or leave it out"
        )

    @memo(attribute=True, valid_at="all")
    def row_variants(self) -> tuple[Side, ...]:
        """The mechanism with its loops written on the parents' sides and on the children's.

        Equations that repeat others on one side may be needed on the other, so that each has rows of its own.
        """
        loops, released, out = len(self.setup.mech.loops), self.setup.closure.released, []
        both = [(False,) * loops] if any(released) else [(False,) * loops, (True,) * loops]
        for flipped in dict.fromkeys(both):
            closure = closure_of(self.setup.mech, self.setup.simplified, flipped, released)
            there = replace(self.independent_rows, closure=closure)
            if self.rank.redundant:
                every = self.scaled_jacobian(Kernels(there), self.branch_samples)
                there = replace(there, closure=replace(there.closure, kept=independent_rows(every).kept))
            kernels = Kernels(there)
            out.append(Side(kernels, self.regular_samples(kernels), self._regular_far(kernels)))
        return tuple(out)

    def regular_samples(self, kernels: Kernels) -> np.ndarray:
        """Samples in which the rows some kernels keep are independent; others lie on branches with more freedom."""
        return self._with_all_rows if kernels.setup.closure.kept is None else self._regular(kernels, self.samples)

    def _regular_far(self, kernels: Kernels) -> np.ndarray:
        """Far samples, (n, nq), in which the rows some kernels keep are independent."""
        if kernels.setup.closure.kept is None:
            return self._far_with_all_rows
        return self._regular(kernels, self.far_samples)

    @memo(attribute=True, valid_at="all")
    def _with_all_rows(self) -> np.ndarray:
        """Samples in which all rows are independent, on whichever side they are written."""
        return self._regular(self.all_rows, self.samples)

    @memo(attribute=True, valid_at="all")
    def _far_with_all_rows(self) -> np.ndarray:
        """Far samples, (n, nq), in which all rows are independent, on whichever side they are written."""
        return self._regular(self.all_rows, self.far_samples)

    def _regular(self, kernels: Kernels, q: np.ndarray) -> np.ndarray:
        """Those of the configurations q (n, nq) in which the rows are independent beyond doubt."""
        J = self.scaled_jacobian(kernels, q)
        if J.shape[1] == 0:
            return q
        least, most = extreme_values(J)
        return q[least > REGULAR_STATE * most]

    @memo(attribute=True, valid_at="all")
    def independent(self) -> tuple[int, ...]:
        """Places in v of the independent velocities: the driven ones, as far as they qualify, and the best others."""
        if not self.has_closure:
            return tuple(range(self.setup.tree.nv))
        return self._find_independent() if self.mobility else ()  # the rank warns of rounded numbers, remembered or not

    @memo(on_disk="independent")
    def _find_independent(self) -> tuple[int, ...]:
        nv, driven = self.setup.tree.nv, [d.speed for d in self.setup.drives if d.speed is not None]
        if len(driven) == self.mobility and self._determine(tuple(driven)):
            return tuple(driven)
        dependent = set(independent_columns(self.scaled_jacobian(self.kept_kernels, self._kept_samples)))
        return tuple(i for i in range(nv) if i not in dependent)

    def _determine(self, speeds: tuple[int, ...]) -> bool:
        """True if as many velocities as freedoms determine all others in most configurations."""
        dependent = [i for i in range(self.setup.tree.nv) if i not in speeds]
        if len(set(speeds)) != self.mobility:
            return False
        if not dependent:
            return True
        J = self.kept_kernels.values(closure_functions.closure_jacobian, self._kept_samples) * self.scales.speeds
        least, most = extreme_values(J[:, :, dependent])
        return bool(np.median(least / most) > REGULAR_STATE)

    @memo(attribute=True, valid_at="all")
    def division(self) -> VelocityPartitionPlan:
        """Redundant rows left out, and the elimination of the dependent velocities planned."""
        return self._plan_cheapest_side(self.independent)

    @memo(attribute=True, valid_at="all")
    def kernels(self) -> Kernels[VelocityPartitionPlan]:
        """Kernels on the independent velocities."""
        return Kernels(self.division)

    @property
    def partition(self) -> Partition:
        """The independent and the dependent velocities."""
        return self.division.partition

    @memo(valid_at="all")
    def division_on(self, speeds: tuple[int, ...]) -> VelocityPartitionPlan:
        """The same with the given velocities as the independent ones; refused where those do not qualify."""
        if not self._determine(speeds):
            names = part_names(self.setup.mech.joints, speeds=True)
            raise ArgumentError(
                f"the speeds {[names[i] for i in speeds]} do not determine the motion of '{self.setup.mech.name}', "
                f"with {self.mobility} degrees of freedom; name so many that no two depend on each other"
            )
        return self._plan_cheapest_side(speeds)

    def _plan_cheapest_side(self, speeds: tuple[int, ...]) -> VelocityPartitionPlan:
        """Rows on the side of the loops on which motions cost fewest operations, with a partition planned there."""
        rows, partition = self._plan_partition(speeds)
        return VelocityPartitionPlan(rows.on(self.independent_rows), partition)

    @memo(on_disk="partition")
    def _plan_partition(self, speeds: tuple[int, ...]) -> tuple[PlannedRows, Partition]:
        found = cheapest_partition(self.row_variants, speeds)
        return PlannedRows.of(found.setup), found.partition
