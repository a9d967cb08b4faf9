"""Laws that hold for every mechanism, tried on a user's own model.

Each result is checked by something that does not share its way of being computed: solvers start elsewhere than at the
solution, the motion is driven, and derivatives by positions, velocities and efforts are compared with differences.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from linkwright.checks import require_instance, require_integer
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.formulations.minimal_equations import Minimal
from linkwright.functions import part_names
from linkwright.mechanism import Joint
from linkwright.mechanism.tree import spanning_tree
from linkwright.model import Model
from linkwright.numerics.tolerances import DIFFERENCE_STEP, LEAST_RATE
from linkwright.plans.scales import characteristic_length, is_length_part
from linkwright.recursion.twist_recursion import advance_coordinates
from linkwright.results.charts import Curve, Panel
from linkwright.results.study_result import StudyContent, StudyResult, StudyTable

_WALK = 8
_MOST_STATES = 1_000_000
_LEAST = 1e-18  # a smaller error is drawn like this one


@dataclass(frozen=True)
class Check:
    """One law: the worst relative error met, the error allowed, or why it could not be tried."""

    name: str
    worst: float
    allowed: float
    skipped: str = ""

    @property
    def passed(self) -> bool:
        """True if the check was skipped or its worst difference is within what is allowed."""
        return bool(self.skipped) or self.worst <= self.allowed


@dataclass(frozen=True)
class SelfTest(StudyResult):
    """The laws that were tried on a model.

    Attributes:
        mechanism: name. states: random closed states. checks: one for each law.
    """

    mechanism: str
    states: int
    checks: tuple[Check, ...]

    @property
    def broken(self) -> tuple[Check, ...]:
        """The laws that do not hold."""
        return tuple(check for check in self.checks if not check.passed)

    def content(self) -> StudyContent:
        """Facts, tables, panels and arrays of the record."""
        tried = [check for check in self.checks if not check.skipped]
        facts = {"mechanism": self.mechanism, "states": self.states, "laws": len(tried), "broken": len(self.broken)}
        rows = [
            [c.name, "skipped", None, None, c.skipped]
            if c.skipped
            else [c.name, "pass" if c.passed else "FAILED", c.worst, c.allowed, ""]
            for c in self.checks
        ]
        columns = dict.fromkeys(("law", "verdict", "largest_relative_error", "allowed", "why_skipped"), "")
        sizes = np.log10([max(check.worst, _LEAST) / check.allowed for check in tried])
        panel = Panel(
            "law", "log10 of the error / allowed", [Curve("", np.arange(1, len(tried) + 1), sizes, dots=True)]
        )
        arrays = {name: np.array([getattr(check, name) for check in tried]) for name in ("worst", "allowed")}
        return StudyContent(
            f"Self-test of {self.mechanism}", facts, [StudyTable("checks", columns, rows)], [panel], arrays
        )


@dataclass(frozen=True)
class _State:
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    a: np.ndarray


class _Skip(Exception):
    """A law that does not apply, with the reason."""


def selftest(model: Model, states: int = 10, seed: int = 0) -> SelfTest:
    """Try every law on random closed states near home.

    >>> import linkwright as lw
    >>> selftest(lw.build(lw.catalog.load("four-bar")), states=3).broken
    ()
    """
    require_instance("model", model, Model, "a Model from linkwright.build")
    rng = np.random.default_rng(require_integer("seed", seed, 0))
    tried = [_random_state(model, rng) for _ in range(require_integer("states", states, 1, _MOST_STATES))]
    checks = tuple(_try_law(name, law, allowed, model, tried) for name, law, allowed in LAWS)
    return SelfTest(model.mechanism.name, len(tried), checks)


def _random_state(model: Model, rng: np.random.Generator) -> _State:
    """A closed configuration on home's branch with random independent velocities and efforts."""
    q = model.assemble().q
    size = _displacement_sizes(model)
    way = rng.uniform(-1.0, 1.0, len(size))
    for _ in range(_WALK):  # in small steps, so that closing does not change the branch
        q = model.assemble(guess=displaced_coordinates(model, q, model.independent_map(q) @ (size * way / _WALK))).q
    v = model.independent_map(q) @ (10.0 * size * rng.normal(size=len(size)))
    tau = rng.normal(size=model.na)
    a = model.forward_dynamics(q, v, tau)
    return _State(q, v, tau, a)


def _displacement_sizes(model: Model) -> np.ndarray:
    """A tenth of a radian, or of the mechanism's characteristic length, for every independent velocity."""
    length = characteristic_length(model.mechanism)
    kinds = {name: part for joint in model.mechanism.joints for name, part in _velocity_parts(joint)}
    return np.array([0.1 * length if is_length_part(kinds.get(name, "")) else 0.1 for name in model.independent])


def _velocity_parts(joint: Joint) -> list[tuple[str, str]]:
    return list(zip(part_names((joint,), speeds=True), joint.kind.v_parts, strict=True))


def displaced_coordinates(model: Model, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
    """Coordinates after a displacement along the velocities, quaternions of unit length."""
    return np.asarray(advance_coordinates(spanning_tree(model.mechanism), q, dv), dtype=float)


def _try_law(
    name: str, law: Callable[[Model, _State], float], allowed: float, model: Model, states: list[_State]
) -> Check:
    try:
        return Check(name, max(law(model, state) for state in states), allowed)
    except _Skip as reason:
        return Check(name, 0.0, allowed, str(reason))
    except LinkwrightError as error:
        singular = "singular" in str(error)
        return Check(name, 0.0, allowed, str(error)) if singular else Check(name, float("inf"), allowed)


def _relative_error(found: np.ndarray, right: np.ndarray) -> float:
    """Largest difference, relative to the largest number."""
    size = max(float(np.abs(right).max(initial=0.0)), LEAST_RATE)
    return float(np.abs(np.asarray(found) - right).max(initial=0.0)) / size


def loops_close(model: Model, s: _State) -> float:
    return float(np.abs(model.closure_residual(s.q)).max(initial=0.0))


def kinematics_return(model: Model, s: _State) -> float:
    """From home, inverse and forward kinematics both lead to the state: by the platform's pose and by the actuators.

    The state was found by a random displacement from home, so that neither solver starts at its solution.
    """
    if not (model.mechanism.loops or model.mechanism.couplings):
        raise _Skip("a tree's joints are its coordinates")
    home, poses = model.assemble().q, _all_body_poses(model, s.q)
    away = _relative_error(_all_body_poses(model, home), poses)
    found, worst = 0, 0.0
    if model.mechanism.platform and model.mobility == 6:
        reached = model.inverse_kinematics(model.frame_pose(s.q, model.mechanism.platform), near=home)[0]
        found, worst = 1, _relative_error(_all_body_poses(model, reached), poses)
    if model.na == model.mobility and _has_all_positions(model):
        reached = model.forward_kinematics(model.actuator_positions(s.q), near=home)[0]
        found, worst = found + 1, max(worst, _relative_error(_all_body_poses(model, reached), poses))
    if not found:
        raise _Skip(f"{model.na} actuators for {model.mobility} freedoms, and no platform with six")
    return worst if away > 0.0 else float("inf")


def _has_all_positions(model: Model) -> bool:
    """Whether every actuator has a position: none drives a joint whose rotation is a quaternion."""
    kinds = {joint.name: joint.kind for joint in (*model.mechanism.joints, *model.mechanism.loops)}
    return not any(kinds[each.joint].has_quaternion for each in model.actuators)


def _actuator_velocity_indices(model: Model) -> list[int]:
    """Indices in v of the actuators."""
    names = _driven_names(model)
    if not set(names) <= set(model.v_names):
        raise _Skip("an actuator stands at a cut joint, whose velocity is not among v")
    return [model.v_names.index(name) for name in names]


def _driven_names(model: Model) -> list[str]:
    """The velocity that every actuator drives, by name."""
    return [each.velocity for each in model.actuators]


def dynamics_return(model: Model, s: _State) -> float:
    """ID(FD(tau)) = tau, or with too many actuators, FD(ID(a)) = a."""
    _needs_actuators(model)
    if model.na < model.mobility:
        raise _Skip(f"{model.na} actuators for {model.mobility} freedoms")
    if model.na == model.mobility:
        return _relative_error(model.inverse_dynamics(s.q, s.v, s.a), s.tau)
    return _relative_error(model.forward_dynamics(s.q, s.v, model.inverse_dynamics(s.q, s.v, s.a)), s.a)


def power_balances(model: Model, s: _State) -> float:
    """The actuators' power, tau times their velocities, is all the power that enters the tree."""
    _needs_actuators(model)
    force = model.generalized_forces(s.q, s.v, s.a)
    size = max(float(np.abs(s.v * force).sum()), LEAST_RATE)
    return abs(float(s.v @ force - s.v[_actuator_velocity_indices(model)] @ s.tau)) / size


def energy_balances(model: Model, s: _State) -> float:
    """Along the driven motion, energy changes by the actuators' power less what friction and dampers take."""
    step = DIFFERENCE_STEP
    ahead, behind = (sum(model.energy(*_state_after_step(model, s, s.a, h))) for h in (step, -step))
    rate = float(ahead - behind) / (2.0 * step)
    power = float(s.v[_actuator_velocity_indices(model)] @ s.tau) if model.na else 0.0
    size = float(np.abs(s.v * model.bias_forces(s.q, s.v)).sum()) + float(np.abs(s.v).max(initial=0.0))
    return abs(rate - power + _dissipated_power(model, s)) / max(size, LEAST_RATE)


def _dissipated_power(model: Model, s: _State) -> float:
    """Power that friction and dampers take: the part of v . h(q, v) that is even in v.

    Inertial forces and gravity are even in v, so that their power is odd.
    """
    return float(0.5 * s.v @ (model.bias_forces(s.q, s.v) - model.bias_forces(s.q, -s.v)))


def _state_after_step(model: Model, s: _State, a: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    return displaced_coordinates(model, s.q, h * s.v + 0.5 * h * h * a), s.v + h * a


def compare_formulations(model: Model, s: _State) -> float:
    """Multipliers and the minimal form give the same accelerations."""
    if not model.mechanism.loops:
        raise _Skip("there are no loops")
    return _relative_error(model.forward_dynamics(s.q, s.v, s.tau, formulation=Minimal()), s.a)


def derivatives_agree(model: Model, s: _State) -> float:
    """Accelerations differentiated by positions, velocities and efforts, and the linear model made of them.

    The loops stay closed to first order on both sides; what is missing is even in the step and cancels.
    """
    rows = [model.v_names.index(name) for name in model.independent]
    R, v_ind, n = model.independent_map(s.q), s.v[rows], len(rows)

    def accelerations(x: np.ndarray, dv: np.ndarray, dtau: np.ndarray) -> np.ndarray:
        q = displaced_coordinates(model, s.q, R @ x)
        return model.forward_dynamics(q, model.independent_map(q) @ (v_ind + dv), s.tau + dtau)

    def difference(which: int, size: int) -> np.ndarray:
        columns = []
        for e in DIFFERENCE_STEP * np.eye(size):
            ahead, behind = (
                accelerations(*_arrays_with_one_step(which, sign * e, (n, n, model.na))) for sign in (1.0, -1.0)
            )
            columns.append((ahead - behind) / (2.0 * DIFFERENCE_STEP))
        return np.array(columns).reshape(size, model.nv).T

    by_x, by_v, by_tau = (difference(which, size) for which, size in enumerate((n, n, model.na)))
    found = model.forward_dynamics_derivatives(s.q, s.v, s.tau)
    A, B = model.linearize(s.q, s.v, s.tau)
    right = np.concatenate([by_x, by_v], axis=1)
    pairs = [(np.concatenate(found[:2], axis=-1), right), (found[2], by_tau)]
    pairs += [(A[n:], right[rows]), (B[n:], by_tau[rows]), (A[:n, n:], np.eye(n))]
    return max(_relative_error(x, y) for x, y in pairs)


def _arrays_with_one_step(which: int, step: np.ndarray, sizes: tuple[int, int, int]) -> list[np.ndarray]:
    """Zeros of the given sizes, the one of number `which` replaced by the step."""
    return [step if i == which else np.zeros(size) for i, size in enumerate(sizes)]


def inverse_derivatives_agree(model: Model, s: _State) -> float:
    """Derivatives of efforts are those of the inverse function: d tau = (d a / d tau)^-1 (d a - a_x dx - a_v dv)."""
    _needs_actuators(model)
    if model.na != model.mobility:
        raise _Skip(f"{model.na} actuators for {model.mobility} freedoms")
    rows = [model.v_names.index(name) for name in model.independent]
    a_x, a_v, a_tau = (x[rows] for x in model.forward_dynamics_derivatives(s.q, s.v, s.tau))
    tau_x, tau_v, tau_a = model.inverse_dynamics_derivatives(s.q, s.v, s.a)
    if not (model.mechanism.loops or model.mechanism.couplings):
        driven = _actuator_velocity_indices(model)
        tau_x, tau_v, tau_a = tau_x[driven], tau_v[driven], tau_a[driven]
    whole = np.eye(len(rows))
    pairs = [(a_tau @ tau_a, whole), (a_tau @ tau_x, -a_x), (a_tau @ tau_v, -a_v)]
    return max(_relative_error(x, y) for x, y in pairs)


def gradients_agree(model: Model, s: _State) -> float:
    """Frame Jacobians, the closure Jacobian and gravity forces against differences of poses, residuals and energy."""
    frame = model.bodies[-1]
    differences = []
    for e in DIFFERENCE_STEP * np.eye(model.nv):
        (x1, R1, gap1, V1), (x0, R0, gap0, V0) = (
            _position_quantities(model, displaced_coordinates(model, s.q, h * e), frame) for h in (1.0, -1.0)
        )
        spin = 0.5 * (R1 @ R0.T - R0 @ R1.T)
        turn = np.array([spin[2, 1], spin[0, 2], spin[1, 0]])
        differences.append(np.concatenate([turn, x1 - x0, gap1 - gap0, [V1 - V0]]) / (2.0 * DIFFERENCE_STEP))
    still = model.bias_forces(s.q, np.zeros(model.nv))  # forces that hold the tree: the potential energy's gradient
    found = [model.frame_jacobian(s.q, frame), model.closure_jacobian(s.q), still[None, :]]
    return _relative_error(np.concatenate(found), np.array(differences).T)


def _all_body_poses(model: Model, q: np.ndarray) -> np.ndarray:
    """Origins and rotations of all bodies, (n_bodies, 4, 3)."""
    poses = model.body_poses(q)
    return np.concatenate([poses.position[:, None, :], poses.rotation], axis=1)


def _position_quantities(model: Model, q: np.ndarray, frame: str) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    pose = model.frame_pose(q, frame)
    return pose.position, pose.rotation, model.closure_residual(q), float(model.energy(q, np.zeros(model.nv))[1])


def _needs_actuators(model: Model) -> None:
    if not model.na:
        raise _Skip("the file names no actuators")


LAWS: tuple[tuple[str, Callable[[Model, _State], float], float], ...] = (
    ("every loop closes", loops_close, 1e-10),
    ("forward kinematics inverts inverse kinematics", kinematics_return, 1e-9),
    ("inverse dynamics inverts forward dynamics", dynamics_return, 1e-8),
    ("the loops do no work", power_balances, 1e-9),
    ("energy changes by the actuators' power", energy_balances, 1e-5),
    ("multipliers and independent coordinates agree", compare_formulations, 1e-8),
    ("derivatives of accelerations agree with differences", derivatives_agree, 1e-5),
    ("derivatives of efforts invert those of accelerations", inverse_derivatives_agree, 1e-7),
    ("Jacobians and gradients agree with differences", gradients_agree, 1e-5),
)
