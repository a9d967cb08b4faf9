"""Dynamics of a mechanism: elimination orders for accelerations and efforts, planned on sampled values."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.errors import MechanismError
from linkwright.kernels import registry
from linkwright.kernels.cache import Cache
from linkwright.kernels.compiled import Kernels
from linkwright.kernels.setup import Setup
from linkwright.kernels.stages import (
    BorderedOrder,
    Division,
    EffortOrder,
    HybridOrder,
    MinimalEquations,
    Reduced,
    Units,
)
from linkwright.solve.kinematics import Kinematics
from linkwright.solve.mass import require_mass
from linkwright.solve.memory import read_plan, read_square, remembered, written
from linkwright.solve.motions import all_motions
from linkwright.solve.nominal import here, planned
from linkwright.solve.planning import (
    Side,
    cheapest,
    cheapest_efforts,
    cheapest_hybrid,
    closure_record,
    partition_sizes,
    read_closure,
    read_record,
)
from linkwright.solve.undriven import freedoms


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
    def setup(self) -> Setup:
        """The mechanism made ready for tracing, with all closure equations."""
        return self.kinematics.setup

    @property
    def cache(self) -> Cache:
        """Cache of other results about the mechanism."""
        return self.kinematics.cache

    @planned
    def units(self) -> Units:
        """Typical sizes of velocities, closure equations and inertias, to which rounding is relative."""
        scale, setup = self.kinematics.scales, self.kinematics.setup
        masses = remembered(setup, "inertia sizes", self._inertia_sizes, lambda x: [float(m) for m in x])
        return Units(scale.length, tuple(scale.speeds.tolist()), tuple(scale.rows.tolist()), tuple(masses))

    def _inertia_sizes(self) -> list[float]:
        """The root of the typical inertia along each velocity."""
        inertia = evaluate(self.kinematics.open.program(registry.MASS_MATRIX), self.kinematics.samples)
        return np.sqrt(np.median(np.abs(np.diagonal(inertia, axis1=1, axis2=2)), axis=0)).tolist()

    @planned
    def kernels(self) -> Kernels[BorderedOrder]:
        """Kernels with redundant rows left out and the elimination of the bordered matrix planned."""
        setup = self.kinematics.kept
        chosen = remembered(setup, "elimination", self._planned, _read_elimination)
        plan, typical, legs = read_plan(chosen["plan"]), tuple(chosen["typical"]), tuple(chosen["legs"])
        kept = replace(setup, closure=read_closure(setup, chosen))
        return Kernels(BorderedOrder(kept, plan, typical, self.units, legs))

    def _planned(self) -> dict[str, Any]:
        """Sides, order and typical pivots of the cheapest elimination."""
        require_mass(self.kinematics)
        found = cheapest(self.kinematics.open, self.kinematics.sides, self.units)
        sizes = {"typical": list(found.typical), "legs": list(found.leg_sizes)}
        return closure_record(found.setup) | {"plan": written(found.plan)} | sizes

    @planned
    def minimal(self) -> Kernels[MinimalEquations]:
        """Kernels on the independent velocities, with the pivots to watch when their inertia is inverted."""
        return self._sized(self.kinematics.division)

    def minimal_on(self, speeds: tuple[int, ...]) -> Kernels[MinimalEquations]:
        """The same kernels with the given velocities as the independent ones."""
        if self.nominal is not None:
            return here(self, self.nominal.minimal_on(speeds))
        return self._sized(self.kinematics.division_on(speeds))

    def _sized(self, division: Division) -> Kernels[MinimalEquations]:
        def made() -> list[float]:
            require_mass(self.kinematics)
            return list(partition_sizes(division, self.kinematics.regular_samples(Kernels(division))))

        sizes = remembered(division, "sizes of the partition", made, lambda x: [float(t) for t in x])
        return Kernels(MinimalEquations(division, tuple(sizes)))

    @planned
    def actuated(self) -> Kernels[EffortOrder]:
        """Kernels with the order for the efforts of as many actuators as freedoms."""
        setup, mobility = self.kinematics.kept, self.kinematics.mobility
        if len(setup.drives) != mobility:
            raise MechanismError(
                f"mechanism '{setup.mech.name}' has {mobility} degrees of freedom and {len(setup.drives)} actuators"
            )
        chosen = remembered(setup, "efforts", self._planned_efforts, _read_efforts)
        kept = replace(setup, closure=read_closure(setup, chosen))
        return Kernels(EffortOrder(kept, read_square(chosen["plan"]), tuple(chosen["sizes"]), self.units))

    @planned
    def hybrid(self) -> Kernels[HybridOrder]:
        """Kernels with the order for efforts that leave the freedoms free which no actuator drives.

        For actuators that do not repeat each other, in mechanisms with loops and without.
        """
        setup = self.kinematics.kept if self.kinematics.setup.closure.n_all else self.kinematics.setup
        chosen = remembered(setup, "hybrid", self._planned_hybrid, _read_hybrid)
        undriven = replace(freedoms(self.kinematics).undriven, sizes=tuple(chosen["inertias"]))
        reduced = Reduced(replace(setup, closure=read_closure(setup, chosen)), undriven)
        return Kernels(HybridOrder(reduced, read_square(chosen["plan"]), tuple(chosen["sizes"])))

    def _planned_hybrid(self) -> dict[str, Any]:
        loops = self.kinematics
        sides = loops.sides if loops.setup.closure.n_all else (Side(loops.open, *2 * (all_motions(loops).q,)),)
        found = cheapest_hybrid(sides, freedoms(loops).undriven)
        sizes = {"sizes": list(found.pivots), "inertias": list(found.undriven.sizes)}
        return closure_record(found.setup) | {"plan": written(found.plan)} | sizes

    def _planned_efforts(self) -> dict[str, Any]:
        found = cheapest_efforts(self.kinematics.sides, self.units)
        return closure_record(found.setup) | {"plan": written(found.plan), "sizes": list(found.pivots)}


def _read_efforts(x: Any) -> dict[str, Any]:
    read_square(x["plan"])
    return read_record(x) | {"plan": x["plan"], "sizes": [float(t) for t in x["sizes"]]}


def _read_hybrid(x: Any) -> dict[str, Any]:
    return _read_efforts(x) | {"inertias": [float(t) for t in x["inertias"]]}


def _read_elimination(x: Any) -> dict[str, Any]:
    read_plan(x["plan"])
    sizes = {name: [float(t) for t in x[name]] for name in ("typical", "legs")}
    return read_record(x) | {"plan": x["plan"]} | sizes
