"""Virtual springs: the cut joints pull their two sides together instead of holding them (any scalar).

Every closure equation becomes a spring and a damper: with the gap g of an equation they act with the force
-(k g + b g_dot) along its covector. Nothing is solved for, so subtrees that meet only in cut joints stay apart and the
tree's own recursion does the rest (theory 9.1-9.4). The loops are open here: covectors are the exact gradients of the
gaps, not those of a closed loop, so springs without damping keep the energy.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.vectors import Mat, Vec, cross_product
from linkwright.checks import require_in_range, require_positive, require_real_array, require_texts
from linkwright.dataclass import dataclass
from linkwright.errors import ArgumentError
from linkwright.formulations.formulation import Formulation
from linkwright.joints.closure_rows import Equation, Lead
from linkwright.joints.motion_terms import RelativePose
from linkwright.loops.closure import (
    Closure,
    frame_covectors,
    gaps_of_closure,
    loop_wrenches_on_links,
    relative_poses,
    tree_covector,
)
from linkwright.loops.cut_joints import JointFrame, Loop, equations_of_cut_joint
from linkwright.numerics.tolerances import SMALLEST_SIZE
from linkwright.recursion.inertia import joint_maps
from linkwright.recursion.twist_recursion import Motion


@dataclass(frozen=True)
class VirtualSprings(Formulation):
    """Springs and dampers instead of the cut joints: a closed loop that may open a little.

    Attributes:
        stiffness: of every equation that is a length, [N/m]; one number, or one for each joint in `at`.
        damping: likewise, [N s/m].
        at: the cut joints (and couplings) that become springs; None takes all, the others keep their multipliers.
        arm: the length [m] at which angles count: equations that are angles get stiffness arm^2 [N m/rad] and
            damping arm^2; None takes the mechanism's own typical length.

    >>> VirtualSprings(1e6, 50.0).at is None
    True
    """

    stiffness: float | tuple[float, ...]
    damping: float | tuple[float, ...] = 0.0
    at: tuple[str, ...] | None = None
    arm: float | None = None

    def __post_init__(self) -> None:
        for name in ("stiffness", "damping"):
            given = require_real_array(name, getattr(self, name))
            if given.ndim > 1:
                raise ArgumentError(f"{name} has shape {given.shape}, expected one number, or one for each joint in at")
            object.__setattr__(self, name, tuple(given.tolist()) if given.ndim else float(given))
        if self.at is not None:
            object.__setattr__(self, "at", require_texts("at", self.at, "('D',)"))
        if self.arm is not None:
            arm = require_positive("arm", self.arm, "a length above zero, or None")
            object.__setattr__(self, "arm", require_in_range("arm", arm, SMALLEST_SIZE, 1e30))


def row_spring_energy(closure: Closure, q: Vec, stiffness: Vec) -> Any:
    """Energy stored in springs at the kept rows, [J] (theory 9.2); stiffness (n_rows,), [N/m or N m]."""
    gap = gaps_of_closure(closure, q)
    return 0.5 * np.sum(stiffness * gap * gap)


def spring_rows(closure: Closure, q: Vec, state: Motion, v: Vec, stiffness: Vec, damping: Vec) -> Vec:
    """Forces -(k gap + b rate) along the kept rows, (n_rows,), [N or N m] (theory 9.1, 9.3)."""
    rates = []
    for loop, pose in spring_relative_poses(closure, q):
        omega, vel = _relative_velocity(loop, pose, state)
        for eq in equations_of_cut_joint(loop):
            n, f = open_covector(eq, pose)
            rates.append(n @ omega + f @ vel)
    rates += [v[list(c.speeds)] @ np.array(c.row(q)) for c in closure.couplings]
    rate = closure.select(np.array(rates, dtype=np.result_type(q, v)))
    return -(stiffness * gaps_of_closure(closure, q) + damping * rate)


def spring_relative_poses(closure: Closure, q: Vec) -> list[tuple[Loop, RelativePose]]:
    """Every loop as its spring and damper see it.

    Where a joint keeps two points together the three springs are equally stiff, so that they pull along the gap and
    each side feels a plain force at its own point. The damper resists the difference of the points' velocities in the
    world (Wang's equation 40). Elsewhere covectors carry the moment of the gap, and the damper resists the gap's rate.
    """
    out = []
    for loop, pose in zip(closure.loops, relative_poses(closure, q), strict=True):
        out.append((loop, RelativePose(pose.Q, np.zeros(3)) if loop.kind.keeps_origin else pose))
    return out


def spring_forces(closure: Closure, q: Vec, rows: Vec) -> tuple[list[Vec], Vec]:
    """Effect of forces along the kept rows: wrenches on the links, and tree forces of couplings (theory 9.4).

    Wrenches are in link axes at the links' origins; the rows of one joint must be equally stiff.
    """
    ends, every = [], _values_for_all_rows(closure, rows)
    row = 0
    for loop, pose in spring_relative_poses(closure, q):
        near, far = np.zeros(6), np.zeros(6)
        for eq in equations_of_cut_joint(loop):
            if (size := every[row]) is not None:
                at_near, at_far = frame_covectors(pose, *open_covector(eq, pose))
                near, far = near + size * at_near, far + size * at_far
            row += 1
        ends.append((near, far))
    force = np.zeros(closure.tree.nv, dtype=rows.dtype)
    for coupling, size in zip(closure.couplings, every[row:], strict=True):
        if size is not None:
            force[list(coupling.speeds)] = force[list(coupling.speeds)] + size * np.array(coupling.row(q))
    return loop_wrenches_on_links(closure, ends), force


def open_jacobian(closure: Closure, q: Vec) -> Mat:
    """Exact gradients of the gaps of the kept rows along the speeds, (n_rows, nv), loops open or not."""
    maps, tree = joint_maps(closure.tree, q), closure.tree
    rows = [
        tree_covector(tree, maps, loop, pose, open_covector(eq, pose), q.dtype)
        for loop, pose in zip(closure.loops, relative_poses(closure, q), strict=True)
        for eq in equations_of_cut_joint(loop)
    ]
    for coupling in closure.couplings:
        rows.append(np.zeros(tree.nv, dtype=q.dtype))
        rows[-1][list(coupling.speeds)] = coupling.row(q)
    return closure.select(np.array(rows, dtype=q.dtype).reshape(closure.n_all, tree.nv))


def open_covector(eq: Equation, pose: RelativePose) -> tuple[Vec, Vec]:
    """Covector (n, f) on the relative velocity, near axes, that gives the gap's rate whether the loop is closed or not.

    Only a screw's own covector takes closure for granted; its exact one is the gradient of
    pitch (sin(z / pitch) Q_xx - cos(z / pitch) Q_yx).
    """
    if not isinstance(eq, Lead):
        return eq.covector(pose)
    turned = pose.d[2] * (1.0 / eq.pitch)
    c, s = np.cos(turned), np.sin(turned)
    x, y, z = pose.Q[0, 0], pose.Q[1, 0], pose.Q[2, 0]
    along = c * x + s * y
    zero = 0.0 * along
    return eq.pitch * np.array([c * z, s * z, -along]), np.array([zero, zero, along])


def _values_for_all_rows(closure: Closure, rows: Vec) -> list[Any]:
    """A value for every row, None for those that are not kept."""
    if closure.kept is None:
        return list(rows)
    out: list[Any] = [None] * closure.n_all
    for row, value in zip(closure.kept, rows, strict=True):
        out[row] = value
    return out


def _relative_velocity(loop: Loop, pose: RelativePose, state: Motion) -> tuple[Vec, Vec]:
    """Angular velocity and velocity of the far frame's origin seen from the near frame, near axes."""
    (w_n, v_n), (w_f, v_f) = _end_velocity(loop.near, state), _end_velocity(loop.far, state)
    return pose.Q @ w_f - w_n, pose.Q @ v_f - v_n - cross_product(w_n, pose.d)


def _end_velocity(end: JointFrame, state: Motion) -> tuple[Vec, Vec]:
    t, R_T = state.t[end.link], end.at.R.T
    return R_T @ t[:3], R_T @ (t[3:] + cross_product(t[:3], end.at.r))
