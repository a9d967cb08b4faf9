"""Methods by multipliers, by independent velocities and by legs, and the table from formulations to methods."""

from __future__ import annotations

from functools import partial

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dynamics.dynamics import Dynamics
from linkwright.dynamics.efforts import effort_function, has_exact_efforts
from linkwright.dynamics.fallback import minimal_kernel, stabilized_kernel
from linkwright.dynamics.independent_velocities import minimal_efforts
from linkwright.dynamics.methods.by_springs import BySprings
from linkwright.dynamics.methods.method import Array, Common, DynamicsMethod, Function, TreeMethod
from linkwright.dynamics.sharing import Sharing
from linkwright.errors import ArgumentError, SingularityError
from linkwright.formulations.formulation import Formulation
from linkwright.formulations.leg_by_leg import LegByLeg
from linkwright.formulations.minimal_equations import Minimal
from linkwright.formulations.multipliers import Baumgarte, Multipliers
from linkwright.formulations.virtual_springs import VirtualSprings
from linkwright.functions import part_names
from linkwright.functions.loop import minimal_functions, multiplier_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.loops.legs import legs_and_platform
from linkwright.mechanism.names import suggest_name
from linkwright.numerics.tolerances import ACCEPTED_LEG
from linkwright.plugins import FORMULATIONS, load_plugins


class ByIndependentVelocities(Common):
    """Loops by the independent velocities; springs, friction and rotors by virtual power."""

    def accelerations(self, wrench: bool) -> Function:
        speeds = velocity_indices(self.dynamics.kinematics, self.formulation.independent)
        return minimal_kernel(self.dynamics, speeds, wrench)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        kinematics = self.dynamics.kinematics
        if not has_exact_efforts(kinematics):
            return effort_function(self.dynamics, self.sharing, wrench, undriven, dense=True)
        force = kinematics.all_rows.function(minimal_functions.virtual_power_forces, wrench=wrench)
        return partial(_projected_efforts, kinematics, force)


def _projected_efforts(kinematics: Kinematics, force: Function, q: Array, *motion: Array) -> Array:
    return minimal_efforts(kinematics, np.asarray(q, dtype=float), force(q, *motion))


def velocity_indices(kinematics: Kinematics, names: tuple[str, ...] | None) -> tuple[int, ...] | None:
    """Indices in v of named independent velocities; None stays None."""
    if names is None:
        return None
    known = list(part_names(kinematics.setup.mech.joints, speeds=True))
    for name in names:
        if name not in known:
            raise ArgumentError(f"independent names the unknown speed {name!r}{suggest_name(name, known)}")
    return tuple(known.index(name) for name in names)


class ByLegs(Common):
    """Each leg as an inertia at its spherical joint, and one 6 x 6 system for the platform."""

    of_loops = False  # refuses trees itself

    def why_not(self) -> str:
        setup = self.dynamics.kinematics.setup
        if legs_and_platform(setup.closure) is not None:
            return ""
        return (
            f"leg by leg does not apply to '{setup.mech.name}': it is not a floating platform on legs of three "
            "velocities that are cut at spherical joints of the platform; Multipliers() applies to every mechanism"
        )

    def accelerations(self, wrench: bool) -> Function:
        if reason := self.why_not():
            raise ArgumentError(reason)
        kinematics = self.dynamics.kinematics
        call, usual = (
            kinematics.all_rows.function(multiplier_functions.legs_forward_dynamics, wrench),
            _typical_leg_determinants(kinematics),
        )

        def checked(q: Array, *more: Array) -> Array:
            a, det = call(q, *more)
            good = np.min(np.abs(det) / usual, axis=-1) > ACCEPTED_LEG
            if a.ndim == 1 and not good:
                raise SingularityError(
                    f"a leg of '{kinematics.setup.mech.name}' is singular: its joints do not determine its spherical "
                    "joint; move it off this position, or use Multipliers()",
                    q=q,
                )
            return np.where(good[..., None], a, np.nan)

        return checked


def _typical_leg_determinants(kinematics: Kinematics) -> Array:
    """The usual determinant of each leg: the median over sampled configurations."""
    still, idle = (
        np.zeros((len(kinematics.samples), n)) for n in (kinematics.setup.tree.nv, len(kinematics.setup.drives))
    )
    with np.errstate(all="ignore"):
        _, det = evaluate(
            kinematics.all_rows.program(multiplier_functions.legs_forward_dynamics), kinematics.samples, still, idle
        )
    return np.median(np.abs(det), axis=0)


class ByMultipliers(Common):
    """Loops by multipliers."""

    def accelerations(self, wrench: bool) -> Function:
        match self.formulation.baumgarte:
            case Baumgarte(rate):
                kernel, pull = stabilized_kernel(self.dynamics, wrench), np.array([rate])

                def stabilized(q: Array, v: Array, tau: Array, *w_ext: Array) -> Array:
                    return kernel(q, v, tau, pull, *w_ext)

                return stabilized
            case _:
                return super().accelerations(wrench)


_METHODS: dict[type[Formulation], type[Common]] = {
    Multipliers: ByMultipliers,
    Minimal: ByIndependentVelocities,
    VirtualSprings: BySprings,
    LegByLeg: ByLegs,
}


def register_formulation(formulation: type[Formulation], method: type[Common]) -> None:
    """Add a way to write the equations of motion: its record, and its method on a mechanism."""
    _METHODS[formulation] = method


def method_of_formulation(formulation: Formulation, dynamics: Dynamics, sharing: Sharing) -> DynamicsMethod:
    """The method of a formulation on a mechanism."""
    if type(formulation) not in _METHODS:
        load_plugins(FORMULATIONS)
    found = _METHODS[type(formulation)]
    if found.of_loops and not dynamics.kinematics.closed:
        found = TreeMethod
    return found(formulation, dynamics, sharing)
