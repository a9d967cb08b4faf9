"""Dynamics of a mechanism: elimination orders planned on sampled values, and whether every motion moves some mass."""

from __future__ import annotations

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.formulations.elimination import Plan, SquarePlan
from linkwright.formulations.hybrid_equations import Undriven
from linkwright.functions.memo import Cache, memo
from linkwright.functions.setup import Setup, part_names
from linkwright.functions.stages import (
    HybridDynamicsPlan,
    InverseDynamicsPlan,
    KKTPlan,
    MinimalEquations,
    ReducedEffortPlan,
    Units,
    VelocityPartitionPlan,
)
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.kinematics.motions import all_motions
from linkwright.kinematics.undriven_freedoms import find_undriven_freedoms
from linkwright.numerics.dense import decompose_scaled
from linkwright.numerics.tolerances import MASSLESS, NAMED_VELOCITY
from linkwright.plans.elimination_plans import (
    PlannedRows,
    Side,
    cheapest_efforts,
    cheapest_hybrid,
    partition_sizes,
    plan_cheapest_side,
)


@dataclass(frozen=True, eq=False)
class Dynamics:
    """Kernels of a mechanism with loops that depend on its masses; each is planned when first needed.

    Accelerations (`kernels`, `minimal`) need a mass in every motion; efforts (`actuated`) need none.

    Attributes:
        kinematics: what its geometry decides.
        nominal: the dynamics at the nominal values of the mechanism's inputs, where these are others.
    """

    kinematics: Kinematics
    nominal: Dynamics | None = None

    def at(self, values: np.ndarray) -> Dynamics:
        """The dynamics at other values of the mechanism's inputs; nothing is planned or compiled again."""
        return Dynamics(self.kinematics.at(values), self.nominal or self)

    @property
    def identity(self) -> str:
        """A hash of everything that decides what is found."""
        return self.kinematics.identity

    @property
    def setup(self) -> Setup:
        """The mechanism made ready for tracing, with all closure equations."""
        return self.kinematics.setup

    @property
    def cache(self) -> Cache:
        """Cache of other results about the mechanism."""
        return self.kinematics.cache

    @memo(attribute=True, valid_at="all")
    def units(self) -> Units:
        """Typical sizes of velocities, closure equations and inertias, to which rounding is relative."""
        scale = self.kinematics.scales
        masses = self._inertia_sizes()
        return Units(scale.length, tuple(scale.speeds.tolist()), tuple(scale.rows.tolist()), masses)

    @memo(on_disk="inertia sizes")
    def _inertia_sizes(self) -> tuple[float, ...]:
        """The root of the typical inertia along each velocity."""
        inertia = evaluate(self.kinematics.all_rows.program(tree_functions.mass_matrix), self.kinematics.samples)
        return tuple(np.sqrt(np.median(np.abs(np.diagonal(inertia, axis1=1, axis2=2)), axis=0)).tolist())

    @memo(attribute=True, valid_at="all")
    def kernels(self) -> Kernels[KKTPlan]:
        """Kernels with redundant rows left out and the elimination of the bordered matrix planned."""
        rows, plan, typical, legs = self._plan_elimination()
        return Kernels(KKTPlan(rows.on(self.kinematics.independent_rows), plan, typical, self.units, legs))

    @memo(on_disk="elimination")
    def _plan_elimination(self) -> tuple[PlannedRows, Plan, tuple[float, ...], tuple[float, ...]]:
        """Sides, order, typical pivots and determinants of legs of the cheapest elimination."""
        require_mass_in_motions(self.kinematics)
        found = plan_cheapest_side(self.kinematics.all_rows, self.kinematics.row_variants, self.units)
        return PlannedRows.of(found.setup), found.plan, found.typical, found.leg_sizes

    @memo(attribute=True, valid_at="all")
    def minimal(self) -> Kernels[MinimalEquations]:
        """Kernels on the independent velocities, with the pivots to watch when their inertia is inverted."""
        return self._size_pivots(self.kinematics.division)

    @memo(valid_at="all")
    def minimal_on(self, speeds: tuple[int, ...]) -> Kernels[MinimalEquations]:
        """The same kernels with the given velocities as the independent ones."""
        return self._size_pivots(self.kinematics.division_on(speeds))

    def _size_pivots(self, division: VelocityPartitionPlan) -> Kernels[MinimalEquations]:
        return Kernels(MinimalEquations(division, self._partition_sizes(division)))

    @memo(on_disk="sizes of the partition")
    def _partition_sizes(self, division: VelocityPartitionPlan) -> tuple[float, ...]:
        require_mass_in_motions(self.kinematics)
        return partition_sizes(division, self.kinematics.regular_samples(Kernels(division)))

    @memo(attribute=True, valid_at="all")
    def actuated(self) -> Kernels[InverseDynamicsPlan]:
        """Kernels with the order for the efforts of as many actuators as freedoms."""
        setup, mobility = self.kinematics.independent_rows, self.kinematics.mobility
        if len(setup.drives) != mobility:
            raise MechanismError(
                f"mechanism '{setup.mech.name}' has {mobility} degrees of freedom and {len(setup.drives)} actuators"
            )
        rows, plan, sizes = self._plan_efforts()
        return Kernels(InverseDynamicsPlan(rows.on(setup), plan, sizes, self.units))

    @memo(on_disk="efforts")
    def _plan_efforts(self) -> tuple[PlannedRows, SquarePlan, tuple[float, ...]]:
        found = cheapest_efforts(self.kinematics.row_variants, self.units)
        return PlannedRows.of(found.setup), found.plan, found.pivots

    @memo(attribute=True, valid_at="all")
    def hybrid(self) -> Kernels[HybridDynamicsPlan]:
        """Kernels with the order for efforts that leave the freedoms free which no actuator drives.

        For actuators that do not repeat each other, in mechanisms with loops and without.
        """
        setup = self.kinematics.independent_rows if self.kinematics.setup.closure.n_all else self.kinematics.setup
        rows, plan, sizes, undriven = self._plan_hybrid()
        return Kernels(HybridDynamicsPlan(ReducedEffortPlan(rows.on(setup), undriven), plan, sizes))

    @memo(on_disk="hybrid")
    def _plan_hybrid(self) -> tuple[PlannedRows, SquarePlan, tuple[float, ...], Undriven]:
        kinematics = self.kinematics
        sides = (
            kinematics.row_variants
            if kinematics.setup.closure.n_all
            else (Side(kinematics.all_rows, *2 * (all_motions(kinematics).q,)),)
        )
        found = cheapest_hybrid(sides, find_undriven_freedoms(kinematics).undriven)
        return PlannedRows.of(found.setup), found.plan, found.pivots, found.undriven


_SAMPLES = 16


@memo(valid_at="all", on_disk="massless motion")
def velocities_of_massless_motion(kinematics: Kinematics) -> tuple[str, ...]:
    """Velocities of a motion that moves no mass in any of some configurations; () when every motion moves some."""
    if not kinematics.mobility:
        return ()
    q = kinematics.branch_samples[:: max(1, len(kinematics.branch_samples) // _SAMPLES)]
    J = kinematics.scaled_jacobian(kinematics.all_rows, q)
    T = decompose_scaled(J, complete=True).null_space(kinematics.rank.rank)
    M = evaluate(kinematics.all_rows.program(tree_functions.mass_matrix), q) * np.outer(
        kinematics.scales.speeds, kinematics.scales.speeds
    )
    values, motions = np.linalg.eigh(T.transpose(0, 2, 1) @ M @ T)
    if np.any(values[:, 0] > MASSLESS * np.diagonal(M, axis1=1, axis2=2).max(axis=1)):
        return ()
    v = np.abs(T[0] @ motions[0, :, 0])
    names = part_names(kinematics.setup.mech.joints, speeds=True)
    return tuple(name for name, x in zip(names, v, strict=True) if x > NAMED_VELOCITY * v.max())


def require_mass_in_motions(kinematics: Kinematics) -> None:
    """Refuse accelerations of a mechanism with a motion that moves no mass, and name that motion."""
    moving = velocities_of_massless_motion(kinematics)
    if moving:
        listed = ", ".join(f"'{name}'" for name in moving[:6])
        here, way_out = "", "give the bodies they carry a mass or an inertia, or hold one of these joints"
        if kinematics.setup.inputs is not None:
            here = " at the nominal values of its inputs, where its equations are ordered"
            way_out += "; for masses that are inputs, build the model at values with mass: "
            way_out += "build(model.with_parameters(p).mechanism, inputs=[...])"
        raise MechanismError(
            f"mechanism '{kinematics.setup.mech.name}' can move without moving any mass{here}: joints {listed} "
            f"do; {way_out}"
        )
