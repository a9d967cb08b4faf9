"""Columns of the regressor: forces along given motions per unit of every dynamic parameter (theory 10; any scalar).

A motion is a column of R (nv, n), velocities of the tree; its twists K_i = N_i R in link axes turn wrenches on links
into forces along it. With R the identity the columns are those of the tree forces; with the motions that one actuator
makes while the others rest they are those of the efforts.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from linkwright.algebra.transforms import Transform
from linkwright.algebra.vectors import Mat, Vec, cross_product, join_twist, spin_acceleration_matrix
from linkwright.dataclass import dataclass
from linkwright.forces.element import ForceElement, JointForce
from linkwright.mechanism.tree import Link, Tree, TreeJointForce
from linkwright.recursion.bending_terms import bent_wrench, modal_forces
from linkwright.recursion.force_elements import MovingPoints, Resisting, gravity_in_links
from linkwright.recursion.twist_recursion import Motion

_UNITS = tuple(
    np.array([[float({i, j} == {k, m}) for m in range(3)] for k in range(3)])
    for i, j in ((0, 0), (0, 1), (0, 2), (1, 1), (1, 2), (2, 2))
)


def wrench_regressor(omega: Vec, alpha: Vec, acc: Vec) -> Mat:
    """W (6, 10) with wrench = W phi, phi = [m, m c (3), I_xx, I_xy, I_xz, I_yy, I_yz, I_zz] (theory 10.2).

    First moment and inertia tensor are about the origin whose acceleration is `acc`, all in one set of axes.
    """
    S = spin_acceleration_matrix(omega, alpha)
    columns = [join_twist(np.zeros(3), acc)]
    columns += [join_twist(cross_product(e, acc), S @ e) for e in np.eye(3)]
    columns += [join_twist(E @ alpha + cross_product(omega, E @ omega), np.zeros(3)) for E in _UNITS]
    return np.array(columns).T


def carried_twists(tree: Tree, A: list[Transform], p: list[Mat], R: Mat) -> list[Mat]:
    """Twists K_i (6, n) of every link, and last of the base, for the motions R (nv, n) (theory 10.3)."""
    n = R.shape[1]
    K: list[Mat] = [np.zeros((6, n))] * (len(tree.links) + 1)
    for i in tree.outward:
        above = K[tree.parent[i]]
        moved = [A[i] @ above[:, j] for j in range(n)]
        K[i] = np.array(moved).reshape(n, 6).T + p[i] @ R[tree.dofs[i]]
    return K


def inertial_columns(tree: Tree, state: Motion, K: list[Mat]) -> list[Mat]:
    """Per link the columns (n, 10) of its inertial parameters about the body's origin in body axes (theory 10.4)."""
    g = gravity_in_links(tree, state) if tree.lifts else []
    lifted = {lift.link: lift.element.carried_gravity(g[lift.link]) for lift in tree.lifts}
    return [_inertial_columns(tree.links[i], state, i, K[i], lifted.get(i)) for i in tree.bodies]


def _inertial_columns(link: Link, state: Motion, i: int, K: Mat, lifted: Vec | None) -> Mat:
    r, R_T = link.body.r, link.body.R.T
    omega, alpha, acc = state.t[i][:3], state.t_dot[i][:3], state.t_dot[i][3:]
    acc = acc if lifted is None else acc + lifted
    W = wrench_regressor(R_T @ omega, R_T @ alpha, R_T @ (acc + spin_acceleration_matrix(omega, alpha) @ r))
    own = [join_twist(R_T @ k[:3], R_T @ (k[3:] + cross_product(k[:3], r))) for k in K.T]
    return np.array(own).reshape(-1, 6) @ W


def bending_columns(tree: Tree, state: Motion, K: list[Mat], R: Mat) -> list[Mat]:
    """Per bending link the column (n, 1) of its inertia in bending as a whole."""
    out = []
    for i, flex in tree.beams:
        bend = state.bends[i]
        inertia = K[i].T @ bent_wrench(flex, bend, state.t[i], state.t_dot[i])
        inertia = inertia + R[tree.dofs[i]].T @ modal_forces(flex, bend, state.t[i], state.t_dot[i])
        out.append(inertia[:, None])
    return out


@dataclass(frozen=True, eq=False)
class Channel:
    """A channel x of a force element with its rates; `along`: the rate of x in every motion, (n,).

    A channel of several coordinates has an array for each, and rows of `along`.
    """

    along: Mat
    x: Any
    x_dot: Any
    x_ddot: Any = 0.0

    def columns(self, element: ForceElement) -> Mat:
        """Columns (n, m) of the element's linear parameters."""
        pairs = zip(element.regressor_columns(self.x, self.x_dot), element.inertia_columns(), strict=True)
        sizes = [force + inertia * self.x_ddot for force, inertia in pairs]
        return np.array([x @ self.along if isinstance(x, np.ndarray) else x * self.along for x in sizes]).T


def tree_channel(force: TreeJointForce, q: Vec, v: Vec, a: Vec, R: Mat) -> Channel:
    """Channel of an element at a joint of the tree."""
    return Channel(R[force.speed], force.deflection(q), v[force.speed], a[force.speed])


def cut_channel(joint: Resisting, element: JointForce, state: Motion, K: list[Mat]) -> Channel:
    """Channel of an element at a joint outside the tree."""
    k, moving = element.part, joint.motion(state)
    unit = [float(i == k) for i in range(len(joint.freedoms))]
    links = (joint.cut.parent, joint.cut.child)
    along: Any = sum(K[i].T @ w for i, w in zip(links, joint.link_wrenches(unit), strict=True) if i >= 0)
    return Channel(along, joint.deflection(element), joint.rates(moving)[k], joint.accelerations(moving)[k])


def point_channel(moving: MovingPoints, tree: Tree, K: list[Mat]) -> Channel:
    """Channel of an element between points."""
    along: Any = sum(K[i].T @ w for i, w in moving.wrenches(tree, -1.0) if i >= 0)
    return Channel(along, moving.distance, moving.rate)
