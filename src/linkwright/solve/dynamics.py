"""Dynamics of a mechanism with loops: elimination orders for accelerations and efforts, planned on sampled values."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from linkwright.compiler import evaluate
from linkwright.errors import MechanismError
from linkwright.kernels.kernels import Kernels
from linkwright.kernels.setup import Setup, Units
from linkwright.solve.kinematics import LoopKinematics
from linkwright.solve.mass import require_mass
from linkwright.solve.memory import read_plan, read_square, remembered, written
from linkwright.solve.motions import all_motions
from linkwright.solve.planning import (
    Side,
    cheapest,
    cheapest_efforts,
    cheapest_hybrid,
    closure_record,
    partition_sizes,
    read_closure,
    read_record,
    with_plans,
)
from linkwright.solve.undriven import freedoms


@dataclass(frozen=True, eq=False)
class LoopDynamics:
    """Kernels of a mechanism with loops that depend on its masses; each is planned when first needed.

    Accelerations (`kernels`, `minimal`) need a mass in every motion; efforts (`actuated`) need none.

    Attributes:
        kinematics: what its geometry decides.
    """

    kinematics: LoopKinematics

    @cached_property
    def units(self) -> Units:
        """Typical sizes of velocities, closure equations and inertias, to which rounding is relative."""
        scale, setup = self.kinematics.scales, self.kinematics.setup
        masses = remembered(setup, "inertia sizes", self._inertia_sizes, lambda x: [float(m) for m in x])
        return Units(scale.length, tuple(scale.speeds.tolist()), tuple(scale.rows.tolist()), tuple(masses))

    def _inertia_sizes(self) -> list[float]:
        """The root of the typical inertia along each velocity."""
        inertia = evaluate(self.kinematics.open.program("tree_inertia"), self.kinematics.samples)
        return np.sqrt(np.median(np.abs(np.diagonal(inertia, axis1=1, axis2=2)), axis=0)).tolist()

    @cached_property
    def kernels(self) -> Kernels:
        """Kernels with redundant rows left out and the elimination of the bordered matrix planned."""
        setup = self.kinematics.kept
        chosen = remembered(setup, "elimination", self._planned, _read_elimination)
        plans = replace(
            setup.plans,
            kkt=read_plan(chosen["plan"]),
            typical=tuple(chosen["typical"]),
            leg_sizes=tuple(chosen["legs"]),
            units=self.units,
        )
        return Kernels(replace(setup, closure=read_closure(setup, chosen), plans=plans))

    def _planned(self) -> dict[str, Any]:
        """Sides, order and typical pivots of the cheapest elimination."""
        require_mass(self.kinematics)
        found = cheapest(self.kinematics.open, self.kinematics.sides)
        sizes = {"typical": list(found.plans.typical), "legs": list(found.plans.leg_sizes)}
        return closure_record(found) | {"plan": written(found.plans.kkt)} | sizes

    @cached_property
    def minimal(self) -> Kernels:
        """Kernels on the independent velocities, with the pivots to watch when their inertia is inverted."""
        return self._sized(self.kinematics.kernels)

    def minimal_on(self, speeds: tuple[int, ...]) -> Kernels:
        """The same kernels with the given velocities as the independent ones."""
        return self._sized(self.kinematics.kernels_on(speeds))

    def _sized(self, kernels: Kernels) -> Kernels:
        def made() -> list[float]:
            require_mass(self.kinematics)
            return list(partition_sizes(kernels, self.kinematics.regular_samples(kernels)))

        sizes = remembered(kernels.setup, "sizes of the partition", made, lambda x: [float(t) for t in x])
        return Kernels(with_plans(kernels.setup, partition_sizes=tuple(sizes)))

    @cached_property
    def actuated(self) -> Kernels:
        """Kernels with the order for the efforts of as many actuators as freedoms."""
        setup, mobility = self.kinematics.kept, self.kinematics.mobility
        if len(setup.drives) != mobility:
            raise MechanismError(
                f"mechanism '{setup.mech.name}' has {mobility} degrees of freedom and {len(setup.drives)} actuators"
            )
        chosen = remembered(setup, "efforts", self._planned_efforts, _read_efforts)
        plans = {"efforts": read_square(chosen["plan"]), "effort_sizes": tuple(chosen["sizes"]), "units": self.units}
        return Kernels(with_plans(replace(setup, closure=read_closure(setup, chosen)), **plans))

    @cached_property
    def hybrid(self) -> Kernels:
        """Kernels with the order for efforts that leave the freedoms free which no actuator drives.

        For actuators that do not repeat each other, in mechanisms with loops and without.
        """
        setup = self.kinematics.kept if self.kinematics.setup.closure.n_all else self.kinematics.setup
        chosen = remembered(setup, "hybrid", self._planned_hybrid, _read_hybrid)
        undriven = replace(freedoms(self.kinematics).undriven, sizes=tuple(chosen["inertias"]))
        plans = {"efforts": read_square(chosen["plan"]), "effort_sizes": tuple(chosen["sizes"]), "undriven": undriven}
        return Kernels(with_plans(replace(setup, closure=read_closure(setup, chosen)), **plans))

    def _planned_hybrid(self) -> dict[str, Any]:
        loops = self.kinematics
        sides = loops.sides if loops.setup.closure.n_all else (Side(loops.setup, *2 * (all_motions(loops).q,)),)
        found = cheapest_hybrid(sides, freedoms(loops).undriven)
        assert found.plans.undriven is not None
        sizes = {"sizes": list(found.plans.effort_sizes), "inertias": list(found.plans.undriven.sizes)}
        return closure_record(found) | {"plan": written(found.plans.efforts)} | sizes

    def _planned_efforts(self) -> dict[str, Any]:
        found: Setup = cheapest_efforts(self.kinematics.sides)
        sizes = list(found.plans.effort_sizes)
        return closure_record(found) | {"plan": written(found.plans.efforts), "sizes": sizes}


def _read_efforts(x: Any) -> dict[str, Any]:
    read_square(x["plan"])
    return read_record(x) | {"plan": x["plan"], "sizes": [float(t) for t in x["sizes"]]}


def _read_hybrid(x: Any) -> dict[str, Any]:
    return _read_efforts(x) | {"inertias": [float(t) for t in x["inertias"]]}


def _read_elimination(x: Any) -> dict[str, Any]:
    read_plan(x["plan"])
    sizes = {name: [float(t) for t in x[name]] for name in ("typical", "legs")}
    return read_record(x) | {"plan": x["plan"]} | sizes
