"""Saha 1999, serial arms: matrices, torques and free falls of the three-link arm and the Stanford arm."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np

from linkwright.algebra.rotations import rotation_matrix
from linkwright.algebra.transforms import RigidTransform
from linkwright.model import build
from linkwright.numerics.tolerances import DIFFERENCE_STEP
from linkwright.papers.gallery.claim_records import Computed
from linkwright.papers.gallery.published_mechanisms import (
    FINEST,
    SAHA_MOVES,
    STANFORD_START,
    catalog_model,
    catalog_tree,
)
from linkwright.recursion.forward_recursion import (
    articulated_body_masses,
    composite_forward_dynamics,
    tree_forward_dynamics,
)
from linkwright.recursion.inertia import joint_maps, tree_convective_matrix, tree_mass_matrix
from linkwright.recursion.inverse_recursion import tree_bias_forces, tree_gravity_forces, tree_inverse_dynamics
from linkwright.recursion.matrices import DeNOC, denoc_matrices
from linkwright.results.result import Result
from linkwright.simulation.api import simulate

Array = np.ndarray
Q = np.array([0.3, 1.2, 0.15, -0.4, 0.7, 0.2])
V = np.array([0.5, -0.3, 0.2, 0.8, -0.6, 1.1])
STARTS = {"three-link-arm": np.zeros(3), "stanford-arm": STANFORD_START}


@cache
def arm_fall(name: str) -> Result:
    """An arm let go from its start, 2 s."""
    return simulate(catalog_model(name), STARTS[name], t_end=2.0, method=FINEST, output=0.01)


def arm_torques(name: str, times: Array) -> Array:
    """Joint efforts along the prescribed motion, (n, joints)."""
    return catalog_model(name).inverse_dynamics(*SAHA_MOVES[name].at(np.asarray(times)))


def stanford_denoc() -> DeNOC:
    return denoc_matrices(catalog_tree("stanford-arm"), Q, V)


def end_position() -> Array:
    return catalog_model("stanford-arm").frame_pose(Q, "link6")[0]


def newton_euler_projected() -> float:
    """The largest difference of N^T (M t_dot + W M t) and the recursion, without gravity, [N m or N]."""
    arm, a, D = catalog_tree("stanford-arm"), np.linspace(1.0, -1.0, 6), stanford_denoc()
    t, t_dot = D.N @ V, D.N @ a + D.N_dot @ V
    explicit = D.N.T @ (D.M @ t_dot + D.W @ D.M @ t)
    recursive = tree_inverse_dynamics(arm, Q, V, a) - tree_gravity_forces(arm, Q)
    return float(np.abs(explicit - recursive).max())


def momentum_rates() -> float:
    """M t_dot + W M t of every body apart against differences of its momentum along a motion, [N m, N]."""
    arm, a, h = catalog_tree("stanford-arm"), np.linspace(1.0, -1.0, 6), DIFFERENCE_STEP
    D = stanford_denoc()
    wrenches = D.M @ (D.N @ a + D.N_dot @ V) + D.W @ D.M @ D.N @ V

    def momentum(s: float) -> Array:
        q, v = Q + s * V + 0.5 * s * s * a, V + s * a
        there = denoc_matrices(arm, q, v)
        return np.asarray(there.M @ there.N @ v)

    return float(np.abs((momentum(h) - momentum(-h)) / (2.0 * h) - wrenches).max())


def complement_rates() -> float:
    """N_dot v against differences of N v along q, with the sliding of the prismatic joint in B_dot."""
    arm, h = catalog_tree("stanford-arm"), DIFFERENCE_STEP
    ahead, behind = (denoc_matrices(arm, Q + s * V, V).N @ V for s in (h, -h))
    return float(np.abs((ahead - behind) / (2.0 * h) - stanford_denoc().N_dot @ V).max())


def articulated_masses() -> Array:
    """Errors of (49), M_hat_i = M_tilde_i - Psi_i, and of (50), (M_hat_k - psi_hat_k psi_k^T) p_k = 0."""
    D, n = stanford_denoc(), 6
    block = [slice(6 * i, 6 * i + 6) for i in range(n)]
    p = [D.N_d[s, i] for i, s in enumerate(block)]
    B = [D.N_l[block[i + 1], block[i]] for i in range(n - 1)]
    M_tilde, M_hat = [D.M[s, s] for s in block], [D.M[s, s] for s in block]
    Psi, free = np.zeros((6, 6)), 0.0
    errors = []
    for k in reversed(range(n)):
        errors.append(np.abs(M_hat[k] - (M_tilde[k] - Psi)).max())
        psi_hat = M_hat[k] @ p[k]
        psi = psi_hat / (p[k] @ psi_hat)
        rest = M_hat[k] - np.outer(psi_hat, psi)
        free = max(free, float(np.abs(rest @ p[k]).max()))
        if k:
            step = B[k - 1]
            M_hat[k - 1] = M_hat[k - 1] + step.T @ rest @ step
            M_tilde[k - 1] = M_tilde[k - 1] + step.T @ M_tilde[k] @ step
            Psi = step.T @ (Psi + np.outer(psi_hat, psi)) @ step
    return np.array([max(errors), free])


def inertia_element_error() -> float:
    """Equation 24, p_i^T M_tilde_i B_ij p_j by composite bodies, against N^T M N."""
    return float(np.abs(tree_mass_matrix(catalog_tree("stanford-arm"), Q) - stanford_denoc().inertia).max())


def skew_part() -> float:
    """Symmetric part of I_dot - 2 C; I_dot = N_dot^T M N + N^T M N_dot + N^T (W M - M W) N."""
    D, C = stanford_denoc(), tree_convective_matrix(catalog_tree("stanford-arm"), Q, V)
    I_dot = D.N_dot.T @ D.M @ D.N + D.N.T @ D.M @ D.N_dot + D.N.T @ (D.W @ D.M - D.M @ D.W) @ D.N
    X = I_dot - 2.0 * C
    return float(np.abs(X + X.T).max())


def convective_forces(printed: bool) -> Array:
    """C v by equations 27-29 with H_{j+1,j}, or with H_{j+1,i} as printed."""
    D, n = stanford_denoc(), 6
    block = [slice(6 * i, 6 * i + 6) for i in range(n)]
    B, B_dot = D.N_l, D.N_l_dot
    M = [D.M[s, s] for s in block]
    M_dot = [sum(D.W[s, s] @ D.M[s, s] for s in block[j:]) for j in range(n)]
    M_tilde = [sum(B[s, block[j]].T @ M[k] @ B[s, block[j]] for k, s in list(enumerate(block))[j:]) for j in range(n)]

    def H(i: int, j: int) -> Array:
        parts = [B[block[k], block[i]].T @ M[k] @ B_dot[block[k], block[j]] for k in range(i, n)]
        return np.sum(parts, axis=0) if parts else np.zeros((6, 6))

    C = np.zeros((n, n))
    for i in range(n):
        for j in range(n):
            p, p_i, p_dot = D.N_d[block[j], j], D.N_d[block[i], i], D.N_d_dot[block[j], j]
            if i <= j:
                ahead = B[block[j + 1], block[i]].T @ H(j + 1, i if printed else j) @ p if j + 1 < n else np.zeros(6)
                C[i, j] = p_i @ (B[block[j], block[i]].T @ M_tilde[j] @ p_dot + ahead + M_dot[j] @ p)
            else:
                C[i, j] = p_i @ (M_tilde[i] @ B[block[i], block[j]] @ p_dot + (H(i, j) + M_dot[i]) @ p)
    return C @ V


def convective_error(printed: bool) -> float:
    arm = catalog_tree("stanford-arm")
    return float(np.abs(convective_forces(printed) - (tree_bias_forces(arm, Q, V) - tree_gravity_forces(arm, Q))).max())


def end_wrench() -> float:
    """Efforts under a wrench on the last link are less by J^T w."""
    arm, w = catalog_model("stanford-arm"), np.array([0.1, -0.2, 0.3, 1.0, 2.0, -1.5])
    still = np.zeros(6)
    turn = arm.frame_pose(Q, "link6")[1]
    R = rotation_matrix(turn)
    J = arm.frame_jacobian(Q, "link6")
    with_wrench = arm.inverse_dynamics(Q, still, still, w_ext={"link6": w})
    carried = J.T @ np.concatenate([R @ w[:3], R @ w[3:]])
    return float(np.abs(arm.inverse_dynamics(Q, still, still) - carried - with_wrench).max())


def udu_error() -> float:
    U, D = catalog_model("stanford-arm").udu(Q)
    return float(np.abs(U @ np.diag(D) @ U.T - tree_mass_matrix(catalog_tree("stanford-arm"), Q)).max())


def sweeps_error() -> float:
    """Three sweeps without the inertia matrix against the matrix and a solution."""
    arm, tau = catalog_tree("stanford-arm"), np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0])
    swept, solved = tree_forward_dynamics(arm, Q, V, tau), composite_forward_dynamics(arm, Q, V, tau)
    return float(np.abs(swept - solved).max() / np.abs(solved).max())


def stanford_accelerations() -> Array:
    return catalog_model("stanford-arm").forward_dynamics(Q, V, np.array([0.5, 1.0, 1.5, 2.0, 2.5, 3.0]))


def transition_error() -> float:
    """B_ij B_jk = B_ik over all links, and B_ii = 1."""
    N_l = stanford_denoc().N_l.reshape(6, 6, 6, 6).transpose(0, 2, 1, 3)
    steps = [N_l[i, j] @ N_l[j, k] - N_l[i, k] for i in range(6) for j in range(i + 1) for k in range(j + 1)]
    return float(np.abs(steps).max())


def articulated_inertia() -> float:
    """m_hat_i against the inertia felt at joint i with the joints before it locked and those beyond it free."""
    arm = catalog_tree("stanford-arm")
    maps = joint_maps(arm, Q)
    m_hat = articulated_body_masses(arm, [m.A for m in maps], [m.p for m in maps]).m_hat
    inertia = tree_mass_matrix(arm, Q)
    felt = [1.0 / np.linalg.inv(inertia[i:, i:])[0, 0] for i in range(6)]
    return float(np.abs(np.array(m_hat, dtype=float) - felt).max())


def energy_drift(name: str) -> float:
    run = arm_fall(name)
    return float(np.ptp(run.energy) / np.max(run["kinetic energy"]))


def coordinates_at_times(run: Result, times: tuple[float, ...]) -> Array:
    return run.q[[int(np.argmin(np.abs(run.t - t))) for t in times]]


def first_swing() -> float:
    """The largest angle of joint 1 in the first half second after the start, [rad]."""
    run = arm_fall("three-link-arm")
    return float(run.q[(run.t > 0.0) & (run.t <= 0.5), 0].max())


def slide_after_turn() -> float:
    """Travel of joint 3 when joint 2 has turned 10 deg down, as part of its travel in the first second."""
    run = arm_fall("stanford-arm")
    turned = int(np.argmax(run["theta2"] < np.deg2rad(80.0)))
    return float(run["b3"][turned] / run["b3"][np.argmin(np.abs(run.t - 1.0))])


def second_joint_angles() -> Array:
    """The largest angle of joint 2 in free fall, and its angle after 1 s, [deg]."""
    run = arm_fall("stanford-arm")
    return np.rad2deg([run["theta2"][1:].max(), run["theta2"][np.argmin(np.abs(run.t - 1.0))]])


def second_joint_angles_otherwise() -> list[float]:
    """The largest angle of joint 2 in free fall with gravity along +Z1, and with alpha_2 = +90 deg, [deg]."""
    arm = catalog_model("stanford-arm").mechanism
    upward = replace(arm, gravity=(0.0, 0.0, 9.81))
    turned = RigidTransform((0.0, -0.1, 0.0), ((1.0, 0.0, 0.0), (0.0, 0.0, 1.0), (0.0, -1.0, 0.0)))  # from its link
    joints = tuple(replace(joint, child_at=turned) if joint.name == "theta2" else joint for joint in arm.joints)
    runs = [
        simulate(build(mech), STANFORD_START, t_end=2.0, method=FINEST, output=0.01)
        for mech in (upward, replace(arm, joints=joints))
    ]
    return [float(np.rad2deg(run["theta2"].max())) for run in runs]


def kalman_filter_error() -> float:
    """A Kalman filter from the tip to the base against the pivots of the elimination, largest relative difference.

    Rodriguez' analogy: state x_i with covariance P_i, process noise of covariance M_i, transition B^T, and the
    measurement p_i^T x_i without noise. The filter's equations are the textbook's (Joseph form); its innovation has the
    variance p_i^T P_i p_i, which is to be the moment of inertia of the articulated body about axis i.
    """
    D, n = stanford_denoc(), 6
    M, N_l, p = D.M, D.N_l, D.N_d
    P, variances = np.zeros((6, 6)), np.zeros(n)
    for i in reversed(range(n)):
        here = slice(6 * i, 6 * i + 6)
        if i < n - 1:
            B = N_l[6 * i + 6 : 6 * i + 12, here]
            P = B.T @ P @ B  # predicted
        P = P + M[here, here]
        h = p[here, i]
        variances[i] = h @ P @ h
        gain = P @ h / variances[i]
        keep = np.eye(6) - np.outer(gain, h)
        P = keep @ P @ keep.T  # corrected
    pivots = np.asarray(catalog_model("stanford-arm").udu(Q)[1])
    return float(np.abs(variances / pivots - 1.0).max())


def printed_end() -> float:
    """End angle of a joint that starts at 0 by equation 39 as printed: 1/2 (2 pi), [deg]."""
    return float(np.rad2deg(0.5 * (2.0 * np.pi - np.sin(2.0 * np.pi))))


COMPUTE: Computed = {
    "S1-positions": end_position,
    "S2-newton-euler": momentum_rates,
    "S3-rates": complement_rates,
    "S4-complement": newton_euler_projected,
    "S5-inertia": inertia_element_error,
    "S6-printed": lambda: convective_error(True),
    "S6-corrected": lambda: convective_error(False),
    "S6-skew": skew_part,
    "S7-end-wrench": end_wrench,
    "S8-gravity": lambda: catalog_model("stanford-arm").gravity_forces(STANFORD_START),
    "S9-udu": udu_error,
    "S9-pivots": lambda: catalog_model("stanford-arm").udu(Q)[1],
    "S9-articulated": articulated_masses,
    "S9-sweeps": sweeps_error,
    "S9-accelerations": stanford_accelerations,
    "S11-torques": lambda: arm_torques("three-link-arm", np.array([0.0]))[0],
    "S11-torques-later": lambda: arm_torques("three-link-arm", np.array([5.0, 10.0])),
    "S11-fall": lambda: coordinates_at_times(arm_fall("three-link-arm"), (0.5, 1.0, 2.0)),
    "S11-swing": first_swing,
    "S11-energy": lambda: energy_drift("three-link-arm"),
    "S12-torques": lambda: arm_torques("stanford-arm", np.array([5.0]))[0],
    "S12-end": printed_end,
    "S12-fall": lambda: coordinates_at_times(arm_fall("stanford-arm"), (2.0,)),
    "S12-slide": slide_after_turn,
    "S12-turn": second_joint_angles,
    "S12-turn-otherwise": second_joint_angles_otherwise,
    "S12-energy": lambda: energy_drift("stanford-arm"),
    "S13-transition": transition_error,
    "S13-articulated": articulated_inertia,
    "S13-kalman": kalman_filter_error,
}
"""Our numbers for every claim, by its name."""
