"""Laws that hold for every machine, tried on a user's own model: each answer checked by a second road."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np

from linkwright.errors import LinkwrightError
from linkwright.formulations.kinds import Minimal
from linkwright.mechanism.tree import spanning_tree
from linkwright.model import Model
from linkwright.recursion.coordinates import advanced

_STEP = 1e-5


@dataclass(frozen=True)
class Check:
    """One law: the worst relative error met, the error allowed, or why it could not be tried."""

    name: str
    worst: float
    allowed: float
    skipped: str = ""

    @property
    def passed(self) -> bool:
        return bool(self.skipped) or self.worst <= self.allowed


@dataclass(frozen=True)
class _State:
    q: np.ndarray
    v: np.ndarray
    tau: np.ndarray
    a: np.ndarray


class _Skip(Exception):
    """A law that does not apply, with the reason."""


def selftest(model: Model, states: int = 10, seed: int = 0) -> tuple[Check, ...]:
    """Try every law on random closed states near home.

    >>> import linkwright as lw
    >>> all(check.passed for check in selftest(lw.build(lw.catalog.load("four-bar")), states=3))
    True
    """
    rng = np.random.default_rng(seed)
    tried = [_state(model, rng) for _ in range(states)]
    return tuple(_tried(name, law, allowed, model, tried) for name, law, allowed in LAWS)


def _state(model: Model, rng: np.random.Generator) -> _State:
    """A closed configuration near home with random independent speeds and efforts."""
    home = model.assemble().q
    R = model.independent_map(home)
    scale = 0.1 * rng.uniform(-1.0, 1.0, R.shape[1])
    q = model.assemble(guess=moved(model, home, R @ scale)).q
    v = model.independent_map(q) @ rng.normal(size=R.shape[1])
    tau = rng.normal(size=model.na)
    a = model.forward_dynamics(q, v, tau)
    return _State(q, v, tau, a)


def moved(model: Model, q: np.ndarray, dv: np.ndarray) -> np.ndarray:
    """Coordinates after a displacement along the speeds, quaternions of unit length."""
    return np.asarray(advanced(spanning_tree(model.mechanism), q, dv), dtype=float)


def _tried(
    name: str, law: Callable[[Model, _State], float], allowed: float, model: Model, states: list[_State]
) -> Check:
    try:
        return Check(name, max(law(model, state) for state in states), allowed)
    except _Skip as reason:
        return Check(name, 0.0, allowed, str(reason))
    except LinkwrightError as error:
        return (
            Check(name, float("inf"), allowed)
            if "singular" not in str(error)
            else Check(name, 0.0, allowed, str(error))
        )


def _error(found: np.ndarray, right: np.ndarray) -> float:
    """Largest difference, relative to the largest number."""
    size = max(float(np.abs(right).max(initial=0.0)), 1e-3)
    return float(np.abs(np.asarray(found) - right).max(initial=0.0)) / size


def loops_close(model: Model, s: _State) -> float:
    return float(np.abs(model.closure_residual(s.q)).max(initial=0.0))


def kinematics_return(model: Model, s: _State) -> float:
    """FK(IK(x)) = x: the platform's pose, else the actuators' positions, lead back to the same joints."""
    if model.mechanism.platform and model.mobility == 6:
        pose = model.frame_pose(s.q, model.mechanism.platform)
        reached = model.from_platform(pose, near=s.q)[0]
        again = model.frame_pose(reached, model.mechanism.platform)
        return max(_error(x, y) for x, y in zip(again, pose, strict=True))
    if not (model.mechanism.loops or model.mechanism.couplings):
        raise _Skip("a tree's joints are its coordinates")
    names = _driven(model)
    if len(names) != model.mobility:
        raise _Skip(f"{len(names)} actuators for {model.mobility} freedoms")
    back = model.from_actuators(s.q[[model.q_names.index(name) for name in names]], near=s.q)[0]
    return _error(back, s.q)


def _driven(model: Model) -> list[str]:
    kinds = {joint.name: joint.kind.v_parts for joint in model.mechanism.joints}
    motors = {motor.name: motor for motor in model.mechanism.actuators}
    chosen = [motors[name].joint if name in motors else name for name in model.actuated]
    if not chosen or any(len(kinds.get(name, "..")) != 1 for name in chosen):
        raise _Skip("the actuators do not stand at joints with one coordinate")
    return chosen


def dynamics_return(model: Model, s: _State) -> float:
    """ID(FD(tau)) = tau, or with too many or too few actuators, FD(ID(a)) = a."""
    _needs_motors(model)
    if model.na == model.mobility:
        return _error(model.inverse_dynamics(s.q, s.v, s.a), s.tau)
    return _error(model.forward_dynamics(s.q, s.v, model.inverse_dynamics(s.q, s.v, s.a)), s.a)


def power_balances(model: Model, s: _State) -> float:
    """The actuators' power, tau times their speeds, is all the power that enters the tree."""
    _needs_motors(model)
    speeds = [model.v_names.index(name) for name in _driven(model)]
    force = model.generalized_forces(s.q, s.v, s.a)
    size = max(float(np.abs(s.v * force).sum()), 1e-3)
    return abs(float(s.v @ force - s.v[speeds] @ s.tau)) / size


def energy_balances(model: Model, s: _State) -> float:
    """Without efforts and friction, kinetic and potential energy together stay along the motion."""
    if _losses(model):
        raise _Skip(_losses(model))
    a = model.forward_dynamics(s.q, s.v, 0.0 * s.tau)
    ahead, behind = (sum(model.energy(*_after(model, s, a, h))) for h in (_STEP, -_STEP))
    rate = float(ahead - behind) / (2.0 * _STEP)
    return abs(rate) / max(float(np.abs(s.v * model.bias_forces(s.q, s.v)).sum()), 1e-3)


def _losses(model: Model) -> str:
    mech = model.mechanism
    if any(joint.friction for joint in (*mech.joints, *mech.loops)) or any(motor.friction for motor in mech.actuators):
        return "friction takes energy out"
    return "dampers take energy out" if any(strut.damping for strut in mech.struts) else ""


def _after(model: Model, s: _State, a: np.ndarray, h: float) -> tuple[np.ndarray, np.ndarray]:
    return moved(model, s.q, h * s.v + 0.5 * h * h * a), s.v + h * a


def formulations_agree(model: Model, s: _State) -> float:
    """Multipliers and the minimal form give the same accelerations."""
    if not model.mechanism.loops:
        raise _Skip("there are no loops")
    return _error(model.forward_dynamics(s.q, s.v, s.tau, formulation=Minimal()), s.a)


def derivatives_agree(model: Model, s: _State) -> float:
    """Derivatives of the accelerations by efforts (linear) and speeds (quadratic): differences over 1 are exact."""
    _needs_motors(model)
    A, B = model.linearise(s.q, s.v, s.tau)
    n = len(model.independent)
    rows = [model.v_names.index(name) for name in model.independent]
    R = model.independent_map(s.q)

    def a_ind(v_ind: np.ndarray, tau: np.ndarray) -> np.ndarray:
        return model.forward_dynamics(s.q, R @ v_ind, tau)[rows]

    v_ind = s.v[rows]
    by_tau = [(a_ind(v_ind, s.tau + e) - a_ind(v_ind, s.tau - e)) / 2.0 for e in np.eye(model.na)]
    worst = _error(B[n:], np.column_stack(by_tau))
    if _losses(model):
        return worst
    by_v = [(a_ind(v_ind + e, s.tau) - a_ind(v_ind - e, s.tau)) / 2.0 for e in np.eye(n)]
    return max(worst, _error(A[n:, n:], np.column_stack(by_v)))


def _needs_motors(model: Model) -> None:
    if not model.na:
        raise _Skip("the file names no actuators")


LAWS: tuple[tuple[str, Callable[[Model, _State], float], float], ...] = (
    ("every loop closes", loops_close, 1e-10),
    ("forward kinematics inverts inverse kinematics", kinematics_return, 1e-9),
    ("inverse dynamics inverts forward dynamics", dynamics_return, 1e-8),
    ("the loops do no work", power_balances, 1e-9),
    ("energy changes by the actuators' power", energy_balances, 1e-5),
    ("multipliers and the minimal form agree", formulations_agree, 1e-8),
    ("derivatives agree with differences", derivatives_agree, 1e-5),
)


def failures(checks: tuple[Check, ...]) -> Iterator[Check]:
    """The laws that were broken."""
    return (check for check in checks if not check.passed)
