"""Table from formulations to their methods."""

from __future__ import annotations

from linkwright.dynamics.dynamics import Dynamics
from linkwright.dynamics.methods.by_independent_velocities import ByIndependentVelocities
from linkwright.dynamics.methods.by_legs import ByLegs
from linkwright.dynamics.methods.by_multipliers import ByMultipliers
from linkwright.dynamics.methods.by_springs import BySprings
from linkwright.dynamics.methods.method import Common, DynamicsMethod
from linkwright.dynamics.sharing import Sharing
from linkwright.formulations.formulation import Formulation
from linkwright.formulations.leg_by_leg import LegByLeg
from linkwright.formulations.minimal import Minimal
from linkwright.formulations.multipliers import Multipliers
from linkwright.formulations.springs import VirtualSprings
from linkwright.plugins import FORMULATIONS, load_plugins

_METHODS: dict[type[Formulation], type[Common]] = {
    Multipliers: ByMultipliers,
    Minimal: ByIndependentVelocities,
    VirtualSprings: BySprings,
    LegByLeg: ByLegs,
}


def register_formulation(formulation: type[Formulation], method: type[Common]) -> None:
    """Add a way to write the equations of motion: its record, and its method on a mechanism."""
    _METHODS[formulation] = method


def method(formulation: Formulation, dynamics: Dynamics, sharing: Sharing) -> DynamicsMethod:
    """The method of a formulation on a mechanism."""
    if type(formulation) not in _METHODS:
        load_plugins(FORMULATIONS)
    return _METHODS[type(formulation)](formulation, dynamics, sharing)
