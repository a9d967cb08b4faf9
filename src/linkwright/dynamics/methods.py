"""Protocol of all formulations on a mechanism, methods by multipliers, velocities, legs and springs."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any, ClassVar, Protocol

import numpy as np

from linkwright.compiler import Kernel, evaluate
from linkwright.dataclass import dataclass
from linkwright.dynamics.actuation import exactly_actuated, require_enough
from linkwright.dynamics.dynamics import Dynamics
from linkwright.dynamics.efforts import Sharing, effort_function, has_exact_efforts
from linkwright.dynamics.fallback import forward_kernel, minimal_kernel, stabilized_kernel
from linkwright.dynamics.independent_velocities import minimal_efforts
from linkwright.dynamics.tree_dynamics import tree_kernel
from linkwright.errors import ArgumentError, SingularityError
from linkwright.formulations.elimination import Plan
from linkwright.formulations.formulation import Formulation
from linkwright.formulations.leg_by_leg import LegByLeg
from linkwright.formulations.minimal_equations import Minimal
from linkwright.formulations.multipliers import Baumgarte, Multipliers
from linkwright.formulations.virtual_springs import VirtualSprings
from linkwright.functions import part_names
from linkwright.functions.design_inputs import InputKernel
from linkwright.functions.loop import closure_functions, minimal_functions, multiplier_functions, spring_functions
from linkwright.functions.memo import memo
from linkwright.functions.stages import SpringPlan
from linkwright.functions.store import Kernels
from linkwright.functions.tree import tree_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.loops.closure import Closure
from linkwright.loops.cut_joints import equations_of_cut_joint
from linkwright.loops.legs import legs_and_platform
from linkwright.mechanism.names import suggest_name
from linkwright.mechanism.tree import tree_with_open_joints
from linkwright.numerics.dense import least_norm
from linkwright.numerics.tolerances import ACCEPTED_LEG, NO_EFFECT
from linkwright.plans.elimination_plans import verified_order
from linkwright.plans.rank import independent_rows
from linkwright.plugins import FORMULATIONS, load_plugins

# --- protocol of all formulations on a mechanism ----------------------------------------------------------------------

Array = np.ndarray
Function = Kernel | InputKernel | Callable[..., Array]


class DynamicsMethod(Protocol):
    """A formulation on one mechanism; its functions are made on request."""

    def why_not(self) -> str:
        """Reason why the formulation does not apply; "" where it does. Its functions refuse with this reason."""

    def accelerations(self, wrench: bool) -> Function:
        """Accelerations (..., nv) from q, v, tau and, with `wrench`, w_ext."""

    def efforts(self, wrench: bool, undriven: str) -> Function:
        """Efforts (..., na) from q, v, a and, with `wrench`, w_ext; `undriven` is "refuse" or "free"."""

    def energy(self) -> Callable[..., Array]:
        """Kinetic and potential energy (..., 2) from q, v."""


@dataclass(frozen=True, eq=False)
class DynamicsMethodBase:
    """Base of the methods: functions that most formulations share, forward dynamics by multipliers, efforts, energy.

    Attributes:
        formulation: the record that selects the method.
        dynamics: of the mechanism.
        sharing: how more actuators than freedoms share the work.
        of_loops: whether it differs from others in how it treats loops alone; then trees have `TreeMethod`.
    """

    of_loops: ClassVar[bool] = True

    formulation: Any
    dynamics: Dynamics
    sharing: Sharing

    def why_not(self) -> str:
        return ""

    def accelerations(self, wrench: bool) -> Function:
        return forward_kernel(self.dynamics, wrench)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        return effort_function(self.dynamics, self.sharing, wrench, undriven)

    def energy(self) -> Callable[..., Array]:
        return self.dynamics.kinematics.all_rows.function(tree_functions.energies)


class TreeMethod(DynamicsMethodBase):
    """A mechanism without loops, which all formulations of loops write in the same way."""

    of_loops = False

    def accelerations(self, wrench: bool) -> Function:
        return tree_kernel(self.dynamics.kinematics, wrench)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        second = isinstance(self.formulation, Minimal)  # projects on motions, to compare with
        return effort_function(self.dynamics, self.sharing, wrench, undriven, dense=second)


# --- virtual springs --------------------------------------------------------------------------------------------------


class BySprings(DynamicsMethodBase):
    """Springs instead of the cut joints."""

    def accelerations(self, wrench: bool) -> Function:
        kinematics = self.dynamics.kinematics
        rows = row_coefficients(kinematics, self.formulation)
        call = spring_kernels(kinematics, self.formulation).function(
            spring_functions.spring_forward_dynamics, wrench=wrench
        )
        return lambda q, v, tau, *w_ext: call(q, v, tau, *rows, *w_ext)

    def efforts(self, wrench: bool, undriven: str) -> Function:
        kinematics = self.dynamics.kinematics
        if not exactly_actuated(kinematics):
            require_enough(kinematics)
        force = kinematics.all_rows.function(tree_functions.generalized_forces, wrench=wrench)
        return lambda q, *motion: spring_efforts(kinematics, np.asarray(q, dtype=float), force(q, *motion))

    def energy(self) -> Callable[..., Array]:
        kinematics = self.dynamics.kinematics
        stiffness, _ = row_coefficients(kinematics, self.formulation)
        call = spring_kernels(kinematics, self.formulation).function(spring_functions.spring_energy)
        return lambda q, v: call(q, v, stiffness)


def spring_kernels(kinematics: Kinematics, springs: VirtualSprings) -> Kernels[SpringPlan]:
    """Kernels of the mechanism with the named cut joints on springs and the rest by multipliers."""
    return _spring_kernels(kinematics, springs.at)


@memo()
def row_coefficients(kinematics: Kinematics, springs: VirtualSprings) -> tuple[Array, Array]:
    """Stiffness and damping of every sprung row, [N/m, N m/rad] and [N s/m, N m s/rad]."""
    rows = sprung_rows(kinematics, springs.at)
    weight = row_weights(kinematics, springs.arm)[list(rows)]
    stiffness = _per_row(kinematics, springs, "stiffness", springs.stiffness)
    damping = _per_row(kinematics, springs, "damping", springs.damping)
    if np.any(stiffness <= 0.0):
        raise ArgumentError(f"the stiffness of virtual springs is {springs.stiffness}; it must be above zero")
    return stiffness * weight, damping * weight


def row_weights(kinematics: Kinematics, arm: float | None) -> Array:
    """Factor of the stiffness [N/m] for every closure row: 1 for lengths, arm^2 for angles."""
    length = kinematics.scales.length if arm is None else float(arm)
    if not (np.isfinite(length) and length > 0.0):
        raise ArgumentError(f"the arm of virtual springs is {arm}; give a length above zero, or None")
    closure = kinematics.setup.closure
    lengths = [eq.length for loop in closure.loops for eq in equations_of_cut_joint(loop)]
    lengths += [_is_sliding_velocity(kinematics, c.speeds[0]) for c in closure.couplings]
    return np.where(np.array(lengths, dtype=bool), 1.0, length * length)


def _is_sliding_velocity(kinematics: Kinematics, speed: int) -> bool:
    """True if a coupled velocity slides, so that its coupling's gap is a length."""
    units = [part.unit for link in kinematics.setup.tree.links for part in link.kind.velocities]
    return units[speed] == "m"


def sprung_rows(kinematics: Kinematics, at: tuple[str, ...] | None) -> tuple[int, ...]:
    """Closure rows of the named cut joints and couplings, all: None."""
    owner = row_owners(kinematics.setup.closure)
    if at is None:
        return tuple(range(len(owner)))
    if isinstance(at, str):
        raise ArgumentError(f"at of virtual springs is the text '{at}'; name joints in a tuple such as ('{at}',)")
    for name in at:
        if name not in owner:
            raise ArgumentError(
                f"at of virtual springs names '{name}', which is not a cut joint{suggest_name(name, owner)}"
            )
    return tuple(i for i, name in enumerate(owner) if name in at)


def row_owners(closure: Closure) -> tuple[str, ...]:
    """For every closure row the name of the cut joint or coupling it belongs to."""
    names = [loop.name for loop in closure.loops for _ in equations_of_cut_joint(loop)]
    return (*names, *(c.name for c in closure.couplings))


def _per_row(kinematics: Kinematics, springs: VirtualSprings, title: str, value: Any) -> Array:
    """One number, or one for each named joint, spread over the rows."""
    owner = row_owners(kinematics.setup.closure)
    names = springs.at if springs.at is not None else tuple(dict.fromkeys(owner))
    try:
        given = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"the {title} of virtual springs is {value!r}; give one number, or one for each joint"
        ) from None
    if given.ndim and given.shape != (len(names),):
        raise ArgumentError(
            f"the {title} of virtual springs has {given.size} values for {len(names)} cut joints ({', '.join(names)})"
        )
    if not np.all(np.isfinite(given)) or np.any(given < 0.0):
        raise ArgumentError(f"the {title} of virtual springs is {value}; it must be finite and not negative")
    by_name = dict(zip(names, np.broadcast_to(given, len(names)), strict=True))
    return np.array([by_name[owner[row]] for row in sprung_rows(kinematics, springs.at)], dtype=float)


@memo(valid_at="all")
def _spring_kernels(kinematics: Kinematics, at: tuple[str, ...] | None) -> Kernels[SpringPlan]:
    rows = sprung_rows(kinematics, at)
    left = tuple(i for i in range(kinematics.setup.closure.n_all) if i not in rows)
    tree, simplified = tree_with_open_joints(kinematics.setup.tree), tree_with_open_joints(kinematics.setup.simplified)
    closure = replace(kinematics.setup.closure, tree=simplified, kept=())
    setup = replace(kinematics.setup, tree=tree, simplified=simplified, closure=closure, opened=True)
    if not left:
        return Kernels(SpringPlan(setup, rows, None))
    J = evaluate(kinematics.all_rows.program(closure_functions.closure_jacobian), kinematics.branch_samples)
    J = J / kinematics.scales.rows[:, None] * kinematics.scales.speeds
    kept = tuple(left[i] for i in independent_rows(J[:, list(left)]).kept)
    setup = replace(setup, closure=replace(setup.closure, kept=kept))
    return Kernels(SpringPlan(setup, rows, _plan_rest(kinematics, SpringPlan(setup, rows, None))))


@memo(on_disk="springs")
def _plan_rest(kinematics: Kinematics, unplanned: SpringPlan) -> Plan:
    """The elimination of the rows that no spring carries."""
    kernels, samples = Kernels(unplanned.setup), kinematics.branch_samples
    return verified_order(kinematics.all_rows, kernels, closure_functions.kkt_matrix, samples).plan


def spring_efforts(kinematics: Kinematics, q: Array, force: Array) -> Array:
    """Efforts (..., na) that give the tree forces when the spring forces are eliminated, loops open or not."""
    X = kinematics.compute_at(spring_functions.open_effort_system, q)
    return least_norm(X, force, NO_EFFECT)[..., : len(kinematics.setup.drives)]


# --- methods by multipliers, by independent velocities and by legs, and the table from formulations to methods --------


class ByIndependentVelocities(DynamicsMethodBase):
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


class ByLegs(DynamicsMethodBase):
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


class ByMultipliers(DynamicsMethodBase):
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


_METHODS: dict[type[Formulation], type[DynamicsMethodBase]] = {
    Multipliers: ByMultipliers,
    Minimal: ByIndependentVelocities,
    VirtualSprings: BySprings,
    LegByLeg: ByLegs,
}


def register_formulation(formulation: type[Formulation], method: type[DynamicsMethodBase]) -> None:
    """Add a way to write the equations of motion: its record, and its method on a mechanism."""
    _METHODS[formulation] = method


def method_of_formulation(formulation: Formulation, dynamics: Dynamics, sharing: Sharing) -> DynamicsMethod:
    """The method of a formulation on a mechanism."""
    if type(formulation) not in _METHODS:
        load_plugins(FORMULATIONS)
    found = _METHODS[type(formulation)]
    if found.of_loops and not dynamics.kinematics.has_closure:
        found = TreeMethod
    return found(formulation, dynamics, sharing)
