"""Forward dynamics leg by leg, requested by its record."""

from __future__ import annotations

import numpy as np

from linkwright.compiler import evaluate
from linkwright.dynamics.methods.method import Array, Common, Function
from linkwright.errors import ArgumentError, SingularityError
from linkwright.functions.loop import multiplier_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.loops.legs import legs_and_platform
from linkwright.numerics.tolerances import ACCEPTED_LEG


class ByLegs(Common):
    """Each leg as an inertia at its spherical joint, and one 6 x 6 system for the platform."""

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
            _usual(kinematics),
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


def _usual(kinematics: Kinematics) -> Array:
    """The usual determinant of each leg: the median over sampled configurations."""
    still, idle = (
        np.zeros((len(kinematics.samples), n)) for n in (kinematics.setup.tree.nv, len(kinematics.setup.drives))
    )
    with np.errstate(all="ignore"):
        _, det = evaluate(
            kinematics.all_rows.program(multiplier_functions.legs_forward_dynamics), kinematics.samples, still, idle
        )
    return np.median(np.abs(det), axis=0)
