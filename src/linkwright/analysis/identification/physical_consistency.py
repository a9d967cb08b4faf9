"""Physically consistent estimation, every pseudo-inertia positive definite, and the mechanism with the result.

The pseudo-inertia [[Sigma, h], [h^T, m]] of a body, Sigma = tr(J)/2 - J, is positive definite exactly where a positive
mass distribution has these moments (Wensing, Kim, Slotine 2018). The estimate is the minimum of a convex function: the
squares of the differences in units of their noise, and a weight times the log-det divergence from the mechanism
(Lee, Wensing, Park 2020), which is infinite at the border. It is found by Newton's method (theory 10.10).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np

from linkwright.analysis.study_budget import StudyBudget
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError, ParameterWarning, warn_caller
from linkwright.forces import ForceElement, Friction, Spring
from linkwright.forces.element import PartForce
from linkwright.functions.loop.regressor_functions import INERTIAL, DynamicParameter, RegressedForce, regressed_forces
from linkwright.mechanism.mechanism import Mechanism
from linkwright.mechanism.records import Actuator, Body, Inertia, Joint
from linkwright.model import Model
from linkwright.numerics.dense import count_above, decompose_scaled, least_norm, singular_values
from linkwright.numerics.tolerances import LEAST_SIZE, NO_EFFECT, ROUNDED_AWAY

# --- physically consistent estimation ---------------------------------------------------------------------------------

Array = np.ndarray
POSITIVE = ("viscous", "coulomb", "rotor", "stiffness", "damping")
_INSIDE = 1e-2  # of a body's typical moments, added to a mechanism's pseudo-inertias that are not positive definite
_BORDER = 1e-9  # of these moments: bodies with smaller eigenvalues are not positive definite
_UNKNOWN = 0.1  # of the typical size, of friction and rotors that are zero in the mechanism
_STEPS = 1000
_SETTLED = 1e-12  # decrement of Newton's method that ends it, relative to the function
_FALL = 0.1  # of the weight, from one minimum to the next


def pseudo_inertia_basis() -> Array:
    """Matrices E (10, 4, 4) with pseudo-inertia = sum of E_k times the k-th inertial parameter."""
    E = np.zeros((10, 4, 4))
    E[0, 3, 3] = 1.0
    for k in range(3):
        E[1 + k, k, 3] = E[1 + k, 3, k] = 1.0
    for n, (i, j) in enumerate(((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2)), start=4):
        J = np.zeros((3, 3))
        J[i, j] = J[j, i] = 1.0
        E[n, :3, :3] = 0.5 * np.trace(J) * np.eye(3) - J
    return E


def pseudo_inertia(phi: Array) -> Array:
    """Pseudo-inertias (..., 4, 4) of inertial parameters (..., 10) about the body's origin."""
    return np.tensordot(np.asarray(phi, dtype=float), pseudo_inertia_basis(), axes=1)


@dataclass(frozen=True, eq=False)
class _Body:
    """Indices of a body's chosen parameters with their matrices, the part that is known, and the prior's inverse.

    Attributes:
        moved: the prior is not the mechanism's, which is not positive definite.
    """

    at: Array
    E: Array
    known: Array
    inverse: Array
    moved: bool

    def matrix(self, x: Array) -> Array:
        return self.known + np.tensordot(x[self.at], self.E, axes=1)


@dataclass(frozen=True, eq=False)
class Consistency:
    """Border of physically consistent parameters x (n,), and the divergence from the mechanism's.

    Attributes:
        start: a point inside, near the mechanism's values. bodies: matrix inequalities.
        positive: indices of numbers above zero. free: indices of the others, and `scale` their typical sizes.
        moved: names of bodies and parameters that begin elsewhere than in the mechanism, where they are on the border.
    """

    start: Array
    bodies: tuple[_Body, ...]
    positive: Array
    free: Array
    scale: Array
    moved: tuple[str, ...]

    @staticmethod
    def of(chosen: Sequence[DynamicParameter], every: Sequence[DynamicParameter], scale: Array) -> Consistency:
        """The inequalities of chosen parameters of a mechanism with all of `every`; `scale` (n,) are typical sizes."""
        x = np.array([each.value for each in chosen], dtype=float)
        subjects = dict.fromkeys(each.subject for each in chosen if each.group == "inertial")
        bodies = []
        for subject in subjects:
            own = {each.kind: i for i, each in enumerate(chosen) if each.subject == subject and each.kind in INERTIAL}
            values = {each.kind: float(each.value) for each in every if each.subject == subject}
            sizes = np.array([scale[own[kind]] if kind in own else 0.0 for kind in INERTIAL])
            bodies.append(_body_inequality(x, own, values, sizes))
        inertial = [i for i, each in enumerate(chosen) if each.group == "inertial"]
        positive = np.array([i for i, each in enumerate(chosen) if each.kind in POSITIVE], dtype=int)
        free = np.array([i for i in range(len(x)) if i not in {*inertial, *positive.tolist()}], dtype=int)
        moved = [subject for subject, body in zip(subjects, bodies, strict=True) if body.moved]
        moved += [chosen[i].name for i in positive if not x[i] > 0.0]
        x[positive] = np.where(x[positive] > 0.0, x[positive], _UNKNOWN * scale[positive])
        return Consistency(x, tuple(bodies), positive, free, scale, tuple(moved))

    def value(self, x: Array) -> float:
        """The divergence; infinite outside."""
        total = 0.0
        for body in self.bodies:
            P = body.matrix(x)
            try:
                L = np.linalg.cholesky(P)
            except np.linalg.LinAlgError:
                return np.inf
            total += float(np.sum(body.inverse * P) - 2.0 * np.sum(np.log(np.diag(L))))
        share = x[self.positive] / self.start[self.positive]
        if np.any(share <= 0.0):
            return np.inf
        off = (x[self.free] - self.start[self.free]) / self.scale[self.free]
        return total + float(np.sum(share - np.log(share)) + 0.5 * off @ off)

    def derivatives(self, x: Array) -> tuple[Array, Array]:
        """Gradient (n,) and Hessian (n, n)."""
        g, H = np.zeros(len(x)), np.zeros((len(x), len(x)))
        for body in self.bodies:
            inverse = np.linalg.inv(body.matrix(x))
            X = np.einsum("ij,kjl->kil", inverse, body.E)
            g[body.at] += np.einsum("ij,kji->k", body.inverse, body.E) - np.einsum("kii->k", X)
            H[np.ix_(body.at, body.at)] += np.einsum("kij,lji->kl", X, X)
        i = self.positive
        g[i] += 1.0 / self.start[i] - 1.0 / x[i]
        H[i, i] += 1.0 / x[i] ** 2
        j = self.free
        g[j] += (x[j] - self.start[j]) / self.scale[j] ** 2
        H[j, j] += 1.0 / self.scale[j] ** 2
        return g, H


def _body_inequality(x: Array, own: dict[str, int], values: dict[str, float], sizes: Array) -> _Body:
    """A body's inequality; x is moved inside where the mechanism's values stand on the border."""
    basis = pseudo_inertia_basis()
    at = np.array([own[kind] for kind in INERTIAL if kind in own], dtype=int)
    E = basis[[k for k, kind in enumerate(INERTIAL) if kind in own]]
    known = sum((values[kind] * basis[k] for k, kind in enumerate(INERTIAL) if kind not in own), start=np.zeros((4, 4)))
    m, second = max(sizes[0], LEAST_SIZE), max(float(sizes[4:].max(initial=0.0)), 1e-12)
    P = known + np.tensordot(x[at], E, axes=1)
    inner = _moved_inside(P, np.sqrt(np.array([second, second, second, m])))
    if len(own) == len(INERTIAL):
        x[at] += least_norm(E.reshape(10, 16).T, (inner - P).ravel(), ROUNDED_AWAY)
    else:
        known = known + inner - P
    return _Body(at, E, known, np.linalg.inv(inner), inner is not P)


def _moved_inside(P: Array, root: Array) -> Array:
    """The matrix itself, or one inside where it is on or beyond the border, in units of `root` (4,)."""
    values, V = np.linalg.eigh(P / np.outer(root, root))
    if values[0] >= _BORDER:
        return P
    return np.asarray((V * np.where(values >= _BORDER, values, _INSIDE)) @ V.T * np.outer(root, root))


def needless_parameters(A: Array, chosen: Sequence[DynamicParameter]) -> Array:
    """Friction, rotors and stiffnesses that are zero in the mechanism and that no measurement needs, (n,) of bool.

    The other parameters explain as much without them: the rank of the columns A (m, n) is the same.
    """
    size = np.linalg.norm(A, axis=0)
    R: Array = np.asarray(np.linalg.qr(A / np.where(size > 0.0, size, 1.0), mode="r"))
    rank = _rank_of_equations(R)
    out = np.zeros(len(chosen), dtype=bool)
    for i in reversed(range(len(chosen))):
        if chosen[i].kind in POSITIVE and not chosen[i].value:
            out[i] = True
            out[i] = _rank_of_equations(R[:, ~out]) == rank
    return out


def _rank_of_equations(A: Array) -> int:
    return int(count_above(singular_values(A), NO_EFFECT))


def consistent_estimate(
    A: Array, b: Array, border: Consistency, weight: float, budget: StudyBudget
) -> tuple[Array, int]:
    """The x (n,) that minimizes |A x - b|^2 / 2 + weight times the divergence, and the steps of Newton's method.

    The weight begins where both terms count alike and falls to the given one step by step, away from the border; when
    the time is over, the x of the last weight is taken.
    """
    equations = _Diagonal.of(A, b, border)
    y, steps = equations.start, 0
    now = max(weight, equations.squares(y) / max(len(y), 1))
    with budget.ending_early():
        while True:
            y, taken = _minimum_at_weight(equations, now, y, _STEPS - steps)
            steps += taken
            if now <= weight or steps >= _STEPS:
                break
            budget.require_time()
            now = max(weight, _FALL * now)
    if steps >= _STEPS:
        text = f"the physically consistent estimate has not settled after {_STEPS} steps; check units and measurements"
        warn_caller(text, ParameterWarning)
    return equations.x(y), steps


@dataclass(frozen=True, eq=False)
class _Diagonal:
    """The equations in coordinates y, x = x_0 + T y, with squares |s y - b|^2; s is 0 where they decide nothing.

    Squares may weigh 1e15 times as much as the divergence; apart in y, both keep their digits.
    """

    border: Consistency
    T: Array
    s: Array
    b: Array

    @staticmethod
    def of(A: Array, b: Array, border: Consistency) -> _Diagonal:
        found = decompose_scaled(A, columns=border.scale, complete=A.shape[0] < A.shape[1])
        U, s, V = found.U, found.s, found.Vt.T
        values = np.zeros(A.shape[1])
        values[: len(s)] = np.where(s > NO_EFFECT * s.max(initial=0.0), s, 0.0)
        rest = np.zeros(A.shape[1])
        rest[: len(s)] = U.T @ (b - A @ border.start)
        return _Diagonal(border, border.scale[:, None] * V, values, np.where(values > 0.0, rest, 0.0))

    @property
    def start(self) -> Array:
        return np.zeros(len(self.s))

    def x(self, y: Array) -> Array:
        return np.asarray(self.border.start + self.T @ y)

    def squares(self, y: Array) -> float:
        r = self.s * y - self.b
        return 0.5 * float(r @ r)


def _minimum_at_weight(equations: _Diagonal, weight: float, y: Array, steps: int) -> tuple[Array, int]:
    """The minimum at one weight from y, and the steps taken."""
    border, T, s = equations.border, equations.T, equations.s

    def value(y: Array) -> float:
        return equations.squares(y) + weight * border.value(equations.x(y))

    now = value(y)
    for step in range(1, steps + 1):
        g, H = border.derivatives(equations.x(y))
        gradient = s * (s * y - equations.b) + weight * (T.T @ g)
        hessian = np.diag(s * s) + weight * (T.T @ H @ T)
        d = 1.0 / np.sqrt(np.diag(hessian))
        change = -d * least_norm(hessian * np.outer(d, d), d * gradient, ROUNDED_AWAY)
        decrement = -float(gradient @ change)
        if decrement <= _SETTLED * max(weight, abs(now)):
            return y, step
        y, now, moved = _halve_newton_step(value, y, change, now, decrement)
        if not moved:
            return y, step
    return y, steps


def _halve_newton_step(
    value: Callable[[Array], float], x: Array, change: Array, now: float, decrement: float
) -> tuple[Array, float, bool]:
    """The step, halved until the function falls as it should."""
    for k in range(60):
        share = 0.5**k
        there = value(x + share * change)
        if there <= now - 0.1 * share * decrement:
            return x + share * change, there, True
    return x, now, False


# --- A mechanism with other dynamic parameters ------------------------------------------------------------------------


def mechanism_with(model: Model, theta: Array) -> Mechanism:
    """The mechanism of a model with other values of all its dynamic parameters, (n_theta,).

    Friction goes to the joint where it has some, else to the actuator or, where neither has, to the joint; rotors to
    the actuator where there is one, else to the joint's armature. Offsets of actuators are not part of a mechanism.
    """
    mech, records = model.mechanism, model.regressor_parameters
    new = dict(zip(records.names, np.asarray(theta, dtype=float).tolist(), strict=True))
    old = dict(zip(records.names, records.values.tolist(), strict=True))
    changed = {name: x - old[name] for name, x in new.items() if x != old[name]}
    bodies = tuple(_body_with_values(body, new, changed) for body in mech.bodies)
    forces = tuple(_force_with_values(force, new, changed) for force in mech.forces)
    joints = {joint.name: joint for joint in (*mech.joints, *mech.loops)}
    actuators = {each.name: each for each in mech.actuators}
    for force in regressed_forces(model.setup_here):
        if isinstance(force.element, PartForce) and any(x.name in changed for x in force.parameters):
            _change_velocity_terms(force.element, force, new, changed, joints, actuators)
    return replace(
        mech,
        bodies=bodies,
        joints=tuple(joints[joint.name] for joint in mech.joints),
        loops=tuple(joints[joint.name] for joint in mech.loops),
        actuators=tuple(actuators[each.name] for each in mech.actuators),
        forces=forces,
    )


def inertia_of(phi: Array) -> Inertia:
    """The inertia of ten parameters about the body's origin."""
    m, h = float(phi[0]), np.asarray(phi[1:4])
    xx, xy, xz, yy, yz, zz = phi[4:]
    J = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    if m == 0.0:
        if np.any(h):
            raise ArgumentError("a body has no mass but a first moment; estimate with method='consistent'")
        return Inertia(0.0, (0.0, 0.0, 0.0), tuple(map(tuple, J.tolist())))  # type: ignore[arg-type]
    c = h / m
    J = J - m * (c @ c * np.eye(3) - np.outer(c, c))
    return Inertia(m, tuple(c.tolist()), tuple(map(tuple, J.tolist())))  # type: ignore[arg-type]


def _body_with_values(body: Body, new: Mapping[str, float], changed: Mapping[str, float]) -> Body:
    names = [f"{body.name}.{kind}" for kind in INERTIAL]
    if not any(name in changed for name in names):
        return body
    return replace(body, inertia=inertia_of(np.array([new[name] for name in names])))


def _force_with_values(force: ForceElement, new: Mapping[str, float], changed: Mapping[str, float]) -> ForceElement:
    names = {each.kind: f"{force.name}.{each.kind}" for each in force.linear_parameters()}
    if not set(names.values()) & changed.keys():
        return force
    return force.with_parameters({kind: new[name] for kind, name in names.items()})


def _change_velocity_terms(
    element: PartForce,
    force: RegressedForce,
    new: Mapping[str, float],
    changed: Mapping[str, float],
    joints: dict[str, Joint],
    actuators: dict[str, Actuator],
) -> None:
    """Put the changes of one element's parameters into its joint or its actuator."""
    joint, k, n = joints[element.joint], element.part, joints[element.joint].kind.nv
    mover = next((x for x in actuators.values() if (x.joint, x.dof) == (joint.name, k)), None)
    change = {x.kind: changed.get(x.name, 0.0) for x in force.parameters}
    if element.role == "dissipative":
        added = change.get("viscous", 0.0), change.get("coulomb", 0.0)
        own, other = joint.friction, None if mover is None else mover.friction
        elsewhere = own is not None and getattr(element, "slip", own.slip) != own.slip
        if mover is not None and other is not None and (own is None or elsewhere):
            actuators[mover.name] = replace(mover, friction=_friction_with_values(other, 0, 1, *added))
        else:
            joint = replace(joint, friction=_friction_with_values(own or Friction(), k, n, *added))
    elif element.role == "inertia" and mover is not None:
        inertia = mover.rotor_inertia + change["rotor"] / mover.gear**2
        actuators[mover.name] = replace(mover, rotor_inertia=inertia)
    elif element.role == "inertia":
        joint = replace(joint, armature=_add_to_component(joint.armature, k, n, change["rotor"]))
    elif joint.spring is not None:
        joint = replace(joint, spring=_spring_with_values(joint.spring, k, n, new, element.name))
    joints[joint.name] = joint


def _friction_with_values(friction: Friction, k: int, n: int, viscous: float, coulomb: float) -> Friction:
    return replace(
        friction,
        viscous=_add_to_component(friction.viscous, k, n, viscous) if viscous else friction.viscous,
        coulomb=_add_to_component(friction.coulomb, k, n, coulomb) if coulomb else friction.coulomb,
    )


def _spring_with_values(spring: Spring, k: int, n: int, new: Mapping[str, float], name: str) -> Spring:
    stiffness, preload = new[f"{name}.stiffness"], new[f"{name}.preload"]
    if not stiffness:
        raise ArgumentError(f"the spring at '{name}' has a preload and no stiffness; leave one of them known")
    rest = _add_to_component(spring.rest, k, n, preload / stiffness - (spring.rest[k] if spring.rest else 0.0))
    return Spring(_add_to_component(spring.stiffness, k, n, stiffness - spring.stiffness[k]), rest)


def _add_to_component(values: tuple[float, ...], k: int, n: int, change: float) -> tuple[float, ...]:
    """The values, zeros where there are none, with one of them changed."""
    out = list(values) or [0.0] * n
    out[k] += change
    return tuple(out)
