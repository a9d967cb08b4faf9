"""Stages: records of everything known about a mechanism before a function of it is traced.

Every record stands on a `Setup` (its `base`, or the base of its base). It is found by looking at values, in `plans`
and above; here it is only followed.
"""

from __future__ import annotations

import hashlib
from dataclasses import Field, fields, replace
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np

from linkwright.dataclass import dataclass, exact_text
from linkwright.formulations.elimination import Plan, SquarePlan
from linkwright.formulations.hybrid_equations import Undriven
from linkwright.formulations.minimal_equations import Partition
from linkwright.functions.setup import Setup
from linkwright.loops.closure import Closure
from linkwright.loops.legs import LegPlans

Sizes = dict[str, tuple[int, ...]]


class Stage(Protocol):
    """Attributes that every stage has, a `Setup` included."""

    @property
    def base(self) -> Any:
        """The stage below, None below a `Setup`."""

    @property
    def setup(self) -> Setup:
        """Trees, closure equations and actuators."""

    @property
    def identity(self) -> str:
        """A hash of everything that decides what is traced."""

    def sizes(self) -> Sizes:
        """Shapes of the arguments, by name."""

    def on(self, setup: Setup) -> Any:
        """The same plans on another setup, whose numbers may be recorded."""


@dataclass(frozen=True)
class Units:
    """Typical sizes: a length [m] of the mechanism, what a unit of each velocity and closure row counts, and the root
    of the inertia along each velocity."""

    length: float
    speeds: tuple[float, ...]
    rows: tuple[float, ...]
    masses: tuple[float, ...]


class _OnSetup:
    """What all stages share; the first field of each is the stage below, here the setup."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    @property
    def base(self) -> Any:
        return getattr(self, fields(self)[0].name)

    @cached_property
    def identity(self) -> str:
        """A hash of the stage below and of the fields."""
        values = [getattr(self, field.name) for field in fields(self)]
        own = [x.identity if hasattr(x, "identity") else x for x in values]
        return hashlib.blake2b(exact_text((type(self).__name__, own)).encode(), digest_size=16).hexdigest()

    def sizes(self) -> Sizes:
        found: Sizes = self.base.sizes()
        return found

    def on(self, setup: Setup) -> Any:
        changed: dict[str, Any] = {fields(self)[0].name: self.base.on(setup)}
        return replace(self, **changed)

    def at(self, values: np.ndarray) -> Any:
        """The same plans, called at other values of the mechanism's inputs."""
        return self.on(self.base.setup.at(values))


class _OnStage(_OnSetup):
    """The same for a stage on another one."""

    @cached_property
    def setup(self) -> Setup:
        found: Setup = self.base.setup
        return found


@dataclass(frozen=True, eq=False)
class PivotCheckedTree(_OnSetup):
    """A tree whose pivots can become small.

    Attributes:
        typical: typical pivots along its velocities, 0 where they stay near it.
        limit: the share of small pivots from which on accelerations are accepted.
    """

    setup: Setup
    typical: tuple[float, ...]
    limit: float


@dataclass(frozen=True, eq=False)
class KKTPlan(_OnSetup):
    """The order in which the bordered matrix [M J^T; J 0] is eliminated.

    Attributes:
        plan: the order. typical: typical sizes of the pivots to watch, 0 for the others.
        units: sizes to which rounding is relative.
        leg_sizes: typical determinants of the legs where the mechanism is solved leg by leg, else ().
    """

    setup: Setup
    plan: Plan
    typical: tuple[float, ...]
    units: Units
    leg_sizes: tuple[float, ...] = ()


@dataclass(frozen=True, eq=False)
class VelocityPartitionPlan(_OnSetup):
    """Independent and dependent velocities, and the order in which the dependent columns of J_c are eliminated."""

    setup: Setup
    partition: Partition

    def sizes(self) -> Sizes:
        return self.setup.sizes() | dict.fromkeys(("v_ind", "a_ind"), (len(self.partition.independent),))


@dataclass(frozen=True, eq=False)
class MinimalEquations(_OnStage):
    """A division with the typical pivots of its dependent columns and of the inertia of its independent velocities."""

    division: VelocityPartitionPlan
    pivots: tuple[float, ...]

    @property
    def partition(self) -> Partition:
        return self.division.partition


@dataclass(frozen=True, eq=False)
class MotionTarget(_OnSetup):
    """What is given of a motion: components of a frame's pose, or the actuators' positions.

    Attributes:
        frame: a frame or body; None for the actuators.
        given: components of the twist rx ry rz x y z that are given (indices 0 to 5), or numbers of the actuators.
        held: indices in v of velocities that stay zero: those of idle freedoms, which nothing else determines.
    """

    setup: Setup
    frame: str | None
    given: tuple[int, ...]
    held: tuple[int, ...] = ()

    def sizes(self) -> Sizes:
        rate, place = (len(self.setup.drives), len(self.setup.drives)) if self.frame is None else (6, 7)
        own = {"target": (place,), "target_rate": (rate,), "target_acceleration": (rate,)}
        return self.setup.sizes() | own


@dataclass(frozen=True, eq=False)
class SquareTarget(_OnStage):
    """As many equations as velocities: the kept closure rows, then some of the given components, then what is held.

    Attributes:
        target: what is given.
        used: indices in `target.given` of those that take part; the others follow from them.
        plan: the order in which the square matrix is eliminated.
        typical: typical sizes of all its pivots, in that order.
        blocks: pivots whose product is the determinant of an irreducible block: its sign is the mode of a leg.
        length: typical length of the mechanism [m].
        speeds, rows: what a unit of each velocity and of every closure row counts.
    """

    target: MotionTarget
    used: tuple[int, ...]
    plan: SquarePlan
    typical: tuple[float, ...]
    blocks: tuple[tuple[int, ...], ...]
    length: float
    speeds: tuple[float, ...]
    rows: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class ClosedLegs(_OnStage):
    """A target whose legs are solved in closed form, and the plans for them."""

    square: SquareTarget
    plans: LegPlans


@dataclass(frozen=True, eq=False)
class HeldFunctions(_OnSetup):
    """Functions of the coordinates that stay while inputs of a mechanism change.

    Attributes:
        frame: a frame or body whose pose stays; None for the actuators' positions.
        given: components of the twist rx ry rz x y z that stay (indices 0 to 5), or numbers of the actuators.
        speeds: indices in v of velocities that stay too: those that nobody drives.
    """

    setup: Setup
    frame: str | None
    given: tuple[int, ...]
    speeds: tuple[int, ...]

    @property
    def count(self) -> int:
        """How many functions there are."""
        return len(self.given) + len(self.speeds)

    def sizes(self) -> Sizes:
        return self.setup.sizes() | {"turn": (3, 3)}


@dataclass(frozen=True, eq=False)
class FixedQuantityPlan(_OnStage):
    """As many functions that stay as there are freedoms, and the order in which [J_c; their Jacobian] is eliminated.

    Attributes:
        functions: the functions. plan: the order. typical: typical sizes of all pivots, in that order.
    """

    functions: HeldFunctions
    plan: SquarePlan
    typical: tuple[float, ...]


@dataclass(frozen=True, eq=False)
class InverseDynamicsPlan(_OnSetup):
    """The order in which [B J_c^T] is eliminated for as many actuators as freedoms, and its typical pivots."""

    setup: Setup
    plan: SquarePlan
    pivots: tuple[float, ...]
    units: Units


@dataclass(frozen=True, eq=False)
class ReducedEffortPlan(_OnSetup):
    """The freedoms that no actuator drives."""

    setup: Setup
    undriven: Undriven


@dataclass(frozen=True, eq=False)
class HybridDynamicsPlan(_OnStage):
    """The order in which [B J_c^T], undriven velocities left out, is eliminated, and its typical pivots."""

    reduced: ReducedEffortPlan
    plan: SquarePlan
    pivots: tuple[float, ...]

    @property
    def undriven(self) -> Undriven:
        return self.reduced.undriven


@dataclass(frozen=True, eq=False)
class SpringPlan(_OnSetup):
    """Closure rows that virtual springs carry; the setup keeps the rows that are left to multipliers.

    Attributes:
        rows: of all closure rows, those on springs.
        plan: the order of the bordered matrix of the rows that are left; None where none are.
    """

    setup: Setup
    rows: tuple[int, ...]
    plan: Plan | None

    @property
    def sprung(self) -> Closure:
        """The closure with the rows that springs carry."""
        return replace(self.setup.closure, kept=self.rows)

    def sizes(self) -> Sizes:
        return self.setup.sizes() | dict.fromkeys(("stiffness", "damping"), (len(self.rows),))


@dataclass(frozen=True, eq=False)
class AlternativeTreePlan(_OnSetup):
    """The same mechanism on another spanning tree, planned for accelerations or for efforts: results are found there
    and brought to the coordinates of the setup."""

    setup: Setup
    inner: KKTPlan | InverseDynamicsPlan
