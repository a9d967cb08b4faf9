"""Table from formulations to their methods."""

from __future__ import annotations

from linkwright.formulations.hanzaki import Hanzaki
from linkwright.formulations.khan import Khan
from linkwright.formulations.leg_by_leg import LegByLeg
from linkwright.formulations.minimal import Minimal
from linkwright.formulations.multipliers import Multipliers
from linkwright.formulations.rao import Rao
from linkwright.formulations.springs import VirtualSprings
from linkwright.solve.dynamics import Dynamics
from linkwright.solve.methods.legs import ByLegs
from linkwright.solve.methods.method import Common, Method
from linkwright.solve.methods.minimal import ByIndependentVelocities
from linkwright.solve.methods.multipliers import ByMultipliers
from linkwright.solve.methods.papers import ByPaper
from linkwright.solve.methods.springs import BySprings
from linkwright.solve.sharing import Sharing

METHODS: dict[type, type[Common]] = {
    Multipliers: ByMultipliers,
    Minimal: ByIndependentVelocities,
    VirtualSprings: BySprings,
    LegByLeg: ByLegs,
    Khan: ByPaper,
    Rao: ByPaper,
    Hanzaki: ByPaper,
}


def method(formulation: object, dynamics: Dynamics, sharing: Sharing) -> Method:
    """The method of a formulation on a mechanism."""
    return METHODS[type(formulation)](formulation, dynamics, sharing)
