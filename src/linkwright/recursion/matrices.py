"""The papers' explicit matrices: inertial frame, twists at the mass centers. A teaching page and an oracle for tests.

t = N theta_dot with N = N_l N_d (Saha 16-17); I = N^T M N (20); C = N^T (M N_dot + W M N) (20, corrected). Slow,
floats only: rates are taken from the geometry as Saha writes them, not by differencing.
"""

from __future__ import annotations

import numpy as np

from linkwright.algebra.sums import is_structural_zero
from linkwright.algebra.vectors import Mat, Vec, join_twist, skew
from linkwright.dataclass import dataclass
from linkwright.mechanism.tree import Tree
from linkwright.recursion.inertia import joint_maps
from linkwright.recursion.poses import link_poses
from linkwright.recursion.relative_motion import FramePose


@dataclass(frozen=True, eq=False)
class DeNOC:
    """N_l (6n, 6n), N_d (6n, nv), their rates, the mass matrix M (6n, 6n) and W = diag(w_i x 1, 0), all (6n, ...)."""

    N_l: Mat
    N_d: Mat
    N_l_dot: Mat
    N_d_dot: Mat
    M: Mat
    W: Mat

    @property
    def N(self) -> Mat:
        """The natural orthogonal complement, speeds to all twists."""
        return self.N_l @ self.N_d

    @property
    def N_dot(self) -> Mat:
        return self.N_l_dot @ self.N_d + self.N_l @ self.N_d_dot

    @property
    def inertia(self) -> Mat:
        """Generalized inertia N^T M N."""
        return self.N.T @ self.M @ self.N

    @property
    def C(self) -> Mat:
        """Convective matrix N^T (M N_dot + W M N)."""
        return self.N.T @ (self.M @ self.N_dot + self.W @ self.M @ self.N)


def denoc_matrices(tree: Tree, q: Vec, v: Vec) -> DeNOC:
    """The DeNOC matrices of a tree at q with speeds v."""
    poses = link_poses(tree, q)
    center = [pose.r + pose.R @ mass_center(tree, i) for i, pose in enumerate(poses)]
    N_l, N_d = _propagation_blocks(tree, center), _joint_rates(tree, q, v, poses, center)
    t = N_l @ N_d @ v
    vel = [t[6 * i + 3 : 6 * i + 6] for i in tree.bodies]
    return DeNOC(
        N_l=N_l,
        N_d=N_d,
        N_l_dot=_propagation_blocks(tree, vel, diagonal=0.0),
        N_d_dot=_joint_rates_dot(tree, q, v, poses, center, t),
        M=_block_diagonal([_mass_block_of_link(tree, i, poses[i]) for i in tree.bodies]),
        W=_block_diagonal([_pad_to_twist(skew(t[6 * i : 6 * i + 3])) for i in tree.bodies]),
    )


def mass_center(tree: Tree, i: int) -> Vec:
    """Mass center of link i in its link frame; a massless link has it at the origin."""
    body = tree.links[i].moments
    return np.zeros(3) if is_structural_zero(body.m) else body.h / body.m


def _propagation_blocks(tree: Tree, point: list[Vec], diagonal: float = 1.0) -> Mat:
    """B_ij = [1 0; c_ij x 1, 1] with c_ij from C_i to C_j, for every ancestor j of i; with velocities, its rate."""
    n = len(tree.links)
    out = np.zeros((6 * n, 6 * n))
    for i in tree.bodies:
        for j in tree.ancestors(i):
            B = diagonal * np.eye(6)
            B[3:, :3] = skew(point[j] - point[i])
            out[6 * i : 6 * i + 6, 6 * j : 6 * j + 6] = B
    return out


def _joint_rates(tree: Tree, q: Vec, v: Vec, poses: list[FramePose], center: list[Vec]) -> Mat:
    """Block-diagonal p_i of every joint in the world's axes, at the child's mass center."""
    maps = joint_maps(tree, q, v)
    return _column_blocks(tree, [_at_center(maps[i].p, poses[i], center[i]) for i in tree.bodies])


def _joint_rates_dot(tree: Tree, q: Vec, v: Vec, poses: list[FramePose], center: list[Vec], t: Vec) -> Mat:
    """Rates of the p_i: components turn with the link, and the arm from the joint to the mass center moves."""
    maps = joint_maps(tree, q, v)
    blocks = []
    for i in tree.bodies:
        omega = t[6 * i : 6 * i + 3]
        at_origin = FramePose(poses[i].r, poses[i].R)
        fixed = _at_center(maps[i].p, at_origin, center[i])
        turned = np.array([join_twist(np.cross(omega, x[:3]), np.cross(omega, x[3:])) for x in fixed.T]).T.reshape(
            fixed.shape
        )
        blocks.append(turned + _at_center(maps[i].p_dot, poses[i], center[i]))
    return _column_blocks(tree, blocks)


def _at_center(p: Mat, pose: FramePose, center: Vec) -> Mat:
    columns = []
    for x in p.T:
        angular, linear = pose.R @ x[:3], pose.R @ x[3:]
        columns.append(join_twist(angular, linear + np.cross(angular, center - pose.r)))
    return np.array(columns).T.reshape(p.shape)


def _mass_block_of_link(tree: Tree, i: int, pose: FramePose) -> Mat:
    body, c = tree.links[i].moments, mass_center(tree, i)
    Sigma = body.Sigma - body.m * np.outer(c, c)
    I_c = np.trace(Sigma) * np.eye(3) - Sigma
    return _block_diagonal([pose.R @ I_c @ pose.R.T, body.m * np.eye(3)])


def _pad_to_twist(X: Mat) -> Mat:
    return _block_diagonal([X, np.zeros((3, 3))])


def _block_diagonal(parts: list[Mat]) -> Mat:
    sizes = np.cumsum([0, *(len(B) for B in parts)])
    out = np.zeros((sizes[-1], sizes[-1]))
    for B, start in zip(parts, sizes, strict=False):
        out[start : start + len(B), start : start + len(B)] = B
    return out


def _column_blocks(tree: Tree, parts: list[Mat]) -> Mat:
    out = np.zeros((6 * len(tree.links), tree.nv))
    for i in tree.bodies:
        out[6 * i : 6 * i + 6, tree.dofs[i]] = parts[i]
    return out
