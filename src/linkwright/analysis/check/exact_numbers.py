"""A mechanism with exact axes and lengths for rounded ones: what `check --suggest` writes.

Axes and orientations that are those of round angles but for the digits of a file (1.57 for a right angle, 0.707 for
half a square root of 2) become exact. Lengths of loops whose equations disagree by rounding change as little as makes
all equations hold along the motion: at closed configurations q_k, the equations r(p, q_k) = 0 that no motion changes,
U_k^T r = 0 with U_k the left null space of their Jacobian, are solved for the least change of the fewest lengths p.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from linkwright.algebra.transforms import RigidTransform, rpy_of_rotation
from linkwright.algebra.vectors import Vec3
from linkwright.compiler import evaluate
from linkwright.dataclass import dataclass
from linkwright.errors import LinkwrightError
from linkwright.functions import Kernels, setup
from linkwright.functions.loop import closure_functions
from linkwright.kinematics.kinematics import Kinematics
from linkwright.loops.cut_joints import joints_of_loop
from linkwright.mechanism import Joint, Mechanism
from linkwright.mechanism.mechanism import require_mechanism
from linkwright.mechanism.tree import coordinate_slices
from linkwright.numerics.dense import count_above, decompose_scaled, least_norm
from linkwright.numerics.tolerances import CLOSED_STATE, NEARLY_REPEATED, OPEN_STATE, REPEATED_EQUATION
from linkwright.plans.closed_samples import home_coordinates

_ROUNDED = 1e-3  # rad, and of a component of an axis: what two or three digits leave
_STEP = math.pi / 12.0  # round angles are multiples of 15 degrees
_COMPONENTS = np.array(sorted({0.0, 0.5, 1.0, *(math.sqrt(x) for x in (1 / 2, 3 / 4, 1 / 3, 2 / 3))}))
_CONFIGURATIONS, _ROUNDS, _REWEIGHTS = 12, 8, 30
_NUDGE = 1e-6  # of the mean length, for derivatives by lengths


@dataclass(frozen=True)
class NumberChange:
    """A number, or a few together, that a suggestion changes.

    Attributes:
        path: where it is, for example "joints.B.at.x".
        old: what the file says. new: what is exact.
        unit: m, or rad for orientations; "" for axes.
    """

    path: str
    old: tuple[float, ...]
    new: tuple[float, ...]
    unit: str = ""

    def __str__(self) -> str:
        old, new = (", ".join(f"{x:.10g}" for x in values) for values in (self.old, self.new))
        return f"{self.path}: {old} -> {new}{' ' * bool(self.unit)}{self.unit}"


@dataclass(frozen=True)
class Suggestion:
    """A mechanism with exact numbers, and what changed."""

    mechanism: Mechanism
    changes: tuple[NumberChange, ...] = ()


def suggest_exact_numbers(mech: Mechanism) -> Suggestion:
    """The mechanism with exact axes, with lengths whose loops close, and with a home pose that is closed.

    >>> from linkwright import catalog
    >>> suggest_exact_numbers(catalog.load("four-bar")).changes
    ()
    """
    require_mechanism("suggest_exact_numbers", mech)
    exact, turned = _with_exact_directions(mech)
    exact, lengths = _with_closing_lengths(exact)
    exact, home = _with_closed_home(exact)
    return Suggestion(exact, (*turned, *lengths, *home))


# --- axes and orientations --------------------------------------------------------------------------------------------


def _with_exact_directions(mech: Mechanism) -> tuple[Mechanism, list[NumberChange]]:
    changes: list[NumberChange] = []
    sections = {
        section: tuple(_joint_with_exact_directions(joint, f"joints.{joint.name}", changes) for joint in joints)
        for section, joints in (("joints", mech.joints), ("loops", mech.loops))
    }
    return (replace(mech, **sections) if changes else mech), changes  # type: ignore[arg-type]


def _joint_with_exact_directions(joint: Joint, path: str, changes: list[NumberChange]) -> Joint:
    for side in ("at", "child_at"):
        pose: RigidTransform = getattr(joint, side)
        exact = _exact_rotation(pose)
        if exact is not None:
            changes.append(NumberChange(f"{path}.{side}", rpy_of_rotation(pose.R), rpy_of_rotation(exact.R), "rad"))
            joint = replace(joint, at=exact) if side == "at" else replace(joint, child_at=exact)
    for number in (number for number in joint.kind.numbers if number.is_direction):
        axis = getattr(joint.kind, number.key)
        direction = _exact_direction(axis)
        if direction is not None:
            changes.append(NumberChange(f"{path}.{number.key}", tuple(axis), direction))
            joint = replace(joint, kind=joint.kind.with_numbers({number.key: direction}))
    return joint


def _exact_rotation(pose: RigidTransform) -> RigidTransform | None:
    """The pose with round angles, None where they are already or are others."""
    angles = rpy_of_rotation(pose.R)
    near = [_STEP * round(angle / _STEP) for angle in angles]
    rounded = [b if abs(a - b) < _ROUNDED else a for a, b in zip(angles, near, strict=True)]
    exact = RigidTransform.from_rpy(pose.xyz, (rounded[0], rounded[1], rounded[2]))
    apart = float(np.abs(exact.R - pose.R).max())
    return exact if REPEATED_EQUATION < apart < 2.0 * _ROUNDED else None


def _exact_direction(axis: Vec3) -> Vec3 | None:
    """The direction with components of round angles, None where it has them already or is another."""
    unit = np.array(axis, dtype=float) / np.linalg.norm(axis)
    near = _COMPONENTS[np.abs(np.abs(unit)[:, None] - _COMPONENTS).argmin(axis=1)] * np.sign(unit)
    length, apart = float(np.linalg.norm(near)), float(np.abs(near - unit).max())
    if not (abs(length - 1.0) < CLOSED_STATE and REPEATED_EQUATION < apart < _ROUNDED):
        return None
    x, y, z = (float(each) for each in near / length)
    return x, y, z


# --- lengths ----------------------------------------------------------------------------------------------------------


def _with_closing_lengths(mech: Mechanism) -> tuple[Mechanism, list[NumberChange]]:
    """The least change of lengths with which the loops close that now leave equations out."""
    kinematics = _kinematics_of(mech)
    if not (kinematics.has_closure and kinematics.released):
        return mech, []
    paths = list(_lengths_of_loops(kinematics))
    q, values = _spread_samples(kinematics), np.array([mech.value(path) for path in paths])
    made, p = mech, values
    for _ in range(_ROUNDS):
        system = _ClosingSystem(made, paths)
        step, q = system.solve_lengths(q, p - values)
        p = p + step
        made = mech.with_values(dict(zip(paths, p.tolist(), strict=True)))
        if np.abs(step).max(initial=0.0) < CLOSED_STATE * system.scale:
            break
    if _kinematics_of(made).released:
        return mech, []  # the least change does not close them
    moved = np.flatnonzero(np.abs(p - values) > CLOSED_STATE * np.abs(values).max(initial=0.0))
    return made, [NumberChange(paths[i], (float(values[i]),), (float(p[i]),), "m") for i in moved]


def _kinematics_of(mech: Mechanism) -> Kinematics:
    return Kinematics(Kernels(setup(mech, ())), quiet=True)


def _lengths_of_loops(kinematics: Kinematics) -> Iterator[str]:
    """Paths of the lengths other than zero around the loops that leave equations out."""
    mech, drawn = kinematics.as_drawn.setup.mech, kinematics.as_drawn.setup
    left_out = {released.loop for released in kinematics.released}
    around: set[str] = set()
    for loop in drawn.closure.loops:
        names = {*joints_of_loop(drawn.tree, loop), loop.name}
        around |= names if loop.name in left_out or around & names else set()
    for joint in (joint for joint in (*mech.joints, *mech.loops) if joint.name in around):
        for side in ("at", "child_at"):
            lengths = zip("xyz", getattr(joint, side).xyz, strict=True)
            yield from (f"joints.{joint.name}.{side}.{axis}" for axis, x in lengths if abs(x) > CLOSED_STATE)


def _spread_samples(kinematics: Kinematics) -> np.ndarray:
    """Some closed configurations of the branch, the home first, (n, nq)."""
    samples = kinematics.branch_samples
    return samples[np.unique(np.linspace(0, len(samples) - 1, _CONFIGURATIONS).astype(int))]


class _ClosingSystem:
    """The closure equations of a mechanism, and their derivatives by velocities and by lengths."""

    def __init__(self, mech: Mechanism, paths: list[str]) -> None:
        self.mech, self.paths, self.kernels = mech, paths, Kernels(setup(mech, ()))
        self.scale = max(abs(mech.value(path)) for path in paths)

    def residual(self, kernels: Kernels, q: np.ndarray) -> np.ndarray:
        """All residuals, (n, m)."""
        program = kernels.program(closure_functions.closure_residual)
        return np.array([evaluate(program, each) for each in q])

    def by_lengths(self, q: np.ndarray) -> np.ndarray:
        """Derivatives of the residuals by the lengths, (n, m, number of lengths)."""
        nudge, columns = _NUDGE * self.scale, []
        for path in self.paths:
            here = self.mech.value(path)
            ends = [Kernels(setup(self.mech.with_values({path: here + s * nudge}), ())) for s in (1.0, -1.0)]
            columns.append((self.residual(ends[0], q) - self.residual(ends[1], q)) / (2.0 * nudge))
        return np.stack(columns, axis=-1)

    def solve_lengths(self, q: np.ndarray, moved: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """A Newton step of the lengths, which have `moved` so far, and the configurations after it."""
        r, by_p = self.residual(self.kernels, q), self.by_lengths(q)
        J = self.kernels.function(closure_functions.exact_closure_jacobian)(q)
        rows, wanted = [], []
        for J_k, r_k, p_k in zip(J, r, by_p, strict=True):
            found = decompose_scaled(J_k, complete=True)
            fixed = found.U[:, int(count_above(found.s, NEARLY_REPEATED)) :]
            rows.append(fixed.T @ p_k)
            wanted.append(-fixed.T @ r_k)
        A = np.concatenate(rows)
        step = _fewest_changes(A, np.concatenate(wanted) + A @ moved) - moved
        dv = -least_norm(J, r + by_p @ step, NEARLY_REPEATED)
        return step, np.asarray(self.kernels.function(closure_functions.advanced)(q, dv))


def _fewest_changes(A: np.ndarray, b: np.ndarray) -> np.ndarray:
    """A solution of A x = b with few entries other than zero: the least sum of |x|, by squares with weights."""
    x = least_norm(A, b, NEARLY_REPEATED)
    for _ in range(_REWEIGHTS):
        weights = np.abs(x) + _NUDGE * np.abs(x).max(initial=0.0)
        if not weights.any():
            break
        x = weights * least_norm(A * weights, b, NEARLY_REPEATED)
    return np.asarray(x)


# --- the home pose ----------------------------------------------------------------------------------------------------


def _with_closed_home(mech: Mechanism) -> tuple[Mechanism, list[NumberChange]]:
    """The mechanism with the home pose that its loops close with, where the file's leaves them open."""
    kinematics = _kinematics_of(mech)
    if not (kinematics.has_closure and mech.home):
        return mech, []
    try:
        closed = kinematics.home
    except LinkwrightError:
        return mech, []
    drawn = home_coordinates(kinematics.all_rows)
    gap = np.abs(evaluate(kinematics.all_rows.program(closure_functions.closure_residual), drawn)).max(initial=0.0)
    if gap < OPEN_STATE:
        return mech, []
    slices = {name: at for name, (at, _) in coordinate_slices(mech.joints).items()}
    home = tuple((name, tuple(float(x) for x in closed[at])) for name, at in slices.items() if at.stop > at.start)
    moved = [
        (name, drawn[at], closed[at])
        for name, at in slices.items()
        if np.abs(closed[at] - drawn[at]).max(initial=0.0) > CLOSED_STATE
    ]
    changes = [NumberChange(f"home.{name}", tuple(map(float, a)), tuple(map(float, b))) for name, a, b in moved]
    return replace(mech, home=home), changes
